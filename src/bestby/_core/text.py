"""Text that comes from users: what may enter, and how it is shown to a person."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

# Control characters (C0, DEL, C1), the marks that turn or override the direction of writing, line and
# paragraph separators, characters without any shape, halves of surrogate pairs, and two that XML forbids.
# Zero-width joiners are not among them: Persian, Hindi and emoji are spelt with these.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff]"
)

_SURROGATE = re.compile("[\ud800-\udfff]")

# Spaces at which no line breaks, and characters without any shape or width that no script is spelt with;
# variation selectors among them, which only choose how the character before them is drawn.
_NO_BREAK = "\xa0\u2007\u202f"

_BLANKS = re.compile(f"[{_NO_BREAK}]")

_NO_WIDTH = re.compile("[\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")

_BEFORE_PERCENT = re.compile(r"(?<=\d) %")

_OF_P = re.compile(r"\bp ([=<>]) ")

_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def visible(text: str) -> str:
    """Return text in which characters that have no shape, or act on a terminal, are escaped as in Python.

    Every writer for people applies it to what it writes; data formats (JSON, CSV, frames) keep the text.
    """
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escaped, text)


def normal_form(text: str) -> str:
    r"""Return the one form in which ids and labels are compared, that of texts which look alike.

    It is Unicode's NFC, with plain spaces for no-break ones (none at the ends) and without the characters
    that have no width.

    >>> normal_form("cafe\u0301") == "caf\xe9", normal_form("\u200bNew\xa0York\xa0")
    (True, 'New York')
    """
    if text.isascii():
        return text
    plain = _NO_WIDTH.sub("", unicodedata.normalize("NFC", text)).strip(_NO_BREAK)
    return _BLANKS.sub(" ", plain)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    return _SHORT.get(character) or (f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}")


def one_line(text: str) -> str:
    """Return text of several lines as one, its hidden characters escaped; for messages."""
    return visible(" ".join(part.strip() for part in text.split("\n") if part.strip()))


def safe_json(document: str) -> str:
    """Return a JSON document in which hidden characters of strings are escaped: the same data to a reader.

    JSON itself demands this of the characters below U+0020 only.
    """
    return document if document.isascii() else _HIDDEN.sub(_json_escaped, document)


def _json_escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if character < "\x7f" else f"\\u{ord(character):04x}"


def surrogate(text: str) -> str | None:
    r"""Return the first half of a surrogate pair in a text, which makes it invalid Unicode; None without.

    >>> surrogate("caf\udce9") == "\udce9", surrogate("café")
    (True, None)
    """
    match = None if text.isascii() else _SURROGATE.search(text)
    return match[0] if match else None


def shortened(text: str, most: int = 60) -> str:
    """Return a text of a message, its end left out if it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def quoted(value: Any, most: int = 80) -> str:
    """Return the `repr` of a value on one line, its end left out if it is long.

    A text that is not in its normal form looks like another one: it is shown with escapes. A text or number
    of NumPy is shown as Python's is.

    >>> import numpy as np
    >>> quoted(np.str_("a")), quoted(np.float64(0.5)), quoted("a" * 100, 5)
    ("'a'", '0.5', "'aaa…")
    """
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0 and value.dtype.kind in "Ubiuf":
        value = value.item()
    try:
        odd = isinstance(value, str) and normal_form(value) != value
        shown = one_line(_ADDRESS.sub("", ascii(value) if odd else repr(value)))
    except Exception:  # a repr of the user's own may fail, and must not hide what the message says
        shown = f"<{type(value).__name__}>"
    return shortened(shown, most)


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a question whether a similar name was meant, to end a message; empty if none is similar.

    Names that differ in case only are similar, and those that a pattern matches but for the case.

    >>> suggestion("lable", ["label", "a", "b"]), suggestion("x", ["label"])
    ("; did you mean 'label'?", '')
    >>> suggestion("GPT-*", ["bert", "gpt-4"])
    "; did you mean 'gpt-4'?"
    """
    from difflib import get_close_matches  # seldom needed
    from fnmatch import fnmatchcase

    spellings: dict[str, str] = {}
    for one in names:
        spellings.setdefault(one.lower(), one)
    same = [one for lower, one in spellings.items() if fnmatchcase(lower, name.lower())][:2]
    close = same or [spellings[lower] for lower in get_close_matches(name.lower(), spellings, n=2)]
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def grouped(number: int) -> str:
    """Return a whole number as all texts for people write it: a comma every three digits, from five on.

    >>> grouped(638), grouped(1000), grouped(55300)
    ('638', '1000', '55,300')
    """
    return f"{number:,}" if abs(number) >= 10_000 else str(number)


def plural(noun: str, number: float = 2) -> str:
    """Return a noun as it is called beside a number; what users call their units may end in anything.

    >>> [plural(noun) for noun in ("item", "territory", "day", "batch", "epoch", "seeds")]
    ['items', 'territories', 'days', 'batches', 'epochs', 'seeds']
    >>> plural("epoch", 1)
    'epoch'
    """
    lower = noun.lower()
    if number != 1 and lower.endswith("epoch"):  # spoken with a k
        return f"{noun}s"
    if number == 1 or (lower.endswith("s") and not lower.endswith(("ss", "us"))):
        return noun
    if lower.endswith("y") and lower[-2:-1] not in {*"aeiou", ""}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if lower.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{grouped(number)} {plural(noun, number)}"


def percentage(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage, with the space that all texts have.

    >>> percentage(0.323), percentage(0.0712, 1)
    ('32 %', '7.1 %')
    """
    return f"{100.0 * share:.{decimals}f} %"


def path_text(path: object) -> str:
    """Return a path in quotes for a message: whole, as its end is what tells it from others.

    >>> path_text("results/" + 20 * "long/" + "plot.gif")[-10:]
    "/plot.gif'"
    """
    return one_line(repr(str(path)))


def unbroken(text: str) -> str:
    r"""Return text of which no line breaks inside a percentage or before the number of a p-value.

    >>> unbroken("the 95 % interval, p < 0.01").split(" ")
    ['the', '95\xa0%', 'interval,', 'p\xa0<\xa00.01']
    """
    whole = _BEFORE_PERCENT.sub("\N{NO-BREAK SPACE}%", text)
    return _OF_P.sub("p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", whole)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    >>> words_of("metrics.valLogLoss@10")
    ['metrics', 'val', 'log', 'loss', '10']
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^a-z0-9]+", apart.lower()) if word]


def natural(name: str) -> tuple[list[tuple[str, int, str]], str]:
    """Return the key by which names are sorted: numbers in them count as numbers, of any length.

    >>> sorted(["h10", "h2", "h1.10", "h1.9"], key=natural)
    ['h1.9', 'h1.10', 'h2', 'h10']
    """
    parts = re.split(r"0*([0-9]+)", name)
    pairs = zip(parts[::2], [*parts[1::2], ""], strict=True)
    return [(text, len(digits), digits) for text, digits in pairs], name  # more digits, a greater number


def natural_order(names: Sequence[str]) -> list[int]:
    """Return the places of names in the order for readers: by size if all are numbers, else `natural`.

    >>> natural_order(["10", "0.5", "0.25", "-3"]), natural_order(["t10", "t9", "other"])
    ([3, 2, 1, 0], [2, 1, 0])
    """
    try:
        sizes = [float(name) for name in names]
    except ValueError:
        sizes = []
    if sizes and all(map(math.isfinite, sizes)):
        return sorted(range(len(names)), key=sizes.__getitem__)
    keys = [natural(name) for name in names]
    return sorted(range(len(names)), key=keys.__getitem__)
