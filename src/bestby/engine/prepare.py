"""From an evaluation and metrics to groups the engine can resample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, FloatArray, IntArray
from bestby.engine import table
from bestby.engine.base import Group
from bestby.engine.sums import SumGroup
from bestby.engine.weighted import CallGroup, WeightGroup, numbered_units
from bestby.evaluation import Evaluation, codes
from bestby.metrics.base import BaseMetric, FunctionMetric, MeanMetric, Metric, WeightedMetric

T = TypeVar("T")


class Reading:
    """The data of an evaluation in the forms metrics read; each form is made once, when first asked for.

    Parameters
    ----------
    evaluation : Evaluation
        The data.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.clusters = None if evaluation.clusters is None else _as_codes(codes(evaluation.clusters)[1])
        self.strata = None if evaluation.strata is None else _as_codes(codes(evaluation.strata)[1])

    @cached_property
    def labels(self) -> tuple[Array, IntArray, list[IntArray]]:
        """The sorted label set, the codes of the gold, and the codes of each system (-1: missing)."""
        gold = self.evaluation.gold
        if gold is None:
            raise DesignError("labels need a gold")
        _check_kinds(self.evaluation.systems, gold)
        coded = [self.evaluation.coded[name] for name in ("", *self.evaluation.names)]
        present = [coded[0][0]]
        for (values, code), name in zip(coded[1:], self.evaluation.names, strict=True):
            absent = self.evaluation.missing.get(name)
            present.append(values if absent is None else values[np.unique(code[~absent])])
        labels = np.unique(np.concatenate(present))
        out = []
        for (values, code), name in zip(coded, ("", *self.evaluation.names), strict=True):
            place = np.minimum(np.searchsorted(labels, values), labels.size - 1)
            place = np.where(labels[place] == values, place, -1)
            recoded = _as_codes(code) if values.size == labels.size else place[code]
            absent = self.evaluation.missing.get(name)
            out.append(recoded if absent is None else np.where(absent, -1, recoded))
        return labels, out[0], out[1:]

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """One position per distinct joint row of labels, and how many items have it."""
        labels, gold, systems = self.labels
        # A missing prediction (-1) takes a code of its own, in the systems that have one.
        shifts = [0, *(int(name in self.evaluation.missing) for name in self.evaluation.names)]
        columns = [
            codes + shift if shift else codes for codes, shift in zip([gold, *systems], shifts, strict=True)
        ]
        return table.collapsed(columns, [labels.size + shift for shift in shifts], self.strata)

    def raw(self, metric: BaseMetric) -> tuple[Array | None, list[Array]]:
        """Return the values as given."""
        if self.evaluation.missing:
            raise DesignError(
                f"a missing prediction has no worst value for {metric.name}",
                hint='pass on_missing="drop"',
            )
        return self.evaluation.gold, list(self.evaluation.systems.values())

    def numbers(self, metric: BaseMetric) -> tuple[FloatArray | None, list[FloatArray]]:
        """Return gold and systems as floats; a missing score is the worst observed one."""
        gold = self.evaluation.gold
        if gold is not None and metric.needs_gold:
            self.raw(metric)  # refuses missing predictions
        out = []
        for name, values in self.evaluation.systems.items():
            out.append(_as_floats(values, f"system {name!r}", metric))
        if self.evaluation.missing:
            observed = [
                x[~self.evaluation.missing[name]] if name in self.evaluation.missing else x
                for name, x in zip(self.evaluation.names, out, strict=True)
            ]
            worst = (
                min(x.min() for x in observed) if metric.greater_is_better else max(x.max() for x in observed)
            )
            out = [
                np.where(self.evaluation.missing[name], worst, x) if name in self.evaluation.missing else x
                for name, x in zip(self.evaluation.names, out, strict=True)
            ]
        return None if gold is None else _as_floats(gold, "the gold", metric), out


def _check_kinds(systems: Mapping[str, Array], gold: Array) -> None:
    """Refuse text against numbers where labels are compared: nothing would ever match.

    Measures of ranks and functions of the user's own may well take numbers against labels of text.
    """
    for name, array in systems.items():
        if (array.dtype.kind == "U") != (gold.dtype.kind == "U"):
            kinds = ("text", "numbers") if array.dtype.kind == "U" else ("numbers", "text")
            raise InvalidInputError(
                f"system {name!r} holds {kinds[0]}, the gold {kinds[1]}: no label could match",
                hint="give both one type, for example with str()",
            )


def _as_codes(code: Array) -> IntArray:
    """Return codes as ordinary integers, which metrics may do sums with."""
    return code.astype(np.int64)


