"""Metrics of labels of many systems: every pair is counted alone, from the gold and its two systems.

The joint rows of many systems are nearly as many as the items, while a pair has no more cells than there are
triples of labels. What is computed of a pair depends on no other system.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, Array, FloatArray, IntArray
from bestby.data.cells import collapsed
from bestby.engine import table
from bestby.engine.base import Drawing, Group, Influences, Jackknife, Pair
from bestby.engine.interval_maker import Intervals
from bestby.engine.memo import Memo
from bestby.engine.resampled import MOST_KEPT
from bestby.engine.sums import SumGroup, TableGroup
from bestby.engine.targets import Situation, Target
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Distribution
from bestby.inference.intervals import effective_units
from bestby.inference.joint import Spread
from bestby.metrics.base import MeanMetric, Metric
from bestby.resampling.units import Units
from bestby.results.base import Note
from bestby.results.values import Interval, TestResult

MANY = 1 << 16
"""Possible joint rows of labels from which those of the values of means are counted in their place."""

MOST_NUMBERS = 1 << 21
"""Statistics up to which more than `MOST_KEPT` groups are kept: results ask for all pairs again after their
intervals."""

AT_ONCE = 1 << 16
"""Items counted at a time, whose keys stay in the cache of one core."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of all items as codes, in the narrowest type.

    `gold` and each of `systems` have shape (n,); codes are below `n_labels`, and -1 for a missing prediction.
    `strata` has shape (n,), and `counts`, of shape (n,), says how many items each row stands for.
    """

    gold: Array
    systems: Sequence[Array]
    n_labels: int
    strata: IntArray | None
    counts: IntArray | None

    @cached_property
    def shift(self) -> int:
        """What is added to codes to make them positions: 1 if predictions are missing, else 0."""
        return int(any(bool((codes < 0).any()) for codes in self.systems))

    @property
    def n_codes(self) -> int:
        """The number of codes, that of missing predictions among them."""
        return self.n_labels + self.shift

    @cached_property
    def n_strata(self) -> int:
        """The number of strata; 1 without any."""
        return 1 if self.strata is None else int(self.strata.max()) + 1

    @cached_property
    def n_items(self) -> int:
        """The number of items."""
        return self.gold.size if self.counts is None else int(self.counts.sum())

    @property
    def better_by_pairs(self) -> bool:
        """Whether all pairs together have at most as many cells as there are joint rows of all systems.

        With intervals by formula the two ways take the same time at any share, and what is counted alone
        depends on no other system.
        """
        n = len(self.systems)
        if n < 3:
            return False
        joint: int = min(self.gold.size, self.n_strata * self.n_codes ** (n + 1))
        return math.comb(n, 2) * self.n_strata * self.n_codes**3 <= joint

    def cells(self, chosen: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return the cells of strata, gold and some systems, shape (C, 2 + systems), and their items (C,)."""
        shape = self._shape(chosen)
        counts = np.zeros(math.prod(shape), dtype=np.int64)
        for part, key in self._keys(chosen):
            # A weighted count goes through floats, which hold whole numbers to 2**53.
            weights = None if self.counts is None else self.counts[part]
            counts += np.bincount(key, weights, minlength=counts.size).astype(np.int64, copy=False)
        present = np.flatnonzero(counts)
        cells = np.stack(np.unravel_index(present, shape), axis=1)
        cells[:, 1:] -= self.shift
        return cells, counts[present]

    def distinct_values(self, metrics: Sequence[MeanMetric]) -> tuple[IntArray, IntArray]:
        """Return one position per distinct joint row of the values of all systems, and the items of each."""
        columns, sizes = [], []
        for s in range(len(self.systems)):
            shape = self._shape((s,))
            cells, _ = self.cells((s,))
            stratum, gold, predicted = cells.T
            places = np.ravel_multi_index((stratum, gold + self.shift, predicted + self.shift), shape)
            for metric in metrics:
                distinct, code = np.unique(metric.values(gold, predicted), return_inverse=True)
                codes = np.zeros(math.prod(shape), dtype=np.min_scalar_type(distinct.size))
                codes[places] = code
                columns.append(np.concatenate([codes[key] for _, key in self._keys((s,))]))
                sizes.append(distinct.size)
        return collapsed(columns, sizes, self.strata, self.counts)

    def _shape(self, chosen: Sequence[int]) -> tuple[int, ...]:
        return (self.n_strata, *[self.n_codes] * (1 + len(chosen)))

    def _keys(self, chosen: Sequence[int]) -> Iterator[tuple[slice, Array]]:
        """Yield the positions of the items among all possible cells, a part of the items at a time."""
        kind = np.min_scalar_type(math.prod(self._shape(chosen)) - 1)
        size = kind.type(self.n_codes)
        for start in range(0, self.gold.size, AT_ONCE):
            part = slice(start, start + AT_ONCE)
            key = np.zeros(self.gold[part].size, dtype=kind)
            if self.strata is not None:
                key += self.strata[part].astype(kind)
            for codes in (self.gold, *(self.systems[s] for s in chosen)):
                key *= size
                key += codes[part].astype(kind)  # -1 wraps round, and back with the shift
                if self.shift:
                    key += kind.type(1)
            yield part, key


