"""Metrics that are no functions of sums: their items, resampled by weights, or by calls of any function."""

from __future__ import annotations

import dataclasses
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.engine.base import Drawing, Group, GroupSample, Influences, Jackknife, score_or_difference
from bestby.inference import clusters, influence, permutation, tilting
from bestby.inference.clusters import StandardError
from bestby.metrics.base import BaseMetric
from bestby.metrics.functions import FunctionMetric
from bestby.resampling import streams
from bestby.resampling import totals as resampling
from bestby.resampling.executing import Shared
from bestby.resampling.progress import Progress, extra_stage
from bestby.resampling.units import Blocks, Units
from bestby.results.values import TestResult

MOST_LEFT_OUT = 1000
"""Units up to which the jackknife leaves out one at a time: as many calls as the fewest useful resamples."""

LEFT_OUT_GROUPS = 200
"""Groups of units that it leaves out above.

The acceleration differs from that of single units by 0.4 to 0.7 over their number, which moves the ends of a
BCa interval by about 0.01 standard errors.
"""


CALLED_AT_ONCE = 16
"""Resamples of a block where a function is called on each: calls of 0.1 s show progress every few seconds."""


ENUMERATE_UNITS = 12
"""Differing units up to which all swaps are enumerated."""


@dataclass(frozen=True, eq=False)
class ItemGroup(Group):
    """One metric that is scored from the items themselves, as it reads them.

    `unit_of` is the unit (cluster) of each item, in the numbering of `units`; None if items are units in
    order. With `blocks` of consecutive items, which the bootstrap draws, units are blocks laid end to end.
    """

    metric: BaseMetric
    gold: Array | None
    systems: Sequence[Array]
    unit_of: IntArray | None
    units: Units
    blocks: Blocks | None = None
    shares_draws = True

    _jackknife: list[Jackknife] = field(default_factory=list, init=False, repr=False)

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.systems)

    @property
    def in_blocks(self) -> bool:
        """Whether the bootstrap draws blocks of consecutive items."""
        return self.blocks is not None

    @cached_property
    def sizes(self) -> FloatArray:
        """How many items each unit has, shape (U,)."""
        if self.unit_of is None:
            return np.ones(self.n_units)
        return np.bincount(self.unit_of, minlength=self.n_units).astype(np.float64)

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return bool(self.sizes.max() > 1.0)

    @property
    def has_robust_error(self) -> bool:
        """Whether there are few enough units to leave out one at a time."""
        return self.n_units <= MOST_LEFT_OUT

    @property
    def few_units(self) -> bool:
        """Whether units are clusters, fewer than 30 or one with more than a third of the items."""
        return self.clustered and clusters.few(self.sizes)

    @abstractmethod
    def _score_weights(self, weights: Array) -> FloatArray:
        """Return the scores of all systems under item weights (R, n), shape (R, S)."""

    @abstractmethod
    def _score_swapped(self, a: int, b: int, *, standardised: bool = False) -> Callable[[Array], FloatArray]:
        """Return the difference A minus B as a function of the item swap bits (R, n)."""

    def _most(self) -> int:
        """Return how many resamples a block has at most."""
        return resampling.WEIGHT_BLOCK

    @cached_property
    def _full(self) -> FloatArray:
        n = len(self.systems[0])
        return self._score_weights(np.ones((1, n), dtype=np.int32))

    @property
    def scores(self) -> FloatArray:
        """The scores on the full data, shape (S,)."""
        scores: FloatArray = self._full[0]
        return scores

    def sample(self, a: int, b: int | None = None) -> ItemSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return ItemSample(self, a, b)

    def _by_item(self, unit_weights: Array) -> Array:
        return unit_weights if self.unit_of is None else np.ascontiguousarray(unit_weights[:, self.unit_of])

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of bootstrap resamples, shape (B, S)."""
        units, draws = self.units, drawing.draws(self.stratum_sizes)
        spread: Callable[[Array], Array] = self._by_item
        if self.blocks is not None:
            units, draws, spread = self.blocks.units, self.blocks.draws, self.blocks.spread
        return resampling.bootstrap_blocks(
            units,
            drawing.n_resamples,
            drawing.seed,
            _Weighed(self._score_weights, spread),
            draws=draws,
            most=self._most(),
            n_jobs=drawing.n_jobs,
            progress=drawing.progress,
            executor=drawing.executor,
        )

    def jackknife(self, drawing: Drawing | None = None) -> Jackknife:
        """Return the scores without each unit, or each of `LEFT_OUT_GROUPS` random groups, made once."""
        if self._jackknife:
            return self._jackknife[0]
        groups = self._groups

        def block(first: int, stop: int) -> FloatArray:
            weights = (groups[None, :] != np.arange(first, stop)[:, None]).astype(np.int32)
            return self._score_weights(self._by_item(weights))

        n_groups, size = self.n_left_out, max(1, min(self._most(), resampling.BLOCK_NUMBERS // self.n_units))
        n_jobs, progress = (1, None) if drawing is None else (drawing.n_jobs, drawing.progress)
        scores = resampling.run_blocks(block, n_groups, size, n_jobs, progress)
        edges = self.units.bounds if self.has_robust_error else np.array([0, n_groups])
        self._jackknife.append(Jackknife(scores, np.ones(n_groups, dtype=np.int64), edges))
        return self._jackknife[0]

    @property
    def n_left_out(self) -> int:
        """How many units, or groups of them, the jackknife leaves out in turn."""
        return self.n_units if self.has_robust_error else LEFT_OUT_GROUPS

    @cached_property
    def _groups(self) -> IntArray:
        """The group of each unit that is left out at a time."""
        if self.has_robust_error:
            return np.arange(self.n_units)
        return streams.block_generator(0, "groups", 0).permutation(self.n_units) % self.n_left_out

    @property
    def influences(self) -> Influences | None:
        """What each cluster adds to the scores of all systems, from the jackknife.

        None for single items and for too many clusters; not finite where a score is undefined without one.
        """
        return self.by_jackknife if self.clustered else None

    @property
    def by_jackknife(self) -> Influences | None:
        """By how much each unit moves the scores of all systems; None of too many units."""
        if not self.has_robust_error:
            return None
        # Without a cluster that holds a share h of the items a mean moves by its influence over 1 - h.
        moved = self.scores - self.jackknife().scores
        values = moved * (1.0 - self.sizes / self.sizes.sum())[:, None]
        return Influences(values, self.sizes, np.ones(self.n_units, dtype=np.int64), self.units.bounds)

    def _differs(self, a: int, b: int) -> BoolArray:
        """Return on which items two systems differ."""
        return self._unlike(self.systems[a], self.systems[b])

    @staticmethod
    def _unlike(one: Array, other: Array) -> BoolArray:
        """Return which items differ; an item may be a row of numbers."""
        differs: BoolArray = one != other
        return differs if differs.ndim == 1 else np.atleast_1d(differs.any(axis=1))

    def _swaps_matter(self, a: int, b: int, *, standardised: bool) -> BoolArray:  # noqa: ARG002
        """Return on which items two systems differ in what a test swaps."""
        return self._differs(a, b)

    def _most_plain_work(self) -> int:
        """Return how many draws times units a pair may get where tilted draws fail."""
        return tilting.MOST_PLAIN_WORK // 10

    def tilted_swaps(
        self,
        units: IntArray,
        difference: Callable[[Array], FloatArray],
        observed: float,
        progress: Progress | None,
    ) -> tilting.Swaps:
        """Return the difference as a function of the signs of the units that differ; minus is swapped."""
        most = max(1, min(self._most(), resampling.WEIGHT_BLOCK // self.n_units))

        def drawn_difference(signs: FloatArray) -> FloatArray:
            def drawn(first: int, stop: int) -> FloatArray:
                return difference(self._by_item(self._bits(signs[first:stop] < 0.0, units)))

            return resampling.run_blocks(drawn, len(signs), most, 1, extra_stage(progress))

        def flipped(first: int, stop: int) -> FloatArray:
            one = np.arange(first, stop)[:, None] == np.arange(units.size)
            return difference(self._by_item(self._bits(one, units)))

        changed = resampling.run_blocks(flipped, units.size, most, 1, extra_stage(progress))
        ones = np.ones(units.size, dtype=np.int64)
        return tilting.Swaps(ones, ones, observed - changed, drawn_difference)

    def _bits(self, swapped: BoolArray, units: IntArray) -> Array:
        """Return the swap bits of all units (R, n) from those of some of them."""
        bits = np.zeros((len(swapped), self.n_units), dtype=np.uint8)
        bits[:, units] = swapped
        return bits

    def exact_p(
        self,
        units: IntArray,
        difference: Callable[[Array], FloatArray],
        observed: float,
        alternative: Alternative,
        scale: float,
        progress: Progress | None,
    ) -> float:
        """Return the p-value from all swaps.

        It is at least the share of the data and, for two sides, of the data with A and B exchanged.
        """
        if units.size == 0:
            return 1.0
        drawn = self._enumerated(units, difference, progress)
        # Adding one to hits and number, as the Monte Carlo p-value does, counts the data themselves.
        p = permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale).p_value
        return max(p, (2.0 if alternative == "two-sided" else 1.0) * 0.5**units.size)

    def _enumerated(
        self, units: IntArray, difference: Callable[[Array], FloatArray], progress: Progress | None
    ) -> FloatArray:
        """Return the differences under all swaps of a few units but the one that changes nothing."""

        def block(first: int, stop: int) -> FloatArray:
            # The bits of the number of a swap say which units are exchanged.
            swapped = (np.arange(first + 1, stop + 1)[:, None] >> np.arange(units.size)) & 1
            return difference(self._by_item(self._bits(swapped.astype(np.bool_), units)))

        size = max(1, min(self._most(), resampling.WEIGHT_BLOCK // self.n_units))
        return resampling.run_blocks(block, 2**units.size - 1, size, 1, progress)


@dataclass(frozen=True, eq=False)
class ItemSample(GroupSample):
    """One system or two of a metric that is scored from the items."""

    group: ItemGroup

    @cached_property
    def differing(self) -> tuple[int, int]:
        """The numbers of items and of units whose predictions differ."""
        assert self.b is not None
        differs = self.group._differs(self.a, self.b)
        if self.group.unit_of is None:
            return int(differs.sum()), int(differs.sum())
        return int(differs.sum()), int(np.unique(self.group.unit_of[differs]).size)

    @property
    def influences(self) -> Influences | None:
        """What each unit adds to the score or difference, from the jackknife."""
        return self._left_out_influence

    @property
    def _left_out_influence(self) -> Influences | None:
        influences = self.group.by_jackknife
        if influences is None:
            return None
        values_a, *values_b = influences.values[:, self.systems].T
        return dataclasses.replace(influences, values=values_a - values_b[0] if values_b else values_a)

    @property
    def error(self) -> StandardError | None:
        """The standard error CR2 of a score or difference, its influence taken from the jackknife.

        For a mean, leaving out a cluster that holds a share h of the items moves it by its influence over
        1 - h. None if units are too many to be left out one by one, or the score is undefined without some.
        """
        influences = self._left_out_influence
        if influences is None or not np.isfinite(influences.values).all():
            return None
        return clusters.cr2(influences.values, influences.sizes, bounds=influences.bounds)

    def permutation(
        self, alternative: Alternative, drawing: Drawing, *, standardised: bool = False
    ) -> TestResult:
        """Return the paired permutation test; all swaps are enumerated if few units differ."""
        assert self.b is not None
        group, a, b = self.group, self.a, self.b
        observed, scale = self.estimate, self.scale
        difference = group._score_swapped(a, b, standardised=standardised)
        differs = group._swaps_matter(a, b, standardised=standardised)
        units = np.unique(np.flatnonzero(differs) if group.unit_of is None else group.unit_of[differs])
        if units.size <= ENUMERATE_UNITS:
            p = group.exact_p(units, difference, observed, alternative, scale, drawing.progress)
            return TestResult("permutation", p, alternative, True, "enumeration", statistic=observed)

        def plain(drawing: Drawing) -> TestResult:
            drawn = resampling.swap_blocks(
                group.units,
                drawing.n_resamples,
                drawing.seed,
                _Weighed(difference, group._by_item),
                most=group._most(),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
            return permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale)

        result = plain(drawing)
        if not tilting.few_hits(result) or units.size > drawing.n_resamples:
            return result  # each unit is swapped once: no more calls than there were
        tolerance = rounding.tie_width(scale, abs(observed))
        swaps = group.tilted_swaps(units, difference, observed, drawing.progress)
        result = tilting.refined(result, swaps, tolerance, drawing.seed)
        most = tilting.most_plain(drawing.n_resamples, group.n_units, group._most_plain_work())
        if tilting.few_hits(result) and most > drawing.n_resamples:
            more = dataclasses.replace(drawing, n_resamples=most, progress=extra_stage(drawing.progress))
            result = plain(more)
        return result


@dataclass(frozen=True, eq=False)
class _Weighed:
    """What becomes of the weights or swaps of units: those of items first, then scores."""

    score: Callable[[Array], FloatArray]
    spread: Callable[[Array], Array]

    def __call__(self, unit_weights: Array) -> FloatArray:
        return self.score(self.spread(unit_weights))


# -- any function of gold and predictions ----------------------------------------------------------


_UNDEFINED = (ValueError, ArithmeticError, LookupError)
"""What a function raises where it has no value: no items of a class to divide by, or to look up."""


@dataclass(frozen=True, eq=False)
class CallGroup(ItemGroup):
    """Any function of gold and predictions, called on the items of each resample."""

    metric: FunctionMetric

    @cached_property
    def _full(self) -> FloatArray:
        return np.array([[self._called(self.gold, predictions) for predictions in self.systems]])

    def _called(self, gold: Array | None, predictions: Array) -> float:
        try:
            return self.metric(gold, predictions)
        except (TypeError, *_UNDEFINED) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(
                f"metric {self.metric.name!r} failed on the full data: {error}",
                hint="it is called as function(gold, predictions) with two arrays",
            ) from error

    def _resampled(self, gold: Array | None, predictions: Array) -> float:
        """Return the score of a resample, NaN where the function has none (a class is absent, say)."""
        try:
            return self.metric(gold, predictions)
        except _UNDEFINED as error:
            if isinstance(error, InvalidInputError):
                raise
            return float("nan")

    def _score_weights(self, weights: Array) -> FloatArray:
        out = np.empty((weights.shape[0], self.n_systems))
        position = np.arange(weights.shape[1])
        with _QUIET:
            for r, row in enumerate(weights):
                drawn = np.repeat(position, row)
                gold = None if self.gold is None else self.gold[drawn]
                for s, predictions in enumerate(self.systems):
                    out[r, s] = self._resampled(gold, predictions[drawn])
        return out

    def _score_swapped(
        self,
        a: int,
        b: int,
        *,
        standardised: bool = False,  # noqa: ARG002
    ) -> Callable[[Array], FloatArray]:
        return partial(self._differences, a, b)

    def _differences(self, a: int, b: int, bits: Array) -> FloatArray:
        first, second = self.systems[a], self.systems[b]
        out = np.empty(bits.shape[0])
        with _QUIET:
            for r, swapped in enumerate(bits.astype(np.bool_)):
                row = swapped if first.ndim == 1 else swapped[:, None]
                score_a = self._resampled(self.gold, np.where(row, second, first))
                score_b = self._resampled(self.gold, np.where(row, first, second))
                out[r] = score_a - score_b
        return out

    def sample(self, a: int, b: int | None = None) -> CallSample:
        """Return the sample of the score of A, or of the difference A minus B."""
        return CallSample(self, a, b)

    @cached_property
    def left_out_together(self) -> tuple[FloatArray, BoolArray]:
        """The scores without sets of the groups that the jackknife leaves out, and the sets."""
        sets = influence.random_sets(self.n_left_out, streams.block_generator(0, "groups", 1))
        weights = (~sets[:, self._groups]).astype(np.int32)
        return self._score_weights(self._by_item(weights)), sets

    def _most(self) -> int:
        """Return fewer than for ranks: the calls take the time, and small blocks are shared out evenly."""
        return CALLED_AT_ONCE

    def _most_plain_work(self) -> int:
        """Return none: each draw is a call of a function of the user."""
        return 0


@dataclass(frozen=True, eq=False)
class CallSample(ItemSample):
    """One system or two of a function of a user, which may be any."""

    group: CallGroup

    @property
    def moves_in_steps(self) -> bool:
        """Whether the score or difference does, as that of a median; only functions of a user can."""
        together, sets = self.group.left_out_together
        together = score_or_difference(together[:, self.systems].T)
        return influence.in_steps(self.estimate, self.left_out().values, together, sets)


@contextmanager
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_QUIET = Shared(_without_warnings)
"""Keeps a function that warns from warning once per resample."""
