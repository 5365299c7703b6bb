"""Strengths fitted to judgements and to their resamples, with their intervals and tests."""

from __future__ import annotations

import dataclasses
import math
import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, stdtr

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray
from bestby.engine.base import Drawing
from bestby.inference import permutation, skewness, tilting
from bestby.inference.intervals import Ends
from bestby.questions.preferences import bradley_terry
from bestby.questions.preferences.bradley_terry import (
    Errors,
    Strengths,
    Units,
    errors,
    odds_interval,
    share_interval,
)
from bestby.questions.preferences.matrices import Data, WinMatrices
from bestby.resampling import totals
from bestby.resampling.units import single_stratum
from bestby.results.values import Interval, TestResult, defined


def fitted(data: Data, *, model: str, prior: float, resampling: Drawing | None) -> Fit:
    """Return the strengths of the judgements and, where resampled, those of their resamples."""
    judged = data.judged
    wins, ties = judged.matrices()
    if prior == 0.0:
        bradley_terry.refuse_unconnected(wins, ties, data.names)
    strengths = bradley_terry.strengths(wins, ties, model=model, prior=prior)
    bradley_terry.refuse_infinite(strengths)

    estimated = errors(
        strengths,
        judged.first,
        judged.second,
        judged.values,
        clusters=judged.clusters,
        model=model,
        prior=prior,
    )
    resampled = None if resampling is None else _resampled_strengths(judged, model, prior, resampling)
    return Fit(data, wins, ties, strengths, bradley_terry.win_rates(wins, ties), estimated, resampled)


def _resampled_strengths(judged: WinMatrices, model: str, prior: float, drawing: Drawing) -> Strengths:
    """Return the strengths of resamples."""

    def refitted(w: FloatArray, t: FloatArray) -> FloatArray:
        again = bradley_terry.strengths(w, t, model=model, prior=prior)
        return np.column_stack([again.log, again.tie])

    drawn = judged.bootstrap(
        drawing.n_resamples, drawing.seed, refitted, n_jobs=drawing.n_jobs, progress=drawing.progress
    )
    return Strengths(drawn[:, :-1], drawn[:, -1])


@dataclass(frozen=True, eq=False)
class Fit:
    """Strengths and win rates of the judgements, sums of the judgements, and how well these determine both.

    `wins` and `ties` have shape (S, S). `resampled` are the strengths of B resamples for the bootstrap test,
    shape (B, S), with NaN where a resample has no finite strengths; None for other tests.
    """

    data: Data
    wins: FloatArray
    ties: FloatArray
    strengths: Strengths
    rates: FloatArray
    errors: Errors
    resampled: Strengths | None = None

    def gap(self, i: int, j: int) -> float:
        """Return the difference of two log strengths; one within the rounding of the fit is 0."""
        gap = float(self.strengths.log[i] - self.strengths.log[j])
        return 0.0 if abs(gap) < rounding.spread_width(1.0) else gap

    def error(self, i: int, j: int) -> float:
        """Return the standard error of the difference of two log strengths."""
        covariance = self.errors.robust
        variance = float(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j])
        return math.sqrt(max(variance, 0.0))


# -- score intervals -------------------------------------------------------------------------------


def gap_interval(fit: Fit, i: int, j: int, level: float, unit: float = 1.0) -> Interval | None:
    """Return the interval of the difference of two strengths, on a scale of so many points per unit."""
    contrast = _contrast(fit, {i: 1.0, j: -1.0})
    return _interval(_scaled(_log_odds_interval(fit, fit.gap(i, j), contrast, level), unit), level)


def strength_interval(
    fit: Fit, s: int, level: float, unit: float = 1.0, mean: float = 0.0
) -> Interval | None:
    """Return the interval of one strength: of the odds of a win against the mean of the other systems."""
    # Strengths have the mean 0, so b_s less the mean of the others is b_s S / (S - 1).
    size = len(fit.data.names)
    stretch = size / (size - 1.0)
    ends = _log_odds_interval(fit, stretch * float(fit.strengths.log[s]), _contrast(fit, {s: stretch}), level)
    low, high = _scaled(ends, unit / stretch)
    return _interval((mean + low, mean + high), level)


def preference_interval(fit: Fit, i: int, j: int, level: float) -> Interval | None:
    """Return the interval of the probability that one system is preferred, a tie counting half."""
    gap = fit.gap(i, j)
    if not fit.strengths.tie:
        ends = _log_odds_interval(fit, gap, _contrast(fit, {i: 1.0, j: -1.0}), level)
    else:
        q, tie = (
            float(x)
            for x in bradley_terry.win_and_tie_probabilities(
                np.asarray(gap), bradley_terry.log_of(fit.strengths.tie)
            )
        )
        # d q / d gap = q (1 - q) - tie / 4 and d q / d log tie = tie (1/2 - q); on the scale of log odds both
        # are divided by q (1 - q).
        spread = q * (1.0 - q)
        change = spread - 0.25 * tie
        contrast = _contrast(fit, {i: change, j: -change, len(fit.data.names): tie * (0.5 - q)}) / spread
        ends = _log_odds_interval(fit, math.log(q / (1.0 - q)), contrast, level)
    low, high = (float(expit(end)) for end in ends)
    return _interval((low, high), level)


def tie_interval(fit: Fit, level: float) -> Interval | None:
    """Return the interval of the tie parameter: of the share of ties between systems of equal strength."""
    tie = float(fit.strengths.tie)
    units = fit.errors.units
    if tie == 0.0:
        ends = odds_interval(-math.inf, units.equal, 1.0, units.quantile(level))
    else:
        ends = _log_odds_interval(fit, math.log(0.5 * tie), _contrast(fit, {len(fit.data.names): 1.0}), level)
    return _interval((2.0 * math.exp(ends[0]), 2.0 * math.exp(ends[1])), level)


