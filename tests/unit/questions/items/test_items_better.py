"""`compare`: the question whether a system is better."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.comparisons.soft_labels import GOLD, A, B, codes, rows

from bestby import compare, compare_runs


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize(("metric", "side"), [("brier", "less"), ("soft_accuracy", "greater")])
def test_better_is_the_tail_in_which_better_lies(metric: str, side: str, test: str) -> None:
    settings: dict[str, Any] = {"metric": metric, "test": test, "n_resamples": 500}
    better = compare({"a": A, "b": B}, GOLD, alternative="better", **settings)["a", "b"]
    sided = compare({"a": A, "b": B}, GOLD, alternative=side, **settings)["a", "b"]
    assert better == sided
    assert better.test.alternative == side
    assert better.winner == "a"
    assert better.p_value < 0.01
    turned = compare({"b": B, "a": A}, GOLD, alternative="better", **settings)
    assert [(d.a, d.b) for d in turned] == [("b", "a")]  # in the order given, not in that of the ranks
    assert turned.differences[0].p_value > 0.9


def test_better_of_several_measures_takes_the_tail_of_each() -> None:
    result = compare({"a": A, "b": B}, GOLD, metric=["brier", "soft_accuracy"], alternative="better")
    assert [d.test.alternative for d in result] == ["less", "greater"]
    assert "direction" not in codes(result)  # what was asked needs no telling


def test_better_than_a_baseline() -> None:
    systems = {"old": B, "new": A, "worse": (B + 3 * rows(9)) / 4}
    result = compare(systems, GOLD, metric="brier", alternative="better", baseline="old")
    p = {d.a: d.p_value for d in result}
    assert [d.b for d in result] == ["old", "old"]
    assert p["new"] < 0.01
    assert p["worse"] > 0.5


@pytest.mark.parametrize(("metric", "side"), [("cross_entropy", "less"), ("accuracy", "greater")])
def test_better_runs(metric: str, side: str) -> None:
    low, high = [0.30, 0.20, 0.25, 0.27], [0.50, 0.60, 0.55, 0.58]
    new, old = (low, high) if side == "less" else (high, low)
    settings: dict[str, Any] = {"metric": metric, "n_resamples": 200}
    for test in ("permutation", "t", "bootstrap", "brunner-munzel"):
        better = compare_runs({"new": new, "old": old}, alternative="better", test=test, **settings)
        sided = compare_runs({"new": new, "old": old}, alternative=side, test=test, **settings)
        assert better.differences == sided.differences
        assert better["new", "old"].p_value < 0.05
        assert better["new", "old"].test.alternative == side
        assert "direction" not in [note.code for note in better.notes]
    back = compare_runs({"old": old, "new": new}, alternative="better", **settings).differences[0]
    assert (back.a, back.b) == ("old", "new")
    assert back.p_value > 0.95
