"""The search for the size, or the effect, that has the power wanted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from bestby._core.errors import DesignError
from bestby.planning.base import Design, Question
from bestby.results.plans import PlanPoint

_MOST_STEPS = 40
_CLOSE = 1e-4
"""How near to the one wanted the normal quantile of a power must be: within 3e-5 of a power of .8."""


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


def quick_effect(design: Design, n: int, wanted: float, question: Question) -> float | None:
    """Return the effect that n items detect, to four digits, in the few steps that a report can wait for.

    It is that of `minimum_detectable` for a design whose power is smooth in the effect, such as one with a
    pilot; its normal quantile is nearly a line. None if no effect is detected.
    """
    limit = design.reach(question.alternative)
    if limit == design.null:
        return None
    step = math.copysign(abs(design.effect - design.null) or 1.0, limit)
    if math.isfinite(limit) and power_at(design.with_effect(limit), n, question)[0] < wanted:
        return None

    def power(x: float) -> float:
        effect = math.copysign(min(x * abs(step), abs(limit)), limit)
        return power_at(design.with_effect(effect), n, question)[0]

    found = _crossing(power, 1.0, wanted)
    return None if found is None else math.copysign(min(found * abs(step), abs(limit)), limit)


def quick_size(design: Design, start: int, wanted: float, question: Question) -> int | None:
    """Return the size that has the power wanted, that of `sample_size`, as `quick_effect` does.

    `start` is where to begin.
    """

    def power_of(n: int) -> float:
        return power_at(design, n, question)[0]

    def size(x: float) -> int:
        return min(max(design.least, round(start * x * x)), design.most)

    found = _crossing(lambda x: power_of(size(x)), 1.0, wanted, finest=0.25 / start)
    if found is None:
        return None
    n = size(found)
    while n < design.most and power_of(n) < wanted:
        n += 1
    while n > design.least and power_of(n - 1) >= wanted:
        n -= 1
    return n if n < design.most else None


def _crossing(power: Callable[[float], float], x: float, wanted: float, finest: float = 0.0) -> float | None:
    """Return where a rising power is the one wanted, by lines through its normal quantiles, or None."""
    goal, low, high = float(ndtri(wanted)), 0.0, math.inf
    points: list[tuple[float, float]] = []
    for _ in range(_MOST_STEPS):
        z = float(ndtri(min(max(power(x), 1e-12), 1.0 - 1e-12)))
        if abs(z - goal) < _CLOSE:
            return x
        low, high = (x, high) if z < goal else (low, x)
        if high - low < finest:
            return high
        points = [*points[-1:], (x, z)]
        (x0, z0), (x1, z1) = points[0], points[-1]
        following = x1 + (goal - z1) * (x1 - x0) / (z1 - z0) if z1 != z0 else x * (2.0 if z < goal else 0.5)
        inside = low < following < high and following <= 4.0 * max(x, low)
        x = following if inside else (2.0 * low if math.isinf(high) else 0.5 * (low + high))
    return None
