"""The places of all parts of a figure around its axes.

A function that draws returns a `Sheet`; `figure` makes a function of it that returns axes. Around the axes
of a new figure, labels, title, legend and foot take the room that they really need, so that nothing overlaps
or is cut off; the axes get the rest of a given width. Axes of the user stay where they are.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ParamSpec

from bestby.report.figures import fonts
from bestby.report.figures.canvas import SCREEN, Canvas, Sheet
from bestby.report.figures.colours import INK
from bestby.report.figures.texts import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")

FINE = 0.85
"""The size of the letters of legends and lines below, relative to those of titles."""

FIXED_WIDTH = "fixed width"
"""The gid of a figure whose width is given: it is written as it is, and nothing is cut off its edges."""

_EDGE, _GAP = 0.08, 0.09
"""Inches between the edge and what is nearest to it, and between the parts of a figure."""

_LEAST, _LEAST_AXES = 5.0, 0.6
"""Inches of the narrowest figure whose width is free, and of the narrowest axes."""

_LETTERS = (1.0, 0.75, 0.5, 0.3)
"""Shares of the usual letters of names, tried one after the other until there is room for the axes."""

_ROUNDS = 3
"""How often the room beside the axes is measured at most, as it depends a little on their width."""


def figure(draw: Callable[P, Sheet]) -> Callable[P, Axes]:
    """Let a function that draws a sheet return its axes, with everything written around them in its place."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Axes:
        import matplotlib as mpl
        from matplotlib.text import Text

        canvas = kwargs.get("canvas", SCREEN)
        assert isinstance(canvas, Canvas)
        settings: Any = canvas.settings()
        # Whoever writes the figure learns of letters that no font has.
        with mpl.rc_context(settings), fonts.one_warning(silent=True):
            for letters in _LETTERS:
                kwargs["canvas"] = dataclasses.replace(canvas, letters=letters)
                sheet = draw(*args, **kwargs)
                parts = _Parts.of(sheet, canvas)
                whole: Any = sheet.axes if canvas.ax is not None else sheet.axes.figure
                fonts.add_fonts(whole.findobj(Text))
                if canvas.ax is not None or _arrange(sheet, canvas, parts):
                    break
        return sheet.axes

    return drawn


@dataclass(frozen=True, slots=True)
class _Parts:
    """The texts around the axes: the title, and the lines of the foot."""

    title: Any
    foot: Any

    @classmethod
    def of(cls, sheet: Sheet, canvas: Canvas) -> _Parts:
        """Write the title and the foot; on axes of the user, the legend too."""
        axes, fine = sheet.axes, FINE * canvas.size
        title = axes.set_title(sheet.title, loc="left", color=INK, fontsize=canvas.size, parse_math=False)
        style: dict[str, Any] = {
            "va": "top",
            "ha": "left",
            "fontsize": fine,
            "color": INK,
            "parse_math": False,
        }
        if canvas.ax is None:
            figure: Any = axes.figure
            return cls(title, figure.text(0.0, 0.0, sheet.foot, **style) if sheet.foot else None)
        foot = None
        if sheet.foot:
            text = wrapped(sheet.foot, 100.0 * 0.55 * fine, fine)
            # Points from axes of the user down to the lines below their scale
            at: dict[str, Any] = {"xytext": (0, -40), "textcoords": "offset points"}
            foot = axes.annotate(
                text, (0.0, 0.0), xycoords="axes fraction", annotation_clip=False, **at, **style
            )
        if sheet.keys:
            _legend(axes, sheet, canvas, 1, loc="best")
        return cls(title, foot)


