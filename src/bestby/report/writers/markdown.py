"""Results as Markdown, for pull requests and read-me files."""

from __future__ import annotations

import re
from typing import Any

from bestby._core.text import visible
from bestby.report.document import describe
from bestby.report.tables import Table, is_small

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MENTION = re.compile(r"(?<![A-Za-z0-9])@(?=\w)")
"""What GitHub takes for a mention after Markdown was read: a space of no width, not an escape, parts it."""


def to_markdown(c: Any, top: int | None = None) -> str:
    """Return the report as GitHub's Markdown; `top` as for `describe`."""
    document = describe(c, top)
    blocks: list[str] = []
    for section in document.sections:
        said: set[str] = set()
        blocks.append(f"**{escape(section.lead)}**")
        for position, table in enumerate(section.tables):
            if position:
                blocks.append(escape(table.caption) + ("" if table.caption.endswith("?") else ":"))
            # The name is bold where the table is of systems, which has its main number beside it.
            blocks.append(_table(table, bold=table.main if position else 1))
            # What several tables share is said below the first.
            lines = [line for line in table.footnote.splitlines() if line not in said]
            blocks += map(escape, lines)
            said.update(lines)
        blocks += [escape(remark) for remark in (*section.remarks, *section.details)]
    if document.classes is not None and is_small(document.classes):
        blocks += [f"{escape(document.classes.caption)}:", _table(document.classes, bold=0)]
    if document.notes:
        blocks.append("\n".join(f"- {escape(line)}" for line in document.notes))
    blocks.append(escape(document.methods))
    blocks.append(_code(document.signature))
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is and that mentions nobody."""
    return _MENTION.sub("@&#8203;", _SPECIAL.sub(r"\\\1", " ".join(visible(text).split())))


def _table(table: Table, bold: int) -> str:
    """Return a table; in rows that stand out, the cell of column `bold` is bold."""
    lines = [_line([escape(column.header) for column in table.columns])]
    lines.append(_line(["---:" if column.numeric else ":---" for column in table.columns]))
    for row in table.rows:
        cells = [f"**{escape(cell.text)}**" if cell.strong else escape(cell.text) for cell in row.cells]
        if row.strong:
            cells[bold] = f"**{cells[bold]}**"
        lines.append(_line(cells))
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Return a block of code; its fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{' '.join(visible(text).split())}\n{fence}"
