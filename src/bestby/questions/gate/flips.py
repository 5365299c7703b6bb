"""The items on which a candidate and its baseline are not equally good, newly wrong ones first."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby._core.text import shortened
from bestby._core.typing import Array, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.questions.gate.result import Flip

MOST_FLIPS = 1000
"""Items that a result holds."""

_LONGEST = 200  # characters of a prediction that is shown


def flipped(
    evaluation: Evaluation, baseline: str, candidate: str, metric: BaseMetric
) -> tuple[tuple[Flip, ...], int, int]:
    """Return the items that became worse and better, and how many of both there are.

    Of labels an item is right or wrong; of metrics that are means it has a value of its own. Other metrics
    say nothing of single items.
    """
    before, after = (item_values(evaluation, name, metric) for name in (baseline, candidate))
    if before is None or after is None:
        return (), 0, 0
    change = (after - before) if metric.greater_is_better else (before - after)
    worse, better = np.flatnonzero(change < 0.0), np.flatnonzero(change > 0.0)
    answers = bool(np.isin(before, (0.0, 1.0)).all() and np.isin(after, (0.0, 1.0)).all())
    words = ("newly wrong", "newly right") if answers else ("worse", "better")
    flips = []
    for rows, word in ((worse, words[0]), (better, words[1])):
        ordered = rows[np.argsort(-np.abs(change[rows]), kind="stable")]
        flips += [_flip(evaluation, int(row), word, baseline, candidate) for row in ordered[:MOST_FLIPS]]
    return tuple(flips[:MOST_FLIPS]), int(worse.size), int(better.size)


def item_values(evaluation: Evaluation, name: str, metric: BaseMetric) -> FloatArray | None:
    """Return a value per item: 1 where a label is right, or what the mean is of; None if there is none."""
    if evaluation.counts is not None:
        return None
    gold, predictions = evaluation.gold, evaluation.systems[name]
    absent = evaluation.missing.get(name)
    if metric.reads == "labels":
        if gold is None or gold.ndim != 1 or predictions.ndim != 1 or evaluation.annotations is not None:
            return None
        right = np.fromiter(
            (one == label for one, label in zip(predictions.tolist(), gold.tolist(), strict=True)),
            dtype=np.float64,
            count=len(gold),
        )
        return right if absent is None else np.where(absent, 0.0, right)
    plain = isinstance(metric, MeanMetric) and metric.reads in ("numbers", "objects")
    if not plain or absent is not None or (gold is None and metric.needs_gold) or predictions.ndim != 1:
        return None
    assert isinstance(metric, MeanMetric)
    fitted = metric.fit(gold, list(evaluation.systems.values()), None)
    read = evaluation.values_of(name, trials=metric.reads_trials)
    values = np.asarray(fitted.values(gold, read), dtype=np.float64)
    return values if values.shape == (evaluation.n_items,) else None


def _flip(evaluation: Evaluation, row: int, word: str, baseline: str, candidate: str) -> Flip:
    items = evaluation.items
    return Flip(
        item=str(row + 1) if items is None else str(items[row]),
        change=word,
        baseline=_value_text(evaluation.systems[baseline], row),
        candidate=_value_text(evaluation.systems[candidate], row),
        gold=None if evaluation.gold is None else _value_text(evaluation.gold, row),
    )


def _value_text(values: Array, row: int) -> str:
    value: Any = values[row]
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shortened(str(value), _LONGEST)
