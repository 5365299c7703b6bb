"""Intervals and p-values from a standard error, for estimates whose units may be skewed.

The estimate over its standard error, T, is Student's if units are normal. If they are skewed, a sample
without the rare large units makes the estimate and its error too small together: T is skewed the other way,
and the truth lies beyond one of the two ends of Student's interval far more often than that says. For a
skewed estimate the distribution of

    g(T) = T + s T^2 / 3 + s^2 T^3 / 27 + s / 6,

with s its skewness, is closer to Student's; g increases everywhere and has an inverse (Hall 1992, J. R.
Statist. Soc. B 54, 221-228). It is flat at T = -3 / s, so that near there an interval would reach many
standard errors for little: a sample that is so skewed mostly has its rare large units already. So g is used
up to T = -2 / s, and goes on with slope 1 until g itself is steeper. That covers as often where sums are
moderately skewed (calibration, subjects `judged`, *penalties*, and `unequal_clusters`); where they are so
skewed that intervals are too short anyway, these miss a little more often (`equivalence`, *lognormal*).
No end of an interval is nearer to the estimate than by Student's t, and no p-value smaller.

Of few units the skewness is hardly known, and it is smallest in the samples in which T is worst. `robust`
therefore moves it away from 0 by up to a multiple of its own standard error, at each end to the side that
makes the interval longest. That is ours; the page "Skewed differences" has its derivation and what it costs.
Half a standard error is for intervals and p-values, a whole one for verdicts, of which one side counts.

Where the effect of a cluster goes with its size, or sums of clusters are visibly skewed, `cr2` of
`bestby.inference.clusters` gives the skewness by itself, with the effective units as degrees of freedom.
A mean over items divides by the sizes of the clusters, which adds a term to T that takes away part of what s
adds. It is left out: both come from the few largest clusters, and intervals with it are too short.
"""

from __future__ import annotations

import dataclasses
import math
from typing import overload

import numpy as np

from bestby._core import special
from bestby._core.typing import Alternative, FloatArray
from bestby.inference.clusters import StandardError
from bestby.inference.intervals import Moments
from bestby.results.values import TestResult

FOR_INTERVALS = 0.5
"""Standard errors of the skewness that intervals and p-values allow for."""

FOR_VERDICTS = 1.0
"""Standard errors of the skewness for verdicts, which one end decides."""

ERRORS = {"hall": FOR_INTERVALS, "hall-wide": FOR_VERDICTS}
"""Standard errors of the skewness by the names of intervals."""

FROM_UNITS = 15
"""Units from which intervals allow for skewness by default: below, that costs a third of the power."""

FEWEST = 3
"""Units below which nothing is known of their skewness."""

REACH = 2.0
"""The transformation is used as it is up to T = -REACH / s; it is flat at T = -3 / s."""

_LOWEST = 1.0 - (1.0 - REACH / 3.0) ** 3
"""At T = -REACH / s, g(T) is s / 6 - _LOWEST / s."""


def robust(
    error: StandardError, units: Moments | None, errors: float, effective: float | None = None
) -> StandardError:
    """Return a standard error that allows for more skewness than the units show, or for less.

    The skewness of the units is Fisher's G1 = g1 sqrt(n (n - 1)) / (n - 2), and its standard error that of n
    normal numbers, sqrt(6 n (n - 1) / ((n - 2) (n + 1) (n + 3))) (Fisher 1930, Proc. R. Soc. A 130, 16-28);
    it moves by so many `errors`. The skewness of their mean is that over the root of n, or of how many are
    `effective`: clusters of unequal size are as 1 / sum h^2 of equal size, h their shares of the items.
    `units` are the moments of what each unit adds to the estimate. With fewer than three units, or none that
    varies, the error is returned as it is.

    >>> values = np.array([0.1, 0.3, 0.2, 0.2, 0.0, 1.6])  # their mean is 0.4
    >>> units = Moments.of(values, np.ones(6, dtype=np.int64))
    >>> error = robust(StandardError(units.error_of_mean, 5.0), units, FOR_INTERVALS)
    >>> round(error.skewness, 3), round(error.moves, 3), [round(x, 3) for x in interval(0.4, error, 0.95)]
    (0.934, 0.173, [-0.226, 1.335])
    """
    if units is None or units.n < FEWEST or error.se <= 0.0 or units.second <= 0.0:
        return error
    n = units.n
    spread = units.second / n
    # G1 and its standard error in normal samples; a mean of n units has the skewness over the root of n.
    g = units.third / n / spread**1.5 * math.sqrt(n * (n - 1.0)) / (n - 2.0)
    unsure = math.sqrt(6.0 * n * (n - 1.0) / ((n - 2.0) * (n + 1.0) * (n + 3.0)))
    root = math.sqrt(n if effective is None else effective)
    return dataclasses.replace(error, skewness=g / root, moves=errors * unsure / root)


