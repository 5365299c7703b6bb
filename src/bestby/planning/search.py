"""The search for the size, or the effect, that has the power wanted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from bestby._core.errors import DesignError
from bestby.planning.base import Design, Question
from bestby.results.plans import PlanPoint


def power_at(design: Design, n: int, question: Question) -> tuple[float, float]:
    """Return the power at one size and its Monte Carlo standard error."""
    value, error = design.powers(np.array([n], dtype=np.int64), question)
    return float(value[0]), float(error[0])


def bracket(
    design: Design, reached: Callable[[int], bool], known: dict[int, PlanPoint], wanted: float
) -> tuple[int, int]:
    """Return sizes, apart by a factor of at most two, of which the greater has the power wanted."""
    high = max(design.least, design.size or design.least)
    if reached(high):
        low = high
        while low > design.least:
            low = max(design.least, low // 2)
            if not reached(low):
                return low, high
            high = low
        return design.least - 1, design.least
    while high < design.most:
        low, high = high, min(design.most, 2 * high)
        if reached(high):
            return low, high
    raise DesignError(
        f"a power of {wanted:g} is not reached: with {high} {design.unit} it is {known[high].power:.3g}",
        hint=design.too_small,
    )


def read_off(known: dict[int, PlanPoint], low: int, high: int, wanted: float) -> int:
    """Return the size between two others at which the power wanted is expected.

    The power of a test with a nearly normal statistic is a normal distribution function of √n.
    """
    points = [point for point in known.values() if 0.01 < point.power < 0.99]
    if len(points) < 2:
        return high
    root = np.sqrt([point.n for point in points])
    power = np.array([point.power for point in points])
    z = ndtri(power)
    weight = np.exp(-0.5 * z**2) / np.array([point.error for point in points])  # 1 / sd of z
    slope, start = np.polyfit(root, z, 1, w=weight)
    if not slope > 0.0:
        return high
    found = math.ceil(float((ndtri(wanted) - start) / slope) ** 2)
    return min(max(found, low + 1), high)


def first(design: Design, n: int, wanted: float, question: Question) -> int:
    """Return the first size near and below n that has the power, for tests of counts."""
    while slack := min(design.slack(n), n - design.least):
        before = np.arange(n - slack, n)
        hits = np.flatnonzero(design.powers(before, question)[0] >= wanted)
        if hits.size == 0:
            break
        n = int(before[hits[0]])
    return n


def effect_bracket(
    design: Design, n: int, limit: float, reached: Callable[[float], bool], wanted: float
) -> tuple[float, float]:
    """Return two effects of which the one farther from no effect is detected."""
    null = design.null
    if math.isfinite(limit):
        if limit != null and reached(limit):
            return null, limit
    else:
        step = math.copysign(abs(design.effect - null) or 1.0, limit)
        low = null
        for _ in range(60):
            if reached(null + step):
                return low, null + step
            low, step = null + step, 2.0 * step
    raise DesignError(
        f"no difference is detected with a power of {wanted:g} by {n} {design.unit}",
        hint=f"plan for more {design.unit} or a lower power",
    )
