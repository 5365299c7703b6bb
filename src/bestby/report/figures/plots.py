"""The figures of each kind of result, as its method `plot` offers them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bestby import vocabulary
from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby.report.figures import (
    forest,
    matrix,
    scores,
)
from bestby.report.figures.canvas import Canvas
from bestby.report.tables import differences_of, metric_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bestby.report.comparison import Comparison

_OF_SYSTEMS: dict[str, Callable[..., Axes]] = {
    "forest": forest.forest,
    "systems": scores.systems,
    "scores": scores.scores,
    "baseline": forest.baseline,
    "matrix": matrix.comparison,
}


def usual(c: Comparison, metric: str | None = None) -> str:
    """Return the kind of figure for so many systems: every pair, or the baseline's, or a line per system."""
    differences = differences_of(c, metric_info(c, metric))
    if not differences:
        return "scores"
    if c.baseline is not None:
        return "baseline"
    # Pairs that are drawn one by one unless a kind is asked for: those of 9 systems
    return "forest" if len(differences) <= 36 else "systems"


def drawn(c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None) -> Axes:
    """Draw a comparison on one test set; see `Comparison.plot`."""
    return plot_systems(c, metric, checked_kind(kind, "items"), canvas, top)


def checked_kind(kind: str, question: str) -> str:
    """Return a kind of figure if results of such a question have it."""
    return str(checks.choice(kind, vocabulary.allowed_names("kind", question), "kind"))


def plot_systems(
    c: Comparison, metric: str | None, kind: str, canvas: Canvas, top: int | None = None
) -> Axes:
    """Draw a figure of systems on one test set, of a kind or the one that suits their number."""
    kind = usual(c, metric) if kind == "auto" else kind
    if kind != "scores" and not differences_of(c, metric_info(c, metric)):
        raise InvalidInputError(
            f"kind={kind!r} draws differences, and this result has none: one system, or scores alone",
            hint="kind='scores' draws the scores",
            argument="kind",
        )
    return _OF_SYSTEMS[kind](c, metric, top, canvas=canvas)
