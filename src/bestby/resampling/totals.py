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

from bestby._core.typing import Array, FloatArray, IntArray
from bestby.resampling import executing, streams, weights
from bestby.resampling.columns import Columns
from bestby.resampling.fair_binomials import FairBinomials
from bestby.resampling.progress import Progress
from bestby.resampling.units import CELL_COST_BOOTSTRAP, CELL_COST_SWAP, Units

Transform = Callable[[FloatArray], FloatArray]

COMPILED_FROM = 50_000_000
"""Draws (resamples x units) from which the compiled kernels are worth their import."""

COMPILED_WEIGHTS_FROM = 5_000_000
"""The same for metrics with compiled kernels of their own, where NumPy takes longer per draw."""

WEIGHT_BLOCK = 1 << 21
"""Integer weights handed at once to a metric that is not a sum."""

CELL_BLOCK = 2048
BLOCK_NUMBERS = 1 << 17
"""Weights held at once: a block that stays in the cache of one core."""

COMPILED_BLOCK = 1 << 19
"""The same for the compiled kernels, which need no temporaries: fewer blocks, fewer calls."""

WHOLE_IN_SINGLE = 2.0**24
"""Sums of whole numbers below this are exact in single precision, which takes half the time."""

FEW_CELLS = 64
"""Cells up to which the draws of each are made together, and not those of each replicate."""

FEW_BLOCK = 15 << 11
"""Draws and totals of few cells held at once: memory for larger arrays is taken from the system and given
back for each block, which takes as long as all that is computed."""

LARGEST_ROW = 1 << 22
"""Units above which even one row of weights is not held; sums are gathered instead."""

MAX_SUM_COLUMNS = 3
SPARSE = 4
"""Units per draw from which the rows drawn are summed, instead of all rows weighted."""

GATHERED = 1 << 16
"""Numbers of drawn rows held at once where rows are gathered whole: they stay in the cache of one core."""

