"""Permutation tests of functions of sums: which are exact, and which are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.typing import FloatArray

N = 400


def two_systems() -> tuple[FloatArray, dict[str, FloatArray]]:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=N)
    return gold, {"a": gold + 0.8 * rng.normal(size=N), "b": gold + 0.9 * rng.normal(size=N)}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("clustered", [False, True])
def test_metrics_of_one_sum_have_the_p_value_of_its_mean(alternative: str, clustered: bool) -> None:
    """RMSE rises with the squared errors and R2 falls with them, whatever is swapped."""
    gold, systems = two_systems()
    how: dict[str, Any] = {"clusters": np.arange(N) // 4 if clustered else None, "interval": None}
    mean, root = (
        bb.compare(systems, gold, metric=name, alternative=alternative, **how).differences[0]
        for name in ("mse", "rmse")
    )
    turned = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    share = bb.compare(systems, gold, metric="r2", alternative=turned, **how).differences[0]
    for d in (root, share):
        assert d.exact
        assert d.test.method == mean.test.method == "characteristic function"
        assert d.p_value == pytest.approx(mean.p_value, rel=1e-12)
        assert d.test.statistic == pytest.approx(d.estimate, rel=1e-12)


def test_error_rates_of_texts_are_exact() -> None:
    """References are the same for both systems; what kind of error a word is changes nothing."""
    rng = np.random.default_rng(1)
    words = np.array(["a", "b", "c", "d"])
    gold = [" ".join(rng.choice(words, rng.integers(3, 30))) for _ in range(N)]

    def heard() -> list[str]:
        return [" ".join(w if rng.random() < 0.8 else rng.choice(words) for w in t.split()) for t in gold]

    found = bb.compare({"a": heard(), "b": heard()}, gold, metric=["wer", "cer"], interval=None)
    assert [d.exact for d in found] == [True, True]


class Bias(bb.Metric):
    """The size of the mean error: two systems whose errors cancel each other tie by it."""

    name = "bias"
    greater_is_better = False

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([predictions - gold, np.ones(gold.size)])

    def score(self, totals: Any) -> Any:
        return np.abs(totals[..., 0]) / totals[..., 1]


class Halves(bb.Metric):
    """A mean whose sum is split over two columns."""

    name = "halves"

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([0.25 * predictions, 0.75 * predictions, np.ones(gold.size)])

    def score(self, totals: Any) -> Any:
        return (totals[..., 0] + totals[..., 1]) / totals[..., 2]


def test_a_score_that_is_flat_somewhere_is_drawn() -> None:
    gold, systems = two_systems()
    assert not bb.compare(systems, gold, metric=Bias(), interval=None).differences[0].exact


def test_several_columns_in_one_direction_are_one_sum() -> None:
    gold, systems = two_systems()
    of_halves = bb.compare(systems, gold, metric=Halves(), interval=None).differences[0]
    of_means = bb.compare(systems, metric="mean", interval=None).differences[0]
    assert of_halves.exact
    assert of_halves.p_value == pytest.approx(of_means.p_value, rel=1e-9)
