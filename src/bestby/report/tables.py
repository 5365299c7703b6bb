"""Tables of a report: a column is one record that says what it shows of each entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, ends, margin_text, p_text, percent
from bestby.report.summary import methods_sentence
from bestby.report.words import direction, stands_out
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference, SystemScore
from bestby.results.pairs import of_metric
from bestby.results.values import Interval


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, not yet escaped, and what the table sorts by."""

    text: str
    key: float | str


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column: its header, and the cell that it shows of an entry.

    Numbers are aligned on the right. A `name` may be long and is broken first. A column that does not apply
    is left out.
    """

    header: str
    cell: Callable[[Any], Cell]
    numeric: bool = True
    name: bool = False
    applies: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A row, and whether it stands out: the best systems; the differences that are significant."""

    cells: tuple[Cell, ...]
    strong: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table to be written in one language or another.

    `main` is the column whose cells are bold in rows that stand out, beside the names. `methods` says how its
    numbers were computed and what they mean, for a caption that must be complete.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    main: int = 2
    methods: str = ""

    @classmethod
    def of(
        cls,
        caption: str,
        columns: Iterable[Column],
        entries: Iterable[Any],
        strong: Callable[[Any], bool] = lambda _: False,
        main: int = 2,
        methods: str = "",
    ) -> Table:
        """Return the columns that apply over entries; `strong` says which rows stand out."""
        used = tuple(column for column in columns if column.applies)
        rows = (Row(tuple(column.cell(entry) for column in used), strong(entry)) for entry in entries)
        return cls(caption, used, tuple(rows), main, methods)


# -- columns ---------------------------------------------------------------------------------------


def name_column(header: str, value: Callable[[Any], str], baselines: Collection[str | None] = ()) -> Column:
    """Return a column of names; baselines are marked."""

    def cell(entry: Any) -> Cell:
        name = value(entry)
        return Cell(f"{name} (baseline)" if name in baselines else name, name)

    return Column(header, cell, numeric=False, name=True)


def text_column(header: str, value: Callable[[Any], str], *, applies: bool = True) -> Column:
    """Return a column of words; a dash where there is none."""
    return Column(header, lambda e: Cell(value(e) or DASH, value(e)), numeric=False, applies=applies)


def number_column(
    header: str, digits: Rounding, value: Callable[[Any], float], *, applies: bool = True
) -> Column:
    """Return a column of rounded numbers."""
    return Column(header, lambda e: Cell(digits.text(float(value(e))), float(value(e))), applies=applies)


def interval_column(level: float | None, digits: Rounding, value: Callable[[Any], Interval | None]) -> Column:
    """Return a column of intervals of one level, sorted by their lower ends."""
    header = "interval" if level is None else f"{percent(level)} interval"
    return Column(header, lambda e: Cell(digits.interval(value(e)), float(ends(value(e))[0])))


def p_column(header: str, value: Callable[[Any], float], level: float, *, applies: bool = True) -> Column:
    """Return a column of p-values."""
    return Column(header, lambda e: Cell(p_text(value(e), alpha(level)), float(value(e))), applies=applies)


def count_column(header: str, value: Callable[[Any], tuple[int, ...] | int], join: str = DASH) -> Column:
    """Return a column of counts: one, or several that are sorted by the first."""

    def cell(entry: Any) -> Cell:
        found = value(entry)
        counts = found if isinstance(found, tuple) else (found,)
        return Cell(join.join(map(str, counts)), float(counts[0]))

    return Column(header, cell)


def column_of(column: Column, part: Callable[[Any], Any]) -> Column:
    """Return a column that shows a part of each entry."""
    return dataclasses.replace(column, cell=lambda entry: column.cell(part(entry)))


PAIR = (name_column("A", attrgetter("a")), name_column("B", attrgetter("b")))
DIFFERENCE = f"A {MINUS} B"


def difference_columns(digits: Rounding, level: float | None, correction: str) -> list[Column]:
    """Return the columns of any table of differences; adjusted p-values if there was a correction."""
    threshold = 0.95 if level is None else level
    adjusted = attrgetter("p_adjusted")
    return [
        *PAIR,
        number_column(DIFFERENCE, digits, attrgetter("estimate")),
        interval_column(level, digits, attrgetter("interval")),
        Column("p", lambda d: Cell(p_text(d.p_value, alpha(d.level)), float(d.p_value))),
        p_column(f"p ({correction})", adjusted, threshold, applies=correction != "none"),
    ]


