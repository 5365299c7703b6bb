"""The questions of planning: power, sample size, smallest detectable difference, the use of a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from bestby._core import arrays, checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Alternative, FloatArray, Rng
from bestby.planning.base import (
    USUAL_POWER,
    Design,
    PlanPoint,
    Question,
    check_not_negative,
    check_wanted,
    checked_question,
    least_effect,
    least_size,
    plan_provenance,
    power_at,
)
from bestby.questions.facets.faceted_scores import FacetedScores
from bestby.questions.facets.study import Prices, designs_within
from bestby.questions.labels.judged_scores import JudgedScores
from bestby.questions.labels.plan import allocate_labels
from bestby.questions.labels.result import LabelAllocation
from bestby.questions.planning.result import Allocation, FacetedAllocation, FacetedSplit, Plan, Split
from bestby.questions.planning.runs_items import RunsAndItems
from bestby.resampling.settings import Resampling


@with_suggestions
def power(
    design: Design,
    n: int | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    rng: Rng = 0,
    n_resamples: int = 999,
    resampling: Resampling | None = None,
) -> Plan:
    """Return the power of a study: the probability that its test rejects.

    Parameters
    ----------
    design : Design
        What is assumed: `PairedProportions`, `PairedScores`, `LiftedScores`, `Pilot`, `RunsAndItems` or
        `FacetedScores`.
    n : int, optional
        The size of the study, in the unit of the design (items, clusters, runs); that of the pilot if the
        design has one.
    level : float
        1 - level is the level of the test.
    alternative : {"two-sided", "greater", "less"}
        Of A against B.
    n_comparisons : int
        Number of comparisons that 1 - level is divided over (Bonferroni, an upper bound for Holm).
    curve : sequence of int, optional
        Other sizes to report; by default some around n. ``()`` for none.
    n_simulations : int, optional
        Simulated studies, for designs without a formula.
    rng : int, numpy.random.Generator or None
        The seed of the simulation.
    n_resamples : int
        Resamples of the test in each simulated study.
    resampling : Resampling, optional
        The two before this as one record, with `progress`: the studies simulated and their number.

    Returns
    -------
    Plan
        The power, and the curve around it. What a design has estimated from a pilot is in doubt: `power` is
        averaged over what the pilot leaves open, `power_as_estimated` takes its estimates for the truth, as
        does ``power(design.taken_as_true(), n)``.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If the assumptions contradict each other.

    See Also
    --------
    sample_size : The size that has the power wanted.
    minimum_detectable : The smallest difference that a size detects.

    Examples
    --------
    >>> from bestby.planning import PairedProportions
    >>> plan = power(PairedProportions(0.83, 0.80, agreement=0.9), 500)
    >>> round(plan.power, 4)
    0.5187
    """
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, resampling
    )
    return _plan("power", design, checked_size(design, n), None, question, curve)


@with_suggestions
def sample_size(
    design: Design,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    rng: Rng = 0,
    n_resamples: int = 999,
    resampling: Resampling | None = None,
) -> Plan:
    """Return the least size of a study that has the power wanted.

    Parameters
    ----------
    design : Design
        What is assumed; see `power`.
    power : float
        The power wanted.
    level, alternative, n_comparisons, curve, n_simulations, rng, n_resamples, resampling
        As in `power`.

    Returns
    -------
    Plan
        Its `n` is the size: with a pilot, that whose power is the one wanted on average over what the pilot
        leaves open. Where power is simulated, a line through all sizes tried (the normal quantile of
        power against √n) gives n, and `power` and `error` are what was simulated there.

    Raises
    ------
    InvalidInputError
        If an argument cannot be used as given.
    DesignError
        If no size has that power, or the assumptions contradict each other.

    See Also
    --------
    power : The power of a size.
    minimum_detectable : The smallest difference that a size detects.

    Examples
    --------
    >>> from bestby.planning import PairedProportions
    >>> sample_size(PairedProportions(0.83, 0.80, agreement=0.9), power=0.8).n
    920
    """
    wanted = checks.probability(power, "power")
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, resampling
    )
    check_effect(design, wanted, question)
    n, computed = least_size(design, wanted, question)
    return _plan("sample_size", design, n, wanted, question, curve, computed)


@with_suggestions
def minimum_detectable(
    design: Design,
    n: int | None = None,
    power: float = 0.8,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
    curve: Sequence[int] | None = None,
    n_simulations: int | None = None,
    rng: Rng = 0,
    n_resamples: int = 999,
    resampling: Resampling | None = None,
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
    level, alternative, n_comparisons, curve, n_simulations, rng, n_resamples, resampling
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

    See Also
    --------
    power : The power of a size.
    sample_size : The size that has the power wanted.

    Examples
    --------
    >>> from bestby.planning import PairedProportions
    >>> plan = minimum_detectable(PairedProportions(0.80, 0.80, agreement=0.9), 500)
    >>> round(plan.difference, 4), round(plan.design.accuracy_a, 4)
    (0.0407, 0.8407)
    """
    wanted = checks.probability(power, "power")
    question = checked_question(
        level, alternative, n_comparisons, n_simulations, n_resamples, rng, resampling
    )
    check_wanted(wanted, question)
    size = checked_size(design, n)
    detectable = design.with_effect(least_effect(design, size, wanted, question))
    return _plan("minimum_detectable", detectable, size, wanted, question, curve)


