"""Indexing a comparison, its mirrors, and what cannot be asked of it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestby import compare, compare_runs, evaluate
from bestby.errors import InvalidInputError
from bestby.results import Comparison, Interval

GOLD = [0, 1, 1, 0, 1, 0, 1, 1, 0, 1]
SYSTEMS = {"a": GOLD, "b": [0, 1, 0, 0, 1, 0, 1, 1, 1, 1], "c": [1, 1, 0, 0, 1, 1, 1, 0, 1, 1]}


@pytest.fixture
def one() -> Comparison:
    return compare(SYSTEMS, GOLD, margin=0.2)


@pytest.fixture
def two() -> Comparison:
    return compare(SYSTEMS, GOLD, metric=["accuracy", "mae"])


def test_a_pair_is_found_either_way_round(one: Comparison) -> None:
    assert one["a", "b"] in one.differences
    assert one["b", "a"] not in one.differences
    assert one["b", "a"] == one["a", "b"].mirrored()
    assert one["a", "b", "accuracy"] is one["a", "b"]
    assert list(one) == list(one.differences)
    assert len(one) == 3


def test_the_mirror_of_a_one_sided_test_asks_the_other_side() -> None:
    d = compare(SYSTEMS, GOLD, alternative="greater")["c", "a"]
    assert d.test.alternative == "less"
    assert d.mirrored().test.alternative == "greater"
    assert d.test.statistic == -d.mirrored().test.statistic


def test_a_comparison_by_two_metrics_wants_to_know_which(two: Comparison) -> None:
    with pytest.raises(InvalidInputError) as caught:
        two["a", "b"]
    assert str(caught.value) == (
        "the comparison has 2 metrics: accuracy, mae\nhint: name one: result['a', 'b', 'accuracy']"
    )
    assert two["a", "b", "mae"].estimate == pytest.approx(-two["a", "b", "accuracy"].estimate)
    assert two.score("c").metric == "accuracy"
    assert two.score("c", "mae").score == pytest.approx(0.5)
    with pytest.raises(InvalidInputError) as caught:
        two.score("z")
    assert str(caught.value) == "no score of 'z' on 'accuracy' in this comparison\nhint: systems: a, b, c"


def test_pairs_outside_the_baseline_are_not_there() -> None:
    result = compare(SYSTEMS, GOLD, baseline="b")
    with pytest.raises(InvalidInputError, match="metrics: accuracy; baseline: b"):
        result["a", "c"]


def test_no_negative_zeros() -> None:
    mirror = Interval(0.0, 0.0, 0.95, "tango", True).mirrored()
    assert str(mirror.low) == str(mirror.high) == "0.0"
    d = compare({"a": GOLD, "b": list(GOLD)}, GOLD)["b", "a"]
    assert str(d.estimate) == "0.0"


def test_an_interval_holds_its_ends() -> None:
    interval = Interval(-0.1, 0.2, 0.95, "bca", True)
    assert -0.1 in interval
    assert 0.2 in interval
    assert 0.2000001 not in interval


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_is_of_the_kind_that_was_compared(make: Any) -> None:
    rows = {"gold": [0, 1, 1, 0] * 5, "a": [0, 1, 1, 1] * 5, "b": [1, 1, 0, 0] * 5}
    data = make(rows)
    for result in (compare(data, gold="gold", n_resamples=99), evaluate(data, gold="gold", n_resamples=99)):
        assert isinstance(result.to_frame("scores"), type(data))
    runs = make({"a": [0.7, 0.8, 0.75], "b": [0.6, 0.7, 0.72]})
    assert isinstance(compare_runs(runs, n_resamples=99).to_frame(), type(data))
    assert isinstance(compare(rows, gold="gold", n_resamples=99).to_frame(), pd.DataFrame)


def test_what_is_not_there_is_refused_with_what_there_is(one: Comparison) -> None:
    for key in ("a", ("a",)):
        with pytest.raises(InvalidInputError, match=r"hint: result\['a', 'b'\]"):
            one[key]  # type: ignore[index]
    for key in (("a", "z"), ("a", "a"), ("a", "b", "mae")):
        with pytest.raises(InvalidInputError, match="hint: systems: a, b, c; metrics: accuracy"):
            one[key]
