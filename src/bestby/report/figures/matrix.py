"""Matrices of pairs: the effect as a colour, significance as a mark; over datasets with wins and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bestby.report.comparison import Comparison, Difference
from bestby.report.document import best_systems
from bestby.report.figures.canvas import ACCENT, FAINT, INK, SCREEN, WORSE, Canvas, Sheet, figure
from bestby.report.figures.drawing import key, p_tested, patch
from bestby.report.figures.texts import name, text_width
from bestby.report.numbers import MINUS, Rounding, alpha
from bestby.report.tables import metric_info, systems_of
from bestby.report.words import computed, extent_of_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.base import MetricInfo

_CELL, SMALL, DATASET_CELL = 0.62, 0.24, (0.86, 0.56)
"""Inches of a cell with a number, without one, and, across and up, with a number, wins and a p-value."""

_FAINTEST, DARKEST = 0.05, 0.45
"""Opacities of the smallest and the largest effect: the letters can be read on both."""

_MARK = 5.0
"""Points of the mark of a cell without a number, if the cell has room for it."""

_BETTER, _WORSE = "^", "v"


@figure
def comparison(
    c: Comparison, metric: str | None = None, top: int | None = None, *, canvas: Canvas = SCREEN
) -> Sheet:
    """Draw every pair on one metric, row minus column."""
    info = metric_info(c, metric)
    view = best_systems(c, top)
    entries = systems_of(c if view is None else view, info)
    systems = [entry.system for entry in entries]
    more = "" if view is None else f", {len(entries)} of {len(systems_of(c, info))} systems"
    title = f"{name(info.name)}, row {MINUS} column, {extent_of_pairs(c)}{more}"
    return effects(c, info, systems, _among(c, info, systems), canvas, title)


def _among(c: Comparison, info: MetricInfo, systems: Sequence[str]) -> list[Difference]:
    """Return the differences between some systems, each once."""
    pairs = ((a, b) for i, a in enumerate(systems) for b in systems[i + 1 :])
    differences = (c.find(info.name, a, b) or c.find(info.name, b, a) for a, b in pairs)
    return [d for d in differences if d is not None]


def effects(
    c: Any,
    metric: MetricInfo,
    systems: Sequence[str],
    differences: Sequence[Difference],
    canvas: Canvas,
    title: str,
) -> Sheet:
    """Draw the differences of pairs: blue where the row has the better score, a triangle if significant."""
    axes, names = canvas.axes(), canvas.names(systems)
    shown = [names[system] for system in systems]
    side = side_of_cells(shown, canvas, _CELL, SMALL)
    mark = min(_MARK, 0.5 * _points(shown, canvas, side))
    digits = Rounding.of([(d.estimate, d.interval) for d in differences], c.margin)
    largest = largest_effect(differences)
    place = {system: i for i, system in enumerate(systems)}
    for d in differences:
        for one in (d, d.mirrored()):
            at = (place[one.b], place[one.a])
            shade(axes, at, one, metric, largest)
            text = digits.text(one.estimate) if side > SMALL else ""
            shape = "" if d.winner is None else _BETTER if d.winner == one.a else _WORSE
            _filled(axes, at, text, shape, mark, canvas)
    frame(axes, shown, canvas, side)
    keys = keys_of_rows()
    if computed(c, "test"):
        level = alpha(differences[0].level) if differences else 0.05
        tested = f"significant, {p_tested(c)} ≤ {level:.6g}: the row wins"
        keys += [
            key(tested, filled=True, colour=INK, shape=_BETTER),
            key("the row loses", filled=False, colour=INK, shape=_WORSE),
        ]
    size = side * len(systems)
    foot = f"The strongest colour stands for a difference of {digits.size(largest)}."
    return Sheet(axes, size, size, title, keys, foot, square=True)


def keys_of_rows() -> list[Any]:
    """Return the legend of the colours of cells."""
    return [patch("better score in the row", ACCENT, DARKEST), patch("worse", WORSE, DARKEST)]


def largest_effect(differences: Sequence[Difference]) -> float:
    """Return the size of the largest effect, which has the darkest shade."""
    return max((abs(d.estimate) for d in differences if d.estimate == d.estimate), default=0.0) or 1.0


def shade(axes: Axes, at: tuple[float, float], d: Difference, metric: MetricInfo, largest: float) -> None:
    """Colour a cell by how much better or worse the row is, see-through, so that letters can be read on it.

    Grey is a difference of 0, or an undefined one.
    """
    share = (1.0 if metric.greater_is_better else -1.0) * d.estimate / largest
    opacity = _FAINTEST + (DARKEST - _FAINTEST) * (abs(share) if share == share else 0.0)
    colour = ACCENT if share > 0 else WORSE if share < 0 else FAINT
    box(axes, at, 0.96, facecolor=colour, edgecolor="none", alpha=opacity)


def _filled(axes: Axes, at: tuple[float, float], text: str, shape: str, mark: float, canvas: Canvas) -> None:
    """Write the number of a cell, and below it, or alone, the mark of its significance."""
    column, row = at
    if text:
        marked_cell(axes, (column, row - 0.14 * bool(shape)), text, canvas, color=INK)
    if shape:
        style: dict[str, Any] = {
            "color": INK,
            "markersize": 0.9 * mark if text else mark,
            "linestyle": "none",
        }
        style["markeredgewidth"] = mark / _MARK
        style["markerfacecolor"] = INK if shape == _BETTER else "none"
        axes.plot(column, row + 0.22 * bool(text), marker=shape, gid="shown", **style)


def side_of_cells(names: Sequence[str], canvas: Canvas, side: float, small: float) -> float:
    """Return the inches of a cell, for letters of 10 points: `side` if numbers fit in, else `small`.

    Where the width of the figure is given, its cells have what the names leave.
    """
    size = len(names)
    if canvas.width is None:
        # Systems up to which cells have numbers
        return side if size <= 12 else small
    width_of_names = max(text_width(one, canvas.size) for one in names) / 72.0 + 0.3
    fitting = (canvas.width - width_of_names) / size / canvas.scale
    return side if fitting >= 0.8 * side else small


def _points(names: Sequence[str], canvas: Canvas, side: float) -> float:
    """Return the points of the side of a cell."""
    if canvas.width is None:
        return 72.0 * canvas.scale * side
    width_of_names = max(text_width(one, canvas.size) for one in names)
    return min(72.0 * canvas.scale * side, (72.0 * (canvas.width - 0.3) - width_of_names) / len(names))


def frame(axes: Axes, names: Sequence[str], canvas: Canvas, side: float) -> None:
    """Set up a row and a column per system, the names of the columns above them."""
    size = len(names)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.xaxis.tick_top()
    points = min(canvas.size, 0.95 * _points(names, canvas, side))
    turned: dict[str, Any] = {"fontsize": points}
    if max(text_width(one, canvas.size) for one in names) > 68.0 * side * canvas.scale:
        turned["rotation"] = 90
    axes.set_xticks(range(size), names, parse_math=False, color=INK, **turned)
    axes.set_yticks(range(size), names, parse_math=False, color=INK, fontsize=points)
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)


def box(axes: Axes, at: tuple[float, float], side: float, **style: Any) -> None:
    """Draw a square around a place."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((at[0] - side / 2, at[1] - side / 2), side, side, **style))


def marked_cell(axes: Axes, at: tuple[float, float], text: str, canvas: Canvas, **style: Any) -> None:
    """Write a text into a cell."""
    axes.text(*at, text, ha="center", va="center", fontsize=0.8 * canvas.size, parse_math=False, **style)
