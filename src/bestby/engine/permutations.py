"""The paired permutation test of a metric that is a function of sums."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.engine.functionals import SwapDifference, SwappedUnits
from bestby.engine.statistics import ordered, projected
from bestby.inference import dominating_point, permutation, tilting
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling import executing
from bestby.resampling import totals as resampling
from bestby.resampling.units import CELL_COST_SWAP, Units
from bestby.results.values import TestResult

_BEGINNING = 64
"""Units whose changes are looked at before those of all are."""

_STEPS = 64
"""Steps from one end of a sum's reach to the other, in each of which the difference must rise."""


def many_units_test(
    metric: Metric,
    rows: Sequence[FloatArray],
    totals: Sequence[FloatArray],
    units: Units,
    observed: float,
    drawing: Drawing,
    systems: Sequence[int] | None,
) -> TestResult | None:
    """Return the two-sided test of very many units without a draw for each; None elsewhere.

    `rows` (n, k) and `totals` (k,) are those of A and of B. Of a metric of standard scores, the numbers as
    given of these `systems` are swapped.
    """
    if units.n < dominating_point.FEWEST_UNITS or units.by_cells(CELL_COST_SWAP) or units.n_strata > 1:
        return None
    rows_a, rows_b = rows
    apart = _columns_apart(rows_a, rows_b)
    halves = np.empty((apart.size, units.n_rows))
    for part in chunks(units.n_rows, rows_a.shape[1]):
        if isinstance(metric, StandardisedMetric) and systems is not None:
            halves[:, part] = raw_changes(metric, systems, [rows_a[part], rows_b[part]], apart).T
        else:
            halves[:, part] = rounding.difference(rows_a[part].T[apart], rows_b[part].T[apart])
    halves *= 0.5
    if isinstance(metric, StandardisedMetric) and systems is not None:
        totals = raw_totals(metric, systems, totals)
    # Both systems stand at the midpoint plus and minus half of their difference; a swap moves both by the
    # same.
    midpoint = 0.5 * (totals[0] + totals[1])
    if not units.single:
        halves = np.repeat(halves, units.counts, axis=1)
    difference = SwapDifference(metric, midpoint)

    def moved(shift: FloatArray) -> FloatArray:
        every = np.zeros((len(shift), midpoint.size))
        every[:, apart] = shift
        return difference(every)

    return dominating_point.swapped_sums(halves.T, moved, observed, drawing.n_resamples, drawing.seed)


