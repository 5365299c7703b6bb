"""Weights of the units in blocks of resamples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bestby._core.chunks import chunks
from bestby._core.typing import Array, IntArray
from bestby.resampling import streams
from bestby.resampling.streams import Words


def word_offsets(draws: IntArray) -> IntArray:
    """Return the position of the first word of each stratum: two draws come from one word."""
    return np.concatenate([[0], np.cumsum((draws + 1) // 2)]).astype(np.int64)


def drawn_units(keys: Words, bounds: IntArray, draws: IntArray | None = None) -> IntArray:
    """Return which unit each draw of a stratified bootstrap takes, shape (R, draws).

    Draw p of a stratum takes the low (p even) or high (p odd) 32 bits of word p // 2, multiplied by the size
    of the stratum and shifted: a bias of at most n / 2**32. A stratum has `draws`, or as many as its size.
    """
    sizes = np.diff(bounds)
    draws = sizes if draws is None else draws
    edges = np.concatenate([[0], np.cumsum(draws)])
    drawn = np.empty((keys.size, int(edges[-1])), dtype=np.uint64)
    offsets = word_offsets(draws)
    for of in chunks(keys.size, drawn.shape[1]):
        for h, (start, stop) in enumerate(pairwise(edges.tolist())):
            count, part = stop - start, drawn[of, start:stop]
            word = streams.words(keys[of], int(offsets[h]), (count + 1) // 2).astype("<u8", copy=False)
            np.multiply(word.view("<u4")[:, :count], np.uint64(sizes[h]), out=part)
            part >>= np.uint64(32)
            if bounds[h]:
                part += np.uint64(bounds[h])
    return drawn.view(np.int64)


def bootstrap_weights(
    keys: Words, bounds: IntArray, draws: IntArray | None = None, dtype: type[np.generic] = np.int64
) -> Array:
    """Return how often each unit is drawn in each resample, shape (R, n), of any number type."""
    n = int(bounds[-1])
    weights, one = np.zeros((keys.size, n), dtype=dtype), np.ones((), dtype=dtype)
    for part in chunks(keys.size, n):
        drawn = drawn_units(keys[part], bounds, draws)
        drawn += (np.arange(len(drawn), dtype=np.int64) * n)[:, None]
        # Half the time of bincount, which looks for the extremes first and counts in 64 bits.
        np.add.at(weights[part].reshape(-1), drawn.reshape(-1), one)
    return weights


def swap_bits(keys: Words, n: int, first: int = 0) -> Array:
    """Return which of n units exchange their predictions in each resample, shape (R, n), 0 or 1.

    They are the units from `first`, a multiple of 64.
    """
    word = streams.words(keys, first // 64, (n + 63) // 64).astype("<u8", copy=False)
    return np.unpackbits(word.view(np.uint8), axis=1, bitorder="little", count=n)
