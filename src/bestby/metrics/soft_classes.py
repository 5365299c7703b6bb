"""Precision, recall and F1 of soft labels: what gold and predictions share, class by class.

The labels of a class are a fuzzy set of items (Harju & Mesaros 2023, Evaluating classification systems
against soft labels with fuzzy precision and recall, DCASE Workshop, 46-50). Gold and predictions share
``sum_i min(p_ik, q_ik)`` of class k. Precision is that over ``sum_i q_ik``, recall over ``sum_i p_ik``, F1
their harmonic mean. On hard labels they are the usual ones. 0/0 counts as 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Array, FloatArray
from bestby.metrics._distributions import over_classes
from bestby.metrics._items import marked
from bestby.metrics._label_counts import MOST_LABELS, Part, unfitted
from bestby.metrics._label_names import printed_labels
from bestby.metrics.base import Metric, Names, Patterns
from bestby.metrics.classification import OneClass

_WHY: dict[Part, str] = {
    "precision": "no prediction gives it any probability",
    "recall": "the gold gives it no probability",
    "f1": "neither gold nor predictions give it any probability",
}


@dataclass(frozen=True, repr=False)
class SoftOneClass(OneClass):
    """Fuzzy precision, recall or F1 of one class; `fit` sets `position`, its column.

    >>> gold, predictions = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.75, 0.25]])
    >>> metric = SoftOneClass("soft_f1[a]", "f1", "a").fit(gold, [predictions], np.array(["a", "b"]))
    >>> metric.statistics(gold, predictions).sum(axis=0)
    array([1.  , 1.25])
    >>> float(metric.score(metric.statistics(gold, predictions).sum(axis=0)))
    0.8
    """

    reads = "distributions"

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return what is shared, and what it is measured against."""
        if self.position is None:
            raise unfitted(self.name)
        p, q = gold[:, self.position], predictions[:, self.position]
        return np.column_stack([np.minimum(p, q), _size(self.part, p, q)])

    def possible_rows(self) -> FloatArray | None:
        """Return those of gold and predictions that are certain of this class or of another."""
        assert self.position is not None  # fitted
        return _certain_rows(self, np.eye(self.position + 2)[self.position :])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio of the totals."""
        return _ratio(totals[..., 0], totals[..., 1])

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the score is 0/0."""
        if totals[1] > rounding.SPREAD:
            return None
        return f"{self.name} is 0/0 ({self.label!r}: {_WHY[self.part]}) and counts as 0"


@dataclass(frozen=True, repr=False)
class SoftMacro(Metric):
    """Fuzzy precision, recall or F1, every class counting the same; `fit` sets `labels`, the classes.

    >>> gold, predictions = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.75, 0.25]])
    >>> metric = SoftMacro("soft_recall_macro", "recall").fit(gold, [predictions], np.array(["a", "b"]))
    >>> metric.statistics(gold, predictions).sum(axis=0)
    array([1. , 0.5, 1.5, 0.5])
    >>> float(metric.score(metric.statistics(gold, predictions).sum(axis=0)).round(4))
    0.8333
    """

    name: str
    part: Part
    labels: tuple[str, ...] = ()
    bounds = (0.0, 1.0)
    reads = "distributions"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the classes fixed."""
        return dataclasses.replace(self, labels=printed_labels(self.name, labels))

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return per class what is shared, then per class what it is measured against."""
        if not self.labels:
            raise unfitted(self.name)
        shared = np.minimum(gold, predictions)
        return np.concatenate([shared, _size(self.part, gold, predictions)], axis=1)

    def possible_rows(self) -> FloatArray | None:
        """Return those of gold and predictions that are certain of some class."""
        return _certain_rows(self, np.eye(len(self.labels)))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean over the classes."""
        k = len(self.labels)
        return over_classes(_ratio(totals[..., :k], totals[..., k:])) / k

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the classes whose part is 0/0."""
        empty = totals[len(self.labels) :] <= rounding.SPREAD
        if not empty.any():
            return None
        classes = marked(self.labels, empty)
        return f"{self.part} of {classes} is 0/0 ({_WHY[self.part]}) and counts as 0 in {self.name}"


def _certain_rows(metric: Metric, certain: FloatArray) -> FloatArray | None:
    """Return the rows of each of some golds with each prediction, shape (m, m, k); None if too many.

    Rows of less certain labels lie between them.
    """
    m = len(certain)
    if m > MOST_LABELS:
        return None
    rows = metric.statistics(np.repeat(certain, m, axis=0), np.tile(certain, (m, 1)))
    return rows.reshape(m, m, -1)


def _size(part: Part, gold: FloatArray, predictions: FloatArray) -> FloatArray:
    """Return what the shared part is divided by; F1 is 2 shared / (p + q)."""
    if part == "f1":
        return 0.5 * (gold + predictions)
    return predictions if part == "precision" else gold


def _ratio(shared: FloatArray, size: FloatArray) -> FloatArray:
    """Divide; 0 where there is nothing to divide by."""
    there = size > rounding.SPREAD
    return np.where(there, shared / np.where(there, size, 1.0), 0.0)


_TITLES: dict[Part, str] = {"precision": "precision", "recall": "recall", "f1": "F1"}

NAMES: Names = {
    f"soft_{part}_macro": (
        f"fuzzy {title} of soft labels, every class counting the same",
        partial(SoftMacro, part=part),
    )
    for part, title in _TITLES.items()
}


def _one_class(part: Part, name: str, label: str) -> SoftOneClass:
    return SoftOneClass(name, part, label)


WITH_LABEL: Patterns = {
    f"soft_{part}": (f"fuzzy {title} of one class of soft labels", partial(_one_class, part))
    for part, title in _TITLES.items()
}
