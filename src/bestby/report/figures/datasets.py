"""Figures of several datasets: the diagram of average ranks, the matrix of pairs, the forest of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError
from bestby._core.typing import BoolArray
from bestby.inference import groups
from bestby.report.figures.drawing import (
    ACCENT,
    FAINT,
    INK,
    guides,
    labels,
    limits,
    listing,
    mark,
    new_axes,
    number,
)
from bestby.report.figures.fonts import columns, figure, name
from bestby.report.numbers import DASH, MINUS, Rounding, alpha, excludes_zero, p_text, percent
from bestby.report.words import direction, significant
from bestby.results.values import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.datasets import DatasetComparison

KINDS = ("auto", "ranks", "matrix", "forest")
CLIQUES = ("nemenyi", "holm", "pairs", "wilcoxon")
_WORSE = "#d55e00"
_ROW = 0.26  # inches
_CELL = 0.82  # inches
_SHORT = 20  # letters of a name that need no more room
_GAP = 3 * "\N{NO-BREAK SPACE}"


def plot(
    c: DatasetComparison,
    kind: str = "auto",
    cliques: str = "nemenyi",
    pair: tuple[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one of the figures; see `DatasetComparison.plot`."""
    checks.choice(kind, KINDS, "kind")
    checks.choice(cliques, CLIQUES, "cliques")
    if kind == "auto":
        kind = "forest" if len(c.systems) == 2 else "ranks"
    if kind == "forest":
        return forest(c, pair, ax)
    return matrix(c, ax) if kind == "matrix" else ranks(c, cliques, ax)


# -- ranks -----------------------------------------------------------------------------------------


