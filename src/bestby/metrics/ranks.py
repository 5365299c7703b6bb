"""What metrics of ranks share: items in the order of their values, ties, concordant pairs, inversions.

A column is sorted once. Resamples, derivatives and permutations are then weights of the items, and sums over
positions: n steps each, or n log n where pairs are counted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.chunks import CHUNK, chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics.base import WeightedMetric


class RankMetric(WeightedMetric):
    """A weighted metric that NumPy scores, some resamples at a time."""

    def weighted(self, prepared: Any, weights: Array) -> FloatArray:
        """Score resamples from how often each item is in them."""
        counts = _as_counts(weights, prepared.n_items)
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

    def prepare_both(self, gold: Array, predictions: Array) -> Any:
        """Prepare the items of two systems, shape (2 n,), those of A first; each has the same gold (n,)."""
        return self.prepare(np.concatenate([gold, gold]), predictions)

    # Why the difference of two systems is a sum over the items, whichever of them are swapped. Such metrics
    # compare items two by two. With h(x, y) the share of x above y, and s_i = 1 where item i is as it was, -1
    # where the systems have swapped its predictions, a pair of items adds to the difference A minus B
    #     (s_i + s_j) / 2 * (h(a_i, a_j) - h(b_i, b_j)) + (s_i - s_j) / 2 * (h(a_i, b_j) - h(b_i, a_j)),
    # which has no product of two signs. So it is the sum of s_i (u(a_i) - u(b_i)), where u counts among the
    # items of both systems; for the area under the ROC curve u is the placement. The permutation test is that
    # of a sum of signed numbers, whose distribution is exact (Bandos, Rockette & Gur 2005, Statist. Med. 24,
    # 2873-2893, have its variance for the area).
    def swap_effects(self, prepared: Any) -> FloatArray | None:  # noqa: ARG002
        """Return numbers u, shape (2 n,), whose differences add up to that of two systems.

        `prepared` are the items of both systems, those of A first. Swaps change the sign of u(A) - u(B) of an
        item; u is in whole numbers, of a unit of its own. None, the default, where differences are no such
        sum.
        """
        return None

    @abstractmethod
    def _vectorised(self, prepared: Any, counts: Array) -> FloatArray:
        """Score a few resamples with NumPy."""


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
        # Weights are read in the order of each column: memory, not arithmetic, is what that takes.
        largest = weights.max(initial=0)
        narrow = np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.int64
        weights = weights.astype(narrow)
    return np.ascontiguousarray(weights)


def midranks(values: Array) -> FloatArray:
    """Return ranks from 1 to n, tied values sharing the mean of theirs."""
    ranks = Ranks.of(values)
    return (np.cumsum(ranks.sizes) - 0.5 * (ranks.sizes - 1)).take(ranks.groups)


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
        groups = np.empty(order.size, dtype=np.int64)
        groups[order] = np.arange(order.size) if last.all() else np.cumsum(last) - last
        return cls(values, groups, np.diff(np.flatnonzero(last), prepend=-1))

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
        """The mean square of the mid-distribution function, and its derivatives by the share of each item."""
        n = self.groups.size
        f = self.centred / n
        value = float(f @ f) / n
        # With p_c the share of group c, the mean square is (1 - sum of p_c^3) / 12: ties alone decide it.
        # Derivatives that are the same for all items are 0, as their sum is 0.
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
        return group_sums(self.groups, values) if self.has_ties else values.take(self.order)


def group_sums(groups: IntArray, values: FloatArray, n: int = 0) -> FloatArray:
    """Return the sum of the values of each group, numbered from 0, of at least n groups."""
    return np.bincount(groups, weights=values, minlength=n).astype(np.float64, copy=False)


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


def totals_to_group_ends(weights: Array, last: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the running totals (R, n) up to the end of each group of ties, and those before it."""
    running = np.cumsum(weights, axis=1, dtype=np.int64)
    up_to = running if last.all() else running[:, last]
    before = np.zeros_like(up_to)
    before[:, 1:] = up_to[:, :-1]
    return up_to, before


