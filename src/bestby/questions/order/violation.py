"""The violation ratio of two samples: exactly, over bootstrap samples, over deals of the pooled values.

A deal gives the pooled values of both samples at random to A and to B. If the runs of both systems are
exchangeable, the data are one deal among all, so the share of the deals that favour A at least as much is a
p-value that holds for any distribution of the scores and for any number of deals drawn.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.resampling import streams

BLOCK_NUMBERS = 1 << 17
"""Numbers drawn at once: a block that stays in the cache of one core."""

MOST_ENUMERATED = 1 << 21
"""Numbers up to which all ways of dealing out the runs are enumerated: 9 and 10 runs, but not 10 and 10."""

NOTHING = rounding.SPREAD**2
"""Squared distance, for scores scaled to [0, 1], that is rounding and no distance."""

Positions = tuple[Array, Array]
Blocks = Iterator[Positions]

IQR_OF_NORMAL = 1.3489795
"""The interquartile range of the standard normal distribution."""

ENOUGH = 10
"""Deals as favourable as the data after which no more are drawn: the p-value is then not small."""

MOST_DEALS = 100_000
"""Deals drawn of a pair at most, unless more were asked for."""


@dataclass(frozen=True)
class Estimate:
    """The violation ratio of the first of two samples over the second, and its test.

    `ratio` is NaN if the samples are the same, and `error` its bootstrap standard error; `undefined` counts
    the resamples in which they were. `shrunk` is the ratio that the test looks at, shrunk towards 1/2.
    `greater` and `less` are the shares of the `n_deals` deals counted that are at least as much in favour of
    the first, and of the second; `exact` says whether those are all deals.
    """

    ratio: float
    error: float
    undefined: int
    shrunk: float
    greater: float
    less: float
    n_deals: int
    exact: bool

    def mirrored(self) -> Estimate:
        """Return the estimate for the second over the first."""
        return dataclasses.replace(
            self, ratio=1.0 - self.ratio, shrunk=1.0 - self.shrunk, greater=self.less, less=self.greater
        )


def merged_steps(n: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the quantile functions of n and of m values are constant together.

    For each of the L stretches: which of the sorted values of either sample is the quantile, and the width.
    """
    if n == m:
        same = np.arange(n, dtype=np.int64)
        return same, same, np.full(n, 1.0 / n)
    # Steps end at multiples of 1/n and of 1/m: at multiples of m and of n on a lattice of n m points.
    ends = np.union1d(np.arange(m, n * m + 1, m), np.arange(n, n * m + 1, n))
    width = np.diff(ends, prepend=0) / (n * m)
    return (ends - 1) // m, (ends - 1) // n, width


def _ratios(differences: FloatArray, width: FloatArray, shrink: float = 0.0) -> FloatArray:
    """Return the violation ratio of each row of quantile differences A - B, NaN for copies.

    `shrink` is added to the squared distance in either direction, which draws the ratio towards 1/2.
    """
    total = np.square(differences) @ width
    ahead = np.minimum(differences, 0.0)
    violation = np.square(ahead, out=ahead) @ width
    total[total <= NOTHING] = np.nan
    return np.minimum((violation + shrink) / (total + 2.0 * shrink), 1.0)


def estimates(
    pairs: list[tuple[FloatArray, FloatArray]], n: int, m: int, n_resamples: int, alpha: float, seed: int
) -> list[Estimate]:
    """Estimate the violation ratios of pairs of samples of the same sizes, sorted, larger better.

    All pairs see the same `n_resamples` bootstrap samples, which is also the least number of deals where not
    all are enumerated.
    """
    first, second, width = merged_steps(n, m)
    scaled = [_scaled(a, b) for a, b in pairs]
    replicates: list[list[FloatArray]] = [[] for _ in pairs]
    for p, q in bootstrap_positions(n, m, n_resamples, seed):
        for (a, b), kept in zip(scaled, replicates, strict=True):
            kept.append(_ratios(_gaps(a, p, b, q), width))
    tested = [_Pair.of(a, b, (a[first] - b[second])[None, :]) for a, b in scaled]
    out = []
    for pair, kept, test in zip(
        tested, replicates, _tests(tested, n, m, n_resamples, alpha, seed), strict=True
    ):
        ratio, shrunk = (float(_ratios(pair.apart, width, shrink)[0]) for shrink in (0.0, pair.shrink))
        values = np.concatenate(kept)
        undefined = int(np.count_nonzero(np.isnan(values)))
        error = float(np.std(np.where(np.isnan(values), 0.5, values)))
        greater, less, count, exact = test
        if math.isnan(ratio):
            shrunk, greater, less = 0.5, 1.0, 1.0
        out.append(Estimate(ratio, error, undefined, shrunk, greater, less, count, exact))
    return out


