"""Permutation tests of correlations and ranks: swaps of what was given, and of ranks or standard scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata

from bestby import compare
from bestby._core.errors import DesignError

FUNCTIONS: dict[str, Callable[[Any, Any], float]] = {
    "pearson": lambda gold, x: float(np.corrcoef(gold, x)[0, 1]),
    "spearman": lambda gold, x: float(np.corrcoef(rankdata(gold), rankdata(x))[0, 1]),
    "kendall": lambda gold, x: float(kendalltau(gold, x)[0]),
    "roc_auc": lambda gold, x: float(np.mean(x[gold == 1][:, None] > x[gold == 0][None, :])),
}
STANDARDISED = "permutation-standardised"


def systems(n: int, *, factor: float = 1.0, seed: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    gold, x, y = rng.normal(size=(3, n))
    return gold, {"a": 0.8 * gold + 0.6 * x, "b": factor * (0.5 * gold + 0.9 * y)}


def gold_for(name: str, gold: np.ndarray) -> np.ndarray:
    return (gold > np.median(gold)).astype(int) if name in ("roc_auc", "average_precision") else gold


@pytest.mark.parametrize("factor", [1.0, 4.0])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_name_and_a_function_have_the_same_p_value(name: str, factor: float) -> None:
    gold, both = systems(7, factor=factor)
    gold = gold_for(name, gold)
    named = compare(both, gold, metric=name, interval="percentile", n_resamples=20)["a", "b"]
    called = compare(both, gold, metric=FUNCTIONS[name], interval="percentile", n_resamples=20)["a", "b"]
    assert named.test.name == "permutation"
    assert named.p_value == pytest.approx(called.p_value, abs=1e-12)
    assert named.n_differing == called.n_differing == 7


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "roc_auc", "average_precision"])
def test_standardised_swaps_do_not_depend_on_the_scale(name: str) -> None:
    gold, both = systems(40)
    gold = gold_for(name, gold)
    other = {"a": both["a"], "b": 1000.0 * both["b"] + 7.0}
    found = [
        compare(given, gold, metric=name, test=STANDARDISED, interval="percentile", n_resamples=199)["a", "b"]
        for given in (both, other)
    ]
    assert found[0].test.name == STANDARDISED
    assert found[0].p_value == found[1].p_value


@pytest.mark.parametrize("metric", ["accuracy", "mse", "mean"])
def test_other_measures_have_no_standardised_swaps(metric: str) -> None:
    values = {"a": [0.0, 1.0, 1.0], "b": [1.0, 1.0, 0.0]}
    gold = None if metric == "mean" else [1.0, 1.0, 0.0]
    with pytest.raises(DesignError, match=f"needs a correlation or a metric of ranks; {metric} depends"):
        compare(values, gold, metric=metric, test=STANDARDISED)


def codes(result: Any) -> list[str]:
    return [note.code for note in result.notes]


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_different_scales_are_noted_once(name: str) -> None:
    gold, both = systems(60)
    settings: dict[str, Any] = {"metric": name, "interval": "percentile", "n_resamples": 99}
    assert "different_scales" not in codes(compare(both, gold, **settings))
    wide = {**both, "c": 10.0 * both["b"], "d": both["a"] + 30.0}
    result = compare(wide, gold, **settings)
    assert codes(result).count("different_scales") == 1
    message = next(note.message for note in result.notes if note.code == "different_scales")
    assert "and so are 4 other pairs" in message
    assert STANDARDISED in message
    asked = compare(wide, gold, test=STANDARDISED, **settings)
    assert "different_scales" not in codes(asked)
    assert codes(asked).count("standardised_swaps") == 1


def test_scales_too_far_apart_for_sums_of_squares_swap_standard_scores_and_say_so() -> None:
    gold, both = systems(12, factor=1e9)
    result = compare(both, gold, metric="pearson")
    difference = result["a", "b"]
    assert difference.test.name == STANDARDISED
    assert difference.test.statistic == pytest.approx(difference.estimate, abs=1e-12)
    expected = compare(systems(12)[1], gold, metric="pearson", test=STANDARDISED)["a", "b"]
    assert difference.p_value == pytest.approx(expected.p_value, abs=1e-12)
    assert "standardised_swaps" in codes(result)


def test_a_system_on_a_far_scale_does_not_change_the_other_pairs() -> None:
    gold, both = systems(10)
    alone = compare(both, gold, metric="pearson")["a", "b"]
    among = compare({**both, "c": 3e4 * both["b"][::-1]}, gold, metric="pearson")["a", "b"]
    assert among.test == alone.test


def test_items_with_the_same_prediction_do_not_differ() -> None:
    gold, both = systems(50)
    both["b"][:44] = both["a"][:44]
    for clusters in (None, np.arange(50) // 2):
        difference = compare(both, gold, metric="pearson", clusters=clusters)["a", "b"]
        assert difference.n_differing == 6
        assert difference.exact


@pytest.mark.parametrize("clusters", [False, True])
def test_numbers_differ_beyond_rounding_however_near_they_are(clusters: bool) -> None:
    gold, both = systems(60)
    far, near, same = (
        np.array([0.1, -3.0, 1e-3]),
        np.array([1e-7, -1e-8, 1e-10]),
        np.array([1e-15, 0.0, -1e-16]),
    )
    both["b"] = both["a"] + np.concatenate([far, near, same, np.zeros(51)])
    groups = np.arange(60) // 3 if clusters else None
    difference = compare(both, gold, metric="pearson", clusters=groups, test=None)["a", "b"]
    assert difference.n_differing == 6
