"""Confidence sequences of means, which hold at every look: by betting, and in closed form.

Bets need bounds of the values, and work with and without replacement. In closed form are the mixtures, and
the asymptotic sequence of values without bounds. `bestby.Monitor` uses the bets, the normal mixture and the
asymptotic sequence. `beta_binomial_interval` is for callers that watch one proportion, such as the accuracy
of a single system, and not a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestby._core import rounding
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.bisection import last_that_holds


@dataclass(frozen=True, slots=True)
class Units:
    """Units in the order in which they were drawn.

    Parameters
    ----------
    values : ndarray, shape (n, P)
        The mean of each unit, of P quantities side by side.
    sizes : ndarray of int, shape (n,)
        The number of items of each unit; 1 unless units are clusters.
    weights : ndarray, shape (n,)
        The size of each unit as a share of the largest that is known; 1 unless units are clusters.
    """

    values: FloatArray
    sizes: IntArray
    weights: FloatArray

    def part(self, start: int, stop: int) -> Units:
        """Return some of the units."""
        rows = slice(start, stop)
        return Units(self.values[rows], self.sizes[rows], self.weights[rows])


def single(values: Sequence[float] | FloatArray) -> Units:
    """Return items one by one as units: of one quantity, shape (n,), or of several, shape (n, P)."""
    items = np.asarray(values, dtype=np.float64)
    n = items.shape[0]
    return Units(items if items.ndim == 2 else items[:, None], np.ones(n, dtype=np.int64), np.ones(n))


@dataclass(frozen=True, slots=True)
class Before:
    """What was drawn before some units: how many items, and their sum, shape (P,)."""

    n_items: int
    total: FloatArray

    def after(self, units: Units) -> Before:
        """Return what was drawn with these units."""
        return Before(
            self.n_items + int(units.sizes.sum()), self.total + (units.values.T * units.sizes).sum(axis=1)
        )


# -- betting -------------------------------------------------------------------------------------------------


_STEPS: Final = 10
_SMALL: Final = (0.05, 0.025, 0.0125, 0.006)

FRACTIONS: Final[FloatArray] = np.array([*(step / (_STEPS + 1) for step in range(1, _STEPS + 1)), *_SMALL])
"""The shares of the largest bet that are staked: equal steps, and smaller ones for means near the hypothesis,
which only many units tell from it."""

SHARES: Final[FloatArray] = np.array([*[0.85 / _STEPS] * _STEPS, *[0.15 / len(_SMALL)] * len(_SMALL)])
"""How the capital of 1 is divided among them."""


def log_factors(
    units: Units,
    means: FloatArray,
    bounds: tuple[float, float],
    n_population: int | None = None,
    before: Before | None = None,
    sides: tuple[int, ...] = (0, 1),
) -> FloatArray:
    """Return the logarithms of what bets on some units gain, summed over the units.

    A bet on the side "above" stakes the share l of what can be staked without the risk of ruin, and gains the
    factor 1 + l w (x - m) / (m - low), with w the weight of the unit; "below" is its mirror image. If the
    mean is m, its expectation is 1. Without replacement the mean of what is left takes the place of m.

    Parameters
    ----------
    units : Units
        n units.
    means : ndarray, shape (M,)
        The hypotheses.
    bounds : tuple of float
        The least and the greatest value.
    n_population : int, optional
        The number of items from which the units are drawn without replacement; by default they are
        independent.
    before : Before, optional
        What was drawn before these units; by default nothing.
    sides : tuple of int
        Which bets: 0 is "above", 1 is "below".

    Returns
    -------
    ndarray, shape (S, M, P, L)
        For each of the sides, each hypothesis, each quantity and each of the `FRACTIONS`.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, J. R.
       Statist. Soc. B 86, 1-27: hedged capital on a grid of bets; without replacement section 5.
    """
    width = units.values.shape[1]
    parts = _parts(units, means.size, n_population, before or Before(0, np.zeros(width)))
    return _factors_of(parts, width, means, bounds, sides)


_BLOCK: Final = 1_000_000
"""Factors that are computed at a time."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some units; without replacement also the sum drawn before each, (B, P), and the items left, (B,)."""

    units: Units
    n_population: int | None
    drawn: FloatArray
    n_left: IntArray

    @classmethod
    def of(cls, units: Units, n_population: int | None, before: Before) -> _Part:
        if n_population is None:
            return cls(units, None, np.zeros((0, 0)), np.zeros(0, dtype=np.int64))
        sums = np.cumsum(units.values * units.sizes[:, None], axis=0)
        drawn = np.concatenate([np.zeros((1, sums.shape[1])), sums[:-1]]) + before.total
        counts = before.n_items + np.cumsum(units.sizes) - units.sizes
        return cls(units, n_population, drawn, n_population - counts)

    def centres(self, means: FloatArray) -> FloatArray:
        """Return what the mean of the next unit is under each hypothesis, shape (B or 1, M, P or 1)."""
        if self.n_population is None:
            return means[None, :, None]
        # (N m - what was drawn) / (N - how many): the mean of the items that are left, if that of all is m
        centres: FloatArray = self.n_population * means[None, :, None] - self.drawn[:, None, :]
        centres /= self.n_left[:, None, None]
        return centres


