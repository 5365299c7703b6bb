"""What the metrics of ranks share: one sort, and groups of ties."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics.base import WeightedMetric


class RankMetric(WeightedMetric):
    """A weighted metric that NumPy scores, some resamples at a time."""

    def weighted(self, prepared: Any, weights: Array) -> FloatArray:
        """Score resamples from how often each item is in them."""
        return self._counted(prepared, _as_counts(weights, prepared.n_items))

    def _counted(self, prepared: Any, counts: Array) -> FloatArray:
        """Return the scores of resamples that are given by whole numbers of a narrow type."""
        blocks = [self._vectorised(prepared, counts[part]) for part in chunks(*counts.shape)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def whole(self, prepared: Any) -> float:
        """Score the data, of which every item has weight 1."""
        return float(self.weighted(prepared, np.ones((1, prepared.n_items), dtype=np.uint8))[0])

    def exchangeable(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return the midranks of the predictions within their system.

        Metrics of order do not change when a system's scores are stretched, and neither does a test that
        exchanges ranks (Venkatraman & Begg 1996, Biometrika 83, 835-848).
        """
        return midranks(predictions)

    def swap_effects(self, prepared: Any) -> FloatArray | None:  # noqa: ARG002
        """Return numbers u, shape (2 n,), whose differences add up to that of two systems; see `_rank_swaps`.

        `prepared` are the items of both systems, those of A first. Swaps change the sign of u(A) - u(B) of an
        item. None, the default, where differences are no such sum.
        """
        return None

    @abstractmethod
    def _vectorised(self, prepared: Any, counts: Array) -> FloatArray:
        """Score a few resamples with NumPy."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """A column sorted once, in ascending order.

    `last` is True at the last position of each group of ties; `groups` has the number of the group of each
    item, the least value being group 0.
    """

    values: Array
    order: IntArray
    last: BoolArray
    groups: IntArray

    @classmethod
    def of(cls, values: Array) -> Ranks:
        """Sort a column."""
        order, last = sorted_with_ties(values)
        return cls(values, order, last, group_of_items(order, last))

    @cached_property
    def tied(self) -> IntArray | None:
        """The number of items tied with each, itself included; None if there are no ties."""
        return None if self.last.all() else np.bincount(self.groups).take(self.groups)

    @property
    def group_at(self) -> IntArray:
        """The number of the group of each position."""
        return np.cumsum(self.last) - self.last

    @property
    def doubled(self) -> IntArray:
        """The midrank of each item less the mean of all, doubled to whole numbers."""
        n = self.groups.size
        if self.tied is None:
            return 2 * self.groups - (n - 1)
        up_to = np.flatnonzero(self.last) + 1
        return (2 * up_to).take(self.groups) - self.tied - n

    @cached_property
    def centred(self) -> FloatArray:
        """The midrank of each item less the mean of all."""
        if self.tied is None:
            return self.groups.astype(np.float64) - 0.5 * (self.groups.size - 1)
        return 0.5 * self.doubled.astype(np.float64)

    def mid_distribution(self, weights: FloatArray) -> FloatArray:
        """Return the weight below each item, and half of that tied with it, less half of all."""
        mass = self._sums_by_group(weights)
        middle = 0.5 * mass.sum()
        centred: FloatArray = np.cumsum(mass)
        mass *= 0.5
        centred -= mass
        centred -= middle
        return centred.take(self.groups)

    def step_mean(self, values: FloatArray) -> FloatArray:
        """Return for each item half the mean of values, negative those below it, and 0 those tied with it."""
        sums = self._sums_by_group(values)
        sums /= self.groups.size
        up_to = np.cumsum(sums)
        sums += up_to[-1]
        sums *= 0.5
        sums -= up_to
        return sums.take(self.groups)

    def _sums_by_group(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of each group of ties, as a new array."""
        return values.take(self.order) if self.tied is None else sums_of_groups(self.groups, values)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Items sorted once by a system's scores, in descending order, and which of them are positive.

    `last` is True at the last position of each group of ties.
    """

    order: IntArray
    positive: Array
    last: BoolArray

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.order.size

    @cached_property
    def thresholds(self) -> tuple[IntArray, BoolArray, IntArray]:
        """Where positive items stand, which are the last of their group of ties, and where these end."""
        items, ends = np.flatnonzero(self.positive), np.flatnonzero(self.last)
        of_items = ends.searchsorted(items)
        last = np.append(np.diff(of_items) > 0, items.size > 0)[: items.size]
        return items, last, ends.take(of_items[last])

    @cached_property
    def group(self) -> IntArray | None:
        """The group of ties of each position; None if there are no ties."""
        return None if self.last.all() else np.cumsum(self.last) - self.last

    def sums_by_group(self, values: FloatArray) -> FloatArray:
        """Return the sums of values of the positions over each group of ties."""
        return values if self.group is None else sums_of_groups(self.group, values)

    def at_positions(self, values: FloatArray) -> FloatArray:
        """Return for each position the value of its group of ties."""
        return values if self.group is None else values.take(self.group)

    @cached_property
    def positives(self) -> FloatArray:
        """The positive items of each group of ties."""
        return self.sums_by_group(self.positive.astype(np.float64))

    @cached_property
    def above(self) -> FloatArray:
        """The positive items above each group of ties and half of those in it."""
        above: FloatArray = np.cumsum(self.positives) - 0.5 * self.positives
        return above

    @cached_property
    def negatives(self) -> FloatArray:
        """The negative items of each group of ties."""
        return self.sums_by_group(1.0 - self.positive)

    @cached_property
    def below(self) -> FloatArray:
        """The negative items below each group of ties and half of those in it."""
        below: FloatArray = self.negatives.sum() - np.cumsum(self.negatives) + 0.5 * self.negatives
        return below


def sums_of_groups(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return the sum of the values of each group, numbered from 0."""
    return np.asarray(np.bincount(groups, weights=values), dtype=np.float64)


