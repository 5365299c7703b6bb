"""What is equal up to rounding: the only place that says so.

There are three notions. Each is relative to a scale that the caller states, so that the unit of the data does
not matter:

- two scores are level: they differ only by how they were added up (`difference`, `alike`);
- two resampled differences tie: one is as extreme as the other (`tie_width`, `sum_error`);
- a spread is nothing: values that should be constant differ by rounding (`NO_SPREAD`, `NO_SQUARES`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bestby._core.typing import BoolArray, FloatArray

EPS: Final = float(np.finfo(np.float64).eps)
"""The distance of 1 from the next float."""

# -- two scores are level --------------------------------------------------------------------------

LEVEL: Final = 1e-15
"""Two scores no further apart than this part of the sum of their sizes are level."""

SAME: Final = 1e-12
"""Two scores of items or runs, or two values of a statistic, this part of their size apart are the same."""


def difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return A minus B, 0 where the two are level."""
    raw = np.subtract(a, b)
    return np.where(np.abs(raw) <= LEVEL * (np.abs(a) + np.abs(b)), 0.0, raw)


MARK: Final = 1e-12
"""A number this part of a scale from a mark, such as 0 or a margin, lies on the mark."""


def on_marks(values: FloatArray, marks: tuple[float, ...], scale: FloatArray | float) -> FloatArray:
    """Return values; those that only rounding separates from a mark are the mark.

    >>> on_marks(np.array([0.8 - 0.5, 0.31, -1e-17]), (0.0, 0.3), 0.8)
    array([0.3 , 0.31, 0.  ])
    """
    out = np.asarray(values, dtype=np.float64)
    for mark in marks:
        out = np.where(np.abs(out - mark) <= MARK * np.maximum(scale, abs(mark)), mark, out)
    return out


# -- two resampled differences tie -----------------------------------------------------------------

TIE: Final = 1e-10
"""Values of a statistic tie if they differ by less than this fraction of its spread or distance from 0."""

SUM: Final = 1e-13
"""The same relative to the scores the statistic is made of: a sum of a million numbers may be off by that."""

LATTICE: Final = 1e-9
"""Values are multiples of a step if they are within this part of a typical value of one."""

FAR: Final = 1e4
"""A value this many times larger than a typical one does not set the scale of rounding for the others."""

ON_POINT: Final = 1e-6
"""A number this close to a whole number of steps lies on that point of a lattice."""


def tie_width(scale: float, distance: float) -> float:
    """Return the largest distance at which two values of a statistic count as tied.

    >>> tie_width(0.9, 0.01), tie_width(1e9, 0.01)
    (1e-12, 0.0001)
    """
    return max(SUM * scale, TIE * distance)


def sum_error(sizes: FloatArray) -> FloatArray:
    """Return a bound on the rounding error of sums whose terms have absolute values that sum to `sizes`."""
    return 2.0 * EPS * sizes


def typical(values: FloatArray) -> float:
    """Return the size of a typical value, to which rounding is relative where a few values are far larger.

    Values that are rounding beside the largest do not count.

    >>> typical(np.array([0.0, 1.0, -2.0, 3.0, 1e10])), typical(np.zeros(2))
    (2.0, 0.0)
    """
    sizes = np.abs(values)
    sizes = sizes[sizes > NO_SPREAD * sizes.max(initial=0.0)]
    middle = (sizes.size - 1) // 2
    return float(np.partition(sizes, middle)[middle]) if sizes.size else 0.0


def typical_deviation(values: FloatArray) -> float:
    """Return the size of a typical deviation from the median, ignoring deviations that are mere rounding.

    >>> typical_deviation(np.array([1e6, 1e6 + 1.0, 1e6 - 1.0]))
    1.0
    >>> typical_deviation(np.array([0.3, 0.1 + 0.2]))
    0.0
    """
    deviations = np.abs(values - np.median(values))
    deviations[deviations <= NO_SPREAD * np.abs(values).max()] = 0.0
    return typical(deviations)


def merge_width(values: FloatArray, scale: float) -> float:
    """Return how far rounding can separate equal values; `scale` is a typical size or deviation."""
    return SUM * min(float(np.abs(values).max(initial=0.0)), FAR * scale)


# -- a spread is nothing ---------------------------------------------------------------------------

NO_SPREAD: Final = 1e-12
"""A standard deviation (or a range) below this fraction of the values is rounding."""

NO_SQUARES: Final = 1e-13
"""A sum of squares is rounding if it is below this fraction of the two sums it is the difference of."""

NO_ERROR: Final = 1e-9
"""A standard error below this fraction of the estimate (a remainder, of the whole) is rounding."""

NO_INFLUENCE: Final = 1e-14
"""If all leave-one-out scores agree within this fraction, no unit has an influence."""


def alike(values: FloatArray) -> BoolArray | bool:
    """Return whether all values are the same but for rounding."""
    return bool(np.ptp(values) <= NO_SPREAD * np.abs(values).max()) if values.size else True