def error_of_mean(values: FloatArray, errors: float) -> StandardError:
    """Return the standard error of a mean of independent values, which allows for their skewness."""
    units = Moments.of(values, np.ones(values.size, dtype=np.int64))
    se = 0.0 if units is None else units.error_of_mean
    return robust(StandardError(se, values.size - 1.0), units, errors)


def between(a: FloatArray, b: FloatArray | None, error: StandardError, errors: float) -> StandardError:
    """Return the standard error of a difference of means of two independent samples, which are skewed apart.

    What goes together with Welch's standard error is the difference of the two third cumulants, so that the
    skewness is (k_a / n_a^2 - k_b / n_b^2) / se^3, and the squares of its two uncertainties add up. Equal
    samples that are equally skewed need no allowance but for chance. `b` is None where only its mean and
    spread are known: then it is taken not to be skewed.
    """
    if error.se <= 0.0:
        return error
    skewness, moves = 0.0, 0.0
    for sign, sample in ((1.0, a), (-1.0, b)):
        if sample is not None:
            own = error_of_mean(sample, errors)
            # Third cumulants add up, k = skewness se^3, with the sign of the sample in the difference.
            cube = (own.se / error.se) ** 3
            skewness, moves = skewness + sign * own.skewness * cube, math.hypot(moves, own.moves * cube)
    return dataclasses.replace(error, skewness=skewness, moves=moves)


def no_longer(error: StandardError, other: StandardError, most: float) -> StandardError:
    """Return an error with so much of its skewness that 95 % intervals are at most so many times as long.

    That is as long as those by the other error; they are never shorter than Student's t by its own. The
    effective units are raised by as much as the skewness is lowered.

    >>> error, other = StandardError(0.1, 29.0, -0.5, 3.0), StandardError(0.11, 29.0)
    >>> less = no_longer(error, other, 1.1)
    >>> round(less.skewness, 2), [round(x, 2) for x in interval(0.0, less, 0.95)]
    (-0.2, [-0.29, 0.2])
    """
    limit = most * _length(other)
    if _length(error) <= limit:
        return error
    low, high = 0.0, 1.0
    # Halvings to 1e-12 of the range
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _length(_part(error, middle)) <= limit else (low, middle)
    return _part(error, low)


def _part(error: StandardError, share: float) -> StandardError:
    effective = error.effective / share if share > 0.0 else math.inf
    return dataclasses.replace(
        error, skewness=share * error.skewness, moves=share * error.moves, effective=effective
    )


def _length(error: StandardError) -> float:
    low, high = interval(0.0, error, 0.95)
    return high - low


def interval(estimate: float, error: StandardError, level: float) -> tuple[float, float]:
    """Return the interval of an estimate by its standard error.

    >>> low, high = interval(0.02, StandardError(0.01, 9.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (-0.0026, 0.0426)
    >>> low, high = interval(0.02, StandardError(0.01, 9.0, skewness=0.3, effective=6.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (-0.0026, 0.0569)
    """
    tail = 0.5 * (1.0 + level)
    plain, t = (float(special.stdtrit(df, tail)) for df in (_df(error), _fewer(error)))
    below_g, above_g = error.skewness - error.moves, error.skewness + error.moves
    # No end is nearer than by Student: allowing for skewness may only make an interval longer.
    above = max(plain, -_furthest(-t, -error.skewness, -below_g))
    below = min(-plain, _furthest(-t, error.skewness, above_g))
    return estimate - above * error.se, estimate - below * error.se


