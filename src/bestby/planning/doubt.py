"""What a pilot leaves open: the variances that its data are compatible with."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import gammaincinv

from bestby._core.typing import FloatArray
from bestby.results.base import Note

_POINTS = 20
"""Points of an integral over one unknown; powers are smooth in it, and 20 give four digits."""

FEW_DF = 30.0
"""Degrees of freedom of a pilot below which a note says what they do to the power."""


@cache
def gauss_legendre() -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of Gauss and Legendre for an integral from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    points, weights = 0.5 * (points + 1.0), 0.5 * weights
    points.flags.writeable = weights.flags.writeable = False
    return points, weights


def mean_squares(df: float, u: FloatArray) -> FloatArray:
    """Return quantiles of an estimated variance over the true one: a chi-square over its degrees of freedom.

    Given the estimate s², the true variance is s² divided by such a number (fiducial distribution). A plan
    whose power, averaged over it, is .80 then has a power of .80 on average over the pilots there could have
    been: the size is a multiple of s², and the ratio of s² to the true variance has the same distribution
    in both averages.

    >>> mean_squares(4.0, np.array([0.1, 0.5, 0.9])).round(3)
    array([0.266, 0.839, 1.945])
    """
    quantiles: FloatArray = 2.0 * gammaincinv(0.5 * df, u) / df
    return quantiles


def clustered_df(squares: FloatArray, sizes: FloatArray, expected: FloatArray) -> float:
    """Return the degrees of freedom with which a pilot knows the variance of a mean over clusters.

    They are 2 over the squared relative error of the variance, the larger of two estimates: of normal
    scores, 2 / (G - 1) with the effective number G of clusters (Kish 1965), plus what clusters of other
    sizes would change; and from the squared deviations, which show heavy tails and items on which systems
    seldom differ.
    """
    effective = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    normal = 2.0 / max(effective - 1.0, 0.5) + _relative_variance(expected, sizes)
    return 2.0 / max(normal, _relative_variance(squares, sizes) if squares.any() else 0.0)


def _relative_variance(parts: FloatArray, sizes: FloatArray) -> float:
    """Return the squared relative error of a ratio of sums over clusters, by linearisation."""
    count = parts.size
    change = parts / parts.mean() - sizes / sizes.mean()
    return float(change @ change) / (count * (count - 1.0))


def effective_units_df(effective: float, units: int) -> float:
    """Return the degrees of freedom of a variance that so many units of equal weight carry.

    Their number is that of the units over their kurtosis; never more than the units less one are counted.
    Where no unit deviates (0 effective units) there is no variance to doubt, and the units less one count.

    >>> [round(effective_units_df(effective, 100), 1) for effective in (100 / 3, 10.0, 0.0)]
    [99.0, 22.0, 99.0]
    """
    kurtosis = (1.0 / effective - 1.0 / units) * units / (units - 1.0) if effective > 0.0 else 0.0
    return 2.0 / max(kurtosis, 2.0 / (units - 1.0))


def few_df_notes(df: float | None, what: str = "the spread") -> tuple[Note, ...]:
    """Return a note if a pilot knows a variance from few degrees of freedom."""
    if df is None or df >= FEW_DF:
        return ()
    low, high = (float(x) ** -0.5 for x in mean_squares(df, np.array([0.9, 0.1])))
    return (
        Note(
            "uncertain_pilot",
            f"the pilot estimates {what} with only {df:.3g} degrees of freedom: the true value may well be"
            f" {low:.2g} to {high:.2g} times as large (80 % interval). The power is averaged over this"
            f" uncertainty; that of one study can be far lower or higher, and with heavy-tailed scores it"
            f" is lower than stated",
        ),
    )
