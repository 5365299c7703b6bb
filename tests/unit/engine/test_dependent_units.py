"""Crossed groupings, blocks, few clusters and what they do, through the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bestby._core.errors import DesignError
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.sums import CrossedGroup, SumGroup, SumSample, design_effects
from bestby.inference import clusters, skewness
from bestby.metrics import resolve

PAIR = (0, 1)


def data(n: int = 120, seed: int = 0, **groups: Any) -> Evaluation:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    wrong = (gold + 1) % 3
    systems = {name: np.where(rng.random(n) < p, gold, wrong) for name, p in (("a", 0.8), ("b", 0.7))}
    return Evaluation.of(systems, gold, **groups)


def estimates(evaluation: Evaluation, metric: str, blocks: int | None = None, b: int = 199) -> Estimates:
    supports = prepare.ALL_GROUPINGS
    group = prepare.groups(evaluation, [resolve(metric)], blocks=blocks, supports=supports)[0]
    return Estimates(group, Drawing(b, 0))


def unequal(n: int = 120) -> np.ndarray:
    return np.minimum(np.arange(n) // 5, 15)


def test_cr2_of_items_is_the_normal_interval() -> None:
    for metric in ("accuracy", "f1_macro"):
        made = estimates(data(), metric)
        normal, cr2 = (interval_methods.interval(made.of(*PAIR), name, 0.9)[0] for name in ("normal", "cr2"))
        assert (cr2.low, cr2.high) == pytest.approx((normal.low, normal.high), abs=1e-9)
        assert (cr2.method, cr2.exact) == ("cr2", True)


def test_cr2_of_the_mean_is_that_of_its_items() -> None:
    evaluation = data(clusters=unequal())
    made = estimates(evaluation, "accuracy")
    right = [(x == evaluation.gold).astype(float) for x in evaluation.systems.values()]
    values = right[0] - right[1]
    sums = np.bincount(unequal(), weights=values - values.mean()) / values.size
    expected = clusters.cr2(sums, np.bincount(unequal()).astype(float))
    found = made.of(*PAIR).sample.error
    assert found is not None
    assert (found.se, found.df) == pytest.approx((expected.se, expected.df), rel=1e-6)


def test_alike_clusters_of_unequal_size_are_kept_apart() -> None:
    """Two clusters without a difference are the same row of F1's statistics, not the same share of items."""
    ones = np.ones(30, dtype=np.int64)
    evaluation = Evaluation.of({"a": ones, "b": ones}, ones, clusters=np.repeat([0, 1, 2], [5, 10, 15]))
    group = prepare.groups(evaluation, [resolve("recall[1]")])[0]
    assert isinstance(group, SumGroup)
    sample = group.sample(0, 1)
    assert sorted(np.repeat(sample.sizes, sample.units.counts).tolist()) == [5.0, 10.0, 15.0]


