"""What is equal up to rounding: the only place that says so.

There are three notions, each relative to a scale that the caller states. Two scores are level if they differ
only by how they were computed; two resampled differences tie if one is as extreme as the other; a spread is
nothing if values that should be constant differ by rounding. Beside them stands how numbers were stored: with
the digits of single precision, or with few decimals. A tolerance of an algorithm, such as the accuracy at
which an iteration stops, stands beside the algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, TypeVar, overload

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray

Number = TypeVar("Number", float, FloatArray)

EPS: Final = float(np.finfo(np.float64).eps)
"""The distance of 1 from the next float."""

EXACT_IN_SINGLE: Final = 2.0 ** (np.finfo(np.float32).nmant + 1)
"""Whole numbers up to here, and their sums, are exact in single precision."""

# -- two scores are level --------------------------------------------------------------------------

_LEVEL: Final = 1e-12
"""Part of their size by which level scores may differ: sums of a million in two orders differ by less."""

_LAST_DIGITS: Final = 1e-15
"""Part of their size by which two numbers are equal but for their last bits: nothing was added up."""


def level_width(scale: Number) -> Number:
    """Return the largest distance at which two scores of this size are level."""
    return _LEVEL * scale


@overload
def level(a: float, b: float, scale: float) -> bool: ...
@overload
def level(a: FloatArray, b: FloatArray, scale: FloatArray | float) -> BoolArray: ...
def level(a: float | FloatArray, b: float | FloatArray, scale: float | FloatArray) -> bool | BoolArray:
    """Return whether two scores are level: whether they differ by rounding alone."""
    gap: Any = a - b  # NumPy's abs would make a NumPy boolean of two floats
    near: bool | BoolArray = abs(gap) <= _LEVEL * scale
    return near


@overload
def at_most(a: float, b: float) -> bool: ...
@overload
def at_most(a: FloatArray, b: float) -> BoolArray: ...
def at_most(a: float | FloatArray, b: float) -> bool | BoolArray:
    """Return whether a number is below another, a positive one, or level with it."""
    return a <= b * (1.0 + _LEVEL)


@overload
def round_down(x: float) -> int: ...
@overload
def round_down(x: FloatArray) -> IntArray: ...
def round_down(x: float | FloatArray) -> int | IntArray:
    """Return the whole number that a number is level with, or else the next lower one."""
    if isinstance(x, np.ndarray):
        nearest = np.rint(x)
        whole = np.where(level(x, nearest, np.maximum(1.0, np.abs(x))), nearest, np.floor(x))
        return whole.astype(np.int64)
    return round(x) if level(x, round(x), max(1.0, abs(x))) else math.floor(x)


def difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return A minus B, 0 where the two are equal but for their last bits."""
    if a.ndim == b.ndim == 0:
        one, other = float(a), float(b)
        level_with = abs(one - other) <= _LAST_DIGITS * (abs(one) + abs(other))
        return np.asarray(0.0 if level_with else one - other)
    raw = np.subtract(a, b)
    width = np.abs(a) + np.abs(b)
    width *= _LAST_DIGITS
    return np.where(np.abs(raw) <= width, 0.0, raw)


def on_marks(values: FloatArray, marks: tuple[float, ...], scale: FloatArray | float) -> FloatArray:
    """Return values; those that only rounding separates from a mark are the mark.

    >>> on_marks(np.array([0.8 - 0.5, 0.31, -1e-17]), (0.0, 0.3), 0.8)
    array([0.3 , 0.31, 0.  ])
    """
    out = np.asarray(values, dtype=np.float64)
    for mark in marks:
        out = np.where(np.abs(out - mark) <= _LEVEL * np.maximum(scale, abs(mark)), mark, out)
    return out


def levelled(rows: FloatArray) -> FloatArray:
    """Return rows in which scores that are level are one number, the least of them.

    >>> levelled(np.array([[0.3, 0.1 + 0.2, 0.4]]))
    array([[0.3, 0.3, 0.4]])
    """
    # In ascending order, a score is level with the one before it or begins a new group, whose first number
    # all of the group take.
    order = np.argsort(rows, axis=1, kind="stable")
    rising = np.take_along_axis(rows, order, axis=1)
    first = np.ones(rows.shape, dtype=np.bool_)
    first[:, 1:] = ~level(rising[:, 1:], rising[:, :-1], np.abs(rising[:, 1:]))
    places = np.maximum.accumulate(np.where(first, np.arange(rows.shape[1]), 0), axis=1)
    out = np.empty_like(rows)
    np.put_along_axis(out, order, np.take_along_axis(rising, places, axis=1), axis=1)
    return out