def _as_floats(values: Array, what: str, metric: BaseMetric) -> FloatArray:
    if values.dtype.kind == "U":
        raise InvalidInputError(
            f"metric {metric.name} needs numbers, but {what} holds text: {str(values[0])!r}",
            hint="choose a metric for labels, such as accuracy or f1_macro",
        )
    return values.astype(np.float64)


def groups(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> list[tuple[Group, list[int]]]:
    """Fit the metrics and put them into groups that are resampled together.

    Parameters
    ----------
    evaluation : Evaluation
        The data.
    metrics : sequence of BaseMetric
        The metrics asked for.

    Returns
    -------
    list of (Group, positions)
        Every metric's position occurs in exactly one group.

    Raises
    ------
    InvalidInputError
        If a metric cannot read the data.
    DesignError
        If a metric needs a gold and there is none.
    """
    for metric in metrics:
        if metric.needs_gold and evaluation.gold is None:
            raise DesignError(
                f"metric {metric.name} compares predictions with gold, but no gold was given",
                hint="pass gold=..., or metric='mean' for per-item scores",
            )
    reading = Reading(evaluation)
    out: list[tuple[Group, list[int]]] = []
    sums = [i for i, metric in enumerate(metrics) if isinstance(metric, Metric)]
    if sums:
        out.append((_sum_group([metrics[i] for i in sums], reading), sums))  # type: ignore[misc]
    for i, metric in enumerate(metrics):
        if isinstance(metric, Metric):
            continue
        out.append((_item_group(metric, reading), [i]))
    return out


def _sum_group(metrics: Sequence[Metric], reading: Reading) -> SumGroup:
    only_labels = all(metric.reads == "labels" for metric in metrics)
    collapse = only_labels and reading.clusters is None
    fitted: list[Metric] = []
    statistics: list[list[FloatArray]] = []
    n = reading.evaluation.n_items
    position, counts = reading.distinct if collapse else (None, np.ones(n, dtype=np.int64))
    for metric in metrics:
        labels: Array | None = None
        gold: Array | None
        systems: Sequence[Array]
        if metric.reads == "labels":
            labels, gold, systems = reading.labels
        elif metric.reads == "numbers":
            gold, systems = reading.numbers(metric)
        else:
            gold, systems = reading.raw(metric)
        metric = metric.fit(gold, systems, labels)
        if position is not None:
            gold = None if gold is None else gold[position]
            systems = [values[position] for values in systems]
        fitted.append(metric)
        statistics.append(
            [
                _rows(metric, gold, values, name)
                for name, values in zip(reading.evaluation.names, systems, strict=True)
            ]
        )
    strata = reading.strata
    if strata is not None and position is not None:
        strata = strata[position]
    return SumGroup(fitted, table.build(statistics, counts, strata, reading.clusters))


def _rows(metric: Metric, gold: Array | None, predictions: Array, name: str) -> FloatArray:
    rows = np.asarray(_named(partial(metric.statistics, gold, predictions), name), dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != predictions.size:
        raise InvalidInputError(
            f"metric {metric.name!r} must return statistics of shape ({predictions.size}, k),"
            f" got {rows.shape} for system {name!r}",
            hint="one row per item: np.column_stack([...])",
        )
    if not np.isfinite(rows).all():
        raise InvalidInputError(
            f"metric {metric.name!r} returned statistics that are not finite for system {name!r}",
        )
    if isinstance(metric, MeanMetric) and rows.shape[1] != 2:
        raise InvalidInputError(f"metric {metric.name!r} is a mean: its statistics are a value and a 1")
    return rows


def _named(work: Callable[[], T], name: str) -> T:
    """Run `work`, adding the name of the system to an error about its predictions."""
    try:
        return work()
    except InvalidInputError as error:
        raise InvalidInputError(f"system {name!r}: {error.message}", hint=error.hint) from error


def _item_group(metric: BaseMetric, reading: Reading) -> Group:
    gold: Array | None
    systems: Sequence[Array]
    if metric.reads == "labels":
        labels, gold, systems = reading.labels
        metric = metric.fit(gold, systems, labels)
    else:
        gold, systems = reading.numbers(metric) if metric.reads == "numbers" else reading.raw(metric)
        metric = metric.fit(gold, systems, None)
    unit_of, units = numbered_units(reading.evaluation.n_items, reading.clusters, reading.strata)
    if isinstance(metric, WeightedMetric):
        for name, values in zip(reading.evaluation.names, systems, strict=True):
            _named(partial(metric.prepare, gold, values), name)
        return WeightGroup(metric, gold, systems, unit_of, units)
    if isinstance(metric, FunctionMetric):
        return CallGroup(metric, gold, systems, unit_of, units)
    raise InvalidInputError(
        f"{metric!r} is no metric: it has neither statistics, nor weights, nor can it be called",
        hint="derive it from bestby.Metric, or pass a function of gold and predictions",
    )
