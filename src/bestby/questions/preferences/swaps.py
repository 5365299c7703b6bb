"""The permutation test of two systems, exchanged in the judgements of just these two, by cluster."""

from __future__ import annotations

import numpy as np

from bestby._core import rounding
from bestby._core.errors import DesignError
from bestby._core.typing import Alternative, FloatArray
from bestby.engine.base import Drawing
from bestby.inference import permutation, skewness, tilting
from bestby.questions.preferences.source import Judgements
from bestby.resampling import totals
from bestby.resampling.units import single_stratum
from bestby.results.values import TestResult


def swap_test(
    judged: Judgements, a: int, b: int, side: Alternative, drawing: Drawing, *, refine: bool
) -> TestResult:
    """Return the permutation test of two systems; `refine`: where swaps end, Hall's t of clusters goes on."""
    leads = balance(judged, a, b)
    if leads.size == 0:
        raise DesignError(
            f"{judged.systems[a]} and {judged.systems[b]} were never judged against each other",
            hint='test="wald" compares their strengths, to which all judgements add',
        )
    met = (judged.first == a) & (judged.second == b) | (judged.first == b) & (judged.second == a)
    test = _permutation(leads, float(met.sum()), side, drawing)
    return _refined(test, leads) if refine else test


def balance(judged: Judgements, a: int, b: int) -> FloatArray:
    """Return wins less losses of A in its judgements against B, one number per unit that has any."""
    forth, back = (judged.first == a) & (judged.second == b), (judged.first == b) & (judged.second == a)
    met = forth | back
    balance = np.where(forth, judged.outcome - 1.0, 1.0 - judged.outcome)[met]
    for codes in judged.clusters.values():
        held = codes[met]
        return np.asarray(np.bincount(held, balance)[np.bincount(held) > 0])
    return np.asarray(balance)


def _permutation(balance: FloatArray, n: float, side: Alternative, drawing: Drawing) -> TestResult:
    """Return the permutation test of two systems; the statistic is wins less losses, a share."""
    values, counts = np.unique(balance, return_counts=True)
    exact = permutation.exact_mean(values, counts, side, n)
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
    result = permutation.monte_carlo(drawn, observed, side, name="permutation", scale=scale)
    return tilting.refined_mean(result, balance, 1.0, drawing.seed)


def _refined(swaps: TestResult, balance: FloatArray) -> TestResult:
    """Return the permutation test; where all clusters point the same way, Hall's t of theirs can go on."""
    n = balance.size
    if n < skewness.FEWEST or not permutation.at_least_p(swaps, n):
        return swaps
    mean, error = float(balance.mean()), skewness.error_of_mean(balance, skewness.FOR_INTERVALS)
    if rounding.is_nothing(error.se, abs(mean)):
        return swaps
    return permutation.refined(swaps, n, skewness.wald(mean, error, swaps.alternative, "hall"))
