"""The ways into a comparison: every kind of file, every kind of frame, and mappings in memory.

Each path takes a table, a folder to write into and what to do with missing values, and returns what `compare`
takes. `applies` says for which tables the path is documented to work.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from tests.differential.tables import RandomTable

import bestby as bb

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _always(table: RandomTable) -> bool:
    return True


@dataclass(frozen=True)
class InputPath:
    """A way into `compare`: its positional and its named arguments for a table."""

    name: str
    arguments: Callable[[RandomTable, Path, str], Arguments]
    applies: Callable[[RandomTable], bool] = _always


def _mapping(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
    side = {"gold": table.gold, "clusters": table.clusters, "strata": table.strata}
    given = {name: values for name, values in side.items() if values is not None}
    if table.ids is None:
        return (table.systems,), given
    keyed = {
        name: {key: value for key, value in zip(table.ids, values, strict=True) if value is not None}
        for name, values in table.systems.items()
    }
    by_id = {name: dict(zip(table.ids, values, strict=True)) for name, values in given.items()}
    return (keyed,), {**by_id, "on_missing": on_missing}


# -- files -----------------------------------------------------------------------------------------


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def write(columns: Mapping[str, list[Any]], path: Path) -> Path:
    """Write columns to a file; its suffix tells the format."""
    rows = list(zip(*columns.values(), strict=True))
    suffix = "".join(path.suffixes)
    if suffix == ".parquet":
        pq.write_table(pa.table(dict(columns)), path)
    elif suffix == ".jsonl":
        named = [dict(zip(columns, row, strict=True)) for row in rows]
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in named), encoding="utf-8")
    else:
        opened = gzip.open if suffix.endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t" if suffix.startswith(".tsv") else ",")
            writer.writerow(columns)
            writer.writerows([_cell(value) for value in row] for row in rows)
    return path


def _wide(suffix: str, **more: Any) -> Callable[[RandomTable, Path, str], Arguments]:
    def arguments(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
        path = write(table.columns(), folder / f"wide{suffix}")
        roles = table.roles()
        return (bb.read(path, systems=list(table.systems), on_missing=on_missing, **roles, **more),), {}

    return arguments


def _folder(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
    """Write the table as two files of a folder, which are read as one."""
    parts = folder / "parts"
    parts.mkdir()
    half = table.n // 2
    for number, part in enumerate((slice(0, half), slice(half, None))):
        write({name: values[part] for name, values in table.columns().items()}, parts / f"part{number}.csv")
    return (bb.read(parts, systems=list(table.systems), on_missing=on_missing, **table.roles()),), {}


def _long(suffix: str) -> Callable[[RandomTable, Path, str], Arguments]:
    def arguments(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
        side = {name: values for name, values in table.columns().items() if name not in table.systems}
        columns: dict[str, list[Any]] = {name: [] for name in [*side, "system", "value"]}
        for system, values in table.systems.items():
            for row, value in enumerate(values):
                if value is None:
                    continue
                for name, column in side.items():
                    columns[name].append(column[row])
                columns["system"].append(system)
                columns["value"].append(value)
        path = write(columns, folder / f"long{suffix}")
        names = {"reading": bb.Reading(system_column="system", value_column="value")}
        return (bb.read(path, on_missing=on_missing, **table.roles(), **names),), {}

    return arguments


def _separate(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
    """Write the gold and each system to a file of its own, in formats that take turns."""
    suffixes = (".csv", ".jsonl", ".tsv", ".parquet", ".csv.gz")
    side = {name: values for name, values in table.columns().items() if name not in table.systems}
    files: dict[str, Path] = {}
    for number, (name, values) in enumerate(table.systems.items()):
        rows = [row for row, value in enumerate(values) if value is not None]
        own = {"item": table.ids} if table.gold is not None else side
        columns = {key: [column[row] for row in rows] for key, column in own.items() if column is not None}
        columns["value"] = [values[row] for row in rows]
        files[name] = write(columns, folder / f"system{number}{suffixes[number % len(suffixes)]}")
    roles: dict[str, Any] = {
        **table.roles(),
        "reading": bb.Reading(value_column="value"),
        "on_missing": on_missing,
    }
    if table.gold is not None:
        roles["gold"] = write(side, folder / "gold.csv")
    return (bb.read(files, **roles),), {}


# -- frames ----------------------------------------------------------------------------------------


def _frame(make: Callable[[dict[str, list[Any]]], Any]) -> Callable[[RandomTable, Path, str], Arguments]:
    def arguments(table: RandomTable, folder: Path, on_missing: str) -> Arguments:
        return (make(table.columns()),), {**table.roles(), "on_missing": on_missing}

    return arguments


def _nullable(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Return a frame with the types of pandas that have missing values."""
    # convert_dtypes would turn whole numbers beside a gap into floats on the way.
    return pd.DataFrame({name: pd.array(values) for name, values in columns.items()})


# -- which path takes which table ------------------------------------------------------------------


def _countable(table: RandomTable) -> bool:
    """Whether the rows may be counted: labels without ids, clusters and fractions."""
    whole = table.kind in {"words", "odd words", "integers", "signed integers", "booleans", "codes"}
    return whole and table.ids is None and table.clusters is None


def _identified(table: RandomTable) -> bool:
    return table.ids is not None


def _scores_without_groups(table: RandomTable) -> bool:
    return table.ids is not None and (
        table.gold is not None or (table.clusters is None and table.strata is None and not table.has_missing)
    )


def _kept_by_pandas(table: RandomTable) -> bool:
    """Whether plain columns of pandas hold the values: beside a gap it makes floats of whole numbers."""
    return not (table.has_missing and table.kind == "large integers")


MAPPING = InputPath("mapping", _mapping)

PATHS = (
    *(InputPath(f"wide {s}", _wide(s)) for s in (".csv", ".tsv", ".csv.gz", ".jsonl", ".parquet")),
    *(InputPath(f"counted {s}", _wide(s, stream=True), _countable) for s in (".csv", ".jsonl", ".parquet")),
    *(InputPath(f"long {s}", _long(s), _identified) for s in (".csv", ".jsonl", ".parquet")),
    InputPath("folder of .csv", _folder),
    InputPath("one file per system", _separate, _scores_without_groups),
    InputPath("pandas", _frame(pd.DataFrame), _kept_by_pandas),
    InputPath("pandas, nullable types", _frame(_nullable)),
    InputPath("polars", _frame(pl.DataFrame)),
    InputPath("Arrow", _frame(pa.table)),
)
