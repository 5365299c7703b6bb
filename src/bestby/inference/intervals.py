"""Confidence intervals from a bootstrap distribution or a standard error, and p-values by inverting them.

All take numbers and return a pair of ends; none knows what was measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core import checks, rounding, special
from bestby._core.chunks import chunks
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.characteristic_functions import SERIES_FROM, PowerSums
from bestby.inference.distributions import Distribution
from bestby.inference.lattice import all_single, weighted_sum

Ends = tuple[float, float]


def percentile(distribution: Distribution, level: float) -> Ends:
    """Return the quantiles of the bootstrap distribution.

    Too short for small samples of real values (90 to 93 % at n = 20), too long for nearly equal systems on a
    lattice. Efron & Tibshirani 1993, eq. 13.5.
    """
    tail = 0.5 * (1.0 - level)
    return distribution.quantile(tail), distribution.quantile(1.0 - tail)


def basic(distribution: Distribution, estimate: float, level: float) -> Ends:
    """Return the basic interval: the percentile interval reflected about the estimate.

    Davison & Hinkley 1997, eq. 5.6.
    """
    low, high = percentile(distribution, level)
    # An end that only rounding separates from 0 is 0: the sign of an end says whether 0 is excluded.
    reflected = rounding.difference(np.full(2, 2.0 * estimate), np.array([high, low]))
    return float(reflected[0]), float(reflected[1])


def bca(
    distribution: Distribution,
    estimate: float,
    acceleration: float,
    level: float,
    *,
    ties: str = "half",
) -> Ends | None:
    """Return the bias-corrected and accelerated interval.

    Covers too little where few items differ: 70 % instead of 95 % for the macro-F1 of two systems that agree
    on 99 % of 200 items, 91 % (88 % with strict ties) for their accuracy if they agree on 98 %. A normal or a
    score interval holds there; "Choosing an interval" has the measurements.

    `ties` says how replicates equal to the estimate count in the bias term: as half below, or not at all.
    "strict" is what most published code does; on a lattice (an accuracy on few items) it shifts both ends
    down, by up to one step. The result (Efron 1987, eq. 2.3) is None where it is undefined: the estimate lies
    outside all replicates, or the acceleration turns an end round (1 - a (z0 + z) <= 0); use the percentile
    interval there.
    """
    checks.choice(ties, ("half", "strict"), "ties")
    below = distribution.below(estimate)
    at = distribution.at(estimate)
    if rounding.at_most(1.0, at):  # every replicate equals the estimate: nothing to correct
        return estimate, estimate
    # z0 is the normal quantile of the share of replicates below the estimate; 0 where that is one half.
    share = below + 0.5 * at if ties == "half" else below
    if not 0.0 < share < 1.0:
        return None
    z0 = float(special.ndtri(share))
    ends = []
    for z in (float(special.ndtri(0.5 * (1.0 - level))), float(special.ndtri(0.5 * (1.0 + level)))):
        # Level of the end: Phi(z0 + (z0 + z) / (1 - a (z0 + z))), Efron 1987, eq. 2.3.
        stretch = 1.0 - acceleration * (z0 + z)
        if stretch <= 0.0:
            return None
        ends.append(distribution.quantile(float(special.ndtr(z0 + (z0 + z) / stretch))))
    return ends[0], ends[1]


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums of powers of the deviations of n values from the mean of their stratum.

    Deviations are in units of the largest one, `largest`, so that no power underflows; the largest value is
    `size`.
    """

    n: int
    size: float
    largest: float
    second: float
    third: float
    fourth: float
    powers: PowerSums | None = None
    """More sums of powers of the deviations, where power series take the place of the values."""

    @classmethod
    def of(cls, values: FloatArray, counts: IntArray, bounds: IntArray | None = None) -> Moments | None:
        """Return those of values with multiplicities, shape (C,) each; None if a value is not finite."""
        edges = [0, values.size] if bounds is None else bounds.tolist()
        weights = None if all_single(counts) else counts.astype(np.float64)
        parts = [slice(a, b) for a, b in itertools.pairwise(edges) if b > a]
        n, size, largest, means = 0, 0.0, 0.0, []
        for part in parts:
            own = values[part]
            high, low = float(np.maximum.reduce(own)), float(np.minimum.reduce(own))
            if not (math.isfinite(high) and math.isfinite(low)):
                return None
            n_own = int(np.add.reduce(counts[part]))
            mean = weighted_sum(own, None if weights is None else weights[part]) / n_own
            n, size, largest = n + n_own, max(size, high, -low), max(largest, high - mean, mean - low)
            means.append(mean)
        if values.size >= SERIES_FROM and len(parts) == 1 and largest > 0.0:
            # Of very many values, sums of ten powers cost little more than those of four; `mean_bootstrap`
            # takes them in place of the values.
            powers = PowerSums.of(values, None if weights is None else counts, means[0], largest)
            second, third, fourth = powers.sums[2:5].tolist()
            return cls(n, size, largest, second, third, fourth, powers)
        second = third = fourth = 0.0
        for part, mean in zip(parts, means, strict=True) if largest > 0.0 else ():
            for rows in chunks(part.stop - part.start, 8):
                block = slice(part.start + rows.start, part.start + rows.stop)
                u = (values[block] - mean) / largest
                squared = u * u
                counted = squared if weights is None else weights[block] * squared
                second += float(np.add.reduce(counted))
                third += float(counted @ u)
                fourth += float(counted @ squared)
        return cls(n, size, largest, second, third, fourth)

    @property
    def acceleration(self) -> float:
        """The acceleration of a mean of these values; see `acceleration`."""
        # Deviations that are rounding of the values have no shape.
        nothing = rounding.noise_width(self.size, rounding.INFLUENCE)
        if self.largest == 0.0 or self.second <= self.n * (nothing / self.largest) ** 2:
            return 0.0
        return self.third / (6.0 * self.second * math.sqrt(self.second))

    @property
    def effective_units(self) -> float:
        """How many values of equal deviation would have their variance; see `effective_units`."""
        if rounding.is_nothing(self.largest, self.size, rounding.INFLUENCE):
            return 0.0
        return self.second**2 / self.fourth

    @property
    def error_of_mean(self) -> float:
        """The standard error of the mean of these values, of one stratum."""
        n = self.n
        return self.largest * math.sqrt(self.second / (n * (n - 1.0))) if n > 1 else 0.0


