"""What every result of one figure can do: draw it."""

from __future__ import annotations

from typing import Any, ClassVar

from bestby._core.keywords import with_suggestions
from bestby._core.lazy import module_by_name
from bestby.results.base import shown_in
from bestby.vocabulary import FigureFont, FigureWidth, ItemFigure


class Drawn:
    """A result with one kind of figure, which its class names: a function, with its module."""

    __slots__ = ()

    drawn_by: ClassVar[str]

    @with_suggestions
    def plot(
        self,
        *,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the result; return the matplotlib Axes. There is one kind of figure.

        Parameters
        ----------
        width : {"column", "page"} or float, optional
            The width in a paper, for which letters have the right size: of a column (3.03 inches) or of the
            text of a page (6.3 inches) in the style of ACL, or any number of inches. By default the figure
            is as wide as it needs.
        font : {"sans", "serif"}, optional
            The letters; by default those that matplotlib is set to.
        percent : bool
            Show scores and differences in percent, as for `table`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        """
        module, _, function = self.drawn_by.rpartition(".")
        canvas = canvas_of(ax, width, font)
        return getattr(module_by_name(module), function)(shown_in(self, percent), canvas=canvas)


class DrawnSystems:
    """A comparison of systems on one test set, with several kinds of figures."""

    __slots__ = ()

    @with_suggestions
    def plot(
        self,
        metric: str | None = None,
        *,
        kind: ItemFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
        top: int | None = None,
    ) -> Any:
        """Draw a figure of one metric; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; the first by default.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix"}
            "forest": a line per pair, with its interval. "systems": a line per system, marked by whether
            another is shown to be better, or how it stands to the baseline. "scores": a line per system.
            "baseline": the difference of each system with the baseline or, without one, the best. "matrix":
            every pair, the effect as a colour and significance as a mark. "auto": the pairs of up to nine
            systems, a line per system of more; the differences with the baseline if there is one.
        width : {"column", "page"} or float, optional
            The width in a paper, for which letters have the right size: of a column (3.03 inches) or of the
            text of a page (6.3 inches) in the style of ACL, or any number of inches. By default the figure
            is as wide as it needs.
        font : {"sans", "serif"}, optional
            The letters; by default those that matplotlib is set to.
        percent : bool
            As for `table`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        top : int, optional
            Draw so many of the best; by default all of up to 50, else 20. A forest of them has each against
            the best and its neighbour.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.compare({"old": [1, 0, 0, 1] * 25, "new": [1, 1, 0, 1] * 25}, gold=[1] * 100)
        >>> axes = result.plot(kind="systems", width="column", font="serif")
        >>> axes.figure.savefig("systems.pdf")  # doctest: +SKIP
        """
        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return module_by_name("bestby.report.figures.plots").items(shown, metric, kind, canvas, top)


def canvas_of(ax: Any, width: FigureWidth | float | None, font: FigureFont | None) -> Any:
    """Return what a figure is drawn on."""
    return module_by_name("bestby.report.figures.canvas").Canvas.of(ax, width, font)


def shown_metric(result: Any, metric: str | None, percent: bool) -> tuple[Any, str | None]:
    """Return what is shown of a result, itself or in percent, and the name that a metric has there."""
    shown = shown_in(result, percent)
    if metric is None or shown is result:
        return shown, metric
    names = {old.name: new.name for old, new in zip(result.metrics, shown.metrics, strict=True)}
    return shown, names.get(metric, metric)
