"""Bounds of a difference that allow for units which could differ, but did not among those seen.

An interval from a standard error, or from resamples, knows the units that were seen. Of two systems that
differ on few units, or on none, others of the same kind may differ more often, or by more: an interval of
length zero says nothing against that. For answers that are right or wrong, a score interval allows for it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.special import stdtrit

from bestby._core.typing import FloatArray, IntArray
from bestby.inference.intervals import Ends

ENOUGH_DIFFERING = 6
"""Differing units from which the largest of their effects tells how large others may be."""

BEYOND = 2.0
"""How many times as large as the largest effect seen others may be, where nothing else bounds them."""


def widened(
    ends: Ends,
    estimate: float,
    values: FloatArray,
    counts: IntArray,
    bounds: IntArray,
    reach: Ends,
    level: float,
) -> Ends:
    """Return an interval of a difference that allows for units of an effect that no unit has had so far.

    Each end is at least as far from the estimate as the solution x of

        x^2 (1 + q / n) = q (V + M x),    M = (max(0, T) + r^3) / (V + r^2)

    where q is the squared quantile of Student's t, n the number of units, V the variance of the estimate, T
    its third cumulant, positive if its longer tail points towards this end, and r the influence of a unit of
    the largest possible effect. If all units that differ do so by that effect, M is r, and this is a score
    interval [1]_; of answers that are right or wrong, none of which differs, it is Tango's [2]_, but for the
    quantile. Where many units differ, by different amounts, M vanishes, and x is that of the standard error.

    Parameters
    ----------
    ends : tuple of float
        The interval from what was seen; the result contains it.
    estimate : float
        The difference.
    values : ndarray, shape (C,)
        What each distinct unit adds to the difference, to first order.
    counts : ndarray of int, shape (C,)
        How many units there are of each kind.
    bounds : ndarray of int, shape (H + 1,)
        Where the strata begin.
    reach : tuple of float
        By how much one unit can lower and raise the difference, both at least 0, on the scale of `values`.
    level : float
        The level of `ends`.

    Returns
    -------
    tuple of float
        The ends.

    Notes
    -----
    An end misses the true difference as often as that of a score interval: at most in 6.7 % where 5 % are
    meant, if all units that differ do so by the largest possible effect and hardly any has been seen.

    References
    ----------
    .. [1] Wilson (1927), J. Amer. Statist. Assoc. 22, 209-212.
    .. [2] Tango (1998), Statist. Med. 17, 891-908.

    See Also
    --------
    bestby.inference.proportions.tango : The score interval of 0/1 answers.

    Examples
    --------
    Two systems that give the same score, between 0 and 1, on each of 150 items:

    >>> low, high = widened(
    ...     (0.0, 0.0), 0.0, np.zeros(1), np.array([150]), np.array([0, 1]), (1 / 150, 1 / 150), 0.9
    ... )
    >>> round(low, 4), round(high, 4)
    (-0.0179, 0.0179)
    """
    n = int(counts.sum())
    freedom = max(1, n - (bounds.size - 1))
    q = float(stdtrit(freedom, 0.5 * (1.0 + level))) ** 2
    variance, cubes = _moments(values, counts, bounds)
    below = _distance(variance, -cubes, reach[0], q, n)
    above = _distance(variance, cubes, reach[1], q, n)
    return min(ends[0], estimate - below), max(ends[1], estimate + above)


def _moments(values: FloatArray, counts: IntArray, bounds: IntArray) -> tuple[float, float]:
    """Return the variance of the sum of all units and its third cumulant, from the units of each stratum.

    Both are unbiased in strata of three units or more: in strata of four the sum of cubes alone is less than
    half of the cumulant. Strata of one or two show none, so there the cubes are of distances from all units.
    """
    variance = cubes = 0.0
    middle = float(counts @ values) / int(counts.sum())
    for start, stop in pairwise(bounds.tolist()):
        c, u = counts[start:stop], values[start:stop]
        n = int(c.sum())
        if n > 1:
            centred = u - float(c @ u) / n
            variance += float(c @ centred**2) * n / (n - 1)
        if n > 2:
            cubes += float(c @ centred**3) * n * n / ((n - 1) * (n - 2))
        else:
            cubes += float(c @ (u - middle) ** 3)
    return variance, cubes


def _distance(variance: float, cubes: float, reach: float, q: float, n: int) -> float:
    """Return the distance of one end from the estimate: the solution of the equation of `widened`."""
    largest = max(reach, float(np.sqrt(variance)))
    if largest == 0.0:
        return 0.0
    v, t, r = variance / largest**2, max(0.0, cubes) / largest**3, reach / largest
    skew, spread = (t + r**3) / (v + r**2), 1.0 + q / n
    root = float(np.sqrt(q * v * spread + (0.5 * q * skew) ** 2))
    return largest * (0.5 * q * skew + root) / spread
