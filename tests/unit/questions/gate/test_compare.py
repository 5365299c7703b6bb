"""A gate passes, fails or stays open as its bounds and tests say, and says what it could have seen."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.unit.questions.gate.examples import answers

import bestby as bb
from bestby.questions.gate import foresight

GOLD = np.ones(400, dtype=int)


@pytest.mark.parametrize(
    ("losses", "gains", "margin", "outcome"),
    [
        (5, 5, 0.03, "pass"),
        (0, 0, 0.03, "pass"),
        (60, 0, 0.03, "fail"),
        (20, 10, 0.03, "inconclusive"),
        (20, 10, 0.1, "pass"),
        (15, 10, 0.0001, "inconclusive"),
        (0, 60, 0.001, "pass"),
    ],
)
def test_the_outcome_follows_the_bounds(losses: int, gains: int, margin: float, outcome: str) -> None:
    result = bb.gate(answers(400, losses, gains), GOLD, margin=margin)
    (check,) = result.checks
    bounds = check.difference.equivalence_interval
    assert (result.outcome, check.outcome) == (outcome, outcome)
    assert check.difference.estimate == pytest.approx((gains - losses) / 400)
    assert bounds is not None
    assert check.bound == bounds.low
    assert bounds.level == pytest.approx(0.9)
    assert (bounds.low > -margin) == (outcome == "pass")
    assert (bounds.high < -margin) == (outcome == "fail")


def test_the_bound_is_the_end_of_the_interval_that_compare_has() -> None:
    data = answers(400, 20, 10)
    result = bb.gate(data, GOLD, margin=0.03, level=0.975)
    d = bb.compare(data, GOLD, baseline="main", level=0.95)["new", "main"]
    assert d.interval is not None
    bounds = result.checks[0].difference.equivalence_interval
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx((d.interval.low, d.interval.high))


@pytest.mark.parametrize("greater", [True, False])
def test_the_direction_is_that_of_the_metric(greater: bool) -> None:
    rng = np.random.default_rng(2)
    main = rng.normal(size=200)
    worse = main + rng.normal(-0.5 if greater else 0.5, 0.2, 200)
    asked: dict[str, Any] = {"metric": bb.ScoreMetric("points", greater_is_better=greater)}
    for margin in (0.1, None):
        assert bb.gate({"main": main, "new": worse}, margin=margin, **asked).outcome == "fail"
        assert bb.gate({"main": worse, "new": main}, margin=margin, **asked).outcome == "pass"
    (check,) = bb.gate({"main": main, "new": worse}, margin=2.0, **asked).checks
    bounds = check.difference.equivalence_interval
    assert bounds is not None
    assert check.bound == (bounds.low if greater else bounds.high)
    assert check.outcome == "pass"


@pytest.mark.parametrize(
    ("margin", "outcome"), [(None, "fail"), (0.01, "fail"), (0.1, "inconclusive"), (0.3, "pass")]
)
def test_scores_and_losses_that_are_their_negatives_have_one_outcome(
    margin: float | None, outcome: str
) -> None:
    rng = np.random.default_rng(2)
    main = rng.normal(size=200)
    scores = {"main": main, "new": main - rng.normal(0.2, 1.0, 200)}
    losses = {name: -values for name, values in scores.items()}
    for data, greater in ((scores, True), (losses, False)):
        found = bb.gate(data, metric=bb.ScoreMetric("points", greater_is_better=greater), margin=margin)
        assert found.outcome == outcome


def test_an_alarm_asks_the_one_sided_test() -> None:
    result = bb.gate(answers(400, 20, 8), GOLD)
    (check,) = result.checks
    assert check.difference.p_value == pytest.approx(stats.binomtest(20, 28, 0.5, "greater").pvalue)
    assert (result.outcome, check.margin, check.difference.verdict) == ("fail", None, None)
    assert bb.gate(answers(400, 8, 20), GOLD).outcome == "pass"
    assert bb.gate(answers(400, 20, 8), GOLD, level=0.99).outcome == "pass"


def test_alarms_are_corrected_by_holm_and_margins_are_not() -> None:
    rng = np.random.default_rng(6)
    gold = rng.integers(0, 3, 300)
    main, new = (np.where(rng.random(300) < p, gold, (gold + 1) % 3) for p in (0.8, 0.72))
    metrics = ["accuracy", "f1_macro", "matthews_corrcoef"]
    result = bb.gate({"main": main, "new": new}, gold, metric=metrics)
    raw = np.array([check.difference.p_value for check in result])
    adjusted = [check.difference.p_adjusted for check in result]
    order = np.argsort(raw)
    holm = np.maximum.accumulate(raw[order] * [3, 2, 1])
    assert adjusted == pytest.approx(np.minimum(holm, 1.0)[np.argsort(order)].tolist())
    assert [check.threshold for check in result] == pytest.approx([0.05 / 3] * 3)
    margins = {"accuracy": 0.2, "f1_macro": 0.2, "matthews_corrcoef": 0.0001}
    several = bb.gate({"main": main, "new": new}, gold, metric=metrics, margin=margins)
    single = [
        bb.gate({"main": main, "new": new}, gold, metric=metric, margin=margins[metric]) for metric in metrics
    ]
    assert [check.outcome for check in several] == [one.outcome for one in single]
    assert [check.bound for check in several] == [one.checks[0].bound for one in single]
    assert several.outcome != "pass"
    mixed = bb.gate({"main": main, "new": new}, gold, metric=metrics, margin={"accuracy": 0.2})
    assert [check.margin for check in mixed] == [0.2, None, None]
    assert mixed.checks[1].threshold == pytest.approx(0.025)


def test_the_provenance_is_of_all_metrics_in_any_order() -> None:
    def share(gold: Any, predictions: Any) -> float:
        return float(np.mean(gold == predictions))

    data, gold = answers(40, 2, 1), GOLD[:40]
    orders = (["accuracy", share], [share, "accuracy"])
    first, other = (bb.gate(data, gold, metric=metrics, n_resamples=99).provenance for metrics in orders)
    assert first.data_hash == other.data_hash != bb.gate(data, gold).provenance.data_hash
    texts = {name: ["a b c d e", "a b c d f"] * 20 for name in ("main", "new")}
    asked: dict[str, Any] = {"metric": ["em", "bleu"], "margin": 0.1, "n_resamples": 99}
    assert "sacrebleu" in bb.gate(texts, texts["main"], **asked).provenance.versions


def test_one_failure_decides_and_then_one_open_check() -> None:
    data = {"main": [1.0, 0.0] * 100, "new": [1.0, 0.0] * 99 + [0.0, 0.0]}
    open_ = bb.gate(data, metric=["mean", "mse"], gold=[1.0, 0.0] * 100, margin={"mean": 0.1, "mse": 0.001})
    assert [check.outcome for check in open_] == ["pass", "inconclusive"]
    assert open_.outcome == "inconclusive"


def test_a_candidate_without_a_label_of_the_gold_is_a_verdict_with_a_note() -> None:
    gold = ["x", "y"] * 50
    for margin in (None, 0.01):
        result = bb.gate({"main": gold, "new": ["none"] * 100}, gold, margin=margin)
        assert result.outcome == "fail"
        assert "no_shared_label" in {note.code for note in result.notes}


@pytest.mark.parametrize(("differing", "could"), [(0, False), (4, False), (5, True)])
def test_too_few_items_to_fail_are_said_as_that(differing: int, could: bool) -> None:
    result = bb.gate(answers(400, 0, differing), GOLD)
    (check,) = result.checks
    assert check.smallest_p == 0.5**differing
    assert (check.could_fail, result.outcome) == (could, "pass")
    text = " ".join(str(result).split())
    assert ("could not have failed" in text) is not could
    assert (check.detectable is not None) is could
    assert "no regression" not in text.lower()
    lost = bb.gate(answers(400, differing, 0), GOLD)
    assert (lost.outcome == "fail") is could, "where every differing item is a loss, it fails if it can"


def test_the_loss_that_an_alarm_sees_is_found_with_power_80() -> None:
    rng = np.random.default_rng(8)
    check = bb.gate(answers(1000, 20, 20), np.ones(1000, dtype=int)).checks[0]
    loss = check.detectable
    assert loss is not None
    share = 0.04
    found = 0
    for _ in range(2000):
        differ = rng.binomial(1000, share)
        lost = rng.binomial(differ, 0.5 * (1.0 + loss / share))
        found += stats.binom.sf(lost - 1, differ, 0.5) <= 0.05
    assert 0.75 < found / 2000 < 0.88


def test_the_number_of_items_that_would_decide() -> None:
    result = bb.gate(answers(400, 20, 10), GOLD, margin=0.03)
    (check,) = result.checks
    d = check.difference
    assert check.more is not None
    assert d.standard_error is not None
    sd = d.standard_error * 20.0
    wanted = (sd * (1.645 + 0.842) / 0.005) ** 2
    assert check.more + 400 == pytest.approx(wanted, rel=0.01)
    factor = round((check.more + 400) / 400)
    large = {name: np.tile(values, factor) for name, values in answers(400, 20, 10).items()}
    assert bb.gate(large, np.tile(GOLD, factor), margin=0.03).outcome == "pass"


def test_copies_take_as_many_items_as_it_takes_to_see_others() -> None:
    check = bb.gate(answers(100, 0, 0), GOLD[:100], margin=0.01).checks[0]
    assert check.outcome == "inconclusive"
    assert check.more is not None
    n = 4 * -(-(100 + check.more) // 4)
    assert bb.gate(answers(n, 0, 0), np.ones(n, dtype=int), margin=0.01).outcome == "pass"
    fewer = 4 * int(0.9 * n / 4)
    assert bb.gate(answers(fewer, 0, 0), np.ones(fewer, dtype=int), margin=0.01).outcome == "inconclusive"


def test_clusters_count() -> None:
    data = answers(400, 20, 10)
    clusters = np.arange(400) // 10
    (check,) = bb.gate(data, GOLD, clusters=clusters, margin=0.03).checks
    assert (check.unit, check.difference.n_clusters) == ("clusters", 40)
    assert foresight.smallest_p(12, 3) == 0.125
    alarm = bb.gate(data, GOLD, clusters=np.arange(400) // 200).checks[0]
    assert (alarm.smallest_p, alarm.could_fail) == (0.25, False)


def test_newly_wrong_items_come_first() -> None:
    gold = ["x", "y", "x", "y", "x"]
    data = {"main": ["x", "y", "y", "x", "x"], "new": ["y", "y", "x", "z", "y"]}
    result = bb.gate(data, gold, items=["a", "b", "c", "d", "e"])
    assert [(flip.item, flip.change) for flip in result.flips] == [
        ("a", "newly wrong"),
        ("e", "newly wrong"),
        ("c", "newly right"),
    ]
    assert (result.n_worse, result.n_better) == (2, 1)
    assert result.flips[0] == bb.results.Flip("a", "newly wrong", "x", "y", "x", "accuracy")


def test_scores_that_became_worse_are_sorted_by_how_much() -> None:
    data = {"main": [0.5, 0.5, 0.5, 0.5], "new": [0.4, 0.1, 0.9, 0.5]}
    result = bb.gate(data, metric=bb.ScoreMetric("loss", greater_is_better=False))
    assert [(flip.item, flip.change) for flip in result.flips] == [
        ("3", "worse"),
        ("1", "better"),
        ("2", "better"),
    ]


def test_metrics_that_say_nothing_of_single_items_have_no_flips() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 60)
    soft = {name: np.clip(gold + rng.normal(0.0, 0.4, 60), 0.05, 0.95) for name in ("main", "new")}
    for metric in ("log_loss", "roc_auc"):
        assert bb.gate(soft, gold, metric=metric).flips == ()
    numbers = {name: gold + rng.normal(size=60) for name in ("main", "new")}
    assert bb.gate(numbers, gold, metric="spearman").flips == ()
    assert len(bb.gate(numbers, gold, metric="mae").flips) == 60


def test_a_difference_without_a_bound_decides_nothing() -> None:
    data = {"main": np.arange(20.0), "new": np.arange(20.0) - 1.0}
    result = bb.gate(data, metric="mean", margin=0.1)
    assert (result.outcome, result.checks[0].bound, result.checks[0].more) == ("inconclusive", None, None)
    assert "the data give no bound of it" in str(result)
    assert bb.gate(data, metric="mean").outcome == "fail", "the test needs no bound"


def test_skewed_losses_are_noted_where_they_let_a_gate_pass_too_often() -> None:
    rng = np.random.default_rng(1)
    main, losses = rng.normal(size=60), rng.lognormal(0.0, 1.2, 60)

    def codes(new: Any, **more: Any) -> set[str]:
        result = bb.gate({"main": main, "new": new}, margin=3.0, **{"metric": "mean"} | more)
        return {note.code for check in result for note in check.difference.notes}

    assert "skewed_differences" in codes(main - losses)
    assert "skewed_differences" not in codes(main + losses)
    assert "skewed_differences" in codes(
        main + losses, metric=bb.ScoreMetric("points", greater_is_better=False)
    )
    assert "skewed_differences" not in codes(main + rng.normal(size=60))
    pairs = np.repeat(np.arange(60), 2)
    main = np.repeat(main, 2)
    assert "skewed_differences" in codes(main - losses[pairs], clusters=pairs)


def test_where_very_many_items_differ_the_loss_is_that_of_a_t_test() -> None:
    main = np.array([1] * 140 + [0] * 10)
    new = main.copy()
    new[:14], new[140:] = 0, 1
    check = bb.gate({"main": main, "new": new}, np.ones(150, dtype=int)).checks[0]
    d = check.difference
    assert d.standard_error is not None
    assert check.detectable == pytest.approx(2.487 * d.standard_error, rel=0.02)


def test_check_raises_the_words_of_the_report() -> None:
    result = bb.gate(answers(400, 20, 10), GOLD, margin=0.03)
    with pytest.raises(AssertionError, match="Inconclusive: the data leave open whether new") as caught:
        result.check()
    assert isinstance(caught.value, bb.errors.GateFailedError)
    said = " ".join(str(result).split())
    assert str(caught.value) in said
    result.check(inconclusive="pass")
    result.check(margin=0.1)
    with pytest.raises(bb.errors.GateFailedError, match="leave open"):
        result.check(margin={"accuracy": 0.04})
    with pytest.raises(bb.errors.InvalidInputError, match="inconclusive must be one of"):
        result.check(inconclusive="maybe")  # type: ignore[arg-type]


def test_another_margin_gives_what_a_gate_with_it_gives() -> None:
    data = answers(400, 20, 10)
    one, other = bb.gate(data, GOLD, margin=0.03), bb.gate(data, GOLD, margin=0.06)
    again = one.with_margin(0.06)
    assert again.outcome == other.outcome
    assert again.checks[0].bound == other.checks[0].bound
    assert again.provenance.settings == other.provenance.settings
    alarm = bb.gate(data, GOLD).with_margin(0.06)
    assert alarm.checks[0].bound == other.checks[0].bound


def test_of_three_systems_two_are_named() -> None:
    data = {**answers(40, 2, 1), "other": [1] * 40}
    with pytest.raises(bb.errors.InvalidInputError, match="a gate compares two systems, got 3"):
        bb.gate(data, GOLD[:40])
    with pytest.raises(bb.errors.InvalidInputError, match="two systems, got 3"):
        bb.gate(data, GOLD[:40], baseline="main")
    result = bb.gate(data, GOLD[:40], baseline="other", candidate="new")
    assert (result.baseline, result.candidate) == ("other", "new")
    turned = bb.gate(answers(40, 2, 1), GOLD[:40], candidate="main")
    assert (turned.baseline, turned.candidate) == ("new", "main")
    with pytest.raises(bb.errors.InvalidInputError, match="at least 2 systems"):
        bb.gate({"main": [1, 0]}, [1, 1])


def test_a_measure_of_which_lower_is_better_has_no_note_on_sides() -> None:
    rng = np.random.default_rng(4)
    scores = {"main": rng.random(60), "new": rng.random(60)}
    result = bb.gate(scores, metric=bb.ScoreMetric("loss", greater_is_better=False))
    assert "direction" not in [note.code for note in result.notes]


def test_an_alarm_on_few_clusters_says_that_they_are_few() -> None:
    clusters = [i // 200 for i in range(400)]
    (sentence,) = bb.gate(answers(400, 30, 20), GOLD, clusters=clusters).sentences
    assert "The items lie in only 2 clusters: the smallest p-value they could give is 0.25" in sentence


def test_scores_without_bounds_say_how_many_must_differ() -> None:
    main = np.linspace(0.0, 5.0, 400)
    new = main.copy()
    new[:3] += 0.01
    result = bb.gate(
        {"main": main, "new": new}, metric=bb.ScoreMetric("points", greater_is_better=True), margin=0.1
    )
    assert result.outcome == "inconclusive"
    assert "scores without known bounds need 6 items that differ" in result.sentences[0]


def test_one_of_several_checks_does_not_fail_by_the_bound_of_a_single_one() -> None:
    rng = np.random.default_rng(3)
    main = rng.normal(size=200)
    data = {"main": main, "new": main + rng.normal(-0.5, 0.2, 200)}
    result = bb.gate(data, metric="mean", by={"half": np.arange(200) % 2}, margin=0.1)
    unbounded = tuple(dataclasses.replace(check, fail_bound=None) for check in result.checks)
    again = dataclasses.replace(result, checks=unbounded).with_margin(0.1)
    assert {check.outcome for check in result.checks} == {"fail"}
    assert {check.outcome for check in again.checks} == {"inconclusive"}
    alone = dataclasses.replace(result, checks=unbounded[:1]).with_margin(0.1)
    assert alone.outcome == "fail"
