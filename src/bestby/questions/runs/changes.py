"""How often the runs of one system disagree on an item."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, BoolArray
from bestby.data.evaluation import Evaluation
from bestby.metrics.base import BaseMetric, MeanMetric


def changing_items(evaluation: Evaluation, metric: BaseMetric, runs: slice) -> float | None:
    """Return the share of items whose outcome is not the same in all runs of a system; None of one run.

    `metric` is fitted to the data. The outcome of an item is its value for means, such as whether an answer
    is right, and the answer itself for other metrics. The share grows with the number of runs.
    """
    names = evaluation.names[runs]
    if len(names) < 2:
        return None
    changes = np.zeros(evaluation.n_rows, dtype=bool)
    first = _outcomes(evaluation, metric, names[0])
    for name in names[1:]:
        changes |= _differ(first, _outcomes(evaluation, metric, name))
    return float(np.average(changes, weights=evaluation.counts))


def _outcomes(evaluation: Evaluation, metric: BaseMetric, name: str) -> Array:
    answers, gold = evaluation.systems[name], evaluation.gold
    single = answers.ndim == 1 and (gold is None or gold.ndim == 1) and metric.reads != "distributions"
    return metric.values(gold, answers) if isinstance(metric, MeanMetric) and single else answers


def _differ(a: Array, b: Array) -> BoolArray:
    if a.shape != b.shape:  # one run gives labels, another one distributions
        return np.ones(len(a), dtype=bool)
    different: BoolArray = np.asarray(a != b, dtype=bool)
    return different if different.ndim == 1 else np.asarray(different.reshape(len(a), -1).any(axis=1))
