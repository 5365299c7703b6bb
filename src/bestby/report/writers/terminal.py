"""Results in a terminal: coloured where colour is shown, plain text wherever else."""

from __future__ import annotations

import dataclasses
import io
import math
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from bestby._core.text import visible
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Section, describe, in_brief, in_short, kind_of
from bestby.report.names import (
    GAP,
    SHORT_NAME,
    broken,
    longest,
    name_columns,
    pieces,
    renamed,
    width_of,
    without_common,
)
from bestby.report.tables import Table, is_small

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text


BAR = 20
"""Columns of a bar."""

LINE, POINT, MARK = "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BLACK CIRCLE}", "\N{BOX DRAWINGS LIGHT VERTICAL}"


def bars(spans: Sequence[tuple[float, float, float]], marked: float | None = None) -> list[str]:
    """Return a bar for each estimate with the ends of its interval; none if there is no scale.

    A bar whose ends are NaN is blank, an end beyond all numbers reaches the end of the scale, and a line
    stands where the scale has the value `marked`, such as 0.

    >>> for line in bars([(2.0, -1.0, 5.0), (6.0, 4.0, math.inf)], marked=0.0):
    ...     print(line.replace(LINE, "-").replace(POINT, "o").replace(MARK, "|"))
    ---|----o--------
       |          -----o
    """
    known = [not any(map(math.isnan, span)) for span in spans]
    ends = [one for span, yes in zip(spans, known, strict=True) if yes for one in span if math.isfinite(one)]
    values = [*ends, *([] if marked is None else [marked])]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if not ends or not 0.0 < high - low < math.inf:
        return []

    def place(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (BAR - 1))

    lines = []
    for (estimate, *interval), yes in zip(spans, known, strict=True):
        signs = [" "] * BAR
        first, last = map(place, interval) if yes else (0, -1)
        signs[first : last + 1] = LINE * (last + 1 - first)
        if marked is not None:
            signs[place(marked)] = MARK
        if yes:
            signs[place(estimate)] = POINT
        lines.append("".join(signs).rstrip())
    return lines


_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
WIDTH = 100  # columns of plain text
_STYLES = ("bold", "cyan")  # of rows that stand out, in the first table and in the others
_ASCII = {0x2212: "-", 0x2013: "-", 0x2500: "-", 0x2026: "...", 0x221E: "inf", 0x2022: "*", 0xA0: " "}
_ASCII |= {ord(MARK): "|", ord(POINT): "o"}
_ASCII |= {0x2020: "+", 0x2021: "++", 0xA7: "$", 0xB6: "@", 0x2016: "="}  # the marks of rows stay distinct
_SIGNS = f"{LINE}{MARK}{POINT}\u2212"  # that a terminal must have, or all is written in ASCII


def filled(head: str, words: str) -> list[str]:
    """Return lines of text that begin below each other, the first of them with a head."""
    return textwrap.wrap(
        words,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )


def to_text(c: Any, top: int | None = None, *, brief: bool = False, details: bool = False) -> str:
    """Return the short answer as plain text, 100 columns wide, without colour or trailing spaces.

    `details` is the whole report, `brief` its headlines with a table each.
    """
    from rich.console import Console

    if writer := _own_text(c):
        return writer(c)
    buffer = io.StringIO()
    # An empty environment: neither COLUMNS nor FORCE_COLOR nor a notebook may change the text.
    fixed: dict[str, Any] = {"color_system": None, "legacy_windows": False, "_environ": {}}
    fixed |= {"force_terminal": False, "force_jupyter": False}
    console = Console(file=buffer, width=WIDTH, height=100, **fixed, **_PLAIN)
    _print(_shown(c, top, brief=brief, details=details), console)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n")


def print_to(
    c: Any, file: TextIO, top: int | None = None, *, brief: bool = False, details: bool = False
) -> None:
    """Print what `to_text` returns: coloured and as wide as the terminal if `file` is one, else as it is."""
    from rich.console import Console

    console = Console(file=file, **_PLAIN)
    # A narrower terminal breaks the lines; a narrower table would break the names
    console.width = max(console.width, 80)
    if console.is_terminal and _fits(_SIGNS, file) and not _own_text(c):
        _print(_shown(c, top, brief=brief, details=details), console)
        return
    text = to_text(c, top, brief=brief, details=details) + "\n"
    if not _fits(text, file):
        encoding = file.encoding or "ascii"
        text = text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    file.write(text)


def _shown(c: Any, top: int | None, *, brief: bool, details: bool) -> Document:
    document = describe(c, top)
    return document if details else in_brief(document) if brief else in_short(document)


def _own_text(c: Any) -> Callable[[Any], str] | None:
    """Return the function that writes the text of a kind of result that is not shown as tables."""
    writer: Callable[[Any], str] | None = getattr(kind_of(c), "text", None)
    return writer


