"""The violation ratio of two samples: exactly, over bootstrap samples, over deals of the pooled values."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from bestby._core.rounding import NO_SPREAD, TIE
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.resampling import streams

BLOCK_NUMBERS = 1 << 17
"""Numbers drawn at once: a block that stays in the cache of one core."""

FEW_NUMBERS = 1 << 16
"""Numbers up to which an enumeration is kept for the next pair."""

MOST_ENUMERATED = 1 << 21
"""Numbers up to which all ways of dealing out the runs are enumerated: 9 and 10 runs, but not 10 and 10."""

NOTHING = NO_SPREAD**2
"""Squared distance, for scores scaled to [0, 1], that is rounding and no distance."""

RADIX_FROM = 512
"""Short integers per row from which NumPy sorts them faster by their digits."""

Positions = tuple[Array, Array]
Blocks = Iterator[Positions]


@dataclass(frozen=True)
class Estimate:
    """What is found for the first of two samples over the second.

    Parameters
    ----------
    ratio, error : float
        The violation ratio, NaN if the samples are the same, and its bootstrap standard error.
    undefined : int
        Resamples in which the samples were the same.
    greater, less : float
        Share of the deals at least as much in favour of the first, and of the second.
    n_deals : int
        Deals counted.
    exact : bool
        Whether those are all there are.
    """

    ratio: float
    error: float
    undefined: int
    greater: float
    less: float
    n_deals: int
    exact: bool

    def mirrored(self) -> Estimate:
        """Return what is found for the second over the first."""
        return dataclasses.replace(self, ratio=1.0 - self.ratio, greater=self.less, less=self.greater)


def merged_steps(n: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the quantile functions of n and of m values are constant together.

    Parameters
    ----------
    n, m : int
        The sizes of the samples.

    Returns
    -------
    first, second : ndarray of int, shape (L,)
        On each of the L stretches, which of the sorted values of either sample is the quantile.
    width : ndarray, shape (L,)
        The widths of the stretches; they add up to 1.

    Examples
    --------
    >>> merged_steps(1, 3)
    (array([0, 0, 0]), array([0, 1, 2]), array([0.33333333, 0.33333333, 0.33333333]))
    """
    if n == m:
        same = np.arange(n, dtype=np.int64)
        return same, same, np.full(n, 1.0 / n)
    # Steps end at multiples of 1/n and of 1/m: at multiples of m and of n on a lattice of n m points.
    ends = np.union1d(np.arange(m, n * m + 1, m), np.arange(n, n * m + 1, n))
    width = np.diff(ends, prepend=0) / (n * m)
    return (ends - 1) // m, (ends - 1) // n, width


def _ratios(differences: FloatArray, width: FloatArray) -> FloatArray:
    """Return the violation ratio of each row of quantile differences A - B, NaN for copies."""
    total = np.square(differences) @ width
    ahead = np.minimum(differences, 0.0)
    violation = np.square(ahead, out=ahead) @ width
    total[total <= NOTHING] = np.nan
    return np.minimum(violation / total, 1.0)


def estimates(
    pairs: list[tuple[FloatArray, FloatArray]], n: int, m: int, n_resamples: int, seed: int
) -> list[Estimate]:
    """Estimate the violation ratios of pairs of samples of the same sizes.

    Parameters
    ----------
    pairs : list of (ndarray, ndarray), shapes (n,) and (m,)
        Sorted scores, larger better. All pairs see the same resamples.
    n, m : int
        The sizes.
    n_resamples, seed : int
        Bootstrap samples, and deals where not all are enumerated; and the seed.

    Returns
    -------
    list of Estimate
        One per pair.
    """
    first, second, width = merged_steps(n, m)
    scaled = [_scaled(a, b) for a, b in pairs]
    pools = [np.sort(np.concatenate(pair)) for pair in scaled]
    apart = [(a[first] - b[second])[None, :] for a, b in scaled]
    replicates: list[list[FloatArray]] = [[] for _ in pairs]
    for p, q in bootstrap_positions(n, m, n_resamples, seed):
        for (a, b), kept in zip(scaled, replicates, strict=True):
            kept.append(_ratios(_gaps(a, p, b, q), width))
    hits = np.zeros((len(pairs), 2), dtype=np.int64)
    exact = n_deals(n, m) * (n + m) <= MOST_ENUMERATED
    for p, q in _deals(n, m, n_resamples, seed, exact):
        for row, (pool, observed) in enumerate(zip(pools, apart, strict=True)):
            hits[row] += _extreme(_gaps(pool, p, pool, q), observed, width)
    count = int(n_deals(n, m)) if exact else n_resamples
    out = []
    for observed, kept, extreme in zip(apart, replicates, hits, strict=True):
        ratio = float(_ratios(observed, width)[0])
        values = np.concatenate(kept)
        undefined = int(np.count_nonzero(np.isnan(values)))
        error = float(np.std(np.where(np.isnan(values), 0.5, values)))
        chances = np.maximum(extreme, 1) / count if exact else (1 + extreme) / (1 + count)
        greater, less = (1.0, 1.0) if math.isnan(ratio) else chances.tolist()
        out.append(Estimate(ratio, error, undefined, greater, less, count, exact))
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
    if spread <= NO_SPREAD * max(abs(low), abs(high)):  # rounding is all that differs
        return np.zeros_like(a), np.zeros_like(b)
    return (a - low) / spread, (b - low) / spread


