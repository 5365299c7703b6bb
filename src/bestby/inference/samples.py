"""Two samples of scores, one number per run: locations, their errors and tests, and the chance to be ahead.

Every difference is A minus B. Where the samples are paired, run i of A and run i of B belong together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from scipy.special import bdtr, ndtr, ndtri, owens_t, stdtr, stdtrit

from bestby._core import checks, rounding
from bestby._core.chunks import CHUNK
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import classical, permutation, tilting
from bestby.inference.bisection import last_that_holds
from bestby.resampling import streams, totals
from bestby.resampling.totals import run_blocks
from bestby.results.values import Interval, TestResult
from bestby.vocabulary import allowed_names

TRIMMED = {"trimmed_mean": 0.2, "iqm": 0.25}
"""Share of the runs left out at either end: the 20 % trimmed mean, and the mean of the middle half."""

FEW_RUNS = 5
"""Runs below which little is known of how much they vary, as a note says."""

FEW_FOR_ADVICE = 8
"""Runs below which the standard error of a median rests on the lowest and the highest of them."""


def location(x: FloatArray, statistic: str) -> FloatArray:
    """Return the location of each row.

    A trimmed mean leaves out floor(0.2 n) runs at either end, the interquartile mean floor(0.25 n).
    """
    checks.choice(statistic, allowed_names("statistic"), "statistic")
    if statistic == "median":
        return np.asarray(np.median(x, axis=-1))
    cut = _cut(x.shape[-1], statistic)
    middle = np.sort(x, axis=-1)[..., cut : x.shape[-1] - cut] if cut else x
    return np.asarray(middle.mean(axis=-1))


def n_averaged(n: int, statistic: str) -> int:
    """Return how many of n runs a location is the mean of; for the median all, whose order it needs.

    >>> n_averaged(10, "mean"), n_averaged(10, "trimmed_mean"), n_averaged(10, "iqm")
    (10, 6, 6)
    """
    return n - 2 * _cut(n, statistic)


def _cut(n: int, statistic: str) -> int:
    share = TRIMMED.get(statistic, 0.0)
    return rounding.round_down(share * n) if share else 0


def winsorized(x: FloatArray, statistic: str) -> FloatArray:
    """Return each row with its lowest and highest runs moved to the nearest one that is kept."""
    cut = _cut(x.shape[-1], statistic)
    if cut == 0:
        return x
    ordered = np.sort(x, axis=-1)
    return np.clip(x, ordered[..., cut, None], ordered[..., x.shape[-1] - 1 - cut, None])


def _squares(x: FloatArray, n_used: int) -> FloatArray:
    """Return the variance of a mean of `kept` runs from the (winsorized) runs of each row."""
    # Winsorized sum of squares over h (h - 1), h the runs that are averaged (Yuen 1974).
    deviations = x - x.mean(axis=-1, keepdims=True)
    return np.asarray((deviations * deviations).sum(axis=-1) / (n_used * (n_used - 1)))


@lru_cache(maxsize=256)
def _order_statistics(n: int) -> tuple[int, float]:
    """Return the rank of the order statistic of Price and Bonett, and their distance in standard errors."""
    # Order statistics about sqrt(n) from the middle; the binomial chance that the median lies beyond them
    # says how many standard errors they are apart (Price & Bonett 2001).
    rank = max(1, math.floor(0.5 * (n + 1) - math.sqrt(n) + 0.5))
    return rank, -2.0 * float(ndtri(bdtr(rank - 1, n, 0.5)))


def _median_error(x: FloatArray) -> FloatArray:
    """Return the standard error of the median of each row (Price & Bonett 2001)."""
    n = x.shape[-1]
    rank, distance = _order_statistics(n)
    ordered = np.sort(x, axis=-1)
    return np.asarray((ordered[..., n - rank] - ordered[..., rank - 1]) / distance)


def squared_errors(x: FloatArray, statistic: str) -> FloatArray:
    """Return the estimated variance of the location of each row of at least two runs.

    >>> squared_errors(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]]), "mean").round(4)
    array([0.3333, 0.1111])
    """
    if statistic == "median":
        return _median_error(x) ** 2
    return _squares(winsorized(x, statistic), n_averaged(x.shape[-1], statistic))


def paired_squared_errors(a: FloatArray, b: FloatArray, statistic: str) -> FloatArray:
    """Return the estimated variance of the difference of the locations of each row of paired runs.

    The covariance of two medians comes from how often both runs of a pair are on one side of them (Bonett &
    Price 2020, Brit. J. Math. Statist. Psychol. 73, 333-346, count those below; with those above, and half of
    those at a median, the sign of the scores does not matter). Pairs that all differ by the same have the
    error 0.

    >>> float(paired_squared_errors(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.0]), "mean").round(4))
    0.1111
    """
    n = a.shape[-1]
    if statistic != "median":
        w = winsorized(a, statistic) - winsorized(b, statistic)
        return _squares(w, n_averaged(n, statistic))
    error_a, error_b = _median_error(a), _median_error(b)
    side_a, side_b = (np.sign(x - np.median(x, axis=-1, keepdims=True)) for x in (a, b))
    # Without ties, and with one pair at both medians, four times the share of Bonett and Price less 1.
    correlation = (side_a * side_b).sum(axis=-1) / (n if n % 2 else n + 1)
    square = error_a**2 + error_b**2 - 2.0 * correlation * error_a * error_b
    sizes = np.maximum(np.abs(a).max(axis=-1), np.abs(b).max(axis=-1))
    return np.asarray(np.where(rounding.is_nothing(np.ptp(a - b, axis=-1), sizes), 0.0, square))


def squared_error(x: FloatArray, statistic: str) -> tuple[float, int] | None:
    """Return the estimated variance of the location of n runs, and its degrees of freedom.

    A single run has None. The variance of a trimmed mean is from the winsorized runs (Yuen 1974, Biometrika
    61, 165-170, section 2), that of the median from the distance of two order statistics (Price & Bonett
    2001, J. Statist. Comput. Simul. 68, 295-305). It has no degrees of freedom of its own; n - 1 makes
    intervals and tests of fewer than ten runs too careful rather than too bold (the page Calibration has the
    figures).
    """
    if x.size < 2:
        return None
    return float(squared_errors(x, statistic)), n_averaged(x.size, statistic) - 1


def difference_error(
    a: FloatArray, b: FloatArray, statistic: str, *, paired: bool
) -> tuple[float, float] | None:
    """Return the standard error of the difference of two locations, and its degrees of freedom.

    For independent runs it is Welch's (1938, Biometrika 29, 350-362), for trimmed means Yuen's, for medians
    Bonett and Price's (2002, Psychological Methods 7, 370-383); for pairs that of the differences. None if a
    system has a single run.
    """
    if paired:
        if a.size < 2:
            return None
        square = float(paired_squared_errors(a, b, statistic))
        return math.sqrt(max(0.0, square)), float(n_averaged(a.size, statistic) - 1)
    error_a, error_b = squared_error(a, statistic), squared_error(b, statistic)
    if error_a is None or error_b is None:
        return None
    return welch([error_a[0], error_b[0]], [error_a[1], error_b[1]])


def welch(variances: list[float], freedoms: Sequence[float]) -> tuple[float, float]:
    """Return the root of a sum of variances and its degrees of freedom (Satterthwaite 1946)."""
    total = math.fsum(variances)
    if total <= 0.0:
        return 0.0, float(sum(freedoms))
    # Shares of the total: variances of any size neither overflow nor vanish when they are squared.
    spread = math.fsum((v / total) ** 2 / df for v, df in zip(variances, freedoms, strict=True))
    return math.sqrt(total), 1.0 / spread


def typical_size(a: FloatArray, b: FloatArray, statistic: str) -> float:
    """Return the size of the scores a location is made of: a run far off has no part in others than the mean.

    >>> a, b = np.array([21.0, 22.0, 1e12]), np.array([23.0, 24.0, 25.0])
    >>> typical_size(a, b, "mean"), typical_size(a, b, "median")
    (1000000000000.0, 23.5)
    """
    sizes = np.abs(np.concatenate([a, b]))
    return float(sizes.max() if statistic == "mean" else np.median(sizes))


def left_out(x: FloatArray, statistic: str) -> FloatArray:
    """Return the location without each run in turn, shape (n,)."""
    n = x.size
    others = np.arange(n)[None, :] + (np.arange(n)[None, :] >= np.arange(n)[:, None])
    return location(x[others[:, : n - 1]], statistic)


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
    error = difference_error(a, b, statistic, paired=paired)
    if error is None:
        return None
    difference = float(location(a, statistic) - location(b, statistic))
    least, scale = smallest_p(a.size, b.size, paired), typical_size(a, b, statistic)
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


def smallest_p(n: int, m: int, paired: bool) -> float:
    """Return the smallest one-sided p-value of the permutation test, or the smallest normal float above it.

    >>> smallest_p(3, 3, paired=False), smallest_p(3, 3, paired=True)
    (0.05, 0.125)
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
    scale = typical_size(a, b, statistic)
    difference = _location_differences(a, b, statistic)
    error = float(_errors(a, b, statistic, scale, paired, difference))
    t = float(difference) / error
    if statistic == "mean" and a.size == b.size:
        # The larger the difference of equally many runs, the smaller the squares around their means, whose
        # sum with its own is that of all runs: differences have the order of t, and are quicker.
        values, unit = partial(_location_differences, statistic=statistic), scale
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


