"""Labels and a metric: values per item where the metric is a mean, else rows of statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray, IntArray
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.judged import JudgedItems
from bestby.engine import prepare
from bestby.engine.reading import Reading
from bestby.metrics.base import BaseMetric, MeanMetric, Metric
from bestby.metrics.suitability import chosen_metric
from bestby.questions.judged.judged_labels_layout import JudgedLabels
from bestby.questions.judged.result import HUMAN_SCORE
from bestby.results.base import MetricInfo, Note

FEW_OF_CLASS = 10
"""Human labels of a class below which a metric of classes is hardly known from them."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The statistics of S systems against the labels of J judges (all items) and of humans (n of them).

    Parameters
    ----------
    metric : Metric
        The metric, fitted to all labels.
    judge : tuple of tuple of ndarray, shape (N, k)
        By judge and system.
    human : tuple of ndarray, shape (n, k)
        By system, of the labelled items.
    labelled : ndarray of int, shape (n,)
        The positions of these among all items.
    """

    metric: Metric
    judge: tuple[tuple[FloatArray, ...], ...]
    human: tuple[FloatArray, ...]
    labelled: IntArray


@dataclass(frozen=True, eq=False)
class Scored:
    """What is compared: scores of the items, or `parts` with scores of which only the places count."""

    metric: MetricInfo
    items: JudgedItems
    parts: Parts | None = None
    notes: tuple[Note, ...] = ()


def plain(items: JudgedItems, metric: Any, greater: bool | None) -> Scored:
    """Return scores that need no metric."""
    if metric is not None:
        raise InvalidInputError(
            "metric compares predictions with labels, and these are scores",
            hint="leave out metric, or give labels of judge and humans, and predictions of each system:"
            " predictions={'a': [...], ...}, in a file columns prediction[a], ...",
            argument="metric",
        )
    return Scored(MetricInfo(HUMAN_SCORE, greater is None or greater, (-math.inf, math.inf)), items)


def scored(labels: JudgedLabels, metric: Any, greater: bool | None) -> Scored:
    """Return the scores of predictions by a metric, against the labels of judges and of humans."""
    labelled = np.flatnonzero([value is not None for value in labels.human.tolist()])
    n_judges, n = len(labels.judges), len(labels.judge)
    if labelled.size == 0:
        raise DesignError("there are no human labels", hint="label some of the items")
    golds = [*labels.judge.T.ravel().tolist(), *labels.human[labelled].tolist()]
    evaluation = Evaluation.of(
        {
            name: [*(values.tolist() * n_judges), *values[labelled].tolist()]
            for name, values in zip(labels.names, labels.predictions.T, strict=True)
        },
        golds,
    )
    chosen, evaluation = chosen_metric(metric, evaluation, greater)
    own = _of_sums(chosen)
    fitted, rows = prepare.statistics_of(evaluation, own)
    info = MetricInfo(own.name, own.greater_is_better, own.bounds)
    of_judge = tuple(
        tuple(one[place * n : (place + 1) * n] for one in rows) for place in range(n_judges)
    )  # fmt: skip
    of_human = tuple(one[n_judges * n :] for one in rows)
    notes = (*evaluation.notes, *_on_classes(evaluation, own, n_judges * n))
    if isinstance(own, MeanMetric):
        values = np.stack([[one[:, 0] for one in systems] for systems in of_judge])
        human = np.full((n, len(rows)), np.nan)
        human[labelled] = np.stack([one[:, 0] for one in of_human], axis=1)
        return Scored(info, _items(labels, values.transpose(2, 1, 0), human), None, notes)
    _check_varied(labels, labelled, own.name)
    places = np.full((n, len(rows)), np.nan)
    places[labelled] = 0.0
    items = _items(labels, np.zeros((n, len(rows), n_judges)), places)
    return Scored(info, items, Parts(fitted, of_judge, of_human, labelled), notes)


def _of_sums(metric: BaseMetric) -> Metric:
    """Return the metric, if it is a function of sums."""
    if not isinstance(metric, Metric):
        raise DesignError(
            f"{metric.name} is not a function of sums over the items, in which labels could be weighted",
            hint="choose such a metric: f1_macro, matthews_corrcoef, pearson",
        )
    return metric


def _items(labels: JudgedLabels, judge: FloatArray, human: FloatArray) -> JudgedItems:
    """Return scores of the items, beside what else is known of these."""
    known = (~np.isnan(human)).astype(np.int64)
    return JudgedItems(
        labels.names, labels.judges, judge, human, known, np.full(human.shape, np.nan),
        ids=labels.ids, columns=labels.columns, clusters=labels.clusters, strata=labels.strata,
        description=labels.description,
    )  # fmt: skip


def _check_varied(labels: JudgedLabels, labelled: IntArray, name: str) -> None:
    """Refuse human labels that are all the same."""
    found = set(labels.human[labelled].tolist())
    if len(found) == 1:
        raise DesignError(
            f"all human labels are {quoted(next(iter(found)))}, so that {name} is not known from them",
            hint="label more items, until there are others too",
        )


def _on_classes(evaluation: Evaluation, metric: Metric, first_human: int) -> list[Note]:
    """Return which classes have no human label, or hardly any; refuse labels that are spelt otherwise."""
    if metric.reads != "labels":
        return []
    names, gold, _ = Reading(evaluation).labels
    if not np.intersect1d(gold[:first_human], gold[first_human:]).size:
        of_judge, of_human = (quoted(str(names[one])) for one in (gold[0], gold[first_human]))
        raise InvalidInputError(
            f"judge and humans have no label in common: {of_judge} and {of_human}, for example",
            hint="spell the labels of both alike",
        )
    if isinstance(metric, MeanMetric):
        return []
    used = np.bincount(gold, minlength=names.size) > 0
    counts = np.bincount(gold[first_human:], minlength=names.size)
    absent = [str(name) for name in names[used & (counts == 0)].tolist()]
    few = [str(name) for name in names[(counts > 0) & (counts < FEW_OF_CLASS)].tolist()]
    notes = []
    if absent:
        notes.append(
            Note(
                "class_without_labels",
                f"no human label is {', '.join(map(quoted, absent))}, though the judge uses it: the labels do"
                f" not tell how {metric.name} would change with items of this class",
            )
        )
    if few:
        notes.append(
            Note(
                "few_of_class",
                f"fewer than {FEW_OF_CLASS} human labels are {', '.join(map(quoted, few))}: intervals of"
                f" {metric.name} may be too short",
            )
        )
    return notes