@dataclass(frozen=True, eq=False)
class PairGroup(Group):
    """Metrics of labels whose pairs of systems are counted alone.

    `metrics` are fitted to all systems. `statistics` takes one of them, codes of the gold and of a system,
    and the name of the system, and returns checked rows.
    """

    metrics: Sequence[Metric]
    labels: Labels
    names: Sequence[str]
    statistics: Callable[[Metric, IntArray, IntArray, str], FloatArray]

    has_formula = True

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.labels.systems)

    @cached_property
    def units(self) -> Units:  # type: ignore[override]
        """The items, by stratum."""
        strata, counts = self.labels.strata, self.labels.counts
        sizes = np.array([self.labels.n_items])
        if strata is not None:
            sizes = np.bincount(strata, counts).astype(np.int64)
        return Units(sizes, np.arange(sizes.size + 1))

    @property
    def has_robust_error(self) -> bool:
        """True."""
        return True

    def alone(self, a: int, b: int | None = None) -> SumGroup:
        """Return the group of one system or of two, in the order of the systems."""
        key = (a,) if b is None else (min(a, b), max(a, b))
        if key not in self._alone:
            made = self._made(key)  # for a pair, the groups of its systems too
            if len(self._alone) >= max(MOST_KEPT, MOST_NUMBERS // max(1, made.table.X.size)):
                self._alone.pop(next(iter(self._alone)))
            self._alone[key] = made
        return self._alone[key]

    @cached_property
    def _alone(self) -> dict[tuple[int, ...], SumGroup]:
        return {}

    @cached_property
    def _cells(self) -> dict[tuple[int, ...], tuple[IntArray, IntArray]]:
        """The cells counted so far; all together they are fewer than the items."""
        return {}

    def _made(self, chosen: tuple[int, ...]) -> SumGroup:
        if chosen not in self._cells:
            self._cells[chosen] = self.labels.cells(chosen)
        cells, counts = self._cells[chosen]
        stratum, gold, *predicted = cells.T
        named = [(codes, self.names[s]) for codes, s in zip(predicted, chosen, strict=True)]
        statistics = [[self.statistics(metric, gold, *one) for one in named] for metric in self.metrics]
        strata = None if self.labels.strata is None else stratum
        known = () if len(chosen) == 1 else [self.alone(s) for s in chosen]
        return TableGroup(self.metrics, table.build(statistics, counts, strata, None), of_systems=known)

    def target_alone(self, target: Target) -> tuple[SumGroup, Target]:
        """Return the group that a target is computed in, and the target there."""
        group = self.alone(target.a, target.b)
        if target.b is None:
            return group, Target(target.metric, 0)
        return group, Target(target.metric, int(target.a > target.b), int(target.b > target.a))

    @cached_property
    def _scores(self) -> FloatArray:
        return np.concatenate([self.alone(s).scores() for s in range(self.n_systems)], axis=1)

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (M, S)."""
        return self._scores

    def totals(self, metric: int, system: int) -> FloatArray:
        """Return the totals of the statistics of one system."""
        return self.alone(system).totals(metric, 0)

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return on how many items the rows of the two systems differ, twice."""
        m, a, b = pair
        return self.alone(a, b).differing((m, 0, 1))

    def standard_error(self, metric: int, a: int, b: int | None = None) -> float | None:
        """Return the delta-method standard error of a score or difference."""
        group, own = self.target_alone(Target(metric, a, b))
        return group.standard_error(own.metric, own.a, own.b)

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the standard error CR2 of a score or difference."""
        group, own = self.target_alone(Target(metric, a, b))
        return group.error(own.metric, own.a, own.b)

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each distinct item adds to a score or difference, from its own cells."""
        group, own = self.target_alone(Target(metric, a, b))
        return group.influence_by_unit(own.metric, own.a, own.b)

    def pivots(self, metric: int, a: int, b: int | None, drawing: Drawing) -> FloatArray | None:
        """Return studentized replicates of a score or difference, from its own cells."""
        group, own = self.target_alone(Target(metric, a, b))
        return group.pivots(own.metric, own.a, own.b, drawing)

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair, which starts the stream anew."""
        tests: dict[Pair, TestResult] = {}
        for pair in pairs:
            group, own = self.target_alone(Target(*pair))
            assert own.b is not None
            there = (own.metric, own.a, own.b)
            found = group.permutation([there], alternative, drawing, standardised=standardised)
            tests[pair] = found[there]
        return tests

    # -- all systems together ----------------------------------------------------------------------

    def spread(self, metric: int) -> Spread:
        """Return how the scores of all systems vary together, from the variance of each difference."""
        variances, effective = np.zeros((self.n_systems, self.n_systems)), []
        for a, b in itertools.combinations(range(self.n_systems), 2):
            group = self.alone(a, b)
            error, units = group.error(metric, 0, 1), group.units
            variances[a, b] = variances[b, a] = 0.0 if error is None else error.se**2
            carrying = effective_units(-group.influence(metric, 0, 1), units.counts, units.bounds)
            effective += [carrying] if carrying > 0.0 else []
        return Spread.from_variances(variances, float(np.median(effective)) if effective else 0.0)

    def bootstrap(self, drawing: Drawing) -> FloatArray:  # noqa: ARG002
        """Refuse common resamples of all systems."""
        _refuse()

    def jackknife(self, seed: int) -> Jackknife:  # noqa: ARG002
        """Refuse the scores of all systems without each item."""
        _refuse()


def _refuse() -> NoReturn:
    raise DesignError(
        "systems that are counted pair by pair have no common resamples", hint="ask for those of a pair"
    )


@dataclass(frozen=True, eq=False)
class PairIntervals(Intervals):
    """Makes intervals of a score or difference from its own cells, by any method."""

    group: PairGroup

    def _own(self, target: Target) -> tuple[Intervals, Target]:
        group, own = self.group.target_alone(target)
        return self._makers.get(group, lambda one: Intervals(one, self.drawing)), own

    @cached_property
    def _makers(self) -> Memo[SumGroup, Intervals]:
        return Memo(MOST_KEPT)

    def interval(self, target: Target, method: str, level: float) -> tuple[Interval | None, tuple[Note, ...]]:
        """Return the interval of one target by one method, with notes."""
        makers, own = self._own(target)
        return makers.interval(own, method, level)

    def p_value(self, target: Target, method: str) -> float:
        """Return one minus the level at which the interval of a target by a method ends at 0."""
        makers, own = self._own(target)
        return makers.p_value(own, method)

    def situation(self, target: Target, *, jackknife: bool = True) -> Situation:
        """Return what the choice of an interval depends on."""
        makers, own = self._own(target)
        return makers.situation(own, jackknife=jackknife)

    def distribution(self, target: Target) -> tuple[Distribution, tuple[Note, ...]]:
        """Return the bootstrap distribution."""
        makers, own = self._own(target)
        return makers.distribution(own)

    def replicates_of(self, target: Target) -> FloatArray:
        """Return the score or difference on resamples of its own cells, shape (B,)."""
        makers, own = self._own(target)
        return makers.replicates_of(own)

    def effective_units(self, target: Target) -> float:
        """Return how many units of equal weight would carry the variance of the estimate."""
        makers, own = self._own(target)
        return makers.effective_units(own)


def intervals_of(group: Group, drawing: Drawing) -> Intervals:
    """Return what makes the intervals of a group."""
    return PairIntervals(group, drawing) if isinstance(group, PairGroup) else Intervals(group, drawing)
