"""Budgets of a gate: the ratio of two costs, tested on both sides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bestby as bb
from bestby.cli import main

RNG = np.random.default_rng(4)
N = 300
RIGHT = {name: (RNG.random(N) < 0.8).astype(float) for name in ("main", "new")}
TIME = {"main": np.exp(0.4 * RNG.normal(size=N)), "new": 1.05 * np.exp(0.4 * RNG.normal(size=N))}


def gate(at_most: Any, time: Any = TIME, **more: Any) -> bb.results.Gate:
    name = next(iter(at_most))
    return bb.gate(RIGHT, margin=0.2, at_most=at_most, cost={name: time}, metric="mean", **more)


def test_the_bounds_are_t_of_the_logarithm() -> None:
    (check,) = gate({"ms": "+20%"}).budgets
    ratio = TIME["new"].mean() / TIME["main"].mean()
    added = TIME["new"] / TIME["new"].mean() - TIME["main"] / TIME["main"].mean()
    half = stats.t.ppf(0.95, N - 1) * stats.sem(added)
    bounds = check.difference.equivalence_interval
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx(
        (ratio * math.exp(-half) - 1.0, ratio * math.exp(half) - 1.0)
    )
    assert check.difference.estimate == pytest.approx(ratio - 1.0)
    assert (check.difference.score_a, check.difference.score_b) == pytest.approx(
        (TIME["new"].mean(), TIME["main"].mean())
    )


@pytest.mark.parametrize(
    ("at_most", "outcome", "words"),
    [
        ("+40%", "pass", "new takes at most 40 % more ms than main"),
        ("+5%", "inconclusive", "whether new takes at most 5 % more ms than main"),
        ("-30%", "fail", "new does not take at least 30 % less ms than main"),
        (0.4, "pass", "new takes at most 40 % more ms than main"),
    ],
)
def test_outcomes(at_most: Any, outcome: str, words: str) -> None:
    result = gate({"ms": at_most})
    (check,) = result.budgets
    assert check.outcome == outcome
    assert result.outcome == outcome
    assert [one.metric for one in result.quality] == ["mean"]
    assert words in result.to_json()
    assert bb.load(result.to_json()) == result


def test_a_budget_fails_at_its_share_of_the_level() -> None:
    first, second = gate({"ms": "-20%"}).budgets[0], gate({"ms": "-20%"}, level=0.975).budgets[0]
    bounds = second.difference.equivalence_interval
    assert bounds is not None
    assert first.fail_bound == pytest.approx(bounds.low)  # two checks share 5 %


def test_what_is_known_needs_no_test() -> None:
    prices = {"main": 2.0, "new": 2.1}
    assert gate({"usd": "+5%"}, prices).budgets[0].outcome == "pass"
    (check,) = gate({"usd": "+4%"}, prices).budgets
    assert check.outcome == "fail"
    assert check.difference.equivalence_interval is None


def test_a_margin_can_be_changed_and_budgets_stay() -> None:
    result = gate({"ms": "+5%"})
    again = result.with_margin(0.3)
    assert again.budgets == result.budgets
    assert again.quality[0].margin == 0.3
    with pytest.raises(bb.errors.GateFailedError, match="ms stays open"):
        result.check()


def test_clusters_count_for_the_cost_as_well() -> None:
    groups = np.repeat(np.arange(N // 10), 10)
    shared = {name: np.repeat(values[: N // 10], 10) for name, values in TIME.items()}
    one, several = (gate({"ms": "+20%"}, shared, **more).budgets[0] for more in ({}, {"clusters": groups}))
    assert several.difference.standard_error > 2.0 * one.difference.standard_error  # type: ignore[operator]


def test_the_method_says_when_a_budget_passes_and_fails_beside_an_alarm() -> None:
    result = bb.gate(RIGHT, metric="mean", at_most={"ms": "+50%"}, cost={"ms": TIME})
    said = " ".join(result.details().split())
    assert "A budget passes if the bound of the ratio of both costs" in said
    assert "It fails if a bound that holds for all 2 at once shows one (Bonferroni)." in said
    assert "check with a margin" not in said


def test_a_stored_baseline_has_no_budget(tmp_path: Any, capsys: Any) -> None:
    table = tmp_path / "main.csv"
    table.write_text("id,main\n1,1\n2,0\n3,1\n", encoding="utf-8")
    assert main(["gate", "--save", str(tmp_path / "b.json"), str(table), "--at-most", "ms=+10%"]) == 2
    assert "a stored baseline holds no costs" in capsys.readouterr().err
    assert not (tmp_path / "b.json").exists()
