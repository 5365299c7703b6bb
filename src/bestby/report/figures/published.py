"""The difference to a published score under each assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.fonts import figure, name
from bestby.report.numbers import Rounding, alpha, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.published import PublishedComparison

_ROW = 0.34  # inches
ASSUMPTIONS = {
    "other items": "other items",
    "fewest differing": "same items, most agreement",
    "most differing": "same items, least agreement",
    "runs": "the runs are independent",
}
"""What each assumption is called."""


@figure
def published(c: PublishedComparison, ax: Axes | None = None) -> Axes:
    """Draw the interval of the difference under each assumption, filled where it is significant."""
    measured = [(c.estimate, answer.interval) for answer in c.answers]
    digits = Rounding.of(measured)
    names = [ASSUMPTIONS[answer.assumption] for answer in c.answers]
    axes = ax if ax is not None else drawing.listing(names, _ROW)
    drawing.limits(axes, measured, reach=(0.0,))
    drawing.guides(axes, None)
    for position, answer in enumerate(c.answers):
        significant = answer.p_high <= alpha(c.level)
        drawing.mark(axes, position, c.estimate, answer.interval, filled=significant)
        drawing.number(axes, position, digits, c.estimate, answer.interval)
    drawing.labels(axes, names, [False] * len(names))
    drawing.difference_label(axes, c.metric, name(c.system), name(c.published))
    drawing.title(axes, f"{name(c.metric.name)}: {percent(c.level)} intervals, by what was not published")
    return axes
