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

    def of_both(self, gold: Array, predictions: Array) -> Any:
        """Prepare the items of two systems, shape (2 n,), those of A first; each has the same gold (n,)."""
        return self.prepare(np.concatenate([gold, gold]), predictions)

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
    """The order of a column, in which equal values are a group of ties.

    `groups` has the number of the group of each item, the least value being group 0, and `sizes` the items of
    each group.
    """

    values: Array
    groups: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, values: Array) -> Ranks:
        """Sort a column."""
        order = values.argsort()  # not stable, which takes six times as long
        last = _last_of_ties(values.take(order))
        return cls(values, group_of_items(order, last), np.diff(np.flatnonzero(last), prepend=-1))

    def twice(self) -> Ranks:
        """Return those of the column with the same values once more after it."""
        return Ranks(self.values, np.concatenate([self.groups, self.groups]), 2 * self.sizes)

    @property
    def has_ties(self) -> bool:
        """Whether some values are equal."""
        return self.sizes.size < self.groups.size

    @cached_property
    def order(self) -> IntArray:
        """The items in ascending order; those that are tied in the order of the items."""
        return np.argsort(self.groups, kind="stable") if self.has_ties else places_in(self.groups)

    @property
    def last(self) -> BoolArray:
        """True at the last position of each group of ties."""
        last = np.zeros(self.groups.size, dtype=np.bool_)
        last[np.cumsum(self.sizes) - 1] = True
        return last

    @property
    def tied(self) -> IntArray | None:
        """The number of items tied with each, itself included; None if there are no ties."""
        return self.sizes.take(self.groups) if self.has_ties else None

    @property
    def group_at(self) -> IntArray:
        """The number of the group of each position."""
        return np.arange(self.sizes.size).repeat(self.sizes)

    @property
    def _doubled(self) -> IntArray:
        """The midrank of each group of ties less the mean of all, doubled to whole numbers."""
        return 2 * np.cumsum(self.sizes) - self.sizes - self.groups.size

    @property
    def doubled(self) -> IntArray:
        """The midrank of each item less the mean of all, doubled to whole numbers."""
        return self._doubled.take(self.groups)

    @cached_property
    def centred(self) -> FloatArray:
        """The midrank of each item less the mean of all."""
        return np.asarray((0.5 * self._doubled).take(self.groups), dtype=np.float64)

    @cached_property
    def mean_square(self) -> tuple[float, FloatArray | float]:
        """The mean square of the mid-distribution function, and its derivatives by the share of each item.

        They depend on the ties alone. Derivatives that are the same for all items are 0, as their sum is 0.
        """
        n = self.groups.size
        f = self.centred / n
        value = float(f @ f) / n
        if not self.has_ties:
            return value, 0.0
        return value, (0.25 * (1.0 - (self.sizes / n) ** 2) - 3.0 * value).take(self.groups)

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
        return sums_of_groups(self.groups, values) if self.has_ties else values.take(self.order)


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

    @property
    def positives(self) -> FloatArray:
        """The positive items of each group of ties."""
        return self.sums_by_group(self.positive.astype(np.float64))

    @property
    def above(self) -> FloatArray:
        """The positive items above each group of ties and half of those in it."""
        positives = self.positives
        above: FloatArray = np.cumsum(positives) - 0.5 * positives
        return above

    @property
    def negatives(self) -> FloatArray:
        """The negative items of each group of ties."""
        return self.sums_by_group(1.0 - self.positive)

    @property
    def below(self) -> FloatArray:
        """The negative items below each group of ties and half of those in it."""
        negatives = self.negatives
        below: FloatArray = negatives.sum() - np.cumsum(negatives) + 0.5 * negatives
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
    order = values.argsort()  # not stable, which takes six times as long
    last = _last_of_ties(values.take(order))
    if not last.all():  # ties stand in the order of the items, whatever the machine sorts with
        before = (np.cumsum(last) - last) * values.size
        order = np.sort(before + order) - before
    return order, last


def _last_of_ties(in_order: Array) -> BoolArray:
    """Return a flag at the last position of each group of equal values, which stand together."""
    last = np.ones(in_order.size, dtype=np.bool_)
    np.not_equal(in_order[1:], in_order[:-1], out=last[:-1])
    return last


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
    ranks = Ranks.of(values)
    return (np.cumsum(ranks.sizes) - 0.5 * (ranks.sizes - 1)).take(ranks.groups)


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