def wald(estimate: float, error: StandardError, alternative: Alternative, name: str = "wald") -> TestResult:
    """Test whether an estimate is 0, by its ratio to the standard error.

    The two-sided p-value is at most 1 - level where `interval` excludes 0, and nowhere else. The statistic
    is the plain ratio.

    >>> round(wald(0.02, StandardError(0.01, 9.0), "two-sided").p_value, 4)
    0.0766
    >>> round(wald(0.02, StandardError(0.01, 9.0, skewness=-0.3, effective=6.0), "two-sided").p_value, 4)
    0.1659
    """
    if error.se > 0.0:
        t = estimate / error.se
    else:
        t = 0.0 if estimate == 0.0 else math.copysign(math.inf, estimate)
    skewnesses = (error.skewness - error.moves, error.skewness, error.skewness + error.moves)
    low, g, high = (transformed(t, skewness) for skewness in skewnesses)
    if t > 0.0:  # between them the transformation is nearest to 0 where the skewness is -2 / t
        low = transformed(t, min(max(-REACH / t, skewnesses[0]), skewnesses[1]))
    elif t < 0.0:
        high = transformed(t, min(max(-REACH / t, skewnesses[1]), skewnesses[2]))
    upper = max(float(special.stdtr(_df(error), -t)), float(special.stdtr(_fewer(error), -min(low, g))))
    lower = max(float(special.stdtr(_df(error), t)), float(special.stdtr(_fewer(error), max(high, g))))
    p = {"greater": upper, "less": lower, "two-sided": min(1.0, 2.0 * min(upper, lower))}[alternative]
    return TestResult(name, p, alternative, False, "asymptotic", statistic=t)


def transformed(t: float, skewness: float) -> float:
    """Return g(t), with slope 1 from -2 / s on until g itself is steeper.

    >>> transformed(2.0, 0.0), round(transformed(2.0, 0.3), 4), round(transformed(-2.0, -0.3), 4)
    (2.0, 2.4767, -2.4767)
    """
    if math.isinf(t):
        return t
    # t + s t^2 / 3 + s^2 t^3 / 27 = t (1 + z + z^2 / 3) with z = s t / 3.
    z = skewness * t / 3.0
    moved = t * (1.0 + z + z * z / 3.0)
    # Beyond T = -2 / s with slope 1, from the value there on, until g itself is further out.
    past = -REACH - skewness * t
    if past > 0.0:
        moved = max(moved, -(_LOWEST + past) / skewness, key=abs)
    return moved + skewness / 6.0


@overload
def restored(x: float, skewness: float) -> float: ...
@overload
def restored(x: float, skewness: FloatArray) -> FloatArray: ...
def restored(x: float, skewness: float | FloatArray) -> float | FloatArray:
    """Return the t whose `transformed` is x.

    Up to -2 / s that is 3 ((1 + s (x - s / 6))^(1/3) - 1) / s, in a form that holds at s = 0.

    >>> round(restored(transformed(2.0, 0.3), 0.3), 12), restored(2.0, 0.0)
    (2.0, 2.0)
    """
    y = x - skewness / 6.0
    root = np.cbrt(1.0 + skewness * y)
    # (r - 1) 3 / s with r^3 = 1 + s y, and r^3 - 1 = (r - 1)(r^2 + r + 1): no 0 / 0 where s is 0.
    inside = 3.0 * y / (root * root + root + 1.0)
    past = -_LOWEST - skewness * y
    beyond = np.divide(-REACH - past, skewness, out=np.full_like(inside, np.inf), where=past > 0.0)
    t: FloatArray = np.where(np.abs(beyond) < np.abs(inside), beyond, inside)
    return t if isinstance(skewness, np.ndarray) else float(t)


def _furthest(x: float, low: float, high: float) -> float:
    """Return the lowest `restored` x, which is below 0, of all skewnesses from low to high.

    It falls up to the skewness at which it is -2 / s, beyond which the transformation has slope 1.
    """
    turn = 3.0 * (x + math.sqrt(x * x + 2.0 * _LOWEST / 3.0))
    return min(restored(x, low), restored(x, min(max(turn, low), high)))


def _df(error: StandardError) -> float:
    return max(1.0, error.df)


def _fewer(error: StandardError) -> float:
    return max(1.0, min(error.df, error.effective))
