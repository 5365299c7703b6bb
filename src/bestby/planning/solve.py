"""The three questions of planning: power, sample size, smallest detectable difference; and how to spend."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtri

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.planning.base import Design, Progress, Question
from bestby.planning.results import Allocation, Plan, PlanPoint, Split, provenance_of
from bestby.planning.runs_items import RunsAndItems
from bestby.resampling.streams import seed_of

_ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
_FACTORS = 2.0 ** (np.arange(-6, 5) / 2.0)
_FEW_FACTORS = np.array([0.25, 0.5, 2.0])
_RESOLUTION = 0.1
"""To which share of n a simulated size is searched; within it, the noise is smoothed out."""

_MOST_RUNS = 10_000


def power(
    design: Design,
    n: int | None = None,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    n_comparisons: int = 1,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: int | np.random.Generator | None = 0,
    curve: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Return the power of a study: the probability that its test rejects.

    Parameters
    ----------
    design : Design
        What is assumed: `PairedProportions`, `PairedScores`, `LiftedScores`, `Pilot` or `RunsAndItems`.
    n : int, optional
        The size of the study, in the unit of the design (items, clusters, runs); that of the pilot if the
        design has one.
    level : float
        1 - level is the level of the test.
    alternative : {"two-sided", "greater", "less"}
        Of A against B.
    n_comparisons : int
        Number of comparisons that 1 - level is divided over (Bonferroni, an upper bound for Holm).
    n_simulations : int, optional
        Simulated studies, for designs without a formula.
    n_resamples : int
        Resamples of the test in each simulated study.
    rng : int, numpy.random.Generator or None
        The seed of the simulation.
    curve : sequence of int, optional
        Other sizes to report; by default some around n. ``()`` for none.
    progress : callable, optional
        Called with the number of studies simulated and their number.

    Returns
    -------
    Plan
        The power, and the curve around it.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If the assumptions contradict each other.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> plan = power(PairedProportions(0.83, 0.80, agreement=0.9), 500)
    >>> round(plan.power, 4)
    0.5213
    """
    question = _question(level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress)
    size = _size(design, n)
    value, error = _power_at(design, size, question)
    known = {size: PlanPoint(size, value, error)}
    return _plan("power", design, size, None, question, known, curve)


