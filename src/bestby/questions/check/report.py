"""The report of a look at files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from bestby._core.text import counted, visible
from bestby.questions.check.result import FileCheck
from bestby.report.column import Format, Look, as_count, as_name, as_word
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes
from bestby.report.figures.canvas import ACCENT, BAND, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare
from bestby.report.figures.texts import name
from bestby.report.tables import Table
from bestby.report.words import listed
from bestby.report.writers import terminal
from bestby.report.writers.terminal import filled

_MOST_LINES = 40
_LEAST_COLUMNS = 4
_MOST_FINDINGS = 6
_MOST_BARS = 40


def _shown(format_: Format, **headers: str) -> tuple[Field, ...]:
    return tuple(Field(name, header=header, format=format_) for name, header in headers.items())


TABLES = {
    "commands": Rows(_shown(as_word, question="question", command="command"), attrgetter("commands")),
    "findings": Rows(attributes("code", "message", "p_value"), attrgetter("findings")),
    "columns": Rows(
        (
            *_shown(as_name, name="column"),
            *_shown(as_word, part="part", values="values"),
            *_shown(as_count, n_distinct="distinct", n_missing="missing"),
            Field("n_rows"),
        ),
        attrgetter("columns"),
    ),
    "unchecked": Rows(_shown(as_word, what="what", lacking="lacking"), attrgetter("unchecked")),
}


def document(c: FileCheck) -> Document:
    """Return the report: the questions with their commands, and the columns; notes say what may be off."""
    captions = {"commands": "Questions", "columns": "Columns", "unchecked": "Not checked"}
    tables = (
        Table.of(caption, TABLES[name].shown(c, Look()), getattr(c, name), main=0)
        for name, caption in captions.items()
        if name == "commands" or getattr(c, name)
    )
    picture = Picture("Columns", "A bar is the share of the rows that have a value.", partial(draw, c))
    return one_section(
        c,
        title="What these files hold",
        subtitle=listed(list(c.files)),
        methods=_METHODS,
        name="check",
        lead=lead(c),
        tables=tuple(tables),
        remarks=tuple(filter(None, (c.read_as, *c.refusal))),
        pictures=(picture,),
    )


_METHODS = (
    "Every command was tried. Tests are corrected together, so that one of them is reported by chance with a"
    " probability of at most 5 %."
)


def lead(c: FileCheck) -> str:
    """Return how many questions the files answer, and how much may be off."""
    questions = counted(len(c.commands), "question") if c.commands else "No question"
    off = f"{counted(len(c.findings), 'thing')} may be off" if c.findings else "nothing seems to be off"
    return f"{questions} can be answered by these files; {off}."


def text(c: FileCheck) -> str:
    """Return the check as text; only commands are longer than a line."""
    first = [lead(c), ""]
    if c.read_as:
        first += filled("", c.read_as)
    if c.refusal:
        first += [
            *filled("", f"To compare systems: {c.refusal[0]}"),
            *filled("hint: ", c.refusal[1]),
        ]
    rest = []
    if c.commands:
        rest += ["", "What can be asked", *_command_lines(c)]
    if c.findings:
        rest += ["", "What may be off"]
        rest += [line for one in c.findings[:_MOST_FINDINGS] for line in filled("• ", one.message)]
        if len(c.findings) > _MOST_FINDINGS:
            rest.append(f"• and {len(c.findings) - _MOST_FINDINGS} more: --json or --html has all")
    if c.unchecked:
        lacking = "; ".join(f"{one.what} (needs {one.lacking})" for one in c.unchecked)
        rest += ["", *filled("", f"Not checked: {lacking}.")]
    room = _MOST_LINES - len(first) - len(rest)
    return "\n".join(map(visible, [*first, *_column_lines(c, room), *rest]))


def _column_lines(c: FileCheck, room: int) -> list[str]:
    """Return the columns as lines, as many as there is room for, but a few in any case."""
    if not c.columns:
        return []
    most = len(c.columns) if len(c.columns) + 2 <= room else max(_LEAST_COLUMNS, room - 3)
    columns = TABLES["columns"].shown(c, Look())
    cells = [[one.header, *(one.cell(entry).text for entry in c.columns[:most])] for one in columns]
    widths = [min(max(map(len, column)), 40) for column in cells]
    aligned = [
        [text.rjust(width) if one.numeric else text[:40].ljust(width) for text in column]
        for one, column, width in zip(columns, cells, widths, strict=True)
    ]
    lines = ["  ".join(row) for row in zip(*aligned, strict=True)]
    more = len(c.columns) - most
    return ["", *lines, *([f"and {counted(more, 'more column')}"] if more > 0 else [])]


def _command_lines(c: FileCheck) -> list[str]:
    """Return each command with its question after it, or above it where the two do not fit."""
    lines = []
    for one in c.commands:
        together = f"{one.command}  # {one.question}"
        lines += [together] if len(together) <= terminal.WIDTH else [f"# {one.question}", one.command]
    return lines


def dictionary(c: FileCheck) -> dict[str, Any]:
    """Return the check as dictionaries and lists."""
    return {
        "files": list(c.files),
        "read_as": c.read_as,
        "systems": list(c.systems),
        "n_items": c.n_items,
        **{name: rows.rows(c) for name, rows in TABLES.items()},
        "refusal": list(c.refusal),
    }


def sentences(c: FileCheck) -> Iterator[str]:
    """Yield how the files were looked at."""
    yield f"We looked at {counted(len(c.files), 'file')} before the comparison: {lead(c)}"


@figure
def draw(c: FileCheck, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the share of the rows that have a value, a bar per column or else per system."""
    shares = {one.name: (one.part, 1.0 - one.n_missing / one.n_rows) for one in c.columns[:_MOST_BARS]}
    shares = shares or dict.fromkeys(c.systems[:_MOST_BARS], ("system", 1.0)) or {"files": ("", 1.0)}
    axes = canvas.axes()
    places = range(len(shares))
    axes.barh(places, [1.0] * len(shares), color=BAND, height=0.6)
    axes.barh(places, [share for _, share in shares.values()], color=ACCENT, height=0.6, gid="filled")
    labels = [name(one) + (f" ({part})" if part else "") for one, (part, _) in shares.items()]
    axes.set_yticks(places, labels, parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("share of the rows with a value", color=INK)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    return Sheet(axes, 0.6 + 0.3 * len(shares), 5.2, title="How much of each column is filled")
