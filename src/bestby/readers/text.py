"""Plain text and JSON: unpacked, decoded, cut into lines, parsed; records with their places for messages."""

from __future__ import annotations

import codecs
import contextlib
import csv
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_file, readable_file
from bestby._core.text import quoted
from bestby._core.typing import Array
from bestby.data.roles import GOLD_WORDS, ITEM_WORDS, VALUE_WORDS
from bestby.readers.database import compression_of, unpacked_pieces

if TYPE_CHECKING:
    from _csv import Reader


def csv_rows(lines: Iterable[str], delimiter: str = ",", *, strict: bool = False) -> Reader:
    """Cut lines of delimited text into cells; `strict` as in the csv module.

    The csv module refuses a cell of more than 131,072 characters, as is a whole line of a wide table that is
    cut by a delimiter it does not have. Its limit is one for the process, so that it is raised and never put
    back, which would take it from another thread.
    """
    # Characters of the longest cell that is cut: as many as the csv module can be told on every platform
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def cut(text: str) -> list[str]:
    r"""Cut a text into lines, which may end in several ways; CR CR LF is what was written twice for Windows.

    >>> cut("a\nb\r\nc\r\r\nd\re")
    ['a', 'b', 'c', 'd', 'e']
    """
    # not splitlines: a line may hold a form feed or U+2028
    return _END.split(text)


_END = re.compile(r"\r*\n|\r")


def has_mixed_ends(path: Path, compression: str) -> bool:
    """Tell whether the lines of a file end in several ways: LF, CR LF, CR."""
    data = b"".join(unpacked_pieces(path, compression))
    both = data.count(b"\r\n")
    return sum(number > 0 for number in (both, data.count(b"\n") - both, data.count(b"\r") - both)) > 1


def unpacked(path: Path, compression: str) -> str:
    """Return the text of a file, with lines that end in a newline alone."""
    return decoded(path, compression).replace("\r\n", "\n")


def decoded(path: Path, compression: str) -> str:
    """Return the text of a file, with lines that end as they are written."""
    data = b"".join(unpacked_pieces(path, compression))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise _not_utf_8(path, number) from error


def text_lines(path: Path, compression: str) -> Iterator[str]:
    """Yield the lines of a file without their ends, a piece of the file at a time."""
    number = 0
    parts: list[bytes] = []
    for piece in itertools.chain(unpacked_pieces(path, compression), (None,)):
        first, *more = [b"", b""] if piece is None else piece.split(b"\n")
        parts.append(first)
        for following in more:
            number += 1
            try:
                line = b"".join(parts).decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf_8(path, number) from error
            yield line if piece is None else line.removesuffix("\r")
            parts = [following]


SAVE_AS_TEXT = "save the file as UTF-8; what is no text, such as a pickle, as CSV, JSON or Parquet"


def _not_utf_8(path: Path, line: int) -> InvalidInputError:
    return InvalidInputError(f"{path}, line {line}: not UTF-8 text", hint=SAVE_AS_TEXT)


def value_lines(path: Path, compression: str, *, blank: bool = False) -> Array:
    """Return the lines of a file with a value per line, which may be blank; nothing in them is special."""
    values = cut(unpacked(path, compression))
    if blank and values != [""]:
        return objects(values[:-1] if not values[-1] else values)
    while values and not values[-1].strip():
        values.pop()
    if not values:
        raise InvalidInputError(f"{path} is empty", hint="one value per line is needed, one line per item")
    for number, line in enumerate(values, start=1):
        if not line.strip():
            raise InvalidInputError(
                f"{path}, line {number}: blank; a file with a value per line must have one on every line",
                hint="write NA for a prediction that is missing",
            )
    return objects(values)


CUT_OFF = "the file is damaged or cut off: copy it again"

KEEP_ONE = "keep one of the two"


class _KeyTwiceError(ValueError):
    """An object has a key twice."""


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _KeyTwiceError(key)
    return record