def _gaps(a: FloatArray, p: Array, b: FloatArray, q: Array) -> FloatArray:
    """Return a[p] - b[q]; positions need no check, which would take as long as the rest."""
    gaps = a.take(p, mode="clip")
    gaps -= b.take(q, mode="clip")
    return gaps


def _scaled(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both samples on the scale where the least score is 0 and the greatest 1."""
    low, high = min(a[0], b[0]), max(a[-1], b[-1])
    spread = high - low
    if rounding.is_nothing(spread, max(abs(low), abs(high))):  # rounding is all that differs
        return np.zeros_like(a), np.zeros_like(b)
    return (a - low) / spread, (b - low) / spread


# -- the permutation test --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pair:
    """Two scaled samples as the test needs them: pooled; the quantile differences (1, L); the shrinkage.

    `ahead` is 1 if every run of A is above every run of B, -1 the other way round, and 0 otherwise.
    """

    pool: FloatArray
    apart: FloatArray
    shrink: float
    ahead: int

    @classmethod
    def of(cls, a: FloatArray, b: FloatArray, apart: FloatArray) -> _Pair:
        pool = np.sort(np.concatenate([a, b]))
        width = rounding.spread_width(1.0)
        ahead = int(a[0] - b[-1] > width) - int(b[0] - a[-1] > width)
        return cls(pool, apart, _shrinkage(pool, a.size, b.size), ahead)


def _shrinkage(pool: FloatArray, n: int, m: int) -> float:
    """Return what is added to the squared distance of either direction, for all deals of the pooled values.

    The interquartile range keeps it small beside the distance that a few failed runs make.
    """
    at = np.array([0.25, 0.75]) * (pool.size - 1)
    low, high = np.interp(at, np.arange(pool.size), pool)
    spread = float(high - low) / IQR_OF_NORMAL
    # What is added to the squared distance of either direction, in squared standard errors of a difference of
    # means. Of normal scores larger values up to 0.8 have more power, of failing runs and skewed ones smaller
    return 0.1 * spread * spread * (1.0 / n + 1.0 / m)


_Test = tuple[float, float, int, bool]
"""The shares of deals in favour of A and of B, how many deals were counted, and whether those are all."""


def _tests(pairs: list[_Pair], n: int, m: int, n_resamples: int, alpha: float, seed: int) -> list[_Test]:
    """Return the permutation test of every pair.

    If all runs of A are above all of B, no other deal is as extreme: exchanging a run of A with a better one
    of B raises the quantiles of A and lowers those of B, and so lowers the statistic. Nothing is drawn then.
    """
    width = merged_steps(n, m)[2]
    every = n_deals(n, m)
    if every * (n + m) <= MOST_ENUMERATED:
        hits = _hits(pairs, _every_deal(n, m), width)
        return [(*(np.maximum(pair_hits, 1) / every).tolist(), int(every), True) for pair_hits in hits]
    least = max(1 / math.comb(n + m, n), np.finfo(np.float64).tiny)
    tests: dict[int, _Test] = {
        i: (least, 1.0, 0, True) if pair.ahead > 0 else (1.0, least, 0, True)
        for i, pair in enumerate(pairs)
        if pair.ahead
    }
    counts, drawn = np.zeros((len(pairs), 2), dtype=np.int64), 0
    for stage, stop in enumerate(_stages(n_resamples, alpha)):
        left = [i for i in range(len(pairs)) if i not in tests]
        if not left:
            break
        deals = _random_deals(n, m, stop - drawn, seed, stage)
        counts[left] += _hits([pairs[i] for i in left], deals, width)
        drawn = stop
        more = stop < _most_deals(n_resamples, alpha)
        for i in left:
            if not more or counts[i].min() >= ENOUGH:
                greater, less = ((1 + counts[i]) / (1 + drawn)).tolist()
                tests[i] = (greater, less, drawn, False)
    return [tests[i] for i in range(len(pairs))]


def _most_deals(n_resamples: int, alpha: float) -> int:
    """Return how many deals are drawn of a pair whose p-value is small.

    With ENOUGH / alpha of them a test at the level alpha rejects if fewer than ENOUGH deals are as extreme as
    the data. A pair that reached as many before is not significant, so that it may stop.
    """
    return max(n_resamples, min(math.ceil(ENOUGH / alpha), MOST_DEALS))


def _stages(n_resamples: int, alpha: float) -> Iterator[int]:
    """Yield after how many deals to look: first n_resamples, then four times as many each time."""
    stop, most = n_resamples, _most_deals(n_resamples, alpha)
    while stop < most:
        yield stop
        stop *= 4
    yield most


def _hits(pairs: list[_Pair], deals: Blocks, width: FloatArray) -> IntArray:
    """Count the deals at least as much in favour of A as the data, and of B, shape (pairs, 2)."""
    hits = np.zeros((len(pairs), 2), dtype=np.int64)
    for p, q in deals:
        for row, pair in enumerate(pairs):
            hits[row] += _extreme(_gaps(pair.pool, p, pair.pool, q), pair.apart, width, pair.shrink)
    return hits


def _extreme(dealt: FloatArray, observed: FloatArray, width: FloatArray, shrink: float) -> tuple[int, int]:
    """Count the deals at least as much in favour of A as the data, and of B; tied ratios go by the means."""
    ratio, seen = _ratios(dealt, width, shrink), float(_ratios(observed, width, shrink)[0])
    ratio[np.isnan(ratio)] = 0.5
    further = ratio - (0.5 if math.isnan(seen) else seen)
    least = rounding.spread_width(1.0)
    tied = np.flatnonzero(np.abs(further) <= least)
    gap = dealt[tied] @ width - float(observed[0] @ width)
    for_a = np.count_nonzero(further < -least) + np.count_nonzero(gap >= -least)
    for_b = np.count_nonzero(further > least) + np.count_nonzero(gap <= least)
    return int(for_a), int(for_b)


def n_deals(n: int, m: int) -> float:
    """Return in how many ways n + m values can be dealt out, n to A and m to B.

    Infinity if beyond counting.
    """
    return math.comb(n + m, n) if min(n, m) <= 30 else math.inf


# -- what is drawn ---------------------------------------------------------------------------------


def bootstrap_positions(n: int, m: int, n_resamples: int, seed: int) -> Blocks:
    """Yield the quantiles of bootstrap samples, block by block, as positions in two sorted samples.

    Each has shape (R, L): a row for each resample, a column for each of the stretches of `merged_steps`.
    """
    first, second, _ = merged_steps(n, m)
    for generator, rows in _blocks("bootstrap", n + m, n_resamples, seed):
        p, q = _drawn(generator, rows, n), _drawn(generator, rows, m)
        yield (p, q) if n == m else (np.take(p, first, axis=1), np.take(q, second, axis=1))


def _blocks(
    purpose: str, numbers: int, n_resamples: int, seed: int, stage: int = 0
) -> Iterator[tuple[np.random.Generator, int]]:
    """Yield the generators of the blocks and their sizes; the streams of one stage are unlike another's."""
    size = max(1, BLOCK_NUMBERS // numbers)
    for block, start in enumerate(range(0, n_resamples, size)):
        # Blocks of one stage: 2^20 at most, each of which deals out thousands of values
        generator = streams.block_generator(seed, purpose, (stage << 20) + block)
        yield generator, min(size, n_resamples - start)


def _drawn(generator: np.random.Generator, rows: int, n: int) -> Array:
    """Return positions drawn with replacement, sorted in each row: the sorted resample of sorted values."""
    kind = np.uint16 if n <= 1 << 16 else np.int64  # short integers are drawn and sorted faster
    drawn = generator.integers(0, n, size=(rows, n), dtype=kind)
    drawn.sort(axis=1)
    return drawn.astype(np.intp, copy=False)


def _every_deal(n: int, m: int) -> Blocks:
    """Yield all ways of dealing out n + m values, n to A and m to B."""
    subsets = itertools.combinations(range(n + m), n)
    size = max(1, BLOCK_NUMBERS // (n + m))
    while block := list(itertools.islice(subsets, size)):
        labels = np.zeros((len(block), n + m), dtype=np.bool_)
        labels[np.arange(len(block))[:, None], np.array(block)] = True
        yield _split(labels, n, m)


def _random_deals(n: int, m: int, n_resamples: int, seed: int, stage: int = 0) -> Blocks:
    """Yield random ways of dealing out n + m values, n to A and m to B.

    The label is the last bit of a random number; sorted, the numbers bring the labels into random order.
    """
    kind = np.uint32 if n + m < 1 << 12 else np.uint64
    for generator, rows in _blocks("swap", n + m, n_resamples, seed, stage):
        numbers = generator.integers(0, np.iinfo(kind).max, size=(rows, n + m), dtype=kind, endpoint=True)
        numbers |= kind(1)
        numbers[:, n:] ^= kind(1)
        numbers.sort(axis=1)
        yield _split((numbers & kind(1)).astype(np.bool_), n, m)


def _split(labels: BoolArray, n: int, m: int) -> Positions:
    """Return the positions of the quantiles of A, where labels (R, n + m) are set, and of B."""
    first, second, _ = merged_steps(n, m)
    start = np.arange(0, labels.size, n + m)[:, None]
    p = np.flatnonzero(labels).reshape(-1, n) - start
    q = np.flatnonzero(~labels).reshape(-1, m) - start
    return (p, q) if n == m else (np.take(p, first, axis=1), np.take(q, second, axis=1))
