"""Files of labels or ids as experiments leave them: a line per item, or a NumPy array."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.paths import readable_file
from bestby._core.typing import Array
from bestby.data.soft import soft_or_hard
from bestby.readers.text import csv_rows, cut

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(0|[1-9]\d*)\.\d+", re.ASCII)


@with_suggestions
def read_labels(path: str | Path) -> Array:
    r"""Read a file with a label, an id or a row of probabilities per line.

    For tables with a header, and for the formats of other tools, use `read`.

    Parameters
    ----------
    path : str or Path
        A file ``.txt``, ``.csv`` or ``.tsv`` without a header, with a line per item: one value (a number, or
        any text) for a hard label, K numbers between commas or tabs for a soft one; or a file ``.npy``.

    Returns
    -------
    ndarray, shape (n,) or (n, K)
        The labels, or the probabilities of K classes.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, a line is blank or has another number of values than the first.

    See Also
    --------
    read : Read tables and the files of other tools.
    Study.add : Add the labels of a run to a study.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "gold.txt")
    >>> _ = file.write_text("1\n0\n1\n")
    >>> read_labels(file)
    array([1, 0, 1])
    """
    file = readable_file(path)
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


def _cells(text: str) -> list[list[str]]:
    """Cut text into lines and lines into cells."""
    lines = cut(text.rstrip("\r\n"))
    delimiter = "\t" if "\t" in lines[0] else ","
    return [[cell.strip() for cell in row] for row in csv_rows(lines, delimiter, strict=True)]


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
