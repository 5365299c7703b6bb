"""Each fault that some published tool shipped with, by name (the last paragraph of the laws)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import ROSTER, by_key, make

from bestby import Evaluation, compare
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.inference.multiplicity import adjust
from bestby.metrics import resolve


def test_p_values_of_exactly_zero() -> None:
    gold = np.random.default_rng(0).normal(size=200)
    waves = np.sin(np.arange(200.0))
    systems = {"good": gold + 0.01 * waves, "bad": gold + 2.0 + 0.5 * waves}
    tested = [
        compare(systems, gold, metric="rmse", test=test, n_resamples=99).differences[0].test
        for test in ("permutation", "bootstrap")
    ]
    assert [test.method for test in tested] == ["enumeration", "monte carlo"]
    assert tested[0].p_value == pytest.approx(2.0 * 0.5**200, rel=1e-9)
    assert tested[1].p_value == 0.01
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    systems = {"good": labels, "bad": np.where(rng.random(200) < 0.6, rng.integers(0, 3, 200), labels)}
    drawn = compare(systems, labels, metric="f1_macro", n_resamples=99).differences[0]
    assert drawn.test.method == "importance sampling"
    assert 2.0 * 0.5**200 <= drawn.p_value < 0.01


def test_a_system_significantly_different_from_its_own_copy() -> None:
    for entry in ROSTER:
        a = make(entry, "plain", seed=1, systems=1)
        d = a.compare(entry, systems={"a": a.systems["a"], "copy": a.systems["a"].copy()})["a", "copy"]
        assert d.p_value == 1.0, entry.key


def test_a_correction_that_loosens_as_comparisons_are_added() -> None:
    p = [0.01, 0.02, 0.03, 0.04, 0.2]
    for correction in ("holm", "bonferroni"):
        for size in range(1, 5):
            fewer, more = adjust(p[:size], correction), adjust(p[: size + 1], correction)
            assert (more[:size] >= fewer).all()


def test_adjusted_p_values_attached_to_the_wrong_label() -> None:
    """Raw p-values in falling, rising and mixed order: each must meet its own."""
    entry = by_key("accuracy")
    data = make(entry, "plain", seed=2, n=200)
    for order in itertools.permutations("abcd"):
        result = data.only(*order).compare(entry, correction="holm")
        m = len(result)
        ranked = sorted(d.p_value for d in result)
        for d in result:
            least = max(min(1.0, (m - i) * p) for i, p in enumerate(ranked) if p <= d.p_value)
            assert d.p_adjusted == pytest.approx(least, rel=1e-12)


def test_a_paired_bootstrap_that_draws_the_two_systems_apart() -> None:
    """Two systems a constant apart differ by it in every resample; drawn apart they would not."""
    gold = np.random.default_rng(1).normal(size=50)
    x = gold + np.random.default_rng(2).normal(size=50)
    for metric in ("rmse", "spearman", "roc_auc"):
        target = (gold > 0).astype(int) if metric == "roc_auc" else gold
        evaluation = Evaluation.of({"a": x, "b": 2.0 * x + 1.0}, target)
        if metric == "rmse":
            evaluation = Evaluation.of({"a": gold + 1.0, "b": gold + 3.0}, gold)
        group = prepare.groups(evaluation, [resolve(metric)])[0]
        drawn = Estimates(group, Drawing(200, 0)).replicates
        assert np.ptp(drawn[:, 0] - drawn[:, 1]) < 1e-9


@pytest.mark.parametrize("metric", ["mse", "rmse", "mae", "mean_loss"])
def test_a_test_in_the_wrong_tail_when_lower_is_better(metric: str) -> None:
    rng = np.random.default_rng(3)
    gold = None if metric == "mean_loss" else rng.normal(size=80)
    near, far = rng.normal(0, 0.1, 80), rng.normal(0, 1.0, 80)
    if gold is None:
        systems = {"good": np.abs(near), "bad": np.abs(far)}
    else:
        systems = {"good": gold + near, "bad": gold + far}
    for test in ("permutation", "bootstrap") + (("t", "wilcoxon", "sign") if metric != "rmse" else ()):
        less = compare(systems, gold, metric=metric, test=test, alternative="less", margin=0.01)
        d = less["good", "bad"]
        assert d.estimate < 0.0
        assert d.winner == "good"
        assert d.p_value < 0.01
        assert d.verdict == "better"
        assert [s.system for s in less.systems] == ["good", "bad"]
        assert "direction" in [note.code for note in less.notes]
        greater = compare(systems, gold, metric=metric, test=test, alternative="greater")["good", "bad"]
        assert greater.p_value > 0.9


@pytest.mark.parametrize("metric", ["f1_macro", "rmse", "roc_auc", "callable"])
def test_a_subsampled_bootstrap_that_is_not_rescaled_to_the_sample(metric: str) -> None:
    """Every resample has as many items as the sample: weights sum to n."""
    seen: list[int] = []

    def size(gold: Any, predictions: Any) -> float:
        seen.append(predictions.size)
        return float(np.mean(gold == predictions))

    entry = by_key(metric)
    data = make(entry, "plain", seed=4, n=40, systems=2)
    if metric == "callable":
        compare(data.systems, data.gold, metric=size, interval="percentile", n_resamples=50)
        assert set(seen) == {40}
        return
    evaluation = Evaluation.of(data.systems, data.gold)
    group = prepare.groups(evaluation, [resolve(entry.metric)])[0]
    from bestby.resampling import totals
    from bestby.resampling.streams import replicate_keys

    units = group.units
    assert units.n == 40
    drawn = totals.bootstrap(np.ones((units.n_rows, 1)), units, 100, 0, lambda t: t)
    assert (drawn == 40).all()
    dense = totals.bootstrap_weights(replicate_keys(np.uint64(1), 0, 100), np.array([0, 40]))
    assert (dense.sum(axis=1) == 40).all()


def test_runs_glued_together_as_if_they_were_items() -> None:
    """The same 60 items five times over, as runs are: as clusters they know no more than once."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.2, 1, 60), rng.normal(0, 1, 60)
    once = compare({"a": a, "b": b}, interval="normal")["a", "b"]
    five = {"a": np.tile(a, 5), "b": np.tile(b, 5)}
    glued = compare(five, interval="normal")["a", "b"]
    clustered = compare(five, clusters=np.tile(np.arange(60), 5), interval="normal")["a", "b"]
    assert clustered.interval.low == pytest.approx(once.interval.low, rel=1e-6)
    assert clustered.p_value == pytest.approx(once.p_value, rel=1e-9)
    width, narrow = (d.interval.high - d.interval.low for d in (once, glued))
    assert narrow < 0.5 * width


