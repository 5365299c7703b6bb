"""Measures as somebody would write them for the other tools: one call at a time, and along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def accuracy(predictions: Array, gold: Array) -> float:
    return float(np.mean(predictions == gold))


def mean_of(scores: Array, _gold: Array) -> float:
    return float(np.mean(scores))


def f1_macro(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(gold, predictions, average="macro"))


def pearson(predictions: Array, gold: Array) -> float:
    return float(np.corrcoef(predictions, gold)[0, 1])


def roc_auc(scores: Array, gold: Array) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(gold, scores))


def f1_macro_along(predictions: Array, gold: Array, n_classes: int) -> Array:
    """Macro-F1 along the last axis."""
    total = np.zeros(np.broadcast_shapes(predictions.shape, gold.shape)[:-1])
    for label in range(n_classes):
        guessed, true = predictions == label, gold == label
        both = (guessed & true).sum(axis=-1)
        total += 2.0 * both / np.maximum(guessed.sum(axis=-1) + true.sum(axis=-1), 1)
    return total / n_classes


def pearson_along(x: Array, y: Array) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    return (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))


def difference(measure: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    """Turn ``measure(predictions, gold)`` into SciPy's ``statistic(a, b, gold)``, with an axis or without."""

    def statistic(a: Array, b: Array, gold: Array, axis: int = -1) -> Any:
        assert axis == -1
        return measure(a, gold, **fixed) - measure(b, gold, **fixed)

    return statistic


# -- statistics per segment, and scores of their sums ----------------------------------------------


def f1_rows(predictions: Array, gold: Array, n_classes: int) -> Array:
    """Per item and class: right, guessed, true."""
    guessed = predictions[:, None] == np.arange(n_classes)
    true = gold[:, None] == np.arange(n_classes)
    return np.hstack([guessed & true, guessed, true]).astype(np.float64)


def f1_of_sums(total: Array) -> float:
    both, guessed, true = total.reshape(3, -1)
    return float(np.mean(2.0 * both / np.maximum(guessed + true, 1.0)))


def pearson_rows(x: Array, y: Array) -> Array:
    x, y = x - x.mean(), y - y.mean()
    return np.column_stack([np.ones(x.size), x, y, x * x, y * y, x * y])


def pearson_of_sums(total: Array) -> float:
    n, x, y, xx, yy, xy = total.tolist()
    return float((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def mean_rows(values: Array) -> Array:
    return np.column_stack([values, np.ones(values.size)])


def mean_of_sums(total: Array) -> float:
    return float(total[0] / total[1])