# -- numbers were stored with fewer digits ---------------------------------------------------------

_LOOKED_AT: Final = 100
"""Numbers at the start of a column that must look like single precision before all are looked at."""


def in_one_precision(columns: Sequence[FloatArray]) -> list[FloatArray]:
    """Return columns of equal length; those in single precision have the numbers that they stand for.

    A float32 is the nearest one to many numbers. Where another column has such a number in the same place, in
    double precision, the two are the same score, and no difference.

    >>> exact = np.array([0.1, 0.2, 1 / 3])
    >>> [(x == exact).all().item() for x in in_one_precision([exact.astype(np.float32), exact])]
    [True, True]
    """
    single = [_is_single(np.asarray(x, dtype=np.float64)) for x in columns]
    if all(single) or not any(single):
        return list(columns)
    double = [x for x, short in zip(columns, single, strict=True) if not short]
    return [_completed(x, double) if short else x for x, short in zip(columns, single, strict=True)]


@np.errstate(over="ignore")
def _is_single(x: FloatArray) -> bool:
    """Return whether all numbers are those of single precision, and some would have more digits in double.

    Files have them in full, as 0.10000000149011612, or as the shortest text for them, as 0.33333334.
    """
    # A float32 widened to 64 bits ends in zeros; read from its shortest text it does not, but rounds back to
    # it.
    others = x[:1], x[:_LOOKED_AT], x
    for some in others:
        rest = some[some.astype(np.float32) != some]
        if any(_shortest(one) != one for one in rest.tolist()):  # most often the first number is none
            return False
    fractions = (one for one in x[:_LOOKED_AT].tolist() if one % 1.0)  # whole numbers are exact in both
    return any(float(f"{_shortest(one):.7g}") != one for one in fractions)


def _shortest(x: float) -> float:
    """Return the number of the fewest digits that is the same as another in single precision."""
    return float(str(np.float32(x)))


@np.errstate(over="ignore")
def _completed(x: FloatArray, others: Sequence[FloatArray]) -> FloatArray:
    out, single = x.astype(np.float64), x.astype(np.float32)
    for other in reversed(others):  # the first counts
        same = other.astype(np.float32) == single
        out[same] = other[same]
    return out


def is_mean(value: float, of: Sequence[float]) -> bool:
    """Return whether a number is the mean of others, as tables have it: all with few decimals, perhaps.

    >>> is_mean(71.3, [70.1, 72.4]), is_mean(71.4, [70.1, 72.4])
    (True, False)
    >>> is_mean(0.67, [0, 1, 1]), is_mean(0.5, [0, 1, 1])
    (True, False)
    """
    size = sum(map(abs, of)) / len(of)
    # Half a step of the last decimal is rounding if it is at most this part of the numbers: not of 0 and 1
    slack = sum(step for step in (_half_step([value]), _half_step(of)) if step <= 0.02 * size)
    return abs(value - math.fsum(of) / len(of)) <= slack + level_width(size)


def _half_step(values: Sequence[float]) -> float:
    """Return half of the step of the last decimal that these numbers are written with."""
    exponents = [Decimal(repr(float(value))).normalize().as_tuple().exponent for value in values]
    return 0.5 * 10.0 ** min([0, *(one for one in exponents if isinstance(one, int))])


# -- two resampled differences tie -----------------------------------------------------------------

_TIE: Final = 1e-10
"""Values of a statistic tie if they differ by less than this part of its spread or distance from 0."""

_SUM: Final = 1e-13
"""Values tie within this part of the scores they come from: a sum of a million numbers may be off by that."""

_FAR: Final = 1e4
"""A value this many times larger than a typical one does not set the scale of rounding for the others."""

ON_POINT: Final = 1e-6
"""A number this close to a whole number of steps lies on that point of a lattice."""


def tie_width(scale: float, distance: float) -> float:
    """Return the largest distance at which two values of a statistic count as tied."""
    return max(_SUM * scale, _TIE * distance)


