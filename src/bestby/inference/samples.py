"""Tests and t intervals of two samples of scores, one number per run.

Every difference is A minus B. Where the samples are paired, run i of A and run i of B belong together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from scipy.special import stdtr, stdtrit

from bestby._core import rounding
from bestby._core.chunks import CHUNK
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import classical, locations, permutation, tilting
from bestby.resampling import streams, weights
from bestby.resampling.totals import run_blocks
from bestby.results.values import Interval, TestResult

MOST_SPLITS = 200_000
"""Ways to split the runs between two systems up to which all of them are counted."""

MOST_LISTED = 1 << 22
"""Positions of all those splits up to which they are: 10 against 10 runs, but not 3 against 100."""

MOST_SWAPS = 17
"""Pairs up to which all swaps are counted, for locations other than the mean."""

T_NAMES = {"mean": "welch", "trimmed_mean": "yuen", "iqm": "yuen", "median": "price-bonett"}
"""What the t test and the t interval of two independent samples are called."""

Values = Callable[[FloatArray, FloatArray], FloatArray]
"""From rows of runs of A and of B the value of each row that a permutation test counts."""


# -- t tests and t intervals -----------------------------------------------------------------------


def t_test(
    a: FloatArray, b: FloatArray, statistic: str, alternative: Alternative, *, paired: bool
) -> TestResult | None:
    """Welch's t test, or the paired one; of trimmed means Yuen's, of medians with Price and Bonett's error.

    None of a single run. Without any variance t has no denominator: p is then 1 for equal locations, and
    otherwise that of the best-ordered split.
    """
    if paired and statistic == "mean":
        return classical.paired_t(classical.paired_differences(a, b), alternative)
    error = locations.difference_error(a, b, statistic, paired=paired)
    if error is None:
        return None
    difference = float(locations.location(a, statistic) - locations.location(b, statistic))
    least, scale = fewest(a.size, b.size, paired), locations.size_of(a, b, statistic)
    return t_result(T_NAMES[statistic], difference, *error, alternative, least, scale)


def t_result(
    name: str,
    difference: float,
    error: float,
    freedom: float,
    alternative: Alternative,
    least: float = 0.0,
    scale: float = 0.0,
) -> TestResult:
    """Return the t test of a difference from its standard error.

    `least` holds the one-sided p-value where the error is 0 and the difference is not.
    """
    if no_spread(error, difference, scale):
        if rounding.level(difference, 0.0, scale) or difference == 0.0:
            return TestResult(name, 1.0, alternative, True, "enumeration", statistic=0.0)
        side = {"two-sided": 2.0 * least, "greater": least, "less": 1.0}
        if difference < 0.0:
            side.update(greater=1.0, less=least)
        t = math.copysign(math.inf, difference)
        return TestResult(name, min(1.0, side[alternative]), alternative, True, "enumeration", statistic=t)
    t = difference / error
    upper, lower = float(stdtr(freedom, -t)), float(stdtr(freedom, t))
    p = {"two-sided": 2.0 * min(upper, lower), "greater": upper, "less": lower}[alternative]
    p = min(1.0, max(p, np.finfo(np.float64).tiny))
    return TestResult(name, p, alternative, False, "asymptotic", statistic=t)


def no_spread(error: float, difference: float, scale: float) -> bool:
    """Return whether a standard error, or a range, is rounding alone."""
    return rounding.is_nothing(error, max(scale, abs(difference)))


def fewest(n: int, m: int, paired: bool) -> float:
    """Return the smallest one-sided p-value of the permutation test, or the smallest normal float above it.

    >>> fewest(3, 3, paired=False), fewest(3, 3, paired=True), fewest(600, 600, paired=False) > 0.0
    (0.05, 0.125, True)
    """
    # Of more than 1022 runs even the splits of 1022 are too many for a float.
    p = 0.5**n if paired else 1 / math.comb(n + m, min(n, m, 1022))
    return max(p, np.finfo(np.float64).tiny.item())


def t_interval(estimate: float, error: float, freedom: float, level: float, method: str) -> Interval:
    """Return estimate plus and minus a quantile of Student's t times the standard error."""
    half = float(stdtrit(freedom, 0.5 * (1.0 + level))) * error
    return Interval(estimate - half, estimate + half, level, method, True)


# -- permutation tests -----------------------------------------------------------------------------


