"""Intervals and tests from resamples of both parts, labelled items and judged ones.

Zrnic (2024), A note on the prediction-powered bootstrap, arXiv 2405.18379, takes the percentiles of corrected
estimates from resamples of the labelled items and of all items. Two things are added here. The percentiles
are bias-corrected (Efron 1981, Canad. J. Statist. 9, 139-158): a resample of few labels lacks some of them,
which lowers the score of a rare class. And they are expanded (Hesterberg 2015, Amer. Statist. 69, 371-386):
the bootstrap takes n where n - 1 is right, and coefficients that were fitted to the labels as given. The
cluster-robust error of the linear part of the estimate, from residuals that the fit has
not seen, says how much wider the percentiles have to be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from bestby._core.typing import Alternative, FloatArray
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.distributions import Replicates
from bestby.results.values import TestResult

NAME = "powered-bootstrap"
"""The name of the interval and of the test."""


@dataclass(frozen=True, eq=False)
class Redrawn:
    """An estimate beside its resamples.

    Parameters
    ----------
    estimate : float
        The estimate.
    replicates : Replicates
        Those of the resamples, with the coefficients of the data.
    error : StandardError
        The cluster-robust error of the linear part of the estimate.
    drawn : float
        The standard deviation of the linear part over resamples, which `error` is compared with.
    """

    estimate: float
    replicates: Replicates
    error: StandardError
    drawn: float

    @property
    def varies(self) -> bool:
        """Whether resamples differ."""
        return bool(self.replicates.values[0] < self.replicates.values[-1])

    @property
    def _bias(self) -> float:
        """The normal quantile of the mass below the estimate, ties counted half."""
        size = self.replicates.size
        mass = self.replicates.below(self.estimate) + 0.5 * self.replicates.at(self.estimate)
        return float(ndtri(min(max(mass, 1.0 / (size + 1)), size / (size + 1))))

    @property
    def _wider(self) -> float:
        """By how much percentiles are expanded, on the scale of normal quantiles."""
        return max(1.0, self.error.se / self.drawn) if self.drawn > 0.0 else 1.0

    @property
    def _pivot(self) -> StandardError:
        """The error as that of a quantity of variance 1; skewness is in the percentiles already."""
        return StandardError(1.0, self.error.df)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval.

        >>> values = np.sort(np.random.default_rng(0).normal(0.3, 0.1, 9999))
        >>> found = Redrawn(0.3, Replicates(values, 1e-12), StandardError(0.11, 19.0), 0.1)
        >>> low, high = found.interval(0.95)  # Student's t with 19 degrees of freedom and an error of .11
        >>> round(low, 2), round(high, 2)
        (0.07, 0.53)
        """
        ends = skewness.interval(0.0, self._pivot, level)
        low, high = (
            self.replicates.quantile(float(ndtr(2.0 * self._bias + self._wider * end))) for end in ends
        )
        return low, high

    def tested(self, alternative: Alternative) -> TestResult:
        """Return the test that the estimate is 0; two-sided it rejects where `interval` excludes 0."""
        size = self.replicates.size
        if not self.varies:
            p = 1.0  # no resample says how it would vary
        else:
            above, below = (self._tail(side) for side in ("greater", "less"))
            p = {"greater": above, "less": below, "two-sided": min(1.0, 2.0 * min(above, below))}[alternative]
        error = math.sqrt(p * (1.0 - p) / size)
        return TestResult(
            NAME, p, alternative, False, "monte carlo", error=error, n_resamples=size, statistic=self.estimate
        )

    def _tail(self, side: Alternative) -> float:
        """Return the one-sided p-value: from the percentile at which the interval ends at 0."""
        values = self.replicates.values
        rank = _rank(values) if side == "greater" else values.size + 1 - _rank(-values[::-1])
        mass = min(max(rank, 1.0), float(values.size)) / (values.size + 1)
        distance = (2.0 * self._bias - float(ndtri(mass))) / self._wider
        return skewness.wald(distance, self._pivot, side).p_value


def _rank(ordered: FloatArray) -> float:
    """Return the highest rank, between order statistics too, at which ordered values are at most 0.

    >>> _rank(np.array([-1.0, 3.0])), _rank(np.array([0.0, 1.0])), _rank(np.array([1.0, 2.0]))
    (1.25, 1.0, 0.0)
    """
    place = int(np.searchsorted(ordered, 0.0, side="right"))
    if place == 0:
        return 0.0
    if place == ordered.size:
        return float(place + 1)
    low, high = float(ordered[place - 1]), float(ordered[place])
    return place - low / (high - low)
