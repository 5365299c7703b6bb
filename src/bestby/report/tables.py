"""The tables of scores, differences and classes that reports of several kinds share."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, cast

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report import column, disagreements
from bestby.report.column import Cell, Column, Look
from bestby.report.comparison import BestSet, Comparison, Difference, SystemScore, part_about
from bestby.report.fields import DIFFERENCE, MAY_BE_BEST, SCORE, attributes, named
from bestby.report.numbers import (
    DASH,
    MINUS,
    Rounding,
    alpha,
    ends,
    margin_text,
    percent,
    percent_of,
    ranks_text,
)
from bestby.report.pairs import differences_on
from bestby.report.words import (
    computed,
    direction,
    is_one_comparison,
    methods_sentence,
    sentence_of_tests,
    stands_level,
    stands_out,
)
from bestby.results.base import MetricInfo
from bestby.results.values import ClassShares, Interval

SIGNIFICANT = "*"

BEST = 20
"""Systems that a table shows of more, the best, where not all of them are asked for."""

MOST_IN_SHORT = 10
"""Differences of which the short answer shows all; of more it shows those with the best system."""

MARK = "mark"
"""The header of the column of marks that the line below the table explains."""

CLASS_SHARE = attributes("system", "label", "share", "count")

GOLD = "gold"

_LETTERS = (
    "The letters of groups are no names of systems: systems whose groups share a letter cannot be told apart."
)


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A row, and whether it stands out: the best systems; the differences that are significant.

    `span` is the estimate and the ends of its interval, which a terminal draws as a bar.
    """

    cells: tuple[Cell, ...]
    strong: bool
    span: tuple[float, float, float] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table to be written in any format; `main` is the column that is bold in rows that stand out.

    `footnote` is the lines below it, which say what the marks of rows mean; `part` is what it is of a report,
    such as "scores" or "differences"; `marked` is the value that stands out on the scale of the bars.

    Files and `details` show every table whole. The short answer, which `print` and a terminal show, leaves
    out a table that is `details`, and the columns that are; it shows `short` in place of a table that has
    one, such as fewer rows, or a footnote of fewer words.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    main: int = 2
    methods: str = ""
    footnote: str = ""
    part: str = "table"
    marked: float | None = None
    details: bool = False
    short: Table | None = None

    @classmethod
    def of(
        cls,
        caption: str,
        columns: Iterable[Column],
        entries: Iterable[Any],
        strong: Callable[[Any], bool] = lambda _: False,
        *,
        part: str = "table",
        main: int = 2,
        methods: str = "",
        footnote: str = "",
        details: bool = False,
    ) -> Table:
        """Return the columns that apply over entries; `strong` says which rows stand out."""
        used = tuple(column for column in columns if column.applies)
        rows = (Row(tuple(column.cell(entry) for column in used), strong(entry)) for entry in entries)
        return cls(caption, used, tuple(rows), main, methods, footnote, part, details=details)

    def in_short(self) -> tuple[Table, ...]:
        """Return what the short answer shows of the table: one table, or none."""
        if self.details:
            return ()
        if self.short is not None:
            return self.short.in_short()
        places = [place for place, column in enumerate(self.columns) if not column.details]
        rows = (
            dataclasses.replace(row, cells=tuple(row.cells[place] for place in places)) for row in self.rows
        )
        columns = tuple(self.columns[place] for place in places)
        main = places.index(self.main) if self.main in places else 0
        return (dataclasses.replace(self, columns=columns, rows=tuple(rows), main=main),)


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
    return differences_on(c.differences, metric.name)


def score_rounding(c: Comparison, metric: MetricInfo) -> Rounding:
    """Return the digits of the scores on one metric."""
    return Rounding.for_scores([(entry.score, entry.interval) for entry in systems_of(c, metric)])