@dataclass(frozen=True, eq=False)
class Swaps:
    """What two systems swap: rows of statistics (C, k) of A and of B, on `units` with multiplicities.

    `scores` are those of A and B.
    """

    metric: Metric
    rows_a: FloatArray
    rows_b: FloatArray
    units: Units
    scores: FloatArray
    clustered: bool

    @cached_property
    def observed(self) -> float:
        """The difference of the data."""
        return float(self.scores[0] - self.scores[1])

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        return self.units.weights @ self.rows_a, self.units.weights @ self.rows_b

    @cached_property
    def _difference(self) -> SwapDifference:
        """A minus B as a function of the shift of the totals from their midpoint."""
        total_a, total_b = self._totals
        return SwapDifference(self.metric, 0.5 * (total_a + total_b))

    @cached_property
    def _half(self) -> FloatArray:
        """Half of the totals of B minus those of A: the data stand at minus this."""
        total_a, total_b = self._totals
        return 0.5 * (total_b - total_a)

    @cached_property
    def _scale(self) -> float:
        return float(np.abs(self.scores).max())

    @cached_property
    def _slack(self) -> float:
        """A bound on the error of a difference that comes from rounding of the totals."""
        sizes = np.zeros(self._half.size)
        for rows in (self.rows_a, self.rows_b):  # sums of whole numbers are exact
            whole = (np.rint(rows) == rows).all(axis=0)
            sizes += np.where(whole, 0.0, self.units.weights @ np.abs(rows))
        return self._difference.slack(-self._half, sizes)

    @cached_property
    def _tolerance(self) -> float:
        """Within what differences are ties."""
        return max(rounding.tie_width(self._scale, abs(self.observed)), self._slack)

    @cached_property
    def _kinds(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The distinct changes of totals by a swap, up to sign, and the number of units of each.

        The third array is the data's own arrangement, as `permutation.exact_enumeration` takes it.
        """
        delta = rounding.difference(self.rows_b, self.rows_a)
        differs, used = delta.any(axis=1), delta.any(axis=0)
        delta, counts = delta[differs], self.units.counts[differs]
        if counts.size == 0:
            return delta, counts, counts
        # A swap and its reverse are one kind: each change gets the sign with which a fixed projection of it
        # is positive.
        projection = projected(delta[:, used])
        signs = np.where(projection < 0.0, -1, 1)
        delta = signs[:, None] * delta
        order, fresh = ordered(delta, [np.abs(projection)])
        first = np.flatnonzero(fresh)
        # A swap shifts the totals of A by half of B minus A: the data stand at the other end.
        own = -np.add.reduceat((signs * counts)[order], first)
        return delta[order[first]], np.add.reduceat(counts[order], first), own

    def test(self, alternative: Alternative, drawing: Drawing, *, exact: bool = True) -> TestResult:
        """Return the test: exact, by draws that are tilted towards the data, or by plain ones.

        Without `exact`, swaps are drawn even where all could be counted.
        """
        with executing.one_blas_thread():  # once, as it takes as long as many of the products inside
            if not exact:
                return self._drawn(alternative, drawing)
            result = self._without_plain(alternative, drawing) or self._drawn(alternative, drawing)
            return self._refined(result, drawing)

    def _refined(self, result: TestResult, drawing: Drawing) -> TestResult:
        """Return a test with few hits by tilted draws, or where these fail by more plain ones."""
        if not tilting.few_hits(result):
            return result
        result = tilting.refined(result, self._tilted, self._tolerance, drawing.seed)
        most = tilting.most_plain(drawing.n_resamples, self.units.n)
        if tilting.few_hits(result) and most > drawing.n_resamples:
            more = dataclasses.replace(drawing, n_resamples=most, progress=None)
            return self._drawn(result.alternative, more)
        return result

    def _without_plain(self, alternative: Alternative, drawing: Drawing) -> TestResult | None:
        """Return the exact test, or that of tilted draws alone where the data are far out; None elsewhere."""
        result = self._exact(alternative)
        if result is not None:
            return result
        return tilting.far(
            self._tilted, self.observed, alternative, self._tolerance, drawing.seed, drawing.n_resamples
        )

    @cached_property
    def _tilted(self) -> tilting.Swaps:
        """How the difference depends on the swaps of the units."""
        delta, counts, own = self._kinds
        difference, half = self._difference, self._half
        # What one more unit of the kind on the side of the data changes, near the data.
        step = np.where(own < 0, -1.0, 1.0)
        moved = np.concatenate([np.zeros((1, half.size)), step[:, None] * delta])
        values = difference(-half - moved)
        shifts = 0.5 * delta

        def changes_at(signs: FloatArray) -> FloatArray:
            here = signs @ shifts
            return difference(here + shifts) - difference(here - shifts)

        changes = step * (values[0] - values[1:])
        return tilting.Swaps(counts, own, changes, difference, shifts, changes_at)

    def one_sum_test(self, alternative: Alternative) -> TestResult | None:
        """Return the exact test if the difference rises or falls with one sum, whatever is swapped.

        RMSE, R2 and error rates have one: the errors. All else that they count belongs to the gold.
        """
        counts = self.units.counts
        apart = _columns_apart(self.rows_a, self.rows_b)
        if isinstance(self.metric, MeanMetric):
            if (apart > 0).any():
                return None
            d = rounding.difference(self.rows_a[:, 0], self.rows_b[:, 0])
            return permutation.exact_mean(d, counts, alternative, float(self._totals[0][1]))
        if apart.size == 0:
            return None
        beginning = self.rows_a[:_BEGINNING, apart] - self.rows_b[:_BEGINNING, apart]
        if beginning.any() and _one_direction(beginning) is None:  # mostly the first rows tell
            return None
        delta = rounding.difference(self.rows_a[:, apart], self.rows_b[:, apart])
        direction = _one_direction(delta)
        if direction is None:
            return None
        d = delta[:, np.abs(direction).argmax()]
        # All changes are multiples of one direction: the sum of the multiples orders the differences if the
        # score rises (or falls) all along it, and the test of a sum is exact.
        along = np.zeros(self._half.size)
        along[apart] = 0.5 * direction
        data, reach = float(counts @ d), float(counts @ np.abs(d))
        # A score that is flat just inside of the data has ties there, which sums do not tell.
        sums = np.append(reach * np.linspace(-1.0, 1.0, _STEPS + 1), [data - data / _STEPS, data])
        differences = self._difference(np.multiply.outer(sums, along))
        rises, at_data = np.diff(differences[:-2]), differences[-1] - differences[-2]
        sign = np.sign(rises[0])
        if not ((sign * rises > 0.0).all() and (sign * data * at_data > 0.0 or data == 0.0)):
            return None
        result = permutation.exact_mean(sign * d, counts, alternative, 1.0)
        return result and dataclasses.replace(result, statistic=self.observed)

    def _exact(self, alternative: Alternative) -> TestResult | None:
        delta, counts, own = self._kinds
        if counts.size == 0:
            return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
        return permutation.exact_enumeration(
            delta, counts, own, self._difference, self.observed, alternative, self._tolerance
        )

    def _drawn(self, alternative: Alternative, drawing: Drawing) -> TestResult:
        """Return the test by plain draws: binomial ones by kinds of changes, or a swap of each unit.

        Labels always have kinds, of which there are few.
        """
        delta, counts, _ = self._kinds
        labels = self.metric.reads == "labels" and not self.clustered
        if labels or Units(counts, np.array([0, counts.size])).by_cells(CELL_COST_SWAP):
            drawn = resampling.cell_swaps(
                delta,
                counts,
                drawing.n_resamples,
                drawing.seed,
                SwappedUnits(self._difference, 0.5 * (counts @ delta)),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
        else:
            delta = self.rows_b - self.rows_a
            used = np.flatnonzero(delta.any(axis=0))
            drawn = resampling.swaps(
                delta[:, used],
                self.units,
                drawing.n_resamples,
                drawing.seed,
                SwappedUnits(self._difference, self._half, used),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
        return permutation.monte_carlo(
            drawn, self.observed, alternative, name="permutation", scale=self._scale, slack=self._slack
        )


def _columns_apart(rows_a: FloatArray, rows_b: FloatArray) -> IntArray:
    """Return which columns two systems differ in; the others are of the gold, and no swap moves them."""
    return np.flatnonzero([not np.array_equal(x, y) for x, y in zip(rows_a.T, rows_b.T, strict=True)])


def _one_direction(delta: FloatArray) -> FloatArray | None:
    """Return the direction (k,) of which all rows (C, k) are multiples, its largest entry 1, if they are."""
    sizes = np.abs(delta)
    largest = delta[sizes.max(axis=1).argmax()]
    lead = np.abs(largest).argmax()
    if largest[lead] == 0.0:
        return None
    direction: FloatArray = largest / largest[lead]
    level = rounding.level(delta, np.multiply.outer(delta[:, lead], direction), sizes.max(axis=0))
    return direction if level.all() else None


# -- numbers as they were given --------------------------------------------------------------------
# Metrics of standard scores have statistics of these; what systems swap are the numbers.


MOST_APART = 1e5
"""Standard deviations of a system in a unit that two share: beyond it, what the system on the smaller scale
says is lost in sums of squares."""


def raw_values_comparable(metric: StandardisedMetric, systems: Sequence[int]) -> bool:
    """Return whether two systems can swap their numbers as given: sums of squares must hold both scales."""
    return _common_scale(metric, systems)[1] / min(metric.locations[s][1] for s in systems) <= MOST_APART


def raw_rows(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the statistics of the numbers as given; what only rounding separates is the same again."""
    values = np.stack(_in_common_unit(metric, systems, rows))
    order = np.argsort(values, axis=0)
    ascending = np.take_along_axis(values, order, axis=0)
    for s in range(1, len(systems)):
        below, here = ascending[s - 1], ascending[s]
        ascending[s] = np.where(rounding.level(here, below, np.maximum(1.0, np.abs(here))), below, here)
    np.put_along_axis(values, order, ascending, axis=0)
    return list(values)


def _common_scale(metric: StandardisedMetric, systems: Sequence[int]) -> tuple[float, float]:
    """Return a centre and a unit in which the numbers of several systems are of the order of 1."""
    centres, spreads = zip(*(metric.locations[s] for s in systems), strict=True)
    centre = sum(centres) / len(centres)
    return centre, max(*spreads, *(abs(one - centre) for one in centres))


def _in_common_unit(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the statistics of the numbers as given, up to rounding."""
    scale = _common_scale(metric, systems)
    return [metric.on_scale(system_rows, s, *scale) for system_rows, s in zip(rows, systems, strict=True)]


def raw_changes(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray], columns: IntArray
) -> FloatArray:
    """Return A minus B in some columns of the numbers as given, 0 where only rounding separates them."""
    first, second = (one[:, columns] for one in _in_common_unit(metric, systems, rows))
    scale = np.maximum(1.0, np.abs(np.maximum(first, second)))
    return np.where(rounding.level(first, second, scale), 0.0, first - second)


def raw_totals(
    metric: StandardisedMetric, systems: Sequence[int], score_totals: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the totals (k,) of two systems for the numbers as given, from those for the standard scores."""
    return [one[0] for one in _in_common_unit(metric, systems, [total[None] for total in score_totals])]


def rows_apart(metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]) -> BoolArray:
    """Return in which rows the statistics of two systems differ by more than rounding."""
    first, second = _in_common_unit(metric, systems, rows)
    unlike = np.zeros(len(first), dtype=np.bool_)
    for column_a, column_b in zip(first.T, second.T, strict=True):  # column by column, as they lie in memory
        scale = np.maximum(1.0, np.abs(np.maximum(column_a, column_b)))
        unlike |= ~rounding.level(column_a, column_b, scale)
        if unlike.all():
            break
    return unlike


def items_apart(
    metric: StandardisedMetric,
    systems: Sequence[int],
    scores: Sequence[FloatArray],
    rows: Callable[[], Sequence[FloatArray]],
) -> BoolArray:
    """Return on which single items two systems differ by more than rounding; mostly their numbers tell.

    Where numbers are further apart than the root of what counts as rounding, so are their squares.
    `scores` are the columns of standard scores; ``rows()`` returns the statistics of both.
    """
    centre, unit = _common_scale(metric, systems)
    unlike = np.empty(len(scores[0]), dtype=np.bool_)
    for part in chunks(unlike.size):
        numbers = []
        for s, column in zip(systems, scores, strict=True):
            own_centre, own_scale = metric.locations[s]
            numbers.append((own_scale / unit) * metric.standard_scores(column[part]))
            numbers[-1] += (own_centre - centre) / unit
        first, second = numbers
        width = np.maximum(1.0, np.abs(np.maximum(first, second)))
        unlike[part] = np.abs(first - second) > width * math.sqrt(rounding.level_width(1.0))
    near = np.flatnonzero(~unlike)
    if near.size:
        unlike[near] = rows_apart(metric, systems, [one[near] for one in rows()])
    return unlike
