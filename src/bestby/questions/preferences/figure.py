"""The figures of a comparison by preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestby.report.figures.canvas import Canvas
from bestby.report.figures.systems import checked_kind, plot_systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.questions.preferences.result import PreferenceComparison


def preferences(c: PreferenceComparison, metric: str | None, kind: str, canvas: Canvas) -> Axes:
    """Draw strengths or differences; see `PreferenceComparison.plot`."""
    kind = checked_kind(kind, "preferences")
    return plot_systems(c, metric, "scores" if kind == "auto" else kind, canvas)
