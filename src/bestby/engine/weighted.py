"""What metrics that are no functions of sums share: their items, resampled by weights or by calls."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.engine.base import Drawing, Group, Influences, Jackknife, Pair
from bestby.inference import clusters, permutation, tilted_draws, tilting
from bestby.inference.clusters import StandardError
from bestby.metrics.base import BaseMetric
from bestby.resampling import streams
from bestby.resampling import totals as resampling
from bestby.resampling.blocks import Blocks
from bestby.resampling.units import Units
from bestby.results.values import TestResult

MOST_LEFT_OUT = 1000
"""Units up to which the jackknife leaves out one at a time; above, groups of units.

The acceleration found with G groups differs from that with single units by about 0.65 / G.
"""


CALLED_AT_ONCE = 256
"""Resamples of a block where a function is called on each."""


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

    @property
    def metrics(self) -> Sequence[BaseMetric]:  # type: ignore[override]
        """The one metric."""
        return (self.metric,)

    @property
    def n_systems(self) -> int:  # type: ignore[override]
        """The number of systems."""
        return len(self.systems)

    @property
    def in_blocks(self) -> bool:
        """Whether the bootstrap draws blocks of consecutive items."""
        return self.blocks is not None

    @cached_property
    def _sizes(self) -> FloatArray:
        """How many items each unit has, shape (U,)."""
        if self.unit_of is None:
            return np.ones(self.n_units)
        return np.bincount(self.unit_of, minlength=self.n_units).astype(np.float64)

    @property
    def clustered(self) -> bool:
        """Whether units are clusters of items."""
        return bool(self._sizes.max() > 1.0)

    @property
    def has_robust_error(self) -> bool:
        """Whether there are few enough units to leave out one at a time."""
        return self.n_units <= MOST_LEFT_OUT

    @property
    def few_units(self) -> bool:
        """Whether units are clusters, fewer than 30 or one with more than a third of the items."""
        return self.clustered and clusters.few(self._sizes)

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

    def scores(self) -> FloatArray:
        """Return the scores on the full data, shape (1, S)."""
        return self._full

    def _by_item(self, of_units: Array) -> Array:
        return of_units if self.unit_of is None else np.ascontiguousarray(of_units[:, self.unit_of])

    def bootstrap(self, drawing: Drawing) -> FloatArray:
        """Return the scores of bootstrap resamples, shape (B, 1, S)."""
        units, draws = self.units, drawing.draws(self.stratum_sizes)
        spread: Callable[[Array], Array] = self._by_item
        if self.blocks is not None:
            units, draws, spread = self.blocks.units, self.blocks.draws, self.blocks.spread
        drawn = resampling.bootstrap_blocks(
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
        return drawn[:, None, :]

    def jackknife(self, seed: int) -> Jackknife:
        """Return the scores without each unit, or without each of 1000 random groups of units."""
        n = self.n_units
        groups, n_groups = self._groups(seed)

        def block(first: int, stop: int) -> FloatArray:
            kept = (groups[None, :] != np.arange(first, stop)[:, None]).astype(np.int32)
            return self._score_weights(self._by_item(kept))

        size = max(1, resampling.BLOCK_NUMBERS // n)
        scores = resampling.run_blocks(block, n_groups, size, 1, None)
        edges = self.units.bounds if n_groups == n else np.array([0, n_groups])
        return Jackknife(scores[:, None, :], np.ones(n_groups, dtype=np.int64), edges)

    def _groups(self, seed: int) -> tuple[IntArray, int]:
        """Return the group of each unit that is left out at a time, and how many there are."""
        n = self.n_units
        if n <= MOST_LEFT_OUT:
            return np.arange(n), n
        return streams.block_generator(seed, "groups", 0).permutation(n) % MOST_LEFT_OUT, MOST_LEFT_OUT

    def error(self, metric: int, a: int, b: int | None = None) -> StandardError | None:
        """Return the standard error CR2 of a score or difference, its influence taken from the jackknife.

        For a mean, leaving out a cluster that holds a share h of the items moves it by its influence over
        1 - h. None if units are too many to be left out one by one, or the score is undefined without some.
        """
        known = self._left_out_influence(metric, a, b)
        if known is None or not np.isfinite(known.values).all():
            return None
        return clusters.cr2(known.values, known.sizes, bounds=known.bounds)

    def influence_by_unit(self, metric: int, a: int, b: int | None = None) -> Influences | None:
        """Return what each unit adds to a score or difference, from the jackknife."""
        return self._left_out_influence(metric, a, b)

    def _left_out_influence(self, metric: int, a: int, b: int | None) -> Influences | None:
        found = self._by_jackknife(metric)
        if found is None:
            return None
        values = found.values[:, a] if b is None else found.values[:, a] - found.values[:, b]
        return dataclasses.replace(found, values=values)

    def influences(self, metric: int) -> Influences | None:
        """Return what each cluster adds to the scores of all systems, from the jackknife.

        None for single items and for too many clusters; not finite where a score is undefined without one.
        """
        return self._by_jackknife(metric) if self.clustered else None

    def _by_jackknife(self, metric: int) -> Influences | None:
        """Return by how much each unit moves the scores of all systems; None of too many units."""
        if not self.has_robust_error:
            return None
        moved = self._full[0] - self._left_out[:, metric]
        values = moved * (1.0 - self._sizes / self._sizes.sum())[:, None]
        return Influences(values, self._sizes, np.ones(self.n_units, dtype=np.int64), self.units.bounds)

    @cached_property
    def _left_out(self) -> FloatArray:
        """The scores without each unit, made once."""
        return self.jackknife(0).scores

    def differing(self, pair: Pair) -> tuple[int, int]:
        """Return the numbers of items and of units whose predictions differ."""
        differs = self._differs(pair[1], pair[2])
        if self.unit_of is None:
            return int(differs.sum()), int(differs.sum())
        return int(differs.sum()), int(np.unique(self.unit_of[differs]).size)

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

    def permutation(
        self,
        pairs: Sequence[Pair],
        alternative: Alternative,
        drawing: Drawing,
        *,
        standardised: bool = False,
    ) -> dict[Pair, TestResult]:
        """Return the paired permutation test of each pair; all swaps are enumerated if few units differ."""
        return {pair: self._permuted(pair, alternative, drawing, standardised) for pair in pairs}

    def _permuted(
        self, pair: Pair, alternative: Alternative, drawing: Drawing, standardised: bool
    ) -> TestResult:
        _, a, b = pair
        scores = self._full[0]
        observed = float(scores[a] - scores[b])
        scale = float(np.abs(scores[[a, b]]).max())
        difference = self._score_swapped(a, b, standardised=standardised)
        differs = self._swaps_matter(a, b, standardised=standardised)
        units = np.unique(np.flatnonzero(differs) if self.unit_of is None else self.unit_of[differs])
        if units.size <= ENUMERATE_UNITS:
            p = self._exact(units, difference, observed, alternative, scale)
            return TestResult("permutation", p, alternative, True, "enumeration", statistic=observed)

        def plain(drawing: Drawing) -> TestResult:
            drawn = resampling.swap_blocks(
                self.units,
                drawing.n_resamples,
                drawing.seed,
                _Weighed(difference, self._by_item),
                most=self._most(),
                n_jobs=drawing.n_jobs,
                progress=drawing.progress,
                executor=drawing.executor,
            )
            return permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale)

        result = plain(drawing)
        if not tilting.few_hits(result) or units.size > drawing.n_resamples:
            return result  # each unit is swapped once: no more calls than there were
        tolerance = rounding.tie_width(scale, abs(observed))
        swaps = self._swaps(units, difference, observed)
        result = tilting.refined(result, swaps, tolerance, drawing.seed)
        most = tilting.most_plain(drawing.n_resamples, self.n_units, self._most_plain_work())
        if tilting.few_hits(result) and most > drawing.n_resamples:
            result = plain(dataclasses.replace(drawing, n_resamples=most, progress=None))
        return result

    def _most_plain_work(self) -> int:
        """Return how many draws times units a pair may get where tilted draws fail."""
        return tilting.MOST_PLAIN_WORK // 10

    def _swaps(
        self, units: IntArray, difference: Callable[[Array], FloatArray], observed: float
    ) -> tilted_draws.Swaps:
        """Return the difference as a function of the signs of the units that differ; minus is swapped."""
        most = max(1, min(self._most(), resampling.WEIGHT_BLOCK // self.n_units))

        def drawn_difference(signs: FloatArray) -> FloatArray:
            parts = np.split(signs < 0.0, range(most, len(signs), most))
            return np.concatenate([difference(self._by_item(self._bits(part, units))) for part in parts])

        def flipped(first: int, stop: int) -> FloatArray:
            one = np.arange(first, stop)[:, None] == np.arange(units.size)
            return difference(self._by_item(self._bits(one, units)))

        changed = resampling.run_blocks(flipped, units.size, most, 1, None)
        ones = np.ones(units.size, dtype=np.int64)
        return tilted_draws.Swaps(ones, ones, observed - changed, drawn_difference)

    def _bits(self, swapped: BoolArray, units: IntArray) -> Array:
        """Return the swap bits of all units (R, n) from those of some of them."""
        bits = np.zeros((len(swapped), self.n_units), dtype=np.uint8)
        bits[:, units] = swapped
        return bits

    def _exact(
        self,
        units: IntArray,
        difference: Callable[[Array], FloatArray],
        observed: float,
        alternative: Alternative,
        scale: float,
    ) -> float:
        """Return the p-value from all swaps.

        It is at least the share of the data and, for two sides, of the data with A and B exchanged.
        """
        if units.size == 0:
            return 1.0
        drawn = self._enumerated(units, difference)
        # Adding one to hits and number, as the Monte Carlo p-value does, counts the data themselves.
        p = permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale).p_value
        return max(p, (2.0 if alternative == "two-sided" else 1.0) * 0.5**units.size)

    def _enumerated(self, units: IntArray, difference: Callable[[Array], FloatArray]) -> FloatArray:
        """Return the differences under all swaps of a few units but the one that changes nothing."""

        def block(first: int, stop: int) -> FloatArray:
            swapped = (np.arange(first + 1, stop + 1)[:, None] >> np.arange(units.size)) & 1
            return difference(self._by_item(self._bits(swapped.astype(np.bool_), units)))

        size = max(1, resampling.WEIGHT_BLOCK // self.n_units)
        return resampling.run_blocks(block, 2**units.size - 1, size, 1, None)


@dataclass(frozen=True, eq=False)
class _Weighed:
    """What becomes of the weights or swaps of units: those of items first, then scores."""

    score: Callable[[Array], FloatArray]
    spread: Callable[[Array], Array]

    def __call__(self, of_units: Array) -> FloatArray:
        return self.score(self.spread(of_units))
