"""Items that are rows of labels, one of each annotator, some missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, FloatArray


def rows(predictions: Iterable[Any], metric: str) -> list[list[Any]]:
    """Return the labels of each item without the missing ones: None, NaN and NA.

    >>> rows([("a", None, "b"), ["a"]], "krippendorff_alpha")
    [['a', 'b'], ['a']]
    """
    out = []
    for item, row in enumerate(predictions):
        if isinstance(row, str) or not isinstance(row, Sequence | np.ndarray):
            raise InvalidInputError(
                f"{metric} reads, per item, the row of labels of its annotators, but item {item} is {row!r}",
                hint="items are counted from 0; a missing label is None",
            )
        labels = row.tolist() if isinstance(row, np.ndarray) else row
        present = [label for label in labels if not _is_missing(label)]
        if not all(isinstance(label, str | int | float | np.generic) for label in present):
            raise InvalidInputError(
                f"{metric}: labels must be text or numbers, got {row!r} on item {item}",
                hint="items are counted from 0; a missing label is None",
            )
        out.append(present)
    return out


def numbers(predictions: Iterable[Any], metric: str) -> list[list[float]]:
    """Return the labels of each item as numbers."""
    out = []
    for item, row in enumerate(rows(predictions, metric)):
        try:
            values = [float(label) for label in row]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            raise InvalidInputError(
                f"{metric} needs finite numbers as labels, got {row!r} on item {item}",
                hint="number the labels in their order, or use krippendorff_alpha, which takes any",
            )
        out.append(values)
    return out


def _is_missing(label: Any) -> bool:
    return (
        label is None
        or type(label).__name__ in {"NAType", "NaTType"}
        or (isinstance(label, float | np.floating) and math.isnan(label))
    )


def middle(labels: Sequence[float]) -> float:
    """Return the mean; of whole numbers rounded, so that sums stay whole whichever systems it is taken of."""
    mean = math.fsum(labels) / max(1, len(labels))
    return float(round(mean)) if all(label.is_integer() for label in labels) else mean


def pairable(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the counts, those of items with fewer than two labels as 0, and the number of labels."""
    labels = counts.sum(axis=1)
    usable: BoolArray = labels > 1.0
    return np.where(usable[:, None], counts, 0.0), np.where(usable, labels, 0.0)
