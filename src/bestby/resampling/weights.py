"""Weights of the units in blocks of resamples, by NumPy; the compiled kernels make the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bestby._core.typing import Array, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words


def word_offsets(draws: IntArray) -> IntArray:
    """Return the position of the first word of each stratum: two draws come from one word.

    Parameters
    ----------
    draws : ndarray of int, shape (H,)
        How many units are drawn from each stratum.

    Examples
    --------
    >>> word_offsets(np.array([3, 4]))
    array([0, 2, 4])
    """
    return np.concatenate([[0], np.cumsum((draws + 1) // 2)]).astype(np.int64)


def drawn_units(keys: Words, bounds: IntArray, draws: IntArray | None = None) -> IntArray:
    """Return which unit each draw of a stratified bootstrap takes, shape (R, draws).

    Draw p of a stratum takes the low (p even) or high (p odd) 32 bits of word p // 2, multiplied by
    the size of the stratum and shifted: a bias of at most n / 2**32.

    Parameters
    ----------
    keys : ndarray, shape (R,)
        The keys of the resamples.
    bounds : ndarray of int, shape (H + 1,)
        Where the strata begin.
    draws : ndarray of int, shape (H,), optional
        How many units to draw from each stratum; as many as it has by default.
    """
    sizes = np.diff(bounds)
    draws = sizes if draws is None else draws
    edges = np.concatenate([[0], np.cumsum(draws)])
    drawn = np.empty((keys.size, int(edges[-1])), dtype=np.uint64)
    offsets = word_offsets(draws)
    for h, (start, stop) in enumerate(pairwise(edges.tolist())):
        count, part = stop - start, drawn[:, start:stop]
        word = streams.words(keys, int(offsets[h]), (count + 1) // 2).astype("<u8", copy=False)
        np.multiply(word.view("<u4")[:, :count], np.uint64(sizes[h]), out=part)
        part >>= np.uint64(32)
        part += np.uint64(bounds[h])
    return drawn.view(np.int64)


def bootstrap_weights(keys: Words, bounds: IntArray, draws: IntArray | None = None) -> IntArray:
    """Return how often each unit is drawn in each resample, shape (R, n); see `drawn_units`."""
    drawn = drawn_units(keys, bounds, draws)
    rows, n = drawn.shape[0], int(bounds[-1])
    drawn += (np.arange(rows, dtype=np.int64) * n)[:, None]
    return np.bincount(drawn.reshape(-1), minlength=rows * n).reshape(rows, n)


def swap_bits(keys: Words, n: int) -> Array:
    """Return which units exchange their predictions in each resample, shape (R, n), 0 or 1."""
    word = streams.words(keys, 0, (n + 63) // 64).astype("<u8", copy=False)
    return np.unpackbits(word.view(np.uint8), axis=1, bitorder="little", count=n)
