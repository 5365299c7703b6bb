"""Degenerate branches of the intervals, what they are called, and where they are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from bestby import Evaluation, FunctionMetric, compare
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.errors import DesignError
from bestby.metrics.registry import resolve


def codes(notes: Any) -> list[str]:
    return [note.code for note in notes]


def test_auto_is_named_by_what_it_came_to() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 300)
    a, b = np.where(rng.random(300) < 0.2, 1 - gold, gold), np.where(rng.random(300) < 0.4, 1 - gold, gold)
    x = rng.normal(size=(2, 300))
    result = compare({"a": a, "b": b}, gold)
    assert result["a", "b"].interval.method == "tango"
    assert result.score("a").interval.method == "wilson-midp"
    assert compare({"a": a, "b": b}, gold, metric="f1[1]", n_resamples=200)["a", "b"].interval.method == "abc"
    assert compare({"a": x[0], "b": x[1]})["a", "b"].interval.method == "hall"
    short = {"a": x[0, :14], "b": x[1, :14]}
    assert compare(short)["a", "b"].interval.method == "normal"


def test_bca_at_the_edge_of_its_replicates_is_the_percentile_interval_and_says_so() -> None:
    """The maximum of the sample is never exceeded by a resample: no share of replicates lies above it."""
    x = np.arange(30.0)
    metric = FunctionMetric(lambda _, p: float(p.max() + 1e-3 * (np.unique(p).size == 30)), name="largest")
    result = compare({"a": x, "b": np.zeros(30)}, x, metric=metric, interval="bca", n_resamples=200)
    d = result["a", "b"]
    assert d.interval.method == "percentile"
    assert "bca_undefined" in codes(d.notes)
    assert d.notes[0].about == ("largest", "a", "b")
    assert d.notes[0].message == (
        "the BCa interval is undefined here (the estimate lies at the edge of its replicates);"
        " the percentile interval is given"
    )


def test_studentized_without_variance_is_the_percentile_interval_and_says_so() -> None:
    a = [1.0] + [0.0] * 9  # more than a third of the resamples lack the one item that differs
    d = compare({"a": a, "b": [0.0] * 10}, interval="studentized", n_resamples=500)["a", "b"]
    assert d.interval.method == "percentile"
    assert "studentized_undefined" in codes(d.notes)


def test_a_measure_undefined_on_every_resample_is_refused() -> None:
    def never(gold: Any, predictions: Any) -> float:
        if np.unique(predictions).size < predictions.size:
            raise ValueError("repeated items")
        return float(predictions.mean())

    x = np.arange(40.0)
    with pytest.raises(DesignError) as caught:
        compare({"a": x, "b": x + 1.0}, x, metric=never, interval="percentile", n_resamples=50)
    assert str(caught.value) == (
        "the metric is undefined on every resample\n"
        "hint: there are too few items of some class; use more items or another metric"
    )
    with pytest.raises(DesignError) as caught:
        compare({"a": x, "b": x + 1.0}, x, metric=never, correction="simultaneous", n_resamples=50)
    assert caught.value.message == "the metric is undefined on every resample"


@pytest.mark.parametrize("interval", ["basic", "normal", "bca", "percentile"])
def test_no_interval_leaves_the_range_of_the_measure(interval: str) -> None:
    gold = np.array(["x", "y"] * 10)
    b = gold.copy()
    b[0] = "y"
    for metric in ("accuracy", "f1_macro"):
        result = compare({"a": gold, "b": b}, gold, metric=metric, interval=interval, n_resamples=200)
        assert (result.score("a").interval is None) == (metric == "f1_macro")  # no score interval holds it
        for interval_of_one in (s.interval for s in result.systems if s.interval is not None):
            assert 0.0 <= interval_of_one.low < interval_of_one.high <= 1.0
    metric = FunctionMetric(lambda g, p: float(np.mean(g == p)), name="match", bounds=(0.9, 1.0))
    if interval == "basic":
        d = compare({"a": gold, "b": b}, gold, metric=metric, interval=interval, n_resamples=200)
        assert d.score("b").interval.high <= 1.0
        assert all(-0.1 - 1e-12 <= e <= 0.1 + 1e-12 for x in d for e in (x.interval.low, x.interval.high))


def test_a_score_interval_of_a_mean_of_zeros_and_ones_needs_no_gold() -> None:
    d = compare({"a": [1, 1, 0, 1, 1], "b": [0, 1, 0, 1, 0]}, interval="tango")["a", "b"]
    assert d.interval.method == "tango"
    with pytest.raises(DesignError) as caught:
        compare({"a": [1, 1, 0, 2, 1], "b": [0, 1, 0, 1, 0]}, interval="tango")
    assert str(caught.value) == (
        "a score interval needs 0/1 values of independent, unstratified items; mean has none here\n"
        'hint: interval="auto" chooses one that applies'
    )


def test_a_bootstrap_test_without_variance_is_the_test_of_the_signs() -> None:
    found = compare({"a": [1, 2, 4], "b": [0, 1, 3]}, test="bootstrap")["a", "b"].test
    assert (found.name, found.p_value, found.exact) == ("bootstrap", 0.25, True)


def test_bca_without_some_unit_undefined_says_so() -> None:
    def spread(gold: Any, predictions: Any) -> float:
        if 99.0 not in gold:
            raise ValueError("the one item that matters is missing")
        return float(predictions.mean())

    gold = np.arange(60.0) + 40.0
    rng = np.random.default_rng(2)
    result = compare(
        {"a": rng.normal(size=60), "b": rng.normal(size=60)},
        gold,
        metric=spread,
        interval="bca",
        n_resamples=99,
    )
    assert "no_acceleration" in codes(result["a", "b"].notes)
    assert "undefined_resamples" in codes(result["a", "b"].notes)


def test_tiny_scores_are_not_constant_ones() -> None:
    scores = {"a": np.array([1.0, 2.0, 3.0, 7.0]), "b": np.array([0.0, 1.5, 3.5, 4.0])}
    large = compare(scores, interval="percentile")["a", "b"]
    small = compare({name: 1e-13 * values for name, values in scores.items()}, interval="percentile")[
        "a", "b"
    ]
    assert small.interval.low == pytest.approx(1e-13 * large.interval.low, rel=1e-9)
    assert small.interval.high == pytest.approx(1e-13 * large.interval.high, rel=1e-9)


def test_each_stratum_costs_the_normal_interval_a_degree_of_freedom() -> None:
    from scipy.stats import t

    x = np.random.default_rng(5).normal(size=(2, 12))
    strata = np.repeat(["p", "q", "r", "s"], 3)
    d = compare({"a": x[0], "b": x[1]}, strata=strata, interval="normal")["a", "b"]
    difference = (x[0] - x[1]).reshape(4, 3)
    se = np.sqrt((difference.var(axis=1, ddof=1) * 3).sum()) / 12
    assert d.interval.high - d.estimate == pytest.approx(t.ppf(0.975, 12 - 4) * se, rel=1e-6)


def test_simultaneous_intervals_of_small_measures_beside_large_ones() -> None:
    """A standard error of 0.1 in R² is not rounding, though squared errors are near 1e13."""
    rng = np.random.default_rng(0)
    gold = rng.normal(5e6, 2e6, 200)
    systems = {name: gold + rng.normal(0, size, 200) for name, size in (("x", 9e5), ("y", 1e6), ("z", 1.2e6))}
    both = compare(systems, gold, metric=["r2", "mse"], correction="simultaneous", n_resamples=500)
    alone = compare(systems, gold, metric="r2", correction="simultaneous", n_resamples=500)
    for d in alone.differences:
        found = both[d.a, d.b, "r2"].interval
        assert found.low < d.estimate < found.high
        assert found.low == pytest.approx(d.interval.low, abs=0.02)
        assert found.high == pytest.approx(d.interval.high, abs=0.02)


@pytest.mark.parametrize(
    "metric", ["pearson", "r2", "spearman", FunctionMetric(lambda g, p: np.corrcoef(g, p)[0, 1], "own")]
)
@pytest.mark.parametrize("offset", [0.0, 1e3])  # where rounding leaves something without the item, too
def test_a_score_that_is_undefined_without_an_item_has_one_effective_unit(metric: Any, offset: float) -> None:
    rng = np.random.default_rng(3)
    gold = np.full(60, offset)
    gold[7] += 1.0
    systems = {name: gold + rng.normal(size=60) for name in "ab"}
    result = compare(
        systems,
        gold,
        metric=FunctionMetric(metric, greater_is_better=True) if callable(metric) else metric,
        n_resamples=99,
    )
    assert "few_effective" in {note.code for note in result["a", "b"].notes}
    copies = compare({"a": systems["a"], "b": systems["a"]}, gold, metric=metric, n_resamples=99)["a", "b"]
    assert "few_effective" not in {note.code for note in copies.notes}


def test_groups_of_units_are_left_out_with_nearly_the_same_acceleration() -> None:
    """Above 1000 units a rank metric leaves out 200 groups; the acceleration is off by some 0.7 / 200."""
    rng = np.random.default_rng(3)
    gold = rng.random(1500) < 0.1
    scores = gold + rng.normal(size=1500)
    evaluation = Evaluation.of({"a": scores, "b": rng.normal(size=1500)}, gold.astype(int))
    (group,) = prepare.groups(evaluation, [resolve("roc_auc")])

    def area(positive: np.ndarray, values: np.ndarray) -> float:
        n = np.count_nonzero(positive)
        return float((rankdata(values)[positive].sum() - n * (n + 1) / 2) / (n * (positive.size - n)))

    u = -np.array([area(np.delete(gold, i), np.delete(scores, i)) for i in range(1500)])
    u -= u.mean()
    expected = float((u**3).sum() / (6.0 * (u**2).sum() ** 1.5))
    assert Estimates(group, Drawing(10, 0)).of(0).acceleration == pytest.approx(expected, abs=0.008)
    assert expected != 0.0
