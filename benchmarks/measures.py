"""Metrics as somebody would write them for the other tools: one call at a time, and along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Measure = Callable[[Array, Array], float]
"""Takes predictions and gold."""


def accuracy(predictions: Array, gold: Array) -> float:
    return float(np.mean(predictions == gold))


def mean_of(scores: Array, _gold: Array) -> float:
    return float(np.mean(scores))


def f1_macro(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(gold, predictions, average="macro"))


def f1_weighted(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(gold, predictions, average="weighted"))


def f1_of_class(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import f1_score

    return float(f1_score(gold == 1, predictions == 1))


def balanced_accuracy(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import balanced_accuracy_score

    return float(balanced_accuracy_score(gold, predictions))


def kappa(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(gold, predictions))


def mcc(predictions: Array, gold: Array) -> float:
    from sklearn.metrics import matthews_corrcoef

    return float(matthews_corrcoef(gold, predictions))


def pearson(predictions: Array, gold: Array) -> float:
    return float(np.corrcoef(predictions, gold)[0, 1])


def spearman(predictions: Array, gold: Array) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(predictions, gold).statistic)


def roc_auc(scores: Array, gold: Array) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(gold, scores))


def f1_macro_along(predictions: Array, gold: Array, n_classes: int = 3) -> Array:
    """Macro-F1 along the last axis."""
    total = np.zeros(np.broadcast_shapes(predictions.shape, gold.shape)[:-1])
    for label in range(n_classes):
        guessed, true = predictions == label, gold == label
        both = (guessed & true).sum(axis=-1)
        total += 2.0 * both / np.maximum(guessed.sum(axis=-1) + true.sum(axis=-1), 1)
    return total / n_classes


def mcc_along(predictions: Array, gold: Array, n_classes: int = 3) -> Array:
    """Matthews correlation along the last axis."""
    n = gold.shape[-1]
    right = (predictions == gold).sum(axis=-1)
    guessed = np.stack([(predictions == k).sum(axis=-1) for k in range(n_classes)], axis=-1)
    true = np.stack([(gold == k).sum(axis=-1) for k in range(n_classes)], axis=-1)
    above = right * float(n) - (guessed * true).sum(axis=-1)
    below = (float(n) * n - (guessed**2).sum(axis=-1)) * (float(n) * n - (true**2).sum(axis=-1))
    return above / np.sqrt(np.maximum(below, 1.0))


def _counts(predictions: Array, gold: Array, n_classes: int) -> tuple[Array, Array, Array]:
    """Return hits, predictions and gold items per class along the last axis, as floats."""
    guessed = np.stack([predictions == k for k in range(n_classes)])
    true = np.stack([gold == k for k in range(n_classes)])
    hits, made, due = (one.sum(axis=-1).astype(np.float64) for one in (guessed & true, guessed, true))
    return hits, made, due


def f1_weighted_along(predictions: Array, gold: Array, n_classes: int = 3) -> Array:
    """Weighted F1 along the last axis."""
    hits, made, due = _counts(predictions, gold, n_classes)
    return np.asarray((due * 2.0 * hits / np.maximum(made + due, 1.0)).sum(axis=0) / due.sum(axis=0))


def f1_of_class_along(predictions: Array, gold: Array) -> Array:
    """F1 of class 1 along the last axis."""
    hits, made, due = (one[1] for one in _counts(predictions, gold, 2))
    return np.asarray(2.0 * hits / np.maximum(made + due, 1.0))


def balanced_accuracy_along(predictions: Array, gold: Array, n_classes: int = 3) -> Array:
    """Balanced accuracy along the last axis."""
    hits, _, due = _counts(predictions, gold, n_classes)
    return np.asarray((hits / np.maximum(due, 1.0)).sum(axis=0) / (due > 0.0).sum(axis=0))


def kappa_along(predictions: Array, gold: Array, n_classes: int = 3) -> Array:
    """Cohen's kappa along the last axis."""
    hits, made, due = _counts(predictions, gold, n_classes)
    n = due.sum(axis=0)
    by_chance = (made * due).sum(axis=0) / n
    return np.asarray((hits.sum(axis=0) - by_chance) / np.maximum(n - by_chance, 1e-9))


def pearson_along(x: Array, y: Array) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    return (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))


def difference(measure: Callable[..., Any]) -> Callable[..., Any]:
    """Turn ``metric(predictions, gold)`` into ``statistic(a, b, gold)``, with an axis or without."""

    def statistic(a: Array, b: Array, gold: Array, axis: int = -1) -> Any:
        assert axis == -1
        return measure(a, gold) - measure(b, gold)

    return statistic