def _location_differences(x: FloatArray, y: FloatArray, statistic: str) -> FloatArray:
    return location(x, statistic) - location(y, statistic)


def _errors(
    x: FloatArray, y: FloatArray, statistic: str, scale: float, paired: bool, differences: FloatArray
) -> FloatArray:
    """Return the standard error of each row's difference; rounding alone, and a single run, has none.

    All differences without a standard error are as far from 0 as any, whatever the unit of the scores.
    """
    if paired and x.shape[-1] > 1:
        squares = paired_squared_errors(x, y, statistic)
    else:
        squares = np.zeros(x.shape[:-1])
        for z in (x, y):
            squares = squares + (squared_errors(z, statistic) if z.shape[-1] > 1 else 0.0)
    least = rounding.noise_width(np.maximum(np.abs(differences), scale))
    error = np.maximum(np.sqrt(np.maximum(squares, 0.0)), least)
    return np.where(error > 0.0, error, 1.0)  # 0 over 0 is 0


def _studentized(x: FloatArray, y: FloatArray, statistic: str, scale: float, paired: bool) -> FloatArray:
    differences = _location_differences(x, y, statistic)
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
        return swapped_statistics(totals.swap_bits(streams.replicate_keys(key, start, stop - start), n))

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
    return totals.drawn_units(keys, np.array([0, n], dtype=np.int64))


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


