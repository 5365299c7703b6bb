"""How many pairs of items two rankings put in the same order, counted while one of them is sorted."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, IntArray

_WIDTH = 32
"""Items of a block whose pairs are all compared, as to sort so few takes longer."""


def mean_concordance(groups_x: IntArray, groups_y: IntArray) -> float:
    """Return how many items are concordant with an item less those discordant with it, mean over all items.

    Items come by the groups of ties they are in, in both columns; pairs tied in one of them count as neither.

    >>> mean_concordance(np.array([0, 1, 2]), np.array([0, 2, 1]))
    0.6666666666666666
    """
    return agreement(groups_x, groups_y) / groups_x.size


def agreement(groups_x: IntArray, groups_y: IntArray) -> int:
    """Return the sum over all items of the concordant items less the discordant ones."""
    n = groups_x.size
    tied_x, tied_y = (0 if _untied(groups) else _tied(np.bincount(groups)) for groups in (groups_x, groups_y))
    tied_both = 0
    if tied_x and tied_y:
        joint = np.sort(groups_x * (int(groups_y.max()) + 1) + groups_y)
        tied_both = _tied(np.diff(np.flatnonzero(np.diff(joint, prepend=-1, append=-1))))
    untied = n * (n - 1) // 2 - tied_x - tied_y + tied_both
    return 2 * (2 * _concordant(groups_x, groups_y) - untied)


def _untied(groups: IntArray) -> bool:
    """Return whether every item is a group of its own."""
    return int(groups.max()) + 1 == groups.size


def _tied(sizes: IntArray) -> int:
    """Return the number of pairs of items of the same group."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _concordant(groups_x: IntArray, groups_y: IntArray) -> int:
    """Return the number of pairs of items of which one is less than the other in both columns.

    Items stand in the order of x, those tied in x in descending order of y, and tied items have descending
    ranks of y. A pair counts if its ranks ascend: inside blocks by comparing all pairs, then between
    neighbours as two sorted blocks become one.
    """
    n, width = groups_x.size, _WIDTH
    # Twice the largest rank has a place in this type, and what fills up the end, at most n numbers below 0.
    # NumPy's stable sort of 16 bits does not find what is sorted already.
    narrow = np.promote_types(np.int32, np.min_scalar_type(-2 * n))
    n_blocks = -(-n // width)
    room: Array = np.empty(width << (n_blocks - 1).bit_length(), dtype=narrow)
    halves, places = np.empty_like(room), np.zeros(room.size, dtype=np.int64)
    ranks = room[: n_blocks * width]
    ranks[:n] = descending_in_ties(_in_order(groups_x, groups_y))
    ranks[n:] = np.arange(-1, n - ranks.size - 1, -1)  # what fills up the end descends: it is in no pair
    found = _ascending(ranks.reshape(-1, width))
    ranks <<= 1
    while ranks.size > width:
        if ranks.size // width % 2:
            start = ranks.size
            ranks = room[: start + width]
            ranks[start:] = np.arange(n - start - 1, n - start - 1 - width, -1) << 1
        both = ranks.reshape(-1, 2 * width)
        both[:, width:] |= 1  # the last bit tells of which half a rank is, through the sort of both
        # Items of two sorted blocks from which a sort that finds what is sorted already takes less time
        both.sort(axis=1, kind="stable" if 2 * width >= 1024 else None)
        later = np.bitwise_and(both, 1, out=halves[: ranks.size].reshape(both.shape))
        both ^= later
        places[: 2 * width] += np.add.reduce(later, dtype=narrow)
        found -= len(both) * (width * (width - 1) // 2)
        width *= 2
    return found + int(places @ np.arange(places.size))


def _in_order(groups_x: IntArray, groups_y: IntArray) -> IntArray:
    """Return y in the order of x, of items tied in x in descending order."""
    if not _untied(groups_x):
        top = int(groups_y.max()) + 1
        return groups_y[np.argsort(groups_x * top + (top - 1 - groups_y))]
    y = np.empty_like(groups_y)
    y[groups_x] = groups_y
    return y


def descending_in_ties(y: IntArray) -> IntArray:
    """Return the ranks of y from 0, the later of tied items before the earlier ones."""
    if _untied(y):
        return y
    n, ranks = y.size, np.empty_like(y)
    ranks[np.argsort(y * n + np.arange(n - 1, -1, -1))] = np.arange(n)
    return ranks


def _ascending(blocks: Array) -> int:
    """Return in how many pairs of each block (B, _WIDTH) the later number is the greater one."""
    by_place, found, half = np.ascontiguousarray(blocks.T), 0, _WIDTH // 2
    while half:  # pairs of one number of the first half and one of the second, then both halves apart
        halves = by_place.reshape(-1, 2, half, len(blocks))
        found += int(np.count_nonzero(halves[:, 0, :, None] < halves[:, 1, None]))
        half //= 2
    return found