def spread_width(spread: Number) -> Number:
    """Return the largest distance at which two values tie whose statistic spreads so far."""
    return _TIE * spread


def signed_sum_width(total: float, typical_size: float) -> float:
    """Return the largest distance at which sums of signed differences tie whose sizes sum to `total`."""
    # Relative to all sizes together, unless one is so large that the others would be ties beside it.
    # Sums of signed differences tie within this part of a typical difference
    return max(8.0 * EPS * total, min(_TIE * total, 1e-6 * typical_size))


def as_extreme(statistics: FloatArray, observed: float) -> BoolArray:
    """Return which studentised statistics are as large as the observed one, or larger."""
    # Within 1e-9 they tie: their variances are sums, too
    return statistics >= observed * (1.0 - 1e-9)


def as_unlikely(chances: FloatArray, observed: FloatArray) -> BoolArray:
    """Return which chances of tables are as small as that of the observed table, or smaller."""
    # Within 1e-7 they tie: they are exponentials of sums of large logarithms
    return chances <= observed * (1.0 + 1e-7)


def step_width(size: float) -> float:
    """Return how far a value of a typical size may be from a multiple of a common step."""
    return 1e-9 * size


def sum_error(sizes: FloatArray) -> FloatArray:
    """Return a bound on the rounding error of sums whose terms have absolute values that sum to `sizes`."""
    return 2.0 * EPS * sizes


def typical(values: FloatArray) -> float:
    """Return the size of a typical value, to which rounding is relative where a few values are far larger.

    Values that are rounding beside the largest do not count.

    >>> typical(np.array([0.0, 1.0, -2.0, 3.0, 1e10])), typical(np.zeros(2))
    (2.0, 0.0)
    """
    return _typical(np.abs(values), 0.0)


def _typical(sizes: FloatArray, scale: float) -> float:
    """Return the median of the sizes, which are put into another order, that are more than rounding.

    They are rounding beside the largest of them, or beside numbers of the size `scale`.
    """
    counting = sizes > noise_width(max(float(sizes.max(initial=0.0)), scale))
    if not counting.all():
        sizes = sizes[counting]
    middle = (sizes.size - 1) // 2
    if sizes.size:
        sizes.partition(middle)
    return float(sizes[middle]) if sizes.size else 0.0


def typical_deviation(values: FloatArray) -> float:
    """Return the size of a typical deviation from the median, ignoring deviations that are mere rounding.

    >>> typical_deviation(np.array([1e6, 1e6 + 1.0, 1e6 - 1.0]))
    1.0
    >>> typical_deviation(np.array([0.3, 0.1 + 0.2]))
    0.0
    """
    deviations = values - np.median(values)
    return _typical(np.abs(deviations, out=deviations), max(float(values.max()), -float(values.min())))


def merge_width(values: FloatArray, scale: float) -> float:
    """Return how far rounding can separate equal values; `scale` is a typical size or deviation."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return _SUM * min(largest, _FAR * scale)


# -- a spread is nothing ---------------------------------------------------------------------------

SPREAD: Final = 1e-12
"""A standard deviation (or a range) below this part of the values is rounding."""

SQUARES: Final = 1e-13
"""A sum of squares is rounding if it is below this part of the two sums it is the difference of."""

ERROR: Final = 1e-9
"""A standard error below this part of the estimate (a remainder, of the whole) is rounding: it is the root of
a difference of squares, so that half of their digits are lost."""

INFLUENCE: Final = 1e-14
"""If all leave-one-out scores agree within this part, no unit has an influence."""


def noise_width(scale: Number, part: float = SPREAD) -> Number:
    """Return the largest spread of values of this size that is nothing; `part` is one of those above."""
    return part * scale


@overload
def is_nothing(spread: float, scale: float, part: float = SPREAD) -> bool: ...
@overload
def is_nothing(spread: FloatArray, scale: FloatArray | float, part: float = SPREAD) -> BoolArray: ...
def is_nothing(
    spread: float | FloatArray, scale: float | FloatArray, part: float = SPREAD
) -> bool | BoolArray:
    """Return whether a spread is rounding alone; NaN is not."""
    return spread <= part * scale


def alike(values: FloatArray) -> bool:
    """Return whether all values are the same but for rounding."""
    return is_nothing(float(np.ptp(values)), float(np.abs(values).max())) if values.size else True
