"""The tables every report shows: one of systems and one of differences per metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bestby.report.numbers import DASH, MINUS, Rounding, alpha, ends, margin_text, p_text, percent
from bestby.report.summary import methods_sentence
from bestby.report.words import direction, stands_out
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference, SystemScore
from bestby.results.pairs import of_metric


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, whether it holds numbers, and whether names of systems, which may be long."""

    header: str
    numeric: bool
    name: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, not yet escaped, and what the table sorts by."""

    text: str
    key: float | str


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and whether it stands out: the best systems; the differences that are significant."""

    cells: tuple[Cell, ...]
    strong: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be written in one language or another.

    `main` is the column whose cells are bold in rows that stand out, beside the names. `methods` says how its
    numbers were made and are to be read, for a caption that must do alone.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    main: int = 2
    methods: str = ""


def systems_of(c: Comparison, metric: MetricInfo) -> tuple[SystemScore, ...]:
    """Return the scores on one metric, the best first."""
    return tuple(entry for entry in c.systems if entry.metric == metric.name)


def differences_of(c: Comparison, metric: MetricInfo) -> Sequence[Difference]:
    """Return the differences on one metric."""
    return of_metric(c.differences, metric.name)


def score_rounding(c: Comparison, metric: MetricInfo) -> Rounding:
    """Return the digits of the scores on one metric."""
    return Rounding.of([(entry.score, entry.interval) for entry in systems_of(c, metric)])


def difference_rounding(c: Comparison, metric: MetricInfo) -> Rounding:
    """Return the digits of the differences on one metric."""
    measured = [(d.estimate, d.interval) for d in differences_of(c, metric)]
    return Rounding.of(measured, margin=c.margin)


def systems_table(c: Comparison, metric: MetricInfo) -> Table:
    """Return the table of systems on one metric: rank, system, score, interval, group.

    Returns the best system first. The rank is the range of ranks the tests leave open. Without letters, there
    is no column of groups.
    """
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    lettered = any(entry.group for entry in entries)
    columns = [
        Column("rank", True),
        Column("system", False, name=True),
        Column(metric.name, True),
        Column(f"{percent(c.level)} interval", True),
    ]
    if lettered:
        sided = one_sided(differences_of(c, metric))
        columns.append(Column("group (one-sided)" if sided else "group", False))
    rows = []
    for position, entry in enumerate(entries):
        one = entry.rank_low == entry.rank_high
        rank = f"{entry.rank_low}" if one else f"{entry.rank_low}{DASH}{entry.rank_high}"
        name = f"{entry.system} (baseline)" if entry.system == c.baseline else entry.system
        cells = [
            Cell(rank, float(position)),
            Cell(name, entry.system),
            Cell(digits.text(entry.score), float(entry.score)),
            Cell(digits.interval(entry.interval), float(ends(entry.interval)[0])),
        ]
        if lettered:
            cells.append(Cell(entry.group or DASH, _group_key(entry.group or "")))
        rows.append(Row(tuple(cells), entry.score == entries[0].score))
    caption = f"Systems by {metric.name} ({direction(metric)}), {c.extent}"
    return Table(caption, tuple(columns), tuple(rows))


def one_sided(differences: Sequence[Difference]) -> bool:
    """Return whether the tests of a family are one-sided."""
    return bool(differences) and differences[0].test.alternative != "two-sided"


def _group_key(group: str) -> str:
    """Return what groups are sorted by: letters as they are, numbers by their first.

    >>> _group_key("bc"), _group_key("12-17, 19")
    ('bc', '00012')
    """
    number = group.split(",")[0].split("-")[0]
    return number.zfill(5) if number.isdigit() else group


def differences_table(c: Comparison, metric: MetricInfo) -> Table:
    """Return the table of differences on one metric.

    The result is in the order of the comparison. Adjusted p-values have a column if there was a correction,
    verdicts if there was a margin.
    """
    differences = differences_of(c, metric)
    digits = difference_rounding(c, metric)
    corrected = c.correction != "none"
    judged = any(d.verdict is not None for d in differences)
    columns = [
        Column("A", False, name=True),
        Column("B", False, name=True),
        Column(f"A {MINUS} B", True),
        Column(f"{percent(c.level)} interval", True),
        Column("p", True),
    ]
    columns += [Column(f"p ({c.correction})", True)] if corrected else []
    columns += [Column("A is", False)] if judged else []
    rows = []
    for d in differences:
        threshold = alpha(d.level)
        cells = [
            Cell(d.a, d.a),
            Cell(d.b, d.b),
            Cell(digits.text(d.estimate), float(d.estimate)),
            Cell(digits.interval(d.interval), float(ends(d.interval)[0])),
            Cell(p_text(d.p_value, threshold), float(d.p_value)),
        ]
        cells += [Cell(p_text(d.p_adjusted, threshold), float(d.p_adjusted))] if corrected else []
        cells += [Cell(d.verdict or DASH, d.verdict or "")] if judged else []
        rows.append(Row(tuple(cells), stands_out(d)))
    margin = "" if c.margin is None else f"; margin {margin_text(c.margin)}"
    caption = f"Differences in {metric.name}, A {MINUS} B{margin}"
    return Table(caption, tuple(columns), tuple(rows), methods=methods_sentence(c, metric))
