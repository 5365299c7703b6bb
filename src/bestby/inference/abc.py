"""Approximate bootstrap confidence (ABC) intervals: those of BCa from derivatives, without resamples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.intervals import Ends

STEP = 2.0**-6
"""The step along the least favourable direction, in standard errors, for the curvature of the score there."""

POINTS = 2
"""Points between the estimate and each end, at which the score is checked to move one way."""


def abc(
    first: FloatArray,
    second: FloatArray,
    counts: IntArray,
    along: Callable[[FloatArray, FloatArray], FloatArray],
    level: float,
    *,
    scale: float,
    bounds: Ends = (-np.inf, np.inf),
) -> Ends | None:
    """Return the nonparametric ABC interval, second-order accurate as BCa is.

    Where few units carry the variance it is too short, more than BCa: of two systems that agree on 80 % of 50
    items it covers 80 % of the differences of macro-F1 (BCa 87 %, Student's t 96 %), of those that agree on
    80 % of 200 items 93.5 % (BCa 93.9 %). It knows the score near the data only: a score that bends sharply
    further away, such as a correlation near 1, has other ends.

    Parameters
    ----------
    first, second : ndarray, shape (C,)
        The derivatives of the score as the weight of all units is moved to one unit of each distinct kind,
        per unit of weight; of units in strata, within the stratum.
    counts : ndarray of int, shape (C,)
        How many units there are of each kind.
    along : callable
        ``along(change, multiples)`` returns the scores, shape (R,), if the weight of each unit changes by
        ``change``, of shape (C,), times each of the ``multiples``, of shape (R,).
    level : float
        Nominal coverage.
    scale : float
        The size of the scores, which rounding is relative to.
    bounds : tuple of float
        The least and the greatest value the score can take.

    Returns
    -------
    tuple of float, or None
        The ends; None where the method breaks down: a derivative or an end is undefined, an end lies beyond
        the bounds, the acceleration turns an end round, the score does not rise from the lower end to the
        upper, the interval would not hold the score, or the standard error is no more than rounding.

    Notes
    -----
    With u and v the first and second derivatives and s = sqrt(sum c u^2) the standard error, the acceleration
    is a = sum c u^3 / (6 s^3), the bias b = sum c v / 2, the curvature q that of the score along the least
    favourable direction u / s, over 2 s, and the bias correction z0 = a + q - b / s. Ends are the scores at
    w / (1 - a w)^2 in this direction, with w = z0 + z. The published z0, of which this is the first order, is
    Phi^-1(2 Phi(a) Phi(q - b / s)): it differs by a term of the order 1 / n that is not reversed where the
    systems are swapped.

    References
    ----------
    .. [1] DiCiccio & Efron (1992), Biometrika 79, 231-245.
    .. [2] Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 22.6.

    Examples
    --------
    The mean of 1, 2, 3 and 10, whose weights sum to 4:

    >>> x = np.array([1.0, 2.0, 3.0, 10.0])
    >>> low, high = abc(
    ...     (x - x.mean()) / 4, np.zeros(4), np.ones(4, dtype=int),
    ...     lambda change, multiples: x.mean() + multiples * (change @ x) / 4, level=0.9, scale=4.0,
    ... )
    >>> round(low, 3), round(high, 3)
    (1.849, 8.2)
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return None
    largest = float(np.abs(first).max(initial=0.0))
    if rounding.is_nothing(largest, scale, rounding.INFLUENCE):
        estimate = float(along(np.zeros(first.size), np.zeros(1))[0])
        return estimate, estimate
    u = first / largest
    squared = u * u
    spread = float(counts @ squared)
    se = largest * float(np.sqrt(spread))
    noise = rounding.level_width(scale)
    if se <= noise:
        return None
    a = float(counts @ (squared * u)) / (6.0 * spread**1.5)
    change = first / se
    up, estimate, down = along(change, np.array([STEP, 0.0, -STEP]))
    q = ((up - estimate) + (down - estimate)) / (2.0 * se * STEP**2)
    z0 = a + q - float(counts @ second) / (2.0 * se)
    z = float(ndtri(0.5 * (1.0 + level)))
    w = z0 + np.array([-z, z])
    if not np.isfinite(w).all() or (a * w >= 1.0).any():
        return None
    reach = w / (1.0 - a * w) ** 2
    path = along(change, np.linspace(reach[0], reach[1], 2 * POINTS + 1))
    if not np.isfinite(path).all() or (np.diff(path) < -noise).any():
        return None
    if not path[0] - noise <= estimate <= path[-1] + noise:
        return None
    low, high = min(float(path[0]), float(estimate)), max(float(path[-1]), float(estimate))
    return (low, high) if bounds[0] <= low and high <= bounds[1] else None
