"""JSON files: whole documents, or a record per line, with the place of each for messages."""

from __future__ import annotations

import codecs
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestby._core.errors import InvalidInputError
from bestby._core.paths import readable_file
from bestby.readers.database import compression_of, unpacked_pieces
from bestby.readers.text import CUT_OFF, parsed, text_lines, unpacked

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
    found = []
    for number, line in enumerate(text_lines(path, compression), 1):
        if line and not line.isspace():
            record = _record(parsed(line, str(path), number), f"{path}, line {number}")
            for key in without:
                record.data.pop(key, None)
            found.append(record)
    return found


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
    found = {name: number(value) for name, value in values.items()}
    return {name: value for name, value in found.items() if value is not None}


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
