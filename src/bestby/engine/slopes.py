"""How a function of sums responds to its data: the only place where its derivatives are taken.

Many metrics know their derivatives; of the others they are taken by steps. Every step changes the weights of
the units a little, so a score is only evaluated at totals of the same units with positive weights. A step
therefore does not depend on the unit of measurement, a root never gets a negative number, and no score leaves
its bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.smooth import derivatives
from bestby.resampling.units import Units

Score = Callable[[FloatArray], FloatArray]
"""Scores or differences (R,) of totals (R, k)."""

NUDGE = 2.0**-12
"""The change of a weight in one step: its square, and rounding divided by it, are both below 1e-7."""


def influence(metric: Metric, score: Score, total: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the influence of each unit: the derivative of the score by the weight of the unit, shape (C,).

    `total` has shape (k,) and `rows` has shape (C, k). The influence on a mean is known without steps, and so
    is that on a metric which knows its derivatives. Where the score jumps as soon as such a unit has any
    weight, the slope is the jump divided by the step.

    References
    ----------
    .. [1] Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans, section 6.2.
    """
    if isinstance(metric, MeanMetric):
        of_mean: FloatArray = (rows[:, 0] - score(total[None, :]) * rows[:, 1]) / total[1]
        return of_mean
    out = np.empty(rows.shape[0])
    for part in chunks(*rows.shape):
        known = derivatives(metric, total, rows[part])
        found = np.full(len(rows[part]), np.nan) if known is None else known[0]
        unknown = np.flatnonzero(np.isnan(found))
        if unknown.size:
            step = NUDGE * rows[part][unknown]
            found[unknown] = _slope(score, np.broadcast_to(total, step.shape), step) / NUDGE
        out[part] = found
    return out


LARGEST_MOVE = 2.0**-10
"""The largest share of all units whose weight is moved to one unit in a step, for second derivatives."""


@dataclass(frozen=True, eq=False)
class Response:
    """How a score responds to the weights of the distinct units.

    `influence`, of shape (C,), is its derivative by the weight of one unit, `first` the same as that weight
    is taken from all units of the stratum alike, and `curvature` the sum of the second derivatives in these
    directions over all units.
    """

    influence: FloatArray
    first: FloatArray
    curvature: float


def response(metric: Metric, score: Score, total: FloatArray, rows: FloatArray, units: Units) -> Response:
    """Return how a score responds to the weights of units, whose rows (C, k) have the `total` (k,).

    The derivatives of a mean are known without steps, and so are those of a metric which tells them.

    References
    ----------
    .. [1] DiCiccio & Efron (1992), Biometrika 79, 231-245, section 4.
    """
    counts, C = units.weights, units.n_rows
    both = np.empty((total.size, C + units.n_strata)).T  # column by column, as metrics read them
    moves, means = both[:C], both[C:]
    strata = zip(means, units.sizes.tolist(), pairwise(units.bounds.tolist()), strict=True)
    for mean, size, (start, stop) in strata:
        np.divide(counts[start:stop] @ rows[start:stop], size, out=mean)
        np.subtract(rows[start:stop], mean, out=moves[start:stop])
    if isinstance(metric, MeanMetric):
        first = (moves[:, 0] - score(total[None, :]) * moves[:, 1]) / total[1]
        second = -2.0 * first * moves[:, 1] / total[1]
        return Response(influence(metric, score, total, rows), first, float(counts @ second))
    by_line = _by_formula(metric, total, both)
    if by_line is not None:
        first, second = by_line[0][:C], by_line[1][:C]
        by_weight = _by_weight(first, by_line[0][C:], units)
    else:
        by_weight, first, second = _by_steps(score, total, rows, moves, counts)
    return Response(by_weight, first, float(counts @ second))


def bend(metric: Metric, total: FloatArray, direction: FloatArray) -> float | None:
    """Return the second derivative as totals (k,) move in a direction (k,); None if steps must tell it."""
    known = derivatives(metric, total, direction[None])
    return None if known is None or np.isnan(known[0][0]) else float(known[1][0])


def _by_weight(of_moves: FloatArray, of_means: FloatArray, units: Units) -> FloatArray:
    """Return slopes by the weight of each unit: as they are linear, that of its move and that of the mean."""
    return of_moves + (of_means if of_means.size == 1 else of_means.repeat(np.diff(units.bounds)))


