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
