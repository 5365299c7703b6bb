"""The difference in every slice: a forest plot, with the difference on all items first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.fonts import name
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.figures.layout import figure
from bestby.report.numbers import Rounding, percent
from bestby.report.tables import metric_info
from bestby.report.words import significant

if TYPE_CHECKING:
    from bestby.questions.slices.result import SlicesComparison
    from bestby.report.comparison import Difference


@figure
def slices(
    c: SlicesComparison,
    metric: str | None = None,
    pair: Difference | None = None,
    *,
    canvas: Canvas = SCREEN,
) -> Sheet:
    """Draw the difference of one pair, by default the first, on all items and in every slice."""
    info = metric_info(c, metric)  # type: ignore[arg-type]
    whole = pair or next(d for d in c.overall if d.metric == info.name)
    every = c.of(whole)
    # Slices that are drawn at most: those after them are in the table
    drawn = every[:130]
    lines = [
        Line(f"all items ({whole.n_items})", whole.estimate, whole.interval, significant(whole), bold=True)
    ]
    column = None
    for one in drawn:
        first, column = one.column != column, one.column
        if first and len(c.columns) > 1:
            lines.append(Line(name(one.column), bold=True, rule=True))
        d = one.difference
        label = f"{name(one.slice)} ({d.n_items})"
        rule = first and len(c.columns) == 1
        lines.append(Line(label, d.estimate, d.interval, one.shown, rule=rule))
    digits = Rounding.of([(line.estimate, line.interval) for line in lines if line.estimate is not None])
    below = "" if len(drawn) == len(every) else f"{len(every) - len(drawn)} more slices are in the table"
    by = "" if len(c.columns) > 1 else f" by {name(c.columns[0])}"
    sheet = draw_lines(
        lines,
        digits,
        None,
        canvas,
        title=f"{name(info.name)}{by}: {percent(c.level)} intervals that hold for all slices at once",
        foot=below,
        keys=[
            drawing.key("shown, allowing for all slices", filled=True),
            drawing.key("not shown", filled=False),
        ],
    )
    names = canvas.names([whole.a, whole.b])
    drawing.difference_label(sheet.axes, info, names[whole.a], names[whole.b])
    return sheet
