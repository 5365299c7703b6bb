"""Metrics of items with any number of labels each."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, FloatArray
from bestby.data.roles import listed
from bestby.metrics._items import marked, required_gold
from bestby.metrics.base import MeanMetric, Metric, Names
from bestby.metrics.classification import fraction, ratio


@dataclass(frozen=True, repr=False)
class MicroF1(Metric):
    """F1 over all decisions, an item and a label each.

    An item is a set of labels, which may be empty; 0/0 counts as 0, as in scikit-learn.
    """

    name: str = "multilabel_f1_micro"
    bounds = (0.0, 1.0)
    reads = "objects"
    label_sets: ClassVar[bool] = True
    empty: ClassVar[Any] = frozenset()

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return how many labels are right, predicted, and in the gold, per item, shape (n, 3)."""
        return _sizes(self.name, gold, predictions)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return F1."""
        return ratio(*fraction("f1", *np.moveaxis(totals, -1, 0)))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if there are no labels."""
        if totals[1] + totals[2] > 0.0:
            return None
        return f"{self.name} is 0/0 (no item has a label) and counts as 0"


@dataclass(frozen=True, repr=False)
class MacroF1(Metric):
    """F1 of every label, averaged plainly.

    An item is a set of labels. The average is over all labels where these are known: the columns of a matrix
    of 0 and 1, or the classes; one of which the gold has no item counts as 0, as in scikit-learn. Otherwise
    it is over the labels of the gold of all items. One that a resample lacks counts as 0 there. Predicted
    labels that the gold does not have are then not counted: a single one would otherwise lower the score by a
    whole class. scikit-learn counts them by default, and gives this score for ``labels=`` the labels of the
    gold.
    """

    name: str = "multilabel_f1_macro"
    labels: tuple[Any, ...] = ()
    caution: str | None = None
    bounds = (0.0, 1.0)
    reads = "objects"
    label_sets: ClassVar[bool] = True
    empty: ClassVar[Any] = frozenset()

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the labels fixed."""
        required_gold(gold, self.name, "gold labels")
        due: set[Any] = set()
        predicted: set[Any] = set()
        for system in systems:
            for ours, theirs in _sets(self.name, gold, system):
                due |= ours
                predicted |= theirs
        if not due:
            raise InvalidInputError(
                f"{self.name} averages over the labels of the gold, but no item of the gold has one",
                hint="name a metric that needs none, such as metric='subset_accuracy'",
            )
        if labels is not None:
            return dataclasses.replace(self, labels=tuple(labels.tolist()))
        caution = None
        if predicted - due:
            others = listed(sorted(map(repr, predicted - due)), 5)
            caution = (
                f"{self.name} averages over the labels of the gold; predictions of other labels ({others})"
                " are not counted, though scikit-learn counts them by default, as does multilabel_f1_micro"
            )
        return dataclasses.replace(self, labels=tuple(sorted(due, key=str)), caution=caution)

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:
        """Return per label whether it is right; then whether it is predicted; then whether it is due."""
        width = len(self.labels)
        column = {label: place for place, label in enumerate(self.labels)}
        rows = np.zeros((len(predictions), 3 * width))
        for row, (ours, theirs) in zip(rows, _sets(self.name, gold, predictions), strict=True):
            for block, side in enumerate((ours & theirs, theirs, ours)):
                for label in side:
                    if label in column:
                        row[block * width + column[label]] = 1.0
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean over the labels."""
        return np.asarray(ratio(*fraction("f1", *np.split(totals, 3, axis=-1))).mean(axis=-1))

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the labels whose F1 is 0/0."""
        _, predicted, due = np.split(totals, 3)
        empty = predicted + due == 0.0
        if not empty.any():
            return None
        labels = marked(self.labels, empty)
        return f"f1 of {labels} is 0/0 (neither in the gold nor predicted) and counts as 0 in {self.name}"


@dataclass(frozen=True, repr=False)
class SamplesF1(MeanMetric):
    """The mean over the items of the F1 of their sets of labels.

    One without labels in gold and prediction counts as 0, as in scikit-learn.
    """

    name: str = "multilabel_f1_samples"
    bounds = (0.0, 1.0)
    reads = "objects"
    label_sets: ClassVar[bool] = True
    empty: ClassVar[Any] = frozenset()

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return F1 of each item."""
        return ratio(*fraction("f1", *_sizes(self.name, gold, predictions).T))


@dataclass(frozen=True, repr=False)
class SubsetAccuracy(MeanMetric):
    """The proportion of items that have exactly the set of labels of the gold."""

    name: str = "subset_accuracy"
    bounds = (0.0, 1.0)
    reads = "objects"
    label_sets: ClassVar[bool] = True
    binary: ClassVar[bool] = True

    def values(self, gold: Any, predictions: Any) -> FloatArray:
        """Return 1 for each item with the labels of the gold, 0 for each other."""
        same = [ours == theirs for ours, theirs in _sets(self.name, gold, predictions)]
        return np.array(same, dtype=np.float64)


def _sets(metric: str, gold: Any, predictions: Any) -> Iterator[tuple[frozenset[Any], frozenset[Any]]]:
    """Yield the labels of the gold and the prediction of every item."""
    for place, (ours, theirs) in enumerate(zip(gold, predictions, strict=True)):
        yield (
            _labels(metric, ours, f"item {place} of the gold"),
            _labels(metric, theirs, f"item {place} of the predictions"),
        )


def _labels(metric: str, item: Collection[Any], where: str) -> frozenset[Any]:
    if isinstance(item, frozenset):
        return item
    labels = frozenset(item) if isinstance(item, set | list | tuple) and all(map(_is_label, item)) else None
    # A list of 0 and 1 may be the row of a matrix, which the whole column tells: see `data.label_sets`.
    if labels is None or (
        isinstance(item, list | tuple) and (len(labels) < len(item) or (item and labels <= {0, 1}))
    ):
        raise InvalidInputError(
            f"{metric} reads a set of labels per item, but {where} is {quoted(item, 60)}",
            hint="write one label as {'a'} and none as set(); bestby.read(..., label_sets=True) and"
            " Evaluation.of(..., label_sets=True) make sets of lists and of rows of 0 and 1",
        )
    return labels


def _is_label(label: Any) -> bool:
    return isinstance(label, str | int)


def _sizes(metric: str, gold: Any, predictions: Any) -> FloatArray:
    rows = [(len(a & b), len(b), len(a)) for a, b in _sets(metric, gold, predictions)]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


NAMES: Names = {
    "multilabel_f1_micro": ("F1 of sets of labels, over all decisions", MicroF1),
    "multilabel_f1_macro": ("F1 of sets of labels, every label counting the same", MacroF1),
    "multilabel_f1_samples": ("F1 of sets of labels, mean over items", SamplesF1),
    "subset_accuracy": ("proportion of items with exactly the right set of labels", SubsetAccuracy),
}
