"""The laws of a frontier: orders, copies, units, directions, and what follows of two systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.errors import InvalidInputError
from bestby.questions.frontier.dominance import SELECTED

RNG = np.random.default_rng(11)
N = 200
SKILL = {"a": 0.85, "b": 0.8, "c": 0.6, "d": 0.55}
RIGHT = {name: (RNG.random(N) < share).astype(float) for name, share in SKILL.items()}
TIME = {
    name: scale * np.exp(0.5 * RNG.normal(size=N))
    for name, scale in zip(RIGHT, (4, 1, 1.5, 0.2), strict=True)
}


def told(result: bb.results.Frontier) -> dict[str, tuple[float, ...]]:
    """Return of each system the p-value, whether it may be on the frontier, what dominates it, the bound."""
    names = [None, *sorted(one.system for one in result)]
    return {
        one.system: (
            one.p_adjusted,
            float(one.may_be_on_frontier),
            float(names.index(one.dominated_by)),
            one.behind or 0.0,
        )
        for one in result
    }


EXPECTED = bb.frontier(RIGHT, cost=TIME, margin=0.2)


def test_what_the_data_show() -> None:
    assert [one.system for one in EXPECTED if not one.may_be_on_frontier] == ["c"]
    assert EXPECTED["c"].dominated_by == "b"
    assert [one.system for one in EXPECTED.as_good()] == ["b", "a"]
    assert "Cheapest that is within 0.2 of the best: b" in str(EXPECTED)


def test_no_order_matters() -> None:
    turned = dict(reversed(RIGHT.items()))
    assert told(bb.frontier(turned, cost=TIME, margin=0.2)) == told(EXPECTED)
    order = RNG.permutation(N)
    rows, times = ({name: x[order] for name, x in of.items()} for of in (RIGHT, TIME))
    for name, numbers in told(bb.frontier(rows, cost=times, margin=0.2)).items():
        assert numbers == pytest.approx(told(EXPECTED)[name], rel=1e-9)


def test_the_unit_of_a_cost_changes_nothing_but_its_numbers() -> None:
    result = bb.frontier(RIGHT, cost={name: 1000.0 * x for name, x in TIME.items()}, margin=0.2)
    for name, numbers in told(result).items():
        assert numbers == pytest.approx(told(EXPECTED)[name], rel=1e-9)
    per, before = (one["a"].costs[0].per_success for one in (result, EXPECTED))
    assert per == pytest.approx(1000.0 * before)


def test_lower_is_better_is_the_other_sign() -> None:
    errors = {name: 1.0 - x for name, x in RIGHT.items()}
    metric = bb.ScoreMetric("errors", greater_is_better=False)
    result = bb.frontier(errors, quality=metric, cost=TIME, margin=0.2)
    for name, numbers in told(result).items():
        assert numbers == pytest.approx(told(EXPECTED)[name], rel=1e-9)
    assert result["a"].costs[0].per_success is None


def test_a_copy_dominates_nothing() -> None:
    result = bb.frontier({"a": RIGHT["a"], "copy": RIGHT["a"]}, cost={"a": TIME["a"], "copy": TIME["a"]})
    assert all(one.may_be_on_frontier and one.p_adjusted == pytest.approx(1.0) for one in result)
    prices = bb.frontier({"a": RIGHT["a"], "copy": RIGHT["a"]}, cost={"a": 2.0, "copy": 1.0})
    assert all(one.may_be_on_frontier for one in prices)


def test_who_costs_the_same_on_every_item_is_dominated_by_who_is_better() -> None:
    result = bb.frontier(RIGHT, cost={**TIME, "c": TIME["b"], "d": TIME["b"]})
    assert {one.system: one.dominated_by for one in result} == {"a": None, "b": None, "c": "b", "d": "b"}


def test_of_two_systems_at_known_prices_the_quality_decides() -> None:
    two = {name: RIGHT[name] for name in ("b", "c")}
    p = 0.5 * bb.compare(two, metric="mean").differences[0].p_value
    for prices in ({"b": 1.0, "c": 2.0}, {"b": 1.0, "c": 1.0}):
        result = bb.frontier(two, cost=prices)
        n_open = 1 if prices["c"] > 1.0 else sum(x <= 1.0 - 0.005 / 2 for x in (p, 1.0 - p))
        assert result["c"].p_adjusted == pytest.approx(max(p, n_open * p / (1.0 - SELECTED)))
        assert result["b"].may_be_on_frontier
    dearer = bb.frontier(two, cost={"b": 2.0, "c": 1.0})
    assert min(one.p_adjusted for one in dearer) > 0.9


def test_few_items_show_no_more_than_their_comparison() -> None:
    four = {"a": np.ones(4), "b": np.zeros(4)}
    result = bb.frontier(four, quality="mean", cost={"a": 1.0, "b": 2.0})
    assert result["b"].p_adjusted == pytest.approx(0.5**4 / (1.0 - SELECTED))
    alike = {"a": np.ones(4), "b": np.ones(4), "c": np.r_[np.ones(3), 0.0]}
    result = bb.frontier(alike, quality="mean", cost=dict.fromkeys(alike, 1.0), margin=0.05)
    behind = {one.system: one.behind for one in bb.compare(alike, metric="mean").systems}
    assert {one.system: one.behind for one in result} == behind
    assert result.as_good() == ()


def test_further_costs_only_keep_more() -> None:
    costs = {"time": TIME, "memory": {"a": 1.0, "b": 3.0, "c": 2.0, "d": 4.0}}
    result = bb.frontier(RIGHT, cost=costs)
    assert result.costs == ("time", "memory")
    assert all(one.may_be_on_frontier for one in result)
    assert result["c"].p_adjusted >= EXPECTED["c"].p_adjusted


def test_clusters_make_the_answer_less_sure() -> None:
    groups = np.repeat(np.arange(N // 10), 10)
    shared = {name: np.repeat(x[: N // 10], 10) for name, x in RIGHT.items()}
    times = {name: np.repeat(x[: N // 10], 10) for name, x in TIME.items()}
    one, several = (bb.frontier(shared, cost=times, **more) for more in ({}, {"clusters": groups}))
    assert several["c"].p_adjusted > one["c"].p_adjusted
    assert several["a"].behind > one["a"].behind  # type: ignore[operator]


def test_few_successes_are_noted_and_none_have_no_ratio() -> None:
    right = {"a": np.r_[np.ones(5), np.zeros(N - 5)], "b": np.zeros(N), "c": RIGHT["c"]}
    result = bb.frontier(right, quality="mean", cost={name: TIME[name] for name in "abc"})
    (note,) = [note for note in result.notes if note.code == "few_successes"]
    assert "a (5)" in note.message
    assert "b (0)" in note.message
    assert result["b"].costs[0].per_success is None


def test_a_cost_that_few_items_make_up_is_noted() -> None:
    rare = {name: np.r_[1000.0 * x[:2], x[2:]] for name, x in TIME.items()}
    codes = [note.code for note in bb.frontier(RIGHT, cost=rare).notes]
    assert "few_effective" in codes
    assert "few_effective" not in [note.code for note in EXPECTED.notes]


def test_quantiles_that_move_in_steps_are_noted() -> None:
    whole = {"seconds@median": {name: np.ceil(x) for name, x in TIME.items()}}
    assert "moves_in_steps" in [note.code for note in bb.frontier(RIGHT, cost=whole).notes]


def test_several_metrics_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="quality must be one metric"):
        bb.frontier(RIGHT, quality=["mean", "accuracy"], cost=TIME)


def test_a_price_beside_the_cost_of_each_item_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'a' has a price, and 'b' the cost of each item"):
        bb.frontier({name: RIGHT[name] for name in "ab"}, cost={"a": 3.0, "b": TIME["b"]})


def test_ten_systems_and_a_metric_of_sums(tmp_path: Any) -> None:
    gold = RNG.integers(0, 3, N)
    systems = {f"s{place}": np.where(RNG.random(N) < 0.5 + place / 25, gold, 0) for place in range(10)}
    cost = {name: float(place + 1) for place, name in enumerate(systems)}
    result = bb.frontier(systems, gold, quality="f1_macro", cost=cost, margin=0.3)
    assert bb.load(result.to_json()) == result
    assert all(one.costs[0].per_success is None for one in result)
    result.plot().figure.savefig(tmp_path / "f.png")


@pytest.mark.parametrize("ids", [{}, {"item": range(N)}])
def test_a_wide_table_with_holes_keeps_scores_and_costs_of_an_item_together(ids: Any) -> None:
    pd = pytest.importorskip("pandas")
    gold = RNG.integers(0, 2, N)
    answers = {name: np.where(right == 1.0, gold, 1 - gold) for name, right in RIGHT.items()}
    whole = pd.DataFrame({**ids, "gold": gold, **answers, **{f"{name}_ms": x for name, x in TIME.items()}})
    of_cost, of_quality = whole.copy(), whole.astype({"a": object})
    of_cost.loc[3, "a_ms"] = of_quality.loc[5, "a"] = None

    def frontier(frame: Any, how: Any = "error") -> bb.results.Frontier:
        return bb.frontier(frame, gold="gold", cost="ms", on_missing=how)

    for holes, row in ((of_cost, 3), (of_quality, 5)):
        rest = frontier(whole.drop(index=row).reset_index(drop=True))
        dropped = frontier(holes, "drop")
        assert [one.costs for one in dropped] == [one.costs for one in rest]
        assert told(dropped) == told(rest)
    of_quality.loc[5, "a"] = 1 - gold[5]
    wrong = frontier(of_quality.astype({"a": int}))
    of_quality.loc[5, "a"] = None
    for one, other in zip(frontier(of_quality, "worst"), wrong, strict=True):
        assert one.costs[0].per_success_interval.low == pytest.approx(other.costs[0].per_success_interval.low)
    whole.loc[3, "a_ms"] = max(x.max() for x in TIME.values())
    worst = frontier(of_cost, "worst")
    assert "1 of 200 values of ms of 'a' are missing and count as the greatest" in str(worst)
    for one, other in zip(worst, frontier(whole), strict=True):
        assert one.costs[0].per_success_interval.low == pytest.approx(other.costs[0].per_success_interval.low)
    for how in ("pairs", "bounds", "drop-systems"):
        with pytest.raises(InvalidInputError, match="no value for 1 of 200 items"):
            frontier(of_cost, how)
