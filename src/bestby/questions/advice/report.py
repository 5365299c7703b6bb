"""The report of an advice: what to use, the way there, and what would be wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from bestby import vocabulary
from bestby._core.text import visible
from bestby.questions.advice.result import Advice
from bestby.questions.order import normality_report
from bestby.report.column import Cell, Column
from bestby.report.document import Document, one_section
from bestby.report.fields import Field, Rows, attributes, inside
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.texts import name
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
    for word, value in _recommended(advice):
        lines += filled(f"{word}:".ljust(13), value)
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


_COLUMNS, _LETTERS = 62, 14.5  # letters of a line, and of an inch
_PATH, _TEXT = 0.03, 0.09  # shares of the width at which the path and the texts stand


@figure
def advice(a: Advice, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the questions as a path from top to bottom, answers bold, with the recommendation at its end."""
    steps = [(step.question, step.answer.capitalize()) for step in a.path]
    kinds = (("test", a.test), ("interval", a.interval), ("correction", a.correction))
    steps.append(("Recommendation", " ".join(_sentence(kind, names) for kind, names in kinds)))
    letters = _COLUMNS if canvas.width is None else max(20, round(_LETTERS * canvas.width))
    texts = [[textwrap.fill(text, letters) for text in step] for step in steps]
    heights = [sum(text.count("\n") + 1 for text in pair) + 0.9 for pair in texts]
    axes = canvas.axes()
    tops = [sum(heights[:place]) for place in range(len(heights))]
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(sum(heights), -0.5)
    axes.set_axis_off()
    axes.plot(
        [_PATH] * len(tops), [top + 0.5 for top in tops], color=drawing.FAINT, linewidth=1.2, gid="path"
    )
    for place, (top, (question, answer)) in enumerate(zip(tops, texts, strict=True)):
        drawing.mark(axes, top + 0.5, _PATH, None, filled=place == len(a.path))
        below = top + question.count("\n") + 1
        for text, at, weight in ((question, top, "normal"), (answer, below, "bold")):
            axes.text(
                _TEXT,
                at,
                text,
                va="top",
                color=drawing.INK,
                fontsize=0.9 * canvas.size,
                fontweight=weight,
                parse_math=False,
            )
    # Of runs, datasets and folds the scores are compared, whatever metric they are of.
    suffix = f" for {name(a.case.metric)}" if a.case.one_output else ""
    # A line takes so many inches
    return Sheet(axes, 0.19 * (sum(heights) + 0.5), width=5.6, title=f"Which test and interval{suffix}")


def _sentence(kind: str, names: str) -> str:
    """Return a recommendation in words.

    >>> _sentence("interval", "tango or bca")
    'Interval: Tango score or BCa bootstrap.'
    """
    words = (code if code == "none" else vocabulary.long_name(kind, code) for code in names.split(" or "))
    return f"{kind.capitalize()}: {' or '.join(words)}."
