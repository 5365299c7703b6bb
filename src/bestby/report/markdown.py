"""Results as Markdown, for pull requests and read-me files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bestby.report import summary
from bestby.report.tables import Table, differences_table, systems_table

if TYPE_CHECKING:
    from bestby.results import Comparison

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def to_markdown(c: Comparison) -> str:
    """Return the comparison as GitHub's Markdown.

    Parameters
    ----------
    c : Comparison
        The comparison.

    Returns
    -------
    str
        Per metric a headline and two tables, best systems and significant differences bold; then notes,
        methods and the signature.
    """
    blocks: list[str] = []
    for metric in c.metrics:
        blocks.append(f"**{escape(summary.headline(c, metric))}**")
        blocks.append(_table(systems_table(c, metric), bold=1))
        differences = differences_table(c, metric)
        if differences.rows:
            blocks.append(f"{escape(differences.caption)}:")
            blocks.append(_table(differences, bold=2))
        omnibus = summary.omnibus_sentence(c, metric)
        if omnibus:
            blocks.append(escape(omnibus))
    notes = summary.note_lines(c)
    if notes:
        blocks.append("\n".join(f"- {escape(line)}" for line in notes))
    blocks.append(escape(summary.methods_sentence(c)))
    blocks.append(_code(c.signature))
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    Examples
    --------
    >>> escape("a_b|c")
    'a\\_b\\|c'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _table(table: Table, bold: int) -> str:
    """Return a table; in rows that stand out, the cell of column `bold` is bold."""
    lines = [_line([escape(column.header) for column in table.columns])]
    lines.append(_line(["---:" if column.numeric else ":---" for column in table.columns]))
    for row in table.rows:
        cells = [escape(cell.text) for cell in row.cells]
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
    return f"{fence}text\n{' '.join(text.split())}\n{fence}"
