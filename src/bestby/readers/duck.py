"""Tables through DuckDB: delimited text, JSON Lines, Parquet; nothing but the named file is touched."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby.readers.table import Table, made
from bestby.readers.values import Missing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DELIMITERS = (",", "\t", ";", "|")

# Everything that the sniffer would guess is said, so that a ragged file is an error and not a table with one
# column, '#' starts no comment, and a folder called "a=b" adds no column.
_STRICT = "auto_detect=false, header=true, skip=0, comment='', null_padding=false, hive_partitioning=false"
_LINES = (
    "SELECT line FROM read_csv(?, compression=?, auto_detect=false, header=false, skip=0, comment='',"
    " quote='', escape='', delim='\x1f', null_padding=false, strict_mode=false, hive_partitioning=false,"
    " columns={'line': 'VARCHAR'}) LIMIT 1"
)


def read_delimited(path: Path, compression: str, missing: Missing) -> Table:
    """Read CSV, TSV and their like; the first line names the columns.

    Parameters
    ----------
    path : Path
        The file.
    compression : {"none", "gzip", "zstd"}
        How it is packed.
    missing : frozenset of str
        The texts that stand for a missing value.

    Returns
    -------
    Table
        All columns as text.

    Raises
    ------
    InvalidInputError
        If it is no such file; the line is named where it can be.
    """
    names, delimiter = header_of(path, compression)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    query = (
        f"SELECT * FROM read_csv(?, compression=?, delim=?, quote='\"', escape='\"', {_STRICT},"
        f" columns={{{columns}}})"
    )
    with _connection(path) as connection:
        arrays = connection.execute(query, [_literal(path), compression, delimiter]).fetchnumpy()
    return made(str(path), names, list(arrays.values()), missing)


def header_of(path: Path, compression: str) -> tuple[list[str], str]:
    """Return the cells of the first line and the delimiter that cuts it into most of them."""
    with _connection(path) as connection:
        row = connection.execute(_LINES, [_literal(path), compression]).fetchone()
    if row is None or not (line := (row[0] or "").strip("\ufeff")).strip():
        raise InvalidInputError(
            f"{path} is empty"
            if row is None
            else f"{path}, line 1: blank, expected the names of the columns",
            hint="the first line must name the columns, every other line is one item",
        )
    if line.count('"') % 2:
        raise InvalidInputError(
            f"{path}, line 1: unterminated quote in the names of the columns",
            hint="give every column a name on one line",
        )
    suffixes = {suffix.lower() for suffix in path.suffixes}
    candidates = ("\t",) if suffixes & {".tsv", ".tab"} else _DELIMITERS
    cut = {delimiter: next(csv.reader([line], delimiter=delimiter)) for delimiter in candidates}
    best = max(candidates, key=lambda delimiter: len(cut[delimiter]))
    return cut[best], best


def read_json(path: Path, compression: str, missing: Missing) -> Table:
    """Read JSON Lines, or one JSON array of objects.

    Parameters
    ----------
    path : Path
        The file.
    compression : {"none", "gzip", "zstd"}
        How it is packed.
    missing : frozenset of str
        The texts that stand for a missing value.

    Returns
    -------
    Table
        The union of the keys of all objects; a key that an object lacks is a missing value.
    """
    with _connection(path) as connection:
        rows = connection.execute(
            "SELECT json FROM read_json_objects(?, compression=?, format='auto', hive_partitioning=false)",
            [_literal(path), compression],
        ).fetchall()
    if not rows:
        raise InvalidInputError(
            f"{path} is empty", hint="one JSON object per line is needed, one line per item"
        )
    records: list[dict[str, Any]] = []
    for number, (text,) in enumerate(rows, start=1):
        records.append(_record(path, number, text))
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = []
    for name in names:
        column = np.empty(len(records), dtype=object)
        column[:] = [record.get(name) for record in records]
        columns.append(column)
    return made(str(path), names, columns, missing)


def _record(path: Path, number: int, text: str) -> dict[str, Any]:
    doubled: list[str] = []

    def collected(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            doubled.append(next(key for key in keys if keys.count(key) > 1))
        return record

    try:
        record = json.loads(text, object_pairs_hook=collected)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{path}, record {number}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise InvalidInputError(
            f"{path}, record {number}: expected a JSON object, got {text[:40]!r}",
            hint='one line per item, such as {"gold": "x", "system_a": "x", "system_b": "y"}',
        )
    if doubled:
        raise InvalidInputError(f"{path}, record {number}: key {doubled[0]!r} occurs more than once")
    return record


def read_parquet(path: Path, missing: Missing) -> Table:
    """Read a Parquet file; columns keep their types."""
    with _connection(path) as connection:
        result = connection.execute(
            "SELECT * FROM read_parquet(?, hive_partitioning=false)", [_literal(path)]
        )
        names = [entry[0] for entry in result.description or ()]
        arrays = result.fetchnumpy()
    return made(str(path), names, [arrays[name] for name in names], missing)


@contextmanager
def _connection(path: Path) -> Iterator[DuckDBPyConnection]:
    """Open a database in memory that loads nothing, and turn its errors about `path` into ours."""
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "threads": 1,
    }
    connection = duckdb.connect(":memory:", config=config)
    try:
        yield connection
    except duckdb.Error as error:
        raise _translated(path, str(error)) from error
    finally:
        connection.close()


def _literal(path: Path) -> str:
    """Spell a path so that DuckDB takes no character of it for a pattern or a protocol."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path.absolute()))


def _translated(path: Path, message: str) -> InvalidInputError:
    """Make a sentence with the line out of a page of DuckDB's advice."""
    found = re.search(r"CSV Error on Line: (\d+)", message) or re.search(r"in line (\d+)", message)
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
