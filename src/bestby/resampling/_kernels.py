"""Compiled kernels for large work; the draws are those of `weights`, to the bit.

Imported only when B x n is large, because importing and compiling takes about two seconds.
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bestby._core.compiled import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_BYTE = np.uint64(0xFF)
_8 = np.uint64(8)


@njit(inline="always")
def _mix(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * _M1
    z = (z ^ (z >> np.uint64(27))) * _M2
    return z ^ (z >> np.uint64(31))


@compiled
def bootstrap_weights(keys: Any, bounds: Any, draws: Any, offsets: Any, out: Any) -> None:
    """Fill out (R, n), of any number type, with the weights of `draws` (H,) draws from each stratum."""
    for r in range(keys.size):
        key = keys[r]
        row = out[r]
        row[:] = 0
        for h in range(bounds.size - 1):
            start = bounds[h]
            size = np.uint64(bounds[h + 1] - start)
            pairs = draws[h] // 2
            base = key + np.uint64(offsets[h]) * _GOLDEN
            for p in range(pairs):
                word = _mix(base + np.uint64(p) * _GOLDEN)
                row[start + np.int64(((word & _LOW) * size) >> _32)] += 1
                row[start + np.int64(((word >> _32) * size) >> _32)] += 1
            if draws[h] % 2:
                word = _mix(base + np.uint64(pairs) * _GOLDEN)
                row[start + np.int64(((word & _LOW) * size) >> _32)] += 1


@compiled
def bootstrap_sums(X: Any, keys: Any, bounds: Any, draws: Any, offsets: Any, out: Any) -> None:
    """Fill out (R, k) with the sums of the drawn rows of X (n, k), k small."""
    k = X.shape[1]
    for r in range(keys.size):
        key = keys[r]
        for c in range(k):
            column = X[:, c]
            first = 0.0
            second = 0.0
            for h in range(bounds.size - 1):
                start = bounds[h]
                size = np.uint64(bounds[h + 1] - start)
                pairs = draws[h] // 2
                base = key + np.uint64(offsets[h]) * _GOLDEN
                for p in range(pairs):
                    word = _mix(base + np.uint64(p) * _GOLDEN)
                    first += column[start + np.int64(((word & _LOW) * size) >> _32)]
                    second += column[start + np.int64(((word >> _32) * size) >> _32)]
                if draws[h] % 2:
                    word = _mix(base + np.uint64(pairs) * _GOLDEN)
                    first += column[start + np.int64(((word & _LOW) * size) >> _32)]
            out[r, c] = first + second


@compiled
def swap_sums(D: Any, keys: Any, out: Any) -> None:
    """Fill out (R, k) with the sums of the rows of D (n, k) whose swap bit is set.

    Eight items at a time: the sums of all 256 subsets of eight rows are tabled, and each byte of the
    stream is one look-up. Tables are made for 256 items at a time, so that they stay in the cache.
    """
    n, k = D.shape
    out[:] = 0.0
    table = np.empty((32, 256, k))
    for first in range(0, n, 256):
        n_bytes = min(32, (n - first + 7) // 8)
        for byte in range(n_bytes):
            table[byte, 0, :] = 0.0
            for bit in range(8):
                item = first + 8 * byte + bit
                half = 1 << bit
                for low in range(half):
                    for c in range(k):
                        value = D[item, c] if item < n else 0.0
                        table[byte, half + low, c] = table[byte, low, c] + value
        n_words = (n_bytes + 7) // 8
        for r in range(keys.size):
            base = keys[r] + np.uint64(first // 64) * _GOLDEN
            for w in range(n_words):
                word = _mix(base + np.uint64(w) * _GOLDEN)
                for byte in range(8 * w, min(8 * w + 8, n_bytes)):
                    subset = np.int64(word & _BYTE)
                    word >>= _8
                    for c in range(k):
                        out[r, c] += table[byte, subset, c]


@compiled
def swap_bits(keys: Any, out: Any) -> None:
    """Fill out (R, n), of any number type, with the swap bits."""
    n = out.shape[1]
    for r in range(keys.size):
        for w in range((n + 63) // 64):
            word = _mix(keys[r] + np.uint64(w) * _GOLDEN)
            for item in range(64 * w, min(64 * w + 64, n)):
                out[r, item] = word & np.uint64(1)
                word >>= np.uint64(1)
