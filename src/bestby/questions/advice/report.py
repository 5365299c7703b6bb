"""The report of an advice: what to use, the way there, and what would be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from bestby._core.text import visible
from bestby.questions.advice.result import Advice
from bestby.questions.order import normality_report
from bestby.report.column import Cell, Column
from bestby.report.document import Document, one_section
from bestby.report.fields import Field, Rows, attributes, inside
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.writers.terminal import filled

_NORMALITY = (
    "description only: the advice does not depend on it, since a test chosen by a test of normality has"
    " another error rate than it has by itself [Rochon et al. 2012]"
)
TABLES = {
    "path": Rows(
        (Field("step", "0"), *inside("1", attributes("question", "answer", "reason", "source"))),
        lambda advice: enumerate(advice.path, 1),
    ),
}


def document(advice: Advice) -> Document:
    """Return the report of an advice: the recommendation, the steps that led to it, what would be wrong."""
    tables = [_table("Recommendation", ("choice", "recommended"), _recommended(advice))]
    steps = [
        (row["step"], row["question"], row["answer"], row["source"]) for row in TABLES["path"].rows(advice)
    ]
    tables.append(_table("Why", ("step", "question", "answer", "source"), steps))
    for shape in advice.shapes:
        table = normality_report.tests_table(
            shape.normality, f"Normality of {shape.a} - {shape.b}, {_NORMALITY}"
        )
        tables.append(table)
    remarks = [f"{row['step']}. {row['reason']}" for row in TABLES["path"].rows(advice)]
    remarks += [f"Wrong here: {entry}." for entry in advice.wrong]
    return one_section(
        advice,
        title="Which test and interval to use",
        subtitle=f"advice for {advice.case.metric}" if advice.case.one_output else "advice",
        methods="The questions, answers and sources of a fixed decision tree.",
        name="advice",
        lead=f"Use the test {advice.test} and the interval {advice.interval}.",
        tables=tuple(tables),
        remarks=tuple(remarks),
    )


def _table(caption: str, headers: tuple[str, ...], values: list[tuple[Any, ...]]) -> Table:
    columns = (
        Column(header, partial(_cell, place), numeric=header == "step", name=header != "step")
        for place, header in enumerate(headers)
    )
    return Table.of(caption, columns, values, main=0)


def _cell(place: int, row: tuple[Any, ...]) -> Cell:
    value = row[place]
    return Cell(str(value), float(value) if isinstance(value, int) else value)


def _recommended(advice: Advice) -> list[tuple[Any, ...]]:
    return [
        ("test", advice.test),
        ("interval", f"{advice.interval} ({advice.interval_reason})"),
        ("correction", advice.correction),
        ("call", advice.call),
    ]


def text(advice: Advice) -> str:
    """Return the advice as text of at most 100 columns."""
    lines = []
    for name, value in _recommended(advice):
        lines += filled(f"{name}:".ljust(13), value)
    lines += ["", "why"]
    for number, step in enumerate(advice.path, 1):
        words = f"{step.question} {step.answer.capitalize()}. {step.reason} [{step.source}]"
        lines += filled(f"{number:>2}. ", words)
    if advice.wrong:
        lines += ["", "what would be wrong"]
        lines += [line for wrong in advice.wrong for line in filled("  - ", str(wrong))]
    if advice.shapes:
        lines += ["", *filled("", f"normality of the differences ({_NORMALITY})")]
        for shape in advice.shapes:
            lines.append(f"{shape.a} - {shape.b}")
            lines += [f"  {line}" for line in str(shape.normality).splitlines()]
    if advice.data_notes:
        lines.append("")
        lines += [line for note in advice.data_notes for line in filled("Note: ", note.message)]
    return "\n".join(map(visible, lines))


def dictionary(advice: Advice) -> dict[str, Any]:
    """Return the advice as dictionaries and lists."""
    names = ("test", "interval", "interval_reason", "correction", "call")
    return {
        **{name: getattr(advice, name) for name in names},
        "path": [asdict(step) for step in advice.path],
        "wrong": [asdict(wrong) for wrong in advice.wrong],
        "case": asdict(advice.case),
        "normality": [
            {"a": shape.a, "b": shape.b, **normality_report.dictionary(shape.normality)}
            for shape in advice.shapes
        ],
    }


def sentences(a: Advice) -> Iterator[str]:
    """Yield how test and interval were chosen."""
    yield (
        f"We chose the test ({a.test}) and the interval ({a.interval}) by a fixed decision tree"
        f"{cite('analysis', 'advice')}; correction for several comparisons: {a.correction}."
    )
