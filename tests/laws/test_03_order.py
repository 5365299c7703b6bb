"""Law 3: the order of items, of systems and of keyword arguments does not matter."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.laws.roster import (
    FROM_COUNTS,
    INTERVALS,
    ROSTER,
    TESTS,
    Entry,
    applies,
    by_key,
    cases,
    four_systems,
    make,
)

from bestby import compare
from bestby.results import Comparison, Difference


def numbers(result: Comparison) -> dict[str, object]:
    """Return everything but what the order of the items changes by right (the data hash)."""
    return {
        field.name: getattr(result, field.name)
        for field in dataclasses.fields(result)
        if field.name != "provenance" and not field.name.startswith("_")
    }


def alike(one: Difference, other: Difference, tolerance: float) -> None:
    """Compare two results that drew different resamples, or none."""
    scale = max(abs(one.score_a), abs(one.score_b))
    assert one.estimate == pytest.approx(other.estimate, rel=1e-12, abs=1e-12 * scale)
    assert one.n_differing == other.n_differing
    assert one.interval.method == other.interval.method
    drawn = {"monte carlo", "importance sampling"}  # nine hits, or ten
    assert one.test.method == other.test.method or {one.test.method, other.test.method} == drawn
    if one.test.n_resamples:
        allowed = 6.0 * math.hypot(one.test.error, other.test.error) + 0.01
        assert abs(one.p_value - other.p_value) <= allowed
    else:
        assert one.p_value == pytest.approx(other.p_value, rel=1e-11)
    width = one.interval.high - one.interval.low
    numerical = 1e-12 if one.interval.method in FROM_COUNTS else 1e-9  # derivatives may be numerical
    slack = (numerical if one.interval.exact else tolerance) * width + 1e-12 * scale
    assert abs(one.interval.low - other.interval.low) <= slack
    assert abs(one.interval.high - other.interval.high) <= slack


@pytest.mark.parametrize(
    ("entry", "design"),
    cases([e for e in ROSTER if e.sums and (e.kind == "labels" or e.mean) and not e.logs]),
)
def test_items_in_another_order_give_the_same_bits(entry: Entry, design: str) -> None:
    """Sums of whole numbers do not depend on the order, and units are put into one of their own."""
    data = make(entry, design, seed=21, systems=3, whole=True)
    shuffled = data.taken(np.random.default_rng(0).permutation(60))
    for interval in INTERVALS:
        if applies(entry, design, interval=interval):
            one = numbers(data.compare(entry, interval=interval, test="bootstrap"))
            assert one == numbers(shuffled.compare(entry, interval=interval, test="bootstrap")), interval
    for test in TESTS:
        if applies(entry, design, test=test):
            one = numbers(data.compare(entry, test=test))
            assert one == numbers(shuffled.compare(entry, test=test)), test


@pytest.mark.parametrize(("entry", "design"), cases())
def test_items_in_another_order_give_the_same_result(entry: Entry, design: str) -> None:
    data = make(entry, design, seed=22, systems=2)
    shuffled = data.taken(np.random.default_rng(0).permutation(60))
    alike(data.compare(entry)["a", "b"], shuffled.compare(entry)["a", "b"], 0.6)


@pytest.mark.parametrize(("entry", "design"), cases())
def test_systems_in_another_order_give_the_same_result(entry: Entry, design: str) -> None:
    data, one = four_systems(entry, design)
    other = data.only("c", "a", "d", "b").compare(entry)
    assert [s.system for s in one.systems] == [s.system for s in other.systems]
    assert [(d.a, d.b) for d in one] == [(d.a, d.b) for d in other]
    for d, twin in zip(one, other, strict=True):
        alike(d, twin, 0.6)


def test_level_systems_are_listed_by_name_whatever_order_they_came_in() -> None:
    scores = [0, 1, 1, 0, 1, 0]
    for order in ("abc", "cab", "bca"):
        result = compare(dict.fromkeys(order, scores))
        assert [s.system for s in result.systems] == ["a", "b", "c"]


def test_keyword_arguments_in_another_order_are_the_same_call() -> None:
    entry = by_key("f1_macro")
    data = make(entry, "clusters", seed=24)
    settings = {"interval": "bca", "correction": "bonferroni", "test": "bootstrap", "margin": 0.1, "rng": 5}
    one = data.compare(entry, **settings)
    other = data.compare(entry, **dict(reversed(settings.items())))
    assert one.to_dict() == other.to_dict()


def test_metrics_in_another_order_give_the_same_result() -> None:
    data = make(by_key("f1_macro"), "plain", seed=25, n=80)
    names = ["f1_macro", "accuracy", "matthews_corrcoef"]
    one = compare(data.systems, data.gold, metric=names, n_resamples=199)
    other = compare(data.systems, data.gold, metric=names[::-1], n_resamples=199)
    for d in one:
        alike(d, other[d.a, d.b, d.metric], 0.6)


def test_the_names_of_clusters_and_strata_do_not_matter() -> None:
    entry = by_key("f1_macro")
    data = make(entry, "both", seed=26)
    renamed = dataclasses.replace(
        data,
        clusters=np.array([int(c[1:]) * 7 for c in data.clusters]),
        strata=np.array(["low", "high"])[data.strata],
    )
    for interval in ("percentile", "bca"):
        one = data.compare(entry, interval=interval).differences
        other = renamed.compare(entry, interval=interval).differences
        for d, twin in zip(one, other, strict=True):
            alike(d, twin, 0.6)
