"""Texts of figures: short names, the fonts that have their letters, widths, and where lines break."""

from __future__ import annotations

import functools
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from bestby._core.text import visible
from bestby.report.names import common

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

LONGEST = 60
"""Characters of a name in a figure. A longer one loses its middle, since names differ at their ends."""

FAMILIES = (
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

_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"

GAP = 3 * "\N{NO-BREAK SPACE}"
"""Between parts of a line: SVG makes one of several plain spaces."""

BAR = f"{GAP}|{GAP}"
"""Between two halves of a line, which may become lines of their own."""

_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?![^\W\d_]|%)")


def name(text: str, longest: int = LONGEST) -> str:
    r"""Return a name as a figure shows it: hidden characters as escapes, and not too long.

    >>> print(name("a\x1b"), len(name("checkpoint-" * 300)))
    a\x1b 60
    """
    return _from_left(_shortened(text, longest))


def _from_left(shown: str) -> str:
    """Return a name that leaves the direction of what is around it: a number behind it stays behind it.

    In a line that begins with an Arabic or Hebrew name everything would run from right to left, and numbers
    that follow the name would stand before it.
    """
    if not any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in shown):
        return shown
    return f"{_LEFT_TO_RIGHT}{shown}{_LEFT_TO_RIGHT}"


def _shortened(text: str, longest: int) -> str:
    """Return a name with its hidden characters as escapes, its middle left out if it is too long."""
    shown = visible(text)
    if columns([shown]) <= longest:
        return shown
    begin = _fitting(shown, longest - 1 - longest // 3)
    end = _fitting(shown[::-1], longest // 3)
    return f"{shown[:begin]}…{shown[len(shown) - end :]}"


def _fitting(text: str, room: int) -> int:
    """Return how many letters of the beginning of a text fit in the room of so many Latin letters."""
    used = 0
    for place, letter in enumerate(text):
        used += columns([letter])
        if used > room:
            return place
    return len(text)


def short_names(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Return the names of systems as a figure shows them, no longer than it takes to tell them apart.

    Where one is too long, the common beginning and end of all go if the rest then fits; else what stands
    before a slash goes, and long names lose their middle. Those that then look alike are shortened as names
    of their own, or all keep more letters.

    >>> short_names(["bert", "a-very-long-name-of-a-model"], 12)
    {'bert': 'bert', 'a-very-long-name-of-a-model': 'a-very-…odel'}
    >>> list(short_names(["checkpoint-1-of-the-model", "checkpoint-2-of-the-model"], 14).values())
    ['checkpoint-1…', 'checkpoint-2…']
    >>> list(short_names(["checkpoint-1-of-the-model", "checkpoint-2-of-the-model", "bert"], 14).values())
    ['checkpoint-1…', 'checkpoint-2…', 'bert']
    >>> list(short_names(["meta-llama/Llama-3.1-70B", "Qwen/Qwen2.5-72B"], 14).values())
    ['Llama-3.1-70B', 'Qwen2.5-72B']
    """
    shown = _short_names(list(dict.fromkeys(names)), longest)
    return {one: _from_left(text) for one, text in shown.items()}


def _short_names(unique: Sequence[str], longest: int) -> dict[str, str]:
    with_family, rest = (
        {one: left_out.without(one) for one in unique}
        for left_out in (common(unique), common(unique, family=False))
    )
    models = {one: one.rpartition("/")[2] for one in unique}
    too_long = columns(map(visible, unique)) > longest
    if not too_long or len(set(models.values()) - {""}) < len(unique):
        models = {one: one for one in unique}
    for texts in (with_family, models, rest) if too_long else ():
        if columns(map(visible, texts.values())) <= longest:
            return {one: _shortened(texts[one], LONGEST) for one in unique}
    for room in range(longest, LONGEST + 1):
        for texts in (models, rest):
            shown = _told_apart({one: _shortened(text, room) for one, text in texts.items()}, longest)
            if len(set(shown.values())) == len(unique):
                return shown
    return {one: _shortened(one, LONGEST) for one in unique}


def _told_apart(shown: dict[str, str], longest: int) -> dict[str, str]:
    """Shorten those names that look alike anew, without what they, but not all names, have in common."""
    alike: dict[str, list[str]] = {}
    for one, text in shown.items():
        alike.setdefault(text, []).append(one)
    again = [group for group in alike.values() if 1 < len(group) < len(shown)]
    return shown | {one: text for group in again for one, text in _short_names(group, longest).items()}


def columns(texts: Iterable[str]) -> int:
    """Return how many Latin letters are as wide as the widest of some texts."""
    return max(
        (sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text) for text in texts), default=0
    )


def add_fonts(texts: Iterable[Any]) -> None:
    """Give texts the fonts that have all of their letters, as far as they are installed."""
    for text in texts:
        more = families_to_add(text.get_text(), text.get_fontproperties())
        if more:
            text.set_fontfamily([*text.get_fontfamily(), *more])
            if not _all_bold(more):  # or single letters of a name would be bold
                text.set_fontweight("normal")


def families_to_add(text: str, font: FontProperties) -> list[str]:
    """Return the installed families that may have the letters of a text, if its font lacks one of them.

    Elsewhere there are none, so that the same figure is the same file, whatever is installed.
    """
    from matplotlib import font_manager

    if text.isascii():
        return []
    usual_font = font_manager.get_font(font_manager.findfont(font))
    if all(usual_font.get_char_index(ord(letter)) for letter in text if not letter.isascii()):
        return []
    return _installed()


def _installed() -> list[str]:
    """Return the installed families: matplotlib warns about every family that is missing."""
    from matplotlib import font_manager

    add_new_fonts()
    installed = {entry.name for entry in font_manager.fontManager.ttflist}
    return [family for family in FAMILIES if family in installed]


def _all_bold(names: Sequence[str]) -> bool:
    """Tell whether each of some families has bold letters."""
    from matplotlib import font_manager

    bold = {entry.name for entry in font_manager.fontManager.ttflist if entry.weight in ("bold", 700)}
    return bold.issuperset(names)


@functools.cache
def add_new_fonts() -> None:
    """Let matplotlib know the fonts that were installed after it made its list of them."""
    from matplotlib import font_manager

    listed = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in sorted({*font_manager.findSystemFonts()} - listed):
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


def text_width(text: str, size: float) -> float:
    """Return how many points a line of text is wide, in the fonts that it will have."""
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    families = mpl.rcParams["font.family"]
    more = families_to_add(text, FontProperties(family=families))
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
