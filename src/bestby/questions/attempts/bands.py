"""Bands that hold for every number of attempts at once, of the curve of a system and of a difference.

Per item, the chance that one of k attempts is right is estimated from n samples of which c are right, for all
k from the same two numbers. The curves of systems are means of these values over the items. How the means
vary together over k comes from the items or clusters, as for any means, and the largest of all deviations
follows from draws (`inference.multiplicity`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core import special
from bestby._core.cached import cached_property
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.data.evaluation import Evaluation
from bestby.inference import clusters
from bestby.inference.multiplicity import FEW_UNITS, Joint
from bestby.inference.proportions import added_in_squares, wilson_ends

_STEP = 1.2
"""Ratio of the k that stand for all in between when draws are made: finer steps move no critical value."""

_ROUNDING = 1e-12
"""Standard errors of shares, and relative variances of differences, that are those of rounding alone."""


def chances(samples: FloatArray, right: FloatArray, largest: int, *, every: bool) -> FloatArray:
    """Return pass@k, or pass^k if `every`, of items for k = 1 to the largest, shape (K, n).

    C(x, k) / C(n, k) is the product of (x - j) / (n - j) over j < k (equation 1 of Chen et al. 2021, and Yao
    et al. 2024, section 5).

    >>> chances(np.array([4.0]), np.array([2.0]), 3, every=False).ravel().round(3)
    array([0.5  , 0.833, 1.   ])
    """
    j = np.arange(largest, dtype=np.float64)[:, None]
    wanted = right if every else samples - right
    product = np.cumprod(np.maximum(wanted - j, 0.0) / (samples - j), axis=0)
    found: FloatArray = np.where(every, product, 1.0 - product)
    return found


def grid(largest: int) -> IntArray:
    """Return the k that stand for all others when draws are made: nearly all up to 10, of more fewer.

    >>> grid(12)
    array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 12])
    >>> grid(1000).size
    37
    """
    ks = [1]
    while ks[-1] < largest:
        ks.append(min(largest, max(ks[-1] + 1, int(ks[-1] * _STEP))))
    return np.array(ks)


@dataclass(frozen=True, eq=False)
class Curves:
    """The values of items at every k, and the units that they make.

    `tables` has for each system the values of its distinct pairs (samples, right), shape (K, D), `places`,
    shape (R, S), the pair of each system in each row, `weights` the items of a row. Rows are kinds of items,
    or items in the order of their clusters, which begin at `starts`. `sizes`, `counts` and `bounds` are those
    of the units, as for `clusters.cr2`.
    """

    tables: list[FloatArray]
    places: IntArray
    weights: FloatArray
    starts: IntArray | None
    sizes: FloatArray
    counts: IntArray
    bounds: IntArray

    @classmethod
    def of(cls, pairs: list[FloatArray], evaluation: Evaluation, largest: int, *, every: bool) -> Curves:
        """Return the curves of systems whose items are these pairs (samples, right), each of shape (n, 2)."""
        tables, places = [], []
        for one in pairs:
            # A pair as one complex number, which NumPy sorts far faster than rows
            distinct, place = np.unique(one[:, 0] + 1j * one[:, 1], return_inverse=True)
            tables.append(chances(distinct.real, distinct.imag, largest, every=every))
            places.append(place.reshape(-1))
        n, strata = len(pairs[0]), np.zeros(len(pairs[0]), dtype=np.int64)
        if evaluation.strata is not None:
            strata = np.unique(evaluation.strata, return_inverse=True)[1].reshape(-1)
        rows = np.column_stack([strata, *places])
        if evaluation.clusters is None:
            rows, counts = np.unique(rows, axis=0, return_counts=True)
            unit_strata, starts, weights = rows[:, 0], None, counts.astype(np.float64)
            sizes = np.ones(len(rows))
        else:
            codes = np.unique(evaluation.clusters, return_inverse=True)[1].reshape(-1)
            order = np.lexsort((codes, strata))
            rows, codes, weights = rows[order], codes[order], np.ones(n)
            starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
            unit_strata, counts = rows[starts, 0], np.ones(starts.size, dtype=np.int64)
            sizes = np.diff(np.r_[starts, n]).astype(np.float64)
        bounds = np.flatnonzero(np.r_[True, unit_strata[1:] != unit_strata[:-1], True])
        return cls(tables, rows[:, 1:], weights, starts, sizes, counts, bounds)

    @property
    def n_k(self) -> int:
        """The number K of attempts up to which the curves go."""
        return len(self.tables[0])

    @cached_property
    def n_units(self) -> float:
        """How many units of equal size there are."""
        return clusters.equal_units(self.sizes, self.counts)

    @cached_property
    def df(self) -> float:
        """The degrees of freedom of the standard errors, those of CR2."""
        return max(1.0, clusters.cr2(np.zeros(self.sizes.size), self.sizes, self.counts, self.bounds).df)

    def values(self, k: int) -> FloatArray:
        """Return the values of all systems at k (from 0) in every row, shape (R, S)."""
        return np.column_stack(
            [table[k].take(place) for table, place in zip(self.tables, self.places.T, strict=True)]
        )

    def influence(self, values: FloatArray, means: FloatArray) -> FloatArray:
        """Return what each unit adds to the means, of values in every row."""
        added = (values - means) / self.weights.sum()
        return added if self.starts is None else np.add.reduceat(added, self.starts, axis=0)

    def covariance(self, influence: FloatArray) -> FloatArray:
        """Return the covariances of means, by CR2."""
        return clusters.cr2_covariance(influence, self.sizes, self.counts, self.bounds)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """The means at every k, shape (K, S), and the covariances of the systems, shape (K, S, S)."""
        every = zip(self.tables, self.places.T, strict=True)
        sums = [table @ np.bincount(place, self.weights) for table, place in every]
        means = np.column_stack(sums) / self.weights.sum()
        covariances = np.empty((*means.shape, len(self.tables)))
        for k in range(self.n_k):
            covariances[k] = self.covariance(self.influence(self.values(k), means[k]))
            still = covariances[k].diagonal() <= _ROUNDING**2
            covariances[k][still] = covariances[k][:, still] = 0.0
        return means, covariances

    @cached_property
    def over_k(self) -> FloatArray:
        """The covariances of all systems at every k of the grid, shape (S, G, S, G)."""
        ks, means = grid(self.n_k) - 1, self.moments[0]
        columns = np.stack([self.influence(self.values(k), means[k]) for k in ks.tolist()], axis=2)
        size = columns.shape[1:]
        return self.covariance(columns.reshape(len(columns), -1)).reshape(*size, *size)

    def point(self, pairs: list[tuple[int, int]], alpha: float, seed: int) -> float:
        """Return how many standard errors the band of these differences reaches at every k.

        A difference (s, s) is the curve of s itself. The bands of all pairs hold at once.
        """
        among = sorted({s for pair in pairs for s in pair})
        over_k = self.over_k[among][:, :, among]
        n_k = over_k.shape[1]
        place, at, size = {s: i * n_k for i, s in enumerate(among)}, np.arange(n_k), len(among) * n_k
        # The scale of a k is the largest standard error there, so that draws keep those that are near 0
        spread = np.sqrt(np.einsum("sgsg->sg", over_k).max(axis=0))
        scale = np.divide(1.0, spread, out=np.zeros(n_k), where=spread > _ROUNDING)
        covariance = np.zeros((size + 1, size + 1))  # the last one does not vary, and a curve is minus it
        covariance[:size, :size] = (over_k * scale[:, None, None] * scale).reshape(size, size)
        a = np.concatenate([place[one] + at for one, _ in pairs])
        b = np.concatenate([np.full(n_k, size) if s == other else place[other] + at for s, other in pairs])
        variances = covariance[a, a] + covariance[b, b] - 2.0 * covariance[a, b]
        varying: BoolArray = variances > _ROUNDING * (covariance[a, a] + covariance[b, b])
        a, b, varying = a[varying], b[varying], varying[varying]
        known = self.n_units >= FEW_UNITS and a.size > 1
        level = alpha
        if a.size:
            level = Joint(a, b, covariance if known else None, seed, varying).single_level(alpha)
        return float(special.stdtrit(self.df, 1.0 - 0.5 * level))

    def ends(self, point: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the intervals of all systems at every k, shape (K, S): Wilson's.

        The items count as so many answers, right or wrong, as would have the variance of the mean: m (1 - m)
        / se^2. A mean near 0 or 1 to which few items add has nearly no variance in the data, so that the
        number is at most that of data with one more unit that is always right and one that never is.
        """
        means, covariances = self.moments
        variances, n = covariances.diagonal(axis1=1, axis2=2), self.n_units
        more = (n * means + 1.0) / (n + 2.0)
        squares = variances * n * (n - 1.0) + (1.0 - more) ** 2 + more**2 + n * (means - more) ** 2
        least = squares / ((n + 1.0) * (n + 2.0))
        answers = more * (1.0 - more) / least
        with np.errstate(divide="ignore", invalid="ignore"):
            plain = means * (1.0 - means) / variances
        answers = np.fmin(answers, np.where(variances > 0.0, plain, np.inf))
        answers = np.maximum(answers, 1.0)
        return wilson_ends(means * answers, answers, point)


def band(low: FloatArray, high: FloatArray, *, rising: bool) -> tuple[FloatArray, FloatArray]:
    """Return the ends of a band, shape (K,), of a curve that never falls, or never rises.

    If the band holds everywhere, the curve is nowhere below its lower end before, nor above its upper end
    behind.
    """
    if not rising:
        low, high = (ends[::-1] for ends in band(low[::-1], high[::-1], rising=True))
        return low, high
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def difference_band(curves: Curves, a: int, b: int, point: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the band of a difference at every k, shape (K,), from both intervals."""
    means, covariances = curves.moments
    low, high = curves.ends(point)
    variances = covariances.diagonal(axis1=1, axis2=2)
    both = np.sqrt(variances[:, a] * variances[:, b])
    r = np.divide(covariances[:, a, b], both, out=np.zeros_like(both), where=both > 0.0)
    ends = (low[:, a], high[:, a]), (low[:, b], high[:, b])
    return added_in_squares((means[:, a], means[:, b]), ends, r)
