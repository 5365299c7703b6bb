"""Answers that are right or wrong: score intervals of proportions, and of differences of paired ones.

They invert a score test instead of adding and subtracting a standard error, so they have a sensible width
when every item is right, or when no item differs, and never leave the range of the quantity. All pairs of
many systems are computed at once, from the numbers of items that only one of the two has right.
"""

from __future__ import annotations

import sys
from typing import Any, overload

import numpy as np

from bestby._core import checks, rounding, special
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Alternative, Array, ArrayLike, BoolArray, FloatArray, IntArray
from bestby.inference.bisection import crossings


@overload
def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]: ...
@overload
def wilson(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]: ...
def wilson(
    successes: ArrayLike, n: ArrayLike, level: float = 0.95
) -> tuple[float, float] | tuple[FloatArray, FloatArray]:
    """Wilson's score interval for a proportion (1927, J. Amer. Statist. Assoc. 22, 209-212).

    It is that of Newcombe (1998), Statist. Med. 17, 857-872, method 3. The ends are floats if both counts are
    scalars. The interval of the failures is the mirror image.
    """
    z = two_sided_quantile(level)
    x, size = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    if not ((size >= 1.0) & np.isfinite(size) & (x >= 0.0) & (x <= size)).all():
        raise InvalidInputError(
            f"successes must lie between 0 and n, and n be at least 1; got {successes} of {n}",
            hint="pass the number of items that are right and the number of all items",
        )
    low = wilson_ends(x, size, z)[0]
    high = 1.0 - wilson_ends(size - x, size, z)[0]
    return (float(low), float(high)) if x.ndim == 0 else (low, high)


def wilson_midp(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the union of Wilson's interval of a proportion and the mid-P interval.

    Wilson's is too short on one side where a proportion is near 0 or 1 (of 40 items, 98 % of which are right,
    it covers 84 %), the mid-P interval [1]_ elsewhere. Their union covers at least 92 % of 12 items, and 94 %
    of 150, wherever the proportion lies; it is hardly longer than Wilson's. Where all items are right or none
    is, an end is 1 or 0.

    References
    ----------
    .. [1] Berry & Armitage (1995), Mid-P confidence intervals: a brief review, The Statistician 44, 417-423.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_midp(39, 40)], [round(end, 4) for end in wilson(39, 40)]
    ([0.8712, 0.9987], [0.8712, 0.9956])
    """
    low, high = wilson(successes, n, level)
    tail = 0.5 * (1.0 - level)
    x = np.array([successes, n - successes], dtype=np.float64)
    # Of all successes or none, an end in closed form; a share that has both then takes their place
    some = np.where((x > 0.0) & (x < n), x, 0.5 * n)

    def beyond(p: FloatArray) -> FloatArray:
        least, more = special.betainc(some, n - some + 1.0, p), special.betainc(some + 1.0, n - some, p)
        excess: FloatArray = 0.5 * (least + more) - tail
        return excess

    # P(X >= x) and P(X > x), whose mean it is, are the tail at the ends of Clopper and Pearson
    least, most = (
        special.betaincinv(some, n - some + 1.0, tail),
        special.betaincinv(some + 1.0, n - some, tail),
    )
    found, _ = crossings(beyond, least, most, lambda p: 4e-16 * p)
    found = np.where(x == 0.0, 0.0, np.where(x == n, (2.0 * tail) ** (1.0 / n), found))
    return min(low, float(found[0])), max(high, 1.0 - float(found[1]))


def wilson_ends(x: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's interval of x successes of n, which need not be whole numbers.

    `z` is the quantile, of the normal distribution or of Student's t. Both ends keep their digits where the
    successes are few. The lower end is the product of the two roots over the upper one: exactly 0 for x = 0.
    """
    # The ends solve (x - n p)^2 = z^2 n p (1 - p): (x + z^2/2 -+ root) / (n + z^2). Their product is (x^2 /
    # n) / (n + z^2), which gives the lower one without a difference.
    upper = x + z * z / 2.0 + z * np.sqrt(x * (n - x) / n + z * z / 4.0)
    return x * (x / n) / upper, upper / (n + z * z)


