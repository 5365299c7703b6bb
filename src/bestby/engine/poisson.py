"""Poisson weights that belong to items, not to positions: for data that come in pieces.

Each item is drawn a Poisson(1) number of times, independently of all others (Hanley & MacGibbon 2006, Comput.
Methods Programs Biomed. 83, 57-62; Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for
massive data streams, Google), so that the totals of a resample are sums over any parts of the data.
Replicate b = 4 q + j takes the j-th 16 bits, from the lowest, of the word ``mix(key_q + item * GOLDEN)`` of
the stream of `streams`, with ``key_q`` the key of replicate q and ``item`` the key of the item. The 16 bits
are turned into a weight by the quantiles of the Poisson distribution, rounded to 1 / 65536. Swap b = 64 q + j
takes the j-th bit of such a word. The key of an item, which the database makes, is the last 8 bytes,
little-endian, of the MD5 digest of its id as UTF-8 text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bestby._core.typing import Array, FloatArray
from bestby.resampling import streams
from bestby.resampling.streams import GOLDEN, Words

PER_WORD = 4
"""Weights made of one word of the stream."""

BITS = 64
"""Swaps made of one word."""

_REPLICATES, _ITEMS = 1024, 512
"""A block of weights: it stays in the cache of one core."""


def _quantiles() -> NDArray[np.uint8]:
    """Return the weight that each 16 bits stand for, shape (65536,)."""
    mass = [math.exp(-1.0) / math.factorial(k) for k in range(9)]
    # Up to 8 draws: more have a chance of 1e-6, below the 1 / 65536 that 16 bits can tell.
    edges = np.rint(np.cumsum(mass) * (1 << 16)).astype(np.int64)
    table: NDArray[np.uint8] = np.searchsorted(edges, np.arange(1 << 16), side="right").astype(np.uint8)
    return table


WEIGHTS = _quantiles()


def weights(items: Words, seed: int, first: int, count: int) -> NDArray[np.uint8]:
    """Return how often each item is drawn in the replicates first, first + 1, …, shape (n, count)."""
    drawn = _words(items, seed, "bootstrap", first, count, PER_WORD).astype("<u8", copy=False).view("<u2")
    start = first % PER_WORD
    return WEIGHTS.take(drawn[:, start : start + count])


def swap_bits(items: Words, seed: int, first: int, count: int) -> NDArray[np.uint8]:
    """Return which items exchange their predictions in each resample, shape (n, count), 0 or 1."""
    words = _words(items, seed, "swap", first, count, BITS).astype("<u8", copy=False).view(np.uint8)
    start = first % BITS
    return np.unpackbits(words, axis=1, bitorder="little")[:, start : start + count]


def _words(items: Words, seed: int, purpose: str, first: int, count: int, per_word: int) -> Words:
    low, high = first // per_word, (first + count - 1) // per_word
    keys = streams.replicate_keys(streams.stream_key(seed, purpose), low, high - low + 1)
    return streams.mix((items * GOLDEN)[:, None] + keys[None, :], in_place=True)


def add_weighted(out: FloatArray, X: FloatArray, items: Words, seed: int, *, n_jobs: int = 1) -> None:
    """Add the totals of each resample of some items, with rows X (n, k) of statistics, to `out` (B, k)."""
    _add(out, X, items, partial(weights, seed=seed), n_jobs)


def add_swapped(out: FloatArray, X: FloatArray, items: Words, seed: int, *, n_jobs: int = 1) -> None:
    """Add the sums of the rows of the items that are swapped."""
    _add(out, X, items, partial(swap_bits, seed=seed), n_jobs)


Add = Callable[..., None]
"""`add_weighted` or `add_swapped`."""


def _add(out: FloatArray, X: FloatArray, items: Words, draw: Callable[..., Array], n_jobs: int) -> None:
    def block(first: int) -> None:
        part = out[first : first + _REPLICATES]
        for start in range(0, items.size, _ITEMS):
            some = slice(start, start + _ITEMS)
            drawn = draw(items[some], first=first, count=len(part))
            # Each item has weights of its own whatever piece it comes in, so that pieces add up in any order.
            part += drawn.astype(np.float64).T @ X[some]

    starts = range(0, out.shape[0], _REPLICATES)
    if n_jobs == 1:
        for first in starts:
            block(first)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        for _ in pool.map(block, starts):
            pass
