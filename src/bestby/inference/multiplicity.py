"""The p-values of a family of comparisons, adjusted for their number or by their joint distribution."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import overload

import numpy as np

from bestby._core import checks, rounding, special
from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, ArrayLike, BoolArray, FloatArray, IntArray
from bestby.inference.clusters import equal_units
from bestby.resampling import streams
from bestby.vocabulary import allowed_names


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down procedure (1979, Scand. J. Statist. 6, 65-70).

    It controls the family-wise error rate under any dependence, and is never less powerful than `bonferroni`.

    >>> holm([0.04, 0.01, 0.03, 0.02])
    array([0.06, 0.04, 0.06, 0.06])
    """
    p = checks.p_values(p_values)
    order = np.argsort(p, kind="stable")
    # p_(i) (m - i + 1), and never less than the one before: a hypothesis is rejected only after all that have
    # smaller p-values.
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def bonferroni(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by their number (Dunn 1961, J. Amer. Statist. Assoc. 56, 52-64).

    It controls the family-wise error rate under any dependence.
    """
    p = checks.p_values(p_values)
    return np.minimum(p * p.size, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by the step-up procedure of Benjamini and Hochberg.

    Benjamini & Hochberg (1995), J. R. Statist. Soc. B 57, 289-300. It controls the false discovery rate, not
    the family-wise error rate, when the tests are independent or positively dependent. Unlike under `holm`
    and `bonferroni`, further comparisons with small p-values can make the others smaller: that is what a
    share of discoveries means.
    """
    p = checks.p_values(p_values)
    order = np.argsort(p, kind="stable")
    factors = p.size / np.arange(1, p.size + 1)  # none below 1, so rounding cannot shrink a p-value
    stepped = np.minimum.accumulate((p[order] * factors)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = stepped  # the last factor is 1, so none is above the largest p-value
    return adjusted


def _unadjusted(p_values: ArrayLike) -> FloatArray:
    return checks.p_values(p_values).copy()


_CORRECTIONS: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": _unadjusted,
}


STEP_DOWN = "step-down"
"""The correction that needs to know how the differences vary together."""


def adjust_jointly(
    p_values: FloatArray, correction: str, alternative: Alternative, joint: Callable[[], Joint]
) -> FloatArray:
    """Adjust the p-values of a family whose joint distribution `joint` makes, if the correction needs it."""
    if correction != STEP_DOWN:
        return adjust(p_values, correction)
    return joint().stepped_down(p_values, alternative)


def adjust(p_values: ArrayLike, correction: str) -> FloatArray:
    """Adjust the raw p-values of a whole family, in the order given, by the correction of that name."""
    return _CORRECTIONS[checks.choice(correction, allowed_names("correction"), "correction")](p_values)


@overload
def rejects(p_value: float, alpha: float) -> bool: ...


@overload
def rejects(p_value: FloatArray, alpha: float) -> BoolArray: ...


def rejects(p_value: float | FloatArray, alpha: float) -> bool | BoolArray:
    """Return whether a test at the level alpha rejects: p <= alpha, but for the rounding of a correction."""
    return rounding.at_most(p_value, alpha)


@lru_cache(maxsize=64)
def alpha_at(level: float) -> float:
    """Return 1 - level without the rounding of the subtraction."""
    return round(1.0 - level, 15)


# -- the joint distribution of all differences of a family -----------------------------------------
# It follows from how the scores of the systems vary together.


FEW_UNITS = 15
"""Units, were they equally large, below which nothing is read from how the systems vary together."""

DRAWS = 20_000
"""Draws of all differences at once; the share of 5 % of them has a standard error of 0.15 %."""

ENOUGH_HITS = 100
"""Draws beyond a point from which their share is used; with fewer, Bonferroni's bound is."""

_JITTER = 1e-12


@dataclass(frozen=True, eq=False)
class Spread:
    """How the scores of systems vary about the mean of all systems, and how well this is known.

    Parameters
    ----------
    covariance : ndarray, shape (S, S)
        Covariances of the scores less their mean over the systems.
    noise : float
        The expected sum of squared errors of its entries.
    n_units : float
        Units (items, clusters) of equal size that it comes from.
    of_scores : ndarray, shape (S, S), optional
        Covariances of the scores themselves, where they are known.
    """

    covariance: FloatArray
    noise: float
    n_units: float
    of_scores: FloatArray | None = None

    @classmethod
    def from_influence(
        cls, influence: FloatArray, sizes: FloatArray, counts: IntArray, bounds: IntArray
    ) -> Spread | None:
        """Return it from what each distinct unit adds to the scores, shape (C, S), by CR2.

        `sizes`, `counts` and `bounds` are as for `clusters.cr2`. The noise is that of a sum of independent
        matrices, one per unit (Ledoit & Wolf 2004, J. Multivariate Anal. 88, 365-411, section 3.3). None if
        an influence is not finite.
        """
        n_systems = influence.shape[1]
        covariance, fourth = np.zeros((n_systems, n_systems)), 0.0
        with_mean, of_mean = np.zeros(n_systems), 0.0
        for start, stop in pairwise(bounds.tolist()):
            c, own = counts[start:stop].astype(np.float64), influence[start:stop].T
            if c.sum() < 2.0:  # its mean is its own
                continue
            # CR2 as in `clusters`: residuals over the root of 1 - h, here of all systems at once.
            h = sizes[start:stop] / float(c @ sizes[start:stop])
            total = own @ c
            for part in chunks(c.size, -(-n_systems // 8)):  # large ones: every product wakes all threads
                rows = (own[:, part] - np.multiply.outer(total, h[part])) / np.sqrt(1.0 - h[part])
                mean = rows.mean(axis=0)
                rows -= mean
                weighted = rows * c[part]
                covariance += weighted @ rows.T
                with_mean += weighted @ mean
                of_mean += float(c[part] @ mean**2)
                fourth += float(c[part] @ (rows**2).sum(axis=0) ** 2)
        size = float(np.trace(covariance)) + n_systems * of_mean
        if not np.isfinite(covariance).all():
            return None
        if np.trace(covariance) <= _JITTER**2 * size:  # copies, which differ by the rounding of their mean
            covariance, fourth = np.zeros((n_systems, n_systems)), 0.0
        # The summed variances of the entries: mean of the squared norms of the units' matrices less that of
        # their mean (Ledoit & Wolf 2004, section 3.3).
        noise = max(0.0, fourth - float((covariance**2).sum()) / int(counts.sum()))
        of_scores = covariance + with_mean + with_mean[:, None] + of_mean
        return cls(covariance, noise, equal_units(sizes, counts), of_scores)

    @classmethod
    def from_resamples(cls, scores: FloatArray, n_units: float) -> Spread:
        """Return it from scores of resamples, shape (B, S); the noise is that of so many normal units."""
        centred = scores - scores.mean(axis=1, keepdims=True)
        centred[np.ptp(scores, axis=1) == 0.0] = 0.0
        covariance, of_scores = (np.atleast_2d(np.cov(drawn, rowvar=False)) for drawn in (centred, scores))
        return dataclasses.replace(cls.normal(covariance, n_units), of_scores=of_scores)

    @classmethod
    def normal(cls, covariance: FloatArray, n_units: float) -> Spread:
        """Return the spread with the noise of a covariance of so many normal units."""
        noise = (float(np.trace(covariance)) ** 2 + float((covariance**2).sum())) / n_units
        return cls(covariance, noise, n_units)

    @classmethod
    def of_sum(cls, parts: Sequence[Spread], n_units: float, over: float = 1.0) -> Spread:
        """Return the spread of the sum of independent scores over a number, from the spread of each."""
        of_scores = [part.of_scores / over**2 for part in parts if part.of_scores is not None]
        return cls(
            np.sum([part.covariance / over**2 for part in parts], axis=0),
            sum(part.noise / over**4 for part in parts),
            n_units,
            np.sum(of_scores, axis=0) if len(of_scores) == len(parts) else None,
        )

    def ordered(self, order: Sequence[int]) -> Spread:
        """Return the spread with the systems in another order."""
        places = np.ix_(order, order)
        of_scores = None if self.of_scores is None else self.of_scores[places]
        return dataclasses.replace(self, covariance=self.covariance[places], of_scores=of_scores)

    def from_one(self, one: int) -> Spread:
        """Return the spread whose scores are the differences of the systems and one of them."""
        row = self.covariance[one]
        return dataclasses.replace(self, of_scores=self.covariance - row - row[:, None] + row[one])

    def variances(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return the variances of the differences A minus B; 0 of those that vary by rounding alone."""
        diagonal = self.covariance.diagonal()
        variances = diagonal[a] + diagonal[b] - 2.0 * self.covariance[a, b]
        least = _JITTER * max(float(diagonal.sum()), float(np.finfo(np.float64).tiny))
        varying: FloatArray = np.where(variances > least, variances, 0.0)
        return varying

    def shrunk(self) -> FloatArray:
        """Return the covariance drawn towards that of unrelated systems of equal variance, shape (S, S).

        Correlations that are known badly look stronger than they are, and would make a family look smaller
        than it is. Unrelated systems are the worst case of all pairs (Hayter 1984, Ann. Statist. 12, 61-75),
        and the share that is drawn there is the noise over the squared distance (Ledoit & Wolf 2004).
        """
        size = len(self.covariance)
        # Scores of unrelated systems of equal variance, less their mean, have the covariance I - 1/S.
        unrelated = (np.eye(size) - 1.0 / size) * (float(np.trace(self.covariance)) / max(1, size - 1))
        distance = float(((self.covariance - unrelated) ** 2).sum())
        share = min(1.0, self.noise / distance) if distance > 0.0 else 1.0
        mixed: FloatArray = share * unrelated + (1.0 - share) * self.covariance
        return mixed


@dataclass(frozen=True, eq=False)
class Joint:
    """How far out the differences of a family lie together if no two systems differ.

    Every difference over its standard error is taken as normal, with the correlations that follow from the
    covariance of the systems; a p-value stands for the point that a normal variable passes as rarely.

    Parameters
    ----------
    a, b : ndarray of int, shape (m,)
        The systems of each difference, as positions in the covariance.
    covariance : ndarray, shape (S, S), or None
        Of the scores of the systems; None if they are not known well enough, and Bonferroni's bound is used.
    seed : int
        Of the draws.
    varying : ndarray of bool, shape (m,)
        Which differences vary; the others are never far out.
    """

    a: IntArray
    b: IntArray
    covariance: FloatArray | None
    seed: int
    varying: BoolArray

    @classmethod
    def of(cls, spread: Spread | None, a: IntArray, b: IntArray, seed: int) -> Joint:
        """Return the joint distribution of the differences A minus B of systems that vary so."""
        if spread is None:
            return cls(a, b, None, seed, np.ones(a.size, dtype=np.bool_))
        varying = spread.variances(a, b) > 0.0
        well_known = spread.n_units >= FEW_UNITS and bool(varying.any()) and a.size > 1
        return cls(a, b, spread.shrunk() if well_known else None, seed, varying)

    @classmethod
    def from_correlations(cls, correlations: FloatArray | None, size: int, seed: int) -> Joint:
        """Return the joint distribution of differences with these correlations, shape (size, size).

        None if they are not known well enough. Each difference is taken as that of a system of its own from
        one whose score does not vary.
        """
        systems, varying = np.arange(size), np.ones(size, dtype=np.bool_)
        if correlations is None:
            return cls(systems, systems, None, seed, varying)
        covariance = np.zeros((size + 1, size + 1))
        covariance[:size, :size] = correlations
        return cls(systems, np.full(size, size), covariance, seed, varying)

    @property
    def size(self) -> int:
        """The number of differences."""
        return int(self.a.size)

    @property
    def bonferroni(self) -> bool:
        """Whether Bonferroni's bound is used."""
        return self.covariance is None

    @property
    def n_draws(self) -> int:
        """How often all differences are drawn."""
        # Fewer where draws times differences are above 2^29, but never below 4,000
        return max(4_000, min(DRAWS, (1 << 29) // self.size))

    def adjusted(self, p_values: FloatArray) -> FloatArray:
        """Return the chance that any p-value of the family is so small, shape (k,), of p-values (k,).

        At least the p-value, and at most the number of differences times it. Only these bounds are used where
        fewer than `ENOUGH_HITS` draws are as far out.
        """
        bound = np.minimum(self.size * p_values, 1.0)
        if self.bonferroni:
            return bound
        drawn = self._largest
        # A share of 100 draws has a relative error of 10 %; below that the bounds are better.
        hits = drawn.size - np.searchsorted(drawn, _point(p_values, two_sided=True), side="right")
        return np.maximum(p_values, np.minimum(bound, np.maximum(hits, ENOUGH_HITS) / drawn.size))

    def single_level(self, alpha: float) -> float:
        """Return the largest p-value that `adjusted` takes to alpha or less."""
        bound = alpha / self.size
        if self.bonferroni:
            return bound
        drawn = self._largest
        rank = rounding.round_down(alpha * drawn.size)
        if not ENOUGH_HITS <= rank < drawn.size:
            return bound if rank < ENOUGH_HITS else alpha
        return min(alpha, max(bound, float(2.0 * special.ndtr(-drawn[drawn.size - 1 - rank]))))

    @cached_property
    def _largest(self) -> FloatArray:
        """The largest absolute difference of each draw, in standard errors, in rising order."""
        blocks, scale = [], self._scale[:, None].astype(np.float32)
        for drawn in self._scores(len(self._in_one_unit)):
            # Single precision takes half the time, and moves a share of the draws by nothing to speak of.
            by_system = np.ascontiguousarray(drawn.T, dtype=np.float32)
            largest = np.zeros(len(drawn))
            for part in chunks(self.size, len(drawn)):
                z = by_system.take(self.a[part], axis=0)
                z -= by_system.take(self.b[part], axis=0)
                z *= scale[part]
                np.maximum(largest, np.abs(z, out=z).max(axis=0), out=largest)
            blocks.append(largest)
        return np.sort(np.concatenate(blocks))

    def stepped_down(self, p_values: FloatArray, alternative: Alternative = "two-sided") -> FloatArray:
        """Return p-values adjusted by the step-down procedure of the largest statistics.

        Romano & Wolf (2005), J. Amer. Statist. Assoc. 100, 94-108, algorithm 1; in terms of p-values Westfall
        & Young 1993, algorithm 2.8. The p-value of each difference is compared with the smallest of those
        that have not been rejected before it. Never larger than by `multiplicity.holm`, which it is where the
        systems' covariance is not known well enough, and for p-values that fewer than `ENOUGH_HITS` draws
        reach.
        """
        order = np.argsort(p_values, kind="stable")
        p = p_values[order]
        bound = np.minimum(p * np.arange(p.size, 0, -1), 1.0)
        if not self.bonferroni:
            points = _point(p, two_sided=alternative == "two-sided")
            hits, sign = np.zeros(p.size, dtype=np.int64), -1.0 if alternative == "less" else 1.0
            still = self.varying[order]
            for z in self._drawn(order):
                far = np.abs(z) if alternative == "two-sided" else np.where(still, sign * z, -np.inf)
                # For each difference the largest statistic of those that are not rejected before it.
                left = np.maximum.accumulate(far[:, ::-1], axis=1)[:, ::-1]
                hits += (left > points).sum(axis=0)
            bound = np.minimum(bound, np.maximum(hits, ENOUGH_HITS) / self.n_draws)
        stepped = np.empty_like(p)
        stepped[order] = np.maximum.accumulate(np.maximum(p, bound))
        return stepped

    def _drawn(self, order: IntArray) -> Iterator[FloatArray]:
        """Yield the differences of each draw over their standard deviations, blocks of shape (R, m)."""
        a, b, scale = self.a[order], self.b[order], self._scale[order]
        for drawn in self._scores(a.size):
            yield (drawn[:, a] - drawn[:, b]) * scale

    @cached_property
    def _in_one_unit(self) -> FloatArray:
        """The covariance, with a mean variance of 1: single precision holds it in any unit of the scores."""
        assert self.covariance is not None
        scaled: FloatArray = self.covariance / float(self.covariance.diagonal().mean())
        return scaled

    @property
    def _scale(self) -> FloatArray:
        """One over the standard deviation of each difference, 0 of those that do not vary, shape (m,)."""
        covariance = self._in_one_unit
        diagonal = covariance.diagonal()
        variances = diagonal[self.a] + diagonal[self.b] - 2.0 * covariance[self.a, self.b]
        scale = np.zeros(self.size)
        scale[self.varying] = 1.0 / np.sqrt(variances[self.varying])
        return scale

    def _scores(self, width: int) -> Iterator[FloatArray]:
        """Yield draws of the scores of all systems, shape (R, S); `width` numbers are made of each draw."""
        return draws(self._in_one_unit, self.n_draws, width, self.seed)


def draws(covariance: FloatArray, n_draws: int, width: int, seed: int) -> Iterator[FloatArray]:
    """Yield normal draws, shape (R, S), with a covariance whose variances are about 1.

    `width` numbers are made of each draw.
    """
    size = len(covariance)
    # A covariance of differences is singular; a little independent noise changes no digit that counts.
    root = np.linalg.cholesky(covariance + _JITTER * np.eye(size))
    generator = streams.block_generator(seed, "families", 0)
    for part in chunks(n_draws, width):
        drawn: FloatArray = generator.standard_normal((part.stop - part.start, size)) @ root.T
        yield drawn


def drawn_towards(correlations: FloatArray, worst: float, n_units: float) -> FloatArray:
    """Return correlations drawn towards the one of the worst case, by the share of their noise.

    The noise is (1 - r^2)^2 / n each, and the share is its sum over that of the squared distances (Schäfer &
    Strimmer 2005, Statist. Appl. Genet. Mol. Biol. 4, article 32).
    """
    apart = ~np.eye(len(correlations), dtype=np.bool_)
    r = correlations[apart]
    distance, noise = float(((r - worst) ** 2).sum()), float(((1.0 - r**2) ** 2).sum()) / n_units
    share = min(1.0, noise / distance) if distance > 0.0 else 1.0
    drawn: FloatArray = (1.0 - share) * correlations + share * worst
    np.fill_diagonal(drawn, 1.0)
    return drawn


def _point(p_values: FloatArray, *, two_sided: bool) -> FloatArray:
    """Return what a normal variable, or its absolute value, passes with these probabilities."""
    tail = 0.5 * p_values if two_sided else p_values
    point: FloatArray = -special.ndtri(np.clip(tail, math.ulp(0.0), 1.0))
    return point
