"""Results of a search by scikit-learn: ``pandas.DataFrame(search.cv_results_).to_csv(FILE, index=False)``.

A row is a setting of the parameters, which is a system, with its scores on the folds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestby._core.arrays import objects
from bestby._core.errors import InvalidInputError, OtherQuestionError
from bestby.data.roles import listed
from bestby.data.table import Table
from bestby.readers.formats.base import Read, check_available
from bestby.readers.text import as_number, column_names

_SCORE = re.compile(r"split(?P<fold>\d+)_test_(?P<score>.+)")
_NAME = re.compile(r"""(['"])(?P<name>\w+)\1: """)
_SETTINGS = "params"


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is such a table, from the names of its columns."""
    return _are_results(column_names(head))


def _are_results(names: Sequence[str]) -> bool:
    return _SETTINGS in names and any(map(_SCORE.fullmatch, names))


def read(paths: Mapping[str, Path]) -> Read:
    """Refuse the files where items are read: they have scores of folds."""
    message = f"{next(iter(paths.values()))} has a score per fold of each setting, and no items"
    raise OtherQuestionError(message, "folds", "bestby.read_folds(...)")


def with_folds(table: Table, value_column: str | Mapping[str, str] | None) -> Table:
    """Return the results as a table with a row per fold and a column per setting; another table as it is.

    `value_column` is the name of a score, by default the only one.
    """
    if not _are_results(table.names):
        return table
    columns: dict[str, dict[int, str]] = {}
    for name in table.names:
        if match := _SCORE.fullmatch(name):
            columns.setdefault(match["score"], {})[int(match["fold"])] = name
    if not isinstance(value_column, str) and (value_column or len(columns) > 1):
        raise InvalidInputError(
            f"{table.source}: which score? the table has: {listed(list(columns))}",
            hint="name it: value_column=...",
        )
    score = value_column if isinstance(value_column, str) else next(iter(columns))
    check_available(score, columns, "score", table.source)
    folds = sorted(columns[score])
    cells = [table.cells(columns[score][fold]) for fold in folds]
    scores = np.array([[as_number(cell) for cell in row] for row in cells], dtype=np.float64)  # None is NaN
    data: dict[str, Any] = {"fold": objects([str(fold) for fold in folds])}
    for row, settings in enumerate(table.cells(_SETTINGS)):
        name = _NAME.sub(r"\g<name>=", settings.strip("{}")) or "default"
        if name in data:
            raise InvalidInputError(
                f"{table.source}: the setting {name!r} is there twice", hint="keep one row"
            )
        data[name] = scores[:, row]
    return Table(table.source, data, table.missing)