def check_design(design: Any) -> None:
    """Refuse what is no design."""
    if not isinstance(design, Design):
        raise InvalidInputError(
            f"design must be one of the designs of bestby.planning, got {type(design).__name__}",
            hint="for example PairedProportions(0.83, 0.80, agreement=0.9)",
            argument="design",
        )


def checked_size(design: Design, n: int | None) -> int:
    """Return the size given as n, or that of the pilot."""
    check_design(design)
    if n is None:
        if design.size is None:
            raise InvalidInputError(
                f"a design of {design.name} has no size of its own", hint=f"pass n=... {design.unit}"
            )
        return design.size
    size = checks.positive_int(n, "n")
    if not design.least <= size <= design.most:
        raise InvalidInputError(
            f"n must lie between {design.least} and {design.most} {design.unit} here, got {size}",
            argument="n",
        )
    return size


def check_effect(design: Design, wanted: float, question: Question) -> None:
    """Refuse a power that no size of the study has."""
    check_design(design)
    checked_size(design, design.least)
    check_wanted(wanted, question)
    if design.margin is not None and rounding.level(design.effect, design.null, design.margin):
        raise DesignError(
            f"no size shows on which side of the margin a difference of exactly {design.margin:g} lies",
            hint="assume a difference beyond the margin, or within it",
        )
    if design.effect == design.null:
        raise DesignError(
            "no size has the power to detect a difference of 0",
            hint="assume the smallest difference that matters: difference=...",
        )
    sign = {"two-sided": 0.0, "greater": 1.0, "less": -1.0}[question.alternative]
    if sign * design.true_difference < 0.0:
        raise DesignError(
            f"the assumed difference of {design.true_difference:.6g} contradicts the alternative"
            f" {question.alternative!r}",
            hint='alternative="two-sided", or exchange the systems',
        )


def _plan(
    asked: str,
    design: Design,
    n: int,
    wanted: float | None,
    question: Question,
    curve: Sequence[int] | None,
    computed: Mapping[int, PlanPoint] | None = None,
) -> Plan:
    """Return the plan of n units: its power, and that of other sizes where it is not `computed` already."""
    points = dict(computed or {})
    others = (
        _around(design, n)
        if curve is None
        else [checked_size(design, size) for size in arrays.listed(curve, "curve")]
    )
    for size in (n, *others):
        if size not in points:
            points[size] = PlanPoint(size, *power_at(design, size, question))
    shown = points if curve is None else {n, *others}
    estimated = None  # the power if what was estimated from a pilot were the truth
    if design.doubt_words:
        estimated = power_at(design.taken_as_true(), n, replace(question, progress=None))[0]
    return Plan(
        asked=asked,
        design=design,
        n=n,
        unit=design.unit,
        power=points[n].power,
        error=points[n].error,
        power_as_estimated=estimated,
        difference=design.true_difference,
        wanted=wanted,
        **question.by_name(),
        curve=tuple(points[size] for size in sorted(shown)),
        notes=design.notes(n, question),
        provenance=plan_provenance(asked, design, question),
    )


def _around(design: Design, n: int) -> list[int]:
    """Return sizes around n, rounded to two digits; few where each of them takes a simulation."""
    factors = np.array([0.25, 0.5, 2.0]) if design.simulated else 2.0 ** (np.arange(-6, 5) / 2.0)
    wanted: FloatArray = n * factors
    digits = 10.0 ** np.maximum(np.floor(np.log10(wanted)) - 1.0, 0.0)
    sizes = (np.rint(wanted / digits) * digits).astype(np.int64)
    return sorted({int(size) for size in sizes if design.least <= size <= design.most})


# -- a budget ------------------------------------------------------------------------------------------------