def acceleration(left_out: FloatArray, counts: IntArray, bounds: IntArray | None = None) -> float:
    """Return the acceleration of the BCa interval from the jackknife.

    `left_out`, of shape (C,), is the estimate without one unit of each distinct kind. The acceleration is
    sum(u^3) / (6 sum(u^2)^1.5) with u the mean minus the left-out estimate (Efron & Tibshirani 1993, eq.
    14.15); 0 if the estimate does not depend on any single unit, NaN if it is undefined without some.
    """
    moments = Moments.of(-left_out, counts, bounds)
    return math.nan if moments is None else moments.acceleration


def effective_units(
    left_out: FloatArray, counts: IntArray, bounds: IntArray | None = None, n_units: int | None = None
) -> float:
    """Return how many units of equal weight would carry the variance of the estimate.

    `left_out`, `counts` and `bounds` are as for `acceleration`. Returns (sum u^2)^2 / sum u^4: the number of
    units over the kurtosis of their influence; 0 if the estimate depends on none, NaN if it is undefined
    without some. Where random groups were left out in turn, `n_units` is how many units these have together.
    """
    moments = Moments.of(left_out, counts, bounds)
    if moments is None:
        return math.nan
    effective = moments.effective_units
    if n_units is None or n_units == moments.n or effective == 0.0:
        return effective
    # The influence of a group is the sum of those of its units, so that its excess kurtosis is theirs over
    # their number: groups by themselves look as if no more than a third of them carried the variance.
    kurtosis = 3.0 + (n_units / moments.n) * (moments.n / effective - 3.0)
    return n_units / max(kurtosis, 1.0)


