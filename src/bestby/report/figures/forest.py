"""Forest plots: differences with their intervals, one line each, and a single interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bestby.report import disagreements
from bestby.report.comparison import Comparison, Difference
from bestby.report.document import best_systems
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.numbers import MINUS, Rounding, ends, excludes_zero, percent
from bestby.report.tables import (
    difference_rounding,
    differences_of,
    metric_info,
    score_rounding,
    systems_of,
    why_marked,
)
from bestby.report.words import computed, extent_of_pairs
from bestby.results.base import MetricInfo
from bestby.results.values import Interval


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a forest: a header if it has no estimate, with a rule above it and dots beside it.

    `mark` is written behind its numbers; the line below the figure says what it means. `look` is the colour
    and the shape of its marker.
    """

    label: str
    estimate: float | None = None
    interval: Interval | None = None
    filled: bool = False
    bold: bool = False
    rule: bool = False
    dots: tuple[float, ...] = ()
    mark: str = ""
    look: tuple[str, str] = (drawing.ACCENT, "o")


def draw_lines(
    lines: Sequence[Line], digits: Rounding, margin: float | None, canvas: Canvas, **around: Any
) -> Sheet:
    """Draw lines from top to bottom over zero and the band of the margin; `around` is of the sheet."""
    axes, dotted = canvas.axes(), any(line.dots for line in lines)
    measured = [(line.estimate, line.interval) for line in lines if line.estimate is not None]
    reach = [0.0, *(() if margin is None else (margin, -margin)), *(x for line in lines for x in line.dots)]
    drawing.limits(axes, measured, reach=reach, canvas=canvas)
    drawing.guides(axes, margin)
    numbers = []
    for position, line in enumerate(lines):
        if line.rule:
            axes.axhline(position - 0.5, color=drawing.FAINT, linewidth=0.4, alpha=0.5, zorder=0)
        if line.dots:
            heights = [position + 0.27] * len(line.dots)
            drawing.dots(axes, line.dots, heights, 4.6, alpha=0.55, gid="folds")
        if line.estimate is not None:
            colour, shape = line.look
            drawing.mark(
                axes, position, line.estimate, line.interval, filled=line.filled, colour=colour, shape=shape
            )
            numbers.append((position, line.estimate, line.interval, line.mark))
    drawing.numbers(axes, numbers, digits, canvas)
    drawing.labels(axes, [line.label for line in lines], [line.bold for line in lines])
    height = (drawing.DOTTED_ROW if dotted else drawing.ROW) * len(lines)
    return Sheet(axes, height, **around)