def permutation_test(
    a: FloatArray,
    b: FloatArray,
    statistic: str,
    alternative: Alternative,
    *,
    paired: bool,
    n_resamples: int,
    seed: int,
) -> TestResult:
    """Return the permutation test of the difference of two locations in its standard errors.

    If runs can be exchanged, the test is exact with any statistic. If the systems vary unequally around the
    same location, a test of the difference alone rejects too often however many runs there are, but for means
    of as many of A as of B; divided by its own standard error in every split, it rejects at its level in the
    limit of many runs (Janssen 1997, Statist. Probab. Lett. 36, 9-21; Chung & Romano 2013, Ann. Statist. 41,
    484-507). With few runs of the system that varies more it still rejects too often.

    The two-sided test counts splits whose t is at least as far from 0 as that of the data, in either
    direction. The statistic is t, except for paired means. All splits are counted up to 10 against 10 runs;
    for paired means nearly always.
    """
    if paired and statistic == "mean":
        exact = permutation.exact_mean(a - b, np.ones(a.size, dtype=np.int64), alternative, float(a.size))
        if exact is not None:
            return exact
    scale = locations.size_of(a, b, statistic)
    difference = _differences(a, b, statistic)
    error = float(_errors(a, b, statistic, scale, paired, difference))
    t = float(difference) / error
    if statistic == "mean" and a.size == b.size:
        # The larger the difference of equally many runs, the smaller the squares around their means, whose
        # sum with its own is that of all runs: differences have the order of t, and are quicker.
        values, unit = partial(_differences, statistic=statistic), scale
    else:
        values, unit = partial(_studentized, statistic=statistic, scale=scale, paired=paired), scale / error
    drawn, are_all = (_swapped if paired else _split)(a, b, values, n_resamples, seed)
    name = "permutation" if paired else "permutation-2"
    if are_all:
        test = _counted(name, drawn, paired or a.size == b.size, alternative, unit)
    else:
        test = permutation.monte_carlo(drawn, float(values(a, b)), alternative, name=name, scale=unit)
    if paired and statistic == "mean":
        return tilting.refined_mean(test, a - b, float(a.size), seed)
    return replace(test, statistic=t)


def _differences(x: FloatArray, y: FloatArray, statistic: str) -> FloatArray:
    return locations.location(x, statistic) - locations.location(y, statistic)


def _errors(
    x: FloatArray, y: FloatArray, statistic: str, scale: float, paired: bool, differences: FloatArray
) -> FloatArray:
    """Return the standard error of each row's difference; rounding alone, and a single run, has none.

    All differences without a standard error are as far from 0 as any, whatever the unit of the scores.
    """
    if paired and x.shape[-1] > 1:
        squares = locations.paired_squared_errors(x, y, statistic)
    else:
        squares = np.zeros(x.shape[:-1])
        for z in (x, y):
            squares = squares + (locations.squared_errors(z, statistic) if z.shape[-1] > 1 else 0.0)
    least = rounding.noise_width(np.maximum(np.abs(differences), scale))
    error = np.maximum(np.sqrt(np.maximum(squares, 0.0)), least)
    return np.where(error > 0.0, error, 1.0)  # 0 over 0 is 0


def _studentized(x: FloatArray, y: FloatArray, statistic: str, scale: float, paired: bool) -> FloatArray:
    differences = _differences(x, y, statistic)
    return differences / _errors(x, y, statistic, scale, paired, differences)


