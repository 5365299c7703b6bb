"""Texts of figures: how wide they are, and where their lines break."""

from __future__ import annotations

import functools
import re

from bestby.report.figures import fonts

GAP = 3 * "\N{NO-BREAK SPACE}"
"""Between parts of a line: SVG makes one of several plain spaces."""

BAR = f"{GAP}|{GAP}"
"""Between two halves of a line, which may become lines of their own."""

_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?![^\W\d_]|%)")


def text_width(text: str, size: float) -> float:
    """Return how many points a line of text is wide, in the fonts that it will have."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    families = mpl.rcParams["font.family"]
    more = fonts.families_to_add(text, FontProperties(family=families))
    return size * _relative_width(text, (*families, *more))


@functools.lru_cache(maxsize=4096)
def _relative_width(text: str, families: tuple[str, ...]) -> float:
    """Return the width of a text relative to the size of its font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(families), size=1.0)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def wrapped(text: str, width: float, size: float) -> str:
    """Return a text with its lines broken so that none is wider than so many points.

    A number stays with the word or percent sign behind it. A line with a bar in it is broken there first.
    """
    return "\n".join(line for one in text.splitlines() for line in _lines(one, width, size))


def _lines(text: str, width: float, size: float) -> list[str]:
    if BAR in text and text_width(text, size) > width:
        return [line for part in text.split(BAR) for line in _lines(part, width, size)]
    lines: list[str] = []
    for word in _BETWEEN_WORDS.split(text):
        longer = f"{lines[-1]} {word}" if lines else word
        if not lines or text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
