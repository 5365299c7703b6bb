"""Law 13: a simultaneous interval holds the single one of its pair, and groups and p-values agree with it."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from tests.laws.roster import LEVEL, Entry, by_key, cases, four_systems, make

from bestby import compare
from bestby.inference.multiplicity import rejects
from bestby.results import Comparison

ALPHA = 1.0 - LEVEL


def check(together: Comparison, single: Comparison) -> None:
    """Check the law on a comparison and the same without simultaneous intervals."""
    groups = {s.system: set(s.group or "") for s in together.systems}
    for d in together:
        alone = single[d.a, d.b, d.metric]
        assert d.p_value == alone.p_value
        assert d.standard_error == alone.standard_error
        if d.interval is None:
            assert not rejects(d.p_adjusted, ALPHA)
            continue
        assert d.interval.method == "max-t"
        assert alone.interval is not None
        assert d.interval.low <= alone.interval.low
        assert d.interval.high >= alone.interval.high
        excluded = 0.0 not in d.interval
        two_sided = d.test.alternative == "two-sided"
        asked = two_sided or (d.interval.low > 0.0) == (d.test.alternative == "greater")
        assert rejects(d.p_adjusted, ALPHA) is (excluded and asked)
        assert (d.winner is not None) is (excluded and asked)
        if together.baseline is None:
            assert bool(groups[d.a] & groups[d.b]) is not (excluded and asked)


@pytest.mark.parametrize(("entry", "design"), cases())
def test_a_simultaneous_interval_holds_the_single_one(entry: Entry, design: str) -> None:
    data, single = four_systems(entry, design)
    check(data.compare(entry, correction="simultaneous"), single)


@pytest.mark.parametrize(
    "interval", ["percentile", "basic", "bca", "abc", "normal", "studentized", "cr2", "tango"]
)
def test_by_any_method(interval: str) -> None:
    entry = by_key("accuracy")
    data = make(entry, "plain", seed=31, n=80)
    single = data.compare(entry, interval=interval)
    together = data.compare(entry, interval=interval, correction="simultaneous")
    check(together, single)
    (note,) = [note for note in together.notes if note.code == "simultaneous"]
    (level,) = re.findall(r"at the level ([\d.]+) %", note.message)
    assert 90.0 < float(level) < 98.34  # Bonferroni's is 98.33


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "t", "bootstrap", "wald"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_beside_any_test(test: str, alternative: str) -> None:
    """Whatever the test says, what follows is read from the intervals."""
    entry = by_key("mean_loss")
    data = make(entry, "plain", seed=37, n=80)
    asked = {"test": test, "alternative": alternative}
    check(data.compare(entry, correction="simultaneous", **asked), data.compare(entry, **asked))


def test_against_a_baseline_with_a_margin() -> None:
    entry = by_key("mean")
    data = make(entry, "plain", seed=41, n=200)
    asked = {"baseline": "b", "margin": 0.05}
    together, single = data.compare(entry, correction="simultaneous", **asked), data.compare(entry, **asked)
    check(together, single)
    for d in together:
        assert (d.verdict in ("better", "worse")) is (d.interval.low > 0.05 or d.interval.high < -0.05)


def test_two_crossed_groupings() -> None:
    rng = np.random.default_rng(43)
    first, second = np.divmod(np.arange(144), 12)
    systems = {
        name: rng.normal(shift, 1.0, 144) + rng.normal(size=12)[first] + rng.normal(size=12)[second]
        for name, shift in zip("abcd", (0.0, 0.3, 0.6, 3.0), strict=True)
    }
    groups = [first, second]
    check(compare(systems, clusters=groups, correction="simultaneous"), compare(systems, clusters=groups))


def test_two_systems_have_the_interval_they_have_alone() -> None:
    for key, interval in itertools.product(("accuracy", "f1_macro", "roc_auc"), ("auto", "percentile")):
        entry = by_key(key)
        data = make(entry, "plain", seed=47, systems=2)
        together = data.compare(entry, interval=interval, correction="simultaneous")["a", "b"].interval
        alone = data.compare(entry, interval=interval)["a", "b"].interval
        assert (together.low, together.high, together.exact) == (alone.low, alone.high, alone.exact)


@pytest.mark.parametrize(
    ("key", "interval"),
    [("accuracy", "tango"), ("f1_macro", "normal"), ("roc_auc", "bca"), ("callable", "percentile")],
)
def test_never_longer_than_by_bonferroni(key: str, interval: str) -> None:
    entry = by_key(key)
    data = make(entry, "plain", seed=53)
    bonferroni = data.compare(entry, interval=interval, level=1.0 - ALPHA / 6.0)
    for d in data.compare(entry, interval=interval, correction="simultaneous"):
        widest = bonferroni[d.a, d.b].interval
        assert widest.low - 1e-9 <= d.interval.low
        assert d.interval.high <= widest.high + 1e-9


def test_adjusted_p_values_of_a_score_in_steps_are_read_from_intervals_without_length() -> None:
    """The interval of a difference of medians of whole numbers has no length at a low level."""

    def median_error(gold: Any, predictions: Any) -> float:
        return -float(np.median(np.abs(gold - predictions)))

    rng = np.random.default_rng(0)
    gold = rng.integers(0, 9, 60).astype(float)
    systems = {
        name: np.rint(gold + rng.normal(0.0, sd, 60)) for name, sd in zip("abc", (0.5, 3, 9), strict=True)
    }
    found = compare(systems, gold, metric=median_error, correction="simultaneous", n_resamples=999)["a", "c"]
    assert found.p_value == 0.001
    assert found.p_value < found.p_adjusted < 0.01


def test_resamples_tell_no_p_value_of_less_than_one_of_them() -> None:
    """ABC breaks down at a high level, where resamples, of which there are few, take its place."""
    rng = np.random.default_rng(0)
    labels = np.array(["neg", "neu", "pos"])
    gold = labels[rng.integers(0, 3, 60)]
    systems = {
        name: np.where(rng.random(60) < share, labels[rng.integers(0, 3, 60)], gold)
        for name, share in zip("abc", (0.0, 0.3, 0.6), strict=True)
    }
    strata = rng.integers(0, 4, 60)
    settings = {"metric": "recall[pos]", "strata": strata, "interval": "abc", "correction": "simultaneous"}
    for d in compare(systems, gold, n_resamples=99, **settings):
        assert d.p_adjusted > 1e-5


@pytest.mark.parametrize("kind", ["answers", "bounded", "labels"])
def test_equivalence_is_judged_at_the_level_of_the_family(kind: str) -> None:
    rng = np.random.default_rng(61)
    n = 150
    if kind == "labels":
        gold = rng.choice(["x", "y", "z"], n)
        one = np.where(rng.random(n) < 0.3, rng.choice(["x", "y", "z"], n), gold)
        metric, few = "f1_macro", np.where(np.arange(n) < 2, "x", one)
    else:
        gold = None if kind == "answers" else (rng.random(n) < 0.5).astype(float)
        one = (rng.random(n) < 0.7).astype(float)
        metric, few = ("mean", "mae")[kind == "bounded"], np.where(np.arange(n) < 2, 1.0 - one, one)
    systems = {"a": one, "b": one.copy(), "c": few, "d": np.roll(one, 7)}
    single = compare(systems, gold, metric=metric, margin=0.2)
    together = compare(systems, gold, metric=metric, margin=0.2, correction="simultaneous")
    for d in together:
        wide, alone = d.equivalence_interval, single[d.a, d.b].equivalence_interval
        assert (wide is None) is (alone is None)
        if wide is not None:
            assert wide.level == together.level
            assert wide.low < alone.low
            assert alone.high < wide.high


@pytest.mark.parametrize(("seed", "metric"), [(74, "matthews_corrcoef"), (483, "f1_macro")])
def test_two_one_sided_tests_of_a_family_contain_those_of_a_pair(seed: int, metric: str) -> None:
    """Few resamples have a variance: at one level the studentized interval is made, at another it is not."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([20, 30, 40, 60]))
    labels = np.array(["x", "y", "z"])[: int(rng.integers(2, 4))]
    gold = rng.choice(labels, n)
    shares = 0.5 * rng.random(3) + 0.45
    systems = {
        name: np.where(rng.random(n) < share, gold, rng.choice(labels, n))
        for name, share in zip("abc", shares, strict=True)
    }
    asked = {
        "metric": metric,
        "interval": "studentized",
        "margin": 0.1,
        "test": None,
        "n_resamples": 199,
    }
    single = compare(systems, gold, **asked)
    for d in compare(systems, gold, correction="simultaneous", **asked):
        wide, alone = d.equivalence_interval, single[d.a, d.b].equivalence_interval
        assert wide is not None
        assert alone is not None
        assert wide.low <= alone.low < alone.high <= wide.high
