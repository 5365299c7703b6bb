"""Compiled sums with the weights of `poisson`, to the bit. Imported only where there is much to draw."""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.compiled import compiled
from bestby.resampling._kernels import _mix

_16 = np.uint64(16)
_LOW = np.uint64(0xFFFF)


@compiled
def fill_weights(items: Any, keys: Any, table: Any, out: Any) -> None:
    """Fill out (R, n), of any number type, with the weights of the items; `items` are times GOLDEN."""
    n = items.size
    for q in range(keys.size):
        key = keys[q]
        rows = out[4 * q : 4 * q + 4]
        if rows.shape[0] == 4:
            for i in range(n):
                word = _mix(key + items[i])
                rows[0, i] = table[word & _LOW]
                word >>= _16
                rows[1, i] = table[word & _LOW]
                word >>= _16
                rows[2, i] = table[word & _LOW]
                rows[3, i] = table[word >> _16]
        else:
            for i in range(n):
                word = _mix(key + items[i])
                for j in range(rows.shape[0]):
                    rows[j, i] = table[word & _LOW]
                    word >>= _16


@compiled
def fill_bits(items: Any, keys: Any, out: Any) -> None:
    """Fill out (R, n), of any number type, with the swap bits of the items; `items` are times GOLDEN."""
    n = items.size
    words = np.empty(n, dtype=np.uint64)
    for q in range(keys.size):
        for i in range(n):
            words[i] = _mix(keys[q] + items[i])
        for j in range(min(64, out.shape[0] - 64 * q)):
            row = out[64 * q + j]
            for i in range(n):
                row[i] = words[i] & np.uint64(1)
                words[i] >>= np.uint64(1)
