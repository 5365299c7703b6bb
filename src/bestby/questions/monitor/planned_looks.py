"""The repeated confidence intervals at planned looks, and the boundaries of the looks.

At a look the interval is the estimate plus and minus a multiple of its standard error, the multiple being the
boundary of the look (Jennison & Turnbull 1989, J. R. Statist. Soc. B 51, 305-361): all intervals of all looks
hold at once, so that each is valid whatever made the monitor stop there, and stays so until the next look.
The boundary allows for the estimated deviation, by Student's t, and for skewed differences (Hall 1992, J. R.
Statist. Soc. B 54, 221-228).

Boundaries come from recursive numerical integration. Statistics z_1, …, z_K at looks of information I_1 < …
< I_K have the canonical joint distribution: each is standard normal where there is no difference, and z_k
sqrt(I_k) is a sum of independent increments of variance I_k - I_(k-1) (Jennison & Turnbull 2000, chapter 3).
A look ends the study where |z_k| reaches its boundary.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np

from bestby._core import special
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference.skewness import restored
from bestby.questions.monitor.settings import NEAREST, Settings


def reaches(
    settings: Settings,
    n_units: int,
    deviation: FloatArray,
    third: FloatArray,
    alpha: float,
    counts: tuple[int, ...],
) -> tuple[FloatArray, FloatArray]:
    """Return how far the repeated confidence intervals reach below and above the estimates at the last look.

    `deviation` is that of a unit, `third` its third central moment. The estimate over its standard error is
    skewed the other way than the units: on the side on which it has the longer tail, the boundary is moved by
    Hall's transformation, and on the other side it stays, as an estimated skewness would make the interval
    too short there (see `bestby.inference.skewness`).
    """
    here, _ = multiples(settings, n_units, alpha, counts)
    if math.isinf(here) or n_units < 2:
        return np.full_like(deviation, np.inf), np.full_like(deviation, np.inf)
    wide = spread(settings, n_units, deviation)
    cubes = wide**3
    skewness = np.divide(third, cubes, out=np.zeros_like(third), where=cubes > 0.0) / math.sqrt(n_units)
    error = wide * share_left(settings, counts[-1]) / math.sqrt(n_units)
    below, above = np.maximum(here, restored(here, skewness)), np.maximum(here, -restored(-here, skewness))
    return below * error, above * error


def multiples(settings: Settings, n_units: int, alpha: float, counts: tuple[int, ...]) -> tuple[float, float]:
    """Return the multiples of the standard error at this look and at the last one.

    `counts` are the numbers of items at the looks so far. The multiples of a normal statistic become those
    of Student's t with the same tail probabilities, as the standard deviation is estimated.
    """
    assert settings.looks is not None
    ahead = [count for count in settings.looks if count > counts[-1]]
    limits = _boundaries(settings.method, (*counts, *ahead), settings.n_population, alpha)
    here, last = limits[min(len(counts), len(limits)) - 1], limits[-1]
    units = max(n_units - 1, 1)
    return _student(here, units), _student(last, units)


def spread(settings: Settings, n_units: int, deviation: FloatArray) -> FloatArray:
    """Return the deviation of a unit, as if one more had been seen that differs as far as is possible.

    Without it the interval of systems that agreed on all items so far would be a point.
    """
    return np.hypot(deviation, (settings.largest_difference or 0.0) / math.sqrt(n_units + 1.0))


def share_left(settings: Settings, count: int) -> float:
    """Return the factor of the standard error where the items are drawn without replacement."""
    population = settings.n_population
    return 1.0 if population is None else math.sqrt(max(0.0, 1.0 - count / population))


def _student(limit: float, degrees: int) -> float:
    tail = float(special.ndtr(-limit))
    return math.inf if tail <= 0.0 else max(limit, -float(special.stdtrit(degrees, tail)))


@lru_cache(maxsize=256)
def _boundaries(
    method: str, counts: tuple[int, ...], population: int | None, alpha: float
) -> tuple[float, ...]:
    """Return the boundaries of looks at some numbers of items.

    Information is one over the variance of the mean: the number of items, or without replacement n / (1 - n /
    N), of which a look at all N items has no end; such a look needs no boundary.
    """
    information = [
        float(n) if population is None else n / (1.0 - n / population) for n in counts if n != population
    ]
    if not information:
        return (0.0,)
    for place in range(
        1, len(information)
    ):  # looks that clusters moved together: as if apart, which errs high
        information[place] = max(
            information[place], information[place - 1] + 1.001 * NEAREST * max(information)
        )
    return tuple(BOUNDARIES[method](information, alpha).tolist())


# -- boundaries ----------------------------------------------------------------------------------------------


def classical_boundaries(
    information: ArrayLike, alpha: float, *, heights: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return the boundaries of O'Brien and Fleming or of Pocock, for looks that are all known beforehand.

    Those of O'Brien and Fleming fall as 1 / sqrt(I_k): early looks end the study only where the difference is
    large, and the last one asks for little more than a study of one look. Those of Pocock are the same at
    every look. The constant is that of the looks as they are, which need not be at equal distances.

    Parameters
    ----------
    information : array_like, shape (K,)
        Information at each look, on any scale, increasing.
    alpha : float
        Probability, where there is no difference, that any look reaches its boundary, on both sides together.
    heights : callable
        The boundaries up to a factor, by the shares of the information at the looks.

    Returns
    -------
    ndarray, shape (K,)
        Critical values of ``|z|``.

    References
    ----------
    .. [1] O'Brien & Fleming (1979), Biometrics 35, 549-556.
    .. [2] Pocock (1977), Biometrika 64, 191-199.
    .. [3] Jennison & Turnbull (2000), Group Sequential Methods, tables 2.1 and 2.3.

    See Also
    --------
    spending_boundaries : Boundaries where later looks need not be known.
    """
    from scipy.optimize import brentq

    shape = heights(_times(information))

    def over(factor: float) -> float:
        return float(crossing_probabilities(factor * shape, information).sum()) - alpha

    single = -float(special.ndtri(alpha / 2.0))  # no boundary can be lower than that of one look
    return shape * float(brentq(over, single * (1.0 - 1e-9), 2.0 * single + 3.0, xtol=1e-10))


