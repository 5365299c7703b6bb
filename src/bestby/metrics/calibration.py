"""Whether the probabilities of a system are as often right as they say."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.metrics.base import BaseMetric, Metric, Names, Patterns

MOST_CONFIDENCE_BINS = 1000
"""Bins that probabilities are cut into at most."""

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
    in each bin (`bestby.inference.calibration_error`), whichever interval is asked for; beside the score is
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
        interval: the probabilities of a soft gold vary less, by an amount that nobody knows. It is a little
        above 0 at least, which marks the items of a bin.
        """
        items = np.arange(len(predictions))
        predicted = predictions.argmax(axis=1)
        confidence, right = predictions[items, predicted], gold[items, predicted]
        edges = np.arange(1, self.n_bins) / self.n_bins
        places = np.searchsorted(edges, confidence, side="left")
        rows = np.zeros((items.size, 2 * self.n_bins + 1))
        rows[items, places] = right - confidence
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


NAMES: Names = {
    "ece": ("expected calibration error, in 15 bins; ece@10 for ten", ExpectedCalibrationError),
}

PATTERNS: Patterns = {"ece": ("expected calibration error, with so many bins", _with_bins)}

SUGGESTIONS = {"calibration": "ece", "calibration_error": "ece"}
