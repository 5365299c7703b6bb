"""One p-value per dataset, before and after correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.layout import figure
from bestby.report.numbers import p_text

if TYPE_CHECKING:
    from bestby.results.replicability import Replicability

_LEAST = 1e-16  # a logarithmic scale has no 0


@figure
def replicability(r: Replicability, *, canvas: Canvas = SCREEN) -> Sheet:
    """Draw the p-value of each dataset as a tick, after correction as a circle, filled if significant."""
    axes, names = canvas.axes(), canvas.names(r.datasets)
    axes.set_xscale("log")
    axes.set_xlim(min(0.5 * r.alpha, *(0.5 * max(p, _LEAST) for p in r.p_values)), 1.5)
    axes.axvline(r.alpha, color=drawing.FAINT, linewidth=1.0, zorder=1, gid="level")
    for position, (dataset, p, adjusted) in enumerate(zip(r.datasets, r.p_values, r.p_adjusted, strict=True)):
        raw, corrected = max(p, _LEAST), max(adjusted, _LEAST)
        axes.plot((raw, corrected), (position, position), color=drawing.FAINT, linewidth=1.0, zorder=2)
        axes.plot(raw, position, "|", color=drawing.FAINT, markersize=7, zorder=2, gid="raw")
        drawing.mark(axes, position, corrected, None, filled=dataset in r.found)
        texts = f"{p_text(p, r.alpha)}{drawing.GAP}({p_text(adjusted, r.alpha)})"
        drawing.note(axes, position, texts, canvas)
    drawing.labels(axes, [names[one] for one in r.datasets], [one in r.found for one in r.datasets])
    axes.set_xlabel(f"p-value (in brackets after Holm's correction); line: {r.alpha:.6g}", color=drawing.INK)
    keys = [
        drawing.key("a difference, after Holm's correction", filled=True),
        drawing.key("none shown", filled=False),
        drawing.key("before correction", filled=True, colour=drawing.FAINT, shape="|"),
    ]
    title = f"A difference on at least {r.k_bonferroni} of {len(names)} datasets"
    return Sheet(axes, drawing.ROW * len(names), title=title, keys=keys)
