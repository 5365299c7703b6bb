"""Results in a terminal: coloured where colour is shown, plain text wherever else."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from bestby._core.text import visible
from bestby.report.document import Section, describe, kind_of
from bestby.report.tables import Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text


_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
_WIDTH = 100
_LEAST_WIDTH = 80  # a narrower terminal breaks the lines; a narrower table would break the names
_SHORT_NAME, _LONG_NAME = (
    8,
    12,
)  # the least width of names; longer ones are folded in a table that is too wide
_GAP = 2  # between two columns of a table
_MANY_SYSTEMS = 12
_STYLES = ("bold", "cyan")  # of rows that stand out, in the first table and in the others
_MOST_ROWS = 30
_ASCII = {0x2212: "-", 0x2013: "-", 0x2500: "-", 0x2026: "...", 0x221E: "inf", 0x2022: "*", 0xA0: " "}
_ASCII |= {0x2020: "+", 0x2021: "++", 0xA7: "$", 0xB6: "@", 0x2016: "="}  # the marks of rows stay distinct


def to_text(c: Any, top: int | None = None, *, classes: bool = False) -> str:
    """Return the report as plain text, 100 columns wide, without colour or trailing spaces.

    `classes` adds how often each class occurs.
    """
    from rich.console import Console

    if own := _own_text(c):
        return own(c)
    buffer = io.StringIO()
    # An empty environment: neither COLUMNS nor FORCE_COLOR nor a notebook may change the text.
    fixed: dict[str, Any] = {"color_system": None, "legacy_windows": False, "_environ": {}}
    fixed |= {"force_terminal": False, "force_jupyter": False}
    console = Console(file=buffer, width=_WIDTH, height=100, **fixed, **_PLAIN)
    _print(c, console, top, classes=classes)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n")


def print_to(c: Any, file: TextIO, top: int | None = None, *, classes: bool = False) -> None:
    """Print the report: coloured and as wide as the terminal if `file` is one, else as `to_text`."""
    from rich.console import Console

    console = Console(file=file, **_PLAIN)
    console.width = max(console.width, _LEAST_WIDTH)
    if console.is_terminal and _fits("\u2500\u2212", file) and not _own_text(c):
        _print(c, console, top, classes=classes)
        return
    text = to_text(c, top, classes=classes) + "\n"
    if not _fits(text, file):
        encoding = file.encoding or "ascii"
        text = text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    file.write(text)


def _own_text(c: Any) -> Callable[[Any], str] | None:
    """Return the function that writes the text of a kind of result that is not shown as tables."""
    own: Callable[[Any], str] | None = getattr(kind_of(c), "text", None)
    return own


def _fits(text: str, file: TextIO) -> bool:
    try:
        text.encode(getattr(file, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _print(c: Any, console: Console, top: int | None, *, classes: bool) -> None:
    document = describe(c, top)
    for section in document.sections:
        console.print(_text(section.lead, style="bold"))
        if step := section.next_step():
            console.print(_text(step))
        console.print()
        _print_section(section, console)
    if classes:
        _print_classes(document.classes, console)
    if document.notes:
        console.print(_text("Notes", style="bold"))
        for line in document.notes:
            _print_hanging(console, line)
        console.print()
    console.print(_text(document.methods))
    console.print()
    # Not wrapped by words: whoever copies the signature wants it in one piece.
    console.print(_text(document.signature, style="dim"), soft_wrap=True)


def _print_section(section: Section, console: Console) -> None:
    many = len(section.tables[0].rows) > _MANY_SYSTEMS and not section.omitted
    for position, table in enumerate(section.tables):
        limited = position > 0 and many and len(table.rows) > _MOST_ROWS
        shown = dataclasses.replace(table, rows=table.rows[:_MOST_ROWS]) if limited else table
        if position:
            console.print()
        console.print(_text(table.caption))
        _print_table(_rich(shown, strong=_STYLES[min(position, 1)]), console)
        for line in table.footnote.splitlines():
            console.print(_text(line))
        if limited:
            console.print(
                _text(
                    f"The first {_MOST_ROWS} of {len(table.rows)} differences;"
                    " all of them are in the JSON, CSV, Markdown and HTML."
                )
            )
    for remark in (*section.remarks, section.omitted):
        if not remark:
            continue
        console.print()
        console.print(_text(remark))
    console.print()


def _print_classes(table: Table | None, console: Console) -> None:
    """Print how often each class occurs, or that there are no classes."""
    if table is None:
        console.print(_text("No metric here reads classes, or there are more than 50 of them."))
    else:
        console.print(_text(table.caption))
        _print_table(_rich(table, strong=_STYLES[0]), console)
    console.print()


def _print_table(table: RichTable, console: Console) -> None:
    """Print a table, wider than the console rather than without the ends of its cells."""
    width = console.width
    console.width = max(width, sum((column.min_width or 0) + _GAP for column in table.columns) - _GAP)
    console.print(table)
    console.width = width


def _rich(table: Table, strong: str) -> RichTable:
    """Return a table of rich; rows that stand out get a style, which nothing but colour depends on."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table as RichTable

    rich_table = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style=""
    )
    for place, column in enumerate(table.columns):
        texts = column.header, *(row.cells[place].text for row in table.rows)
        longest = max(cell_len(visible(text)) for text in texts)
        rich_table.add_column(
            _text(column.header),
            justify="right" if column.numeric else "left",
            no_wrap=not column.name,
            min_width=max(_SHORT_NAME, min(longest, _LONG_NAME)) if column.name else longest,
            overflow="fold",
        )
    for row in table.rows:
        cells = [_text(cell.text, overflow="fold") for cell in row.cells]
        rich_table.add_row(*cells, style=strong if row.strong else "")
    return rich_table


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
