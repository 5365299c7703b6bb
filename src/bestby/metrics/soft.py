"""Metrics of soft labels: losses and divergences, calibration, entropies, fuzzy F1, ordered classes.

Gold and predictions are distributions over the same K classes, one row per item. A hard label is the one-hot
row of its class, so each metric takes hard systems against soft gold and soft systems against hard gold,
too. Logarithms are natural (nats) unless the name says bits. A probability inside a logarithm is raised to at
least 1e-12: a class that a system holds impossible costs 27.6 nats, not infinitely much. The clip is that of
BooStSa; scikit-learn's ``log_loss`` clips at 2.2e-16 (36.0 nats). Where a system gives 0 to what the gold
has, its score says more about the clip than about the system.
"""

from __future__ import annotations

import dataclasses
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.metrics._items import marked, printed_labels, required_gold
from bestby.metrics.base import BaseMetric, MeanMetric, Metric, Names, Patterns, StandardisedMetric
from bestby.metrics.classification import MOST_LABELS, OneClass, Part, dot, over_classes, unfitted
from bestby.metrics.correlation import Pearson
from bestby.metrics.probabilities import distributions, with_both_classes
from bestby.results.base import Note

CLIP: Final = 1e-12
"""Probabilities inside logarithms are raised to this, so that a class held impossible costs 27.6 nats."""

LEAST: Final = float(np.finfo(np.float64).tiny)
"""The least normal number: what stands for 0 where a factor 0 outside makes the term 0 anyway."""


class PerItem(MeanMetric):
    """The mean of one number per item, computed from a row of the gold and a row of the predictions."""

    reads = "distributions"

    @abstractmethod
    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the number of each item, shape (n,), up to rounding."""

    def values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the number of each item."""
        # Rows may miss 1 by the rounding they came with, and the number its bounds by as much. Adding 0
        # turns -0 into 0.
        return np.clip(self.row_values(gold, predictions), *self.bounds) + 0.0


def clipped_log(p: FloatArray) -> FloatArray:
    """Return the natural logarithm of probabilities raised to `CLIP`.

    >>> clipped_log(np.array([0.0, 0.5, 1.0])).round(2)
    array([-27.63,  -0.69,   0.  ])
    """
    return np.log(np.maximum(p, CLIP))


# -- losses and divergences -------------------------------------------------------------------------


class _Clipped(PerItem):
    """A mean of logarithms, which are clipped; where they are is said."""

    reverse: bool = False

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on probabilities of 0 where the other distribution has more."""
        return _clip_notes(self, evaluation, reverse=self.reverse)


def _clip_notes(metric: PerItem, evaluation: Evaluation, *, reverse: bool = False) -> list[Note]:
    """Return a note on the systems whose score is partly the clip of logarithms, and how much of it."""
    rows = distributions(evaluation, metric.name)
    gold, systems = (np.empty((0, 0)), {}) if rows is None else rows
    shares = []
    for name, predictions in systems.items():
        p, q = (predictions, gold) if reverse else (gold, predictions)
        clipped = (p > 0.0) & (q < CLIP)
        n = int(clipped.any(axis=1).sum())
        if n:
            amount = -np.log(CLIP) * float(np.where(clipped, p, 0.0).sum()) / len(p)
            score = float(metric.values(gold, predictions).mean())
            shares.append(f"{name} on {n} of {len(p)} items, which makes {amount:.3g} of its {score:.3g}")
    if not shares:
        return []
    where = "the gold is 0 where a system has more" if reverse else "a system gives 0 where the gold is"
    message = (
        f"{metric.name} counts a probability of 0 as {CLIP:g}, which costs {-np.log(CLIP):.1f} nats, and"
        f" {where}: {listed(shares, 5)}. Another clip would give another score; brier needs none"
    )
    return [Note("probability_of_zero", message, (metric.name,))]


class CrossEntropy(_Clipped):
    """The mean cross-entropy of the predictions q under the gold p, in nats; lower is better.

    ``-sum_k p_k log q_k``, q raised to at least 1e-12. Its least value is the entropy of the gold, not 0 (Uma
    et al. 2021, Learning from disagreement: a survey, JAIR 72, 1385-1470).

    >>> gold = np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> CrossEntropy().values(gold, np.array([[0.5, 0.5], [0.5, 0.5]])).round(4)
    array([0.6931, 0.6931])
    """

    name = "cross_entropy"
    greater_is_better = False
    bounds = (0.0, np.inf)

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the cross-entropies."""
        # -sum of p_k log q_k. A class with p_k = 0 adds 0 times a finite number, thanks to the clip.
        return -dot(gold, clipped_log(predictions))


