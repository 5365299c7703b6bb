"""Paired permutation tests of metrics that are functions of sums."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import raw_values
from bestby.engine.base import STANDARDISED, Drawing, Pair
from bestby.engine.row_order import ordered, projected
from bestby.engine.stacked import Midpoint, batches
from bestby.engine.table import Table
from bestby.engine.transforms import Swap, Taken, TakenByPairs
from bestby.inference import dominating_point, permutation, tilted_draws, tilting
from bestby.inference.series import SERIES_FROM
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling import executing
from bestby.resampling import totals as resampling
from bestby.resampling.streams import BlockWords
from bestby.resampling.units import CELL_COST_SWAP, Units
from bestby.results.values import TestResult

_BEGINNING = 64
"""Units whose changes are looked at before those of all are."""

_BLOCK = 1 << 13
"""Units whose changes are made at a time: they stay in the cache of the processor."""

_STEPS = 64
"""Steps from one end of a sum's reach to the other, in each of which the difference must rise."""

Kinds: TypeAlias = Callable[[], tuple[FloatArray, IntArray, IntArray]]
"""Makes what `Permutations._kinds` returns, once."""


@dataclass(frozen=True, eq=False)
class Permutations:
    """Paired permutation tests of metrics on one table; `scores` of all systems have shape (M, S)."""

    metrics: Sequence[Metric]
    table: Table
    scores: FloatArray

    @cached_property
    def _total(self) -> FloatArray:
        return self.table.total()

    def raw_value_tests(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing, *, exact: bool
    ) -> dict[Pair, TestResult]:
        """Test pairs by swaps of raw values, also where the statistics are of standard scores.

        Two systems whose scales are too far apart swap standard scores; the name of the test says so.
        """
        results: dict[Pair, TestResult] = {}
        for m, metric in enumerate(self.metrics):
            of_metric = [pair for pair in pairs if pair[0] == m]
            if not of_metric or not isinstance(metric, StandardisedMetric):
                continue
            apart = [pair for pair in of_metric if not raw_values.comparable(metric, pair)]
            for pair, test in self.tests(apart, alternative, drawing, exact=exact).items():
                results[pair] = dataclasses.replace(test, name=STANDARDISED)
            for pair in of_metric if exact else ():
                found = None if pair in results else self._of_many(pair, alternative, drawing, raw=True)
                results |= {} if found is None else {pair: found}
            near = [pair for pair in of_metric if pair not in results]
            for part in raw_values.together(metric, near) if near else ():
                systems = sorted({system for _, a, b in part for system in (a, b)})
                table = raw_values.rebuilt(self.table, metric, m, systems)
                # The scores stay those of the standard scores, which are accurate.
                permutations = Permutations([metric], table, self.scores[[m]][:, systems])
                own = [(0, systems.index(a), systems.index(b)) for _, a, b in part]
                tests = permutations.tests(own, alternative, drawing, exact=exact)
                results.update({pair: tests[place] for pair, place in zip(part, own, strict=True)})
        results |= self.tests([p for p in pairs if p not in results], alternative, drawing, exact=exact)
        return {pair: results[pair] for pair in pairs}

    def tests(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing, *, exact: bool
    ) -> dict[Pair, TestResult]:
        """Test pairs by swaps of the statistics: exact, by cells, or by shared dense swaps."""
        with executing.one_blas_thread():  # once, as it takes as long as many of the products inside
            return self._tests(pairs, alternative, drawing, exact=exact)

    def _tests(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing, *, exact: bool
    ) -> dict[Pair, TestResult]:
        results: dict[Pair, TestResult] = {}
        settled: dict[Pair, TestResult] = {}
        left: list[Pair] = []
        words = tilting.words_of_draws(drawing.seed, kept=len(pairs) > 1)
        for pair in pairs:
            if exact:
                result = self._of_one_sum(pair, alternative) or self._of_many(pair, alternative, drawing)
                if result is not None:
                    settled[pair] = result
                    continue
            kinds = cache(partial(self._kinds, pair))
            result = self._without_plain(pair, alternative, drawing, words, kinds) if exact else None
            if result is None:
                result = self._by_cells(pair, alternative, drawing, kinds)
            if result is None:
                left.append(pair)
            else:
                results[pair] = result
        results |= self._dense(left, alternative, drawing) if left else {}
        return settled | (self._refined(results, drawing) if exact else results)

    def _of_many(
        self, pair: Pair, alternative: Alternative, drawing: Drawing, *, raw: bool = False
    ) -> TestResult | None:
        """Return the two-sided test of very many units without a draw for each; None elsewhere.

        `raw` swaps the numbers as given of a metric whose statistics are of standard scores.
        """
        m, a, b = pair
        metric, table, units = self.metrics[m], self.table, self.table.units
        labels = metric.reads == "labels" and not table.clustered
        few = units.n < SERIES_FROM or units.by_cells(CELL_COST_SWAP)
        if labels or few or units.n_strata > 1 or alternative != "two-sided":
            return None
        midpoint, _, observed, _ = self._midpoint(pair)
        columns = [table.columns[m][s] for s in (a, b)]
        apart = np.flatnonzero(np.not_equal(*columns))  # the others are of the gold, and no swap moves them
        halves = np.empty((apart.size, units.n_rows))
        for start in range(0, units.n_rows, _BLOCK):
            part = slice(start, start + _BLOCK)
            if isinstance(metric, StandardisedMetric) and raw:
                rows = [table.rows(of_system, part) for of_system in columns]
                halves[:, part] = raw_values.changes(metric, pair, rows, apart).T
            else:
                rows = [table.rows(of_system[apart], part) for of_system in columns]
                halves[:, part] = rounding.difference(*rows).T
        halves *= 0.5
        if isinstance(metric, StandardisedMetric) and raw:
            of_a, of_b = raw_values.totals(metric, pair, [self._total[c] for c in columns])
            midpoint = 0.5 * (of_a + of_b)
        if not units.single:
            halves = np.repeat(halves, units.counts, axis=1)
        difference = Swap(metric, midpoint)

        def moved(shift: FloatArray) -> FloatArray:
            every = np.zeros((len(shift), midpoint.size))
            every[:, apart] = shift
            return difference(every)

        return dominating_point.swapped(halves.T, moved, observed, drawing.n_resamples, drawing.seed)

    def _refined(self, results: dict[Pair, TestResult], drawing: Drawing) -> dict[Pair, TestResult]:
        """Return the tests, those with few hits by tilted draws, or where these fail by more plain ones.

        The pair alone decides that, so that other systems do not change its p-value.
        """
        refined = dict(results)
        most = tilting.most_plain(drawing.n_resamples, self.table.units.n)
        more = dataclasses.replace(drawing, n_resamples=most, progress=None)
        left: list[Pair] = []
        for pair, result in results.items():
            if not tilting.few_hits(result):
                continue
            kinds = cache(partial(self._kinds, pair))
            refined[pair] = tilting.refined(result, *self._swaps(pair, kinds), drawing.seed)
            if tilting.few_hits(refined[pair]) and most > drawing.n_resamples:
                again = self._by_cells(pair, result.alternative, more, kinds)
                if again is None:
                    left.append(pair)
                else:
                    refined[pair] = again
        return refined | (self._dense(left, results[left[0]].alternative, more) if left else {})

    def _without_plain(
        self, pair: Pair, alternative: Alternative, drawing: Drawing, words: BlockWords, kinds: Kinds
    ) -> TestResult | None:
        """Return the exact test, or that of tilted draws alone where the data are far out; None elsewhere."""
        result = self._exact(pair, alternative, kinds)
        if result is not None:
            return result
        swaps, tolerance = self._swaps(pair, kinds)
        observed = float(self.scores[pair[0], pair[1]] - self.scores[pair[0], pair[2]])
        return tilting.far(swaps, observed, alternative, tolerance, words, drawing.n_resamples)

    def _swaps(self, pair: Pair, kinds: Kinds) -> tuple[tilted_draws.Swaps, float]:
        """Return how the difference depends on the swaps of the units, and its tolerance for ties."""
        delta, counts, own = kinds()
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[pair[0]], midpoint)
        step = np.where(own < 0, -1.0, 1.0)
        moved = np.concatenate([np.zeros((1, half.size)), step[:, None] * delta])
        values = difference(-half - moved)
        changes = step * (values[0] - values[1:])
        tolerance = max(rounding.tie_width(scale, abs(observed)), self._slack(pair, midpoint, half))
        shifts = 0.5 * delta

        def changes_at(signs: FloatArray) -> FloatArray:
            here = signs @ shifts
            return difference(here + shifts) - difference(here - shifts)

        return tilted_draws.Swaps(counts, own, changes, difference, shifts, changes_at), tolerance

    def _midpoint(self, pair: Pair) -> Midpoint:
        m, a, b = pair
        total = self._total
        total_a, total_b = total[self.table.columns[m][a]], total[self.table.columns[m][b]]
        score_a, score_b = float(self.scores[m, a]), float(self.scores[m, b])
        scale = max(abs(score_a), abs(score_b))
        return 0.5 * (total_a + total_b), 0.5 * (total_b - total_a), score_a - score_b, scale

    def _exact(self, pair: Pair, alternative: Alternative, kinds: Kinds) -> TestResult | None:
        delta, counts, own = kinds()
        if counts.size == 0:
            return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[pair[0]], midpoint)
        tolerance = max(rounding.tie_width(scale, abs(observed)), self._slack(pair, midpoint, half))
        return permutation.exact_enumeration(delta, counts, own, difference, observed, alternative, tolerance)

    def _of_one_sum(self, pair: Pair, alternative: Alternative) -> TestResult | None:
        """Return the exact test if the difference rises or falls with one sum, whatever is swapped.

        RMSE, R2 and error rates have one: the errors. All else that they count belongs to the gold.
        """
        m, a, b = pair
        table, counts = self.table, self.table.units.counts
        of_a, of_b = table.columns[m][a], table.columns[m][b]
        apart = np.flatnonzero(of_a != of_b)
        if isinstance(self.metrics[m], MeanMetric):
            if (apart > 0).any():
                return None
            d = table.difference(int(of_a[0]), int(of_b[0]))
            return permutation.exact_mean(d, counts, alternative, float(self._total[of_a[1]]))
        of_a, of_b = of_a[apart], of_b[apart]
        beginning = (table.rows(columns, slice(_BEGINNING)) for columns in (of_a, of_b))
        if apart.size == 0 or _one_direction(np.subtract(*beginning)) is None:  # mostly the first rows tell
            return None
        delta = table.changes(of_a, of_b)
        direction = _one_direction(delta)
        if direction is None:
            return None
        d = delta[:, np.abs(direction).argmax()]
        midpoint, _, observed, _ = self._midpoint(pair)
        along = np.zeros(midpoint.size)
        along[apart] = 0.5 * direction
        data, reach = float(counts @ d), float(counts @ np.abs(d))
        # A score that is flat just inside of the data has ties there, which sums do not tell.
        sums = np.append(reach * np.linspace(-1.0, 1.0, _STEPS + 1), [data - data / _STEPS, data])
        differences = Swap(self.metrics[m], midpoint)(np.multiply.outer(sums, along))
        rises, at_data = np.diff(differences[:-2]), differences[-1] - differences[-2]
        sign = np.sign(rises[0])
        if not ((sign * rises > 0.0).all() and (sign * data * at_data > 0.0 or data == 0.0)):
            return None
        found = permutation.exact_mean(sign * d, counts, alternative, 1.0)
        return found and dataclasses.replace(found, statistic=observed)

    def _slack(self, pair: Pair, midpoint: FloatArray, half: FloatArray) -> float:
        """Return a bound on the error of a difference that comes from rounding of the totals."""
        m, a, b = pair
        sizes = self._sizes[self.table.columns[m][a]] + self._sizes[self.table.columns[m][b]]
        return Swap(self.metrics[m], midpoint).slack(-half, sizes)

    @cached_property
    def _sizes(self) -> FloatArray:
        """Per column the sum of the absolute values; 0 for whole numbers (sums are exact) and constants."""
        table = self.table
        whole = (np.rint(table.X) == table.X).all(axis=0)
        sizes = np.where(whole, 0.0, table.units.counts @ np.abs(table.X))
        return np.concatenate([sizes, np.zeros(table.constants.size)])

    def _kinds(self, pair: Pair) -> tuple[FloatArray, IntArray, IntArray]:
        """Return the distinct changes of totals by a swap, up to sign, and the number of units of each.

        The third array is the data's own arrangement, as `permutation.exact_enumeration` takes it.
        """
        m, a, b = pair
        delta = self.table.changes(self.table.columns[m][b], self.table.columns[m][a])
        differs, used = delta.any(axis=1), delta.any(axis=0)
        delta, counts = delta[differs], self.table.units.counts[differs]
        if counts.size == 0:
            return delta, counts, counts
        # Columns of labels that only other systems predict would change the projection, and so the order.
        projection = projected(delta[:, used])
        signs = np.where(projection < 0.0, -1, 1)
        delta = signs[:, None] * delta
        order, fresh = ordered(delta, [np.abs(projection)])
        first = np.flatnonzero(fresh)
        # A swap shifts the totals of A by half of B minus A: the data stand at the other end.
        own = -np.add.reduceat((signs * counts)[order], first)
        return delta[order[first]], np.add.reduceat(counts[order], first), own

    def _by_cells(
        self, pair: Pair, alternative: Alternative, drawing: Drawing, kinds: Kinds
    ) -> TestResult | None:
        """Test a pair by binomial draws, one for each change of totals that a swap of a unit can make.

        Labels are always swapped so, as dense swaps are shared by all systems of a comparison.
        """
        delta, counts, _ = kinds()
        labels = self.metrics[pair[0]].reads == "labels" and not self.table.clustered
        if not labels and not Units(counts, np.array([0, counts.size])).by_cells(CELL_COST_SWAP):
            return None
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[pair[0]], midpoint)
        drawn = resampling.cell_swaps(
            delta,
            counts,
            drawing.n_resamples,
            drawing.seed,
            Taken(difference, 0.5 * (counts @ delta)),
            n_jobs=drawing.n_jobs,
            progress=drawing.progress,
            executor=drawing.executor,
        )
        slack = self._slack(pair, midpoint, half)
        return permutation.monte_carlo(
            drawn, observed, alternative, name="permutation", scale=scale, slack=slack
        )

    def _dense(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing
    ) -> dict[Pair, TestResult]:
        """Test pairs by dense swaps of all units, shared by all pairs."""
        midpoints = [self._midpoint(pair) for pair in pairs]
        D, transform = self._one(pairs[0], midpoints[0]) if len(pairs) == 1 else self._many(pairs, midpoints)
        drawn = resampling.swaps(
            D,
            self.table.units,
            drawing.n_resamples,
            drawing.seed,
            transform,
            n_jobs=drawing.n_jobs,
            progress=drawing.progress,
            executor=drawing.executor,
        )
        return {
            pair: permutation.monte_carlo(
                drawn[:, i],
                d,
                alternative,
                name="permutation",
                scale=scale,
                slack=self._slack(pair, midpoint, half),
            )
            for i, (pair, (midpoint, half, d, scale)) in enumerate(zip(pairs, midpoints, strict=True))
        }

    def _one(self, pair: Pair, midpoint: Midpoint) -> tuple[FloatArray, resampling.Transform]:
        """Return what a swap of each unit changes in one pair, and what makes differences of sums of it."""
        m, a, b = pair
        delta = self.table.rows(self.table.columns[m][b]) - self.table.rows(self.table.columns[m][a])
        used = np.flatnonzero(delta.any(axis=0))
        return delta[:, used], Taken(Swap(self.metrics[m], midpoint[0]), midpoint[1], used)

    def _many(
        self, pairs: Sequence[Pair], midpoints: Sequence[Midpoint]
    ) -> tuple[FloatArray, resampling.Transform]:
        """Return the columns of all systems, and what makes the differences of all pairs of their sums."""
        stacked = batches(self.table, pairs, midpoints)
        return self.table.X, TakenByPairs(self.metrics, self.table.bare(), stacked, len(pairs))


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
