"""Metrics that are functions of sums: statistics per unit, totals per resample, scores of totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import pivots, raw_values, shares, slopes
from bestby.engine.base import Contributions, Drawing, Influences, Jackknife, Pair, Squares
from bestby.engine.expansions import expansion
from bestby.engine.memo import Memo
from bestby.engine.permutations import Permutations
from bestby.engine.responses import MOST_ALONE, Responses, Single, effective_units_left_out
from bestby.engine.stacked import scored
from bestby.engine.table import Table
from bestby.engine.targets import Target
from bestby.engine.transforms import Functional, Scores
from bestby.inference import clusters
from bestby.inference.abc import Expansion
from bestby.inference.clusters import StandardError
from bestby.inference.influence import standard_error
from bestby.metrics._lines import has_own_derivatives
from bestby.metrics.base import MeanMetric, Metric, StandardisedMetric
from bestby.resampling import totals as resampling
from bestby.resampling.units import Units
from bestby.results.values import TestResult

MOST_HELD = 1 << 22
"""Numbers to keep of the tables of one system or two, and as many of contributions: those of two systems of a
million items and of their difference, which intervals, tests, standard errors and notes all ask for."""

MOST_EXPANDED = 1 << 6
"""Scores and differences whose expansions are kept: intervals at several levels ask for the same one."""

MOST_PAIRS = 1 << 13
"""Pairs whose numbers of differing items are kept: the choice of an interval and its result ask for them."""

_Key: TypeAlias = tuple[int, int, int | None]
"""Positions of a metric, and of a system A alone or also of B."""


class SumGroup(raw_values.OfStandardScores):
    """All metrics of a comparison that are functions of sums; they share one set of resamples.

    `table` holds statistics of the distinct units. `of_systems` are the groups of each system by itself, on
    the same metrics, if they are there already.
    """

    metrics: Sequence[Metric]
    table: Table
    of_systems: Sequence[SumGroup] = ()

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.table.columns[0])

    @property
    def units(self) -> Units:  # type: ignore[override]
        """The units, by stratum."""
        return self.table.units

    has_formula = True
    has_robust_error = True

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return self.table.clustered

    @property
    def few_units(self) -> bool:
        """Whether units are clusters, fewer than 30 or one with more than a third of the items."""
        return self.table.clustered and clusters.few(self.table.sizes, self.table.units.counts)

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (M, S), each from a table of its own; see `alone`."""
        by_table = self.crossed or self.units.n_rows > MOST_ALONE or self.table.whole
        return self.own_scores if by_table else self._scores_alone

    @cached_property
    def _scores_alone(self) -> FloatArray:
        every = [[self.alone(m, s)[0] for s in range(self.n_systems)] for m in range(len(self.metrics))]
        return np.array([[group.own_scores[0, 0] for group in groups] for groups in every])

    @cached_property
    def own_scores(self) -> FloatArray:
        """The scores, shape (M, S), by the table as it is."""
        return self._scored(self.table.total())

    def _scored(self, totals: FloatArray) -> FloatArray:
        """Return scores (..., M, S) of totals (..., K) of all columns."""
        return scored(self.metrics, self.table, totals)

    def totals(self, metric: int, system: int) -> FloatArray:
        """Return the totals of the statistics of one system."""
        return self.table.total()[self.table.columns[metric][system]]

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of bootstrap resamples, shape (B, M, S)."""
        return self._resampled(self.table, drawing)

    def _resampled(self, table: Table, drawing: Drawing) -> FloatArray:
        """Return the scores of resamples of the units of a table."""
        draws = drawing.draws(self.stratum_sizes)
        return resampling.bootstrap(
            table.X,
            table.units,
            drawing.n_resamples,
            drawing.seed,
            Scores(self.metrics, table.bare(), int(draws.sum())),
            draws=draws,
            n_jobs=drawing.n_jobs,
            progress=drawing.progress,
            executor=drawing.executor,
        )

    def jackknife(self, seed: int) -> Jackknife:  # noqa: ARG002
        """Return the leave-one-out scores: the totals minus one row, once per distinct row."""
        return Jackknife(self._scored(self.table.left_out()), self.units.counts, self.units.bounds)

    def contributions(self, metric: int, a: int, b: int | None = None) -> Contributions | None:
        """Return the plain mean, if the metric is a mean and all units hold equally many items."""
        if not self._means[metric]:
            return None
        return self._contributions.get((metric, a, b), lambda key: shares.mean(self.table, *key))

    @cached_property
    def _means(self) -> list[bool]:
        """Which metrics are means."""
        return [isinstance(metric, MeanMetric) for metric in self.metrics]

    @cached_property
    def _contributions(self) -> Memo[_Key, Contributions | None]:
        return Memo(1 + MOST_HELD // self.units.n_rows)

    def contributions_alone(self, metric: int, a: int, b: int | None = None) -> Contributions | None:
        """Return the same without what only other systems tell apart, in an order of their own."""
        if not self._means[metric]:
            return None
        group, own = self.alone(metric, a, b)
        return group.contributions(own.metric, own.a, own.b)

    def unit_means(self, metric: int) -> tuple[FloatArray, IntArray] | None:
        """Return the mean of each unit for every system, and how many units there are of each."""
        if not self._means[metric]:
            return None
        return shares.unit_means(self.table, metric), self.units.counts

    def shares(self, metric: int, a: int, b: int | None = None) -> Contributions | None:
        """Return whether each item that a share counts is a success, or the difference of two systems.

        None if the score is no share of single items in one stratum, or counts no item.
        """
        own = self.metrics[metric]
        if not shares.are_possible(own, self.table.columns[metric][a].size, difference=b is not None):
            return None
        of_kinds = self._of_kinds(metric, a, b)
        if of_kinds is None:
            return shares.answers(own, self.table, metric, a, b)
        group, target = of_kinds
        return group.shares(target.metric, target.a, target.b)

    def squares(self, metric: int, system: int) -> Squares:
        """Return sums over the units of the statistics of a system."""
        if (metric, system) not in self._squares:
            group, own = self.alone(metric, system)
            table, columns = group.table, group.table.columns[own.metric][own.a]
            k, weights = table.X.shape[1], table.units.weights
            squares, nonzero = (table.full(weights @ each, 1) for each in (table.X**2, table.X != 0.0))
            squares[k:] = table.units.n * table.constants**2
            nonzero[k:] = table.units.n * (table.constants != 0.0)
            self._squares[metric, system] = Squares(
                table.total()[columns], squares[columns], nonzero[columns]
            )
        return self._squares[metric, system]

    @cached_property
    def _squares(self) -> dict[tuple[int, int], Squares]:
        return {}

    def equal_units(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return how many units of equal size a mean or a share is made of."""
        return shares.equal_units(self.metrics[metric], self.table, metric, a, b)

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return the numbers of items and of units whose rows differ."""
        return self._numbers_differing.get(pair, self._differing)

    @cached_property
    def _numbers_differing(self) -> Memo[Pair, tuple[int, int]]:
        return Memo(MOST_PAIRS)

    def _differing(self, pair: Pair) -> tuple[int, int]:
        m, a, b = pair
        metric = self.metrics[m]
        if isinstance(metric, StandardisedMetric):
            return raw_values.differing(self.table, metric, pair)
        plain = self.contributions(m, a, b)
        if plain is not None and plain.single_items:
            n_units = int(plain.counts[plain.values != 0.0].sum())
            return n_units, n_units
        of_kinds = self._of_kinds(m, a, b)
        if of_kinds is not None:
            return of_kinds[0].differing((0, 0, 1))
        return self.table.differing(self.table.columns[m][a], self.table.columns[m][b])

    # -- formulas ----------------------------------------------------------------------------------

    def alone(self, metric: int, a: int, b: int | None = None) -> tuple[SumGroup, Target]:
        """Return a group in which no other system changes a bit of what formulas give, and the target there.

        With very many distinct units it is this group, unless labels of these systems make few kinds of them.
        """
        known = self._alone.get((metric, a, b))
        if known is None:
            known = self._alone[metric, a, b] = self._made_alone(metric, a, b)
        group, own = known
        return self if group is None else group, own

    def _made_alone(self, metric: int, a: int, b: int | None) -> tuple[SumGroup | None, Target]:
        """Return the same, with None for this group."""
        if b is not None and a > b:
            group = self.alone(metric, b, a)[0]
            return (None, Target(metric, a, b)) if group is self else (group, Target(0, 1, 0))
        systems = (a,) if b is None else (a, b)
        columns = [self.table.columns[metric][s] for s in systems]
        if self._by_itself(metric, columns):
            return None, Target(metric, a, b)
        if b is None and self.of_systems:
            made = self.of_systems[a].alone(metric, 0)[0]
            self._parts[metric, a] = Single(made._responses, 0, 0, self.table.rows_alone(columns[0]))
            return made, Target(0, 0)
        table, rows = self.table.alone(columns[0]) if b is None else self.table.only(columns)
        if (1 + len(self._alone)) * (table.X.size + rows.size) > MOST_HELD:
            self._alone.clear()
            self._parts.clear()
        made = TableGroup(self.metrics[metric : metric + 1], table)
        if b is None:
            self._parts.setdefault((metric, a), Single(made._responses, 0, 0, rows))
        else:
            made._parts.update({(0, i): self._part(metric, s).among(rows) for i, s in enumerate(systems)})
        return made, Target(0, 0, None if b is None else 1)

    def _part(self, metric: int, system: int) -> Single:
        """Return what the weights of the units of this table do to the score of one system."""
        if (metric, system) in self._parts:
            return self._parts[metric, system]
        if self._is_exact(metric, system) or self.alone(metric, system)[0] is self:
            self._parts[metric, system] = Single(self._responses, metric, system, None)
        return self._parts[metric, system]  # which `alone` makes of a table of the system

    def _is_exact(self, metric: int, system: int) -> bool:
        """Return whether this table gives derivatives of a score of which no other system changes a bit."""
        return not self.of_systems and self._responses.are_exact(metric, system)

    @cached_property
    def _alone(self) -> dict[_Key, tuple[SumGroup | None, Target]]:
        return {}

    @cached_property
    def _parts(self) -> dict[tuple[int, int], Single]:
        return {}

    def _by_itself(self, metric: int, columns: Sequence[IntArray]) -> bool:
        """Return whether the table is of these systems alone, or has too many rows to make one of these."""
        if len(self.metrics) == 1 and len(columns) == self.n_systems:
            return True
        if self.units.n_rows <= MOST_ALONE:
            return False
        # Labels may make few kinds of units; numbers hardly do, and finding out takes a sort.
        n_kinds = self.table.few_kinds(columns) if self.metrics[metric].reads == "labels" else 0
        # Of very many labels, a table of the kinds could not be kept, and would be made again and again.
        n_rows = min(n_kinds, self.units.n_rows)
        return n_kinds == 0 or n_rows * sum(one.size for one in columns) > MOST_HELD

    def _of_kinds(self, metric: int, a: int, b: int | None) -> tuple[SumGroup, Target] | None:
        """Return what `alone` does, if that is another group than this one and units are single."""
        if self.table.clustered or self.crossed or self.in_blocks:
            return None
        group, own = self.alone(metric, a, b)
        return None if group is self else (group, own)

    def effective_units(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return how many units of equal weight would carry the variance; None where the jackknife tells."""
        if self._means[metric] or self.table.clustered or self.in_blocks:
            return None
        target = Target(metric, a, b)
        if all(self._part(metric, system).nearly_linear for system in target.systems):
            scores = self.scores()[metric]
            largest = max(abs(float(scores[system])) for system in target.systems)
            known = self.expansion(metric, a, b).effective_units(largest)
            if known is not None:
                return known
        group, own = self.alone(metric, a, b)
        return effective_units_left_out([group._part(own.metric, s) for s in own.systems], group.units)

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the delta-method standard error of a score or difference (Efron 1982, eq. 6.13)."""
        if self.n_strata == 1 and has_own_derivatives(self.metrics[metric]):
            known = self.expansion(metric, a, b).standard_error(self.n_units)  # an interval needs it, too
            if known is not None:
                return known
        group, own = self.alone(metric, a, b)
        plain = group.contributions(own.metric, own.a, own.b)
        if plain is not None and plain.moments is not None and plain.bounds.size == 2:
            return plain.moments.error_of_mean
        influence = group.influence(own.metric, own.a, own.b)
        return standard_error(influence, group.units.weights, group.units.bounds)

    def influence(self, metric: int, a: int, b: int | None = None) -> FloatArray:
        """Return what each distinct unit adds to a score or difference, to first order, shape (C,)."""
        of_a = self._part(metric, a).influence()
        return of_a if b is None else of_a - self._part(metric, b).influence()

    @cached_property
    def _responses(self) -> Responses:
        return Responses(self.metrics, self.table)

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each distinct unit adds to a score or difference, from the table of its systems."""
        group, own = self.alone(metric, a, b)
        table = group.table
        values = group.influence(own.metric, own.a, own.b)
        return Influences(values, table.sizes, table.units.counts, table.units.bounds)

    def influences(self, metric: int) -> Influences:
        """Return what each distinct unit adds to the scores of all systems."""
        values = np.column_stack([self.influence(metric, s) for s in range(self.n_systems)])
        return Influences(values, self.table.sizes, self.units.counts, self.units.bounds)

    def influence_of_rows(self, metric: int, system: int, rows: FloatArray) -> FloatArray:
        """Return the influence of rows (R, k) of statistics on the score of a system, shape (R,)."""
        own = self.metrics[metric]
        return slopes.influence(own, Functional(own), self.totals(metric, system), rows)

    def expansion(self, metric: int, a: int, b: int | None = None) -> Expansion:
        """Return a score or difference to second order in the weights of the units."""
        return self._expansions.get((metric, a, b), self._expanded)

    def _expanded(self, key: _Key) -> Expansion:
        metric, a, b = key
        by_this_table = b is None and self._is_exact(metric, a)
        group, own = (self, Target(metric, a)) if by_this_table else self.alone(*key)
        parts = [group._part(own.metric, system).part() for system in own.systems]
        scores = self.scores()[metric]
        estimate = float(scores[a]) if b is None else float(scores[a] - scores[b])
        return expansion(Functional(self.metrics[metric]), estimate, group.units, parts)

    @cached_property
    def _expansions(self) -> Memo[_Key, Expansion]:
        return Memo(MOST_EXPANDED)

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the standard error CR2 of a score or difference, with Satterthwaite's degrees of freedom."""
        group, own = self.alone(metric, a, b)
        table, influence = group.table, group.influence(own.metric, own.a, own.b)
        return clusters.cr2(influence, table.sizes, table.units.counts, table.units.bounds)

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates; None with strata or too many columns."""
        plain, columns = self.contributions(metric, a, b), self.table.columns[metric]
        if self.n_strata > 1:
            return None
        if plain is not None:
            return pivots.mean_pivots(plain.values, self.units, drawing)
        of_b = None if b is None else columns[b]
        return pivots.function_pivots(self.metrics[metric], self.table, columns[a], of_b, drawing)

    # -- permutation -------------------------------------------------------------------------------

    @cached_property
    def _permutations(self) -> Permutations:
        return Permutations(self.metrics, self.table, self.scores())

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
            return self._permutations.tests(pairs, alternative, drawing, exact=True)
        found: dict[Pair, TestResult] = {}
        for m, a, b in pairs:  # labels make few kinds of units, whose swaps are the same and take less time
            of_kinds = self._of_kinds(m, a, b) if self.metrics[m].reads == "labels" else None
            if of_kinds is not None:
                group, _ = of_kinds
                own = (0, int(a > b), int(b > a))
                found[m, a, b] = group._permutations.tests([own], alternative, drawing, exact=True)[own]
        left = [pair for pair in pairs if pair not in found]
        found |= self._permutations.raw_value_tests(left, alternative, drawing, exact=True) if left else {}
        return {pair: found[pair] for pair in pairs}

    def sampled_permutation(
        self, pairs: Sequence[Pair], alternative: Alternative, drawing: Drawing
    ) -> dict[Pair, TestResult]:
        """Return the same tests with swaps drawn, also where all could be counted: by cells, or densely."""
        return self._permutations.raw_value_tests(pairs, alternative, drawing, exact=False)


@dataclass(frozen=True, eq=False)
class TableGroup(SumGroup):
    """Functions of sums whose table is made."""

    metrics: Sequence[Metric]
    table: Table
    of_systems: Sequence[SumGroup] = field(default=(), kw_only=True)