@cache
def json_decoder(pairs_hook: Callable[..., Any] = _without_repeated_keys) -> json.JSONDecoder:
    """Return a decoder, which takes as long to make as to decode a short line."""
    return json.JSONDecoder(object_pairs_hook=pairs_hook)


def parsed(
    text: str | bytes,
    where: str,
    line: int | None = None,
    *,
    pairs_hook: Callable[..., Any] = _without_repeated_keys,
    hint: str = CUT_OFF,
) -> Any:
    """Return the value of a JSON text, which may be one line of a file; no object may have a key twice."""
    with contextlib.suppress(ValueError, RecursionError):  # which are told below
        # `json.loads` guesses the encoding of bytes first, which takes as long again as a short line.
        letters = text if isinstance(text, str) else text.decode()
        value, end = json_decoder(pairs_hook).raw_decode(letters)
        if end == len(letters):
            return value
    place = where if line is None else f"{where}, line {line}"
    try:
        return json.loads(text, object_pairs_hook=pairs_hook)
    except json.JSONDecodeError as error:
        message = f"{where}, line {line or error.lineno}: not JSON: {error.msg} (character {error.colno})"
        raise InvalidInputError(message, hint=hint) from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{where}: not UTF-8 text", hint=SAVE_AS_TEXT) from error
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


HEAD = 1 << 16
"""How many bytes of a file are looked at to recognise it."""

TEXT = r'"(?:[^"\\]|\\.)*"'

VALUE = rf"{TEXT}|[-+.\deE]+|true|false|null|NaN"

VALUE_OR_LIST = rf"{VALUE}|\[\s*(?:(?:{VALUE})\s*(?:,\s*(?:{VALUE})\s*)*)?\]"

_ENOUGH_PAIRS = 8


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
    is_cut = n >= _ENOUGH_PAIRS and len(head) >= HEAD and re.match(r'\s*(?:"|$)', text[place:]) is not None
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


MOST_LINES = 1000
"""How many lines of a file are looked at to recognise it, of at most `HEAD` bytes."""


_KINDS = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object"}


@dataclass(frozen=True)
class Record:
    """One object of a file."""

    where: str
    data: dict[str, Any]

    def need(self, key: str) -> Any:
        """Return the value of a key that must be there."""
        if key not in self.data:
            raise InvalidInputError(f"{self.where}: no {key!r} in this record", hint=CUT_OFF)
        return self.data[key]

    def name(self, key: str) -> str:
        """Return the name or the id under a key, which must be there."""
        text = word(self.need(key))
        if text is None:
            raise InvalidInputError(
                f"{self.where}: {key} is {self.data[key]!r:.40}, expected a name or an id", hint=CUT_OFF
            )
        return text

    def part(self, key: str) -> dict[str, Any]:
        """Return the object under a key, empty if there is none."""
        value = self.data.get(key)
        return value if isinstance(value, dict) else {}

    def labels(self, key: str) -> dict[str, str]:
        """Return the texts and numbers of the object under a key, as text."""
        labels = {name: word(value) for name, value in self.part(key).items()}
        return {name: label for name, label in labels.items() if label is not None}


def text_of(path: Path) -> str:
    """Return the text of a file, plain or packed with gzip or zstd."""
    return unpacked(path, compression_of(readable_file(path)))


def document(path: Path) -> Record:
    """Return the one object that a file holds."""
    return _record(parsed(text_of(path), str(path)), str(path))


def records(path: Path, *, without: Sequence[str] = ()) -> list[Record]:
    """Return the objects of a file, one per line or a JSON list of them, `without` some of their keys."""
    compression = compression_of(readable_file(path))
    start = next(unpacked_pieces(path, compression), b"").removeprefix(codecs.BOM_UTF8)
    if start.lstrip().startswith(b"["):
        values = enumerate(parsed(text_of(path), str(path)), 1)
        return [_record(value, f"{path}, entry {i}") for i, value in values]
    objects_of_file = []
    for number, line in enumerate(text_lines(path, compression), 1):
        if line and not line.isspace():
            record = _record(parsed(line, str(path), number), f"{path}, line {number}")
            for key in without:
                record.data.pop(key, None)
            objects_of_file.append(record)
    return objects_of_file