@figure
def forest(
    c: Comparison, metric: str | None = None, top: int | None = None, *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw the differences on one metric, one line per pair, as Bestgen (2022), LREC, Figure 2."""
    info = metric_info(c, metric)
    view = best_systems(c, top)
    shown = c if view is None else view
    differences = differences_of(shown, info)
    named = (name for d in differences for name in (d.a, d.b))
    names = canvas.names([*(entry.system for entry in systems_of(shown, info)), *named])
    text = f"Differences{_with_intervals(c)}, {extent_of_pairs(c)}"
    if view is not None:
        text += f", {len(systems_of(view, info))} of {len(systems_of(c, info))} systems"
    sheet = draw_lines(
        _lines(shown, info, names, canvas),
        difference_rounding(shown, info),
        c.margin,
        canvas,
        title=text,
        foot=why_marked(differences, c),
        keys=drawing.difference_keys(c, c.margin),
    )
    drawing.difference_label(sheet.axes, info, *sides(c, differences, names))
    return sheet


def _with_intervals(c: Any) -> str:
    return f" with {percent(c.level)} intervals" if computed(c, "interval") else ""


def sides(c: Any, differences: Sequence[Difference], names: Mapping[str, str]) -> tuple[str, str] | tuple[()]:
    """Return what the two systems of a difference are called at the axis, if all have a name in common."""
    if len(differences) == 1:
        return names[differences[0].a], names[differences[0].b]
    return ("system", names[c.baseline]) if c.baseline is not None else ()


def _lines(c: Comparison, metric: MetricInfo, names: Mapping[str, str], canvas: Canvas) -> list[Line]:
    """Return headers and pairs from top to bottom."""
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    scores = {entry.system: digits.text(entry.score) for entry in entries}
    differences = differences_of(c, metric)
    if c.baseline is not None:
        header = drawing.GAP.join((names[c.baseline], scores.get(c.baseline, ""), "baseline"))
        return [
            Line(header, bold=True),
            *(pair_line(d, f"{names[d.a]} ({scores[d.a]})") for d in differences),
        ]
    groups = drawing.groups(entries, canvas)
    lines: list[Line] = []
    for entry in entries:
        parts = (names[entry.system], scores[entry.system], groups[entry.system])
        header = drawing.GAP.join(filter(None, parts))
        lines.append(Line(header, bold=True, rule=bool(lines)))
        lines += [pair_line(d, f"{MINUS} {names[d.b]}") for d in differences if d.a == entry.system]
    return lines


def pair_line(d: Difference, label: str, dots: Sequence[float] = ()) -> Line:
    """Return the line of a difference, with dots for what it was averaged over."""
    mark = disagreements.text(disagreements.kinds(d))
    return Line(label, d.estimate, d.interval, shown(d), dots=tuple(dots), mark=mark)


def shown(d: Difference) -> bool:
    """Return whether a test shows a difference or, where nothing was tested, whether its interval does."""
    return excludes_zero(d.interval) if d.significant is None else d.significant


@figure
def baseline(
    c: Comparison, metric: str | None = None, top: int | None = None, *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw the difference of every other system with the baseline or, without one, with the best."""
    info = metric_info(c, metric)
    view = best_systems(c, top)
    entries = systems_of(c if view is None else view, info)
    reference = entries[0].system if c.baseline is None else c.baseline
    names, digits = canvas.names([*(entry.system for entry in entries), reference]), score_rounding(c, info)
    rows = [(entry, c.find(info.name, entry.system, reference)) for entry in entries]
    rows = [
        (entry, d or _mirrored(c.find(info.name, reference, entry.system)))
        for entry, d in rows
        if entry.system != reference
    ]
    differences = [d for _, d in rows if d is not None]
    lines = [pair_line(d, f"{names[e.system]} ({digits.text(e.score)})") for e, d in rows if d is not None]
    which = "baseline" if c.baseline is not None else "best"
    more = "" if view is None else f", {len(entries)} of {len(systems_of(c, info))} systems"
    sheet = draw_lines(
        lines,
        Rounding.of([(d.estimate, d.interval) for d in differences], c.margin),
        c.margin,
        canvas,
        title=f"Differences with {names[reference]} (the {which}){_with_intervals(c)},"
        f" {extent_of_pairs(c)}{more}",
        foot=why_marked(differences, c),
        keys=drawing.difference_keys(c, c.margin),
    )
    other = names[rows[0][0].system] if len(rows) == 1 else "system"
    drawing.difference_label(sheet.axes, info, other, names[reference])
    return sheet


def _mirrored(d: Difference | None) -> Difference | None:
    return None if d is None else d.mirrored()


@figure
def interval(difference: Difference, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw one difference with its interval on a line, as Bestgen (2022), LREC, Figure 1."""
    d = difference
    axes, names = canvas.axes(), canvas.names((d.a, d.b))
    digits = Rounding.of([(d.estimate, d.interval)], d.margin)
    reach = (0.0,) if d.margin is None else (0.0, d.margin, -d.margin)
    drawing.limits(axes, [(d.estimate, d.interval)], reach=reach, room=0.15, canvas=canvas)
    drawing.guides(axes, d.margin)
    drawing.mark(axes, 0, d.estimate, d.interval, filled=shown(d))
    # Estimate above, ends below: the three never meet, however short the interval.
    low, high = ends(d.interval)
    for value, side, up in ((low, "right", -1), (high, "left", -1), (d.estimate, "center", 1)):
        if math.isfinite(value):
            style = {"va": "bottom", "fontweight": "bold"} if up > 0 else {"va": "top"}
            drawing.label(
                axes, digits.text(value), (value, 0), (0, 9 * up), ha=side, fontsize="small", **style
            )
    axes.set_ylim(1.0, -1.0)
    axes.set_yticks([])
    drawing.bare(axes)
    info = MetricInfo(d.metric, d.greater_is_better, (-math.inf, math.inf))
    drawing.difference_label(axes, info, names[d.a], names[d.b])
    title = f"Difference{'' if d.interval is None else f' with its {percent(d.level)} interval'}, {d.extent}"
    return Sheet(axes, height=0.85, width=5.0, title=title, foot=disagreements.clause(d))
