"""The share that was drawn of each stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, BAND, INK
from bestby.report.figures.drawing import bare
from bestby.report.figures.fonts import name
from bestby.report.figures.layout import figure

if TYPE_CHECKING:
    from bestby.questions.labels.chosen_result import ChosenItems


@figure
def chosen(c: ChosenItems, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw a bar for each stratum: how large a share of it was drawn."""
    axes = canvas.axes()
    # Strata that are drawn at most: those after them are in the table
    drawn = c.strata[:40]
    places = list(range(len(drawn)))
    axes.barh(places, [1.0] * len(drawn), height=0.6, color=BAND, gid="all")
    axes.barh(places, [s.probability for s in drawn], height=0.6, color=ACCENT, gid="drawn")
    for place, s in zip(places, drawn, strict=True):
        axes.annotate(
            f"{s.n_chosen} of {s.n_units}",
            (1.0, place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            color=INK,
            annotation_clip=False,
        )
    axes.set_yticks(places, [name(s.name) for s in drawn], parse_math=False)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.0)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel("probability of being drawn", color=INK)
    unit = "clusters" if c.n_clusters else "items"
    more = len(c.strata) - len(drawn)
    rest = f"; {more} more strata are in the table" if more else ""
    return Sheet(axes, 0.9 + 0.3 * len(drawn), 5.2, title=f"Share of the {unit} drawn, by stratum{rest}")
