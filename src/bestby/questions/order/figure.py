"""Almost stochastic order of runs; the quantiles of a sample beside those of a normal distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array
from bestby.report.figures.canvas import ACCENT, BAND, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import GAP, bare, key, left_scale, mark
from bestby.report.figures.matrix import box, frame, marked_cell, side_of_cells
from bestby.report.numbers import MINUS, alpha, p_clause, p_text, percent
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.order.result import Normality, StochasticOrder, StochasticOrders


OUT_OF_REACH = "out_of_reach"
"""The code of the note on runs too few for any p-value to reach the level."""

_CELL, _SMALL = 0.5, 0.24
"""Inches of a cell with a number, and without."""

# Not quite the colours of the page, which would exchange them for those of a dark theme: squares keep theirs.
_SQUARE, _LIGHT, _DARK_TEXT, _LIGHT_TEXT = (0x00, 0x70, 0xB0), (0xF1, 0xF4, 0xF7), "#1b1e24", "#fffffd"


@figure
def orders(orders: StochasticOrders, names: Sequence[str] | None = None, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the matrix of epsilon_min, row over column; a frame marks almost stochastic dominance."""
    names = orders.systems if names is None else names
    axes, shown = canvas.axes(), canvas.names(names)
    side = side_of_cells(list(shown.values()), canvas, _CELL, _SMALL)
    cells = {(a, b): orders[a, b] for a in names for b in names if a != b}
    decimals = _decimals(list(cells.values())) if side > _SMALL else None
    place = {name: position for position, name in enumerate(names)}
    for (a, b), one in cells.items():
        _square(axes, (place[a], place[b]), one.epsilon_min, canvas, framed=one.dominant, decimals=decimals)
    frame(axes, list(shown.values()), canvas, side)
    level = next((order.level for order in orders), 0.95)
    size = side * len(names)
    title = "Upper bound of the violation (ε_min), row over column" + ", from dark (0) to light (1)" * (
        side == _SMALL
    )
    if any(order.dominant for order in orders):
        keys = [key("the row is almost stochastically dominant", filled=False, colour=WORSE, shape="s")]
        return Sheet(axes, size, size, title, keys=keys, square=True)
    return Sheet(axes, size, size, title, foot=_no_frame(orders, level), square=True)


def _decimals(cells: Sequence[StochasticOrder]) -> int:
    """Return the decimals with which no number stands in a frame and without one, if there are such."""

    def written(decimals: int, *, framed: bool) -> set[str]:
        return {f"{one.epsilon_min:.{decimals}f}" for one in cells if one.dominant == framed}

    distinct = (n for n in (2, 3, 4) if written(n, framed=True).isdisjoint(written(n, framed=False)))
    return next(distinct, 2)


def _no_frame(orders: StochasticOrders, level: float) -> str:
    """Return why no cell is framed: whether any could be, with so few runs."""
    none = f"No dominance is significant: no p-value is {1.0 - level:.2g} or less."
    if all(any(note.code == OUT_OF_REACH for note in order.notes) for order in orders):
        return f"{none} With so few runs, no p-value can be: dark cells are no evidence of dominance."
    return f"{none} A dark cell alone is no evidence of dominance."


def _square(
    axes: Axes, at: tuple[int, int], value: float, canvas: Canvas, *, framed: bool, decimals: int | None
) -> None:
    share = 1.0 if math.isnan(value) else min(value, 1.0)
    shade = [round(d + (e - d) * share) for d, e in zip(_SQUARE, _LIGHT, strict=True)]
    colour = "#{:02x}{:02x}{:02x}".format(*shade)
    row, column = at
    box(axes, (column, row), 0.88, facecolor=colour, edgecolor=WORSE if framed else "none", linewidth=2.0)
    if decimals is not None:
        written = MINUS if math.isnan(value) else f"{value:.{decimals}f}"
        marked_cell(axes, (column, row), written, canvas, color=_LIGHT_TEXT if share < 0.5 else _DARK_TEXT)


