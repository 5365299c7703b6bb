"""Figures: forest plots of differences, single intervals, scores.

Everything is drawn through matplotlib's objects; pyplot, its windows and its global state are not touched.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.figures.drawing import (
    FAINT,
    INK,
    bare,
    guides,
    labels,
    limits,
    listing,
    mark,
    new_axes,
    number,
    save,
)
from bestby.report.figures.fonts import figure, name
from bestby.report.kinds import many_systems
from bestby.report.numbers import MINUS, Rounding, ends, percent
from bestby.report.tables import difference_rounding, differences_of, score_rounding, systems_of
from bestby.report.words import direction, significant
from bestby.results.base import MetricInfo
from bestby.results.comparison import Comparison, Difference, SystemScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["forest", "interval", "save", "scores"]

_ROW = 0.26  # inches
_GAP = 3 * "\N{NO-BREAK SPACE}"  # SVG makes one of several plain spaces


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the forest: a header if it has no difference."""

    label: str
    difference: Difference | None


@figure
def forest(c: Comparison, metric: str | None = None, ax: Axes | None = None, top: int | None = None) -> Axes:
    """Draw the differences of one metric with their intervals, one line per pair.

    Systems stand in the order of their ranks with score and letters, below each the pairs it leads; the zero
    line and, with a margin, its band run through all of them. A filled marker is a difference whose adjusted
    p-value is at most 1 − level.

    Parameters
    ----------
    c : Comparison
        The comparison.
    metric : str, optional
        One of its metrics; the first by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a new figure whose height grows with the number of pairs.
    top : int, optional
        Draw the best systems only: each against the best, and neighbours in rank. By default 20 of more
        than 50 systems.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the figure is its ``figure``.

    Raises
    ------
    InvalidInputError
        If the comparison has no such metric.

    References
    ----------
    .. [1] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval when Seeking for
       the State-of-the-Art Status, LREC, Figure 2.
    """
    chosen = _metric(c, metric)
    view, everyone = many_systems.cut(c, top), len(systems_of(c, chosen))
    c = c if view is None else view
    lines = _lines(c, chosen)
    digits = difference_rounding(c, chosen)
    axes = ax if ax is not None else listing([line.label for line in lines], _ROW)
    shown = [line.difference for line in lines if line.difference is not None]
    limits(axes, [(d.estimate, d.interval) for d in shown], reach=(0.0, c.margin, _minus(c.margin)))
    guides(axes, c.margin)
    for position, line in enumerate(lines):
        if line.difference is not None:
            d = line.difference
            mark(axes, position, d.estimate, d.interval, filled=significant(d))
            number(axes, position, f"{digits.text(d.estimate)}{_GAP}{digits.interval(d.interval)}")
        elif position:
            axes.axhline(position - 0.5, color=FAINT, linewidth=0.4, alpha=0.5, zorder=0)
    labels(axes, [line.label for line in lines], [line.difference is None for line in lines])
    axes.set_xlabel(_axis_label(chosen), color=INK, parse_math=False)
    title = f"{name(chosen.name)}: differences with {percent(c.level)} intervals, {c.extent}"
    title += "" if view is None else f", {len(systems_of(c, chosen))} of {everyone} systems"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


@figure
def interval(difference: Difference, ax: Axes | None = None) -> Axes:
    """Draw one difference with its interval on a line.

    Parameters
    ----------
    difference : Difference
        The difference.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the figure is its ``figure``.

    References
    ----------
    .. [1] Bestgen (2022), Please, Don't Forget the Difference and the Confidence Interval when Seeking for
       the State-of-the-Art Status, LREC, Figure 1.
    """
    d = difference
    axes = ax if ax is not None else new_axes(width=6.0, height=1.75)
    digits = Rounding.of([(d.estimate, d.interval)], margin=d.margin)
    limits(axes, [(d.estimate, d.interval)], reach=(0.0, d.margin, _minus(d.margin)), room=0.15)
    guides(axes, d.margin)
    mark(axes, 0, d.estimate, d.interval, filled=significant(d))
    # Estimate above, ends below: the three never meet, however short the interval.
    for value, side, up in (
        (ends(d.interval)[0], "right", -1),
        (ends(d.interval)[1], "left", -1),
        (d.estimate, "center", 1),
    ):
        if math.isfinite(value):
            axes.annotate(
                digits.text(value),
                (value, 0),
                xytext=(0, 9 * up),
                textcoords="offset points",
                ha=side,
                va="bottom" if up > 0 else "top",
                color=INK,
                fontweight="bold" if up > 0 else "normal",
                fontsize="small",
            )
    axes.set_ylim(1.0, -1.0)
    axes.set_yticks([])
    bare(axes)
    info = MetricInfo(d.metric, d.greater_is_better, (-math.inf, math.inf))
    axes.set_xlabel(_axis_label(info, name(d.a), name(d.b)), color=INK, parse_math=False)
    title = f"{name(d.a)} {MINUS} {name(d.b)}: {percent(d.level)} interval, {d.extent}"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


@figure
def scores(c: Comparison, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the score of every system on one metric with its interval.

    `ax` says where to draw; a new figure by default.
    """
    chosen = _metric(c, metric)
    entries = systems_of(c, chosen)
    digits = score_rounding(c, chosen)
    names = [_GAP.join(filter(None, (name(entry.system), entry.group))) for entry in entries]
    axes = ax if ax is not None else listing(names, _ROW)
    limits(axes, [(entry.score, entry.interval) for entry in entries])
    for position, entry in enumerate(entries):
        mark(axes, position, entry.score, entry.interval, filled=True)
        number(axes, position, f"{digits.text(entry.score)}{_GAP}{digits.interval(entry.interval)}")
    labels(axes, names, [False] * len(names))
    axes.set_xlabel(f"{name(chosen.name)} ({direction(chosen)})", color=INK, parse_math=False)
    title = f"{name(chosen.name)} with {percent(c.level)} intervals, {c.extent}"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def _metric(c: Comparison, wanted: str | None) -> MetricInfo:
    for metric in c.metrics:
        if wanted is None or metric.name == wanted:
            return metric
    raise InvalidInputError(
        f"no metric {quoted(wanted)} in this comparison",
        hint=f"metrics: {', '.join(metric.name for metric in c.metrics)}",
    )


def _lines(c: Comparison, metric: MetricInfo) -> list[_Line]:
    """Return headers and pairs from top to bottom."""
    entries = systems_of(c, metric)
    digits = score_rounding(c, metric)
    written = {entry.system: digits.text(entry.score) for entry in entries}
    differences = differences_of(c, metric)
    if c.baseline is not None:
        base = _GAP.join((name(c.baseline), written.get(c.baseline, ""), "baseline"))
        return [
            _Line(base, None),
            *(_Line(f"{name(d.a)} ({written[d.a]}) {MINUS} {name(d.b)}", d) for d in differences),
        ]
    lines: list[_Line] = []
    for entry in entries:
        lines.append(_Line(_header(entry, digits), None))
        lines += [_Line(f"{name(d.a)} {MINUS} {name(d.b)}", d) for d in differences if d.a == entry.system]
    return lines


def _header(entry: SystemScore, digits: Rounding) -> str:
    return _GAP.join(part for part in (name(entry.system), digits.text(entry.score), entry.group) if part)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _axis_label(metric: MetricInfo, a: str = "A", b: str = "B") -> str:
    left, right = (b, a) if metric.greater_is_better else (a, b)
    return f"← {left} better{2 * _GAP}{name(metric.name)}, {a} {MINUS} {b}{2 * _GAP}{right} better →"
