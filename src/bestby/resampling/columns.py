"""Products of weights and whole numbers: each distinct column once, and as many as products are quick for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray

_TOGETHER = 8
"""Columns that a matrix product makes together: eight take less time than six."""

_SMALL_PRODUCT = 900_000
"""Multiplications of a product up to which OpenBLAS does not rearrange the matrices first."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The distinct columns of rows (C, k) of whole numbers, for sums that are exact in any order.

    `distinct`, of shape (C, m), ends with columns of zeros. Column `used[i]` of the rows is the one at
    `which[i]`; all others are zeros. Swaps of texts change how many n-grams there are by the same number for
    each order, unless a text is shorter than that.
    """

    distinct: Array
    used: IntArray
    which: IntArray
    n_columns: int

    @classmethod
    def of(cls, rows: Array) -> Columns:
        """Return the distinct columns of rows (C, k)."""
        used = np.flatnonzero(rows.any(axis=0))
        by_column = np.ascontiguousarray(rows.T[used])
        places: dict[bytes, int] = {}
        which = [places.setdefault(column.tobytes(), len(places)) for column in by_column]
        width = -(-len(places) // _TOGETHER) * _TOGETHER
        distinct = np.zeros((rows.shape[0], width), dtype=rows.dtype)
        distinct[:, which] = by_column.T
        return cls(distinct, used, np.array(which, dtype=np.int64), rows.shape[1])

    def sums(self, weights: Array) -> FloatArray:
        """Return the sums of the rows times weights (R, C), column by column, shape (k, R)."""
        size = weights.shape[0]
        products = np.empty((size, self.distinct.shape[1]), dtype=self.distinct.dtype)
        step = max(1, _SMALL_PRODUCT // max(1, self.distinct.size))
        for first in range(0, size, step):
            part = slice(first, first + step)
            np.matmul(weights[part], self.distinct, out=products[part])
        out = np.zeros((self.n_columns, size))
        out[self.used] = products.T[self.which]
        return out
