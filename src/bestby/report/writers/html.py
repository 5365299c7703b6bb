"""Results as one self-contained HTML page, or as a fragment for a notebook."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from html import escape as escape_markup
from importlib import resources
from typing import TYPE_CHECKING, Any

from bestby._core.text import counted, safe_json, unbroken, visible
from bestby.report import paper
from bestby.report.column import Cell, Look
from bestby.report.document import Document, Picture, Search, Section, describe, in_short
from bestby.report.fields import MAY_BE_BEST, named
from bestby.report.names import without_common
from bestby.report.tables import Table, is_small

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LISTED = 50  # names in a setting

_POWER = re.compile(r"\d+(?:\.\d+)?e-\d+")

_MOST_UNFILTERED = 15  # rows that need no choice of significant ones

_WIDTH = 100  # letters of a table whose names are shown whole

_LEAST_SHRUNK = 0.75  # of the width of a figure, whose text is then about 9 pixels high

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_NO_SCRIPT = (
    "A script looks up the pairs, and scripts do not run here. The pairs are in the JSON and the CSV."
)

_PUBLISHED = (
    "This part shows the gold and the predictions of single items, as it was asked for (items=True, --items)."
    " Leave it out of a page whose readers must not see the gold. An effect is what an item adds to the"
    " difference of the two systems, first minus second: half of what the difference changes by if the two"
    " exchange what they gave on that item."
)


def to_fragment(c: Any) -> str:
    """Return the short answer for a notebook: no script, style for this part only."""
    document = in_short(describe(c))
    parts = [f"<style>{_asset('tables.css')}</style>"]
    for section in document.sections:
        parts += _lead(section)
        parts += [table(one) for one in section.tables]
        parts += [paragraph(remark, "bb-small") for remark in (*section.remarks, *section.details)]
    parts += [paragraph(f"Note: {line}", "bb-small") for line in document.notes]
    parts.append(paragraph(document.methods, "bb-small"))
    parts.append(_signature(document))
    return '<div class="bestby">\n' + "\n".join(parts) + "\n</div>"


def to_html(c: Any, top: int | None = None, *, items: bool = False) -> str:
    """Return the whole report as one page that needs no network, the same bytes for the same comparison."""
    document = describe(c, top, items=items)
    title = escape(document.title)
    body = [f"<header>\n<h1>{title}</h1>", paragraph(document.subtitle, "faint")]
    body += [_navigation(document), "</header>"]
    headed = len(document.sections) > 1
    body += [_section(index, section, headed) for index, section in enumerate(document.sections)]
    body.append(_classes(document))
    body.append(_notes(document))
    body.append(_making(document))
    body.append(_reporting(c))
    style = "".join(_asset(f"{name}.css") for name in ("tables", "page", "search"))
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
    tail = ["</main>", *_scripts("\n".join(body)), "</body>", "</html>"]
    return "\n".join(part for part in [head, *body, *tail] if part) + "\n"


def _scripts(body: str) -> list[str]:
    """Return the scripts that a page needs, by the classes of what they act on."""
    needed = {"sort": "bb-sortable", "filter": "bb-tested", "search": "bb-systems", "items": "bb-items"}
    return [f"<script>\n{_asset(f'{name}.js')}</script>" for name, kind in needed.items() if kind in body]


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
        *_lead(section),
        _short(first) if search is None else searched(index, search, pairs),
    ]
    parts += [paragraph(remark, "bb-small") for remark in section.remarks]
    for number, picture in enumerate(section.pictures):
        parts.append(figure(picture, f"f{index}-" if number == 0 else f"f{index}-{number}-"))
    parts += [_short(one) for one in others]
    parts += listed(index, section.items)
    whole = (one for one in section.tables if search is None and not _all_shown(one))
    parts += [_folded(f"{one.caption} ({len(one.rows)} rows)", _whole(one)) for one in whole]
    if section.details:
        parts.append(
            _folded("Further remarks", "\n".join(paragraph(one, "bb-small") for one in section.details))
        )
    if section.readings:
        parts.append(_readings(section.readings))
    return "\n".join(part for part in [*parts, "</section>"] if part)


def _short(content: Table) -> str:
    """Return what the short answer shows of a table."""
    return "\n".join(map(_whole, [content] if _all_shown(content) else content.in_short()))


def _all_shown(content: Table) -> bool:
    """Tell whether the short answer shows all cells of a table."""
    size = (len(content.rows), len(content.columns))
    return [(len(one.rows), len(one.columns)) for one in content.in_short()] == [size]


def _whole(content: Table) -> str:
    return table(content, sortable=True, kind=_filtered(content))


def _folded(summary: str, content: str) -> str:
    return f"<details>\n<summary>{prose(summary)}</summary>\n{content}\n</details>"


def _filtered(one: Table) -> str:
    """Return the class of a long table of tests, of which a reader may want the significant ones only."""
    long = len(one.rows) > _MOST_UNFILTERED and len({row.strong for row in one.rows}) == 2
    return "bb-tested" if long and any(used.header == "p" for used in one.columns) else ""


def searched(index: int, search: Search, pairs: dict[str, Any] | None) -> str:
    """Return the table of all systems with a field to search it, and fields to look up a pair."""
    systems = search.systems()
    best = named(MAY_BE_BEST)["may_be_best"].column(Look()).header
    parts = [
        f'<div class="bb-search bb-systems" id="search-{index}">',
        '<p class="bb-fields">',
        '<label>Find systems <input type="search" class="bb-find" placeholder="part of a name"></label>',
        f'<label class="bb-check"><input type="checkbox" class="bb-best" data-column="{best}">'
        " only those that may be the best</label>" * any(one.header == best for one in systems.columns),
        '<output class="bb-found"></output></p>',
        table(systems, sortable=True, kind="bb-tall"),
    ]
    if pairs is not None:
        pairs = {**pairs, "systems": [visible(name) for name in pairs["systems"]]}  # as they are searched for
        parts += _lookup(index, pairs)
    return "\n".join([*filter(None, parts), "</div>"])


def _lookup(index: int, pairs: dict[str, Any]) -> list[str]:
    options = "".join(f'<option value="{escape(name)}"></option>' for name in pairs["systems"])
    heading = "Look up a pair"
    if len(pairs["systems"]) < pairs["all"]:
        heading += f" of the {len(pairs['systems'])} best systems"
    return [
        f'<h2 class="bb-sub bb-lookup">{heading}</h2>',
        '<p class="bb-fields">',
        f'<label>First system <input type="text" class="bb-a" list="names-{index}"></label>',
        f'<label>Second system <input type="text" class="bb-b" list="names-{index}"',
        'placeholder="its neighbours"></label>',
        '<label class="bb-check"><input type="checkbox" class="bb-told"> only significant ones</label>',
        "</p>",
        f'<datalist id="names-{index}">{options}</datalist>',
        '<div class="bb-answer" aria-live="polite"></div>',
        f"<noscript>{paragraph(_NO_SCRIPT)}</noscript>",
        f'<script type="application/json" class="bb-pairs">{script_data(pairs)}</script>',
    ]


def script_data(values: Any) -> str:
    """Return JSON that can stand in a page as the content of a script."""
    return safe_json(json.dumps(values, ensure_ascii=False, separators=(",", ":"))).replace("<", "\\u003c")


def listed(index: int, items: Sequence[Table]) -> list[str]:
    """Return the tables of the items on which systems differ, with fields to choose and to search."""
    if not items:
        return []
    pairs = "".join(
        f'<option value="{place}">{escape(one.caption.partition(" differ on ")[0])}</option>'
        for place, one in enumerate(items)
    )
    return [
        f'<div class="bb-search bb-items" id="items-{index}">',
        '<h2 class="bb-sub">Items on which they differ</h2>',
        paragraph(_PUBLISHED, "bb-small"),
        '<p class="bb-fields" hidden>',
        f'<label>Pair <select class="bb-pair">{pairs}</select></label>',
        '<label>Show <select class="bb-winner">',
        "<option>all</option><option>won by the first</option><option>won by the second</option>",
        "</select></label>",
        '<label>Find items <input type="search" class="bb-find" placeholder="part of any cell"></label>',
        '<output class="bb-found"></output></p>',
        *(table(one, sortable=True, kind="bb-tall") for one in items),
        "</div>",
    ]


def _lead(section: Section) -> list[str]:
    """Return the headline and, right below it, what to do next."""
    step = section.next_step()
    return [paragraph(section.lead, "bb-lead"), *([paragraph(step, "bb-next")] if step else [])]


def _readings(readings: Sequence[str]) -> str:
    items = "\n".join(f"<li>{prose(sentence)}</li>" for sentence in readings)
    return _folded(
        f"In words ({counted(len(readings), 'difference')})", f'<ul class="readings">\n{items}\n</ul>'
    )


def figure(picture: Picture, prefix: str) -> str:
    """Return a figure with its caption; its identifiers begin with a prefix of its own."""
    from bestby.report.figures import drawing

    with drawing.default_style():
        svg = _inline(picture.draw(), prefix, picture.label)
    region = f'tabindex="0" role="region" aria-label="{escape(picture.label)}"'
    caption = f"<figcaption>{prose(picture.caption)}</figcaption>"
    return f'<figure>\n<div class="bb-figure" {region}>\n{svg}\n</div>\n{caption}\n</figure>'


def _inline(axes: Axes, prefix: str, label: str) -> str:
    """Return axes as an SVG element in the colours of the page, its identifiers unique on it."""
    from bestby.report.figures import drawing

    text = drawing.render(axes, ".svg", transparent=True).decode("utf-8")
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    tag, rest = text.split(">", 1)
    width = re.search(r'width="([\d.]+)pt"', tag)
    tag = re.sub(r' (?:width|height)="[\d.]+pt"', "", tag)
    natural = float(width.group(1)) * 4 / 3 if width else 800.0
    # On a narrow screen it shrinks while its text can be read, and then it scrolls.
    size = f' style="max-width: {natural:.0f}px; min-width: {_LEAST_SHRUNK * natural:.0f}px"'
    rest = re.sub(r'\bid="', f'id="{prefix}', rest)
    rest = rest.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    for variable in ("ink", "faint", "accent", "band", "paper"):
        rest = rest.replace(f": {getattr(drawing, variable.upper())}", f": var(--{variable})")
    return f'{tag} role="img" aria-label="{escape(label)}"{size}>{rest}'


def _classes(document: Document) -> str:
    """Return the table of the classes, if it is small."""
    if document.classes is None or not is_small(document.classes):
        return ""
    return _folded("Classes", table(document.classes, sortable=True))


def _notes(document: Document) -> str:
    if not document.notes:
        return ""
    items = "\n".join(f"<li>{prose(line)}</li>" for line in document.notes)
    return f'<section>\n<h2>Notes</h2>\n<ul class="notes">\n{items}\n</ul>\n</section>'


def _making(document: Document) -> str:
    listed = "\n".join(
        f"<dt>{escape(str(key))}</dt><dd>{escape(_setting(value))}</dd>"
        for key, value in document.settings.items()
    )
    return f"""<section>
