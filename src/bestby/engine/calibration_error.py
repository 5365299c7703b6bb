"""Intervals of expected calibration errors, which are sums of absolute values and so biased upward.

The error is the sum over bins of |T_b| / n, with T_b the sum over the items of the bin of right minus
probability. T_b is D_b, n times what very many items would give, and noise with a standard deviation s_b. As
||T_b| - |D_b|| is at most the size of the noise, the error lies above the true one by no more than the sum of
|N(0, s_b)| / n: its upper quantile is what the lower end allows for. The upper end is a normal one, as the
bias is upward. Near 0 an interval from resamples or a standard error never holds the true value.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bestby._core import special
from bestby._core.typing import FloatArray
from bestby.inference.proportions import added_in_squares

_MEAN = math.sqrt(2.0 / math.pi)  # of |N(0, 1)|; below, its variance, skewness and excess kurtosis
_VARIANCE = 1.0 - 2.0 / math.pi
_SKEWNESS, _KURTOSIS = 0.9952717464311566, 0.8691773036059741


class CalibrationError(NamedTuple):
    """An error with its interval, and what the noise alone would give a calibrated system."""

    estimate: float
    low: float
    high: float
    if_calibrated: float

    @property
    def without_noise(self) -> float:
        """The error less what the noise gives a calibrated system, and 0 at least."""
        return max(0.0, self.estimate - self.if_calibrated)


def noise(totals: FloatArray, squares: FloatArray, units: FloatArray, binomial: FloatArray) -> FloatArray:
    """Return the standard deviation of the total of each bin.

    `totals` and `squares` are the sums over the units of a bin, items or clusters, of what they add to the
    total, and of its square; `units` is their number, and `binomial` the sum over the items of the variance
    c (1 - c) that a right answer has if the probability c is true. A bin in which all answers are right shows
    no spread, so that half of `binomial` is the least variance, and all of it below five units.

    >>> noise(*np.array([[-0.4], [0.82], [6.0], [0.54]])).round(4)
    array([0.8907])
    """
    spread = squares - np.divide(totals * totals, units, out=np.zeros_like(totals), where=units > 0.0)
    # Units in a bin below which their own spread is not believed
    least = np.where(units < 5, binomial, 0.5 * binomial)
    deviations: FloatArray = np.sqrt(np.maximum(spread, least))
    return deviations


def calibration_error(
    totals: FloatArray, deviations: FloatArray, n: float, level: float, df: float
) -> CalibrationError:
    """Return the expected calibration error of n items from the totals of its bins and their `noise`.

    >>> one = calibration_error(np.array([-2.0, 0.5]), np.array([3.0, 1.0]), 100.0, 0.95, 99.0)
    >>> [round(x, 4) for x in one], one.without_noise
    ([0.025, 0.0, 0.0877, 0.0319], 0.0)
    """
    estimate = float(np.abs(totals).sum()) / n
    t = float(special.stdtrit(df, 0.5 * (1.0 + level)))
    low = estimate - _noise_quantile(deviations, 0.5 * (1.0 + level), df) / n
    high = estimate + t * math.sqrt(float((deviations**2).sum())) / n
    return CalibrationError(estimate, max(0.0, low), high, _MEAN * float(deviations.sum()) / n)


def difference(a: CalibrationError, b: CalibrationError) -> tuple[float, float]:
    """Return the interval of the difference of two errors from their own intervals.

    That is MOVER (Zou & Donner 2008, Construction of confidence limits about effect measures, Statist. Med.
    27, 1693-1702, equations 5 and 6) about the errors without their noise, as if they were independent:
    errors of systems on the same items mostly vary together, so that it is rather too long. About the errors
    as they are it misses differences from a calibrated system, whose error is nothing but noise.

    >>> a, b = CalibrationError(.10, .06, .13, .02), CalibrationError(.03, .0, .04, .02)
    >>> [round(x, 4) for x in difference(a, b)]
    [0.0339, 0.121]
    """
    ends = added_in_squares((a.without_noise, b.without_noise), ((a.low, a.high), (b.low, b.high)))
    return float(ends[0]), float(ends[1])


def _noise_quantile(deviations: FloatArray, level: float, df: float) -> float:
    """Return a quantile of the sum of |N(0, s)|, by the expansion of Cornish and Fisher (1938).

    Normal in the sum of many bins; the worst case, of one bin, is 1 % too small. Quantiles of Student's t
    stand in for normal ones, as the deviations are estimates.
    """
    variance = _VARIANCE * float((deviations**2).sum())
    if variance == 0.0:
        return 0.0
    z = float(special.stdtrit(df, level))
    skewness = _SKEWNESS * _VARIANCE**1.5 * float((deviations**3).sum()) / variance**1.5
    kurtosis = _KURTOSIS * _VARIANCE**2 * float((deviations**4).sum()) / variance**2
    at = z + skewness * (z * z - 1.0) / 6.0
    at += kurtosis * (z**3 - 3.0 * z) / 24.0 - skewness**2 * (2.0 * z**3 - 5.0 * z) / 36.0
    return float(_MEAN * deviations.sum() + at * math.sqrt(variance))
