"""Agreement of labels beyond chance: Matthews' correlation and Cohen's kappa."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.metrics._curvatures import MOST_TOTALS, Derivatives, over_form, over_root, product_form
from bestby.metrics._distributions import dot
from bestby.metrics._label_counts import blocks, class_counts
from bestby.metrics._lines import Line
from bestby.metrics.base import Names
from bestby.metrics.classification import ByClass

_NOTHING = 1e-14  # below this part of n squared a margin of counts is rounding: the least real one is 2/n

_FEW = 64
"""Numbers up to which `numpy.vecdot` takes less time than `numpy.einsum`."""


class _Agreement(ByClass):
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
        """Return the same along straight lines."""
        predicted, gold = totals[slice(-2)].split(2)
        return predicted, gold, totals[slice(-2, -1)], totals[slice(-1, None)]


class MatthewsCorrelation(_Agreement):
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
        predicted, due, right, n = self._parts(totals)
        covariance = right * n - _dot(predicted, due)
        spread_p, spread_g, squares = self._spreads(predicted, due, n)
        least = _NOTHING * squares
        defined = (spread_p > least) & (spread_g > least)
        if defined.all():
            return covariance / np.sqrt(spread_p * spread_g)
        scale = np.sqrt(np.where(defined, spread_p * spread_g, 1.0))
        return np.where(defined, covariance / scale, 0.0)

    def along(self, totals: Line) -> Line | None:
        """Return the same; None where gold or predictions are all of one class."""
        predicted, due, right, n = self._lines(totals)
        missing = n - predicted.over_classes()
        squares = n.square()
        spread_p = squares - predicted.square().over_classes() - missing.square()
        spread_g = squares - due.square().over_classes()
        if min(spread_p.value[0], spread_g.value[0]) <= _NOTHING * squares.value[0]:
            return None
        return (right * n - (predicted * due).over_classes()) / (spread_p * spread_g).root()

    def gradient_and_hessian(self, total: FloatArray) -> Derivatives | None:
        """Return the derivatives by the totals of few classes; None where there are none."""
        if total.size > MOST_TOTALS:
            return None
        least = _NOTHING * float(total[-1]) ** 2
        return over_root(_spread_forms(len(self.labels)), total, (least, least))

    @staticmethod
    def _spreads(
        predicted: FloatArray, due: FloatArray, n: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return n squared less the sums of squares of both margins, and n squared."""
        missing, squares = n - np.add.reduce(predicted, axis=-1), n * n
        return squares - _dot(predicted, predicted) - missing * missing, squares - _dot(due, due), squares

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if gold or predictions are all of one class."""
        predicted, due, _, n = self._parts(totals)
        spread_p, spread_g, _ = self._spreads(predicted, due, n)
        if spread_p > 0.0 and spread_g > 0.0:
            return None
        which = "the predictions are" if spread_p <= 0.0 else "the gold is"
        return f"{self.name} is 0/0 ({which} all of one class) and counts as 0"


class CohenKappa(_Agreement):
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
        predicted, due, right, n = self._parts(totals)
        chance, squares = _dot(predicted, due), n * n
        room = squares - chance
        defined = room > _NOTHING * squares
        if defined.all():
            return (right * n - chance) / room
        return np.where(defined, (right * n - chance) / np.where(defined, room, 1.0), np.nan)

    def along(self, totals: Line) -> Line | None:
        """Return the same; None where it is undefined."""
        predicted, due, right, n = self._lines(totals)
        chance, squares = (predicted * due).over_classes(), n.square()
        if squares.value[0] - chance.value[0] <= _NOTHING * squares.value[0]:
            return None
        return (right * n - chance) / (squares - chance)

    def gradient_and_hessian(self, total: FloatArray) -> Derivatives | None:
        """Return the derivatives by the totals of few classes; None where there are none."""
        if total.size > MOST_TOTALS:
            return None
        return over_form(_chance_forms(len(self.labels)), total, _NOTHING * float(total[-1]) ** 2)

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if gold and predictions are all of the same class."""
        if np.isnan(self.score(totals)):
            return f"{self.name} is undefined: gold and predictions are all of the same class"
        return None


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the sum of products over the classes.

    Those of counts are exact. Totals along the path of an interval are no counts: the last bits of their sums
    depend on how many of them there are.
    """
    return np.vecdot(a, b) if a.size <= _FEW else dot(a, b)


@lru_cache(maxsize=16)
def _spread_forms(n_labels: int) -> FloatArray:
    """Return the second derivatives of the covariance and of the two spreads of `MatthewsCorrelation`."""
    k, right, n = 2 * n_labels + 2, 2 * n_labels, 2 * n_labels + 1
    predicted, due = range(n_labels), range(n_labels, 2 * n_labels)
    # The missing predictions are n less all that were made, so that n squared cancels in their spread.
    own = [(i, i, -1.0) for i in predicted] + [(i, n, 2.0) for i in predicted]
    return np.stack(
        [
            product_form(k, [(right, n, 1.0), *((i, j, -1.0) for i, j in zip(predicted, due, strict=True))]),
            product_form(k, own + [(i, j, -1.0) for i in predicted for j in predicted]),
            product_form(k, [(n, n, 1.0), *((j, j, -1.0) for j in due)]),
        ]
    )


@lru_cache(maxsize=16)
def _chance_forms(n_labels: int) -> FloatArray:
    """Return the second derivatives of numerator and denominator of `CohenKappa`."""
    k, right, n = 2 * n_labels + 2, 2 * n_labels, 2 * n_labels + 1
    chance = [(i, n_labels + i, -1.0) for i in range(n_labels)]
    return np.stack([product_form(k, [(right, n, 1.0), *chance]), product_form(k, [(n, n, 1.0), *chance])])


NAMES: Names = {
    "matthews_corrcoef": ("Matthews correlation, for any number of classes", MatthewsCorrelation),
    "cohen_kappa": ("agreement with the gold beyond chance", CohenKappa),
}

SUGGESTIONS = {"kappa": "cohen_kappa", "mcc": "matthews_corrcoef"}