def sample_size(
    design: Design,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    n_comparisons: int = 1,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: int | np.random.Generator | None = 0,
    curve: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Return the least size of a study that has the power wanted.

    Parameters
    ----------
    design : Design
        What is assumed; see `power`.
    power : float
        The power wanted.
    level, alternative, n_comparisons, n_simulations, n_resamples, rng, curve, progress
        As in `power`.

    Returns
    -------
    Plan
        Its `n` is the size. Where power is simulated, a line through all sizes tried (the normal quantile of
        power against √n) gives n, and `power` and `error` are what was simulated there.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If no size has that power, or the assumptions contradict each other.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> sample_size(PairedProportions(0.83, 0.80, agreement=0.9), power=0.8).n
    949
    """
    wanted = checks.probability(power, "power")
    question = _question(level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress)
    _check_effect(design, wanted, question)
    known: dict[int, PlanPoint] = {}

    def reached(n: int) -> bool:
        if n not in known:
            known[n] = PlanPoint(n, *_power_at(design, n, question))
        return known[n].power >= wanted

    low, high = _bracket(design, reached, known, wanted)
    slack = max(1, math.floor(_RESOLUTION * high)) if design.simulated else 1
    while high - low > slack:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    if design.simulated and high - low > 1:
        high = _read_off(known, low, high, wanted)
        reached(high)
    elif not design.simulated:
        high = _first(design, high, wanted, question)
        known = {high: PlanPoint(high, *_power_at(design, high, question))}
    return _plan("sample_size", design, high, wanted, question, known, curve)


def minimum_detectable(
    design: Design,
    n: int | None = None,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    n_comparisons: int = 1,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: int | np.random.Generator | None = 0,
    curve: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Return the smallest true difference that a study of a given size detects with the power wanted.

    Parameters
    ----------
    design : Design
        What is assumed; its effect gives no more than the direction, and is replaced: accuracy_a, the
        difference, the lift, the effect_scale.
    n : int, optional
        The size of the study; that of the pilot if the design has one.
    power : float
        The power wanted.
    level, alternative, n_comparisons, n_simulations, n_resamples, rng, curve, progress
        As in `power`.

    Returns
    -------
    Plan
        Its `difference` is the smallest detectable one, its `design` holds the effect that goes with it.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If no difference is detected with that power, or the assumptions contradict each other.

    Examples
    --------
    >>> from bestby import PairedProportions
    >>> plan = minimum_detectable(PairedProportions(0.80, 0.80, agreement=0.9), 500)
    >>> round(plan.difference, 4), round(plan.design.accuracy_a, 4)
    (0.0409, 0.8409)
    """
    wanted = checks.probability(power, "power")
    question = _question(level, alternative, n_comparisons, n_simulations, n_resamples, rng, progress)
    _check_wanted(wanted, question)
    size = _size(design, n)
    null, limit = design.reach(question.alternative)

    def reached(effect: float) -> bool:
        return _power_at(design.with_effect(effect), size, question)[0] >= wanted

    low, high = _effect_bracket(design, size, null, limit, reached, wanted)
    for _ in range(14 if design.simulated else 50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    found = design.with_effect(high)
    known = {size: PlanPoint(size, *_power_at(found, size, question))}
    return _plan("minimum_detectable", found, size, wanted, question, known, curve)


def allocate(
    design: RunsAndItems,
    budget: float,
    *,
    run_cost: float = 0.0,
    item_cost: float = 0.0,
    answer_cost: float = 0.0,
    max_items: int | None = None,
    max_runs: int | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    n_comparisons: int = 1,
) -> Allocation:
    """Spend a budget on runs and items so that the power is greatest.

    A split of r runs of each system on n items costs r × run_cost + n × item_cost + r × n × answer_cost.

    Parameters
    ----------
    design : RunsAndItems
        The variance components and the assumed difference; its `runs` are not looked at.
    budget : float
        What may be spent.
    run_cost : float
        Cost of one more run (a training of each of the two systems).
    item_cost : float
        Cost of one more item, however many runs answer it (its annotation).
    answer_cost : float
        Cost of the answers of one run (of both systems) to one item.
    max_items, max_runs : int, optional
        The most there can be; items need a limit if they cost nothing.
    level, alternative, n_comparisons
        As in `power`.

    Returns
    -------
    Allocation
        One split per number of runs, and the best.

    Raises
    ------
    InvalidInputError
        If a cost is negative, or nothing limits the runs or the items.
    DesignError
        If the budget does not pay for a study.

    Examples
    --------
    >>> from bestby import RunsAndItems
    >>> design = RunsAndItems(difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4)
    >>> best = allocate(design, 1000, run_cost=50, item_cost=0.1).best
    >>> best.runs, best.items, round(best.power, 2)
    (7, 6500, 0.88)
    """
    question = _question(level, alternative, n_comparisons, None, 999, 0, None)
    _check_costs(budget, run_cost, item_cost, answer_cost, max_items, max_runs)
    runs, items = _affordable(budget, run_cost, item_cost, answer_cost, max_items, max_runs)
    if runs.size == 0:
        raise DesignError(
            f"a budget of {budget:g} does not pay for a run on 2 items", hint="raise the budget"
        )
    powers = design.power_with(items, runs, question)
    if np.isnan(powers).all():
        raise DesignError(
            f"a budget of {budget:g} pays for one run, which cannot tell the systems from their runs",
            hint="raise the budget",
        )
    errors = design.standard_error(items, runs)
    costs = runs * run_cost + items * item_cost + runs * items * answer_cost
    splits = tuple(
        Split(int(r), int(n), float(c), float(se), float(p))
        for r, n, c, se, p in zip(runs, items, costs, errors, powers, strict=True)
    )
    # Of splits of equal power, as at 1.0, the one of least standard error.
    best = splits[int(np.lexsort((errors, -np.nan_to_num(np.round(powers, 12), nan=-1.0)))[0])]
    found = RunsAndItems(**{**design.settings(), "runs": best.runs, "clipped": design.clipped})
    asked = {
        "budget": budget, "run_cost": run_cost, "item_cost": item_cost, "answer_cost": answer_cost,
        "max_items": max_items, "max_runs": max_runs,
    }  # fmt: skip
    return Allocation(
        design=found,
        budget=float(budget),
        best=best,
        splits=splits,
        alpha=question.alpha,
        level=question.level,
        alternative=question.alternative,
        n_comparisons=question.n_comparisons,
        notes=found.notes(best.items, question),
        provenance=provenance_of("allocate", found, question, **asked),
    )


# -- arguments -------------------------------------------------------------------------------------


def _question(
    level: float,
    alternative: str,
    n_comparisons: int,
    n_simulations: int | None,
    n_resamples: int,
    rng: int | np.random.Generator | None,
    progress: Progress | None,
) -> Question:
    return Question(
        checks.probability(level, "level"),
        checks.choice(alternative, _ALTERNATIVES, "alternative"),
        checks.positive_int(n_comparisons, "n_comparisons"),
        None if n_simulations is None else checks.positive_int(n_simulations, "n_simulations"),
        checks.positive_int(n_resamples, "n_resamples"),
        seed_of(rng),
        progress,
    )


def _size(design: Design, n: int | None) -> int:
    if not isinstance(design, Design):
        raise InvalidInputError(
            f"design must be one of the designs of bestby.planning, got {type(design).__name__}",
            hint="for example PairedProportions(0.83, 0.80, agreement=0.9)",
        )
    if n is None:
        if design.size is None:
            raise InvalidInputError(
                f"a design of {design.name} has no size of its own", hint=f"pass n=... {design.unit}"
            )
        return design.size
    size = checks.positive_int(n, "n")
    if not design.least <= size <= design.most:
        raise InvalidInputError(
            f"n must lie between {design.least} and {design.most} {design.unit} here, got {size}"
        )
    return size


def _check_wanted(wanted: float, question: Question) -> None:
    if wanted <= question.alpha:
        raise InvalidInputError(
            f"power must be above the level of the test, {question.alpha:g}, got {wanted:g}",
            hint="0.8 is customary",
        )


def _check_effect(design: Design, wanted: float, question: Question) -> None:
    _size(design, design.least)
    _check_wanted(wanted, question)
    null, towards = design.reach(question.alternative)
    if design.effect == null:
        raise DesignError(
            "no size has the power to detect a difference of 0",
            hint="assume the smallest difference that matters",
        )
    if (design.effect > null) != (towards > null):
        raise DesignError(
            f"the assumed difference of {design.true_difference:.6g} lies on the other side of the"
            f" alternative {question.alternative!r}",
            hint='alternative="two-sided", or exchange the systems',
        )


def _check_costs(
    budget: float,
    run_cost: float,
    item_cost: float,
    answer_cost: float,
    max_items: int | None,
    max_runs: int | None,
) -> None:
    costs = {"budget": budget, "run_cost": run_cost, "item_cost": item_cost, "answer_cost": answer_cost}
    for what, value in costs.items():
        if not (math.isfinite(value) and value >= 0.0):
            raise InvalidInputError(f"{what} must be 0 or a positive number, got {value}")
    if item_cost == answer_cost == 0.0 and max_items is None:
        raise InvalidInputError("items cost nothing, so nothing limits them", hint="pass max_items=...")
    if run_cost == answer_cost == 0.0 and max_runs is None:
        raise InvalidInputError("runs cost nothing, so nothing limits them", hint="pass max_runs=...")


def _affordable(
    budget: float,
    run_cost: float,
    item_cost: float,
    answer_cost: float,
    max_items: int | None,
    max_runs: int | None,
) -> tuple[IntArray, IntArray]:
    """Return numbers of runs, and with each the most items that can be paid."""
    least = run_cost + 2.0 * answer_cost  # two items are the least
    top = _MOST_RUNS if least == 0.0 else int((budget - 2.0 * item_cost) / least * (1.0 + 1e-12))
    runs = np.arange(1, max(0, min(top, _MOST_RUNS, max_runs or _MOST_RUNS)) + 1)
    price = item_cost + runs * answer_cost
    left = (budget - runs * run_cost) * (1.0 + 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        paid = np.where(price > 0.0, left / price, np.where(left >= 0.0, np.inf, 0.0))
    items = np.floor(np.minimum(paid, max_items or 10**9)).astype(np.int64)
    return runs[items >= 2], items[items >= 2]


# -- search ----------------------------------------------------------------------------------------


def _power_at(design: Design, n: int, question: Question) -> tuple[float, float]:
    value, error = design.powers(np.array([n], dtype=np.int64), question)
    return float(value[0]), float(error[0])


def _bracket(
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


def _read_off(known: dict[int, PlanPoint], low: int, high: int, wanted: float) -> int:
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


def _first(design: Design, n: int, wanted: float, question: Question) -> int:
    """Return the first size near and below n that has the power, for tests of counts."""
    while slack := min(design.slack(n), n - design.least):
        before = np.arange(n - slack, n)
        hits = np.flatnonzero(design.powers(before, question)[0] >= wanted)
        if hits.size == 0:
            break
        n = int(before[hits[0]])
    return n


def _effect_bracket(
    design: Design, n: int, null: float, limit: float, reached: Callable[[float], bool], wanted: float
) -> tuple[float, float]:
    """Return two effects of which the one farther from no effect is detected."""
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
        hint=f"plan for more {design.unit}, or ask for less power",
    )


# -- the answer ------------------------------------------------------------------------------------


def _plan(
    asked: str,
    design: Design,
    n: int,
    wanted: float | None,
    question: Question,
    known: dict[int, PlanPoint],
    curve: Sequence[int] | None,
) -> Plan:
    points = dict(known)
    sizes = _around(design, n, known) if curve is None else [_size(design, size) for size in curve]
    for size in sizes:
        if size not in points:
            points[size] = PlanPoint(size, *_power_at(design, size, question))
    if curve is not None:
        points = {size: points[size] for size in {n, *sizes}}
    return Plan(
        asked=asked,
        design=design,
        n=n,
        unit=design.unit,
        power=known[n].power,
        error=known[n].error,
        difference=design.true_difference,
        wanted=wanted,
        alpha=question.alpha,
        level=question.level,
        alternative=question.alternative,
        n_comparisons=question.n_comparisons,
        curve=tuple(points[size] for size in sorted(points)),
        notes=design.notes(n, question),
        provenance=provenance_of(asked, design, question),
    )


def _around(design: Design, n: int, known: dict[int, PlanPoint]) -> list[int]:
    """Return sizes around n, rounded to two digits; few where each of them takes a simulation."""
    if design.simulated and len(known) > 4:
        return []
    wanted: FloatArray = n * (_FEW_FACTORS if design.simulated else _FACTORS)
    digits = 10.0 ** np.maximum(np.floor(np.log10(wanted)) - 1.0, 0.0)
    sizes = (np.rint(wanted / digits) * digits).astype(np.int64)
    return sorted({int(size) for size in sizes if design.least <= size <= design.most})
