"""Items that depend on one another: two crossed groupings, and what clusters do to an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.engine.base import Drawing, Influences, Jackknife, LeftOut, Pair
from bestby.engine.sample import SumSample
from bestby.engine.statistics import Statistics
from bestby.engine.sums import SumGroup
from bestby.inference import clusters, intervals
from bestby.inference.abc import Expansion
from bestby.inference.clusters import DesignEffect, StandardError, equal_units
from bestby.inference.joint import Spread
from bestby.metrics.base import MeanMetric
from bestby.resampling.units import Units
from bestby.results.values import TestResult


@dataclass(frozen=True, eq=False)
class CrossedSample(SumSample):
    """Systems on items in two crossed groupings, such as templates and languages.

    No resampling keeps both groupings, so intervals and tests are by formula, from what each item adds; what
    would take the groups of one for all the dependence there is raises a DesignError. `first` and `second`,
    of shape (n,), are the two groups of each item, as codes from 0.
    """

    first: IntArray
    second: IntArray

    crossed = True
    clustered = True
    contributions: ClassVar[None] = None  # no mean over the groups of one grouping has the right variance,
    shares: ClassVar[None] = None  # nor has a share of single items

    @cached_property
    def error(self) -> StandardError:
        """The two-way cluster-robust standard error of a score or difference."""
        return clusters.two_way(self.item_influence, self.first, self.second)

    @property
    def standard_error(self) -> float:
        """The same without its degrees of freedom."""
        return self.error.se

    @property
    def differing(self) -> tuple[int, int]:
        """On how many items two systems differ, and on how many groups, of the grouping with fewer."""
        of_a, of_b = (one.of_items.each() for one in self.systems)
        differs = (of_a != of_b).any(axis=1)
        n_groups = min(np.unique(codes[differs]).size for codes in (self.first, self.second))
        return int(differs.sum()), int(n_groups)

    @property
    def effective_units(self) -> float:
        """How many groups of equal weight would carry the variance, of the grouping with fewer."""
        numbers = []
        for codes in (self.first, self.second):
            sums = np.bincount(codes, weights=self.item_influence).astype(np.float64)
            numbers.append(intervals.effective_units(-sums, np.ones(sums.size, dtype=np.int64)))
        return float(np.min(numbers))

    @property
    def equal_units(self) -> float | None:
        """How many groups of equal size a mean is made of, in the grouping with fewer."""
        if not isinstance(self.metric, MeanMetric):
            return None
        sizes = (np.bincount(codes).astype(np.float64) for codes in (self.first, self.second))
        return min(equal_units(size) for size in sizes)

    @property
    def influences(self) -> Influences:
        """What each group adds to a score or difference, of the grouping with fewer groups."""
        codes = min((self.first, self.second), key=lambda one: int(one.max()))
        values = np.bincount(codes, weights=self.item_influence).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        return Influences(values, sizes, np.ones(values.size, dtype=np.int64), np.array([0, values.size]))

    @property
    def expansion(self) -> Expansion:
        """Refuse derivatives by the weights of the groups of the first grouping."""
        _refuse("an interval from the units of one grouping")

    @property
    def degrees_of_freedom(self) -> float:
        """Refuse those of the groups of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    def left_out(self, drawing: Drawing | None = None) -> LeftOut:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")

    def bootstrap(self, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Refuse resamples."""
        _refuse("the bootstrap")

    def pivots(self, drawing: Drawing) -> FloatArray | None:  # noqa: ARG002
        """Refuse studentized resamples."""
        _refuse("the bootstrap")

    def permutation(
        self,
        alternative: Alternative,  # noqa: ARG002
        drawing: Drawing,  # noqa: ARG002
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> TestResult:
        """Refuse swaps of the groups of the first grouping."""
        _refuse("the permutation test")

    def sampled_permutation(self, alternative: Alternative, drawing: Drawing) -> TestResult:  # noqa: ARG002
        """Refuse drawn swaps of the groups of the first grouping."""
        _refuse("the permutation test")


@dataclass(frozen=True, eq=False)
class CrossedGroup(SumGroup):
    """A metric on items in two crossed groupings; see `CrossedSample`."""

    first: IntArray
    second: IntArray

    crossed = True
    clustered = True
    unit_means: ClassVar[None] = None  # its groups have no right variance

    @cached_property
    def units(self) -> Units:  # type: ignore[override]
        """The groups of the first grouping."""
        n = int(self.first.max()) + 1
        return Units(np.ones(n, dtype=np.int64), np.array([0, n]))

    @cached_property
    def few_units(self) -> bool:
        """Whether the groups of the first grouping are few, or one has more than a third of the items."""
        return clusters.few(np.bincount(self.first).astype(np.float64), self.units.counts)

    def _sampled(self, systems: Sequence[Statistics]) -> SumSample:
        found = SumSample.of(systems, self.design)
        return CrossedSample(found.systems, found.place, found.units, found.design, self.first, self.second)

    @property
    def influences(self) -> Influences:
        """Refuse the influence of each group of the first grouping."""
        _refuse("a standard error from the units of one grouping")

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together: the sum of what the two groupings tell."""
        values = np.column_stack([one.item_influence for one in self.statistics])
        parts = [_spread_of_groups(values, codes) for codes in (self.first, self.second)]
        if None in parts:
            return None
        first, second = (part for part in parts if part is not None)
        return Spread(
            first.covariance + second.covariance,
            first.noise + second.noise,
            min(first.n_units, second.n_units),
        )

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:  # noqa: ARG002
        """Refuse scores without each group of the first grouping."""
        _refuse("the jackknife")


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
    """Return the standard error of each difference item-wise and clustered, in the order of the pairs.

    `codes` and `strata` have shape (n,). Of items in two crossed groupings the clustered error is the two-way
    one.
    """
    found = []
    for pair in pairs:
        sample = group.sample(*pair)
        effect = clusters.design_effect(sample.item_influence, codes, strata)
        if isinstance(sample, CrossedSample):
            effect = DesignEffect(effect.itemwise, sample.error.se)
        found.append(effect)
    return found
