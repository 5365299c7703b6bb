"""Figures of what human labels give beside a judge, and of the share drawn of each stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import ACCENT, BAND, FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import bare, label, plain_ticks
from bestby.report.figures.texts import name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.labels.result import ChosenItems, LabelAllocation, LabelPlan


_SIZE = 2.7, 5.2  # inches, up and across


@figure
def plan(p: LabelPlan, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the half-width by the number of labels, with the judge and alone, the answer marked."""
    axes = canvas.axes()
    labels = [point.n_labels for point in p.curve]
    axes.plot(
        labels,
        [point.half_width_alone for point in p.curve],
        color=FAINT,
        linewidth=1.4,
        linestyle=(0, (4, 3)),
        label="labels alone",
        gid="alone",
    )
    widths = [point.half_width for point in p.curve]
    axes.plot(labels, widths, color=ACCENT, linewidth=1.8, label="labels and judge", gid="curve")
    _finish(axes, p.n_labels, p.half_width)
    axes.set_xscale("log")
    plain_ticks(axes, labels)
    title = f"{p.n_labels} labels give an interval of ± {p.half_width:.4g}"
    return Sheet(axes, *_SIZE, title=title, keys=axes.get_legend_handles_labels()[0])


@figure
def allocation(a: LabelAllocation, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the half-width by the number of labels that are bought, the best split marked."""
    axes = canvas.axes()
    labels = [split.labels for split in a.splits] or [a.alone.labels]
    widths = [split.half_width for split in a.splits] or [a.alone.half_width]
    axes.plot(
        labels, widths, color=ACCENT, linewidth=1.8, label="labels, the rest for the judge", gid="curve"
    )
    axes.axhline(
        a.alone.half_width,
        color=FAINT,
        linewidth=1.4,
        linestyle=(0, (4, 3)),
        label="labels alone",
        gid="alone",
    )
    _finish(axes, a.best.labels, a.best.half_width)
    top = max(3.0 * min(*widths, a.alone.half_width), a.alone.half_width * 1.1)
    axes.set_ylim(0.0, min(top, max(*widths, a.alone.half_width) * 1.1))
    best = f"{a.best.labels} labels" + (f", {a.best.items} judged items" if a.best.items else "")
    title = f"Best use of a budget of {a.budget:g}: {best}"
    return Sheet(axes, *_SIZE, title=title, keys=axes.get_legend_handles_labels()[0])


def _finish(axes: Axes, x: int, y: float) -> None:
    """Mark the answer and set up the scales."""
    axes.plot(x, y, marker="o", markersize=7, color=ACCENT, linestyle="none", zorder=3, gid="answer")
    label(axes, str(x), (x, y), (0, -18), va="baseline", ha="center", fontsize="small", fontweight="bold")
    axes.set_ylim(bottom=0.0)
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    bare(axes)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_xlabel("human labels", color=INK)
    axes.set_ylabel("half the interval", color=INK)


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
