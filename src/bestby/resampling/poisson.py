"""Poisson weights that belong to items, not to positions: for data that come in pieces.

Each item is drawn a Poisson(1) number of times, independently of all others (Hanley & MacGibbon 2006, Comput.
Methods Programs Biomed. 83, 57-62; Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for
massive data streams, Google), so that the totals of a resample are sums over any parts of the data.
Replicate b = 4 q + j takes the j-th 16 bits, from the lowest, of the word ``mix(key_q + item * GOLDEN)`` of
the stream of `streams`, with ``key_q`` the key of replicate q and ``item`` the key of the item. The 16 bits
are turned into a weight by the quantiles of the Poisson distribution, rounded to 1 / 65536. Swap b = 64 q + j
takes the j-th bit of such a word. The key of an item is the last 8 bytes, little-endian, of the MD5 digest of
its id as UTF-8 text, which a database makes too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestby._core.typing import FloatArray
from bestby.resampling import streams
from bestby.resampling.streams import GOLDEN, Words

PER_WORD = 4
"""Weights made of one word of the stream."""

BITS = 64
"""Swaps made of one word."""

COMPILED_FROM = 50_000_000
"""Draws (resamples x items) from which the compiled kernels are worth their import."""

_TILE = 1 << 18
"""Weights held at once by NumPy."""

_REPLICATES, _ITEMS = 256, 1024
"""A block of weights of the compiled kernels: it stays in the cache of one core."""


def _quantiles() -> NDArray[np.uint8]:
    """Return the weight that each 16 bits stand for, shape (65536,)."""
    mass = [math.exp(-1.0) / math.factorial(k) for k in range(9)]
    edges = np.rint(np.cumsum(mass) * (1 << 16)).astype(np.int64)
    table: NDArray[np.uint8] = np.searchsorted(edges, np.arange(1 << 16), side="right").astype(np.uint8)
    return table


WEIGHTS = _quantiles()


def item_keys(ids: Iterable[object]) -> Words:
    """Return the keys of items, shape (n,), from their ids."""
    digests = (hashlib.md5(str(one).encode(), usedforsecurity=False).digest() for one in ids)
    return np.array([int.from_bytes(digest[8:], "little") for digest in digests], dtype=np.uint64)


def weights(items: Words, seed: int, first: int, count: int) -> NDArray[np.uint8]:
    """Return how often each item is drawn in the replicates first, first + 1, …, shape (count, n)."""
    words = _words(items, seed, "bootstrap", first, count, PER_WORD)
    parts = (words[:, None, :] >> (16 * np.arange(PER_WORD, dtype=np.uint64))[None, :, None]) & np.uint64(
        0xFFFF
    )
    start = first % PER_WORD
    drawn: NDArray[np.uint8] = WEIGHTS[parts.reshape(-1, items.size)[start : start + count]]
    return drawn


def swap_bits(items: Words, seed: int, first: int, count: int) -> NDArray[np.uint8]:
    """Return which items exchange their predictions in each resample, shape (count, n), 0 or 1."""
    words = _words(items, seed, "swap", first, count, BITS)
    bits = (words[:, None, :] >> np.arange(BITS, dtype=np.uint64)[None, :, None]) & np.uint64(1)
    start = first % BITS
    return bits.reshape(-1, items.size)[start : start + count].astype(np.uint8)


def _words(items: Words, seed: int, purpose: str, first: int, count: int, per_word: int) -> Words:
    low, high = first // per_word, (first + count - 1) // per_word
    keys = streams.replicate_keys(streams.stream_key(seed, purpose), low, high - low + 1)
    return streams.mix(keys[:, None] + (items * GOLDEN)[None, :])


def add_weighted(
    out: FloatArray, X: FloatArray, items: Words, seed: int, *, compiled: bool, n_jobs: int = 1
) -> None:
    """Add the totals of each resample of some items, with rows X (n, k) of statistics, to `out` (B, k).

    The weights of the compiled kernel are the same; the order of its sums is not.
    """
    _add(out, X, items, seed, ("bootstrap", PER_WORD), compiled, n_jobs)


def add_swapped(
    out: FloatArray, X: FloatArray, items: Words, seed: int, *, compiled: bool, n_jobs: int = 1
) -> None:
    """Add the sums of the rows of the items that are swapped."""
    _add(out, X, items, seed, ("swap", BITS), compiled, n_jobs)


Add = Callable[..., None]
"""`add_weighted` or `add_swapped`."""


def _add(
    out: FloatArray,
    X: FloatArray,
    items: Words,
    seed: int,
    kind: tuple[str, int],
    compiled: bool,
    n_jobs: int,
) -> None:
    purpose, per_word = kind
    n_resamples = out.shape[0]
    if not compiled:
        draw = weights if purpose == "bootstrap" else swap_bits
        step = max(per_word, _TILE // max(1, items.size) // per_word * per_word)
        for first in range(0, n_resamples, step):
            count = min(step, n_resamples - first)
            out[first : first + count] += draw(items, seed, first, count).astype(np.float64) @ X
        return
    kernels = _kernels()
    key = streams.stream_key(seed, purpose)
    spread = items * GOLDEN

    def block(first: int) -> None:
        part = out[first : first + _REPLICATES]
        keys = streams.replicate_keys(key, first // per_word, -(-part.shape[0] // per_word))
        W = np.empty((part.shape[0], _ITEMS))
        for start in range(0, items.size, _ITEMS):
            some = spread[start : start + _ITEMS]
            drawn = W[:, : some.size]
            if purpose == "bootstrap":
                kernels.fill_weights(some, keys, WEIGHTS, drawn)
            else:
                kernels.fill_bits(some, keys, drawn)
            part += drawn @ X[start : start + _ITEMS]

    starts = range(0, n_resamples, _REPLICATES)
    if n_jobs == 1:
        for first in starts:
            block(first)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        for _ in pool.map(block, starts):
            pass


def _kernels() -> Any:
    from bestby.resampling import _poisson_kernels

    return _poisson_kernels
