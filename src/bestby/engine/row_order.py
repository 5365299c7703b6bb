"""An order of the rows of a table that does not depend on where they stand, in which equal rows meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bestby._core.chunks import CHUNK, chunks
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.resampling.units import Units

_FEW = 1 << 10
"""Counts that are put in order sooner than it is known whether they are all the same."""


def projected(rows: FloatArray) -> FloatArray:
    """Return a fixed random combination of the columns.

    Column by column, not as a matrix product, so that equal rows give equal numbers wherever they stand.
    """
    size, k = rows.shape
    factors = _factors(k)
    step = max(2, CHUNK // max(1, k))
    out: FloatArray
    if size <= step:
        out = np.add.reduce(np.multiply(factors, rows.T, order="C"))
        return out
    out = np.empty(size)
    for start in range(0, size - 1, step):
        # NumPy adds up a single row in another order than several: the last one goes with those before it.
        part = slice(start, size if start + step >= size - 1 else start + step)
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
    # One key is sorted several times as quickly alone.
    order = keys[0].argsort() if len(keys) == 1 else np.lexsort(keys)
    alike = np.ones(max(order.size - 1, 0), dtype=np.bool_)
    for key in keys:
        in_order = key.take(order)  # several times as quick as an index in brackets
        alike &= in_order[1:] == in_order[:-1]
    fresh = np.empty(order.size, dtype=np.bool_)
    fresh[:1] = True
    np.logical_not(alike, out=fresh[1:])
    same = alike.nonzero()[0]
    if same.size and _differ(rows, order, same).any():  # a column so large that the others are lost in sums
        order = np.lexsort([*rows.T, *keys])
        fresh[same + 1] = _differ(rows, order, same)
    return order, fresh


def _differ(rows: FloatArray, order: IntArray, places: IntArray) -> BoolArray:
    """Return at which places in this order a row differs from the next one."""
    by_column = rows.T
    one, next_one = (by_column.take(order.take(at), axis=1) for at in (places, places + 1))
    differ: BoolArray = np.logical_or.reduce(one != next_one)
    return differ


def varies(column: FloatArray | IntArray) -> bool:
    """Return whether some value is another than the first; most often the last one is."""
    return bool(column[0] != column[-1] or np.count_nonzero(column != column[0]))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct rows within strata in a canonical order, with their counts and items per unit.

    `order`, of shape (C,), puts rows that are equal together, and `starts` says where each begins.
    """

    X: FloatArray
    units: Units
    sizes: FloatArray
    order: IntArray
    starts: IntArray

    @property
    def first(self) -> IntArray:
        """One of the rows that were given for each distinct one."""
        return self.order[self.starts]

    @property
    def rows(self) -> IntArray:
        """Which of the distinct rows each row is that was given, shape (C,)."""
        out = np.empty(self.order.size, dtype=np.int64)
        if self.starts.size == self.order.size:
            out[self.order] = self.starts
            return out
        fresh = np.zeros(self.order.size, dtype=np.int64)
        fresh[self.starts[1:]] = 1
        out[self.order] = fresh.cumsum()
        return out


def distinct_rows(
    X: FloatArray, counts: IntArray, strata: IntArray | None, sizes: FloatArray | None = None
) -> Distinct:
    """Return distinct rows within strata in a canonical order; units without `sizes` hold one item each."""
    projection = projected(X)
    keys: list[FloatArray | IntArray] = [projection]
    if sizes is not None and varies(sizes):
        keys.insert(0, sizes)
    order, fresh = ordered(X, keys if strata is None else [*keys, strata])
    starts = fresh.nonzero()[0]
    bounds = np.array([0, starts.size])
    if strata is not None:
        in_strata = strata[order]
        edges = np.flatnonzero(in_strata[1:] != in_strata[:-1]) + 1
        bounds = np.concatenate([[0], np.searchsorted(starts, edges), [starts.size]])
    ordered_counts = counts.take(order) if order.size <= _FEW or varies(counts) else counts
    distinct = starts.size == order.size
    first = order if distinct else order[starts]
    return Distinct(
        _taken(X, first),
        Units(ordered_counts if distinct else np.add.reduceat(ordered_counts, starts), bounds),
        np.ones(first.size) if sizes is None else sizes.take(first),
        order,
        starts,
    )


def _taken(X: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows of columns that may lie one after the other, without a copy of all of them by rows."""
    if X.flags.c_contiguous:
        return X.take(rows, axis=0)
    out = np.empty((rows.size, X.shape[1]))
    for part in chunks(rows.size, X.shape[1]):
        out[part] = X.T.take(rows[part], axis=1).T
    return out
