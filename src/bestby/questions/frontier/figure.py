"""Quality against cost: each system in the region of its intervals, and the best score for each cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bestby.report.figures.canvas import ACCENT, FAINT, INK, PAPER, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import key, label, left_scale
from bestby.report.figures.texts import name
from bestby.report.numbers import percent
from bestby.report.words import direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.frontier.result import Frontier, FrontierSystem

MOST_NAMED = 20
"""Systems up to which all are named; of more, those that may be on the frontier."""


@figure
def frontier(c: Frontier, cost: str | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the systems by one cost, by default the first, filled where they may be on the frontier.

    The rectangle of a system spans its two intervals. The steps join the systems than which none is better
    and no dearer in these data.
    """
    axes = canvas.axes()
    place = 0 if cost is None else c.costs.index(cost)
    values = [entry.costs[place].value for entry in c.systems]
    wide = min(values) > 0.0 and max(values) > 10.0 * min(values)
    if wide:
        axes.set_xscale("log")
    _steps(axes, c, place)
    shown = canvas.names([entry.system for entry in c.systems])
    for entry in c.systems:
        _region(axes, entry, place)
        if len(c) > MOST_NAMED and not entry.may_be_on_frontier:
            continue
        at = entry.costs[place].value
        label(axes, shown[entry.system], (at, entry.score), (7, 7), va="bottom", fontsize=0.9 * canvas.size)
    if not c.metric.greater_is_better:
        axes.invert_yaxis()
    left_scale(axes)
    axes.set_xlabel(f"{name(c.costs[place])} (lower is better)", color=INK, parse_math=False)
    axes.set_ylabel(f"{name(c.metric.name)} ({direction(c.metric)})", color=INK, parse_math=False)
    n = sum(entry.may_be_on_frontier for entry in c.systems)
    keys = [key("may be on the frontier", filled=True)]
    if n < len(c):
        keys.append(key("shown to be off it", filled=False, colour=FAINT))
    title = f"{n} of {len(c)} systems may be on the frontier ({percent(c.level)}, all at once)"
    return Sheet(axes, 3.2, 4.8, title=title, keys=keys)


def _span(entry: FrontierSystem, place: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of the region of a system, of its cost and of its score."""
    cost = entry.costs[place]
    x = (cost.value, cost.value) if cost.interval is None else (cost.interval.low, cost.interval.high)
    y = (entry.score, entry.score) if entry.interval is None else (entry.interval.low, entry.interval.high)
    return x, y


def _region(axes: Axes, entry: FrontierSystem, place: int) -> None:
    """Draw the point of a system, and the rectangle or the line of its intervals."""
    from matplotlib.patches import Rectangle

    (left, right), (low, high) = _span(entry, place)
    colour = ACCENT if entry.may_be_on_frontier else FAINT
    value = entry.costs[place].value
    if all(map(math.isfinite, (left, right, low, high))):
        corner, width, height = (left, low), right - left, high - low
        axes.add_patch(
            Rectangle(corner, width, height, facecolor=colour, edgecolor="none", alpha=0.14, zorder=1)
        )
        axes.plot((value, value), (low, high), color=colour, linewidth=1.0, zorder=2)
        axes.plot((left, right), (entry.score, entry.score), color=colour, linewidth=1.0, zorder=2)
    face = colour if entry.may_be_on_frontier else PAPER
    axes.plot(
        value, entry.score, marker="o", markersize=6, markerfacecolor=face, markeredgecolor=colour, zorder=3
    )


def _steps(axes: Axes, c: Frontier, place: int) -> None:
    """Draw the best score that is had for each cost in these data."""
    sign = 1.0 if c.metric.greater_is_better else -1.0
    points: list[tuple[float, float]] = []
    for entry in sorted(c.systems, key=lambda one: (one.costs[place].value, -sign * one.score)):
        if not points or sign * entry.score > sign * points[-1][1]:
            points.append((entry.costs[place].value, entry.score))
    points.append((max(entry.costs[place].value for entry in c.systems), points[-1][1]))
    axes.step(*zip(*points, strict=True), where="post", color=FAINT, linewidth=1.0, zorder=0, gid="steps")