def _extreme(dealt: FloatArray, observed: FloatArray, width: FloatArray) -> tuple[int, int]:
    """Count the deals at least as much in favour of A as the data, and of B; tied ratios go by the means."""
    ratio, seen = _ratios(dealt, width), float(_ratios(observed, width)[0])
    ratio[np.isnan(ratio)] = 0.5
    further = ratio - (0.5 if math.isnan(seen) else seen)
    tied = np.flatnonzero(np.abs(further) <= TIE)
    gap = dealt[tied] @ width - float(observed[0] @ width)
    for_a = np.count_nonzero(further < -TIE) + np.count_nonzero(gap >= -TIE)
    for_b = np.count_nonzero(further > TIE) + np.count_nonzero(gap <= TIE)
    return int(for_a), int(for_b)


def n_deals(n: int, m: int) -> float:
    """Return in how many ways n + m values can be dealt out, n to A and m to B; infinity if beyond counting.

    Examples
    --------
    >>> n_deals(5, 5), n_deals(100, 100)
    (252, inf)
    """
    return math.comb(n + m, n) if min(n, m) <= 30 else math.inf


# -- what is drawn ---------------------------------------------------------------------------------


def bootstrap_positions(n: int, m: int, n_resamples: int, seed: int) -> Blocks:
    """Yield the quantiles of bootstrap samples, block by block, as positions in two sorted samples.

    Parameters
    ----------
    n, m : int
        The sizes of the samples.
    n_resamples, seed : int
        How many resamples, and the seed.

    Yields
    ------
    p, q : ndarray of int, shape (R, L)
        For each resample and each of the stretches of `merged_steps`, the position of the quantile of the
        first and of the second sample.
    """
    first, second, _ = merged_steps(n, m)
    for generator, rows in _blocks("bootstrap", n + m, n_resamples, seed):
        p, q = _drawn(generator, rows, n), _drawn(generator, rows, m)
        yield (p, q) if n == m else (np.take(p, first, axis=1), np.take(q, second, axis=1))


def _blocks(
    purpose: str, numbers: int, n_resamples: int, seed: int
) -> Iterator[tuple[np.random.Generator, int]]:
    size = max(1, BLOCK_NUMBERS // numbers)
    for block, start in enumerate(range(0, n_resamples, size)):
        yield streams.block_generator(seed, purpose, block), min(size, n_resamples - start)


def _drawn(generator: np.random.Generator, rows: int, n: int) -> Array:
    """Return positions drawn with replacement, sorted in each row: the sorted resample of sorted values."""
    kind = np.uint16 if n <= 1 << 16 else np.int64  # short integers are drawn and sorted faster
    drawn = generator.integers(0, n, size=(rows, n), dtype=kind)
    drawn.sort(axis=1, kind="stable" if n >= RADIX_FROM else None)
    return drawn.astype(np.intp, copy=False)


def _deals(n: int, m: int, n_resamples: int, seed: int, exact: bool) -> Blocks:
    if not exact:
        return _random_deals(n, m, n_resamples, seed)
    small = n_deals(n, m) * (n + m) <= FEW_NUMBERS
    return iter([_few_deals(n, m)]) if small else _every_deal(n, m)


def _every_deal(n: int, m: int) -> Blocks:
    """Yield all ways of dealing out n + m values, n to A and m to B."""
    subsets = itertools.combinations(range(n + m), n)
    size = max(1, BLOCK_NUMBERS // (n + m))
    while block := list(itertools.islice(subsets, size)):
        labels = np.zeros((len(block), n + m), dtype=np.bool_)
        labels[np.arange(len(block))[:, None], np.array(block)] = True
        yield _split(labels, n, m)


@cache
def _few_deals(n: int, m: int) -> Positions:
    """Return the only block of `_every_deal`, kept because many small samples have the same sizes."""
    return next(_every_deal(n, m))


def _random_deals(n: int, m: int, n_resamples: int, seed: int) -> Blocks:
    """Yield random ways of dealing out n + m values, n to A and m to B.

    The label is the last bit of a random number; sorted, the numbers bring the labels into random order. Two
    equal numbers, one chance in 2^31 or 2^63, would be in the order of their labels.
    """
    kind = np.uint32 if n + m < 1 << 12 else np.uint64
    for generator, rows in _blocks("swap", n + m, n_resamples, seed):
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
