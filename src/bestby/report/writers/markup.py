"""The parts of a page that are text and tables, escaped."""

from __future__ import annotations

import math
import re
from html import escape as escape_markup

from bestby._core.text import unbroken, visible
from bestby.report.column import Cell
from bestby.report.tables import Table


def escape(text: str) -> str:
    """Return text that a page shows as it is, hidden characters as escapes."""
    return escape_markup(visible(text))


def prose(text: str) -> str:
    r"""Return escaped text whose percentages and p-values stay on one line.

    >>> prose("the 95 % interval, p < 0.01").split(" ")
    ['the', '95\xa0%', 'interval,', 'p\xa0&lt;\xa00.01']
    """
    return escape(unbroken(text))


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of a class."""
    return f'<p class="{kind}">{prose(text)}</p>' if kind else f"<p>{prose(text)}</p>"


def subheading(text: str, headed: bool, kind: str = "") -> str:
    """Return the heading of a part of a section, whose own heading is left out if there is one section."""
    tag, classes = f"h{2 + headed}", f"bb-sub {kind}".rstrip()
    return f'<{tag} class="{classes}">{escape(text)}</{tag}>'


def breakable(text: str) -> str:
    """Return an escaped name that a line may end in after a sign such as a dot, and nowhere else.

    >>> breakable("newstest2017.nmt_en-de")
    'newstest2017.<wbr>nmt_<wbr>en-<wbr>de'
    """
    return re.sub(r"(?<=[^\W_])([._/:@|-]+)(?=[^\W_])", r"\1<wbr>", escape(text))


def table(made: Table, *, sortable: bool = False, kind: str = "") -> str:
    """Return a table; in rows that stand out, names and the cell of the main column are bold."""
    kinds = [
        "bb-num" if column.numeric else "bb-name" if column.name else "bb-word" for column in made.columns
    ]
    kinds[made.main] += " bb-main"
    heads = [
        f'<th scope="col" class="{one}">{escape(column.header)}</th>'
        for one, column in zip(kinds, made.columns, strict=True)
    ]
    rows = []
    for row in made.rows:
        cells = "".join(_cell(one, cell) for one, cell in zip(kinds, row.cells, strict=True))
        strong = ' class="bb-strong"' if row.strong else ""
        rows.append(f"<tr{strong}>{cells}</tr>")
    caption = escape(made.caption)
    region = f' tabindex="0" role="region" aria-label="{caption}"' if sortable else ""
    # Rows of a table that is printed on one page
    classes = " ".join(filter(None, ("bb-scroll", kind, "bb-whole" * (len(rows) <= 25))))
    body = "\n".join(["<tbody>", *rows, "</tbody>"])
    below = "".join(f"\n{paragraph(line, 'bb-small')}" for line in made.footnote.splitlines())
    return f"""<div class="{classes}"{region}>
<table class="bb-table{" bb-sortable" * sortable}">
<caption>{prose(made.caption)}</caption>
<thead><tr>{"".join(heads)}</tr></thead>
{body}
</table>
</div>{below}"""


def _cell(kind: str, cell: Cell) -> str:
    text = escape(cell.text)
    # Letters of a name that stays on one line; a longer one is broken after a sign, if there is one
    if "bb-name" in kind and len(cell.text) > 40:
        kind, text = f"{kind} bb-long", breakable(cell.text)
    return f'<td class="{kind}" data-key="{_key(cell)}">{text}</td>'


def _key(cell: Cell) -> str:
    """Return what a cell is sorted by; nothing if it is undefined."""
    if isinstance(cell.key, float):
        return "" if math.isnan(cell.key) else repr(cell.key).replace("inf", "Infinity")
    return escape(cell.key)
