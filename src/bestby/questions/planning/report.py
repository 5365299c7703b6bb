"""The report of a plan: the answer in a sentence, power at other sizes as a table and as a curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from bestby.questions.planning import figure
from bestby.questions.planning.result import Allocation, Plan
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes
from bestby.report.numbers import alpha, difference_text, percent, power_text
from bestby.report.references import cite
from bestby.report.tables import Table

TABLES = {
    "curve": Rows(
        (
            Field("n"),
            Field("unit", of_result=True),
            *attributes("power", "error"),
            Field("difference", of_result=True),
            Field("alpha", of_result=True),
            Field("alternative", of_result=True),
        ),
        attrgetter("curve"),
    ),
}


def document(plan: Plan) -> Document:
    """Return the report of a plan: the answer, the table of sizes and powers, the curve."""
    caption = "The marked point is the answer."
    if not plan.exact:
        caption += " Vertical lines are 95 % Monte Carlo intervals of the simulated power."
    return one_section(
        plan,
        title=f"Power of a study of {plan.n} {plan.unit}",
        subtitle=plan.design.assumed_words,
        methods=_methods(plan),
        name="power",
        lead=f"{headline(plan)} {as_estimated(plan)}".rstrip(),
        tables=(_table(plan),) if plan.curve else (),
        pictures=(Picture("Power against size", caption, partial(figure.plan, plan)),),
    )


def headline(plan: Plan) -> str:
    """Return the answer in a sentence."""
    size = f"{plan.n} {plan.unit}"
    reached = power_text(plan.power, plan.error)
    if plan.asked == "power":
        return f"A study of {size} {aim(plan, 's')} with power {reached}."
    if plan.asked == "sample_size":
        simulated = "" if plan.exact else f" (simulated power: {reached})"
        return f"{size} are needed to {aim(plan)} with power {plan.wanted:g}{simulated}."
    simulated = "" if plan.exact else f"; simulated power: {reached}"
    power = f"with power {plan.wanted:g}{_solved(plan)}{simulated}"
    return f"A study of {size} {aim(plan, 's', more=True)} {power}."


def aim(plan: Plan, ending: str = "", *, more: bool = False) -> str:
    """Return what the study detects or shows; `more` if it does so of larger differences, too.

    >>> from bestby.planning import PairedScores, power
    >>> aim(power(PairedScores(0.0, 1.0, margin=0.1), 34))
    'show a difference of 0 to be within the margin of 0.1'
    """
    size = difference_text(plan.difference)
    what = f"differences of {size} or more" if more else f"a difference of {size}"
    margin = _margin(plan)
    if margin is None:
        return f"detect{ending} {what}"
    side = "beyond" if abs(plan.difference) > margin else "within"
    return f"show{ending} {what} to be {side} the margin of {margin:g}"


def _margin(plan: Plan | Allocation) -> float | None:
    """Return the margin of the design; pilots and designs of runs have none."""
    margin: float | None = getattr(plan.design, "margin", None)
    return margin


def as_estimated(plan: Plan) -> str:
    """Return a sentence on the power if the pilot's estimates were the truth; nothing without a pilot.

    >>> from bestby.planning import PairedScores, power
    >>> as_estimated(power(PairedScores(0.5, 1.0, pilot_df=7), 34))
    'If the estimates of the pilot were the true values, it would be 0.808.'
    """
    if plan.power_as_estimated is None:
        return ""
    subject = "it" if plan.asked == "power" else "the power"
    value = power_text(plan.power_as_estimated)
    return f"If the estimates of the pilot were the true values, {subject} would be {value}."


def _solved(plan: Plan) -> str:
    effect = plan.design.effect
    if effect == plan.difference:
        return ""
    word = "an effect scale" if plan.design.name == "pilot" else "a lift"
    return f" ({word} of {effect:.4g})"


def _table(plan: Plan) -> Table:
    columns = (
        column.count(plan.unit, attrgetter("n")),
        Column("power", lambda point: Cell(power_text(point.power, point.error), point.power)),
    )
    caption = f"Power to {aim(plan)}"
    return Table.of(caption, columns, plan.curve, lambda point: point.n == plan.n, main=1)


def decision(plan: Plan | Allocation) -> str:
    """Return the test and its level in words."""
    sides = f", {plan.alternative}" if _margin(plan) is None else ""
    text = f"{plan.design.test_words}{sides}, at the {percent(alpha(plan.level))} level"
    if plan.n_comparisons > 1:
        text += f" divided by {plan.n_comparisons} comparisons (p ≤ {plan.alpha:.3g})"
    return text


def _methods(plan: Plan) -> str:
    how = "Computed, not simulated."
    if not plan.exact:
        studies, seed = plan.provenance.settings["simulations"], plan.provenance.seed
        how = f"Power is the share of rejections in {studies} simulated studies; seed {seed}."
    return f"Test: {decision(plan)}. Assumed: {plan.design.assumed_words}. {how}{averaged(plan)}"


def averaged(plan: Plan | Allocation) -> str:
    """Return a sentence on what of the pilot is left open; nothing without a pilot."""
    words = plan.design.doubt_words
    return f" The power is averaged over the uncertainty about {words}." if words else ""


def dictionary(plan: Plan) -> dict[str, Any]:
    """Return the plan as dictionaries and lists."""
    names: tuple[str, ...] = ("n", "unit", "power", "error", "power_as_estimated", "difference", "wanted")
    names += ("level", "alpha", "alternative", "n_comparisons")
    return {
        "asked": plan.asked,
        "design": {"name": plan.design.name, **plan.design.settings()},
        **{name: getattr(plan, name) for name in names},
        "curve": [asdict(point) for point in plan.curve],
    }


def sentences(p: Plan) -> Iterator[str]:
    """Yield how the size or the power of a study was found."""
    yield (
        f"We planned the study by an analysis of power{cite('analysis', 'power')}: {p.n} {p.unit}"
        f" {aim(p)} with power {power_text(p.power, p.error)}."
    )
    yield assumed(p)
    if not p.exact:
        studies = p.provenance.settings["simulations"]
        yield f"The power was simulated: {studies} studies, seed {p.provenance.seed}."


def assumed(p: Plan | Allocation) -> str:
    """Return how such a study decides, and what was assumed of it."""
    return f"The test is {decision(p)}; we assumed {p.design.assumed_words}.{averaged(p)}"
