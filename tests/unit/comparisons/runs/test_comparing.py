"""compare_runs: what it takes, what it refuses, the laws, and the notes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bestby import DesignError, InvalidInputError, MeanMetric, RunsComparison, compare_runs

RNG = np.random.default_rng(11)
OLD = RNG.normal(0.70, 0.02, 8).tolist()
NEW = RNG.normal(0.74, 0.03, 8).tolist()
MID = RNG.normal(0.72, 0.02, 6).tolist()
ITEMS = RNG.normal(size=30)
TWO = {"a": [1.0, 2.0], "b": [2.0, 3.0]}
PER_ITEM = {
    "a": ITEMS + RNG.normal(0.3, 0.5, (4, 30)),
    "b": ITEMS + RNG.normal(0.0, 0.5, (3, 30)),
}
GOLD = RNG.choice(["x", "y", "z"], 40)


def predictions(p: float, n_runs: int, seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [
        np.where(rng.random(40) < p, GOLD, rng.choice(["x", "y", "z"], 40)).tolist() for _ in range(n_runs)
    ]


def numbers(result: RunsComparison) -> dict[tuple[str, str], Any]:
    return {(d.a, d.b): (d.estimate, d.interval, d.test, d.improvement, d.order) for d in result}


def codes(result: RunsComparison) -> set[str]:
    return {note.code for note in (*result.notes, *(n for d in result for n in d.notes))}


# -- laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("statistic", ["mean", "median", "trimmed_mean", "iqm"])
@pytest.mark.parametrize("interval", ["auto", "percentile", "bca", "basic"])
def test_a_copy_is_no_different(statistic: str, interval: str, paired: bool) -> None:
    result = compare_runs(
        {"one": OLD, "two": list(OLD)}, statistic=statistic, interval=interval, paired=paired, n_resamples=300
    )
    d = result["one", "two"]
    assert (d.estimate, d.p_value, d.p_adjusted, d.improvement, d.better) == (0.0, 1.0, 1.0, 0.5, None)
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
    assert numbers(one) == numbers(compare_runs(PER_ITEM, rng=5, n_jobs=3, **settings))
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


# -- direction and verdicts ------------------------------------------------------------------------


def test_lower_is_better_changes_who_is_better_and_nothing_of_the_scores() -> None:
    up = compare_runs({"old": OLD, "new": NEW})
    down = compare_runs({"old": OLD, "new": NEW}, greater_is_better=False)
    assert [entry.system for entry in up.systems] == ["new", "old"]
    assert [entry.system for entry in down.systems] == ["old", "new"]
    assert up["new", "old"].better == "new"
    assert down["new", "old"].better == "old"
    for attribute in ("estimate", "interval", "improvement", "effect_size", "p_value"):
        assert getattr(up["new", "old"], attribute) == getattr(down["new", "old"], attribute)
    assert down["old", "new"].order.violation_ratio < 0.5 < down["new", "old"].order.violation_ratio
    assert up["new", "old"].order.violation_ratio == pytest.approx(down["old", "new"].order.violation_ratio)


def test_one_sided_tests_follow_the_scale_and_say_so() -> None:
    greater = compare_runs({"new": NEW, "old": OLD}, alternative="greater", greater_is_better=False)
    assert greater["new", "old"].p_value < 0.05
    assert "asks whether the first of two systems is worse" in next(
        n.message for n in greater.notes if n.code == "direction"
    )
    assert compare_runs({"new": NEW, "old": OLD}, alternative="less")["new", "old"].p_value > 0.95
    assert compare_runs({"new": NEW, "old": OLD}, alternative="less", test="t")["new", "old"].p_welch > 0.95


def test_known_names_of_metrics_bring_their_direction() -> None:
    assert not compare_runs({"a": OLD, "b": NEW}, metric="rmse").metrics[0].greater_is_better
    assert (
        compare_runs({"a": OLD, "b": NEW}, metric="rmse", greater_is_better=True).metrics[0].greater_is_better
    )
    assert compare_runs({"a": OLD, "b": NEW}, metric="my score").metrics[0].greater_is_better


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.005, "better"), (0.03, "inconclusive"), (0.2, "equivalent")]
)
def test_verdicts(margin: float, verdict: str) -> None:
    d = compare_runs({"old": OLD, "new": NEW}, margin=margin)["new", "old"]
    assert d.verdict == verdict
    assert d.mirrored().verdict == {"better": "worse"}.get(verdict, verdict)


def test_a_baseline() -> None:
    result = compare_runs({"old": OLD, "new": NEW, "mid": MID}, baseline="old")
    assert [(d.a, d.b) for d in result] == [("new", "old"), ("mid", "old")]
    assert all(entry.group is None for entry in result.systems)
    with pytest.raises(InvalidInputError, match="no difference between 'new' and 'mid'"):
        result["new", "mid"]


# -- items -----------------------------------------------------------------------------------------


def test_predictions_and_gold() -> None:
    result = compare_runs(
        {"good": predictions(0.9, 3, 1), "bad": predictions(0.4, 4, 2)}, gold=GOLD, metric="f1_macro"
    )
    d = result["good", "bad"]
    assert d.metric == "f1_macro"
    assert d.estimate > 0.2
    assert d.interval.method == "crossed-t"
    assert d.test.name == "crossed-t"
    assert (d.n_items, d.n_runs) == (40, (3, 4))
    assert 0 < d.n_differing <= 40
    assert result.extent == "3 to 4 runs of 40 items"
    assert len(result.variances) == 3
    v = result.variance("good", "bad")
    assert v is result.variance("bad", "good")
    assert v.standard_error(runs=math.inf) <= v.standard_error(runs=2) <= v.standard_error()
    assert v.standard_error(items=math.inf) <= v.standard_error(items=2) <= v.standard_error()
    assert v.standard_error(runs=math.inf, items=math.inf) == 0.0
    assert 0.0 <= v.share_of_runs <= 1.0


def test_a_function_as_metric_goes_by_the_bootstrap_of_the_items() -> None:
    def share(gold: np.ndarray, said: np.ndarray) -> float:
        return float((gold == said).mean())

    runs = {"good": predictions(0.9, 3, 1), "bad": predictions(0.4, 3, 2)}
    own = compare_runs(runs, gold=GOLD, metric=share, n_resamples=2000)
    known = compare_runs(runs, gold=GOLD, metric="accuracy")
    assert own["good", "bad"].estimate == pytest.approx(known["good", "bad"].estimate)
    assert own.variance("good", "bad").standard_error() == pytest.approx(
        known.variance("good", "bad").standard_error(), rel=0.1
    )


def test_the_number_of_items_and_of_runs_both_bound_the_interval() -> None:
    """Twenty copies of one run say no more than two, and an item repeated is a cluster."""
    wide = compare_runs({"a": PER_ITEM["a"], "b": PER_ITEM["b"]}).score("a").interval
    items_only = np.vstack([PER_ITEM["a"][0]] * 20)
    found = compare_runs({"a": items_only, "b": PER_ITEM["b"]}).score("a").interval
    se = PER_ITEM["a"][0].std(ddof=1) / math.sqrt(30)
    assert (found.high - found.low) / 2 == pytest.approx(2.045 * se, rel=1e-3)
    assert found.high - found.low > 0.5 * (wide.high - wide.low)
    doubled = {name: np.repeat(rows, 2, axis=1) for name, rows in PER_ITEM.items()}
    clustered = compare_runs(doubled, clusters=np.repeat(np.arange(30), 2))
    assert clustered["a", "b"].interval.low == pytest.approx(compare_runs(PER_ITEM)["a", "b"].interval.low)


def test_the_items_taken_as_given_is_said() -> None:
    assert "items_fixed" in codes(compare_runs(PER_ITEM, test="permutation"))
    assert "items_fixed" not in codes(compare_runs(PER_ITEM))


# -- notes and choices -----------------------------------------------------------------------------


def test_the_test_is_chosen_by_the_number_of_runs_alone() -> None:
    exchanged = compare_runs({"a": OLD, "b": NEW}, test="permutation")["b", "a"].test
    assert exchanged.name == "permutation-2"
    welch = compare_runs({"a": OLD, "b": NEW}, test="t")["b", "a"].test
    larger = exchanged if exchanged.p_value > welch.p_value else welch
    assert compare_runs({"a": OLD, "b": NEW})["b", "a"].test == larger
    few = compare_runs({"a": OLD[:3], "b": NEW[:3]})
    assert few["a", "b"].test.name == "welch"
    assert {"few_runs", "few_runs_for_permutation"} <= codes(few)
    forced = compare_runs({"a": OLD[:3], "b": NEW[:3]}, test="permutation")
    assert forced["a", "b"].test.name == "permutation-2"
    assert "below 0.1:" in next(n.message for n in forced.notes if n.code == "out_of_reach")
    paired = compare_runs({"a": OLD[:5], "b": NEW[:5]}, paired=True)
    assert paired["a", "b"].test.name == "t"
    median = compare_runs({"a": OLD[:3], "b": NEW[:3]}, statistic="median")
    assert median["a", "b"].test.name == median["a", "b"].interval.method == "price-bonett"
    assert codes(median) == {"few_runs"}


def test_a_run_that_failed_is_named() -> None:
    """Never by a tie in most runs, which leaves no spread to measure by, nor in fewer than five runs."""
    failed = [0.81, 0.82, 0.80, 0.31, 0.81]
    good = [0.83, 0.84, 0.82, 0.83, 0.84]
    (told,) = [n for n in compare_runs({"u": failed, "v": good}).notes if n.code == "outlying_run"]
    assert told.about == ("score", "u")
    assert told.message.startswith("the run of u with 0.31 lies 34 standard deviations (robust)")
    assert "outlying_run" not in codes(compare_runs({"u": failed[:4], "v": good[:4]}))
    assert "outlying_run" not in codes(compare_runs({"u": [0.8] * 9 + [0.1], "v": [0.8] * 9 + [0.81]}))
    assert "outlying_run" not in codes(compare_runs({"u": OLD, "v": NEW}))
    assert "outlying_run" not in codes(compare_runs({"u": failed, "v": good}, statistic="median"))


@pytest.mark.parametrize(
    ("statistic", "paired", "system", "difference"),
    [
        ("mean", False, "t", "welch"),
        ("mean", True, "t", "t"),
        ("iqm", False, "yuen", "yuen"),
        ("median", False, "percentile", "percentile"),
    ],
)
def test_intervals_by_default(statistic: str, paired: bool, system: str, difference: str) -> None:
    result = compare_runs({"a": OLD, "b": NEW}, statistic=statistic, paired=paired)
    assert result.score("a").interval.method == system
    assert result["a", "b"].interval.method == difference
    assert "short_interval" not in codes(result)
    assert ("short_interval" in codes(compare_runs({"a": OLD, "b": NEW}, interval="bca"))) is True


def test_constant_runs() -> None:
    result = compare_runs({"a": [0.5] * 4, "b": [0.25] * 4})
    d = result["a", "b"]
    assert d.estimate == 0.25
    assert d.p_value == pytest.approx(2 / 70)
    assert math.isnan(d.effect_size)
    assert {"constant_runs", "no_spread"} <= codes(result)


def test_unequal_numbers_that_vary_unequally() -> None:
    runs = {"a": [0.0, 0.1, 0.2, 0.1, 0.15], "b": np.linspace(-3, 3, 12)}
    for test in ("auto", "permutation", "t"):
        result = compare_runs(runs, test=test)
        (note,) = [note for note in result.notes + result["a", "b"].notes if note.code == "unequal_spread"]
        assert note.message.startswith("the runs of b vary 33 times as much as those of a")
    assert "unequal_spread" not in codes(compare_runs(runs, statistic="median"))
    assert "unequal_spread" not in codes(compare_runs({"a": runs["a"], "b": runs["b"] / 20}))


def test_many_comparisons_and_few_resamples() -> None:
    rng = np.random.default_rng(0)
    family = {f"s{i}": rng.normal(size=25) + 5.0 * (i == 4) for i in range(5)}
    assert "few_resamples" in codes(compare_runs(family, n_resamples=99))
    assert "few_resamples" not in codes(compare_runs(family, n_resamples=999))


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "paired"),
    [("auto", False), ("t", False), ("brunner-munzel", False), ("auto", True), ("t", True)],
)
def test_more_runs_than_a_float_has_room_for_splits_of(test: str, paired: bool) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 1.0, 1100), rng.normal(size=1100)
    found = compare_runs({"a": a, "b": b}, test=test, paired=paired, n_resamples=99).differences[0]
    assert 0.0 < found.p_value < 0.05
    constant = compare_runs({"a": [1.0] * 1100, "b": [0.0] * 1100}, test="t", paired=paired).differences[0]
    assert 0.0 < constant.p_value < 1e-300


def test_frames_and_arrays_are_taken() -> None:
    import pandas as pd
    import polars as pl

    plain = compare_runs({"old": OLD, "new": NEW})
    for runs in (
        {"old": tuple(OLD), "new": np.array(NEW)},
        {"old": pd.Series(OLD), "new": pl.Series(NEW)},
        pd.DataFrame({"old": OLD, "new": NEW}),
        pl.DataFrame({"old": OLD, "new": NEW}),
        pl.DataFrame({"old": OLD, "new": NEW}).to_arrow(),
    ):
        assert numbers(compare_runs(runs)) == numbers(plain)


@pytest.mark.parametrize(
    ("runs", "settings", "error", "said"),
    [
        ({"a": [1.0], "b": [1.0, 2.0]}, {}, DesignError, "system 'a' has one run"),
        ({"a": [[1.0, 2.0]], "b": [[1.0, 2.0]]}, {}, DesignError, "system 'a' has one run"),
        ({"a": [], "b": [1.0, 2.0]}, {}, InvalidInputError, "system 'a' has no runs"),
        ({"a": [1.0, 2.0]}, {}, InvalidInputError, "at least 2 systems, got 1: a"),
        ([[1.0, 2.0], [1.0, 2.0]], {}, InvalidInputError, "data must be a mapping of system to its"),
        ({"": [1.0, 2.0], "b": [1.0, 2.0]}, {}, InvalidInputError, "names must be non-empty"),
        ({"a": [1.0, math.nan], "b": [1.0, 2.0]}, {}, InvalidInputError, "runs of 'a' must be finite"),
        ({"a": ["x", "y"], "b": ["x", "y"]}, {}, InvalidInputError, "runs of 'a' must be numbers, got 'x'"),
        ({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]}, {"paired": True}, InvalidInputError,
         "equally many for all systems, got a: 2, b: 3"),
        ({"a": [1.0, 2.0], "b": [[1.0, 2.0], [2.0, 3.0]]}, {}, InvalidInputError,
         "system 'a' has one value per run, where one per run and item is needed"),
        (TWO, {"gold": [1, 2]}, InvalidInputError, "one per run and item is needed"),
        (TWO, {"clusters": [1, 2]}, InvalidInputError, "clusters are groups of items"),
        (TWO, {"metric": len}, InvalidInputError, "metric can only name them"),
        (TWO, {"statistic": "mode"}, InvalidInputError, "statistic must be one of"),
        (TWO, {"interval": "tango"}, InvalidInputError, "interval must be one of"),
        (TWO, {"test": "mcnemar"}, InvalidInputError, "test must be one of"),
        (TWO, {"margin": 0.0}, InvalidInputError, "margin must be a positive number"),
        (TWO, {"baseline": "c"}, InvalidInputError, "baseline 'c' is not among"),
        (TWO, {"paired": True, "test": "brunner-munzel"}, DesignError,
         "for independent runs, and these are paired"),
        (PER_ITEM, {"statistic": "median"}, DesignError, "with items the mean of the runs is compared"),
        (PER_ITEM, {"clusters": [1] * 30}, InvalidInputError, "all items are in one cluster"),
        ({"a": [[1.0, 2.0], [1.0, 2.0, 3.0]], "b": [[1.0, 2.0]] * 2}, {}, InvalidInputError, "a#1"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(
    runs: Any, settings: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said.replace("(", r"\(")):
        compare_runs(runs, **settings)


def test_asking_for_what_is_not_there() -> None:
    result = compare_runs({"old": OLD, "new": NEW})
    with pytest.raises(InvalidInputError, match="no variances of 'old' minus 'new'"):
        result.variance("old", "new")
    for settings, said in (
        ({"kind": "pie"}, "kind must be one of"),
        ({"metric": "f1"}, "no metric 'f1'"),
        ({"pair": ("old", "new")}, "kind='quantiles' only"),
        ({"kind": "quantiles", "pair": ("old", "old")}, "pair must be the names of two systems"),
        ({"kind": "quantiles", "pair": ("old", "x")}, "no score of 'x'"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            result.plot(**settings)


# -- published data --------------------------------------------------------------------------------


def test_a_hundred_seeds_of_bert(shared_data: Any) -> None:
    """McCoy, Min & Linzen (2020): lexical overlap, not entailed; mean and sd are the file's own summary."""
    table = np.genfromtxt(
        shared_data("hans") / "bert_100_seeds_accuracies.csv",
        delimiter=",",
        names=True,
        dtype=None,
        encoding=None,
    )
    names = table.dtype.names
    runs = {names[i]: table[names[i]].astype(float) for i in (5, 6, 7)}
    result = compare_runs(runs, paired=True)
    lexical = result.score(names[5])
    assert lexical.score == pytest.approx(0.276572, abs=5e-7)
    assert lexical.sd == pytest.approx(0.123643, rel=0.006)
    assert [entry.group for entry in result.systems] == ["a", "b", "c"]
    assert all(d.exact and d.p_value < 1e-10 for d in result)


