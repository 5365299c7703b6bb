"""From an evaluation and metrics to groups the engine can resample."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from bestby._core.checks import NUMERAL
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, BoolArray, Dependence, FloatArray, IntArray
from bestby.data import soft
from bestby.data.batches import Streamed
from bestby.data.cells import collapsed
from bestby.data.coding import codes
from bestby.data.columns import complete
from bestby.data.common_labels import label_codes
from bestby.data.evaluation import Evaluation
from bestby.data.groupings import check_nested
from bestby.data.values import read_together
from bestby.engine import streamed, table
from bestby.engine.base import Group
from bestby.engine.dependent_units import BlockGroup, CrossedGroup
from bestby.engine.sums import AnnotatedGroup, SumGroup
from bestby.engine.weighted import CallGroup, WeightGroup, numbered_units
from bestby.metrics.base import BaseMetric, FunctionMetric, MeanMetric, Metric, WeightedMetric
from bestby.metrics.probabilities import with_both_classes
from bestby.resampling import streams
from bestby.resampling.blocks import Blocks, circular, consecutive

T = TypeVar("T")

ALL_GROUPINGS: tuple[Dependence, ...] = ("clusters", "crossed", "strata")
"""For analyses that support every kind of grouping, also two crossed ones (`Group.crossed`)."""


class Reading:
    """The data of an evaluation in the forms metrics read; each form is made once, when first asked for.

    `blocks` is the number of consecutive items in a block, which takes the place of a cluster.
    """

    def __init__(self, evaluation: Evaluation, blocks: int | None = None) -> None:
        check_nested(evaluation.clusters, evaluation.strata)  # groups may have been replaced since `of`
        self.evaluation = evaluation
        self.clusters = _codes_of(evaluation.clusters)
        self.strata = _codes_of(evaluation.strata)
        self.blocks: Blocks | None = None
        if blocks is not None:
            n = evaluation.uncounted("a bootstrap of blocks").n_items
            self.blocks = circular(n, blocks, self.strata)
            self.clusters = consecutive(n, blocks, self.strata)

    @cached_property
    def labels(self) -> tuple[Array, IntArray, list[IntArray]]:
        """The label set, the codes of the gold, and the codes of each system (-1: missing).

        The set is sorted. With soft labels it is the classes in their order, and a row of probabilities
        stands for its most probable class, the first of several.
        """
        gold = self.evaluation.gold
        if gold is None:
            raise DesignError("labels need a gold")
        if self.evaluation.classes is not None:
            classes = self.evaluation.classes
            of_gold = self._most_probable("gold", gold)
            return (
                classes,
                of_gold,
                [
                    self._most_probable(f"system {name!r}", values, self.evaluation.missing.get(name))
                    for name, values in self.evaluation.systems.items()
                ],
            )
        if "O" in {values.dtype.kind for values in (gold, *self.evaluation.systems.values())}:
            raise DesignError(
                "the items are texts or structures, not labels",
                hint="choose a measure that reads such: bleu, em",
            )
        names = ("", *self.evaluation.names)
        present = []
        for name in names:
            values, code = self.evaluation.coded[name]
            absent = self.evaluation.missing.get(name)
            present.append(np.arange(values.size) if absent is None else np.unique(code[~absent]))
        distinct = [self.evaluation.coded[name][0][there] for name, there in zip(names, present, strict=True)]
        labels, positions = label_codes(_read(distinct))
        out = []
        for name, there, position in zip(names, present, positions, strict=True):
            values, code = self.evaluation.coded[name]
            place = np.full(values.size, -1, dtype=np.int64)
            place[there] = position
            recoded = _as_codes(code) if np.array_equal(place, np.arange(values.size)) else place[code]
            absent = self.evaluation.missing.get(name)
            out.append(recoded if absent is None else np.where(absent, -1, recoded))
        return labels, out[0], out[1:]

    def _most_probable(self, what: str, values: Array, absent: BoolArray | None = None) -> IntArray:
        assert self.evaluation.classes is not None
        if values.ndim == 1:
            codes = soft.positions(values, self.evaluation.classes, what)
        else:
            codes = _as_codes(values.argmax(axis=1))
        return codes if absent is None else np.where(absent, -1, codes)

    @cached_property
    def distributions(self) -> tuple[Array, FloatArray, list[FloatArray]]:
        """The classes, the gold and the systems as rows of probabilities, shape (n, K).

        A hard label is the distribution that is certain of it; a number that can only be a probability is
        that of the greater of two labels.
        """
        gold = self.evaluation.gold
        if gold is None:
            raise DesignError("distributions need a gold")
        both, single = with_both_classes(self.evaluation, "a metric of probabilities")
        if single:
            return Reading(both).distributions
        if self.evaluation.missing:
            raise DesignError(
                "a missing prediction has no worst value for measures of soft labels",
                hint='pass on_missing="drop"',
            )
        classes, of_gold, of_systems = self.labels
        rows = [
            values.astype(np.float64) if values.ndim == 2 else soft.one_hot(codes, classes.size)
            for values, codes in zip(
                [gold, *self.evaluation.systems.values()], [of_gold, *of_systems], strict=True
            )
        ]
        return classes, rows[0], rows[1:]

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """One position per distinct joint row of labels, and how many items have it."""
        labels, gold, systems = self.labels
        if self.evaluation.classes is None:
            return self.evaluation.cells
        # A missing prediction (-1) takes a code of its own, in the systems that have one.
        shifts = [0, *(int(name in self.evaluation.missing) for name in self.evaluation.names)]
        columns = [
            codes + shift if shift else codes for codes, shift in zip([gold, *systems], shifts, strict=True)
        ]
        return collapsed(columns, [labels.size + shift for shift in shifts], self.strata)

    def of(self, metric: BaseMetric) -> tuple[Array | None, Array | None, Sequence[Array]]:
        """Return the labels or classes, if a metric reads such, and gold and systems as it reads them."""
        if metric.reads == "labels":
            return self.labels
        if metric.reads == "distributions":
            if metric.ordered:
                self._check_positions(metric)
            return self.distributions
        if metric.reads == "objects":
            return None, *self.objects(metric)
        gold, systems = self.numbers(metric) if metric.reads == "numbers" else self.raw(metric)
        return None, gold, systems

    def _check_positions(self, metric: BaseMetric) -> None:
        """Refuse labels that the gold lacks: they would move the positions of the classes for all systems."""
        if self.evaluation.classes is not None or with_both_classes(self.evaluation, metric.name)[1]:
            return  # these decide the positions
        labels, gold, systems = self.labels
        for name, codes_of_system in zip(self.evaluation.names, systems, strict=True):
            unknown = np.setdiff1d(codes_of_system, gold)
            unknown = unknown[unknown >= 0]
            if unknown.size:
                raise DesignError(
                    f"system {name!r} predicts the label {labels[unknown[0]].item()!r}, which the gold does"
                    f" not have: {metric.name} cannot tell its position among the classes",
                    hint="pass classes=[...], all classes in their order",
                )

    def raw(self, metric: BaseMetric) -> tuple[Array | None, Sequence[Array]]:
        """Return the values as given; where some systems are soft, the hard ones as distributions."""
        if self.evaluation.missing:
            raise DesignError(
                f"a missing prediction has no worst value for {metric.name}",
                hint='pass on_missing="drop"',
            )
        gold, systems = self.evaluation.gold, list(self.evaluation.systems.values())
        if len({values.ndim for values in systems}) > 1:
            systems = list(self.distributions[2])
        return gold, systems

    def objects(self, metric: BaseMetric) -> tuple[Array | None, Sequence[Array]]:
        """Return the items as they are, in arrays of objects; a missing one is the metric's empty one."""
        systems = []
        for name, values in self.evaluation.systems.items():
            absent = self.evaluation.missing.get(name)
            if absent is None:
                systems.append(_as_objects(values))
                continue
            if metric.empty is None:
                raise DesignError(
                    f"a missing prediction has no worst value for {metric.name}",
                    hint='pass on_missing="drop"',
                )
            filled = _as_objects(values).copy()
            for position in np.flatnonzero(absent):
                filled[position] = metric.empty
            systems.append(filled)
        gold = self.evaluation.gold
        return None if gold is None else _as_objects(gold), systems

    def numbers(self, metric: BaseMetric) -> tuple[FloatArray | None, Sequence[FloatArray]]:
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


