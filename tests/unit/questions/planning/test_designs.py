"""What designs assume; what makes no sense is refused in words."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.unit.questions.planning.examples import RUNS, SCORES, small_pilot

import bestby as bb
from bestby._core.errors import DesignError, InvalidInputError


@pytest.mark.parametrize(
    ("make", "kind", "first", "second"),
    [
        (lambda: bb.planning.PairedProportions(0.9, 0.5, 0.9), DesignError, "are impossible with an agreement of 0.9", "between 0.4 and 0.6"),
        (lambda: bb.planning.PairedProportions(1.2, 0.5, 0.9), InvalidInputError, "accuracy_a must lie in [0, 1], got 1.2", "90 %"),
        (lambda: bb.planning.PairedProportions(0.8, 0.8, 0.9, test="t"), InvalidInputError, "mcnemar, mcnemar-midp", None),
        (lambda: bb.planning.PairedProportions.from_pilot([0, 2], [1, 1]), InvalidInputError, "right_a must hold only 0 and 1", "PairedScores"),
        (lambda: bb.planning.PairedScores(0.1, 0.0), InvalidInputError, "sd must be a positive number, got 0.0", "a pilot measures it"),
        (lambda: bb.planning.PairedScores(math.nan, 1.0), InvalidInputError, "difference must be finite", None),
        (lambda: bb.planning.PairedScores(0.1, 1.0, cluster_size=0.5), InvalidInputError, "cluster_size must be at least 1", None),
        (lambda: bb.planning.PairedScores(0.1, 1.0, cluster_size=5.0, intracluster_correlation=0.25), InvalidInputError, "design_effect is 1, but clusters of 5 items whose correlation is 0.25 make it 2", "design_effect=2"),
        (lambda: bb.planning.PairedScores.from_pilot([1, 1, 1]), InvalidInputError, "at least 2 items whose differences vary", "sd"),
        (lambda: bb.planning.PairedScores.from_pilot([1, 2, 3], clusters=list("abc")), InvalidInputError, "3 clusters of 3 items", "leave clusters out"),
        (lambda: bb.planning.LiftedScores([0.5]), InvalidInputError, "at least 2 scores that vary", "seeds"),
        (lambda: bb.planning.LiftedScores([-0.5, 0.5]), DesignError, "one of them is -0.5", 'by="offset"'),
        (lambda: bb.planning.LiftedScores(["a", "b"]), InvalidInputError, "must be numbers", None),
        (lambda: bb.planning.LiftedScores([0.5, 0.6], lift=-1.0), InvalidInputError, "lift must be a positive number", None),
        (lambda: bb.planning.RunsAndItems(0.1, 0.0, 0.0, 0.0), InvalidInputError, "without any variation", "item_sd"),
        (lambda: bb.planning.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=(1, 2)), InvalidInputError, "pilot_df must be three positive numbers, got (1, 2)", "from_pilot"),  # type: ignore[arg-type]
        (lambda: bb.planning.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df="abc"), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.planning.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=3), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.planning.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=(1, 2, "x")), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.planning.RunsAndItems(0.1, 1.0, 1.0, 1.0, below_zero=(-1.0, 0.0)), InvalidInputError, "below_zero must be two numbers of at least 0", None),
        (lambda: bb.planning.RunsAndItems.from_pilot([[1, 2], [3, 4]], [[1, 2, 3], [3, 4, 5]]), InvalidInputError, "same items", "row per run"),
        (lambda: small_pilot(effect_scale=2.0), InvalidInputError, "effect_scale must lie in [-1, 1]", "larger one"),
        (lambda: small_pilot(a="a", b="c"), InvalidInputError, "two systems of the pilot, got 'a' and 'c'", "a, b"),
        (lambda: small_pilot().assuming(0.9), DesignError, "0.9 is larger", "plan with agreement=... or sd=..."),
        (lambda: bb.power(small_pilot(), 50, n_comparisons=100), DesignError, "999 resamples cannot give", "n_resamples=19999"),
        (lambda: bb.power(bb.planning.PairedScores(0.1, 1.0)), InvalidInputError, "no size of its own", "n=... items"),
        (lambda: bb.power(bb.planning.PairedScores(0.1, 1.0), 1), InvalidInputError, "n must lie between 2 and", None),
        (lambda: bb.power("accuracy", 5), InvalidInputError, "design must be one of", "PairedProportions"),  # type: ignore[arg-type]
        (lambda: bb.sample_size(bb.planning.PairedScores(0.0, 1.0)), DesignError, "a difference of 0", "smallest difference that matters"),
        (lambda: bb.sample_size(bb.planning.PairedScores(-0.1, 1.0), alternative="greater"), DesignError, "contradicts the alternative", "two-sided"),
        (lambda: bb.sample_size(bb.planning.PairedScores(0.1, 1.0), 0.04), InvalidInputError, "above the level", "customary"),
        (lambda: bb.sample_size(bb.planning.RunsAndItems(0.01, 0.3, 0.05, 0.0, runs=3)), DesignError, "a power of 0.8 is not reached", "more runs"),
        (lambda: bb.power(bb.planning.RunsAndItems(0.01, 0.3, 0.05, 0.0, runs=1), 50), DesignError, "one run of each system", "runs=2"),
        (lambda: bb.minimum_detectable(bb.planning.PairedProportions(0.8, 0.8, 0.99), 50), DesignError, "no difference is detected", "more items"),
        (lambda: bb.minimum_detectable(bb.planning.PairedProportions(0.99, 0.99, 0.99 - 0.005), 50), DesignError, "no difference is detected", None),
        (lambda: bb.minimum_detectable(bb.planning.PairedProportions(0.9, 0.98, 0.9), 50), DesignError, "agree on at least 0.96", "higher agreement"),
        (lambda: bb.allocate(RUNS, 100.0, run_cost=1.0), InvalidInputError, "items cost nothing", "max_items"),
        (lambda: bb.allocate(RUNS, 100.0, item_cost=1.0), InvalidInputError, "runs cost nothing", "max_runs"),
        (lambda: bb.allocate(RUNS, 100.0, run_cost=1.0, max_items=0), InvalidInputError, "max_items must be a whole number of at least 1, got 0", None),
        (lambda: bb.allocate(RUNS, 100.0, item_cost=1.0, max_runs=0), InvalidInputError, "max_runs must be a whole number of at least 1, got 0", None),
        (lambda: bb.allocate(RUNS, 100.0, run_cost=1.0, max_items=2.5), InvalidInputError, "max_items must be a whole number", None),  # type: ignore[arg-type]
        (lambda: bb.allocate(RUNS, 10.0, run_cost=20.0, item_cost=1.0), DesignError, "does not pay", "raise"),
        (lambda: bb.allocate(RUNS, 30.0, run_cost=20.0, item_cost=1.0), DesignError, "pays for only one run", "raise"),
        (lambda: bb.allocate(RUNS, -1.0, run_cost=20.0, item_cost=1.0), InvalidInputError, "budget must be 0 or", None),
    ],
)  # fmt: skip
def test_refusals(
    make: Callable[[], object], kind: type[bb.errors.BestbyError], first: str, second: str | None
) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert first in caught.value.message
    if second is not None:
        assert second in (caught.value.hint or "")


def test_clusters_of_copies_are_worth_one_item_each() -> None:
    d = np.repeat(np.random.default_rng(0).normal(0.2, 1.0, 80), 5)
    design = bb.planning.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(80), 5))
    assert design.intracluster_correlation == pytest.approx(1.0)
    assert design.design_effect == pytest.approx(5.0)
    single = bb.planning.PairedScores(design.difference, design.sd)
    assert design.pilot_df == pytest.approx(79.0)
    assert bb.power(design.taken_as_true(), 400).power == pytest.approx(bb.power(single, 80).power)
    assert (
        "80 clusters and carry as much information as 80 independent items"
        in bb.power(design, 400).notes[0].message
    )


def test_a_negative_correlation_is_told_and_not_counted_on() -> None:
    d = np.tile([1.0, -1.0, 0.5, -0.5], 20) + 0.01 * np.arange(80)
    design = bb.planning.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(20), 4))
    assert design.intracluster_correlation is not None
    assert design.intracluster_correlation < 0.0
    assert design.design_effect == 1.0
    assert "negative_icc" in {note.code for note in bb.power(design, 80).notes}


def test_a_pilot_of_two_columns_is_that_of_their_difference() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 50))
    assert bb.planning.PairedScores.from_pilot(a, b) == bb.planning.PairedScores.from_pilot(a - b)
    assert bb.planning.PairedScores.from_pilot(a, b, difference=0.3).difference == 0.3


def test_runs_are_estimated_as_they_were_made() -> None:
    rng = np.random.default_rng(6)
    item = rng.normal(0.0, 0.5, (1, 4000))
    shape = (40, 4000)
    a = 0.1 + item + rng.normal(0.0, 0.1, (40, 1)) + rng.normal(0.0, 0.3, shape)
    b = rng.normal(0.0, 0.2, (40, 1)) + rng.normal(0.0, 0.4, shape)
    design = bb.planning.RunsAndItems.from_pilot(a, b, runs=7)
    assert design.runs == 7
    assert design.item_sd == pytest.approx(0.5, rel=0.05)
    assert design.run_sd == pytest.approx(math.hypot(0.1, 0.2), rel=0.35)
    assert design.rest_sd == pytest.approx(0.5, rel=0.01)


def test_a_negative_component_counts_as_zero_and_is_told() -> None:
    layer = np.array([[1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.01]])
    design = bb.planning.RunsAndItems.from_pilot(layer, 0.0 * layer, paired_runs=True, difference=0.5)
    assert design.run_sd == 0.0
    assert "run_sd" in design.clipped
    assert any("negative" in note.message for note in bb.power(design, 50).notes)


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "welch", "mann-whitney"])
def test_scores_lifted_by_nothing_are_found_at_the_level(test: str) -> None:
    design = bb.planning.LiftedScores(np.random.default_rng(0).normal(0.7, 0.02, 30), 1.0, test=test)
    plan = bb.power(design, 20, curve=())
    # 5000 studies: standard error 0.003; the bootstrap test of 20 scores is a little too eager.
    assert plan.power == pytest.approx(0.05, abs=0.02 if test == "bootstrap" else 0.012)


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "welch", "mann-whitney"])
def test_the_smallest_lift_has_the_power_wanted(test: str) -> None:
    design = bb.planning.LiftedScores(SCORES, 0.0, by="offset", test=test)
    plan = bb.minimum_detectable(design, 12, 0.8, n_simulations=800, curve=())
    assert plan.power >= 0.8
    assert plan.design.effect == pytest.approx(plan.difference)
    less = bb.minimum_detectable(design, 12, 0.8, n_simulations=800, alternative="less", curve=())
    assert -plan.difference < less.difference < 0.0


def test_lifted_scores_are_reproducible_and_do_not_move_with_the_lift() -> None:
    design = bb.planning.LiftedScores(SCORES, 1.06, test="welch")
    first, again, other = (bb.power(design, rng=seed, curve=()).power for seed in (0, 0, 1))
    assert first == again != other
    lifts = np.linspace(1.0, 1.3, 25)
    powers = [bb.power(design.with_effect(lift), rng=0, curve=()).power for lift in lifts]
    assert powers == sorted(powers)  # the same resamples are lifted, so no step down is the work of chance


@pytest.mark.long
@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "roc_auc", "kendall"])
@pytest.mark.parametrize("group", [None, "clusters", "strata"])
def test_exchanged_predictions_are_the_null_hypothesis(metric: str, group: str | None) -> None:
    options = (
        {} if group is None else {group: np.arange(120) // 3 if group == "clusters" else np.arange(120) % 3}
    )
    pilot = small_pilot(metric=metric, effect_scale=0.0, **options)
    plan = bb.power(pilot, 40, n_simulations=150, n_resamples=199, curve=())
    assert plan.unit == ("clusters" if group == "clusters" else "items")
    assert plan.power <= 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / 150)
    assert abs(plan.difference) < 0.02


def test_a_pilot_shrunk_to_a_difference() -> None:
    for metric in ("accuracy", "f1_macro", "roc_auc"):
        pilot = small_pilot(metric=metric)
        assert pilot.assuming(0.05).true_difference == pytest.approx(0.05, abs=2e-3)
        assert pilot.assuming(-0.05).effect_scale < 0.0
        assert pilot.assuming(pilot.observed).effect_scale == pytest.approx(1.0, abs=1e-6)


def test_a_study_without_a_value_convinces_nobody() -> None:
    gold = np.array([1, *[0] * 19])
    pilot = bb.planning.Pilot(
        bb.Evaluation.of({"a": np.arange(20.0)[::-1], "b": np.arange(20.0)}, gold), metric="roc_auc"
    )
    # Two items hold the one positive with probability 1 - 0.95², and a test of two items never rejects.
    assert bb.power(pilot, 2, n_simulations=60, curve=()).power == 0.0


@pytest.mark.parametrize("test", ["mcnemar", "t", "wilcoxon", "sign", "bootstrap"])
def test_a_pilot_is_decided_by_any_test(test: str) -> None:
    plan = bb.power(small_pilot(test=test), 120, n_simulations=100, curve=())
    assert 0.5 < plan.power <= 1.0
    assert plan.provenance.settings["simulations"] == 100


@pytest.mark.long
def test_the_size_of_a_simulated_study_has_about_the_power_wanted() -> None:
    plan = bb.sample_size(small_pilot().assuming(0.1), 0.8, n_simulations=400)
    exact = bb.planning.PairedProportions.from_pilot(*(
        np.asarray(plan.design.evaluation.systems[name] == plan.design.evaluation.gold) for name in "ab"  # type: ignore[attr-defined]
    ))  # fmt: skip
    theirs = bb.sample_size(exact.with_effect(0.1), 0.8).n
    assert plan.n == pytest.approx(theirs, rel=0.15)
    assert [point.n for point in plan.curve] == sorted({point.n for point in plan.curve})


def test_the_work_is_told() -> None:
    told: list[tuple[int, int]] = []
    bb.power(
        small_pilot(),
        30,
        n_simulations=20,
        curve=(),
        resampling=bb.Resampling(progress=lambda done, total: told.append((done, total))),
    )
    assert told[-1] == (20, 20)
    assert len(told) == 20
