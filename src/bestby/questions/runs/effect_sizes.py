"""The difference of two samples of scores in standard deviations between runs."""

from __future__ import annotations

import math

from scipy.special import ndtri

from bestby._core import rounding
from bestby._core.typing import FloatArray
from bestby.inference import locations
from bestby.results.values import Interval


def effect_size(a: FloatArray, b: FloatArray, level: float, *, paired: bool) -> tuple[float, Interval | None]:
    """Return the difference of means in standard deviations of a run, corrected for few runs.

    The standard deviation is the root of the mean of both variances. The correction for independent runs is 1
    - 3 / (4 (n + m - 2) - 1), which gives Hedges' g for n = m, and for pairs sqrt((n - 2) / (n - 1)); two
    pairs are not corrected. The interval is Bonett's (2008, Psychological Methods 13, 99-109): normal, around
    the difference before the correction, assuming neither equal variances nor, for pairs, a correlation.
    Without any variance the result is NaN and None; without any of the differences of pairs, there is no
    interval, as their correlation of 1 leaves none of the uncertainty that the runs have.
    """
    n, m = a.size, b.size
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    mean_variance = 0.5 * (var_a + var_b)
    if mean_variance <= rounding.noise_width(locations.size_of(a, b, "mean")) ** 2:
        return math.nan, None
    d = float(a.mean() - b.mean()) / math.sqrt(mean_variance)
    # Shares of the mean variance: variances of any size neither overflow nor vanish when they are squared.
    u, v = var_a / mean_variance, var_b / mean_variance
    if paired:
        w = float(((a - a.mean()) * (b - b.mean())).sum()) / (n - 1) / mean_variance
        of_differences = max(0.0, u + v - 2.0 * w)
        variance = d * d * (u * u + v * v + 2.0 * w * w) / (8.0 * (n - 1)) + of_differences / (n - 1)
        correction = math.sqrt((n - 2) / (n - 1)) if n > 2 else 1.0
        if rounding.is_nothing(of_differences, 1.0):
            return correction * d, None
    else:
        variance = d * d * (u * u / (n - 1) + v * v / (m - 1)) / 8.0 + u / (n - 1) + v / (m - 1)
        correction = 1.0 - 3.0 / (4.0 * (n + m - 2) - 1.0)
    half = float(ndtri(0.5 * (1.0 + level))) * math.sqrt(variance)
    return correction * d, Interval(d - half, d + half, level, "normal", True)