def _read(distinct: Sequence[Array]) -> list[Array]:
    """Return the distinct values of the gold and of each system as they are compared."""
    columns = {str(place): complete(values) for place, values in enumerate(distinct[1:])}
    gold, systems, _ = read_together(complete(distinct[0]), columns, strings=True)
    assert gold is not None
    return [gold.values, *(column.values for column in systems.values())]


def _as_objects(values: Array) -> Array:
    if values.ndim == 1:
        return values.astype(object)
    out = np.empty(len(values), dtype=object)
    for position, row in enumerate(values):
        out[position] = row
    return out


def _codes_of(groups: Array | None) -> IntArray | None:
    return None if groups is None else _as_codes(codes(groups)[1])


def _as_codes(code: Array) -> IntArray:
    """Return codes as ordinary integers, which metrics may do sums with."""
    return code.astype(np.int64)


def _rows_refused(what: str, metric: BaseMetric) -> InvalidInputError:
    return InvalidInputError(
        f"metric {metric.name} needs one number per item, but {what} holds a row of probabilities",
        hint="choose a metric for soft labels (cross_entropy) or for labels (accuracy)",
    )


def _as_floats(values: Array, what: str, metric: BaseMetric) -> FloatArray:
    if values.ndim == 2:
        raise _rows_refused(what, metric)
    if values.dtype.kind in "OU":
        texts = [str(value) for value in values.tolist()]
        place = next((i for i, text in enumerate(texts) if not NUMERAL.fullmatch(text)), 0)
        raise InvalidInputError(
            f"metric {metric.name} needs numbers, but {what} holds text: {texts[place][:80]!r} at position"
            f" {place}",
            hint="choose a metric for labels, such as accuracy or f1_macro",
        )
    return values.astype(np.float64)


