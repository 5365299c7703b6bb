"""One p-value per dataset, before and after correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures import drawing
from bestby.report.figures.fonts import figure, name
from bestby.report.numbers import p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.results.replicability import Replicability

_ROW = 0.26  # inches
_LEAST = 1e-16  # a logarithmic scale has no 0


@figure
def replicability(r: Replicability, ax: Axes | None = None) -> Axes:
    """Draw the p-value of each dataset as a tick, after correction as a circle, filled if significant."""
    names = [name(dataset) for dataset in r.datasets]
    axes = ax if ax is not None else drawing.listing(names, _ROW, beside=1.4)
    axes.set_xscale("log")
    axes.set_xlim(min(0.5 * r.alpha, *(0.5 * max(p, _LEAST) for p in r.p_values)), 1.5)
    axes.axvline(r.alpha, color=drawing.FAINT, linewidth=1.0, zorder=1, gid="level")
    for position, (dataset, p, adjusted) in enumerate(zip(r.datasets, r.p_values, r.p_adjusted, strict=True)):
        raw, corrected = max(p, _LEAST), max(adjusted, _LEAST)
        axes.plot((raw, corrected), (position, position), color=drawing.FAINT, linewidth=1.0, zorder=2)
        axes.plot(raw, position, "|", color=drawing.FAINT, markersize=7, zorder=2, gid="raw")
        drawing.mark(axes, position, corrected, None, filled=dataset in r.found)
        texts = f"{p_text(p, r.alpha)}{drawing.GAP}({p_text(adjusted, r.alpha)})"
        drawing.note(axes, position, texts)
    drawing.labels(axes, names, [dataset in r.found for dataset in r.datasets])
    label = f"p-value (in brackets and as a circle: after Holm's correction), level {r.alpha:.6g}"
    axes.set_xlabel(label, color=drawing.INK)
    drawing.title(axes, f"A difference on at least {r.k_bonferroni} of {len(names)} datasets")
    return axes
