"""Permutation tests of smooth functions of the weights of many items, without draws.

A swap of unit i gives it a sign s_i. Of its items, the score of A has those of A with the weight 1 + s_i
and those of B with 1 - s_i; the score of B has them the other way round, so that the difference D(s) is odd
in s. To first order it is twice the sum of s_i h_i, where h_i is how the score responds to the weight of
what the unit has from A, less that from B; as D is odd, the next term is cubic. The tail of the sum is
exact. How far out in it the data lie is read at the most likely signs at which the difference is as large
as in the data, tanh(a h_i) on average (the dominating point of Sadowsky & Bucklew 1990, IEEE Trans. Inf.
Theory 36, 579-588), where D is computed and not expanded.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from bestby._core.typing import Alternative, FloatArray
from bestby.inference import permutation
from bestby.results.values import TestResult

LEAST_UNITS = 500
"""Units that must differ: what is left out is of the order of one over their number."""

LEAST_EFFECTIVE = 50.0
"""Units of equal size that would have the sum of squares and of fourth powers of the responses."""

_ROUNDS, _CLOSE = 20, 5e-3
"""Rounds in which the place in the sum must settle, and how nearly, as a part of it."""

_STEPS = 60
"""Steps of Newton's method that find the signs on average: ten suffice unless nearly all units must agree."""


def swapped(
    effects: FloatArray, difference: Callable[[FloatArray], float], observed: float, alternative: Alternative
) -> TestResult | None:
    """Return the test of an odd function of the signs of many units, of slopes 2 `effects` (n,) at 0.

    `difference` is the function at mean signs (n,), from -1 to 1. None where too few units carry it, or it
    bends too much: then draw.
    """
    unit = max(float(np.abs(effects).max(initial=0.0)), float(np.finfo(np.float64).tiny))
    effects = effects / unit
    squares = effects * effects
    total, fourth = float(squares.sum()), float(squares @ squares)
    if np.count_nonzero(effects) < LEAST_UNITS or total * total < LEAST_EFFECTIVE * fourth:
        return None
    place = _place(effects, difference, abs(observed), unit)
    if place is None:
        return None
    ones = np.broadcast_to(np.int64(1), effects.size)
    found = permutation.exact_mean(effects, ones, alternative, 1.0, total=math.copysign(place, observed))
    if found is None:
        return None
    error, how = permutation.SADDLEPOINT_ERROR * found.p_value, permutation.SADDLEPOINT
    return dataclasses.replace(found, exact=False, method=how, error=error, statistic=observed)


def _place(
    effects: FloatArray, difference: Callable[[FloatArray], float], observed: float, unit: float
) -> float | None:
    """Return the sum of effects at the most likely mean signs at which the difference is the one observed.

    A difference over its sum hardly varies: it bends with the square of the sum. So a round that changes the
    place by a small part leaves an error of the square of that part.
    """
    if observed == 0.0:
        return 0.0
    place = min(0.5 * observed / unit, 0.5 * float(np.abs(effects).sum()))
    for _ in range(_ROUNDS):
        signs = _likeliest(effects, place)
        reached = math.nan if signs is None else difference(signs)
        if not reached > 0.0:
            return None
        before, place = place, place * observed / reached
        if abs(place - before) <= _CLOSE * before:
            return place
    return None


def _likeliest(effects: FloatArray, place: float) -> FloatArray | None:
    """Return the mean signs tanh(a effect) at which the effects sum to a place, by Newton's method.

    The sum is concave in a, and its tangents lie above it, so that no step goes too far.
    """
    tilt = place / float(effects @ effects)
    for _ in range(_STEPS):
        signs = np.tanh(tilt * effects)
        missing = place - float(effects @ signs)
        if missing <= 1e-9 * place:
            return signs
        slope = float(effects * effects @ (1.0 - signs * signs))
        if slope <= 0.0:
            return None
        tilt += missing / slope
    return None
