"""Characteristic functions that revive after they have died out.

That of a sum of values near the multiples of a step is 0 after some frequencies, and near 1 again farther on:
the distribution has steps that the first frequencies do not show. Whoever inverts a characteristic function
must look that far. Bounds from a few of the values make that quick, however many there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from bestby._core.typing import Array, FloatArray, IntArray

_ROW = 128

MOST_FREQUENCIES = _ROW * _ROW
"""Frequencies at which a revival is looked for; steps that show only beyond move a tail by 2e-4."""

LEAST_TERM = 1e-8
"""Frequencies k at which the characteristic function is below k times this move no tail by 1e-6."""

MOST_WITH_STEPS = 1 << 20
"""The same for multiples of a step that is known: beyond the middle of a period nothing new comes."""

UNRESOLVED = 0.03
"""A revival this large among the last frequencies will go on beyond them."""

_LEADING = 40
_LOOKED_AT = 192
_LOOKED_AT_FIRST = 64  # few that mostly suffice; a bound is quicker from them
_CHUNK = 64

_RISING = 1.19
"""x / cosh(x), which signed sizes spread by under a tilt, rises up to here."""


def later_terms(
    sizes: FloatArray, h: float, theta: float, first: int, gap: float = 0.0
) -> tuple[IntArray, Array] | None:
    """Return the k >= first at which E exp(i k h (S - ES)) counts, and its values.

    S is the sum of the sizes, which are in rising order, with random signs, whose means are tanh(theta size).
    `gap` is the distance of neighbouring values of S, if it is known. None if the function still revives at
    the last frequencies, or with a gap beyond them.
    """
    sizes = _by_spread(sizes, theta)
    some = sizes[_spread_ranks(sizes.size, _LEADING)]
    angles, means = h * some, np.tanh(theta * some)
    period = math.pi / (gap * h) if gap > 0.0 else 0.0  # half of one, which the other half mirrors
    if period > MOST_WITH_STEPS:
        return None
    for start in range(MOST_FREQUENCIES, math.ceil(period), MOST_FREQUENCIES):
        k = _counting(_squares(angles, means, start), start)
        if _sign_terms(k, sizes, h, theta)[0].size:
            return None
    squares = _squares(angles, means)
    k = _counting(squares)
    k = k[k >= first]
    late = k[k >= MOST_FREQUENCIES // 2]
    late = late[np.argsort(-squares[late], kind="stable")[:_CHUNK]]
    if (np.abs(_sign_terms(late, sizes, h, theta)[1]) >= UNRESOLVED).any():
        return None
    return _sign_terms(k, sizes, h, theta)


def _by_spread(sizes: FloatArray, theta: float) -> FloatArray:
    """Return sizes, which are in rising order, by the falling standard deviations of the signed sizes."""
    if theta * float(sizes[-1]) <= _RISING:
        return sizes[::-1]
    return sizes.take(np.argsort(-sizes * np.sqrt(1.0 - np.tanh(theta * sizes) ** 2), kind="stable"))


def _counting(squares: FloatArray, start: int = 0) -> IntArray:
    """Return the frequencies k >= start at which squares of the function, from `start` on, may count."""
    k = start + np.arange(squares.size)
    return k[squares >= (LEAST_TERM * k) ** 2]


def _squares(angles: FloatArray, means: FloatArray, start: int = 0) -> FloatArray:
    """Return the product of |cos k x + i mean sin k x|^2 over the angles x with seven digits.

    Those of all k from `start` on, as many as are looked at by default.
    """
    half = 0.5 * (1.0 - means**2)  # each is (1 - half) + half cos 2 k x
    long, short = _powers(2.0 * angles)
    long *= np.exp(2j * start * angles)
    left = np.stack([half * long.real, -half * long.imag, np.broadcast_to(1.0 - half, long.shape)])
    right = np.stack([short.real, short.imag, np.ones(short.shape)])
    factors = left.transpose(2, 1, 0).astype(np.float32) @ right.transpose(2, 0, 1).astype(np.float32)
    return np.asarray(factors.prod(axis=0).reshape(-1).astype(np.float64))


def _sign_terms(k: IntArray, sizes: FloatArray, h: float, theta: float) -> tuple[IntArray, Array]:
    """Return those of the frequencies that count, and the characteristic function there."""
    values = np.ones(k.size, dtype=np.complex128)
    for start in range(0, sizes.size, _CHUNK):
        if not k.size:
            break
        part = sizes[start : start + _CHUNK]
        means = np.tanh(theta * part)
        angle = np.multiply.outer(h * k, part)
        factors = np.cos(angle) + 1j * means * np.sin(angle)
        values = values * factors.prod(axis=1) * np.exp(-1j * h * k * float(part @ means))
        counting = np.abs(values) >= LEAST_TERM * k
        k, values = k[counting], values[counting]
    return k, values


def total_revives(
    values: FloatArray, counts: IntArray, bounds: IntArray, variances: Sequence[float], h: float, first: int
) -> bool:
    """Return whether the characteristic function of a bootstrap total counts at some k h with k >= first.

    `values`, in rising order in each stratum, `counts` and `bounds` are as for `mean_bootstrap`; `variances`
    are those of the total from each stratum.
    """
    least = _least_logarithms()
    for looked_at in (_LOOKED_AT_FIRST, _LOOKED_AT):
        rough = np.zeros(MOST_FREQUENCIES)
        for (a, b), variance in zip(pairwise(bounds.tolist()), variances, strict=True):
            x, c = values[a:b], counts[a:b]
            rough += _log_bound(x, c, float(c.sum()), float(x[-1] - x[0]), variance, h, looked_at)
            if (rough[first:] < least[first:]).all():
                return False
    k = first + np.flatnonzero(rough[first:] >= least[first:])
    k = k[np.argsort(-rough[k], kind="stable")]
    return any(
        (_log_modulus(part, values, counts, bounds, h) >= least[part]).any()
        for part in np.split(k, range(_CHUNK, k.size, _CHUNK))
    )


def surely_dies_out(some: FloatArray, n: float, spread: float, variance: float, h: float, first: int) -> bool:
    """Return whether a bound shows that the function of a total counts at no k h with k >= first.

    `some` are some of n values, in rising order. `spread` is the range of all values, and `variance` that of
    the total of n draws from them.
    """
    counts, least = np.ones(some.size), _least_logarithms()
    return any(
        bool((_log_bound(some, counts, n, spread, variance, h, looked_at)[first:] < least[first:]).all())
        for looked_at in (_LOOKED_AT_FIRST, _LOOKED_AT)
    )


@cache
def _least_logarithms() -> FloatArray:
    """Return the logarithm of the least modulus that counts at each frequency."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(LEAST_TERM * np.arange(MOST_FREQUENCIES)))


