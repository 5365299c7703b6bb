"""The report of a plan of human labels beside a judge."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby.questions.labels import figure
from bestby.questions.labels.result import LabelAllocation, LabelPlan
from bestby.report.column import Look, as_count, written
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows
from bestby.report.numbers import percent
from bestby.report.references import cite
from bestby.report.tables import Table

TABLES = {
    "curve": Rows(
        (
            Field("n_labels", header="labels", format=as_count),
            Field("half_width", header="± with the judge", format=written(".4f")),
            Field("half_width_alone", header="± labels alone", format=written(".4f")),
        ),
        attrgetter("curve"),
    ),
}


def document(p: LabelPlan) -> Document:
    """Return the report: the answer, with and without the judge, and half-widths by number of labels."""
    return one_section(
        p,
        title=f"{p.n_labels} human labels beside a judge of {p.design.n_items} items",
        subtitle=p.design.assumed_words,
        methods=methods(p),
        name="labels",
        lead=lead(p),
        tables=(_table(p),),
        pictures=(
            Picture("Half the interval by number of labels", "The marked point is the answer.",
                    partial(figure.plan, p)),
        ),
    )  # fmt: skip


def lead(p: LabelPlan) -> str:
    """Return the answer in a few sentences."""
    among = f"among {p.design.n_items} judged items"
    if p.asked == "n":
        return (
            f"{p.n_labels} labels {among} give a {percent(p.level)} interval of ± {p.half_width:.4g}, and of"
            f" ± {p.half_width_alone:.4g} without the judge, where {p.n_alone} labels give the same."
        )
    if p.asked == "margin":
        aim = f"to detect a difference of {p.margin:.4g} with power {p.power:g}"
    else:
        aim = f"for a {percent(p.level)} interval of ± {p.provenance.settings['value']:.4g}"
    text = f"{p.n_labels} labels {among} are needed {aim}. Without the judge, {p.n_alone} labels are needed."
    if p.n_cautious is not None:
        text += f" If the pilot flatters (variances at their upper 80 % limits), it takes {p.n_cautious}."
    return text


def methods(p: LabelPlan | LabelAllocation) -> str:
    """Return how the answer was found: the formula, the level and the assumptions."""
    text = f"Variance of tuned prediction-powered inference, {percent(p.level)} intervals"
    if p.n_comparisons > 1:
        text += f" (Bonferroni over {p.n_comparisons} comparisons)"
    return f"{text}. Assumed: {p.design.assumed_words}. Computed, not simulated; approximate."


def _table(p: LabelPlan) -> Table:
    columns = TABLES["curve"].shown(p, Look())
    caption = f"Half the {percent(p.level)} interval by number of labels"
    return Table.of(caption, columns, p.curve, lambda point: point.n_labels == p.n_labels, main=1)


def dictionary(p: LabelPlan) -> dict[str, Any]:
    """Return the plan as dictionaries and lists."""
    names = (
        "asked", "n_labels", "n_alone", "n_cautious", "half_width", "half_width_alone", "margin", "power",
        "level", "alpha", "n_comparisons",
    )  # fmt: skip
    return {
        "design": {"name": p.design.name, **p.design.settings()},
        **{name: getattr(p, name) for name in names},
        "curve": TABLES["curve"].rows(p),
    }


def sentences(p: LabelPlan) -> Iterator[str]:
    """Yield how the number of labels was planned."""
    yield f"We planned the number of human labels{cite('analysis', 'prediction-powered')}: {lead(p)}"
    yield methods(p)