# -- concordant pairs -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Concordance:
    """Which pairs of items are in the same order in two columns, by the groups of ties of the items in both.

    Pairs that are tied in a column are neither concordant nor discordant.

    >>> pairs = Concordance(np.array([0, 1, 2]), np.array([0, 2, 1]))
    >>> pairs.signs(), pairs.total(np.array([1.0, 1.0, 2.0]))
    (array([2., 0., 0.]), 2.0)
    """

    # Items stand in the order of one column, those tied in it in descending order of the other, in which tied
    # items have descending ranks: what stands before an item and has a lower rank is then less than it in
    # both columns. Blocks of items are halved by rank until they hold a few, which are compared each with
    # each: any two items are in the two halves of one block once, or among the few.

    x: IntArray
    y: IntArray

    def signs(self) -> FloatArray:
        """Return for each item how many are concordant with it, less how many are discordant."""
        rank, in_order = self._ranks
        items = in_order.astype(np.int64)  # the upper 32 bits count the concordant items of each
        for part, lower, upper, same in _halvings(items, rank.size):
            halves = items[part].reshape(len(lower), 2, -1)
            halves[:, 0] += (lower.shape[1] + same - lower) << 32  # of the upper half, those after
            halves[:, 1] += (upper - same) << 32
        by_rank = np.empty(items.size)
        for part in chunks(items.size // _FEW, _FEW):
            few = items.reshape(-1, _FEW)[part]
            ranks = np.ascontiguousarray(few.T % _FEW, dtype=np.uint8)
            near = np.zeros(ranks.shape, dtype=np.uint8)
            for last in range(1, _FEW):
                ascends = (ranks[:last] < ranks[last]).view(np.uint8)
                near[:last] += ascends
                near[last] += ascends.sum(axis=0, dtype=np.uint8)
            by_rank[few & 0xFFFFFFFF] = (few >> 32) + near.T
        # Of those that are tied in neither column, all that are not concordant are discordant.
        signs: FloatArray = 2.0 * by_rank.take(rank) - rank.size
        for groups, times in ((self.x, 1), (self.y, 1), (self._both, -1)):
            signs += times if _untied(groups) else times * np.bincount(groups).take(groups)
        return signs

    def total(self, weights: FloatArray) -> float:
        """Return the sum over all pairs, in either order, of the products of their weights.

        Those of discordant pairs are negative.
        """
        rank, in_order = self._ranks
        by_rank = np.zeros(in_order.size)
        by_rank[rank] = weights
        weight, ranks, ascending = by_rank.take(in_order), in_order.copy(), 0.0
        for part, lower, upper, same in _halvings(ranks, rank.size):
            of_lower, of_upper = (weight[part].take(places) for places in (lower, upper))
            blocks, half = lower.shape
            sums = np.zeros((blocks, half + 1))
            np.cumsum(of_lower, axis=1, out=sums[:, 1:])
            same -= np.arange(0, sums.size, half + 1)[:, None]
            ascending += float(np.einsum("bi,bi->", of_upper, sums.take(upper - same)))
            _side_by_side(weight[part], of_lower, of_upper)
        for part in chunks(ranks.size // _FEW, _FEW):
            few, of_few = (np.ascontiguousarray(one.reshape(-1, _FEW)[part].T) for one in (ranks, weight))
            for last in range(1, _FEW):
                ascending += float(
                    np.einsum("jn,jn,n->", few[:last] < few[last], of_few[:last], of_few[last])
                )
        # Pairs count twice; those that are untied and do not ascend in both columns are discordant.
        untied = float(weights.sum()) ** 2
        for groups, times in ((self.x, 1.0), (self.y, 1.0), (self._both, -1.0)):
            mass = weights if _untied(groups) else group_sums(groups, weights)
            untied -= times * float(np.einsum("g,g->", mass, mass))
        return 4.0 * ascending - untied

    @cached_property
    def _both(self) -> IntArray:
        """The groups of items that are tied in both columns."""
        for groups in (self.x, self.y):
            if _untied(groups):
                return groups
        both: IntArray = np.unique(self.x * (int(self.y.max()) + 1) + self.y, return_inverse=True)[1]
        return both.reshape(-1)

    @cached_property
    def _ranks(self) -> tuple[IntArray, Array]:
        """The rank of each item, and the ranks in the order of the items, of which there are a power of two.

        The added ones stand first, are greater than the others and descend, so that they ascend with none.
        """
        rank, other = (self.x, self.y) if _untied(self.x) else (self.y, self.x)
        n = rank.size
        bits = max(n - 1, _FEW - 1).bit_length()
        last = (1 << bits) - 1
        if not _untied(rank):
            rank = places_in(np.argsort((rank << bits) + (last - other), kind="stable"))
        ranks = np.arange(last, -1, -1, dtype=np.int32)
        # Sorted as numbers of the group of the other column and, in it, of the descending rank
        ranks[last + 1 - n :] = last - (np.sort((other << bits) + (last - rank)) & last)
        return rank, ranks


_FEW = 16
"""Items of a block that are compared each with each, which takes less time than four more halvings."""


def _halvings(ranks: Array, n: int) -> Iterator[tuple[slice, IntArray, IntArray, IntArray]]:
    """Halve blocks of items by rank until they hold a few items; see `Concordance`.

    The lowest bits of `ranks`, which are put in order in place, are the ranks, a power of two of them; from n
    on they are no items. Each step yields the part of the items that was halved, and three arrays of the
    shape (blocks, half a block): where in the part the items of the lower and of the upper half of each
    block's ranks were, and how many places before these are in other blocks or of the same half, so that the
    other half has the rest. Large blocks are parts of their own; all later steps of a part follow each other,
    as it stays in the cache.
    """
    parts = [slice(0, ranks.size)]
    while parts:
        part = parts.pop()
        here = ranks[part]
        half = here.size // 2
        while half >= _FEW and part.start < n:
            bit = here & half
            lower, upper = (np.flatnonzero(one).reshape(-1, half) for one in (bit == 0, bit != 0))
            _side_by_side(here, here.take(lower), here.take(upper))
            yield part, lower, upper, np.arange(0, here.size, 2 * half)[:, None] + np.arange(half)
            if here.size > CHUNK:
                middle = part.start + half
                parts += [slice(middle, part.stop), slice(part.start, middle)]
                break
            half //= 2


def _side_by_side(values: Array, lower: Array, upper: Array) -> None:
    """Put the values of the two halves of each block, of the shape (blocks, half a block), side by side."""
    halves = values.reshape(len(lower), 2, -1)
    halves[:, 0], halves[:, 1] = lower, upper


def _untied(groups: IntArray) -> bool:
    """Return whether every item is a group of its own."""
    return int(groups.max()) + 1 == groups.size


@dataclass(frozen=True, eq=False)
class Inversions:
    """Items in one order, and the place of each in another: `places`, a permutation.

    Two items are inverted if the first of them has the greater place.
    """

    # Counted as in a merge sort (Knight 1966, J. Amer. Statist. Assoc. 61, 436-439): blocks of items are
    # merged two by two, and each item of the left one is inverted with all of the right one that come before
    # it. How blocks merge does not depend on the weights, so that each merge is one running total, for any
    # number of resamples at once.

    places: IntArray

    def count(self, weights: Array) -> IntArray:
        """Return the sums, over all inverted pairs, of the products of their weights (R, n), shape (R,)."""
        inverted: IntArray = self._among_neighbours(weights)
        for order, left, starts in self._merges:
            drawn = weights.take(order, axis=1).astype(np.int64)
            left_weights = drawn * left
            drawn -= left_weights
            before = np.cumsum(drawn, axis=1)
            inverted += np.einsum("rn,rn->r", left_weights, before)
            # Less the right blocks of the merges before this one, which stand in the same running total.
            left_sums, right_sums = (np.add.reduceat(part, starts, axis=1) for part in (left_weights, drawn))
            inverted -= np.einsum("rb,rb->r", left_sums[:, 1:], np.cumsum(right_sums, axis=1)[:, :-1])
        return inverted

    def _among_neighbours(self, weights: Array) -> IntArray:
        size, n = weights.shape
        # Weights of a resample are small whole numbers: a block of 64 of them adds up exactly in 32 bits.
        blocks = np.zeros((size, len(self._neighbours) * _NEIGHBOURS), dtype=np.float32)
        blocks[:, :n] = weights
        by_block = np.ascontiguousarray(blocks.reshape(size, -1, _NEIGHBOURS).transpose(1, 0, 2))
        pairs: FloatArray = np.einsum("brn,brn->r", by_block @ self._neighbours, by_block, dtype=np.float64)
        return pairs.astype(np.int64)

    @cached_property
    def _neighbours(self) -> FloatArray:
        """1 for each inverted pair of a block of neighbours, shape (blocks, width, width)."""
        n = self.places.size
        padded = np.concatenate([self.places, np.arange(n, n + -n % _NEIGHBOURS)]).reshape(-1, _NEIGHBOURS)
        inverted: FloatArray = np.triu(padded[:, :, None] > padded[:, None, :]).astype(np.float32)
        return inverted

    @cached_property
    def _merges(self) -> list[tuple[IntArray, Array, IntArray]]:
        """For each width of blocks: the order after the merge, who is of a left block, where merges begin."""
        return list(self._widths())

    def _widths(self) -> Iterator[tuple[IntArray, Array, IntArray]]:
        at, width = np.arange(self.places.size), _NEIGHBOURS
        while width < at.size:
            order = np.lexsort((self.places, at // (2 * width)))
            yield order, order % (2 * width) < width, np.arange(0, at.size, 2 * width)
            width *= 2


_NEIGHBOURS = 64
"""Items of a block that are compared each with each: one product of matrices is quicker than six merges."""


# -- derivatives ------------------------------------------------------------------------------------


def quotients(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return quotients, NaN where the denominator is not positive."""
    defined = denominator > 0.0
    if defined.all():
        return numerator / denominator
    ratios: FloatArray = np.where(defined, numerator / np.where(defined, denominator, 1.0), np.nan)
    return ratios


@dataclass(frozen=True, eq=False)
class Polynomial:
    """A polynomial in the change e of the weights of a group: value + e first + e^2 second, groups (G,)."""

    value: float
    first: FloatArray
    second: FloatArray


def quotient_bend(numerator: Polynomial, denominators: list[Polynomial], *, power: float) -> FloatArray:
    """Return the second derivatives of a numerator over the product of denominators to a power."""
    # Of q = N D^-p, with D the product of D_i, logarithms give D^p (D^-p)' = -p sum of D_i'/D_i = s, and D^p
    # (D^-p)'' = s^2 - p sum of (D_i''/D_i - (D_i'/D_i)^2). Then q'' = (N'' + 2 N' s + N bend) / D^p, where a
    # polynomial v + e f + e^2 g has the second derivative 2 g.
    size = float(np.prod([part.value**power for part in denominators]))
    logs = [part.first / part.value for part in denominators]
    slope = -power * np.sum(logs, axis=0)
    bends = [2.0 * part.second / part.value - log**2 for part, log in zip(denominators, logs, strict=True)]
    bend = slope**2 - power * np.sum(bends, axis=0)
    second: FloatArray = (
        2.0 * numerator.second + 2.0 * numerator.first * slope + numerator.value * bend
    ) / size
    return second


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The distinct values of each group, laid end to end, ascending within the group.

    `place`, of shape (n,), is where the value of each item stands; `values` and `groups`, of shape (D,), are
    the distinct values and their groups.
    """

    place: IntArray
    values: IntArray
    groups: IntArray

    @classmethod
    def from_items(cls, of: IntArray, values: IntArray) -> GroupValues:
        """Return those of items with groups `of` and `values`, which are whole numbers from 0."""
        width = int(values.max()) + 1
        keys, place = np.unique(of * width + values, return_inverse=True)
        groups, distinct = np.divmod(keys, width)
        return cls(place.reshape(-1), distinct, groups)

    def mass(self, weights: FloatArray) -> FloatArray:
        """Return the sums of weights of items (n,) at each value."""
        return group_sums(self.place, weights, self.groups.size)

    def before(self, mass: FloatArray) -> FloatArray:
        """Return the sums of a mass (D,) over the lower values of the same group."""
        running = np.cumsum(mass) - mass
        below: FloatArray = running - running[np.searchsorted(self.groups, self.groups)]
        return below

    def until_next(self, from_here: FloatArray) -> FloatArray:
        """Return sums from each value to before the next one of its group, from sums from each to the end."""
        sums = from_here[self.values]
        follows = self.groups[1:] == self.groups[:-1]
        sums[:-1][follows] -= from_here[self.values[1:]][follows]
        return sums

    def by_group(self, mass: FloatArray) -> FloatArray:
        """Return the sums of a mass (D,) over each group."""
        return group_sums(self.groups, mass)
