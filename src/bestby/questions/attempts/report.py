"""The report of a comparison over all k: its sentences, its tables, and its paragraph for a paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from bestby.inference.skewness import FROM_UNITS
from bestby.questions.attempts import figure
from bestby.questions.attempts.result import AttemptsComparison, AttemptsDifference, BetterAt
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes
from bestby.report.numbers import DASH, Rounding, percent
from bestby.report.paper import named
from bestby.report.references import cite
from bestby.report.tables import Table
from bestby.report.words import direction, listed, units_of_items
from bestby.results.values import Interval

MOST_PAIRS = 10
"""Pairs of systems that the short answer has lines for."""

_SHOWN = (1, 2, 5, 10, 20, 50, 100)


class _Point(NamedTuple):
    """A curve at one k: of a system, or of a difference, where `a` and `b` are its systems."""

    k: int
    score: float
    low: float
    high: float
    system: str = ""
    a: str = ""
    b: str = ""
    winner: str | None = None

    @property
    def significant(self) -> bool:
        return self.winner is not None


def _of_curves(c: AttemptsComparison) -> list[_Point]:
    return [
        _Point(k, *numbers, system=one.system)
        for one in c.curves
        for k, numbers in enumerate(zip(one.scores, one.low, one.high, strict=True), start=1)
    ]


def _of_differences(c: AttemptsComparison) -> list[_Point]:
    points = []
    for one in c.pairs:
        rows = zip(one.difference, one.low, one.high, one.better, strict=True)
        points += [
            _Point(k, value, low, high, a=one.a, b=one.b, winner=winner)
            for k, (value, low, high, winner) in enumerate(rows, start=1)
        ]
    return points


def document(c: AttemptsComparison) -> Document:
    """Return the report: where one system is better, the curves, and their differences."""
    caption = f"Each band holds for all k at once ({percent(c.level)})."
    if len(c.curves) == 2:
        caption += " Along the bottom: where the system of that colour is significantly better."
    several = len(c.curves) > 2
    curves = _by_k(c) if not several else _points("Curves", _of_curves(c), c, "curves", details=True)
    tables = [*([_by_system(c)] if several else []), *([_pairs(c)] if several else []), curves]
    if c.pairs:
        tables.append(_points("Differences", _of_differences(c), c, "differences", details=several))
    span = f"k = 1 to {c.fewest}" if c.fewest > 1 else "k = 1"
    samples = f"{c.fewest}" if c.fewest == c.most else f"{c.fewest} to {c.most}"
    return one_section(
        c,
        title=f"{c.metric.name} of {listed(c.systems)}"
        if not several
        else f"{c.metric.name} of {len(c.curves)} systems",
        subtitle=f"{c.extent} of {samples} samples, {span}, {percent(c.level)} bands, {direction(c.metric)}",
        methods=methods(c),
        name=c.metric.name,
        lead=headline(c),
        tables=tuple(tables),
        pictures=(Picture(f"{c.metric.name} over k", caption, partial(figure.attempts, c)),),
    )


def headline(c: AttemptsComparison) -> str:
    """Return where which system is better; of one system how its curve runs."""
    if not c.pairs:
        (one,), digits = c.curves, _digits(_of_curves(c), c)
        text = f"{c.metric.name} of {one.system} is {digits.text(one.scores[0])} at k = 1"
        if c.fewest > 1:
            text += f" and {digits.text(one.scores[-1])} at k = {c.fewest}"
    elif len(c.pairs) == 1:
        text = sentence(c.pairs[0], c.fewest)
    else:
        significant = [one for one in c.pairs if one.significant]
        if not significant:
            text = f"No two of the {len(c.curves)} systems can be told apart at any k"
        elif len(significant) <= 2:
            text = "; ".join(sentence(one, c.fewest) for one in significant)
        else:
            crossing = sum(bool(one.crossings) for one in c.pairs)
            text = f"{len(significant)} of {len(c.pairs)} pairs of systems differ significantly at some k"
            text += f", and the curves of {crossing} of them cross" if crossing else ""
    return " ".join([f"{text}.", *_few(c)])


def sentence(d: AttemptsDifference, largest: int) -> str:
    """Return at which of the k up to the largest one of two systems is significantly better."""
    if not d.significant:
        return f"{d.a} and {d.b} cannot be told apart at any k"
    parts: list[str] = []
    for system in dict.fromkeys(one.system for one in d.ranges):
        other = d.b if system == d.a else d.a
        than = f" than {other}" if not parts else ""
        at = listed([_span(one, largest) for one in d.ranges if one.system == system])
        parts.append(f"{system} is significantly better{than} {at}")
    text = ", ".join(parts)
    for last, first in d.crossings:
        text += f"; the curves cross between k = {last} and {first}"
    return text


def _span(one: BetterAt, largest: int) -> str:
    """Return where a system is better in words.

    >>> _span(BetterAt("a", 1, 3), 9), _span(BetterAt("a", 4, 9), 9), _span(BetterAt("a", 2, 2), 9)
    ('at k = 1 to 3', 'from k = 4 on', 'at k = 2')
    """
    if one.first == 1 and one.last == largest and largest > 1:
        return "at every k"
    if one.last == largest and one.first < largest:
        return f"from k = {one.first} on"
    return f"at k = {one.first}" + (f" to {one.last}" if one.last > one.first else "")


def _few(c: AttemptsComparison) -> Iterator[str]:
    n, units = units_of_items(c.n_items, c.n_clusters, c.provenance)
    if n < FROM_UNITS:
        yield f"This rests on {n} {units}, among which a rare kind of item is hardly to be found."


def _shown_at(largest: int) -> list[int]:
    """Return the k that the short answer has rows for.

    >>> _shown_at(12)
    [1, 2, 5, 10, 12]
    """
    return sorted({k for k in _SHOWN if k <= largest} | {largest})


def _digits(points: Sequence[_Point], c: AttemptsComparison) -> Rounding:
    return Rounding.for_scores([(one.score, _interval(one, c)) for one in points])


def _interval(point: _Point, c: AttemptsComparison) -> Interval:
    return Interval(point.low, point.high, c.level, "max-t", True)


def _in_short(whole: Table, entries: Sequence[int], largest: int) -> Table:
    """Return a table of which the short answer shows fewer k; `entries` are those of its rows."""
    shown = _shown_at(largest)
    if len(shown) == largest:
        return whole
    rows = tuple(row for row, k in zip(whole.rows, entries, strict=True) if k in shown)
    return dataclasses.replace(whole, short=dataclasses.replace(whole, rows=rows))


def _k() -> Column:
    return Column("k", lambda e: Cell(str(e[0].k), float(e[0].k)))


def _by_k(c: AttemptsComparison) -> Table:
    """Return the curves of one system or two, side by side."""
    points = _of_curves(c)
    rows = [points[k :: c.fewest] for k in range(c.fewest)]
    digits, columns = _digits(points, c), [_k()]
    for place, name in enumerate(c.systems):
        at = partial(lambda place, e: e[place], place)
        columns += [
            column.part(column.number(name, digits, attrgetter("score")), at),
            column.part(column.interval(c.level, digits, partial(_interval, c=c)), at),
        ]
    caption = f"{c.metric.name} ({direction(c.metric)})"
    table = Table.of(caption, columns, rows, part="curves", main=1, methods=methods(c))
    return _in_short(table, [row[0].k for row in rows], c.fewest)


def _by_system(c: AttemptsComparison) -> Table:
    """Return the scores of many systems at some k."""
    digits = _digits(_of_curves(c), c)
    columns = (
        column.name("system", attrgetter("system")),
        *(
            column.number(f"k = {k}", digits, partial(lambda k, e: e.scores[k - 1], k))
            for k in _shown_at(c.fewest)
        ),
    )
    caption = f"{c.metric.name} ({direction(c.metric)})"
    return Table.of(caption, columns, c.curves, part="systems", main=0, methods=methods(c))


def _pairs(c: AttemptsComparison) -> Table:
    """Return where one of every two systems is better, significant pairs first."""

    def at(side: str) -> Any:
        def text(d: AttemptsDifference) -> str:
            system = getattr(d, side)
            return ", ".join(
                f"{one.first}" if one.first == one.last else f"{one.first} to {one.last}"
                for one in d.ranges
                if one.system == system
            )

        return text

    crossed = any(d.crossings for d in c.pairs)
    columns = (
        column.name("A", attrgetter("a")),
        column.name("B", attrgetter("b")),
        column.text("A better at k", at("a")),
        column.text("B better at k", at("b")),
        column.text(
            "cross between", lambda d: ", ".join(f"{x} and {y}" for x, y in d.crossings), applies=crossed
        ),
    )
    entries = sorted(c.pairs, key=lambda d: not d.significant)
    table = Table.of(
        "Significantly better", columns, entries, attrgetter("significant"), part="pairs", main=2
    )
    if len(entries) <= MOST_PAIRS:
        return table
    note = f"{MOST_PAIRS} of {len(entries)} pairs."
    return dataclasses.replace(
        table, short=dataclasses.replace(table, rows=table.rows[:MOST_PAIRS], footnote=note)
    )


def _points(
    caption: str, points: Sequence[_Point], c: AttemptsComparison, part: str, *, details: bool
) -> Table:
    """Return a row for each k of every curve, or of every difference."""
    digits, pair = _digits(points, c), part == "differences"
    single = len(c.pairs) == 1
    named: tuple[Column, ...] = (column.name("system", attrgetter("system")),)
    if pair and single:
        named, caption = (), f"Difference, {c.pairs[0].a} minus {c.pairs[0].b}"
    elif pair:
        named = column.name("A", attrgetter("a")), column.name("B", attrgetter("b"))
        caption = "Differences, A minus B"
    columns = (
        *named,
        Column("k", lambda e: Cell(str(e.k), float(e.k))),
        column.number("difference" if pair else c.metric.name, digits, attrgetter("score")),
        column.interval(c.level, digits, partial(_interval, c=c)),
        column.text("significantly better", lambda e: e.winner or DASH, applies=pair),
    )
    table = Table.of(
        caption, columns, points, attrgetter("significant"), part=part,
        main=len(named) + 1, details=details, methods=methods(c),
    )  # fmt: skip
    return table if details else _in_short(table, [one.k for one in points], c.fewest)


def methods(c: AttemptsComparison) -> str:
    """Return how the numbers were computed."""
    text = (
        "Bands hold for all k at once (max-T, Student's t). At each k they are Wilson's intervals of as many"
        " answers as have the variance of the mean"
    )
    if c.pairs:
        all_pairs = " and hold for all pairs of systems at once" if len(c.pairs) > 1 else ""
        text += f"; those of differences add both in squares{all_pairs}"
    return f"{text}."


CURVE = (
    Field("metric", "metric.name", of_result=True),
    *attributes("system", "k", "score", "low", "high"),
    Field("level", of_result=True),
)
DIFFERENCE = (
    Field("metric", "metric.name", of_result=True),
    *attributes("a", "b", "k"),
    Field("difference", "score"),
    *attributes("low", "high"),
    Field("level", of_result=True),
    *attributes("significant", "winner"),
)

TABLES = {"curves": Rows(CURVE, _of_curves), "differences": Rows(DIFFERENCE, _of_differences)}


def dictionary(c: AttemptsComparison) -> dict[str, Any]:
    """Return the curves and differences as dictionaries, and where differences are significant."""
    ranges = [
        {"a": d.a, "b": d.b, "system": one.system, "first": one.first, "last": one.last}
        for d in c.pairs
        for one in d.ranges
    ]
    found = {"metric": c.metric.name, "fewest": c.fewest, "most": c.most, "headline": headline(c)}
    return found | {name: rows.rows(c) for name, rows in TABLES.items()} | {"ranges": ranges}


def sentences(c: AttemptsComparison) -> Iterator[str]:
    """Yield how the curves were compared."""
    n = len(c.curves)
    what = f"{n} systems" if n > 1 else "one system"
    source = cite("attempts", c.metric.name.removesuffix(" (%)"))
    yield (
        f"We computed {c.metric.name}{source} of {what}{named(c.systems)} for k from 1 to {c.fewest} on"
        f" {c.extent}, from {c.fewest if c.fewest == c.most else f'{c.fewest} to {c.most}'} samples of each"
        " item."
    )
    yield (
        f"The {percent(c.level)} band of each curve holds for all k at once: the critical value is that of"
        f" the largest deviation{cite('attempts', 'band')}, and the intervals are Wilson's with the"
        f" effective number of answers{cite('attempts', 'wilson')}."
    )
    if c.pairs:
        pairs = " and all pairs of systems" if len(c.pairs) > 1 else ""
        yield (
            f"Differences have bands for all k{pairs} at once, from both intervals and the correlation of the"
            f" two systems{cite('attempts', 'difference')}; systems differ significantly where the band"
            f" excludes 0."
        )
