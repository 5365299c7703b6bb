"""Tests of ranks by the expansion of swaps, beside tests that draw the swaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby import compare
from bestby.inference import dominating_point, permutation
from bestby.inference.dominating_point import swapped_weights
from bestby.inference.permutation import SADDLEPOINT
from bestby.results.values import TestResult


def outcome(metric: str, alternative: str = "two-sided", n_clusters: int = 0, n: int = 900) -> TestResult:
    rng = np.random.default_rng(3)
    signal = rng.normal(size=n)
    gold = (signal > 0.3).astype(int) if metric == "average_precision" else np.round(signal)
    systems = {
        "a": np.round(signal + rng.normal(size=n), 1),
        "b": np.round(signal + 1.15 * rng.normal(size=n), 1),
    }
    clusters = np.arange(n) % n_clusters if n_clusters else None
    result = compare(
        systems, gold, metric=metric, alternative=alternative, clusters=clusters, n_resamples=20_000
    )
    test = result.differences[0].test
    assert test is not None
    return test


@pytest.mark.long
@pytest.mark.parametrize("n_clusters", [0, 600])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("metric", ["average_precision", "kendall", "spearman"])
def test_p_values_are_those_of_draws(
    metric: str, alternative: str, n_clusters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within four standard errors of the draws and 2 % of p."""
    found = outcome(metric, alternative, n_clusters)
    monkeypatch.setattr(dominating_point, "FEWEST_WEIGHTED", math.inf)
    drawn = outcome(metric, alternative, n_clusters)
    assert (found.method, drawn.method) == (SADDLEPOINT, "monte carlo")
    assert (found.exact, found.n_resamples) == (False, 0)
    assert found.error == pytest.approx(0.02 * found.p_value)
    assert found.statistic == drawn.statistic
    assert abs(found.p_value - drawn.p_value) < 4.0 * drawn.error + 0.02 * drawn.p_value


def sum_of(effects: np.ndarray, signs: np.ndarray, bend: float = 0.0) -> float:
    part = float(effects @ signs)
    return 2.0 * part + bend * part**3


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_sum_has_its_exact_test(alternative: str) -> None:
    effects = np.random.default_rng(0).normal(size=700) / 700
    ones = np.ones(700, dtype=np.int64)
    for observed in (0.11, -0.11, 0.0, 0.4):
        found = swapped_weights(effects, lambda signs: sum_of(effects, signs), observed, alternative)
        expected = permutation.exact_mean(effects, ones, alternative, 1.0, total=observed / 2.0)
        assert found is not None
        assert expected is not None
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-5)
        assert found.statistic == observed


def test_the_place_in_the_sum_follows_the_bend() -> None:
    """A rising function of the sum has the tail of the sum."""
    effects = np.random.default_rng(0).normal(size=700) / 700
    plain = swapped_weights(effects, lambda signs: sum_of(effects, signs), 0.2, "two-sided")
    bent = swapped_weights(
        effects,
        lambda signs: sum_of(effects, signs, 50.0),
        sum_of(np.ones(1), np.array([0.1]), 50.0),
        "two-sided",
    )
    assert plain is not None
    assert bent is not None
    assert bent.p_value == pytest.approx(plain.p_value, rel=0.02)


def test_few_units_unequal_ones_and_what_no_swap_reaches_are_left_to_draws() -> None:
    effects = np.random.default_rng(0).normal(size=700)
    assert (
        swapped_weights(effects[:499], lambda signs: sum_of(effects[:499], signs), 1.0, "two-sided") is None
    )
    unequal = effects.copy()
    unequal[:20] *= 100.0
    assert swapped_weights(unequal, lambda signs: sum_of(unequal, signs), 1.0, "two-sided") is None
    beyond = 2.1 * float(np.abs(effects).sum())
    assert swapped_weights(effects, lambda signs: sum_of(effects, signs), beyond, "two-sided") is None
    assert swapped_weights(np.zeros(700), lambda _: 0.0, 0.0, "two-sided") is None