# -- the probability that a run of A scores above one of B -----------------------------------------


def probability(a: FloatArray, b: FloatArray, *, paired: bool) -> float:
    """Return P(A > B) + P(A = B) / 2, of pairs or of independent runs."""
    return float((a > b).mean() + 0.5 * (a == b).mean()) if paired else placements(a, b)[0]


def improvement(a: FloatArray, b: FloatArray, level: float, *, paired: bool) -> tuple[float, Interval]:
    """Return P(A > B) + P(A = B) / 2 with its interval.

    For pairs it is Wilson's score interval, ties counting half; otherwise Newcombe's score interval of the
    area under the curve (2006, Statist. Med. 25, 559-573, method 5), which, unlike that of Brunner and
    Munzel, does not shrink to a point where all runs of one system are above all of the other. Newcombe's
    variance takes both systems to vary alike. Where one varies much more, its runs alone decide, so the
    variance is the larger of Newcombe's and that of two normal distributions with the observed variances (by
    pairs with a common run: Hanley & McNeil 1982, Radiology 143, 29-36). These are hardly known of fewer than
    five runs: the quantile is then Student's, with Satterthwaite's degrees of freedom and six at least.
    """
    p = probability(a, b, paired=paired)
    if paired:
        n, z = float(a.size), float(ndtri(0.5 * (1.0 + level)))
        centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n)
        half = z / (1.0 + z * z / n) * math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
        return p, Interval(max(0.0, centre - half), min(1.0, centre + half), level, "wilson", True)
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    z = _quantile([(a.size, b.size, var_a, var_b)], level)
    low = _lower(p, z, lambda theta: _variance(theta, a.size, b.size, var_a, var_b))
    high = 1.0 - _lower(1.0 - p, z, lambda theta: _variance(theta, b.size, a.size, var_b, var_a))
    return p, Interval(low, high, level, "newcombe", True)


def mean_over_strata(
    samples_of: Sequence[tuple[FloatArray, FloatArray]], level: float, *, paired: bool
) -> tuple[float, Interval]:
    """Return the mean over strata, such as datasets, of the probability, with its interval.

    The probability is that of Agarwal et al. (2021, NeurIPS, section 4.3). The ends of the interval are those
    probabilities that lie z of their own standard errors from it, as those of `improvement` do for one
    stratum: the variance is the sum of those that the strata have with this probability, over their squared
    number. Where the strata have other probabilities than their mean, the variances are smaller, so the
    interval is too long rather than too short. It has a length where one system is ahead in all runs, which
    percentiles of resamples do not have.

    >>> p, interval = mean_over_strata([(np.array([2.0, 3.0]), np.array([0.0, 1.0]))] * 4, 0.95, paired=False)
    >>> p, round(interval.low, 2), interval.high
    (1.0, 0.65, 1.0)
    """
    p = math.fsum(probability(a, b, paired=paired) for a, b in samples_of) / len(samples_of)
    sides = [
        [(a.size, b.size, float(a.var(ddof=1)), float(b.var(ddof=1))) for a, b in samples_of],
        [(b.size, a.size, float(b.var(ddof=1)), float(a.var(ddof=1))) for a, b in samples_of],
    ]
    z = float(ndtri(0.5 * (1.0 + level))) if paired else _quantile(sides[0], level)
    low, high = (
        _lower(at, z, partial(_mean_variance, sizes, paired=paired))
        for at, sizes in zip((p, 1.0 - p), sides, strict=True)
    )
    return p, Interval(low, 1.0 - high, level, "wilson" if paired else "newcombe", True)


