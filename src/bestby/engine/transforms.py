"""What becomes of the totals of a block of resamples: scores, differences, pivots.

Each holds all that it needs and nothing else, so that blocks can be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.slopes import Directions
from bestby.metrics.base import Metric

_PATTERNS = 8
"""How many random sign patterns are used to perturb all totals by their rounding errors."""


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def scores(metric: Metric, totals: FloatArray) -> FloatArray:
    """Return the scores of totals; what a metric divides by 0 is undefined, and no matter for a warning."""
    found = np.asarray(metric.score(totals))
    if math.isfinite(np.add.reduce(found, axis=None)):  # then all of them are
        return found
    return np.where(np.isfinite(found), found, np.nan)


@dataclass(frozen=True, eq=False)
class Functional:
    """A score, or the difference of two, as a function of the totals of the columns it uses.

    `a` and `b` are the columns of A and of B among those given; None for all of them, and for no B.
    """

    metric: Metric
    a: IntArray | None = None
    b: IntArray | None = None

    def __call__(self, totals: FloatArray) -> FloatArray:
        """Return the scores or differences, shape (R,), of totals (R, k)."""
        if self.a is None:
            return scores(self.metric, totals)
        parts = [totals[..., part] for part in (self.a, self.b) if part is not None]
        of_a, *of_b = self.each_score(parts)
        return of_a - of_b[0] if of_b else of_a

    def each_score(self, totals: Sequence[FloatArray]) -> Sequence[FloatArray]:
        """Return the scores (R,) of the totals (R, k) of one system or two, by one call of the metric."""
        first, *others = totals
        if not others or any(part.shape != first.shape for part in others):
            return [scores(self.metric, part) for part in totals]
        found = scores(self.metric, np.concatenate(totals))
        return [found[: len(first)], found[len(first) :]]

    def size(self, total: FloatArray) -> float:
        """Return the larger absolute value of the scores at one total, to which rounding is relative."""
        parts = [part for part in (self.a, self.b) if part is not None] or [np.arange(total.size)]
        return max(abs(float(scores(self.metric, total[part]))) for part in parts)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The columns of the statistics of several systems, each once.

    `X`, of shape (C, v), has those that vary between units and `constants`, of shape (c,), the others, which
    are numbered after them. `used` says which columns are the statistics of each system.
    """

    X: FloatArray
    constants: FloatArray
    used: Sequence[IntArray]

    @classmethod
    def of(cls, rows: Sequence[FloatArray]) -> SideBySide:
        """Return the columns of rows (C, k) of each system."""
        number: dict[bytes, int] = {}
        columns: list[FloatArray] = []
        used = []
        for by_column in (np.ascontiguousarray(of_system.T) for of_system in rows):
            own = [number.setdefault(column.tobytes(), len(number)) for column in by_column]
            columns += [by_column[own.index(place)] for place in range(len(columns), len(number))]
            used.append(np.array(own, dtype=np.int64))
        varies = np.array([bool((column != column[0]).any()) for column in columns])
        order = np.argsort(~varies, kind="stable")
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        X = np.empty((columns[0].size, int(varies.sum())))
        for i, column in enumerate(order[: X.shape[1]].tolist()):
            X[:, i] = columns[column]
        constants = np.array([columns[column][0] for column in order[X.shape[1] :].tolist()])
        return cls(X, constants, [place[own] for own in used])


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of several systems, shape (R, S), of the totals of the columns that vary.

    `fixed` are the totals of the other columns, and `used` says which ones are the statistics of each system.
    """

    metric: Metric
    used: Sequence[IntArray]
    fixed: FloatArray

    def __call__(self, totals: FloatArray) -> FloatArray:
        """Return the scores of totals (R, v)."""
        size = totals.shape[0]
        # Column by column, as metrics read them; several systems by one call, as few scores take as long.
        by_column = np.concatenate([totals.T, np.broadcast_to(self.fixed[:, None], (self.fixed.size, size))])
        if len({own.size for own in self.used}) > 1:
            return np.stack([scores(self.metric, by_column[own].T) for own in self.used], axis=1)
        out = np.empty((len(self.used), size))
        together = np.stack(self.used, axis=1)
        for part in chunks(size, together.size):
            found = scores(self.metric, by_column[:, part][together].reshape(len(together), -1).T)
            out[:, part] = found.reshape(len(self.used), -1)
        return out.T


@dataclass(frozen=True, eq=False)
class Swap:
    """The difference A minus B as a function of the shift of the totals from their midpoint.

    `midpoint` has shape (k,).
    """

    metric: Metric
    midpoint: FloatArray

    def __call__(self, shift: FloatArray) -> FloatArray:
        """Return the differences, shape (R,), of shifts (R, k)."""
        return self.moved(shift, self.midpoint, self.midpoint)

    def moved(self, taken: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the differences, shape (R,), as what is taken, (R, k), moves from B to A.

        `a` and `b`, of shape (k,), are their totals before.
        """
        size, k = taken.shape
        # Column by column, as metrics read them, and both systems by one call.
        both = np.empty((k, 2, size))
        np.add(a[:, None], taken.T, out=both[:, 0])
        np.subtract(b[:, None], taken.T, out=both[:, 1])
        of_a, of_b = scores(self.metric, both.reshape(k, -1).T).reshape(2, size)
        return of_a - of_b

    def slack(self, shift: FloatArray, sizes: FloatArray) -> float:
        """Return a bound on the error of the difference at a shift that comes from rounding of the totals.

        Where a score is steep (a root near 0, a ratio of small differences), errors of the last bit of a
        total are far larger in the score. The totals are perturbed by their largest rounding errors. `shift`
        has shape (k,). `sizes`, of shape (k,): per column the sum of the sizes of what was added up; 0 where
        sums are exact.
        """
        if not sizes.any():
            return 0.0
        signs = np.random.Generator(np.random.PCG64(7)).choice([-1.0, 1.0], (_PATTERNS, sizes.size))
        moved = rounding.sum_error(sizes) * np.concatenate([np.zeros((1, sizes.size)), signs, -signs])
        both = [scores(self.metric, self.midpoint + side * shift + moved) for side in (1.0, -1.0)]
        reach = [np.ptp(found[np.isfinite(found)]) for found in both if np.isfinite(found).any()]
        return float(sum(reach))