def difference_rounding(c: Any, metric: MetricInfo | None = None) -> Rounding:
    """Return the digits of the differences, of those on one metric if it is given."""
    differences = c.differences if metric is None else differences_of(c, metric)
    return Rounding.of([(d.estimate, d.interval) for d in differences], c.margin)


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
    most: int = BEST,
    grouped: bool = True,
) -> Table:
    """Return the table of systems on one metric, the best first; `score` says what the score is.

    Of more systems than `most` the short answer shows the best. Unless `grouped`, groups are left out: of
    many systems they are too many to be read.
    """
    entries = systems_of(c, metric)
    digits, shown = score_rounding(c, metric), named(SCORE)
    look = Look(digits, c.level, metric=metric.name)
    compared = bool(c.differences)
    tested = compared and computed(c, "test")
    place = {entry.system: float(position) for position, entry in enumerate(entries)}
    group = "group (one-sided)" if one_sided(differences_of(c, metric)) else "group"
    asked = any(entry.may_be_best is not None for entry in entries)
    grouped = grouped and any(entry.group for entry in entries)
    gaps = dataclasses.replace(look, digits=Rounding(digits.decimals, measured=digits.measured))
    columns = (
        # Where nothing was tested, the ranks say nothing.
        Column("rank", lambda e: Cell(ranks_text(e.rank_low, e.rank_high), place[e.system]), applies=tested),
        column.name(kind, attrgetter("system"), baselines or (c.baseline,)),
        shown["score"].column(look),
        column.number(
            "if calibrated",
            digits,
            attrgetter("if_calibrated"),
            applies=any(entry.if_calibrated is not None for entry in entries),
        ),
        *beside_score,
        shown["interval"].column(look, applies=shown["interval"].applies(c)),
        *beside_interval,
        Column(
            group,
            lambda e: Cell(e.group or DASH, _group_key(e.group or "")),
            numeric=False,
            applies=grouped,
        ),
        *(field.column(gaps, applies=asked) for field in MAY_BE_BEST),
    )
    caption = f"{kind.capitalize()}s by {score or metric.name}" if compared else f"Scores on {metric.name}"
    table = Table.of(
        f"{caption} ({direction(metric)}), {c.extent}",
        columns,
        entries,
        lambda e: compared and stands_level(e, entries[0]),
        part="scores",
        main=2 if tested else 1,
        methods=methods if compared else "",
        footnote=" ".join(
            filter(
                None,
                (
                    footnote_on_letters(entries) * grouped,
                    footnote_on_best(
                        c.level,
                        [entry.group or "" for entry in entries],
                        [entry.system for entry in entries],
                        part_about(c.best_sets, metric) if asked else None,
                    ),
                ),
            )
        ),
    )
    table = with_bars(table, [(e.score, e.interval) for e in entries])
    return with_first_rows(table, most) if compared else table


def columns_on_the_best(c: Any, digits: Rounding) -> list[Column]:
    """Return the columns on the best for places in `systems`, which are names; none if it was not asked."""
    if c.best is None:
        return []
    look = Look(Rounding(digits.decimals, measured=digits.measured), c.level)
    stands = [
        SimpleNamespace(may_be_best=name in c.best.systems, behind=most)
        for name, most in zip(c.systems, c.behind, strict=True)
    ]
    return [column.part(field.column(look), stands.__getitem__) for field in MAY_BE_BEST]


def with_bars(
    table: Table, rows: Iterable[tuple[float, Interval | None]], marked: float | None = None
) -> Table:
    """Return a table whose rows have the estimates and intervals that bars are drawn of."""
    spans = ((estimate, *ends(interval)) for estimate, interval in rows)
    spanned = (dataclasses.replace(row, span=span) for row, span in zip(table.rows, spans, strict=True))
    return dataclasses.replace(table, rows=tuple(spanned), marked=marked)


def with_first_rows(table: Table, most: int) -> Table:
    """Return a table of which the short answer shows so many rows at most."""
    if len(table.rows) <= most:
        return table
    caption = f"{table.caption}: the first {most} of {len(table.rows)}"
    return dataclasses.replace(
        table, short=dataclasses.replace(table, caption=caption, rows=table.rows[:most])
    )


def footnote_on_best(
    level: float, letters: Sequence[str], systems: Sequence[str], best: BestSet | None
) -> str:
    """Return how the columns on the best system are to be read, and why they may say more than the letters.

    `letters` are the groups of the systems, the best first; "" where there are none.
    """
    if best is None:
        return ""
    text = f"With {percent(level)}, the best system has a dot, and no system is farther behind it than said."
    pairs = zip(letters, systems, strict=False)
    if any({*group} & {*letters[0]} and system not in best.systems for group, system in pairs):
        text += " Dots are of comparisons with the best alone, letters of all pairs, which tell fewer apart."
    return text


def footnote_on_letters(entries: Sequence[SystemScore]) -> str:
    """Return the line that tells letters of groups from systems; "" where none is called by such a letter."""
    return _LETTERS if letters_are_names(entries) else ""


