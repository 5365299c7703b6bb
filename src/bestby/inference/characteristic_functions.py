"""Characteristic functions of sums of very many terms: power series where they die out, and what comes later.

A bootstrap total, or a sum of signed differences, of some thousand units has died out at frequencies where
each unit's share of it is small. There a power series of few terms takes the place of a pass over all units
per frequency. The remainder of the series is bounded; where the bound is not small, as it is if few units
carry the sum, nothing is returned and the exact functions are summed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core import special
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.lattice import all_single

SERIES_FROM = 2_000
"""Units from which the series are used."""

LARGEST_REMAINDER = 1e-9
"""Bound of the error of a characteristic function, or of its logarithm where it counts."""

_ORDER = 10

_LOG_COSH = (1 / 2, -1 / 12, 1 / 45, -17 / 2520, 31 / 14175)
"""Coefficients of x^2, x^4, ... in log cosh x."""

_EVEN = np.arange(2, _ORDER + 1, 2)

_NEXT = 691 / 935550
"""The size of the next coefficient; those after it fall by a factor of at least (2 / pi)^2 each."""


def power_sums(
    values: FloatArray, counts: IntArray | None, centre: float = 0.0, scale: float = 1.0
) -> FloatArray:
    """Return the sums of the powers 0 to 10 of (values - centre) / scale with multiplicities.

    `counts` is None where all are 1.
    """
    sums = np.zeros(_ORDER + 1)
    for part in chunks(values.size, 8):
        x = values[part] - centre
        x /= scale
        x2 = x * x
        x3, x4 = x2 * x, x2 * x2
        x5 = x4 * x
        n, c1, c3, c5 = np.float64(x.size), x, x3, x5
        if counts is not None:
            c = counts[part].astype(np.float64)
            n, c1, c3, c5 = c.sum(), c * x, c * x3, c * x5
        # x^j as products of powers that are there already: the sums need no other arrays.
        sums += (
            n, c1.sum(), c1 @ x, c1 @ x2, c3 @ x, c3 @ x2, c3 @ x3, c3 @ x4, c5 @ x3, c5 @ x4, c5 @ x5
        )  # fmt: skip
    return sums


@dataclass(frozen=True, eq=False)
class PowerSums:
    """The sums of the powers 0 to 10, shape (11,), of the distances of values from a centre, over a scale."""

    centre: float
    scale: float
    sums: FloatArray

    @classmethod
    def of(cls, values: FloatArray, counts: IntArray | None, centre: float, scale: float) -> PowerSums:
        """Return those of values with multiplicities; `counts` is None where all are 1."""
        return cls(centre, scale, power_sums(values, counts, centre, scale))


def log_characteristic(
    h: float,
    most: int,
    values: FloatArray,
    counts: IntArray,
    mean: float = 0.0,
    powers: PowerSums | None = None,
) -> Array | None:
    """Return log E exp(i k h T) for k = 1 ... `most`, T the total of n draws from n values less their mean.

    The Taylor series of one draw's function to the power 9 of x = k h T is off by E x^10 / 10! at most. None
    if that is not negligible. `values` and `counts` have shape (C,), and `powers` are their power sums about
    the mean, over the largest deviation, if these were made.
    """
    if values.size < SERIES_FROM:
        return None
    if powers is None:
        scale = max(float(values.max()) - mean, mean - float(values.min()))
        if scale == 0.0:
            return None
        powers = PowerSums.of(values, None if all_single(counts) else counts, mean, scale)
    n, scale = int(powers.sums[0]), powers.scale
    moments = powers.sums / n
    t = np.arange(1, most + 1) * (h * scale)
    # phi(t) - 1 = sum of (i t)^j m_j / j!, from the smallest terms on; log phi^n = n log1p(phi - 1).
    one = np.zeros(t.size, dtype=np.complex128)  # less 1, so that no digit is lost
    for order in range(_ORDER - 1, 0, -1):
        one += (1j * t) ** order * (moments[order] / math.factorial(order))
    remainder = t**_ORDER * (moments[_ORDER] / math.factorial(_ORDER))
    # An error r of phi is n r |phi|^(n-1) at most in phi^n: where that has died out, r may be large.
    log_modulus = n * np.log(np.minimum(np.abs(1.0 + one) + remainder, 1.0))
    if (np.minimum(n * remainder, 1.0) * np.exp(log_modulus) > LARGEST_REMAINDER).any():
        return None
    logarithm: Array = n * np.log1p(one)
    return logarithm


def n_outer(n: int) -> int:
    """Return how many of n sizes are added one by one, as the largest would need more terms of the series."""
    return min(n // 20, 1024)


@dataclass(frozen=True, eq=False)
class SignSeries:
    """K(w) = sum of log cosh(w size), the logarithm of E exp(w S) for the sum S of sizes with random signs.

    The largest sizes, `outer`, are added one by one. `terms` are the coefficients of w^2, w^4, ..., w^10 for
    the others, `next_term` bounds that of w^12, and `largest` is the largest of the others.
    """

    outer: FloatArray
    terms: FloatArray
    next_term: float
    largest: float

    @classmethod
    def of(cls, sizes: FloatArray) -> SignSeries | None:
        """Return the series of sizes whose largest, `n_outer` of them, come last; None of too few of them."""
        if sizes.size < SERIES_FROM:
            return None
        inner, outer = np.split(sizes, [sizes.size - n_outer(sizes.size)])
        largest = float(inner.max())
        sums = power_sums(inner, None, scale=largest)
        terms = np.array(_LOG_COSH) * sums[_EVEN] * largest ** _EVEN.astype(np.float64)
        return cls(outer, terms, _NEXT * float(sums[_ORDER]) * largest**12, largest)

    @classmethod
    def term_by_term(cls, sizes: FloatArray) -> SignSeries:
        """Return K with every size added by itself: without a remainder, and slow."""
        return cls(sizes, np.zeros(len(_LOG_COSH)), 0.0, 0.0)

    @property
    def variance(self) -> float:
        """The variance of S."""
        return 2.0 * float(self.terms[0]) + float(self.outer @ self.outer)

    def remainder(self, w: Array) -> FloatArray:
        """Return a bound of the error of K(w), infinite where the series may not converge."""
        # Coefficients of log cosh fall by (2 / pi)^2, as its nearest singularity is at i pi / 2: the rest of
        # the series is bounded by a geometric one.
        ratio = (2.0 / math.pi * self.largest * np.abs(w)) ** 2
        bound = self.next_term * np.abs(w) ** 12 / np.maximum(1.0 - ratio, 0.5)
        return np.where(ratio <= 0.5, bound, np.inf)

    def value(self, w: Array) -> Array:
        """Return K(w), up to multiples of 2 pi i, for w of a real part of at least 0, shape (K,)."""
        square = w * w
        total = np.zeros_like(square)
        for term in self.terms[::-1].tolist():
            total = (total + term) * square
        # log cosh x = x + log1p(exp(-2 x)) - log 2, which does not overflow.
        angles = np.multiply.outer(w, self.outer)
        with np.errstate(divide="ignore"):  # the logarithm of a cosine that is 0
            own: Array = total + (angles + np.log1p(np.exp(-2.0 * angles)) - math.log(2.0)).sum(axis=1)
        return own

    def slope(self, w: float) -> float:
        """Return K'(w) for a real w."""
        own = (self.terms * _EVEN) @ w ** (_EVEN - 1.0)
        return float(own + self.outer @ np.tanh(w * self.outer))

    def curvature(self, w: float, *, inner: bool = False) -> float:
        """Return K''(w) for a real w; that of the sizes without the largest ones if `inner`."""
        own = float((self.terms * _EVEN * (_EVEN - 1)) @ w ** (_EVEN - 2.0))
        return own if inner else own + float(self.outer**2 @ (1.0 - np.tanh(w * self.outer) ** 2))

    def bends(self, w: float) -> tuple[float, float]:
        """Return K'''(w) and K''''(w) for a real w."""
        third = (self.terms * _EVEN * (_EVEN - 1) * (_EVEN - 2)) @ w ** np.maximum(_EVEN - 3.0, 0.0)
        fourth = (self.terms * _EVEN * (_EVEN - 1) * (_EVEN - 2) * (_EVEN - 3)) @ w ** np.maximum(
            _EVEN - 4.0, 0.0
        )
        slope = np.tanh(w * self.outer)
        spread = (1.0 - slope * slope) * self.outer**3
        outer = float(-2.0 * slope @ spread), float((6.0 * slope * slope - 2.0) * self.outer @ spread)
        return float(third) + outer[0], float(fourth) + outer[1]

    def tilt(self, target: float) -> float:
        """Return theta with K'(theta) = target, by Newton's method from below; NaN if that is too far."""
        # K' is concave for w > 0: its tangents lie above it, and every step stops short of the root.
        theta = target / self.variance
        for _ in range(50):
            curvature = self.curvature(theta)
            if not curvature > 0.0:
                return math.nan
            step = (self.slope(theta) - target) / curvature
            theta -= step
            if not abs(step) > 1e-9 * abs(theta):  # any theta near the right one will do
                break
        return theta


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def lugannani_rice(series: SignSeries, far: float) -> tuple[float, float]:
    """Return P(S >= far) for far > 0 by its saddlepoint, and how much of that the next term would add.

    The formula is that of [1]_, its next term is in [2]_; [3]_ takes it for sums with random signs. The next
    term is nearly all of the error. Both numbers are NaN where no tilt reaches that far.

    References
    ----------
    .. [1] Lugannani & Rice (1980), Saddle point approximation for the distribution of the sum of independent
       random variables, Adv. Appl. Probab. 12, 475-490.
    .. [2] Daniels (1987), Tail probability approximations, Int. Stat. Rev. 55, 37-48.
    .. [3] Robinson (1982), Saddlepoint approximations for permutation tests and confidence intervals,
       J. R. Stat. Soc. B 44, 91-101.
    """
    theta = series.tilt(far)
    variance = series.curvature(theta)
    if not variance > 0.0:
        return math.nan, math.nan
    third, fourth = series.bends(theta)
    skewness, kurtosis = third / variance**1.5, fourth / variance**2
    # w^2 / 2 = theta x - K(theta) and u^2 = theta^2 K''(theta); P = 1 - Phi(w) + phi(w) (1 / u - 1 / w). Near
    # the mean both terms are large and cancel.
    w = math.sqrt(max(2.0 * (theta * far - float(series.value(np.array([theta]))[0])), 0.0))
    u = theta * math.sqrt(variance)
    tail = float(special.ndtr(-w))
    # Standard deviations from the mean within which all corrections of the normal distribution are rounding
    if min(u, w) < 0.03:
        return tail, 0.0
    density = math.exp(-0.5 * w * w) / math.sqrt(2.0 * math.pi)
    tail += density * (1.0 / u - 1.0 / w)
    # Next term, of the standardised cumulants at the saddlepoint (Daniels 1987).
    bend = kurtosis / 8.0 - 5.0 * skewness**2 / 24.0
    more = density * (bend / u - skewness / (2.0 * u * u) - 1.0 / u**3 + 1.0 / w**3)
    return tail, more / tail if tail > 0.0 else 0.0


