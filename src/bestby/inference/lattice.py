"""Values with multiplicities: merged where equal, and as multiples of a common step."""

from __future__ import annotations

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array, FloatArray, IntArray

LARGEST_MULTIPLE = 100_000
MOST_VALUES = 4096


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
    return merged_in_order(values, counts, rounding.typical_in_order(values) if scale is None else scale)


def all_single(counts: IntArray) -> bool:
    """Return whether every value stands for one unit, so that it need not be multiplied by its count."""
    if counts.size == 0:
        return True
    return int(counts[0]) == 1 and int(counts.max()) == int(counts.min()) == 1


def weighted_sum(values: FloatArray, counts: Array | None) -> float:
    """Return the sum of values with multiplicities, None for ones."""
    return float(values.sum()) if counts is None else float(counts @ values)


def in_order(values: FloatArray, counts: IntArray) -> tuple[FloatArray, IntArray]:
    """Return values in rising order with their counts."""
    if counts.size and counts.max() == counts.min():
        return np.sort(values), counts
    order = np.argsort(values, kind="stable")
    return values[order], counts[order]


def merged_in_order(values: FloatArray, counts: IntArray, scale: float) -> tuple[FloatArray, IntArray]:
    """Return the same as `merged` of values that are in rising order."""
    if values.size == 0:
        return values, counts
    width = rounding.merge_width(values, scale)
    apart = np.diff(values) > width
    if apart.all():
        return values, counts
    starts = np.flatnonzero(np.concatenate([[True], apart]))
    if all_single(counts):
        return values[starts], np.diff(starts, append=values.size)
    return values[starts], np.add.reduceat(counts, starts)
