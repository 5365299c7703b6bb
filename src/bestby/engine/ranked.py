"""Metrics of ranks: integer weights after one sort, and derivatives by weights of any size."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray, ScorePath
from bestby.engine.base import Drawing, Influences, Pair
from bestby.engine.memo import Memo
from bestby.engine.weighted import MOST_LEFT_OUT, ItemGroup
from bestby.inference import influence, intervals, permutation, swap_expansion
from bestby.inference.abc import Expansion
from bestby.inference.influence import Path
from bestby.inference.joint import Spread
from bestby.metrics._ranked import RankMetric
from bestby.metrics.base import WeightedMetric
from bestby.metrics.derivatives import WeightDerivatives
from bestby.results.values import TestResult

_Pair: TypeAlias = tuple[int, int | None]
_Influence: TypeAlias = tuple[FloatArray, IntArray]

_BEGINNING = 64
"""Items that are looked at first, where all of them need not be."""


@dataclass(frozen=True, eq=False)
class WeightGroup(ItemGroup):
    """A metric of the weighted protocol: ranks, areas under curves."""

    metric: WeightedMetric
    _prepared: dict[int, Any] = field(default_factory=dict, init=False, repr=False)
    _derivatives: dict[int, WeightDerivatives | None] = field(default_factory=dict, init=False, repr=False)
    _curvatures: dict[int, float] = field(default_factory=dict, init=False, repr=False)
    _influence: Memo[_Pair, _Influence | None] = field(
        default_factory=partial(Memo, 1), init=False, repr=False
    )
    _alone: dict[int | None, tuple[int, ...]] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        # Resamples that are drawn in other processes need no derivatives, which cannot be sent there.
        return self.__dict__ | {"_derivatives": {}}

    def prepared(self, system: int) -> Any:
        """Return what the metric makes of the gold and the predictions of a system, made once."""
        if system not in self._prepared:
            self._prepared[system] = self.metric.prepare(self.gold, self.systems[system])
        return self._prepared[system]

    # -- standard errors ---------------------------------------------------------------------------

    def derivatives(self, system: int) -> WeightDerivatives | None:
        """Return how the score of a system responds to the weights of the items, made once."""
        if system not in self._derivatives:
            self._derivatives[system] = self.metric.derivatives(self.prepared(system))
        return self._derivatives[system]

    @property
    def has_derivatives(self) -> bool:
        """Whether the metric tells how scores respond to the weights of the items."""
        return self.derivatives(0) is not None

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return the delta-method standard error, from the influence of each unit; None without one.

        It is not a number if a single unit is all there is of the class without which the score is undefined.
        """
        part = self.influence(a, b)
        if part is None:
            return None
        return math.nan if self.scarce_units(a) == 1 else math.sqrt(sum(influence.variances(*part)))

    def degrees_of_freedom(self, metric: int, a: int, b: int | None = None) -> float:
        """Return those of Satterthwaite where two classes have a spread each; see `Group`."""
        part = self.influence(a, b)
        if part is None or part[1].size == self.units.bounds.size:
            return super().degrees_of_freedom(metric, a, b)
        return influence.satterthwaite(*part)

    def influence(self, a: int, b: int | None) -> _Influence | None:
        """Return the influence of each unit, and where each stratum, or else each class, begins.

        It is asked for several times in a row, so the last one is kept.
        """
        return self._influence.get((a, b), self._influence_of)

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each unit adds to a score or difference, by the derivatives or else the jackknife."""
        parts = self.influence(a, b)
        if parts is None:
            return super().influence_by_unit(metric, a, b)
        ones = np.ones(parts[0].size)
        return Influences(parts[0], ones, ones.astype(np.int64), parts[1])

    def _influence_of(self, pair: _Pair) -> _Influence | None:
        a, b = pair
        of_a, of_b = self.derivatives(a), None if b is None else self.derivatives(b)
        if of_a is None or (b is not None and of_b is None):
            return None
        first = of_a.first if of_b is None else of_a.first - of_b.first
        if self.unit_of is None and of_a.classes is not None:
            order, edges = self._by_class
            return first[order], edges
        return self._by_unit(first), self.units.bounds

    @cached_property
    def _by_class(self) -> tuple[IntArray, IntArray]:
        """The items in the order of their classes, which are those of the gold, and where each begins."""
        any_system = self.derivatives(0)
        assert any_system is not None
        assert any_system.classes is not None
        edges = np.concatenate([[0], np.cumsum(np.bincount(any_system.classes))])
        members = [np.flatnonzero(any_system.classes == one) for one in range(edges.size - 1)]
        return np.concatenate(members), edges

    def effective_units(self, metric: int, a: int, b: int | None = None) -> float | None:  # noqa: ARG002
        """Return how many units of equal weight carry the variance, where there are too many to leave out.

        It is NaN where the score is undefined without some unit: there the influence of units does not tell
        what depends on it.
        """
        part = self.influence(a, b) if self.n_units > MOST_LEFT_OUT else None
        if part is None:
            return None
        ones = np.broadcast_to(np.int64(1), self.n_units)
        return (
            math.nan if self._hangs_on_one_unit(a, b) else intervals.effective_units(part[0], ones, part[1])
        )

    def scarce_units(self, a: int) -> int | None:
        """Return how many units have items of the class without which no score is defined; None if any is."""
        derivatives = self.derivatives(a)
        if derivatives is None or derivatives.scarce is None:
            return None
        if self.unit_of is None:
            return int(np.count_nonzero(derivatives.scarce))
        return np.unique(self.unit_of[derivatives.scarce]).size

    def _hangs_on_one_unit(self, a: int, b: int | None) -> bool:
        """Return whether a score is undefined without some unit, as the others are alike in some column."""
        own = [a] if b is None else [a, b]
        units = {unit for column in (None, *own) for unit in self._alone_unlike(column)}
        if not units:
            return False
        unit_of = np.arange(self.n_units) if self.unit_of is None else self.unit_of
        kept = np.array([unit_of != unit for unit in sorted(units)]).astype(np.int32)
        return not bool(np.isfinite(self._score_weights(kept)[:, own]).all())

    def _alone_unlike(self, system: int | None) -> tuple[int, ...]:
        """Return the units without which the predictions of a system, or the gold, would be constant."""
        if system not in self._alone:
            column = self.gold if system is None else self.systems[system]
            self._alone[system] = () if column is None else tuple(self._alone_in(column))
        return self._alone[system]

    def _alone_in(self, column: Array) -> Iterator[int]:
        """Yield the units without which a column would be constant.

        They can only be the unit of the first item, and that of the first item unlike it.
        """
        if self.unit_of is None and _varies_without_any(column[:_BEGINNING]):
            return
        unlike = (column != column[0]).reshape(len(column), -1).any(axis=1)
        for item in (0, int(unlike.argmax())):
            unit = item if self.unit_of is None else int(self.unit_of[item])
            others = column[np.arange(len(column)) != item if self.unit_of is None else self.unit_of != unit]
            if len(others) and not (others != others[0]).any():
                yield unit

    def _by_unit(self, of_items: FloatArray) -> FloatArray:
        """Return the sums over the items of each unit."""
        if self.unit_of is None:
            return of_items
        return np.bincount(self.unit_of, weights=of_items, minlength=self.n_units).astype(np.float64)

    def spread(self, metric: int) -> Spread | None:
        """Return how the scores of all systems vary together, by derivatives or else the jackknife."""
        found = [self.derivatives(s) for s in range(self.n_systems)]
        known = [one.first for one in found if one is not None]
        if len(known) < len(found):
            return super().spread(metric)
        values = np.column_stack([self._by_unit(first) for first in known])
        return Spread.from_influence(values, self._sizes, self.units.counts, self.units.bounds)

    def expansion(self, metric: int, a: int, b: int | None = None) -> Expansion | None:  # noqa: ARG002
        """Return a score or difference to second order in the weights of units; None without derivatives."""
        of_a, of_b = self.derivatives(a), None if b is None else self.derivatives(b)
        if of_a is None or (b is not None and of_b is None):
            return None

        def along(change: FloatArray) -> ScorePath:
            on_items = change if self.unit_of is None else change[self.unit_of]

            def path(multiples: FloatArray) -> FloatArray:
                score = of_a.along(on_items, multiples)
                return score if of_b is None else score - of_b.along(on_items, multiples)

            return path

        first = self._by_unit(of_a.first if of_b is None else of_a.first - of_b.first)
        curvature = self._curvature(a) - (0.0 if b is None else self._curvature(b))
        first, curvature = influence.within(first, curvature, self.units.bounds, along)
        weights = self.units.weights
        return Expansion.from_derivatives(first, weights, curvature, lambda change: Path(along(change)))

    def _curvature(self, system: int) -> float:
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
        paths = (partial(derivatives.along, one[self.unit_of]) for one in self._each_unit())
        return sum(map(influence.bend, paths))

    def _each_unit(self) -> Iterator[FloatArray]:
        """Yield a weight of 1 for each unit in turn."""
        for unit in range(self.n_units):
            one = np.zeros(self.n_units)
            one[unit] = 1.0
            yield one

    # -- scores ------------------------------------------------------------------------------------

    @cached_property
    def _full(self) -> FloatArray:
        if not isinstance(self.metric, RankMetric):
            return super()._full
        return np.array([[self.metric.whole(self.prepared(s)) for s in range(self.n_systems)]])

    def _score_weights(self, weights: Array) -> FloatArray:
        systems = range(self.n_systems)
        return np.column_stack([self.metric.weighted(self.prepared(s), weights) for s in systems])

    def has_standardised_swaps(self, metric: int) -> bool:  # noqa: ARG002
        """Whether the metric has a scale that two systems share, such as ranks."""
        return type(self.metric).exchangeable is not WeightedMetric.exchangeable

    def same_ranks(self, metric: int, a: int, b: int) -> bool:  # noqa: ARG002
        """Whether the metric has the same ranks of two systems; the same predictions if it has none."""
        score_a, score_b = self._full[0, [a, b]].tolist()
        if not rounding.level(score_a, score_b, max(abs(score_a), abs(score_b))):
            return False
        first, second = (self.metric.exchangeable(self.gold, self.systems[s]) for s in (a, b))
        return bool(np.array_equal(first, second))

    def numbers(self, metric: int, system: int) -> tuple[FloatArray, IntArray] | None:
        """Return the numbers of a system as given, and how many items have each; None without such swaps."""
        values = self.systems[system]
        if not self.has_standardised_swaps(metric) or values.dtype.kind not in "biuf":
            return None
        return values.astype(np.float64), np.ones(values.size, dtype=np.int64)

    def _permuted(
        self, pair: Pair, alternative: Alternative, drawing: Drawing, standardised: bool
    ) -> TestResult:
        found = self._permuted_without_draws(pair, alternative, standardised)
        return super()._permuted(pair, alternative, drawing, standardised) if found is None else found

    def _permuted_without_draws(
        self, pair: Pair, alternative: Alternative, standardised: bool
    ) -> TestResult | None:
        """Return the test of a difference that is a sum over the items, or nearly one as they are many."""
        _, a, b = pair
        if not isinstance(self.metric, RankMetric):
            return None
        both, observed = self._pooled(a, b, standardised), float(self._full[0, a] - self._full[0, b])
        effects = self.metric.swap_effects(both)
        if effects is None:
            return self._permuted_by_expansion(both, observed, alternative)
        ones = np.broadcast_to(np.int64(1), self.n_units)
        found = permutation.exact_mean(self._of_a_less_b(effects), ones, alternative, 1.0)
        return None if found is None else dataclasses.replace(found, statistic=observed)

    def _permuted_by_expansion(
        self, both: Any, observed: float, alternative: Alternative
    ) -> TestResult | None:
        derivatives = self.metric.derivatives(both) if self.n_units >= swap_expansion.LEAST_UNITS else None
        if derivatives is None:
            return None

        def difference(signs: FloatArray) -> float:
            of_items = signs if self.unit_of is None else signs[self.unit_of]
            score_a, score_b = derivatives.along(np.concatenate([of_items, -of_items]), np.array([1.0, -1.0]))
            return float(score_a - score_b)

        effects = self._of_a_less_b(derivatives.first)
        return swap_expansion.swapped(effects, difference, observed, alternative)

    def _of_a_less_b(self, of_both: FloatArray) -> FloatArray:
        """Return the sums over each unit of numbers of the items of A less those of B, from both (2 n,)."""
        of_a, of_b = np.split(of_both, 2)
        return self._by_unit(of_a - of_b)

    def _score_swapped(self, a: int, b: int, *, standardised: bool = False) -> Callable[[Array], FloatArray]:
        """Score over the items of both systems, each with weight 1 where it stands after the swap, else 0."""
        return _SwappedRanks(self.metric, self._pooled(a, b, standardised))

    def _pooled(self, a: int, b: int, standardised: bool) -> Any:
        """Return what the metric makes of the items of two systems, put together."""
        gold = None if self.gold is None else np.concatenate([self.gold, self.gold])
        return self.metric.prepare(gold, np.concatenate(self._exchanged(a, b, standardised)))

    def _swaps_matter(self, a: int, b: int, *, standardised: bool) -> BoolArray:
        """Return where two systems differ in what a test swaps: ranks may, of equal predictions."""
        of_a, of_b = self._exchanged(a, b, standardised)
        return self._unlike(of_a, of_b)

    def _exchanged(self, a: int, b: int, standardised: bool) -> tuple[Array, Array]:
        """Return what a test swaps of two systems: their predictions, or these on one scale."""
        of_a, of_b = self.systems[a], self.systems[b]
        if not standardised:
            return of_a, of_b
        return self.metric.exchangeable(self.gold, of_a), self.metric.exchangeable(self.gold, of_b)


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
        kept = np.uint8(1) - taken
        score_a = self.metric.weighted(self.prepared, np.concatenate([kept, taken], axis=1))
        score_b = self.metric.weighted(self.prepared, np.concatenate([taken, kept], axis=1))
        gap: FloatArray = score_a - score_b
        return gap
