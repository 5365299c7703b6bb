"""Functions of sums: scores and differences of totals, their derivatives, and studentized replicates.

What becomes of the totals of resamples is a record that holds all it needs and nothing else, so that blocks
can be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.metrics.base import MeanMetric, Metric
from bestby.metrics.smooth import derivatives
from bestby.resampling import totals as resampling
from bestby.resampling.units import Units

_PATTERNS = 8
"""How many random sign patterns are used to perturb all totals by their rounding errors."""


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def scores(metric: Metric, totals: FloatArray) -> FloatArray:
    """Return the scores of totals; what a metric divides by 0 is undefined, and no matter for a warning."""
    values = np.asarray(metric.score(totals))
    if math.isfinite(np.add.reduce(values, axis=None)):  # then all of them are
        return values
    return np.where(np.isfinite(values), values, np.nan)


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
        score_a, *score_b = self.each_score(parts)
        return score_a - score_b[0] if score_b else score_a

    def each_score(self, totals: Sequence[FloatArray]) -> Sequence[FloatArray]:
        """Return the scores (R,) of the totals (R, k) of one system or two, by one call of the metric."""
        first, *others = totals
        if not others:
            return [scores(self.metric, first)]
        values = scores(self.metric, np.concatenate(totals))
        return [values[: len(first)], values[len(first) :]]

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
        for by_column in (np.ascontiguousarray(system_rows.T) for system_rows in rows):
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
class ScoresOfTotals:
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
        out = np.empty((len(self.used), size))
        together = np.stack(self.used, axis=1)
        for part in chunks(size, together.size):
            values = scores(self.metric, by_column[:, part][together].reshape(len(together), -1).T)
            out[:, part] = values.reshape(len(self.used), -1)
        return out.T


@dataclass(frozen=True, eq=False)
class SwapDifference:
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
        score_a, score_b = scores(self.metric, both.reshape(k, -1).T).reshape(2, size)
        return score_a - score_b

    def slack(self, shift: FloatArray, sizes: FloatArray) -> float:
        """Return a bound on the error of the difference at a shift that comes from rounding of the totals.

        Where a score is steep (a root near 0, a ratio of small differences), errors of the last bit of a
        total are far larger in the score. The totals are perturbed by their largest rounding errors. `shift`
        has shape (k,). `sizes`, of shape (k,): per column the sum of the sizes of what was added up; 0 where
        sums are exact.
        """
        if not sizes.any():
            return 0.0
        # Where a score is steep (a root near 0, a ratio of small differences), errors of the last bit of a
        # total are far larger in the score: the totals are moved by their largest rounding errors.
        signs = np.random.Generator(np.random.PCG64(7)).choice([-1.0, 1.0], (_PATTERNS, sizes.size))
        moved = rounding.sum_error(sizes) * np.concatenate([np.zeros((1, sizes.size)), signs, -signs])
        both = [scores(self.metric, self.midpoint + side * shift + moved) for side in (1.0, -1.0)]
        reach = [
            np.ptp(perturbed[np.isfinite(perturbed)]) for perturbed in both if np.isfinite(perturbed).any()
        ]
        return float(sum(reach))


@dataclass(frozen=True, eq=False)
class SwappedUnits:
    """The differences of one pair, of the sums of what the swapped units change.

    `half` has shape (k,).
    """

    difference: SwapDifference
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


# -- derivatives -----------------------------------------------------------------------------------
# Many metrics know their derivatives; of the others they are taken by steps, here and nowhere else. Every
# step changes the weights of the units a little, so a score is only evaluated at totals of the same units
# with positive weights. A step therefore does not depend on the unit of measurement, a root never gets a
# negative number, and no score leaves its bounds.


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
        # f = t_0 / t_1: the derivative by a weight is (x_0 - f x_1) / t_1.
        slopes_of_mean: FloatArray = (rows[:, 0] - score(total[None, :]) * rows[:, 1]) / total[1]
        return slopes_of_mean
    out = np.empty(rows.shape[0])
    for part in chunks(*rows.shape):
        by_formula = derivatives(metric, total, rows[part])
        slopes = np.full(len(rows[part]), np.nan) if by_formula is None else by_formula[0]
        by_steps = np.flatnonzero(np.isnan(slopes))
        if by_steps.size:
            step = NUDGE * rows[part][by_steps]
            slopes[by_steps] = _slope(score, np.broadcast_to(total, step.shape), step) / NUDGE
        out[part] = slopes
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
        # f = t_0 / t_1 along a move (d_0, d_1): f' = (d_0 - f d_1) / t_1 and f'' = -2 f' d_1 / t_1.
        second = -2.0 * first * moves[:, 1] / total[1]
        return Response(influence(metric, score, total, rows), first, float(counts @ second))
    by_line = _by_formula(metric, total, both)
    if by_line is not None:
        first, second = by_line[0][:C], by_line[1][:C]
        # Slopes are linear: by the weight of a unit it is that of its move and that of the mean of the
        # stratum.
        by_weight = _by_weight(first, by_line[0][C:], units)
    else:
        by_weight, first, second = _by_steps(score, total, rows, moves, counts)
    return Response(by_weight, first, float(counts @ second))


def second_derivative(metric: Metric, total: FloatArray, direction: FloatArray) -> float | None:
    """Return the second derivative as totals (k,) move in a direction (k,); None if steps must tell it."""
    by_formula = derivatives(metric, total, direction[None])
    return None if by_formula is None or np.isnan(by_formula[0][0]) else float(by_formula[1][0])


def _by_weight(move_slopes: FloatArray, mean_slopes: FloatArray, units: Units) -> FloatArray:
    """Return slopes by the weight of each unit: as they are linear, that of its move and that of the mean."""
    return move_slopes + (mean_slopes if mean_slopes.size == 1 else mean_slopes.repeat(np.diff(units.bounds)))


def _by_formula(
    metric: Metric, total: FloatArray, directions: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Return both derivatives in directions (R, k), shape (R,) each; None of a metric that lacks them."""
    size = len(directions)
    first, second = np.empty((2, size))
    for part in chunks(size, 2 * total.size):
        both = derivatives(metric, total, directions[part])
        if both is None:
            return None
        first[part], second[part] = both
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
        values = score(both.T)
        here, (far_up, far_down, up, down) = values[0], values[1:].reshape(4, -1)
        # Central differences: second ones need larger steps, as rounding is divided by their square.
        first[part] = (far_up - far_down) / (2.0 * size)
        second[part] = ((far_up - here) + (far_down - here)) / size**2
        by_weight[part] = _half_change(up, down, np.broadcast_to(here, up.shape)) / NUDGE
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
        # Columns may have any unit: eigenvalues of correlations say which directions are rounding.
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
        # A coordinate has the variance 1: a step of the root of n in its total is one standard deviation.
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
    return _half_change(up, down, here)


