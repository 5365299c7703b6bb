"""Right or wrong on every item: the discordant items of all pairs at once, and what follows from them.

The p-values are those of `permutation.exact_mean` to the bit, for arrays of pairs.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import betainc, ndtr

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.inference.proportions import tango_high, two_sided_quantile


def together(right: Array, counts: IntArray, others: Array | None = None) -> IntArray:
    """Return on how many items two systems are both right, for all pairs, shape (S, T).

    `right` (C, S), and `others` (C, T) if given, are 1 where a system is right on the items of a row, which
    stands for `counts` items. Products of blocks of rows are in single precision where their sums are small
    enough.
    """
    others = right if others is None else others
    both: IntArray = np.zeros((right.shape[1], others.shape[1]), dtype=np.int64)
    for part in chunks(*right.shape):
        c = counts[part]
        kind = np.float32 if int(c.sum()) <= rounding.EXACT_IN_SINGLE else np.float64
        left = right[part].astype(kind)
        weighted = others[part].astype(kind) * c[:, None].astype(kind)
        both += (left.T @ weighted).astype(np.int64)
    return both


def permutation(n10: IntArray, n01: IntArray, alternative: Alternative) -> tuple[FloatArray, BoolArray]:
    """Return the p-values of the exact permutation test (McNemar's) of many pairs.

    The second result says where all items that differ point in the direction of the alternative, or none
    differs: one arrangement of signs is all there is to count.
    """
    net, m = n10 - n01, n10 + n01
    far = np.abs(net) if alternative == "two-sided" else net if alternative == "greater" else -net
    sides = 2.0 if alternative == "two-sided" else 1.0
    alone: BoolArray = far == m
    successes = (m + far) // 2
    upper = np.where(successes <= 0, 1.0, betainc(np.maximum(successes, 1), m - successes + 1, 0.5))
    upper = np.where(alone, np.where(m < 1074, np.ldexp(1.0, -np.minimum(m, 1074)), 0.0), upper)
    p = np.minimum(1.0, np.maximum(sides * upper, sys.float_info.min))
    if sides == 2.0:
        p = np.where(far <= 0, 1.0, p)
    return np.where(m == 0, 1.0, p), alone


def score_p(n10: IntArray, n01: IntArray) -> FloatArray:
    """Return one minus the level at which Tango's interval of each pair ends at 0, 1 where none ever does.

    With the difference 0, s is m / n, and the equation of the ends is d^2 = z^2 m: the level is that of
    McNemar's test without a correction.
    """
    d, m = np.abs(n10 - n01).astype(np.float64), (n10 + n01).astype(np.float64)
    p: FloatArray = 2.0 * ndtr(-d / np.sqrt(np.maximum(m, 1.0)))
    return p


def tango(n10: IntArray, n01: IntArray, n: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Tango's intervals of many pairs; `n`, the number of all items, is below 2^31."""
    z = two_sided_quantile(level)
    d, m = n10 - n01, n10 + n01
    key = np.concatenate([m * (2 * n + 1) + d, m * (2 * n + 1) - d])
    distinct, place = np.unique(key + n, return_inverse=True)
    differing, shifted = np.divmod(distinct, 2 * n + 1)
    ends = np.empty(distinct.size)
    for block in chunks(distinct.size, 8):
        ends[block] = tango_high(shifted[block] - n, differing[block], n, z)
    high = ends[place.reshape(-1)]
    return -high[d.size :], high[: d.size]
