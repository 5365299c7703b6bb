"""How much of each column of the files is filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import ACCENT, BAND, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare
from bestby.report.figures.texts import name

if TYPE_CHECKING:
    from bestby.questions.check.result import FileCheck

MOST = 40
"""Columns that are drawn."""


@figure
def columns(c: FileCheck, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the share of the rows that have a value, a bar per column or else per system."""
    shares = {one.name: (one.part, 1.0 - one.n_missing / one.n_rows) for one in c.columns[:MOST]}
    shares = shares or dict.fromkeys(c.systems[:MOST], ("system", 1.0)) or {"files": ("", 1.0)}
    axes = canvas.axes()
    places = range(len(shares))
    axes.barh(places, [1.0] * len(shares), color=BAND, height=0.6)
    axes.barh(places, [share for _, share in shares.values()], color=ACCENT, height=0.6, gid="filled")
    labels = [name(one) + (f" ({part})" if part else "") for one, (part, _) in shares.items()]
    axes.set_yticks(places, labels, parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0.0, 1.0)
    axes.set_xlabel("share of the rows with a value", color=INK)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    return Sheet(axes, 0.6 + 0.3 * len(shares), 5.2, title="How much of each column is filled")
