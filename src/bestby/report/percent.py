"""Results in percent, for writers for people: JSON, CSV and frames stay on the scale of the metric."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.text import quoted
from bestby.metrics.registry import resolve
from bestby.report.comparison import Difference
from bestby.report.document import kind_of
from bestby.report.pairs import Differences, Pairs, parts_of
from bestby.results.base import MetricInfo
from bestby.results.values import Interval

HUNDRED = 100.0
NAMED = " (%)"
"""What the names of metrics in percent end with."""

_ON_SCALE = (
    "score", "score_a", "score_b", "scores", "runs", "estimate", "difference", "effect", "interval",
    "equivalence_interval", "low", "high", "equivalence", "standard_error", "margin", "optimality_gap",
    "behind", "gap_interval", "if_calibrated", "mean", "mean_difference", "mean_error", "tau",
)  # fmt: skip
"""The fields of records of scores, differences and items that are on the scale of the metric."""


def in_percent(result: Any) -> Any:
    """Return a result whose scores and differences are in percent, and its metrics named so.

    Metrics on another scale stay as they are. What has no scale, such as ranks and p-values, stays too.

    Raises
    ------
    InvalidInputError
        If no metric is a share (bounded by -1 and 1), or if there is a margin and not all of them are.
    """
    report = kind_of(result)
    changes_of = getattr(report, "changes_in_percent", None)
    if changes_of is None:
        why = getattr(report, "NO_PERCENT", f"a {type(result).__name__} has no scores of systems")
        raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")
    metrics = _metrics(result)
    names = {metric.name: f"{metric.name}{NAMED}" for metric in metrics if _is_share(result, metric)}
    _check(result, metrics, names)
    changed = changes_of(result, names)
    if getattr(result, "_items", None) is not None:
        changed["_items"] = result._items.shown_in_percent(names)
    return dataclasses.replace(result, **changed)


def scale_of(metric: MetricInfo) -> float:
    """Return by how much the scores of a metric were multiplied: 100 in percent, else 1."""
    return HUNDRED if unit_of(metric) else 1.0


def unit_of(metric: MetricInfo) -> str:
    """Return what the names of other numbers on the scale of a metric end with: nothing, or as its own."""
    return NAMED if metric.name.endswith(NAMED) else ""


def as_measured(difference: Difference, scale: float) -> Difference:
    """Return a difference on the scale of its metric, from one that was multiplied."""
    return difference if scale == 1.0 else multiplied(difference, 1.0 / scale)


def _is_share(result: Any, metric: MetricInfo) -> bool:
    """Return whether a metric is bounded by -1 and 1; where nothing bounds it, whether its scores are."""
    low, high = metric.bounds
    if math.isfinite(low) or math.isfinite(high):
        return low >= -1.0 and high <= 1.0
    return not any(abs(score) > 1.0 for score in _scores(result, metric.name))


def _metrics(result: Any) -> Sequence[MetricInfo]:
    """Return the metrics of a result; those of a gate, which has their names alone, as they are known."""
    if hasattr(result, "metric"):
        return (result.metric,)
    if hasattr(result, "metrics"):
        return tuple(result.metrics)
    return tuple(MetricInfo(d.metric, d.greater_is_better, _bounds(d.metric)) for d in result.differences)


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
    if first.bounds == (0.0, HUNDRED):
        why = f"{quoted(first.name)} has a scale from 0 to 100 already"
    else:
        why = f"{quoted(first.name)} is not bounded by 0 and 1, nor by -1 and 1"
    if names:
        why += ", and the margin is for all metrics"
    raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")


def changes(result: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what changes in a comparison that has a score per metric and system."""
    return {
        "metrics": renamed_metrics(result, names),
        "systems": renamed(result.systems, names),
        "omnibus": renamed(result.omnibus, names),
        "differences": multiplied_differences(result.differences, names),
        "margin": times_hundred(result.margin),
    }


def changes_of_one_metric(result: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what changes in a comparison over datasets or folds."""
    return {
        "metric": dataclasses.replace(result.metric, name=names[result.metric.name]),
        "scores": times_hundred(result.scores),
        "means": times_hundred(result.means),
        "within": {place: multiplied_differences(inner, names) for place, inner in result.within.items()},
        "differences": multiplied_differences(result.differences, names),
        "margin": times_hundred(result.margin),
    }


def renamed_metrics(result: Any, names: Mapping[str, str]) -> tuple[MetricInfo, ...]:
    """Return the metrics of a result, shares under their new names."""
    return tuple(
        dataclasses.replace(metric, name=names.get(metric.name, metric.name)) for metric in result.metrics
    )


def around_differences(entries: Iterable[Any], names: Mapping[str, str]) -> tuple[Any, ...]:
    """Return records that hold a difference, those of shares in percent."""
    return tuple(_scaled_around(one, names) if one.difference.metric in names else one for one in entries)


def _scaled_around(entry: Any, names: Mapping[str, str]) -> Any:
    (difference,) = renamed((entry.difference,), names)
    shown = multiplied(entry, fields=("margin", "detectable", "shrunken", "fail_bound"))
    changes = {"metric": difference.metric} if hasattr(entry, "metric") else {}
    return dataclasses.replace(shown, difference=difference, **changes)


def multiplied_differences(
    differences: Sequence[Difference], names: Mapping[str, str]
) -> Sequence[Difference]:
    """Return differences, those of shares in percent; those of many as their columns."""
    if not isinstance(differences, Differences):
        return renamed(differences, names)
    return Differences(
        tuple(
            renamed((part,), names)[0] if isinstance(part, Pairs) else renamed(part, names)
            for part in parts_of(differences)
        )
    )


def renamed(entries: Iterable[Any], names: Mapping[str, str]) -> tuple[Any, ...]:
    """Return records of metrics, those of shares in percent and under their new names."""
    return tuple(
        dataclasses.replace(multiplied(entry), metric=names[entry.metric]) if entry.metric in names else entry
        for entry in entries
    )


def multiplied(entry: Any, by: float = HUNDRED, fields: Sequence[str] = _ON_SCALE) -> Any:
    """Return a record some of whose fields, where it has them, are multiplied."""
    changes = {name: times_hundred(getattr(entry, name), by) for name in fields if hasattr(entry, name)}
    return dataclasses.replace(entry, **changes)


def times_hundred(value: Any, by: float = HUNDRED) -> Any:
    """Return a number, an interval, an array or a tuple of these, multiplied; None and names stay."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return dataclasses.replace(value, low=value.low * by, high=value.high * by)
    return tuple(times_hundred(part, by) for part in value) if isinstance(value, tuple) else value * by
