"""How to spend a budget on runs and items."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import overload

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import Alternative, IntArray
from bestby.planning.arguments import check_costs, checked_question
from bestby.planning.base import Question, plan_provenance
from bestby.questions.labels.judged_scores import JudgedScores
from bestby.questions.labels.plan import allocate_labels
from bestby.questions.labels.result import LabelAllocation
from bestby.questions.planning.result import Allocation, Split
from bestby.questions.planning.runs_items import RunsAndItems

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
    design: RunsAndItems | JudgedScores,
    budget: float,
    *,
    run_cost: float = 0.0,
    item_cost: float = 0.0,
    answer_cost: float = 0.0,
    judge_cost: float = 0.0,
    label_cost: float = 0.0,
    max_items: int | None = None,
    max_runs: int | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_comparisons: int = 1,
) -> Allocation | LabelAllocation:
    """Spend a budget on runs and items, or on a judge and labels, so that most can be shown.

    A split of r runs of each system on n items costs r × run_cost + n × item_cost + r × n × answer_cost. One
    of n human labels among N judged items costs N × (item_cost + judge_cost) + n × label_cost.

    Parameters
    ----------
    design : RunsAndItems or JudgedScores
        The variance components and the assumed difference; its `runs` are not looked at. Or the spread of
        human scores and their correlation with the judge's; its `n_items` are not looked at.
    budget : float
        What may be spent.
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
    level, alternative, n_comparisons
        As in `power`.

    Returns
    -------
    Allocation or LabelAllocation
        One split per number of runs, and the one of the greatest power. Or splits by the number of labels,
        the one of the least standard error, and the budget spent on labels alone.

    Raises
    ------
    InvalidInputError
        If a cost is negative, a limit is no positive whole number, or nothing limits the runs or the items.
    DesignError
        If the budget does not pay for a study.

    See Also
    --------
    Pilot : The design whose runs and items are planned.
    power : The power of one size.
    sample_size : The size that has the power wanted.

    Examples
    --------
    >>> from bestby import RunsAndItems
    >>> design = RunsAndItems(difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4)
    >>> best = allocate(design, 1000, run_cost=50, item_cost=0.1).best
    >>> best.runs, best.items, round(best.power, 2)
    (9, 5500, 0.94)

    >>> from bestby import JudgedScores
    >>> judged = JudgedScores(sd=0.5, correlation=0.8)
    >>> best = allocate(judged, 500, judge_cost=0.01, label_cost=1).best
    >>> best.labels, best.items, round(best.half_width, 3)
    (441, 5900, 0.03)
    """
    question = checked_question(level, alternative, n_comparisons)
    if isinstance(design, JudgedScores):
        checks.refuse_unused(
            "judged scores",
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
            f"design must be RunsAndItems or JudgedScores, got {type(design).__name__}",
            hint="RunsAndItems(difference=0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.4)",
            argument="design",
        )
    checks.refuse_unused("runs and items", judge_cost=(judge_cost, 0.0), label_cost=(label_cost, 0.0))
    costs = Costs(budget, run_cost, item_cost, answer_cost, max_items, max_runs)
    return _allocate_runs(design, costs, question)


def _allocate_runs(design: RunsAndItems, costs: Costs, question: Question) -> Allocation:
    """Return the split of a budget over runs and items that has the greatest power."""
    runs, items = costs.affordable()
    if runs.size == 0:
        raise DesignError(
            f"a budget of {costs.budget:g} does not pay for a run on 2 items", hint="raise the budget"
        )
    powers = design.power_with(items, runs, question)
    if np.isnan(powers).all():
        raise DesignError(
            f"a budget of {costs.budget:g} pays for only one run, with which systems cannot be distinguished"
            f" from their runs",
            hint="raise the budget",
        )
    errors = design.standard_error(items, runs)
    paid = runs * costs.run_cost + items * costs.item_cost + runs * items * costs.answer_cost
    splits = tuple(
        Split(int(r), int(n), float(c), float(se), float(p))
        for r, n, c, se, p in zip(runs, items, paid, errors, powers, strict=True)
    )
    # Of splits of equal power, as at 1.0, the one of least standard error.
    best = splits[int(np.lexsort((errors, -np.nan_to_num(np.round(powers, 12), nan=-1.0)))[0])]
    found = replace(design, runs=best.runs)
    estimated = None  # the power if the components of the pilot were the truth
    if design.pilot_df is not None:
        estimated = float(found.taken_as_true().power_with(best.items, best.runs, question))
    return Allocation(
        design=found,
        budget=float(costs.budget),
        best=best,
        power_as_estimated=estimated,
        splits=splits,
        alpha=question.alpha,
        level=question.level,
        alternative=question.alternative,
        n_comparisons=question.n_comparisons,
        notes=found.notes(best.items, question),
        provenance=plan_provenance("allocate", found, question, **asdict(costs)),
    )


@dataclass(frozen=True)
class Costs:
    """The arguments of `allocate` on costs and limits; see there."""

    budget: float
    run_cost: float
    item_cost: float
    answer_cost: float
    max_items: int | None
    max_runs: int | None

    def __post_init__(self) -> None:
        check_costs(
            budget=self.budget,
            run_cost=self.run_cost,
            item_cost=self.item_cost,
            answer_cost=self.answer_cost,
        )
        for what in ("max_items", "max_runs"):
            if getattr(self, what) is not None:
                checks.positive_int(getattr(self, what), what)
        if self.item_cost == self.answer_cost == 0.0 and self.max_items is None:
            raise InvalidInputError("items cost nothing, so nothing limits them", hint="pass max_items=...")
        if self.run_cost == self.answer_cost == 0.0 and self.max_runs is None:
            raise InvalidInputError("runs cost nothing, so nothing limits them", hint="pass max_runs=...")

    def affordable(self) -> tuple[IntArray, IntArray]:
        """Return numbers of runs, and with each the most items that can be paid."""
        least = self.run_cost + 2.0 * self.answer_cost  # two items are the least
        top = _MOST_RUNS
        if least > 0.0:
            top = rounding.round_down((self.budget - 2.0 * self.item_cost) / least)
        most = _MOST_RUNS if self.max_runs is None else min(self.max_runs, _MOST_RUNS)
        runs = np.arange(1, max(0, min(top, most)) + 1)
        price = self.item_cost + runs * float(self.answer_cost)
        left = self.budget - runs * float(self.run_cost)
        with np.errstate(divide="ignore", invalid="ignore"):
            paid = np.where(price > 0.0, left / price, np.where(left >= 0.0, np.inf, 0.0))
        limit = _MOST_ITEMS if self.max_items is None else self.max_items
        items = rounding.round_down(np.minimum(paid, limit))
        return runs[items >= 2], items[items >= 2]
