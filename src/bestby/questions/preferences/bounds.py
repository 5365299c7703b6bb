"""Score intervals of strengths, of their differences, of preferences and of win rates."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from bestby._core.typing import FloatArray
from bestby.inference.intervals import Ends
from bestby.questions.preferences import _strengths
from bestby.questions.preferences.fitting import Fit
from bestby.questions.preferences.preference_errors import Units, odds_interval, share_interval
from bestby.results.values import Interval, defined


def gap_interval(fit: Fit, i: int, j: int, level: float, unit: float = 1.0) -> Interval | None:
    """Return the interval of the difference of two strengths, on a scale of so many points per unit."""
    contrast = _contrast(fit, {i: 1.0, j: -1.0})
    return _interval(_scaled(_log_odds(fit, fit.gap(i, j), contrast, level), unit), level)


def strength_interval(
    fit: Fit, s: int, level: float, unit: float = 1.0, mean: float = 0.0
) -> Interval | None:
    """Return the interval of one strength: of the odds of a win against the mean of the other systems."""
    size = len(fit.data.names)
    stretch = size / (size - 1.0)
    ends = _log_odds(fit, stretch * float(fit.strengths.log[s]), _contrast(fit, {s: stretch}), level)
    low, high = _scaled(ends, unit / stretch)
    return _interval((mean + low, mean + high), level)


def preference_interval(fit: Fit, i: int, j: int, level: float) -> Interval | None:
    """Return the interval of the probability that one system is preferred, a tie counting half."""
    gap = fit.gap(i, j)
    if not fit.strengths.tie:
        ends = _log_odds(fit, gap, _contrast(fit, {i: 1.0, j: -1.0}), level)
    else:
        q, tie = (
            float(x) for x in _strengths.probabilities(np.asarray(gap), _strengths.log_of(fit.strengths.tie))
        )
        spread = q * (1.0 - q)
        change = spread - 0.25 * tie
        contrast = _contrast(fit, {i: change, j: -change, len(fit.data.names): tie * (0.5 - q)}) / spread
        ends = _log_odds(fit, math.log(q / (1.0 - q)), contrast, level)
    low, high = (float(expit(end)) for end in ends)
    return _interval((low, high), level)


def tie_interval(fit: Fit, level: float) -> Interval | None:
    """Return the interval of the tie parameter: of the share of ties between systems of equal strength."""
    tie = float(fit.strengths.tie)
    units = fit.errors.units
    if tie == 0.0:
        ends = odds_interval(-math.inf, units.equal, 1.0, units.quantile(level))
    else:
        ends = _log_odds(fit, math.log(0.5 * tie), _contrast(fit, {len(fit.data.names): 1.0}), level)
    return _interval((2.0 * math.exp(ends[0]), 2.0 * math.exp(ends[1])), level)


def win_rate_interval(fit: Fit, s: int, level: float) -> Interval | None:
    """Return the interval of the share of its judgements that a system won, a tie counting half."""
    judged = fit.data.judged
    own = (judged.first == s) | (judged.second == s)
    won = np.where(judged.first == s, judged.values, 1.0 - judged.values)[own]
    units, effect = Units.of(None, won.size), 1.0
    if judged.clusters is not None:
        codes = np.unique(judged.clusters[own], return_inverse=True)[1].reshape(-1)
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


def _log_odds(fit: Fit, estimate: float, contrast: FloatArray, level: float) -> Ends:
    """Return the score interval of log odds with these derivatives.

    The judgements count as so many of just these odds as would give the variance that the model has.
    """
    variance = fit.errors.variance(contrast)
    n = 1.0 / (variance.model * float(expit(estimate)) * float(expit(-estimate)))
    quantile = fit.errors.units.quantile(level)
    return odds_interval(estimate, n / variance.effect, variance.decided, quantile)


def _scaled(ends: Ends, unit: float) -> Ends:
    return unit * ends[0], unit * ends[1]


def _interval(ends: Ends, level: float, method: str = "odds") -> Interval | None:
    return defined(Interval(*ends, level, method, exact=True))[0]