def _fits(text: str, file: TextIO) -> bool:
    try:
        text.encode(getattr(file, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _print(document: Document, console: Console) -> None:
    for section in document.sections:
        console.print(_text(section.lead, style="bold"))
        if step := section.next_step():
            console.print(_text(step))
        console.print()
        if section.tables or section.remarks or section.details:
            _print_section(section, console)
    if document.classes is not None and is_small(document.classes):
        console.print(_text(document.classes.caption))
        _print_table(_rich(document.classes, strong=_STYLES[0]), console)
        console.print()
    if len(document.notes) == 1:
        console.print(_text(f"Note: {document.notes[0]}"))
        console.print()
    elif document.notes:
        console.print(_text("Notes", style="bold"))
        for line in document.notes:
            _print_hanging(console, line)
        console.print()
    if document.methods:
        console.print(_text(document.methods))
    if document.signature:
        # Not wrapped by words: whoever copies the signature wants it in one piece.
        console.print(_text(document.signature, style="dim"), soft_wrap=True)


def _print_section(section: Section, console: Console) -> None:
    said: set[str] = set()
    for position, table in enumerate(section.tables):
        if position:
            console.print()
        console.print(_text(table.caption))
        fitted, left_out = _fitted(table, console.width)
        _print_table(_rich(_with_bars(fitted, console.width), strong=_STYLES[min(position, 1)]), console)
        for line in (*left_out, *table.footnote.splitlines()):
            if line not in said:  # what several tables share is said below the first
                console.print(_text(line))
            said.add(line)
    for remark in (*section.remarks, *section.details):
        console.print()
        console.print(_text(remark))
    console.print()


def _with_bars(table: Table, width: int) -> Table:
    """Return a table with the bars of its intervals as the last column, where there is room for them."""
    drawn = bars([row.span or (math.nan,) * 3 for row in table.rows], table.marked)
    if not drawn or width_of(table) + GAP + BAR > width:
        return table
    rows = (
        dataclasses.replace(row, cells=(*row.cells, Cell(bar, bar)))
        for row, bar in zip(table.rows, drawn, strict=True)
    )
    columns = (*table.columns, Column("", lambda _: Cell("", ""), numeric=False))
    return dataclasses.replace(table, columns=columns, rows=tuple(rows))


def _print_table(table: RichTable, console: Console) -> None:
    """Print a table, wider than the console rather than without the ends of its cells."""
    width = console.width
    console.width = max(width, sum((column.min_width or 0) + GAP for column in table.columns) - GAP)
    console.print(table)
    console.width = width


def _fitted(table: Table, width: int) -> tuple[Table, list[str]]:
    """Return a table whose names and headers are narrower if it is too wide, and what the names lack."""
    table, lines = without_common(table, width)
    if width_of(table) > width:
        table = _with_narrow_headers(table)
    places = [place for each in name_columns(table).values() for place in each]
    over = width_of(table) - width
    for place in sorted(places, key=lambda place: longest(table, place)) if over > 0 else ():
        # The narrowest first: what it does not need, wider ones can have.
        rest = [one for one in places if longest(table, one) >= longest(table, place)]
        share = -(-(sum(longest(table, one) for one in rest) - (width_of(table) - width)) // len(rest))
        table = renamed(table, [place], partial(_broken, max(share, SHORT_NAME)))
    return table, lines


def _with_narrow_headers(table: Table) -> Table:
    """Return a table whose headers are broken between their words where they are wider than the cells."""
    from rich.cells import cell_len

    columns = []
    for place, column in enumerate(table.columns):
        header = column.header
        if not column.name:
            words = (piece.rstrip() for piece in pieces(header))
            texts = *words, *(visible(row.cells[place].text) for row in table.rows)
            header = "\n".join(broken(header, max(map(cell_len, texts), default=1), cell_len))
        columns.append(dataclasses.replace(column, header=header))
    return dataclasses.replace(table, columns=tuple(columns))


def _broken(width: int, cell: Cell) -> str:
    from rich.cells import cell_len

    return "\n".join(broken(visible(cell.text), width, cell_len))


def _rich(table: Table, strong: str) -> RichTable:
    """Return a table of rich; rows that stand out get a style, which nothing but colour depends on."""
    from rich import box
    from rich.table import Table as RichTable

    rich_table = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style=""
    )
    for place, column in enumerate(table.columns):
        rich_table.add_column(
            _lines(column.header),
            justify="right" if column.numeric else "left",
            no_wrap=True,
            min_width=longest(table, place),
            overflow="fold",
        )
    for row in table.rows:
        cells = [
            _lines(cell.text) if column.name else _text(cell.text, style="bold" if cell.strong else "")
            for column, cell in zip(table.columns, row.cells, strict=True)
        ]
        rich_table.add_row(*cells, style=strong if row.strong else "")
    return rich_table


def _lines(text: str) -> Text:
    """Return a name or a header, of one line or several, as text for rich."""
    from rich.text import Text

    return Text("\n").join(_text(line) for line in text.split("\n"))


def _print_hanging(console: Console, line: str) -> None:
    """Print an item of a list, its further lines indented."""
    from rich.padding import Padding
    from rich.table import Table as RichTable

    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(_text("\u2022"), _text(line))
    console.print(Padding(grid, 0))


def _text(text: str, **style: Any) -> Text:
    """Return text for rich in which nothing acts on the terminal."""
    from rich.text import Text

    return Text(visible(text), **style)
