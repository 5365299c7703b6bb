"""Results in percent, for writers for people: JSON, CSV and frames stay on the scale of the metric."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bestby._core.errors import BestbyError, InvalidInputError
from bestby._core.text import quoted
from bestby.metrics.registry import resolve
from bestby.report.comparison import Difference
from bestby.report.document import kind_of
from bestby.results.base import MetricInfo, Provenance
from bestby.results.values import Interval

HUNDRED = 100.0
NAMED = " (%)"
"""What the names of metrics in percent end with."""


def in_percent(result: Any) -> Any:
    """Return a result whose scores and differences are in percent, and its metrics named so.

    Metrics on another scale stay as they are. What has no scale, such as ranks and p-values, stays too.

    Raises
    ------
    InvalidInputError
        If no metric is a share (bounded by -1 and 1), or if there is a margin and not all of them are.
    """
    metrics = _metrics(result)
    without = "" if metrics else f"a {type(result).__name__} has no scores of systems"
    if why := getattr(kind_of(result), "NO_PERCENT", without):
        raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")
    names = {metric.name: f"{metric.name}{NAMED}" for metric in metrics if _is_share(result, metric)}
    _check(result, metrics, names)
    shown = _shown(result, names, getattr(result, "_off_scale", ()))
    if getattr(result, "_items", None) is None:
        return shown
    return dataclasses.replace(shown, _items=result._items.shown_in_percent(names))


def _shown(value: Any, names: Mapping[str, str], off: Collection[str], *, share: bool = True) -> Any:
    """Return a value with all records in it in percent that are of shares; `off` are fields that stay.

    A record says by `_on_scale` which of its fields are on the scale of its metric, and by `_on_square` which
    on its square. A record that names no metric is of that of the record that holds it.
    """
    if isinstance(value, tuple):
        parts = tuple(_shown(part, names, off, share=share) for part in value)
        return value if all(map(operator.is_, parts, value)) else parts
    if isinstance(value, Mapping) and not dataclasses.is_dataclass(value):
        return {key: _shown(part, names, off, share=share) for key, part in value.items()}
    if isinstance(value, MetricInfo):
        return dataclasses.replace(value, name=names.get(value.name, value.name))
    if not dataclasses.is_dataclass(value) or isinstance(value, Provenance):
        return value
    metric = getattr(getattr(value, "difference", value), "metric", None)
    share = metric in names if isinstance(metric, str) else share
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        if not field.init or field.name.startswith("_"):
            continue
        if share and field.name in getattr(value, "_on_scale", ()) and field.name not in off:
            new = multiplied(old)
        elif share and field.name in getattr(value, "_on_square", ()):
            new = multiplied(old, HUNDRED**2)
        elif field.name == "metric" and isinstance(old, str):
            new = names.get(old, old)
        else:
            new = _shown(old, names, off, share=share)
        if new is not old:
            changes[field.name] = new
    return dataclasses.replace(value, **changes) if changes else value  # type: ignore[type-var]


def scale_of(metric: MetricInfo) -> float:
    """Return by how much the scores of a metric were multiplied: 100 in percent, else 1."""
    return HUNDRED if unit_of(metric) else 1.0


def unit_of(metric: MetricInfo) -> str:
    """Return what the names of other numbers on the scale of a metric end with: nothing, or as its own."""
    return NAMED if metric.name.endswith(NAMED) else ""


def as_measured(difference: Difference, scale: float) -> Difference:
    """Return a difference on the scale of its metric, from one that was multiplied."""
    changes = {name: multiplied(getattr(difference, name), 1.0 / scale) for name in difference._on_scale}
    return difference if scale == 1.0 else dataclasses.replace(difference, **changes)


def _is_share(result: Any, metric: MetricInfo) -> bool:
    """Return whether a metric is bounded by -1 and 1; where nothing bounds it, whether its scores are."""
    low, high = metric.bounds
    if math.isfinite(low) or math.isfinite(high):
        return low >= -1.0 and high <= 1.0
    return not any(abs(score) > 1.0 for score in _scores(result, metric.name))


def _metrics(result: Any) -> Sequence[MetricInfo]:
    """Return the metrics of a result; those of a gate, which has their names alone, as they are known."""
    if isinstance(metric := getattr(result, "metric", None), MetricInfo):
        return (metric,)
    if hasattr(result, "metrics"):
        return tuple(result.metrics)
    differences = getattr(result, "differences", ())
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
    if first.bounds == (0.0, HUNDRED):
        why = f"{quoted(first.name)} has a scale from 0 to 100 already"
    else:
        why = f"{quoted(first.name)} is not bounded by 0 and 1, nor by -1 and 1"
    if names:
        why += ", and the margin is for all metrics"
    raise InvalidInputError(f"cannot show percent: {why}", hint="leave out percent")


def multiplied(value: Any, by: float = HUNDRED) -> Any:
    """Return a number, an interval, an array, or several of these, multiplied; None and names stay."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Interval):
        return dataclasses.replace(value, low=value.low * by, high=value.high * by)
    if isinstance(value, Mapping):
        return {key: multiplied(part, by) for key, part in value.items()}
    return tuple(multiplied(part, by) for part in value) if isinstance(value, tuple) else value * by
