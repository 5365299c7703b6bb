"""The difference to a published score under each assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet, figure
from bestby.report.figures.forest import Line, draw_lines
from bestby.report.figures.texts import name
from bestby.report.numbers import Rounding, alpha, percent

if TYPE_CHECKING:
    from bestby.questions.published.result import PublishedComparison

ASSUMPTIONS = {
    "other items": "other items",
    "fewest differing": "same items, most agreement",
    "most differing": "same items, least agreement",
    "runs": "the runs are independent",
}
"""What each assumption is called."""


@figure
def published(c: PublishedComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the interval of the difference under each assumption, filled where it is significant."""
    lines = [
        Line(ASSUMPTIONS[a.assumption], c.estimate, a.interval, filled=a.p_high <= alpha(c.level))
        for a in c.answers
    ]
    sheet = draw_lines(
        lines,
        Rounding.of([(c.estimate, answer.interval) for answer in c.answers]),
        None,
        canvas,
        title=f"{name(c.metric.name)}: {percent(c.level)} intervals, by what was not published",
        keys=[drawing.key("significant", filled=True), drawing.key("not significant", filled=False)],
    )
    names = canvas.names([c.system, c.published])
    drawing.difference_label(sheet.axes, c.metric, names[c.system], names[c.published])
    return sheet
