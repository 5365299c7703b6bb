"""Files of results: tables as CSV, and arrays that are made once and kept."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, str]
Arrays = dict[str, Any]


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[Row]:
    """Return the rows of a CSV file; none if there is no such file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def merged(
    old: Sequence[Row], new: Sequence[Row], cell: Sequence[str], kind: Sequence[str], *, some: bool = False
) -> list[Row]:
    """Return rows with those of new cells in the places of the same cells, and other cells at the end.

    `cell` are the columns that name a cell, `kind` those that name a row of it. With `some`, the new rows are
    not all of their cells, so that the other rows stay; those of "auto" are the last ones.
    """
    cells, fresh = _by_cell(old, cell, kind), _by_cell(new, cell, kind)
    for name, part in fresh.items():
        rows = (cells.get(name, {}) if some else {}) | part
        cells[name] = dict(sorted(rows.items(), key=lambda item: some and "auto" in item[0]))
    return [row for part in cells.values() for row in part.values()]


def _by_cell(
    rows: Iterable[Row], cell: Sequence[str], kind: Sequence[str]
) -> dict[tuple[str, ...], dict[tuple[str, ...], Row]]:
    cells: dict[tuple[str, ...], dict[tuple[str, ...], Row]] = {}
    for row in rows:
        cells.setdefault(tuple(str(row[k]) for k in cell), {})[tuple(row[k] for k in kind)] = row
    return cells


def kept(path: Path, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of a file, which is made if it is not there, whole or not at all."""
    if not path.exists():
        found = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **found)
        part.rename(path)
    with np.load(path) as data:
        return dict(data)