class LogLoss(_Clipped):
    """The mean negative logarithm of the probability of the gold class, in nats; lower is better.

    Cross-entropy for a hard gold (an error if the gold is soft), the probability raised to at least 1e-12
    (Good 1952, Rational decisions, J. R. Statist. Soc. B 14, 107-114).

    >>> gold, predictions = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> LogLoss().fit(gold, [predictions], None).values(gold, predictions).round(4)
    array([ 0.6931, 27.631 ])
    """

    name = "log_loss"
    greater_is_better = False
    bounds = (0.0, np.inf)

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric, having seen that the gold is hard."""
        rows = required_gold(gold, self.name, "gold labels")
        soft = ((rows != 0.0) & (rows != 1.0)).any(axis=1)
        if soft.any():
            first = int(np.argmax(soft))
            shown = ", ".join(f"{p:.3g}" for p in rows[first, :5]) + (", ..." if rows.shape[1] > 5 else "")
            raise InvalidInputError(
                f"{self.name} needs one gold class per item, but {int(soft.sum())} of {len(rows)} rows of the"
                f" gold are soft; first: gold[{first}] is ({shown})",
                hint="use cross_entropy, which is the same for hard gold and takes soft gold too",
            )
        return self

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the negative logarithms."""
        return -clipped_log(dot(gold, predictions))


@dataclass(frozen=True, repr=False)
class KullbackLeibler(_Clipped):
    """The mean Kullback-Leibler divergence between gold p and predictions q, in nats; lower is better.

    ``KL(p || q) = sum_k p_k log(p_k / q_k)``, or with `reverse` ``KL(q || p)`` (Kullback & Leibler 1951, Ann.
    Math. Statist. 22, 79-86). Forward it is cross-entropy minus the entropy of the gold; all systems differ
    in both by the same amounts. Reverse, a gold made of few annotators is full of zeros, and the clip at
    1e-12 decides much of the result.
    """

    name: str = "kl_divergence"
    reverse: bool = False
    greater_is_better = False
    bounds = (0.0, np.inf)

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the divergences."""
        # sum of p_k log(p_k / q_k), both clipped: where p_k is 0 so is the term.
        p, q = (predictions, gold) if self.reverse else (gold, predictions)
        return dot(p, clipped_log(p) - clipped_log(q))


LN2: Final = float(np.log(2.0))


class JensenShannon(PerItem):
    """The mean Jensen-Shannon divergence, in nats; lower is better.

    ``KL(p || m) / 2 + KL(q || m) / 2`` with ``m = (p + q) / 2``: symmetric, between 0 and ln 2, and finite
    without a clip (Lin 1991, IEEE Trans. Inf. Theory 37, 145-151). `JensenShannonDistance` is what other
    tools report under this name.

    >>> gold = np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> JensenShannon().values(gold, np.array([[0.0, 1.0], [0.5, 0.5]])).round(4)
    array([0.6931, 0.    ])
    """

    name = "js_divergence"
    greater_is_better = False
    bounds = (0.0, LN2)

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the divergences."""
        return _jensen_shannon(gold, predictions)


