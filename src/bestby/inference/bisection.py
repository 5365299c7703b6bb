"""Where a condition ceases to hold, by halving; where functions cross 0, by chords."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bestby._core.typing import FloatArray


def last_that_holds(holds: Callable[[float], bool], inside: float, outside: float) -> tuple[float, float]:
    """Return two neighbouring numbers, of which a condition holds at the first and not at the second.

    It holds at `inside` and from there up to some number, and not at `outside`.

    >>> last_that_holds(lambda x: x * x <= 2.0, 1.0, 2.0)
    (1.414213562373095, 1.4142135623730951)
    """
    while (middle := 0.5 * (inside + outside)) not in (inside, outside):
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside


def crossings(
    rising: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    apart: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return numbers below and above the one at which each of some functions crosses 0, shape (m,).

    No function is above 0 at `low`, and each is at `high`. `apart` says how far the numbers may lie from one
    another. None depends on the others. They are found by the Illinois method: the end of a chord that stays
    in place weighs half in the next (Dowell & Jarratt 1971, BIT 11, 168-174).

    >>> low, high = crossings(lambda x: x * x - 2.0, np.array([1.0]), np.array([2.0]), lambda x: 1e-15 * x)
    >>> low, high
    (array([1.41421356]), array([1.41421356]))
    """
    at_low, at_high = rising(low), rising(high)
    above = below = np.zeros(low.size, dtype=np.bool_)
    while (left := (width := high - low) > (most := apart(high))).any():
        x = high - at_high * width / (at_high - at_low)
        # A step beyond an end that is right in all digits puts the crossing between two close numbers
        x = np.minimum(np.maximum(x, low + 0.5 * most), high - 0.5 * most)
        at = rising(x)
        above, above_before = at > 0.0, above
        below, below_before = ~above, below
        at_low = np.where(above, np.where(above_before, 0.5, 1.0) * at_low, at)
        at_high = np.where(above, at, np.where(below_before, 0.5, 1.0) * at_high)
        low, high = np.where(left & below, x, low), np.where(left & above, x, high)
    return low, high
