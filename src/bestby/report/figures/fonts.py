"""Names in figures: what is written of them, and the fonts that have their letters."""

from __future__ import annotations

import functools
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ParamSpec

from bestby._core.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")

_LONGEST = 60
"""Characters of a name in a figure. A longer one loses its middle, since names differ at their ends."""

_FAMILIES = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK TC", "Noto Sans CJK KR", "Noto Sans SC",
    "Noto Sans JP", "Noto Sans KR", "Source Han Sans SC", "Source Han Sans", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "Droid Sans Fallback", "IPAexGothic", "NanumGothic", "UnDotum",
    "Microsoft YaHei", "SimHei", "Yu Gothic", "MS Gothic", "Malgun Gothic",
    "PingFang SC", "Hiragino Sans GB", "Hiragino Sans", "Apple SD Gothic Neo", "Heiti TC",
    "Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali",
    "Noto Sans Tamil", "Noto Sans Telugu", "Noto Sans Thai", "Noto Sans Ethiopic", "Noto Sans Georgian",
    "Noto Sans Armenian", "Noto Sans Symbols", "Noto Sans Symbols 2", "Noto Sans Symbols2", "Noto Emoji",
    "Nirmala UI", "Leelawadee UI", "Ebrima", "Segoe UI", "Segoe UI Symbol", "Tahoma", "Arial Unicode MS",
    "FreeSans", "DejaVu Sans", "Unifont",
)  # fmt: skip
"""Families that have the letters of one script or another, where they are installed."""


def name(text: str) -> str:
    r"""Return a name as a figure shows it: hidden characters as escapes, and not too long.

    >>> print(name("a\x1b"), len(name("checkpoint-" * 300)))
    a\x1b 60
    """
    shown = visible(text)
    if len(shown) <= _LONGEST:
        return shown
    begin = 2 * _LONGEST // 3
    return f"{shown[:begin]}…{shown[begin + 1 - _LONGEST :]}"


def columns(texts: Iterable[str]) -> int:
    """Return how many Latin letters are as wide as the widest of some texts."""
    return max(
        (sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text) for text in texts), default=0
    )


def figure(draw: Callable[P, Axes]) -> Callable[P, Axes]:
    """Give what a function draws fonts that have all of its letters, as far as they are installed."""

    @functools.wraps(draw)
    def with_fonts(*args: P.args, **kwargs: P.kwargs) -> Axes:
        from matplotlib.text import Text

        axes = draw(*args, **kwargs)
        texts: Sequence[Any] = axes.findobj(Text)
        for text in texts:
            # Only where it is needed: elsewhere the same figure is the same file, whatever is installed.
            if not text.get_text().isascii() and _lacking(text):
                text.set_fontfamily([*text.get_fontfamily(), *_installed()])
        return axes

    return with_fonts


def _lacking(text: Any) -> bool:
    """Tell whether the font of a text lacks one of its letters."""
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont(text.get_fontproperties()))
    return any(not font.get_char_index(ord(letter)) for letter in text.get_text() if not letter.isascii())


def _installed() -> list[str]:
    """Return the installed families: matplotlib warns about every family that is missing."""
    from matplotlib import font_manager

    _add_new_fonts()
    families = {entry.name for entry in font_manager.fontManager.ttflist}
    return [family for family in _FAMILIES if family in families]


@functools.cache
def _add_new_fonts() -> None:
    """Let matplotlib know the fonts that were installed after it made its list of them."""
    from matplotlib import font_manager

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in sorted({*font_manager.findSystemFonts()} - known):
        with suppress(OSError, RuntimeError):  # a font that FreeType cannot read
            font_manager.fontManager.addfont(path)


@contextmanager
def one_warning(*, silent: bool = False) -> Iterator[None]:
    """Replace matplotlib's warnings per missing letter by one for all, or by none with `silent`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    glyphs = [re.match(r"Glyph (\d+) ", str(warning.message)) for warning in caught]
    for warning, glyph in zip(caught, glyphs, strict=True):
        if glyph is None:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    letters = "".join(dict.fromkeys(chr(int(glyph[1])) for glyph in glyphs if glyph is not None))
    if letters and not silent:
        warnings.warn(
            f"no installed font has {_few(letters)}: the figure shows boxes in their place;"
            " install a font that has them, such as Noto Sans CJK",
            stacklevel=3,
        )


def _few(letters: str) -> str:
    more = len(letters) - 10
    return visible(letters[:10]) + (f" and {more} more letters" if more > 0 else "")