def win_rate_interval(fit: Fit, s: int, level: float) -> Interval | None:
    """Return the interval of the share of its judgements that a system won, a tie counting half."""
    judged = fit.data.judged
    involved = (judged.first == s) | (judged.second == s)
    won = np.where(judged.first == s, judged.values, 1.0 - judged.values)[involved]
    units, effect = Units.of(None, won.size), 1.0
    if judged.clusters is not None:
        codes = np.unique(judged.clusters[involved], return_inverse=True)[1].reshape(-1)
        units = Units.of(codes, won.size)
        residuals = won - won.mean()
        sums = np.bincount(codes, weights=residuals)
        more = units.clusters / max(units.clusters - 1, 1)
        effect = units.effect(float(residuals @ residuals), more * float(sums @ sums), 0.25 * won.size)
    wins, losses = float((won == 1.0).sum()), float((won == 0.0).sum())
    return _interval(share_interval(wins, losses, won.size, effect, units.quantile(level)), level, "tango")


def _contrast(fit: Fit, weights: dict[int, float]) -> FloatArray:
    """Return the derivatives of an estimate by the log strengths and the log tie parameter."""
    contrast = np.zeros(len(fit.data.names) + 1)
    contrast[list(weights)] = list(weights.values())
    return contrast


def _log_odds_interval(fit: Fit, estimate: float, contrast: FloatArray, level: float) -> Ends:
    """Return the score interval of log odds with these derivatives.

    The judgements count as so many of just these odds as would give the variance that the model has.
    """
    variance = fit.errors.variance(contrast)
    # Log odds of n judgements have the variance 1 / (n p (1 - p)).
    n = 1.0 / (variance.model * float(expit(estimate)) * float(expit(-estimate)))
    quantile = fit.errors.units.quantile(level)
    return odds_interval(estimate, n / variance.effect, variance.decided, quantile)


def _scaled(ends: Ends, unit: float) -> Ends:
    return unit * ends[0], unit * ends[1]


def _interval(ends: Ends, level: float, method: str = "odds") -> Interval | None:
    return defined(Interval(*ends, level, method, exact=True))[0]


# -- tests -----------------------------------------------------------------------------------------


def permutation_test(
    judged: WinMatrices,
    a: int,
    b: int,
    names: tuple[str, str],
    alternative: Alternative,
    drawing: Drawing,
) -> TestResult:
    """Return the permutation test of the judgements of just two systems, exchanged in each cluster.

    The statistic is the share of wins less that of losses.
    """
    balance = judged.direct(a, b)
    if balance.size == 0:
        raise DesignError(
            f"{names[0]} and {names[1]} were never judged against each other",
            hint='test="wald" compares their strengths, to which all judgements add',
        )
    values, counts = np.unique(balance, return_counts=True)
    wins, ties = judged.matrices()
    n_direct = float(wins[a, b] + wins[b, a] + ties[a, b])
    exact = permutation.exact_mean(values, counts, alternative, n_direct)
    if exact is not None:
        return exact
    observed = float(balance.sum())
    drawn = totals.swaps(
        -2.0 * balance[:, None],
        single_stratum(balance.size),
        drawing.n_resamples,
        drawing.seed,
        lambda taken: observed + taken[:, 0],
        n_jobs=drawing.n_jobs,
    )
    scale = float(np.abs(balance).sum())
    result = permutation.monte_carlo(drawn, observed, alternative, name="permutation", scale=scale)
    return tilting.refined_mean(result, balance, 1.0, drawing.seed)


def refined(swaps: TestResult, balance: FloatArray) -> TestResult:
    """Return the permutation test; where all clusters point the same way, Hall's t of theirs can go on."""
    n = balance.size
    if n < skewness.FEWEST or not permutation.at_least_p(swaps, n):
        return swaps
    mean, error = float(balance.mean()), skewness.error_of_mean(balance, skewness.FOR_INTERVALS)
    if rounding.is_nothing(error.se, abs(mean)):
        return swaps
    return permutation.refined(swaps, n, skewness.wald(mean, error, swaps.alternative, "hall"))


def wald_test(estimate: float, error: float, alternative: Alternative, n_units: int) -> TestResult:
    """Return the test of a difference of strengths over its standard error, against Student's t.

    >>> round(wald_test(0.5, 0.2, "two-sided", 1000).p_value, 4)
    0.0126
    """
    t = estimate / error if error > 0.0 else math.copysign(math.inf, estimate) if estimate else 0.0
    side = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    p = float(stdtr(n_units - 1, side)) * (2.0 if alternative == "two-sided" else 1.0)
    p = min(1.0, max(p, _least_p(alternative, n_units)))
    return TestResult("wald", p, alternative, False, "asymptotic", statistic=estimate)


def bootstrap_test(
    replicates: FloatArray, estimate: float, alternative: Alternative, n_units: int
) -> TestResult:
    """Return the bootstrap test of a difference of strengths; undefined replicates count as extreme."""
    result = permutation.monte_carlo(replicates - estimate, estimate, alternative, name="bootstrap")
    return dataclasses.replace(result, p_value=max(result.p_value, _least_p(alternative, n_units)))


def _least_p(alternative: Alternative, n_units: int) -> float:
    """Return the p-value of n units that all point one way, which alone can be without any variance."""
    sides = 2.0 if alternative == "two-sided" else 1.0
    return max(sides * 0.5**n_units, sys.float_info.min)
