"""What single items say of a candidate: which of them flipped, and whether few lose much."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from bestby._core.text import shortened
from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.inference import exchangeability
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.questions.gate.result import Flip
from bestby.report.comparison import Difference
from bestby.results.base import Note

MOST_FLIPS = 1000
"""Items that a result holds."""

SKEWED = "skewed_differences"
"""The code of the note on few items that lose much, which tests have too."""


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
    ordered = [
        (row, word)
        for rows, word in zip((worse, better), words, strict=True)
        for row in rows[np.argsort(-np.abs(change[rows]), kind="stable")][:MOST_FLIPS].tolist()
    ]
    gold, items = evaluation.gold, evaluation.items
    old, new = evaluation.systems[baseline], evaluation.systems[candidate]
    flips = tuple(
        Flip(
            item=str(row + 1) if items is None else str(items[row]),
            change=word,
            baseline=_value_text(old[row]),
            candidate=_value_text(new[row]),
            gold=None if gold is None else _value_text(gold[row]),
        )
        for row, word in ordered[:MOST_FLIPS]
    )
    return flips, int(worse.size), int(better.size)


def item_values(evaluation: Evaluation, name: str, metric: BaseMetric) -> FloatArray | None:
    """Return a value per item: 1 where a label is right, or what the mean is of; None if there is none."""
    if evaluation.counts is not None:
        return None
    gold, predictions = evaluation.gold, evaluation.systems[name]
    absent = evaluation.missing.get(name)
    if metric.reads == "labels":
        if gold is None or gold.ndim != 1 or predictions.ndim != 1 or evaluation.annotations is not None:
            return None
        same = map(operator.eq, predictions.tolist(), gold.tolist())
        right = np.fromiter(same, dtype=np.float64, count=len(gold))
        return right if absent is None else np.where(absent, 0.0, right)
    if not isinstance(metric, MeanMetric) or metric.reads not in ("numbers", "objects"):
        return None
    if absent is not None or (gold is None and metric.needs_gold) or predictions.ndim != 1:
        return None
    fitted = metric.fit(gold, list(evaluation.systems.values()), None)
    read = evaluation.values_of(name, trials=metric.reads_trials)
    values = np.asarray(fitted.values(gold, read), dtype=np.float64)
    return values if values.shape == (evaluation.n_items,) else None


def _value_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shortened(str(value), 200)


def skewness_notes(evaluation: Evaluation, d: Difference, metric: BaseMetric) -> tuple[Note, ...]:
    """Return a note if few units lose much and most gain a little, as in items that became far worse.

    The bound of a mean is then not low enough: a sample that lacks such units shows neither the loss nor the
    spread. Of metrics that are no means nothing is said, and right and wrong answers have a score interval.
    """
    if metric.reads == "labels":
        return ()
    before, after = (item_values(evaluation, name, metric) for name in (d.b, d.a))
    if before is None or after is None:
        return ()
    gains = after - before if d.greater_is_better else before - after
    if bool(np.isin(gains, (-1.0, 0.0, 1.0)).all()):
        return ()
    if evaluation.clusters is not None:
        codes = np.unique(evaluation.clusters, return_inverse=True)[1]
        gains = np.bincount(codes, weights=gains).astype(np.float64)
    differing, counts = gains[gains != 0.0], np.ones(gains.size, dtype=np.int64)
    if not exchangeability.skewed(gains, counts) or differing.mean() > np.median(differing):
        return ()
    units = "clusters" if evaluation.clusters is not None else "items"
    message = (
        f"few {units} lose much and most do not, so that a sample may lack those that do: a gate with a"
        " margin then passes too often if the loss is the margin (50 such lognormal differences: 12 % at a"
        f" level of 5 %); use more {units} if you can"
    )
    return (Note(SKEWED, message, (d.metric, d.a, d.b)),)
