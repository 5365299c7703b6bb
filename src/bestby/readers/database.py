"""DuckDB as a reader of files, and what packed files hold: never more than a limit, and no row is lost."""

from __future__ import annotations

import atexit
import gzip
import os
import re
import struct
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bestby._core.errors import InvalidInputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def connection(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open a database in memory that loads nothing, and turn its errors about `path` into ours."""
    with _own_errors(path, _shared().cursor()) as database:
        yield database


@contextmanager
def streaming(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open a database for tables larger than memory; rows come in any order."""
    with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
        limits = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with _own_errors(path, _connection(limits)) as database:
            yield database


MEMORY = "1GB"
"""What a database that streams may keep in memory; the rest goes to a temporary folder."""


@contextmanager
def in_order(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open such a database for results that are read in batches, in the order of the rows."""
    with _own_errors(path, _connection({"threads": 1, "memory_limit": MEMORY})) as database:
        yield database


def _shared() -> DuckDBPyConnection:
    with _LOCK:
        return _shared_by(os.getpid())


_LOCK = threading.Lock()


@cache
def _shared_by(process: int) -> DuckDBPyConnection:
    """Return the database of a process: one that is inherited by a fork is not used."""
    database = _connection({"threads": 1})
    atexit.register(_close, process)
    return database


def _close(process: int) -> None:
    """Close the database of this process; the next file gets a new one."""
    with _LOCK:
        if process == os.getpid() and _shared_by.cache_info().currsize:
            _shared_by(process).close()
            _shared_by.cache_clear()


def _connection(limits: dict[str, Any]) -> DuckDBPyConnection:
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        **limits,
    }
    return duckdb.connect(":memory:", config=config)


@contextmanager
def _own_errors(path: Path | str, database: DuckDBPyConnection) -> Iterator[DuckDBPyConnection]:
    """Close a connection after use, and turn its errors about a file into ours."""
    import duckdb

    try:
        database.execute("SET enable_progress_bar = false")  # it would go to stdout, where results go
        yield database
    except (duckdb.InterruptException, RuntimeError) as error:  # what DuckDB makes of Ctrl-C
        if isinstance(error, duckdb.Error) or str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        if isinstance(error, duckdb.InternalException | duckdb.FatalException):
            _close(os.getpid())  # such an error, which a damaged file can cause, makes a database unusable
        raise _translated(path, str(error)) from error
    finally:
        database.close()


def _translated(path: Path | str, message: str) -> InvalidInputError:
    """Make a sentence with the line out of a page of DuckDB's advice."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{path}, line {line[1]}" if line else str(path)
    numbers = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if numbers:
        return ragged(where, int(numbers[1]), int(numbers[2]))
    if "aximum line size" in message or "maximum_object_size" in message:
        return long_row(where)
    if "unicode" in message or "utf-8" in message or "UTF-8" in message:
        return InvalidInputError(f"{where}: not UTF-8 text", hint="save the file as UTF-8")
    if "unterminated quote" in message:
        return InvalidInputError(f"{where}: a quote is opened and not closed", hint=CLOSE_QUOTES)
    if "invalid state" in message or "parsing dialect" in message:
        return InvalidInputError(
            f"{where}: not a table of delimited text",
            hint="check that quotes are closed and that all lines end alike (\\n or \\r\\n)",
        )
    first = (
        re.sub(r"^[A-Za-z ]*Error: ", "", message.strip().splitlines()[0])
        if message.strip()
        else "unreadable"
    )
    return InvalidInputError(
        f"{where}: cannot be read: {first}",
        hint="CSV, TSV, JSON Lines and Parquet can be read, plain or packed with gzip or zstd",
    )


def long_row(where: str) -> InvalidInputError:
    """Return the refusal of a row that is longer than DuckDB takes it."""
    return InvalidInputError(
        f"{where}: a line or row of more than {LONGEST_ROW} bytes",
        hint="check that quotes are closed; leave out columns that hold whole documents",
    )


LONGEST_ROW = 2_000_000
"""Bytes of the longest row of a table that is read, DuckDB's own default."""


def ragged(where: str, expected: int, found: int) -> InvalidInputError:
    """Return the refusal of a line that has not as many cells as the first."""
    hint = "every line needs the columns of the first; quote cells that hold the delimiter"
    if found == expected + 1 and where.endswith("line 2"):
        hint = (
            f"row names without a column name (R)? write.table(..., row.names=FALSE) leaves them out; {hint}"
        )
    return InvalidInputError(f"{where}: expected {expected} columns, found {found}", hint=hint)


CLOSE_QUOTES = 'write a quote in a cell as ""'


def literal(path: Path) -> str:
    """Spell a path so that DuckDB takes no character of it for a pattern or a protocol."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def quoted(text: str) -> str:
    """Return a text as SQL spells it."""
    return "'" + text.replace("'", "''") + "'"


def small_text(path: Path, compression: str) -> str | None:
    """Return the text of a small file, for which no database is loaded; None for any other file.

    None also where DuckDB does not cut a text as Python does, or has the better message: line ends of several
    kinds, quotes beside carriage returns, control characters, and bytes that are no UTF-8.
    """
    if compression != "none" or path.stat().st_size > SMALL:
        return None
    try:
        written = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = written.replace("\r\n", "\n")
    n_returns = written.count("\r")
    one_end = n_returns == 0 or (
        len(written) - len(text) == n_returns == text.count("\n") and '"' not in text
    )
    return None if not one_end or "\0" in text or "\x1f" in text else text


SMALL = 1 << 18
"""Bytes up to which Python reads a table of text, in less time than it takes to load DuckDB."""


def lines(path: Path, compression: str, most: int) -> list[str]:
    """Return the first lines of a text file as they are."""
    text = small_text(path, compression)
    if text is not None:
        return [line.removeprefix("\ufeff") for line in text.removesuffix("\n").split("\n")[:most] if text]
    with connection(path) as database:
        query = f"{_SELECT_LINES % _buffer(path, compression)} LIMIT {most:d}"
        return _texts_of_lines(database.execute(query, [literal(path), compression]).fetchall())


def line_batches(path: Path, compression: str) -> Iterator[list[str]]:
    """Yield the lines of a text file in batches; it is never in memory as a whole."""
    options = _buffer(path, compression)
    with in_order(path) as database:
        if not options:
            # A last line longer than the buffer is lost without an error; the reader of JSON refuses it.
            database.execute(_COUNT_LINES, [literal(path), compression]).fetchall()
            options = f", max_line_size={LONGEST_ROW:d}, buffer_size={LARGEST_BUFFER:d}"
        result = database.execute(_SELECT_LINES % options, [literal(path), compression])
        # Lines that are fetched at a time
        while rows := result.fetchmany(10_000):
            yield _texts_of_lines(rows)


_SELECT_LINES = (
    "SELECT line FROM read_csv(?, compression=?, auto_detect=false, header=false, skip=0, comment='',"
    " quote='', escape='', delim='\x1f', null_padding=false, strict_mode=false, hive_partitioning=false,"
    " columns={'line': 'VARCHAR'}%s)"
)

_COUNT_LINES = "SELECT count(*) FROM read_ndjson_objects(?, compression=?, ignore_errors=true)"


def _texts_of_lines(rows: list[Any]) -> list[str]:
    return [(line or "").removeprefix("\ufeff") for (line,) in rows]


def _buffer(path: Path, compression: str) -> str:
    """Return the options of a buffer that holds a small file of zstd whole, in which no long line is lost."""
    if compression != "zstd":
        return ""
    bound, _ = unpacked_bound(path)
    return whole_buffer(bound) if bound <= LARGEST_BUFFER else ""


LARGEST_BUFFER = 1 << 28
"""Bytes of the largest buffer that one file is read into."""


def whole_buffer(size: int) -> str:
    """Return the options of a buffer for files of at most `size` bytes, in which no row is too long."""
    return f", max_line_size={size + 1:d}, buffer_size={size + 1:d}"


def compression_of(path: Path) -> str:
    """Return how a file is packed: "none", "gzip" or "zstd"."""
    with path.open("rb") as stream:
        head = stream.read(4)
    return "gzip" if head.startswith(GZIP) else "zstd" if head == ZSTD else "none"


GZIP = b"\x1f\x8b"


def unpacked_pieces(path: Path, compression: str) -> Iterator[bytes]:
    """Yield what a file holds, unpacked, in pieces of about `PIECE` bytes."""
    total, most = 0, most_unpacked()
    for piece in _unpacked_unbounded(path, compression):
        total += len(piece)
        if compression != "none" and total > most:
            raise too_long(path, most)
        yield piece


PIECE = 1 << 20
"""Bytes that are unpacked at a time."""


def _unpacked_unbounded(path: Path, compression: str) -> Iterator[bytes]:
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


_DAMAGED = "the file is damaged or cut off: copy it again"


def most_unpacked() -> int:
    """Return how many bytes a packed file may have unpacked."""
    text = os.environ.get(UNPACKED_VARIABLE, "").strip()
    if not text:
        return MOST_UNPACKED
    said = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.lower())
    if said is None:
        raise InvalidInputError(
            f"{UNPACKED_VARIABLE} must be a number of bytes such as 500M or 8G, got {text!r}",
            hint=f"{UNPACKED_VARIABLE}=8G",
        )
    return int(float(said[1]) * _UNITS[said[2]])


UNPACKED_VARIABLE = "BESTBY_MAX_UNPACKED"
"""The environment variable that sets how many bytes a packed file may have unpacked."""

MOST_UNPACKED = 4 << 30
"""Its default: as much text as fills the memory of most machines once it is a table."""

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def too_long(what: Path | str, most: int) -> InvalidInputError:
    """Return the refusal of something packed that has more than `most` bytes unpacked."""
    return InvalidInputError(
        f"{what}: more than {most} bytes unpacked ({most / (1 << 30):.3g} GiB), which is the limit",
        hint=f"if that is no mistake, raise the limit: set the environment variable {UNPACKED_VARIABLE}=16G",
    )


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


ZSTD = b"\x28\xb5\x2f\xfd"

_SKIPPABLE = range(0x184D2A50, 0x184D2A60)

_LARGEST_BLOCK = 1 << 17

_RAW, _RLE, _COMPRESSED = 0, 1, 2

_SIZE_FORMS = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def unpacked_bound(path: Path) -> tuple[int, bool]:
    """Return how many bytes a zstd file has unpacked, and whether that is exact.

    Collet & Kucherawy (2021), RFC 8878, section 3.1.
    """
    total, exact = 0, True
    try:
        with path.open("rb") as stream:
            while magic := stream.read(4):
                if magic == ZSTD:
                    size, said = _frame_size(stream)
                    total, exact = total + size, exact and said
                elif len(magic) == 4 and int.from_bytes(magic, "little") in _SKIPPABLE:
                    _take_bytes(stream, int.from_bytes(_take_bytes(stream, 4), "little"))
                else:
                    raise EOFError("what follows its first frame is not a zstd frame")
    except (EOFError, OSError) as error:
        raise InvalidInputError(
            f"{path}: cannot be unpacked: {error}", hint="the file is damaged or cut off: copy it again"
        ) from error
    return total, exact


def _frame_size(stream: BinaryIO) -> tuple[int, bool]:
    (descriptor,) = _take_bytes(stream, 1)
    single = bool(descriptor & 0x20)
    if not single:
        _take_bytes(stream, 1)  # the size of the window
    _take_bytes(stream, (0, 1, 2, 4)[descriptor & 3])  # the number of a dictionary
    width = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    said = None
    if width:
        (said,) = struct.unpack(_SIZE_FORMS[width], _take_bytes(stream, width))
        said += 256 if width == 2 else 0
    bound, last = 0, False
    while not last:
        header = int.from_bytes(_take_bytes(stream, 3), "little")
        last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind not in (_RAW, _RLE, _COMPRESSED):
            raise EOFError("a block of it is of no known type")
        bound += _LARGEST_BLOCK if kind == _COMPRESSED else size
        _take_bytes(stream, 1 if kind == _RLE else size)
    if descriptor & 4:
        _take_bytes(stream, 4)  # a checksum
    return (bound, False) if said is None else (min(bound, int(said)), True)


def _take_bytes(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("it is cut off")
    return data


def csv_source(n_columns: int, paths: Sequence[Path], compression: str, delimiter: str) -> str:
    """Return SQL that reads delimited files into columns c0, c1, ...: of paths, compression, delimiter."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    buffer = _buffer_options(paths, compression, delimiter)
    quotes = "quote='\"', escape='\"'"
    return f"read_csv(?, compression=?, delim=?, {quotes}, {STRICT}, columns={{{columns}}}{buffer})"


# Everything that the sniffer would guess is said, so that a ragged file is an error and not a table with one
# column, '#' starts no comment, and a folder called "a=b" adds no column.
STRICT = "auto_detect=false, header=true, skip=0, comment='', null_padding=false, hive_partitioning=false"


def _buffer_options(paths: Sequence[Path], compression: str, delimiter: str) -> str:
    """Return options with which `read_csv` of DuckDB loses no row at the end of a file beyond its buffer."""
    sizes = {path: size_of(path, compression) for path in paths}
    for path, size in sizes.items():
        if size.may_have_long_rows:
            _check_rows(path, compression, delimiter)
    largest = max(size.n_bytes for size in sizes.values())
    return whole_buffer(largest) if largest <= WHOLE else ""


WHOLE = 1 << 25
"""Bytes up to which DuckDB reads a table in one buffer."""


def _check_rows(path: Path, compression: str, delimiter: str) -> None:
    """Refuse a table with a row that is too long; a quote that stands inside a cell is a letter."""
    current = 0
    inside = False
    for number, line in enumerate(_lines_as_bytes(unpacked_pieces(path, compression)), start=1):
        current += len(line)
        if current > LONGEST_ROW:
            raise long_row(f"{path}, line {number}")
        inside = _ends_inside(line, inside, delimiter.encode())
        current = current if inside else 0


def _lines_as_bytes(pieces: Iterable[bytes]) -> Iterator[bytes]:
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
