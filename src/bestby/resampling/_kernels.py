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

BUFFERED = 256
"""Words whose rows are held at once: they stay in the nearest cache."""


@njit(inline="always")
def _mix(z: Any) -> Any:
    z = (z ^ (z >> np.uint64(30))) * _M1
    z = (z ^ (z >> np.uint64(27))) * _M2
    return z ^ (z >> np.uint64(31))


@compiled
def bootstrap_weights(keys: Any, bounds: Any, draws: Any, offsets: Any, out: Any) -> None:
    """Fill out (R, n), of any number type, with the weights of `draws` (H,) draws from each stratum.

    Which units some hundred words draw is found first, then counted: what makes the words is then a loop
    without look-ups, which the compiler turns into vector instructions, and short counts stay in the cache.
    """
    n = out.shape[1]
    low = np.empty(BUFFERED, dtype=np.uint64)
    high = np.empty(BUFFERED, dtype=np.uint64)
    counts = np.empty(n, dtype=np.uint16)  # a weight of 65 536 has no probability to speak of
    for r in range(keys.size):
        counts[:] = 0
        for h in range(bounds.size - 1):
            start = np.uint64(bounds[h])
            size = np.uint64(bounds[h + 1] - bounds[h])
            pairs = draws[h] // 2
            base = keys[r] + np.uint64(offsets[h]) * _GOLDEN
            for done in range(0, pairs, BUFFERED):
                count = min(BUFFERED, pairs - done)
                here = base + np.uint64(done) * _GOLDEN
                for p in range(count):
                    word = _mix(here + np.uint64(p) * _GOLDEN)
                    low[p] = start + (((word & _LOW) * size) >> _32)
                    high[p] = start + (((word >> _32) * size) >> _32)
                for p in range(count):
                    counts[low[p]] += 1
                    counts[high[p]] += 1
            if draws[h] % 2:
                word = _mix(base + np.uint64(pairs) * _GOLDEN)
                counts[start + (((word & _LOW) * size) >> _32)] += 1
        row = out[r]
        for i in range(n):
            row[i] = counts[i]


@compiled
def bootstrap_sums(X: Any, keys: Any, bounds: Any, draws: Any, offsets: Any, out: Any) -> None:
    """Fill out (R, k) with the sums of the drawn rows of X (n, k), k small.

    The rows of some hundred words are found first, then looked up column by column: what makes the words is
    then a loop without look-ups, which the compiler turns into vector instructions, and is done once.
    """
    k = X.shape[1]
    low = np.empty(BUFFERED, dtype=np.uint64)
    high = np.empty(BUFFERED, dtype=np.uint64)
    first = np.empty(k)
    second = np.empty(k)
    for r in range(keys.size):
        first[:] = 0.0
        second[:] = 0.0
        for h in range(bounds.size - 1):
            start = np.uint64(bounds[h])
            size = np.uint64(bounds[h + 1] - bounds[h])
            pairs = draws[h] // 2
            base = keys[r] + np.uint64(offsets[h]) * _GOLDEN
            for done in range(0, pairs, BUFFERED):
                count = min(BUFFERED, pairs - done)
                here = base + np.uint64(done) * _GOLDEN
                for p in range(count):
                    word = _mix(here + np.uint64(p) * _GOLDEN)
                    low[p] = start + (((word & _LOW) * size) >> _32)
                    high[p] = start + (((word >> _32) * size) >> _32)
                for c in range(k):
                    column = X[:, c]
                    even = first[c]
                    odd = second[c]
                    for p in range(count):
                        even += column[low[p]]
                        odd += column[high[p]]
                    first[c] = even
                    second[c] = odd
            if draws[h] % 2:
                word = _mix(base + np.uint64(pairs) * _GOLDEN)
                for c in range(k):
                    first[c] += X[start + (((word & _LOW) * size) >> _32), c]
        for c in range(k):
            out[r, c] = first[c] + second[c]


@compiled
def swap_sums(D: Any, keys: Any, out: Any) -> None:
    """Fill out (R, k) with the sums of the rows of D (n, k) whose swap bit is set.

    The sums of all 256 subsets of eight rows are tabled, for 256 items at a time so that they stay in the
    cache, and each byte of the stream is one look-up. Two resamples go side by side, as one addition need not
    wait for that of the other.
    """
    n, k = D.shape
    out[:] = 0.0
    table = np.empty((k, 32, 256))
    n_even = keys.size - keys.size % 2
    for first in range(0, n, 256):
        n_bytes = min(32, (n - first + 7) // 8)
        for c in range(k):
            for byte in range(n_bytes):
                sums = table[c, byte]
                sums[0] = 0.0
                for bit in range(8):
                    item = first + 8 * byte + bit
                    half = 1 << bit
                    value = D[item, c] if item < n else 0.0
                    for low in range(half):
                        sums[half + low] = sums[low] + value
        n_words = (n_bytes + 7) // 8
        start = np.uint64(first // 64) * _GOLDEN
        for c in range(k):
            column = table[c]
            for r in range(0, n_even, 2):
                one = out[r, c]
                two = out[r + 1, c]
                for w in range(n_words):
                    word = _mix(keys[r] + start + np.uint64(w) * _GOLDEN)
                    other = _mix(keys[r + 1] + start + np.uint64(w) * _GOLDEN)
                    for byte in range(8 * w, min(8 * w + 8, n_bytes)):
                        one += column[byte, word & _BYTE]
                        two += column[byte, other & _BYTE]
                        word >>= _8
                        other >>= _8
                out[r, c] = one
                out[r + 1, c] = two
            for r in range(n_even, keys.size):
                one = out[r, c]
                for w in range(n_words):
                    word = _mix(keys[r] + start + np.uint64(w) * _GOLDEN)
                    for byte in range(8 * w, min(8 * w + 8, n_bytes)):
                        one += column[byte, word & _BYTE]
                        word >>= _8
                out[r, c] = one


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
