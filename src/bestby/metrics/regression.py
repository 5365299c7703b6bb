"""Means of per-item scores, and metrics of error against numeric gold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Array, FloatArray
from bestby.metrics._items import required_gold
from bestby.metrics.base import MeanMetric, Names
from bestby.metrics.smooth import Line, SmoothMetric


@dataclass(frozen=True, repr=False)
class Mean(MeanMetric):
    """The mean of one score per item; needs no gold.

    >>> metric = Mean()
    >>> float(metric.score(metric.statistics(None, np.array([1.0, 2.0, 4.5])).sum(axis=0)))
    2.5
    """

    name: str = "mean"
    greater_is_better: bool = True
    needs_gold: ClassVar[bool] = False

    @property
    def proportions(self) -> bool:
        """True: scores that are all 0 or 1 are right and wrong answers."""
        return True

    def values(self, gold: Any, predictions: Array) -> FloatArray:  # noqa: ARG002
        """Return the scores as they are."""
        return np.asarray(predictions, dtype=np.float64)


class MeanSquaredError(MeanMetric):
    """The mean squared error; lower is better."""

    name = "mse"
    greater_is_better = False
    bounds = (0.0, np.inf)

    def values(self, gold: Array, predictions: Array) -> FloatArray:
        """Return the squared errors."""
        return (np.asarray(predictions, dtype=np.float64) - gold) ** 2


class MeanAbsoluteError(MeanMetric):
    """The mean absolute error; lower is better.

    >>> MeanAbsoluteError().values(np.array([1.0, 2.0]), np.array([3.0, 2.0]))
    array([2., 0.])
    """

    name = "mae"
    greater_is_better = False
    bounds = (0.0, np.inf)

    def values(self, gold: Array, predictions: Array) -> FloatArray:
        """Return the absolute errors."""
        return np.abs(np.asarray(predictions, dtype=np.float64) - gold)


class RootMeanSquaredError(SmoothMetric):
    """The root of the mean squared error; lower is better."""

    name = "rmse"
    greater_is_better = False
    bounds = (0.0, np.inf)

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return squared errors beside ones."""
        squared = (np.asarray(predictions, dtype=np.float64) - gold) ** 2
        return np.column_stack([squared, np.ones(squared.size)])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return the root of the mean."""
        # Sums of differences (a permutation, a jackknife) can miss zero by a rounding error.
        return np.sqrt(np.maximum(totals[..., 0], 0.0) / totals[..., 1])

    def along(self, totals: Line) -> Line | None:
        """Return the root along lines; None where it is 0, as a root has no slope there."""
        squared, n = totals.split(2)
        return (squared / n).root() if squared.value[0] > 0.0 else None


@dataclass(frozen=True, repr=False)
class R2(SmoothMetric):
    """The coefficient of determination: the part of the variance of the gold that is accounted for.

    The gold is centred by its mean on the full data, for accuracy; the score of a resample uses the mean of
    that resample. Undefined (NaN) on a resample whose gold is constant.

    >>> gold = np.array([1.0, 2.0, 3.0])
    >>> metric = R2().fit(gold, [], None)
    >>> float(metric.score(metric.statistics(gold, np.array([1.0, 2.0, 2.0])).sum(axis=0)))
    0.5
    """

    name: str = "r2"
    centre: float = 0.0
    bounds = (-np.inf, 1.0)

    def fit(self, gold: Array | None, systems: Sequence[Array], labels: Array | None) -> Self:  # noqa: ARG002
        """Return the metric with the centre of the gold fixed."""
        numbers = np.asarray(required_gold(gold, self.name), dtype=np.float64)
        if numbers.min() == numbers.max():
            raise InvalidInputError(
                f"{self.name} is undefined: the gold is constant ({numbers[0]:g} on all items)",
                hint="use mse or mae, which need no variance",
            )
        return dataclasses.replace(self, centre=float(numbers.mean()))

    def statistics(self, gold: Array, predictions: Array) -> FloatArray:
        """Return squared errors, the centred gold, its square, and ones."""
        # Centred, so that y^2 does not drown the spread of a gold far from 0; the score does not change.
        squared = (np.asarray(predictions, dtype=np.float64) - gold) ** 2
        centred = np.asarray(gold, dtype=np.float64) - self.centre
        return np.column_stack([squared, centred, centred * centred, np.ones(centred.size)])

    def score(self, totals: FloatArray) -> FloatArray:
        """Return one minus the ratio of the sums of squares."""
        # 1 - E / (YY - Y^2 / n), numerator and denominator times n. A spread that is rounding is none.
        error, y, yy, n = np.moveaxis(totals, -1, 0)
        spread = n * yy - y * y
        defined = spread > rounding.noise_width(n * yy, rounding.SQUARES)
        return np.where(defined, 1.0 - n * error / np.where(defined, spread, 1.0), np.nan)

    def along(self, totals: Line) -> Line | None:
        """Return the score along lines, less 1; None where the gold is constant."""
        # Derivatives are what is asked for: the constant 1 has none.
        error, y, yy, n = totals.split(4)
        spread = n * yy - y * y
        if spread.value[0] <= rounding.noise_width(n.value[0] * yy.value[0], rounding.SQUARES):
            return None
        return -1.0 * ((n * error) / spread)


NAMES: Names = {
    "mean": ("mean of one score per item", Mean),
    "mean_loss": (
        "mean of one score per item, lower being better",
        lambda name: Mean(name, greater_is_better=False),
    ),
    "mse": ("mean squared error", lambda _: MeanSquaredError()),
    "rmse": ("root of the mean squared error", lambda _: RootMeanSquaredError()),
    "mae": ("mean absolute error", lambda _: MeanAbsoluteError()),
    "r2": ("coefficient of determination", R2),
}

SUGGESTIONS = {
    "loss": "mean_loss",
    "neg_mean_absolute_error": "mae",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
}
