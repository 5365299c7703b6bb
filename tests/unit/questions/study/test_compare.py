"""Study.compare: against compare() and compare_runs(), and the laws where they apply."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.study.conditions import (
    CLASSES,
    CLUSTERS,
    GOLD,
    RUNS,
    SOFT_GOLD,
    SOFT_RUNS,
    Make,
    N,
    codes,
    labels,
    numbers,
    rows,
)

import bestby as bb
from bestby import Study
from bestby.errors import DesignError
from bestby.questions.study.result import StudyComparison


@pytest.mark.parametrize(
    "metric", ["accuracy", "f1_macro", "matthews_corrcoef", "f1[y]", "balanced_accuracy"]
)
@pytest.mark.parametrize(
    ("interval", "test"), [("auto", "auto"), ("percentile", "bootstrap"), ("basic", "permutation")]
)
def test_single_runs_are_compared_as_by_compare(make: Make, metric: str, interval: str, test: str) -> None:
    study = make({"h0": RUNS["h0"][:1], "h1": RUNS["h1"][:1]})
    settings = {"metric": metric, "baseline": "h1", "interval": interval, "n_resamples": 400, "margin": 0.05}
    found = study.compare(test=test, **settings)
    plain = bb.compare(
        {"h0": RUNS["h0"][0], "h1": RUNS["h1"][0]},  # in the order of the names: the same resamples are drawn
        GOLD,
        test="permutation" if test == "auto" else test,
        **settings,
    )
    mine, theirs = found["h0", "h1"], plain["h0", "h1"]
    for part in dataclasses.fields(theirs):
        assert getattr(mine, part.name) == getattr(theirs, part.name), part.name
    assert mine.n_runs == (1, 1)
    for name in ("h0", "h1"):
        one, other = found.score(name), plain.score(name)
        assert (one.score, one.rank_low, one.rank_high) == (other.score, other.rank_low, other.rank_high)
        assert one.interval.method == other.interval.method
        assert one.interval.low == pytest.approx(other.interval.low, abs=0.05)  # other resamples
        assert math.isnan(one.sd)


@pytest.mark.parametrize("interval", ["tango", "bca", "studentized", "normal"])
@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-midp", "sign", "wilcoxon"])
def test_what_knows_of_items_only_works_for_single_runs(make: Make, interval: str, test: str) -> None:
    study = make({"h0": RUNS["h0"][:1], "h1": RUNS["h1"][:1]})
    found = study.compare(interval=interval, test=test, n_resamples=200, baseline="h1")
    plain = bb.compare(
        {"h0": RUNS["h0"][0], "h1": RUNS["h1"][0]}, GOLD, interval=interval, test=test, n_resamples=200,
        baseline="h1",
    )  # fmt: skip
    assert found["h0", "h1"].interval == plain["h0", "h1"].interval
    assert found["h0", "h1"].test == plain["h0", "h1"].test


@pytest.mark.parametrize(
    ("interval", "test", "named"),
    [
        ("bca", "auto", "interval 'bca'"),
        ("tango", "auto", "interval 'tango'"),
        ("auto", "permutation", "test 'permutation'"),
        ("auto", "mcnemar", "test 'mcnemar'"),
    ],
)
def test_and_is_refused_for_several(make: Make, interval: str, test: str, named: str) -> None:
    with pytest.raises(DesignError, match=f"the {named} allows for items only") as caught:
        make(RUNS).compare(interval=interval, test=test)
    assert '="auto"' in (caught.value.hint or "")


def test_a_t_test_of_single_runs_says_what_does_not_go_with_it(make: Make) -> None:
    study = make({"h0": RUNS["h0"][:1], "h1": RUNS["h1"][:1]})
    assert study.compare(test="t")["h1", "h0"].test.name == "crossed-t"
    with pytest.raises(DesignError, match='or the test or the interval is "t"'):
        study.compare(interval="t", test="permutation")


# -- several runs: as compare_runs(), and not as if they were items ---------------------------------


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "f1[y]"])
@pytest.mark.parametrize(
    ("interval", "test"), [("auto", "auto"), ("percentile", "bootstrap"), ("basic", "t"), ("t", "bootstrap")]
)
def test_runs_are_compared_as_by_compare_runs(make: Make, metric: str, interval: str, test: str) -> None:
    runs = {name: RUNS[name] for name in ("h0", "h1")}
    found = make(runs).compare(metric=metric, interval=interval, test=test, n_resamples=500)
    plain = bb.compare_runs(
        # in the order of the names: the same resamples are drawn
        {name: RUNS[name] for name in ("h0", "h1")}, gold=GOLD, metric=metric, baseline="h0", test=test,
        interval=interval, n_resamples=500,
    )  # fmt: skip
    mine, theirs = found["h1", "h0"], plain["h1", "h0"]
    assert (mine.interval.low, mine.interval.high) == pytest.approx(
        (theirs.interval.low, theirs.interval.high), abs=1e-12
    )
    assert mine.interval.method == theirs.interval.method
    assert mine.test.p_value == pytest.approx(theirs.p_value, rel=1e-9)
    assert mine.test.name == theirs.test.name
    assert (mine.estimate, mine.score_a, mine.score_b) == (theirs.estimate, theirs.score_a, theirs.score_b)
    assert (
        (mine.n_runs, mine.n_differing) == (theirs.n_runs, theirs.n_differing) == ((2, 3), mine.n_differing)
    )
    for name in runs:
        assert found.score(name).runs == plain.score(name).runs
        assert found.score(name).sd == plain.score(name).sd
        if interval in ("auto", "t"):
            low, high = found.score(name).interval.low, found.score(name).interval.high
            assert (low, high) == pytest.approx(
                (plain.score(name).interval.low, plain.score(name).interval.high), rel=1e-12
            )


def test_clusters_reach_the_comparison_of_runs(make: Make) -> None:
    runs = {name: RUNS[name] for name in ("h0", "h1")}
    found = make(runs, clusters=CLUSTERS).compare(metric="accuracy")
    plain = bb.compare_runs(
        {"h1": RUNS["h1"], "h0": RUNS["h0"]}, gold=GOLD, clusters=CLUSTERS, metric="accuracy", baseline="h0"
    )
    ours, theirs = found["h1", "h0"].interval, plain["h1", "h0"].interval
    # The systems stand in another order, so the last bits of the sums may differ from processor to processor.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert (ours.level, ours.method, ours.exact) == (theirs.level, theirs.method, theirs.exact)
    assert found["h1", "h0"].interval != make(runs).compare(metric="accuracy")["h1", "h0"].interval
    assert found.provenance.data["clusters"] == N // 2


def test_runs_glued_as_items_would_be_far_too_sure(make: Make) -> None:
    """Ten runs alike: as items they would be ten times the data; as runs they add next to nothing."""
    one = {"h0": [RUNS["h0"][0]], "h1": [RUNS["h1"][0]]}
    ten = {name: several * 10 for name, several in one.items()}
    alone = make(one).compare(interval="percentile", n_resamples=2000)["h1", "h0"].interval
    copies = make(ten).compare(interval="percentile", n_resamples=2000)["h1", "h0"].interval
    assert copies.high - copies.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_copies_of_a_run_are_noted_as_compare_runs_does(make: Make) -> None:
    runs = {"h0": RUNS["h0"], "h1": [RUNS["h1"][0]] * 3, "h2": RUNS["h2"]}
    found = make(runs).compare(metric=["accuracy", "f1_macro"])
    told = [note for note in found.notes if note.code == "constant_runs"]
    assert [note.about for note in told] == [("accuracy", "h1"), ("f1_macro", "h1")]
    plain = bb.compare_runs({name: runs[name] for name in ("h0", "h1")}, gold=GOLD, metric="accuracy")
    assert told[0] in plain.notes
    again = make({"h0": RUNS["h0"], "h2": RUNS["h2"]}).compare(metric="accuracy")
    assert "constant_runs" not in {note.code for note in again.notes}


def test_one_against_several(make: Make) -> None:
    found = make(RUNS).compare(metric="accuracy")
    d = found["h2", "h0"]
    means = [float(np.mean([np.mean(run == GOLD) for run in RUNS[name]])) for name in ("h2", "h0")]
    assert (d.score_a, d.score_b) == pytest.approx(means)
    assert d.estimate == pytest.approx(means[0] - means[1])
    assert (d.n_runs, d.interval.method, d.test.name) == ((1, 3), "crossed-t", "crossed-t")
    assert found.score("h2").interval.method == "wilson-midp"  # one run: the items are all there is
    assert found.score("h2").runs == (pytest.approx(means[0]),)
    assert math.isnan(found.score("h2").sd)
    assert [note.code for note in found.notes if note.code.endswith(("run", "runs"))] == [
        "one_run",
        "few_runs",
    ]
    told = next(note.message for note in found.notes if note.code == "one_run")
    assert told.startswith("h2 has one run: the interval of its score is over items only, and says nothing")


def test_a_single_run_borrows_the_run_variance_of_the_other(make: Make) -> None:
    """Otherwise the interval is that of the items and of half of the runs alone."""
    apart = [labels(right, seed) for seed, right in enumerate((0.2, 0.5, 0.8))]
    found = make({"h0": apart, "h2": RUNS["h2"], "h3": [labels(0.4, 77)]}).compare(metric="accuracy")
    d = found["h2", "h0"]
    sd = float(np.std([np.mean(run == GOLD) for run in apart], ddof=1))
    assert d.interval is not None
    assert d.interval.high - d.interval.low > 2 * 4.3 * sd  # the quantile of t with 2 degrees of freedom
    (told,) = [note for note in found.notes if note.code == "borrowed_run_variance"]
    assert "h2, h3" in told.message or "h3, h2" in told.message
    drawn = make({"h0": apart, "h2": RUNS["h2"]}).compare(interval="percentile")["h2", "h0"].interval
    assert drawn is not None
    assert drawn.high - drawn.low > 2 * sd
    alone = make({"h2": RUNS["h2"], "h3": [labels(0.4, 77)]}).compare(metric="accuracy")
    assert {"one_run", "borrowed_run_variance"} & {note.code for note in alone.notes} == {"one_run"}


# -- which are compared ----------------------------------------------------------------------------


def pairs(result: StudyComparison) -> set[tuple[str, str]]:
    return {(d.a, d.b) for d in result}


def test_several_baselines(tmp_path: Path) -> None:
    study = Study(tmp_path / "study")
    study.add("h0", run=0, predictions=labels(0.4, 1), gold=GOLD, baseline=True)
    study.add("k0", run=0, predictions=labels(0.5, 2), baseline=True)
    study.add("h1", run=0, predictions=labels(0.6, 3))
    study.add("h2", run=0, predictions=labels(0.7, 4), against="k0")
    found = study.compare(metric=["accuracy", "f1_macro"])
    assert pairs(found) == {("h1", "h0"), ("h1", "k0"), ("h2", "k0")}
    assert (found.baseline, found.baselines, len(found)) == (None, ("h0", "k0"), 6)
    assert all(entry.group is None for entry in found.systems)
    raw = {(d.a, d.b): d for d in found if d.metric == "accuracy"}
    ordered = sorted(raw.values(), key=lambda d: d.p_value)
    running, expected = 0.0, {}
    for factor, d in zip((3, 2, 1), ordered, strict=True):  # Holm over all pairs of a metric
        running = max(running, min(1.0, factor * d.p_value))
        expected[d.a, d.b] = running
    assert {pair: d.p_adjusted for pair, d in raw.items()} == pytest.approx(expected)
    assert pairs(study.compare(baseline="h1")) == {("h0", "h1"), ("k0", "h1"), ("h2", "h1")}
    assert pairs(study.compare(conditions=["h0", "h1", "h2"])) == {("h1", "h0")}
    assert study.compare(conditions=["h1", "h2"]).baselines == ()


def test_without_a_baseline_every_two_with_letters(make: Make) -> None:
    runs = {"a": [labels(0.3, 1)], "b": [labels(0.9, 2)], "c": [labels(0.88, 3)]}
    found = make(runs).compare()
    assert [entry.system for entry in found.systems][-1] == "a"
    assert len(pairs(found)) == 3
    assert {entry.system: entry.group for entry in found.systems} == {"b": "a", "c": "a", "a": "b"}
    plain = bb.compare({name: several[0] for name, several in runs.items()}, GOLD)
    assert {pair: plain[pair].p_adjusted for pair in pairs(found)} == pytest.approx(
        {(d.a, d.b): d.p_adjusted for d in found}
    )


def test_per_class(make: Make) -> None:
    found = make(RUNS).compare(metric=["f1_macro", "f1[y]"], per_class=True)
    assert [metric.name for metric in found.metrics] == ["f1_macro", "f1[y]", "f1[x]", "f1[z]"]
    for name in RUNS:
        mean = np.mean([found.score(name, f"f1[{label}]").score for label in CLASSES])
        assert mean == pytest.approx(found.score(name, "f1_macro").score)


# -- soft labels and directions --------------------------------------------------------------------


def test_soft_labels(make: Make) -> None:
    study = make(SOFT_RUNS, gold=SOFT_GOLD, reading=bb.Reading(classes=CLASSES))
    assert study.compare().metrics[0].name == "cross_entropy"
    metrics = ["cross_entropy", "js_distance", "entropy_correlation", "soft_f1_macro", "accuracy"]
    found = study.compare(metric=metrics, n_resamples=300)
    plain = bb.compare(
        {"s2": SOFT_RUNS["s2"][0], "s0": SOFT_RUNS["s0"][0]}, SOFT_GOLD,
        reading=bb.Reading(classes=CLASSES), metric=metrics,
        baseline="s0", n_resamples=300,
    )  # fmt: skip
    for metric in metrics:
        mine, theirs = found["s2", "s0", metric], plain["s2", "s0", metric]
        assert mine.estimate == pytest.approx(theirs.estimate, abs=1e-12)
        assert mine.p_value == pytest.approx(theirs.p_value, abs=0.15)  # 300 resamples, others in each
    assert found["s1", "s0", "cross_entropy"].estimate < 0 < found["s1", "s0", "soft_f1_macro"].estimate
    assert found.systems[0].system == "s1"  # the lowest cross-entropy is the best
    assert "most_probable_class" in codes(found)


def test_better_looks_at_the_tail_in_which_better_lies(make: Make) -> None:
    runs = {"s0": [rows(0.4, 1), rows(0.45, 4)], "s1": [rows(0.8, 2), rows(0.85, 3)]}
    study = make(runs, gold=SOFT_GOLD, reading=bb.Reading(classes=CLASSES))
    metrics = ["js_distance", "soft_accuracy"]
    found = study.compare(metric=metrics, alternative="better")
    assert [d.test.alternative for d in found if d.a == "s1"] == ["less", "greater"]
    assert all(found["s1", "s0", metric].p_value < 0.02 for metric in metrics)
    other = study.compare(metric=metrics, alternative="better", baseline="s1")
    assert all(other["s0", "s1", metric].p_value > 0.98 for metric in metrics)
    assert "direction" not in codes(found)
    sided = study.compare(metric=metrics, alternative="less")
    assert [note.about for note in sided.notes if note.code == "direction"] == [("js_distance",)]


def test_hard_systems_against_soft_gold_and_the_other_way(make: Make) -> None:
    hard = np.array(CLASSES)[SOFT_GOLD.argmax(axis=1)]
    found = make(
        {"s0": SOFT_RUNS["s0"], "hard": [hard]}, gold=SOFT_GOLD, reading=bb.Reading(classes=CLASSES)
    ).compare(metric="brier")
    assert "certain_of_its_class" in codes(found)
    one_hot = np.eye(3)[SOFT_GOLD.argmax(axis=1)]
    assert found.score("hard").score == pytest.approx(float(((one_hot - SOFT_GOLD) ** 2).sum(1).mean()))
    back = make({"s0": [rows(0.5, 1)], "soft": [rows(0.9, 2)]}, reading=bb.Reading(classes=CLASSES)).compare(
        metric="log_loss"
    )
    places = [CLASSES.index(label) for label in GOLD]
    expected = -np.log(rows(0.9, 2)[np.arange(N), places]).mean()
    assert back.score("soft").score == pytest.approx(expected)


# -- laws ------------------------------------------------------------------------------------------


def test_a_metric_has_the_same_numbers_whatever_others_are_asked_for(make: Make) -> None:
    """Otherwise the cache would give others than a study without one."""
    settings: dict[str, Any] = {"interval": "percentile", "test": "bootstrap", "n_resamples": 300}
    study = make(RUNS)
    study.compare(metric="f1_macro", **settings)
    grown = study.compare(metric=["accuracy", "f1_macro", "recall_macro"], **settings)
    fresh = make(RUNS).compare(metric=["accuracy", "f1_macro", "recall_macro"], **settings)
    assert (grown.n_reused, fresh.n_reused) == (5, 0)
    assert numbers(grown) == numbers(fresh)