def test_scores_rounded_before_they_are_subtracted() -> None:
    a, b = [0.12344] * 9 + [0.12345], [0.12341] * 10
    d = compare({"a": a, "b": b})["a", "b"]
    assert d.estimate == pytest.approx((9 * 0.00003 + 0.00004) / 10, rel=1e-9)
    assert d.score_a - d.score_b == d.estimate


def test_basic_intervals_named_percentile() -> None:
    """Of skewed replicates: the percentile interval leans to the long tail, the basic one away from it."""
    d = np.random.default_rng(6).exponential(size=100)
    ends = {
        method: compare({"a": d, "b": np.zeros(100)}, interval=method)["a", "b"].interval
        for method in ("percentile", "basic")
    }
    mean = float(d.mean())
    assert ends["percentile"].method == "percentile"
    assert ends["percentile"].high - mean > mean - ends["percentile"].low
    assert ends["basic"].method == "basic"
    assert ends["basic"].low == pytest.approx(2 * mean - ends["percentile"].high, rel=1e-9)
    assert ends["basic"].high == pytest.approx(2 * mean - ends["percentile"].low, rel=1e-9)


@pytest.mark.parametrize("differing", [0, 1, 2, 3])
def test_bca_intervals_that_crash_or_are_too_short_when_systems_agree(differing: int) -> None:
    gold = np.array(["x", "y"] * 100)
    b = gold.copy()
    b[:differing] = np.where(gold[:differing] == "x", "y", "x")
    for metric in ("accuracy", "f1_macro", "matthews_corrcoef"):
        d = compare({"a": gold, "b": b}, gold, metric=metric, interval="bca", n_resamples=500)["a", "b"]
        assert d.estimate in d.interval
    auto = compare({"a": gold, "b": b}, gold)["a", "b"].interval
    assert auto.method == "tango"
    assert auto.low < 0.0 < auto.high
    assert auto.high - auto.low > 0.015  # the rule of three: 3 of 200 could differ unseen


def test_n_by_n_jackknife_memory() -> None:
    import tracemalloc

    rng = np.random.default_rng(7)
    n = 20_000  # n x n bytes would be 400 MB
    gold = rng.normal(size=n)
    for metric, systems in (
        ("rmse", {"a": gold + rng.normal(size=n), "b": gold + rng.normal(size=n)}),
        ("roc_auc", {"a": gold + rng.normal(size=n), "b": gold + rng.normal(size=n)}),
    ):
        target = (gold > 0).astype(int) if metric == "roc_auc" else gold
        group = prepare.groups(Evaluation.of(systems, target), [resolve(metric)])[0]
        tracemalloc.start()
        group.jackknife()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 150e6


def test_a_global_seed() -> None:
    data = make(by_key("rmse"), "plain", seed=8)
    np.random.seed(1)  # noqa: NPY002
    first = data.compare(by_key("rmse"), rng=None)
    np.random.seed(1)  # noqa: NPY002
    second = data.compare(by_key("rmse"), rng=None)
    assert first.provenance.seed != second.provenance.seed


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "t", "wilcoxon", "sign"])
def test_an_unpaired_test_on_paired_data(test: str) -> None:
    """Items differ far more than systems: only a paired test sees the difference."""
    rng = np.random.default_rng(9)
    items = rng.normal(0, 100, 60)
    d = compare({"a": items + 1.0 + rng.normal(0, 0.5, 60), "b": items}, test=test)["a", "b"]
    assert d.p_value < 1e-3
    unpaired = math.sqrt(2 * items.var() / 60)
    assert d.interval.high - d.interval.low < 0.1 * unpaired
