"""Counts per class, as indicator columns of the items, and the ratios that are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import occurring
from bestby.metrics._lines import Line
from bestby.metrics.base import Metric

Part: TypeAlias = Literal["precision", "recall", "f1"]

COUNTS: dict[Part, tuple[str, ...]] = {
    "precision": ("hits", "predicted"),
    "recall": ("hits", "gold"),
    "f1": ("hits", "predicted", "gold"),
}
"""The counts that each is made of."""

MOST_LABELS = 200
"""Labels up to which the rows of each of them with each prediction are made."""


def unfitted(name: str) -> InvalidInputError:
    """Return the error of a metric that counts labels before `fit`."""
    return InvalidInputError(
        f"{name} must know the label set before it can count", hint="call fit(gold, systems, labels) first"
    )


def class_counts(
    columns: Sequence[str], gold: Array, predictions: Array, n_labels: int, name: str, *, more: int = 0
) -> FloatArray:
    """Return a block of indicator columns per class for each of "hits", "predicted" and "gold".

    `more` columns of zeros follow.
    """
    if n_labels == 0:
        raise unfitted(name)
    # Statistics of one system that are held at once: 8 GiB of them
    if gold.size * len(columns) * n_labels > 1 << 30:
        raise DesignError(
            f"{name} counts every class separately: {n_labels} classes on {gold.size} distinct items are"
            " too many",
            hint='use accuracy or f1_micro, one class at a time, as in "f1[LABEL]", or merge rare classes',
        )
    answered = (predictions >= 0).nonzero()[0]
    right = (predictions == gold).nonzero()[0]
    everything = np.arange(gold.size)
    sources = {"hits": (right, gold), "predicted": (answered, predictions), "gold": (everything, gold)}
    out = np.zeros((len(columns) * n_labels + more, gold.size))  # column by column, as metrics read them
    for block, key in enumerate(columns):
        rows, which = sources[key]
        out[which[rows] + block * n_labels, rows] = 1.0
    return out.T


def split_counts(totals: FloatArray, columns: Sequence[str]) -> dict[str, FloatArray]:
    """Return the blocks of columns that `class_counts` made."""
    return dict(zip(columns, blocks(totals, len(columns)), strict=True))


def blocks(totals: FloatArray, n: int) -> list[FloatArray]:
    """Return totals cut into n blocks of as many columns."""
    width = totals.shape[-1] // n
    return [totals[..., start : start + width] for start in range(0, n * width, width)]


def fraction(part: Part, hits: Any, predicted: Any = None, gold: Any = None) -> tuple[Any, Any]:
    """Return numerator and denominator of precision, recall or F1, from the counts that it needs."""
    if part == "f1":
        return fraction_of(part, (hits, predicted, gold))
    return hits, predicted if part == "precision" else gold


def fraction_of(part: Part, counts: Sequence[Any]) -> tuple[Any, Any]:
    """Return the same from the counts that it needs alone, in the order of `COUNTS`."""
    return (2.0 * counts[0], counts[1] + counts[2]) if part == "f1" else (counts[0], counts[1])


def quotient(part: Part, counts: Sequence[Line]) -> Line:
    """Return precision, recall or F1 from the counts that it needs, in the order of `COUNTS`."""
    numerator, denominator = fraction_of(part, counts)
    return cast("Line", numerator / denominator)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide; 0 where the denominator (and so the numerator) is 0."""
    if np.minimum.reduce(denominator, axis=None, initial=np.inf) > 0.0:
        return numerator / denominator
    return numerator / np.where(denominator > 0.0, denominator, 1.0)


def classes_of(gold: Array | None, n_labels: int) -> tuple[int, ...]:
    """Return the positions of the labels that the gold has; without gold all."""
    return tuple(range(n_labels) if gold is None else occurring(gold, n_labels).nonzero()[0].tolist())


def rows_of_labels(metric: Metric, golds: Sequence[int], predictions: Sequence[int]) -> FloatArray | None:
    """Return the rows of each gold with each prediction, shape (golds, predictions, k); None if too many."""
    if max(len(golds), len(predictions)) > MOST_LABELS:
        return None
    rows = metric.statistics(np.repeat(golds, len(predictions)), np.tile(predictions, len(golds)))
    return rows.reshape(len(golds), len(predictions), -1)
