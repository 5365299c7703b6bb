"""The figure of cross-validation: the difference on every fold, and the corrected interval of their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.drawing import FAINT, INK, guides, labels, limits, listing, mark, number
from bestby.report.figures.fonts import figure, name
from bestby.report.numbers import MINUS, Rounding, percent
from bestby.report.words import significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.folds import FoldComparison

_ROW = 0.42  # inches
_GAP = 3 * "\N{NO-BREAK SPACE}"


@figure
def forest(c: FoldComparison, ax: Axes | None = None) -> Axes:
    """Draw the difference of every pair: a dot per fold, the mean with its corrected interval.

    `ax` says where to draw; a new figure by default.
    """
    names = [f"{name(d.a)} {MINUS} {name(d.b)}" for d in c.differences]
    axes = ax if ax is not None else listing(names, _ROW, 1.2)
    digits = Rounding.of([(d.estimate, d.interval) for d in c.differences])
    folds = {
        i: (c.scores[:, c.systems.index(d.a)] - c.scores[:, c.systems.index(d.b)]).tolist()
        for i, d in enumerate(c.differences)
    }
    reach = [0.0, *(value for values in folds.values() for value in values)]
    limits(axes, [(d.estimate, d.interval) for d in c.differences], reach=reach)
    guides(axes, None)
    for position, d in enumerate(c.differences):
        at = [position + 0.27] * len(folds[position])
        axes.plot(
            folds[position],
            at,
            marker="o",
            markersize=3.6,
            color=FAINT,
            alpha=0.55,
            linestyle="none",
            gid="folds",
        )
        mark(axes, position, d.estimate, d.interval, filled=significant(d))
        number(axes, position, f"{digits.text(d.estimate)}{_GAP}{digits.interval(d.interval)}")
    labels(axes, names, [False] * len(names))
    left, right = ("B", "A") if c.metric.greater_is_better else ("A", "B")
    axes.set_xlabel(
        f"← {left} better{2 * _GAP}{name(c.metric.name)}, A {MINUS} B{2 * _GAP}{right} better →",
        color=INK,
        parse_math=False,
    )
    title = f"{name(c.metric.name)}: {len(c.folds)} folds, corrected {percent(c.level)} intervals"
    axes.set_title(title, loc="left", color=INK, fontsize="medium", parse_math=False)
    return axes