_MOST_RUNS, _MOST_ITEMS = 10_000, 1_000_000_000


@overload
def allocate(
    design: RunsAndItems,
    budget: float,
    *,
    run_cost: float = ...,
    item_cost: float = ...,
    answer_cost: float = ...,
    judge_cost: float = ...,
    label_cost: float = ...,
    max_items: int | None = ...,
    max_runs: int | None = ...,
    level: float = ...,
    alternative: Alternative = ...,
    n_comparisons: int = ...,
) -> Allocation: ...


@overload
def allocate(
    design: FacetedScores,
    budget: float | None = ...,
    *,
    costs: Mapping[str, float],
    power: float | None = ...,
    level: float = ...,
    alternative: Alternative = ...,
    n_comparisons: int = ...,
) -> FacetedAllocation: ...


@overload
def allocate(
    design: JudgedScores,
    budget: float,
    *,
    item_cost: float = ...,
    judge_cost: float = ...,
    label_cost: float,
    max_items: int | None = ...,
    level: float = ...,
    n_comparisons: int = ...,
) -> LabelAllocation: ...


@with_suggestions
def allocate(
    design: RunsAndItems | FacetedScores | JudgedScores,
    budget: float | None = None,
    *,
    run_cost: float = 0.0,
    item_cost: float = 0.0,
    answer_cost: float = 0.0,
    judge_cost: float = 0.0,
    label_cost: float = 0.0,
    max_items: int | None = None,
    max_runs: int | None = None,
    costs: Mapping[str, float] | None = None,
    power: float | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
) -> Allocation | FacetedAllocation | LabelAllocation:
    """Spend a budget on runs and items, on levels of facets, or on a judge and labels.

    A split of r runs of each system on n items costs r × run_cost + n × item_cost + r × n × answer_cost. One
    of n human labels among N judged items costs N × (item_cost + judge_cost) + n × label_cost.

    Parameters
    ----------
    design : RunsAndItems, FacetedScores or JudgedScores
        The variance components and the assumed difference; its `runs` are not looked at. Or the spread of
        human scores and their correlation with the judge's; its `n_items` are not looked at.
    budget : float, optional
        What may be spent. Of facets, give it or `power`.
    run_cost : float
        Cost of one more run (a training of each of the two systems).
    item_cost : float
        Cost of one more item, however many runs answer it (its annotation). With a judge: of the item and
        the answers to it, without the judge's call.
    answer_cost : float
        Cost of the answers of one run (of both systems) to one item.
    judge_cost, label_cost : float
        For judged scores: cost of the judge's calls on one item, and of the human labels of one item.
    max_items, max_runs : int, optional
        The most there can be; items need a limit if they cost nothing.
    costs : mapping of str to float, optional
        Of facets, the cost of a level by the name of the facet, of one that lies in others each level there;
        ``"call"`` is that of one cell, for both systems. What is not named costs nothing. No facet has more
        than a hundred levels, or ten times those of the pilot, or else of the design.
    power : float, optional
        Of facets, the power wanted: the least budget that has it is spent.
    level, alternative, n_comparisons
        As in `power`.

    Returns
    -------
    Allocation, FacetedAllocation or LabelAllocation
        Splits by the number of runs, or of levels of the first facet, and the one of the greatest power. Or
        splits by the number of labels, the one of the least standard error, and the budget spent on labels
        alone.

    Raises
    ------
    InvalidInputError
        If a cost is negative, a limit is no positive whole number, or nothing limits the runs or the items.
    DesignError
        If the budget does not pay for a study.

    See Also
    --------
    bestby.planning.Pilot : The design whose runs and items are planned.
    bestby.results.FacetsComparison.allocate : The levels with the shortest interval, whatever the difference.
    power : The power of one size.
    sample_size : The size that has the power wanted.

    Examples
    --------
    >>> from bestby.planning import RunsAndItems
    >>> design = RunsAndItems(difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4)
    >>> best = allocate(design, 1000, run_cost=50, item_cost=0.1).best
    >>> best.runs, best.items, round(best.power, 2)
    (9, 5500, 0.94)

    >>> from bestby.planning import FacetedScores
    >>> variances = {"prompt": 0.0004, "item": 0.04, "prompt x item": 0.05}
    >>> faceted = FacetedScores(0.03, variances, levels={"prompt": 5})
    >>> cheapest = allocate(faceted, power=0.8, costs={"prompt": 20, "call": 0.02})
    >>> cheapest.best.levels, round(cheapest.budget)
    ((('prompt', 8), ('item', 994)), 319)

    >>> from bestby.planning import JudgedScores
    >>> judged = JudgedScores(sd=0.5, correlation=0.8)
    >>> best = allocate(judged, 500, judge_cost=0.01, label_cost=1).best
    >>> best.labels, best.items, round(best.half_width, 3)
    (441, 5900, 0.03)
    """
    question = checked_question(level, alternative, n_comparisons)
    of_facets: dict[str, tuple[object, object]] = {"costs": (costs, None), "power": (power, None)}
    if isinstance(design, FacetedScores):
        checks.refuse_unused(
            "facets",
            run_cost=(run_cost, 0.0), item_cost=(item_cost, 0.0), answer_cost=(answer_cost, 0.0),
            judge_cost=(judge_cost, 0.0), label_cost=(label_cost, 0.0),
            max_items=(max_items, None), max_runs=(max_runs, None),
        )  # fmt: skip
        return _allocate_levels(design, question, budget, costs, power)
    if budget is None:
        raise InvalidInputError("there is no budget", hint="pass budget=...", argument="budget")
    if isinstance(design, JudgedScores):
        checks.refuse_unused(
            "judged scores",
            **of_facets,
            run_cost=(run_cost, 0.0),
            answer_cost=(answer_cost, 0.0),
            max_runs=(max_runs, None),
            alternative=(alternative, "two-sided"),
        )
        return allocate_labels(
            design, budget, question,
            item_cost=item_cost, judge_cost=judge_cost, label_cost=label_cost, max_items=max_items,
        )  # fmt: skip
    if not isinstance(design, RunsAndItems):
        raise InvalidInputError(
            f"design must be RunsAndItems, FacetedScores or JudgedScores, got {type(design).__name__}",
            hint="RunsAndItems(difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4)",
            argument="design",
        )
    checks.refuse_unused(
        "runs and items", judge_cost=(judge_cost, 0.0), label_cost=(label_cost, 0.0), **of_facets
    )
    return _allocate_runs(
        design, question,
        budget=budget, run_cost=run_cost, item_cost=item_cost, answer_cost=answer_cost,
        max_items=max_items, max_runs=max_runs,
    )  # fmt: skip


