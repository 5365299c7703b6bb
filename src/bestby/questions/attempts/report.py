"""The report of a comparison over all k: its sentences, its tables, and its paragraph for a paper."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from bestby.inference.skewness import FROM_UNITS
from bestby.questions.attempts import figure
from bestby.questions.attempts.result import AttemptsComparison, AttemptsDifference, BetterAt
from bestby.report import column
from bestby.report.column import Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes, interval_ends
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
    interval: Interval
    system: str = ""
    a: str = ""
    b: str = ""
    winner: str | None = None

    @property
    def significant(self) -> bool:
        return self.winner is not None


def _of_curves(c: AttemptsComparison) -> list[_Point]:
    return [
        _Point(k, score, Interval(low, high, c.level, "max-t", True), system=one.system)
        for one in c.curves
        for k, (score, low, high) in enumerate(zip(one.scores, one.low, one.high, strict=True), start=1)
    ]


def _of_differences(c: AttemptsComparison) -> list[_Point]:
    return [
        _Point(k, value, Interval(low, high, c.level, "max-t", True), a=one.a, b=one.b, winner=winner)
        for one in c.pairs
        for k, (value, low, high, winner) in enumerate(
            zip(one.difference, one.low, one.high, one.better, strict=True), start=1
        )
    ]


def document(c: AttemptsComparison) -> Document:
    """Return the report: where one system is better, the curves, and their differences."""
    caption = f"Each band holds for all k at once ({percent(c.level)})."
    if len(c.curves) == 2:
        caption += " Along the bottom: where the system of that colour is significantly better."
    several = len(c.curves) > 2
    differences = _points("Differences", _of_differences(c), c, "differences", details=several)
    curves = _points("Curves", _of_curves(c), c, "curves", details=True) if several else _by_k(c)
    span = f"k = 1 to {c.fewest}" if c.fewest > 1 else "k = 1"
    systems = f"{len(c.curves)} systems" if several else listed(c.systems)
    return one_section(
        c,
        title=f"{c.metric.name} of {systems}",
        subtitle=f"{c.extent} of {_samples(c)} samples, {span}, {percent(c.level)} bands,"
        f" {direction(c.metric)}",
        methods=methods(c),
        name=c.metric.name,
        lead=headline(c),
        tables=(
            *((_by_system(c), _pairs(c)) if several else ()),
            curves,
            *((differences,) if c.pairs else ()),
        ),
        pictures=(Picture(f"{c.metric.name} over k", caption, partial(figure.attempts, c)),),
    )


def _samples(c: AttemptsComparison) -> str:
    return f"{c.fewest}" if c.fewest == c.most else f"{c.fewest} to {c.most}"


def headline(c: AttemptsComparison) -> str:
    """Return where which system is better; of one system how its curve runs."""
    if not c.pairs:
        (one,), digits = c.curves, _digits(_of_curves(c))
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


def _digits(points: Sequence[_Point]) -> Rounding:
    return Rounding.for_scores([(one.score, one.interval) for one in points])


def _in_short(whole: Table, entries: Sequence[int], largest: int) -> Table:
    """Return a table of which the short answer shows fewer k; `entries` are those of its rows."""
    shown = _shown_at(largest)
    if len(shown) == largest:
        return whole
    rows = tuple(row for row, k in zip(whole.rows, entries, strict=True) if k in shown)
    return dataclasses.replace(whole, short=dataclasses.replace(whole, rows=rows))


_K = column.count("k", attrgetter("k"))


def _by_k(c: AttemptsComparison) -> Table:
    """Return the curves of one system or two, side by side."""
    points = _of_curves(c)
    rows, digits = [points[k :: c.fewest] for k in range(c.fewest)], _digits(points)
    columns = [column.part(_K, itemgetter(0))]
    for place, name in enumerate(c.systems):
        of_system = (
            column.number(name, digits, attrgetter("score")),
            column.interval(c.level, digits, attrgetter("interval")),
        )
        columns += [column.part(one, itemgetter(place)) for one in of_system]
    caption = f"{c.metric.name} ({direction(c.metric)})"
    table = Table.of(caption, columns, rows, part="curves", main=1, methods=methods(c))
    return _in_short(table, [row[0].k for row in rows], c.fewest)


def _by_system(c: AttemptsComparison) -> Table:
    """Return the scores of many systems at some k."""
    digits = _digits(_of_curves(c))
    columns = [column.name("system", attrgetter("system"))]
    for k in _shown_at(c.fewest):
        at_k = column.part(column.number(f"k = {k}", digits, itemgetter(k - 1)), attrgetter("scores"))
        columns.append(at_k)
    caption = f"{c.metric.name} ({direction(c.metric)})"
    return Table.of(caption, columns, c.curves, part="systems", main=0, methods=methods(c))


def _pairs(c: AttemptsComparison) -> Table:
    """Return where one of every two systems is better, significant pairs first."""

    def at(side: str, d: AttemptsDifference) -> str:
        ranges = [one for one in d.ranges if one.system == getattr(d, side)]
        return ", ".join(
            f"{one.first}" + (f" to {one.last}" if one.last > one.first else "") for one in ranges
        )

    crossed = any(d.crossings for d in c.pairs)
    columns = (
        column.name("A", attrgetter("a")),
        column.name("B", attrgetter("b")),
        column.text("A better at k", partial(at, "a")),
        column.text("B better at k", partial(at, "b")),
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
    digits, pair = _digits(points), part == "differences"
    single = len(c.pairs) == 1
    named: tuple[Column, ...] = (column.name("system", attrgetter("system")),)
    if pair and single:
        named, caption = (), f"Difference, {c.pairs[0].a} minus {c.pairs[0].b}"
    elif pair:
        named = column.name("A", attrgetter("a")), column.name("B", attrgetter("b"))
        caption = "Differences, A minus B"
    columns = (
        *named,
        _K,
        column.number("difference" if pair else c.metric.name, digits, attrgetter("score")),
        column.interval(c.level, digits, attrgetter("interval")),
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


_METRIC = Field("metric", "metric.name", of_result=True)
_BAND = (*interval_ends("interval", needs=()), Field("level", of_result=True))
CURVE = (_METRIC, *attributes("system", "k", "score"), *_BAND)
DIFFERENCE = (
    _METRIC, *attributes("a", "b", "k"), Field("difference", "score"), *_BAND,
    *attributes("significant", "winner"),
)  # fmt: skip

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
        f" {c.extent}, from {_samples(c)} samples of each"
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
