"""The report of a budget divided between a judge and human labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Any

from bestby.questions.labels import figure
from bestby.questions.labels.label_plan_report import methods
from bestby.questions.labels.result import LabelAllocation, LabelSplit
from bestby.report.column import Look, as_count, written
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows
from bestby.report.numbers import percent
from bestby.report.references import cite
from bestby.report.tables import Table

_MOST_ROWS = 14
TABLES = {
    "splits": Rows(
        (
            Field("labels", header="labels", format=as_count),
            Field("items", header="judged items", format=as_count),
            Field("cost", header="cost", format=written("g")),
            Field("standard_error", header="standard error", format=written(".4f")),
            Field("half_width", header=lambda look: f"± {look.percent}", format=written(".4f")),
        ),
        lambda a: (*a.splits, a.alone),  # the last is that of labels alone
    ),
}


def document(a: LabelAllocation) -> Document:
    """Return the report: the best split, beside the budget spent on labels alone."""
    caption = "Each number of labels has as many judged items as the rest of the budget pays for."
    return one_section(
        a,
        title=f"How to spend a budget of {a.budget:g} on a judge and on labels",
        subtitle=a.design.assumed_words,
        methods=methods(a),
        name="budget",
        lead=lead(a),
        tables=(_table(a),),
        pictures=(Picture("Half the interval by number of labels", caption, partial(figure.allocation, a)),),
    )


def lead(a: LabelAllocation) -> str:
    """Return the best split in a sentence, with what labels alone give."""
    best, alone = a.best, a.alone
    if best.items == 0:
        return (
            f"{alone.labels} labels without the judge are the best use of a budget of {a.budget:g}: a"
            f" {percent(a.level)} interval of ± {alone.half_width:.4g}."
        )
    return (
        f"{best.labels} labels among {best.items} judged items are the best use of a budget of {a.budget:g}:"
        f" a {percent(a.level)} interval of ± {best.half_width:.4g}. Spent on labels alone, it pays for"
        f" {alone.labels} and gives ± {alone.half_width:.4g}."
    )


def _table(a: LabelAllocation) -> Table:
    shown = _shown_splits(a)
    columns = TABLES["splits"].shown(a, Look(level=a.level))
    return Table.of(f"Ways to spend {a.budget:g}", columns, shown, lambda s: s == a.best, main=4)


def _shown_splits(a: LabelAllocation) -> list[LabelSplit]:
    """Return some splits in the order of their labels, the best and that without a judge among them."""
    others = [split for split in a.splits if split != a.best]
    step = max(1, -(-len(others) // (_MOST_ROWS - 2)))
    shown = {*others[::step], a.best, a.alone}
    return sorted(shown, key=attrgetter("labels", "items"))


def dictionary(a: LabelAllocation) -> dict[str, Any]:
    """Return the allocation as dictionaries and lists."""
    return {
        "asked": "allocate",
        "design": {"name": a.design.name, **a.design.settings()},
        "budget": a.budget,
        "best": asdict(a.best),
        "alone": asdict(a.alone),
        **{name: getattr(a, name) for name in ("level", "alpha", "n_comparisons")},
        "splits": [asdict(split) for split in a.splits],
    }


def sentences(a: LabelAllocation) -> Iterator[str]:
    """Yield how a budget was divided."""
    yield f"We divided the budget by the variance{cite('analysis', 'prediction-powered')}: {lead(a)}"
    yield methods(a)
