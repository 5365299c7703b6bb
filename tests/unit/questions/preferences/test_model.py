"""The model of judgements against logistic regressions on single judgements, closed forms and goldens."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.unit.questions.preferences.examples import design, drawn, of_tables

from bestby import compare_preferences
from bestby.errors import DesignError
from bestby.questions.preferences.model import Fit
from bestby.questions.preferences.source import Judgements
from bestby.questions.preferences.strengths import strengths

# A won 20 of 20 on each of the others, which win 12 of 20 in order; all are shown both ways equally often
AHEAD = of_tables(
    [[0, 10, 10, 10], [0, 0, 6, 6], [0, 4, 0, 6], [0, 4, 4, 0]],
    [[0, 0, 0, 0], [10, 0, 4, 4], [10, 6, 0, 4], [10, 6, 6, 0]],
)


def fitted(judged: Judgements, **how: Any) -> Fit:
    return strengths(judged, **({"order": True} | how)).fit


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize("p", [0, 2])
def test_without_ties_it_is_a_logistic_regression(order: bool, p: int) -> None:
    import statsmodels.api as sm

    judged = drawn(ties=0.0, p=p)
    found = fitted(judged, order=order)
    Z = design(judged, order=order)[:, 1:]  # the first system has strength 0
    regression = sm.Logit((judged.outcome == 2).astype(float), Z).fit(disp=False, tol=1e-12)
    expected = np.concatenate([[0.0], regression.params])
    scale = np.concatenate([np.ones(5 + order), judged.covariates.std(axis=0)])
    mine = found.parameters / scale
    np.testing.assert_allclose(mine[1:5] - mine[0], expected[1:5], atol=1e-9)
    np.testing.assert_allclose(mine[5:], expected[5:], atol=1e-9)
    errors = np.sqrt(np.diag(regression.cov_params()))
    V = found.inverse
    gaps = np.sqrt(np.diag(V)[1:5] + V[0, 0] - 2.0 * V[0, 1:5])
    np.testing.assert_allclose(gaps, errors[:4], rtol=1e-8)
    np.testing.assert_allclose(np.sqrt(np.diag(V)[5:]) / scale[5:], errors[4:], rtol=1e-8)


def test_ties_are_half_a_win_of_each() -> None:
    judged = drawn(ties=0.4)
    found, Z = fitted(judged), design(judged)
    residual = 0.5 * judged.outcome - 1.0 / (1.0 + np.exp(-Z @ found.parameters))
    np.testing.assert_allclose(Z.T @ residual, 0.0, atol=1e-9)


@pytest.mark.parametrize("order", [True, False])
def test_davidson_is_the_maximum_of_its_likelihood(order: bool) -> None:
    judged = drawn(ties=0.3, size=4)
    Z = design(judged, order=order)

    def negative(beta: np.ndarray) -> float:
        gap = Z @ beta[:-1]
        weights = np.exp(np.column_stack([-gap / 2.0, np.full(judged.n, beta[-1]), gap / 2.0]))
        share = weights / weights.sum(axis=1, keepdims=True)
        return -float(np.log(share[np.arange(judged.n), judged.outcome]).sum())

    best = minimize(negative, np.zeros(Z.shape[1] + 1), tol=1e-10)
    found = fitted(judged, davidson=True, order=order)
    assert -found.log_likelihood == pytest.approx(best.fun, abs=1e-8)
    expected = best.x - np.r_[np.full(4, best.x[:4].mean()), np.zeros(order + 1)]
    np.testing.assert_allclose(found.parameters, expected, atol=2e-5)


def test_jeffreys_is_the_maximum_of_the_penalised_likelihood() -> None:
    Z = design(AHEAD)[:, 1:]
    y = 0.5 * AHEAD.outcome

    def negative(beta: np.ndarray) -> float:
        p = 1.0 / (1.0 + np.exp(-Z @ beta))
        information = Z.T @ (Z * (p * (1.0 - p))[:, None])
        likelihood = float((y * np.log(p) + (1.0 - y) * np.log(1.0 - p)).sum())
        return -likelihood - 0.5 * np.linalg.slogdet(information)[1]

    best = minimize(negative, np.zeros(4), tol=1e-12).x
    found = fitted(AHEAD, jeffreys=True).parameters
    np.testing.assert_allclose(found[1:4] - found[0], best[:3], atol=1e-4)
    assert found[0] - found[1] == pytest.approx(4.5048, abs=5e-5)


def test_a_bound_of_two_systems_has_a_closed_form() -> None:
    d = compare_preferences([("x", "y", "x")] * 20, test="wald")["x", "y"]
    p = 0.025 ** (1.0 / 20.0)  # the probability with which 20 wins have the likelihood .025
    assert d.interval is not None
    assert d.interval.low == pytest.approx(math.log(p / (1.0 - p)))
    assert d.p_value == pytest.approx(2.0 * 0.5**20)


# -- the order ---------------------------------------------------------------------------------------


def of_pairs(*pairs: tuple[int, int], size: int = 3) -> Judgements:
    """Return ten wins and ten losses of each pair, shown in this order."""
    table = np.zeros((size, size), dtype=int)
    for i, j in pairs:
        table[i, j] = 10
    return of_tables(table, table)


@pytest.mark.parametrize(
    ("judged", "left", "within"),
    [
        (of_pairs((0, 1), size=2), 0.0, 0.0),
        (of_pairs((0, 1), (1, 2)), 0.0, 0.0),  # a chain
        (of_pairs((0, 2), (0, 3), (1, 2), (1, 3), size=4), 0.0, 0.0),  # some always first, others second
        (of_pairs((0, 1), (0, 2), (1, 2)), 1.0 / 9.0, 0.0),  # in the order of their names
        (of_pairs((0, 1), (1, 2), (2, 0)), 1.0, 0.0),  # a circle
        (of_pairs((0, 1), (1, 0), size=2), 1.0, 1.0),
    ],
)
def test_what_is_known_of_the_order(judged: Judgements, left: float, within: float) -> None:
    found = strengths(judged)
    assert found.identified[:2] == pytest.approx((left, within), abs=1e-9)
    assert found.status == ("in the model" if within else "one order")
    if left == 0.0:
        with pytest.raises(DesignError, match="an order effect has no finite estimate"):
            fitted(judged, order=True)


def test_a_first_that_always_wins_is_told() -> None:
    wins = np.array([[0, 6, 7], [5, 0, 8], [9, 4, 0]])
    losses = np.zeros_like(wins)
    assert strengths(of_tables(wins, losses)).status == "separated"
    losses[0, 1] = 1
    assert strengths(of_tables(wins, losses)).status == "separated"
    losses[1, 0] = 1  # the second won once either way
    assert strengths(of_tables(wins, losses)).status == "in the model"


# -- covariates --------------------------------------------------------------------------------------


def with_columns(judged: Judgements, *columns: np.ndarray) -> Judgements:
    import dataclasses

    names = tuple(f"x{k}" for k in range(len(columns)))
    return dataclasses.replace(judged, covariates=np.column_stack(columns), covariate_names=names)


def test_covariates_that_strengths_or_others_determine_are_refused() -> None:
    judged = drawn()
    of_system = np.array([1.0, 5.0, 2.0, 4.0, 3.0])
    noise = np.random.default_rng(1).normal(size=judged.n)
    for columns in (
        (of_system[judged.first] - of_system[judged.second],),
        (np.full(judged.n, 3.0),),
        (noise, 2.0 * noise),
        (np.zeros(judged.n),),
    ):
        with pytest.raises(DesignError, match="cannot be told from strengths or from one another"):
            fitted(with_columns(judged, *columns))


def test_a_covariate_that_predicts_everything_is_refused() -> None:
    judged = drawn(ties=0.0)
    with pytest.raises(DesignError, match="have no finite estimate"):
        fitted(with_columns(judged, judged.outcome - 1.0 + 0.01 * np.sin(np.arange(judged.n))))
