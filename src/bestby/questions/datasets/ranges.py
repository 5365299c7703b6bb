"""The range of the scores on each dataset, from a table."""

from __future__ import annotations

from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby.data.columns import MISSING
from bestby.data.layouts.datasets import DATASET_WORDS
from bestby.data.values import as_scores
from bestby.readers.opening import one_table


def read_ranges(path: str | Path) -> dict[str, tuple[float, float]]:
    """Return the scores that become 0 and 1 on each dataset: columns dataset (or task), low and high."""
    table = one_table(path, "the ranges of the datasets", MISSING)
    names = table.texts(table.column_called(None, DATASET_WORDS, "dataset"), "dataset")
    ends = []
    for word in ("low", "high"):
        column = as_scores(table.column(table.require(word, word)))
        if column.is_text or column.missing.any():
            raise InvalidInputError(
                f"{table.source}: column {word!r} must hold a number in every row",
                hint="give the scores that become 0 (low) and 1 (high) on each dataset",
            )
        ends.append(column.values.tolist())
    ranges: dict[str, tuple[float, float]] = {}
    for name, low, high in zip(names, *ends, strict=True):
        if name in ranges:
            raise InvalidInputError(
                f"{table.source}: dataset {quoted(name)} occurs more than once", hint="give it one range"
            )
        ranges[name] = (float(low), float(high))
    return ranges
