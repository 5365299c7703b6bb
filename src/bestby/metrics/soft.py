"""Metrics of soft labels that are means of one number per item: losses, divergences, soft accuracy.

Gold and predictions are distributions over the same K classes, one row per item. A hard label is the one-hot
row of its class, so each metric takes hard systems against soft gold and soft systems against hard gold,
too. Logarithms are natural (nats) unless the name says bits. A probability inside a logarithm is raised to at
least 1e-12: a class that a system holds impossible costs 27.6 nats, not infinitely much. The clip is that of
BooStSa; scikit-learn's ``log_loss`` clips at 2.2e-16 (36.0 nats). Where a system gives 0 to what the gold
has, its score says more about the clip than about the system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.data.evaluation import Evaluation
from bestby.data.roles import listed
from bestby.metrics._distributions import CLIP, LEAST, PerItem, clipped_log, dot, over_classes
from bestby.metrics._items import required_gold
from bestby.metrics.base import Names
from bestby.metrics.probabilities import distributions, with_both_classes
from bestby.results.base import Note

LN2: Final = float(np.log(2.0))

_ABOVE_MINUS_ONE = float(np.nextafter(-1.0, 0.0))


class _Clipped(PerItem):
    """A mean of logarithms, which are clipped; where they are is said."""

    reverse: bool = False

    def reading_notes(self, evaluation: Evaluation) -> list[Note]:
        """Return a note on probabilities of 0 where the other distribution has more."""
        return _clip_notes(self, evaluation, reverse=self.reverse)


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
        p, q = (predictions, gold) if self.reverse else (gold, predictions)
        return dot(p, clipped_log(p) - clipped_log(q))


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
        return np.sqrt(np.maximum(_jensen_shannon(gold, predictions), 0.0))


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
    recall and F1 over all classes together, in the sense of `bestby.metrics.soft_classes` (Harju & Mesaros
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


def _jensen_shannon(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the divergences in nats.

    With t = (p - q) / (p + q), p / m is 1 + t and q / m is 1 - t: log1p keeps the digits of small differences
    that logarithms of ratios near 1 lose, and swapping p and q changes no bit.
    """
    t = (p - q) / np.maximum(p + q, LEAST)
    # Where t is -1 (or 1) p (or q) is 0 and so is its term.
    from_p = dot(p, np.log1p(np.maximum(t, _ABOVE_MINUS_ONE)))
    from_q = dot(q, np.log1p(np.maximum(-t, _ABOVE_MINUS_ONE)))
    return 0.5 * (from_p + from_q)


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
}
