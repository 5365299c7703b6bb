"""What a figure is drawn on: its axes, its width and its letters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestby import vocabulary
from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.report.figures import fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        longest = fonts.LONGEST if self.width is None else self.letters * _PER_INCH * self.width
        return fonts.short_names(systems, max(_FEWEST, round(share * longest)))

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
