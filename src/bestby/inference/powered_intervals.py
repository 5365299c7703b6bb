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

A judge whose verdicts are nearly all right hides it, too: labels may hold none of its errors, and the
corrected mean then seems to be known exactly. So where fewer than five errors are seen, up to two more are
counted, as Wilson's interval counts two labels more of each kind (Agresti & Coull 1998, Amer. Statist. 52,
119-126). No error becomes larger by this than that of the labels alone (`allowing_for_unseen`).
"""

from __future__ import annotations

import dataclasses
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
"""Labels of the rarer kind that tell of an error: 0 or 1, or those on which two systems differ, or on which a
judge is wrong."""

UNSEEN = 2
"""Errors of the judge that may be there beside those seen, if fewer than `FEW` are seen."""


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
    heavy: BoolArray = weights >= 0.5 * middle
    return heavy


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
    def from_labels(cls, values: FloatArray, weights: FloatArray) -> Self:
        """Return what labels 0 and 1 say of a share; the weights sum to 1.

        >>> weights = np.array([0.3, 0.3] + [0.1] * 4)
        >>> shares = Shares.from_labels(np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0]), weights)
        >>> round(shares.n, 2), round(shares.varying, 2), shares.rare
        (4.55, 0.16, 0)
        """
        share, heavy = float(weights @ values), values[heaviest(weights)]
        rare = int(min(heavy.sum(), (1.0 - heavy).sum()))
        return cls(1.0 / float(weights @ weights), share * (1.0 - share), None, rare)

    @classmethod
    def from_differences(cls, net: FloatArray, weights: FloatArray) -> Self:
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
        equivalent = self.varying / error.se**2
        return equivalent if self.rare >= FEW else min(equivalent, self.n)


def allowing_for_unseen(
    error: StandardError, by_labels: StandardError, units: FloatArray, weight: float
) -> StandardError:
    """Return the error of a corrected share, or of a difference, allowing for errors of the judge not seen.

    `by_labels` is the error of the labels without a judge, `units` is what each unit adds by what the judge
    leaves of its labels, and `weight` is that of a heavy label. A unit counts as an error if it adds at least
    half of that.

    >>> right, alone = np.zeros(100), StandardError(0.05, 99.0)
    >>> one_wrong = np.where(np.arange(100) == 7, -0.01, 0.0)
    >>> errors = [StandardError(0.001, 99.0), StandardError(0.01, 99.0)]
    >>> for error, units in zip(errors, (right, one_wrong)):
    ...     print(round(allowing_for_unseen(error, alone, units, 0.01).se, 4))
    0.0142
    0.0173
    """
    seen = int(np.count_nonzero(np.abs(units) >= 0.5 * weight))
    more = max(0, min(UNSEEN, FEW - seen))
    se = min(math.hypot(error.se, math.sqrt(more) * weight), by_labels.se)
    return dataclasses.replace(error, se=max(error.se, se))


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
        by_t = skewness.wald(estimate, error, alternative)
        return TestResult(T, by_t.p_value, alternative, False, "asymptotic", statistic=by_t.statistic)
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
