"""Quality against cost: each system in the region of its intervals, and the best score for each cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from bestby.report.figures.canvas import ACCENT, FAINT, INK, PAPER, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import key, label, left_scale
from bestby.report.figures.texts import name, text_width
from bestby.report.numbers import percent
from bestby.report.words import direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.frontier.result import Frontier, FrontierSystem

MOST_NAMED = 20
"""Systems up to which all are named; of more, those that may be on the frontier."""

_SIZE = 3.4, 5.0  # inches, up and across

Box = tuple[float, float, float, float]
"""Left, right, low and high end of something on the page, in points."""


@figure
def frontier(c: Frontier, cost: str | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the systems by one cost, by default the first, filled where they may be on the frontier.

    The rectangle of a system spans its two intervals. The steps join the systems than which none is better
    and no dearer in these data.
    """
    axes = canvas.axes()
    place = 0 if cost is None else c.costs.index(cost)
    values = [entry.costs[place].value for entry in c.systems]
    if min(values) > 0.0 and max(values) > 10.0 * min(values):
        axes.set_xscale("log")
    _steps(axes, c, place)
    for entry in c.systems:
        _region(axes, entry, place)
    axes.margins(0.08)
    if not c.metric.greater_is_better:
        axes.invert_yaxis()
    shown = canvas.names([entry.system for entry in c.systems])
    _names(axes, c.systems, place, shown, canvas)
    left_scale(axes)
    axes.set_xlabel(f"{name(c.costs[place])} (lower is better)", color=INK, parse_math=False)
    axes.set_ylabel(f"{name(c.metric.name)} ({direction(c.metric)})", color=INK, parse_math=False)
    n = sum(entry.may_be_on_frontier for entry in c.systems)
    keys = [key("may be on the frontier", filled=True)]
    if n < len(c):
        keys.append(key("off the frontier", filled=False, colour=FAINT))
    title = f"{n} of {len(c)} systems may be on the frontier ({percent(c.level)}, all at once)"
    return Sheet(axes, *_SIZE, title=title, keys=keys)


def _span(entry: FrontierSystem, place: int) -> Box:
    """Return the region of a system: the ends of its interval of cost, and of score."""
    cost = entry.costs[place]
    x = (cost.value, cost.value) if cost.interval is None else (cost.interval.low, cost.interval.high)
    y = (entry.score, entry.score) if entry.interval is None else (entry.interval.low, entry.interval.high)
    return *x, *y


def _region(axes: Axes, entry: FrontierSystem, place: int) -> None:
    """Draw the point of a system, and the rectangle or the line of its intervals."""
    from matplotlib.patches import Rectangle

    left, right, low, high = _span(entry, place)
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


def _names(
    axes: Axes, systems: Sequence[FrontierSystem], place: int, shown: Mapping[str, str], canvas: Canvas
) -> None:
    """Write the names beside the points, each where it covers as little as can be of what is there."""
    across = canvas.scale * _SIZE[1] if canvas.width is None else canvas.width - 0.9
    axes.autoscale_view()
    page = axes.transAxes.inverted()

    def on_page(x: float, y: float) -> tuple[float, float]:
        at = page.transform(axes.transData.transform((x, y)))
        return 72.0 * across * at[0], 72.0 * canvas.scale * _SIZE[0] * at[1]

    taken: list[Box] = []
    for entry in systems:
        x, y = on_page(entry.costs[place].value, entry.score)
        _, _, low, high = _span(entry, place)
        ends = [on_page(entry.costs[place].value, end)[1] for end in (low, high)]
        taken += [(x - 5.0, x + 5.0, y - 5.0, y + 5.0), (x - 3.0, x + 3.0, min(ends), max(ends))]
    size = 0.9 * canvas.size
    for entry in sorted(systems, key=lambda one: not one.may_be_on_frontier):
        if len(systems) > MOST_NAMED and not entry.may_be_on_frontier:
            continue
        text, at = shown[entry.system], (entry.costs[place].value, entry.score)
        places = list(_beside(*on_page(*at), text_width(text, size), size))
        box, offset, side = min(places, key=lambda one: sum(_overlap(one[0], other) for other in taken))
        taken.append(box)
        label(axes, text, at, offset, ha=side, va="center", fontsize=size)


def _beside(x: float, y: float, width: float, size: float) -> Iterator[tuple[Box, tuple[float, float], str]]:
    """Yield places for a text beside a point, the nearest first: the box, the offset and the side."""
    for up, side in product((0.9, -0.9, 0.0, 1.9, -1.9, 2.9, -2.9, 3.9, -3.9), ("left", "right")):
        left = x + 6.0 if side == "left" else x - 6.0 - width
        middle = y + up * size
        box = (left, left + width, middle - 0.6 * size, middle + 0.6 * size)
        yield box, (6.0 if side == "left" else -6.0, up * size), side


def _overlap(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[1], other[1]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[2], other[2])
    return max(width, 0.0) * max(height, 0.0)
