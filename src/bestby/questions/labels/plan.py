"""How many items people must label beside a judge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.margins import margin_of
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference.power import t_power
from bestby.planning.base import USUAL_POWER, check_wanted, checked_question
from bestby.questions.labels.judged_scores import LEAST_ERRORS, JudgedScores, t_quantile
from bestby.questions.labels.label_plans_result import LabelPlan, LabelPoint
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
    JudgedScores : The design, given or from a pilot.
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
    >>> from bestby import JudgedScores, plan_labels
    >>> plan = plan_labels(JudgedScores(sd=0.5, correlation=0.8, n_items=10_000), margin=0.05)
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
        by_formula, cautious = int(value), None
        enough = _enough(float(_half_width(_with_judge(design), by_formula, alpha)), None, alpha)
    else:
        enough = _enough(value, wanted, alpha)
        by_formula, cautious = _labels(design, enough, alpha), None
        if design.pilot_labels is not None:
            cautious = _least(_with_judge(design.cautious()), enough, design.least_labels, _items(design))
            cautious = cautious and _with_errors(design.cautious(), cautious, enough)
    alone = _least(_alone(design), enough, design.least_labels, _MOST)
    assert alone is not None
    found = by_formula if asked == "n" else _with_errors(design, by_formula, enough)
    settings = {"plan": "labels", "asked": asked, "value": value, "power": wanted, "level": level,
                "comparisons": n_comparisons}  # fmt: skip
    return LabelPlan(
        asked=asked,
        design=design,
        n_labels=found,
        n_alone=alone,
        n_cautious=cautious,
        half_width=float(_half_width(_with_judge(design), found, alpha)),
        half_width_alone=float(_half_width(_alone(design), found, alpha)),
        margin=margin,
        power=wanted,
        alpha=alpha,
        level=level,
        n_comparisons=n_comparisons,
        curve=_curve(design, found, alpha),
        notes=_notes(design, by_formula, found, alone, unsure=asked != "n" and cautious is None),
        provenance=provenance_of(settings, design.settings(), design.settings()),
    )


def _half_width(errors: Errors, labels: ArrayLike, alpha: float) -> FloatArray:
    """Return half the length of the interval."""
    error, df = errors(labels)
    return t_quantile(alpha, df) * error


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
    given = {what: value for what, value in values.items() if value is not None}
    if len(given) != 1:
        raise InvalidInputError(
            f"exactly one of half_width, margin and n is needed, got {', '.join(given) or 'none'}",
            hint="half_width=0.02 asks for an interval of ± 0.02",
            argument=next(iter(given), "half_width"),
        )
    if design.n_items is None:
        raise InvalidInputError("it is not known how many items the judge scores", hint="pass n_items=...")
    asked, value = next(iter(given.items()))
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


def _items(design: JudgedScores) -> int:
    assert design.n_items is not None
    return design.n_items


def _with_judge(design: JudgedScores) -> Errors:
    return lambda n: (design.standard_error(n, _items(design)), design.freedom(n))


def _alone(design: JudgedScores) -> Errors:
    return lambda n: (design.standard_error_alone(n), design.freedom(n) + 1.0)


def _enough(value: float, power: float | None, alpha: float) -> Enough:
    """Return the function that says whether a standard error is small enough."""
    if power is None:
        return lambda error, df: bool(rounding.at_most(t_quantile(alpha, df) * error, value))
    return lambda error, df: bool(t_power(value / error, df, alpha) >= power)


def _labels(design: JudgedScores, enough: Enough, alpha: float) -> int:
    """Return the least number of labels that is enough."""
    found = _least(_with_judge(design), enough, design.least_labels, _items(design))
    if found is not None:
        return found
    alone = _least(_alone(design), enough, design.least_labels, _MOST)
    reached = float(_half_width(_with_judge(design), _items(design), alpha))
    raise DesignError(
        f"labels of all {design.n_items} judged items are not enough: they give an interval of"
        f" ± {reached:.4g}",
        hint="plan for a larger one"
        if alone is None
        else f"judge more items (labels alone: {alone}), or plan for a larger half-width or margin",
    )


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


def _with_errors(design: JudgedScores, found: int, enough: Enough) -> int:
    """Return a number of labels, or as many as are expected to hold five errors of the judge.

    Labels alone need none of them.
    """
    alone = _least(_alone(design), enough, design.least_labels, _MOST) or _MOST
    return max(found, int(min(design.labels_with_errors, alone, _items(design))))


def _curve(design: JudgedScores, found: int, alpha: float) -> tuple[LabelPoint, ...]:
    """Return half-widths from a quarter of the answer to four times, or to all items."""
    least = design.least_labels
    low, high = max(least, found // 4), min(_items(design), max(4 * found, 4 * least))
    # So many sizes show the shape of the curve
    sizes = np.unique([found, *np.rint(np.geomspace(low, max(low, high), 14)).astype(int).tolist()])
    widths = _half_width(_with_judge(design), sizes, alpha), _half_width(_alone(design), sizes, alpha)
    rows = zip(sizes.tolist(), widths[0].tolist(), widths[1].tolist(), strict=True)
    return tuple(LabelPoint(n, own, alone) for n, own, alone in rows)


def notes_on(design: JudgedScores, labels: float, found: int, advice: str) -> list[Note]:
    """Return what must be known of any plan: of `labels` by the formula, and as many as were `found`.

    The advice is for too few.
    """
    few = f"with fewer than {_FEW_LABELS} labels the intervals are not reliable: {advice}"
    notes = [_APPROXIMATE, *([Note("few_labels", few)] if found < _FEW_LABELS else [])]
    if labels < design.labels_with_errors:
        notes.append(Note("few_judge_errors", _few_errors(design, labels, found)))
    return notes


def _few_errors(design: JudgedScores, labels: float, found: int) -> str:
    """Return how few errors of the judge are expected among labels, and what follows from that."""
    wanted = design.labels_with_errors
    text = (
        f"{labels:.0f} labels are expected to hold {labels * design.share_of_errors:.2g} errors of the judge"
    )
    if found > labels:
        why = f"{LEAST_ERRORS} errors" if found >= wanted else "what it takes without the judge, or all items"
        return (
            f"{text}, too few to tell how large they are, though the formula asks for no more; the number is"
            f" that for {why}. If the judge is slightly wrong everywhere, say so: error_share=1.0"
            " (--judge-errors 1)"
        )
    more = "" if math.isinf(wanted) else f"; {wanted:.0f} labels hold {LEAST_ERRORS}"
    return (
        f"{text}, too few to tell how large they are: intervals may be several times as long as planned{more}"
    )


def _notes(
    design: JudgedScores, by_formula: int, found: int, alone: int, *, unsure: bool
) -> tuple[Note, ...]:
    notes = notes_on(design, by_formula, found, "plan at least so many")
    # The judge saves less than a tenth of the labels
    if by_formula > 0.9 * alone:
        notes.append(
            Note(
                "judge_saves_little",
                f"the judge saves {max(0, alone - found)} of {alone} labels: its scores say little about the"
                " human ones",
            )
        )
    if design.pilot_labels is not None and design.pilot_labels < _FEW_LABELS:
        notes.append(
            Note(
                "small_pilot",
                f"the pilot has {design.pilot_labels} labels, which tell the correlation only roughly",
            )
        )
    if unsure and design.pilot_labels is not None:
        notes.append(
            Note(
                "pilot_too_uncertain",
                "if the variances of the pilot are at their upper 80 % limits, labels of all judged items are"
                " not enough",
            )
        )
    return tuple(notes)