def _split(
    a: FloatArray, b: FloatArray, values: Values, n_resamples: int, seed: int
) -> tuple[FloatArray, bool]:
    """Return the values of ways to deal out the runs to systems of these sizes, and whether those are all."""
    n, pooled = a.size, np.concatenate([a, b])
    n_splits = math.comb(pooled.size, n)
    if n_splits <= MOST_SPLITS and n_splits * pooled.size <= MOST_LISTED:
        first, second = _splits(n, b.size)
        return values(pooled[first], pooled[second]), True

    def block(start: int, stop: int) -> FloatArray:
        runs = pooled.take(_deals(pooled.size, start, stop, seed))
        return values(runs[:, :n], runs[:, n:])

    return run_blocks(block, n_resamples, max(1, CHUNK // pooled.size), 1, None), False


@lru_cache(maxsize=64)  # many pairs of systems have as many runs; a block takes half a megabyte
def _deals(size: int, start: int, stop: int, seed: int) -> IntArray:
    """Return the positions in random order, once for each resample from `start` to `stop`."""
    keys = streams.replicate_keys(streams.stream_key(seed, "runs"), start, stop - start)
    order = np.argsort(streams.words(keys, 0, size), axis=1)
    order.setflags(write=False)
    return order


@lru_cache(maxsize=4)
def _splits(n: int, m: int) -> tuple[IntArray, IntArray]:
    """Return every choice of n among n + m positions, and the positions it leaves."""
    flat = itertools.chain.from_iterable(itertools.combinations(range(n + m), n))
    first = np.fromiter(flat, dtype=np.int64, count=math.comb(n + m, n) * n).reshape(-1, n)
    taken = np.zeros((first.shape[0], n + m), dtype=np.bool_)
    np.put_along_axis(taken, first, True, axis=1)
    second = np.nonzero(~taken)[1].reshape(-1, m)
    return first, second


def _swapped(
    a: FloatArray, b: FloatArray, values: Values, n_resamples: int, seed: int
) -> tuple[FloatArray, bool]:
    """Return the values of ways to swap the runs of pairs, and whether those are all."""
    n = a.size

    def swapped_statistics(bits: IntArray) -> FloatArray:
        swapped = bits.astype(np.bool_)
        return values(np.where(swapped, b, a), np.where(swapped, a, b))

    if n <= MOST_SWAPS:
        return swapped_statistics((np.arange(1 << n)[:, None] >> np.arange(n)) & 1), True
    key = streams.stream_key(seed, "runs")

    def block(start: int, stop: int) -> FloatArray:
        return swapped_statistics(weights.swap_bits(streams.replicate_keys(key, start, stop - start), n))

    return run_blocks(block, n_resamples, max(1, CHUNK // n), 1, None), False


def _counted(
    name: str, values: FloatArray, mirrored: bool, alternative: Alternative, scale: float
) -> TestResult:
    """Return the exact p-value from the values of all splits or swaps.

    The first is that of the data; `mirrored` says that the last is that of the data with A and B exchanged.
    """
    observed = float(values[0])
    sign = {"two-sided": 0.0, "greater": 1.0, "less": -1.0}[alternative]
    distance = np.abs(values) if sign == 0.0 else sign * values
    far = abs(observed) if sign == 0.0 else sign * observed
    hit = distance >= far - rounding.tie_width(scale, abs(observed))
    hit[0] = True  # whatever rounding does: neither is less extreme than the data
    if mirrored and sign == 0.0:
        hit[-1] = True
    hits = int(np.count_nonzero(hit))
    return TestResult(name, hits / values.size, alternative, True, "enumeration", statistic=observed)


# -- bootstrap and outlying runs -------------------------------------------------------------------


def drawn_runs(n: int, n_resamples: int, seed: int, name: str) -> IntArray:
    """Return which runs each resample takes, shape (B, n); systems of other names draw independently."""
    text = int.from_bytes(name.encode("utf-8"), "little")
    sequence = np.random.SeedSequence([seed, text], spawn_key=(streams.PURPOSES.index("runs"),))
    key = np.uint64(sequence.generate_state(1, np.uint64)[0])
    keys = streams.replicate_keys(key, 0, n_resamples)
    return weights.drawn_units(keys, np.array([0, n], dtype=np.int64))


def outlying(systems: Sequence[FloatArray]) -> list[tuple[int, int, float]]:
    """Return the runs far from the median of their system: (system, run, robust standard deviations).

    The robust standard deviation is 1.4826 times the median distance of the runs from the median of their
    system, over the runs of that system or of all, whichever is more. Of normal scores 6 in 100 pairs of
    systems of five runs have such a run, 2 of ten runs, none of more.
    """
    distances = [np.abs(x - np.median(x)) for x in systems]
    if not distances:
        return []
    pooled = float(np.median(np.concatenate(distances)))
    out = []
    for system, mine in enumerate(distances):
        spread = 1.4826 * max(pooled, float(np.median(mine)))
        # Runs of a system from which an outlying one can be told
        if mine.size < 5 or spread <= 0.0:
            continue
        # Robust standard deviations from the median of its system from which a run is outlying
        out += [(system, int(i), float(mine[i] / spread)) for i in np.flatnonzero(mine > 5.0 * spread)]
    return out
