"""How many units to draw from each stratum, and how units are drawn (Cochran 1977, Sampling Techniques)."""

from __future__ import annotations

import numpy as np

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.bisection import last_that_holds

LEAST = 2
"""Units that are drawn from every stratum at least, so that each has a variance."""


def drawn_sizes(sizes: IntArray, n: int, sds: FloatArray | None = None) -> IntArray:
    """Return how many of n units each stratum gives.

    The numbers are proportional to the sizes of the strata or, with standard deviations, to sizes times
    standard deviations: Neyman's allocation (Cochran 1977, section 5.5), which has the least variance of a
    weighted mean if the deviations are right. They are guesses, and a large stratum that was thought not to
    vary would rest on two units; so every stratum gives at least half of its proportional share, or all
    strata their share if n is too small for that. Every stratum gives at least two units, or all that it has,
    and no stratum more than it has. Fractions are rounded so that the numbers add up to n: the greatest
    remainders go up.

    Parameters
    ----------
    sizes : ndarray of int, shape (H,)
        The number of units in each stratum.
    n : int
        How many to draw: at least the minimum of all strata and at most all.
    sds : ndarray, shape (H,), optional
        The standard deviation in each stratum.

    Examples
    --------
    >>> drawn_sizes(np.array([100, 100, 3]), 20).tolist()
    [9, 9, 2]
    >>> drawn_sizes(np.array([100, 100, 3]), 20, np.array([3.0, 1.0, 0.0])).tolist()
    [13, 5, 2]
    """
    weights, least = sizes.astype(np.float64), np.minimum(sizes, LEAST)
    if sds is not None and sds.max() > 0.0:
        # Part of its proportional share that every stratum gets, however little it varies
        floor = np.maximum(least, np.ceil(0.5 * n * weights / weights.sum()).astype(np.int64))
        if floor.sum() <= n:
            # A stratum without spread gets more units when the others are full
            weights, least = weights * np.maximum(sds / sds.max(), 1e-9), floor
    exact = _clipped(weights, least, sizes, n)
    found = rounding.round_down(exact)
    remainders = np.where(found < sizes, exact - found, -np.inf)
    found[np.argsort(-remainders, kind="stable")[: n - int(found.sum())]] += 1
    return found


def _clipped(weights: FloatArray, least: IntArray, most: IntArray, n: int) -> FloatArray:
    """Return numbers proportional to weights, within limits, that add up to n."""
    _, factor = last_that_holds(
        lambda one: bool(np.clip(one * weights, least, most).sum() < n), 0.0, float((most / weights).max())
    )
    return np.clip(factor * weights, least, most)


def first_units(order: IntArray, strata: IntArray, numbers: IntArray) -> IntArray:
    """Return the first units of each stratum in a random order, in this order.

    With the same order more units hold those of a smaller draw, so that a draw can be extended.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        A random permutation of the units.
    strata : ndarray of int, shape (n,)
        The stratum of each unit.
    numbers : ndarray of int, shape (H,)
        How many units each stratum gives.

    Examples
    --------
    >>> first_units(np.array([3, 1, 0, 2]), np.array([0, 0, 1, 1]), np.array([1, 1])).tolist()
    [3, 1]
    """
    by_stratum = np.argsort(strata[order], kind="stable")
    stratum = strata[order][by_stratum]
    turn = np.arange(order.size) - np.searchsorted(stratum, stratum)  # place within the stratum
    kept = np.zeros(order.size, dtype=np.bool_)
    kept[by_stratum] = turn < numbers[stratum]
    return order[kept]