def listing(whole: Record, key: str) -> list[Record]:
    """Return the objects of the list under a key, which must be there."""
    values = whole.need(key)
    if not isinstance(values, list):
        raise InvalidInputError(f"{whole.where}: {key!r} is {kind(values)}, expected a list", hint=CUT_OFF)
    return [_record(value, f"{whole.where}, {key} {i}") for i, value in enumerate(values, 1)]


def _record(value: Any, where: str) -> Record:
    if not isinstance(value, dict):
        raise InvalidInputError(f"{where}: expected a JSON object, got {kind(value)}", hint=CUT_OFF)
    return Record(where, value)


def check_new(places: dict[Any, str], key: Any, where: str, what: str, hint: str) -> None:
    """Keep the place of a record; refuse one whose key another had before."""
    first = places.setdefault(key, where)
    if first is not where:
        file, _, entry = first.rpartition(", ")
        place = entry if where.startswith(f"{file}, ") else first
        raise InvalidInputError(f"{where}: {what} was already in {place}", hint=hint)


def kind(value: Any) -> str:
    """Return what a JSON value is, for messages.

    >>> kind([1]), kind({}), kind(None), kind(True), kind(0.5)
    ('a list', 'an object', 'null', 'a boolean', 'a number')
    """
    return "null" if value is None else _KINDS.get(type(value), "a text")


def number(value: Any) -> float | None:
    """Return a JSON boolean or number as a float, None if it is neither or too large."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return None if math.isinf(converted) else converted


def numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the booleans and numbers of an object as floats, without its other values.

    >>> numbers({"f1": 0.5, "exact": True, "lang": "de"})
    {'f1': 0.5, 'exact': 1.0}
    """
    converted = {name: number(value) for name, value in values.items()}
    return {name: value for name, value in converted.items() if value is not None}


def whole_number(value: Any) -> int | None:
    """Return a JSON number without a fraction, None if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def beginning(value: Any) -> str | None:
    """Return what tells whether two files have the same text: how it begins. None if it is no text."""
    # Letters of a text; summaries of logs may leave out the rest
    return value[:200] if isinstance(value, str) else None


def word(value: Any) -> str | None:
    """Return a JSON text or number as a name or an id, None if it is neither or empty.

    What cannot be printed (half a surrogate pair, a NUL) is replaced.

    >>> word("q1"), word(7), word(["q1"]), word(" ")
    ('q1', '7', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        text = str(value)
    except ValueError:  # an integer of thousands of digits
        return None
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return text.replace("\0", "\ufffd").strip() or None


def first_lines(head: bytes) -> list[str]:
    r"""Return the whole lines at the start of a text, at most 1000; none if it is not text in UTF-8.

    >>> first_lines(b"one\r\ntwo")
    ['one', 'two']
    >>> first_lines(b"\x93NUMPY")
    []
    """
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # a letter may be cut in two
    except UnicodeDecodeError:
        return []
    lines = cut(text)
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()  # cut off
    while lines and not lines[-1]:
        lines.pop()
    return [] if "\0" in text else lines[:MOST_LINES]


def column_names(head: bytes) -> list[str]:
    r"""Return the names of the columns of a CSV table from its first bytes; none if it is no text.

    >>> column_names(b'id,"a, b"\r\n1,2\r\n')
    ['id', 'a, b']
    """
    lines = first_lines(head)
    return [name.strip() for name in next(csv_rows(lines[:1]), [])]


def number_of(text: str, where: str, what: str) -> float:
    """Return a finite number, or say where there is none.

    >>> number_of("nan", "run.txt, line 2", "the score")
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: run.txt, line 2: the score must be a finite number, got 'nan'
    """
    value = as_number(text)
    if value is None:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise InvalidInputError(f"{where}: {what} must be a finite number, got {shown!r}")
    return value


def as_number(text: str) -> float | None:
    """Return a finite number; None if the text is none.

    >>> as_number("1e-3"), as_number("inf"), as_number("1_000")
    (0.001, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in text else None
