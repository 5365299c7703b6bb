"""Plain text: unpacked, decoded, cut into lines."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.readers.packing import unpacked_pieces

if TYPE_CHECKING:
    from _csv import Reader

_END = re.compile(r"\r*\n|\r")


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


def _not_utf_8(path: Path, line: int) -> InvalidInputError:
    return InvalidInputError(f"{path}, line {line}: not UTF-8 text", hint="save the file as UTF-8")


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
