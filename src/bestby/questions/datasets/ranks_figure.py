"""The diagram of average ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray
from bestby.comparisons.common.family import rejects, shown_better
from bestby.inference import groups
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, FAINT, INK
from bestby.report.figures.drawing import ROW, label
from bestby.report.figures.fonts import name
from bestby.report.figures.layout import figure
from bestby.report.figures.texts import text_width
from bestby.report.numbers import alpha
from bestby.report.summary import correction
from bestby.report.words import direction, name_of_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.datasets.result import DatasetComparison

CLIQUES = ("pairs", "nemenyi", "holm", "wilcoxon")
_BAR = 0.22
"""Inches of a bar, with what is free below it."""


@figure
def ranks(c: DatasetComparison, cliques: str = "pairs", *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the critical-difference diagram, as Demsar (2006), JMLR 7, 1-30, Figure 1a.

    By default bars join the systems that the tests of the differences, in the table, do not tell apart.
    """
    k = len(c.systems)
    if k < 3:
        raise DesignError(
            "a diagram of ranks needs at least 3 systems", hint='plot("forest") shows the datasets of a pair'
        )
    # The share of the room for a name: names stand on both sides
    axes, names, bars = canvas.axes(), canvas.names(c.systems, 0.55), _bars(c, cliques)
    left = k - k // 2  # the worse half is labelled on the left, outermost first
    top = 0.3 + _BAR * len(bars)
    depth, over = top + ROW * (left - 0.5), 0.75 if _marked(c, cliques) else 0.4
    beyond = 0.02 * (k - 1)
    axes.set_xlim(k + beyond, 1.0 - beyond)
    axes.set_ylim(depth, -over)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    _scale(axes, k, canvas)
    widest = max(text_width(f"{rank:.2f}", canvas.size) for rank in c.average_ranks)
    for position, (system, rank) in enumerate(zip(c.systems, c.average_ranks, strict=True)):
        best_half = position < k // 2
        y = top + ROW * (position if best_half else k - 1 - position)
        end = 1.0 - beyond if best_half else k + beyond
        axes.plot((rank, rank, end), (0, y, y), color=FAINT, linewidth=0.9, zorder=1)
        _name(axes, (end, y), names[system], f"{rank:.2f}", widest, canvas, right=best_half)
    for position, members in enumerate(bars):
        _bar(axes, [c.average_ranks[i] for i in members], 0.16 + _BAR * position, k, _gaps(members))
    if _marked(c, cliques):
        _critical(c, axes, canvas)
    joined = bars_join(c, cliques) if c.baseline is None else "no bars, since not every pair was tested"
    return Sheet(
        axes,
        height=depth + over,
        width=4.6,
        title=f"Average ranks on {len(c.datasets)} datasets ({name(c.metric.name)}, {direction(c.metric)})",
        foot=f"{joined[0].upper()}{joined[1:]}.{_DOTS * any(map(_gaps, bars))}",
    )


def _name(
    axes: Axes, at: tuple[float, float], name: str, rank: str, widest: float, canvas: Canvas, *, right: bool
) -> None:
    """Write a rank and a name beside a line; ranks stand below each other."""
    beyond = 4 + widest + 0.9 * canvas.size
    style: dict[str, Any] = {"fontsize": canvas.size, "va": "center_baseline"}
    label(axes, rank, at, (4 + widest if right else -4, 0), ha="right", **style)
    label(axes, name, at, (beyond if right else -beyond, 0), ha="left" if right else "right", **style)


def _scale(axes: Axes, k: int, canvas: Canvas) -> None:
    """Draw the scale of ranks from the worst to 1, with so few numbers that they do not touch."""
    axes.plot((1, k), (0, 0), color=INK, linewidth=1.2, solid_capstyle="butt")
    every = 10 if canvas.narrow else 5
    # Ranks up to which each has a number on the scale; of more every fifth has
    step = 1 if k <= (6 if canvas.narrow else 12) else every * max(1, round(k / 60))
    numbered = [1, *(rank for rank in range(step, k + 1, step) if rank > 1)]
    for rank in numbered:
        axes.text(rank, -0.12, str(rank), ha="center", va="bottom", color=INK, fontsize=canvas.size)
    between = 0.5 if step == 1 else 1
    for tick in np.arange(1, k + 0.25, between).tolist():
        height = -0.09 if tick in numbered else -0.05
        axes.plot((tick, tick), (0, height), color=INK, linewidth=1.0)


def bars_join(c: DatasetComparison, cliques: str = "pairs") -> str:
    """Return which systems the bars of the diagram join, and by which test."""
    if cliques in ("pairs", "wilcoxon"):
        names = dict.fromkeys(name_of_test(d.test.name) for d in c.differences if d.test is not None)
        test = f"the {' or '.join(names)} ({correction(c)})"
    elif cliques == "nemenyi":
        test = "Nemenyi's test of average ranks"
    else:
        test = "the test of average ranks with Holm's correction"
    return f"a bar joins systems that {test} does not tell apart"


def _bars(c: DatasetComparison, cliques: str) -> list[tuple[int, ...]]:
    """Return the groups of systems that the tests do not tell apart, of two or more."""
    if c.baseline is not None:
        return []  # not every pair was tested
    return [group for group in groups.cliques(_different(c, cliques)) if len(group) > 1]


def _different(c: DatasetComparison, cliques: str) -> BoolArray:
    place = {system: i for i, system in enumerate(c.systems)}
    different = np.zeros((len(place), len(place)), dtype=np.bool_)
    threshold = alpha(c.level)
    if cliques in ("pairs", "wilcoxon"):
        shown = [(d.a, d.b, shown_better(d, threshold) is not None) for d in c.differences]
    else:
        p_values = (
            (r.a, r.b, r.p_holm if cliques == "holm" or r.p_nemenyi is None else r.p_nemenyi)
            for r in c.ranking
        )
        shown = [(a, b, rejects(p, threshold)) for a, b, p in p_values]
    for a, b, one in shown:
        i, j = place[a], place[b]
        different[i, j] = different[j, i] = one
    return different


_DOTS = " A bar with dots joins the systems at its dots only."


def _gaps(members: tuple[int, ...]) -> bool:
    return members[-1] - members[0] >= len(members)


def _bar(axes: Axes, at: list[float], y: float, k: int, dotted: bool) -> None:
    """Draw a bar over a group; dots mark its members where a bar passes over others."""
    low, high = min(at) - 0.012 * k, max(at) + 0.012 * k
    axes.plot((low, high), (y, y), color=ACCENT, linewidth=4.0, solid_capstyle="butt", zorder=2, gid="clique")
    if dotted:
        axes.plot(at, [y] * len(at), marker="o", markersize=6.5, color=ACCENT, linestyle="none", zorder=3)


def _marked(c: DatasetComparison, cliques: str) -> bool:
    """Tell whether the critical difference is drawn: it belongs to Nemenyi's test, and fits the axis."""
    cd = c.critical_difference
    return cliques == "nemenyi" and cd is not None and cd <= len(c.systems) - 1


def _critical(c: DatasetComparison, axes: Axes, canvas: Canvas) -> None:
    k, cd, y = len(c.systems), c.critical_difference or 0.0, -0.58
    axes.plot((k, k - cd), (y, y), color=INK, linewidth=1.2, gid="critical")
    for end in (k, k - cd):
        axes.plot((end, end), (y - 0.05, y + 0.05), color=INK, linewidth=1.2)
    label(axes, f"CD = {cd:.2f}", (k - cd, y), (6, 0), fontsize=0.9 * canvas.size)
