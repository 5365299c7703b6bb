"""The figures of a comparison over folds: a forest or a matrix of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.questions.folds.result import FoldComparison
from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import draw_lines, pair_line, sides
from bestby.report.figures.matrix import effects
from bestby.report.figures.systems import checked_kind
from bestby.report.figures.texts import name
from bestby.report.numbers import MINUS, percent
from bestby.report.tables import difference_rounding, why_marked
from bestby.report.words import computed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def folds(c: FoldComparison, kind: str, canvas: Canvas) -> Axes:
    """Draw a comparison over folds; see `FoldComparison.plot`."""
    kind = checked_kind(kind, "folds")
    return fold_matrix(c, canvas=canvas) if kind == "matrix" else fold_forest(c, canvas=canvas)


@figure
def fold_forest(c: FoldComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the difference of every pair: a dot per fold, the mean with its corrected interval."""
    column = dict(zip(c.systems, c.scores.T, strict=True))
    names = canvas.names(c.systems)
    lines = [
        pair_line(d, f"{names[d.a]} {MINUS} {names[d.b]}", (column[d.a] - column[d.b]).tolist())
        for d in c.differences
    ]
    intervals = f", corrected {percent(c.level)} intervals" if computed(c, "interval") else ""
    sheet = draw_lines(
        lines,
        difference_rounding(c),
        c.margin,
        canvas,
        title=f"{name(c.metric.name)}: {len(c.folds)} folds{intervals}",
        foot=why_marked(c.differences, c),
        keys=[*drawing.difference_keys(c, c.margin), drawing.key_of_dots("one fold")],
    )
    drawing.difference_label(sheet.axes, c.metric, *sides(c, c.differences, names))
    return sheet


@figure
def fold_matrix(c: FoldComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw every pair: its mean difference over the folds."""
    title = f"{name(c.metric.name)}, row {MINUS} column, mean over {len(c.folds)} folds"
    return effects(c, c.metric, c.systems, list(c.differences), canvas, title)
