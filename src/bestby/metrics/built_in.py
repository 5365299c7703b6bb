"""Whether a built-in metric, which needs no calls, has the scores that a function of the user has."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.errors import BestbyError
from bestby._core.typing import Array, IntArray
from bestby.data.evaluation import Evaluation, Streamed
from bestby.metrics._items import shown_label
from bestby.metrics.base import BaseMetric, Metric, WeightedMetric
from bestby.metrics.functions import FunctionMetric
from bestby.metrics.registry import resolve
from bestby.results.base import Note

OF_LABELS = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "f1_weighted",
    "precision_macro",
    "precision_weighted",
    "recall_macro",
    "matthews_corrcoef",
    "cohen_kappa",
)
OF_TWO_LABELS = ("f1", "precision", "recall")
OF_NUMBERS = ("mae", "mse", "rmse", "r2", "pearson", "spearman", "kendall", "roc_auc", "average_precision")
"""The metrics that are tried: of those that always agree, as accuracy and micro-averaged F1, the first."""

ITEMS = 500
"""Items on which scores are compared: more would agree no better, and take longer than a few milliseconds."""


def notes_on_functions(metrics: Sequence[BaseMetric], parts: Collection[Evaluation]) -> list[Note]:
    """Return a note for each function that has the scores of a built-in metric for all systems of all parts.

    Scores that other metrics have, too, tell nothing: two at least must differ from each other, and from 0
    and 1. So do scores that more than two metrics have.
    """
    notes = []
    for metric in metrics:
        names = _same_scores(metric, parts) if isinstance(metric, FunctionMetric) else ()
        if 1 <= len(names) <= 2:
            whole = all(part.n_items <= ITEMS for part in parts)
            name = json.dumps(names[0], ensure_ascii=False)
            turned = resolve(names[0]).greater_is_better != metric.greater_is_better
            message = (
                f"{metric.name} gives the same scores as {' and '.join(names)} on"
                f" {'these data' if whole else f'{ITEMS} of these items'}: if that is what it computes,"
                f" metric={name} takes a fraction of the time"
            )
            if turned:
                better = "lower" if metric.greater_is_better else "higher"
                message += (
                    f", and counts {better} scores as better, which greater_is_better= says of a function"
                )
            notes.append(Note("built_in_metric", message, (metric.name,)))
    return notes


def _same_scores(metric: FunctionMetric, parts: Collection[Evaluation]) -> tuple[str, ...]:
    """Return the metrics of labels, or else of numbers, with the scores of a function."""
    samples = []
    for part in parts:
        unknown = isinstance(part, Streamed) or part.counts is not None or part.missing
        sample = None if unknown else _Sample.of(metric, part)
        if sample is None:
            return ()
        samples.append(sample)
    scores = sorted(one for sample in samples for one in sample.scores if abs(one) not in (0.0, 1.0))
    if not scores or rounding.level(scores[0], scores[-1], abs(scores[-1])):
        return ()
    for names in (samples[0].names_of_labels(), OF_NUMBERS):
        same = tuple(name for name in names if all(sample.agrees(resolve(name)) for sample in samples))
        if same:
            return same
    return ()


@dataclass(frozen=True, eq=False)
class _Sample:
    """Some items of every system, and the scores that a function has on them."""

    gold: Array
    systems: Sequence[Array]
    scores: Sequence[float]

    @classmethod
    def of(cls, metric: FunctionMetric, part: Evaluation) -> _Sample | None:
        """Return items throughout the data; None if they are few, no single values, or have no score."""
        gold, systems = part.gold, list(part.systems.values())
        # Items from which two scores that agree to the last digits are no coincidence
        if gold is None or part.n_items < 20:
            return None
        if any(one.ndim != 1 or one.dtype.kind not in "biufU" for one in (gold, *systems)):
            return None
        size = min(part.n_items, ITEMS)
        places = np.arange(size) * part.n_items // size
        gold, systems = gold[places], [one[places] for one in systems]
        try:
            scores = [metric(gold, one) for one in systems]
        except Exception:  # the user's function may raise anything, which the comparison reports
            return None
        return cls(gold, systems, scores) if np.isfinite(scores).all() else None

    @cached_property
    def _coded(self) -> tuple[Array, list[IntArray]] | None:
        """The labels of the gold and of all systems, and the position of each item among them."""
        columns = [self.gold, *self.systems]
        if len({one.dtype.kind == "U" for one in columns}) == 2:  # words and numbers
            return None
        labels, codes = np.unique(np.concatenate(columns), return_inverse=True)
        # Distinct values above which they are no labels
        return (labels, np.split(codes.reshape(-1), len(columns))) if labels.size <= 100 else None

    def names_of_labels(self) -> list[str]:
        """Return the metrics of labels that are tried: none if the values are no labels."""
        if self._coded is None:
            return []
        labels = self._coded[0].tolist()
        one_class = [f"{stem}[{shown_label(label)}]" for stem in OF_TWO_LABELS for label in labels]
        return [*OF_LABELS, *(one_class if len(labels) == 2 else ())]

    def agrees(self, metric: BaseMetric) -> bool:
        """Return whether a metric has the same scores, up to rounding."""
        labels, gold, systems = None, self.gold, self.systems
        if metric.reads == "labels":
            if self._coded is None:
                return False
            labels, (gold, *systems) = self._coded
        elif metric.reads == "numbers":
            if any(one.dtype.kind == "U" for one in (gold, *systems)):
                return False
            gold, *systems = (one.astype(np.float64) for one in (gold, *systems))
        try:
            fitted = metric.fit(gold, systems, labels)
            return all(
                rounding.level(_score(fitted, gold, one), score, abs(score))
                for one, score in zip(systems, self.scores, strict=True)
            )
        except (BestbyError, ArithmeticError):  # it does not suit these values
            return False


def _score(metric: BaseMetric, gold: Array, predictions: Array) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if isinstance(metric, Metric):
            return float(metric.score(metric.statistics(gold, predictions).sum(axis=0)))
        assert isinstance(metric, WeightedMetric)  # no function is tried
        prepared = metric.prepare(gold, predictions)
        return float(metric.weighted(prepared, np.ones((1, gold.size), dtype=np.int32))[0])
