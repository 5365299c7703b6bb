"""From an evaluation and metrics to groups the engine can resample."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, Dependence, FloatArray, IntArray
from bestby.data.columns import numbered
from bestby.data.evaluation import Evaluation, Streamed
from bestby.engine import streamed, text_statistics
from bestby.engine.base import Group
from bestby.engine.called import CallGroup
from bestby.engine.dependent_units import CrossedGroup
from bestby.engine.ranked import WeightGroup
from bestby.engine.reading import Reading, _codes_of, _rows_refused
from bestby.engine.statistics import Design, Rows, Statistics
from bestby.engine.sums import AnnotatedGroup, BlockGroup, SumGroup
from bestby.engine.text_statistics import Counting
from bestby.metrics import texts as metrics_texts
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, WeightedMetric
from bestby.metrics.functions import FunctionMetric
from bestby.metrics.texts import TextMetric
from bestby.resampling import streams
from bestby.resampling.units import Units, single_stratum

T = TypeVar("T")
AnyMetric = TypeVar("AnyMetric", bound=BaseMetric)


ALL_GROUPINGS: tuple[Dependence, ...] = ("clusters", "crossed", "strata")
"""For analyses that support every kind of grouping, also two crossed ones (`Group.crossed`)."""


def groups(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    *,
    annotators_seed: int | None = None,
    blocks: int | None = None,
    supports: Collection[Dependence] = ("clusters", "strata"),
    consumer: str = "this analysis",
    counting: Counting | None = None,
) -> list[Group]:
    """Fit the metrics, and return the group of each.

    Clusters and strata are part of every group. Two crossed groupings are not: they are refused unless the
    caller says that it supports them, so that a caller which does not know of them cannot ignore one.
    `counting` says where texts are counted.
    """
    evaluation.require_support(consumer, supports)
    if annotators_seed is not None:
        evaluation.require_support('annotators="resample"', ("clusters", "strata"))
    if isinstance(evaluation, Streamed):
        if annotators_seed is not None:
            evaluation.uncounted("resampling annotators")
        return streamed.groups(evaluation.unblocked(blocks), metrics)
    for metric in metrics:
        _check_counted(metric, evaluation)
        if metric.needs_gold and evaluation.gold is None:
            raise DesignError(
                f"metric {metric.name} compares predictions with gold, but no gold was given",
                hint="pass gold=..., or metric='mean' for per-item scores",
            )
    reading = Reading(evaluation, blocks)
    out: list[Group] = []
    for metric in metrics:
        if isinstance(metric, Metric):
            out.append(_sum_group(metric, reading, counting, annotators_seed))
            continue
        if evaluation.crossed is not None:
            raise DesignError(
                f"metric {metric.name} is not a function of sums:"
                " there is no error for two crossed groupings",
                hint="give one grouping as clusters, that with fewer groups",
            )
        if annotators_seed is not None:
            raise DesignError(
                f"metric {metric.name} is not a function of sums: annotators cannot be resampled",
                hint='pass annotators="fixed", or choose a metric such as cross_entropy or f1_macro',
            )
        out.append(_item_group(metric, reading))
    return out


def _fitted(metric: AnyMetric, reading: Reading) -> AnyMetric:
    """Return a metric that has seen the data, in the narrow types of codes if it is one of ours.

    Metrics of users may do sums with codes, for which these are too small. Those of texts that are counted
    for all systems together need not see the data.
    """
    if isinstance(metric, TextMetric) and metric.built_in and reading.of(metric)[1] is not None:
        return metric
    if type(metric).fit is BaseMetric.fit:  # it learns nothing
        return metric
    narrow = metric.reads == "labels" and _is_ours(metric.fit)
    labels, gold, systems = reading.narrow_labels if narrow else reading.of(metric)
    # The labels are shared, and a user's metric may write to its own.
    return metric.fit(gold, systems, labels if narrow or labels is None else labels.copy())


def _is_ours(part: Callable[..., object]) -> bool:
    """Return whether a metric, or a method of one, is of this package, and not a user's."""
    return part.__module__.startswith("bestby.")


