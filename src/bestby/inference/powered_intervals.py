"""Intervals and tests of corrected means: Student's t, and score intervals of shares with effective labels.

An interval of plus or minus standard errors is too short for a share near 0 or 1, and for two systems that
differ on few labels: the error itself is then known badly, and may be 0. Score intervals do not estimate it.
They are made here for as many labels as would carry the variance of the corrected mean by themselves, so that
without a judge they are Wilson's and Tango's.

Labels of unequal weight hide the same fault: the few heavy ones carry the variance, and where they happen to
be all alike, the light ones alone say how much labels vary. So the heavy ones must hold some labels of either
kind (`FEW`); otherwise the labels count as (sum w)^2 / sum w^2 of equal weight (Kish 1965, Survey Sampling,
section 11.7), and nothing is gained by the judge. This is ours: it errs on the long side where the heavy
labels are alike because their items are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import stdtr, stdtrit

from bestby._core.typing import Alternative, BoolArray, FloatArray
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.proportions import tango_ends, wilson_ends
from bestby.results.values import TestResult

T, SCORE = "powered-t", "powered-score"
"""The names of the intervals and tests."""

FEW = 5
"""Labels of the rarer kind (0 or 1, or those on which two systems differ) that tell of an error."""


def heaviest(weights: FloatArray) -> BoolArray:
    """Tell which labels carry the variance of a weighted mean, were all of them equally variable.

    They weigh at least half as much as the heaviest ones that make up half of the sum of squares. Labels of
    about equal weight are all among them.

    >>> heaviest(np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])).tolist()
    [True, True, False, False, False, False]
    """
    descending = np.sort(weights)[::-1]
    squares = np.cumsum(descending**2)
    middle = descending[int(np.searchsorted(squares, 0.5 * squares[-1]))]
    found: BoolArray = weights >= 0.5 * middle
    return found


@dataclass(frozen=True)
class Shares:
    """What the labels say of a share, or of a difference of two shares on the same labels.

    Parameters
    ----------
    n : float
        Their number, of unequal weight that of as many of equal weight.
    varying : float
        The variance of one label: p (1 - p), or s - d^2 with the share s on which the two differ.
    differing : float or None
        That share; None for the share of one system.
    rare : int
        Labels of the rarer kind among the `heaviest`.
    """

    n: float
    varying: float
    differing: float | None
    rare: int

    @classmethod
    def of_share(cls, values: FloatArray, weights: FloatArray) -> Self:
        """Return what labels 0 and 1 say of a share; the weights sum to 1.

        >>> made = Shares.of_share(np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0]), np.array([0.3, 0.3] + [0.1] * 4))
        >>> round(made.n, 2), round(made.varying, 2), made.rare
        (4.55, 0.16, 0)
        """
        share, heavy = float(weights @ values), values[heaviest(weights)]
        rare = int(min(heavy.sum(), (1.0 - heavy).sum()))
        return cls(1.0 / float(weights @ weights), share * (1.0 - share), None, rare)

    @classmethod
    def of_difference(cls, net: FloatArray, weights: FloatArray) -> Self:
        """Return what differences of labels, -1, 0 or 1, say of a difference of shares."""
        mean, differing = float(weights @ net), float(weights @ np.abs(net))
        rare = int(np.count_nonzero(net[heaviest(weights)]))
        return cls(1.0 / float(weights @ weights), differing - mean * mean, differing, rare)

    def effective(self, error: StandardError) -> float:
        """Return the labels that would have such an error alone; at most those there are if few tell of it.

        >>> Shares(100, 0.25, None, 50).effective(StandardError(0.04, 99.0))
        156.25
        """
        if not (error.se > 0.0 and self.varying > 0.0):
            return self.n
        found = self.varying / error.se**2
        return found if self.rare >= FEW else min(found, self.n)


def interval(
    estimate: float, error: StandardError, shares: Shares | None, level: float
) -> tuple[float, float, str]:
    """Return the ends of the interval and its method.

    >>> low, high, method = interval(0.5, StandardError(0.05, 99.0), None, 0.95)
    >>> round(low, 4), round(high, 4), method
    (0.4008, 0.5992, 'powered-t')
    """
    if shares is None:
        return *skewness.interval(estimate, error, level), T
    z, n = float(stdtrit(max(1.0, error.df), 0.5 * (1.0 + level))), shares.effective(error)
    if shares.differing is None:
        right = n * min(max(estimate, 0.0), 1.0)
        low, high = wilson_ends(np.array(right), np.array(n), z)
        return max(float(low), 0.0), min(float(high), 1.0), SCORE
    net, differing = _counts(estimate, shares, n)
    return *tango_ends(net, differing, n, z), SCORE


def tested(
    estimate: float, error: StandardError, shares: Shares | None, alternative: Alternative
) -> TestResult:
    """Return the test of a difference; two-sided it rejects where `interval` excludes 0, and nowhere else."""
    if shares is None:
        made = skewness.wald(estimate, error, alternative)
        return TestResult(T, made.p_value, alternative, False, "asymptotic", statistic=made.statistic)
    net, differing = _counts(estimate, shares, shares.effective(error))
    z = net / math.sqrt(differing) if differing > 0.0 else 0.0
    above = float(stdtr(max(1.0, error.df), -z))
    tails = {"greater": above, "less": 1.0 - above, "two-sided": 2.0 * min(above, 1.0 - above)}
    return TestResult(SCORE, min(1.0, tails[alternative]), alternative, False, "asymptotic", statistic=z)


def _counts(estimate: float, shares: Shares, n: float) -> tuple[float, float]:
    """Return the difference of the effective labels that one system alone has right, and their number."""
    assert shares.differing is not None
    net = n * min(max(estimate, -1.0), 1.0)
    return net, min(n, max(n * shares.differing, abs(net)))
