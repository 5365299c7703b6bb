"""Metrics of classification: functions of counts per class.

Gold and predictions come as positions in the label set of the gold and all systems. A prediction of -1 is
missing: it counts as wrong and belongs to no class. 0/0 counts as 0, as in scikit-learn.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.data.columns import occurring
from bestby.metrics._items import marked, named_label, printed_labels, required_labels
from bestby.metrics.base import MeanMetric, Metric, Names, Patterns
from bestby.metrics.smooth import Line, SmoothMetric

# -- counts per class -------------------------------------------------------------------------------

Part: TypeAlias = Literal["precision", "recall", "f1"]

COUNTS: dict[Part, tuple[str, ...]] = {
    "precision": ("hits", "predicted"),
    "recall": ("hits", "gold"),
    "f1": ("hits", "predicted", "gold"),
}
"""The counts that each is computed from: precision is hits / predicted, recall hits / gold, and F1, their
harmonic mean, 2 hits / (predicted + gold)."""


def class_counts(
    columns: Sequence[str], gold: Array, predictions: Array, n_labels: int, name: str, *, more: int = 0
) -> FloatArray:
    """Return a block of indicator columns per class for each of "hits", "predicted" and "gold".

    `more` columns of zeros follow.
    """
    if n_labels == 0:
        raise unfitted(name)
    # A system's statistics are all in memory: 2^30 numbers are 8 GiB.
    if gold.size * len(columns) * n_labels > 1 << 30:
        raise DesignError(
            f"{name} counts every class separately: {n_labels} classes on {gold.size} distinct items are"
            " too many",
            hint='use accuracy or f1_micro, one class at a time, as in "f1[LABEL]", or merge rare classes',
        )
    answered = (predictions >= 0).nonzero()[0]
    right = (predictions == gold).nonzero()[0]
    # A prediction of -1 would index the last class: it is left out of both its columns.
    everything = np.arange(gold.size)
    sources = {"hits": (right, gold), "predicted": (answered, predictions), "gold": (everything, gold)}
    out = np.zeros((len(columns) * n_labels + more, gold.size))  # column by column, as metrics read them
    for block, key in enumerate(columns):
        rows, which = sources[key]
        out[which[rows] + block * n_labels, rows] = 1.0
    return out.T


MOST_LABELS = 200
"""Labels up to which the rows of each with each prediction are listed: 40,000 rows of some hundred counts."""


def rows_of_labels(metric: Metric, golds: Sequence[int], predictions: Sequence[int]) -> FloatArray | None:
    """Return the rows of each gold with each prediction, shape (golds, predictions, k); None if too many."""
    if max(len(golds), len(predictions)) > MOST_LABELS:
        return None
    rows = metric.statistics(np.repeat(golds, len(predictions)), np.tile(predictions, len(golds)))
    return rows.reshape(len(golds), len(predictions), -1)


def unfitted(name: str) -> InvalidInputError:
    """Return the error of a metric that counts labels before `fit`."""
    return InvalidInputError(
        f"{name} must know the label set before it can count", hint="call fit(gold, systems, labels) first"
    )


def classes_of(gold: Array | None, n_labels: int) -> tuple[int, ...]:
    """Return the positions of the labels that the gold has; without gold all."""
    return tuple(range(n_labels) if gold is None else occurring(gold, n_labels).nonzero()[0].tolist())


def split_counts(totals: FloatArray, columns: Sequence[str]) -> dict[str, FloatArray]:
    """Return the blocks of columns that `class_counts` made."""
    return dict(zip(columns, blocks(totals, len(columns)), strict=True))


def blocks(totals: FloatArray, n: int) -> list[FloatArray]:
    """Return totals cut into n blocks of as many columns."""
    width = totals.shape[-1] // n
    return [totals[..., start : start + width] for start in range(0, n * width, width)]


def fraction(part: Part, hits: Any, predicted: Any = None, gold: Any = None) -> tuple[Any, Any]:
    """Return numerator and denominator of precision, recall or F1, from the counts that it needs."""
    if part == "f1":
        return fraction_of(part, (hits, predicted, gold))
    return hits, predicted if part == "precision" else gold


def fraction_of(part: Part, counts: Sequence[Any]) -> tuple[Any, Any]:
    """Return numerator and denominator from the counts in the order of `COUNTS`, and no others."""
    return (2.0 * counts[0], counts[1] + counts[2]) if part == "f1" else (counts[0], counts[1])


def quotient(part: Part, counts: Sequence[Line]) -> Line:
    """Return precision, recall or F1 from the counts that it needs, in the order of `COUNTS`."""
    numerator, denominator = fraction_of(part, counts)
    return cast("Line", numerator / denominator)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide; 0 where the denominator (and so the numerator) is 0."""
    if np.minimum.reduce(denominator, axis=None, initial=np.inf) > 0.0:
        return numerator / denominator
    return numerator / np.where(denominator > 0.0, denominator, 1.0)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the sum of products over the classes of each item: einsum is several times faster than sum()."""
    product: FloatArray = np.einsum("...k,...k->...", a, b)
    return product


def over_classes(values: FloatArray) -> FloatArray:
    """Return the sum over the classes, the last axis."""
    total: FloatArray = np.einsum("...k->...", values)
    return total


# -- all decisions together -------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Accuracy(MeanMetric):
    """The proportion of items whose prediction is the gold label.

    With one label per item it is also recall_micro and recall_weighted, and precision_micro and f1_micro as
    long as no prediction is missing.
    """

    name: str = "accuracy"
    bounds = (0.0, 1.0)
    reads = "labels"
    binary: ClassVar[bool] = True

    def values(self, gold: Array, predictions: Array) -> FloatArray:
        """Return 1 for each right item, 0 for each wrong one."""
        return np.asarray(gold == predictions, dtype=np.float64)


@dataclass(frozen=True, repr=False)
class Micro(SmoothMetric):
    """Precision or F1 over all decisions together.

    They differ from accuracy only where predictions are missing: precision is over the predictions that were
    made, F1 is the harmonic mean of that and accuracy.

    >>> metric = Micro("precision_micro", "precision")
    >>> rows = metric.statistics(np.array([0, 1, 1]), np.array([0, 1, -1]))
    >>> float(metric.score(rows.sum(axis=0)))
    1.0
    """

    name: str
    part: Part
    bounds = (0.0, 1.0)
    reads = "labels"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return plain accuracy under this name if no prediction is missing: means have exact results."""
        if any((predictions < 0).any() for predictions in systems):
            return self
        return cast("Self", Accuracy(self.name))

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return whether the item is right, whether it was predicted at all, and 1."""
        return np.column_stack([gold == predictions, predictions >= 0, np.ones(gold.size)]).astype(np.float64)

    def possible_rows(self) -> FloatArray:
        """Return those of an item that is right, wrong or missing."""
        return self.statistics(np.zeros(3, dtype=np.int64), np.array([0, 1, -1]))[None]

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio of the totals."""
        # Over all classes, every item is one of the gold; only predicted items are predictions.
        hits, predicted, n = np.moveaxis(totals, -1, 0)
        return ratio(hits, predicted) if self.part == "precision" else ratio(2.0 * hits, predicted + n)

    def along(self, totals: Line) -> Line:
        """Return the ratio along lines."""
        hits, predicted, n = totals.split(3)
        return hits / predicted if self.part == "precision" else (2.0 * hits) / (predicted + n)

    def trials(self, rows: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return right and all predictions of precision; None of F1."""
        return (rows[:, 0], rows[:, 1]) if self.part == "precision" else None

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if no prediction was made."""
        if self.part == "precision" and totals[1] == 0.0:
            return f"{self.name} is 0/0 (every prediction is missing) and counts as 0"
        return None


# -- one class --------------------------------------------------------------------------------------

_WHY: dict[Part, str] = {
    "precision": "never predicted",
    "recall": "not in the gold",
    "f1": "neither in the gold nor predicted",
}


@dataclass(frozen=True, repr=False)
class OneClass(SmoothMetric):
    """Precision, recall or F1 of one class; `fit` sets `position`, its position in the label set."""

    name: str
    part: Part
    label: str
    position: int | None = None
    bounds = (0.0, 1.0)
    reads: ClassVar[Literal["labels", "distributions"]] = "labels"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the position of the class fixed."""
        return dataclasses.replace(
            self, position=named_label(self.label, required_labels(self.name, labels).tolist(), self.name)
        )

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return whether the class was hit, predicted and due, as far as the metric needs it."""
        if self.position is None:
            raise unfitted(self.name)
        predicted, due = predictions == self.position, gold == self.position
        columns = {"hits": predicted & due, "predicted": predicted, "gold": due}
        return np.column_stack([columns[key] for key in COUNTS[self.part]]).astype(np.float64)

    def possible_rows(self) -> FloatArray | None:
        """Return those of an item of this class or another, predicted to be of this class or another."""
        assert self.position is not None  # fitted
        here, other = self.position, self.position + 1
        return rows_of_labels(self, (here, other), (here, other))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio of the totals."""
        return ratio(*fraction_of(self.part, list(np.moveaxis(totals, -1, 0))))

    def along(self, totals: Line) -> Line:
        """Return the ratio along lines."""
        return quotient(self.part, totals.split(len(COUNTS[self.part])))

    @property
    def same_trials(self) -> bool:
        """Whether the gold alone says which items count, as for recall."""
        return self.part == "recall"

    def trials(self, rows: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return hits and items of the class, by the gold (recall) or the system (precision); not of F1."""
        return None if self.part == "f1" else (rows[:, 0], rows[:, 1])

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the score is 0/0."""
        if totals[1:].sum() > 0.0:
            return None
        return f"{self.name} is 0/0 ({self.label!r} is {_WHY[self.part]}) and counts as 0"


# -- averages over the classes ----------------------------------------------------------------------

Average: TypeAlias = Literal["macro", "weighted"]


@dataclass(frozen=True, repr=False)
class Averaged(SmoothMetric):
    """Precision, recall or F1 of every class, averaged plainly (macro) or by the gold (weighted).

    A plain average is over `classes`, the classes of the gold of all items. A class of the gold that a
    resample lacks counts as 0 there. A label that the gold does not have is an error wherever it is
    predicted, and no class of its own: one such prediction would otherwise lower the score by a whole class.
    scikit-learn does that by default, and gives this score for ``labels=`` the classes of the gold. `fit`
    sets `labels`, those of gold and systems, and `caution` if there are such labels.
    """

    name: str
    part: Part
    average: Average
    labels: tuple[str, ...] = ()
    classes: tuple[int, ...] = ()
    caution: str | None = None
    bounds = (0.0, 1.0)
    reads = "labels"

    @property
    def _columns(self) -> tuple[str, ...]:
        """The counts per class, those that the part needs first, and those of the gold last if need be."""
        needed = COUNTS[self.part]
        return needed if self.average == "macro" or "gold" in needed else (*needed, "gold")

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the label set fixed; without gold all labels are classes."""
        names = printed_labels(self.name, labels)
        classes = classes_of(gold, len(names))
        caution = None
        if self.average == "macro" and len(classes) < len(names):
            caution = (
                f"{self.name} averages over the classes of the gold; predictions of other labels"
                f" ({marked(names, ~np.isin(np.arange(len(names)), classes))}) are errors, but not a class"
                " of their own, as they are by default in scikit-learn"
            )
        return dataclasses.replace(self, labels=names, classes=classes, caution=caution)

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return per class whether it was hit, predicted and due, as far as the metric needs it."""
        return class_counts(self._columns, gold, predictions, len(self.labels), self.name)

    def possible_rows(self) -> FloatArray | None:
        """Return those of every class of the gold and every prediction."""
        return rows_of_labels(self, self.classes, range(-1, len(self.labels)))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the average over the classes."""
        # Macro: the mean over the classes of the gold of all items, also where a resample lacks one, so that
        # what is averaged does not vary between resamples. Weighted: by how often the gold has the class.
        counts = blocks(totals, len(self._columns))
        per_class = ratio(*fraction_of(self.part, counts))
        if self.average == "weighted":
            gold = counts[-1]
            return ratio(dot(per_class, gold), over_classes(gold))
        if len(self.classes) < len(self.labels):
            per_class = per_class[..., list(self.classes)]
        return over_classes(per_class) / len(self.classes)

    def along(self, totals: Line) -> Line:
        """Return the average along lines."""
        counts = totals.split(len(self._columns))
        per_class = quotient(self.part, counts)
        if self.average == "weighted":
            gold = counts[-1]
            return (per_class * gold).over_classes() / gold.over_classes()
        if len(self.classes) < len(self.labels):
            per_class = per_class[list(self.classes)]
        return (1.0 / len(self.classes)) * per_class.over_classes()

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the classes whose part is 0/0."""
        counts = split_counts(totals, self._columns)
        empty = fraction(self.part, **counts)[1] == 0.0
        if not empty.any():
            return None
        if self.average == "weighted":
            empty &= counts["gold"] > 0.0  # the others have no weight
        else:
            empty &= np.isin(np.arange(len(self.labels)), self.classes)  # the others are not averaged over
        if not empty.any():
            return None
        return (
            f"{self.part} of {marked(self.labels, empty)} is 0/0 ({_WHY[self.part]}) and counts as 0"
            f" in {self.name}"
        )


@dataclass(frozen=True, repr=False)
class ByClass(SmoothMetric):
    """A metric of counts per class.

    `fit` sets `labels`, the label set of the gold and all systems, and `classes`, the positions of those that
    the gold has.
    """

    name: str = ""
    labels: tuple[str, ...] = ()
    classes: tuple[int, ...] = ()
    reads = "labels"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the label set fixed."""
        names = printed_labels(self.name, labels)
        return dataclasses.replace(self, labels=names, classes=classes_of(gold, len(names)))

    def possible_rows(self) -> FloatArray | None:
        """Return those of every class of the gold and every prediction."""
        return rows_of_labels(self, self.classes, range(-1, len(self.labels)))


class BalancedAccuracy(ByClass):
    """The mean recall of the classes that occur in the gold of the (re)sample."""

    bounds = (0.0, 1.0)

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return per class whether it was hit and due."""
        return class_counts(("hits", "gold"), gold, predictions, len(self.labels), self.name)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean recall."""
        hits, gold = blocks(totals, 2)
        present = (gold > 0.0).astype(np.float64)
        return ratio(over_classes(ratio(hits, gold)), over_classes(present))

    def along(self, totals: Line) -> Line:
        """Return the mean along lines, on which the classes that are there do not change."""
        hits, gold = totals.split(2)
        present = int(np.count_nonzero(gold.value > 0.0))
        return (1.0 / max(1, present)) * (hits / gold).over_classes()

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the classes that are left out."""
        absent = split_counts(totals, ("hits", "gold"))["gold"] == 0.0
        if not absent.any():
            return None
        return f"{marked(self.labels, absent)} is not in the gold and left out of {self.name}"


# -- agreement beyond chance ------------------------------------------------------------------------

_LEAST_MARGIN = 1e-14
"""Part of n squared below which a product of counts is rounding: the least real one is 2 / n of it."""


class _BeyondChance(ByClass):
    """What the chance-corrected metrics share: the number right and the two margins.

    A missing prediction is an outcome of its own that the gold never has.
    """

    bounds = (-1.0, 1.0)

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return per class whether it was predicted and due; then whether the item is right, and 1."""
        margins = class_counts(("predicted", "gold"), gold, predictions, len(self.labels), self.name, more=2)
        np.equal(gold, predictions, out=margins[:, -2])
        margins[:, -1] = 1.0
        return margins

    def _parts(self, totals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the margins of predictions and gold, the number right and the number of items."""
        predicted, gold = blocks(totals[..., :-2], 2)
        return predicted, gold, totals[..., -2], totals[..., -1]

    def _lines(self, totals: Line) -> tuple[Line, Line, Line, Line]:
        """Return margins, number right and number of items along lines."""
        predicted, gold = totals[slice(-2)].split(2)
        return predicted, gold, totals[slice(-2, -1)], totals[slice(-1, None)]


class MatthewsCorrelation(_BeyondChance):
    """The Matthews correlation coefficient, for any number of classes (R_K).

    Gorodkin (2004), Computational Biology and Chemistry 28, 367-374, eq. 8. It is 0 if the gold or the
    predictions are all of one class, as in scikit-learn.

    >>> metric = MatthewsCorrelation("matthews_corrcoef").fit(None, [], np.array(["a", "b"]))
    >>> rows = metric.statistics(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    >>> float(metric.score(rows.sum(axis=0)).round(4))
    0.5774
    """

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the covariance of gold and predictions over their spreads."""
        # Eq. 8 of Gorodkin (2004): with margins p_k and g_k, c right of n items,
        #     (c n - sum of p_k g_k) / sqrt((n^2 - sum of p_k^2) (n^2 - sum of g_k^2)).
        predicted, due, right, n = self._parts(totals)
        covariance = right * n - dot(predicted, due)
        spread_p, spread_g, squares = self._spreads(predicted, due, n)
        least = _LEAST_MARGIN * squares
        defined = (spread_p > least) & (spread_g > least)
        if defined.all():
            return covariance / np.sqrt(spread_p * spread_g)
        scale = np.sqrt(np.where(defined, spread_p * spread_g, 1.0))
        return np.where(defined, covariance / scale, 0.0)

    def along(self, totals: Line) -> Line | None:
        """Return the coefficient along lines; None where gold or predictions are all of one class."""
        predicted, due, right, n = self._lines(totals)
        missing = n - predicted.over_classes()
        squares = n.square()
        spread_p = squares - predicted.square().over_classes() - missing.square()
        spread_g = squares - due.square().over_classes()
        if min(spread_p.value[0], spread_g.value[0]) <= _LEAST_MARGIN * squares.value[0]:
            return None
        return (right * n - (predicted * due).over_classes()) / (spread_p * spread_g).root()

    @staticmethod
    def _spreads(
        predicted: FloatArray, due: FloatArray, n: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return n squared less the sums of squares of both margins, and n squared."""
        # A missing prediction is a class of its own, which the gold never has.
        missing, squares = n - np.add.reduce(predicted, axis=-1), n * n
        return squares - dot(predicted, predicted) - missing * missing, squares - dot(due, due), squares

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if gold or predictions are all of one class."""
        predicted, due, _, n = self._parts(totals)
        spread_p, spread_g, _ = self._spreads(predicted, due, n)
        if spread_p > 0.0 and spread_g > 0.0:
            return None
        which = "the predictions are" if spread_p <= 0.0 else "the gold is"
        return f"{self.name} is 0/0 ({which} all of one class) and counts as 0"


class CohenKappa(_BeyondChance):
    """Cohen's kappa: agreement with the gold beyond that expected by chance.

    Cohen (1960), Educational and Psychological Measurement 20, 37-46. Undefined (NaN) where the expected
    agreement is 1: gold and predictions all of the same class.

    >>> metric = CohenKappa("cohen_kappa").fit(None, [], np.array(["a", "b"]))
    >>> rows = metric.statistics(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    >>> float(metric.score(rows.sum(axis=0)))
    0.5
    """

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the agreement beyond chance over the most there could be."""
        # (p_o - p_e) / (1 - p_e) with p_o = c / n and p_e = sum of p_k g_k / n^2, both times n^2.
        predicted, due, right, n = self._parts(totals)
        chance, squares = dot(predicted, due), n * n
        room = squares - chance
        defined = room > _LEAST_MARGIN * squares
        if defined.all():
            return (right * n - chance) / room
        return np.where(defined, (right * n - chance) / np.where(defined, room, 1.0), np.nan)

    def along(self, totals: Line) -> Line | None:
        """Return kappa along lines; None where it is undefined."""
        predicted, due, right, n = self._lines(totals)
        chance, squares = (predicted * due).over_classes(), n.square()
        if squares.value[0] - chance.value[0] <= _LEAST_MARGIN * squares.value[0]:
            return None
        return (right * n - chance) / (squares - chance)

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if gold and predictions are all of the same class."""
        if np.isnan(self.score(totals)):
            return f"{self.name} is undefined: gold and predictions are all of the same class"
        return None


# -- names ------------------------------------------------------------------------------------------

_HOW: dict[Average, str] = {
    "macro": "every class counting the same",
    "weighted": "classes weighted by their frequency in the gold",
}


def _averages(part: Part, title: str) -> Names:
    return {
        f"{part}_{average}": (f"{title}, {how}", partial(Averaged, part=part, average=average))
        for average, how in _HOW.items()
    }


_MICRO_F1 = "F1 over all decisions; accuracy if no prediction is missing"

NAMES: Names = {
    "accuracy": ("proportion of right predictions", Accuracy),
    "balanced_accuracy": ("mean recall of the classes in the gold", BalancedAccuracy),
    "precision_micro": ("right predictions among those made", partial(Micro, part="precision")),
    **_averages("precision", "precision"),
    "recall_micro": ("the same as accuracy", Accuracy),
    **_averages("recall", "recall"),
    "recall_weighted": ("the same as accuracy", Accuracy),
    "f1_micro": (_MICRO_F1, partial(Micro, part="f1")),
    **_averages("f1", "F1"),
    "matthews_corrcoef": ("Matthews correlation, for any number of classes", MatthewsCorrelation),
    "cohen_kappa": ("agreement with the gold beyond chance", CohenKappa),
}

WITH_LABEL: Patterns = {
    "precision": ("precision of one class", lambda name, label: OneClass(name, "precision", label)),
    "recall": ("recall of one class", lambda name, label: OneClass(name, "recall", label)),
    "f1": ("F1 of one class", lambda name, label: OneClass(name, "f1", label)),
}

SUGGESTIONS = {
    "acc": "accuracy",
    "error_rate": "accuracy",
    "f1_binary": "f1",
    "fscore": "f1",
    "kappa": "cohen_kappa",
    "mcc": "matthews_corrcoef",
}
