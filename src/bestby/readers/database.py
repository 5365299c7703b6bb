"""DuckDB as a reader of files: nothing is loaded, nothing but the named file is touched, errors are ours."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestby._core.errors import InvalidInputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
_LINES = (
    "SELECT line FROM read_csv(?, compression=?, auto_detect=false, header=false, skip=0, comment='',"
    " quote='', escape='', delim='\x1f', null_padding=false, strict_mode=false, hive_partitioning=false,"
    " columns={'line': 'VARCHAR'})"
)


# Everything that the sniffer would guess is said, so that a ragged file is an error and not a table with one
# column, '#' starts no comment, and a folder called "a=b" adds no column.
STRICT = "auto_detect=false, header=true, skip=0, comment='', null_padding=false, hive_partitioning=false"

MEMORY = "1GB"
"""What a database that streams may keep in memory; the rest goes to a temporary folder."""


@contextmanager
def connection(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open a database in memory that loads nothing, and turn its errors about `path` into ours."""
    with _opened(path, {"threads": 1}) as database:
        yield database


@contextmanager
def streaming(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open such a database for tables larger than memory: all cores, `MEMORY`, a folder for what exceeds it.

    Rows come in any order, so that only sums and sorted results may be taken.
    """
    with tempfile.TemporaryDirectory(prefix="bestby-") as folder:
        limits = {"memory_limit": MEMORY, "temp_directory": folder, "preserve_insertion_order": False}
        with _opened(path, limits) as database:
            yield database


@contextmanager
def in_order(path: Path | str) -> Iterator[DuckDBPyConnection]:
    """Open such a database for results that are read in batches, in the order of the rows."""
    with _opened(path, {"threads": 1, "memory_limit": MEMORY}) as database:
        yield database


@contextmanager
def _opened(path: Path | str, limits: dict[str, Any]) -> Iterator[DuckDBPyConnection]:
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        **limits,
    }
    database = duckdb.connect(":memory:", config=config)
    try:
        database.execute("SET enable_progress_bar = false")  # it would go to stdout, where results go
        yield database
    except (duckdb.InterruptException, RuntimeError) as error:  # what DuckDB makes of Ctrl-C
        if isinstance(error, duckdb.Error) or str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        raise _translated(path, str(error)) from error
    finally:
        database.close()


def lines(path: Path, compression: str, most: int | None = None) -> list[str]:
    """Return the lines of a text file as they are, the first `most` of them.

    Parameters
    ----------
    path : Path
        The file.
    compression : {"none", "gzip", "zstd"}
        How it is packed.
    most : int, optional
        How many lines to read; all if not given.
    """
    limit = "" if most is None else f" LIMIT {most:d}"
    with connection(path) as database:
        rows = database.execute(_LINES + limit, [literal(path), compression]).fetchall()
    return [(line or "").removeprefix("\ufeff") for (line,) in rows]


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
    ragged = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if ragged:
        return InvalidInputError(
            f"{where}: expected {ragged[1]} columns, found {ragged[2]}",
            hint="every line needs the columns of the first; quote cells that hold the delimiter",
        )
    if "unicode" in message or "utf-8" in message or "UTF-8" in message:
        return InvalidInputError(f"{where}: not UTF-8 text", hint="save the file as UTF-8")
    if "unterminated quote" in message:
        return InvalidInputError(
            f"{where}: a quote is opened and not closed", hint='write a quote in a cell as ""'
        )
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
