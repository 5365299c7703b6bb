"""The report of systems that were compared item by item, and its figure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any, Literal

from bestby import vocabulary
from bestby._core.errors import DesignError
from bestby._core.text import grouped
from bestby.questions.monitor.result import MonitoredComparison, MonitoredDifference
from bestby.report import column
from bestby.report.column import Cell, Column
from bestby.report.document import Document, Picture, one_section
from bestby.report.fields import Field, Rows, attributes, interval_ends, values
from bestby.report.figures.canvas import ACCENT, BAND, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, patch
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, margin_text, p_text, percent
from bestby.report.paper import named, with_works
from bestby.report.tables import Table, with_bars
from bestby.results.values import extent

_POPULATIONS = {
    "bank": "the mean over the {} items of this benchmark",
    "wider": "the mean over all items like these",
}


def document(c: MonitoredComparison) -> Document:
    """Return the report: what may be concluded, the systems, and the differences."""
    pictures: tuple[Picture, ...] = ()
    if c.path:
        caption = "The band is the interval, valid at every number of items."
        caption += "" if c.margin is None else " Dashed lines are the margin."
        pictures = (Picture("Difference and interval by number of items", caption, partial(monitored, c)),)
    counted = extent(c.n_items, c.n_clusters)
    of_available = "" if c.n_available is None else f" of {c.n_available}"
    margin = "" if c.margin is None else f", smallest difference that matters {margin_text(c.margin)}"
    return one_section(
        c,
        title=f"{c.systems[0].system}, monitored item by item",
        subtitle=f"{counted}{of_available}, {percent(c.level)} intervals at every look{margin}",
        methods=methods(c),
        name="monitored",
        lead=sentence(c),
        tables=(_systems(c), _differences(c)),
        pictures=pictures,
    )


def rounding(c: MonitoredComparison) -> Rounding:
    """Return the decimals of the differences."""
    return Rounding.of([(d.estimate, d.interval) for d in c.pairs], c.margin)


def sentence(c: MonitoredComparison) -> str:
    """Return what can be concluded at this moment."""
    first, others = c.systems[0].system, [d.b for d in c.pairs]
    if not c.n_items:
        return f"No item of {first} has been counted yet."
    counted = extent(c.n_items, c.n_clusters)
    all_others = others[0] if len(others) == 1 else f"all {len(others)} other systems"
    by = "" if c.margin is None else f" by more than {margin_text(c.margin)}"
    if c.decision in ("better", "worse"):
        worse = c.decision == "worse"
        which = next(d.b for d in c.pairs if d.decision == "worse") if worse else all_others
        said = f"{first} is {c.decision} than {which}{by}"
        if c.margin is None:
            said = f"{first} has a significantly {_side(c, worse=worse)} score than {which}"
    elif c.decision == "equivalent":
        pair = len(others) == 1
        same = f"{first} and {others[0]} are equivalent" if pair else f"{first} is as good as {all_others}"
        said = f"{same} within the margin of {margin_text(c.margin or 0.0)}"
    elif len(c.pairs) == 1 and c.margin is not None and (winner := c.pairs[0].winner) is not None:
        left = "cannot be decided with the items that are left" if c.decision == "futile" else "is open"
        side = _side(c, worse=winner != first)
        said = f"{first} has a significantly {side} score than {all_others}; whether{by} {left}"
    elif c.decision == "futile":
        said = f"Whether {first} and {all_others} differ{by} cannot be decided with the items that are left"
    else:
        said = f"Nothing can be concluded yet about {first} and {all_others}"
    if c.provisional:
        said = f"Provisionally, {said}"
    at_once = c.decided_at in (None, c.n_items)
    when = f"after {counted}" if at_once else f"decided after {c.decided_at} of {counted}"
    return f"{said} ({when}){_numbers(c)}."


def _side(c: MonitoredComparison, *, worse: bool) -> Literal["higher", "lower"]:
    return "lower" if worse == c.greater_is_better else "higher"


def _numbers(c: MonitoredComparison) -> str:
    if len(c.pairs) > 1:
        rest = sum(one.behind is None for one in c.systems)
        if rest == 1 and c.systems[0].behind is None:
            return f"; no other of the {len(c.systems)} systems can still be first"
        return f"; {rest} of {len(c.systems)} systems can still be first"
    d, digits = c.pairs[0], rounding(c)
    numbers = f": {d.a} {MINUS} {d.b} = {digits.text(d.estimate)}"
    if d.interval is None:
        return f"{numbers}, no interval yet"
    numbers += f", {percent(c.level)} interval {digits.interval(d.interval)}"
    if d.overturned_by is None:
        return numbers
    return f"{numbers}; a single item {_overturning(d)} off the mean would overturn it"


def _systems(c: MonitoredComparison) -> Table:
    digits = Rounding.for_scores([(one.score, c.pairs[0].interval) for one in c.systems])
    columns = (
        column.name("system", attrgetter("system")),
        column.number("mean score", digits, attrgetter("score")),
        column.count("items", attrgetter("n_items")),
        column.text("behind", lambda e: e.behind or "", applies=bool(c.dropped)),
    )
    better = "higher" if c.greater_is_better else "lower"
    return Table.of(f"Scores, {better} is better", columns, c.systems, part="scores", main=1)


def _differences(c: MonitoredComparison) -> Table:
    digits, threshold = rounding(c), alpha(c.level)
    level = c.pairs[0].interval.level if c.pairs[0].interval else c.level
    sides = column.sides(c.pairs)

    def p_cell(d: MonitoredDifference) -> Cell:
        return Cell(DASH, 2.0) if d.p_value is None else Cell(p_text(d.p_value, threshold), d.p_value)

    columns = (
        *sides.columns,
        column.number("difference", digits, attrgetter("estimate")),
        column.interval(level, digits, attrgetter("interval")),
        Column("p at any look", p_cell, applies=any(d.p_value is not None for d in c.pairs)),
        column.text("better on", lambda d: f"{d.wins} : {d.losses}"),
        column.count("items", attrgetter("n_items")),
        column.text("decision", _decision),
        column.text("overturned by", _overturning, applies=any(d.overturned_by is not None for d in c.pairs)),
    )
    table = Table.of(
        f"Differences, {sides.minus}",
        columns,
        c.pairs,
        lambda d: d.decision in ("better", "worse"),
        part="differences",
        main=len(sides.columns),
        methods=methods(c),
    )
    return with_bars(table, [(d.estimate, d.interval) for d in c.pairs], marked=0.0)


def _decision(d: MonitoredDifference) -> str:
    decision = f"{d.decision} (provisional)" if d.provisional else d.decision
    return "open" if d.decision is None else f"{decision}, at {d.decided_at}"


def _overturning(d: MonitoredDifference) -> str:
    """Return the size of a difference in the digits of which one may speak."""
    return "" if d.overturned_by is None else f"{d.overturned_by:.3g}"


def methods(c: MonitoredComparison) -> str:
    """Return how the numbers were computed."""
    about = _POPULATIONS[c.population].format(c.n_available)
    together = "" if len(c.systems) == 2 else ", for all pairs of systems at once"
    named = vocabulary.long_name("interval", c.method).replace("interval", "intervals")
    kind, looks = (f"{named}s", "every look") if c.looks is None else (named, planned_looks(c.looks))
    text = (
        f"The intervals are {kind}: with probability {percent(c.level)} they hold the true difference at"
        f" {looks}{together}, so one may stop at any of them. They are about {about}."
    )
    if (size := rare_loss(c)) is not None:
        text += f" They allow for rare differences as large as {size}."
    if c.decided_at is not None:
        text += (
            " After a stop the estimate is on average a little too far from 0; the interval allows for it."
        )
    return text


def rare_loss(c: MonitoredComparison) -> str | None:
    """Return the size of the rare differences that intervals of scores without bounds allow for."""
    before = any(note.code == "begun_before" for note in c.notes)
    if c.method != "asymptotic" or c.bounds is not None or before:
        return None
    return "the largest deviation from the mean so far" if c.largest is None else f"{c.largest:g}"


def planned_looks(looks: tuple[int, ...]) -> str:
    """Return which looks were planned.

    >>> planned_looks((500, 1000))
    'the 2 planned looks (500, 1000 items)'
    """
    shown = ", ".join(map(str, looks)) if len(looks) <= 10 else f"{looks[0]}, {looks[1]}, ..., {looks[-1]}"
    return f"the {len(looks)} planned looks ({shown} items)" if len(looks) > 1 else f"{shown} items"


TABLES = {
    "pairs": Rows(
        (
            *attributes("a", "b"),
            Field("difference", "estimate"),
            *interval_ends("interval", needs=(), absent=None),
            Field("level", of_result=True),
            Field("interval", "method", of_result=True),
            Field("p_value"),
            *attributes("n_items", "n_clusters", "wins", "losses", "decision", "decided_at", "overturned_by"),
            *attributes("provisional", "significant", "winner"),
        ),
        attrgetter("pairs"),
    ),
    "scores": Rows(attributes("system", "score", "n_items", "behind"), attrgetter("systems")),
    "path": Rows(attributes("n_items", "estimate", "low", "high"), attrgetter("path")),
}
"""The last is how the first pair developed."""


def dictionary(c: MonitoredComparison) -> dict[str, Any]:
    """Return the decision, the systems and the differences as dictionaries."""
    tables = {"systems": "scores", "differences": "pairs", "path": "path"}
    return values(_WHOLE, c) | {name: TABLES[table].rows(c) for name, table in tables.items()}


_WHOLE = (
    *attributes("decision", "decided_at", "n_items", "n_clusters", "n_looks", "n_available", "looks"),
    *attributes("population", "method", "level", "margin", "largest"),
)
"""What the JSON has of the comparison as a whole."""


def sentences(c: MonitoredComparison) -> Iterator[str]:
    """Yield how systems were compared item by item."""
    names = [one.system for one in c.systems]
    clusters = f" in {c.n_clusters} clusters" if c.n_clusters else ""
    most = "" if c.n_available is None else f" of at most {c.n_available}"
    yield (
        f"We compared {len(names)} systems{named(names)} on {grouped(c.n_items)} items{clusters}{most}, with"
        f" the possibility to stop {_stops(c)}."
    )
    if c.decided_at is not None:
        yield f"The decision was made after {c.decided_at} items."
    about = "the items of the benchmark" if c.population == "bank" else "all items like these"
    pairs = "" if len(names) == 2 else ", simultaneously for all pairs of systems"
    name = with_works("interval", c.method)
    article = "an" if name[0] in "AEIOUaeiou" else "a"
    yield (
        f"The {percent(c.level)} interval of the mean difference over {about} is {article} {name}, which"
        f" is valid at all looks together{pairs}."
    )
    if (size := rare_loss(c)) is not None:
        yield (
            f"To allow for rare large differences, ln(2/alpha)/n times {size} was added to its half-length,"
            " as in empirical Bernstein bounds."
        )
    if c.margin is not None:
        yield f"The smallest difference that matters was set to {margin_text(c.margin)}."


def _stops(c: MonitoredComparison) -> str:
    """Return when the comparison might have stopped."""
    if c.looks is None:
        return f"after each of {c.n_looks} looks"
    so_far = "" if c.n_looks == len(c.looks) else f", of which {c.n_looks} took place"
    return f"at {planned_looks(c.looks)}{so_far}"


NO_PERCENT = "a monitor knows the bounds of its scores and no metric"
"""Why differences are not shown in percent."""


@figure
def monitored(c: MonitoredComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the estimate and the interval of the first pair against the number of items."""
    if not c.path:
        raise DesignError("no item has been counted yet, so there is nothing to draw", hint="add items first")
    axes, d = canvas.axes(), c.pairs[0]
    n = [look.n_items for look in c.path]
    keys: list[Any] = []
    bounded = [look for look in c.path if math.isfinite(look.low) and math.isfinite(look.high)]
    if bounded:
        axes.fill_between(
            [look.n_items for look in bounded],
            [look.low for look in bounded],
            [look.high for look in bounded],
            color=ACCENT,
            alpha=0.2,
            linewidth=0.0,
            zorder=1,
            gid="interval",
        )
        keys.append(patch(f"{percent(c.level)} interval at every look", ACCENT, 0.2))
    axes.plot(n, [look.estimate for look in c.path], color=ACCENT, linewidth=1.8, zorder=3, gid="estimate")
    axes.axhline(0.0, color=FAINT, linewidth=1.0, zorder=2, gid="zero")
    if c.margin is not None:
        for side in (-c.margin, c.margin):
            axes.axhline(side, color=FAINT, linewidth=1.0, linestyle="--", zorder=2, gid="margin")
    if d.decided_at is not None:
        axes.axvline(d.decided_at, color=INK, linewidth=1.0, linestyle=":", zorder=2, gid="decision")
        keys.append(_line(f"{d.decision}, after {d.decided_at} items", INK, ":"))
    if c.margin is not None:
        keys.append(_line(f"margin {margin_text(c.margin)}", FAINT, "--"))
    _limits(axes, c)
    bare(axes)
    axes.grid(axis="y", color=BAND, linewidth=0.6)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel("items", color=INK)
    names = canvas.names([d.a, d.b], 0.5)
    axes.set_ylabel(f"{names[d.a]} {MINUS} {names[d.b]}", color=INK, parse_math=False)
    return Sheet(axes, 2.7, 5.2, f"Difference by number of items, {grouped(c.n_items)} counted", keys)


def _line(text: str, colour: str, style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], label=text, color=colour, linestyle=style, linewidth=1.0)


def _limits(axes: Any, c: MonitoredComparison) -> None:
    """Leave out most of the first, very long intervals."""
    last = c.path[-1].n_items
    axes.set_xlim(0, max(1.03 * last, last + 1))
    # The share of the items whose intervals, which are very long, do not set the scale
    shown = [
        v for look in c.path if look.n_items >= 0.15 * last for v in (look.low, look.high, look.estimate)
    ]
    shown = [v for v in shown if math.isfinite(v)] + [0.0, *([c.margin, -c.margin] if c.margin else [])]
    low, high = min(shown), max(shown)
    room = 0.08 * (high - low) or 0.1
    axes.set_ylim(low - room, high + room)
