"""Which of several systems may be the best, how far each is behind it, and the score of the leader."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.typing import FloatArray
from bestby.comparisons import best

N = 400


def answers(k: int, seed: int = 0, n: int = N, least: float = 0.4) -> dict[str, FloatArray]:
    rng = np.random.default_rng(seed)
    difficulty = 1.2 * rng.normal(size=n)
    ability = np.linspace(1.2, least, k)
    return {
        f"s{place}": (rng.random(n) * (1.0 + np.exp(difficulty - one)) < 1.0).astype(float)
        for place, one in enumerate(ability)
    }


def test_counts_of_right_answers_give_what_pairs_by_themselves_give(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = answers(6)
    by_counts = bb.compare(systems)
    monkeypatch.setattr("bestby.comparisons.many_systems.FEW_PAIRS", 1000)
    by_pairs = bb.compare(systems)
    assert by_counts.best == by_pairs.best
    for one, other in zip(by_counts.systems, by_pairs.systems, strict=True):
        assert one.behind == pytest.approx(other.behind, abs=1e-6)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "matthews_corrcoef"])
def test_the_order_of_systems_changes_nothing(metric: str) -> None:
    gold = np.random.default_rng(3).integers(0, 3, 120)
    right = answers(3, n=120)
    systems = {name: np.where(one == 1.0, gold, (gold + 1) % 3) for name, one in right.items()}
    found = []
    for names in permutations(systems):
        result = bb.compare({name: systems[name] for name in names}, gold, metric=metric)
        of = {one.system: (one.may_be_best, one.behind) for one in result.systems}
        found.append((result.best, result.leader, of))
    assert all(one == found[0] for one in found)


def test_errors_are_the_mirror_image_of_right_answers() -> None:
    systems = answers(5)
    errors = {name: 1.0 - one for name, one in systems.items()}
    right = bb.compare(systems, metric=bb.ScoreMetric("right", greater_is_better=True))
    wrong = bb.compare(errors, metric=bb.ScoreMetric("wrong", greater_is_better=False))
    assert right.best is not None
    assert wrong.best is not None
    assert right.best.systems == wrong.best.systems
    assert [one.behind for one in wrong.systems] == pytest.approx([one.behind for one in right.systems])
    assert right.leader is not None
    assert wrong.leader is not None
    assert wrong.leader.corrected == pytest.approx(1.0 - right.leader.corrected)
    low, high = wrong.leader.interval.low, wrong.leader.interval.high
    ends = right.leader.interval.low, right.leader.interval.high
    assert (1.0 - high, 1.0 - low) == pytest.approx(ends)


@pytest.mark.parametrize("interval", ["auto", "normal", "percentile"])
def test_who_is_shown_to_be_worse_at_once_is_not_in_the_set(interval: str) -> None:
    result = bb.compare(answers(8, seed=2), interval=interval, correction="simultaneous", n_resamples=2000)
    first = {one.system for one in result.systems if one.rank_low == 1}
    assert result.best is not None
    assert set(result.best.systems) <= first
    assert result.systems[0].may_be_best
    worst = max(one.score for one in result.systems) - min(one.score for one in result.systems)
    assert max(one.behind or 0.0 for one in result.systems) > worst


def test_a_copy_is_in_the_set_with_what_it_is_a_copy_of() -> None:
    systems = answers(4)
    result = bb.compare({**systems, "copy": systems["s0"]})
    assert result.score("copy").may_be_best == result.score("s0").may_be_best
    assert result.score("copy").behind == pytest.approx(result.score("s0").behind, abs=0.002)


def test_a_system_that_is_better_by_a_constant_leaves_the_others_behind() -> None:
    numbers = np.random.default_rng(0).normal(size=60)
    result = bb.compare({"a": numbers, "b": numbers + 1.0, "c": numbers - 1.0})
    assert result.best is not None
    assert result.best.systems == ("b",)
    assert [one.behind for one in result.systems] == pytest.approx([0.0, 1.0, 2.0])


class TestLeader:
    def test_it_is_the_same_with_tests_and_without(self) -> None:
        systems = answers(6, seed=1)
        evaluated, compared = bb.evaluate(systems).leader, bb.compare(systems).leader
        assert evaluated is not None
        assert compared is not None
        assert evaluated.interval == compared.interval
        assert evaluated.corrected == pytest.approx(compared.corrected, abs=0.01)

    def test_its_interval_contains_the_plain_one_of_a_far_leader_and_lies_lower(self) -> None:
        for seed in range(4):
            result = bb.evaluate(answers(6, seed=seed, least=1.0))
            leader, plain = result.leader, result.systems[0].interval
            assert leader is not None
            assert plain is not None
            assert leader.interval.low < plain.low
            assert leader.interval.high >= plain.high
            assert leader.interval.low < leader.corrected <= leader.score

    def test_many_units_give_nearly_what_their_splits_give(self, monkeypatch: pytest.MonkeyPatch) -> None:
        systems = answers(6, seed=1, n=1500, least=1.1)
        by_splits = bb.evaluate(systems).leader
        monkeypatch.setattr(best, "MOST_SPLIT", 1000)
        normal = bb.evaluate(systems).leader
        assert by_splits is not None
        assert normal is not None
        assert normal.corrected == pytest.approx(by_splits.corrected, abs=0.002)

    @pytest.mark.parametrize("function", [bb.compare, bb.evaluate])
    def test_a_constant_system_that_could_not_be_first_has_no_say(self, function: Any) -> None:
        systems: dict[str, FloatArray] = dict(
            zip("abc", np.random.default_rng(2).normal(1, 1, (3, 80)), strict=True)
        )
        without = function(systems).leader
        result = function({**systems, "constant": np.full(80, 0.1)})
        assert result.score("constant").interval is None
        assert result.leader.corrected == without.corrected
        assert result.leader.interval.high == without.interval.high
        assert result.leader.interval.low < without.interval.low  # the first of four
        assert function({**systems, "constant": np.full(80, 0.99)}).leader is None

    def test_a_leader_that_no_other_comes_near_has_no_luck(self) -> None:
        systems = {**answers(4), "far": np.ones(N)}
        systems["far"][:4] = 0.0
        assert bb.compare(systems).leader is None
        assert bb.evaluate(systems).leader is None
        assert bb.evaluate(answers(2)).leader is None
        assert bb.evaluate(answers(4), interval=None).leader is None


class TestFocus:
    def test_the_rank_of_one_lies_within_that_of_all(self) -> None:
        result = bb.compare(answers(8, seed=5), focus="s4")
        (one,) = result.focus
        entry = result.score("s4")
        assert entry.rank_low is not None
        assert entry.rank_high is not None
        assert entry.rank_low <= one.rank_low <= one.rank_high <= entry.rank_high
        assert "s4, named in advance, has rank" in str(result)

    def test_other_numbers_stay_and_the_settings_name_it(self) -> None:
        systems = answers(5)
        result, plain = bb.compare(systems, focus="s4"), bb.compare(systems)
        assert result.systems == plain.systems
        assert result.provenance.settings["focus"] == "s4"
        assert "focus" not in plain.provenance.settings


class TestLeadingDifference:
    def test_it_allows_for_the_choice_among_those_that_are_compared_with_the_baseline(self) -> None:
        systems = answers(5, seed=1, least=1.0) | {"base": answers(1, seed=9, least=0.6)["s0"]}
        result = bb.compare(systems, baseline="base")
        leader, plain = result.leader, result.differences[0]
        assert leader is not None
        assert plain.interval is not None
        assert (leader.system, leader.baseline, leader.n_systems) == (plain.a, "base", 5)
        assert leader.score == plain.estimate
        assert leader.interval.low < plain.interval.low < leader.corrected < leader.score
        highest = [d.interval.high for d in result.differences if d.interval is not None]
        assert leader.interval.high == max(highest)

    def test_a_shift_of_every_item_takes_the_baseline_away(self) -> None:
        rng = np.random.default_rng(2)
        systems = {f"s{place}": rng.normal(size=200) for place in range(5)}
        by_itself = bb.compare(systems).leader
        over = bb.compare({**systems, "base": np.full(200, 0.25)}, baseline="base").leader
        assert by_itself is not None
        assert over is not None
        assert over.score == pytest.approx(by_itself.score - 0.25)
        assert over.corrected == pytest.approx(by_itself.corrected - 0.25, abs=0.01)
        assert over.interval.low == pytest.approx(by_itself.interval.low - 0.25, abs=0.002)
        assert over.interval.high == pytest.approx(by_itself.interval.high - 0.25)

    def test_it_covers_the_true_difference_of_equal_systems_where_the_plain_one_does_not(self) -> None:
        rng, held, plain = np.random.default_rng(5), 0, 0
        for _ in range(60):
            systems = {f"s{place:02d}": rng.normal(size=60) for place in range(12)}
            result = bb.compare(systems, baseline="s00", interval="normal", test=None, n_resamples=99)
            first = result.differences[0].interval
            assert first is not None
            interval = first if result.leader is None else result.leader.interval
            held += interval.low <= 0.0 <= interval.high
            plain += first.low <= 0.0 <= first.high
        assert plain < 52 <= held  # fewer than 52 of 60 have a chance of 0.3 % at 95 %

    def test_it_is_the_same_by_splits_and_by_how_scores_vary(self, monkeypatch: pytest.MonkeyPatch) -> None:
        systems = answers(6, seed=1, n=800)
        by_splits = bb.compare(systems, baseline="s5").leader
        monkeypatch.setattr(best, "MOST_SPLIT", 0)
        normal = bb.compare(systems, baseline="s5").leader
        assert by_splits is not None
        assert normal is not None
        assert by_splits.corrected == pytest.approx(normal.corrected, abs=0.003)

    def test_losses_are_the_mirror_image(self) -> None:
        systems = answers(5, seed=1)
        right = bb.compare(systems, baseline="s4", metric=bb.ScoreMetric("r", greater_is_better=True)).leader
        errors = {name: 1.0 - one for name, one in systems.items()}
        wrong = bb.compare(errors, baseline="s4", metric=bb.ScoreMetric("w", greater_is_better=False)).leader
        assert right is not None
        assert wrong is not None
        assert wrong.corrected == pytest.approx(-right.corrected)
        assert (wrong.interval.low, wrong.interval.high) == pytest.approx(
            (-right.interval.high, -right.interval.low)
        )

    def test_one_system_beside_the_baseline_was_not_chosen(self) -> None:
        assert bb.compare(answers(2), baseline="s0").leader is None
        assert bb.compare(answers(4), baseline="s0", interval=None).leader is None
