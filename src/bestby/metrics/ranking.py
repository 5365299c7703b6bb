"""Metrics of how well scores rank the positive items above the negative ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import codes, is_plain
from bestby.data.evaluation import Evaluation
from bestby.metrics import _rank_groups, _rank_swaps, _rank_weights
from bestby.metrics._items import required_gold
from bestby.metrics._label_names import named_label, say_which_is_positive, shown_label
from bestby.metrics._ranked import Ranking, RankMetric, sorted_with_ties, totals_to_group_ends
from bestby.metrics.base import Names, Patterns
from bestby.metrics.derivatives import WeightDerivatives
from bestby.results.base import Note


@dataclass(frozen=True, repr=False)
class _BinaryRanking(RankMetric):
    """What `RocAuc` and `AveragePrecision` share: which items are positive, and the sort.

    `label` is the positive label; all others are negative. Without one, the gold must hold two labels, and
    the one that sorts last is positive. `fit` sets the other of two as `negative`, and the `share` of the
    items that are positive.
    """

    name: str = ""
    label: str | None = None
    positive: Any = None
    negative: Any = None
    share: float = math.nan
    bounds = (0.0, 1.0)
    reads = "raw"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the positive label fixed."""
        for predictions in systems:
            _check_scores(self.name, predictions)
        positive, *others = self._positive(gold)
        negative = others[0] if len(others) == 1 else None
        return dataclasses.replace(
            self, positive=positive, negative=negative, share=float(np.mean(gold == positive))
        )

    def _positive(self, gold: Array | None) -> list[Any]:
        """Return the labels of the gold, the positive one first."""
        labels: list[Any] = codes(required_gold(gold, self.name, "gold labels"))[0].tolist()
        if len(labels) < 2:
            raise InvalidInputError(
                f"{self.name} needs positive and negative items, but every gold label is {labels[0]!r}",
            )
        if self.label is not None:
            return [labels.pop(named_label(self.label, labels, self.name)), *labels]
        if len(labels) > 2:
            shown = ", ".join(repr(label) for label in labels[:5]) + (", ..." if len(labels) > 5 else "")
            raise InvalidInputError(
                f"{self.name} needs two gold labels, got {len(labels)}: {shown}",
                hint=f"name the positive one, as in {self.name}[{labels[-1]}]; all others are negative then",
            )
        return labels[::-1]

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on the class that is taken as positive, where neither name nor gold says which."""
        gold = evaluation.gold
        if self.label is not None or gold is None or not is_plain(gold):
            return []
        labels = evaluation.codes_of("")[0].tolist()  # of the gold alone: scores are mostly all different
        if len(labels) != 2 or say_which_is_positive(labels):
            return []
        lesser, greater = labels
        other = f"{self.name}[{shown_label(lesser)}]"
        message = (
            f"{self.name} takes {greater!r}, the label that sorts last, as the positive class, so that the"
            f" higher a number, the surer it is of {greater!r}; if the numbers are those of {lesser!r}, name"
            f' metric="{other}" (--metric "{other}")'
        )
        return [Note("positive_class", message, (self.name,))]

    def prepare(self, gold: Array, predictions: Array) -> Ranking:
        """Sort the items by score, once."""
        _check_scores(self.name, predictions)
        positive = self._positive(gold)[0] if self.positive is None else self.positive
        order, last = sorted_with_ties(predictions)
        first = np.concatenate([[True], last[:-1]])  # read backwards, a group ends where it began
        order = np.ascontiguousarray(order[::-1])
        return Ranking(order, (gold[order] == positive).astype(np.uint8), np.ascontiguousarray(first[::-1]))


class RocAuc(_BinaryRanking):
    """Area under the ROC curve: the probability that a positive item outranks a negative one, ties half.

    Undefined (NaN) on a resample without positive or without negative items (Hanley & McNeil 1982, Radiology
    143, 29-36).

    >>> metric = RocAuc("roc_auc")
    >>> ranking = metric.prepare(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.4, 0.8]))
    >>> metric.weighted(ranking, np.array([[1, 1, 1, 1], [0, 2, 2, 0]]))
    array([0.875, 0.5  ])
    """

    def _vectorised(self, prepared: Ranking, counts: Array) -> FloatArray:
        in_order = counts.take(prepared.order, axis=1)
        positive = in_order * prepared.positive
        above, before = totals_to_group_ends(positive, prepared.last)
        in_order -= positive
        if prepared.last.all():
            negatives, doubled = in_order, 2.0 * np.einsum("rg,rg->r", in_order, above)
        else:
            up_to, up_to_before = totals_to_group_ends(in_order, prepared.last)
            negatives = up_to - up_to_before
            doubled = np.einsum("rg,rg->r", negatives, above + before)
        pairs = above[:, -1] * negatives.sum(axis=1, dtype=np.int64)
        return np.where(pairs > 0, doubled / (2.0 * np.maximum(pairs, 1)), np.nan)

    def swap_effects(self, prepared: Ranking) -> FloatArray:
        """Return the placements; see `RankMetric`."""
        return _rank_swaps.roc_auc(prepared)

    def derivatives(self, prepared: Ranking) -> WeightDerivatives:
        """Return the derivatives by the weights of the items, from their placements."""
        of_groups = partial(_rank_groups.roc_auc, prepared)
        return dataclasses.replace(_rank_weights.roc_auc(prepared), second_of_groups=of_groups)


class AveragePrecision(_BinaryRanking):
    """Average precision: the precision at each threshold, weighted by the recall it adds.

    Tied scores share one threshold and nothing is interpolated, as in scikit-learn. Undefined (NaN) on a
    resample without positive items.

    >>> metric = AveragePrecision("average_precision")
    >>> ranking = metric.prepare(np.array([0, 1, 1]), np.array([0.6, 0.4, 0.8]))
    >>> metric.weighted(ranking, np.array([[1, 1, 1]])).round(4)
    array([0.8333])
    """

    def _vectorised(self, prepared: Ranking, counts: Array) -> FloatArray:
        items, last, ends = prepared.thresholds
        in_order = counts.take(prepared.order, axis=1)
        up_to = np.cumsum(in_order.take(items, axis=1), axis=1, dtype=np.int64)[:, last].astype(np.float64)
        everything = np.cumsum(in_order, axis=1, dtype=np.int64).take(ends, axis=1)
        shares = up_to / np.maximum(everything, 1)
        number = up_to[:, -1]
        shares *= np.diff(up_to, axis=1, prepend=0.0)
        area = shares.sum(axis=1)
        return np.where(number > 0, area / np.maximum(number, 1), np.nan)

    def derivatives(self, prepared: Ranking) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        of_groups = partial(_rank_groups.average_precision, prepared)
        return dataclasses.replace(_rank_weights.average_precision(prepared), second_of_groups=of_groups)


def _check_scores(name: str, predictions: Array) -> None:
    if predictions.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{name} needs numeric predictions, got text: {str(predictions[0])!r}",
            hint="pass the scores the labels were decided by, such as the probability of the positive class",
        )


NAMES: Names = {
    "roc_auc": ("area under the ROC curve; the greater gold label is positive", RocAuc),
    "average_precision": (
        "average precision; the greater gold label is positive",
        AveragePrecision,
    ),
}

WITH_LABEL: Patterns = {
    "roc_auc": ("area under the ROC curve of one class against the others", RocAuc),
    "average_precision": ("average precision of one class against the others", AveragePrecision),
}

SUGGESTIONS = {"ap": "average_precision", "auc": "roc_auc", "auroc": "roc_auc"}