def _allocate_runs(
    design: RunsAndItems,
    question: Question,
    *,
    budget: float,
    run_cost: float,
    item_cost: float,
    answer_cost: float,
    max_items: int | None,
    max_runs: int | None,
) -> Allocation:
    """Return the split of a budget over runs and items that has the greatest power."""
    costs = {"budget": budget, "run_cost": run_cost, "item_cost": item_cost, "answer_cost": answer_cost}
    check_not_negative(**costs)
    limits = {"max_items": max_items, "max_runs": max_runs}
    for what, limit in limits.items():
        if limit is not None:
            checks.positive_int(limit, what)
    if item_cost == answer_cost == 0.0 and max_items is None:
        raise InvalidInputError("items cost nothing, so nothing limits them", hint="pass max_items=...")
    if run_cost == answer_cost == 0.0 and max_runs is None:
        raise InvalidInputError("runs cost nothing, so nothing limits them", hint="pass max_runs=...")

    # Every number of runs, of which the dearest leaves enough for two items; with each the most items.
    least = run_cost + 2.0 * answer_cost
    paid_runs = rounding.round_down((budget - 2.0 * item_cost) / least) if least > 0.0 else _MOST_RUNS
    runs = np.arange(1, max(0, min(paid_runs, max_runs or _MOST_RUNS, _MOST_RUNS)) + 1)
    price, left = item_cost + runs * float(answer_cost), budget - runs * float(run_cost)
    with np.errstate(divide="ignore", invalid="ignore"):
        paid_items = np.where(price > 0.0, left / price, np.where(left >= 0.0, np.inf, 0.0))
    items = rounding.round_down(np.minimum(paid_items, _MOST_ITEMS if max_items is None else max_items))
    runs, items = runs[items >= 2], items[items >= 2]
    if runs.size == 0:
        raise DesignError(
            f"a budget of {budget:g} does not pay for a run on 2 items", hint="raise the budget"
        )
    powers = design.power_with(items, runs, question)
    if np.isnan(powers).all():
        raise DesignError(
            f"a budget of {budget:g} pays for only one run, with which systems cannot be distinguished"
            f" from their runs",
            hint="raise the budget",
        )
    errors = design.standard_error(items, runs)
    spent = runs * run_cost + items * item_cost + runs * items * answer_cost
    columns = (one.tolist() for one in (runs, items, spent.astype(np.float64), errors, powers))
    splits = tuple(Split(*row) for row in zip(*columns, strict=True))
    # Of splits of equal power, as at 1.0, the one of least standard error.
    best = splits[int(np.lexsort((errors, -np.nan_to_num(np.round(powers, 12), nan=-1.0)))[0])]
    planned = replace(design, runs=best.runs)
    estimated = None  # the power if the components of the pilot were the truth
    if design.pilot_df is not None:
        estimated = float(planned.taken_as_true().power_with(best.items, best.runs, question))
    return Allocation(
        design=planned,
        budget=float(budget),
        best=best,
        power_as_estimated=estimated,
        splits=splits,
        **question.by_name(),
        notes=planned.notes(best.items, question),
        provenance=plan_provenance("allocate", planned, question, **costs, **limits),
    )


