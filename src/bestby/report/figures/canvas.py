"""What a figure is drawn on: its colours, width and letters, and the places of all parts around its axes.

A function that draws returns a `Sheet`; `figure` makes a function of it that returns axes. Around the axes
of a new figure, labels, title, legend and foot take the room that they really need, so that nothing overlaps
or is cut off; the axes get the rest of a given width. Axes of the user stay where they are.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ParamSpec

from bestby import vocabulary
from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.figures import texts
from bestby.report.figures.texts import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours are distinct in hue and in lightness, for colour-blind readers and for print (Okabe and Ito 2008);
# what a colour says is also said by the shape of a mark. The HTML page replaces exactly these colours by
# those of its theme, so each has one meaning.
INK = "#1b1e23"
FAINT = "#6b7280"
ACCENT = "#0072b2"
BAND = "#dde5ec"
PAPER = "#fffffe"
WORSE = "#d55e00"
"""A system that is behind; the page leaves this colour as it is."""

_WIDTHS = {"column": 3.03, "page": 6.3}
"""Inches of a column and of the text of a page in the style of ACL."""

_PER_INCH, _FEWEST = 5.4, 5
"""Letters of a name for each inch of the width of a figure, and at least."""

_FAMILIES = {"sans": ["sans-serif"], "serif": ["STIXGeneral"]}
_PAPER, _SCREEN = 8.0, 10.0
"""Points of letters in a paper, of a given width, and in a figure as wide as it needs."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where and how a figure is drawn: axes of the user, or a new figure.

    `width` is in inches; None lets the figure be as wide as it needs. `font` is "sans" or "serif"; None
    leaves what the user of matplotlib has set. `letters` is the share of the usual letters of a name that it
    may have if `width` is given.
    """

    ax: Axes | None = None
    width: float | None = None
    font: str | None = None
    letters: float = 1.0

    @classmethod
    def of(cls, ax: Axes | None, width: str | float | None, font: str | None) -> Canvas:
        """Return the canvas that the arguments of `plot` ask for."""
        if font is not None:
            checks.choice(font, vocabulary.allowed_names("font", "figure"), "font")
        if ax is not None and not hasattr(ax, "set_xlim"):
            raise InvalidInputError(
                f"ax must be the Axes of a figure, got {quoted(ax)}", hint="ax=plt.gca()", argument="ax"
            )
        if width is not None and ax is not None:
            raise InvalidInputError(
                "width is that of a new figure, and ax is part of another", hint="leave one of them out"
            )
        return cls(ax, None if width is None else _inches(width), font)

    @property
    def narrow(self) -> bool:
        """Whether there is room for a name and one number beside the axes, but for no interval."""
        return self.width is not None and self.width < 4.5

    @property
    def size(self) -> float:
        """Points of letters: titles and labels; numbers and legends are smaller."""
        return _SCREEN if self.width is None else _PAPER

    @property
    def scale(self) -> float:
        """By how much all lengths differ from those of a figure on the screen."""
        return self.size / _SCREEN

    def names(self, systems: Iterable[str], share: float = 1.0) -> dict[str, str]:
        """Return what the figure shows of names, in a share of the room for them."""
        longest = texts.LONGEST if self.width is None else self.letters * _PER_INCH * self.width
        return texts.short_names(systems, max(_FEWEST, round(share * longest)))

    def axes(self) -> Axes:
        """Return the axes of the user, or those of a new figure."""
        if self.ax is not None:
            return self.ax
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure()
        FigureCanvasAgg(figure)  # which measures its letters
        axes = figure.add_subplot()
        axes.tick_params(labelsize=self.size)
        return axes

    def settings(self) -> dict[str, Any]:
        """Return the settings of matplotlib that the figure is drawn with."""
        family = {} if self.font is None else {"font.family": _FAMILIES[self.font]}
        return {"font.size": self.size, "axes.titlesize": "medium", "axes.labelsize": "medium", **family}


SCREEN = Canvas()
"""A new figure that is as wide as it needs."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was drawn, and what is to be written around it.

    `height` and `width` are those of the axes in inches, for letters of 10 points; the width counts where
    that of the figure is free. `square` keeps their ratio. `keys` are the artists of the legend, `foot` is
    the lines below.
    """

    axes: Axes
    height: float
    width: float = 3.6
    title: str = ""
    keys: Sequence[Any] = ()
    foot: str = ""
    square: bool = False


def _inches(width: str | float) -> float:
    if isinstance(width, str) and not _is_number(width):
        return _WIDTHS[checks.choice(width, vocabulary.allowed_names("width", "figure"), "width")]
    inches = checks.number(width, "width")
    if isinstance(width, bool) or not 2.0 <= inches <= 100.0:
        raise InvalidInputError(
            f"width must be {vocabulary.choices('width', 'figure')}, or 2 to 100 inches, got {quoted(width)}",
            argument="width",
        )
    return inches


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


_EDGE, _GAP = 0.08, 0.09
"""Inches between the edge and what is nearest to it, and between the parts of a figure."""

_LEAST, _LEAST_AXES = 5.0, 0.6
"""Inches of the narrowest figure whose width is free, and of the narrowest axes."""


P = ParamSpec("P")

FINE = 0.85
"""The size of the letters of legends and lines below, relative to those of titles."""

FIXED_WIDTH = "fixed width"
"""The gid of a figure whose width is given: it is written as it is, and nothing is cut off its edges."""

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
        with mpl.rc_context(settings), texts.one_warning(silent=True):
            for letters in _LETTERS:
                kwargs["canvas"] = dataclasses.replace(canvas, letters=letters)
                sheet = draw(*args, **kwargs)
                parts = _Parts.of(sheet, canvas)
                whole: Any = sheet.axes if canvas.ax is not None else sheet.axes.figure
                texts.add_fonts(whole.findobj(Text))
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
        texts.add_fonts(legend.get_texts())
        if legend.get_window_extent(renderer).width <= room / 72.0 * figure.dpi:
            break
    return legend
