"""Files of labels or ids as experiments leave them: a line per item, or a NumPy array."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array
from bestby.data import soft

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)\.\d+", re.ASCII)


def read_labels(path: str | Path) -> Array:
    """Read a file of labels or ids as BooStSa takes them: ``.txt``, ``.csv``, ``.tsv`` or ``.npy``.

    Text files have a line per item and no header: one value (a whole number, or any text) for a hard label,
    K numbers between commas or tabs for a soft one. (BooStSa itself takes commas alone, in ``.tsv`` too.)

    The result has shape (n,).
    """
    file = Path(path)
    try:
        if file.suffix.lower() == ".npy":
            array: Array = np.load(file, allow_pickle=False)
        else:
            cells = _cells(file.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, EOFError, csv.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or "cut off"
        raise InvalidInputError(f"{file} cannot be read: {reason}") from error
    if file.suffix.lower() == ".npy":
        return soft_or_hard(array, str(file))
    _check_cells(file, cells)
    if len(cells[0]) == 1:
        return _hard([row[0] for row in cells])
    return soft_or_hard(_numbers(file, cells), str(file))


def soft_or_hard(array: Array, what: str) -> Array:
    """Return rows of one value as hard labels, rows of several as soft ones, which are checked.

    >>> soft_or_hard(np.array([[1], [0]]), "gold")
    array([1, 0])
    """
    if array.ndim == 2 and array.shape[1] > 1:
        return soft.distributions(array, what)
    return checks.column(array.reshape(-1) if array.ndim == 2 else array, what)


def _cells(text: str) -> list[list[str]]:
    """Cut text into lines and lines into cells."""
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    delimiter = "\t" if "\t" in lines[0] else ","
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter, strict=True)]


def _check_cells(file: Path, cells: list[list[str]]) -> None:
    """Refuse a line that is blank, or has not as many cells as the first."""
    for number, row in enumerate(cells, start=1):
        if not row or "" in row:
            raise InvalidInputError(
                f"{file}, line {number}: {'a value is missing' if any(row) else 'blank'}",
                hint="one line per item: one label, or a number for each class",
            )
        if len(row) != len(cells[0]):
            raise InvalidInputError(
                f"{file}, line {number}: {len(row)} values, where line 1 has {len(cells[0])}",
                hint="one line per item: one label, or a number for each class",
            )


def _hard(values: list[str]) -> Array:
    """Return numbers if all are, anything else as text."""
    # A leading zero is not a number: "01" is a code, and "01" and "1" must stay apart.
    if all(_INTEGER.fullmatch(value) for value in values):
        return np.array([int(value) for value in values])
    if all(_INTEGER.fullmatch(value) or _DECIMAL.fullmatch(value) for value in values):
        return np.array([float(value) for value in values])
    return np.array(values)


def _numbers(file: Path, cells: list[list[str]]) -> Array:
    out = np.empty((len(cells), len(cells[0])))
    for number, row in enumerate(cells, start=1):
        try:
            out[number - 1] = [float(cell) for cell in row]
        except ValueError as error:
            raise InvalidInputError(
                f"{file}, line {number}: {error}",
                hint="a soft label is a number for each class; the file must have no header",
            ) from error
    return out
