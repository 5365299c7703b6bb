"""The search for the size, or the effect, that has the power wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import ndtri

from bestby._core.errors import DesignError
from bestby.planning.base import Design, PlanPoint, Question


def power_at(design: Design, n: int, question: Question) -> tuple[float, float]:
    """Return the power at one size and its Monte Carlo standard error."""
    value, error = design.powers(np.array([n], dtype=np.int64), question)
    return float(value[0]), float(error[0])


def least_size(
    design: Design, wanted: float, question: Question, start: int | None = None
) -> tuple[int, dict[int, PlanPoint]]:
    """Return the least size that has the power wanted, and the sizes whose powers are shown with it.

    The search begins at `start`, or else at the size of the pilot.

    Raises
    ------
    DesignError
        If no size has that power.
    """
    known: dict[int, PlanPoint] = {}

    def power(n: int) -> float:
        if n not in known:
            known[n] = PlanPoint(n, *power_at(design, n, question))
        return known[n].power

    def reached(n: int) -> bool:
        return power(n) >= wanted

    low, high = bracket(design, reached, known, wanted, start or design.size or design.least)
    if design.simulated:
        # To which share of n a simulated size is searched; within it, the noise is smoothed out
        slack = max(1, math.floor(0.1 * high))
        while high - low > slack:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        if high - low > 1:
            high = read_off(known, low, high, wanted)
            power(high)
        return high, known
    high = first(design, round(crossing(lambda n: power(round(n)), low, high, 1.0, wanted)), wanted, question)
    power(high)
    return high, {high: known[high]}


def least_effect(design: Design, n: int, wanted: float, question: Question) -> float:
    """Return the effect nearest to none that n items detect with the power wanted.

    Raises
    ------
    DesignError
        If no effect is detected.
    """

    @cache
    def power(effect: float) -> float:
        return power_at(design.with_effect(effect), n, question)[0]

    def reached(effect: float) -> bool:
        return power(effect) >= wanted

    low, high = effect_bracket(design, n, design.reach(question.alternative), reached, wanted)
    if design.simulated:
        # Halvings of the range in which a simulated effect is searched
        for _ in range(14):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high
    # The share of the range to which an effect with a formula for its power is searched
    return crossing(power, low, high, 2.0**-40 * abs(high - low), wanted)


def bracket(
    design: Design,
    reached: Callable[[int], bool],
    known: dict[int, PlanPoint],
    wanted: float,
    start: int,
) -> tuple[int, int]:
    """Return sizes, apart by a factor of at most two, of which the greater has the power wanted."""
    high = min(max(design.least, start), design.most)
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


def crossing(power: Callable[[float], float], low: float, high: float, finest: float, wanted: float) -> float:
    """Return where, between two points, a power gets to the one wanted: the first point of those tried.

    The power is too small at `low`, which may also be the greater number, and is enough at `high`. Points are
    whole steps of `finest` from `low`. Lines through the normal quantiles of two powers, which nearly lie on
    one, tell which to try; where these powers are 0 or 1, and every eighth time, it is the middle. A point is
    asked for more than once, so `power` should remember what it found.
    """
    # Powers nearer to 0 or 1 than this are taken to be this near
    goal, most = float(ndtri(wanted)), float(ndtri(1.0 - 1e-12))

    def point(x: float) -> tuple[float, float]:
        return x, min(max(float(ndtri(power(x))), -most), most) - goal

    nearest: list[tuple[float, float]] = []
    step, attempts = math.copysign(finest, high - low), 0
    while (left := round((high - low) / step)) > 1:
        nearest = nearest or [point(low), point(high)]
        (x0, z0), (x1, z1) = nearest
        steps = left // 2
        if abs(z1 + goal) < most and z0 != z1 and attempts % 8 < 7:
            steps = min(max(math.ceil((x0 - z0 * (x1 - x0) / (z1 - z0) - low) / step), 1), left - 1)
        x = low + steps * step
        low, high = (low, x) if power(x) >= wanted else (x, high)
        nearest = sorted([*nearest, point(x)], key=lambda tried: abs(tried[1]))[:2]
        attempts += 1
    return high


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
