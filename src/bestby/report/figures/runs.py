"""Figures of runs: every run and the interval of its system, quantile functions, the stochastic order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.figures import forest
from bestby.report.figures.drawing import (
    ACCENT,
    FAINT,
    INK,
    bare,
    labels,
    limits,
    listing,
    mark,
    new_axes,
    number,
)
from bestby.report.figures.fonts import columns, figure, name
from bestby.report.numbers import MINUS, percent
from bestby.report.tables import score_rounding
from bestby.report.words import direction
from bestby.results.runs import RunsComparison, RunsScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("scores", "forest", "quantiles", "order")

_ROW = 0.42  # inches
_GAP = 3 * "\N{NO-BREAK SPACE}"
_VIOLATION = "#d55e00"
# Not quite the colours of the page, which would exchange them for those of a dark theme: squares keep theirs.
_SQUARE, _LIGHT, _DARK_TEXT, _LIGHT_TEXT = (0x00, 0x70, 0xB0), (0xF1, 0xF4, 0xF7), "#1b1e24", "#fffffd"


def draw(c: RunsComparison, metric: str | None, ax: Axes | None, kind: str, pair: Any) -> Axes:
    """Draw one of the figures of a comparison of runs; see `RunsComparison.plot`."""
    checks.choice(kind, KINDS, "kind")
    if metric is not None and metric != c.metrics[0].name:
        raise InvalidInputError(
            f"no metric {quoted(metric)} in this comparison", hint=f"metric: {c.metrics[0].name}"
        )
    if pair is not None and kind != "quantiles":
        raise InvalidInputError("a pair is drawn with kind='quantiles' only")
    if kind == "quantiles":
        return quantiles(c, pair, ax)
    drawers: dict[str, Callable[..., Axes]] = {"scores": scores, "forest": forest.forest, "order": order}
    return drawers[kind](c, ax=ax)


@figure
def scores(c: RunsComparison, ax: Axes | None = None) -> Axes:
    """Draw every run as a dot, and the score of each system with its interval below.

    `ax` says where to draw; a new figure by default.
    """
    metric = c.metrics[0]
    digits = score_rounding(c, metric)
    names = [_GAP.join(filter(None, (name(entry.system), entry.group))) for entry in c.systems]
    axes = ax if ax is not None else listing(names, _ROW)
    ends = [value for entry in c.systems for value in (entry.least, entry.greatest)]
    limits(axes, [(entry.score, entry.interval) for entry in c.systems], reach=ends)
    for position, entry in enumerate(c.systems):
        heights = [position - 0.14 + 0.2 * shift for shift in _spread(len(entry.runs))]
        axes.plot(
            sorted(entry.runs),
            heights,
            marker="o",
            markersize=4.0 if entry.n_runs <= 30 else 2.6,
            markerfacecolor=FAINT,
            markeredgecolor="none",
            alpha=0.65,
            linestyle="none",
            zorder=2,
            gid=f"runs-{position}",
        )
        mark(axes, position + 0.2, entry.score, entry.interval, filled=True)
        number(axes, position, f"{digits.text(entry.score)}{_GAP}{digits.interval(entry.interval)}")
    labels(axes, names, [False] * len(names))
    axes.set_xlabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)
    title = f"{name(metric.name)}: {c.extent}, with {percent(c.level)} intervals"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def _spread(n: int) -> list[float]:
    """Return heights from -1/2 to 1/2 that keep neighbours apart: the van der Corput sequence.

    >>> _spread(4)
    [-0.5, 0.0, -0.25, 0.25]
    """
    return [int(f"{i:016b}"[::-1], 2) / 65536.0 - 0.5 for i in range(n)]


@figure
def quantiles(c: RunsComparison, pair: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the quantile functions of two systems, the violation of stochastic order shaded.

    Parameters
    ----------
    c : RunsComparison
        The comparison.
    pair : (str, str), optional
        The system that should be better, and the other; the best two by default.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    References
    ----------
    .. [1] Dror, Shlomov & Reichart (2019), Deep dominance: how to properly compare deep neural models, ACL,
       Figure 1.
    """
    metric = c.metrics[0]
    names = _two(c, pair)
    a, b = (c.score(system) for system in names)
    assert isinstance(a, RunsScore)
    assert isinstance(b, RunsScore)
    axes = ax if ax is not None else new_axes(6.2, 4.0)
    edges = sorted({i / a.n_runs for i in range(a.n_runs + 1)} | {i / b.n_runs for i in range(b.n_runs + 1)})
    middles = [(left + right) / 2.0 for left, right in pairwise(edges)]
    of_a, of_b = (_at(entry.runs, middles) for entry in (a, b))
    behind = [(y > x) == metric.greater_is_better and x != y for x, y in zip(of_a, of_b, strict=True)]
    for left, right, x, y, shaded in zip(edges, edges[1:], of_a, of_b, behind, strict=False):
        if shaded:
            axes.fill_between((left, right), x, y, color=_VIOLATION, alpha=0.35, linewidth=0, gid="violation")
    first, second = map(name, names)
    for values, colour, style, label in ((of_a, ACCENT, "-", first), (of_b, FAINT, "--", second)):
        axes.stairs(values, edges, baseline=None, color=colour, linestyle=style, linewidth=1.8, label=label)
    axes.set_xlim(0.0, 1.0)
    bare(axes)
    axes.spines["left"].set_visible(True)
    axes.spines["left"].set_color(FAINT)
    axes.tick_params(axis="y", color=FAINT, labelcolor=INK)
    axes.set_xlabel("share of the runs below", color=INK)
    axes.set_ylabel(f"{name(metric.name)} ({direction(metric)})", color=INK, parse_math=False)
    legend = axes.legend(frameon=False, loc="best", labelcolor=INK)
    for text in legend.get_texts():
        text.set_parse_math(False)
    found = c.orders[names[0], names[1]]
    ratio = "undefined" if math.isnan(found.violation_ratio) else f"{found.violation_ratio:.3f}"
    bound = "" if math.isnan(found.epsilon_min) else f", ε_min {found.epsilon_min:.2f}"
    title = f"Is {first} better than {second} at every quantile?\nViolation {ratio}{bound}"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes


