"""Coefficients of agreement as functions of sums over items: kappas, AC1 and AC2, intraclass correlations.

Labels are codes, shape (n, A): a row per item and a column per annotator, -1 where one gave no label.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.metrics.agreement import (
    Agreement,
    FleissKappa,
    IntervalAlpha,
    NominalAlpha,
    OrdinalAlpha,
    RatioAlpha,
)

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""What labels mean: names, ranks, numbers with differences, or numbers with ratios."""

Shares: TypeAlias = tuple[FloatArray, FloatArray]
"""The observed and the expected agreement, or the two parts that a coefficient is made of."""

ALPHA: dict[str, tuple[str, type[Agreement]]] = {
    "nominal": ("krippendorff_alpha", NominalAlpha),
    "ordinal": ("krippendorff_alpha_ordinal", OrdinalAlpha),
    "interval": ("krippendorff_alpha_interval", IntervalAlpha),
    "ratio": ("krippendorff_alpha_ratio", RatioAlpha),
}
"""Krippendorff's alpha on each scale, by its name as a metric."""


@dataclass(frozen=True)
class Coefficient(ABC):
    """A coefficient: what each item adds to its sums, and its value by the sums.

    `among` says whose labels may be exchanged without changing it: those of "all" annotators, those of all
    but the "first", or those of "none". To chance all labels are alike if it is `uniform`; else it gives each
    as often as annotators do.
    """

    name: str

    among: ClassVar[Literal["all", "first", "none"]] = "all"
    uniform: ClassVar[bool] = False

    @abstractmethod
    def rows(self, codes: IntArray) -> FloatArray:
        """Return what each item adds, shape (n, k); zeros of an item that does not count."""

    @abstractmethod
    def shares(self, totals: FloatArray) -> Shares | None:
        """Return the observed and the expected agreement, if these are shares."""

    def value(self, totals: FloatArray) -> FloatArray:
        """Return the coefficient of sums, over their last axis; NaN where chance agrees always."""
        shares = self.shares(totals)
        assert shares is not None
        observed, expected = shares
        room = 1.0 - expected
        defined = room > np.finfo(np.float64).eps
        value: FloatArray = np.where(defined, 1.0 - (1.0 - observed) / np.where(defined, room, 1.0), np.nan)
        return value


def counted(codes: IntArray, n_labels: int) -> FloatArray:
    """Return how often each label was given to each item, shape (n, K).

    >>> counted(np.array([[0, 1, 1], [1, -1, 1]]), 2)
    array([[1., 2.],
           [0., 2.]])
    """
    return np.stack([(codes == label).sum(axis=1) for label in range(n_labels)], axis=1).astype(np.float64)


def weights_of(name: str, n_labels: int) -> FloatArray:
    """Return how far two labels agree, shape (K, K), by their places in order.

    Cohen 1968, Weighted kappa, Psychol. Bull. 70, 213-220; the quadratic ones are those of Fleiss & Cohen
    1973.

    >>> weights_of("linear", 3)[0]
    array([1. , 0.5, 0. ])
    """
    if name == "identity":
        return np.eye(n_labels)
    places = np.arange(n_labels)
    apart = np.abs(places[:, None] - places) / max(1, n_labels - 1)
    weights: FloatArray = 1.0 - apart ** (1 if name == "linear" else 2)
    return weights


@dataclass(frozen=True)
class OfMetric(Coefficient):
    """A coefficient that is a metric of the project: Krippendorff's alpha, or Fleiss' kappa."""

    metric: Agreement
    labels: tuple[Any, ...]

    @classmethod
    def of(cls, name: str, kind: type[Agreement], codes: IntArray, labels: Sequence[Any]) -> OfMetric:
        """Return the metric, fitted to the labels that occur."""
        named = cls(name, kind(), tuple(labels))
        return cls(name, named.metric.fit(None, [named.given(codes)], None), named.labels)

    def given(self, codes: IntArray) -> Any:
        """Return the labels of each item as metrics take them."""
        return [[self.labels[code] for code in row if code >= 0] for row in codes.tolist()]

    def rows(self, codes: IntArray) -> FloatArray:
        """Return the statistics of the metric."""
        return self.metric.statistics(None, self.given(codes))

    def value(self, totals: FloatArray) -> FloatArray:
        """Return the score of the metric."""
        return self.metric.score(totals)

    def shares(self, totals: FloatArray) -> Shares | None:
        """Return the shares of agreement, if labels agree or do not."""
        metric = self.metric
        return metric.shares(totals) if isinstance(metric, NominalAlpha | FleissKappa) else None