def tango(n10: int, n01: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval for a difference of paired proportions.

    Tango (1998), Statist. Med. 17, 891-908, section 4. `n10` is the number of items that only A has right,
    `n01` that of B. With d = n10 - n01 and m = n10 + n01, the ends solve

        (n delta - d)^2 = z^2 n (s - delta^2),

    where s, the probability that the systems differ estimated under the difference delta, is the larger root
    of n s^2 - (m + d delta) s + d delta - (n - m) delta^2 = 0: Tango's equation written for the sum of the
    two cells instead of one of them, which makes it symmetric. The statistic is monotone in delta, so each
    end is found to 1e-15. Exchanging `n10` and `n01` mirrors the ends to the bit.
    """
    z = two_sided_quantile(level)
    a, b, size = (count(value, what) for value, what in ((n10, "n10"), (n01, "n01"), (n, "n")))
    if size < 1 or a + b > size:
        raise InvalidInputError(
            f"n must be at least 1 and at least n10 + n01, got n = {n}, n10 = {n10}, n01 = {n01}"
        )
    return tango_ends(a - b, a + b, size, z)


def tango_ends(net: float, differing: float, n: float, z: float) -> tuple[float, float]:
    """Return the ends of Tango's interval from n10 - n01, n10 + n01 and n, which need not be whole numbers.

    `z` is the quantile, of the normal distribution or of Student's t.
    """
    low, high = tango_high(np.array([-net, net]), np.array([differing, differing]), n, z).tolist()
    return -low, high


def tango_high(net: ArrayLike, differing: ArrayLike, n: float | FloatArray, z: float) -> FloatArray:
    """Return the upper ends of Tango's interval for arrays of n10 - n01, n10 + n01, and n or one n of all."""
    zz = z * z
    d, m = np.asarray(net, dtype=np.float64), np.asarray(differing, dtype=np.float64)

    def excess(delta: FloatArray) -> FloatArray:
        # The larger root s of n s^2 - (m + d delta) s + d delta - (n - m) delta^2 = 0.
        half = (m + d * delta) / 2.0
        root = np.sqrt(np.maximum(half * half - n * delta * (d - (n - m) * delta), 0.0))
        return n * delta - d - z * np.sqrt(np.maximum(half + root - n * delta * delta, 0.0))

    # If m = 0, the estimate solves the equation, too, and s is delta; if d = -n, s is 1 whatever delta is
    known = np.where(m == 0.0, zz / (n + zz), np.where(d == -n, (zz - n) / (zz + n), 1.0))
    is_known = (m == 0.0) | (np.abs(d) == n)
    d, m = np.where(is_known, 0.0, d), np.where(is_known, 0.5 * n, m)  # something that has an end
    found = crossings(excess, d / n, np.ones(d.size), lambda delta: np.full_like(delta, 1e-15))[1]
    return np.where(is_known, known, found)


def paired_error(n_differing: ArrayLike, difference: ArrayLike, n: int) -> FloatArray:
    """Return the standard error of a difference of paired proportions: sd / sqrt(n) of the n differences.

    >>> differences = np.array([1] * 6 + [-1] * 16 + [0] * 139)
    >>> bool(np.isclose(paired_error(22, -10 / 161, 161), differences.std(ddof=1) / np.sqrt(161)))
    True
    """
    share = np.asarray(n_differing) / n
    error: FloatArray = np.sqrt(np.maximum(share - np.square(difference), 0.0) / (n - 1))
    return error


def two_sided_quantile(level: float) -> float:
    """Return the normal quantile of a two-sided interval.

    >>> round(two_sided_quantile(0.95), 6)
    1.959964
    """
    return -float(special.ndtri((1.0 - checks.probability(level, "level")) / 2.0))


def count(value: int, what: str) -> int:
    """Return `value` if it is a whole number of at least 0."""
    if not float(value).is_integer() or value < 0:
        raise InvalidInputError(f"{what} must be a whole number of at least 0, got {quoted(value)}")
    return int(value)


# -- all pairs of many systems at once -------------------------------------------------------------
# The p-values are those of `permutation.exact_mean` to the bit.


def both_right(right: Array, counts: IntArray, others: Array | None = None) -> IntArray:
    """Return on how many items two systems are both right, for all pairs, shape (S, T).

    `right` (C, S), and `others` (C, T) if given, are 1 where a system is right on the items of a row, which
    stands for `counts` items. Products of blocks of rows are in single precision where their sums are small
    enough.
    """
    others = right if others is None else others
    both: IntArray = np.zeros((right.shape[1], others.shape[1]), dtype=np.int64)
    for part in chunks(*right.shape):
        c = counts[part]
        # Whole numbers to 2^24 are exact in single precision, and its products take half the time.
        kind = np.float32 if int(c.sum()) <= rounding.EXACT_IN_SINGLE else np.float64
        left = right[part].astype(kind)
        weighted = others[part].astype(kind) * c[:, None].astype(kind)
        both += (left.T @ weighted).astype(np.int64)
    return both


def permutation_pairs(n10: IntArray, n01: IntArray, alternative: Alternative) -> tuple[FloatArray, BoolArray]:
    """Return the p-values of the exact permutation test (McNemar's) of many pairs.

    The second result says where all items that differ point in the direction of the alternative, or none
    differs: one arrangement of signs is all there is to count.
    """
    net, m = n10 - n01, n10 + n01
    far = np.abs(net) if alternative == "two-sided" else net if alternative == "greater" else -net
    sides = 2.0 if alternative == "two-sided" else 1.0
    one_way: BoolArray = far == m
    successes = (m + far) // 2
    # P(K >= k) of m fair coins is I_1/2(k, m - k + 1).
    upper = np.where(successes <= 0, 1.0, special.betainc(np.maximum(successes, 1), m - successes + 1, 0.5))
    # One arrangement of 2^m, to the bit; from 1074 units on below the smallest float.
    upper = np.where(one_way, np.where(m < 1074, np.ldexp(1.0, -np.minimum(m, 1074)), 0.0), upper)
    p = np.minimum(1.0, np.maximum(sides * upper, sys.float_info.min))
    if sides == 2.0:
        p = np.where(far <= 0, 1.0, p)
    return np.where(m == 0, 1.0, p), one_way


def score_p(n10: IntArray, n01: IntArray) -> FloatArray:
    """Return one minus the level at which Tango's interval of each pair ends at 0, 1 where none ever does.

    With the difference 0, s is m / n, and the equation of the ends is d^2 = z^2 m: the level is that of
    McNemar's test without a correction.
    """
    d, m = np.abs(n10 - n01).astype(np.float64), (n10 + n01).astype(np.float64)
    p: FloatArray = 2.0 * special.ndtr(-d / np.sqrt(np.maximum(m, 1.0)))
    return p


def tango_pairs(n10: IntArray, n01: IntArray, n: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Tango's intervals of many pairs; `n`, the number of all items, is below 2^31."""
    z = two_sided_quantile(level)
    d, m = n10 - n01, n10 + n01
    # Ends depend on n10 - n01 and n10 + n01 alone: each of these combinations is solved once.
    key = np.concatenate([m * (2 * n + 1) + d, m * (2 * n + 1) - d])
    distinct, place = np.unique(key + n, return_inverse=True)
    differing, shifted = np.divmod(distinct, 2 * n + 1)
    ends = np.empty(distinct.size)
    for block in chunks(distinct.size, 8):
        ends[block] = tango_high(shifted[block] - n, differing[block], n, z)
    high = ends[place.reshape(-1)]
    return -high[d.size :], high[: d.size]


def added_in_squares(
    values: tuple[Any, Any], ends: tuple[tuple[Any, Any], tuple[Any, Any]], r: Any = 0.0
) -> tuple[Any, Any]:
    """Return the ends of the interval of a difference, from those of both values and their correlation.

    The distances of the values to their ends are added in squares, less what they share (Newcombe 1998,
    Statist. Med. 17, 2635-2650, method 10; Zou & Donner 2008, Statist. Med. 27, 1693-1702, equation 5). All
    are floats or arrays of one shape.

    >>> low, high = added_in_squares((0.1, 0.03), ((0.06, 0.13), (0.0, 0.04)))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0288, 0.1124)
    """
    (a, b), ((a_low, a_high), (b_low, b_high)) = values, ends

    def reach(one: Any, other: Any) -> Any:
        return np.sqrt(np.maximum(one**2 - 2.0 * r * one * other + other**2, 0.0))

    return a - b - reach(a - a_low, b_high - b), a - b + reach(a_high - a, b - b_low)