MAX_TABLE_COLUMNS = 6


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
    compiled = n_resamples * n_draws >= COMPILED_FROM
    summed = X.shape[1] <= MAX_SUM_COLUMNS or units.n > LARGEST_ROW if compiled else False
    summed = summed or n_draws * SPARSE <= units.n
    compute = partial(_bootstrap_totals, X, units, draws, compiled, summed)
    dense = partial(_from_keys, streams.stream_key(seed, "bootstrap"), compute, transform)
    size = max(1, (COMPILED_BLOCK if compiled else BLOCK_NUMBERS) // (n_draws if summed else units.n))
    if compiled and summed:
        size = 256
    return run_blocks(dense, n_resamples, size, n_jobs, progress, executor)


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
    compiled = n_resamples * units.n >= COMPILED_FROM
    compute = partial(_swap_totals, D, compiled)
    dense = partial(_from_keys, streams.stream_key(seed, "swap"), compute, transform)
    size = max(1, (COMPILED_BLOCK if compiled else BLOCK_NUMBERS) // units.n)
    if compiled and D.shape[1] <= MAX_TABLE_COLUMNS:
        size = max(size, 1024)
    return run_blocks(dense, n_resamples, size, n_jobs, progress, executor)


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
    D = D.astype(np.float32) if single else D
    binomials = FairBinomials(counts, D.dtype)
    few = counts.size <= FEW_CELLS
    if few:
        compute = partial(_few_totals, D.T, binomials)
    elif single:
        compute = partial(_whole_totals, Columns.of(D[binomials.order]), binomials)
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
    compiled_from: int = COMPILED_FROM,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the weights themselves, (R, n) integers, `most` at once, for metrics that are no sums.

    They are drawn by the compiled kernels from `compiled_from` draws on.
    """
    draws = units.sizes if draws is None else draws
    compiled = n_resamples * units.n >= compiled_from
    compute = partial(_drawn_weights, units, draws, compiled)
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
    compiled_from: int = COMPILED_FROM,
    n_jobs: int = 1,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> FloatArray:
    """Transform the swap bits themselves, (R, n) of 0 and 1, in the same way."""
    compiled = n_resamples * units.n >= compiled_from
    work = partial(
        _from_keys,
        streams.stream_key(seed, "swap"),
        partial(_swap_bits, units.n, compiled),
        transform,
    )
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
        return _joined(executing.sent(executor, work, n_resamples, size), n_resamples, progress)
    starts = range(0, n_resamples, size)

    def one(first: int) -> FloatArray:
        return work(first, min(first + size, n_resamples))

    with executing.one_blas_thread():
        return _joined(_mapped(one, starts, n_jobs), n_resamples, progress)


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


def _mapped(one: Callable[[int], FloatArray], starts: range, n_jobs: int) -> Iterator[FloatArray]:
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
        drawn[:, begin:end] = generator.multinomial(count, counts / int(counts.sum()), size=stop - first)
    return transform(drawn @ X)


def _few_totals(columns: FloatArray, binomials: FairBinomials, keys: streams.Words) -> FloatArray:
    """Return the totals column by column, as metrics read them, from the columns (k, C) of the cells."""
    total: FloatArray = columns @ binomials.draws(keys)
    return total.astype(np.float64, copy=False).T


def _cell_totals(D: FloatArray, binomials: FairBinomials, keys: streams.Words) -> FloatArray:
    """Return the same from the rows (C, k) of the cells in the order of draws side by side."""
    total = binomials.side_by_side(keys) @ D
    return np.ascontiguousarray(total.T).T


def _whole_totals(columns: Columns, binomials: FairBinomials, keys: streams.Words) -> FloatArray:
    """Return the same from rows of whole numbers whose sums are exact."""
    return columns.sums(binomials.side_by_side(keys)).T


def _small_and_whole(D: FloatArray, counts: IntArray) -> bool:
    """Return whether all sums of subsets of the units, of which rows are D, are exact in single precision."""
    return bool((np.rint(D) == D).all()) and float((counts @ np.abs(D)).max(initial=0.0)) < WHOLE_IN_SINGLE


def _from_keys(
    key: np.uint64,
    compute: Callable[[streams.Words], Array],
    transform: Callable[[Array], FloatArray],
    first: int,
    stop: int,
) -> FloatArray:
    return transform(compute(streams.replicate_keys(key, first, stop - first)))


def _bootstrap_totals(
    X: FloatArray, units: Units, draws: IntArray, compiled: bool, summed: bool, keys: streams.Words
) -> FloatArray:
    if not compiled and summed:
        drawn = weights.drawn_units(keys, units.bounds, draws)
        return (_row_sums if MAX_SUM_COLUMNS < X.shape[1] <= GATHERED // drawn.shape[1] else _column_sums)(
            X, drawn
        )
    if not compiled:
        return weights.bootstrap_weights(keys, units.bounds, draws, np.float64) @ X
    offsets = weights.word_offsets(draws)
    if summed:
        out = np.empty((keys.size, X.shape[1]))
        _kernels().bootstrap_sums(np.asfortranarray(X), keys, units.bounds, draws, offsets, out)
        return out
    W = np.empty((keys.size, units.n))
    _kernels().bootstrap_weights(keys, units.bounds, draws, offsets, W)
    return W @ X


def _column_sums(X: FloatArray, drawn: IntArray) -> FloatArray:
    """Return the sums of the rows drawn (R, m), shape (R, k), column by column."""
    out, picked = np.empty((drawn.shape[0], X.shape[1])), np.empty(drawn.shape)
    for c in range(X.shape[1]):
        np.ascontiguousarray(X[:, c]).take(drawn, out=picked, mode="clip")
        picked.sum(axis=1, out=out[:, c])
    return out


def _row_sums(X: FloatArray, drawn: IntArray) -> FloatArray:
    """Return the same from whole rows, a few resamples at a time: quicker from about four columns."""
    (size, m), k = drawn.shape, X.shape[1]
    step = max(1, GATHERED // (m * k))
    ones, rows, out = np.ones((1, 1, m)), np.empty((min(step, size), m, k)), np.empty((size, 1, k))
    for first in range(0, size, step):
        part = drawn[first : first + step]
        picked = X.take(part, axis=0, out=rows[: part.shape[0]], mode="clip")
        np.matmul(ones, picked, out=out[first : first + step])
    return out[:, 0]


def _swap_totals(D: FloatArray, compiled: bool, keys: streams.Words) -> FloatArray:
    n, k = D.shape
    if not compiled:
        return weights.swap_bits(keys, n).astype(np.float64) @ D
    if k <= MAX_TABLE_COLUMNS or n > LARGEST_ROW:
        out = np.empty((keys.size, k))
        _kernels().swap_sums(np.ascontiguousarray(D), keys, out)
        return out
    W = np.empty((keys.size, n))
    _kernels().swap_bits(keys, W)
    return W @ D


def _drawn_weights(units: Units, draws: IntArray, compiled: bool, keys: streams.Words) -> Array:
    if not compiled:
        return weights.bootstrap_weights(keys, units.bounds, draws)
    W = np.empty((keys.size, units.n), dtype=np.uint8)  # a weight of 256 has probability 1e-500
    _kernels().bootstrap_weights(keys, units.bounds, draws, weights.word_offsets(draws), W)
    return W


def _swap_bits(n: int, compiled: bool, keys: streams.Words) -> Array:
    if not compiled:
        return weights.swap_bits(keys, n)
    bits = np.empty((keys.size, n), dtype=np.uint8)
    _kernels().swap_bits(keys, bits)
    return bits


def _kernels() -> Any:
    from bestby.resampling import _kernels

    return _kernels
