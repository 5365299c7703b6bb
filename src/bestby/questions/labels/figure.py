"""Curves of what human labels give beside a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import ACCENT, FAINT, INK
from bestby.report.figures.drawing import bare, label, plain_ticks
from bestby.report.figures.layout import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.labels.label_plans_result import LabelAllocation, LabelPlan

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
    own = [point.half_width for point in p.curve]
    axes.plot(labels, own, color=ACCENT, linewidth=1.8, label="labels and judge", gid="curve")
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
