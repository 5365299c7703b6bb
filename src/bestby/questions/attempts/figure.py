"""Curves of pass@k or pass^k over the number of attempts, with their bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bestby.report.figures.canvas import FAINT, INK, SCREEN, Canvas, Sheet, figure
from bestby.report.figures.drawing import LINE_COLOURS, left_scale, line_look, plain_ticks
from bestby.report.figures.texts import name
from bestby.report.numbers import percent
from bestby.report.words import direction

if TYPE_CHECKING:
    from bestby.questions.attempts.result import AttemptsComparison


@figure
def attempts(c: AttemptsComparison, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the curve of each system with its band; of two, mark where one is significantly better."""
    axes = canvas.axes()
    ks, names, lines = np.arange(1, c.fewest + 1), canvas.names(c.systems), []
    colours = {}
    for place, one in enumerate(c.curves):
        colour, dashes = line_look(place)
        colours[one.system] = colour
        if len(c.curves) <= len(LINE_COLOURS):
            axes.fill_between(ks, one.low, one.high, color=colour, alpha=0.15, linewidth=0, gid="band")
        lines += axes.plot(
            ks, one.scores, label=names[one.system], color=colour, linestyle=dashes, linewidth=1.8,
            marker="o" if c.fewest == 1 else None, markersize=3.5, gid="curve",
        )  # fmt: skip
    if len(c.pairs) == 1:
        for better in c.pairs[0].ranges:
            # A single k has a width, too
            ends = better.first / 1.04, better.last * 1.04
            axes.plot(
                ends, (0.02, 0.02), transform=axes.get_xaxis_transform(), color=colours[better.system],
                linewidth=4.0, solid_capstyle="butt", gid="better",
            )  # fmt: skip
    if c.fewest > 1:
        axes.set_xscale("log")
        plain_ticks(axes, [1, c.fewest])
    axes.margins(y=0.06)
    left_scale(axes)
    axes.grid(axis="y", color=FAINT, linewidth=0.4, alpha=0.5)
    axes.set_xlabel("attempts k", color=INK)
    axes.set_ylabel(f"{name(c.metric.name)} ({direction(c.metric)})", color=INK, parse_math=False)
    title = f"{c.metric.name}, {percent(c.level)} bands for all k at once"
    return Sheet(axes, 2.9, 5.2, title, lines if len(lines) > 1 else [])
