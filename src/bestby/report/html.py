"""Results as one self-contained HTML page, or as a fragment for a notebook."""

from __future__ import annotations

import math
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from bestby.report import summary, words
from bestby.report.numbers import percent
from bestby.report.tables import (
    Cell,
    Table,
    difference_rounding,
    differences_of,
    differences_table,
    systems_of,
    systems_table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results import Comparison, MetricInfo

_MOST_OPEN = 15  # readings shown without a click
_MOST_DRAWN = 130  # pairs in a figure: those of 16 systems
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def to_fragment(c: Comparison) -> str:
    """Return headline, tables, notes and signature for a notebook: no script, style for this part only.

    Parameters
    ----------
    c : Comparison
        The comparison.

    Returns
    -------
    str
        One ``div``, in the colours of whatever it is put into.
    """
    parts = [f"<style>{_asset('tables.css')}</style>"]
    for metric in c.metrics:
        parts.append(_paragraph(summary.headline(c, metric), "bb-lead"))
        parts.append(_table(systems_table(c, metric), main=2))
        if differences_of(c, metric):
            parts.append(_table(differences_table(c, metric), main=2))
        omnibus = summary.omnibus_sentence(c, metric)
        if omnibus:
            parts.append(_paragraph(omnibus, "bb-small"))
    parts += [_paragraph(f"Note: {line}", "bb-small") for line in summary.note_lines(c)]
    parts.append(_paragraph(summary.methods_sentence(c), "bb-small"))
    parts.append(_signature(c))
    return '<div class="bestby">\n' + "\n".join(parts) + "\n</div>"


def to_html(c: Comparison) -> str:
    """Return the whole report as one page that needs no network.

    Parameters
    ----------
    c : Comparison
        The comparison.

    Returns
    -------
    str
        Per metric the headline, sortable tables, figures as SVG and every difference in words; then notes,
        methods, settings and the signature. The same comparison gives the same bytes.
    """
    title = _title(c)
    body = [f"<header>\n<h1>{escape(title)}</h1>", _subtitle(c), _navigation(c), "</header>"]
    body += [_section(c, index, metric) for index, metric in enumerate(c.metrics)]
    body.append(_notes(c))
    body.append(_making(c))
    head = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f'<meta name="generator" content="bestby {escape(c.provenance.version)}">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{_asset('tables.css')}{_asset('page.css')}</style>",
        "</head>",
        '<body class="bestby">',
        "<main>",
    ]
    tail = ["</main>", f"<script>\n{_asset('sort.js')}</script>", "</body>", "</html>"]
    return "\n".join(part for part in head + body + tail if part) + "\n"


def _asset(name: str) -> str:
    return resources.files("bestby.report").joinpath("assets", name).read_text(encoding="utf-8")


def _title(c: Comparison) -> str:
    n_systems = len({entry.system for entry in c.systems})
    return f"{n_systems} systems compared by {words.listed([metric.name for metric in c.metrics], 3)}"


def _subtitle(c: Comparison) -> str:
    text = f"{c.n_items} items, {percent(c.level)} intervals"
    if c.baseline is not None:
        text += f", against the baseline {c.baseline}"
    if c.margin is not None:
        text += f", smallest difference that matters {c.margin:.6g}"
    return _paragraph(text, "faint")


def _navigation(c: Comparison) -> str:
    if len(c.metrics) < 2:
        return ""
    links = [f'<li><a href="#metric-{i}">{escape(m.name)}</a></li>' for i, m in enumerate(c.metrics)]
    return f'<nav aria-label="metrics"><ul>{"".join(links)}</ul></nav>'


def _section(c: Comparison, index: int, metric: MetricInfo) -> str:
    differences = differences_of(c, metric)
    parts = [
        f'<section id="metric-{index}">',
        f"<h2>{escape(metric.name)}</h2>" if len(c.metrics) > 1 else "",
        _paragraph(summary.headline(c, metric), "bb-lead"),
        _table(systems_table(c, metric), main=2, sortable=True),
    ]
    omnibus = summary.omnibus_sentence(c, metric)
    if omnibus:
        parts.append(_paragraph(omnibus, "bb-small"))
    if differences:
        parts += [
            _figures(c, index, metric),
            _table(differences_table(c, metric), main=2, sortable=True),
            _readings(c, metric),
        ]
    return "\n".join(part for part in [*parts, "</section>"] if part)


def _readings(c: Comparison, metric: MetricInfo) -> str:
    differences = differences_of(c, metric)
    digits = difference_rounding(c, metric)
    items = [f"<li>{_unbroken(escape(words.difference_sentence(d, digits)))}</li>" for d in differences]
    listed = '<ul class="readings">\n' + "\n".join(items) + "\n</ul>"
    if len(items) <= _MOST_OPEN:
        return f"<h3>In words</h3>\n{listed}"
    return f"<details>\n<summary>In words ({len(items)} differences)</summary>\n{listed}\n</details>"