@figure
def ranks(c: DatasetComparison, cliques: str = "nemenyi", ax: Axes | None = None) -> Axes:
    """Draw the critical-difference diagram: average ranks on an axis, bars over systems not told apart.

    Parameters
    ----------
    c : DatasetComparison
        The comparison, of three systems at least.
    cliques : {"nemenyi", "holm", "pairs"}
        Whose tests decide.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; the best ranks are on the right.

    Raises
    ------
    DesignError
        If there are only two systems.

    References
    ----------
    .. [1] Demsar (2006), JMLR 7, 1-30, Figure 1a.
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
        axes.annotate(
            f"{rank:.2f}{_GAP}{name(system)}" if best_half else f"{name(system)}{_GAP}{rank:.2f}",
            (end, y),
            xytext=(4 if best_half else -4, 0),
            textcoords="offset points",
            ha="left" if best_half else "right",
            va="center",
            color=INK,
            fontsize=9.5,
            annotation_clip=False,
            parse_math=False,
        )
    for position, members in enumerate(bars):
        _bar(axes, [c.average_ranks[i] for i in members], 0.18 + 0.22 * position, _gaps(members))
    if _marked(c, cliques):
        _critical(c, axes)
    title = f"Average ranks on {len(c.datasets)} datasets ({name(c.metric.name)}, {direction(c.metric)})"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


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
        found = [(d.a, d.b, d.p_adjusted) for d in c.differences]
    else:
        found = [
            (r.a, r.b, r.p_holm if cliques == "holm" or r.p_nemenyi is None else r.p_nemenyi)
            for r in c.ranking
        ]
    for a, b, p in found:
        i, j = place[a], place[b]
        different[i, j] = different[j, i] = p <= threshold
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
    axes.annotate(
        f"CD = {cd:.2f}",
        (k - cd, y),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        fontsize=9,
        annotation_clip=False,
    )


# -- matrix ----------------------------------------------------------------------------------------


@figure
def matrix(c: DatasetComparison, ax: Axes | None = None) -> Axes:
    """Draw every pair, row minus column: mean difference, wins, ties and losses, adjusted p.

    `ax` says where to draw; a new figure by default.
    """
    k = len(c.systems)
    systems = [name(system) for system in c.systems]
    longest = columns(systems)
    size = _CELL * k
    across, up = size + 0.09 * longest + 0.6, 0.62 * size + 1.4
    beyond = max(0, longest - _SHORT)  # the names above the columns are turned, and go up and to the right
    axes = ax if ax is not None else new_axes(width=across + 0.075 * beyond, height=up + 0.055 * beyond)
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    largest = max((abs(d.estimate) for d in c.differences), default=0.0) or 1.0
    sign = 1.0 if c.metric.greater_is_better else -1.0
    for d in c.differences:
        for one in (d, d.mirrored()):
            ahead = sign * one.estimate / largest
            at = (c.systems.index(one.b), c.systems.index(one.a))
            _tint(axes, at, ahead)
            wins = DASH.join(str(count) for count in c.wins(one.a, one.b))
            p = p_text(one.p_adjusted, alpha(c.level))
            p = p if p[0] in "<>" else f"={p}"
            axes.text(
                *at,
                f"{digits.text(one.estimate)}\n{wins}\np{p}",
                ha="center",
                va="center",
                color=INK,
                fontsize=8,
                fontweight="bold" if significant(one) else "normal",
                linespacing=1.25,
                parse_math=False,
            )
    axes.set_xlim(-0.5, k - 0.5)
    axes.set_ylim(k - 0.5, -0.5)
    axes.xaxis.tick_top()
    turn: dict[str, Any] = {"rotation": 35, "ha": "left", "rotation_mode": "anchor"} if longest > 9 else {}
    axes.set_xticks(range(k), systems, parse_math=False, color=INK, **turn)
    axes.set_yticks(range(k), systems, parse_math=False, color=INK)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)
    told = f"mean difference, wins{DASH}ties{DASH}losses, p ({c.correction})"
    title = f"{name(c.metric.name)}, row {MINUS} column: {told}"
    axes.set_xlabel(title, color=INK, parse_math=False, labelpad=8)
    return axes


def _tint(axes: Axes, at: tuple[float, float], ahead: float) -> None:
    """Colour a cell; see-through, so that the letters can be read on any page."""
    from matplotlib.patches import Rectangle

    colour = ACCENT if ahead > 0 else _WORSE
    box = Rectangle(
        (at[0] - 0.48, at[1] - 0.48),
        0.96,
        0.96,
        facecolor=colour,
        edgecolor="none",
        alpha=0.05 + 0.35 * abs(ahead),
    )
    axes.add_patch(box)


# -- forest ----------------------------------------------------------------------------------------


@figure
def forest(c: DatasetComparison, pair: tuple[str, str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the difference of one pair on every dataset, the largest first, then all datasets together.

    `pair` holds the two systems; the first pair by default. `ax` says where to draw; a new figure by default.
    """
    whole = c.differences[0] if pair is None else c[pair]
    inside, named = _on_datasets(c, (whole.a, whole.b))
    overall = [
        (f"{entry.average}, {entry.resampled} vary", entry.estimate, entry.interval)
        for entry in c.overall
        if (entry.a, entry.b) == (whole.a, whole.b)
    ]
    if not overall:  # the pair was asked for the other way round
        overall = [("macro, datasets vary", whole.estimate, whole.interval)]
    lines = [*sorted(inside, key=lambda line: -line[1]), *overall]
    measured = [(estimate, interval) for _, estimate, interval in lines]
    digits = Rounding.of([m for m in measured if m[1] is not None])
    shown_labels = [name(label) for label, _, _ in lines]
    axes = ax if ax is not None else listing(shown_labels, _ROW)
    limits(axes, measured, reach=(0.0,))
    guides(axes, None)
    for position, (label, estimate, interval) in enumerate(lines):
        filled = label in named if position < len(inside) else excludes_zero(interval)
        mark(axes, position, estimate, interval, filled=filled)
        shown = "" if interval is None else f"{_GAP}{digits.interval(interval)}"
        number(axes, position, f"{digits.text(estimate)}{shown}")
    axes.axhline(len(inside) - 0.5, color=FAINT, linewidth=0.6)
    labels(axes, shown_labels, [i >= len(inside) for i in range(len(lines))])
    a, b = name(whole.a), name(whole.b)
    left, right = (b, a) if c.metric.greater_is_better else (a, b)
    axes.set_xlabel(
        f"← {left} better{2 * _GAP}{name(c.metric.name)}, {a} {MINUS} {b}{2 * _GAP}{right} better →",
        color=INK,
        parse_math=False,
    )
    title = (
        f"{name(c.metric.name)}: differences on {len(c.datasets)} datasets with {percent(c.level)} intervals"
    )
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def _on_datasets(
    c: DatasetComparison, pair: tuple[str, str]
) -> tuple[list[tuple[str, float, Interval | None]], tuple[str, ...]]:
    """Return label, difference and interval per dataset, and the datasets that Holm's procedure names."""
    if not c.within:
        a, b = (c.systems.index(system) for system in pair)
        gaps = (c.scores[:, a] - c.scores[:, b]).tolist()
        return [(dataset, gap, None) for dataset, gap in zip(c.datasets, gaps, strict=True)], ()
    lines = []
    for dataset, found in c.within.items():
        for d in found:
            if {d.a, d.b} == set(pair):
                one = d if d.a == pair[0] else d.mirrored()
                lines.append((dataset, one.estimate, one.interval))
    counted = c.replicability.of.get(pair) or c.replicability.of.get((pair[1], pair[0]))
    return lines, () if counted is None else counted.found
