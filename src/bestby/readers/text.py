"""Plain text: unpacked, decoded, cut into lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.readers.packing import unpacked_pieces


def unpacked(path: Path, compression: str) -> str:
    """Return the text of a file, with lines that end in a newline alone."""
    data = b"".join(unpacked_pieces(path, compression))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise _not_utf_8(path, number) from error
    return text.replace("\r\n", "\n")


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


def _not_utf_8(path: Path, line: int) -> InvalidInputError:
    return InvalidInputError(f"{path}, line {line}: not UTF-8 text", hint="save the file as UTF-8")


def value_lines(path: Path, compression: str, *, blank: bool = False) -> Array:
    """Return the lines of a file with a value per line, which may be blank; nothing in them is special."""
    text = unpacked(path, compression)
    values = text.split("\n")  # not splitlines: a line may hold a form feed or U+2028
    if blank and text:
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