def _quantile(strata: Sequence[tuple[int, int, float, float]], level: float) -> float:
    """Return the quantile of an interval whose variance rests on those of the runs."""
    sizes = [size for n, m, *_ in strata for size in (n, m)]
    if min(sizes) >= FEW_RUNS:
        return float(ndtri(0.5 * (1.0 + level)))
    spread = [variance for *_, var_a, var_b in strata for variance in (var_a, var_b)]
    mean_variances = [variance / size for variance, size in zip(spread, sizes, strict=True)]
    _, freedom = welch(mean_variances, [size - 1 for size in sizes])
    # Degrees of freedom below which the interval would be longer than it must (calibration, `improvement`)
    return float(stdtrit(max(6.0, freedom), 0.5 * (1.0 + level)))


def _mean_variance(strata: Sequence[tuple[int, int, float, float]], theta: float, *, paired: bool) -> float:
    """Return the variance of the mean of the shares that A wins, if it wins with probability theta in all."""
    if paired:
        parts = [theta * (1.0 - theta) / n for n, *_ in strata]
    else:
        parts = [_variance(theta, *stratum) for stratum in strata]
    return math.fsum(parts) / len(strata) ** 2


def _variance(theta: float, n: int, m: int, var_a: float, var_b: float) -> float:
    """Return the variance of the share of pairs of runs that A wins, if it wins with probability theta."""
    # Method 5: exponential distributions, with (n + m) / 2 - 1 in place of n - 1 and of m - 1.
    common = 0.5 * (n + m) - 1.0
    exponential = 1.0 + common * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
    inside = min(max(theta, 1e-15), 1.0 - 1e-15)
    total = var_a + var_b
    share_a = var_a / total if total > 0.0 else 0.5
    z = float(ndtri(inside))
    below = float(ndtr(z))
    covariance_a = _covariance(inside, z, below, share_a)
    covariance_b = _covariance(inside, z, below, 1.0 - share_a)
    # Pairs of runs that share one have a covariance: n m (n - 1) and n m (m - 1) of them beside n m
    # variances.
    normal = 1.0 + ((m - 1) * covariance_a + (n - 1) * covariance_b) / (inside * (1.0 - inside))
    return theta * (1.0 - theta) / (n * m) * max(exponential, normal)


def _covariance(theta: float, z: float, below: float, correlation: float) -> float:
    """Return the covariance of two events of probability theta whose normal variables are correlated.

    `z` is their quantile, of which `below` is the probability. The probability of both is by Owen's T
    function (Owen 1956, Ann. Math. Statist. 27, 1075-1090).
    """
    # P(X < z, Y < z) = Phi(z) - 2 T(z, sqrt((1 - r) / (1 + r))).
    both = below - 2.0 * float(owens_t(z, math.sqrt((1.0 - correlation) / (1.0 + correlation))))
    return max(0.0, both - theta * theta)


def _lower(p: float, z: float, variance: Callable[[float], float]) -> float:
    """Return the lower end: the theta below p that lies z of its own standard errors from it."""
    return last_that_holds(lambda theta: (p - theta) ** 2 > z * z * variance(theta), 0.0, p)[0]


def placements(a: FloatArray, b: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return P(A > B) + P(A = B) / 2 and the placements: the share of the other sample below each run."""
    # A tie counts half: twice the counts are whole.
    half_below_a, half_below_b = _half_counts(a, b), _half_counts(b, a)
    # Whole numbers until the last division, so that P is the nearest number to the true fraction.
    p = int(half_below_a.sum()) / (2 * a.size * b.size)
    return p, half_below_a / (2.0 * b.size), 1.0 - half_below_b / (2.0 * a.size)


def _half_counts(x: FloatArray, others: FloatArray) -> IntArray:
    """Return twice the number of others below each value, others equal to it counting once."""
    ordered = np.sort(others)
    return np.asarray(np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right"))


def brunner_munzel(a: FloatArray, b: FloatArray, alternative: Alternative) -> TestResult:
    """Return the test that neither system is more likely to be ahead.

    Brunner & Munzel (2000), Biometrical J. 42, 17-25: the p-value is from the t distribution with
    Satterthwaite's degrees of freedom. Two samples that do not overlap have no variance there: the p-value is
    then the smallest of the permutation test.
    """
    p, places_a, places_b = placements(a, b)
    variances = [float(places_a.var(ddof=1)) / a.size, float(places_b.var(ddof=1)) / b.size]
    error, freedom = welch(variances, [a.size - 1, b.size - 1])
    least = smallest_p(a.size, b.size, False)
    return t_result("brunner-munzel", p - 0.5, error, freedom, alternative, least, 1.0)
