"""How many pairs of items two rankings put in the same order, counted while items are halved by rank.

Items stand in the order of x, those tied in x in descending order of y, and tied items have descending ranks
of y. What stands before an item and has a lower rank is then less than it in both columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.metrics._ranked import places_in


def mean_concordance(groups_x: IntArray, groups_y: IntArray) -> float:
    """Return how many items are concordant with an item less those discordant with it, mean over all items.

    Items come by the groups of ties they are in, in both columns; pairs tied in one of them count as neither.

    >>> mean_concordance(np.array([0, 1, 2]), np.array([0, 2, 1]))
    0.6666666666666666
    """
    return agreement(groups_x, groups_y) / groups_x.size


def agreement(groups_x: IntArray, groups_y: IntArray, weights: FloatArray | None = None) -> float:
    """Return the sum over all items of the concordant items less the discordant ones.

    With weights, a pair of items counts the product of theirs.
    """
    w = np.ones(groups_x.size) if weights is None else weights
    order, ranks = _ranks_in_order(groups_x, groups_y)
    ascending = 0.0
    if weights is None:
        ascending = float(sum(int(lower_first.sum()) for *_, lower_first in _halvings(ranks)))
    else:
        weight = _padded(w.take(order), ranks.size)
        for lower, upper, _, lower_first in _halvings(ranks):
            of_lower, of_upper = weight.take(lower), weight.take(upper)
            ascending += float(np.vdot(of_upper, _first(lower_first, of_lower)))
            weight = _together(of_lower, of_upper)
    # Pairs count twice; those that are untied and do not ascend in both columns are discordant.
    return 4.0 * ascending - float(w @ _untied_with(groups_x, groups_y, w))


def concordance(groups_x: IntArray, groups_y: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Return for each item the weight, 1 by default, of the concordant items less that of the discordant."""
    w = np.ones(groups_x.size) if weights is None else weights
    order, ranks = _ranks_in_order(groups_x, groups_y)
    concordant = np.zeros(ranks.size)
    weight = _padded(w.take(order), ranks.size)
    for lower, upper, upper_first, lower_first in _halvings(ranks):
        above: Array = upper.shape[1] - upper_first
        below: Array = lower_first
        if weights is not None:
            of_lower, of_upper = weight.take(lower), weight.take(upper)
            above = of_upper.sum(axis=1, keepdims=True) - _first(upper_first, of_upper)
            below = _first(lower_first, of_lower)
            weight = _together(of_lower, of_upper)
        concordant = _together(concordant.take(lower) + above, concordant.take(upper) + below)
    of_item = np.empty(order.size)
    of_item[order] = concordant.take(ranks[ranks.size - order.size :])  # in the end items stand by rank
    signs: FloatArray = 2.0 * of_item - _untied_with(groups_x, groups_y, w)
    return signs


def _halvings(ranks: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
    """Halve blocks of items by rank until each item is a block of its own.

    Ranks are a permutation of the numbers below a power of two. Each step yields four arrays of the shape
    (blocks, half a block): the places of the lower and of the upper half of each block's ranks, both in the
    order of the items, and how many of the other half stand before each of them. The halves then stand side
    by side, as `_together` puts them. Any two items are in the two halves of one block once.
    """
    half = ranks.size // 2
    while half:
        is_upper = (ranks & half).astype(np.bool_)
        lower, upper = (np.flatnonzero(part).reshape(-1, half) for part in (~is_upper, is_upper))
        # Before the k-th item of one half stand k of the same half in its block; the rest are of the other.
        same = np.arange(lower.size).reshape(-1, half) + half * np.arange(len(lower))[:, None]
        yield lower, upper, lower - same, upper - same
        ranks = _together(ranks.take(lower), ranks.take(upper))
        half //= 2


def _together(lower: Array, upper: Array) -> Array:
    """Return the values of both halves of each block side by side, in one row."""
    return np.concatenate([lower, upper], axis=1).reshape(-1)


def _first(counts: IntArray, weights: FloatArray) -> FloatArray:
    """Return the sums of the first so many weights of each row, as many as each count says."""
    sums = np.zeros((len(weights), weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=sums[:, 1:])
    found: FloatArray = sums.take(counts + np.arange(0, sums.size, sums.shape[1])[:, None])
    return found


def _ranks_in_order(groups_x: IntArray, groups_y: IntArray) -> tuple[IntArray, IntArray]:
    """Return the order of the items, and their ranks of y in it, with more ranks to a power of two.

    The added ones stand first, are greater than the others and descend, so that they ascend with none.
    """
    n = groups_x.size
    if _untied(groups_x):
        order = places_in(groups_x)
    else:
        top = int(groups_y.max()) + 1
        order = np.argsort(groups_x * top + (top - 1 - groups_y), kind="stable")
    size = 1 << (n - 1).bit_length()
    ranks = np.arange(size - 1, -1, -1, dtype=np.promote_types(np.int32, np.min_scalar_type(-size)))
    ranks[size - n :] = _descending_in_ties(groups_y.take(order))
    return order, ranks


def _padded(in_order: FloatArray, size: int) -> FloatArray:
    """Return weights for the ranks of `_ranks_in_order`, 0 for those that it adds."""
    return np.concatenate([np.zeros(size - in_order.size), in_order])


def _descending_in_ties(y: IntArray) -> IntArray:
    """Return the ranks of y from 0, the later of tied items before the earlier ones."""
    if _untied(y):
        return y
    return places_in(np.argsort(y * y.size + np.arange(y.size - 1, -1, -1)))


def _untied(groups: IntArray) -> bool:
    """Return whether every item is a group of its own."""
    return int(groups.max()) + 1 == groups.size


def _untied_with(groups_x: IntArray, groups_y: IntArray, w: FloatArray) -> FloatArray:
    """Return for each item the weight of the items that are tied with it in neither column."""
    columns = [groups for groups in (groups_x, groups_y) if not _untied(groups)]
    untied: FloatArray = w.sum() - (2 - len(columns)) * w
    for groups in columns:
        untied -= np.bincount(groups, weights=w)[groups]
    if len(columns) < 2:
        return untied + w
    both = np.unique(groups_x * (int(groups_y.max()) + 1) + groups_y, return_inverse=True)[1].reshape(-1)
    untied += np.bincount(both, weights=w)[both]
    return untied