def _parts(units: Units, n_means: int, n_population: int | None, before: Before) -> Iterator[_Part]:
    """Yield the units in parts whose factors, of `n_means` hypotheses, are computed at a time."""
    n, width = units.values.shape
    step = max(1, _BLOCK // max(1, n_means * width * FRACTIONS.size))
    for start in range(0, n, step):
        part = units.part(start, start + step)
        yield _Part.of(part, n_population, before)
        before = before.after(part)


def _factors_of(
    parts: Iterable[_Part], width: int, means: FloatArray, bounds: tuple[float, float], sides: tuple[int, ...]
) -> FloatArray:
    """Return the sums of the logarithms of the factors, (S, M, P, L), over units in parts."""
    out = np.zeros((len(sides), means.size, width, FRACTIONS.size))
    reach = bounds[1] - bounds[0]
    for part in parts:
        centre = part.centres(means)
        ahead = part.units.values[:, None, :] - centre
        weight = part.units.weights[:, None, None]
        for place, side in enumerate(sides):
            # The factor 1 + l w (x - m) / (m - low) is 1 - l w at the least value: never ruin, as l w < 1.
            gain, room = (-ahead, bounds[1] - centre) if side else (ahead, centre - bounds[0])
            out[place] += _summed(weight * _ratio(gain, room, reach))
    return out


def _ratio(ahead: FloatArray, room: FloatArray, reach: float) -> FloatArray:
    """Return the gain of the largest bet; infinite where the hypothesis left no room for it.

    `reach` is the distance of the bounds, to which rounding is relative.
    """
    tiny = rounding.level_width(reach)
    possible = room > tiny
    ratio: FloatArray
    if possible.all():
        ratio = ahead / room
    else:
        surprise = np.where(ahead > tiny, np.inf, 0.0)
        ratio = np.where(possible, ahead / np.where(possible, room, 1.0), surprise)
    return np.maximum(ratio, -1.0, out=ratio)  # rounding may leave a value a last digit below its bound


_TOGETHER: Final = 16
"""Factors that are multiplied before a logarithm is taken: a power of 2, as halves are multiplied."""


def _summed(gains: FloatArray) -> FloatArray:
    """Return the sum over units (the first axis) of the logarithms of 1 + l times a gain.

    A logarithm is taken of a product of few factors: each is above 1 / 11, and below 10¹⁵ if not infinite.
    """
    n, factors = gains.shape[0], np.multiply.outer(FRACTIONS, gains)
    factors += 1.0
    whole = n - n % _TOGETHER
    products = factors[:, :whole].reshape(FRACTIONS.size, _TOGETHER, -1, *gains.shape[1:])
    while products.shape[1] > 1:  # halves are long rows, multiplied at once
        half = products.shape[1] // 2
        products = products[:, :half] * products[:, half:]
    logs: FloatArray = np.log(products[:, 0]).sum(axis=1) + np.log(factors[:, whole:]).sum(axis=1)
    return np.moveaxis(logs, 0, -1)


def log_capital(logs: FloatArray) -> FloatArray:
    """Return the logarithm of the whole capital from that of each bet (the last axis)."""
    with np.errstate(invalid="ignore"):
        # log(sum of share x capital), the largest taken out so that no exponential overflows
        top = logs.max(axis=-1)
        rest = np.log((np.exp(logs - top[..., None]) * SHARES).sum(axis=-1))
    total: FloatArray = np.where(np.isinf(top), top, top + rest)
    return total


def logical_bounds(
    before: Before, bounds: tuple[float, float], n_population: int | None
) -> tuple[float, float]:
    """Return what the mean can be at all, of one quantity: without replacement the items drawn bound it."""
    if n_population is None:
        return bounds
    left, total = n_population - before.n_items, float(before.total[0])
    return (total + left * bounds[0]) / n_population, (total + left * bounds[1]) / n_population


TOLERANCE: Final = 1e-7
"""The accuracy of the ends of an interval, as a part of the range of the values."""


def betting_interval(
    units: Units,
    bounds: tuple[float, float],
    alpha: float,
    n_population: int | None = None,
    tolerance: float = TOLERANCE,
) -> tuple[float, float]:
    """Return the interval of a bounded mean that holds at every look, at level 1 - alpha.

    It holds the means against which neither side has won 2 / alpha times its stake. Both capitals are
    monotone in the mean; the ends are found by bracketing, rounded outwards.

    Parameters
    ----------
    units : Units
        Units of one quantity (P = 1), in the order in which they were drawn, which must be random.
    bounds : tuple of float
        The least and the greatest value.
    alpha : float
        How often the interval may miss the mean at some look.
    n_population : int, optional
        As for `log_factors`; the interval is a point once all of these items are drawn.
    tolerance : float
        The accuracy of the ends, as a part of the range.

    Returns
    -------
    tuple of float
        The ends.

    See Also
    --------
    asymptotic_interval : For values without bounds.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), J. R. Statist. Soc. B 86, 1-27.
    .. [2] Waudby-Smith & Ramdas (2020), Confidence sequences for sampling without replacement, NeurIPS 33.

    Examples
    --------
    >>> x = np.array([[1.0], [0.0]] * 50)
    >>> units = Units(x, np.ones(100, dtype=np.int64), np.ones(100))
    >>> low, high = betting_interval(units, (0.0, 1.0), 0.05)
    >>> round(low, 3), round(high, 3)
    (0.34, 0.66)
    >>> betting_interval(units, (0.0, 1.0), 0.05, n_population=100)
    (0.5, 0.5)
    """
    all_drawn = Before(0, np.zeros(1)).after(units)
    low, high = logical_bounds(all_drawn, bounds, n_population)
    if high - low <= tolerance * (bounds[1] - bounds[0]):
        return low, high
    if n_population is None:
        units = _counted(units)
    threshold, width = math.log(2.0 / alpha), tolerance * (bounds[1] - bounds[0])
    mean = min(max(float(all_drawn.total[0]) / all_drawn.n_items, low), high)
    radius = max(width, _radius(units, mean, bounds, threshold, n_population))
    ends: list[float] = []
    parts = [] if n_population is None else [*_parts(units, 1, n_population, Before(0, np.zeros(1)))]
    for side, (outside, inside) in enumerate(((low, high), (high, low))):
        excess = partial(_excess, units, parts, bounds, side, threshold)
        bracket = _bracket(excess, outside, inside, mean, radius)
        ends.append(bracket if isinstance(bracket, float) else _itp_root(excess, *bracket, width))
    if ends[0] > ends[1]:  # nothing is left: it happens with probability alpha at most
        return mean, mean
    return ends[0], ends[1]


Excess = Callable[[float], float]
"""By how much the capital against a mean is enough to reject it."""

Point = tuple[float, float]
"""A mean, and the excess there."""


def _counted(units: Units) -> Units:
    """Return equal units of independent draws once; how often each occurs becomes its size."""
    rows = np.column_stack([units.values[:, 0], units.weights])
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return Units(distinct[:, :1], counts.astype(np.int64), distinct[:, 1])


def _radius(
    units: Units, mean: float, bounds: tuple[float, float], threshold: float, n_population: int | None
) -> float:
    """Return about how far from the mean the ends are: mostly a little farther."""
    n = int(units.sizes.sum())
    variance = float((units.sizes * (units.values[:, 0] - mean) ** 2).sum()) / n
    left = 1.0 if n_population is None else 1.0 - n / n_population
    return max(1.2 * math.sqrt(2.0 * left * variance * threshold / n), left * (bounds[1] - bounds[0]) / n)


def _excess(
    units: Units,
    parts: Sequence[_Part],
    bounds: tuple[float, float],
    side: int,
    threshold: float,
    mean: float,
) -> float:
    """Return by how much the capital is enough to reject a mean; its root is nearly linear in the mean."""
    if not parts:  # independent draws, of which equal ones are counted together
        gains = _gains(units, mean, bounds, side)
        logs = (np.log1p(gains[:, None] * FRACTIONS) * units.sizes[:, None]).sum(axis=0)
    else:
        logs = _factors_of(parts, 1, np.array([mean]), bounds, (side,))[0, 0, 0]
    return math.sqrt(max(0.0, float(log_capital(logs)))) - math.sqrt(threshold)


def _gains(units: Units, mean: float, bounds: tuple[float, float], side: int) -> FloatArray:
    ahead, reach = units.values[:, 0] - mean, bounds[1] - bounds[0]
    if side == 0:
        return units.weights * _ratio(ahead, np.full_like(ahead, mean - bounds[0]), reach)
    return units.weights * _ratio(-ahead, np.full_like(ahead, bounds[1] - mean), reach)


def _bracket(
    excess: Excess, outside: float, inside: float, start: float, radius: float
) -> tuple[Point, Point] | float:
    """Return a rejected mean and one that is not, with the end of the interval between them.

    The first step outwards from `start` is the radius, and later ones are half of it, doubled each time.
    Where no mean is rejected, or even the last one, that end is returned itself.
    """
    if (below := excess(start)) >= 0.0:
        value = excess(inside)
        return inside if value >= 0.0 else ((start, below), (inside, value))
    edge = outside + 1e-9 * (start - outside)
    inner, step = (start, below), math.copysign(radius, outside - start)
    while abs(step) < abs(edge - inner[0]):
        trial = inner[0] + step
        value = excess(trial)
        if value >= 0.0:
            return (trial, value), inner
        inner, step = (trial, value), (0.5 if inner[0] == start else 2.0) * step
    value = excess(edge)
    return outside if value < 0.0 else ((edge, value), inner)


def _itp_root(excess: Excess, outside: Point, inside: Point, width: float) -> float:
    """Return the outer end of a bracket of the root that is no wider than `width`, by the ITP method.

    It takes at most one step more than bisection, and mostly far fewer.

    References
    ----------
    .. [1] Oliveira & Takahashi (2020), An enhancement of the bisection method average performance preserving
       minmax optimality, ACM Trans. Math. Softw. 47, 5.
    """
    (x, above), (y, below) = outside, inside
    first = abs(y - x)
    spare = 2.0 ** max(1.0, math.ceil(math.log2(first / width)) + 1.0) * width
    while abs(y - x) > width:
        length, middle = abs(y - x), 0.5 * (x + y)
        secant = middle if math.isinf(above) else (y * above - x * below) / (above - below)
        towards = math.copysign(1.0, middle - secant)
        shift = max(0.01 * length * length / first, 0.4 * width)
        trial = secant + towards * shift if shift <= abs(middle - secant) else middle
        reach = max(0.0, 0.5 * (spare - length))
        if abs(trial - middle) > reach:
            trial = middle - towards * reach
        value = excess(trial)
        if value >= 0.0:
            x, above = trial, value
        else:
            y, below = trial, value
        spare *= 0.5
    return x


# -- closed forms --------------------------------------------------------------------------------------------


def normal_mixture_bound(v: float, alpha: float, v_opt: float) -> float:
    """Return how far a sum of deviations strays from 0 at any time with probability of at most `alpha`.

    Parameters
    ----------
    v : float
        The intrinsic time: the sum of the variances (sub-Gaussian parameters) of what was added up.
    alpha : float
        The error over all times.
    v_opt : float
        The intrinsic time at which the bound is to be tightest.

    Returns
    -------
    float
        The bound.

    See Also
    --------
    asymptotic_interval : A sequence with an estimated variance.

    References
    ----------
    .. [1] Howard, Ramdas, McAuliffe & Sekhon (2021), Time-uniform, nonparametric, nonasymptotic confidence
       sequences, Ann. Statist. 49, 1055-1080: equation (14).

    Examples
    --------
    >>> round(normal_mixture_bound(100.0, 0.05, 100.0), 5)
    30.35209
    """
    # exp(l S - l^2 v / 2) is a supermartingale for every l. Mixed over l ~ N(0, 1 / rho) it is
    # sqrt(rho / (v + rho)) exp(S^2 / (2 (v + rho))), which exceeds 1 / alpha at any time with probability
    # alpha at most (Ville's inequality): solved for S.
    rho = best_rho(v_opt, alpha)
    return math.sqrt((v + rho) * math.log((v + rho) / (alpha * alpha * rho)))


def best_rho(v_opt: float, alpha: float) -> float:
    """Return the parameter of a mixture that is tightest at the intrinsic time `v_opt`.

    Howard et al. (2021), proposition 3, with the expansion of Lambert's W that follows it.
    """
    spent = 2.0 * math.log(1.0 / alpha)
    return v_opt / (spent + math.log1p(spent))


def beta_binomial_interval(successes: int, trials: int, alpha: float, t_opt: float) -> tuple[float, float]:
    """Return the interval of a proportion that holds at every look, by a mixture of beta distributions.

    Parameters
    ----------
    successes, trials : int
        What was counted so far.
    alpha : float
        The error over all looks.
    t_opt : float
        The number of trials at which the interval is to be tightest.

    Returns
    -------
    tuple of float
        The ends.

    See Also
    --------
    betting_interval : For values between bounds.

    References
    ----------
    .. [1] Howard, Ramdas, McAuliffe & Sekhon (2021), Ann. Statist. 49, 1055-1080: proposition 7.

    Examples
    --------
    >>> low, high = beta_binomial_interval(700, 1000, 0.05, 100)
    >>> round(low, 6), round(high, 6)
    (0.65163, 0.74595)
    """
    if trials == 0:
        return 0.0, 1.0
    # The prior Beta(k p, k (1 - p)) has its mean at the hypothesis p, and k such that t_opt trials fit best.
    strength = max(best_rho(t_opt, alpha) - 1.0, 1e-3)
    failures, threshold = trials - successes, math.log(1.0 / alpha)

    def excess(p: float) -> float:
        """Return the logarithm of the mixture of the likelihood ratios over its bound."""
        a, b = strength * p, strength * (1.0 - p)
        mixed = _log_beta(a + successes, b + failures) - _log_beta(a, b)
        return mixed - successes * math.log(p) - failures * math.log1p(-p) - threshold

    share, edge = successes / trials, 1e-12
    low = 0.0 if successes == 0 else last_that_holds(lambda p: excess(p) <= 0.0, share, edge)[1]
    high = 1.0 if failures == 0 else last_that_holds(lambda p: excess(p) <= 0.0, share, 1.0 - edge)[1]
    return low, high


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def asymptotic_interval(
    mean: NDArray[np.float64] | float,
    deviation: NDArray[np.float64] | float,
    n: int,
    alpha: float,
    n_opt: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of means of values without known bounds, valid at all late looks.

    The sequence replaces the values by Gaussian ones of the same variance. Its error over all looks tends to
    `alpha` as the number of values before the first look grows; with few values of heavy tails it is larger.

    Parameters
    ----------
    mean, deviation : float or ndarray
        Mean and standard deviation of the values so far.
    n : int
        Their number.
    alpha : float
        The error over all looks.
    n_opt : float
        The number of values at which the interval is to be tightest.

    Returns
    -------
    tuple of ndarray
        The ends.

    See Also
    --------
    betting_interval : For values between bounds, valid from the first on.

    References
    ----------
    .. [1] Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Time-uniform central limit theory and
       asymptotic confidence sequences, Ann. Statist. 52, 2613-2640.

    Examples
    --------
    >>> low, high = asymptotic_interval(0.2, 1.0, 400, 0.05, 400)
    >>> round(float(low), 3), round(float(high), 3)
    (0.048, 0.352)
    """
    radius = asymptotic_radius(n, alpha, n_opt) * np.asarray(deviation, dtype=np.float64)
    centre = np.asarray(mean, dtype=np.float64)
    return centre - radius, centre + radius


def asymptotic_radius(n: float, alpha: float, n_opt: float) -> float:
    """Return the half-length of the asymptotic sequence in standard deviations of a value.

    Waudby-Smith et al. (2024), equation (4), with rho from their appendix B.2, by which it is tightest at
    `n_opt` values.
    """
    # W(-alpha^2 e^-1) by its expansion: rho^2 = (-2 log alpha + log(-2 log alpha) + 1) / n_opt
    spent = -2.0 * math.log(alpha)
    rho2 = (spent + math.log(spent) + 1.0) / n_opt
    scaled = n * rho2 + 1.0
    return math.sqrt(2.0 * scaled / (n * n * rho2) * math.log(math.sqrt(scaled) / alpha))


def rare_loss(largest: NDArray[np.float64] | float, n: float, alpha: float) -> FloatArray:
    """Return what is added to the half-length of an asymptotic sequence for rare large values.

    The sequence takes its spread from the values so far, and misses a mean that rests on values too rare to
    be among them. The term of a Bernstein bound that is linear in the largest deviation allows for these:
    ``largest * ln(2 / alpha) / n``, in the manner of Maurer & Pontil (2009), Empirical Bernstein bounds and
    sample-variance penalization, COLT, theorem 4. Where the largest that can occur is known, the sequence is
    then right at all looks (calibration, subject `rare_losses`); the largest so far is only an estimate.

    >>> round(float(rare_loss(100.0, 1000, 0.05)), 3)
    0.369
    """
    return np.asarray(largest, dtype=np.float64) * math.log(2.0 / alpha) / n