def _legend(owner: Any, sheet: Sheet, canvas: Canvas, columns: int, **place: Any) -> Any:
    """Write the legend in some columns."""
    legend = owner.legend(
        handles=list(sheet.keys),
        ncols=columns,
        frameon=owner is sheet.axes,
        fontsize=FINE * canvas.size,
        labelcolor=INK,
        borderaxespad=0.0,
        borderpad=0.4 if owner is sheet.axes else 0.0,
        handlelength=1.4,
        handletextpad=0.5,
        columnspacing=1.2,
        labelspacing=0.35,
        **place,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def _arrange(sheet: Sheet, canvas: Canvas, parts: _Parts) -> bool:
    """Give the axes of a new figure, and everything around them, their places; tell whether there is room."""
    axes, scale = sheet.axes, canvas.scale
    figure: Any = axes.figure
    renderer = _measuring(figure.dpi)
    across, height = scale * sheet.width, scale * sheet.height
    figure.set_size_inches(across + 2.0, height + 2.0)
    total, label = across, axes.get_xlabel()
    left = right = math.inf
    room = 0.0
    numbers_fit = True
    for _ in range(_ROUNDS):
        before, (left, right, up, down) = (left, right), _around(axes, renderer)
        # Inches by which the room beside the axes may change without a new round
        if max(abs(left - before[0]), abs(right - before[1])) < 1e-4:
            break
        total = canvas.width or max(scale * sheet.width + left + right + 2 * _EDGE, scale * _LEAST)
        across = max(total - left - right - 2 * _EDGE, _LEAST_AXES)
        if sheet.square:
            across = min(across, scale * sheet.width)
            height = across * sheet.height / sheet.width
        room = 72.0 * (total - 2 * _EDGE)
        for text, part in ((sheet.title, parts.title), (label, axes.xaxis.label)):
            _wrap(part, text, room, renderer)
        _resize(figure, axes, total, across, height, left)
        parts.title.set_x(-left / across)
        numbers_fit = _thin_ticks(axes, renderer)
        _keep_inside(axes.xaxis.label, axes, renderer)
    else:  # the last round has moved them
        *_, up, down = _around(axes, renderer)
    below = down
    legend = _fitting_legend(figure, sheet, canvas, room, renderer)
    extents = [legend] if legend is not None else []
    if parts.foot is not None:
        _wrap(parts.foot, sheet.foot, room, renderer)
        extents.append(parts.foot)
    heights = [part.get_window_extent(renderer).height / figure.dpi for part in extents]
    below += sum(one + _GAP for one in heights)
    whole = _EDGE + up + height + below + _EDGE
    figure.set_size_inches(total, whole)
    axes.set_position((
        (_EDGE + left) / total, (_EDGE + below) / whole, across / total, height / whole,
    ))  # fmt: skip
    at = _EDGE + below - down
    for part, tall in zip(extents, heights, strict=True):
        at -= _GAP
        corner = (_EDGE / total, at / whole)
        if part is legend:
            part.set_bbox_to_anchor(corner, transform=figure.transFigure)
        else:
            part.set_position(corner)
        at -= tall
    if canvas.width is None:
        return True  # fewer letters would change nothing
    figure.set_gid(FIXED_WIDTH)
    return numbers_fit and across > _LEAST_AXES


def _resize(figure: Any, axes: Axes, total: float, across: float, height: float, left: float) -> None:
    """Give the axes their size, with room enough above and below to measure the rest."""
    whole = height + 4.0
    figure.set_size_inches(total, whole)
    axes.set_position(((_EDGE + left) / total, 2.0 / whole, across / total, height / whole))


def _measuring(dpi: float) -> Any:
    """Return a renderer that measures the letters of a figure, and keeps what it measured.

    That of the canvas is a new one after each change of the size.
    """
    from matplotlib.backends import backend_agg

    renderer: Any = backend_agg.RendererAgg
    return renderer(1, 1, dpi)


def _around(axes: Axes, renderer: Any) -> tuple[float, float, float, float]:
    """Return how far what is written reaches beyond the axes to the left, right, top and bottom, in inches.

    The title and the label below may be wider than the axes, and do not count to the left and right.
    """
    figure: Any = axes.figure
    whole = axes.get_tightbbox(renderer, for_layout_only=True)
    inner = axes.get_window_extent(renderer)
    assert whole is not None
    low, high = whole.y0, whole.y1
    if axes.get_ylabel():  # of which the layout counts the middle only
        label = axes.yaxis.label.get_window_extent(renderer)
        low, high = min(low, label.y0), max(high, label.y1)
    beyond = (inner.x0 - whole.x0, whole.x1 - inner.x1, high - inner.y1, inner.y0 - low)
    left, right, up, down = (max(distance, 0.0) / figure.dpi for distance in beyond)
    return left, right, up, down


def _thin_ticks(axes: Axes, renderer: Any) -> bool:
    """Take numbers from the scale until none touches its neighbour; tell whether that was enough."""
    from matplotlib.ticker import MaxNLocator

    figure: Any = axes.figure
    locator = axes.xaxis.get_major_locator()
    if type(locator) is not MaxNLocator:
        return True
    for bins in range(5, 0, -1):
        locator.set_params(nbins=bins)
        low, high = sorted(axes.get_xlim())
        shown = [tick for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        axes.xaxis.get_tightbbox(renderer)  # which writes the numbers
        boxes = sorted((tick.label1.get_window_extent(renderer) for tick in shown), key=lambda b: b.x0)
        if all(one.x1 + _GAP * figure.dpi <= two.x0 for one, two in pairwise(boxes)):
            return True
    return False


def _wrap(part: Any, text: str, room: float, renderer: Any) -> None:
    """Write a text in lines of at most so many points."""
    figure, width = part.figure, room
    for _ in range(_ROUNDS):
        part.set_text(wrapped(text, width, part.get_fontsize()))
        drawn = 72.0 / figure.dpi * part.get_window_extent(renderer).width
        if drawn <= room:
            return
        width *= 0.98 * room / drawn  # a renderer draws small letters a little wider than they are


def _keep_inside(label: Any, axes: Axes, renderer: Any) -> None:
    """Move the label of the scale so that it does not leave the figure on either side."""
    figure: Any = axes.figure
    label.set_x(0.5)
    axes.xaxis.get_tightbbox(renderer)  # which finds the place of the label
    box, inner = label.get_window_extent(renderer), axes.get_window_extent(renderer)
    edge = _EDGE * figure.dpi
    if box.x0 < edge:
        label.set_x(0.5 + (edge - box.x0) / inner.width)
    elif box.x1 > figure.bbox.width - edge:
        label.set_x(0.5 - (box.x1 - figure.bbox.width + edge) / inner.width)


def _fitting_legend(figure: Any, sheet: Sheet, canvas: Canvas, room: float, renderer: Any) -> Any:
    """Write the legend in as many columns as fit; None without keys."""
    legend = None
    for columns in range(len(sheet.keys), 0, -1):
        if legend is not None:
            legend.remove()
        legend = _legend(figure, sheet, canvas, columns, loc="upper left", bbox_to_anchor=(0.0, 1.0))
        fonts.add_fonts(legend.get_texts())
        if legend.get_window_extent(renderer).width <= room / 72.0 * figure.dpi:
            break
    return legend
