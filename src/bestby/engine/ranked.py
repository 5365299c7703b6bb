"""Metrics of ranks: integer weights after one sort, and derivatives by weights of any size."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray, ScorePath
from bestby.engine.base import MOST_KEPT, Drawing, Influences, Memo
from bestby.engine.items import MOST_LEFT_OUT, ItemGroup, ItemSample
from bestby.inference import dominating_point, influence, intervals, permutation
from bestby.inference.influence import Expansion, Path
from bestby.inference.multiplicity import Spread
from bestby.metrics.base import WeightDerivatives, WeightedMetric
from bestby.metrics.ranks import RankMetric
from bestby.results.values import TestResult

_BEGINNING = 64
"""Items that are looked at first, where all of them need not be."""


@dataclass(frozen=True, eq=False)
class WeightGroup(ItemGroup):
    """A metric of the weighted protocol: ranks, areas under curves."""

    metric: WeightedMetric
    _prepared: dict[int, Any] = field(default_factory=dict, init=False, repr=False)
    _derivatives: dict[int, WeightDerivatives | None] = field(default_factory=dict, init=False, repr=False)
    _curvatures: dict[int, float] = field(default_factory=dict, init=False, repr=False)
    _constant_without: dict[int | None, tuple[int, ...]] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        # Resamples that are drawn in other processes need no derivatives, which cannot be sent there.
        return self.__dict__ | {"_derivatives": {}, "expansions": Memo(1)}

    def sample(self, a: int, b: int | None = None) -> RankSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return RankSample(self, a, b)

    def prepared(self, system: int) -> Any:
        """Return what the metric makes of the gold and the predictions of a system, made once."""
        if system not in self._prepared:
            self._prepared[system] = self.metric.prepare(self.gold, self.systems[system])
        return self._prepared[system]

    # -- derivatives -------------------------------------------------------------------------------

    def derivatives(self, system: int) -> WeightDerivatives | None:
        """Return how the score of a system responds to the weights of the items, made once."""
        if system not in self._derivatives:
            self._derivatives[system] = self.metric.derivatives(self.prepared(system))
        return self._derivatives[system]

    @property
    def has_derivatives(self) -> bool:
        """Whether the metric tells how scores respond to the weights of the items."""
        return self.derivatives(0) is not None

    @cached_property
    def by_class(self) -> tuple[IntArray, IntArray]:
        """The items in the order of their classes, which are those of the gold, and where each begins."""
        any_system = self.derivatives(0)
        assert any_system is not None
        assert any_system.classes is not None
        edges = np.concatenate([[0], np.cumsum(np.bincount(any_system.classes))])
        members = [np.flatnonzero(any_system.classes == one) for one in range(edges.size - 1)]
        return np.concatenate(members), edges

    def hangs_on_one_unit(self, systems: list[int]) -> bool:
        """Return whether a score is undefined without some unit, as the others are alike in some column."""
        units = {unit for column in (None, *systems) for unit in self._units_that_vary(column)}
        if not units:
            return False
        unit_of = np.arange(self.n_units) if self.unit_of is None else self.unit_of
        weights = np.array([unit_of != unit for unit in sorted(units)]).astype(np.int32)
        return not bool(np.isfinite(self._score_weights(weights)[:, systems]).all())

    def _units_that_vary(self, system: int | None) -> tuple[int, ...]:
        """Return the units without which the predictions of a system, or the gold, would be constant."""
        if system not in self._constant_without:
            column = self.gold if system is None else self.systems[system]
            self._constant_without[system] = () if column is None else tuple(self._units_that_vary_in(column))
        return self._constant_without[system]

    def _units_that_vary_in(self, column: Array) -> Iterator[int]:
        """Yield the units without which a column would be constant.

        They can only be the unit of the first item, and that of the first item unlike it.
        """
        if self.unit_of is None and _varies_without_any(column[:_BEGINNING]):
            return
        # Only two items can be the one that differs from all others: the first, or the first unlike it.
        unlike = (column != column[0]).reshape(len(column), -1).any(axis=1)
        for item in (0, int(unlike.argmax())):
            unit = item if self.unit_of is None else int(self.unit_of[item])
            others = column[np.arange(len(column)) != item if self.unit_of is None else self.unit_of != unit]
            if len(others) and not (others != others[0]).any():
                yield unit

    def by_unit(self, item_values: FloatArray) -> FloatArray:
        """Return the sums over the items of each unit."""
        if self.unit_of is None:
            return item_values
        return np.bincount(self.unit_of, weights=item_values, minlength=self.n_units).astype(np.float64)

    @property
    def spread(self) -> Spread | None:
        """How the scores of all systems vary together, by derivatives or else the jackknife."""
        derivatives = [self.derivatives(s) for s in range(self.n_systems)]
        first_derivatives = [one.first for one in derivatives if one is not None]
        if len(first_derivatives) < len(derivatives):
            return super().spread
        values = np.column_stack([self.by_unit(first) for first in first_derivatives])
        return Spread.from_influence(values, self.sizes, self.units.counts, self.units.bounds)

    def curvature(self, system: int) -> float:
        """Return the sum of the second derivatives of a score by the weight of each unit, made once."""
        if system not in self._curvatures:
            derivatives = self.derivatives(system)
            assert derivatives is not None  # of a score that has an expansion
            self._curvatures[system] = self._summed(derivatives)
        return self._curvatures[system]

    def _summed(self, derivatives: WeightDerivatives) -> float:
        if not self.clustered:
            own = derivatives.curvature
            return float(derivatives.second().sum()) if own is None else own()
        assert self.unit_of is not None  # items of their own are no clusters
        if derivatives.second_of_groups is not None:
            return float(derivatives.second_of_groups(self.unit_of).sum())
        paths = (derivatives.path(one[self.unit_of]) for one in self._each_unit())
        return sum(map(influence.bend, paths))

    def _each_unit(self) -> Iterator[FloatArray]:
        """Yield a weight of 1 for each unit in turn."""
        for unit in range(self.n_units):
            one = np.zeros(self.n_units)
            one[unit] = 1.0
            yield one

    @cached_property
    def expansions(self) -> Memo[tuple[int, int | None], Expansion]:
        """Those of scores and of differences: many if they are light, else the last one."""
        any_system = self.derivatives(0)
        return Memo(MOST_KEPT if any_system is not None and any_system.light_paths else 1)

    # -- scores ------------------------------------------------------------------------------------

    @cached_property
    def _full(self) -> FloatArray:
        if not isinstance(self.metric, RankMetric):
            return super()._full
        return np.array([[self.metric.whole(self.prepared(s)) for s in range(self.n_systems)]])

    def _score_weights(self, weights: Array) -> FloatArray:
        systems = range(self.n_systems)
        return np.column_stack([self.metric.weighted(self.prepared(s), weights) for s in systems])

    @property
    def has_standardised_swaps(self) -> bool:
        """Whether the metric has a scale that two systems share, such as ranks."""
        return type(self.metric).exchangeable is not WeightedMetric.exchangeable

    def numbers(self, system: int) -> FloatArray | None:
        """Return the numbers of a system as given, one per item; None without such swaps."""
        values = self.systems[system]
        if not self.has_standardised_swaps or values.dtype.kind not in "biuf":
            return None
        return values.astype(np.float64, copy=False)

    def _score_swapped(self, a: int, b: int, *, standardised: bool = False) -> Callable[[Array], FloatArray]:
        """Score over the items of both systems, each with weight 1 where it stands after the swap, else 0."""
        return _SwappedRanks(self.metric, self._pooled(a, b, standardised))

    def _pooled(self, a: int, b: int, standardised: bool) -> Any:
        """Return what the metric makes of the items of two systems, put together."""
        both = np.concatenate(self._exchanged(a, b, standardised))
        if isinstance(self.metric, RankMetric) and self.gold is not None:
            return self.metric.prepare_both(self.gold, both)
        return self.metric.prepare(
            None if self.gold is None else np.concatenate([self.gold, self.gold]), both
        )

    def _swaps_matter(self, a: int, b: int, *, standardised: bool) -> BoolArray:
        """Return where two systems differ in what a test swaps: ranks may, of equal predictions."""
        swapped_a, swapped_b = self._exchanged(a, b, standardised)
        return self._unlike(swapped_a, swapped_b)

    def _exchanged(self, a: int, b: int, standardised: bool) -> tuple[Array, Array]:
        """Return what a test swaps of two systems: their predictions, or these on one scale."""
        predictions_a, predictions_b = self.systems[a], self.systems[b]
        if not standardised:
            return predictions_a, predictions_b
        return self.metric.exchangeable(self.gold, predictions_a), self.metric.exchangeable(
            self.gold, predictions_b
        )


@dataclass(frozen=True, eq=False)
class RankSample(ItemSample):
    """One system or two of a metric of ranks, whose derivatives formulas take."""

    group: WeightGroup

    @cached_property
    def _derivatives(self) -> list[WeightDerivatives] | None:
        """Those of each system; None of a metric that has none."""
        derivatives = [self.group.derivatives(system) for system in self.systems]
        defined = [one for one in derivatives if one is not None]
        return defined if len(defined) == len(derivatives) else None

    @cached_property
    def influence(self) -> tuple[FloatArray, IntArray] | None:
        """The influence of each unit, and where each stratum, or else each class, begins."""
        if self._derivatives is None:
            return None
        derivatives_a, *derivatives_b = self._derivatives
        first = derivatives_a.first - derivatives_b[0].first if derivatives_b else derivatives_a.first
        if self.group.unit_of is None and derivatives_a.classes is not None:
            order, edges = self.group.by_class
            return first[order], edges
        return self.group.by_unit(first), self.units.bounds

    @property
    def standard_error(self) -> float | None:
        """The delta-method standard error, from the influence of each unit; None without one.

        It is not a number if a single unit is all there is of the class without which the score is undefined.
        """
        if self.influence is None:
            return None
        return math.nan if self.scarce_units == 1 else math.sqrt(sum(influence.variances(*self.influence)))

    @property
    def degrees_of_freedom(self) -> float:
        """Those of Satterthwaite where two classes have a spread each; see `Sample`."""
        if self.influence is None or self.influence[1].size == self.units.bounds.size:
            return super().degrees_of_freedom
        return influence.satterthwaite(*self.influence)

    @property
    def influences(self) -> Influences | None:
        """What each unit adds to a score or difference, by the derivatives or else the jackknife."""
        if self.influence is None:
            return super().influences
        values, bounds = self.influence
        ones = np.ones(values.size)
        return Influences(values, ones, ones.astype(np.int64), bounds)

    @property
    def effective_units(self) -> float | None:
        """How many units of equal weight carry the variance, where there are too many to leave out.

        It is NaN where the score is undefined without some unit: there the influence of units does not tell
        what depends on it.
        """
        part = self.influence if self.units.n > MOST_LEFT_OUT else None
        if part is None:
            return None
        ones = np.broadcast_to(np.int64(1), self.units.n)
        if self.group.hangs_on_one_unit(self.systems):
            return math.nan
        return intervals.effective_units(part[0], ones, part[1])

    @property
    def scarce_units(self) -> int | None:
        """How many units have items of the class without which no score is defined; None if any is."""
        scarce = None if self._derivatives is None else self._derivatives[0].scarce
        if scarce is None:
            return None
        if self.group.unit_of is None:
            return int(np.count_nonzero(scarce))
        return np.unique(self.group.unit_of[scarce]).size

    @property
    def expansion(self) -> Expansion | None:
        """The score or difference to second order in the weights of units; None without derivatives."""
        if self._derivatives is None:
            return None
        return self.group.expansions.get((self.a, self.b), lambda _: self._expanded())

    def _expanded(self) -> Expansion:
        assert self._derivatives is not None
        group, (derivatives_a, *derivatives_b) = self.group, self._derivatives

        def along(change: FloatArray) -> ScorePath:
            on_items = change if group.unit_of is None else change[group.unit_of]
            score_a, *score_b = (one.path(on_items) for one in (derivatives_a, *derivatives_b))
            return (lambda multiples: score_a(multiples) - score_b[0](multiples)) if score_b else score_a

        first = group.by_unit(
            derivatives_a.first - derivatives_b[0].first if derivatives_b else derivatives_a.first
        )
        curvature = group.curvature(self.a) - (0.0 if self.b is None else group.curvature(self.b))
        first, curvature = influence.within(first, curvature, self.units.bounds, along)
        return Expansion.from_derivatives(
            first, self.units.weights, curvature, lambda change: Path(along(change))
        )

    @property
    def same_ranks(self) -> bool:
        """Whether the metric has the same ranks of two systems; the same predictions if it has none."""
        score_a, score_b = self.scores.tolist()
        if not rounding.level(score_a, score_b, max(abs(score_a), abs(score_b))):
            return False
        group = self.group
        first, second = (group.metric.exchangeable(group.gold, group.systems[s]) for s in self.systems)
        return bool(np.array_equal(first, second))

    def permutation(
        self, alternative: Alternative, drawing: Drawing, *, standardised: bool = False
    ) -> TestResult:
        """Return the paired permutation test: without draws where the difference is a sum, or nearly one."""
        result = self._without_draws(alternative, standardised=standardised)
        return result or super().permutation(alternative, drawing, standardised=standardised)

    def _without_draws(self, alternative: Alternative, *, standardised: bool) -> TestResult | None:
        """Return the test of a difference that is a sum over the items, or nearly one as they are many."""
        assert self.b is not None
        if not isinstance(self.group.metric, RankMetric):
            return None
        both = self.group._pooled(self.a, self.b, standardised)
        effects = self.group.metric.swap_effects(both)
        if effects is None:
            return self._by_expansion(both, alternative)
        ones = np.broadcast_to(np.int64(1), self.units.n)
        result = permutation.exact_mean(self._unit_differences(effects), ones, alternative, 1.0)
        return result and dataclasses.replace(result, statistic=self.estimate)

    def _by_expansion(self, both: Any, alternative: Alternative) -> TestResult | None:
        many = self.units.n >= dominating_point.FEWEST_WEIGHTED
        derivatives = self.group.metric.derivatives(both) if many else None
        if derivatives is None:
            return None
        unit_of = self.group.unit_of

        def difference(signs: FloatArray) -> float:
            item_signs = signs if unit_of is None else signs[unit_of]
            path = derivatives.path(np.concatenate([item_signs, -item_signs]))
            score_a, score_b = path(np.array([1.0, -1.0]))
            return float(score_a - score_b)

        effects = self._unit_differences(derivatives.first)
        return dominating_point.swapped_weights(effects, difference, self.estimate, alternative)

    def _unit_differences(self, item_values: FloatArray) -> FloatArray:
        """Return the sums over each unit of numbers of the items of A less those of B, from both (2 n,)."""
        values_a, values_b = np.split(item_values, 2)
        return self.group.by_unit(values_a - values_b)


def _varies_without_any(column: Array) -> bool:
    """Return whether a column varies whichever one of its items is left out."""
    others = column[1:]
    return int((others != column[0]).sum()) > 1 and bool((others[1:] != others[0]).any())


@dataclass(frozen=True, eq=False)
class _SwappedRanks:
    """The difference A minus B of swaps (R, n), of both systems' items prepared together."""

    metric: WeightedMetric
    prepared: Any

    def __call__(self, bits: Array) -> FloatArray:
        taken = bits.astype(np.uint8, copy=False)
        stayed = np.uint8(1) - taken
        # The items of both systems are ranked once, together; a swap gives each the weight 1 or 0.
        score_a = self.metric.weighted(self.prepared, np.concatenate([stayed, taken], axis=1))
        score_b = self.metric.weighted(self.prepared, np.concatenate([taken, stayed], axis=1))
        gap: FloatArray = score_a - score_b
        return gap
