"""Characteristic functions of sums of very many small terms, from the power sums of the terms.

A bootstrap total, or a sum of signed differences, of 20,000 units and more has died out at frequencies where
each unit's share of it is small. There a power series of few terms takes the place of a pass over all units
per frequency. The remainder of the series is bounded; where the bound is not small, as it is if few units
carry the sum, nothing is returned and the exact functions are summed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestby._core import special
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.inference.lattice import all_single

SERIES_FROM = 20_000
"""Units from which the series are used."""

LARGEST_REMAINDER = 1e-9
"""Bound of the error of a characteristic function, or of its logarithm where it counts."""

_ORDER = 10

_LOG_COSH = (1 / 2, -1 / 12, 1 / 45, -17 / 2520, 31 / 14175)
"""Coefficients of x^2, x^4, ... in log cosh x."""

_EVEN = np.arange(2, _ORDER + 1, 2)

OUTER = 1024
"""Sizes that are so large that they are added one by one."""

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
    known: PowerSums | None = None,
) -> Array | None:
    """Return log E exp(i k h T) for k = 1 ... `most`, T the total of n draws from n values less their mean.

    The Taylor series of one draw's function to the power 9 of x = k h T is off by E x^10 / 10! at most. None
    if that is not negligible. `values` and `counts` have shape (C,), and `known` are their power sums about
    the mean, over the largest deviation, if these were made.
    """
    if values.size < SERIES_FROM:
        return None
    if known is None:
        scale = max(float(values.max()) - mean, mean - float(values.min()))
        if scale == 0.0:
            return None
        known = PowerSums.of(values, None if all_single(counts) else counts, mean, scale)
    n, scale = int(known.sums[0]), known.scale
    moments = known.sums / n
    t = np.arange(1, most + 1) * (h * scale)
    one = np.zeros(t.size, dtype=np.complex128)  # less 1, so that no digit is lost
    for order in range(_ORDER - 1, 0, -1):
        one += (1j * t) ** order * (moments[order] / math.factorial(order))
    remainder = t**_ORDER * (moments[_ORDER] / math.factorial(_ORDER))
    log_modulus = n * np.log(np.minimum(np.abs(1.0 + one) + remainder, 1.0))
    if (np.minimum(n * remainder, 1.0) * np.exp(log_modulus) > LARGEST_REMAINDER).any():
        return None
    logarithm: Array = n * np.log1p(one)
    return logarithm


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
        """Return the series of sizes of which the largest `OUTER` come last; None of too few of them."""
        if sizes.size < SERIES_FROM:
            return None
        inner, outer = sizes[:-OUTER], sizes[-OUTER:]
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
        ratio = (2.0 / math.pi * self.largest * np.abs(w)) ** 2
        bound = self.next_term * np.abs(w) ** 12 / np.maximum(1.0 - ratio, 0.5)
        return np.where(ratio <= 0.5, bound, np.inf)

    def value(self, w: Array) -> Array:
        """Return K(w), up to multiples of 2 pi i, for w of a real part of at least 0, shape (K,)."""
        square = w * w
        total = np.zeros_like(square)
        for term in self.terms[::-1].tolist():
            total = (total + term) * square
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
    w = math.sqrt(max(2.0 * (theta * far - float(series.value(np.array([theta]))[0])), 0.0))
    u = theta * math.sqrt(variance)
    tail = float(special.ndtr(-w))
    # Standard deviations from the mean within which all corrections of the normal distribution are rounding
    if min(u, w) < 0.03:
        return tail, 0.0
    density = math.exp(-0.5 * w * w) / math.sqrt(2.0 * math.pi)
    tail += density * (1.0 / u - 1.0 / w)
    bend = kurtosis / 8.0 - 5.0 * skewness**2 / 24.0
    more = density * (bend / u - skewness / (2.0 * u * u) - 1.0 / u**3 + 1.0 / w**3)
    return tail, more / tail if tail > 0.0 else 0.0
