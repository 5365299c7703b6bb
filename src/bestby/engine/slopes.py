"""How a function of sums responds to its data: the only place where its derivatives are taken.

Every step changes the weights of the units a little, so a score is only evaluated at totals of the same units
with positive weights. A step therefore does not depend on the unit of measurement, a root never gets a
negative number, and no score leaves its bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.stacked import STACKED
from bestby.metrics.base import MeanMetric, Metric

Score = Callable[[FloatArray], FloatArray]
"""Scores or differences (R,) of totals (R, k)."""

NUDGE = 2.0**-12
"""The change of a weight in one step: its square, and rounding divided by it, are both below 1e-7."""


def influence(metric: Metric, score: Score, total: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the influence of each unit: the derivative of the score by the weight of the unit, shape (C,).

    `total` has shape (k,) and `rows` has shape (C, k). The influence on a mean is known without steps.

    References
    ----------
    .. [1] Efron (1982), The Jackknife, the Bootstrap and Other Resampling Plans, section 6.2.
    """
    if isinstance(metric, MeanMetric):
        of_mean: FloatArray = (rows[:, 0] - score(total[None, :]) * rows[:, 1]) / total[1]
        return of_mean
    out = np.empty(rows.shape[0])
    block = max(1, STACKED // max(1, 2 * rows.shape[1]))
    for start in range(0, rows.shape[0], block):
        part = slice(start, start + block)
        step = NUDGE * rows[part]
        out[part] = _slope(score, np.broadcast_to(total, step.shape), step) / NUDGE
    return out


LARGEST_MOVE = 2.0**-10
"""The largest share of all units whose weight is moved to one unit in a step, for second derivatives."""


def curvature(
    metric: Metric, score: Score, total: FloatArray, moves: FloatArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the first and the second derivative of a score as weight is moved to each unit, shape (C,) each.

    `total` has shape (k,). `moves`, of shape (C, k), are the rows less the mean row of their stratum: what a
    total changes by if the weight of one unit of this kind grows by one and the weights of all units of the
    stratum shrink together, so that their sum stays the same. Those of a mean are known without steps.

    References
    ----------
    .. [1] DiCiccio & Efron (1992), Biometrika 79, 231-245, section 4.
    """
    here = score(total[None, :])
    if isinstance(metric, MeanMetric):
        first = (moves[:, 0] - here * moves[:, 1]) / total[1]
        return first, -2.0 * first * moves[:, 1] / total[1]
    # A quarter of the weight of its own kind at most, which leaves all weights positive.
    sizes = np.minimum(0.25 * counts, LARGEST_MOVE * counts.sum())
    first, second = np.empty(sizes.size), np.empty(sizes.size)
    block = max(1, STACKED // max(1, 2 * moves.shape[1]))
    for start in range(0, sizes.size, block):
        part = slice(start, start + block)
        up, down = _both_ways(score, total[None, :], sizes[part, None] * moves[part])
        first[part] = (up - down) / (2.0 * sizes[part])
        second[part] = ((up - here) + (down - here)) / sizes[part] ** 2
    return first, second


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
    change = 0.5 * (up - down)
    lost = np.isnan(change)
    if lost.any():  # undefined on one side
        here = score(totals[lost])
        one_sided = np.where(np.isnan(up[lost]), here - down[lost], up[lost] - here)
        change[lost] = one_sided
    return change


def _both_ways(score: Score, totals: FloatArray, steps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the scores (R,) after steps (R, k) up and down: few scores take as long as the call of them."""
    size, k = steps.shape
    both = np.empty((k, 2, size))  # column by column, as metrics read them
    np.add(totals.T, steps.T, out=both[:, 0])
    np.subtract(totals.T, steps.T, out=both[:, 1])
    found = score(both.reshape(k, -1).T)
    return found[:size], found[size:]
