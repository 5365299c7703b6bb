"""Agreement of annotators beyond chance, as functions of sums over items: Krippendorff, Fleiss."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.metrics.base import Metric, Names

MOST_COLUMNS = 2000
"""Sums per item beyond which a metric is refused: so many values are no categories, and take 16 kB each."""


class Agreement(Metric):
    """What all metrics of agreement share."""

    reads = "objects"
    needs_gold: ClassVar[bool] = False
    bounds = (-1.0, 1.0)

    def label_columns(self) -> slice | None:
        """Return the statistics that count each label on an item; None if labels are no categories."""
        return None


@dataclass(frozen=True, repr=False)
class _LabelAgreement(Agreement):
    """A metric that counts how often each label occurs, and fixes the set of labels first."""

    name: str = ""
    values: tuple[Any, ...] = ()

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the set of labels of all systems fixed."""
        occurring = {label for rows in systems for row in _rows(rows, self.name) for label in row}
        return self._with(tuple(sorted(occurring, key=lambda label: (type(label).__name__, str(label)))))

    def _with(self, values: tuple[Any, ...]) -> Self:
        columns = self._columns(len(values))
        if columns > MOST_COLUMNS:
            raise InvalidInputError(
                f"{self.name} needs {columns} sums for {len(values)} different labels; at most {MOST_COLUMNS}"
                " are possible",
                hint="krippendorff_alpha_interval takes any numbers; or round the labels",
            )
        return dataclasses.replace(self, values=values)

    def label_columns(self) -> slice:
        """Return the statistics that count each label on an item."""
        return slice(1, None)

    def _columns(self, n_values: int) -> int:
        return n_values + 1

    def _counts(self, predictions: Iterable[Any]) -> FloatArray:
        """Return how often each label occurs on each item, shape (n, V)."""
        rows = _rows(predictions, self.name)
        place = {label: position for position, label in enumerate(self.values)}
        counts = np.zeros((len(rows), len(self.values)))
        for item, row in enumerate(rows):
            for label in row:
                if label not in place:
                    raise InvalidInputError(
                        f"{self.name}: label {label!r} of item {item} is not among those fitted",
                        hint="call fit with all systems first",
                    )
                counts[item, place[label]] += 1.0
        return counts