class JensenShannonBits(PerItem):
    """The mean Jensen-Shannon divergence, in bits: `JensenShannon` over ln 2, between 0 and 1.

    >>> JensenShannonBits().values(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.])
    """

    name = "js_divergence_bits"
    greater_is_better = False
    bounds = (0.0, 1.0)

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the divergences."""
        return _jensen_shannon(gold, predictions) / LN2


class JensenShannonDistance(PerItem):
    """The mean Jensen-Shannon distance; lower is better.

    The mean over the items of the root of the divergence in nats, a metric in the mathematical sense (Endres
    & Schindelin 2003, IEEE Trans. Inf. Theory 49, 1858-1860). It is what
    ``scipy.spatial.distance.jensenshannon`` returns, and what BooStSa (0.2.13) reports as ``jsd``.

    >>> JensenShannonDistance().values(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])).round(4)
    array([0.8326])
    """

    name = "js_distance"
    greater_is_better = False
    bounds = (0.0, float(np.sqrt(LN2)))

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the distances."""
        # Rounding may leave the divergence of equal distributions a little below 0.
        return np.sqrt(np.maximum(_jensen_shannon(gold, predictions), 0.0))


_ABOVE_MINUS_ONE = float(np.nextafter(-1.0, 0.0))
"""The least number whose log1p is finite."""


