"""Locations of samples, such as the scores of several runs: mean, median, trimmed means, and their errors.

Where samples are paired, run i of A and run i of B belong together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, ndtri

from bestby._core import checks, rounding
from bestby._core.typing import FloatArray
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


def n_kept(n: int, statistic: str) -> int:
    """Return how many of n runs a location is the mean of; for the median all, whose order it needs.

    >>> n_kept(10, "mean"), n_kept(10, "trimmed_mean"), n_kept(10, "iqm")
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
    deviations = x - x.mean(axis=-1, keepdims=True)
    return np.asarray((deviations * deviations).sum(axis=-1) / (n_used * (n_used - 1)))


@lru_cache(maxsize=256)
def _order_statistics(n: int) -> tuple[int, float]:
    """Return the rank of the order statistic of Price and Bonett, and their distance in standard errors."""
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
    return _squares(winsorized(x, statistic), n_kept(x.shape[-1], statistic))


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
        return _squares(w, n_kept(n, statistic))
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
    return float(squared_errors(x, statistic)), n_kept(x.size, statistic) - 1


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
        return math.sqrt(max(0.0, square)), float(n_kept(a.size, statistic) - 1)
    error_a, error_b = squared_error(a, statistic), squared_error(b, statistic)
    if error_a is None or error_b is None:
        return None
    return combined([error_a[0], error_b[0]], [error_a[1], error_b[1]])


def combined(variances: list[float], freedoms: Sequence[float]) -> tuple[float, float]:
    """Return the root of a sum of variances and its degrees of freedom (Satterthwaite 1946)."""
    total = math.fsum(variances)
    if total <= 0.0:
        return 0.0, float(sum(freedoms))
    # Shares of the total: variances of any size neither overflow nor vanish when they are squared.
    spread = math.fsum((v / total) ** 2 / df for v, df in zip(variances, freedoms, strict=True))
    return math.sqrt(total), 1.0 / spread


def size_of(a: FloatArray, b: FloatArray, statistic: str) -> float:
    """Return the size of the scores a location is made of: a run far off has no part in others than the mean.

    >>> a, b = np.array([21.0, 22.0, 1e12]), np.array([23.0, 24.0, 25.0])
    >>> size_of(a, b, "mean"), size_of(a, b, "median")
    (1000000000000.0, 23.5)
    """
    sizes = np.abs(np.concatenate([a, b]))
    return float(sizes.max() if statistic == "mean" else np.median(sizes))


def left_out(x: FloatArray, statistic: str) -> FloatArray:
    """Return the location without each run in turn, shape (n,)."""
    n = x.size
    others = np.arange(n)[None, :] + (np.arange(n)[None, :] >= np.arange(n)[:, None])
    return location(x[others[:, : n - 1]], statistic)
