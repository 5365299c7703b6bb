"""From an evaluation and metrics to groups the engine can resample."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, BoolArray, Dependence, FloatArray, IntArray
from bestby.data import soft
from bestby.data.alignment import check_nested
from bestby.data.columns import complete, group_codes, numbered
from bestby.data.evaluation import Evaluation, Streamed
from bestby.data.values import label_codes, read_together
from bestby.engine import streamed, text_statistics
from bestby.engine.base import Group
from bestby.engine.items import CallGroup
from bestby.engine.ranked import WeightGroup
from bestby.engine.statistics import Design, Rows, Statistics, check_width
from bestby.engine.sums import AnnotatedGroup, BlockGroup, CrossedGroup, SumGroup
from bestby.engine.text_statistics import Counting
from bestby.metrics import texts as metrics_texts
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, WeightedMetric
from bestby.metrics.functions import FunctionMetric
from bestby.metrics.probabilities import with_both_classes
from bestby.metrics.texts import TextMetric
from bestby.resampling import streams
from bestby.resampling.units import Blocks, Units, circular, consecutive, single_stratum

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
    widths = [one.X.shape[1] for one in statistics]
    check_width(fitted, dict(zip(evaluation.names, widths, strict=True)))
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
        _naming_system(partial(metrics_texts.item_texts, values, metric.name), name)
        for name, values in zip(names, systems, strict=True)
    ]
    counted = text_statistics.statistics(metric, gold, texts, counting or Counting())
    return [_checked_rows(rows, metric, len(gold), name) for name, rows in zip(names, counted, strict=True)]


def _rows(metric: Metric, gold: Array | None, predictions: Array, name: str) -> FloatArray:
    rows = np.asarray(_naming_system(partial(metric.statistics, gold, predictions), name), dtype=np.float64)
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


def _naming_system(work: Callable[[], T], name: str) -> T:
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
            _naming_system(partial(group.prepared, s), name)
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
    unit_strata = np.zeros(n_units, dtype=np.int64)
    unit_strata[unit] = strata
    order = np.argsort(unit_strata, kind="stable")
    number = np.empty(n_units, dtype=np.int64)
    number[order] = np.arange(n_units)
    bounds = np.concatenate([[0], np.cumsum(np.bincount(unit_strata))])
    return number[unit], Units(np.ones(n_units, dtype=np.int64), bounds)


# -- the data as each kind of metric reads them ----------------------------------------------------
# Labels, numbers, distributions, objects.


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
        """The label set, the codes of the gold, and the codes of each system (-1: missing)."""
        return self.labels_at(slice(None))

    def labels_at(self, position: IntArray | slice) -> tuple[Array, IntArray, list[IntArray]]:
        """Return the label set, and the codes of some items."""
        labels, gold, systems = self.narrow_labels
        return labels, _as_codes(gold[position]), [_as_codes(code[position]) for code in systems]

    @cached_property
    def narrow_labels(self) -> tuple[Array, Array, list[Array]]:
        """The label set and all codes, in the smallest type of signed integers that holds them.

        The set is sorted. With soft labels it is the classes in their order, and a row of probabilities
        stands for its most probable class, the first of several.
        """
        gold = self.evaluation.gold
        if gold is None:
            raise DesignError("labels need a gold")
        if "O" in {values.dtype.kind for values in self.evaluation.compact.values()}:
            kind, metrics = "texts or structures, not labels", "bleu, em"
            if self.evaluation.label_sets:
                kind, metrics = "sets of labels, not single ones", "multilabel_f1_micro, subset_accuracy"
            raise DesignError(f"the items are {kind}", hint=f"choose a metric that reads such: {metrics}")
        if self.evaluation.classes is not None:
            classes = self.evaluation.classes
            return (
                classes,
                self._most_probable("gold", gold),
                [
                    self._most_probable(f"system {name!r}", values, self.evaluation.missing.get(name))
                    for name, values in self.evaluation.systems.items()
                ],
            )
        coded = [self.evaluation.coded[name] for name in ("", *self.evaluation.names)]
        labels = coded[0][0]
        if not self.evaluation.missing and _are_equal_numbers([values for values, _ in coded]):
            gold, *systems = (code.astype(_narrow(labels.size)) for _, code in coded)
            return labels, gold, systems
        absent = [self.evaluation.missing.get(name) for name in ("", *self.evaluation.names)]
        present = [
            None if gone is None else np.unique(code[~gone])
            for (_, code), gone in zip(coded, absent, strict=True)
        ]
        labels, positions = _common_labels(
            [
                values if there is None else values[there]
                for (values, _), there in zip(coded, present, strict=True)
            ]
        )
        narrow = _narrow(labels.size)
        numbered = np.arange(labels.size, dtype=narrow)
        out = []
        for (values, code), gone, there, position in zip(coded, absent, present, positions, strict=True):
            place = position.astype(narrow)
            if there is not None:
                place = np.full(values.size, -1, dtype=narrow)
                place[there] = position
            same = place.size <= numbered.size and bool((place == numbered[: place.size]).all())
            recoded = code.astype(narrow) if same else place[code]
            if gone is not None:
                recoded[gone] = -1
            out.append(recoded)
        return labels, out[0], out[1:]

    def _most_probable(self, what: str, values: Array, absent: BoolArray | None = None) -> Array:
        assert self.evaluation.classes is not None
        if values.ndim == 1:
            codes = soft.positions(values, self.evaluation.classes, what)
        else:
            codes = values.argmax(axis=1)
        present: Array = codes if absent is None else np.where(absent, -1, codes)
        return present.astype(_narrow(self.evaluation.classes.size))

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
                "a missing prediction has no worst value for metrics of soft labels",
                hint='pass on_missing="drop"',
            )
        classes, gold_codes, system_codes = self.labels
        rows = [
            values.astype(np.float64) if values.ndim == 2 else soft.one_hot(codes, classes.size)
            for values, codes in zip(
                [gold, *self.evaluation.systems.values()], [gold_codes, *system_codes], strict=True
            )
        ]
        return classes, rows[0], rows[1:]

    def of(self, metric: BaseMetric) -> tuple[Array | None, Array | None, Sequence[Array]]:
        """Return the labels or classes, if a metric reads such, and gold and systems as it reads them."""
        if metric.reads == "labels":
            return self.labels
        if metric.reads == "distributions":
            if metric.ordered:
                self._check_positions(metric)
            return self.distributions
        if metric.reads == "objects":
            return self.evaluation.classes if metric.label_sets else None, *self.objects(metric)
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
        for name in self.evaluation.names:
            values = self.evaluation.values_of(name, trials=metric.reads_trials)
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
        if gold is not None:  # scores without gold are in one precision already
            out = rounding.in_one_precision(out)
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


def _common_labels(distinct: Sequence[Array]) -> tuple[Array, list[IntArray]]:
    """Return the labels of the gold and of each system together, and the positions of theirs among them.

    What all have, as is usual, is read and looked up once.
    """
    number: dict[tuple[str, bytes], int] = {}
    which = [number.setdefault((values.dtype.str, values.tobytes()), len(number)) for values in distinct]
    if len(number) == 1 and distinct[0].dtype.kind != "U":  # numbers are compared as they are
        return distinct[0], [np.arange(distinct[0].size)] * len(distinct)
    each_once = [distinct[which.index(one)] for one in range(len(number))]
    labels, positions = label_codes(_as_compared(each_once))
    return labels, [positions[one] for one in which]


def _as_compared(distinct: Sequence[Array]) -> list[Array]:
    """Return the distinct values of the gold and of each system as they are compared."""
    columns = {str(place): complete(values) for place, values in enumerate(distinct[1:])}
    gold, systems, _ = read_together(complete(distinct[0]), columns, strings=True)
    assert gold is not None
    return [gold.values, *(column.values for column in systems.values())]


def _are_equal_numbers(columns: Sequence[Array]) -> bool:
    """Return whether columns hold the same numbers of the same type, which are compared as they are."""
    first, *others = columns
    bits = first.tobytes()
    return first.dtype.kind != "U" and all(
        values.dtype == first.dtype and values.tobytes() == bits for values in others
    )


def _as_objects(values: Array) -> Array:
    if values.ndim == 1:
        return values.astype(object)
    out = np.empty(len(values), dtype=object)
    for position, row in enumerate(values):
        out[position] = row
    return out


def _codes_of(groups: Array | None) -> IntArray | None:
    return None if groups is None else _as_codes(group_codes(groups)[1])


def _narrow(size: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type of signed integers that numbers `size` values and has -1 too."""
    return np.int8 if size <= 1 << 7 else np.int16 if size <= 1 << 15 else np.int32


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
            hint=number_hint(texts[place], "choose a metric for labels, such as accuracy or f1_macro"),
        )
    return values.astype(np.float64)