_MOST_SPLITS, _TRIED = 12, 3
"""Numbers of levels of the first facet for which powers are shown, and for which a least budget is sought."""


def _allocate_levels(
    design: FacetedScores,
    question: Question,
    budget: float | None,
    costs: Mapping[str, float] | None,
    wanted: float | None,
) -> FacetedAllocation:
    """Return the levels of facets that have the greatest power for a budget, or a power at the least cost."""
    if (budget is None) == (wanted is None):
        raise InvalidInputError(
            "levels are planned for a budget, or for a power at the least cost",
            hint="give one of the two: budget=..., or power=0.8",
            argument="budget",
        )
    nesting = design.nesting
    prices = Prices.checked({} if costs is None else costs, nesting)
    if budget is None:
        wanted = checks.probability(wanted or 0.0, "power")
        check_effect(design, wanted, question)
        budget = _least_budget(design, question, wanted, prices)
    check_not_negative(budget=budget)
    rows = _nearest(design, question, prices, budget)[:_MOST_SPLITS]
    rows = rows[np.lexsort(rows.T[::-1])]
    errors = np.sqrt(design.estimates.error(rows).variance).tolist()
    splits = tuple(
        FacetedSplit(
            tuple(zip(nesting.facets, map(int, row), strict=True)), cost, se, design.power_at(row, question)
        )
        for row, cost, se in zip(rows, prices.of(rows).tolist(), errors, strict=True)
    )
    best = max(splits, key=lambda split: (round(split.power, 12), -split.cost))
    planned = replace(design, levels=dict(best.levels))
    estimated = None
    if design.doubt_words:
        estimated = planned.taken_as_true().power_at(planned.sizes(), question)
    settings = {"budget": budget, "costs": dict(costs or {}), "power": wanted}
    return FacetedAllocation(
        design=planned,
        budget=float(budget),
        best=best,
        power_as_estimated=estimated,
        splits=splits,
        **question.by_name(),
        notes=planned.notes(planned.size or 0, question),
        provenance=plan_provenance("allocate", planned, question, **settings),
        wanted=wanted,
    )


def _nearest(design: FacetedScores, question: Question, prices: Prices, budget: float) -> FloatArray:
    """Return the sizes of the best design for each number of levels of the first facet, the best first.

    The best are those that detect the smallest difference if the error is as large as is expected.
    """
    sizes = designs_within(design.estimates, prices, budget)
    if not len(sizes):
        raise DesignError(
            f"a budget of {budget:g} does not pay for two levels of each facet", hint="raise the budget"
        )
    sizes = sizes[np.argsort(design.detectable(sizes, question, USUAL_POWER), kind="stable")]
    first = sizes[:, design.nesting.facets.index(design.nesting.random[0])]
    return np.asarray(sizes[np.sort(np.unique(first, return_index=True)[1])])


def _least_budget(design: FacetedScores, question: Question, wanted: float, prices: Prices) -> float:
    """Return the least budget that pays for a design of the power wanted, to a thousandth."""

    def enough(budget: float) -> bool:
        nearest = _nearest(design, question, prices, budget)[:_TRIED]
        return any(design.power_at(sizes, question) >= wanted for sizes in nearest)

    if not enough(math.inf):
        raise DesignError(
            f"no design that was tried has a power of {wanted:g}: up to 100 levels of each facet, or up to"
            " ten times the levels of the pilot",
            hint="plan for a larger difference or a lower power",
        )
    nesting = design.nesting
    fixed = np.array([facet in nesting.fixed for facet in nesting.facets])
    low = float(prices.of(np.where(fixed, design.sizes(), 2.0)[None, :])[0])
    high = 2.0 * low
    while not enough(high):
        low, high = high, 2.0 * high
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
