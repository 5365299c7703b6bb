"""The columns of the statistics of all metrics and systems, each once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bestby._core.typing import FloatArray, IntArray

_BEGINNING = 128
"""Numbers of a column that columns are told apart by, beside their sum, before all are compared."""

_SMALL = 1 << 17
"""Numbers of one system that may be held for the sake of a few of its columns: 1 MB."""


def distinct_columns(
    statistics: Iterable[Iterable[FloatArray]],
) -> tuple[list[FloatArray], list[list[IntArray]]]:
    """Return every distinct column once, and which ones each metric and system uses."""
    short: dict[bytes, int] = {}
    known: dict[tuple[int, bytes], list[int]] = {}
    unique: list[FloatArray] = []

    def places(rows: FloatArray) -> IntArray:
        used = []
        few = len(rows) <= _BEGINNING
        small = few or rows.size <= _SMALL
        # A copy, as a metric may use its memory again for the next system.
        columns = np.array(rows.T, dtype=np.float64, order="C") if small else rows.T
        if few:  # the bits of a column are all there is to compare
            for column in columns:
                place = short.setdefault(column.tobytes(), len(unique))
                if place == len(unique):
                    unique.append(column)
                used.append(place)
            return np.array(used, dtype=np.int64)
        for part in columns:
            column = np.ascontiguousarray(part, dtype=np.float64)
            place = _place(column, known, unique)
            if place == len(unique):
                # A copy of a part, not to hold the others, unless all are small.
                unique.append(column if small or column.base is None else column.copy())
            used.append(place)
        return np.array(used, dtype=np.int64)

    # With `map`, no name holds the rows of a system while those of the next one are made.
    return unique, [list(map(places, systems)) for systems in statistics]


def _place(column: FloatArray, known: dict[tuple[int, bytes], list[int]], unique: list[FloatArray]) -> int:
    """Return which of the unique columns one is, by its bits; a new one is told under the key of its own."""
    bits = column.view(np.int64)
    alike = known.setdefault((int(np.add.reduce(bits)), bits[:_BEGINNING].tobytes()), [])
    for place in alike:
        if (unique[place].view(np.int64) == bits).all():
            return place
    alike.append(len(unique))
    return len(unique)