def from_here(values: FloatArray) -> FloatArray:
    """Return the sums from each position to the end."""
    from_the_end: FloatArray = np.cumsum(values[::-1])
    return from_the_end[::-1]


def sorted_with_ties(values: Array) -> tuple[IntArray, BoolArray]:
    """Return the ascending order of the values and a flag at the last position of each group of ties.

    >>> sorted_with_ties(np.array([2.0, 1.0, 2.0]))
    (array([1, 0, 2]), array([ True, False,  True]))
    """
    # Not stable, which takes six times as long.
    order = values.argsort()
    in_order = values.take(order)
    last = np.ones(values.size, dtype=np.bool_)
    last[:-1] = in_order[1:] != in_order[:-1]
    if not last.all():  # ties stand in the order of the items, whatever the machine sorts with
        before = (np.cumsum(last) - last) * values.size
        order = np.sort(before + order) - before
    return order, last


def places_in(order: IntArray) -> IntArray:
    """Return where each item stands in an order.

    >>> places_in(np.array([2, 0, 1]))
    array([1, 2, 0])
    """
    places = np.empty(order.size, dtype=np.int64)
    places[order] = np.arange(order.size)
    return places


def group_of_items(order: IntArray, last: BoolArray) -> IntArray:
    """Return for each item the number of its group of ties, the least value being group 0."""
    groups = np.empty(order.size, dtype=np.int64)
    group_at = np.arange(order.size) if last.all() else np.cumsum(last) - last
    groups[order] = group_at
    return groups


def midranks(values: Array) -> FloatArray:
    """Return ranks from 1 to n, tied values sharing the mean of theirs."""
    order, last = sorted_with_ties(values)
    ends = np.flatnonzero(last) + 1.0
    starts = np.concatenate([[0.0], ends[:-1]])
    return ((starts + 1.0 + ends) / 2.0)[group_of_items(order, last)]


def totals_to_group_ends(weights: Array, last: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the running totals (R, n) up to the end of each group of ties, and those before it."""
    running = np.cumsum(weights, axis=1, dtype=np.int64)
    up_to = running if last.all() else running[:, last]
    before = np.zeros_like(up_to)
    before[:, 1:] = up_to[:, :-1]
    return up_to, before


def _as_counts(weights: Array, n: int) -> Array:
    """Return the weights in the narrowest of three integer types that has room for them."""
    if weights.ndim != 2 or weights.shape[1] != n:
        raise InvalidInputError(f"weights must have shape (resamples, {n}), got {weights.shape}")
    if weights.dtype.kind == "f" and not np.array_equal(weights, np.rint(weights)):
        raise InvalidInputError(
            "weights must be whole numbers: how often each item is in the resample",
            hint="a metric of ranks has no fractional weights",
        )
    if weights.dtype.kind not in "buif" or (weights.dtype.kind in "if" and weights.min(initial=0) < 0):
        raise InvalidInputError(f"weights must be non-negative whole numbers, got {weights.dtype}")
    if weights.dtype != np.uint8 and weights.dtype != np.uint16:
        largest = weights.max(initial=0)
        narrow = np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.int64
        weights = weights.astype(narrow)
    return np.ascontiguousarray(weights)