def letters_are_names(entries: Sequence[SystemScore]) -> bool:
    """Return whether a system is called by a letter that stands for a group."""
    used = {letter for entry in entries if (entry.group or "").isalpha() for letter in entry.group or ""}
    return not used.isdisjoint(entry.system.casefold() for entry in entries)


def one_sided(differences: Sequence[Difference]) -> bool:
    """Return whether the tests of a family are one-sided."""
    test = differences[0].test if differences else None
    return test is not None and test.alternative != "two-sided"


def _group_key(group: str) -> str:
    """Return what groups are sorted by: letters as they are, numbers by their first.

    >>> _group_key("bc"), _group_key("12-17, 19")
    ('bc', '00012')
    """
    number = group.split(",")[0].split("-")[0]
    return number.zfill(5) if number.isdigit() else group


def difference_columns(c: Any, sides: column.Sides, look: Look) -> list[Column]:
    """Return the columns of any table of differences; adjusted p-values if there was a correction."""
    shown = named(DIFFERENCE)
    corrected = look.correction != "none" and len(sides.columns) > 0  # a single pair has nothing to correct
    return [
        *sides.columns,
        shown["difference"].column(look),
        shown["interval"].column(look, applies=shown["interval"].applies(c)),
        shown["p_value"].column(look, applies=shown["p_value"].applies(c)),
        shown["p_adjusted"].column(look, applies=corrected and shown["p_adjusted"].applies(c)),
    ]


def differences_table(c: Comparison, metric: MetricInfo, *beside_p: Column, most: int = BEST) -> Table:
    """Return the table of differences on one metric, in their order; with a margin also the verdicts.

    Of many the short answer shows those with the best system, or with the baseline, and at most `most`.
    """
    differences = differences_of(c, metric)
    caption = f"{'Difference' if len(differences) == 1 else 'Differences'} in {metric.name}"
    look = Look(difference_rounding(c, metric), c.level, c.correction)
    best = systems_of(c, metric)[0].system
    return _differences(c, differences, caption, beside_p, look, methods_sentence(c, metric), best, most)


def pairs_table(c: Any, caption: str, columns: Sequence[Column], methods: str) -> Table:
    """Return the differences over datasets or folds, with columns of their own."""
    level = c.differences[0].level if c.differences else None
    look = Look(difference_rounding(c), level, c.correction)
    return _differences(c, c.differences, caption, columns, look, methods, c.systems[0], BEST)


def _differences(
    c: Any,
    differences: Sequence[Difference],
    caption: str,
    columns: Sequence[Column],
    look: Look,
    methods: str,
    best: str,
    most: int,
) -> Table:
    def table(shown: Sequence[Difference], footnote: str) -> Table:
        sides = column.sides(shown)
        some = f": {len(shown)} of {len(differences)}" if len(shown) < len(differences) else ""
        of_table = Table.of(
            f"{caption}, {sides.minus}{margin_clause(c, sides)}{some}",
            (*difference_columns(c, sides, look), *columns, verdicts(shown), marks(shown)),
            shown,
            stands_out,
            part="differences",
            main=len(sides.columns),
            methods=methods,
            footnote=footnote,
        )
        return with_bars(of_table, [(d.estimate, d.interval) for d in shown], marked=0.0)

    shown = differences
    if len(c.differences) > MOST_IN_SHORT:
        n_systems = len({name for d in differences for name in (d.a, d.b)})
        every_pair = len(differences) == n_systems * (n_systems - 1) // 2
        shown = [d for d in differences if not every_pair or best in (d.a, d.b)]
        shown = shown[: most - every_pair]
    short = table(shown, disagreements.short_line(map(disagreements.kinds, shown)))
    return dataclasses.replace(table(differences, why_marked(differences, c)), short=short)


