"""Tests of whether one system is preferred to another."""

from __future__ import annotations

import dataclasses
import math
import sys

import numpy as np
from scipy.special import stdtr

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray
from bestby.engine.base import Drawing
from bestby.inference import permutation, skewness, tilting
from bestby.questions.preferences.judgements import Judgements
from bestby.resampling import totals
from bestby.resampling.units import single_stratum
from bestby.results.values import TestResult


def permutation_test(
    judged: Judgements,
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


def bootstrap_test(drawn: FloatArray, estimate: float, alternative: Alternative, n_units: int) -> TestResult:
    """Return the bootstrap test of a difference of strengths; undefined replicates count as extreme."""
    result = permutation.monte_carlo(drawn - estimate, estimate, alternative, name="bootstrap")
    return dataclasses.replace(result, p_value=max(result.p_value, _least(alternative, n_units)))


def wald_test(estimate: float, error: float, alternative: Alternative, n_units: int) -> TestResult:
    """Return the test of a difference of strengths over its standard error, against Student's t.

    >>> round(wald_test(0.5, 0.2, "two-sided", 1000).p_value, 4)
    0.0126
    """
    t = estimate / error if error > 0.0 else math.copysign(math.inf, estimate) if estimate else 0.0
    side = {"two-sided": -abs(t), "greater": -t, "less": t}[alternative]
    p = float(stdtr(n_units - 1, side)) * (2.0 if alternative == "two-sided" else 1.0)
    p = min(1.0, max(p, _least(alternative, n_units)))
    return TestResult("wald", p, alternative, False, "asymptotic", statistic=estimate)


def _least(alternative: Alternative, n_units: int) -> float:
    """Return the p-value of n units that all point one way, which alone can be without any variance."""
    sides = 2.0 if alternative == "two-sided" else 1.0
    return max(sides * 0.5**n_units, sys.float_info.min)