def groups(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    *,
    annotators_seed: int | None = None,
    blocks: int | None = None,
    supports: Collection[Dependence] = ("clusters", "strata"),
    consumer: str = "this analysis",
) -> list[tuple[Group, list[int]]]:
    """Fit the metrics and put them into groups that are resampled together.

    Clusters and strata are part of every group. Two crossed groupings are not: they are refused unless the
    caller says that it supports them, so that a caller which does not know of them cannot ignore one. Every
    metric's position occurs in exactly one group.
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
    out: list[tuple[Group, list[int]]] = []
    sums = [i for i, metric in enumerate(metrics) if isinstance(metric, Metric)]
    if sums:
        chosen = [metrics[i] for i in sums]
        made = _sum_group(chosen, reading)  # type: ignore[arg-type]
        out.append((made if annotators_seed is None else annotated(made, reading, annotators_seed), sums))
    for i, metric in enumerate(metrics):
        if isinstance(metric, Metric):
            continue
        if evaluation.crossed is not None:
            raise DesignError(
                f"metric {metric.name} is no function of sums: there is no error for two crossed groupings",
                hint="give one grouping as clusters, that with fewer groups",
            )
        if annotators_seed is not None:
            raise DesignError(
                f"metric {metric.name} is no function of sums: annotators cannot be resampled",
                hint='pass annotators="fixed", or choose a measure such as cross_entropy or f1_macro',
            )
        out.append((_item_group(metric, reading), [i]))
    return out


def _check_counted(metric: BaseMetric, evaluation: Evaluation) -> None:
    """Refuse a metric that needs each item where rows stand for several."""
    if not takes_counts(metric):
        evaluation.uncounted(f"metric {metric.name}")


def takes_counts(metric: BaseMetric) -> bool:
    """Return whether a metric gives for counted rows what it gives for the items.

    Measures of labels fix no more than which labels there are; others may fix a mean of all items.
    """
    return isinstance(metric, Metric) and (
        metric.reads == "labels" or (metric.reads == "numbers" and type(metric).fit is BaseMetric.fit)
    )


def _sum_group(metrics: Sequence[Metric], reading: Reading) -> SumGroup:
    only_labels = all(metric.reads == "labels" for metric in metrics)
    collapse = only_labels and reading.clusters is None
    fitted: list[Metric] = []
    statistics: list[list[FloatArray]] = []
    position: IntArray | None = None
    if collapse:
        position, counts = reading.distinct
    elif reading.evaluation.counts is not None:
        counts = reading.evaluation.counts
    else:
        counts = np.ones(reading.evaluation.n_items, dtype=np.int64)
    for metric in metrics:
        labels, gold, systems = reading.of(metric)
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
    made = table.build(statistics, counts, strata, reading.clusters)
    if reading.blocks is not None:
        return BlockGroup(fitted, made, reading.blocks)
    second = _codes_of(reading.evaluation.crossed)
    if second is not None and reading.clusters is not None:
        return CrossedGroup(fitted, made, reading.clusters, second)
    return SumGroup(fitted, made)


def by_item(evaluation: Evaluation, metric: Metric, group: SumGroup) -> SumGroup:
    """Return a group with the rows of the items in their order: the same, unless equal items were counted."""
    if group.table.clustered or not all(one.reads == "labels" for one in group.metrics):
        return group
    single = dataclasses.replace(evaluation, clusters=np.arange(evaluation.n_items))
    return _sum_group([metric], Reading(single))


def annotated(group: SumGroup, reading: Reading, seed: int) -> AnnotatedGroup:
    """Return the group with the statistics of every unit under resamples of its annotators.

    Only of a group whose units are all the dependence there is: what others know would be lost.
    """
    assert type(group) is SumGroup
    annotations = reading.evaluation.annotations
    if annotations is None:
        raise DesignError(
            "annotators can only be resampled where the gold is their labels",
            hint="pass gold=Annotations.of(labels), one list of labels per item",
        )
    n, n_versions = reading.evaluation.n_items, _n_versions(reading.evaluation.n_items)
    seeds = np.random.SeedSequence(seed, spawn_key=(streams.PURPOSES.index("annotators"),))
    counts = annotations.resampled(n_versions, seeds).reshape(n * n_versions, -1)
    item = np.repeat(np.arange(n), n_versions)
    statistics: list[list[FloatArray]] = []
    for metric in group.metrics:
        if metric.reads not in ("labels", "distributions"):
            raise DesignError(f"metric {metric.name} reads no labels: annotators cannot be resampled")
        _, _, systems = reading.of(metric)
        gold = counts.argmax(axis=1) if metric.reads == "labels" else counts / counts.sum(1, keepdims=True)
        statistics.append(
            [
                _rows(metric, gold, values[item], name)
                for name, values in zip(reading.evaluation.names, systems, strict=True)
            ]
        )
    clusters = None
    if reading.clusters is not None:
        clusters = reading.clusters[item] * n_versions + np.tile(np.arange(n_versions), n)
    strata = None if reading.strata is None else reading.strata[item]
    ones = np.ones(n * n_versions, dtype=np.int64)
    return AnnotatedGroup(group.metrics, group.table, table.build(statistics, ones, strata, clusters))


def _n_versions(n_items: int) -> int:
    """Return how many resamples of its annotators each item gets: half a million rows at most."""
    return max(10, min(200, 500_000 // n_items))


def _rows(metric: Metric, gold: Array | None, predictions: Array, name: str) -> FloatArray:
    rows = np.asarray(_named(partial(metric.statistics, gold, predictions), name), dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != len(predictions):
        raise InvalidInputError(
            f"metric {metric.name!r} must return statistics of shape ({len(predictions)}, k),"
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
        f"{metric!r} is no metric: it has neither statistics, nor weights, nor can it be called",
        hint="derive it from bestby.Metric, or pass a function of gold and predictions",
    )
