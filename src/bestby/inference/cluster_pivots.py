"""Intervals and tests from cluster-robust errors, also where estimate and error vary together.

They do where the effect of a cluster goes with its size, and where the sums of clusters are skewed. A few
clusters then carry both the estimate and its error, and the estimate over its standard error, T, is not
Student's: where the sample has no cluster as large as some in the population, the estimate and its error are
both too small. For a skewed estimate the distribution of

    g(T) = T + s T^2 / 3 + s^2 T^3 / 27 + s / 6,

with s its skewness, is closer to Student's; g increases everywhere and has an inverse (Hall 1992, J. R.
Statist. Soc. B 54, 221-228). It is flat at T = -3 / s, so that near there an interval would reach many
standard errors for little: a sample that is so skewed mostly has its rare large units already. So g is used
up to T = -2 / s, and goes on with slope 1 until g itself is steeper. That covers as often where sums are
moderately skewed (calibration, subjects `judged`, *penalties*, and `unequal_clusters`); where they are so
skewed that intervals are too short anyway, these miss a little more often (`equivalence`, *lognormal*).
Its degrees of freedom here are those of CR2, but at most the effective units.
No end of an interval is nearer to the estimate than by CR2 and Student's t (Bell & McCaffrey 2002), and no
p-value smaller. `cr2` of `bestby.inference.clusters` says when there is a skewness to allow for.

A mean over items divides by the sizes of the clusters, which adds a term to T that takes away part of what s
adds. It is left out: both come from the few largest clusters, and intervals with it are too short.
"""

from __future__ import annotations

import math
from typing import overload

import numpy as np

from bestby._core import special
from bestby._core.typing import Alternative, FloatArray
from bestby.inference.clusters import StandardError
from bestby.results.values import TestResult

REACH = 2.0
"""The transformation is used as it is up to T = -REACH / s; it is flat at T = -3 / s."""

_LOWEST = 1.0 - (1.0 - REACH / 3.0) ** 3
"""At T = -REACH / s, g(T) is s / 6 - _LOWEST / s."""


def interval(estimate: float, error: StandardError, level: float) -> tuple[float, float]:
    """Return the interval of an estimate by its cluster-robust standard error.

    >>> low, high = interval(0.02, StandardError(0.01, 9.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (-0.0026, 0.0426)
    >>> low, high = interval(0.02, StandardError(0.01, 9.0, skewness=0.3, effective=6.0), 0.95)
    >>> round(low, 4), round(high, 4)
    (-0.0026, 0.0569)
    """
    tail = 0.5 * (1.0 + level)
    plain, t = (float(special.stdtrit(df, tail)) for df in (_df(error), _fewer(error)))
    above = max(plain, restored(t, error.skewness))
    below = min(-plain, restored(-t, error.skewness))
    return estimate - above * error.se, estimate - below * error.se


def wald(estimate: float, error: StandardError, alternative: Alternative) -> TestResult:
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
    moved = transformed(t, error.skewness)
    upper = max(float(special.stdtr(_df(error), -t)), float(special.stdtr(_fewer(error), -moved)))
    lower = max(float(special.stdtr(_df(error), t)), float(special.stdtr(_fewer(error), moved)))
    p = {"greater": upper, "less": lower, "two-sided": min(1.0, 2.0 * min(upper, lower))}[alternative]
    return TestResult("wald", p, alternative, False, "asymptotic", statistic=t)


def transformed(t: float, skewness: float) -> float:
    """Return g(t), with slope 1 from -2 / s on until g itself is steeper.

    >>> transformed(2.0, 0.0), round(transformed(2.0, 0.3), 4), round(transformed(-2.0, -0.3), 4)
    (2.0, 2.4767, -2.4767)
    """
    if math.isinf(t):
        return t
    z = skewness * t / 3.0
    moved = t * (1.0 + z + z * z / 3.0)
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
    inside = 3.0 * y / (root * root + root + 1.0)
    past = -_LOWEST - skewness * y
    beyond = np.divide(-REACH - past, skewness, out=np.full_like(inside, np.inf), where=past > 0.0)
    found: FloatArray = np.where(np.abs(beyond) < np.abs(inside), beyond, inside)
    return found if isinstance(skewness, np.ndarray) else float(found)


def _df(error: StandardError) -> float:
    return max(1.0, error.df)


def _fewer(error: StandardError) -> float:
    return max(1.0, min(error.df, error.effective))
