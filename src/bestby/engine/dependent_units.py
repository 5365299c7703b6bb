"""Items that depend on one another: two crossed groupings, and what clusters do to an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Contributions, Drawing, Influences, Jackknife, LeftOut, Pair
from bestby.engine.sample import Sample
from bestby.engine.sums import SumGroup
from bestby.inference import clusters, intervals
from bestby.inference.abc import Expansion
from bestby.inference.clusters import DesignEffect, StandardError, equal_units
from bestby.inference.joint import Spread
from bestby.metrics.base import MeanMetric
from bestby.resampling.units import Units
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class CrossedGroup(SumGroup):
    """A metric on items in two crossed groupings, such as templates and languages.

    No resampling keeps both groupings, so intervals and tests are by formula, from what each item adds; what
    would take the groups of one for all the dependence there is raises a DesignError. `first` and `second`, of
    shape (n,), are the two groups of each item, as codes from 0.
    """

    first: IntArray
    second: IntArray

    crossed = True
    clustered = True

    @cached_property
    def units(self) -> Units:  # type: ignore[override]
        """The groups of the first grouping."""
        n = int(self.first.max()) + 1
        return Units(np.ones(n, dtype=np.int64), np.array([0, n]))

    @cached_property
    def few_units(self) -> bool:
        """Whether the groups of the first grouping are few, or one has more than a third of the items."""
        return clusters.few(np.bincount(self.first).astype(np.float64), self.units.counts)

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the two-way cluster-robust standard error of a score or difference."""
        return clusters.two_way(self.item_influence(a, b), self.first, self.second)

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the same without its degrees of freedom."""
        return clusters.two_way(self.item_influence(a, b), self.first, self.second).se

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return on how many items two systems differ, and on how many groups, of the grouping with fewer."""
        of_a, of_b = (self.statistics[s].of_items.each() for s in pair[1:])
        differs = (of_a != of_b).any(axis=1)
        n_groups = min(np.unique(codes[differs]).size for codes in (self.first, self.second))
        return int(differs.sum()), int(n_groups)

    def effective_units(self, metric: int, a: int, b: int | None = None) -> float:
        """Return how many groups of equal weight would carry the variance, of the grouping with fewer."""
        influence = self.item_influence(a, b)
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

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each group adds to a score or difference, of the grouping with fewer groups."""
        codes = min((self.first, self.second), key=lambda one: int(one.max()))
        values = np.bincount(codes, weights=self.item_influence(a, b)).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        return Influences(values, sizes, np.ones(values.size, dtype=np.int64), np.array([0, values.size]))

    def influences(self, metric: int) -> Influences:  # noqa: ARG002
        """Refuse the influence of each group of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def spread(self, metric: int) -> Spread | None:
        """Return how the scores of all systems vary together: the sum of what the two groupings tell."""
        values = np.column_stack([self.item_influence(s) for s in range(self.n_systems)])
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

    def _bootstrap(self, sample: Sample, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Refuse resamples."""
        _refuse("the bootstrap")

    def left_out(self, metric: int, a: int, b: int | None, drawing: Drawing | None = None) -> LeftOut:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
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


def design_effects(
    group: SumGroup, pairs: Sequence[Pair], codes: IntArray, strata: IntArray | None = None
) -> list[DesignEffect]:
    """Return the standard error of each difference item-wise and clustered.

    `codes` and `strata` have shape (n,). The result is in the order of the pairs. Of items in two crossed groupings the clustered error is the two-way
    one.
    """
    found = []
    for _, a, b in pairs:
        influence = group.item_influence(a, b)
        effect = clusters.design_effect(influence, codes, strata)
        if isinstance(group, CrossedGroup):
            error = clusters.two_way(influence, group.first, group.second)
            effect = DesignEffect(effect.itemwise, error.se)
        found.append(effect)
    return found