def pairs_matrix(c: Any, metric: MetricInfo, shown: Any = None) -> Table:
    """Return the differences of every two systems as a matrix above the diagonal: row minus column.

    `shown` is the same comparison with the systems that are shown, if these are not all.

    Raises
    ------
    InvalidInputError
        If not every pair was compared.
    """
    shown = c if shown is None else shown
    digits = difference_rounding(shown, metric)
    entries = shown.systems if hasattr(shown, "metric") else systems_of(shown, metric)
    names = [entry if isinstance(entry, str) else entry.system for entry in entries]
    try:
        of_pair = {pair: cast("Difference", c[*pair, metric.name]) for pair in combinations(names, 2)}
    except InvalidInputError as error:
        raise InvalidInputError(
            "the matrix of pairs needs the differences of every two systems, and not all were compared",
            hint='take the list of the differences, parts=["differences"], or compare without a baseline',
        ) from error

    def against(place: int) -> Column:
        def cell(row: int) -> Cell:
            if row >= place:
                return Cell("", math.nan)
            d = of_pair[names[row], names[place]]
            number = column.number_cell(digits, d.estimate)
            return number.followed_by(SIGNIFICANT) if stands_out(d) else number

        return Column(str(place + 1), cell)

    columns = (
        column.name("system", lambda row: f"{row + 1} {names[row]}"),
        *(against(place) for place in range(1, len(names))),
    )
    caption = f"Differences in {metric.name}, row {MINUS} column"
    return Table.of(
        caption,
        columns,
        range(len(names)),
        part="pairs",
        main=0,
        methods=sentence_of_tests(c, metric),
        footnote=_significance(c, of_pair.values()) if computed(c, "test") else "",
    )


def _significance(c: Any, differences: Iterable[Difference]) -> str:
    """Return what the star means, or that no difference has one."""
    alone = c.correction == "none" or is_one_comparison(c)
    corrected = "" if alone else f" after correction ({c.correction})"
    mark = SIGNIFICANT if any(map(stands_out, differences)) else "No"
    return f"{mark} p ≤ {margin_text(alpha(c.level))}{corrected}."


def marks(differences: Iterable[Difference]) -> Column:
    """Return the column of the marks of rows whose parts disagree, which applies if there are any."""
    return marked_by(disagreements.kinds, applies=any(map(disagreements.kinds, differences)))


def marked_by(kinds: Callable[[Any], disagreements.Kinds], *, applies: bool) -> Column:
    """Return the column of the marks of entries, empty where there are none."""

    def cell(entry: Any) -> Cell:
        text = disagreements.text(kinds(entry))
        return Cell(text, text)

    return Column(MARK, cell, numeric=False, applies=applies)


def why_marked(differences: Iterable[Difference], c: Any) -> str:
    """Return the lines below a table or figure of differences that say why parts of some disagree."""
    return disagreements.line(((d, disagreements.kinds(d)) for d in differences), c)


def verdicts(differences: Iterable[Any]) -> Column:
    """Return the column of the verdicts, which applies if there are any."""
    judged = any(d.verdict is not None for d in differences)
    return named(DIFFERENCE)["verdict"].column(Look(), applies=judged)


def margin_clause(c: Any, sides: column.Sides) -> str:
    """Return the margin, and whom the verdicts are on."""
    return "" if c.margin is None else f"; margin {margin_text(c.margin)}, verdict on {sides.one}"


_MOST_COLUMNS, _MOST_ROWS = 10, 30
"""Columns and rows up to which a page shows the table without being asked."""


def shares_table(shares: tuple[ClassShares, ...]) -> Table | None:
    """Return the table, or None without classes: a row per system and a column per class, or turned round."""
    if not shares:
        return None
    labels = shares[0].labels
    soft = shares[0].counts is None
    caption = "Mean probability of each class" if soft else "Items of each class"
    caption += " in the gold and in the predictions of each system"
    if len(labels) <= len(shares) or len(labels) <= _MOST_COLUMNS:
        columns = [column.name("system", lambda entry: entry.system or GOLD)]
        columns += [Column(label, partial(_share_cell, place)) for place, label in enumerate(labels)]
        return Table.of(caption, columns, shares, lambda entry: entry.system is None, main=0)
    columns = [column.name("class", lambda place: labels[place])]
    columns += [Column(entry.system or GOLD, partial(_share_cell, entry=entry)) for entry in shares]
    return Table.of(caption, columns, range(len(labels)), main=0)


def is_small(table: Table) -> bool:
    """Return whether a page shows the table without being asked."""
    return len(table.columns) <= _MOST_COLUMNS + 1 and len(table.rows) <= _MOST_ROWS


def _share_cell(place: int, entry: ClassShares) -> Cell:
    share = entry.shares[place]
    if entry.counts is None:
        return Cell(f"{share:.3f}", share)
    return Cell(f"{entry.counts[place]} ({percent_of(share)})", share)


def class_rows(c: Any) -> list[dict[str, Any]]:
    """Return one row per column of labels and class, as `CLASS_SHARE` names them; the gold has no system."""
    return [
        {"system": entry.system, "label": label, "share": share, "count": count}
        for entry in c.classes
        for label, share, count in zip(
            entry.labels, entry.shares, entry.counts or (None,) * len(entry.labels), strict=True
        )
    ]