@dataclass(frozen=True, repr=False)
class NominalAlpha(_LabelAgreement):
    """Krippendorff's alpha of labels without order.

    An item is the row (list or tuple) of labels its annotators gave; None and NaN are missing labels, rows
    may differ in length, and an item with fewer than two labels does not count. Each system is a round or a
    group of annotators.

    The entries of the coincidence matrix are sums over items (Krippendorff 2011, Computing Krippendorff's
    alpha-reliability, University of Pennsylvania, sections C and D). Alpha is a function of the observed
    disagreement, the sum of pairs of labels that differ over the number of labels less one, and of how often
    each label occurs. Undefined (NaN) on a resample with one label only.
    """

    name: str = "krippendorff_alpha"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return observed disagreement beside the number of each label, of items with two labels or more."""
        # On an item with m labels, m_c of them c, m^2 - sum of m_c^2 ordered pairs differ. Each label is in m
        # - 1 pairs: over m - 1, an item counts as often as it has labels (Krippendorff 2011, section C).
        counts, labels = _pairable(self._counts(predictions))
        differing = labels**2 - (counts**2).sum(axis=1)
        return _varied(self, np.column_stack([differing / np.maximum(labels - 1.0, 1.0), counts]))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return 1 - (n - 1) D / (n^2 - sum of n_c^2)."""
        return _alpha(*self._disagreement(totals))

    def shares(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the shares of pairs of labels that agree on an item, and among all labels."""
        observed, expected, n = self._disagreement(totals)
        return 1.0 - observed / n, 1.0 - expected / (n * (n - 1.0))

    @staticmethod
    def _disagreement(totals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        observed, counts = totals[..., 0], totals[..., 1:]
        n = counts.sum(axis=-1)
        return observed, n**2 - (counts**2).sum(axis=-1), n


@dataclass(frozen=True, repr=False)
class IntervalAlpha(Agreement):
    """Krippendorff's alpha of numbers, by their squared differences.

    Items are those of `NominalAlpha`, their labels numbers. Labels are centred by `centre`, the mean of all,
    which `fit` sets. Labels of a system that lie more than 30 of their standard deviations from it, because
    others are on another scale, are centred by their own mean, which the permutation test does not exchange
    then.
    """

    name: str = "krippendorff_alpha_interval"
    centre: float = 0.0

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the centre of all labels fixed."""
        numbers = [x for rows in systems for row in _numbers(rows, self.name) for x in row]
        return dataclasses.replace(self, centre=_middle(numbers))

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return observed disagreement, number, sum and sum of squares of the labels of each item."""
        rows = _numbers(predictions, self.name)
        labels = np.array([x for row in rows if len(row) > 1 for x in row])
        middle = _middle(labels.tolist())
        # More than 30 standard deviations from the common centre, squares drown the spread: sums of squares
        # and their gradients lose three digits of sixteen.
        deviation = float(np.sqrt(np.mean((labels - middle) ** 2))) if labels.size else 0.0
        far = labels.size > 0 and abs(middle - self.centre) > 30.0 * deviation
        table = np.zeros((len(rows), 4))
        for item, row in enumerate(rows):
            if len(row) > 1:
                # The squared differences of all ordered pairs sum to 2 m times the squares from the mean.
                x = np.array(row) - (middle if far else self.centre)
                spread = float(((x - x.mean()) ** 2).sum())
                table[item] = 2.0 * x.size * spread / (x.size - 1), x.size, x.sum(), (x**2).sum()
        return _varied(self, table)

    def score(self, totals: FloatArray) -> FloatArray:
        """Return alpha from the sums of squares."""
        # Over all ordered pairs of labels, squared differences sum to 2 (n XX - X^2).
        observed, n, x, xx = np.moveaxis(totals, -1, 0)
        expected = 2.0 * (n * xx - x * x)
        return _alpha(observed, np.where(expected > rounding.noise_width(n * xx), expected, 0.0), n)


class _NumberAgreement(_LabelAgreement):
    """A metric that counts how often each number occurs as a label, the set of them in their order."""

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the sorted numbers of all systems fixed."""
        numbers = {x for rows in systems for row in _numbers(rows, self.name) for x in row}
        return self._with(tuple(sorted(numbers)))

    def _counts(self, predictions: Iterable[Any]) -> FloatArray:
        return super()._counts(_numbers(predictions, self.name))


@dataclass(frozen=True, repr=False)
class RatioAlpha(_NumberAgreement):
    """Krippendorff's alpha of numbers of at least 0, by ((c - k) / (c + k))^2; items as in `NominalAlpha`."""

    name: str = "krippendorff_alpha_ratio"

    def _with(self, values: tuple[Any, ...]) -> Self:
        if values and values[0] < 0.0:
            raise InvalidInputError(
                f"{self.name} needs labels of at least 0, got {values[0]:g}",
                hint="krippendorff_alpha_interval takes negative numbers",
            )
        return super()._with(values)

    def _disagreements(self) -> FloatArray:
        x = np.array(self.values)
        total = x[:, None] + x[None, :]
        # Both 0: they agree.
        apart: FloatArray = np.divide(
            x[:, None] - x[None, :], total, out=np.zeros_like(total), where=total > 0
        )
        return apart**2

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return observed disagreement beside the number of each value, of items with two labels or more."""
        counts, labels = _pairable(self._counts(predictions))
        apart = self._disagreements()
        observed = np.array([row[row > 0] @ apart[np.ix_(row > 0, row > 0)] @ row[row > 0] for row in counts])
        return _varied(self, np.column_stack([observed / np.maximum(labels - 1.0, 1.0), counts]))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return alpha with the disagreement expected of the values that occur."""
        observed, counts = totals[..., 0], totals[..., 1:]
        expected = ((counts @ self._disagreements()) * counts).sum(axis=-1)
        return _alpha(observed, expected, counts.sum(axis=-1))


@dataclass(frozen=True, repr=False)
class OrdinalAlpha(_NumberAgreement):
    """Krippendorff's alpha of ordered labels, by how many labels lie between two.

    Items are those of `NominalAlpha`. The labels are numbers, in their order, of any distance. With R_c the
    number of labels below c and half of those at c, the disagreement of two labels is (R_c - R_k)^2. The R_c
    are those of each resample, so the sums are the coincidences of every two values: at most 62 different
    ones are possible.
    """

    name: str = "krippendorff_alpha_ordinal"

    def label_columns(self) -> slice:
        """Return the statistics that count each label on an item, which are the first here."""
        return slice(len(self.values))

    def _columns(self, n_values: int) -> int:
        return n_values * (n_values + 1) // 2

    def _pairs(self) -> tuple[IntArray, IntArray]:
        low, high = np.triu_indices(len(self.values), 1)
        return low, high

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return the number of each value beside the coincidences of every two."""
        counts, labels = _pairable(self._counts(predictions))
        low, high = self._pairs()
        coincidences = counts[:, low] * counts[:, high] / np.maximum(labels - 1.0, 1.0)[:, None]
        return _varied(self, np.column_stack([counts, coincidences]))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return alpha with the ranks of the labels that occur."""
        n_values = len(self.values)
        # (R_c - R_k)^2 with ranks that depend on the counts of the resample: coincidences of every two values
        # must be summed, not disagreements.
        counts, coincidences = totals[..., :n_values], totals[..., n_values:]
        n = counts.sum(axis=-1)
        ranks = np.cumsum(counts, axis=-1) - 0.5 * counts - 0.5 * n[..., None]  # their mean is 0
        low, high = self._pairs()
        observed = 2.0 * (coincidences * (ranks[..., high] - ranks[..., low]) ** 2).sum(axis=-1)
        return _alpha(observed, 2.0 * n * (counts * ranks**2).sum(axis=-1), n)


@dataclass(frozen=True, repr=False)
class FleissKappa(_LabelAgreement):
    """Fleiss' kappa: agreement of equally many annotators per item beyond chance.

    An item is the row of labels its annotators gave; who they were does not matter, but there must be equally
    many, at least two, on all items of a system (Fleiss 1971, Measuring nominal scale agreement among many
    raters, Psychol. Bull. 76, 378-382, eqs. 1-7). Each system is a round or a group of annotators.
    """

    name: str = "fleiss_kappa"

    def statistics(self, gold: Any, predictions: Any) -> FloatArray:  # noqa: ARG002
        """Return the share of pairs that agree beside the share of each label."""
        counts = self._counts(predictions)
        labels = counts.sum(axis=1)
        if labels.size and (labels.min() != labels.max() or labels[0] < 2):
            odd = int(np.flatnonzero((labels != labels[0]) | (labels < 2))[0])
            raise InvalidInputError(
                f"{self.name} needs equally many labels, at least 2, on every item, got {int(labels[0])} on"
                f" item 0 and {int(labels[odd])} on item {odd}",
                hint="krippendorff_alpha takes items with missing labels",
            )
        # Of m (m - 1) ordered pairs of labels, sum of m_c (m_c - 1) agree.
        m = labels[:, None]
        agreeing = (counts * (counts - 1.0)).sum(axis=1) / (labels * (labels - 1.0))
        return _varied(self, np.column_stack([agreeing, counts / m]))

    def score(self, totals: FloatArray) -> FloatArray:
        """Return (P - P_e) / (1 - P_e)."""
        observed, by_chance = self.shares(totals)
        with np.errstate(invalid="ignore"):
            left: FloatArray = np.where(1.0 - by_chance > rounding.SPREAD, 1.0 - by_chance, np.nan)
            kappa: FloatArray = 1.0 - (1.0 - observed) / left
            return kappa

    def shares(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean share of agreeing pairs, and the sum of the squared shares of the labels."""
        agreeing, shares = totals[..., 0], totals[..., 1:]
        n = shares.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return agreeing / n, ((shares / n[..., None]) ** 2).sum(axis=-1)


def _rows(predictions: Iterable[Any], metric: str) -> list[list[Any]]:
    """Return the labels of each item without the missing ones: None, NaN and NA.

    >>> _rows([("a", None, "b"), ["a"]], "krippendorff_alpha")
    [['a', 'b'], ['a']]
    """
    out = []
    for item, row in enumerate(predictions):
        if isinstance(row, str) or not isinstance(row, Sequence | np.ndarray):
            raise InvalidInputError(
                f"{metric} reads, per item, the row of labels of its annotators, but item {item} is {row!r}",
                hint="items are counted from 0; a missing label is None",
            )
        labels = row.tolist() if isinstance(row, np.ndarray) else row
        present = [label for label in labels if not checks.missing(label)]
        if not all(isinstance(label, str | int | float | np.generic) for label in present):
            raise InvalidInputError(
                f"{metric}: labels must be text or numbers, got {row!r} on item {item}",
                hint="items are counted from 0; a missing label is None",
            )
        out.append(present)
    return out


def _numbers(predictions: Iterable[Any], metric: str) -> list[list[float]]:
    """Return the labels of each item as numbers."""
    out = []
    for item, row in enumerate(_rows(predictions, metric)):
        try:
            values = [float(label) for label in row]
        except ValueError:
            values = [math.nan]
        if not all(map(math.isfinite, values)):
            raise InvalidInputError(
                f"{metric} needs finite numbers as labels, got {row!r} on item {item}",
                hint="number the labels in their order, or use krippendorff_alpha, which takes any",
            )
        checks.check_bounded(np.array(values), f"the labels of item {item}")
        out.append(values)
    return out


def _middle(labels: Sequence[float]) -> float:
    """Return the mean; of whole numbers rounded, so that sums stay whole whichever systems it is taken of."""
    mean = math.fsum(labels) / max(1, len(labels))
    return float(round(mean)) if all(label.is_integer() for label in labels) else mean


def _pairable(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the counts, those of items with fewer than two labels as 0, and the number of labels."""
    labels = counts.sum(axis=1)
    usable: BoolArray = labels > 1.0
    return np.where(usable[:, None], counts, 0.0), np.where(usable, labels, 0.0)


def _alpha(observed: FloatArray, expected: FloatArray, n: FloatArray) -> FloatArray:
    """Return 1 - (n - 1) D / E of sums of disagreements; NaN if none is expected."""
    defined = expected > 0.0  # counts are whole numbers: what is expected of a single label is 0 to the bit
    divisor = np.where(defined, expected, 1.0)
    return np.where(defined, 1.0 - (n - 1.0) * observed / divisor, np.nan)


def _varied(metric: Agreement, table: FloatArray) -> FloatArray:
    """Return the statistics, unless the metric is undefined on all items together."""
    if np.isnan(metric.score(table.sum(axis=0))):
        raise InvalidInputError(
            f"{metric.name} is undefined: no item has two labels, or all labels are the same",
            hint="agreement beyond chance needs items with two labels or more, and two different labels",
        )
    return table


NAMES: Names = {
    "krippendorff_alpha": ("agreement of annotators, labels without order", lambda _: NominalAlpha()),
    "krippendorff_alpha_ordinal": ("agreement of annotators, ordered labels", lambda _: OrdinalAlpha()),
    "krippendorff_alpha_interval": (
        "agreement of annotators, numbers by their differences",
        lambda _: IntervalAlpha(),
    ),
    "krippendorff_alpha_ratio": ("agreement of annotators, numbers by their ratios", lambda _: RatioAlpha()),
    "fleiss_kappa": ("agreement of equally many annotators per item", lambda _: FleissKappa()),
}