def _log_bound(
    values: FloatArray, counts: Array, n: float, spread: float, variance: float, h: float, looked_at: int
) -> FloatArray:
    """Return for all k a bound of the logarithm of the modulus of E exp(i k h T), T the total of n draws.

    The values, in rising order, are all or some of those that are drawn from; `spread` is the range of all.

    The modulus of one draw is at most (|sum over some values| + number of the others) / n, where about
    `looked_at` values from both ends, the middle and between are looked at. As 1 - cos x >= 2 (x / pi)^2 up
    to pi, the logarithm is also at most -2 (k h / pi)^2 var T as long as k h times the range of the values is
    at most pi.
    """
    some = _both_ends(values.size, looked_at)
    long, short = _powers(h * (values[some] - values[values.size // 2]))
    sums = np.abs((long * counts[some]).astype(np.complex64) @ short.T.astype(np.complex64)).reshape(-1)
    bound = n * np.log(np.clip((sums + (n - counts[some].sum())) / n, 1e-300, 1.0))
    k = np.arange(MOST_FREQUENCIES)
    quadratic = np.where(k * h * spread <= np.pi, -2.0 * (k * h / np.pi) ** 2 * variance, 0.0)
    return np.asarray(np.minimum(bound, quadratic))


def _log_modulus(k: IntArray, values: FloatArray, counts: IntArray, bounds: IntArray, h: float) -> FloatArray:
    """Return the logarithm of the modulus of the characteristic function of a bootstrap total."""
    total = np.zeros(k.size)
    with np.errstate(divide="ignore"):
        for a, b in pairwise(bounds.tolist()):
            n = int(counts[a:b].sum())
            one = np.exp(1j * h * np.multiply.outer(k, values[a:b])) @ (counts[a:b] / n)
            total += n * np.log(np.minimum(np.abs(one), 1.0))
    return total


def _spread_ranks(n: int, most: int) -> IntArray:
    """Return which of n falling sizes to look at first: the largest, and some down to the median."""
    if n <= most:
        return np.arange(n)
    large = most // 2
    return np.concatenate(
        [np.arange(large), np.linspace(large, max(n // 2, most), most - large, endpoint=False).astype(int)]
    )


def _both_ends(n: int, most: int) -> IntArray:
    """Return which of n rising values to look at first: the ends, the middle and some between."""
    if n <= most:
        return np.arange(n)
    part = most // 6
    ends = [np.arange(part), np.arange(n - part, n), n // 2 - part + np.arange(2 * part)]
    return np.unique(np.concatenate([*ends, np.linspace(0, n - 1, 2 * part).astype(int)]))


def _powers(angles: FloatArray) -> tuple[Array, Array]:
    """Return exp(i k x) for k = 0, 128, … and for k = 0 … 127, each (128, m): all others are products."""
    return _first_powers(np.exp(1j * _ROW * angles)), _first_powers(np.exp(1j * angles))


def _first_powers(z: Array) -> Array:
    """Return z^k for k = 0 … 127, shape (128, m), by products: exponentials take ten times as long."""
    out = np.empty((_ROW, z.size), dtype=np.complex128)
    out[0] = 1.0
    known = 1
    while known < _ROW:
        np.multiply(out[:known], z, out=out[known : 2 * known])
        z = z * z
        known *= 2
    return out
