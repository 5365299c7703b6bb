"""Results in percent, for writers for people: JSON, CSV and frames stay on the scale of the metric."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.text import quoted
from bestby.metrics.registry import resolve
from bestby.report.comparison import Difference
from bestby.report.document import kind_of
from bestby.report.reported import OF_JUDGE, SCORE
from bestby.results.base import MetricInfo, Note, Provenance
from bestby.results.values import Interval, TestResult

NAMED = " (%)"
"""What the names of metrics in percent end with."""

_SCALES: Mapping[str, float] = {
    **dict.fromkeys(
        (
            "score", "score_a", "score_b", "scores", "runs", "estimate", "difference", "effect", "interval",
            "equivalence_interval", "low", "high", "equivalence", "standard_error", "margin", "means", "mean",
            "mean_error", "tau", "optimality_gap", "gap_interval", "if_calibrated", "detectable", "shrunken",
            "fail_bound", "published_score", "published_low", "published_high", "labels_score", "bias",
            "labels_estimate", "labels_interval", "bias_interval", "sensitivity", "sensitivity_interval",
            "specificity", "specificity_interval", "slope", "behind", "corrected", "mean_difference",
            "runs_interval",
        ),
        SCORE,
    ),
    "judge_score": OF_JUDGE,
    "judge_estimate": OF_JUDGE,
}  # fmt: skip
"""The fields of records that are on the scale of the metric, unless a class has `_scales` of its own."""

_WITHOUT_SCORES = (Interval, TestResult, Note, Provenance)


def in_percent(result: Any) -> Any:
    """Return a result whose scores and differences are in percent, and its metrics named so.

    Metrics on another scale stay as they are. What has no scale, such as ranks and p-values, stays too.

    Raises
    ------
    InvalidInputError
        If no metric is a share (bounded by -1 and 1), or if there is a margin and not all of them are.
    """
    metrics = _metrics(result)
    why = getattr(kind_of(result), "NO_PERCENT", f"a {type(result).__name__} has no scores of systems")
    if not metrics or hasattr(kind_of(result), "NO_PERCENT"):
        raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")
    names = {metric.name: f"{metric.name}{NAMED}" for metric in metrics if _is_share(result, metric)}
    _check(result, metrics, names)
    changed = _scaled(result, names, same=getattr(result, "scale", "same") == "same")
    if getattr(result, "_items", None) is None:
        return changed
    return dataclasses.replace(changed, _items=result._items.shown_in_percent(names))


def _scaled(value: Any, names: Mapping[str, str], *, same: bool) -> Any:
    """Return a value with scores of shares in percent; `same` says whether a judge's are on that scale."""
    if isinstance(value, tuple):
        parts = tuple(_scaled(part, names, same=same) for part in value)
        return value if all(map(operator.is_, parts, value)) else parts
    if isinstance(value, MetricInfo):
        return dataclasses.replace(value, name=names.get(value.name, value.name))
    if isinstance(value, Mapping) and not dataclasses.is_dataclass(value):
        return {key: _scaled(one, names, same=same) for key, one in value.items()}
    metric = getattr(value, "metric", None)
    other = isinstance(metric, str) and metric not in names
    if not dataclasses.is_dataclass(value) or isinstance(value, (type, *_WITHOUT_SCORES)) or other:
        return value
    scales = getattr(value, "_scales", _SCALES)
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        if not field.init or field.name.startswith("_"):
            continue
        old = getattr(value, field.name)
        if field.name == "metric" and isinstance(old, str):
            changes["metric"] = names[old]
        elif field.name not in scales or _is_record(old):
            changes[field.name] = _scaled(old, names, same=same)
        else:
            changes[field.name] = times_hundred(old, scales[field.name] or (SCORE if same else 1.0))
    changes = {name: new for name, new in changes.items() if new is not getattr(value, name)}
    return dataclasses.replace(value, **changes) if changes else value


def _is_record(value: Any) -> bool:
    """Tell whether a value is a record, or records, with scores of its own."""
    one = value[0] if isinstance(value, tuple) and value else value
    return dataclasses.is_dataclass(one) and not isinstance(one, Interval)


def scale_of(metric: MetricInfo) -> float:
    """Return by how much the scores of a metric were multiplied: 100 in percent, else 1."""
    return SCORE if unit_of(metric) else 1.0


def unit_of(metric: MetricInfo) -> str:
    """Return what the names of other numbers on the scale of a metric end with: nothing, or as its own."""
    return NAMED if metric.name.endswith(NAMED) else ""


def as_measured(difference: Difference, scale: float) -> Difference:
    """Return a difference on the scale of its metric, from one that was multiplied."""
    if scale == 1.0:
        return difference
    scaled = {name: getattr(difference, name) for name in _SCALES if hasattr(difference, name)}
    return dataclasses.replace(
        difference, **{name: times_hundred(value, 1.0 / scale) for name, value in scaled.items()}
    )


def _is_share(result: Any, metric: MetricInfo) -> bool:
    """Return whether a metric is bounded by -1 and 1; where nothing bounds it, whether its scores are."""
    low, high = metric.bounds
    if math.isfinite(low) or math.isfinite(high):
        return low >= -1.0 and high <= 1.0
    return not any(abs(score) > 1.0 for score in _scores(result, metric.name))


def _metrics(result: Any) -> Sequence[MetricInfo]:
    """Return the metrics of a result; those of a gate, which has their names alone, as they are known."""
    if isinstance(getattr(result, "metric", None), MetricInfo):
        return (result.metric,)
    if hasattr(result, "metrics"):
        return tuple(result.metrics)
    differences = getattr(result, "differences", ()) if hasattr(result, "checks") else ()
    return tuple(MetricInfo(d.metric, d.greater_is_better, _bounds(d.metric)) for d in differences)


def _bounds(name: str) -> tuple[float, float]:
    """Return the bounds of a metric by its name; none of one that bestby does not know."""
    try:
        return resolve(name).bounds
    except BestbyError:
        return -math.inf, math.inf


def _scores(result: Any, metric: str) -> list[float]:
    """Return the scores of all systems on a metric."""
    if hasattr(result, "published_score"):
        return [result.score, result.published_score]
    if hasattr(result, "metric"):
        return list(result.scores.ravel().tolist())
    if hasattr(result, "systems"):
        return [entry.score for entry in result.systems if entry.metric == metric]
    return [score for d in result.differences if d.metric == metric for score in (d.score_a, d.score_b)]


def _check(result: Any, metrics: Sequence[MetricInfo], names: Mapping[str, str]) -> None:
    others = [metric for metric in metrics if metric.name not in names]
    if names and (not others or getattr(result, "margin", None) is None):
        return
    first = others[0]
    if first.bounds == (0.0, SCORE):
        why = f"{quoted(first.name)} has a scale from 0 to 100 already"
    else:
        why = f"{quoted(first.name)} is not bounded by 0 and 1, nor by -1 and 1"
    if names:
        why += ", and the margin is for all metrics"
    raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")


def times_hundred(value: Any, by: float = SCORE) -> Any:
    """Return a number, an interval, an array or a tuple of these, multiplied; None and names stay."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return dataclasses.replace(value, low=value.low * by, high=value.high * by)
    if isinstance(value, Mapping):
        return {key: times_hundred(part, by) for key, part in value.items()}
    return tuple(times_hundred(part, by) for part in value) if isinstance(value, tuple) else value * by
