"""JSON texts: one way to read them, with the place of what is wrong."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file
from bestby._core.text import quoted
from bestby.data.roles import GOLD_WORDS, ITEM_WORDS, VALUE_WORDS
from bestby.readers.packing import compression_of, unpacked_pieces

CUT_OFF = "the file is damaged or cut off: copy it again"
KEEP_ONE = "keep one of the two"

HEAD = 1 << 16
"""How many bytes of a file are looked at to recognise it."""

TEXT = r'"(?:[^"\\]|\\.)*"'
VALUE = rf"{TEXT}|[-+.\deE]+|true|false|null|NaN"
VALUE_OR_LIST = rf"{VALUE}|\[\s*(?:(?:{VALUE})\s*(?:,\s*(?:{VALUE})\s*)*)?\]"
_ENOUGH = 8


def is_values_by_id(path: Path, head: bytes, value: str = VALUE) -> bool:
    """Tell whether a file is one JSON object of values by item id, such as ``{"q1": "x", "q2": "y"}``.

    `value` is a pattern of these values. Lines of JSON are a table, however many values a line has.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    pattern = re.compile(rf"\s*(?P<key>{TEXT})\s*:\s*(?:{value})\s*(?P<end>[,}}])")
    opened = re.match(r"\s*\{", text)
    place = opened.end() if opened else len(text)
    n = 0
    while pair := pattern.match(text, place):
        if pair["key"][1:-1] in (*ITEM_WORDS, *VALUE_WORDS, *GOLD_WORDS):
            return False
        n, place = n + 1, pair.end()
        if pair["end"] == "}":  # JSON Lines go on with another object
            return n >= 2 and not text[place:].strip()
    # All that the head shows is one object of values, whose last pair is cut off.
    is_cut = n >= _ENOUGH and len(head) >= HEAD and re.match(r'\s*(?:"|$)', text[place:]) is not None
    return is_cut and ("\n" in text or not _has_lines(path))


def _has_lines(path: Path) -> bool:
    """Tell whether a file whose first line is longer than its head has more lines."""
    if not is_file(path):
        return False
    try:
        line_ended = False
        for piece in unpacked_pieces(path, compression_of(path)):
            rest = piece if line_ended else piece.partition(b"\n")[2]
            line_ended = line_ended or b"\n" in piece
            if rest.strip():
                return True
    except (InvalidInputError, OSError):
        return False
    return False


class _KeyTwiceError(ValueError):
    """An object has a key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _KeyTwiceError(key)
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def parsed(
    text: str | bytes,
    where: str,
    line: int | None = None,
    *,
    pairs_hook: Callable[..., Any] = _once,
    hint: str = CUT_OFF,
) -> Any:
    """Return the value of a JSON text, which may be one line of a file; no object may have a key twice."""
    if pairs_hook is _once:
        with contextlib.suppress(ValueError, RecursionError):  # which are told below
            # `json.loads` guesses the encoding of bytes first, which takes as long again as a short line.
            letters = text if isinstance(text, str) else text.decode()
            value, end = _DECODER.raw_decode(letters)
            if end == len(letters):
                return value
    place = where if line is None else f"{where}, line {line}"
    try:
        return json.loads(text, object_pairs_hook=pairs_hook)
    except json.JSONDecodeError as error:
        message = f"{where}, line {line or error.lineno}: not JSON: {error.msg} (character {error.colno})"
        raise InvalidInputError(message, hint=hint) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{where}: not UTF-8 text", hint="save the file as UTF-8") from error
    except _KeyTwiceError as error:
        raise InvalidInputError(
            f"{place}: the key {quoted(error.args[0])} occurs twice in one object", hint=KEEP_ONE
        ) from None
    except (RecursionError, ValueError) as error:  # nested too deeply; an integer of thousands of digits
        raise InvalidInputError(f"{place}: not JSON that can be read: {error}", hint=hint) from error


def parsed_or_text(text: str, what: str) -> Any:
    """Return the value of a text that is JSON, else the text; `what` says where a key occurs twice.

    >>> parsed_or_text('[1, "a"]', "cell"), parsed_or_text("[sic]", "cell")
    ([1, 'a'], '[sic]')
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return parsed(text, f"{what} {quoted(text)}")
