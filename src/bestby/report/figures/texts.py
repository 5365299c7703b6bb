"""Texts of figures: how wide they are, and where their lines break."""

from __future__ import annotations

import functools

from bestby.report.figures import fonts


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
