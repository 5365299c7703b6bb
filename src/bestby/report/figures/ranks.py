"""The diagram of average ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray
from bestby.comparisons.common.family import rejects, shown_better
from bestby.inference import groups
from bestby.report.figures.drawing import ACCENT, FAINT, GAP, INK, label, new_axes, title
from bestby.report.figures.fonts import columns, figure, name
from bestby.report.numbers import alpha
from bestby.report.summary import correction
from bestby.report.words import direction, name_of_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.datasets import DatasetComparison

CLIQUES = ("pairs", "nemenyi", "holm", "wilcoxon")
_ROW = 0.26  # inches
_SHORT = 20  # letters of a name that need no more room


@figure
def ranks(c: DatasetComparison, cliques: str = "pairs", ax: Axes | None = None) -> Axes:
    """Draw the critical-difference diagram, as Demsar (2006), JMLR 7, 1-30, Figure 1a.

    By default bars join the systems that the tests of the differences, in the table, do not tell apart.
    """
    k = len(c.systems)
    if k < 3:
        raise DesignError(
            "a diagram of ranks needs at least 3 systems", hint='plot("forest") shows the datasets of a pair'
        )
    bars = _bars(c, cliques)
    left = k - k // 2  # the worse half is labelled on the left, outermost first
    top, step = 0.35 + 0.22 * len(bars), _ROW
    depth = top + step * left
    beside = 0.085 * max(0, columns(map(name, c.systems)) - _SHORT)  # on both sides
    axes = ax if ax is not None else new_axes(width=7.0 + 2.0 * beside, height=depth + 1.3)
    axes.set_xlim(k + 0.15, 0.85)
    axes.set_ylim(depth, -0.72 if _marked(c, cliques) else -0.4)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    axes.plot((1, k), (0, 0), color=INK, linewidth=1.2, solid_capstyle="butt")
    for tick in np.arange(1, k + 0.25, 0.5):
        axes.plot((tick, tick), (0, -0.08 if tick % 1 == 0 else -0.05), color=INK, linewidth=1.0)
    for tick in range(1, k + 1):
        axes.text(tick, -0.14, str(tick), ha="center", va="bottom", color=INK, fontsize=9.5)
    for position, (system, rank) in enumerate(zip(c.systems, c.average_ranks, strict=True)):
        best_half = position < k // 2
        row = position if best_half else k - 1 - position
        end, y = (0.85 if best_half else k + 0.15), top + step * row
        axes.plot((rank, rank, end), (0, y, y), color=FAINT, linewidth=0.9, zorder=1)
        if best_half:
            label(axes, f"{rank:.2f}{GAP}{name(system)}", (end, y), (4, 0), fontsize=9.5)
        else:
            label(axes, f"{name(system)}{GAP}{rank:.2f}", (end, y), (-4, 0), fontsize=9.5, ha="right")
    for position, members in enumerate(bars):
        _bar(axes, [c.average_ranks[i] for i in members], 0.18 + 0.22 * position, _gaps(members))
    if _marked(c, cliques):
        _critical(c, axes)
    metric = f"{name(c.metric.name)}, {direction(c.metric)}"
    text = f"Average ranks on {len(c.datasets)} datasets ({metric})"
    joined = bars_join(c, cliques) if c.baseline is None else "no bars, since not every pair was tested"
    title(axes, f"{text}\n{joined[0].upper()}{joined[1:]}")
    return axes


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


def _gaps(members: tuple[int, ...]) -> bool:
    return members[-1] - members[0] >= len(members)


def _bar(axes: Axes, at: list[float], y: float, dotted: bool) -> None:
    """Draw a bar over a group; dots mark its members where a bar passes over others."""
    low, high = min(at) - 0.05, max(at) + 0.05
    axes.plot((low, high), (y, y), color=ACCENT, linewidth=4.0, solid_capstyle="butt", zorder=2, gid="clique")
    if dotted:
        axes.plot(at, [y] * len(at), marker="o", markersize=6.5, color=ACCENT, linestyle="none", zorder=3)


def _marked(c: DatasetComparison, cliques: str) -> bool:
    """Tell whether the critical difference is drawn: it belongs to Nemenyi's test, and fits the axis."""
    cd = c.critical_difference
    return cliques == "nemenyi" and cd is not None and cd <= len(c.systems) - 1


def _critical(c: DatasetComparison, axes: Axes) -> None:
    k, cd, y = len(c.systems), c.critical_difference or 0.0, -0.56
    axes.plot((k, k - cd), (y, y), color=INK, linewidth=1.2, gid="critical")
    for end in (k, k - cd):
        axes.plot((end, end), (y - 0.05, y + 0.05), color=INK, linewidth=1.2)
    label(axes, f"CD = {cd:.2f}", (k - cd, y), (6, 0), fontsize=9)