def normal(estimate: float, se: float, level: float, df: float = math.inf) -> Ends:
    """Return estimate plus and minus a quantile times the standard error.

    `df` holds degrees of freedom of Student's t; infinite for the normal quantile.
    """
    tail = 0.5 * (1.0 + level)
    z = float(special.ndtri(tail)) if math.isinf(df) else float(special.stdtrit(df, tail))
    return estimate - z * se, estimate + z * se


def studentized(pivots: Distribution, estimate: float, se: float, level: float) -> Ends:
    """Return the bootstrap-t interval.

    Davison & Hinkley 1997, eq. 5.7.
    """
    # (theta* - theta) / se* has the quantiles low and high: the upper one makes the lower end.
    low, high = percentile(pivots, level)
    return estimate - high * se, estimate - low * se


LEAST_P = 1e-12
"""The least p-value that is read from an interval."""

_NARROW, _STEPS = 1e-10, 100
"""The relative width of a bracket at which the search for a level ends, and the most steps it takes."""


def p_value(clearance: Callable[[float], float], least: float = LEAST_P) -> float:
    """Return one minus the level at which an interval ends at 0, at least `least`.

    `clearance` takes a level and returns how far the interval lies from 0: positive if it excludes 0. The
    level is found by false position with halving (Illinois) on the scale of a normal variable, on which an
    interval is nearly as long as its quantile. 1 if the interval holds 0 at every level.

    >>> round(p_value(lambda level: 2.5 - normal(0.0, 1.0, level)[1]), 6)  # 2 P(Z > 2.5)
    0.012419
    """

    def at(z: float) -> float:
        return clearance(1.0 - 2.0 * float(special.ndtr(-z)))

    # The least normal quantile that is tried: below it a level is 0
    near, far = 1e-6, -float(special.ndtri(0.5 * least))
    above, below = at(near), at(far)
    if above <= 0.0:
        return 1.0
    if below > 0.0:
        return least
    # Illinois: where one end of the bracket stays twice, its value is halved, so that the other comes nearer
    # too. Shares of 1 to 99 % keep the steps from stalling beside an end.
    last_moved = 0
    for _ in range(_STEPS):
        if far - near <= _NARROW * far:
            break
        between = near + (far - near) * min(max(above / (above - below), 0.01), 0.99)
        middle = at(between)
        if middle > 0.0:
            near, above, below = between, middle, below * (0.5 if last_moved > 0 else 1.0)
            last_moved = 1
        else:
            far, below, above = between, middle, above * (0.5 if last_moved < 0 else 1.0)
            last_moved = -1
    return float(2.0 * special.ndtr(-far))


# -- units that could differ, but did not among those seen -----------------------------------------
# An interval from a standard error, or from resamples, knows the units that were seen. Of two systems that
# differ on few units, or on none, others of the same kind may differ more often, or by more: an interval of
# length zero says nothing against that. For answers that are right or wrong, a score interval allows for
# it.


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
    q = float(special.stdtrit(freedom, 0.5 * (1.0 + level))) ** 2
    variance, cubes = _cumulants(values, counts, bounds)
    below = _distance(variance, -cubes, reach[0], q, n)
    above = _distance(variance, cubes, reach[1], q, n)
    return min(ends[0], estimate - below), max(ends[1], estimate + above)


def _cumulants(values: FloatArray, counts: IntArray, bounds: IntArray) -> tuple[float, float]:
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
            # n times Fisher's k-statistics k2 and k3 of the stratum.
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
    # In units of the largest influence the equation is (1 + q / n) x^2 - q M x - q V = 0.
    skew, spread = (t + r**3) / (v + r**2), 1.0 + q / n
    root = float(np.sqrt(q * v * spread + (0.5 * q * skew) ** 2))
    return largest * (0.5 * q * skew + root) / spread
