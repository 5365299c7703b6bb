"""Results as one self-contained HTML page, or as a fragment for a notebook."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from html import escape as escape_markup
from importlib import resources
from typing import TYPE_CHECKING, Any

from bestby._core.text import safe_json, visible
from bestby.report import paper
from bestby.report.classes import is_small
from bestby.report.column import Cell
from bestby.report.document import Document, Picture, Search, Section, describe
from bestby.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LISTED = 50  # names in a setting
_MOST_OPEN = 15  # readings shown without a click
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def to_fragment(c: Any) -> str:
    """Return headline, tables, notes and signature for a notebook: no script, style for this part only."""
    document = describe(c)
    parts = [f"<style>{_asset('tables.css')}</style>"]
    for section in document.sections:
        parts.append(_paragraph(section.lead, "bb-lead"))
        parts += [_table(table) for table in section.tables]
        parts += [_paragraph(remark, "bb-small") for remark in (*section.remarks, section.omitted) if remark]
    parts += [_paragraph(f"Note: {line}", "bb-small") for line in document.notes]
    parts.append(_paragraph(document.methods, "bb-small"))
    parts.append(_signature(document))
    return '<div class="bestby">\n' + "\n".join(parts) + "\n</div>"


def to_html(c: Any, top: int | None = None) -> str:
    """Return the whole report as one page that needs no network, the same bytes for the same comparison."""
    document = describe(c, top)
    styles, scripts = ["tables", "page"], ["sort.js"]
    if any(section.search is not None for section in document.sections):
        styles.append("search")
        scripts.append("search.js")
    title = escape(document.title)
    body = [f"<header>\n<h1>{title}</h1>", _paragraph(document.subtitle, "faint")]
    body += [_navigation(document), "</header>"]
    headed = len(document.sections) > 1
    body += [_section(index, section, headed) for index, section in enumerate(document.sections)]
    body.append(_classes(document))
    body.append(_notes(document))
    body.append(_making(document))
    body.append(_reporting(c))
    style = "".join(_asset(f"{name}.css") for name in styles)
    head = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="generator" content="bestby {escape(document.version)}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body class="bestby">
<main>"""
    tail = ["</main>", *(f"<script>\n{_asset(name)}</script>" for name in scripts), "</body>", "</html>"]
    return "\n".join(part for part in [head, *body, *tail] if part) + "\n"


def escape(text: str) -> str:
    """Return text that a page shows as it is, hidden characters as escapes."""
    return escape_markup(visible(text))


def escape_lines(text: str) -> str:
    """Return text of several lines that a page shows as it is."""
    return "\n".join(map(escape, text.splitlines()))


def _asset(name: str) -> str:
    return resources.files("bestby.report").joinpath("assets", name).read_text(encoding="utf-8")


def _navigation(document: Document) -> str:
    if len(document.sections) < 2:
        return ""
    links = [f'<li><a href="#metric-{i}">{escape(s.name)}</a></li>' for i, s in enumerate(document.sections)]
    return f'<nav aria-label="metrics"><ul>{"".join(links)}</ul></nav>'


def _section(index: int, section: Section, headed: bool) -> str:
    first, *others = section.tables
    search = section.search
    pairs = None if search is None else search.pairs()
    if search is not None and pairs is None:
        others = [search.differences()]
    parts = [
        f'<section id="metric-{index}">',
        f"<h2>{escape(section.name)}</h2>" if headed else "",
        _paragraph(section.lead, "bb-lead"),
        _table(first, sortable=True) if search is None else _searched(index, search, pairs),
    ]
    parts += [_paragraph(remark, "bb-small") for remark in section.remarks]
    for number, picture in enumerate(section.pictures):
        parts.append(_figure(picture, f"f{index}-" if number == 0 else f"f{index}-{number}-"))
    parts += [_table(table, sortable=True) for table in others]
    if section.readings:
        parts.append(_readings(section.readings))
    return "\n".join(part for part in [*parts, "</section>"] if part)


def _searched(index: int, search: Search, pairs: dict[str, Any] | None) -> str:
    """Return the table of all systems with a field to search it, and fields to look up a pair."""
    table = _table(search.systems(), sortable=True).replace(
        'class="bb-scroll"', 'class="bb-scroll bb-tall"', 1
    )
    parts = [
        f'<div class="bb-search" id="search-{index}">',
        '<p><label>Find systems <input type="search" class="bb-find" placeholder="part of a name"></label>',
        '<output class="bb-found"></output></p>',
        table,
    ]
    if pairs is not None:
        pairs = {**pairs, "systems": [visible(name) for name in pairs["systems"]]}  # as they are searched for
        data = safe_json(json.dumps(pairs, ensure_ascii=False, separators=(",", ":")))
        data = data.replace("<", "\\u003c")
        options = "".join(f'<option value="{escape(name)}"></option>' for name in pairs["systems"])
        heading = "Look up a pair"
        if len(pairs["systems"]) < pairs["all"]:
            heading += f" of the {len(pairs['systems'])} best systems"
        parts += [
            f"<h3>{heading}</h3>",
            '<p class="bb-fields">',
            f'<label>A <input type="text" class="bb-a" list="names-{index}"></label>',
            f'<label>B <input type="text" class="bb-b" list="names-{index}"',
            'placeholder="its neighbours"></label>',
            "</p>",
            f'<datalist id="names-{index}">{options}</datalist>',
            '<div class="bb-answer" aria-live="polite"></div>',
            f'<script type="application/json" class="bb-pairs">{data}</script>',
        ]
    return "\n".join([*parts, "</div>"])


