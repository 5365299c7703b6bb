"""Metrics of how well scores rank the positive items above the negative ones: ROC AUC, average precision.

After one sort by score both take weights of the items; their derivatives by these stand beside them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from bestby._core.cached import cached_property
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray, ScorePath
from bestby.data.columns import codes, is_plain
from bestby.data.evaluation import Evaluation
from bestby.metrics._items import named_label, required_gold, say_which_is_positive, shown_label
from bestby.metrics.base import Names, Patterns, WeightDerivatives
from bestby.metrics.ranks import (
    GroupValues,
    Polynomial,
    RankMetric,
    from_here,
    group_sums,
    places_in,
    quotient_bend,
    quotients,
    sorted_with_ties,
    totals_to_group_ends,
)
from bestby.results.base import Note


@dataclass(frozen=True, repr=False)
class _BinaryRanking(RankMetric):
    """What `RocAuc` and `AveragePrecision` share: which items are positive, and the sort.

    `label` is the positive label; all others are negative. Without one, the gold must hold two labels, and
    the one that sorts last is positive. `fit` sets the other of two as `negative`, and the `share` of the
    items that are positive.
    """

    name: str = ""
    label: str | None = None
    positive: Any = None
    negative: Any = None
    share: float = math.nan
    bounds = (0.0, 1.0)
    reads = "raw"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the positive label fixed."""
        for predictions in systems:
            _check_scores(self.name, predictions)
        positive, *others = self._positive(gold)
        negative = others[0] if len(others) == 1 else None
        return dataclasses.replace(
            self, positive=positive, negative=negative, share=float(np.mean(gold == positive))
        )

    def _positive(self, gold: Array | None) -> list[Any]:
        """Return the labels of the gold, the positive one first."""
        labels: list[Any] = codes(required_gold(gold, self.name, "gold labels"))[0].tolist()
        if len(labels) < 2:
            raise InvalidInputError(
                f"{self.name} needs positive and negative items, but every gold label is {labels[0]!r}",
            )
        if self.label is not None:
            return [labels.pop(named_label(self.label, labels, self.name)), *labels]
        if len(labels) > 2:
            shown = ", ".join(repr(label) for label in labels[:5]) + (", ..." if len(labels) > 5 else "")
            raise InvalidInputError(
                f"{self.name} needs two gold labels, got {len(labels)}: {shown}",
                hint=f"name the positive one, as in {self.name}[{labels[-1]}]; all others are negative then",
            )
        return labels[::-1]

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on the class that is taken as positive, where neither name nor gold says which."""
        gold = evaluation.gold
        if self.label is not None or gold is None or not is_plain(gold):
            return []
        labels = evaluation.codes_of("")[0].tolist()  # of the gold alone: scores are mostly all different
        if len(labels) != 2 or say_which_is_positive(labels):
            return []
        lesser, greater = labels
        other = f"{self.name}[{shown_label(lesser)}]"
        message = (
            f"{self.name} takes {greater!r}, the label that sorts last, as the positive class, so that the"
            f" higher a number, the surer it is of {greater!r}; if the numbers are those of {lesser!r}, name"
            f' metric="{other}" (--metric "{other}")'
        )
        return [Note("positive_class", message, (self.name,))]

    def prepare(self, gold: Array, predictions: Array) -> Ranking:
        """Sort the items by score, once."""
        _check_scores(self.name, predictions)
        positive = self._positive(gold)[0] if self.positive is None else self.positive
        order, last = sorted_with_ties(predictions)
        first = np.concatenate([[True], last[:-1]])  # read backwards, a group ends where it began
        order = np.ascontiguousarray(order[::-1])
        return Ranking(order, (gold[order] == positive).astype(np.uint8), np.ascontiguousarray(first[::-1]))


def _check_scores(name: str, predictions: Array) -> None:
    if predictions.dtype.kind not in "biuf":
        raise InvalidInputError(
            f"{name} needs numeric predictions, got text: {str(predictions[0])!r}",
            hint="pass the scores the labels were decided by, such as the probability of the positive class",
        )


@dataclass(frozen=True, eq=False)
class Ranking:
    """Items sorted once by a system's scores, in descending order, and which of them are positive.

    `last` is True at the last position of each group of ties.
    """

    order: IntArray
    positive: Array
    last: BoolArray

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.order.size

    @cached_property
    def thresholds(self) -> tuple[IntArray, BoolArray, IntArray]:
        """Where positive items stand, which are the last of their group of ties, and where these end."""
        items, ends = np.flatnonzero(self.positive), np.flatnonzero(self.last)
        group = ends.searchsorted(items)
        last = np.append(np.diff(group) > 0, items.size > 0)[: items.size]
        return items, last, ends.take(group[last])

    @cached_property
    def group(self) -> IntArray | None:
        """The group of ties of each position; None if there are no ties."""
        return None if self.last.all() else np.cumsum(self.last) - self.last

    def sums_by_group(self, values: FloatArray) -> FloatArray:
        """Return the sums of values of the positions over each group of ties."""
        return values if self.group is None else group_sums(self.group, values)

    def at_positions(self, values: FloatArray) -> FloatArray:
        """Return for each position the value of its group of ties."""
        return values if self.group is None else values.take(self.group)

    @property
    def positives(self) -> FloatArray:
        """The positive items of each group of ties."""
        return self.sums_by_group(self.positive.astype(np.float64))

    @property
    def above(self) -> FloatArray:
        """The positive items above each group of ties and half of those in it."""
        positives = self.positives
        above: FloatArray = np.cumsum(positives) - 0.5 * positives
        return above

    @property
    def negatives(self) -> FloatArray:
        """The negative items of each group of ties."""
        return self.sums_by_group(1.0 - self.positive)

    @property
    def below(self) -> FloatArray:
        """The negative items below each group of ties and half of those in it."""
        negatives = self.negatives
        below: FloatArray = negatives.sum() - np.cumsum(negatives) + 0.5 * negatives
        return below


# -- area under the ROC curve -----------------------------------------------------------------------


class RocAuc(_BinaryRanking):
    """Area under the ROC curve: the probability that a positive item outranks a negative one, ties half.

    Undefined (NaN) on a resample without positive or without negative items (Hanley & McNeil 1982, Radiology
    143, 29-36).

    >>> metric = RocAuc("roc_auc")
    >>> ranking = metric.prepare(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.4, 0.8]))
    >>> metric.weighted(ranking, np.array([[1, 1, 1, 1], [0, 2, 2, 0]]))
    array([0.875, 0.5  ])
    """

    def _vectorised(self, prepared: Ranking, counts: Array) -> FloatArray:
        # Mann-Whitney: over groups of ties, the negatives times the positives above and half of those tied,
        # doubled so that all sums are whole numbers.
        in_order = counts.take(prepared.order, axis=1)
        positive = in_order * prepared.positive
        above, before = totals_to_group_ends(positive, prepared.last)
        in_order -= positive
        if prepared.last.all():
            negatives, doubled = in_order, 2.0 * np.einsum("rg,rg->r", in_order, above)
        else:
            up_to, up_to_before = totals_to_group_ends(in_order, prepared.last)
            negatives = up_to - up_to_before
            doubled = np.einsum("rg,rg->r", negatives, above + before)
        pairs = above[:, -1] * negatives.sum(axis=1, dtype=np.int64)
        return np.where(pairs > 0, doubled / (2.0 * np.maximum(pairs, 1)), np.nan)

    def swap_effects(self, prepared: Ranking) -> FloatArray:
        """Return the items of the other class that each is on the right side of, ties half, doubled."""
        below, above = (prepared.at_positions(one) for one in (prepared.below, prepared.above))
        doubled = 2.0 * np.where(prepared.positive == 1, below, above)
        return doubled.take(places_in(prepared.order))

    def derivatives(self, prepared: Ranking) -> WeightDerivatives:
        """Return the derivatives by the weights of the items, from their placements."""
        return dataclasses.replace(
            roc_auc_derivatives(prepared), second_of_groups=partial(roc_auc_by_group, prepared)
        )


def roc_auc_derivatives(ranking: Ranking) -> WeightDerivatives:
    """Return the derivatives of the area under the ROC curve, by placements."""
    # The placement v of an item is the share of the items of the other class that it stands on the right side
    # of, ties half (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, 837-845, eq. 4). The area is the
    # mean of v over either class, m items of the item's own: weight 1 + s makes (m A + s v) / (m + s), so
    # that the derivatives are (v - A) / m and -2 (v - A) / m^2.
    positives, negatives, above, below = ranking.positives, ranking.negatives, ranking.above, ranking.below
    n_positive, n_negative = positives.sum(), negatives.sum()
    is_positive = ranking.positive == 1
    placement = np.where(
        is_positive, ranking.at_positions(below) / n_negative, ranking.at_positions(above) / n_positive
    )
    area = float(positives @ below) / float(n_positive * n_negative)
    place = places_in(ranking.order)
    classes = ranking.positive.take(place)
    first = ((placement - area) / np.where(is_positive, n_positive, n_negative)).take(place)

    def second() -> FloatArray:
        bends: FloatArray = -2.0 * first / np.where(classes == 1, n_positive, n_negative)
        return bends

    def path(change: FloatArray) -> ScorePath:
        # Pairs on the right side are quadratic in the multiple of the change, and so are all pairs.
        negatives, above, is_positive = ranking.negatives, ranking.above, ranking.positive == 1
        c = change.take(ranking.order)
        more_positives = ranking.sums_by_group(np.where(is_positive, c, 0.0))
        more_negatives = ranking.sums_by_group(np.where(is_positive, 0.0, c))
        more_above = np.cumsum(more_positives) - 0.5 * more_positives
        pairs = negatives @ above, more_negatives @ above + negatives @ more_above
        bend, more = more_negatives @ more_above, (more_positives.sum(), more_negatives.sum())

        def along(multiples: FloatArray) -> FloatArray:
            area = pairs[0] + multiples * (pairs[1] + multiples * bend)
            all_pairs = (n_positive + multiples * more[0]) * (n_negative + multiples * more[1])
            return quotients(area, all_pairs)

        return along

    smaller = classes == int(n_positive <= n_negative)
    return WeightDerivatives(first, second, path, classes, smaller, light_paths=True)


def roc_auc_by_group(ranking: Ranking, of: IntArray) -> FloatArray:
    """Return the second derivatives of the area under the ROC curve by the weight of each group, shape (G,).

    `of`, of shape (n,), is the group of each item from 0.
    """
    # Of second order in the numerator are the pairs on the right side within the group.
    y, unit = ranking.positive.astype(np.float64), of[ranking.order]
    below, above = (ranking.at_positions(one) for one in (ranking.below, ranking.above))
    ties = GroupValues.from_items(unit, np.cumsum(ranking.last) - ranking.last)
    positives, negatives = ties.mass(y), ties.mass(1.0 - y)
    inside = negatives * (ties.before(positives) + 0.5 * positives)
    first = group_sums(unit, np.where(y == 1.0, below, above))
    pairs = Polynomial(float(ranking.positives @ ranking.below), first, ties.by_group(inside))
    sizes = [group_sums(unit, one) for one in (y, 1.0 - y)]
    classes = [Polynomial(float(sums.sum()), sums, np.zeros(first.size)) for sums in sizes]
    return quotient_bend(pairs, classes, power=1.0)


# -- average precision ------------------------------------------------------------------------------


class AveragePrecision(_BinaryRanking):
    """Average precision: the precision at each threshold, weighted by the recall it adds.

    Tied scores share one threshold and nothing is interpolated, as in scikit-learn. Undefined (NaN) on a
    resample without positive items.

    >>> metric = AveragePrecision("average_precision")
    >>> ranking = metric.prepare(np.array([0, 1, 1]), np.array([0.6, 0.4, 0.8]))
    >>> metric.weighted(ranking, np.array([[1, 1, 1]])).round(4)
    array([0.8333])
    """

    def _vectorised(self, prepared: Ranking, counts: Array) -> FloatArray:
        # The sum over thresholds of precision, positives over items up to there, times the positives added.
        # A threshold without a positive item adds nothing: only groups of ties that hold one are looked at.
        items, last, ends = prepared.thresholds
        in_order = counts.take(prepared.order, axis=1)
        up_to = np.cumsum(in_order.take(items, axis=1), axis=1, dtype=np.int64)[:, last].astype(np.float64)
        everything = np.cumsum(in_order, axis=1, dtype=np.int64).take(ends, axis=1)
        shares = up_to / np.maximum(everything, 1)
        number = up_to[:, -1]
        shares *= np.diff(up_to, axis=1, prepend=0.0)
        area = shares.sum(axis=1)
        return np.where(number > 0, area / np.maximum(number, 1), np.nan)

    def derivatives(self, prepared: Ranking) -> WeightDerivatives:
        """Return the derivatives by the weights of the items."""
        return dataclasses.replace(
            average_precision_derivatives(prepared),
            second_of_groups=partial(average_precision_by_group, prepared),
        )


def average_precision_derivatives(ranking: Ranking) -> WeightDerivatives:
    """Return the derivatives of average precision."""
    # With t_j true positives among s_j items up to threshold j, and p_j of the positives there, the score is
    # A = sum of p_j t_j / s_j, over the number of positives. One more item i changes t_j (if positive) and
    # s_j at its own threshold and all lower ones, so that the derivative of the sum is y_i sum of p_j / s_j -
    # sum of p_j t_j / s_j^2 over these, plus y_i times the precision at its own.
    at, place = ranking.at_positions, places_in(ranking.order)

    def thresholds() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the positive items of each, and those and all items at or above it; and the precision."""
        positives, size = ranking.positives, (np.flatnonzero(ranking.last) + 1).astype(np.float64)
        true: FloatArray = np.cumsum(positives)
        return positives, true, size, true / size

    positives, true, size, precision = thresholds()
    total = float(true[-1])
    score = float(positives @ precision) / total
    y = ranking.positive.astype(np.float64)
    # Sums over the positive items at thresholds at or below that of an item.
    once, gain = (at(from_here(positives * term)) for term in (1.0 / size, precision / size))
    first = ((y * once - gain + y * at(precision) - score * y) / total).take(place)

    def second() -> FloatArray:
        positives, _, size, precision = thresholds()
        y, in_order = ranking.positive.astype(np.float64), first.take(ranking.order)
        terms = (1.0 / size**2, precision / size**2)
        once, gain = (at(from_here(positives * term)) for term in terms)
        bend = -2.0 * (y * once - gain) + 2.0 * y * (y - at(precision)) / at(size)
        bends: FloatArray = ((bend - 2.0 * in_order * y) / total).take(place)
        return bends

    def path(change: FloatArray) -> ScorePath:
        c = change.take(ranking.order)
        items, last, ends = ranking.thresholds  # others than those of positive items add nothing
        true, size = np.flatnonzero(last) + 1.0, ends + 1.0
        more_true, more_size = np.cumsum(c.take(items))[last], np.cumsum(c).take(ends)
        positives, more_positives = (np.diff(one, prepend=0.0) for one in (true, more_true))

        def along(multiples: FloatArray) -> FloatArray:
            gains = np.zeros(multiples.size)
            for part in chunks(true.size):
                for i, multiple in enumerate(multiples.tolist()):
                    shares = true[part] + multiple * more_true[part]
                    everything = size[part] + multiple * more_size[part]
                    everything[everything <= 0.0] = np.inf
                    shares /= everything
                    shares *= positives[part] + multiple * more_positives[part]
                    gains[i] += shares.sum()  # pairwise, as second derivatives by steps magnify rounding
            return quotients(gains, total + multiples * more_positives.sum())

        return along

    return WeightDerivatives(first, second, path, scarce=(ranking.positive == 1).take(place))


