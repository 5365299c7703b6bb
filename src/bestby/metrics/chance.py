"""Agreement of labels beyond chance: Matthews' correlation and Cohen's kappa."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import Array, FloatArray
from bestby.metrics._distributions import dot
from bestby.metrics._label_counts import blocks, class_counts
from bestby.metrics._lines import Line
from bestby.metrics.base import Names
from bestby.metrics.classification import ByClass

_NOTHING = 1e-14  # below this part of n squared a margin of counts is rounding: the least real one is 2/n


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
        covariance = right * n - dot(predicted, due)
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

    @staticmethod
    def _spreads(
        predicted: FloatArray, due: FloatArray, n: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return n squared less the sums of squares of both margins, and n squared."""
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
        chance, squares = dot(predicted, due), n * n
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

    def undefined(self, totals: FloatArray) -> str | None:
        """Return a sentence if gold and predictions are all of the same class."""
        if np.isnan(self.score(totals)):
            return f"{self.name} is undefined: gold and predictions are all of the same class"
        return None


NAMES: Names = {
    "matthews_corrcoef": ("Matthews correlation, for any number of classes", MatthewsCorrelation),
    "cohen_kappa": ("agreement with the gold beyond chance", CohenKappa),
}

SUGGESTIONS = {"kappa": "cohen_kappa", "mcc": "matthews_corrcoef"}