<h2>How the numbers were computed</h2>
{paragraph(document.methods)}
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
<blockquote>{paragraph(paper.paragraph(c))}</blockquote>
{_folded("BibTeX", f'<pre tabindex="0">{escape_lines(paper.citations(c))}</pre>')}
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


def prose(text: str) -> str:
    r"""Return escaped text whose percentages and p-values stay on one line.

    >>> prose("the 95 % interval, p < 0.01").split(" ")
    ['the', '95\xa0%', 'interval,', 'p\xa0&lt;\xa00.01']
    >>> prose("p = 4e-5")
    'p\xa0=\xa0<span class="bb-power">4e-5</span>'
    """
    return _POWER.sub(r'<span class="bb-power">\g<0></span>', escape(unbroken(text)))


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of a class."""
    return f'<p class="{kind}">{prose(text)}</p>' if kind else f"<p>{prose(text)}</p>"


def breakable(text: str) -> str:
    """Return an escaped name that a line may end in after a sign such as a dot, and nowhere else.

    >>> breakable("newstest2017.nmt_en-de")
    'newstest2017.<wbr>nmt_<wbr>en-<wbr>de'
    """
    return re.sub(r"(?<=[^\W_])([._/:@|-]+)(?=[^\W_])", r"\1<wbr>", escape(text))


def table(content: Table, *, sortable: bool = False, kind: str = "") -> str:
    """Return a table; in rows that stand out, names and the cell of the main column are bold."""
    content, left_out = without_common(content, _WIDTH)
    kinds = [
        "bb-num" if column.numeric else "bb-name" if column.name else "bb-word" for column in content.columns
    ]
    kinds[content.main] += " bb-main"
    heads = [
        f'<th scope="col" class="{one}">{escape(column.header)}</th>'
        for one, column in zip(kinds, content.columns, strict=True)
    ]
    rows = []
    for row in content.rows:
        cells = "".join(_cell(one, cell) for one, cell in zip(kinds, row.cells, strict=True))
        strong = ' class="bb-strong"' if row.strong else ""
        rows.append(f"<tr{strong}>{cells}</tr>")
    caption = escape(content.caption)
    region = f' tabindex="0" role="region" aria-label="{caption}"' if sortable else ""
    # Rows of a table that is printed on one page
    classes = " ".join(filter(None, ("bb-scroll", kind, "bb-whole" * (len(rows) <= 25))))
    body = "\n".join(["<tbody>", *rows, "</tbody>"])
    below = "".join(
        f"\n{paragraph(line, 'bb-small')}" for line in (*left_out, *content.footnote.splitlines())
    )
    return f"""<div class="{classes}"{region}>
