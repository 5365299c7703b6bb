"""Means of very many single items: their values take the place of a table of distinct units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine import shares, table
from bestby.engine.base import Contributions, Drawing, Pair
from bestby.engine.memo import Memo
from bestby.engine.sums import MOST_HELD, SumGroup, TableGroup
from bestby.engine.table import Table
from bestby.engine.targets import Target
from bestby.inference import lattice, permutation
from bestby.metrics.base import MeanMetric
from bestby.resampling import executing
from bestby.results.values import TestResult

LARGE = 1 << 16
"""Items from which means are made of their values."""


@dataclass(frozen=True, eq=False)
class LargeMeans(SumGroup):
    """Metrics that are means of numbers of single items, without clusters and strata.

    Exact tests need the differences of two systems in rising order, and exact intervals the sums of powers of
    numbers in any order, or the distinct ones where these are few. They do not need `table`, which has the
    items in one order for all systems and takes more time than all the rest: it is made only when resamples
    are drawn, or something else asks for it. `values` are the numbers of all items by metric and system,
    shape (n,) each.
    """

    metrics: Sequence[MeanMetric]
    values: Sequence[Sequence[FloatArray]]

    @cached_property
    def table(self) -> Table:  # type: ignore[override]
        """The statistics of the distinct items."""
        statistics = (
            (np.stack([values, np.ones(values.size)]).T for values in systems) for systems in self.values
        )
        return table.build(statistics, np.ones(self.n_units, dtype=np.int64), None, None)

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.values[0])

    @property
    def n_units(self) -> int:
        """The number of items."""
        return int(self.values[0][0].size)

    @property
    def stratum_sizes(self) -> IntArray:
        """The number of items."""
        return np.array([self.n_units])

    n_strata = 1
    clustered = False
    few_units = False

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (M, S)."""
        return self.own_scores

    @cached_property
    def own_scores(self) -> FloatArray:
        """The scores, shape (M, S)."""
        return np.array(
            [metric.score(totals) for metric, totals in zip(self.metrics, self._totals, strict=True)]
        )

    def totals(self, metric: int, system: int) -> FloatArray:
        """Return the sum of the numbers of a system, and how many there are."""
        totals: FloatArray = self._totals[metric, system]
        return totals

    @cached_property
    def _totals(self) -> FloatArray:
        """The totals of all metrics and systems, shape (M, S, 2)."""
        sums = [
            [self.contributions(m, s).total for s in range(self.n_systems)] for m in range(len(self.metrics))
        ]
        return np.stack([np.array(sums), np.full(np.shape(sums), float(self.n_units))], axis=-1)

    def contributions(self, metric: int, a: int, b: int | None = None) -> Contributions:
        """Return the numbers of a system, or the differences of two, which are in rising order."""
        if b is None:
            return self._numbers[metric][a]
        return self._differences.get((metric, a, b), self._difference)

    def contributions_alone(self, metric: int, a: int, b: int | None = None) -> Contributions:
        """Return the same: other systems have no say in them."""
        return self.contributions(metric, a, b)

    @cached_property
    def _numbers(self) -> list[list[Contributions]]:
        """Those of each metric and system, which all pairs ask for."""
        return [[_of_system(values) for values in systems] for systems in self.values]

    @cached_property
    def _differences(self) -> Memo[Pair, Contributions]:
        return Memo(MOST_HELD // self.n_units)

    def _difference(self, pair: Pair) -> Contributions:
        metric, a, b = pair
        return _in_order(rounding.difference(self.values[metric][a], self.values[metric][b]))

    def unit_means(self, metric: int) -> tuple[FloatArray, IntArray]:
        """Return the numbers of all items, or where most are equal to others those of the table."""
        if self.contributions(metric, 0).values.size < self.n_units:
            return shares.unit_means(self.table, metric), self.units.counts
        return np.column_stack(self.values[metric]), np.ones(self.n_units, dtype=np.int64)

    def shares(self, metric: int, a: int, b: int | None = None) -> Contributions | None:
        """Return None unless the metric itself says that it is a share: means are by their contributions."""
        trials = self.metrics[metric].trials(np.empty((0, 2)))
        return None if trials is None else super().shares(metric, a, b)

    def equal_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return the number of items."""
        return float(self.n_units)

    def _differing(self, pair: Pair) -> tuple[int, int]:
        plain = self.contributions(*pair)
        first, last = np.searchsorted(plain.values, 0.0, "left"), np.searchsorted(plain.values, 0.0, "right")
        number = self.n_units - int(plain.counts[first:last].sum())
        return number, number

    def alone(self, metric: int, a: int, b: int | None = None) -> tuple[SumGroup, Target]:
        """Return the group itself: no other system changes what it gives."""
        return self, Target(metric, a, b)

    def _of_kinds(self, metric: int, a: int, b: int | None) -> None:  # noqa: ARG002
        return None

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates, of the items in the order of the table."""
        return TableGroup(self.metrics, self.table).pivots(metric, a, b, drawing)

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair: exact, or where that fails by swaps."""
        found = {}
        with executing.one_blas_thread():
            for pair in pairs:
                plain = self.contributions(*pair)
                exact = permutation.exact_mean(
                    plain.values, plain.counts, alternative, float(self.n_units), plain.total
                )
                if exact is not None:
                    found[pair] = exact
        left = [pair for pair in pairs if pair not in found]
        found |= super().permutation(left, alternative, drawing, standardised=standardised) if left else {}
        return {pair: found[pair] for pair in pairs}


def _of_system(values: FloatArray) -> Contributions:
    """Return the numbers of a system as contributions: sorted only if few of them are distinct."""
    if lattice.distinct_sample(values) is None:
        return _in_order(values.copy())
    return _singles(values)


def _in_order(values: FloatArray) -> Contributions:
    """Return numbers as contributions in rising order, equal ones put together; they are sorted in place."""
    values.sort()
    fresh = values[1:] != values[:-1]
    if 2 * np.count_nonzero(fresh) >= values.size:
        return _singles(values)
    starts = np.concatenate([[0], np.flatnonzero(fresh) + 1])
    values, counts = values[starts], np.diff(starts, append=values.size)
    return Contributions(values, counts, np.array([0, values.size]), single_items=True)


def _singles(values: FloatArray) -> Contributions:
    """Return numbers as contributions of which each stands for one item."""
    counts: IntArray = np.broadcast_to(np.int64(1), values.shape)
    return Contributions(values, counts, np.array([0, values.size]), single_items=True)
