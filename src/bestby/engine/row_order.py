"""An order of the rows of a table that does not depend on where they stand, in which equal rows meet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bestby._core import sorting
from bestby._core.typing import BoolArray, FloatArray, IntArray

_AT_ONCE = 1 << 16
"""Numbers of several columns that are combined at once."""


def projected(rows: FloatArray) -> FloatArray:
    """Return a fixed random combination of the columns.

    Column by column, not as a matrix product, so that equal rows give equal numbers wherever they stand.
    """
    size, k = rows.shape
    out, factors = np.empty(size), _factors(k)
    step = max(1, _AT_ONCE // max(1, k))
    for start in range(0, size, step):
        part = slice(start, start + step)
        np.add.reduce(np.multiply(factors, rows[part].T, order="C"), out=out[part])
    return out


@lru_cache(maxsize=64)
def _factors(k: int) -> FloatArray:
    """Return k fixed random numbers, shape (k, 1)."""
    return np.random.Generator(np.random.PCG64(7)).normal(size=(k, 1))


def ordered(rows: FloatArray, keys: Sequence[FloatArray | IntArray]) -> tuple[IntArray, BoolArray]:
    """Return an order in which equal rows stand together, and which of them differ from the one before.

    `rows` has shape (C, k). `keys`, arrays of shape (C,), is what the order goes by, the last first:
    projections, which are alike for equal rows, and what else is to keep rows apart.
    """
    if len(keys) == 1:
        order, last = sorting.in_order(np.asarray(keys[0], dtype=np.float64))
        alike = last[1:] == last[:-1]
    else:
        order = np.lexsort(keys)
        alike = np.ones(max(order.size - 1, 0), dtype=np.bool_)
        for key in keys:
            in_order = key.take(order)  # several times as quick as an index in brackets
            alike &= in_order[1:] == in_order[:-1]
    fresh = _fresh(rows, order, alike)
    if (fresh[1:] & alike).any():  # a column so large that the projection loses the others
        order = np.lexsort([*rows.T, *keys])
        fresh = _fresh(rows, order, alike)
    return order, fresh


def _fresh(rows: FloatArray, order: IntArray, alike: BoolArray) -> BoolArray:
    """Return which rows, in this order, differ from the one before, by their keys or themselves."""
    fresh = np.ones(order.size, dtype=np.bool_)
    same = np.flatnonzero(alike)
    fresh[same + 1] = (rows[order[same + 1]] != rows[order[same]]).any(axis=1)
    return fresh