# -- sums with steps -------------------------------------------------------------------------------
# Most of their terms are near the multiples of one number. The characteristic function of such a sum dies
# out, and comes near 1 again farther on. Whoever inverts it only up to where it has died out would smooth
# the steps away.


FREQUENCIES = 1 << 13
"""Frequencies at which steps are looked for; those that show only beyond move a tail by 5e-4."""

_LEAST = 1e-8
"""Frequencies k at which the characteristic function is below k times this move no tail by 1e-6."""

_GRID = 8 * FREQUENCIES
"""Points of a turn that angles are shared out to, for one FFT: a wave turns by at most 45 degrees between two
of them."""

_TINY = 1e-300
"""What stands for 0 where a logarithm is taken."""

_MOST_PRODUCTS = 1 << 20
"""Frequencies times terms at which a characteristic function is computed where a bound does not do."""


def later_terms(
    sizes: FloatArray, h: float, theta: float, first: int, gap: float = 0.0
) -> tuple[IntArray, Array] | None:
    """Return the k >= first at which E exp(i k h (S - ES)) counts, and its values.

    S is the sum of the sizes with random signs, whose means are tanh(theta size). `gap` is the distance of
    neighbouring values of S, if it is known: beyond half of that period nothing new comes. None if the
    function still counts at the last frequencies, or at very many.
    """
    means = np.tanh(theta * sizes)
    # |cos x + i m sin x|^2 = 1 - (1 - m^2) sin^2 x <= exp(-(1 - m^2) sin^2 x), and 2 sin^2 x = 1 - cos 2x.
    weights = 1.0 - means**2
    period = math.pi / (gap * h) if gap > 0.0 else math.inf
    k = np.arange(first, max(first, math.ceil(min(period, FREQUENCIES))))
    # Terms of which some are looked at before all are
    for step in sorted({1, 1 + sizes.size // (1 << 16)}, reverse=True):  # a product of some factors is larger
        waves, missed = _waves(sizes[::step], weights[::step], 2.0 * h)
        k = _counting(-0.25 * (float(weights[::step].sum()) - waves.real - missed)[k], k)
        if not k.size:
            break
    if k.size * sizes.size > _MOST_PRODUCTS:
        return None
    angles = np.multiply.outer(h * k, sizes)
    values = (np.cos(angles) + 1j * means * np.sin(angles)).prod(axis=1)
    values = values * np.exp(-1j * h * k * float(sizes @ means))
    # A value this large among the last frequencies will come again beyond them
    if period > FREQUENCIES and (np.abs(values[k >= FREQUENCIES // 2]) >= 0.03).any():
        return None
    counting = np.abs(values) >= _LEAST * k
    return k[counting], values[counting]


def has_steps(sizes: FloatArray, theta: float) -> bool:
    """Return whether the sum of sizes with random signs of means tanh(theta size) has no smooth density."""
    spread = math.sqrt(float(np.square(sizes) @ (1.0 - np.tanh(theta * sizes) ** 2)))
    # Frequency, over the standard deviation, from which the function of a normal distribution is below 1e-15
    later = later_terms(sizes, 1.0 / spread, theta, 9)
    return later is None or later[0].size > 0


def total_has_steps(values: FloatArray, counts: IntArray, bounds: IntArray, h: float, first: int) -> bool:
    """Return whether E exp(i k h T) counts at some k >= first, T a bootstrap total as for `mean_bootstrap`.

    It counts as well if it may do so at very many.
    """
    parts = [(values[a:b], counts[a:b], int(counts[a:b].sum())) for a, b in pairwise(bounds.tolist())]
    k = np.arange(first, FREQUENCIES)
    for points in (_GRID // 2, _GRID):  # the coarser one mostly does
        k = _counting(np.sum([_log_bound(*part, h, points) for part in parts], axis=0)[k], k)
        if not k.size:
            return False
    if k.size * values.size > _MOST_PRODUCTS:
        return True
    exact = np.zeros(k.size)
    for x, c, n in parts:
        one = np.exp(1j * h * np.multiply.outer(k, x)) @ (c / n)
        exact += n * np.log(np.clip(np.abs(one), _TINY, 1.0))
    return _counting(exact, k).size > 0


def _log_bound(values: FloatArray, counts: Array, n: int, h: float, grid_size: int = _GRID) -> FloatArray:
    """Return a bound of log |E exp(i k h T)|, T a total of n draws, from all or some of the n values."""
    waves, missed = _waves(values, counts, h, grid_size)
    others = n - float(counts.sum())
    return np.asarray(n * np.log(np.clip((np.abs(waves) + missed + others) / n, _TINY, 1.0)))


def _waves(values: FloatArray, weights: Array, h: float, grid_size: int = _GRID) -> tuple[Array, FloatArray]:
    """Return the sum of weight exp(-i k h value) for all k, and a bound of its error."""
    # Each value is shared out between the two grid points next to it, for one FFT: a chord in place of an arc
    # of the angle a is at most a^2 / 8 away from it.
    turns = values * (h / (2.0 * np.pi))
    places = (turns - np.floor(turns)) * grid_size
    points = places.astype(np.int64)
    right = weights * (places - points)
    grid = np.bincount(np.append(points, points + 1), np.append(weights - right, right), grid_size + 2)
    grid[:2] += grid[grid_size:]
    angles = (2.0 * np.pi / grid_size) * np.arange(FREQUENCIES)
    missed = np.square(angles) * (float(weights.sum()) / 8.0)
    return np.fft.rfft(grid[:grid_size])[:FREQUENCIES], missed


def _counting(logarithms: FloatArray, k: IntArray) -> IntArray:
    """Return the frequencies that count, by the logarithms of the modulus or a bound of it."""
    return k[logarithms >= math.log(_LEAST) + np.log(np.maximum(k, 1))]