def test_few_clusters_are_told() -> None:
    """As `compare` does: with items and fewer than 50 clusters the intervals tend to be too short."""
    clusters = np.arange(30) // 3
    result = compare_runs(PER_ITEM, clusters=clusters)
    assert [note.code for note in result.notes if "cluster" in note.code] == ["few_clusters"]
    assert "only 10 clusters" in str(result)


def test_no_equivalence_follows_from_an_interval_that_does_not_hold() -> None:
    """Three clusters of sixty are wrong now and then: others may well be wrong more often."""
    wrong = np.ones((2, 3, 300))
    wrong[0, :, 0] = wrong[1, :2, 31] = 0.0
    runs, groups = {"a": wrong[0], "b": wrong[1]}, np.repeat(np.arange(60), 5)
    d = compare_runs(runs, metric="mean", clusters=groups, margin=0.02)["a", "b"]
    assert d.interval is not None
    assert -0.02 < d.interval.low < d.interval.high < 0.02
    assert d.verdict == "inconclusive"
    assert "few_effective" in {note.code for note in d.notes}
    # Of single items the score interval holds, however few differ.
    d = compare_runs(runs, metric="mean", margin=0.02)["a", "b"]
    assert d.verdict == "equivalent"
    assert {note.code for note in d.notes} & {"few_differing", "few_effective"} == {"few_differing"}
    assert compare_runs(runs, metric="mean", margin=0.01)["a", "b"].verdict == "not better"


