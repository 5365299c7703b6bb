"""How many items people must label beside a judge, and how to divide a budget between the two."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.checks import margin_of
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import ArrayLike, FloatArray, IntArray
from bestby.inference.power import t_power
from bestby.planning.base import USUAL_POWER, Question, check_not_negative, check_wanted, checked_question
from bestby.questions.labels.judged_scores import LEAST_ERRORS, JudgedScores, t_quantile
from bestby.questions.labels.result import LabelAllocation, LabelPlan, LabelPoint, LabelSplit
from bestby.results.base import Note, provenance_of

_FEW_LABELS = 50
"""Labels below which intervals by PPI++ are not to be relied on."""

_MOST = 1_000_000_000

_APPROXIMATE = Note(
    "approximate_plan",
    "the plan rests on a formula for large samples and a linear relation of human and judge; it promises too"
    " much where the judge's errors are rare and large",
)

Errors = Callable[[ArrayLike], tuple[FloatArray, FloatArray]]
"""The standard errors with so many labels, and their degrees of freedom."""

Enough = Callable[[FloatArray, FloatArray], Any]
"""Whether standard errors, with these degrees of freedom, are small enough."""


@with_suggestions
def plan_labels(
    design: JudgedScores,
    n: int | None = None,
    *,
    half_width: float | None = None,
    margin: float | None = None,
    power: float | None = None,
    level: float = 0.95,
    n_comparisons: int = 1,
) -> LabelPlan:
    """Return how many human labels it takes beside a judge, and how many without the judge.

    Give one of `half_width`, `margin` and `n`.

    Parameters
    ----------
    design : JudgedScores
        The spread of the human scores, their correlation with the judge's, and the number of judged items.
    n : int, optional
        The number of labels: the answer is the half-width that they give.
    half_width : float, optional
        Half the length of the interval that is wanted, on the scale of the human scores.
    margin : float, optional
        The smallest difference that matters: a true difference of that size is to be detected with
        probability `power`. The same number of labels shows with that probability that a system is not worse
        by the margin, if the two are equal.
    power : float, optional
        0.8 by default; for `margin` only.
    level : float
        The level of the intervals.
    n_comparisons : int
        The number of comparisons that 1 - level is divided by.

    Returns
    -------
    LabelPlan
        The numbers of labels with the judge and without, and the half-widths by number of labels.

    Raises
    ------
    InvalidInputError
        If not exactly one of the three is given, the design has no number of items, or a number is out of
        its range.
    DesignError
        If labels of all items are not enough.

    See Also
    --------
    bestby.planning.JudgedScores : The design, given or from a pilot.
    choose_items : Draws the items to label.
    allocate : How to divide a budget between judged and labelled items.

    Notes
    -----
    An interval is the estimate plus or minus Student's t with n - 2 degrees of freedom (n - 1 without the
    judge; n - H - 1 and n - H with H strata) times the standard error of `JudgedScores`. The number is an
    approximation from a formula, which the calibration of this package compares with simulated studies. No
    interval is shorter than that of human labels of all judged items, so that more labels than a share of the
    items gain little.

    A judge that errs on few items has a small error by the formula, which labels without such an item do not
    show. The numbers are therefore at least those that are expected to hold five errors of the judge
    (`JudgedScores`, `error_share`), but not more than labels alone would take. That is more than it takes
    where the judge is slightly wrong everywhere and its `error_share` was not given.

    References
    ----------
    .. [1] Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient prediction-powered inference,
       arXiv:2311.01453.

    Examples
    --------
    >>> from bestby import plan_labels
    >>> from bestby.planning import JudgedScores
    >>> plan = plan_labels(
    ...     JudgedScores(sd=0.5, correlation=0.8, n_items=10_000), margin=0.05
    ... )
    >>> plan.n_labels, plan.n_alone
    (301, 787)
    """
    asked, value = _single_question(design, n, half_width, margin, power)
    question = checked_question(level, "two-sided", n_comparisons)
    alpha = question.alpha
    wanted = None
    if asked == "margin":
        wanted = USUAL_POWER if power is None else checks.probability(power, "power")
        check_wanted(wanted, question)
    if asked == "n":
        by_formula = n_labels = int(value)
        enough = _enough(float(_half_width(_with_judge(design), n_labels, alpha)), None, alpha)
    else:
        enough = _enough(value, wanted, alpha)
        by_formula, n_labels = _least_with_judge(design, enough)
    n_alone = _least(_without_judge(design), enough, design.least_labels, _MOST)
    if not n_labels:
        reached = float(_half_width(_with_judge(design), _n_items(design), alpha))
        raise DesignError(
            f"labels of all {design.n_items} judged items are not enough: they give an interval of"
            f" ± {reached:.4g}",
            hint="plan for a larger one"
            if n_alone is None
            else f"judge more items (labels alone: {n_alone}), or plan for a larger half-width or margin",
        )
    assert n_alone is not None
    cautious = None
    if asked != "n" and design.pilot_labels is not None:
        cautious = _least_with_judge(design.cautious(), enough)[1] or None
    unsure = asked != "n" and cautious is None
    settings = {"plan": "labels", "asked": asked, "value": value, "power": wanted, "level": level,
                "comparisons": n_comparisons}  # fmt: skip
    return LabelPlan(
        asked=asked,
        design=design,
        n_labels=n_labels,
        n_alone=n_alone,
        n_cautious=cautious,
        half_width=float(_half_width(_with_judge(design), n_labels, alpha)),
        half_width_alone=float(_half_width(_without_judge(design), n_labels, alpha)),
        margin=margin,
        power=wanted,
        alpha=alpha,
        level=level,
        n_comparisons=n_comparisons,
        curve=_curve(design, n_labels, alpha),
        notes=tuple(_notes_on_plan(design, by_formula, n_labels, n_alone, unsure=unsure)),
        provenance=provenance_of(settings, design.settings(), design.settings()),
    )


def _single_question(
    design: JudgedScores, n: int | None, half_width: float | None, margin: float | None, power: float | None
) -> tuple[str, float]:
    """Return the one thing that is given, and its value."""
    if not isinstance(design, JudgedScores):
        raise InvalidInputError(
            f"design must be JudgedScores, got {type(design).__name__}",
            hint="JudgedScores(sd=0.5, correlation=0.7, n_items=5000)",
            argument="design",
        )
    values = {"half_width": half_width, "margin": margin, "n": n}
    asked_for = {what: value for what, value in values.items() if value is not None}
    if len(asked_for) != 1:
        raise InvalidInputError(
            f"exactly one of half_width, margin and n is needed, got {', '.join(asked_for) or 'none'}",
            hint="half_width=0.02 asks for an interval of ± 0.02",
            argument=next(iter(asked_for), "half_width"),
        )
    if design.n_items is None:
        raise InvalidInputError("it is not known how many items the judge scores", hint="pass n_items=...")
    asked, value = next(iter(asked_for.items()))
    if asked != "margin":
        checks.refuse_unused(f"a plan by {asked}", power=(power, None))
    if asked == "n":
        size = checks.positive_int(n or 0, "n")
        if not design.least_labels <= size <= design.n_items:
            raise InvalidInputError(
                f"n must lie between {design.least_labels} and the {design.n_items} judged items, got {size}",
                argument="n",
            )
        return asked, size
    if asked == "margin":
        margin_of(value)
    if not (math.isfinite(checks.amount(value, asked)) and value > 0.0):
        raise InvalidInputError(f"{asked} must be a positive number, got {value}", argument=asked)
    return asked, float(value)


def _with_judge(design: JudgedScores) -> Errors:
    return lambda n: (design.standard_error(n, _n_items(design)), design.freedom(n))


def _without_judge(design: JudgedScores) -> Errors:
    return lambda n: (design.standard_error_alone(n), design.freedom(n) + 1.0)


def _n_items(design: JudgedScores) -> int:
    assert design.n_items is not None
    return design.n_items


def _half_width(errors: Errors, labels: ArrayLike, alpha: float) -> FloatArray:
    """Return half the length of the interval."""
    error, df = errors(labels)
    return t_quantile(alpha, df) * error


def _enough(value: float, power: float | None, alpha: float) -> Enough:
    """Return the function that says whether a standard error is small enough."""
    if power is None:
        return lambda error, df: bool(rounding.at_most(t_quantile(alpha, df) * error, value))
    return lambda error, df: bool(t_power(value / error, df, alpha) >= power)


def _least(errors: Errors, enough: Enough, least: int, most: int) -> int | None:
    """Return the least number of labels whose standard error is small enough; None if all are not."""
    low, high = least, most
    if low > high or not enough(*errors(high)):
        return None
    while low < high:
        middle = (low + high) // 2
        if enough(*errors(middle)):
            high = middle
        else:
            low = middle + 1
    return high


def _least_with_judge(design: JudgedScores, enough: Enough) -> tuple[int, int]:
    """Return the least number of labels by the formula, and how many are planned; 0 if all are not enough.

    As many are planned as are expected to hold five errors of the judge, of which labels alone need none.
    """
    by_formula = _least(_with_judge(design), enough, design.least_labels, _n_items(design))
    if by_formula is None:
        return 0, 0
    n_alone = _least(_without_judge(design), enough, design.least_labels, _MOST) or _MOST
    return by_formula, max(by_formula, int(min(design.labels_with_errors, n_alone, _n_items(design))))


def _curve(design: JudgedScores, answer: int, alpha: float) -> tuple[LabelPoint, ...]:
    """Return half-widths from a quarter of the answer to four times, or to all items."""
    least = design.least_labels
    low, high = max(least, answer // 4), min(_n_items(design), max(4 * answer, 4 * least))
    # So many sizes show the shape of the curve
    sizes = np.unique([answer, *np.rint(np.geomspace(low, max(low, high), 14)).astype(int).tolist()])
    widths = _half_width(_with_judge(design), sizes, alpha), _half_width(_without_judge(design), sizes, alpha)
    rows = zip(sizes.tolist(), widths[0].tolist(), widths[1].tolist(), strict=True)
    return tuple(LabelPoint(n, with_judge, without_judge) for n, with_judge, without_judge in rows)


def _notes_on_plan(
    design: JudgedScores, by_formula: int, answer: int, n_alone: int, *, unsure: bool
) -> Iterator[Note]:
    yield from _notes_on_any(design, by_formula, answer, "plan at least so many")
    # The judge saves less than a tenth of the labels
    if by_formula > 0.9 * n_alone:
        yield Note(
            "judge_saves_little",
            f"the judge saves {max(0, n_alone - answer)} of {n_alone} labels: its scores say little about"
            " the human ones",
        )
    if design.pilot_labels is not None and design.pilot_labels < _FEW_LABELS:
        yield Note(
            "small_pilot",
            f"the pilot has {design.pilot_labels} labels, which tell the correlation only roughly",
        )
    if unsure and design.pilot_labels is not None:
        yield Note(
            "pilot_too_uncertain",
            "if the variances of the pilot are at their upper 80 % limits, labels of all judged items are"
            " not enough",
        )


# -- a budget --------------------------------------------------------------------------------------


_MOST_SPLITS = 200_000

_SHOWN_SPLITS = 20


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
    check_not_negative(**costs)
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
    without_judge = _split_without_judge(design, budget, item_cost, label_cost, limit, question.alpha)
    splits = _splits_with_judge(design, budget, item_cost + judge_cost, label_cost, limit, question.alpha)
    sure = (one for one in splits if one.labels >= design.labels_with_errors)
    by_formula, best = (
        min((without_judge, *some), key=attrgetter("standard_error")) for some in (splits, sure)
    )
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
        alone=without_judge,
        splits=splits,
        alpha=question.alpha,
        level=question.level,
        n_comparisons=question.n_comparisons,
        notes=tuple(_notes_on_any(design, planned, best.labels, "spend more on labels")),
        provenance=provenance_of(settings, design.settings(), design.settings()),
    )


def _split_without_judge(
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


def _splits_with_judge(
    design: JudgedScores, budget: float, judged_cost: float, label_cost: float, limit: float, alpha: float
) -> tuple[LabelSplit, ...]:
    """Return splits with the judge, in ascending order of labels; that of the least error is one of them."""
    labels, items = _affordable(design.least_labels, budget, judged_cost, label_cost, limit)
    if labels.size == 0:
        return ()
    errors = design.standard_error(labels, items)
    places = _reported_places(labels.size, int(np.argmin(errors)))
    labels, items, errors = labels[places], items[places], errors[places]
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
    few = min(size, _SHOWN_SPLITS)
    spread = np.concatenate([np.geomspace(1, size, few), np.linspace(1, size, few)])
    return sorted({*(np.rint(spread).astype(int) - 1).tolist(), best})


# -- what must be known of either ------------------------------------------------------------------


def _notes_on_any(design: JudgedScores, by_formula: float, answer: int, advice: str) -> Iterator[Note]:
    """Yield what must be known of any plan: of labels by the formula, and of the answer.

    The advice is for too few.
    """
    few = f"with fewer than {_FEW_LABELS} labels the intervals are not reliable: {advice}"
    yield _APPROXIMATE
    if answer < _FEW_LABELS:
        yield Note("few_labels", few)
    if by_formula < design.labels_with_errors:
        yield Note("few_judge_errors", _few_errors(design, by_formula, answer))


def _few_errors(design: JudgedScores, by_formula: float, answer: int) -> str:
    """Return how few errors of the judge are expected among labels, and what follows from that."""
    wanted = design.labels_with_errors
    errors = by_formula * design.share_of_errors
    text = f"{by_formula:.0f} labels are expected to hold {errors:.2g} errors of the judge"
    if answer > by_formula:
        why = (
            f"{LEAST_ERRORS} errors" if answer >= wanted else "what it takes without the judge, or all items"
        )
        return (
            f"{text}, too few to tell how large they are, though the formula asks for no more; the number is"
            f" that for {why}. If the judge is slightly wrong everywhere, say so: error_share=1.0"
            " (--judge-errors 1)"
        )
    more = "" if math.isinf(wanted) else f"; {wanted:.0f} labels hold {LEAST_ERRORS}"
    return (
        f"{text}, too few to tell how large they are: intervals may be several times as long as planned{more}"
    )