def _unbroken(text: str) -> str:
    """Return text whose p-values stay on one line."""
    return re.sub(r"\bp (=|&lt;|&gt;) ", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)


def _figures(c: Comparison, index: int, metric: MetricInfo) -> str:
    from bestby.report import drawing, figures

    told = "A filled marker is a difference that the test, after any correction, finds significant."
    if c.margin is not None:
        told += " The band is the margin."
    n_pairs = len(differences_of(c, metric))
    with drawing.default_style():
        if n_pairs <= _MOST_DRAWN:
            drawn = figures.forest(c, metric.name)
            label = f"Forest plot of {n_pairs} differences in {metric.name}"
        else:
            drawn = figures.scores(c, metric.name)
            label = f"Scores of {len(systems_of(c, metric))} systems in {metric.name}"
            told = f"The scores only: {n_pairs} differences are too many for one figure."
        picture = _inline(drawn, f"f{index}-", label)
    region = f'<div class="bb-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
    return f"<figure>\n{region}\n{picture}\n</div>\n<figcaption>{escape(told)}</figcaption>\n</figure>"


def _inline(drawn: Axes, prefix: str, label: str) -> str:
    """Return axes as an SVG element in the colours of the page, its identifiers unique on it."""
    from bestby.report import drawing

    text = drawing.render(drawn, ".svg", outlines=False, transparent=True).decode("utf-8")
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    tag, rest = text.split(">", 1)
    width = re.search(r'width="([\d.]+)pt"', tag)
    tag = re.sub(r' (?:width|height)="[\d.]+pt"', "", tag)
    natural = float(width.group(1)) * 4 / 3 if width else 800.0
    # On a narrow screen it shrinks to three quarters, then scrolls: smaller letters could not be read.
    size = f' style="max-width: {natural:.0f}px; min-width: {0.75 * natural:.0f}px"'
    rest = re.sub(r'\bid="', f'id="{prefix}', rest)
    rest = rest.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    for colour, variable in (
        (drawing.INK, "ink"),
        (drawing.FAINT, "faint"),
        (drawing.ACCENT, "accent"),
        (drawing.BAND, "band"),
        (drawing.PAPER, "paper"),
    ):
        rest = rest.replace(f": {colour}", f": var(--{variable})")
    return f'{tag} role="img" aria-label="{escape(label)}"{size}>{rest}'


def _notes(c: Comparison) -> str:
    lines = summary.note_lines(c)
    if not lines:
        return ""
    items = "\n".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<section>\n<h2>Notes</h2>\n<ul class="notes">\n{items}\n</ul>\n</section>'


def _making(c: Comparison) -> str:
    p = c.provenance
    entries: dict[str, Any] = {
        **p.settings,
        "resamples": p.n_resamples,
        "seed": p.seed,
        **p.data,
        "data hash": p.data_hash,
        "bestby": p.version,
        **p.versions,
    }
    rows = [
        f"<dt>{escape(str(key))}</dt><dd>{escape(_setting(value))}</dd>" for key, value in entries.items()
    ]
    parts = [
        "<section>",
        "<h2>How the numbers were made</h2>",
        _paragraph(summary.methods_sentence(c)),
        "<dl>",
        *rows,
        "</dl>",
        "<h3>Signature</h3>",
        _signature(c),
        "</section>",
    ]
    return "\n".join(parts)


def _setting(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _signature(c: Comparison) -> str:
    return f'<code class="bb-signature">{escape(c.signature)}</code>'


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _table(table: Table, main: int, *, sortable: bool = False) -> str:
    """Return a table; in rows that stand out, names and the cell of column `main` are bold."""
    kinds = [
        "bb-num" if column.numeric else "bb-name" if column.name else "bb-word" for column in table.columns
    ]
    kinds[main] += " bb-main"
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
    region = (
        f'<div class="bb-scroll" tabindex="0" role="region" aria-label="{caption}">'
        if sortable
        else ('<div class="bb-scroll">')
    )
    return "\n".join(
        [
            region,
            '<table class="bb-table bb-sortable">' if sortable else '<table class="bb-table">',
            f"<caption>{caption}</caption>",
            f"<thead><tr>{''.join(heads)}</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
            "</div>",
        ]
    )


def _key(cell: Cell) -> str:
    """Return what a cell is sorted by; nothing if it is undefined."""
    if isinstance(cell.key, float):
        return "" if math.isnan(cell.key) else repr(cell.key).replace("inf", "Infinity")
    return escape(cell.key)
