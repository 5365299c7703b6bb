"""`compare_preferences` where one system wins all, or all is a tie: nothing becomes certain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import TWO

from bestby.inference.proportions import tango, wilson
from bestby.questions.preferences.compare import compare_preferences


def ends(interval: Any) -> tuple[float, float]:
    return interval.low, interval.high


def test_a_win_in_every_judgement_is_no_certainty() -> None:
    result = compare_preferences([("x", "y", "x")] * 60, prior=1.0)
    d = result["x", "y"]
    assert ends(d.probability_interval) == pytest.approx(wilson(60.5, 61))
    assert ends(d.interval) == pytest.approx(tuple(math.log(p / (1.0 - p)) for p in wilson(60.5, 61)))
    assert ends(result.score("x").win_rate_interval) == pytest.approx(wilson(60, 60))  # type: ignore[attr-defined]
    assert "the data are compatible with differences from" in d.sentence


def test_nothing_but_ties_is_no_certainty() -> None:
    result = compare_preferences([("x", "y", "tie")] * 60)
    d = result["x", "y"]
    reach = tango(0, 0, 60)[1] / 2.0
    assert ends(d.probability_interval) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert ends(result.score("x").win_rate_interval) == pytest.approx((0.5 - reach, 0.5 + reach))  # type: ignore[attr-defined]
    assert 0.0 in d.interval
    assert d.interval.high > 0.1


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_two_systems_have_score_intervals(ties: str) -> None:
    result = compare_preferences([row for row in TWO if row[2] != "tie"], ties=ties)
    d, x = result["x", "y"], result.score("x")
    assert ends(d.probability_interval) == pytest.approx(wilson(15, 21))
    assert ends(x.interval) == pytest.approx(tuple(end / 2.0 for end in ends(d.interval)))
    with_ties = compare_preferences(TWO)["x", "y"]
    assert ends(with_ties.probability_interval) == pytest.approx(
        tuple((1.0 + end) / 2.0 for end in tango(15, 6, 25))
    )
    if ties == "davidson":  # no tie in 21 judgements
        assert result.tie_interval is not None
        assert result.tie_interval.low == 0.0
        share = result.tie_interval.high / (2.0 + result.tie_interval.high)
        assert share == pytest.approx(wilson(0, 21)[1])


def test_clusters_that_agree_count_as_one_judgement() -> None:
    for winner in ("x", "tie"):
        rows = [("x", "y", winner)] * 60
        clusters = np.repeat(np.arange(20), 3)
        d = compare_preferences(rows, clusters=clusters, prior=1.0)["x", "y"]
        alone = compare_preferences(rows, prior=1.0)["x", "y"]
        wide, narrow = d.probability_interval, alone.probability_interval
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
        assert d.interval.low < alone.interval.low < alone.interval.high < d.interval.high


def test_three_judgements_in_a_circle_have_wide_intervals() -> None:
    result = compare_preferences([("a", "b", "a"), ("b", "c", "b"), ("c", "a", "c")])
    for d in result:
        assert d.probability_interval.high - d.probability_interval.low > 0.8
        assert ends(d.interval) == pytest.approx((-d.interval.high, d.interval.high))


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_clusters_in_which_wins_and_losses_balance_are_no_certainty(ties: str) -> None:
    judged = [(f"q{k // 2}", "a", "b", "ab"[k % 2]) for k in range(20)]
    found = compare_preferences(judged, ties=ties)
    single = compare_preferences([judgement[1:] for judgement in judged], ties=ties)
    for d, alone in ((found["a", "b"], single["a", "b"]), (found.systems[0], single.systems[0])):
        assert d.interval.low <= alone.interval.low < 0.0
        assert d.interval.high >= alone.interval.high > 0.0
    assert found.systems[0].win_rate_interval.low < 0.5 < found.systems[0].win_rate_interval.high