def _check_counted(metric: BaseMetric, evaluation: Evaluation) -> None:
    """Refuse a metric that needs each item where rows stand for several."""
    if not takes_counts(metric):
        evaluation.uncounted(f"metric {metric.name}")


def takes_counts(metric: BaseMetric) -> bool:
    """Return whether a metric gives for counted rows what it gives for the items.

    Metrics of labels fix no more than which labels there are; others may fix a mean of all items.
    """
    return isinstance(metric, Metric) and (
        metric.reads == "labels" or (metric.reads == "numbers" and type(metric).fit is BaseMetric.fit)
    )


def _sum_group(
    metric: Metric, reading: Reading, counting: Counting | None = None, annotators_seed: int | None = None
) -> SumGroup:
    """Return the statistics of every system, and of its annotators' resamples if these have a seed."""
    fitted = _fitted(metric, reading)
    evaluation = reading.evaluation
    crossed = None if reading.blocks is not None else _codes_of(evaluation.crossed)
    clusters = None if crossed is not None else reading.clusters
    design = Design(evaluation.n_rows, evaluation.counts, reading.strata, clusters)
    labels = fitted.reads == "labels"
    rows = _rows_of_labels(fitted, reading) if labels else _rows_of_items(fitted, reading, counting)
    statistics = [Statistics.of(fitted, s, one, design) for s, one in enumerate(rows)]
    if annotators_seed is not None:
        versions = _versions(fitted, reading, annotators_seed)
        return AnnotatedGroup(fitted, statistics, design, *versions)
    if reading.blocks is not None:
        return BlockGroup(fitted, statistics, design, reading.blocks)
    if crossed is not None and reading.clusters is not None:
        return CrossedGroup(fitted, statistics, design, reading.clusters, crossed)
    return SumGroup(fitted, statistics, design)


def _rows_of_items(metric: Metric, reading: Reading, counting: Counting | None) -> Iterator[Rows]:
    """Yield the statistics of the items of each system."""
    _, gold, systems = reading.of(metric)
    names = reading.evaluation.names
    if gold is not None and isinstance(metric, TextMetric) and metric.built_in:
        yield from map(Rows, _text_rows(metric, gold, systems, names, counting))
        return
    for name, values in zip(names, systems, strict=True):
        yield Rows(_rows(metric, gold, values, name))


def _rows_of_labels(metric: Metric, reading: Reading) -> Iterator[Rows]:
    """Yield the statistics of each system, of equal items once: those of one stratum, gold and prediction."""
    _, gold, systems = reading.narrow_labels
    for name, values in zip(reading.evaluation.names, systems, strict=True):
        chosen, place = numbered((reading.strata, gold, values))
        rows = _rows(metric, gold[chosen].astype(np.int64), values[chosen].astype(np.int64), name)
        yield Rows(rows, place)


def statistics_of(evaluation: Evaluation, metric: Metric) -> tuple[Metric, list[FloatArray]]:
    """Return a metric that has seen the data, and its statistics by system, a row per item."""
    reading = Reading(evaluation)
    fitted = _fitted(metric, reading)
    return fitted, [one.each() for one in _rows_of_items(fitted, reading, None)]


def _versions(metric: Metric, reading: Reading, seed: int) -> tuple[list[Statistics], Design]:
    """Return the statistics of every unit under resamples of its annotators, and their design."""
    annotations = reading.evaluation.annotations
    if annotations is None:
        raise DesignError(
            "annotators can only be resampled where the gold is their labels",
            hint="pass gold=Annotations.of(labels), one list of labels per item",
        )
    if metric.reads not in ("labels", "distributions"):
        raise DesignError(f"metric {metric.name} reads no labels: annotators cannot be resampled")
    n, n_versions = reading.evaluation.n_items, _n_versions(reading.evaluation.n_items)
    seeds = np.random.SeedSequence(seed, spawn_key=(streams.PURPOSES.index("annotators"),))
    counts = annotations.resampled(n_versions, seeds).reshape(n * n_versions, -1)
    item = np.repeat(np.arange(n), n_versions)
    _, _, systems = reading.of(metric)
    gold = counts.argmax(axis=1) if metric.reads == "labels" else counts / counts.sum(1, keepdims=True)
    clusters = None
    if reading.clusters is not None:
        clusters = reading.clusters[item] * n_versions + np.tile(np.arange(n_versions), n)
    design = Design(item.size, None, None if reading.strata is None else reading.strata[item], clusters)
    named = enumerate(zip(reading.evaluation.names, systems, strict=True))
    rows = ((s, Rows(_rows(metric, gold, values[item], name))) for s, (name, values) in named)
    return [Statistics.of(metric, s, one, design) for s, one in rows], design