def spending_boundaries(
    information: ArrayLike, alpha: float, *, spent: Callable[[float, float], float]
) -> FloatArray:
    """Return the boundaries of Lan and DeMets: alpha is spent as information comes in.

    The boundary at a look depends on this look, those before it and the information at the last one alone, so
    that the looks between may move and may be as many as one likes, so long as the reason lies not in the
    results.

    Parameters
    ----------
    information : array_like, shape (K,)
        Information at each look, on any scale, increasing.
    alpha : float
        What is spent when all information is there, on both sides together.
    spent : callable
        What of alpha is spent at a share of the information.

    Returns
    -------
    ndarray, shape (K,)
        Critical values of ``|z|``; infinity where so little is spent that nothing can reach it.

    References
    ----------
    .. [1] Lan & DeMets (1983), Biometrika 70, 659-663.

    See Also
    --------
    classical_boundaries : Boundaries of looks that are all known.
    """
    limits, before, walk = [], 0.0, _Walk.start()
    for time in _times(information).tolist():
        step, now = walk.towards(time), spent(time, alpha)
        limit = step.boundary(now - before)
        limits.append(limit)
        before, walk = now, step.onward(limit)
    return np.array(limits)


def _spent_late(share: float, alpha: float) -> float:
    """Return what is spent as O'Brien and Fleming would: 4 (1 - Phi(z_(alpha/4) / sqrt(t))), both sides."""
    return float(4.0 * special.ndtr(special.ndtri(alpha / 4.0) / math.sqrt(share)))


def _spent_evenly(share: float, alpha: float) -> float:
    """Return what is spent as Pocock would: alpha log(1 + (e - 1) t)."""
    return alpha * math.log1p((math.e - 1.0) * share)


BOUNDARIES: dict[str, Callable[[ArrayLike, float], FloatArray]] = {
    "obrien-fleming": partial(classical_boundaries, heights=lambda times: 1.0 / np.sqrt(times)),
    "pocock": partial(classical_boundaries, heights=np.ones_like),
    "spending-obrien-fleming": partial(spending_boundaries, spent=_spent_late),
    "spending-pocock": partial(spending_boundaries, spent=_spent_evenly),
}
"""The boundaries of all looks of a plan by name."""


def _times(information: ArrayLike) -> FloatArray:
    """Return the shares of the information of the last look."""
    amounts = np.asarray(information, dtype=np.float64)
    times: FloatArray = amounts / amounts[-1]
    return times


