"""Forest plots: differences with their intervals, one line each, and a single interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bestby.report import disagreements
from bestby.report.best import best_systems
from bestby.report.figures import drawing
from bestby.report.figures.fonts import figure, name
from bestby.report.figures.scores import scores as draw_scores
from bestby.report.numbers import MINUS, Rounding, ends, excludes_zero, percent
from bestby.report.tables import (
    difference_rounding,
    differences_of,
    metric_info,
    score_rounding,
    systems_of,
    why_marked,
)
from bestby.report.words import computed, significant
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference
from bestby.results.datasets import DatasetComparison
from bestby.results.folds import FoldComparison
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _DOTTED_ROW = 0.26, 0.42  # inches


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a forest: a header if it has no estimate, with a rule above it and dots beside it.

    `mark` is written behind its numbers; the line below the figure says what it means.
    """

    label: str
    estimate: float | None = None
    interval: Interval | None = None
    filled: bool = False
    bold: bool = False
    rule: bool = False
    dots: tuple[float, ...] = ()
    mark: str = ""


def draw_lines(
    lines: Sequence[Line], digits: Rounding, margin: float | None, ax: Axes | None, below: str = ""
) -> Axes:
    """Draw lines from top to bottom over the zero line and the band of the margin; `below` goes below all."""
    texts = [line.label for line in lines]
    dotted = any(line.dots for line in lines)
    axes = ax if ax is not None else drawing.listing(texts, _DOTTED_ROW if dotted else _ROW)
    measured = [(line.estimate, line.interval) for line in lines if line.estimate is not None]
    reach = [0.0, *(() if margin is None else (margin, -margin)), *(x for line in lines for x in line.dots)]
    drawing.limits(axes, measured, reach=reach)
    drawing.guides(axes, margin)
    for position, line in enumerate(lines):
        if line.rule:
            axes.axhline(position - 0.5, color=drawing.FAINT, linewidth=0.4, alpha=0.5, zorder=0)
        if line.dots:
            heights = [position + 0.27] * len(line.dots)
            drawing.dots(axes, line.dots, heights, 4.6, alpha=0.55, gid="folds")
        if line.estimate is not None:
            drawing.mark(axes, position, line.estimate, line.interval, filled=line.filled)
            drawing.number(axes, position, digits, line.estimate, line.interval, line.mark)
    drawing.labels(axes, texts, [line.bold for line in lines])
    drawing.below(axes, below)
    return axes


@figure
def forest(c: Comparison, metric: str | None = None, ax: Axes | None = None, top: int | None = None) -> Axes:
    """Draw the differences on one metric, one line per pair, as Bestgen (2022), LREC, Figure 2."""
    if not c.differences:
        return draw_scores(c, metric, ax)
    info = metric_info(c, metric)
    view = best_systems(c, top)
    shown = c if view is None else view
    why = why_marked(differences_of(shown, info), c)
    axes = draw_lines(_lines(shown, info), difference_rounding(shown, info), c.margin, ax, why)
    drawing.difference_label(axes, info)
    intervals = f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    text = f"{name(info.name)}: differences{intervals}, {c.extent}"
    if view is not None:
        text += f", {len(systems_of(view, info))} of {len(systems_of(c, info))} systems"
    drawing.title(axes, text)
    return axes


def _lines(c: Comparison, metric: MetricInfo) -> list[Line]:
    """Return headers and pairs from top to bottom."""
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    scores = {entry.system: digits.text(entry.score) for entry in entries}
    differences = differences_of(c, metric)
    if c.baseline is not None:
        header = drawing.GAP.join((name(c.baseline), scores.get(c.baseline, ""), "baseline"))
        pairs = [_pair(d, f"{name(d.a)} ({scores[d.a]}) {MINUS} {name(d.b)}") for d in differences]
        return [Line(header, bold=True), *pairs]
    lines: list[Line] = []
    for entry in entries:
        header = drawing.GAP.join(filter(None, (name(entry.system), scores[entry.system], entry.group)))
        lines.append(Line(header, bold=True, rule=bool(lines)))
        lines += [_pair(d) for d in differences if d.a == entry.system]
    return lines


def _pair(d: Difference, label: str = "", dots: Sequence[float] = ()) -> Line:
    label = label or f"{name(d.a)} {MINUS} {name(d.b)}"
    mark = disagreements.text(disagreements.kinds(d))
    return Line(label, d.estimate, d.interval, _filled(d), dots=tuple(dots), mark=mark)


def _filled(d: Difference) -> bool:
    """Return whether a test shows a difference or, where nothing was tested, whether its interval does."""
    return excludes_zero(d.interval) if d.test is None else significant(d)