def _two(c: RunsComparison, pair: Sequence[str] | None) -> tuple[str, str]:
    if pair is None:
        return c.systems[0].system, c.systems[1].system
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise InvalidInputError(f"pair must be the names of two systems, got {quoted(pair)}")
    return c.score(pair[0]).system, c.score(pair[1]).system


def _at(runs: Sequence[float], levels: Sequence[float]) -> list[float]:
    """Return the quantile function at levels that are none of its steps.

    >>> _at([3.0, 1.0], [0.25, 0.75])
    [1.0, 3.0]
    """
    ordered = sorted(runs)
    return [ordered[min(int(level * len(ordered)), len(ordered) - 1)] for level in levels]


@figure
def order(c: RunsComparison, ax: Axes | None = None) -> Axes:
    """Draw the matrix of epsilon_min: how nearly each row is stochastically better than each column.

    `ax` says where to draw; a new figure by default. Returns the axes; a square has a frame where the row is
    almost stochastically dominant.
    """
    names = [entry.system for entry in c.systems]
    size, shown = len(names), [name(system) for system in names]
    longest = columns(shown)
    side = 0.52 * size + 0.085 * longest
    axes = ax if ax is not None else new_axes(max(side + 0.8, 5.2), side + 1.0)
    for row, a in enumerate(names):
        for column, b in enumerate(names):
            if a != b:
                found = c.orders[a, b]
                _square(axes, row, column, found.epsilon_min, found.dominant)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_aspect("equal")
    rotation = 90 if longest > 5 else 0
    axes.set_xticks(range(size), shown, rotation=rotation, parse_math=False)
    axes.set_yticks(range(size), shown, parse_math=False)
    axes.tick_params(length=0, labelcolor=INK, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    title = "ε_min, row over column; framed: the row is dominant"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", pad=12.0, parse_math=False)
    return axes


def _square(axes: Axes, row: int, column: int, value: float, framed: bool) -> None:
    from matplotlib.patches import Rectangle

    share = 1.0 if math.isnan(value) else min(value, 1.0)
    shade = [round(d + (e - d) * share) for d, e in zip(_SQUARE, _LIGHT, strict=True)]
    colour = "#{:02x}{:02x}{:02x}".format(*shade)
    edge = _VIOLATION if framed else "none"
    corner = (column - 0.46, row - 0.46)
    axes.add_patch(Rectangle(corner, 0.92, 0.92, facecolor=colour, edgecolor=edge, linewidth=2.0))
    text = MINUS if math.isnan(value) else f"{value:.2f}"
    ink = _LIGHT_TEXT if share < 0.5 else _DARK_TEXT
    axes.text(column, row, text, ha="center", va="center", color=ink, fontsize="small")