def _jensen_shannon(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the divergences in nats."""
    # With m = (p + q) / 2 and t = (p - q) / (p + q), p / m is 1 + t and q / m is 1 - t: log1p keeps the
    # digits of small differences that logarithms of ratios near 1 lose, and swapping p and q changes no bit.
    t = (p - q) / np.maximum(p + q, LEAST)
    # Where t is -1 (or 1) p (or q) is 0 and so is its term.
    from_p = dot(p, np.log1p(np.maximum(t, _ABOVE_MINUS_ONE)))
    from_q = dot(q, np.log1p(np.maximum(-t, _ABOVE_MINUS_ONE)))
    return 0.5 * (from_p + from_q)


class Brier(PerItem):
    """The Brier score for any number of classes; lower is better.

    The sum over the classes of the squared differences of the probabilities, between 0 and 2 (Brier 1950,
    Monthly Weather Review 78, 1-3, eq. 2); for two classes twice the score of one of them that
    ``sklearn.metrics.brier_score_loss`` gives.
    """

    name = "brier"
    greater_is_better = False
    bounds = (0.0, 2.0)

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on the scale, if there are two classes."""
        both, _ = with_both_classes(evaluation, self.name)
        classes = both.classes
        if classes is None and "" in both.coded:
            classes = both.coded[""][0]
        if classes is None or classes.size != 2:
            return []
        message = (
            f"{self.name} is the sum over both classes: twice the score of one class that"
            " brier_score_loss of scikit-learn gives"
        )
        return [Note("brier_of_both_classes", message, (self.name,))]

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the sums of squares."""
        difference = gold - predictions
        return dot(difference, difference)


class SoftAccuracy(PerItem):
    """The mean of the probability that gold and predictions share: ``sum_k min(p_k, q_k)``.

    One minus their total variation. On hard labels it is accuracy; with soft labels it is also precision,
    recall and F1 over all classes together, in the sense of `bestby.metrics.soft` (Harju & Mesaros
    2023, DCASE Workshop, 46-50).

    >>> gold = np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> SoftAccuracy().values(gold, np.array([[0.0, 1.0], [0.75, 0.25]]))
    array([0.  , 0.75])
    """

    name = "soft_accuracy"
    bounds = (0.0, 1.0)

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return what is shared."""
        return over_classes(np.minimum(gold, predictions))


# -- calibration ------------------------------------------------------------------------------------

MOST_CONFIDENCE_BINS = 1000
"""Bins that probabilities are cut into at most: each is two statistics of every item."""

MEMBER = 1e-12
"""What every item of a bin has at least in the column of variances."""


@dataclass(frozen=True, repr=False)
class ExpectedCalibrationError(Metric):
    """The expected calibration error of the most probable class; lower is better.

    Items are put into equal-width bins by the probability of the class predicted (the most probable one; of
    equals, the first): bin b of M takes those above (b - 1) / M and up to b / M. The score is the mean over
    the items of the absolute difference between the mean probability and the accuracy in their bin (Naeini,
    Cooper & Hauskrecht 2015, AAAI, 2901-2907; Guo et al. 2017, ICML, section 2). Against soft gold, the
    accuracy of an item is the gold probability of the class predicted.

    It is biased upward, the more the fewer the items and the more the bins, and resamples have more of this
    bias than the data (Roelofs et al. 2022, AISTATS, 4036-4054). Its intervals therefore allow for the noise
    in each bin (`bestby.engine.calibration_error`), whichever interval is asked for; beside the score is
    what a calibrated system of the same probabilities would have. The permutation test keeps its level. And a
    system that always predicts the most frequent class, with its frequency, has the value 0: `brier` and
    `cross_entropy` compare systems better.

    >>> metric = ExpectedCalibrationError()
    >>> gold = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    >>> predictions = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.6, 0.4]])
    >>> float(metric.score(metric.statistics(gold, predictions).sum(axis=0)).round(4))
    0.275
    """

    name: str = "ece"
    n_bins: int = 15
    greater_is_better = False
    bounds = (0.0, 1.0)
    reads = "distributions"
    caution: str | None = (
        "calibration errors are biased upward, most for well-calibrated systems and few items: the interval"
        " allows for that, and the score does not; brier and cross_entropy have no such bias"
    )

    def __post_init__(self) -> None:
        if not 1 <= self.n_bins <= MOST_CONFIDENCE_BINS:
            raise InvalidInputError(
                f"{self.name} must have 1 to {MOST_CONFIDENCE_BINS} bins, got {self.n_bins}",
                hint="write ece for 15 bins, ece@10 for ten",
            )

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the accuracy minus the probability of each item in the column of its bin, and 1.

        Columns between these hold the variance of a right answer if the probability is true, for the
        interval.
        """
        # The score is sum over bins of |sum of (accuracy - confidence)| / n: one signed column per bin.
        items = np.arange(len(predictions))
        predicted = predictions.argmax(axis=1)
        confidence, right = predictions[items, predicted], gold[items, predicted]
        # Bin b of M holds (b - 1) / M < p <= b / M, as Guo et al. (2017) have it: an edge is in the lower
        # bin.
        edges = np.arange(1, self.n_bins) / self.n_bins
        places = np.searchsorted(edges, confidence, side="left")
        rows = np.zeros((items.size, 2 * self.n_bins + 1))
        rows[items, places] = right - confidence
        # p (1 - p) for a hard gold; probabilities of a soft gold vary less, by an amount that nobody knows. A
        # little above 0 at least, which marks the items of a bin.
        hard = (right == 0.0) | (right == 1.0)
        rows[items, self.n_bins + places] = np.where(hard, confidence * (1.0 - confidence), 0.0) + MEMBER
        rows[:, -1] = 1.0
        return rows

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the sum over the bins of the absolute differences, over the number of items."""
        error: FloatArray = np.einsum("...b->...", np.abs(totals[..., : self.n_bins])) / totals[..., -1]
        return error


def _with_bins(name: str, number: str) -> BaseMetric:
    if not re.fullmatch("[0-9]{1,9}", number):
        raise InvalidInputError(
            f"a whole number must follow the @, got {name!r}", hint="write it as in ece@10"
        )
    return ExpectedCalibrationError(name, int(number))


# -- entropies --------------------------------------------------------------------------------------


def normalised_entropies(p: FloatArray) -> FloatArray:
    """Return the entropy of each row over log K: from 0 (certain) to 1 (all classes alike).

    >>> normalised_entropies(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([0., 1.])
    """
    greatest = np.log(max(p.shape[-1], 2))  # with a single class there is no entropy, whatever the scale
    # p log p is 0 where p is 0: any finite logarithm will do there. 0.0 - x, so that none is -0.
    entropies: FloatArray = 0.0 - dot(p, np.log(np.maximum(p, LEAST))) / greatest
    return entropies


_LEAST_SQUARE = 1e-10
"""Sum of squares below which it is rounding, where the mean square of the full data is 1."""


@dataclass(frozen=True, repr=False)
class EntropySimilarity(StandardisedMetric):
    """The cosine between the entropies of the gold and those of the predictions.

    Each side is a vector with one entry per item, the entropy of its distribution over log K (Uma et al.
    2021, JAIR 72, 1385-1470). The entropies are never negative, so neither is the cosine, and predictions
    that have nothing to do with the gold easily reach 0.9. `EntropyCorrelation` leaves the means out.

    Before they are squared, the entropies of each side are divided by their root mean square on the full
    data, `scale` and the second of each of `locations`, so that `statistics` must be given whole columns. The
    test ``"permutation"`` swaps the entropies as they are, ``"permutation-standardised"`` those divided.
    Undefined (NaN) on a resample in which a side has no entropy.
    """

    name: str = "entropy_similarity"
    scale: float = 1.0
    locations: tuple[tuple[float, float], ...] = ()
    bounds = (0.0, 1.0)
    reads = "distributions"
    standard_column = 1

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the scales of the gold and the systems fixed."""
        entropies = normalised_entropies(required_gold(gold, self.name, "gold labels"))
        sizes = [_root_mean_square(normalised_entropies(predictions)) for predictions in systems]
        return dataclasses.replace(
            self, scale=self._size("the gold has", entropies), locations=tuple((0.0, size) for size in sizes)
        )

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the product of the scaled entropies and their squares."""
        y = normalised_entropies(gold) / self.scale
        x = normalised_entropies(predictions)
        x = x / self._size("the predictions have", x)
        return np.column_stack([x * y, x * x, y * y])

    def standard_scores(self, column: FloatArray) -> FloatArray:
        """Return the roots of the squares: entropies are not negative."""
        return np.sqrt(column)

    def on_scale(self, rows: FloatArray, system: int, centre: float, scale: float) -> FloatArray:  # noqa: ARG002
        """Return the statistics of the entropies divided by `scale`; the centre is always 0."""
        # Entropies of a system were divided by its own scale: back to theirs, then by the shared one.
        factor = self.locations[system][1] / scale
        xy, xx, yy = rows.T
        return np.column_stack([factor * xy, factor * factor * xx, yy])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the cosine; NaN where a side has no entropy."""
        # sum of x y / (sqrt(sum of x^2) sqrt(sum of y^2)); the root of the product could overflow.
        xy, xx, yy = np.moveaxis(totals, -1, 0)
        defined = (xx > _LEAST_SQUARE) & (yy > _LEAST_SQUARE)
        norms = np.sqrt(np.where(defined, xx, 1.0)) * np.sqrt(np.where(defined, yy, 1.0))
        return np.where(defined, np.clip(xy / norms, 0.0, 1.0), np.nan)

    def _size(self, what: str, entropies: FloatArray) -> float:
        if rounding.is_nothing(entropies.max(), 1.0):
            raise InvalidInputError(
                f"{self.name} is undefined: {what} no entropy (every item is certain of its class)",
                hint="use cross_entropy, js_divergence or soft_accuracy, which take hard labels too",
            )
        return _root_mean_square(entropies)


def _root_mean_square(entropies: FloatArray) -> float:
    return float(np.sqrt(np.mean(entropies * entropies)))


@dataclass(frozen=True, repr=False)
class EntropyCorrelation(Pearson):
    """Pearson's correlation between the entropies of the gold and those of the predictions.

    Whether a system is less certain on the items on which the annotators agree less, whatever its certainty
    on the whole (Uma et al. 2021, JAIR 72, 1385-1470). Undefined (NaN) on a resample in which a side has the
    same entropy on all items. Entropies are centred and scaled as `Pearson` does with numbers, and swapped as
    they are.
    """

    name: str = "entropy_correlation"
    reads = "distributions"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:
        """Return the metric with the centre and scale of the entropies of the gold fixed."""
        entropies = self._varying(
            "the gold has", normalised_entropies(required_gold(gold, self.name, "gold labels"))
        )
        return super().fit(entropies, [normalised_entropies(predictions) for predictions in systems], labels)

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return standard scores of the entropies, their squares, their product and 1."""
        entropies = self._varying("the predictions have", normalised_entropies(predictions))
        return super().statistics(normalised_entropies(gold), entropies)

    def _varying(self, what: str, entropies: FloatArray) -> FloatArray:
        if rounding.is_nothing(np.ptp(entropies), 1.0):
            raise InvalidInputError(
                f"{self.name} is undefined: {what} the same entropy on all items"
                f" ({entropies[0]:.3g} of the greatest)",
                hint="use cross_entropy, js_divergence or soft_accuracy, which need no variation",
            )
        return entropies


# -- fuzzy precision and recall ---------------------------------------------------------------------

# The labels of a class are a fuzzy set of items (Harju & Mesaros 2023, Evaluating classification systems
# against soft labels with fuzzy precision and recall, DCASE Workshop, 46-50). Gold and predictions share the
# sum over the items of min(p_ik, q_ik) of class k. Precision is that over the sum of q_ik, recall over the
# sum of p_ik, F1 their harmonic mean. On hard labels they are the usual ones. 0/0 counts as 0.


_WHY: dict[Part, str] = {
    "precision": "no prediction gives it any probability",
    "recall": "the gold gives it no probability",
    "f1": "neither gold nor predictions give it any probability",
}


@dataclass(frozen=True, repr=False)
class SoftOneClass(OneClass):
    """Fuzzy precision, recall or F1 of one class; `fit` sets `position`, its column.

    >>> gold, predictions = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.75, 0.25]])
    >>> metric = SoftOneClass("soft_f1[a]", "f1", "a").fit(gold, [predictions], np.array(["a", "b"]))
    >>> metric.statistics(gold, predictions).sum(axis=0)
    array([1.  , 1.25])
    >>> float(metric.score(metric.statistics(gold, predictions).sum(axis=0)))
    0.8
    """

    reads = "distributions"

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return what is shared, and what it is measured against."""
        if self.position is None:
            raise unfitted(self.name)
        p, q = gold[:, self.position], predictions[:, self.position]
        return np.column_stack([np.minimum(p, q), _size(self.part, p, q)])

    def possible_rows(self) -> FloatArray | None:
        """Return those of gold and predictions that are certain of this class or of another."""
        assert self.position is not None  # fitted
        return _certain_rows(self, np.eye(self.position + 2)[self.position :])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the ratio of the totals."""
        return _ratio(totals[..., 0], totals[..., 1])

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if the score is 0/0."""
        if totals[1] > rounding.SPREAD:
            return None
        return f"{self.name} is 0/0 ({self.label!r}: {_WHY[self.part]}) and counts as 0"


@dataclass(frozen=True, repr=False)
class SoftMacro(Metric):
    """Fuzzy precision, recall or F1, every class counting the same; `fit` sets `labels`, the classes.

    >>> gold, predictions = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.25, 0.75], [0.75, 0.25]])
    >>> metric = SoftMacro("soft_recall_macro", "recall").fit(gold, [predictions], np.array(["a", "b"]))
    >>> metric.statistics(gold, predictions).sum(axis=0)
    array([1. , 0.5, 1.5, 0.5])
    >>> float(metric.score(metric.statistics(gold, predictions).sum(axis=0)).round(4))
    0.8333
    """

    name: str
    part: Part
    labels: tuple[str, ...] = ()
    bounds = (0.0, 1.0)
    reads = "distributions"

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the classes fixed."""
        return dataclasses.replace(self, labels=printed_labels(self.name, labels))

    def statistics(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return per class what is shared, then per class what it is measured against."""
        if not self.labels:
            raise unfitted(self.name)
        shared = np.minimum(gold, predictions)
        return np.concatenate([shared, _size(self.part, gold, predictions)], axis=1)

    def possible_rows(self) -> FloatArray | None:
        """Return those of gold and predictions that are certain of some class."""
        return _certain_rows(self, np.eye(len(self.labels)))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the mean over the classes."""
        k = len(self.labels)
        return over_classes(_ratio(totals[..., :k], totals[..., k:])) / k

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence naming the classes whose part is 0/0."""
        empty = totals[len(self.labels) :] <= rounding.SPREAD
        if not empty.any():
            return None
        classes = marked(self.labels, empty)
        return f"{self.part} of {classes} is 0/0 ({_WHY[self.part]}) and counts as 0 in {self.name}"


def _certain_rows(metric: Metric, certain: FloatArray) -> FloatArray | None:
    """Return the rows of each of some golds with each prediction, shape (m, m, k); None if too many."""
    # Rows of less certain labels lie between those of certain ones, which are therefore the extreme rows.
    m = len(certain)
    if m > MOST_LABELS:
        return None
    rows = metric.statistics(np.repeat(certain, m, axis=0), np.tile(certain, (m, 1)))
    return rows.reshape(m, m, -1)


def _size(part: Part, gold: FloatArray, predictions: FloatArray) -> FloatArray:
    """Return what the shared part is divided by."""
    # F1 = 2 shared / (sum of p + sum of q) is shared over half of both.
    if part == "f1":
        return 0.5 * (gold + predictions)
    return predictions if part == "precision" else gold


def _ratio(shared: FloatArray, size: FloatArray) -> FloatArray:
    """Divide; 0 where there is nothing to divide by."""
    there = size > rounding.SPREAD
    return np.where(there, shared / np.where(there, size, 1.0), 0.0)


# -- ordered classes --------------------------------------------------------------------------------

# Positions are 0 to K - 1, in the order in which the classes are named; without names, that of the alphabet.


@dataclass(frozen=True, repr=False)
class _Ordered(PerItem):
    """What the metrics of ordered classes share: `fit` sets their greatest value, K - 1."""

    name: str = ""
    bounds: tuple[float, float] = (0.0, np.inf)
    greater_is_better = False
    ordered = True

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the greatest value fixed."""
        return dataclasses.replace(
            self, bounds=(0.0, required_gold(gold, self.name, "gold labels").shape[1] - 1.0)
        )


class OrdinalMAE(_Ordered):
    """The mean absolute difference of the expected positions; lower is better.

    ``|sum_k k p_k - sum_k k q_k|``, positions counted from 0 (Gaudette & Japkowicz 2009, Evaluation methods
    for ordinal classification, Canadian AI, 207-210). It sees the means only: one who is sure of the middle
    and one who is torn between the ends do not differ. `EarthMover` tells them apart.

    >>> gold = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    >>> OrdinalMAE("ordinal_mae").values(gold, np.array([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0]]))
    array([1.5, 0. ])
    """

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the absolute differences."""
        # The difference of the expected positions, from that of the distributions: one sum, not two.
        positions = np.arange(gold.shape[1], dtype=np.float64)
        return np.abs(over_classes((gold - predictions) * positions))


class EarthMover(_Ordered):
    """The mean earth mover's distance; lower is better.

    The least probability times steps that turns one distribution into the other: ``sum_k |P_k - Q_k|`` over
    the cumulative distributions (the first Wasserstein distance; the match distance of Werman, Peleg &
    Rosenfeld 1985, Computer Vision, Graphics, and Image Processing 32, 328-336). On hard labels it is the
    mean absolute error of the positions. Over K - 1 it is the normalised match distance of Sakai (2021, ACL,
    2759-2769).

    >>> gold = np.array([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5]])
    >>> EarthMover("emd").values(gold, np.array([[0.0, 0.5, 0.5], [0.0, 1.0, 0.0]]))
    array([1.5, 1. ])
    """

    def row_values(self, gold: FloatArray, predictions: FloatArray) -> FloatArray:
        """Return the distances."""
        # What must pass from class k to k + 1 is the difference of the cumulative distributions there. The
        # last one is 1 on both sides.
        moved = np.cumsum(gold[:, :-1] - predictions[:, :-1], axis=1)
        return over_classes(np.abs(moved))


# -- names ------------------------------------------------------------------------------------------

_TITLES: dict[Part, str] = {"precision": "precision", "recall": "recall", "f1": "F1"}


def _one_class(part: Part, name: str, label: str) -> SoftOneClass:
    return SoftOneClass(name, part, label)


NAMES: Names = {
    "cross_entropy": ("cross-entropy under the gold, in nats", lambda _: CrossEntropy()),
    "log_loss": ("negative logarithm of the probability of a hard gold", lambda _: LogLoss()),
    "kl_divergence": ("Kullback-Leibler divergence of the predictions from the gold", KullbackLeibler),
    "kl_divergence_reverse": (
        "Kullback-Leibler divergence of the gold from the predictions",
        lambda name: KullbackLeibler(name, reverse=True),
    ),
    "js_divergence": ("Jensen-Shannon divergence, in nats", lambda _: JensenShannon()),
    "js_divergence_bits": ("Jensen-Shannon divergence, in bits", lambda _: JensenShannonBits()),
    "js_distance": (
        "root of each item's Jensen-Shannon divergence in nats",
        lambda _: JensenShannonDistance(),
    ),
    "brier": ("Brier score, the sum over all classes", lambda _: Brier()),
    "soft_accuracy": ("probability that gold and predictions share", lambda _: SoftAccuracy()),
    "ece": ("expected calibration error, in 15 bins; ece@10 for ten", ExpectedCalibrationError),
    "entropy_similarity": ("cosine of the entropies of gold and predictions", EntropySimilarity),
    "entropy_correlation": (
        "linear correlation of the entropies of gold and predictions",
        EntropyCorrelation,
    ),
    **{
        f"soft_{part}_macro": (
            f"fuzzy {title} of soft labels, every class counting the same",
            partial(SoftMacro, part=part),
        )
        for part, title in _TITLES.items()
    },
    "ordinal_mae": ("absolute difference of the expected positions of ordered classes", OrdinalMAE),
    "emd": ("earth mover's distance between ordered classes", EarthMover),
}

PATTERNS: Patterns = {"ece": ("expected calibration error, with so many bins", _with_bins)}

WITH_LABEL: Patterns = {
    f"soft_{part}": (f"fuzzy {title} of one class of soft labels", partial(_one_class, part))
    for part, title in _TITLES.items()
}

SUGGESTIONS = {
    "brier_score": "brier",
    "ce": "cross_entropy",
    "crossentropy": "cross_entropy",
    "jensen_shannon": "js_divergence",
    "js": "js_divergence",
    "jsd": "js_distance",
    "kl": "kl_divergence",
    "kld": "kl_divergence",
    "kullback_leibler": "kl_divergence",
    "neg_brier_score": "brier",
    "neg_log_loss": "log_loss",
    "nll": "log_loss",
    "total_variation": "soft_accuracy",
    "calibration": "ece",
    "calibration_error": "ece",
    "cor": "entropy_correlation",
    "sim": "entropy_similarity",
    "earth_mover": "emd",
    "earth_movers_distance": "emd",
    "wasserstein": "emd",
}
