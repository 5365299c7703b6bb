"""Corrected means: weights, coefficients, errors, and what they are without a judge."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from bestby.questions.judged import prediction_powered as powered
from bestby.questions.judged.labelled import Labelled, label_weights
from bestby.questions.judged.prediction_powered import corrected


def labelled(
    judge: np.ndarray, human: np.ndarray, strata: np.ndarray | None = None,
    clusters: np.ndarray | None = None, probabilities: np.ndarray | None = None,
) -> Labelled:  # fmt: skip
    n = len(human)
    groups = np.zeros(n, dtype=np.int64) if strata is None else strata
    weights = label_weights(~np.isnan(human), groups, probabilities)
    return Labelled(judge, human, weights, groups, np.arange(n) if clusters is None else clusters)


def drawn(
    rng: np.random.Generator, n_items: int = 400, n: int = 80, n_systems: int = 3, noise: float = 0.4
) -> Labelled:
    truth = rng.standard_normal((n_items, 1)) + rng.standard_normal((n_items, n_systems))
    judge = truth + noise * rng.standard_normal(truth.shape) + np.arange(n_systems)
    human = np.full(truth.shape, np.nan)
    human[:n] = truth[:n]
    return labelled(judge[:, :, None], human)


def test_one_system_is_the_regression_estimate_drawn_towards_the_labels() -> None:
    data = drawn(np.random.default_rng(1), n_systems=1)
    made = corrected(data)
    judge, human = data.judge[:, 0, 0], data.human[:80, 0]
    slope = np.cov(judge[:80], human)[0, 1] / judge[:80].var(ddof=1)
    kept = made.coefficients[0, 0, 0, 0] / slope
    assert 0.98 < kept < 1.0
    expected = human.mean() + kept * slope * (judge.mean() - judge[:80].mean())
    assert made.scores[0] == pytest.approx(expected, abs=1e-12)
    assert made.labels[0] == pytest.approx(human.mean(), abs=1e-12)


def test_the_left_out_residuals_are_those_of_fits_without_the_cluster() -> None:
    rng = np.random.default_rng(2)
    x, clusters, weights = rng.standard_normal((12, 2)), np.arange(12) // 2, np.full(12, 1 / 12)
    y = x @ [1.0, -0.5] + 0.1 * rng.standard_normal(12)
    fit = powered.fitted(x, y, weights, clusters, (1, 1))
    kept = fit.coefficients / np.linalg.lstsq(x, y, rcond=None)[0]
    for cluster in range(6):
        rest, own = clusters != cluster, clusters == cluster
        other = np.linalg.lstsq(x[rest], y[rest], rcond=None)[0]
        assert fit.residuals[own] == pytest.approx(y[own] - x[own] @ (kept * other), abs=1e-10)


def test_a_judge_that_tells_nothing_has_no_coefficient() -> None:
    rng = np.random.default_rng(4)
    zero = [not corrected(drawn(rng, noise=1e6)).coefficients.any() for _ in range(100)]
    assert 0.15 < np.mean(zero) < 0.6  # each is 0 where its Wald statistic is at most its expectation


def test_a_judge_that_is_right_but_for_its_biases_leaves_no_error_of_labels() -> None:
    data = drawn(np.random.default_rng(5), noise=0.0)
    made = corrected(data)
    truth = data.judge[:, :, 0].mean(axis=0) - np.arange(3)
    assert made.scores == pytest.approx(truth, abs=1e-9)
    own = made.error(np.array([1.0, -1.0, 0.0])).se
    judge = data.judge[:, 0, 0] - data.judge[:, 1, 0]
    assert own == pytest.approx(judge.std(ddof=1) / np.sqrt(400), rel=0.02)


@pytest.mark.check
def test_differences_are_those_of_the_scores_and_errors_are_as_simulated() -> None:
    rng, contrast = np.random.default_rng(6), np.array([1.0, -1.0, 0.0])
    made = [corrected(drawn(rng)) for _ in range(600)]
    found = [contrast @ one.scores for one in made]
    stated = np.mean([one.error(contrast).se ** 2 for one in made])
    # The standard error of a variance of 600 numbers is 6 %; three of them are exceeded by chance in 0.3 %.
    assert stated / np.var(found) == pytest.approx(1.0, abs=0.18)


def test_without_a_judge_the_labels_and_their_t_interval_remain() -> None:
    data = drawn(np.random.default_rng(7))
    made = corrected(dataclasses.replace(data, judge=np.zeros_like(data.judge)))
    contrast = np.array([1.0, 0.0, -1.0])
    difference = data.human[:80, 0] - data.human[:80, 2]
    assert contrast @ made.scores == pytest.approx(difference.mean(), abs=1e-12)
    assert made.error(contrast).se == pytest.approx(difference.std(ddof=1) / np.sqrt(80), rel=1e-12)
    assert made.error(contrast).df == pytest.approx(79.0)
    assert made.labels_error(contrast) == made.error(contrast)


def test_strata_count_by_their_items_and_probabilities_by_their_inverse() -> None:
    human = np.array([[1.0], [3.0], [np.nan], [np.nan], [10.0], [20.0]])
    judge = np.arange(6.0)[:, None, None]
    strata = np.array([0, 0, 0, 0, 1, 1])
    made = corrected(labelled(judge, human, strata=strata))
    assert made.scores[0] == pytest.approx(4 / 6 * 2.0 + 2 / 6 * 15.0)
    chances = np.array([0.5, 0.25, 1.0, 1.0, 1.0, 0.5])[:, None]
    made = corrected(labelled(judge, human, probabilities=chances))
    assert made.scores[0] == pytest.approx((2 * 1 + 4 * 3 + 10 + 2 * 20) / 9)


def test_labels_are_weighted_where_their_weights_differ_inside_a_stratum() -> None:
    human = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, 1.0], [10.0, np.nan], [20.0, np.nan]])
    judge, strata = np.arange(10.0).reshape(5, 2, 1), np.array([0, 0, 0, 1, 1])
    assert not labelled(judge, human, strata=strata).weighted  # one system has no label in a stratum
    chances = np.array([0.5, 0.25, 1.0, 1.0, 1.0])[:, None]
    assert labelled(judge, human, strata=strata, probabilities=chances).weighted
    assert not labelled(judge, human, strata=strata, probabilities=np.full((5, 1), 0.3)).weighted


def test_strata_with_enough_labels_have_coefficients_of_their_own() -> None:
    rng = np.random.default_rng(8)
    strata = np.repeat([0, 1], 200)
    truth = rng.standard_normal((400, 2))
    judge = np.where(strata[:, None] == 0, truth, -truth) + 0.3 * rng.standard_normal(truth.shape)
    human = np.where((np.arange(400) % 200 < 40)[:, None], truth, np.nan)
    own = corrected(labelled(judge[:, :, None], human, strata=strata))
    assert own.coefficients.shape == (2, 2, 2, 1)
    assert own.coefficients[0, 0, 0, 0] > 0.8 > -0.8 > own.coefficients[1, 0, 0, 0]
    few = np.where((np.arange(400) % 200 < powered.LEAST_TUNED - 1)[:, None], truth, np.nan)
    assert corrected(labelled(judge[:, :, None], few, strata=strata)).coefficients.shape[0] == 1


def test_systems_of_unlike_judges_have_coefficients_of_their_own_if_labels_allow() -> None:
    rng = np.random.default_rng(9)
    truth = rng.standard_normal((2000, 2))
    judge = truth + np.array([0.1, 3.0]) * rng.standard_normal(truth.shape)
    human = np.full(truth.shape, np.nan)
    human[:300] = truth[:300]
    own = corrected(labelled(judge[:, :, None], human)).coefficients[0, :, :, 0]
    assert own[0, 0] == pytest.approx(1.0, abs=0.05)
    assert own[1, 1] < 0.3
    human[20:] = np.nan
    shared = corrected(labelled(judge[:, :, None], human)).coefficients[0, :, :, 0]
    assert shared[0, 0] == shared[1, 1]


def test_where_the_judge_scores_all_systems_alike_no_coefficient_is_made_of_rounding() -> None:
    rng = np.random.default_rng(11)
    strata = np.repeat([0, 1], [600, 200])
    shared = (rng.random(800) < 0.6).astype(float)
    judge = np.where(strata[:, None] == 0, shared[:, None], rng.random((800, 3)) < 0.5).astype(float)
    human = np.full((800, 3), np.nan)
    human[::8] = np.where(rng.random((100, 3)) < 0.9, judge[::8], 1.0 - judge[::8])
    for scale in (1.0, 0.1, 1e6):
        made = corrected(labelled(0.1 * scale + scale * judge[:, :, None], human, strata))
        assert np.abs(made.coefficients * scale).max() < 1.5
