"""DuckDB as a reader of files: nothing is loaded, nothing but the named file is touched, errors are ours."""

from __future__ import annotations

import atexit
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError
from bestby.readers.zstd_frames import unpacked_bound

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
_LINES = (
    "SELECT line FROM read_csv(?, compression=?, auto_detect=false, header=false, skip=0, comment='',"
    " quote='', escape='', delim='\x1f', null_padding=false, strict_mode=false, hive_partitioning=false,"
    " columns={'line': 'VARCHAR'}%s)"
)

_OVERLONG = "SELECT count(*) FROM read_ndjson_objects(?, compression=?, ignore_errors=true)"

# Everything that the sniffer would guess is said, so that a ragged file is an error and not a table with one
# column, '#' starts no comment, and a folder called "a=b" adds no column.
STRICT = "auto_detect=false, header=true, skip=0, comment='', null_padding=false, hive_partitioning=false"

CLOSE_QUOTES = 'write a quote in a cell as ""'

LARGEST_BUFFER = 1 << 28
"""Bytes of the largest buffer that one file is read into."""

LONGEST_ROW = 2_000_000
"""Bytes of the longest row of a table that is read, DuckDB's own default."""

MEMORY = "1GB"
"""What a database that streams may keep in memory; the rest goes to a temporary folder."""

_LOCK = threading.Lock()


@contextmanager
def connection(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open a database in memory that loads nothing, and turn its errors about `path` into ours."""
    with _used(path, _shared().cursor()) as database:
        yield database


@contextmanager
def streaming(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open a database for tables larger than memory; rows come in any order."""
    with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
        limits = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with _used(path, _connection(limits)) as database:
            yield database


@contextmanager
def in_order(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open such a database for results that are read in batches, in the order of the rows."""
    with _used(path, _connection({"threads": 1, "memory_limit": MEMORY})) as database:
        yield database


@cache
def _shared_by(process: int) -> DuckDBPyConnection:
    """Return the database of a process: one that is inherited by a fork is not used."""
    database = _connection({"threads": 1})
    atexit.register(_close, process)
    return database


def _shared() -> DuckDBPyConnection:
    with _LOCK:
        return _shared_by(os.getpid())


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
def _used(path: Path | str, database: DuckDBPyConnection) -> Iterator[DuckDBPyConnection]:
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


def lines(path: Path, compression: str, most: int) -> list[str]:
    """Return the first lines of a text file as they are."""
    with connection(path) as database:
        query = f"{_LINES % _buffer(path, compression)} LIMIT {most:d}"
        return _texts(database.execute(query, [literal(path), compression]).fetchall())


def line_batches(path: Path, compression: str) -> Iterator[list[str]]:
    """Yield the lines of a text file in batches; it is never in memory as a whole."""
    options = _buffer(path, compression)
    with in_order(path) as database:
        if not options:
            # A last line longer than the buffer is lost without an error; the reader of JSON refuses it.
            database.execute(_OVERLONG, [literal(path), compression]).fetchall()
            options = f", max_line_size={LONGEST_ROW:d}, buffer_size={LARGEST_BUFFER:d}"
        result = database.execute(_LINES % options, [literal(path), compression])
        # Lines that are fetched at a time
        while rows := result.fetchmany(10_000):
            yield _texts(rows)


def _texts(rows: list[Any]) -> list[str]:
    return [(line or "").removeprefix("\ufeff") for (line,) in rows]


def _buffer(path: Path, compression: str) -> str:
    """Return the options of a buffer that holds a small file of zstd whole, in which no long line is lost."""
    if compression != "zstd":
        return ""
    bound, _ = unpacked_bound(path)
    return whole_buffer(bound) if bound <= LARGEST_BUFFER else ""


def whole_buffer(size: int) -> str:
    """Return the options of a buffer for files of at most `size` bytes, in which no row is too long."""
    return f", max_line_size={size + 1:d}, buffer_size={size + 1:d}"


def long_row(where: str) -> InvalidInputError:
    """Return the refusal of a row that is longer than DuckDB takes it."""
    return InvalidInputError(
        f"{where}: a line or row of more than {LONGEST_ROW} bytes",
        hint="check that quotes are closed; leave out columns that hold whole documents",
    )


def ragged(where: str, expected: int, found: int) -> InvalidInputError:
    """Return the refusal of a line that has not as many cells as the first."""
    hint = "every line needs the columns of the first; quote cells that hold the delimiter"
    if found == expected + 1 and where.endswith("line 2"):
        hint = (
            f"row names without a column name (R)? write.table(..., row.names=FALSE) leaves them out; {hint}"
        )
    return InvalidInputError(f"{where}: expected {expected} columns, found {found}", hint=hint)


def literal(path: Path) -> str:
    """Spell a path so that DuckDB takes no character of it for a pattern or a protocol."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def quoted(text: str) -> str:
    """Return a text as SQL spells it."""
    return "'" + text.replace("'", "''") + "'"


def _translated(path: Path | str, message: str) -> InvalidInputError:
    """Make a sentence with the line out of a page of DuckDB's advice."""
    found = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{path}, line {found[1]}" if found else str(path)
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