<table class="bb-table{" bb-sortable" * sortable}">
<caption>{prose(content.caption)}</caption>
<thead><tr>{"".join(heads)}</tr></thead>
{body}
</table>
</div>{below}"""


def _cell(kind: str, cell: Cell) -> str:
    text = escape(cell.text)
    # Letters of a name that stays on one line; a longer one may be broken after a sign, where room is short
    if "bb-name" in kind and len(cell.text) > 16:
        kind, text = f"{kind} bb-long", breakable(cell.text)
    text = f"<b>{text}</b>" if cell.strong else text
    return f'<td class="{kind}" data-key="{_key(cell)}">{text}</td>'


def _key(cell: Cell) -> str:
    """Return what a cell is sorted by; nothing if it is undefined."""
    if isinstance(cell.key, float):
        return "" if math.isnan(cell.key) else repr(cell.key).replace("inf", "Infinity")
    return escape(cell.key)


def escape(text: str) -> str:
    """Return text that a page shows as it is, hidden characters as escapes."""
    return escape_markup(visible(text))


def escape_lines(text: str) -> str:
    """Return text of several lines that a page shows as it is."""
    return "\n".join(map(escape, text.splitlines()))


def _asset(name: str) -> str:
    return resources.files("bestby.report").joinpath("assets", name).read_text(encoding="utf-8")
