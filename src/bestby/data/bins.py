"""Numbers cut at their quantiles, or by their values."""

from __future__ import annotations

import math

import numpy as np

from bestby._core.typing import FloatArray, IntArray


def quantile_bins(numbers: FloatArray, bins: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of the bins, in ascending order, and the bin of each number.

    Equal numbers are in one bin, so there may be fewer bins than were asked for.

    >>> names, codes = quantile_bins(np.array([1.0, 2.0, 2.0, 3.5]), 2)
    >>> names, codes.tolist()
    (('1 to 2', '3.5'), [0, 0, 0, 1])
    """
    inner = np.quantile(numbers, np.arange(1, bins) / bins, method="lower")
    code = np.searchsorted(np.unique(inner), numbers, side="left")
    return _named(numbers, code)


def value_bins(numbers: FloatArray, least: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the same of a bin for each distinct number; rarer ones than `least` join the next.

    >>> names, codes = value_bins(np.array([0.0, 1.0, 1.0, 0.5, 0.0]), 2)
    >>> names, codes.tolist()
    (('0', '0.5 to 1'), [0, 1, 1, 1, 0])
    """
    distinct, counts = np.unique(numbers, return_counts=True)
    ends, size = [], 0
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        size += count
        if size >= least:
            ends.append(value)
            size = 0
    return _named(numbers, np.searchsorted(ends[:-1], numbers, side="left"))


def _named(numbers: FloatArray, code: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the names of bins by their ends, and their codes without gaps."""
    used, code = np.unique(code, return_inverse=True)
    names = []
    for place in range(used.size):
        part = numbers[code == place]
        low, high = float(part.min()), float(part.max())
        names.append(_text(low) if low == high else f"{_text(low)} to {_text(high)}")
    return tuple(names), code.reshape(-1)


def _text(number: float) -> str:
    return str(int(number)) if number == math.floor(number) and abs(number) < 1e15 else f"{number:.6g}"
