"""What single items say of a candidate: which of them flipped, and whether few lose much."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bestby._core.text import shortened
from bestby._core.typing import Array, BoolArray, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.inference import exchangeability
from bestby.metrics.base import BaseMetric, MeanMetric
from bestby.questions.gate.result import OF_ANSWERS, OF_SCORES, Flip, GateCheck, by_risk
from bestby.report.comparison import Difference
from bestby.results.base import Note

MOST_FLIPS = 1000
"""Items that a result holds."""

SKEWED = "skewed_differences"
"""The code of the note on few items that lose much, which tests have too."""


class Gains(NamedTuple):
    """By how much the candidate is better on each item, and whether items are right or wrong."""

    values: FloatArray
    answers: bool


def gains_by_metric(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> dict[str, Gains | None]:
    """Return what each item gains by the second of two systems; None where a metric says nothing of items."""
    labels = any(metric.reads == "labels" for metric in metrics)
    answers = _gains(*(_right(evaluation, name) for name in evaluation.names)) if labels else None
    return {
        metric.name: answers
        if metric.reads == "labels"
        else _gains(*_values(evaluation, metric), greater_is_better=metric.greater_is_better)
        for metric in metrics
    }


def _gains(before: Array | None, after: Array | None, *, greater_is_better: bool = True) -> Gains | None:
    if before is None or after is None:
        return None
    answers = bool(np.isin(before, (0.0, 1.0)).all() and np.isin(after, (0.0, 1.0)).all())
    return Gains(after - before if greater_is_better else before - after, answers)


def _right(evaluation: Evaluation, name: str) -> FloatArray | None:
    """Return 1 for each item whose label is right and 0 for others; None where there are no single labels."""
    gold, predictions = evaluation.gold, evaluation.systems[name]
    if evaluation.counts is not None or gold is None or evaluation.annotations is not None:
        return None
    if gold.ndim != 1 or predictions.ndim != 1:
        return None
    same = map(operator.eq, predictions.tolist(), gold.tolist())
    right = np.fromiter(same, dtype=np.float64, count=len(gold))
    absent = evaluation.missing.get(name)
    return right if absent is None else np.where(absent, 0.0, right)


def _values(evaluation: Evaluation, metric: BaseMetric) -> list[FloatArray | None]:
    """Return for both systems what a mean is of; None for other metrics, and where an item lacks it."""
    gold, systems = evaluation.gold, evaluation.systems
    usable = isinstance(metric, MeanMetric) and metric.reads in ("numbers", "objects")
    one_each = all(predictions.ndim == 1 for predictions in systems.values())
    whole = evaluation.counts is None and not any(
        evaluation.missing.get(name) is not None for name in systems
    )
    if not (usable and one_each and whole) or (gold is None and metric.needs_gold):
        return [None, None]
    fitted: Any = metric.fit(gold, list(systems.values()), None)
    read = (evaluation.values_of(name, trials=metric.reads_trials) for name in systems)
    both = [np.asarray(fitted.values(gold, one), dtype=np.float64) for one in read]
    return [values if values.shape == (evaluation.n_items,) else None for values in both]


def flips_by_check(
    evaluation: Evaluation,
    inside: Mapping[str | None, BoolArray | None],
    checks: Sequence[GateCheck],
    gains: Mapping[str, Gains | None],
) -> tuple[Flip, ...]:
    """Return the items that flipped, each under the check most at risk that it flipped in, the worst first.

    `inside` says by the names of the parts which items are in them, None for all.
    """
    rest = np.ones(evaluation.n_rows, dtype=np.bool_)
    by_check: list[tuple[str, Gains, list[int]]] = []
    for check in by_risk(checks):
        gained, rows = gains[check.metric], inside[check.part]
        if gained is not None:
            new = (gained.values != 0.0) & (rest if rows is None else rest & rows)
            rest &= ~new
            places = np.flatnonzero(new)
            worst = places[np.argsort(gained.values[places], kind="stable")]
            by_check += [(check.name, gained, worst.tolist())] if worst.size else []
    return tuple(
        _flip(evaluation, row, gained, name)
        for name, gained, rows in by_check
        for row in rows[: MOST_FLIPS // len(by_check)]
    )


def _flip(evaluation: Evaluation, row: int, gained: Gains, check: str) -> Flip:
    gold, items = evaluation.gold, evaluation.items
    old, new = (_value_text(values[row]) for values in evaluation.systems.values())
    return Flip(
        item=str(row + 1) if items is None else str(items[row]),
        change=(OF_ANSWERS if gained.answers else OF_SCORES)[int(gained.values[row] > 0.0)],
        baseline=old,
        candidate=new,
        gold=None if gold is None else _value_text(gold[row]),
        check=check,
    )


def _value_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shortened(str(value), 200)


def skewness_notes(gains: FloatArray, clusters: Array | None, d: Difference) -> tuple[Note, ...]:
    """Return a note if few units lose much and most gain a little, as in items that became far worse.

    The bound of a mean is then not low enough: a sample that lacks such units shows neither the loss nor the
    spread. Right and wrong answers have a score interval.
    """
    if bool(np.isin(gains, (-1.0, 0.0, 1.0)).all()):
        return ()
    if clusters is not None:
        codes = np.unique(clusters, return_inverse=True)[1]
        gains = np.bincount(codes, weights=gains).astype(np.float64)
    differing, counts = gains[gains != 0.0], np.ones(gains.size, dtype=np.int64)
    if not exchangeability.skewed(gains, counts) or differing.mean() > np.median(differing):
        return ()
    units = "clusters" if clusters is not None else "items"
    message = (
        f"few {units} lose much and most do not, so that a sample may lack those that do: a gate with a"
        " margin then passes too often if the loss is the margin (50 such lognormal differences: 12 % at a"
        f" level of 5 %); use more {units} if you can"
    )
    return (Note(SKEWED, message, (d.metric, d.a, d.b)),)
