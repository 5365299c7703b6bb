"""Matrices of pairs: differences over datasets, almost stochastic order of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestby.report.figures.drawing import ACCENT, FAINT, GAP, INK, WORSE, bare, mark, new_axes, title
from bestby.report.figures.fonts import columns, figure, name
from bestby.report.numbers import DASH, MINUS, alpha, p_clause, p_text, percent
from bestby.report.tables import difference_rounding
from bestby.report.words import computed, significant
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.datasets import DatasetComparison
    from bestby.results.ordering import StochasticOrder, StochasticOrders

_CELL = 0.82  # inches
_SHORT = 20  # letters of a name that need no more room
# Not quite the colours of the page, which would exchange them for those of a dark theme: squares keep theirs.
_SQUARE, _LIGHT, _DARK_TEXT, _LIGHT_TEXT = (0x00, 0x70, 0xB0), (0xF1, 0xF4, 0xF7), "#1b1e24", "#fffffd"


def _frame(axes: Axes, names: Sequence[str], turned: dict[str, Any]) -> None:
    """Set up a row and a column per system, the names of the columns above them."""
    size = len(names)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks(range(size), names, parse_math=False, color=INK, **turned)
    axes.set_yticks(range(size), names, parse_math=False, color=INK)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)


@figure
def pairs(c: DatasetComparison, ax: Axes | None = None) -> Axes:
    """Draw every pair, row minus column: mean difference, wins, ties and losses, adjusted p."""
    k = len(c.systems)
    systems = [name(system) for system in c.systems]
    longest = columns(systems)
    size = _CELL * k
    across, up = size + 0.09 * longest + 0.6, 0.62 * size + 1.4
    beyond = max(0, longest - _SHORT)  # the names above the columns are turned, and go up and to the right
    axes = ax if ax is not None else new_axes(width=across + 0.075 * beyond, height=up + 0.055 * beyond)
    digits = difference_rounding(c)
    largest = max((abs(d.estimate) for d in c.differences), default=0.0) or 1.0
    sign = 1.0 if c.metric.greater_is_better else -1.0
    for d in c.differences:
        for one in (d, d.mirrored()):
            ahead = sign * one.estimate / largest
            at = (c.systems.index(one.b), c.systems.index(one.a))
            # See-through, so that the letters can be read on any page.
            colour, alpha_of_box = ACCENT if ahead > 0 else WORSE, 0.05 + 0.35 * abs(ahead)
            _box(axes, at, 0.96, facecolor=colour, edgecolor="none", alpha=alpha_of_box)
            wins = DASH.join(str(count) for count in c.wins(one.a, one.b))
            p = "" if one.p_adjusted is None else f"\n{_p_of(one.p_adjusted, c.level)}"
            axes.text(
                *at,
                f"{digits.text(one.estimate)}\n{wins}{p}",
                ha="center",
                va="center",
                color=INK,
                fontsize=8,
                fontweight="bold" if significant(one) else "normal",
                linespacing=1.25,
                parse_math=False,
            )
    turned: dict[str, Any] = {"rotation": 35, "ha": "left", "rotation_mode": "anchor"} if longest > 9 else {}
    _frame(axes, systems, turned)
    tested = f", p ({c.correction})" if computed(c, "test") else ""
    shown = f"mean difference, wins{DASH}ties{DASH}losses{tested}"
    text = f"{name(c.metric.name)}, row {MINUS} column: {shown}"
    axes.set_xlabel(text, color=INK, parse_math=False, labelpad=8)
    return axes


def _p_of(p_value: float, level: float) -> str:
    """Return a p-value as short as it can be.

    >>> _p_of(0.031, 0.95), _p_of(0.0, 0.95)
    ('p=0.031', 'p<1e-15')
    """
    text = p_text(p_value, alpha(level))
    return f"p{text}" if text[:1] in "<>" else f"p={text}"


def _box(axes: Axes, at: tuple[float, float], side: float, **style: Any) -> None:
    """Draw a square around a place."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((at[0] - side / 2, at[1] - side / 2), side, side, **style))


@figure
def orders(orders: StochasticOrders, names: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw the matrix of epsilon_min, row over column; a frame marks almost stochastic dominance."""
    size, shown = len(names), [name(system) for system in names]
    longest = columns(shown)
    side = 0.52 * size + 0.085 * longest
    axes = ax if ax is not None else new_axes(max(side + 0.8, 5.2), side + 1.0)
    for row, a in enumerate(names):
        for column, b in enumerate(names):
            if a != b:
                _square(axes, row, column, orders[a, b].epsilon_min, framed=orders[a, b].dominant)
    axes.set_aspect("equal")
    _frame(axes, shown, {"rotation": 90 if longest > 5 else 0})
    text = "ε_min, row over column; framed: the row is dominant"
    if orders.orders and not any(order.dominant for order in orders):
        level = next(iter(orders)).level
        text = f"no row is shown to be dominant,\nsince no p-value is {1.0 - level:.2g} or less"
        text = f"ε_min, row over column; {text}"
    title(axes, text, pad=12.0)
    return axes


@figure
def order(order: StochasticOrder, ax: Axes | None = None) -> Axes:
    """Draw the violation ratio of one pair, from 0 to 1, and the range below its upper bound."""
    axes = ax if ax is not None else new_axes(width=6.0, height=1.75)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(1.0, -1.0)
    axes.set_yticks([])
    axes.axvline(0.5, color=FAINT, linewidth=1.0, zorder=1, gid="half")
    text = "The same scores at every quantile: neither system is better"
    if not math.isnan(order.violation_ratio):
        # One-sided: the confidence region has an upper end only, so the line has a cap there only.
        interval = Interval(-math.inf, order.epsilon_min, order.level, "bootstrap", exact=False)
        mark(axes, 0, order.violation_ratio, interval, filled=order.dominant)
        bound = f"at most {order.epsilon_min:.3f} at {percent(round(order.level, 6))} confidence"
        p = p_clause(order.p_value, alpha(order.level))
        text = f"Violation ratio {order.violation_ratio:.3f}, {bound}, {p}"
    bare(axes)
    a, b = name(order.a), name(order.b)
    label = f"← {a} better{GAP}violation ratio of {a} over {b}{GAP}{b} better →"
    axes.set_xlabel(label, color=INK, parse_math=False)
    title(axes, text)
    return axes


def _square(axes: Axes, row: int, column: int, value: float, *, framed: bool) -> None:
    share = 1.0 if math.isnan(value) else min(value, 1.0)
    shade = [round(d + (e - d) * share) for d, e in zip(_SQUARE, _LIGHT, strict=True)]
    colour = "#{:02x}{:02x}{:02x}".format(*shade)
    edge = WORSE if framed else "none"
    _box(axes, (column, row), 0.92, facecolor=colour, edgecolor=edge, linewidth=2.0)
    text = MINUS if math.isnan(value) else f"{value:.2f}"
    ink = _LIGHT_TEXT if share < 0.5 else _DARK_TEXT
    axes.text(column, row, text, ha="center", va="center", color=ink, fontsize="small")
