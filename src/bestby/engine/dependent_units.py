"""Items that depend on one another: two crossed groupings, ordered text, and what clusters do to an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Contributions, Drawing, Influences, Jackknife, Pair
from bestby.engine.sums import SumGroup, TableGroup
from bestby.engine.targets import Target
from bestby.engine.transforms import Scores
from bestby.inference import clusters, intervals
from bestby.inference.abc import Expansion
from bestby.inference.clusters import DesignEffect, StandardError, equal_units
from bestby.inference.joint import Spread
from bestby.metrics.base import MeanMetric
from bestby.resampling import totals as resampling
from bestby.resampling.blocks import Blocks
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class CrossedGroup(TableGroup):
    """Metrics on items in two crossed groupings, such as templates and languages.

    The units of the table are the groups of the first. No resampling keeps both groupings, so intervals and
    tests are by formula; what would take the units for all the dependence there is raises a DesignError.
    `first` and `second`, of shape (n,), are the two groups of each item, as codes from 0.
    """

    first: IntArray
    second: IntArray

    crossed = True

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the two-way cluster-robust standard error of a score or difference."""
        return clusters.two_way(item_influence(self, metric, a, b), self.first, self.second)

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the same without its degrees of freedom."""
        return clusters.two_way(item_influence(self, metric, a, b), self.first, self.second).se

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return on how many items two systems differ, and on how many groups, of the grouping with fewer."""
        m, a, b = pair
        columns_a, columns_b = self.table.columns[m][a], self.table.columns[m][b]
        differs = (self.table.items[:, columns_a] != self.table.items[:, columns_b]).any(axis=1)
        n_groups = min(np.unique(codes[differs]).size for codes in (self.first, self.second))
        return int(differs.sum()), int(n_groups)

    def effective_units(self, metric: int, a: int, b: int | None = None) -> float:
        """Return how many groups of equal weight would carry the variance, of the grouping with fewer."""
        influence = item_influence(self, metric, a, b)
        numbers = []
        for codes in (self.first, self.second):
            sums = np.bincount(codes, weights=influence).astype(np.float64)
            numbers.append(intervals.effective_units(-sums, np.ones(sums.size, dtype=np.int64)))
        return float(np.min(numbers))

    def shares(self, metric: int, a: int, b: int | None = None) -> Contributions | None:  # noqa: ARG002
        """Return None: no share of single items has the right variance."""
        return None

    def equal_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return how many groups of equal size a mean is made of, in the grouping with fewer."""
        if not isinstance(self.metrics[metric], MeanMetric):
            return None
        sizes = (np.bincount(codes).astype(np.float64) for codes in (self.first, self.second))
        return min(equal_units(size) for size in sizes)

    def contributions(self, metric: int, a: int, b: int | None = None) -> Contributions | None:  # noqa: ARG002
        """Return None: no mean over the groups of one grouping has the right variance."""
        return None

    def unit_means(self, metric: int) -> tuple[FloatArray, IntArray] | None:  # noqa: ARG002
        """Return None for the same reason."""
        return None

    def contributions_alone(self, metric: int, a: int, b: int | None = None) -> Contributions | None:  # noqa: ARG002
        """Return None for the same reason."""
        return None

    def alone(self, metric: int, a: int, b: int | None = None) -> tuple[SumGroup, Target]:  # noqa: ARG002
        """Refuse a table of the groups of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def influence(self, metric: int, a: int, b: int | None = None) -> FloatArray:  # noqa: ARG002
        """Refuse the influence of each group of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each group adds to a score or difference, of the grouping with fewer groups."""
        codes = min((self.first, self.second), key=lambda one: int(one.max()))
        values = np.bincount(codes, weights=item_influence(self, metric, a, b)).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        return Influences(values, sizes, np.ones(values.size, dtype=np.int64), np.array([0, values.size]))

    def influences(self, metric: int) -> Influences:  # noqa: ARG002
        """Refuse the influence of each group of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def spread(self, metric: int) -> Spread | None:
        """Return how the scores of all systems vary together: the sum of what the two groupings tell."""
        values = np.column_stack([item_influence(self, metric, s) for s in range(self.n_systems)])
        parts = [_spread_of_groups(values, codes) for codes in (self.first, self.second)]
        if None in parts:
            return None
        first, second = (part for part in parts if part is not None)
        return Spread(
            first.covariance + second.covariance,
            first.noise + second.noise,
            min(first.n_units, second.n_units),
        )

    def expansion(self, metric: int, a: int, b: int | None = None) -> Expansion:  # noqa: ARG002
        """Refuse derivatives by the weights of the groups of the first grouping."""
        _refuse("an interval from the units of one grouping")

    def degrees_of_freedom(self, metric: int, a: int, b: int | None = None) -> float:  # noqa: ARG002
        """Refuse those of the groups of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def bootstrap(self, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Refuse resamples."""
        _refuse("the bootstrap")

    def jackknife(self, seed: int) -> Jackknife:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:  # noqa: ARG002
        """Refuse studentized resamples."""
        _refuse("the bootstrap")

    def permutation(
        self,
        pairs: Sequence[Pair],  # noqa: ARG002
        alternative: Alternative,  # noqa: ARG002
        drawing: Drawing,  # noqa: ARG002
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> dict[Pair, TestResult]:
        """Refuse swaps of the groups of the first grouping."""
        _refuse("the permutation test")

    def sampled_permutation(
        self,
        pairs: Sequence[Pair],  # noqa: ARG002
        alternative: Alternative,  # noqa: ARG002
        drawing: Drawing,  # noqa: ARG002
    ) -> dict[Pair, TestResult]:
        """Refuse drawn swaps of the groups of the first grouping."""
        _refuse("the permutation test")


def _spread_of_groups(values: FloatArray, codes: IntArray) -> Spread | None:
    """Return how scores vary together with the groups of the items, of which influences are (I, S)."""
    sums = np.column_stack([np.bincount(codes, weights=column) for column in values.T]).astype(np.float64)
    sizes = np.bincount(codes).astype(np.float64)
    return Spread.from_influence(sums, sizes, np.ones(sizes.size, dtype=np.int64), np.array([0, sizes.size]))


def _refuse(what: str) -> NoReturn:
    raise DesignError(
        f"{what} supports one grouping of the items, not two crossed ones",
        hint='interval="two-way" and test="wald" support both',
    )


@dataclass(frozen=True, eq=False)
class BlockGroup(TableGroup):
    """Metrics on ordered text. Units are blocks laid end to end; the bootstrap draws blocks from anywhere."""

    blocks: Blocks

    @property
    def in_blocks(self) -> bool:
        """True."""
        return True

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of circular block resamples, shape (B, M, S)."""
        blocks = self.blocks
        return resampling.bootstrap(
            blocks.sums(self.table.items),
            blocks.units,
            drawing.n_resamples,
            drawing.seed,
            Scores(self.metrics, self.table.bare(), None),
            draws=blocks.draws,
            n_jobs=drawing.n_jobs,
            progress=drawing.progress,
            executor=drawing.executor,
        )


def item_influence(group: SumGroup, metric: int, a: int, b: int | None = None) -> FloatArray:
    """Return what each item adds to a score or difference, to first order, shape (I,).

    `group` holds metrics on items that were not put together: those of clusters never are. It is 0 of all
    items if rounding is all that is left of the difference, as of scores that are shifted by a constant.
    """
    table = group.table
    of_a, *of_b = (
        group.influence_of_rows(metric, s, table.items[:, table.columns[metric][s]])
        for s in (a, b)
        if s is not None
    )
    if b is None:
        return of_a
    difference: FloatArray = of_a - of_b[0]
    size = float(np.abs(group.own_scores[metric, [a, b]]).max()) / max(of_a.size, 1)
    largest = max(size, checks.largest(of_a), checks.largest(of_b[0]))
    return (
        np.zeros_like(difference) if rounding.is_nothing(checks.largest(difference), largest) else difference
    )


def design_effects(
    group: SumGroup, pairs: Sequence[Pair], codes: IntArray, strata: IntArray | None = None
) -> list[DesignEffect]:
    """Return the standard error of each difference item-wise and clustered.

    `codes` and `strata` have shape (n,). `group` holds metrics on items that were not put together. The
    result is in the order of the pairs. Of items in two crossed groupings the clustered error is the two-way
    one.
    """
    found = []
    for m, a, b in pairs:
        influence = item_influence(group, m, a, b)
        effect = clusters.design_effect(influence, codes, strata)
        if isinstance(group, CrossedGroup):
            error = clusters.two_way(influence, group.first, group.second)
            effect = DesignEffect(effect.itemwise, error.se)
        found.append(effect)
    return found
