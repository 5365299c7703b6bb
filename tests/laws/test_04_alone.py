"""Law 4: a pair compared alone equals its cell in the comparison of all, before correction."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.laws.roster import (
    INTERVALS,
    ROSTER,
    TESTS,
    Entry,
    applies,
    by_key,
    cases,
    each,
    four_systems,
    make,
)
from tests.laws.test_03_order import alike

from bestby import compare
from bestby.results import Comparison, Difference


def same(entry: Entry, one: Difference, other: Difference) -> None:
    """Compare results before correction: to the bit, of metrics that are no sums as far as draws allow."""
    if not entry.sums:
        alike(one, other, 0.6)
        return
    parts = ("estimate", "interval", "standard_error", "test", "n_differing", "verdict")
    assert [getattr(one, part) for part in parts] == [getattr(other, part) for part in parts]


def same_scores(one: Comparison, other: Comparison) -> None:
    """Compare the systems that are in both, to the bit."""
    for score in other.systems:
        twin = one.score(score.system, score.metric)
        assert (twin.score, twin.interval) == (score.score, score.interval)


@pytest.mark.parametrize(("entry", "design"), cases(each=False))
def test_a_pair_alone_equals_its_cell(entry: Entry, design: str) -> None:
    data, everything = four_systems(entry, design)
    for a, b in itertools.combinations("abcd", 2):
        alone = data.only(a, b).compare(entry)
        d = alone[a, b]
        same(entry, everything[a, b], d)
        if entry.sums:
            same_scores(everything, alone)
        assert d.p_adjusted == d.p_value  # a family of one
        assert everything[a, b].p_adjusted >= everything[a, b].p_value


@pytest.mark.parametrize("key", ["accuracy", "f1[LABEL]", "mean", "mse", "rmse", "pearson", "user metric"])
def test_by_every_interval_and_test(key: str) -> None:
    entry = by_key(key)
    data = make(entry, "plain", seed=32, whole=entry.mean)
    asked = [{"interval": name} for name in INTERVALS] + [{"test": name} for name in TESTS]
    applying = [methods for methods in asked if applies(entry, "plain", **methods)]
    assert {key for methods in applying for key in methods} == {"interval", "test"}
    for methods in applying:
        cell = data.compare(entry, **methods)["b", "d"]
        d = data.only("b", "d").compare(entry, **methods)["b", "d"]
        same(entry, cell, d)
        assert d.p_adjusted == d.p_value  # a family of one
        assert cell.p_adjusted >= cell.p_value


def test_a_metric_alone_equals_the_same_beside_others() -> None:
    data = make(by_key("accuracy"), "plain", seed=34)
    beside = compare(data.systems, data.gold, metric=["f1_macro", "accuracy"], n_resamples=199)
    alone = compare(data.systems, data.gold, metric="accuracy", n_resamples=199)
    for d in alone:
        twin = beside[d.a, d.b, "accuracy"]
        assert (twin.estimate, twin.interval, twin.test) == (d.estimate, d.interval, d.test)
        assert twin.p_adjusted == d.p_adjusted  # the family is the pairs of one metric


def test_a_baseline_changes_the_family_and_nothing_else() -> None:
    entry = by_key("accuracy")
    data = make(entry, "plain", seed=35)
    everything, against = data.compare(entry), data.compare(entry, baseline="c")
    assert [(d.a, d.b) for d in against] == [(s.system, "c") for s in against.systems if s.system != "c"]
    for d in against:
        twin = everything[d.a, d.b]
        assert (d.estimate, d.interval, d.p_value) == (twin.estimate, twin.interval, twin.p_value)
        assert d.p_adjusted <= twin.p_adjusted


@pytest.mark.parametrize("entry", each([entry for entry in ROSTER if entry.kind == "labels"]))
def test_labels_that_only_another_system_predicts_change_nothing(entry: Entry) -> None:
    data = make(entry, "plain", seed=36, systems=3)
    data.systems["c"] = np.where(np.arange(60) % 7 == 0, "none of them", data.systems["c"])
    everything, alone = data.compare(entry), data.only("a", "b").compare(entry)
    alike(everything["a", "b"], alone["a", "b"], 0.6)
    for system in "ab":
        assert everything.score(system).score == pytest.approx(alone.score(system).score, rel=1e-12)


def test_sets_of_labels_that_only_another_system_predicts_change_nothing() -> None:
    gold = [{"x"}, {"x", "y"}, {"y"}, set(), {"y"}, {"x"}] * 4
    a = [{"x"}, {"y"}, {"y"}, {"x"}, {"y"}, {"y"}] * 4
    b = [{"x"}, {"x"}, {"x"}, set(), {"y"}, {"x"}] * 4
    c = [{"z"} | labels for labels in gold]
    settings = {"gold": gold, "metric": "multilabel_f1_macro", "n_resamples": 199}
    everything, alone = compare({"a": a, "b": b, "c": c}, **settings), compare({"a": a, "b": b}, **settings)
    for name in "ab":
        assert everything.score(name).score == alone.score(name).score
    assert everything.score("c").score == 1.0  # over the labels of the gold
    assert "'z'" in next(note.message for note in everything.notes if note.code == "caution")


@pytest.mark.parametrize(
    ("name", "n_labels"),
    [("f1_macro", 21), ("f1_weighted", 21), ("balanced_accuracy", 32), ("precision_macro", 32)],
)
def test_a_label_of_another_system_changes_nothing_where_there_are_many(name: str, n_labels: int) -> None:
    """With one label more, second derivatives come from straight lines, no longer from a matrix of them."""
    rng = np.random.default_rng(5)
    n = 3 * n_labels
    gold = np.arange(n) % n_labels
    systems = {s: np.where(rng.random(n) < 0.6, gold, rng.permutation(gold)) for s in "abc"}
    for predictions in systems.values():
        predictions[:n_labels] = gold[:n_labels]
    systems["c"][0] = n_labels
    clusters = np.arange(n) // 2
    among, alone = (
        compare(some, gold, metric=name, interval="abc", test=None, clusters=clusters)["a", "b"].interval
        for some in (systems, {s: systems[s] for s in "ab"})
    )
    assert among is not None
    assert alone is not None
    assert among.method == alone.method == "abc"
    length = alone.high - alone.low
    assert (among.low, among.high) == pytest.approx((alone.low, alone.high), rel=0.0, abs=1e-9 * length)
