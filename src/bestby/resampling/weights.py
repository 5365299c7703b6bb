"""Weights of the units in blocks of resamples, by NumPy; the compiled kernels make the same."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words


def word_offsets(bounds: IntArray) -> IntArray:
    """Return the position of the first word of each stratum: two draws come from one word.

    Examples
    --------
    >>> word_offsets(np.array([0, 3, 7]))
    array([0, 2, 4])
    """
    halves = (np.diff(bounds) + 1) // 2
    return np.concatenate([[0], np.cumsum(halves)]).astype(np.int64)


def drawn_units(keys: Words, bounds: IntArray) -> IntArray:
    """Return which unit each draw of a stratified bootstrap takes, shape (R, n).

    Draw p of a stratum takes the low (p even) or high (p odd) 32 bits of word p // 2, multiplied by
    the size of the stratum and shifted: a bias of at most n / 2**32.
    """
    drawn = np.empty((keys.size, int(bounds[-1])), dtype=np.int64)
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for start, stop, offset in zip(bounds[:-1], bounds[1:], word_offsets(bounds), strict=False):
        size = np.uint64(stop - start)
        word = streams.words(keys, int(offset), (int(size) + 1) // 2)
        drawn[:, start:stop:2] = ((word & mask) * size) >> shift
        odd = word[:, : int(size) // 2]
        drawn[:, start + 1 : stop : 2] = ((odd >> shift) * size) >> shift
        drawn[:, start:stop] += start
    return drawn


def bootstrap_weights(keys: Words, bounds: IntArray) -> IntArray:
    """Return how often each unit is drawn in each resample, shape (R, n)."""
    drawn = drawn_units(keys, bounds)
    rows, n = drawn.shape
    drawn += (np.arange(rows, dtype=np.int64) * n)[:, None]
    return np.bincount(drawn.reshape(-1), minlength=rows * n).reshape(rows, n)


def swap_bits(keys: Words, n: int) -> Array:
    """Return which units exchange their predictions in each resample, shape (R, n), 0 or 1."""
    word = streams.words(keys, 0, (n + 63) // 64).astype("<u8", copy=False)
    return np.unpackbits(word.view(np.uint8), axis=1, bitorder="little", count=n)
