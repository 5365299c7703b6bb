"""Power of tests from formulas: nothing is drawn."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln, nctdtr, ndtri, stdtrit, xlog1py, xlogy

from bestby._core.typing import Alternative, FloatArray, IntArray

_REACH = 9.0
"""Standard deviations of the number of differing items summed over: the rest has mass below 1e-17."""


def mcnemar_power(
    n: IntArray,
    differing: float,
    difference: float,
    alpha: float,
    alternative: Alternative = "two-sided",
    *,
    mid: bool = False,
) -> FloatArray:
    """Return the unconditional power of McNemar's exact test (Duffy 1984, Biometrics 40, 1005-1015).

    `differing` is the probability that exactly one system has an item right. The power is the sum, over the
    number m of differing items, of its binomial probability times the power of the sign test of m items.
    """
    sizes = np.asarray(n, dtype=np.int64)
    if differing <= 0.0:
        return np.zeros(sizes.size)
    spread = _REACH * np.sqrt(sizes * differing * (1.0 - differing)) + 5.0 * _REACH
    first = max(0, math.floor(float((sizes * differing - spread).min())))
    last = min(int(sizes.max()), math.ceil(float((sizes * differing + spread).max())))
    m = np.arange(first, last + 1)
    conditional = _sign_power(m, 0.5 * (1.0 + difference / differing), alpha, alternative, mid=mid)
    return np.array([_binomial(m, int(size), differing) @ conditional for size in sizes])


def _binomial(m: IntArray, n: int, p: float) -> FloatArray:
    """Return P(M = m) of n trials, for the m that hold all of the mass; 0 beyond n."""
    inside = np.minimum(m, n)
    log_pmf = gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1)
    log_pmf += xlogy(inside, p) + xlog1py(n - inside, -p)
    pmf = np.where(m <= n, np.exp(log_pmf), 0.0)
    normed: FloatArray = pmf / pmf.sum()  # takes away the rounding of the large logarithms
    return normed


def _sign_power(
    m: IntArray, chance: float, alpha: float, alternative: Alternative, *, mid: bool
) -> FloatArray:
    """Return the power of the sign test of m coins that come up for A with probability `chance`.

    `m` are successive numbers.
    """
    one_sided = alpha / 2.0 if alternative == "two-sided" else alpha
    critical = _critical(int(m[0]), int(m[-1]), one_sided, mid=mid)
    power = np.zeros(m.size)
    if alternative != "less":
        power += _at_least(critical, m, chance)
    if alternative != "greater":
        power += _at_least(critical, m, 1.0 - chance)
    return np.where(m > 0, power, 0.0)  # without a differing item p is 1


@lru_cache(maxsize=64)  # a search for a difference asks the same again and again
def _critical(first: int, last: int, alpha: float, *, mid: bool) -> IntArray:
    """Return the least number of heads among so many fair coins whose upper tail is at most alpha.

    For every number of coins from the first to the last.
    """
    m = np.arange(first, last + 1)

    def tail(k: IntArray) -> FloatArray:
        upper = _at_least(k, m, 0.5)
        return 0.5 * (upper + _at_least(k + 1, m, 0.5)) if mid else upper

    # The normal approximation is a step or two off; the tails decide.
    guess = np.ceil(0.5 * m - 0.5 * ndtri(alpha) * np.sqrt(m)).astype(np.int64)
    k: IntArray = np.clip(guess, 0, m + 1)
    while (lower := (k > 0) & (tail(k - 1) <= alpha)).any():
        k = k - lower
    while (higher := tail(k) > alpha).any():
        k = k + higher
    k.flags.writeable = False
    return k


def _at_least(k: IntArray, m: IntArray, p: float) -> FloatArray:
    """Return P(K >= k) of m trials."""
    inner = np.clip(k, 1, np.maximum(m, 1))
    tail = betainc(inner, np.maximum(m, 1) - inner + 1, p)
    return np.where(k <= 0, 1.0, np.where(k > m, 0.0, tail))


def t_power(
    shift: FloatArray, df: FloatArray, alpha: float, alternative: Alternative = "two-sided"
) -> FloatArray:
    """Return the power of a t-test (Cohen 1988, Statistical Power Analysis, 2nd ed., section 12.8).

    `shift` is the true difference in units of its standard error. Where `df` is not positive there is no
    test, and the power is NaN.
    """
    shift, df = np.broadcast_arrays(np.asarray(shift, dtype=np.float64), np.asarray(df, dtype=np.float64))
    usable = np.where(df > 0.0, df, 1.0)
    critical = -stdtrit(usable, alpha / 2.0 if alternative == "two-sided" else alpha)
    power = np.zeros(shift.shape)
    # P(T >= c) is that of the mirrored T below -c, which keeps small tails.
    if alternative != "less":
        power += _noncentral(-critical, usable, -shift)
    if alternative != "greater":
        power += _noncentral(-critical, usable, shift)
    return np.where(df > 0.0, np.clip(power, 0.0, 1.0), np.nan)


def _noncentral(t: FloatArray, df: FloatArray, centre: FloatArray) -> FloatArray:
    """Return P(T <= t) of the noncentral t distribution.

    SciPy has no number where that is within 1e-11 of 0 or of 1, both far from the centre: then it is that.
    """
    mass = nctdtr(df, centre, t)
    return np.where(np.isnan(mass), centre < 0.0, mass)