@figure
def folds(c: FoldComparison, ax: Axes | None = None) -> Axes:
    """Draw the difference of every pair: a dot per fold, the mean with its corrected interval."""
    column = dict(zip(c.systems, c.scores.T, strict=True))
    lines = [_pair(d, dots=(column[d.a] - column[d.b]).tolist()) for d in c.differences]
    axes = draw_lines(lines, difference_rounding(c), c.margin, ax, why_marked(c.differences, c))
    drawing.difference_label(axes, c.metric)
    intervals = f", corrected {percent(c.level)} intervals" if computed(c, "interval") else ""
    drawing.title(axes, f"{name(c.metric.name)}: {len(c.folds)} folds{intervals}")
    return axes


@figure
def datasets(c: DatasetComparison, pair: tuple[str, str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the difference of one pair, by default the first, on every dataset and on all together."""
    whole = c.differences[0] if pair is None else c[pair]
    entries = [e for e in c.overall if (e.a, e.b) == (whole.a, whole.b)]
    marks = disagreements.overall_marks(c)
    overall = [
        Line(
            f"{entry.average}, {entry.resampled} vary" if entry.resampled else entry.average,
            entry.estimate,
            entry.interval,
            filled=disagreements.overall_shown(c, entry),
            bold=True,
            rule=position == 0,
            mark=disagreements.text(marks[entry]),
        )
        for position, entry in enumerate(entries)
    ]
    if not overall:  # the pair was asked for the other way round
        label = "macro, datasets vary" if computed(c, "interval") else "macro"
        overall = [replace(_pair(whole, label), bold=True, rule=True)]
    inner = _on_datasets(c, whole)
    lines = [*sorted((line for line, *_ in inner), key=lambda line: -(line.estimate or 0.0)), *overall]
    measured = [line for line in lines if line.interval or not computed(c, "interval")]
    digits = Rounding.of([(line.estimate or 0.0, line.interval) for line in measured])
    marked = [(d, kinds) for _, d, kinds in inner if d is not None]
    why = disagreements.line(marked, c), disagreements.why_overall([marks[entry] for entry in entries])
    axes = draw_lines(lines, digits, c.margin, ax, "\n".join(filter(None, why)))
    drawing.difference_label(axes, c.metric, name(whole.a), name(whole.b))
    text = f"{name(c.metric.name)}: differences on {len(c.datasets)} datasets"
    text += f" with {percent(c.level)} intervals" if computed(c, "interval") else ""
    drawing.title(axes, text)
    return axes


def _on_datasets(
    c: DatasetComparison, pair: Difference
) -> list[tuple[Line, Difference | None, disagreements.Kinds]]:
    """Return a line per dataset, filled where Holm's procedure names it, its difference and its marks."""
    if not c.within:
        a, b = (c.systems.index(system) for system in (pair.a, pair.b))
        gaps = (c.scores[:, a] - c.scores[:, b]).tolist()
        return [(Line(name(dataset), gap), None, ()) for dataset, gap in zip(c.datasets, gaps, strict=True)]
    counted = c.replicability.of.get((pair.a, pair.b)) or c.replicability.of.get((pair.b, pair.a))
    named = () if counted is None else counted.found
    lines: list[tuple[Line, Difference | None, disagreements.Kinds]] = []
    for dataset, differences in c.within.items():
        d = next(d for d in differences if {d.a, d.b} == {pair.a, pair.b})
        d = d if d.a == pair.a else d.mirrored()
        kinds = disagreements.kinds(d, told_apart=dataset in named)
        line = Line(name(dataset), d.estimate, d.interval, dataset in named, mark=disagreements.text(kinds))
        lines.append((line, d, kinds))
    return lines


@figure
def interval(difference: Difference, ax: Axes | None = None) -> Axes:
    """Draw one difference with its interval on a line, as Bestgen (2022), LREC, Figure 1."""
    d = difference
    axes = ax if ax is not None else drawing.new_axes(width=6.0, height=1.75)
    digits = Rounding.of([(d.estimate, d.interval)], margin=d.margin)
    reach = (0.0,) if d.margin is None else (0.0, d.margin, -d.margin)
    drawing.limits(axes, [(d.estimate, d.interval)], reach=reach, room=0.15)
    drawing.guides(axes, d.margin)
    drawing.mark(axes, 0, d.estimate, d.interval, filled=_filled(d))
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
    drawing.difference_label(axes, info, name(d.a), name(d.b))
    drawing.below(axes, disagreements.clause(d))
    shown = "" if d.interval is None else f"{percent(d.level)} interval, "
    drawing.title(axes, f"{name(d.a)} {MINUS} {name(d.b)}: {shown}{d.extent}")
    return axes
