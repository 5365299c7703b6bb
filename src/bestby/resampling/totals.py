"""Totals of resamples: the matrix product of weights and statistics, by cells or densely.

The way is chosen by the data alone, and what a replicate draws depends on the seed and its number
alone: blocks, threads and executors change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.resampling import executing, streams
from bestby.resampling.fair_binomials import FairBinomials
from bestby.resampling.progress import Progress
from bestby.resampling.streams import Words
from bestby.resampling.units import CELL_COST_BOOTSTRAP, CELL_COST_SWAP, Units

Transform = Callable[[FloatArray], FloatArray]

WEIGHT_BLOCK = 1 << 21
"""Integer weights handed at once to a metric that is not a sum."""

CELL_BLOCK = 2048
BLOCK_NUMBERS = 1 << 17
"""Weights held at once: a block that stays in the cache of one core."""

SWAP_TILE = 1 << 10
"""Swaps made together, so that the rows are read once for them, and units whose bits are multiplied at once:
a product of eight megabytes of bits."""

WEIGHT_TILE = 1 << 13
"""Units whose weights are multiplied at once: with those of some resamples, a megabyte."""

FEW_BLOCK = 15 << 11
"""Draws and totals of few cells held at once: memory for larger arrays is taken from the system and given
back for each block, which takes as long as all that is computed."""


def bootstrap(
    X: FloatArray,
    units: Units,
    n_resamples: int,
    seed: int,
    transform: Transform,
    *,
    draws: IntArray | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the totals of bootstrap resamples, block by block.

    `draws`, of shape (H,), says how many units to draw from each stratum: by default as many as it has. `X`,
    of shape (C, k), is one row of statistics per distinct unit. The result has shape (B, ...). `executor`
    runs the blocks instead of threads of this process if there are enough of them; the numbers are the same.
    """
    draws = units.sizes if draws is None else draws
    n_draws = int(draws.sum())
    if units.by_cells(CELL_COST_BOOTSTRAP):
        cells = partial(_drawn_cells, X, units, draws, seed, transform)
        return run_blocks(cells, n_resamples, CELL_BLOCK, n_jobs, progress, executor)
    X, units = units.expanded(X)
    compute = partial(_bootstrap_totals, X, units, draws)
    dense = partial(_from_keys, streams.stream_key(seed, "bootstrap"), compute, transform)
    # Where one row of weights fills a block, some resamples share a reading of the rows: 16 MB of weights
    many = min(16, (1 << 24) // units.n)
    size = BLOCK_NUMBERS // n_draws if _are_sparse(units, n_draws) else max(many, BLOCK_NUMBERS // units.n)
    return run_blocks(dense, n_resamples, max(1, size), n_jobs, progress, executor)


def swaps(
    D: FloatArray,
    units: Units,
    n_resamples: int,
    seed: int,
    transform: Transform,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the totals of random subsets of the units (each taken with probability one half).

    Parameters and result are those of `bootstrap`; the totals are sums of the rows of D taken.
    """
    if units.by_cells(CELL_COST_SWAP):
        return cell_swaps(
            D,
            units.counts,
            n_resamples,
            seed,
            transform,
            n_jobs=n_jobs,
            progress=progress,
            executor=executor,
        )
    D, units = units.expanded(D)
    dense = partial(_from_keys, streams.stream_key(seed, "swap"), partial(_swap_totals, D), transform)
    return run_blocks(dense, n_resamples, SWAP_TILE, n_jobs, progress, executor)


def cell_swaps(
    D: FloatArray,
    counts: IntArray,
    n_resamples: int,
    seed: int,
    transform: Transform,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the totals of random subsets of the units; `counts` (C,) of them have each row of D (C, k).

    The result depends on the seed and on these alone.
    """
    single = _small_and_whole(D, counts)
    # Sums of whole numbers below 2^24 are exact in single precision, which takes half the time.
    D = D.astype(np.float32) if single else D
    binomials = FairBinomials(counts, D.dtype)
    # Cells up to which the draws of each are made together, and not those of each replicate
    few = counts.size <= 64
    if few:
        compute = partial(_few_totals, D.T, binomials)
    else:
        compute = partial(_cell_totals, D[binomials.order], binomials)
    cells = partial(_from_keys, streams.stream_key(seed, "swap"), compute, transform)
    # Of many cells the numbers are small, and take half the memory.
    size = max(1, (FEW_BLOCK if few else 2 * BLOCK_NUMBERS) // max(1, sum(D.shape)))
    return run_blocks(cells, n_resamples, size, n_jobs, progress, executor)


def bootstrap_blocks(
    units: Units,
    n_resamples: int,
    seed: int,
    transform: Callable[[Array], FloatArray],
    *,
    draws: IntArray | None = None,
    most: int = WEIGHT_BLOCK,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the weights themselves, (R, n) integers, `most` at once, for metrics that are no sums."""
    draws = units.sizes if draws is None else draws
    compute = partial(bootstrap_weights, bounds=units.bounds, draws=draws, dtype=_narrow(units, draws))
    work = partial(_from_keys, streams.stream_key(seed, "bootstrap"), compute, transform)
    size = max(1, min(most, WEIGHT_BLOCK // units.n))
    return run_blocks(work, n_resamples, size, n_jobs, progress, executor)


def swap_blocks(
    units: Units,
    n_resamples: int,
    seed: int,
    transform: Callable[[Array], FloatArray],
    *,
    most: int = WEIGHT_BLOCK,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the swap bits themselves, (R, n) of 0 and 1, in the same way."""
    compute = partial(swap_bits, n=units.n)
    work = partial(_from_keys, streams.stream_key(seed, "swap"), compute, transform)
    size = max(1, min(most, WEIGHT_BLOCK // units.n))
    return run_blocks(work, n_resamples, size, n_jobs, progress, executor)


def run_blocks(
    work: executing.Work,
    n_resamples: int,
    size: int,
    n_jobs: int,
    progress: Progress | None,
    executor: Executor | None = None,
) -> FloatArray:
    """Run ``work(first, stop)`` over fixed blocks of replicates and join the results in order."""
    if executor is not None and size < n_resamples and executing.worth_sending(work, n_resamples):
        return _joined(executing.sent_parts(executor, work, n_resamples, size), n_resamples, progress)
    starts = range(0, n_resamples, size)

    def one(first: int) -> FloatArray:
        return work(first, min(first + size, n_resamples))

    with executing.one_blas_thread():
        return _joined(_on_threads(one, starts, n_jobs), n_resamples, progress)


def _joined(parts: Iterable[FloatArray], n_resamples: int, progress: Progress | None) -> FloatArray:
    result: FloatArray | None = None
    done = 0
    for part in parts:
        if result is None:
            result = np.empty((n_resamples, *part.shape[1:]), dtype=part.dtype)
        result[done : done + part.shape[0]] = part
        done += part.shape[0]
        if progress is not None:
            progress(done, n_resamples)
    if result is None:
        raise ValueError("n_resamples must be at least 1")
    return result


def _on_threads(one: Callable[[int], FloatArray], starts: range, n_jobs: int) -> Iterator[FloatArray]:
    if n_jobs == 1 or len(starts) == 1:
        yield from map(one, starts)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        # A few blocks per thread at a time: the results of all blocks never wait in memory.
        window = 4 * n_jobs
        for offset in range(0, len(starts), window):
            yield from pool.map(one, starts[offset : offset + window])


# -- what makes a block: functions of this module, as partials of them can be sent to another process --------


def _drawn_cells(
    X: FloatArray, units: Units, draws: IntArray, seed: int, transform: Transform, first: int, stop: int
) -> FloatArray:
    generator = streams.block_generator(seed, "bootstrap", first // CELL_BLOCK)
    drawn = np.empty((stop - first, units.n_rows))
    for (begin, end), count in zip(pairwise(units.bounds.tolist()), draws.tolist(), strict=True):
        counts = units.counts[begin:end]
        # How often each distinct row is drawn; its cost does not depend on the number of units.
        drawn[:, begin:end] = generator.multinomial(count, counts / int(counts.sum()), size=stop - first)
    return transform(drawn @ X)


def _few_totals(columns: FloatArray, binomials: FairBinomials, keys: streams.Words) -> FloatArray:
    """Return the totals column by column, as metrics read them, from the columns (k, C) of the cells."""
    total: FloatArray = columns @ binomials.draws(keys)
    return total.astype(np.float64, copy=False).T


def _cell_totals(D: FloatArray, binomials: FairBinomials, keys: streams.Words) -> FloatArray:
    """Return the totals from the rows (C, k) of the cells in the order of draws side by side."""
    total = binomials.side_by_side(keys) @ D
    return np.ascontiguousarray(total.T, dtype=np.float64).T


def _small_and_whole(D: FloatArray, counts: IntArray) -> bool:
    """Return whether all sums of subsets of the units, of which rows are D, are exact in single precision."""
    return (
        bool((np.rint(D) == D).all())
        and float((counts @ np.abs(D)).max(initial=0.0)) < rounding.EXACT_IN_SINGLE
    )


def _from_keys(
    key: np.uint64,
    compute: Callable[[streams.Words], Array],
    transform: Callable[[Array], FloatArray],
    first: int,
    stop: int,
) -> FloatArray:
    return transform(compute(streams.replicate_keys(key, first, stop - first)))


def _are_sparse(units: Units, n_draws: int) -> bool:
    """Return whether so few units are drawn that their rows are summed."""
    # Units per draw from which the rows drawn are summed, instead of all rows weighted
    return n_draws * 4 <= units.n


def _narrow(units: Units, draws: IntArray) -> type[np.integer[Any]]:
    """Return the narrowest type of weights: of as many draws as units, 256 has a chance of 1e-500."""
    most = np.iinfo(np.uint8).max
    return np.uint8 if (draws <= np.maximum(units.sizes, most)).all() else np.int64


def _bootstrap_totals(X: FloatArray, units: Units, draws: IntArray, keys: streams.Words) -> FloatArray:
    if _are_sparse(units, int(draws.sum())):
        drawn = drawn_units(keys, units.bounds, draws)
        # Few draws of many units: gather their rows, and make no weights that are nearly all 0.
        return np.stack([column.take(drawn).sum(axis=1) for column in np.ascontiguousarray(X.T)], axis=1)
    W = bootstrap_weights(keys, units.bounds, draws, _narrow(units, draws))
    out = np.zeros((keys.size, X.shape[1]))
    for first in range(0, units.n, WEIGHT_TILE):
        tile = slice(first, first + WEIGHT_TILE)
        # Integers become floats tile by tile, which bounds the memory.
        out += W[:, tile].astype(np.float64) @ X[tile]
    return out


def _swap_totals(D: FloatArray, keys: streams.Words) -> FloatArray:
    """Return the sums of the rows of D (n, k) whose swap bit is set, shape (R, k)."""
    out = np.zeros((keys.size, D.shape[1]))
    for first in range(0, len(D), SWAP_TILE):
        rows = D[first : first + SWAP_TILE]
        out += swap_bits(keys, len(rows), first).astype(np.float64) @ rows
    return out


# -- weights of the units in blocks of resamples ---------------------------------------------------


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
            # The high half of a 32-bit number times the size is uniform below it, but for a bias of size /
            # 2^32.
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