@dataclass(frozen=True)
class Gwet(Coefficient):
    """Gwet's AC1 of labels without order, AC2 with weights, of the items that have two labels or more.

    Gwet 2008, Computing inter-rater reliability in the presence of high agreement, Brit. J. Math. Statist.
    Psychol. 61, 29-48, eqs. 4-6, for several annotators; Gwet 2014, Handbook of Inter-Rater Reliability,
    sections 4.4 and 5.5, for weights and missing labels.

    >>> both = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [118, 5, 2, 0], axis=0)
    >>> found = Gwet("ac1", np.eye(2))
    >>> round(float(found.value(found.rows(both).sum(axis=0))), 3)
    0.941
    """

    weights: FloatArray = field(compare=False)

    uniform = True

    def rows(self, codes: IntArray) -> FloatArray:
        """Return agreement and number of items with two labels, beside shares of labels and their number."""
        counts = counted(codes, len(self.weights))
        m = counts.sum(axis=1)
        # Of m labels, each agrees with the m - 1 others by the weights; its own weight with itself is 1.
        agreeing = (counts * (counts @ self.weights - 1.0)).sum(axis=1) / np.maximum(m * (m - 1.0), 1.0)
        return np.column_stack([agreeing, m > 1.0, counts / np.maximum(m, 1.0)[:, None], m > 0.0])

    def shares(self, totals: FloatArray) -> Shares:
        """Return p_o, and p_e = T sum of pi (1 - pi) / (K (K - 1)), T the sum of all weights."""
        k = len(self.weights)
        shares = totals[..., 2:-1] / totals[..., -1:]
        expected = self.weights.sum() / (k * (k - 1.0)) * (shares * (1.0 - shares)).sum(axis=-1)
        return totals[..., 0] / totals[..., 1], expected


@dataclass(frozen=True)
class AgainstOthers(Coefficient):
    """Kappa of the first annotator and the others, of the items that both it and another one labelled.

    Observed is how often it agrees with another one of the item, drawn at random; expected is that of two
    labels by its shares and by theirs (Vanbelle & Albert 2009, Agreement between an isolated rater and a
    group of raters, Statist. Neerlandica 63, 82-100, section 3). Of two annotators it is Cohen's kappa.

    >>> both = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [118, 5, 2, 0], axis=0)
    >>> found = AgainstOthers("cohen_kappa", np.eye(2))
    >>> round(float(found.value(found.rows(both).sum(axis=0))), 4)
    -0.0234
    """

    weights: FloatArray = field(compare=False)

    among = "first"

    def rows(self, codes: IntArray) -> FloatArray:
        """Return agreement, the label of the first, the shares of those of the others, and 1."""
        k = len(self.weights)
        first, others = counted(codes[:, :1], k), counted(codes[:, 1:], k)
        m = others.sum(axis=1)
        usable = (first.any(axis=1) & (m > 0.0))[:, None]
        others /= np.maximum(m, 1.0)[:, None]
        agreeing = ((first @ self.weights) * others).sum(axis=1)
        return np.where(usable, np.column_stack([agreeing, first, others, usable]), 0.0)

    def shares(self, totals: FloatArray) -> Shares:
        """Return the mean agreement, and that of the shares of labels of both sides."""
        k, n = len(self.weights), totals[..., -1]
        first, others = totals[..., 1 : 1 + k], totals[..., 1 + k : 1 + 2 * k]
        return totals[..., 0] / n, ((first @ self.weights) * others).sum(axis=-1) / n**2


INTRACLASS = ("icc_1", "icc_a_1", "icc_c_1", "icc_a_k")
"""One-way; two-way by absolute agreement; by consistency; of the mean of all annotators, by agreement."""


