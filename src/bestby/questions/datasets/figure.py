"""The figures of a comparison over datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby._core import checks
from bestby.questions.datasets import forest_figure, profiles_figure, ranks_figure
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, INK, WORSE
from bestby.report.figures.drawing import patch
from bestby.report.figures.fonts import name
from bestby.report.figures.layout import figure
from bestby.report.figures.matrix import (
    DARKEST,
    DATASET_CELL,
    SMALL,
    effects,
    frame,
    largest_effect,
    marked_cell,
    shade,
    side_of_cells,
)
from bestby.report.figures.plots import checked_kind
from bestby.report.numbers import DASH, MINUS, alpha, p_text
from bestby.report.tables import difference_rounding
from bestby.report.words import computed, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.datasets.result import DatasetComparison


def datasets(
    c: DatasetComparison,
    kind: str = "auto",
    cliques: str = "pairs",
    pair: tuple[str, str] | None = None,
    canvas: Canvas = SCREEN,
) -> Axes:
    """Draw one of the figures over datasets; see `DatasetComparison.plot`."""
    kind = checked_kind(kind, "datasets")
    checks.choice(cliques, ranks_figure.CLIQUES, "cliques")
    if kind == "auto":
        kind = "forest" if len(c.systems) == 2 else "ranks"
    if kind == "forest":
        return forest_figure.datasets(c, pair, canvas=canvas)
    if kind == "profiles":
        return profiles_figure.profiles(c, canvas=canvas)
    return (
        dataset_matrix(c, canvas=canvas)
        if kind == "matrix"
        else ranks_figure.ranks(c, cliques, canvas=canvas)
    )


@figure
def dataset_matrix(c: DatasetComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw every pair, row minus column: mean difference, wins, ties and losses, adjusted p."""
    names = canvas.names(c.systems)
    title = f"{name(c.metric.name)}, row {MINUS} column, mean over {len(c.datasets)} datasets"
    if side_of_cells(list(names.values()), canvas, DATASET_CELL[0], SMALL) == SMALL:
        return effects(c, c.metric, c.systems, list(c.differences), canvas, title)
    axes, digits = canvas.axes(), difference_rounding(c)
    largest = largest_effect(c.differences)
    across, up = DATASET_CELL
    for d in c.differences:
        for one in (d, d.mirrored()):
            at = (c.systems.index(one.b), c.systems.index(one.a))
            shade(axes, at, one, c.metric, largest)
            wins = DASH.join(str(count) for count in c.wins(one.a, one.b))
            p = "" if one.p_adjusted is None else f"\n{_p_of(one.p_adjusted, c.level)}"
            weight = "bold" if significant(one) else "normal"
            text = f"{digits.text(one.estimate)}\n{wins}{p}"
            marked_cell(axes, at, text, canvas, color=INK, fontweight=weight, linespacing=1.25)
    frame(axes, [names[system] for system in c.systems], canvas, across)
    tested = f", p ({c.correction}), bold if significant" if computed(c, "test") else ""
    foot = f"Mean difference; wins{DASH}ties{DASH}losses over {len(c.datasets)} datasets{tested}."
    keys = [patch("row ahead", ACCENT, DARKEST), patch("row behind", WORSE, DARKEST)]
    size = len(c.systems)
    return Sheet(axes, up * size, across * size, title, keys, foot, square=True)


def _p_of(p_value: float, level: float) -> str:
    """Return a p-value as short as it can be.

    >>> _p_of(0.031, 0.95), _p_of(0.0, 0.95)
    ('p=0.031', 'p<1e-15')
    """
    text = p_text(p_value, alpha(level))
    return f"p{text}" if text[:1] in "<>" else f"p={text}"
