"""Law 1: a system does not differ from its own copy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import (
    ALTERNATIVES,
    INTERVALS,
    LEVEL,
    TESTS,
    Data,
    Entry,
    applies,
    by_key,
    cases,
    make,
)

from bestby import compare
from bestby.results import Comparison


def check(result: Comparison) -> None:
    for d in result:
        assert d.estimate == 0.0
        assert d.p_value == 1.0
        assert d.p_adjusted == 1.0
        codes = {note.code for note in d.notes}
        if d.interval is None:
            assert codes & {"constant_difference", "identical_ranks"}
        else:
            assert d.interval.low < 0.0 < d.interval.high
        assert d.n_differing == 0
        assert d.winner is None
        assert "identical" in codes
    assert {s.group for s in result.systems} == {"a"}
    assert {(s.rank_low, s.rank_high) for s in result.systems} == {(1, len(result.systems))}


def copies(entry: Entry, design: str, count: int) -> Data:
    data = make(entry, design, seed=3, systems=1)
    return Data(
        {f"copy{i}": data.systems["a"].copy() for i in range(count)}, data.gold, data.clusters, data.strata
    )


@pytest.mark.parametrize(("entry", "design"), cases())
def test_a_copy_does_not_differ(entry: Entry, design: str) -> None:
    data = copies(entry, design, 2)
    for interval in INTERVALS:
        if applies(entry, design, interval=interval):
            check(data.compare(entry, interval=interval))
    for test, alternative in itertools.product(TESTS, ALTERNATIVES):
        if applies(entry, design, test=test):
            check(data.compare(entry, test=test, alternative=alternative))


@pytest.mark.parametrize("key", ["accuracy", "f1_macro", "mean", "roc_auc", "rmse"])
def test_four_copies_share_one_group_also_simultaneously(key: str) -> None:
    entry = by_key(key)
    check(copies(entry, "plain", 4).compare(entry, correction="simultaneous", margin=0.05))


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none"])
def test_a_copy_beside_a_third_system(correction: str) -> None:
    entry = by_key("f1_macro")
    data = make(entry, "plain", seed=5, systems=2)
    systems = {"first": data.systems["a"], "copy": data.systems["a"].copy(), "other": data.systems["b"]}
    d = data.compare(entry, systems=systems, correction=correction)["first", "copy"]
    assert (d.estimate, d.p_value, d.p_adjusted, d.n_differing) == (0.0, 1.0, 1.0, 0)


def test_perfect_systems_are_alike() -> None:
    gold = np.array(["x", "y"] * 15)
    result = compare({"a": gold, "b": gold.copy()}, gold, metric=["accuracy", "f1_macro"], n_resamples=99)
    for d in result:
        assert (d.estimate, d.p_value) == (0.0, 1.0)
    for metric in ("accuracy", "f1_macro"):
        assert 0.0 in result["a", "b", metric].interval
    accuracy = result.score("a", "accuracy")
    assert accuracy.score == 1.0
    assert accuracy.interval.low < 1.0 == accuracy.interval.high  # Wilson: 30 of 30 is no certainty


@pytest.mark.parametrize("interval", INTERVALS)
def test_a_copy_of_unbounded_scores_is_not_shown_to_be_equivalent(interval: str) -> None:
    if interval == "tango":
        pytest.skip("for answers that are right or wrong")
    scores = np.random.default_rng(4).normal(size=200)
    d = compare({"a": scores, "b": scores.copy()}, interval=interval, margin=0.1, level=LEVEL)["a", "b"]
    assert (d.interval, d.verdict) == (None, "inconclusive")


@pytest.mark.parametrize(
    ("metric", "change"),
    [
        *((metric, np.exp) for metric in ("roc_auc", "average_precision", "spearman", "kendall")),
        ("pearson", lambda x: 3.0 * x - 7.0),
    ],
)
@pytest.mark.parametrize("design", ["plain", "clusters"])
def test_a_monotone_copy_has_no_interval(metric: str, change: Callable[..., Any], design: str) -> None:
    rng = np.random.default_rng(8)
    scores = rng.normal(size=60)
    binary = metric in ("roc_auc", "average_precision")
    gold = (scores + rng.normal(size=60) > 0.0).astype(int) if binary else scores + rng.normal(size=60)
    clusters = None if design == "plain" else np.arange(60) // 3
    for interval in ("auto", "bca", "percentile", "normal"):
        d = compare(
            {"a": scores, "b": change(scores)}, gold, metric=metric, interval=interval,
            clusters=clusters, n_resamples=99,
        )["a", "b"]  # fmt: skip
        assert (d.estimate, d.interval) == (pytest.approx(0.0, abs=1e-12), None)
        assert "identical_ranks" in {note.code for note in d.notes}


def test_a_copy_is_equivalent_within_any_margin_the_data_can_resolve() -> None:
    gold = np.array(["x", "y"] * 100)
    right = np.where(np.arange(200) % 5 == 0, "y", gold)
    for margin, verdict in ((0.05, "equivalent"), (0.005, "inconclusive")):
        for metric in ("accuracy", "f1_macro", "matthews_corrcoef"):
            systems = {"a": right, "b": right.copy()}
            d = compare(systems, gold, metric=metric, margin=margin, level=LEVEL)["a", "b"]
            assert d.verdict == verdict
    # Nothing bounds by how much other scores could differ.
    scores = np.random.default_rng(4).normal(size=200)
    d = compare({"a": scores, "b": scores.copy()}, margin=0.1, level=LEVEL)["a", "b"]
    assert (d.verdict, d.equivalence_interval) == ("inconclusive", None)
