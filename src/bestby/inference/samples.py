"""Two samples of scores, one number per run: locations and their spread, tests, the chance of improvement.

Every difference is A minus B. Where the samples are paired, run i of A and run i of B belong together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from bestby._core import checks
from bestby._core.rounding import NO_SPREAD, SAME, tie_width
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import classical, permutation, tilting
from bestby.resampling import streams, weights
from bestby.resampling.totals import run_blocks
from bestby.results import Interval, TestResult

STATISTICS = ("mean", "median", "trimmed_mean", "iqm")
"""Locations that can be compared."""

TRIMMED = {"trimmed_mean": 0.2, "iqm": 0.25}
"""Share of the runs left out at either end: the 20 % trimmed mean, and the mean of the middle half."""

MOST_SPLITS = 200_000
"""Ways to split the runs between two systems up to which all of them are counted."""

MOST_LISTED = 1 << 22
"""Positions of all those splits up to which they are: 10 against 10 runs, but not 3 against 100."""

MOST_SWAPS = 17
"""Pairs up to which all swaps are counted, for locations other than the mean."""

MOST_KEPT = 1 << 22
"""Positions of dealt-out runs that are kept for the next pair of systems."""

FAR = 5.0
"""Robust standard deviations from the median of its system from which a run is outlying."""

FEWEST_TOLD = 5
"""Runs of a system from which an outlying one can be told."""

_BLOCK = 1 << 18


# -- location and spread ---------------------------------------------------------------------------


def location(x: FloatArray, statistic: str) -> FloatArray:
    """Return the location of each row.

    Parameters
    ----------
    x : ndarray, shape (..., n)
        Scores of n runs.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        What is taken of them. A trimmed mean leaves out floor(0.2 n) runs at either end, the
        interquartile mean floor(0.25 n).

    Returns
    -------
    ndarray, shape (...)
        The locations.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 100.0])
    >>> [float(location(x, statistic)) for statistic in STATISTICS]
    [22.0, 3.0, 3.0, 3.0]
    """
    checks.choice(statistic, STATISTICS, "statistic")
    if statistic == "median":
        return np.asarray(np.median(x, axis=-1))
    cut = _cut(x.shape[-1], statistic)
    kept = np.sort(x, axis=-1)[..., cut : x.shape[-1] - cut] if cut else x
    return np.asarray(kept.mean(axis=-1))


def _cut(n: int, statistic: str) -> int:
    return math.floor(TRIMMED.get(statistic, 0.0) * n + SAME)


def _winsorized(x: FloatArray, statistic: str) -> FloatArray:
    cut = _cut(x.size, statistic)
    ordered = np.sort(x)
    return np.clip(x, ordered[cut], ordered[x.size - 1 - cut])


def squared_error(x: FloatArray, statistic: str) -> tuple[float, int] | None:
    """Return the estimated variance of the location of n runs, and its degrees of freedom.

    Parameters
    ----------
    x : ndarray, shape (n,)
        Scores of at least two runs.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        The location.

    Returns
    -------
    (float, int) or None
        For a trimmed mean from the winsorized runs [1]_. None for the median, which has no such formula, and
        where trimming leaves a single run.

    References
    ----------
    .. [1] Yuen (1974), Biometrika 61, 165-170, section 2.

    Examples
    --------
    >>> squared_error(np.array([1.0, 2.0, 3.0]), "mean")
    (0.3333333333333333, 2)
    """
    kept = x.size - 2 * _cut(x.size, statistic)
    if statistic == "median" or kept < 2:
        return None
    w = _winsorized(x, statistic)
    return float(((w - w.mean()) ** 2).sum()) / (kept * (kept - 1)), kept - 1


def difference_error(
    a: FloatArray, b: FloatArray, statistic: str, *, paired: bool
) -> tuple[float, float] | None:
    """Return the standard error of the difference of two locations, and its degrees of freedom.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of the runs.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        The location.
    paired : bool
        Whether run i of A and run i of B belong together.

    Returns
    -------
    (float, float) or None
        Welch's (for trimmed means Yuen's) for independent runs [1]_; otherwise that of the differences.

    References
    ----------
    .. [1] Welch (1938), Biometrika 29, 350-362; Yuen (1974), Biometrika 61, 165-170.

    Examples
    --------
    >>> difference_error(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), "mean", paired=False)
    (0.816496580927726, 4.0)
    """
    if statistic == "median":
        return None
    if paired:
        kept = a.size - 2 * _cut(a.size, statistic)
        if kept < 2:
            return None
        w = _winsorized(a, statistic) - _winsorized(b, statistic)
        return math.sqrt(float(((w - w.mean()) ** 2).sum()) / (kept * (kept - 1))), float(kept - 1)
    of_a, of_b = squared_error(a, statistic), squared_error(b, statistic)
    if of_a is None or of_b is None:
        return None
    return combined([of_a[0], of_b[0]], [of_a[1], of_b[1]])


def combined(variances: list[float], freedoms: list[int]) -> tuple[float, float]:
    """Return the root of a sum of variances and its degrees of freedom (Satterthwaite 1946).

    Examples
    --------
    >>> combined([1.0, 1.0], [4, 4])
    (1.4142135623730951, 8.0)
    """
    total = math.fsum(variances)
    if total <= 0.0:
        return 0.0, float(sum(freedoms))
    # Shares of the total: variances of any size neither overflow nor vanish when they are squared.
    spread = math.fsum((v / total) ** 2 / df for v, df in zip(variances, freedoms, strict=True))
    return math.sqrt(total), 1.0 / spread


# -- tests -----------------------------------------------------------------------------------------


def t_test(
    a: FloatArray, b: FloatArray, statistic: str, alternative: Alternative, *, paired: bool
) -> TestResult | None:
    """Welch's t test of two independent samples, or the paired t test; Yuen's for trimmed means.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of the runs.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        The location.
    alternative : {"two-sided", "greater", "less"}
        "greater": the location of A is above that of B.
    paired : bool
        Whether run i of A and run i of B belong together.

    Returns
    -------
    TestResult or None
        Its statistic is t. None for the median. Without any variance t has no denominator: p is then 1 for
        equal locations, and otherwise that of the best-ordered split, which is as small as that many runs can
        make it without assuming a distribution.

    Examples
    --------
    >>> a, b = np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 4.0])
    >>> result = t_test(a, b, "mean", "two-sided", paired=False)
    >>> result.name, round(result.statistic, 4), round(result.p_value, 4)
    ('welch', 3.4785, 0.0322)
    """
    if paired and statistic == "mean":
        return classical.paired_t(classical.paired_differences(a, b), alternative)
    error = difference_error(a, b, statistic, paired=paired)
    if error is None:
        return None
    name = "yuen" if statistic != "mean" else "welch"
    difference = float(location(a, statistic) - location(b, statistic))
    least, scale = fewest(a.size, b.size, paired), size_of(a, b, statistic)
    return t_result(name, difference, *error, alternative, least, scale)


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

    Parameters
    ----------
    name : str
        Name of the test.
    difference, error, freedom : float
        The difference, its standard error and the degrees of freedom.
    alternative : {"two-sided", "greater", "less"}
        The alternative.
    least : float
        The one-sided p-value where the error is 0 and the difference is not.
    scale : float
        Size of the numbers the difference was taken of.

    Examples
    --------
    >>> round(t_result("t", 2.0, 1.0, 10.0, "two-sided").p_value, 4)
    0.0734
    """
    if error <= NO_SPREAD * max(scale, abs(difference)):
        if abs(difference) <= SAME * scale or difference == 0.0:
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