def _half_change(up: FloatArray, down: FloatArray, here: FloatArray) -> FloatArray:
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
    values = score(both.reshape(k, -1).T)
    return values[:size], values[size:]


# -- studentized replicates ------------------------------------------------------------------------


MOST_STUDENTIZED = 24
"""Columns of statistics up to which second moments are resampled for the studentized interval."""


def mean_pivots(values: FloatArray, units: Units, drawing: Drawing) -> FloatArray:
    """Return the pivots of a mean of values (C,)."""
    n = units.n
    mean = float(units.counts @ values) / n
    centred = values - mean

    return resampling.bootstrap(
        np.column_stack([centred, centred**2]),
        units,
        drawing.n_resamples,
        drawing.seed,
        MeanPivots(n, float(np.abs(centred).max(initial=0.0))),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def function_pivots(metric: Metric, columns: SideBySide, units: Units, drawing: Drawing) -> FloatArray | None:
    """Return pivots with the delta-method variance of each resample, from its second moments.

    `columns` are those of one system or two; None where too many vary.
    """
    X, n = columns.X, units.n
    if X.shape[1] > MOST_STUDENTIZED:
        return None
    total = np.concatenate([units.counts @ X, n * columns.constants])
    whole = all(bool((np.rint(part) == part).all()) for part in (X, columns.constants))
    centred = X - total[: X.shape[1]] / n
    directions = Directions.of((centred.T * units.counts) @ centred / n)
    coordinates = centred @ directions.across
    first, second = np.triu_indices(coordinates.shape[1])
    moments = coordinates[:, first] * coordinates[:, second]
    return resampling.bootstrap(
        np.column_stack([coordinates, moments]),
        units,
        drawing.n_resamples,
        drawing.seed,
        DeltaPivots(Functional(metric, *columns.used), total, whole, directions, first, second, n),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


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
        # A difference of two nearly equal sums of squares is rounding where all draws are of one value.
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
        # The variance of the score of a resample is g' (M2 - m m' / n) g, with g its slopes by the
        # coordinates, M2 and m the resample's second and first moments; products off the diagonal occur
        # twice.
        weight = np.where(first == second, 1.0, 2.0)
        products = slopes[:, first] * slopes[:, second] * weight
        moments, mean_products = totals[:, r:], totals[:, first] * totals[:, second] / n
        sizes = (np.abs(products) * (np.abs(moments) + np.abs(mean_products))).sum(axis=1)
        variance = _above_rounding((products * (moments - mean_products)).sum(axis=1), sizes) * n / (n - 1)
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
