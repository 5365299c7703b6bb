"""Looks at a result as a reader does: which rows contradict themselves, and are they marked and explained?"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from matplotlib.axes import Axes

from bestby.questions.folds import report
from bestby.report.document import describe
from bestby.report.figures import drawing, forest
from bestby.report.tables import MARK, Table
from bestby.report.writers.latex import prose as in_latex
from bestby.report.writers.markdown import escape as in_markdown
from bestby.results import Difference

MARKS = set("*†‡§¶‖#")


def contradictory(d: Difference, groups: dict[str, str | None]) -> bool:
    """Return whether the interval, p-values, verdict and letters of a difference say different things.

    "Inconclusive" contradicts nothing. The others contradict an interval that reaches where they say that the
    difference is not.
    """
    alpha = 1.0 - d.level + 1e-9
    said = []
    if d.interval is not None:
        said.append(not d.interval.low <= 0.0 <= d.interval.high)
    if d.p_adjusted is not None:
        said += [d.p_adjusted <= alpha]
    letters = [groups.get(name) for name in (d.a, d.b)]
    if None not in letters and all(letter and letter.isalpha() for letter in letters):
        said.append(not set(letters[0] or "") & set(letters[1] or ""))
    if d.verdict in ("better", "worse"):
        said.append(True)
    if d.verdict == "equivalent" and d.p_adjusted is not None:
        said.append(False)
    if len(set(said)) > 1:
        return True
    if d.interval is None or d.margin is None:
        return False
    worse, better = d.interval.low <= -d.margin, d.interval.high >= d.margin
    if not d.greater_is_better:
        worse, better = better, worse
    reached = {"equivalent": worse or better, "not worse": worse, "not better": better}
    return reached.get(d.verdict or "", False)


def tables(c: Any) -> Iterator[Table]:
    """Yield the tables of a report in which rows are marked."""
    for section in describe(c).sections:
        yield from (table for table in section.tables if table.footnote)


def marked_rows(table: Table) -> list[tuple[str, ...]]:
    """Return the cells of the rows of a table that have a mark."""
    if all(column.header != MARK for column in table.columns):
        return []
    return [tuple(cell.text for cell in row.cells) for row in table.rows if row.cells[-1].text]


def check(c: Any) -> int:
    """Assert that all contradictions of a result are marked and explained wherever it writes; count them."""
    groups: dict[tuple[str, str], str | None] = {}
    if hasattr(c, "metrics"):
        groups = {(entry.metric, entry.system): entry.group for entry in c.systems}
    wrong = [
        d
        for d in c.differences
        if contradictory(
            d, {system: group for (metric, system), group in groups.items() if metric == d.metric}
        )
    ]
    shown = list(tables(c))
    rows = [(table.caption, row) for table in shown for row in marked_rows(table)]
    for d in wrong:
        # A name that all rows share stands in the caption.
        assert any(all(name in row[:3] or name in caption for name in (d.a, d.b)) for caption, row in rows), d
    for table in (*shown, *(short for one in shown for short in one.in_short())):
        used = {mark for row in marked_rows(table) for mark in row[-1]}
        assert used <= MARKS
        assert all(f"{mark} " in table.footnote for mark in used)
    _check_texts(c, shown)
    if shown:
        _check_figures(c)
    return len(wrong)


def _words(text: str) -> str:
    return " ".join(text.split())


def _check_texts(c: Any, shown: list[Table]) -> None:
    latex = c.to_latex(parts=[table.part for table in shown] or None)  # of many systems only when asked for
    plain, markdown, page = c.details(), c.to_markdown(), c.to_html()
    written = html.unescape(re.sub(r"<[^>]+>", " ", page))
    for table in shown:
        assert _words(table.footnote) in _words(plain)
        for line in table.footnote.splitlines():
            assert in_markdown(line) in markdown
            assert in_latex(line) in latex or table.part == "scores"  # those of a paper have letters only
        assert _words(table.footnote) in _words(written)
        for row in marked_rows(table):
            mark = row[-1]
            assert any(f" {mark} " in f"{line} " for line in plain.splitlines())
            assert f"| {in_markdown(mark)} |" in markdown
            assert f"{in_latex(mark)} \\\\" in latex or len(table.rows) > 40
            assert f">{html.escape(mark)}</td></tr>" in page


def _check_figures(c: Any) -> None:
    """Assert that the forest of each metric marks the rows that its table marks, and explains the marks."""
    from bestby.report.disagreements import kinds, text

    names = [metric.name for metric in c.metrics] if hasattr(c, "metrics") else [None]
    for name in names:
        with drawing.default_style():
            if name is not None:
                axes = forest.forest(c, name)
            elif c.kind == "folds":
                axes = report.fold_forest(c)
            else:
                continue
        found = [d for d in c.differences if name in (None, d.metric)]
        marks = [text(kinds(d)) for d in found if kinds(d)]
        drawn = texts_of(axes)
        for mark in set(marks):
            beside = drawn.count(mark)
            assert beside == marks.count(mark), (name, mark)
        below = _words(drawn[-1])
        assert all(f"{mark} " in below for one in marks for mark in one)


def texts_of(axes: Axes) -> list[str]:
    """Return what stands in a figure beside its scale."""
    texts: list[Any] = [*axes.texts, *axes.figure.texts]
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in texts]