def _by_formula(
    metric: Metric, total: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Return both derivatives in directions (R, k), shape (R,) each; None of a metric that lacks them."""
    size = len(directions)
    first, second = np.empty((2, size))
    for part in chunks(size, 2 * total.size):
        known = derivatives(metric, total, directions[part])
        if known is None:
            return None
        first[part], second[part] = known
    return first, second


def _by_steps(
    score: Score, total: FloatArray, rows: FloatArray, moves: FloatArray, counts: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the influence of each unit, and both derivatives as weight is moved to it, shape (C,) each.

    `moves`, of shape (C, k), is what a total changes by if the weight of one unit of this kind grows by one
    and the weights of all units of the stratum shrink together, so that their sum stays the same. One call
    of the score makes all: few scores take as long as the call of it.
    """
    # A quarter of the weight of its own kind at most, which leaves all weights positive.
    sizes = np.minimum(0.25 * counts, LARGEST_MOVE * counts.sum())
    by_weight, first, second = np.empty((3, sizes.size))
    k = total.size
    for part in chunks(sizes.size, 2 * k):
        size = sizes[part]
        both = np.empty((k, 4 * size.size + 1))  # column by column, as metrics read them
        steps = both[:, 1:].reshape(k, 4, -1)
        steps[:, 0] = moves[part].T * size
        steps[:, 1] = -steps[:, 0]
        steps[:, 2] = NUDGE * rows[part].T
        steps[:, 3] = -steps[:, 2]
        both[:, 0] = 0.0
        both += total[:, None]
        found = score(both.T)
        here, (far_up, far_down, up, down) = found[0], found[1:].reshape(4, -1)
        first[part] = (far_up - far_down) / (2.0 * size)
        second[part] = ((far_up - here) + (far_down - here)) / size**2
        by_weight[part] = _change(up, down, np.broadcast_to(here, up.shape)) / NUDGE
    return by_weight, first, second


@dataclass(frozen=True, eq=False)
class Directions:
    """Uncorrelated directions in which units vary: coordinates of mean 0 and variance 1 for their rows.

    Steps along them are changes of weights, which steps along single columns are not: a square cannot change
    while the number itself does not. `along`, of shape (k, r): a row is the mean plus its coordinates times
    the transpose of this. `across`, of shape (k, r): the coordinates of a row are its difference from the
    mean, times this.
    """

    along: FloatArray
    across: FloatArray

    @classmethod
    def of(cls, covariance: FloatArray) -> Directions:
        """Return the directions of rows with a covariance (k, k); there are as many as its rank."""
        sd = np.sqrt(np.diagonal(covariance))
        scale = np.where(sd > 0.0, sd, 1.0)
        values, vectors = np.linalg.eigh(covariance / scale / scale[:, None])
        positive = values > 64.0 * rounding.EPS * len(values)
        root = np.sqrt(values[positive])
        vectors = vectors[:, positive]
        return cls(scale[:, None] * vectors * root, vectors / scale[:, None] / root)

    def slopes(self, score: Score, totals: FloatArray, n: int) -> FloatArray:
        """Return the derivatives of a score of totals (R, k) of n units by the totals of the coordinates.

        The result has shape (R, r). The variance of the score is n times the sum of their squares, to first
        order.
        """
        reach = NUDGE * np.sqrt(n)
        steps = [np.broadcast_to(reach * step, totals.shape) for step in self.along.T]
        slopes = [_slope(score, totals, step) / reach for step in steps]
        return np.stack(slopes, axis=-1) if slopes else np.zeros((totals.shape[0], 0))

    def curvature(self, score: Score, total: FloatArray, n: int) -> float:
        """Return the sum of the second derivatives as weight is moved to each of n units; `total` is (k,).

        No coordinate is above the root of n, so that the steps leave all weights positive.
        """
        reach = float(min(0.25 * np.sqrt(n), LARGEST_MOVE * n))
        here, steps = score(total[None, :]), reach * self.along.T
        up, down = score(total + steps), score(total - steps)
        return float(np.sum((up - here) + (down - here))) * n / reach**2


def _slope(score: Score, totals: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the change of a score (R,) over a step (R, k): central, or one-sided where it is undefined."""
    up, down = _both_ways(score, totals, steps)
    lost = np.isnan(up) | np.isnan(down)
    here = np.empty(up.shape)
    if lost.any():
        here[lost] = score(totals[lost])
    return _change(up, down, here)


def _change(up: FloatArray, down: FloatArray, here: FloatArray) -> FloatArray:
    """Return half the change from below to above, or that from `here` where one of the two is undefined."""
    change = 0.5 * (up - down)
    lost = np.isnan(change)
    if lost.any():  # undefined on one side
        change[lost] = np.where(np.isnan(up), here - down, up - here)[lost]
    return change


def _both_ways(score: Score, totals: FloatArray, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the scores (R,) after steps (R, k) up and down: few scores take as long as the call of them."""
    size, k = steps.shape
    both = np.empty((k, 2, size))  # column by column, as metrics read them
    np.add(totals.T, steps.T, out=both[:, 0])
    np.subtract(totals.T, steps.T, out=both[:, 1])
    found = score(both.reshape(k, -1).T)
    return found[:size], found[size:]
