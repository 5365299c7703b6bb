"""Locations of the runs of several strata together, such as datasets, of which each counts alike.

Every run has the weight 1 / (number of strata * runs of its stratum). With equal numbers of runs the
interquartile mean is that of Agarwal et al. (2021), Deep reinforcement learning at the edge of the
statistical precipice, NeurIPS, section 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray
from bestby.inference import locations


def weights_of(strata: Sequence[FloatArray]) -> FloatArray:
    """Return the weight of each run, stratum by stratum; they sum to 1.

    >>> weights_of([np.zeros(2), np.zeros(4)])
    array([0.25 , 0.25 , 0.125, 0.125, 0.125, 0.125])
    """
    return np.concatenate([np.full(x.size, 1.0 / (len(strata) * x.size)) for x in strata])


def cut_of(n: int, statistic: str) -> float:
    """Return the share of the weight that a location leaves out at either end: whole runs of n equal ones.

    >>> cut_of(10, "iqm"), cut_of(10, "median"), cut_of(9, "median") * 9
    (0.2, 0.4, 4.0)
    """
    if statistic == "median":
        return ((n - 1) // 2) / n
    return rounding.round_down(locations.TRIMMED.get(statistic, 0.0) * n) / n


def pooled_location(rows: FloatArray, weights: FloatArray, statistic: str) -> FloatArray:
    """Return the location of each row of runs with these weights, shape (B, N) -> (B,).

    >>> pooled_location(np.array([[4.0, 1.0, 2.0, 30.0]]), np.full(4, 0.25), "iqm")
    array([3.])
    """
    cut = cut_of(weights.size, statistic)
    if cut == 0.0:
        return np.asarray(rows @ weights)
    return np.concatenate([_trimmed(rows[part], weights, cut) for part in chunks(len(rows), weights.size)])


def _trimmed(rows: FloatArray, weights: FloatArray, cut: float) -> FloatArray:
    order = np.argsort(rows, axis=1, kind="stable")
    kept = _kept(weights[order], cut)
    return np.asarray((np.take_along_axis(rows, order, axis=1) * kept).sum(axis=1) / kept.sum(axis=1))


def _kept(ordered: FloatArray, cut: float) -> FloatArray:
    """Return what is kept of the weights of ordered runs if a share is cut off at either end."""
    ends = np.cumsum(ordered, axis=-1)
    kept = np.minimum(ends, 1.0 - cut) - np.maximum(ends - ordered, cut)
    return np.where(kept > 1e-12, kept, 0.0)  # the rest is the rounding of the sum


def winsorized(strata: Sequence[FloatArray], statistic: str) -> list[FloatArray]:
    """Return the runs, those that the location leaves out moved to the nearest one that is kept."""
    values = np.concatenate(strata)
    order = np.argsort(values, kind="stable")
    there = _kept(weights_of(strata)[order], cut_of(values.size, statistic)) > 0.0
    kept = values[order][there]
    return [np.clip(x, kept[0], kept[-1]) for x in strata]


def pooled_error(
    a: Sequence[FloatArray], b: Sequence[FloatArray] | None, statistic: str, *, paired: bool
) -> tuple[float, float]:
    """Return the standard error of a location, or of the difference of two, and its degrees of freedom.

    The influence of a run on a trimmed mean is its winsorized value over the share that is kept. So the
    variance is that of the winsorized runs around the mean of their stratum, as Yuen's (1974, Biometrika 61,
    165-170) is around that of all, summed over the strata, with Satterthwaite's degrees of freedom. That of
    the median needs resamples.
    """
    sides = [_influences(x, statistic) for x in (a, b) if x is not None]
    if paired and len(sides) == 2:
        sides = [[x - y for x, y in zip(*sides, strict=True)]]
    parts = [x for side in sides for x in side]
    variances = [float(x.var(ddof=1)) / x.size for x in parts]
    error, freedom = locations.combined(variances, [x.size - 1 for x in parts])
    return error / len(a), freedom


def _influences(strata: Sequence[FloatArray], statistic: str) -> list[FloatArray]:
    share = 1.0 - 2.0 * cut_of(sum(x.size for x in strata), statistic)
    return [x / share for x in winsorized(strata, statistic)]


def profile(
    strata: Sequence[FloatArray], at: FloatArray, *, greater_is_better: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the share of the runs that are better than each of some scores, and its standard error.

    The performance profile of Agarwal et al. (2021), section 4.2: the mean of the shares of the strata. The
    error is that of runs drawn anew inside each stratum.

    >>> share, error = profile([np.array([1.0, 2.0]), np.array([2.0, 3.0])], np.array([0.0, 1.5]),
    ...                        greater_is_better=True)
    >>> share, error.round(2)
    (array([1.  , 0.75]), array([0.  , 0.25]))
    """
    shares = np.array(
        [(x[:, None] > at if greater_is_better else x[:, None] < at).mean(axis=0) for x in strata]
    )
    sizes = np.array([x.size for x in strata])[:, None]
    variances = (shares * (1.0 - shares) / (sizes - 1)).sum(axis=0)
    return shares.mean(axis=0), np.sqrt(variances) / len(strata)


def gaps(x: FloatArray) -> FloatArray:
    """Return how far each normalised score is below 1, 0 where it is above (the optimality gap)."""
    return np.maximum(0.0, 1.0 - x)
