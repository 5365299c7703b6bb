"""Metrics that are functions of sums: statistics per unit, totals per resample, scores of totals."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import raw_values, slopes
from bestby.engine.base import STANDARDISED, Contributions, Drawing, Group, Influences, Jackknife, Pair
from bestby.engine.slopes import Directions
from bestby.engine.stacked import Midpoint, batches, scored
from bestby.engine.table import Table, ordered, projected
from bestby.engine.transforms import DeltaPivots, Functional, MeanPivots, Scores, Swap, Taken, TakenByPairs
from bestby.inference import clusters, permutation, tilting
from bestby.inference.clusters import StandardError
from bestby.inference.lattice import merged
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling import totals as resampling
from bestby.resampling.units import CELL_COST_SWAP, Units
from bestby.results.values import TestResult

MOST_STUDENTIZED = 24
"""Columns of statistics up to which second moments are resampled for the studentized interval."""


Kinds: TypeAlias = Callable[[], tuple[FloatArray, IntArray, IntArray]]
"""Makes what `SumGroup._kinds` returns, once."""


@dataclass(frozen=True, eq=False)
class SumGroup(Group):
    """All metrics of a comparison that are functions of sums; they share one set of resamples.

    `table` holds statistics of the distinct units.
    """

    metrics: Sequence[Metric]
    table: Table

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.table.columns[0])

    @property
    def units(self) -> Units:  # type: ignore[override]
        """The units, by stratum."""
        return self.table.units

    @property
    def has_formula(self) -> bool:
        """True."""
        return True

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.table.clustered

    @property
    def has_robust_error(self) -> bool:
        """True."""
        return True

    @property
    def few_units(self) -> bool:
        """Whether units are clusters, fewer than 30 or one with more than a third of the items."""
        return self.table.clustered and clusters.few(self.table.sizes, self.table.units.counts)

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (M, S)."""
        return self._scored(self._total)

    @cached_property
    def _full(self) -> FloatArray:
        return self.scores()

    @cached_property
    def _total(self) -> FloatArray:
        return self.table.total()

    def _scored(self, totals: FloatArray) -> FloatArray:
        """Return scores (..., M, S) of totals (..., K) of all columns."""
        return scored(self.metrics, self.table, totals)

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of bootstrap resamples, shape (B, M, S)."""
        return _bootstrapped(self.metrics, self.table, drawing.draws(self.units), drawing)

    def jackknife(self, seed: int) -> Jackknife:  # noqa: ARG002
        """Return the leave-one-out scores: the totals minus one row, once per distinct row."""
        table = self.table
        left_out = table.full(self._total[: table.X.shape[1]] - table.X, self.n_units - 1)
        return Jackknife(self._scored(left_out), table.units.counts, table.units.bounds)

    def contributions(self, metric: int, a: int, b: int | None = None) -> Contributions | None:
        """Return the plain mean, if the metric is a mean and all units hold equally many items."""
        table = self.table
        if not isinstance(self.metrics[metric], MeanMetric):
            return None
        size = table.constant(int(table.columns[metric][a][1]))
        if size is None:
            return None
        values = table.column(int(table.columns[metric][a][0]))
        if b is not None:
            values = rounding.difference(values, table.column(int(table.columns[metric][b][0])))
        return Contributions(values / size, table.units.counts, table.units.bounds, not table.clustered)

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return the numbers of items and of units whose rows differ."""
        m, a, b = pair
        metric = self.metrics[m]
        if isinstance(metric, StandardisedMetric):
            return raw_values.differing(self.table, metric, pair)
        return self.table.differing(self.table.columns[m][a], self.table.columns[m][b])

    def has_standardised_swaps(self, metric: int) -> bool:
        """Whether the statistics are of standard scores."""
        return isinstance(self.metrics[metric], StandardisedMetric)

    def numbers(self, metric: int, system: int) -> tuple[FloatArray, IntArray] | None:
        """Return the numbers of a system as given, and how many items have each; None without such swaps."""
        own = self.metrics[metric]
        return (
            raw_values.numbers(self.table, own, metric, system)
            if isinstance(own, StandardisedMetric)
            else None
        )

    # -- standard errors ---------------------------------------------------------------------------

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the delta-method standard error of a score or difference (Efron 1982, eq. 6.13)."""
        table = self.table
        influence = self.influence(metric, a, b)
        variance = 0.0
        for start, stop in pairwise(table.units.bounds.tolist()):
            c, v = table.units.counts[start:stop], influence[start:stop]
            n = int(c.sum())
            if n > 1:
                centre = float(c @ v) / n
                variance += float(c @ (v - centre) ** 2) * n / (n - 1)
        return float(np.sqrt(variance))

    def influence(self, metric: int, a: int, b: int | None = None) -> FloatArray:
        """Return what each distinct unit adds to a score or difference, to first order, shape (C,)."""
        of_a = self._influence_on(metric, a)
        return of_a if b is None else of_a - self._influence_on(metric, b)

    def _influence_on(self, metric: int, system: int) -> FloatArray:
        if (metric, system) not in self._influences:
            rows = self.table.rows(self.table.columns[metric][system])
            self._influences[metric, system] = self.influence_of_rows(metric, system, rows)
        return self._influences[metric, system]

    @cached_property
    def _influences(self) -> dict[tuple[int, int], FloatArray]:
        return {}

    def influences(self, metric: int) -> Influences:
        """Return what each distinct unit adds to the scores of all systems."""
        values = np.column_stack([self.influence(metric, s) for s in range(self.n_systems)])
        return Influences(values, self.table.sizes, self.units.counts, self.units.bounds)

    def influence_of_rows(self, metric: int, system: int, rows: FloatArray) -> FloatArray:
        """Return the influence of rows (R, k) of statistics on the score of a system, shape (R,)."""
        total = self._total[self.table.columns[metric][system]]
        return slopes.influence(self.metrics[metric], Functional(self.metrics[metric]), total, rows)

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the standard error CR2 of a score or difference, with Satterthwaite's degrees of freedom."""
        table = self.table
        influence = self.influence(metric, a, b)
        return clusters.cr2(influence, table.sizes, table.units.counts, table.units.bounds)

    def _functional(self, metric: int, a: int, b: int | None) -> tuple[Functional, IntArray]:
        """Return a score or difference as a function of the totals of the columns it uses."""
        columns_a = self.table.columns[metric][a]
        if b is None:
            return Functional(self.metrics[metric]), columns_a
        columns, position = np.unique(
            np.concatenate([columns_a, self.table.columns[metric][b]]), return_inverse=True
        )
        of_a, of_b = position[: columns_a.size], position[columns_a.size :]
        return Functional(self.metrics[metric], of_a, of_b), columns

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates; None with strata or too many columns."""
        table = self.table
        plain = self.contributions(metric, a, b)
        if table.units.n_strata > 1:
            return None
        if plain is not None:
            return _mean_pivots(plain.values, table.units, drawing)
        score, columns = self._functional(metric, a, b)
        varying = columns[columns < table.X.shape[1]]
        if varying.size > MOST_STUDENTIZED:
            return None
        return _delta_pivots(score, table, columns, varying, drawing)

    # -- permutation -------------------------------------------------------------------------------

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair: exact, by cells, or by shared dense swaps."""
        if standardised:
            return self._permuted(pairs, alternative, drawing, exact=True)
        return self._permuted_as_given(pairs, alternative, drawing, exact=True)

    def sampled_permutation(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing
    ) -> dict[Pair, TestResult]:
        """Return the same tests with swaps drawn, also where all could be counted: by cells, or densely."""
        return self._permuted_as_given(pairs, alternative, drawing, exact=False)

    def _permuted_as_given(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing, *, exact: bool
    ) -> dict[Pair, TestResult]:
        """Test pairs by swaps of what was given, also where the statistics are of standard scores.

        Where two systems are on scales too far apart for that, they swap standard scores, as the name says.
        """
        results: dict[Pair, TestResult] = {}
        for m, metric in enumerate(self.metrics):
            of_metric = [pair for pair in pairs if pair[0] == m]
            if not of_metric or not isinstance(metric, StandardisedMetric):
                continue
            apart = [pair for pair in of_metric if not raw_values.comparable(metric, pair)]
            for pair, test in self._permuted(apart, alternative, drawing, exact=exact).items():
                results[pair] = dataclasses.replace(test, name=STANDARDISED)
            near = [pair for pair in of_metric if pair not in results]
            for part in raw_values.together(metric, near) if near else ():
                systems = sorted({system for _, a, b in part for system in (a, b)})
                group = _AsGiven(
                    [metric], raw_values.rebuilt(self.table, metric, m, systems), self._full[[m]][:, systems]
                )
                own = [(0, systems.index(a), systems.index(b)) for _, a, b in part]
                tests = group._permuted(own, alternative, drawing, exact=exact)
                results.update({pair: tests[place] for pair, place in zip(part, own, strict=True)})
        results |= self._permuted([p for p in pairs if p not in results], alternative, drawing, exact=exact)
        return {pair: results[pair] for pair in pairs}

    def _permuted(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing, *, exact: bool
    ) -> dict[Pair, TestResult]:
        results: dict[Pair, TestResult] = {}
        left: list[Pair] = []
        for pair in pairs:
            kinds = cache(partial(self._kinds, pair))
            result = self._exact(pair, alternative, kinds) if exact else None
            if result is None:
                result = self._by_cells(pair, alternative, drawing, kinds)
            if result is None:
                left.append(pair)
            else:
                results[pair] = result
        results |= self._dense(left, alternative, drawing) if left else {}
        return self._refined(results, drawing) if exact else results

    def _refined(self, results: dict[Pair, TestResult], drawing: Drawing) -> dict[Pair, TestResult]:
        """Return the tests, those with few hits by tilted draws, or where these fail by more plain ones.

        The pair alone decides that, so that other systems do not change its p-value.
        """
        refined = dict(results)
        most = tilting.most_plain(drawing.n_resamples, self.n_units)
        more = dataclasses.replace(drawing, n_resamples=most, progress=None)
        left: list[Pair] = []
        for pair, result in results.items():
            if not tilting.few_hits(result):
                continue
            kinds = cache(partial(self._kinds, pair))
            refined[pair] = self._tilted(pair, result, kinds, drawing.seed)
            if tilting.few_hits(refined[pair]) and most > drawing.n_resamples:
                again = self._by_cells(pair, result.alternative, more, kinds)
                if again is None:
                    left.append(pair)
                else:
                    refined[pair] = again
        return refined | (self._dense(left, results[left[0]].alternative, more) if left else {})

    def _tilted(self, pair: Pair, result: TestResult, kinds: Kinds, seed: int) -> TestResult:
        delta, counts, own = kinds()
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[pair[0]], midpoint)
        step = np.where(own < 0, -1.0, 1.0)
        changes = step * (difference(-half) - difference(-half - step[:, None] * delta))
        tolerance = max(rounding.tie_width(scale, abs(observed)), self._slack(pair, midpoint, half))
        shifts = 0.5 * delta
        swaps = tilting.Swaps(counts, own, changes, lambda signs: difference(signs @ shifts))
        return tilting.refined(result, swaps, tolerance, seed)

    def _midpoint(self, pair: Pair) -> Midpoint:
        m, a, b = pair
        total = self._total
        total_a, total_b = total[self.table.columns[m][a]], total[self.table.columns[m][b]]
        score_a, score_b = float(self._full[m, a]), float(self._full[m, b])
        scale = max(abs(score_a), abs(score_b))
        return 0.5 * (total_a + total_b), 0.5 * (total_b - total_a), score_a - score_b, scale

    def _exact(self, pair: Pair, alternative: Alternative, kinds: Kinds) -> TestResult | None:
        m, a, b = pair
        table = self.table
        if isinstance(self.metrics[m], MeanMetric):
            value_a, count_a = table.columns[m][a]
            value_b, count_b = table.columns[m][b]
            if count_a == count_b:
                d = rounding.difference(table.column(int(value_a)), table.column(int(value_b)))
                items = float(self._total[count_a])
                return permutation.exact_mean(d, table.units.counts, alternative, items)
        delta, counts, own = kinds()
        if counts.size == 0:
            return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[m], midpoint)
        tolerance = max(rounding.tie_width(scale, abs(observed)), self._slack(pair, midpoint, half))
        return permutation.exact_enumeration(delta, counts, own, difference, observed, alternative, tolerance)

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
        rows = [self.table.rows(self.table.columns[m][system]) for system in (b, a)]
        delta = rounding.difference(*rows)
        differs = delta.any(axis=1)
        delta, counts = delta[differs], self.table.units.counts[differs]
        if counts.size == 0:
            return delta, counts, counts
        projection = projected(delta)
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
        delta, counts, _ = kinds()
        units = Units(counts, np.array([0, counts.size]))
        if not units.by_cells(CELL_COST_SWAP):
            return None
        midpoint, half, observed, scale = self._midpoint(pair)
        difference = Swap(self.metrics[pair[0]], midpoint)
        drawn = resampling.swaps(
            delta,
            units,
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


@dataclass(frozen=True, eq=False)
class _AsGiven(SumGroup):
    """The statistics of numbers as given; the scores are those of the standard scores, which are accurate.

    `known` has shape (M, S).
    """

    known: FloatArray

    def scores(self) -> FloatArray:
        """Return the scores that are known."""
        return self.known


@dataclass(frozen=True, eq=False)
class AnnotatedGroup(SumGroup):
    """Metrics against a gold made of annotations, which the bootstrap resamples within the items.

    A resample draws as many units as there are, each with one of V versions of its gold; a version
    is a resample of the item's annotators.
    """

    versions: Table

    @property
    def gold_varies(self) -> bool:
        """True."""
        return True

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of resampled items with resampled annotators, shape (B, M, S)."""
        return _bootstrapped(self.metrics, self.versions, drawing.draws(self.units), drawing)

    def resampled_scores(self) -> FloatArray:
        """Return the scores of all items against the mean of their versions, shape (M, S)."""
        table, n = self.versions, self.n_units
        mean = table.units.counts @ table.X * (n / table.units.n)
        return scored(self.metrics, table, table.full(mean, n))


def _bootstrapped(metrics: Sequence[Metric], table: Table, draws: IntArray, drawing: Drawing) -> FloatArray:
    size = int(draws.sum())
    return resampling.bootstrap(
        table.X,
        table.units,
        drawing.n_resamples,
        drawing.seed,
        Scores(metrics, table.bare(), size),
        draws=draws,
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def _mean_pivots(values: FloatArray, units: Units, drawing: Drawing) -> FloatArray:
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


def _delta_pivots(
    score: Functional,
    table: Table,
    columns: IntArray,
    varying: IntArray,
    drawing: Drawing,
) -> FloatArray:
    """Return pivots with the delta-method variance of each resample, from its second moments."""
    n = table.units.n
    X = table.X[:, varying]
    mean = (table.units.counts @ X) / n
    centred = X - mean
    directions = Directions.of((centred.T * table.units.counts) @ centred / n)
    coordinates = centred @ directions.across
    first, second = np.triu_indices(coordinates.shape[1])
    moments = coordinates[:, first] * coordinates[:, second]
    total = table.total()[columns]
    place = np.flatnonzero(columns < table.X.shape[1])
    return resampling.bootstrap(
        np.column_stack([coordinates, moments]),
        table.units,
        drawing.n_resamples,
        drawing.seed,
        DeltaPivots(score, total, place, directions, first, second, n),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def merged_values(contributions: Contributions) -> tuple[FloatArray, IntArray]:
    """Return the distinct values of a plain mean with their counts, strata put together."""
    return merged(contributions.values, contributions.counts)