def _readings(readings: Sequence[str]) -> str:
    items = [f"<li>{_unbroken(escape(sentence))}</li>" for sentence in readings]
    listed = '<ul class="readings">\n' + "\n".join(items) + "\n</ul>"
    if len(items) <= _MOST_OPEN:
        return f"<h3>In words</h3>\n{listed}"
    return f"<details>\n<summary>In words ({len(items)} differences)</summary>\n{listed}\n</details>"


def _unbroken(text: str) -> str:
    """Return text whose p-values stay on one line."""
    return re.sub(r"\bp (=|&lt;|&gt;) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)


def _figure(picture: Picture, prefix: str) -> str:
    from bestby.report.figures import drawing

    with drawing.default_style():
        svg = _inline(picture.draw(), prefix, picture.label)
    return f"<figure>\n{svg}\n<figcaption>{escape(picture.caption)}</figcaption>\n</figure>"


def _inline(axes: Axes, prefix: str, label: str) -> str:
    """Return axes as an SVG element in the colours of the page, its identifiers unique on it."""
    from bestby.report.figures import drawing

    text = drawing.render(axes, ".svg", outlines=False, transparent=True).decode("utf-8")
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    tag, rest = text.split(">", 1)
    width = re.search(r'width="([\d.]+)pt"', tag)
    tag = re.sub(r' (?:width|height)="[\d.]+pt"', "", tag)
    natural = float(width.group(1)) * 4 / 3 if width else 800.0
    # On a narrow screen it shrinks to the width of the page: half a figure would look like a whole one.
    size = f' style="max-width: {natural:.0f}px"'
    rest = re.sub(r'\bid="', f'id="{prefix}', rest)
    rest = rest.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    for variable in ("ink", "faint", "accent", "band", "paper"):
        rest = rest.replace(f": {getattr(drawing, variable.upper())}", f": var(--{variable})")
    return f'{tag} role="img" aria-label="{escape(label)}"{size}>{rest}'


def _classes(document: Document) -> str:
    """Return the table of the classes, if it is small."""
    if document.classes is None or not is_small(document.classes):
        return ""
    return f"<section>\n<h2>Classes</h2>\n{_table(document.classes, sortable=True)}\n</section>"


def _notes(document: Document) -> str:
    if not document.notes:
        return ""
    items = "\n".join(f"<li>{escape(line)}</li>" for line in document.notes)
    return f'<section>\n<h2>Notes</h2>\n<ul class="notes">\n{items}\n</ul>\n</section>'


def _making(document: Document) -> str:
    listed = "\n".join(
        f"<dt>{escape(str(key))}</dt><dd>{escape(_setting(value))}</dd>"
        for key, value in document.settings.items()
    )
    return f"""<section>
<h2>How the numbers were computed</h2>
{_paragraph(document.methods)}
<dl>
{listed}
</dl>
<h3>Signature</h3>
{_signature(document)}
</section>"""


def _reporting(c: Any) -> str:
    """Return the paragraph for a paper, and its works as BibTeX."""
    return f"""<section class="bb-reporting">
<h2>How to report this</h2>
<blockquote>{_paragraph(paper.paragraph(c))}</blockquote>
<details>
<summary>BibTeX</summary>
<pre tabindex="0">{escape_lines(paper.citations(c))}</pre>
</details>
</section>"""


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple):
        listed = ", ".join(str(item) for item in value[:_MOST_LISTED])
        return listed if len(value) <= _MOST_LISTED else f"{listed}, … ({len(value)} in all)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _signature(document: Document) -> str:
    return f'<code class="bb-signature">{escape(document.signature)}</code>'


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _table(table: Table, *, sortable: bool = False) -> str:
    """Return a table; in rows that stand out, names and the cell of the main column are bold."""
    kinds = [
        "bb-num" if column.numeric else "bb-name" if column.name else "bb-word" for column in table.columns
    ]
    kinds[table.main] += " bb-main"
    heads = [
        f'<th scope="col" class="{kind}">{escape(column.header)}</th>'
        for kind, column in zip(kinds, table.columns, strict=True)
    ]
    rows = []
    for row in table.rows:
        cells = [
            f'<td class="{kind}" data-key="{_key(cell)}">{escape(cell.text)}</td>'
            for kind, cell in zip(kinds, row.cells, strict=True)
        ]
        strong = ' class="bb-strong"' if row.strong else ""
        rows.append(f"<tr{strong}>{''.join(cells)}</tr>")
    caption = escape(table.caption)
    region = f' tabindex="0" role="region" aria-label="{caption}"' if sortable else ""
    body = "\n".join(["<tbody>", *rows, "</tbody>"])
    below = "".join(f"\n{_paragraph(line, 'bb-small bb-footnote')}" for line in table.footnote.splitlines())
    return f"""<div class="bb-scroll"{region}>
<table class="bb-table{" bb-sortable" * sortable}">
<caption>{caption}</caption>
<thead><tr>{"".join(heads)}</tr></thead>
{body}
</table>
</div>{below}"""


def _key(cell: Cell) -> str:
    """Return what a cell is sorted by; nothing if it is undefined."""
    if isinstance(cell.key, float):
        return "" if math.isnan(cell.key) else repr(cell.key).replace("inf", "Infinity")
    return escape(cell.key)
