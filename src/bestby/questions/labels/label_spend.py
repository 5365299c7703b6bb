"""How to divide a budget between a judge's calls and human labels."""

from __future__ import annotations

import math
from operator import attrgetter

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import IntArray
from bestby.planning.base import Question, check_costs
from bestby.questions.labels.judged_scores import JudgedScores, t_quantile
from bestby.questions.labels.label_plans_result import LabelAllocation, LabelSplit
from bestby.questions.labels.plan import notes_on
from bestby.results.base import provenance_of

_MOST_SPLITS = 200_000
_KEPT = 20


def allocate_labels(
    design: JudgedScores,
    budget: float,
    question: Question,
    *,
    item_cost: float,
    judge_cost: float,
    label_cost: float,
    max_items: int | None,
) -> LabelAllocation:
    """Return the split of a budget with the least standard error; `allocate` says what the costs are.

    Without limits the best number of judged items per label is r / sqrt(1 - r²) times the root of the price
    of a label over that of a judged item, r being the correlation (Cochran 1977, section 12.7). Here all
    numbers of labels are tried, so that limits and whole numbers are allowed for.
    """
    costs = {"budget": budget, "item_cost": item_cost, "judge_cost": judge_cost, "label_cost": label_cost}
    check_costs(**costs)
    if label_cost == 0.0:
        raise InvalidInputError(
            "labels cost nothing, so the judge is not needed",
            hint="pass label_cost=...",
            argument="label_cost",
        )
    if item_cost + judge_cost == 0.0 and max_items is None:
        raise InvalidInputError(
            "judged items cost nothing, so nothing limits them", hint="pass max_items=..."
        )
    limit = math.inf if max_items is None else checks.positive_int(max_items, "max_items")
    alone = _alone(design, budget, item_cost, label_cost, limit, question.alpha)
    splits = _with_judge(design, budget, item_cost + judge_cost, label_cost, limit, question.alpha)
    sure = (one for one in splits if one.labels >= design.labels_with_errors)
    by_formula, best = (min((alone, *some), key=attrgetter("standard_error")) for some in (splits, sure))
    planned = by_formula.labels if by_formula.items else math.inf  # labels alone need no error of the judge
    settings = {
        "plan": "allocate labels",
        **{what: float(value) for what, value in costs.items()},
        "max_items": max_items,
        "level": question.level,
        "comparisons": question.n_comparisons,
    }
    return LabelAllocation(
        design=design,
        budget=float(budget),
        best=best,
        alone=alone,
        splits=splits,
        alpha=question.alpha,
        level=question.level,
        n_comparisons=question.n_comparisons,
        notes=tuple(notes_on(design, planned, best.labels, "spend more on labels")),
        provenance=provenance_of(settings, design.settings(), design.settings()),
    )


def _alone(
    design: JudgedScores, budget: float, item_cost: float, label_cost: float, limit: float, alpha: float
) -> LabelSplit:
    """Return the whole budget spent on labels."""
    n = int(min(rounding.round_down(budget / (item_cost + label_cost)), limit))
    if n < design.least_labels:
        raise DesignError(
            f"a budget of {budget:g} pays for {n} labels, and {design.least_labels} are the least",
            hint="raise the budget",
        )
    error = float(design.standard_error_alone(n))
    width = float(t_quantile(alpha, design.freedom(n) + 1.0)) * error
    return LabelSplit(n, 0, n * (item_cost + label_cost), error, width)


def _with_judge(
    design: JudgedScores, budget: float, judged_cost: float, label_cost: float, limit: float, alpha: float
) -> tuple[LabelSplit, ...]:
    """Return splits with the judge, in ascending order of labels; that of the least error is one of them."""
    labels, items = _affordable(design.least_labels, budget, judged_cost, label_cost, limit)
    if labels.size == 0:
        return ()
    errors = design.standard_error(labels, items)
    kept = _reported_places(labels.size, int(np.argmin(errors)))
    labels, items, errors = labels[kept], items[kept], errors[kept]
    widths = t_quantile(alpha, design.freedom(labels)) * errors
    paid = (items * judged_cost + labels * label_cost).astype(np.float64)
    columns = (one.tolist() for one in (labels, items, paid, errors, widths))
    return tuple(LabelSplit(*row) for row in zip(*columns, strict=True))


def _affordable(
    least: int, budget: float, judged_cost: float, label_cost: float, limit: float
) -> tuple[IntArray, IntArray]:
    """Return numbers of labels, and with each the most items that can be judged; no fewer than labels."""
    most = int(min(rounding.round_down(budget / (judged_cost + label_cost)), limit))
    if most < least:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    labels = np.arange(least, most + 1)
    if labels.size > _MOST_SPLITS:
        labels = np.unique(np.rint(np.geomspace(least, most, _MOST_SPLITS)).astype(np.int64))
    left = budget - labels * label_cost
    judged = left / judged_cost if judged_cost > 0.0 else np.full(labels.size, np.inf)
    items = rounding.round_down(np.minimum(judged, min(limit, 1e15)))
    return labels, np.maximum(items, labels)


def _reported_places(size: int, best: int) -> list[int]:
    """Return the places of splits that are reported: some over the whole range, and the best."""
    few = min(size, _KEPT)
    spread = np.concatenate([np.geomspace(1, size, few), np.linspace(1, size, few)])
    return sorted({*(np.rint(spread).astype(int) - 1).tolist(), best})
