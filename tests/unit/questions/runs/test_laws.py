"""The laws of `compare_runs`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.runs.examples import MID, NEW, OLD, PER_ITEM, codes, numbers

from bestby import Resampling, compare_runs


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean", "iqm"])
@pytest.mark.parametrize("interval", ["auto", "percentile", "bca", "basic"])
def test_a_copy_is_no_different(statistic: str, interval: str, paired: bool) -> None:
    result = compare_runs(
        {"one": OLD, "two": list(OLD)}, statistic=statistic, interval=interval, paired=paired, n_resamples=300
    )
    d = result["one", "two"]
    assert (d.estimate, d.p_value, d.p_adjusted, d.improvement, d.winner) == (0.0, 1.0, 1.0, 0.5, None)
    assert d.interval is None if paired else 0.0 in d.interval
    assert math.isnan(d.p_welch) or d.p_welch == 1.0
    assert "identical" in codes(result)
    assert result.score("one").group == result.score("two").group


def test_a_copy_with_items_is_no_different() -> None:
    for test in ("auto", "bootstrap", "permutation"):
        result = compare_runs({"a": PER_ITEM["a"], "b": PER_ITEM["a"]}, test=test, n_resamples=200)
        assert result["a", "b"].estimate == 0.0
        assert result["a", "b"].p_value == 1.0
        assert 0.0 in result["a", "b"].interval


@pytest.mark.parametrize("test", ["permutation", "t", "bootstrap"])
@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_swapping_mirrors_to_the_bit(test: str, interval: str, paired: bool, alternative: str) -> None:
    settings: dict[str, Any] = {"test": test, "interval": interval, "paired": paired, "n_resamples": 200}
    there = compare_runs({"old": OLD, "new": NEW}, alternative=alternative, **settings)["old", "new"]
    back = compare_runs(
        {"new": NEW, "old": OLD}, alternative="less" if alternative == "greater" else alternative, **settings
    )["new", "old"]
    assert there == back.mirrored()
    assert there.mirrored() == back
    assert there.interval == back.interval.mirrored()
    assert there.p_value == back.p_value
    assert there.improvement + back.improvement == pytest.approx(1.0)
    assert there.effect_size == -back.effect_size
    assert there.order == back.reverse_order


def test_the_result_mirrors_what_it_does_not_hold() -> None:
    result = compare_runs({"old": OLD, "new": NEW})
    assert result["old", "new"] == result["new", "old"].mirrored()
    assert result["new", "old"].estimate > 0.0


def test_order_of_runs_and_systems_does_not_matter() -> None:
    for interval in ("auto", "bca"):
        one = compare_runs({"old": OLD, "new": NEW, "mid": MID}, interval=interval, n_resamples=300)
        other = compare_runs(
            {"mid": MID[::-1], "new": sorted(NEW), "old": OLD[3:] + OLD[:3]},
            interval=interval,
            n_resamples=300,
        )
        assert numbers(one) == numbers(other)
        assert one.provenance.data_hash == other.provenance.data_hash


def test_order_of_pairs_of_runs_does_not_matter_for_exact_results() -> None:
    swap = [5, 2, 7, 0, 1, 6, 4, 3]
    one = compare_runs({"old": OLD, "new": NEW}, paired=True)["new", "old"]
    other = compare_runs({"old": [OLD[i] for i in swap], "new": [NEW[i] for i in swap]}, paired=True)[
        "new", "old"
    ]
    assert one.p_value == other.p_value
    assert (one.interval.low, one.estimate) == pytest.approx((other.interval.low, other.estimate), rel=1e-12)


def test_a_pair_alone_equals_its_cell() -> None:
    for interval in ("auto", "percentile"):
        every = compare_runs({"old": OLD, "new": NEW, "mid": MID}, interval=interval, correction="none")
        alone = compare_runs({"mid": MID, "new": NEW}, interval=interval, correction="none")
        assert every["new", "mid"] == alone["new", "mid"]
    items = compare_runs({**PER_ITEM, "c": PER_ITEM["b"] + 0.1}, correction="none")
    pair = compare_runs(PER_ITEM, correction="none")
    for end in ("low", "high"):  # sums over more columns are rounded otherwise
        assert getattr(items["a", "b"].interval, end) == pytest.approx(getattr(pair["a", "b"].interval, end))


@pytest.mark.parametrize("interval", ["auto", "percentile"])
def test_threads_and_seeds(interval: str) -> None:
    settings: dict[str, Any] = {"interval": interval, "test": "bootstrap", "n_resamples": 400}
    one = compare_runs(PER_ITEM, rng=5, **settings)
    assert numbers(one) == numbers(compare_runs(PER_ITEM, rng=5, resampling=Resampling(n_jobs=3), **settings))
    assert one["a", "b"].p_value != 0.0
    if interval == "percentile":
        assert one["a", "b"].interval != compare_runs(PER_ITEM, rng=6, **settings)["a", "b"].interval


def test_inputs_and_global_state_are_left_alone() -> None:
    runs = {"a": np.array(OLD), "b": np.array(NEW)}
    before, state = {name: x.copy() for name, x in runs.items()}, np.random.get_state()[1].copy()  # noqa: NPY002
    compare_runs(runs, interval="bca", n_resamples=100)
    assert all((runs[name] == before[name]).all() for name in runs)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_correction_never_loosens() -> None:
    family = {"old": OLD, "new": NEW, "mid": MID}
    raw = {(d.a, d.b): d.p_value for d in compare_runs(family, correction="none", test="permutation")}
    for correction in ("holm", "bonferroni", "bh"):
        result = compare_runs(family, correction=correction, test="permutation")
        for d in result:
            assert d.p_value == raw[d.a, d.b]
            assert d.p_adjusted >= d.p_value
    two = compare_runs({"old": OLD, "new": NEW})["new", "old"].order
    three = compare_runs(family)["new", "old"].order
    assert three.level > two.level
    assert three.epsilon_min >= two.epsilon_min
