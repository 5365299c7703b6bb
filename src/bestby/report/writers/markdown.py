"""Results as Markdown, for pull requests and read-me files."""

from __future__ import annotations

import re
from typing import Any

from bestby._core.text import visible
from bestby.report.document import Document, describe
from bestby.report.tables import Table, is_small

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MENTION = re.compile(r"(?<![A-Za-z0-9])@(?=\w)")
"""What GitHub takes for a mention after Markdown was read: a space of no width, not an escape, parts it."""


_MOST_LETTERS = 65_536
"""How long a comment on GitHub can be, in letters."""


def to_markdown(c: Any, top: int | None = None) -> str:
    """Return the report as GitHub's Markdown; `top` as for `describe`."""
    answer, rest = _answer_and_rest(describe(c, top))
    return "\n\n".join([*answer, *rest]) + "\n"


def to_comment(c: Any, first: str) -> str:
    """Return the body of a comment: a first line, the answer, and the rest folded, if it has room."""
    answer, rest = _answer_and_rest(describe(c, None))
    folded = ["<details><summary>Notes, methods and settings</summary>", *rest, "</details>"]
    text = "\n\n".join([first, *answer, *folded]) + "\n"
    return text if len(text) <= _MOST_LETTERS else "\n\n".join([first, *answer]) + "\n"


def _answer_and_rest(document: Document) -> tuple[list[str], list[str]]:
    """Return the blocks of the sections, and those of what stands below them."""
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
    rest: list[str] = []
    if document.classes is not None and is_small(document.classes):
        rest += [f"{escape(document.classes.caption)}:", _table(document.classes, bold=0)]
    if document.notes:
        rest.append("\n".join(f"- {escape(line)}" for line in document.notes))
    return blocks, [*rest, escape(document.methods), _code(document.signature)]


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
