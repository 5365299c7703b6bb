"""The columns of the statistics of all metrics and systems, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.engine.row_order import varies

_BEGINNING = 128
"""Numbers of a column that columns are told apart by, beside their sum, before all are compared."""

_FEW = 1 << 12
"""Numbers of all columns up to which these are looked at together."""

_SMALL = 1 << 17
"""Numbers of one system that may be held for the sake of a few of its columns: 1 MB."""


def distinct_columns(
    statistics: Iterable[Iterable[FloatArray]],
) -> tuple[list[FloatArray], list[list[IntArray]]]:
    """Return every distinct column once, and which ones each metric and system uses.

    Statistics, floats of shape (I, k) each, are taken one by one. They may be held, so nobody may write to
    them again.
    """
    short: dict[bytes, int] = {}
    known: dict[tuple[int, int, bytes], list[int]] = {}
    unique: list[FloatArray] = []

    def places(rows: FloatArray) -> IntArray:
        used = []
        columns = rows.T
        if len(rows) <= _BEGINNING:  # the bits of a column are all there is to compare
            columns = np.ascontiguousarray(columns)
            bits, width = columns.tobytes(), len(rows) * columns.itemsize
            for number in range(len(columns)):
                own = bits[number * width : (number + 1) * width]
                place = short.get(own)
                if place is None:
                    place = short[own] = len(unique)
                    unique.append(columns[number])
                used.append(place)
            return np.array(used, dtype=np.int64)
        small = rows.size <= _SMALL
        for part in columns:
            column = np.ascontiguousarray(part)
            place = _place(column, known, unique)
            if place == len(unique):
                # A copy of a part, not to hold the others, unless all are small.
                unique.append(column if small or column.base is None else column.copy())
            used.append(place)
        return np.array(used, dtype=np.int64)

    # With `map`, no name holds the rows of a system while those of the next one are made.
    return unique, [list(map(places, systems)) for systems in statistics]


def _place(
    column: FloatArray, known: dict[tuple[int, int, bytes], list[int]], unique: list[FloatArray]
) -> int:
    """Return which of the unique columns one is, by its bits; a new one is told under the key of its own."""
    bits = column.view(np.int64)
    beginning = bits[:_BEGINNING].tobytes()
    # Counts of rare labels begin alike and have the same sum: what tells them apart is where they are not 0.
    is_constant = beginning == beginning[: bits.itemsize] * _BEGINNING
    where = int(bits @ np.arange(bits.size)) if is_constant else 0
    alike = known.setdefault((int(np.add.reduce(bits)), where, beginning), [])
    for place in alike:
        if (unique[place].view(np.int64) == bits).all():
            return place
    alike.append(len(unique))
    return len(unique)


def varying_columns(columns: Sequence[FloatArray]) -> list[bool]:
    """Return which columns have more than one value."""
    if not columns or len(columns) * columns[0].size > _FEW:
        return [varies(column) for column in columns]
    together = np.concatenate(columns).reshape(len(columns), -1)
    found: list[bool] = np.logical_or.reduce(together != together[:, :1], axis=1).tolist()
    return found


def side_by_side(columns: Sequence[FloatArray], n: int) -> FloatArray:
    """Return columns of n rows as a matrix, which may have none; each is contiguous."""
    return np.concatenate(columns).reshape(-1, n).T if columns else np.empty((n, 0))
