"""How a difference and its interval develop, item by item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bestby._core.errors import DesignError
from bestby._core.text import grouped
from bestby.report.figures.canvas import ACCENT, BAND, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, patch
from bestby.report.numbers import MINUS, margin_text, percent

if TYPE_CHECKING:
    from bestby.questions.monitor.result import MonitoredComparison


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