@dataclass(frozen=True)
class Intraclass(Coefficient):
    """An intraclass correlation, of the items that all annotators scored.

    McGraw & Wong 1996, Forming inferences about some intraclass correlation coefficients, Psychol. Methods 1,
    30-46, table 4: the mean squares of items R, of annotators C, within items W, and of what is left E. In
    Shrout & Fleiss 1979 they are ICC(1,1), ICC(2,1), ICC(3,1) and ICC(2,k).

    >>> from bestby.questions.agreement.source import as_codes
    >>> scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> codes, labels = as_codes(np.array(scores, dtype=object), "interval")
    >>> every = [Intraclass(name, tuple(labels), 4) for name in INTRACLASS]
    >>> [round(float(one.value(one.rows(codes).sum(axis=0))), 2) for one in every]
    [0.17, 0.29, 0.71, 0.62]
    """

    labels: tuple[float, ...]
    n_annotators: int

    among = "none"

    def rows(self, codes: IntArray) -> FloatArray:
        """Return 1, the scores of each annotator, the square of their sum, and the sum of their squares."""
        whole: BoolArray = np.asarray((codes >= 0).all(axis=1))
        # The mean is taken off, as squares of large numbers would drown how they vary.
        x = np.where(whole[:, None], (np.array(self.labels) - np.mean(self.labels))[codes], 0.0)
        return np.column_stack([whole, x, x.sum(axis=1) ** 2, (x**2).sum(axis=1)])

    def value(self, totals: FloatArray) -> FloatArray:
        """Return the coefficient by the mean squares."""
        k, n = self.n_annotators, totals[..., 0]
        columns, of_sums, squares = totals[..., 1 : 1 + k], totals[..., 1 + k], totals[..., 2 + k]
        mean = columns.sum(axis=-1) ** 2 / (n * k)
        items, annotators = of_sums / k - mean, (columns**2).sum(axis=-1) / n - mean
        r, c = items / (n - 1.0), annotators / (k - 1.0)
        w = (squares - of_sums / k) / (n * (k - 1.0))
        e = (squares - mean - items - annotators) / ((n - 1.0) * (k - 1.0))
        divisor = {
            "icc_1": r + (k - 1.0) * w,
            "icc_a_1": r + (k - 1.0) * e + k * (c - e) / n,
            "icc_c_1": r + (k - 1.0) * e,
            "icc_a_k": r + (c - e) / n,
        }[self.name]
        over = r - (w if self.name == "icc_1" else e)
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = np.where(divisor > 1e-12 * squares / n, over / divisor, np.nan)
        return value

    def shares(self, totals: FloatArray) -> None:
        """Return nothing: variances are no shares of agreement."""


def alpha_of(codes: IntArray, labels: Sequence[Any], scale: Scale) -> Coefficient:
    """Return Krippendorff's alpha of labels on a scale; equal rows need to be there once."""
    name, kind = ALPHA[scale]
    return OfMetric.of(name, kind, codes, labels)


def coefficients_of(codes: IntArray, labels: Sequence[Any], scale: Scale) -> list[Coefficient]:
    """Return the coefficients of labels on a scale, alpha first; equal rows need to be there once.

    Fleiss' kappa needs equally many labels on every item, and Cohen's two annotators.
    """
    k, n_annotators = len(labels), codes.shape[1]
    found = [alpha_of(codes, labels, scale)]
    per_item = (codes >= 0).sum(axis=1)
    if scale == "nominal":
        if per_item.min() == per_item.max() > 1:
            found.append(OfMetric.of("fleiss_kappa", FleissKappa, codes, labels))
        kinds = {"": "identity"}
    else:
        kinds = {"_linear": "linear", "_quadratic": "quadratic"}
    if scale in ("nominal", "ordinal"):
        matrices = {ending: weights_of(weights, k) for ending, weights in kinds.items()}
        if n_annotators == 2:
            found += [AgainstOthers(f"cohen_kappa{ending}", one) for ending, one in matrices.items()]
        ac = "ac1" if scale == "nominal" else "ac2"
        found += [Gwet(f"{ac}{ending}", one) for ending, one in matrices.items()]
    elif (per_item == n_annotators).sum() > 1:
        numbers = tuple(float(label) for label in labels)
        found += [Intraclass(one, numbers, n_annotators) for one in INTRACLASS]
    return found


def kappa_of(labels: Sequence[Any], scale: Scale) -> AgainstOthers:
    """Return the kappa of a pair of annotators: with quadratic weights if labels have an order."""
    if scale == "nominal":
        return AgainstOthers("cohen_kappa", weights_of("identity", len(labels)))
    if scale == "ordinal":
        return AgainstOthers("cohen_kappa_quadratic", weights_of("quadratic", len(labels)))
    # The squares of differences of the numbers themselves, over the largest.
    x = np.array([float(label) for label in labels])
    apart = (x[:, None] - x) ** 2
    return AgainstOthers("cohen_kappa_quadratic", 1.0 - apart / max(float(apart.max()), 1e-300))


def check_varied(codes: IntArray, labels: Sequence[Any]) -> None:
    """Refuse labels that tell nothing of agreement beyond chance."""
    pairable = codes[(codes >= 0).sum(axis=1) > 1]
    if not pairable.size:
        raise InvalidInputError(
            "no item has labels of two annotators", hint="agreement needs items that several people labelled"
        )
    given = np.unique(pairable[pairable >= 0])
    if given.size == 1:
        raise InvalidInputError(
            f"all labels of items with two labels are {labels[int(given[0])]!r}: annotators agree on all of"
            " them, which does not tell whether they would agree where another label is right",
            hint="agreement beyond chance needs two different labels: add items of the rare kind",
        )