@figure
def order(order: StochasticOrder, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the violation ratio of one pair, from 0 to 1, and the range below its upper bound."""
    axes = canvas.axes()
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(1.0, -1.0)
    axes.set_yticks([])
    axes.axvline(0.5, color=FAINT, linewidth=1.0, zorder=1, gid="half")
    text = "The same scores at every quantile: neither system is better"
    keys: list[Any] = []
    if not math.isnan(order.violation_ratio):
        # One-sided: the confidence region has an upper end only, so the line has a cap there only.
        interval = Interval(-math.inf, order.epsilon_min, order.level, "bootstrap", exact=False)
        mark(axes, 0, order.violation_ratio, interval, filled=order.dominant)
        bound = f"at most {order.epsilon_min:.3f} at {percent(round(order.level, 6))} confidence"
        p = p_clause(order.p_value, alpha(order.level))
        text = f"Violation ratio {order.violation_ratio:.3f}, {bound}, {p}"
        keys = [
            key(
                "dominance is significant" if order.dominant else "dominance is not significant",
                filled=order.dominant,
            )
        ]
    bare(axes)
    names = canvas.names((order.a, order.b))
    a, b = names[order.a], names[order.b]
    axes.set_xlabel(
        f"← {a} better{GAP}|{GAP}{b} better →\nviolation ratio of {a} over {b}", color=INK, parse_math=False
    )
    return Sheet(axes, height=0.85, width=5.0, title=text, keys=keys)


# -- normality -----------------------------------------------------------------------------------------------


_SIMULATED, _SAMPLES = 200, 4000  # values of a simulated sample, and samples


@figure
def normality(n: Normality, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the values against the quantiles of a normal distribution of their mean and standard deviation.

    The band has 95 % of the values of each rank in normal samples of the same mean and standard deviation.
    """
    axes = canvas.axes()
    ranks, values = (np.array(column) for column in zip(*n.order_statistics, strict=True))
    low, middle, high = _normal_band(n.n, ranks)
    low, high = n.mean + n.std * low, n.mean + n.std * high
    axes.fill_between(middle, low, high, facecolor=BAND, edgecolor="none", zorder=0, gid="band")
    axes.plot(middle, n.mean + n.std * middle, color=FAINT, linewidth=1.0, zorder=1, gid="normal")
    axes.plot(middle, values, "o", color=ACCENT, markersize=3.5, zorder=2, gid="values")
    left_scale(axes)
    axes.set_xlabel("quantile of the standard normal distribution", color=INK)
    axes.set_ylabel("value", color=INK)
    shown = "" if len(ranks) == n.n else f", {len(ranks)} shown"
    tests = ", ".join(f"{test.name.title()} {p_text(test.p_value)}" for test in n.tests)
    text = f"{n.n} values{shown}; band: 95 % of samples of the fitted normal"
    return Sheet(axes, 3.2, 4.6, title=f"{_verdict(n)}\np: {tests}\n{text}")


def _verdict(n: Normality) -> str:
    """Return whether the tests show that the values are not normal."""
    rejecting = sum(rounding.at_most(test.p_value, 0.05) for test in n.tests)
    if not rejecting:
        # Tests of normality rarely reject so few
        few = " by so few values" if n.n < 20 else ""
        return f"No departure from normality is shown at 5 %{few}"
    return f"{rejecting} of {len(n.tests)} tests reject normality at 5 %"


def _normal_band(n: int, ranks: Array) -> tuple[Array, Array, Array]:
    """Return the ends of a band for standardised normal order statistics, and between them their medians.

    The mean and standard deviation are those of the sample itself, which narrows the band. Up to `_SIMULATED`
    values it is simulated; above, the ends for a known mean and deviation (transformed beta variables) are
    scaled by the asymptotic standard deviations of the two kinds of order statistics.
    """
    from scipy.special import betaincinv, ndtr, ndtri

    low, middle, high = (ndtri(betaincinv(ranks, n + 1 - ranks, q)) for q in (0.025, 0.5, 0.975))
    if n <= _SIMULATED:
        samples = np.sort(np.random.default_rng(0).standard_normal((_SAMPLES, n)), axis=1)
        samples -= samples.mean(axis=1, keepdims=True)
        samples /= samples.std(axis=1, ddof=1, keepdims=True)
        low, high = np.quantile(samples[:, ranks - 1], (0.025, 0.975), axis=0)
        return low, middle, high
    density = np.exp(-0.5 * middle**2) / math.sqrt(2.0 * math.pi)
    share = np.sqrt(1.0 - density**2 * (1.0 + 0.5 * middle**2) / (ndtr(middle) * ndtr(-middle)))
    return middle + (low - middle) * share, middle, middle + (high - middle) * share