def fewest(n: int, m: int, paired: bool) -> float:
    """Return the smallest one-sided p-value of the permutation test, or the smallest normal float above it.

    Examples
    --------
    >>> fewest(3, 3, paired=False), fewest(3, 3, paired=True), fewest(600, 600, paired=False) > 0.0
    (0.05, 0.125, True)
    """
    # Of more than 1022 runs even the splits of 1022 are too many for a float.
    p = 0.5**n if paired else 1 / math.comb(n + m, min(n, m, 1022))
    return max(p, np.finfo(np.float64).tiny.item())


def size_of(a: FloatArray, b: FloatArray, statistic: str) -> float:
    """Return the size of the scores a location is made of: a run far off has no part in others than the mean.

    Examples
    --------
    >>> a, b = np.array([21.0, 22.0, 1e12]), np.array([23.0, 24.0, 25.0])
    >>> size_of(a, b, "mean"), size_of(a, b, "median")
    (1000000000000.0, 23.5)
    """
    sizes = np.abs(np.concatenate([a, b]))
    return float(sizes.max() if statistic == "mean" else np.median(sizes))


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
    """Return the Fisher-Pitman permutation test of the difference of two locations.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of the runs.
    statistic : {"mean", "median", "trimmed_mean", "iqm"}
        The location.
    alternative : {"two-sided", "greater", "less"}
        "greater": the location of A is above that of B. Two-sided counts differences of at least the size
        observed, in either direction.
    paired : bool
        Exchange the runs of a pair rather than all of them.
    n_resamples, seed : int
        For the Monte Carlo test, where there are too many ways to count.

    Returns
    -------
    TestResult
        Exact up to 10 against 10 runs (4 million numbers in 200 000 splits); paired means nearly always.

    References
    ----------
    .. [1] Pitman (1937), Suppl. J. R. Statist. Soc. 4, 119-130.

    Examples
    --------
    >>> permutation_test(np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 4.0]), "mean", "two-sided",
    ...                  paired=False, n_resamples=1000, seed=0).p_value
    0.1
    """
    observed = float(location(a, statistic) - location(b, statistic))
    if paired:
        return _paired_permutation(a, b, statistic, alternative, n_resamples, seed, observed)
    pooled, scale = np.concatenate([a, b]), size_of(a, b, statistic)
    n_splits = math.comb(pooled.size, a.size)
    if n_splits <= MOST_SPLITS and n_splits * pooled.size <= MOST_LISTED:
        first, second = _splits(a.size, b.size)
        drawn = _split_differences(pooled, first, second, statistic)
        return _counted("permutation-2", drawn, a.size == b.size, alternative, scale)
    if n_resamples * pooled.size <= MOST_KEPT:
        order = _kept_deals(pooled.size, n_resamples, seed)
        drawn = _split_differences(pooled, order[:, : a.size], order[:, a.size :], statistic)
        return permutation.monte_carlo(drawn, observed, alternative, name="permutation-2", scale=scale)

    def block(start: int, stop: int) -> FloatArray:
        order = _deals(pooled.size, start, stop, seed)
        return _split_differences(pooled, order[:, : a.size], order[:, a.size :], statistic)

    drawn = run_blocks(block, n_resamples, max(1, _BLOCK // pooled.size), 1, None)
    return permutation.monte_carlo(drawn, observed, alternative, name="permutation-2", scale=scale)


def _deals(size: int, start: int, stop: int, seed: int) -> IntArray:
    """Return the positions in random order, once for each resample from `start` to `stop`."""
    keys = streams.replicate_keys(streams.stream_key(seed, "runs"), start, stop - start)
    return np.argsort(streams.words(keys, 0, size), axis=1)


@lru_cache(maxsize=2)
def _kept_deals(size: int, n_resamples: int, seed: int) -> IntArray:
    """Return the same for all resamples; kept, because many pairs of systems have as many runs."""
    order = _deals(size, 0, n_resamples, seed)
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


def _split_differences(pooled: FloatArray, first: IntArray, second: IntArray, statistic: str) -> FloatArray:
    return location(pooled[first], statistic) - location(pooled[second], statistic)


def _paired_permutation(
    a: FloatArray,
    b: FloatArray,
    statistic: str,
    alternative: Alternative,
    n_resamples: int,
    seed: int,
    observed: float,
) -> TestResult:
    n, scale = a.size, size_of(a, b, statistic)
    if statistic == "mean":
        exact = permutation.exact_mean(a - b, np.ones(n, dtype=np.int64), alternative, float(n))
        if exact is not None:
            return exact

    def of_swaps(bits: IntArray) -> FloatArray:
        swapped = bits.astype(np.bool_)
        return location(np.where(swapped, b, a), statistic) - location(np.where(swapped, a, b), statistic)

    if n <= MOST_SWAPS:
        bits = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
        return _counted("permutation", of_swaps(bits), True, alternative, scale)
    key = streams.stream_key(seed, "runs")

    def block(start: int, stop: int) -> FloatArray:
        return of_swaps(weights.swap_bits(streams.replicate_keys(key, start, stop - start), n))

    drawn = run_blocks(block, n_resamples, max(1, _BLOCK // n), 1, None)
    result = permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale)
    return tilting.refined_mean(result, a - b, float(n), seed) if statistic == "mean" else result


def _counted(
    name: str, differences: FloatArray, mirrored: bool, alternative: Alternative, scale: float
) -> TestResult:
    """Return the exact p-value from the differences of all splits or swaps.

    The first is that of the data; `mirrored` says that the last is that of the data with A and B exchanged.
    """
    observed = float(differences[0])
    sign = {"two-sided": 0.0, "greater": 1.0, "less": -1.0}[alternative]
    distance = np.abs(differences) if sign == 0.0 else sign * differences
    far = abs(observed) if sign == 0.0 else sign * observed
    hit = distance >= far - tie_width(scale, abs(observed))
    hit[0] = True  # whatever rounding does: neither is less extreme than the data
    if mirrored and sign == 0.0:
        hit[-1] = True
    hits = int(np.count_nonzero(hit))
    return TestResult(name, hits / differences.size, alternative, True, "enumeration", statistic=observed)


# -- bootstrap -------------------------------------------------------------------------------------


def drawn_runs(n: int, n_resamples: int, seed: int, name: str) -> IntArray:
    """Return which runs each resample takes, shape (B, n).

    Parameters
    ----------
    n : int
        Number of runs.
    n_resamples, seed : int
        How many resamples, and their seed.
    name : str
        Systems of different names draw independently of each other, whatever other systems there are.

    Examples
    --------
    >>> drawn_runs(3, 2, 0, "a").shape
    (2, 3)
    """
    text = int.from_bytes(name.encode("utf-8"), "little")
    sequence = np.random.SeedSequence([seed, text], spawn_key=(streams.PURPOSES.index("runs"),))
    key = np.uint64(sequence.generate_state(1, np.uint64)[0])
    keys = streams.replicate_keys(key, 0, n_resamples)
    return weights.drawn_units(keys, np.array([0, n], dtype=np.int64))


def left_out(x: FloatArray, statistic: str) -> FloatArray:
    """Return the location without each run in turn, shape (n,).

    Examples
    --------
    >>> left_out(np.array([1.0, 2.0, 6.0]), "mean")
    array([4. , 3.5, 1.5])
    """
    n = x.size
    others = np.arange(n)[None, :] + (np.arange(n)[None, :] >= np.arange(n)[:, None])
    return location(x[others[:, : n - 1]], statistic)


# -- probability of improvement and effect size ----------------------------------------------------


def improvement(a: FloatArray, b: FloatArray, level: float, *, paired: bool) -> tuple[float, Interval]:
    """Return P(A > B) + P(A = B) / 2 with its interval.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of the runs.
    level : float
        Nominal coverage.
    paired : bool
        Compare run i with run i, rather than every run of A with every run of B.

    Returns
    -------
    (float, Interval)
        The probability, and Newcombe's score interval of the area under the curve (his method 5) [1]_; for
        pairs Wilson's score interval, ties counting half.

    Notes
    -----
    Cliff's delta is 2 P - 1. The interval of Brunner and Munzel shrinks to a point where all runs of one
    system are above all of the other, however few they are; this one does not.

    References
    ----------
    .. [1] Newcombe (2006), Statist. Med. 25, 559-573, method 5.

    Examples
    --------
    >>> p, interval = improvement(np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0]), 0.95, paired=False)
    >>> round(p, 4), round(interval.low, 4), round(interval.high, 4)
    (0.6667, 0.2126, 0.9342)
    """
    z = float(ndtri(0.5 * (1.0 + level)))
    if paired:
        n = float(a.size)
        p = float((a > b).mean() + 0.5 * (a == b).mean())
        centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n)
        half = z / (1.0 + z * z / n) * math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
        return p, Interval(max(0.0, centre - half), min(1.0, centre + half), level, "wilson", True)
    p = placements(a, b)[0]
    low, high = _newcombe(p, a.size, b.size, z), 1.0 - _newcombe(1.0 - p, b.size, a.size, z)
    return p, Interval(low, high, level, "newcombe", True)


def _newcombe(p: float, n: int, m: int, z: float) -> float:
    """Return the lower end: the theta below p that lies z of its own standard errors from it."""
    star = 0.5 * (n + m) - 1.0

    def too_low(theta: float) -> bool:
        spread = 1.0 + star * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
        return (p - theta) ** 2 > z * z * theta * (1.0 - theta) / (n * m) * spread

    low, high = 0.0, p
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if too_low(middle) else (low, middle)
    return low


def placements(a: FloatArray, b: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return P(A > B) + P(A = B) / 2 and the placements: the share of the other sample below each run.

    Examples
    --------
    >>> placements(np.array([1.0, 2.0]), np.array([0.0, 2.0]))
    (0.625, array([0.5 , 0.75]), array([1.  , 0.25]))
    """
    half_below_a, half_below_b = _half_counts(a, b), _half_counts(b, a)
    # Whole numbers until the last division, so that P is the nearest number to the true fraction.
    p = int(half_below_a.sum()) / (2 * a.size * b.size)
    return p, half_below_a / (2.0 * b.size), 1.0 - half_below_b / (2.0 * a.size)


def _half_counts(x: FloatArray, others: FloatArray) -> IntArray:
    """Return twice the number of others below each value, others equal to it counting once."""
    ordered = np.sort(others)
    return np.asarray(np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right"))


def brunner_munzel(a: FloatArray, b: FloatArray, alternative: Alternative) -> TestResult:
    """Return the test of Brunner and Munzel that neither system is more likely to be ahead.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of independent runs.
    alternative : {"two-sided", "greater", "less"}
        "greater": P(A > B) + P(A = B) / 2 is above one half.

    Returns
    -------
    TestResult
        With the t distribution of Satterthwaite's degrees of freedom. Two samples that do not overlap have no
        variance there: the p-value is then that of the permutation test, the smallest there is.

    References
    ----------
    .. [1] Brunner and Munzel (2000), Biometrical J. 42, 17-25.

    Examples
    --------
    >>> round(brunner_munzel(np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0, 0.5]), "two-sided").p_value, 4)
    0.3465
    """
    p, of_a, of_b = placements(a, b)
    variances = [float(of_a.var(ddof=1)) / a.size, float(of_b.var(ddof=1)) / b.size]
    error, freedom = combined(variances, [a.size - 1, b.size - 1])
    least = fewest(a.size, b.size, False)
    return t_result("brunner-munzel", p - 0.5, error, freedom, alternative, least, 1.0)


def effect_size(a: FloatArray, b: FloatArray, level: float, *, paired: bool) -> tuple[float, Interval | None]:
    """Return the difference of means in standard deviations of a run, corrected for few runs.

    Parameters
    ----------
    a, b : ndarray, shape (n,) and (m,)
        Scores of the runs.
    level : float
        Nominal coverage.
    paired : bool
        Whether run i of A and run i of B belong together.

    Returns
    -------
    (float, Interval or None)
        Hedges' g (pooled standard deviation) for independent runs, d_av (root of the mean variance) for
        paired ones [1]_, with the normal interval from its large-sample variance. NaN and
        None without any variance.

    References
    ----------
    .. [1] Borenstein, Hedges, Higgins and Rothstein (2009), Introduction to Meta-Analysis, eqs 4.18 to 4.31.

    Examples
    --------
    >>> g, interval = effect_size(np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 3.0]), 0.95, paired=False)
    >>> round(g, 4), round(interval.low, 4), round(interval.high, 4)
    (3.2, 0.9826, 5.4174)
    """
    n, m = a.size, b.size
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    freedom = n - 1 if paired else n + m - 2
    pooled = 0.5 * (var_a + var_b) if paired else ((n - 1) * var_a + (m - 1) * var_b) / freedom
    if pooled <= (NO_SPREAD * size_of(a, b, "mean")) ** 2:
        return math.nan, None
    d = float(a.mean() - b.mean()) / math.sqrt(pooled)
    if paired:
        covariance = float(((a - a.mean()) * (b - b.mean())).sum()) / (n - 1)
        spread = var_a * var_b
        r = covariance / math.sqrt(spread) if spread > 0.0 else 0.0
        variance = (1.0 / n + d * d / (2.0 * n)) * 2.0 * (1.0 - min(r, 1.0))
    else:
        variance = (n + m) / (n * m) + d * d / (2.0 * (n + m))
    correction = 1.0 - 3.0 / (4.0 * freedom - 1.0)
    half = float(ndtri(0.5 * (1.0 + level))) * correction * math.sqrt(variance)
    g = correction * d
    return g, Interval(g - half, g + half, level, "normal", True)


def t_interval(estimate: float, error: float, freedom: float, level: float, method: str) -> Interval:
    """Return estimate plus and minus a quantile of Student's t times the standard error.

    Examples
    --------
    >>> found = t_interval(1.0, 0.5, 4.0, 0.95, "welch")
    >>> round(found.low, 4), round(found.high, 4)
    (-0.3882, 2.3882)
    """
    half = float(stdtrit(freedom, 0.5 * (1.0 + level))) * error
    return Interval(estimate - half, estimate + half, level, method, True)


def outlying(systems: Sequence[FloatArray]) -> list[tuple[int, int, float]]:
    """Return the runs far from the median of their system: (system, run, robust standard deviations).

    The robust standard deviation is 1.4826 times the median distance of the runs from the median of their
    system, over the runs of that system or of all, whichever is more. Of normal scores 6 in 100 pairs of
    systems of five runs have such a run, 2 of ten runs, none of more; where one run in ten fails by ten
    standard deviations, 52, 82 and 98 of 100 pairs of five, ten and twenty runs are found out.

    Parameters
    ----------
    systems : sequence of (R,) float arrays
        The scores of the runs of each system; of fewer than five runs nothing is told.

    Examples
    --------
    >>> outlying([np.array([0.81, 0.82, 0.80, 0.31, 0.81]), np.array([0.83, 0.84, 0.82, 0.83, 0.84])])
    [(0, 3, 33.7...)]
    """
    distances = [np.abs(x - _middle(x)) for x in systems]
    if not distances:
        return []
    pooled = _middle(np.concatenate(distances))
    found = []
    for system, mine in enumerate(distances):
        spread = 1.4826 * max(pooled, _middle(mine))
        if mine.size < FEWEST_TOLD or spread <= 0.0:
            continue
        found += [(system, int(i), float(mine[i] / spread)) for i in np.flatnonzero(mine > FAR * spread)]
    return found


def _middle(x: FloatArray) -> float:
    """Return the median of a few numbers, ten times as quickly as NumPy."""
    ordered = np.sort(x)
    return float(ordered[(x.size - 1) // 2] + ordered[x.size // 2]) / 2.0