def test_ranks_have_cr2_from_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    gold, code = rng.normal(size=100), np.minimum(np.arange(100) // 5, 12)
    systems = {name: gold + rng.normal(size=13)[code] + rng.normal(size=100) for name in ("a", "b")}
    evaluation = Evaluation.of(systems, gold, clusters=code)
    ranks, sums = estimates(evaluation, "spearman"), estimates(evaluation, "pearson")
    assert not ranks.group.has_formula
    assert ranks.group.few_units
    found, like = ranks.of(*PAIR).sample.error, sums.group.sample(*PAIR).error
    assert found is not None
    assert like is not None
    assert found.df == pytest.approx(like.df)
    assert found.se == pytest.approx(like.se, rel=0.25)  # another metric, but of the same correlation
    assert interval_methods.interval(ranks.of(*PAIR), "cr2", 0.9)[0].method == "cr2"


def test_cr2_of_a_mean_from_the_jackknife_is_that_from_influence() -> None:
    def share(gold: Any, predictions: Any) -> float:
        return float(np.mean(gold == predictions))

    evaluation = data(clusters=unequal())
    by_calls = Estimates(prepare.groups(evaluation, [resolve(share)])[0], Drawing(9, 0))
    found, expected = (
        by_calls.of(*PAIR).sample.error,
        estimates(evaluation, "accuracy").group.sample(*PAIR).error,
    )
    assert found is not None
    assert expected is not None
    assert (found.se, found.df) == pytest.approx((expected.se, expected.df), rel=1e-6)


def test_undefined_without_a_cluster_falls_back_and_says_so() -> None:
    gold = np.array([1.0, 0.0] * 3 + [0.0] * 24)
    rng = np.random.default_rng(2)
    systems = {name: gold + rng.normal(size=30) for name in ("a", "b")}
    made = estimates(Evaluation.of(systems, gold, clusters=np.arange(30) // 6), "roc_auc")
    found, notes = interval_methods.interval(made.of(*PAIR), "cr2", 0.9)
    assert found.method == "basic"
    assert "cr2_undefined" in {note.code for note in notes}


def test_too_many_units_to_leave_out() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=1001)
    made = estimates(Evaluation.of({"a": gold + 1, "b": gold + rng.normal(size=1001)}, gold), "spearman")
    with pytest.raises(DesignError, match="of 1001 units one cannot be left out"):
        interval_methods.interval(made.of(*PAIR), "cr2", 0.9)


# -- crossed groupings ---------------------------------------------------------------------------------


def crossed(metric: str = "accuracy") -> Estimates:
    return estimates(data(clusters=[np.arange(120) // 12, np.arange(120) % 10]), metric)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_two_way_is_by_influence(metric: str) -> None:
    made = crossed(metric)
    influence = made.of(*PAIR).sample.item_influence  # type: ignore[attr-defined]
    assert abs(influence.sum()) < 1e-6
    expected = clusters.two_way(influence, np.arange(120) // 12, np.arange(120) % 10)
    found, _ = interval_methods.interval(made.of(*PAIR), "two-way", 0.95)
    assert made.of(*PAIR).sample.error == expected
    assert found.high - found.low == pytest.approx(2 * 2.2621571628 * expected.se, rel=1e-6)  # t, 9 df
    assert found.method == "two-way"
    wald = significance_tests.run("wald", made, [PAIR], "two-sided")[PAIR]
    assert wald == skewness.wald(made.of(*PAIR).value, expected, "two-sided")


def test_differing_and_effective_units_are_of_the_grouping_with_fewer() -> None:
    right = np.ones(60)
    wrong = np.where(np.arange(60) % 6 == 0, 0.0, 1.0)  # the systems differ in one of six languages
    both = [np.arange(60) // 6, np.arange(60) % 6]
    for order in (both, both[::-1]):
        made = estimates(Evaluation.of({"a": right, "b": wrong}, clusters=order), "mean")
        assert made.of(*PAIR).sample.differing == (10, 1)
        assert made.of(*PAIR).effective_units < 6.0


def test_ranks_have_no_two_way_error() -> None:
    x = np.random.default_rng(4).normal(size=(3, 20))
    evaluation = Evaluation.of({"a": x[0], "b": x[1]}, x[2], clusters=[np.arange(20) // 4, np.arange(20) % 4])
    with pytest.raises(DesignError, match="no error for two crossed groupings"):
        estimates(evaluation, "spearman")


def test_wald_without_spread_says_no_more_than_signs() -> None:
    ones = np.ones(24)
    evaluation = Evaluation.of({"a": ones, "b": 0.0 * ones}, clusters=np.arange(24) // 4)
    test = significance_tests.run("wald", estimates(evaluation, "mean"), [PAIR], "two-sided")[PAIR]
    assert test.p_value == pytest.approx(2 * 0.5**6)


# -- blocks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "spearman"])
def test_blocks_of_one_are_the_items(metric: str) -> None:
    evaluation = data()
    blocks, items = estimates(evaluation, metric, blocks=1), estimates(evaluation, metric, b=4000)
    swaps = [
        significance_tests.run("permutation", made, [PAIR], "two-sided")[PAIR].p_value
        for made in (blocks, items)
    ]
    assert swaps[0] == pytest.approx(swaps[1], abs=0.1)
    spread = [made.replicates[:, 0].std() for made in (blocks, items)]
    assert spread[0] == pytest.approx(spread[1], rel=0.25)


def test_permutation_and_formula_of_blocks_are_those_of_clusters() -> None:
    evaluation = data(n=123)
    blocks, alone = (
        estimates(evaluation, "f1_macro", blocks=10),
        Evaluation(evaluation.systems, evaluation.gold),
    )
    as_clusters = estimates(Evaluation(alone.systems, alone.gold, clusters=np.arange(123) // 10), "f1_macro")
    for test in ("permutation", "wald"):
        found = [significance_tests.run(test, made, [PAIR], "less")[PAIR] for made in (blocks, as_clusters)]
        assert found[0] == found[1]
    found = [interval_methods.interval(made.of(*PAIR), "cr2", 0.9)[0] for made in (blocks, as_clusters)]
    assert found[0] == found[1]


def test_blocks_make_an_accuracy_vary_as_whole_runs_do() -> None:
    """Runs of ten right or ten wrong items: blocks of 40 see nearly all of it, items next to nothing."""
    rng = np.random.default_rng(5)
    gold = np.ones(2000, dtype=np.int64)
    systems = {name: np.repeat(rng.random(200) < 0.7, 10).astype(np.int64) for name in ("a", "b")}
    evaluation = Evaluation.of(systems, gold)
    drawn = {
        length: estimates(evaluation, "accuracy", blocks=length).replicates[:, 0].std() for length in (1, 40)
    }
    assert drawn[40] / drawn[1] == pytest.approx(np.sqrt(10), rel=0.25)
    assert not estimates(evaluation, "accuracy", blocks=40).of(*PAIR).distribution[0].exact


# -- design effects ------------------------------------------------------------------------------------


def test_design_effects_are_the_same_whether_the_clusters_were_used_or_not() -> None:
    single, clustered = (estimates(one, "f1_macro").group for one in (data(), data(clusters=unequal())))
    found, expected = (design_effects(one, [PAIR], unequal())[0] for one in (single, clustered))  # type: ignore[arg-type]
    assert (found.itemwise, found.clustered) == pytest.approx((expected.itemwise, expected.clustered))
    assert found.clustered == pytest.approx(clustered.sample(*PAIR).standard_error, rel=1e-6)
    assert found.itemwise == pytest.approx(single.sample(*PAIR).standard_error, rel=1e-6)


INDEPENDENT_OF_UNITS: dict[type, set[str]] = {
    SumGroup: {
        "are_answers",
        "close",
        "every_unit",
        "gold_varies",
        "has_formula",
        "has_robust_error",
        "has_standardised_swaps",
        "in_batches",
        "in_blocks",
        "n_strata",
        "n_systems",
        "n_units",
        "numbers",
        "sample",
        "scores",
        "shares_draws",
        "shown",
        "squares",
        "stratum_sizes",
        "together",
    },
    SumSample: {
        "difference",
        "estimate",
        "in_blocks",
        "influence",
        "item_influence",
        "metric",
        "moves_in_steps",
        "n_held",
        "of",
        "robust_error",
        "rows",
        "same_ranks",
        "scale",
        "scarce_units",
        "scores",
        "sizes",
        "spread",
    },
}


def test_whatever_takes_the_units_for_all_dependence_is_refused() -> None:
    group, drawing = crossed().group, Drawing(9, 0)
    assert isinstance(group, CrossedGroup)
    sample = group.sample(*PAIR)
    calls: list[Callable[[], Any]] = [
        lambda: group.bootstrap(drawing),
        group.jackknife,
        lambda: group.influences,
        lambda: sample.expansion,
        lambda: sample.degrees_of_freedom,
        lambda: sample.pivots(drawing),
        lambda: sample.bootstrap(drawing),
        sample.left_out,
        lambda: sample.permutation("two-sided", drawing),
        lambda: sample.sampled_permutation("two-sided", drawing),
    ]
    for call in calls:
        with pytest.raises(DesignError, match="supports one grouping of the items, not two"):
            call()
    assert sample.contributions is None
    assert sample.standard_error == sample.error.se
