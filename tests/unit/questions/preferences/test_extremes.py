"""`compare_preferences` where one system wins all, or all is a tie: nothing becomes certain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.unit.questions.preferences.examples import NAMES, PLAIN, TWO

import bestby
from bestby._core.errors import DesignError
from bestby.inference.proportions import tango, wilson
from bestby.questions.preferences import strengths as strengths_module
from bestby.questions.preferences.compare import compare_preferences


def ends(interval: Any) -> tuple[float, float]:
    return interval.low, interval.high


def test_a_win_in_every_judgement_is_no_certainty() -> None:
    rows = [("x", "y", "x")] * 60
    result = compare_preferences(rows)
    d = result["x", "y"]
    assert d.estimate == math.inf
    assert ends(d.probability_interval) == pytest.approx((0.025 ** (1.0 / 60.0), 1.0))
    assert ends(result.score("x").win_rate_interval) == pytest.approx(wilson(60, 60))  # type: ignore[attr-defined]
    assert "differences of 2.758 or more" in d.sentence
    assert "x won all 60: its strength has no upper limit" in str(result)
    finite = compare_preferences(rows, prior="jeffreys")["x", "y"]
    # Firth's logit of one proportion: half a win and half a loss are added
    assert finite.estimate == pytest.approx(math.log(60.5 / 0.5))
    assert finite.interval.low < finite.estimate < finite.interval.high < math.inf


def test_a_system_without_limits_leaves_the_others_as_they_are() -> None:
    rest = compare_preferences(PLAIN)
    more = [("best", name, "best") for name in NAMES for _ in range(8)]
    more += [(name, "worst", name) for name in NAMES for _ in range(8)]
    result = compare_preferences([*PLAIN, *more])
    assert [entry.system for entry in result.systems] == ["best", *NAMES, "worst"]
    for d in rest:
        assert result[d.a, d.b].estimate == pytest.approx(d.estimate)
    assert (result.systems[0].score, result.systems[-1].score) == (math.inf, -math.inf)
    assert (result.systems[0].rank_low, result.systems[0].rank_high) == (1, 1)
    assert result["worst", "one"].interval.high < 0.0
    assert "worst lost all 32: its strength has no lower limit" in str(result)
    assert result.to_html()
    assert bestby.load(result.to_json()) == result
    assert np.isnan(result.to_frame("scores").score).sum() == 0


def undefeated() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a = rng.integers(5, size=400)
    b = (a + 1 + rng.integers(4, size=400)) % 5
    won = np.where(a == 0, True, np.where(b == 0, False, rng.random(400) < 0.6))
    names = np.array(list("vwxyz"))
    return {"a": names[a], "b": names[b], "winner": np.where(won, "a", "b")}


def test_bounds_do_not_count_what_covariates_and_weights_explain() -> None:
    judged, rng = undefeated(), np.random.default_rng(1)
    won = np.where(judged["winner"] == "a", 1.0, -1.0)
    plain = compare_preferences(judged)["v", "w"].interval.low
    styled = compare_preferences(judged, covariates=won + 2.0 * rng.standard_normal(400))
    assert styled["v", "w"].interval.low == pytest.approx(plain)
    voter = np.minimum(rng.zipf(1.6, size=400), 60)
    weighted = compare_preferences(judged, voter=voter, voter_weights="shrunk")
    assert weighted["v", "w"].interval.low == pytest.approx(plain, abs=0.5)


def test_bounds_count_clusters_once() -> None:
    judged = undefeated()
    once = compare_preferences(judged)["v", "w"]
    thrice = {name: np.repeat(column, 3) for name, column in judged.items()}
    again = compare_preferences(thrice, clusters=np.repeat(np.arange(400), 3))["v", "w"]
    assert again.interval.low == pytest.approx(once.interval.low)
    assert again.p_value == pytest.approx(once.p_value)


def test_pairs_without_a_bound_are_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = undefeated()
    monkeypatch.setattr(strengths_module, "MOST_WORK", 6.0 * 6**3 * 10)
    result = compare_preferences(judged)
    assert np.isinf([d.interval.low for d in result if d.a == "v"]).tolist() == [False, True, True, True]
    assert (result.systems[0].rank_low, result.systems[0].rank_high) == (1, 1)
    assert "of 3 infinite differences no bound was computed, and 0 were not tested" in str(result)


def test_a_system_that_won_all_both_ways_was_not_shown_in_one_order_only() -> None:
    text = str(compare_preferences([("x", "y", "x"), ("y", "x", "x")] * 20))
    assert "no difference is finite: an order effect cannot be separated" in " ".join(text.split())
    one = str(compare_preferences([("x", "y", "x")]))
    assert "has no upper limit." in " ".join(one.split())


def test_davidsons_ties_that_grow_with_the_order_leave_it_out() -> None:
    ties = [("x", "y", "tie"), ("y", "x", "tie")] * 8
    never_second = [("x", "y", "x")] * 30 + [("y", "x", "y")] * 25 + ties
    result = compare_preferences(never_second, ties="davidson")
    assert result.order is not None
    assert result.order.status == "separated"
    assert math.isfinite(result["x", "y"].estimate)
    with pytest.raises(DesignError, match="no finite estimate"):
        compare_preferences(never_second, ties="davidson", order=True)


def test_systems_that_nothing_connects() -> None:
    apart = [("u", "v", "u")] * 5 + [("v", "u", "v")] * 4
    result = compare_preferences([*PLAIN, *apart])
    d = result["one", "u"]
    assert (d.interval, d.p_value, d.winner) == (None, 1.0, None)
    assert math.isnan(d.estimate)
    assert math.isfinite(result["u", "v"].estimate)
    assert "No wins and ties connect u with most others" in str(result)
    assert bestby.load(result.to_json()) == result


def test_nothing_but_ties_is_no_certainty() -> None:
    result = compare_preferences([("x", "y", "tie")] * 60)
    d = result["x", "y"]
    reach = tango(0, 0, 60)[1] / 2.0
    low, high = ends(d.probability_interval)
    assert low == pytest.approx(1.0 - high)
    assert high - 0.5 == pytest.approx(reach, rel=0.15)
    assert ends(result.score("x").win_rate_interval) == pytest.approx((0.5 - reach, 0.5 + reach))  # type: ignore[attr-defined]
    assert 0.0 in d.interval


def test_two_systems_have_the_interval_of_their_log_odds() -> None:
    d = compare_preferences([row for row in TWO if row[2] != "tie"], order=False)["x", "y"]
    odds = math.log(15 / 6)
    # HC3 of one proportion: the variance over (1 - 1/n)^2, Student's t with n - 2
    half = stdtrit(19.0, 0.975) * math.sqrt(1 / 15 + 1 / 6) / (1.0 - 1.0 / 21)
    assert ends(d.interval) == pytest.approx((odds - half, odds + half))


def test_clusters_that_agree_count_as_one_judgement() -> None:
    for winner in ("x", "tie"):
        rows = [("x", "y", winner)] * 60
        clusters = np.repeat(np.arange(20), 3)
        d = compare_preferences(rows, clusters=clusters, prior="jeffreys")["x", "y"]
        alone = compare_preferences(rows, prior="jeffreys")["x", "y"]
        assert d.interval.low < alone.interval.low < alone.interval.high < d.interval.high


def test_three_judgements_in_a_circle_have_wide_intervals() -> None:
    result = compare_preferences([("a", "b", "a"), ("b", "c", "b"), ("c", "a", "c")])
    for d in result:
        assert d.probability_interval.high - d.probability_interval.low > 0.8
        assert ends(d.interval) == pytest.approx((-d.interval.high, d.interval.high))


def test_clusters_in_which_wins_and_losses_balance_are_no_certainty() -> None:
    judged = [(f"q{k // 2}", "a", "b", "ab"[k % 2]) for k in range(20)]
    found = compare_preferences(judged)
    single = compare_preferences([judgement[1:] for judgement in judged])
    for d, alone in ((found["a", "b"], single["a", "b"]), (found.systems[0], single.systems[0])):
        assert 0.5 * alone.interval.low > d.interval.low
        assert d.interval.high > 0.5 * alone.interval.high
    assert found.systems[0].win_rate_interval.low < 0.5 < found.systems[0].win_rate_interval.high
