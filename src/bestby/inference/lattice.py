"""Values with multiplicities: merged where equal, and as multiples of a common step."""

from __future__ import annotations

import math

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import Array, FloatArray, IntArray

LARGEST_MULTIPLE = 100_000
MOST_VALUES = 4096

MANY = 1 << 16
"""Number of values from which equal ones are not merged, if fewer than one in `_FEW` are equal."""

_FEW = 1000


def as_lattice(values: FloatArray, scale: float | None = None) -> tuple[float, IntArray] | None:
    """Return the greatest common step of the values, and the values in steps.

    `values` has shape (m,). `scale` is the size of a typical difference between values that counts; by
    default that of a typical value, so that a single one far off does not decide. Returns ``values == step *
    multiples`` within 1e-9 of the scale; None if there are more than 4096 distinct values or the step would
    be smaller than 1e-5 of the largest one, as for real-valued scores.
    """
    if values.size > MOST_VALUES:
        return None
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 1.0, np.zeros(values.size, dtype=np.int64)
    tolerance = rounding.step_width(min(largest, rounding.typical(values) if scale is None else scale))
    step = largest
    for value in np.abs(values).tolist():
        step = _common(step, value, tolerance)
        if step * LARGEST_MULTIPLE < largest:
            return None
        step = largest / round(largest / step)  # the chain of remainders loses digits; this gives them back
    multiples = np.rint(values / step)
    if np.abs(values - multiples * step).max() > tolerance:
        return None
    return step, multiples.astype(np.int64)


def _common(a: float, b: float, tolerance: float) -> float:
    """Return the greatest common divisor of two non-negative reals, up to a tolerance."""
    while b > tolerance:
        a, b = b, a % b
        if a - b <= tolerance:  # a remainder just below the divisor is a rounded zero
            b = 0.0
    return a


def merged(values: FloatArray, counts: IntArray, scale: float | None = None) -> tuple[FloatArray, IntArray]:
    """Return distinct values in rising order with their counts; merge values that only rounding separates.

    `scale` is as for `as_lattice`.
    """
    values, counts = in_order(values, counts)
    return merged_in_order(values, counts, rounding.typical(values) if scale is None else scale)


def all_single(counts: IntArray) -> bool:
    """Return whether every value stands for one unit, so that it need not be multiplied by its count."""
    return counts.size == 0 or (int(counts[0]) == 1 and _all_equal(counts))


def _all_equal(counts: IntArray) -> bool:
    """Return whether all counts are the same; those that are one number in memory need not be looked at."""
    return counts.strides == (0,) or int(counts.max()) == int(counts.min())


def weighted_sum(values: FloatArray, counts: Array | None) -> float:
    """Return the sum of values with multiplicities, None for ones.

    The order of few values, and of values with multiplicities, may change its last digits.
    """
    if counts is not None:
        return float(counts @ values)
    return _sum_of_many(values) if values.size >= MANY else float(values.sum())


def _sum_of_many(values: FloatArray) -> float:
    """Return the sum of very many values, which does not depend on their order.

    The leading digits of all values are multiples of a step so large that their sum is exact, and the others
    are too small to change the result [1]_, unless the largest values cancel each other or nearly overflow.

    References
    ----------
    .. [1] Demmel & Nguyen (2015). Parallel reproducible summation. IEEE Trans. Comput. 64, 2060-2070.
    """
    largest = max(float(values.max()), -float(values.min()))
    # A size from which sums are plain ones, so that none overflows on the way
    if not largest < 2.0**900:
        return float(values.sum())
    # Beside an anchor so large a double has no bits left for small digits: adding and subtracting it rounds
    # every value to one grid, on which sums are exact in any order.
    anchor = math.ldexp(1.5, math.frexp(largest)[1] + values.size.bit_length())
    leading = left = 0.0
    for rows in chunks(values.size):
        part = values[rows]
        digits = part + anchor
        digits -= anchor
        leading += float(np.add.reduce(digits))
        left += float(np.add.reduce(np.subtract(part, digits, out=digits)))
    return leading + left


def in_order(values: FloatArray, counts: IntArray) -> tuple[FloatArray, IntArray]:
    """Return values in rising order with their counts."""
    if counts.size and _all_equal(counts):
        return (values if rising(values) else np.sort(values)), counts
    order = np.argsort(values, kind="stable")
    return values[order], counts[order]


def rising(values: FloatArray) -> bool:
    """Return whether values are in rising order."""
    return bool((values[1:] >= values[:-1]).all())


def _close(values: FloatArray, width: float) -> int:
    """Return how many rising values are within a width of the one before."""
    close = 0
    for rows in chunks(values.size - 1):
        part = values[rows.start : rows.stop + 1]
        close += int(np.count_nonzero(part[1:] - part[:-1] <= width))
    return close


def merged_in_order(values: FloatArray, counts: IntArray, scale: float) -> tuple[FloatArray, IntArray]:
    """Return distinct values with their counts, of values that are in rising order; see `merged`."""
    if values.size == 0:
        return values, counts
    width = rounding.merge_width(values[[0, -1]], scale)
    # A few equal values among very many stay apart, which changes no sum and takes no time.
    close = _close(values, width)
    if not close or (values.size >= MANY and close * _FEW < values.size):
        return values, counts
    apart = np.diff(values) > width
    starts = np.flatnonzero(np.concatenate([[True], apart]))
    if all_single(counts):
        return values[starts], np.diff(starts, append=values.size)
    return values[starts], np.add.reduceat(counts, starts)
