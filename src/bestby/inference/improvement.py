"""The probability that a run of A scores above one of B, and the test that neither is more likely to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri, owens_t, stdtrit

from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference import locations, samples
from bestby.inference.bisection import last_that_holds
from bestby.results.values import Interval, TestResult


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
    if min(sizes) >= locations.FEW_RUNS:
        return float(ndtri(0.5 * (1.0 + level)))
    spread = [variance for *_, var_a, var_b in strata for variance in (var_a, var_b)]
    of_means = [variance / size for variance, size in zip(spread, sizes, strict=True)]
    _, freedom = locations.combined(of_means, [size - 1 for size in sizes])
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
    common = 0.5 * (n + m) - 1.0
    exponential = 1.0 + common * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
    inside = min(max(theta, 1e-15), 1.0 - 1e-15)
    total = var_a + var_b
    share_a = var_a / total if total > 0.0 else 0.5
    z = float(ndtri(inside))
    below = float(ndtr(z))
    of_a = _covariance(inside, z, below, share_a)
    of_b = _covariance(inside, z, below, 1.0 - share_a)
    normal = 1.0 + ((m - 1) * of_a + (n - 1) * of_b) / (inside * (1.0 - inside))
    return theta * (1.0 - theta) / (n * m) * max(exponential, normal)


def _covariance(theta: float, z: float, below: float, correlation: float) -> float:
    """Return the covariance of two events of probability theta whose normal variables are correlated.

    `z` is their quantile, of which `below` is the probability. The probability of both is by Owen's T
    function (Owen 1956, Ann. Math. Statist. 27, 1075-1090).
    """
    both = below - 2.0 * float(owens_t(z, math.sqrt((1.0 - correlation) / (1.0 + correlation))))
    return max(0.0, both - theta * theta)


def _lower(p: float, z: float, variance: Callable[[float], float]) -> float:
    """Return the lower end: the theta below p that lies z of its own standard errors from it."""
    return last_that_holds(lambda theta: (p - theta) ** 2 > z * z * variance(theta), 0.0, p)[0]


def placements(a: FloatArray, b: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return P(A > B) + P(A = B) / 2 and the placements: the share of the other sample below each run."""
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
    error, freedom = locations.combined(variances, [a.size - 1, b.size - 1])
    least = samples.fewest(a.size, b.size, False)
    return samples.t_result("brunner-munzel", p - 0.5, error, freedom, alternative, least, 1.0)
