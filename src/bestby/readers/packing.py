"""What files hold unpacked: never more than a limit, and how DuckDB must read tables to lose no row."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.readers.database import LONGEST_ROW, STRICT, line_batches, long_row, whole_buffer
from bestby.readers.zstd_frames import MAGIC as ZSTD
from bestby.readers.zstd_frames import unpacked_bound

GZIP = b"\x1f\x8b"

VARIABLE = "BESTBY_MAX_UNPACKED"
"""The environment variable that sets how many bytes a packed file may have unpacked."""

MOST_UNPACKED = 4 << 30
"""Its default: as much text as fills the memory of most machines once it is a table."""

PIECE = 1 << 20
"""Bytes that are unpacked at a time."""

WHOLE = 1 << 25
"""Bytes up to which DuckDB reads a table in one buffer."""

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_DAMAGED = "the file is damaged or cut off: copy it again"


def most_unpacked() -> int:
    """Return how many bytes a packed file may have unpacked."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return MOST_UNPACKED
    said = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.lower())
    if said is None:
        raise InvalidInputError(
            f"{VARIABLE} must be a number of bytes such as 500M or 8G, got {text!r}", hint=f"{VARIABLE}=8G"
        )
    return int(float(said[1]) * _UNITS[said[2]])


def compression_of(path: Path) -> str:
    """Return how a file is packed: "none", "gzip" or "zstd"."""
    with path.open("rb") as stream:
        head = stream.read(4)
    return "gzip" if head.startswith(GZIP) else "zstd" if head == ZSTD else "none"


def unpacked_pieces(path: Path, compression: str) -> Iterator[bytes]:
    """Yield what a file holds, unpacked, in pieces of about `PIECE` bytes."""
    total, most = 0, most_unpacked()
    for piece in _pieces(path, compression):
        total += len(piece)
        if compression != "none" and total > most:
            raise too_long(path, most)
        yield piece


def too_long(what: Path | str, most: int) -> InvalidInputError:
    """Return the refusal of something packed that has more than `most` bytes unpacked."""
    return InvalidInputError(
        f"{what}: more than {most} bytes unpacked ({most / (1 << 30):.3g} GiB), which is the limit",
        hint=f"if that is no mistake, raise the limit: set the environment variable {VARIABLE}=16G",
    )


def _pieces(path: Path, compression: str) -> Iterator[bytes]:
    if compression == "zstd":
        for lines in line_batches(path, compression):
            text = "".join(f"{line}\n" for line in lines).encode()
            yield from (text[start : start + PIECE] for start in range(0, len(text), PIECE))
        return
    try:
        with gzip.open(path, "rb") if compression == "gzip" else path.open("rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInputError(f"{path}: cannot be unpacked: {error}", hint=_DAMAGED) from error


@dataclass(frozen=True)
class Size:
    """How long a file is, unpacked (an upper bound for zstd), and whether rows may have no end for long."""

    n_bytes: int
    may_have_long_rows: bool


def size_of(path: Path, compression: str) -> Size:
    """Return how long a file is; what is packed is unpacked once, to see that it is sound."""
    status = path.stat()
    if compression == "none" and status.st_size <= 4 * PIECE:
        return Size(status.st_size, False)
    identity = (status.st_size, status.st_mtime_ns, status.st_ino)
    return _measured(path.absolute(), compression, identity, most_unpacked())


@lru_cache(maxsize=1024)
def _measured(path: Path, compression: str, identity: tuple[int, ...], most: int) -> Size:  # noqa: ARG001
    if compression == "zstd":
        bound, is_exact = unpacked_bound(path)
        if is_exact and bound > most:
            raise too_long(path, most)
        if bound <= min(most, 4 * PIECE):
            return Size(bound, False)
    total = quiet = 0
    inside = long = False
    for piece in unpacked_pieces(path, compression):
        total += len(piece)
        quiet = 0 if _ends_a_row(piece, inside) else quiet + len(piece)
        long = long or quiet > 3 * PIECE
        inside ^= bool(piece.count(b'"') & 1)
    return Size(total, long)


def _ends_a_row(piece: bytes, inside: bool) -> bool:
    """Tell whether a row ends in a piece that begins inside quotes, or outside."""
    newline = b"\n" if b"\n" in piece else b"\r"
    place, end = 0, piece.find(newline)
    while True:
        if inside:
            closing = piece.find(b'"', place)
            if closing < 0:
                return False
            place, inside = closing + 1, False
        end = end if end >= place or end < 0 else piece.find(newline, place)
        opening = piece.find(b'"', place, end if end >= 0 else len(piece))
        if opening < 0:
            return end >= 0
        place, inside = opening + 1, True


def csv_source(n_columns: int, paths: Sequence[Path], compression: str, delimiter: str) -> str:
    """Return SQL that reads delimited files into columns c0, c1, ...: of paths, compression, delimiter."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    buffer = _buffer_options(paths, compression, delimiter)
    quotes = "quote='\"', escape='\"'"
    return f"read_csv(?, compression=?, delim=?, {quotes}, {STRICT}, columns={{{columns}}}{buffer})"


def _buffer_options(paths: Sequence[Path], compression: str, delimiter: str) -> str:
    """Return options with which `read_csv` of DuckDB loses no row at the end of a file beyond its buffer."""
    sizes = {path: size_of(path, compression) for path in paths}
    for path, size in sizes.items():
        if size.may_have_long_rows:
            _check_rows(path, compression, delimiter)
    largest = max(size.n_bytes for size in sizes.values())
    return whole_buffer(largest) if largest <= WHOLE else ""


def _check_rows(path: Path, compression: str, delimiter: str) -> None:
    """Refuse a table with a row that is too long; a quote that stands inside a cell is a letter."""
    current = 0
    inside = False
    for number, line in enumerate(_lines(unpacked_pieces(path, compression)), start=1):
        current += len(line)
        if current > LONGEST_ROW:
            raise long_row(f"{path}, line {number}")
        inside = _ends_inside(line, inside, delimiter.encode())
        current = current if inside else 0


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text; of one that is too long, its beginning."""
    begun, length = [b""], 0
    for piece in pieces:
        for line in piece.splitlines(keepends=True):
            begun.append(line)
            length += len(line)
            if length > LONGEST_ROW or line.endswith((b"\n", b"\r")):
                yield b"".join(begun)
                begun, length = [b""], 0
    yield b"".join(begun)


def _ends_inside(line: bytes, inside: bool, delimiter: bytes) -> bool:
    """Tell whether a line ends inside a quoted cell.

    >>> [_ends_inside(line, False, b",") for line in (b'a,"b', b'a,5"', b'"a",b', b'a,"b""c"')]
    [True, False, False, False]
    """
    if b'"' not in line:
        return inside
    place = 0
    while True:
        if inside:
            closing = line.find(b'"', place)
            if closing < 0:
                return True
            if line[closing + 1 : closing + 2] == b'"':
                place = closing + 2
                continue
            place, inside = line.find(delimiter, closing) + 1, False
            if not place:
                return False
        while line[place : place + 1] == b" ":
            place += 1
        if line[place : place + 1] == b'"':
            place, inside = place + 1, True
            continue
        place = line.find(delimiter, place) + 1
        if not place:
            return False
