"""The data of an evaluation as each kind of metric reads them: labels, numbers, distributions, objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bestby._core import rounding
from bestby._core.cached import cached_property
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.data import soft
from bestby.data.alignment import check_nested
from bestby.data.columns import complete, group_codes
from bestby.data.evaluation import Evaluation
from bestby.data.values import label_codes, read_together
from bestby.metrics.base import BaseMetric
from bestby.metrics.probabilities import with_both_classes
from bestby.resampling.blocks import Blocks, circular, consecutive


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
        """The same with codes of the smallest type of signed integers that holds them.

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
        found: Array = codes if absent is None else np.where(absent, -1, codes)
        return found.astype(_narrow(self.evaluation.classes.size))

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
        classes, of_gold, of_systems = self.labels
        rows = [
            values.astype(np.float64) if values.ndim == 2 else soft.one_hot(codes, classes.size)
            for values, codes in zip(
                [gold, *self.evaluation.systems.values()], [of_gold, *of_systems], strict=True
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
    labels, positions = label_codes(_read(each_once))
    return labels, [positions[one] for one in which]


def _read(distinct: Sequence[Array]) -> list[Array]:
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