@dataclass(frozen=True, eq=False)
class Taken:
    """The differences of one pair, of the sums of what the swapped units change.

    `half` has shape (k,).
    """

    difference: Swap
    half: FloatArray
    used: IntArray | None = None

    def __call__(self, taken: FloatArray) -> FloatArray:
        """Return the differences, shape (R,), of sums (R, k) or (R, len(used))."""
        midpoint = self.difference.midpoint
        a, b = midpoint - self.half, midpoint + self.half
        if self.used is None:
            return self.difference.moved(taken, a, b)
        full = np.zeros((taken.shape[0], self.half.size))
        full[:, self.used] = taken
        return self.difference.moved(full, a, b)


@dataclass(frozen=True, eq=False)
class MeanPivots:
    """Studentized replicates of a mean, of the sums of centred values and of their squares."""

    n: int
    largest: float

    def __call__(self, totals: FloatArray) -> FloatArray:
        """Return the pivots, shape (R,), of totals (R, 2)."""
        n = self.n
        shift = totals[:, 0] / n
        squares = totals[:, 1] / n
        variance = _above_rounding(squares - shift**2, squares) / (n - 1)
        return _pivot(shift, variance, self.largest)


@dataclass(frozen=True, eq=False)
class DeltaPivots:
    """Studentized replicates by the delta method, of first and second moments of coordinates.

    `total`, of shape (K,), begins with the columns that vary. `whole`: all numbers are, so that the totals of
    resamples are known without rounding, and a class that is missing in one has a total of 0.
    """

    score: Functional
    total: FloatArray
    whole: bool
    directions: Directions
    first: IntArray
    second: IntArray
    n: int

    def __call__(self, totals: FloatArray) -> FloatArray:
        """Return the pivots, shape (R,), of the totals of coordinates and moments (R, r + r(r + 1)/2)."""
        r, n, first, second = self.directions.along.shape[1], self.n, self.first, self.second
        estimate = float(self.score(self.total[None])[0])
        along = np.zeros((self.total.size, r))
        along[: len(self.directions.along)] = self.directions.along
        sums = self.total + totals[:, :r] @ along.T
        sums = np.rint(sums) if self.whole else sums
        slopes = Directions(along, along).slopes(self.score, sums, n)
        weight = np.where(first == second, 1.0, 2.0)
        products = slopes[:, first] * slopes[:, second] * weight
        moments, of_means = totals[:, r:], totals[:, first] * totals[:, second] / n
        sizes = (np.abs(products) * (np.abs(moments) + np.abs(of_means))).sum(axis=1)
        variance = _above_rounding((products * (moments - of_means)).sum(axis=1), sizes) * n / (n - 1)
        return _pivot(self.score(sums) - estimate, variance, self.score.size(self.total))


def _above_rounding(variance: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return variances, 0 where they are rounding beside the sums of squares they are the difference of."""
    return np.where(rounding.is_nothing(variance, sizes, rounding.SQUARES), 0.0, variance)


def _pivot(shift: FloatArray, variance: FloatArray, scale: float) -> FloatArray:
    """Return shift / sd; a resample without variance gives 0 if it did not move, else an infinite pivot."""
    sd = np.sqrt(variance)
    flat = rounding.is_nothing(sd, scale)
    moved = np.abs(shift) > rounding.noise_width(scale)
    out = np.divide(shift, sd, out=np.zeros_like(shift), where=~flat)
    return np.where(flat & moved, np.copysign(np.inf, shift), out)
