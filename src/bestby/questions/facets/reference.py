"""How sure a mean over several facets is: its variance, and a mixture of two Student's t for its error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestby._core import special
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.questions.facets.components import Cells
from bestby.questions.facets.nesting import Nesting


@dataclass(frozen=True, eq=False)
class Mixture:
    """The distribution of the error of a mean over its standard error: two Student's t by their shares.

    `share` is that of the first, `freedom` the degrees of freedom of both, in arrays of shape (..., 2) or
    (...), one distribution per entry. The first is of what a few levels bring, such as the prompts; the
    second of what goes on with each item. Where both were one t with Satterthwaite's degrees of freedom,
    these would be largest just when the first is estimated too small by chance. A relative of what Cochran
    (1964) proposed.
    """

    share: FloatArray
    freedom: FloatArray

    def tail(self, t: FloatArray | float) -> FloatArray:
        """Return the probability of an error above t standard errors, t of shape (...)."""
        first, second = (special.stdtr(self.freedom[..., part], -np.asarray(t)) for part in (0, 1))
        return np.asarray(self.share * first + (1.0 - self.share) * second)

    def quantile(self, level: float) -> FloatArray:
        """Return how many standard errors an interval of a level reaches to either side, shape (...)."""
        beyond = 0.5 * (1.0 - level)
        ends = -special.stdtrit(self.freedom, beyond)
        low, high = ends.min(axis=-1), ends.max(axis=-1)
        for _ in range(54):  # bits of a float
            middle = 0.5 * (low + high)
            outside = self.tail(middle) > beyond
            low, high = np.where(outside, middle, low), np.where(outside, high, middle)
        return np.asarray(0.5 * (low + high))


@dataclass(frozen=True, eq=False)
class MeanError:
    """The error of a mean: its variance, the reference distribution, and which effects are pooled.

    `clear` has shape (k,): the share in which an effect keeps the mean square of its own, near 0 where it is
    no larger than its interactions.
    """

    variance: FloatArray
    mixture: Mixture
    clear: FloatArray

    @property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(float(self.variance))

    def half_length(self, level: float) -> float:
        """Return half the length of the interval of a level."""
        return float(self.mixture.quantile(level)) * self.standard_error

    def p_value(self, estimate: float, alternative: Alternative) -> float:
        """Return the p-value of a mean of 0."""
        t = estimate / self.standard_error
        if alternative == "two-sided":
            return min(1.0, 2.0 * float(self.mixture.tail(abs(t))))
        return float(self.mixture.tail(t if alternative == "greater" else -t))


def error_of_mean(
    parts: FloatArray, freedom: FloatArray, levels: FloatArray | IntArray, nesting: Nesting
) -> MeanError:
    """Return the error of means from the part that each effect has in their variance.

    `parts`, of shape (..., k), are the components times kappa, which may be negative; `freedom` and `levels`,
    of the same shape or (k,), the degrees of freedom of the mean squares and the numbers of levels.

    The variance is handed to mean squares, those of the fewest facets first. A mean square estimates the part
    of its effect and those of all effects above it, so where it is clearly larger than these, it takes all of
    them, with its own few degrees of freedom; where it is not, these keep what is theirs.
    """
    effects = nesting.effects
    varies, higher = nesting.varies, nesting.within & ~np.eye(len(effects), dtype=np.bool_)
    freedom = np.broadcast_to(freedom, parts.shape)
    parts = np.where(varies, parts, 0.0)
    left = np.maximum(parts, 0.0)
    variance = left.sum(axis=-1)
    taken, clear = np.zeros_like(left), np.ones_like(left)
    sizes = np.array([len(effect) for effect in effects])
    order = np.lexsort((freedom, np.broadcast_to(sizes, parts.shape)))
    for place in np.moveaxis(order, -1, 0)[..., None]:
        over = higher[place[..., 0]] & varies[place]
        beside = np.where(over, parts, 0.0).sum(axis=-1, keepdims=True)
        least = np.maximum(beside, parts[..., -1:])
        # The median of chi-squared over its df (Wilson & Hilferty 1931), which holds from 1 df on
        median = (1.0 - 2.0 / (9.0 * np.maximum(np.take_along_axis(freedom, place, -1), 1.0))) ** 3
        square = np.maximum(np.take_along_axis(parts, place, -1) + beside, 0.0)
        ratio = np.divide(square, least * median, out=np.full(square.shape, np.inf), where=least > 0.0)
        share = 1.0 / (1.0 + np.divide(1.0, ratio**4, out=np.full(ratio.shape, np.inf), where=ratio > 0.0))
        of_others = np.where(over, share * left, 0.0)
        whole = np.take_along_axis(left, place, -1) + of_others.sum(axis=-1, keepdims=True)
        left -= of_others
        np.put_along_axis(left, place, 0.0, -1)
        np.put_along_axis(taken, place, whole, -1)
        np.put_along_axis(clear, place, np.where(over.any(axis=-1, keepdims=True), share, 1.0), -1)
    facets, most = largest(nesting, np.broadcast_to(np.asarray(levels, dtype=np.float64), parts.shape))
    few = ~np.array([[facet in effect for effect in effects] for facet in facets])[most]
    shares = np.where(varies, taken, 0.0) / np.maximum(variance, np.finfo(np.float64).tiny)[..., None]
    groups = [_satterthwaite(np.where(part, shares, 0.0), freedom) for part in (few, ~few)]
    first = np.where(few, shares, 0.0).sum(axis=-1)
    return MeanError(variance, Mixture(first, np.stack(groups, axis=-1)), clear)


def _satterthwaite(shares: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return the degrees of freedom of a sum of mean squares (Satterthwaite 1946); 1 where there is none."""
    total, squares = shares.sum(axis=-1), (shares**2 / np.where(shares > 0.0, freedom, 1.0)).sum(axis=-1)
    return np.asarray(np.divide(total**2, squares, out=np.ones(np.shape(total)), where=squares > 0.0))


def largest(nesting: Nesting, levels: FloatArray | IntArray) -> tuple[list[str], IntArray]:
    """Return the random facets, and which of them has the most levels, shape (...), the items if it is level.

    Of what that one is part of, much is known. `levels` are those of the effects, shape (..., k).
    """
    facets = sorted(nesting.random, key=lambda facet: facet != nesting.items)
    closed = [nesting.effects.index(nesting.parents[facet] | {facet}) for facet in facets]
    return facets, np.asarray(levels[..., closed].argmax(axis=-1))


def many_levels(cells: Cells) -> str:
    """Return the random facet with the most levels."""
    facets, most = largest(cells.nesting, cells.levels)
    return facets[int(most)]
