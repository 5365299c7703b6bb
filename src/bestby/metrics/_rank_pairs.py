"""How many pairs of items two rankings put in the same order, counted while one of them is sorted."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, IntArray

_WIDTH = 32
"""Items of a block whose pairs are all compared, as to sort so few takes longer."""

_AT_ONCE = 1 << 18
"""Pairs that are compared at a time, which stay in the cache of one core."""


def mean_concordance(groups_x: IntArray, groups_y: IntArray) -> float:
    """Return how many items are concordant with an item less those discordant with it, mean over all items.

    Items come by the groups of ties they are in, in both columns; pairs tied in one of them count as neither.

    >>> mean_concordance(np.array([0, 1, 2]), np.array([0, 2, 1]))
    0.6666666666666666
    """
    n = groups_x.size
    tied_x, tied_y = (_tied(np.bincount(groups)) for groups in (groups_x, groups_y))
    tied_both = 0
    if tied_x and tied_y:
        joint = np.sort(groups_x * (int(groups_y.max()) + 1) + groups_y)
        tied_both = _tied(np.diff(np.flatnonzero(np.diff(joint, prepend=-1, append=-1))))
    untied = n * (n - 1) // 2 - tied_x - tied_y + tied_both
    return 2 * (2 * _concordant(groups_x, groups_y) - untied) / n


def _tied(sizes: IntArray) -> int:
    """Return the number of pairs of items of the same group."""
    return int((sizes * (sizes - 1)).sum()) // 2


def _concordant(groups_x: IntArray, groups_y: IntArray) -> int:
    """Return the number of pairs of items of which one is less than the other in both columns.

    Items stand in the order of x, those tied in x in descending order of y, and tied items have descending
    ranks of y. A pair counts if its ranks ascend: inside blocks by comparing all pairs, then between
    neighbours as two sorted blocks become one.
    """
    n, top, width = groups_x.size, int(groups_y.max()) + 1, _WIDTH
    y = groups_y[np.argsort(groups_x * top + (top - 1 - groups_y))]
    ranks: Array = np.arange(n - 1, n - 1 - (n + -n % width), -1, dtype=np.int64 if n > 1 << 29 else np.int32)
    ranks[np.argsort(y * n + np.arange(n - 1, -1, -1))] = np.arange(n)
    blocks = ranks.reshape(-1, width)
    found = _ascending(blocks)
    while len(blocks) > 1:
        if len(blocks) % 2:  # what fills up the end descends, so that it is in no pair
            least = min(0, int(blocks[-1].min())) - 1
            filler = np.arange(least, least - width, -1, dtype=ranks.dtype)
            blocks = np.concatenate([blocks, filler[None]])
        # The last bit tells of which half a rank is, through the sort of both.
        halves = (blocks.reshape(-1, 2, width) << 1) + np.array([[0], [1]], dtype=ranks.dtype)
        both = halves.reshape(-1, 2 * width)
        both.sort(axis=1)
        later = np.einsum("bk,k->", both & 1, np.arange(2 * width))
        found += int(later) - len(both) * (width * (width - 1) // 2)
        blocks, width = both >> 1, 2 * width
    return found


def _ascending(blocks: Array) -> int:
    """Return in how many pairs of each block (B, width) the later number is the greater one."""
    width = blocks.shape[1]
    earlier = np.tri(width, k=-1, dtype=np.bool_)
    step = _AT_ONCE // width**2
    found = 0
    for first in range(0, len(blocks), step):
        part = blocks[first : first + step]
        less = part[:, None, :] < part[:, :, None]
        less &= earlier
        found += int(np.count_nonzero(less))
    return found
