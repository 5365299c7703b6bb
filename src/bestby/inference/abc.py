"""Approximate bootstrap confidence (ABC) intervals: those of BCa from derivatives, without resamples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import ndtr, ndtri

from bestby._core import checks, rounding
from bestby._core.cached import cached_property
from bestby._core.typing import FloatArray, IntArray, ScorePath
from bestby.inference.influence import Path, score_and_bend
from bestby.inference.intervals import Ends

_SHARES = np.linspace(0.0, 1.0, 5)
"""How far from one end to the other the score is checked to move one way."""

_GRID, _ROUNDS = 33, 3
"""Each round reads the score at so many quantiles, between those two of the last round where it passes 0. The
cubic through four of the last ones then says where it is 0."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """A score to second order in the weights of its units: what an ABC interval reads of the data.

    Parameters
    ----------
    error : float
        The standard error s, the root of the sum of u^2 over the units, with u the derivative of the score as
        weight is moved from all units (of the stratum) to one of them.
    acceleration : float
        The sum of u^3 over 6 s^3; 0 where s is 0.
    curvature : float
        The sum of the second derivatives in the same directions.
    largest : float
        The largest u, in absolute value.
    path : Path
        The scores if the weight of each unit changes by multiples of u / s.
    n_effective : float
        How many units of equal u would have the same variance: the square of the sum of u^2 over the sum of
        u^4; 0 where s is 0, NaN where it is not known.
    """

    error: float
    acceleration: float
    curvature: float
    largest: float
    path: Path
    n_effective: float = math.nan

    @property
    def along(self) -> ScorePath:
        """The scores, shape (R,), as a function of multiples, of shape (R,), of the step of the path."""
        return self.path.scores

    @cached_property
    def bias(self) -> tuple[float, float]:
        """The score on the data, and the bias correction z0 of an error that is not 0."""
        estimate, second = self.path.beginning or score_and_bend(self.along)
        q = second / (2.0 * self.error)
        return estimate, self.acceleration + q - self.curvature / (2.0 * self.error)

    def effective_units(self, scale: float) -> float | None:
        """Return how many units of equal weight would carry the variance of scores of the size `scale`.

        0 where the score depends on none; None where a derivative is undefined.
        """
        if rounding.is_nothing(self.largest, scale, rounding.INFLUENCE):
            return 0.0
        return self.n_effective if math.isfinite(self.n_effective) else None

    def standard_error(self, n: int) -> float | None:
        """Return the standard error of n units in one stratum; None if a derivative is undefined."""
        return self.error * math.sqrt(n / (n - 1)) if n > 1 and math.isfinite(self.error) else None

    @classmethod
    def from_derivatives(
        cls,
        first: FloatArray,
        counts: IntArray | FloatArray,
        curvature: float,
        along: Callable[[FloatArray], Path],
    ) -> Expansion:
        """Return that of distinct units.

        Parameters
        ----------
        first : ndarray, shape (C,)
            The first derivatives as the weight of all units is moved to one unit of each distinct kind, per
            unit of weight; of units in strata, within the stratum.
        counts : ndarray, shape (C,)
            How many units there are of each kind; floats, which they are multiplied by, cost least.
        curvature : float
            The sum of the second derivatives over all units.
        along : callable
            ``along(change)`` returns the path on which the weight of each unit changes by multiples of
            ``change``, of shape (C,).
        """
        error, acceleration, largest, n_effective = moments(first, counts)
        change = first / error if error > 0.0 else np.zeros(first.size)
        return cls(error, acceleration, curvature, largest, along(change), n_effective)


def moments(first: FloatArray, counts: IntArray | FloatArray) -> tuple[float, float, float, float]:
    """Return the error, acceleration, largest derivative and effective units of an expansion.

    `first` and `counts`, of shape (C,), are those of `Expansion.from_derivatives`.
    """
    largest = checks.largest(first)
    if not (0.0 < largest < math.inf):
        return largest, 0.0, largest, largest  # NaN stays NaN
    u = first / largest
    squares = u * u
    spread = float(counts @ squares)
    u *= squares
    squares *= squares
    acceleration = float(counts @ u) / (6.0 * spread**1.5)
    return largest * math.sqrt(spread), acceleration, largest, spread * spread / float(counts @ squares)


def abc(
    expansion: Expansion,
    level: float,
    *,
    scale: float,
    bounds: Ends = (-np.inf, np.inf),
    holding: bool = True,
) -> Ends | None:
    """Return the nonparametric ABC interval, second-order accurate as BCa is.

    Where few units carry the variance it is too short, more than BCa: of two systems that agree on 80 % of 50
    items it covers 80 % of the differences of macro-F1 (BCa 87 %, Student's t 96 %), of those that agree on
    80 % of 200 items 93.5 % (BCa 93.9 %). It knows the score near the data only: a score that bends sharply
    further away, such as a correlation near 1, has other ends.

    Parameters
    ----------
    expansion : Expansion
        The score to second order in the weights of its units.
    level : float
        Nominal coverage.
    scale : float
        The size of the scores, which rounding is relative to.
    bounds : tuple of float
        The least and the greatest value the score can take.
    holding : bool
        Whether an interval that does not hold the score is refused. At a level near 0 none does if the score
        is biased; the end of the interval at which a p-value is read is defined there all the same.

    Returns
    -------
    tuple of float, or None
        The ends; None where the method breaks down: a derivative or an end is undefined, an end lies beyond
        the bounds, the acceleration turns an end round, the score does not rise from the lower end to the
        upper, the interval would not hold the score, or the standard error is no more than rounding.

    Notes
    -----
    With s the standard error, a the acceleration, b half the sum of the second derivatives (the bias), and q
    the curvature of the score along the least favourable direction u / s, over 2 s, the bias correction is
    z0 = a + q - b / s. Ends are the scores at w / (1 - a w)^2 in this direction, with w = z0 + z. The
    published z0, of which this is the first order, is Phi^-1(2 Phi(a) Phi(q - b / s)): it differs by a term
    of the order 1 / n that is not reversed where the systems are swapped.

    References
    ----------
    .. [1] DiCiccio & Efron (1992), Biometrika 79, 231-245.
    .. [2] Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 22.6.

    Examples
    --------
    The mean of 1, 2, 3 and 10, whose weights sum to 4:

    >>> x = np.array([1.0, 2.0, 3.0, 10.0])
    >>> found = Expansion.from_derivatives(
    ...     (x - x.mean()) / 4, np.ones(4, dtype=int), 0.0,
    ...     lambda change: Path(lambda multiples: x.mean() + multiples * (change @ x) / 4),
    ... )
    >>> low, high = abc(found, 0.9, scale=4.0)
    >>> round(low, 3), round(high, 3)
    (1.849, 8.2)
    """
    se, a, along = expansion.error, expansion.acceleration, expansion.along
    if not (math.isfinite(se) and math.isfinite(expansion.curvature)):
        return None
    if rounding.is_nothing(expansion.largest, scale, rounding.INFLUENCE):
        if not rounding.is_nothing(abs(expansion.curvature), scale):
            return None  # all that varies is of second order
        estimate = float(along(np.zeros(1))[0])
        return estimate, estimate
    noise = rounding.level_width(scale)
    if se <= noise:
        return None
    estimate, z0 = expansion.bias
    z = float(ndtri(0.5 * (1.0 + level)))
    w = z0 - z, z0 + z
    if not (math.isfinite(z0) and max(a * w[0], a * w[1]) < 1.0):
        return None
    first, last = (one / (1.0 - a * one) ** 2 for one in w)
    path = along(first + _SHARES * (last - first)).tolist()
    if not all(map(math.isfinite, path)) or any(later - one < -noise for one, later in pairwise(path)):
        return None
    if not path[0] - noise <= estimate <= path[-1] + noise:
        if holding:
            return None
        return (path[0], path[-1]) if bounds[0] <= path[0] and path[-1] <= bounds[1] else None
    low, high = min(path[0], estimate), max(path[-1], estimate)
    return (low, high) if bounds[0] <= low and high <= bounds[1] else None


def p_value(
    expansion: Expansion,
    side: float,
    least: float,
    *,
    scale: float,
    bounds: Ends = (-np.inf, np.inf),
) -> float | None:
    """Return one minus the level at which the ABC interval of a score above or below 0 ends at 0.

    The end of the interval is the score along the least favourable direction, so the level follows from where
    the score is 0 there: no interval need be made, but one to see that there is one at that level.

    Parameters
    ----------
    expansion : Expansion
        The score to second order in the weights of its units, which vary.
    side : float
        1.0 for a score above 0, -1.0 for one below.
    least : float
        The least p-value.
    scale, bounds
        As for `abc`.

    Returns
    -------
    float or None
        The p-value; None where the score does not reach 0 at the least p-value or before, or the interval
        is undefined at the level found.
    """
    _, z0 = expansion.bias
    near, far = 0.0, -float(ndtri(0.5 * least))
    for _ in range(_ROUNDS):
        z = np.linspace(near, far, _GRID)
        w = z0 - side * z
        defined = expansion.acceleration * w < 1.0
        if not defined[0]:
            return None
        n = _GRID if defined.all() else int(np.argmin(defined))
        value = side * expansion.along(w[:n] / (1.0 - expansion.acceleration * w[:n]) ** 2)
        ended = np.flatnonzero(~(value > 0.0))
        if not ended.size or ended[0] == 0 or not np.isfinite(value[ended[0]]):
            return None
        near, far = float(z[ended[0] - 1]), float(z[ended[0]])
    first = max(0, min(int(ended[0]) - 2, n - 4))
    root = _crossing(z[first : first + 4], value[first : first + 4])
    p = float(2.0 * ndtr(-(root if near <= root <= far else far)))
    found = abc(expansion, 1.0 - p, scale=scale, bounds=bounds, holding=False)
    return None if found is None else p


def _crossing(z: FloatArray, value: FloatArray) -> float:
    """Return where falling values are 0, by the polynomial of z through all of them (Lagrange)."""
    if not (np.diff(value) < 0.0).all():
        return np.nan
    total = 0.0
    for place, at in enumerate(z.tolist()):
        others = np.delete(value, place)
        total += at * float(np.prod(others / (others - value[place])))
    return total