class Credit(MeanMetric):
    name = "credit"
    bounds = (0.0, 1.0)
    needs_gold = False

    def values(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return predictions


def test_a_copy_of_runs_on_items_is_equivalent_if_scores_have_bounds() -> None:
    x = np.random.default_rng(0).random((3, 40))
    for settings in ({"paired": True}, {}, {"clusters": np.repeat(np.arange(20), 2)}):
        both: Any = ({"a": x, "b": x},)
        d = compare_runs(*both, margin=1.0, **settings)["a", "b"]
        assert d.verdict == "inconclusive"
        assert (d.interval is None) == ("paired" in settings)
        for margin, verdict in ((0.3, "equivalent"), (0.05, "inconclusive")):
            assert (
                compare_runs(*both, metric=Credit(), margin=margin, **settings)["a", "b"].verdict == verdict
            )


def test_no_better_or_worse_follows_from_an_interval_that_does_not_hold() -> None:
    wrong = np.ones((2, 3, 300))
    wrong[1, :, [1, 2, 31, 32, 33, 61, 62]] = 0.0
    runs, groups = {"a": wrong[0], "b": wrong[1]}, np.repeat(np.arange(60), 5)
    d = compare_runs(runs, metric="mean", clusters=groups, margin=1e-6, level=0.7)["a", "b"]
    assert d.interval is not None
    assert d.interval.low > 1e-6
    assert "few_effective" in {note.code for note in d.notes}
    assert d.verdict == "inconclusive"


def test_no_verdict_where_a_score_is_undefined_without_some_cluster() -> None:
    """Without the last cluster of two items the gold is the same everywhere, so it has no ranks."""
    gold = np.array([0.0] * 6 + [1.0] * 2)
    a, b = np.random.default_rng(1).normal(size=(2, 3, 8))
    runs, groups = {"a": list(a), "b": list(b)}, np.arange(8) // 2
    d = compare_runs(runs, gold, metric="spearman", clusters=groups, margin=1.9)["a", "b"]
    assert d.interval is not None
    assert -1.9 < d.interval.low < d.interval.high < 1.9
    assert d.verdict == "inconclusive"
    (told,) = (note.message for note in d.notes if note.code == "few_effective")
    assert told.startswith("what some of the 4 clusters contribute to the difference is undefined")


def test_one_note_on_long_intervals_and_only_where_it_matters() -> None:
    rng = np.random.default_rng(0)
    luck = {name: rng.normal(size=(5, 30)) for name in "abcd"}

    def long(**settings: Any) -> list[Any]:
        result = compare_runs(luck, **settings)
        assert "long_interval" not in {note.code for d in result for note in d.notes}
        return [note for note in result.notes if note.code == "long_interval"]

    (told,) = long()
    assert "of 4 of 6 pairs" in told.message
    assert len(long(margin=0.3)) == 1
    assert long(margin=9.0) == []  # all are equivalent, and would be by shorter intervals
    far = {"a": luck["a"] - luck["a"].mean(axis=1, keepdims=True) + 3.0, "b": luck["b"]}
    assert "long_interval" not in {note.code for note in compare_runs(far).notes}


def test_no_note_is_given_twice() -> None:
    runs = {"a": np.ones((2, 30), dtype=int), "b": np.zeros((2, 30), dtype=int)}
    notes = compare_runs(runs, gold=np.ones(30, dtype=int), metric="accuracy").notes
    told = [note.about for note in notes if note.code == "no_shared_label"]
    assert told == [("b#0",), ("b#1",)]


def test_a_column_of_scores_is_a_score_per_run():
    flat = {"a": [1.0, 2.0, 3.0, 4.5], "b": [0.5, 1.0, 2.0, 3.5]}
    columns = {name: np.array(scores)[:, None] for name, scores in flat.items()}
    assert compare_runs(columns)["a", "b"] == compare_runs(flat)["a", "b"]
