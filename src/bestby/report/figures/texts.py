"""Texts of figures: how wide they are, and where their lines break."""

from __future__ import annotations

import functools
import unicodedata


def text_width(text: str, size: float) -> float:
    """Return how many points a line of text is wide, in the font that is set."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties, findfont

    path = findfont(FontProperties(family=mpl.rcParams["font.family"]))
    return size * sum(_advance(letter, path) for letter in text)


@functools.lru_cache(maxsize=4096)
def _advance(letter: str, path: str) -> float:
    """Return the width of a letter relative to the size of the font; of East Asian letters it is 1."""
    from matplotlib.font_manager import get_font
    from matplotlib.ft2font import LoadFlags

    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    font = get_font(path)
    font.set_size(100.0, 72)
    return float(font.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536.0 / 100.0


def wrapped(text: str, width: float, size: float) -> str:
    """Return a text with its lines broken so that none is wider than so many points."""
    return "\n".join(line for one in text.splitlines() for line in _lines(one, width, size))


def _lines(text: str, width: float, size: float) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if not lines or text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
