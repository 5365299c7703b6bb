"""The labels that a gold has, and the rows of statistics that one item of each can have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.data.coding import occurring
from bestby.metrics.base import Metric


def classes_of(gold: Array | None, n_labels: int) -> tuple[int, ...]:
    """Return the positions of the labels that the gold has; without gold all."""
    return tuple(range(n_labels) if gold is None else occurring(gold, n_labels).nonzero()[0].tolist())


MOST_LABELS = 200
"""Labels up to which the rows of each of them with each prediction are made."""


def rows_of_labels(metric: Metric, golds: Sequence[int], predictions: Sequence[int]) -> FloatArray | None:
    """Return the rows of each gold with each prediction, shape (golds, predictions, k); None if too many."""
    if max(len(golds), len(predictions)) > MOST_LABELS:
        return None
    rows = metric.statistics(np.repeat(golds, len(predictions)), np.tile(predictions, len(golds)))
    return rows.reshape(len(golds), len(predictions), -1)