def _n_versions(n_items: int) -> int:
    """Return how many resamples of its annotators each item gets: half a million rows at most."""
    return max(10, min(200, 500_000 // n_items))


def _text_rows(
    metric: TextMetric, gold: Array, systems: Sequence[Array], names: Sequence[str], counting: Counting | None
) -> list[FloatArray]:
    """Return the statistics of the texts of each system."""
    texts = [
        _named(partial(metrics_texts.item_texts, values, metric.name), name)
        for name, values in zip(names, systems, strict=True)
    ]
    counted = text_statistics.statistics(metric, gold, texts, counting or Counting())
    return [_checked_rows(rows, metric, len(gold), name) for name, rows in zip(names, counted, strict=True)]


def _rows(metric: Metric, gold: Array | None, predictions: Array, name: str) -> FloatArray:
    rows = np.asarray(_named(partial(metric.statistics, gold, predictions), name), dtype=np.float64)
    if not _is_ours(metric.statistics):
        rows = np.array(rows.T, order="C").T  # a user's metric may use its memory again for the next system
    elif metric.reads == "labels" and _is_ours(type(metric)):
        return rows  # counts; those of a user's class may come from values of its own
    return _checked_rows(rows, metric, len(predictions), name)


def _checked_rows(rows: FloatArray, metric: Metric, n_items: int, name: str) -> FloatArray:
    if rows.ndim != 2 or rows.shape[0] != n_items:
        raise InvalidInputError(
            f"metric {metric.name!r} must return statistics of shape ({n_items}, k),"
            f" got {rows.shape} for system {name!r}",
            hint="one row per item: np.column_stack([...])",
        )
    with np.errstate(invalid="ignore", over="ignore"):
        total = rows.sum()  # finite only of finite numbers, and needs no array as large as these
    if not (np.isfinite(total) or np.isfinite(rows).all()):
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
    labels, gold, systems = reading.of(metric)
    if isinstance(metric, WeightedMetric):
        for name, values in zip(("", *reading.evaluation.names), (gold, *systems), strict=True):
            if values is not None and values.ndim == 2:
                raise _rows_refused(f"system {name!r}" if name else "the gold", metric)
    metric = metric.fit(gold, systems, labels)
    unit_of, units = numbered_units(reading.evaluation.n_items, reading.clusters, reading.strata)
    if isinstance(metric, WeightedMetric):
        group = WeightGroup(metric, gold, systems, unit_of, units, reading.blocks)
        for s, name in enumerate(reading.evaluation.names):
            _named(partial(group.prepared, s), name)
        return group
    if isinstance(metric, FunctionMetric):
        return CallGroup(metric, gold, systems, unit_of, units, reading.blocks)
    raise InvalidInputError(
        f"{metric!r} is not a metric: it has neither statistics, nor weights, nor can it be called",
        hint="derive it from bestby.Metric, or pass a function of gold and predictions",
    )


def numbered_units(
    n: int, clusters: IntArray | None, strata: IntArray | None
) -> tuple[IntArray | None, Units]:
    """Return the unit of each item and the units, numbered so that strata are contiguous.

    `clusters` and `strata` have shape (n,).
    """
    if clusters is None and strata is None:
        return None, single_stratum(n)
    unit = np.arange(n) if clusters is None else clusters
    n_units = int(unit.max()) + 1
    if strata is None:
        return unit, single_stratum(n_units)
    of_unit = np.zeros(n_units, dtype=np.int64)
    of_unit[unit] = strata
    order = np.argsort(of_unit, kind="stable")
    number = np.empty(n_units, dtype=np.int64)
    number[order] = np.arange(n_units)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(of_unit))])
    return number[unit], Units(np.ones(n_units, dtype=np.int64), bounds)
