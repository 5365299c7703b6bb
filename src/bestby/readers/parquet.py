"""The columns of a Parquet file: by the names that they have there, with values that stay exact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bestby.readers.database import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_EXACT_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "UUID", "TIME", "TIME_NS", "TIME WITH TIME ZONE")
"""Types of which NumPy has none that holds all values exactly."""


def columns_of(path: Path, database: DuckDBPyConnection) -> dict[str, str]:
    """Return the SQL for the values of each column by its name; DuckDB ignores the case of names."""
    described = database.execute(
        "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning=false)", [literal(path)]
    ).fetchall()
    names = _written(path, database)
    if len(names) != len(described):
        names = [row[0] for row in described]
    return {name: _value(row[0], row[1]) for name, row in zip(names, described, strict=True)}


def differ_in_capitals(names: list[str]) -> bool:
    """Tell whether some names differ in capitals only.

    >>> differ_in_capitals(["sys", "SYS"]), differ_in_capitals(["a", "b"])
    (True, False)
    """
    return len({name.lower() for name in names}) < len({*names})


def _value(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    return f"CAST({column} AS VARCHAR)" if kind.partition("(")[0] in _EXACT_AS_TEXT else column


def _written(path: Path, database: DuckDBPyConnection) -> list[str]:
    """Return the names of the columns of the table itself, not of those that lie inside others."""
    rows = database.execute("SELECT name, num_children FROM parquet_schema(?)", [literal(path)]).fetchall()
    names = []
    inside = 0
    for name, children in rows[1:]:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += children or 0
    return names
