"""Curves of power against the size of a study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.text import plural
from bestby.report.figures.canvas import ACCENT, FAINT, INK, PAPER, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, label, plain_ticks
from bestby.report.numbers import difference_text, power_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.planning.result import Allocation, Plan


_CURVE = 2.7, 5.2  # inches, up and across

_FEW = 40


@figure
def plan(plan: Plan, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw power against size, the answer marked."""
    axes = canvas.axes()
    sizes = [point.n for point in plan.curve]
    _curve(axes, plan)
    if plan.wanted is not None:
        axes.axhline(plan.wanted, color=FAINT, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1, gid="wanted")
    axes.plot([plan.n, plan.n], [0.0, plan.power], color=FAINT, linewidth=1.0, zorder=1)
    _answer(axes, plan.n, plan.power, f"{plan.n} {plan.unit}: {power_text(plan.power, plan.error)}")
    axes.set_xscale("log")
    plain_ticks(axes, sizes)
    if plan.n > 0.6 * max(sizes):  # the label stands to the right of the answer
        axes.set_xlim(min(sizes) / 1.05, 2.0 * max(sizes))
    _scale(axes, plan.unit)
    return Sheet(axes, *_CURVE, title=f"Power to detect a difference of {difference_text(plan.difference)}")


def _curve(axes: Axes, plan: Plan) -> None:
    """Draw what was simulated as it was, between points and with its error; what was computed, smoothly."""
    from bestby.planning.base import Question

    sizes = np.array([point.n for point in plan.curve])
    powers = np.array([point.power for point in plan.curve])
    if plan.exact and sizes.size > 2:
        question = Question(plan.level, plan.alternative, plan.n_comparisons)
        # Points through which a curve looks smooth
        between = np.rint(np.geomspace(sizes[0], sizes[-1], 60)).astype(np.int64)
        sizes = np.unique(np.concatenate([sizes, between]))
        powers = plan.design.powers(sizes, question)[0]
    else:
        reach = 1.96 * np.array([point.error for point in plan.curve])
        low, high = np.maximum(powers - reach, 0.0), np.minimum(powers + reach, 1.0)
        axes.vlines(sizes, low, high, color=ACCENT, linewidth=1.8, zorder=2, gid="error")
    style: dict[str, Any] = {"linewidth": 1.8}
    if not plan.exact:
        style = {"linewidth": 0.9, "marker": "o", "markersize": 3.5}
    axes.plot(sizes, powers, color=ACCENT, zorder=2, gid="curve", **style)


@figure
def allocation(a: Allocation, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw power against the number of runs, or of levels of the first facet, the best split marked."""
    from matplotlib.ticker import MaxNLocator

    axes = canvas.axes()
    splits = [split for split in a.splits if not math.isnan(split.power)]
    runs, powers = [split.levels[0][1] for split in splits], [split.power for split in splits]
    few = len(splits) <= _FEW
    marker = "o" if few else None
    axes.plot(runs, powers, color=ACCENT, linewidth=1.8, marker=marker, markersize=3.5, zorder=2, gid="curve")
    if few:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
        axes.set_xlim(runs[0] - 0.5, runs[-1] + 0.5)
    else:
        axes.set_xscale("log")
        plain_ticks(axes, runs)
    levels = a.best.levels
    _scale(axes, plural(levels[0][0]) if levels[0][0] != "run" else "runs of each system")
    size = " × ".join(f"{number} {plural(name)}" for name, number in levels)
    _answer(axes, levels[0][1], a.best.power, f"{size}: {power_text(a.best.power)}", below=True)
    return Sheet(axes, *_CURVE, title=f"Power for a budget of {a.budget:g}")


def _answer(axes: Axes, x: float, y: float, text: str, *, below: bool = False) -> None:
    """Mark the answer and write it where there is room: to its right, or below; above if it is low."""
    axes.plot(x, y, marker="o", markersize=7, color=ACCENT, linestyle="none", zorder=3, gid="answer")
    at_the_left = x <= axes.get_xlim()[0] + 0.5
    style: dict[str, Any] = {"ha": "center"} if below and not at_the_left else {}
    style["bbox"] = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}  # the line of `wanted` runs here
    offset = (0, 12 if y < 0.2 else -22) if below else (9, -13)
    label(axes, text, (x, y), offset, va="baseline", fontsize="small", fontweight="bold", **style)


def _scale(axes: Axes, unit: str) -> None:
    """Set up the scale of power, from 0 to 1, and take away what the figure does not need."""
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel(unit, color=INK, parse_math=False)
    axes.set_ylabel("power", color=INK)