def crossing_probabilities(boundaries: FloatArray, information: ArrayLike, drift: float = 0.0) -> FloatArray:
    """Return the probability that each look is the first at which ``|z|`` reaches its boundary.

    Parameters
    ----------
    boundaries : ndarray, shape (K,)
        Critical values of ``|z|``; infinity for a look that never ends the study.
    information : array_like, shape (K,)
        Information at each look, on any scale, increasing: for the mean of items, their number.
    drift : float
        Expected z at the last look.

    Returns
    -------
    ndarray, shape (K,)

    References
    ----------
    .. [1] Armitage, McPherson & Rowe (1969), J. R. Statist. Soc. A 132, 235-244.
    .. [2] Jennison & Turnbull (2000), Group Sequential Methods, section 19.2.

    Examples
    --------
    >>> two = crossing_probabilities(np.array([1.96, 1.96]), [1, 2])
    >>> float(two.sum().round(3))  # two looks at 5 % each
    0.083
    """
    exits, walk = [], _Walk.start()
    for limit, time in zip(boundaries.tolist(), _times(information).tolist(), strict=True):
        step = walk.towards(time, drift)
        exits.append(step.exit(limit))
        walk = step.onward(limit)
    return np.array(exits)


@dataclass(frozen=True)
class _Walk:
    """The sum z sqrt(t) after some looks, where none reached its boundary: its density times its weights."""

    time: float
    deviation: float
    nodes: FloatArray
    mass: FloatArray

    @staticmethod
    def start() -> _Walk:
        """Return the walk before the first look, which is at 0."""
        return _Walk(0.0, 0.0, np.zeros(1), np.ones(1))

    def towards(self, time: float, drift: float = 0.0) -> _Step:
        """Return the step to the next look."""
        return _Step(self, time, math.sqrt(time - self.time), drift)


_HIGHEST = 38.0
"""Boundaries above this, which no double-precision probability reaches, are infinite."""


@dataclass(frozen=True)
class _Step:
    """One increment of the sum, which is normal, after the nodes of the walk before."""

    walk: _Walk
    time: float
    deviation: float
    drift: float

    @property
    def means(self) -> FloatArray:
        """The expected sums after the nodes, shape (nodes,)."""
        return self.walk.nodes + self.drift * (self.time - self.walk.time)

    def exit(self, limit: float) -> float:
        """Return the probability of leaving at this look, where ``|z|`` may be up to `limit`."""
        if math.isinf(limit):
            return 0.0
        edge, means = limit * math.sqrt(self.time), self.means
        out = special.ndtr((means - edge) / self.deviation) + special.ndtr((-edge - means) / self.deviation)
        return float(self.walk.mass @ out)

    def boundary(self, spent: float) -> float:
        """Return the critical value at which `spent` is the probability of leaving at this look."""
        if spent <= 0.0 or self.exit(_HIGHEST) >= spent:
            return math.inf
        from scipy.optimize import brentq  # takes longer to load than a comparison without looks takes

        return float(brentq(lambda limit: self.exit(limit) - spent, 0.0, _HIGHEST, xtol=1e-12))

    def onward(self, limit: float) -> _Walk:
        """Return the walk where this look did not end it."""
        # Beyond so many standard deviations a normal distribution has no mass that matters
        middle, spread = self.drift * self.time, 8.5 * math.sqrt(self.time)
        edge = limit * math.sqrt(self.time)
        low, high = max(-edge, middle - spread), min(edge, middle + spread)
        nodes, weights = _rule(low, high, min(self.deviation, self.walk.deviation or self.deviation))
        off = (nodes[:, None] - self.means) / self.deviation
        density = np.exp(-0.5 * off * off) @ self.walk.mass / (self.deviation * math.sqrt(2.0 * math.pi))
        return _Walk(self.time, self.deviation, nodes, density * weights)


def _rule(low: float, high: float, deviation: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights on an interval, by panels of two standard deviations of an increment."""
    if high <= low:  # a large drift has left the region: no mass is in it
        return np.array([low]), np.zeros(1)
    panels = max(1, math.ceil((high - low) / (2.0 * deviation)))
    nodes, weights = _legendre()
    half = (high - low) / (2.0 * panels)
    centres = low + half * (2.0 * np.arange(panels) + 1.0)
    return (centres[:, None] + half * nodes).ravel(), np.tile(half * weights, panels)


@cache
def _legendre() -> tuple[FloatArray, FloatArray]:
    # Nodes of the Gauss-Legendre rule on each panel, which is two standard deviations wide
    nodes, weights = np.polynomial.legendre.leggauss(16)
    return nodes, weights