def average_precision_by_group(ranking: Ranking, of: IntArray) -> FloatArray:
    """Return the second derivatives of average precision by the weight of each group, shape (G,)."""
    # The changes of a group are steps at its own items: sums over the thresholds from one of these to the
    # next are differences of sums over all thresholds from there.
    y, unit, positives = ranking.positive.astype(np.float64), of[ranking.order], ranking.positives
    true, size = np.cumsum(positives), np.flatnonzero(ranking.last) + 1.0
    ties = GroupValues.from_items(unit, np.cumsum(ranking.last) - ranking.last)
    more_positives, more_items = ties.mass(y), ties.mass(np.ones(y.size))
    more_true = ties.before(more_positives) + more_positives
    more_size = ties.before(more_items) + more_items

    def summed(terms: FloatArray, factors: FloatArray) -> FloatArray:
        """Return sums of terms of the thresholds, from each of a group to its next one, times its factor."""
        return ties.by_group(ties.until_next(from_here(terms)) * factors)

    # (p + e dp) (t + e dt) / (s + e ds) at each threshold, in powers of e up to the second.
    at = ties.values
    moved = more_true / size[at] - true[at] * more_size / size[at] ** 2
    first = summed(positives / size, more_true) - summed(positives * true / size**2, more_size)
    first += ties.by_group(more_positives * (true / size)[at])
    second = ties.by_group(more_positives * moved)
    second += summed(positives * true / size**3, more_size**2)
    second -= summed(positives / size**2, more_true * more_size)
    gains = Polynomial(float(positives @ (true / size)), first, second)
    total = Polynomial(float(true[-1]), group_sums(unit, y), np.zeros(first.size))
    return quotient_bend(gains, [total], power=1.0)


# -- names ------------------------------------------------------------------------------------------

NAMES: Names = {
    "roc_auc": ("area under the ROC curve; the greater gold label is positive", RocAuc),
    "average_precision": (
        "average precision; the greater gold label is positive",
        AveragePrecision,
    ),
}

WITH_LABEL: Patterns = {
    "roc_auc": ("area under the ROC curve of one class against the others", RocAuc),
    "average_precision": ("average precision of one class against the others", AveragePrecision),
}

SUGGESTIONS = {"ap": "average_precision", "auc": "roc_auc", "auroc": "roc_auc"}