# -- systems and differences of a comparison -------------------------------------------------------


def metric_info(c: Comparison, name: str | None) -> MetricInfo:
    """Return the metric of a name, by default the first."""
    for metric in c.metrics:
        if name is None or metric.name == name:
            return metric
    raise InvalidInputError(
        f"no metric {quoted(name)} in this comparison",
        hint=f"metrics: {', '.join(metric.name for metric in c.metrics)}",
    )


def systems_of(c: Comparison, metric: MetricInfo) -> tuple[SystemScore, ...]:
    """Return the scores on one metric, the best first."""
    return tuple(entry for entry in c.systems if entry.metric == metric.name)


def differences_of(c: Comparison, metric: MetricInfo) -> Sequence[Difference]:
    """Return the differences on one metric."""
    return of_metric(c.differences, metric.name)


def score_rounding(c: Comparison, metric: MetricInfo) -> Rounding:
    """Return the digits of the scores on one metric."""
    return Rounding.of([(entry.score, entry.interval) for entry in systems_of(c, metric)])


def difference_rounding(c: Any, metric: MetricInfo | None = None) -> Rounding:
    """Return the digits of the differences, of those on one metric if it is given."""
    differences = c.differences if metric is None else differences_of(c, metric)
    return Rounding.of([(d.estimate, d.interval) for d in differences], getattr(c, "margin", None))


def systems_table(
    c: Comparison,
    metric: MetricInfo,
    *,
    beside_score: Sequence[Column] = (),
    beside_interval: Sequence[Column] = (),
    kind: str = "system",
    baselines: Collection[str | None] = (),
    score: str = "",
    methods: str = "",
) -> Table:
    """Return the table of systems on one metric, the best first: rank, system, score, interval, group.

    The rank is the range of ranks the tests leave open. Without letters, there is no column of groups. `kind`
    is what the systems are called, `score` what the score is.
    """
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    place = {entry.system: float(position) for position, entry in enumerate(entries)}
    group = "group (one-sided)" if one_sided(differences_of(c, metric)) else "group"
    columns = (
        Column("rank", lambda e: Cell(_ranks(e), place[e.system])),
        name_column(kind, attrgetter("system"), baselines or (c.baseline,)),
        number_column(metric.name, digits, attrgetter("score")),
        *beside_score,
        interval_column(c.level, digits, attrgetter("interval")),
        *beside_interval,
        Column(
            group,
            lambda e: Cell(e.group or DASH, _group_key(e.group or "")),
            numeric=False,
            applies=any(entry.group for entry in entries),
        ),
    )
    caption = f"{kind.capitalize()}s by {score or metric.name} ({direction(metric)}), {c.extent}"
    return Table.of(caption, columns, entries, lambda e: e.score == entries[0].score, methods=methods)


def _ranks(entry: SystemScore) -> str:
    one = entry.rank_low == entry.rank_high
    return f"{entry.rank_low}" if one else f"{entry.rank_low}{DASH}{entry.rank_high}"


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


def differences_table(c: Comparison, metric: MetricInfo, *beside_p: Column) -> Table:
    """Return the table of differences on one metric, in their order; with a margin also the verdicts."""
    differences = differences_of(c, metric)
    judged = any(d.verdict is not None for d in differences)
    columns = (
        *difference_columns(difference_rounding(c, metric), c.level, c.correction),
        *beside_p,
        text_column("A is", lambda d: d.verdict or "", applies=judged),
    )
    margin = "" if c.margin is None else f"; margin {margin_text(c.margin)}"
    caption = f"Differences in {metric.name}, {DIFFERENCE}{margin}"
    return Table.of(caption, columns, differences, stands_out, methods=methods_sentence(c, metric))


def pairs_table(c: Any, caption: str, columns: Sequence[Column], methods: str) -> Table:
    """Return the differences over datasets or folds, with columns of their own."""
    level = c.differences[0].level if c.differences else None
    first = difference_columns(difference_rounding(c), level, c.correction)
    return Table.of(caption, (*first, *columns), c.differences, stands_out, methods=methods)
