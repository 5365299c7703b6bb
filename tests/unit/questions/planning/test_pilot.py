"""Pilots with groups of items, and what small pilots leave open."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaincinv
from tests.unit.questions.planning.examples import RUNS, SCORES, small_pilot

import bestby as bb
from bestby._core.errors import DesignError
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import clusters, skewness
from bestby.metrics import resolve
from bestby.planning.base import Design, Question
from bestby.questions.planning.simulated import by_cells

UNEQUAL = np.r_[np.full(12, 2), np.full(3, 30)]
"""Items of each cluster of a pilot."""


def _unequal_pilot() -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(UNEQUAL.size), UNEQUAL)
    shift = rng.normal(0.5, 0.5, UNEQUAL.size)[cluster]
    return {"a": shift + rng.normal(size=cluster.size), "b": rng.normal(size=cluster.size)}, cluster


def test_studies_drawn_from_clusters_have_clusters_of_their_sizes() -> None:
    systems, cluster = _unequal_pilot()
    (group,) = prepare.groups(bb.Evaluation.of(systems, clusters=cluster), [resolve("mean")])
    assert isinstance(group, SumGroup)
    seen = set()
    for study in by_cells(group, 20, 30, 0.2, np.random.default_rng(1)):
        assert isinstance(study, SumGroup)
        assert study.clustered
        sample = study.sample(0, 1)
        assert sample.units.counts @ sample.sizes == study.statistics[0].total[1]
        seen |= set(sample.sizes.tolist())
    assert seen == {2.0, 30.0}


def test_a_pilot_of_small_strata_says_that_the_power_is_too_high() -> None:
    """With strata of 2, studies vary by half: a power of 0.80 was simulated as 0.90 (60 units, normal)."""
    rng = np.random.default_rng(3)
    systems = {"a": rng.normal(0.4, 1.0, 60), "b": np.zeros(60)}

    def notes(size: int) -> list[str]:
        pilot = bb.planning.Pilot(bb.Evaluation.of(systems, strata=np.arange(60) // size))
        plan = bb.power(pilot, n_simulations=20, curve=())
        return [note.message for note in plan.notes if note.code == "small_strata"]

    (pairs,) = notes(2)
    assert pairs.startswith("strata have 2 units on average, and resamples inside them vary too little: ")
    assert "vary up to 29 % too little, so that a power above 0.5 is too high" in pairs
    (alone,) = notes(1)
    assert alone.startswith("100 % of the units are alone in their stratum")
    assert notes(20) == []


@pytest.mark.long
def test_power_of_the_wald_test_on_unequal_clusters_is_that_of_compare() -> None:
    """Both are shares of rejections in 900 studies: they may differ by 4 standard errors, once in 16 000."""
    systems, cluster = _unequal_pilot()
    evaluation = bb.Evaluation.of(systems, clusters=cluster)
    plan = bb.power(bb.planning.Pilot(evaluation, test="wald"), n_simulations=900, curve=())
    rng, hits = np.random.default_rng(2), 0
    members = [np.flatnonzero(cluster == c) for c in range(UNEQUAL.size)]
    for _ in range(900):
        drawn = rng.integers(0, UNEQUAL.size, UNEQUAL.size)
        items = np.concatenate([members[c] for c in drawn])
        labels = np.repeat(np.arange(drawn.size), UNEQUAL[drawn])
        study = bb.Evaluation.of({name: x[items] for name, x in systems.items()}, clusters=labels)
        (group,) = prepare.groups(study, [resolve("mean")])
        estimate = Estimates(group, Drawing(1, 0)).of(0, 1)
        hits += significance_tests.result("wald", estimate, "two-sided").p_value <= 0.05
    share = hits / 900
    assert 0.2 < share < 0.8
    assert abs(plan.power - share) < 4.0 * math.sqrt(2.0 * share * (1.0 - share) / 900)


def test_a_pilot_in_two_crossed_groupings_is_refused() -> None:
    both = [np.arange(120) // 10, np.arange(120) % 10]
    with pytest.raises(DesignError, match="simulated pilot does not support two crossed groupings") as caught:
        small_pilot(clusters=both)
    assert caught.value.hint == "give one grouping as clusters, that with fewer groups"


# -- what pilots leave open ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 15])
def test_plans_from_normal_pilots_have_their_power_on_average(size: int) -> None:
    """Over 40 pilots, of which the power of the planned sizes is computed: no test is drawn."""
    rng = np.random.default_rng(size)
    known = bb.planning.PairedScores(0.4, 1.0)
    sizes: dict[str, list[int]] = {"averaged": [], "as estimated": []}
    for _ in range(40):
        pilot = bb.planning.PairedScores.from_pilot(rng.normal(size=size), difference=0.4)
        sizes["averaged"].append(bb.sample_size(pilot, curve=()).n)
        sizes["as estimated"].append(bb.sample_size(pilot.taken_as_true(), curve=()).n)
    powers = {what: known.powers(np.array(n), Question())[0] for what, n in sizes.items()}
    error = powers["averaged"].std() / math.sqrt(40)
    assert powers["averaged"].mean() == pytest.approx(0.8, abs=4.0 * error)
    assert powers["as estimated"].mean() < powers["averaged"].mean()


@pytest.mark.parametrize("df", [4.0, 14.0])
def test_a_known_number_of_degrees_of_freedom_gives_the_power_promised(df: float) -> None:
    """The ratio of estimate and truth at its quantiles: average power is an integral, without any draw."""
    quantiles = (np.arange(20) + 0.5) / 20
    truth = bb.planning.PairedScores(0.1, 1.0)
    sizes = [
        bb.sample_size(
            bb.planning.PairedScores(0.1, math.sqrt(2.0 * gammaincinv(df / 2.0, u) / df), pilot_df=df),
            curve=(),
        ).n
        for u in quantiles
    ]
    assert truth.powers(np.array(sizes), Question())[0].mean() == pytest.approx(0.8, abs=0.01)


def _pilots() -> list[Design]:
    rng = np.random.default_rng(2)
    x, groups = rng.normal(0.4, 1.0, 24), np.repeat(np.arange(8), [1, 1, 2, 2, 3, 3, 4, 8])
    right = rng.random((2, 24)) < 0.7
    return [
        bb.planning.PairedScores.from_pilot(x, difference=0.4),
        bb.planning.PairedScores.from_pilot(x, clusters=groups, difference=0.4),
        bb.planning.PairedProportions.from_pilot(*right).with_effect(0.1),
        bb.planning.LiftedScores(SCORES, 1.15, test="welch"),
        bb.planning.RunsAndItems.from_pilot(
            *(rng.normal(size=(2, 4, 30)) + rng.normal(size=(2, 4, 1))), difference=1.0
        ),
        bb.planning.Pilot(bb.Evaluation.of({"a": x, "b": 0.0 * x}), test="t"),
    ]


@pytest.mark.parametrize("position", range(6))
def test_every_pilot_leaves_something_open(position: int) -> None:
    design = _pilots()[position]
    plan = bb.power(design, 30 if position == 2 else 12, n_simulations=400, curve=())
    known = bb.power(design.taken_as_true(), plan.n, n_simulations=400, curve=())
    assert known.power_as_estimated is None
    assert plan.power_as_estimated == known.power
    assert plan.power != known.power
    assert "uncertain_pilot" in {note.code for note in plan.notes}
    assert "uncertain_pilot" not in {note.code for note in known.notes}
    text = " ".join(str(plan).split())
    assert "If the estimates of the pilot were the true values" in text
    assert "averaged over the uncertainty about the " in text
    assert "the true values" not in " ".join(str(known).split())
    document = json.loads(plan.to_json())
    assert (document["power"], document["power_as_estimated"]) == (plan.power, known.power)


def test_a_plan_from_few_scores_asks_for_more_than_one_from_many() -> None:
    few = bb.planning.LiftedScores([0.70, 0.72, 0.74], 0.04, by="offset", test="welch")
    many = bb.planning.LiftedScores([0.70, 0.72, 0.74] * 20, 0.04, by="offset", test="welch")
    sizes = [bb.sample_size(one, n_simulations=1000, curve=()).n for one in (few, many)]
    assert sizes[0] > 1.5 * sizes[1]


def test_large_pilots_change_nothing_much_and_are_not_noted() -> None:
    rng = np.random.default_rng(1)
    design = bb.planning.PairedScores.from_pilot(rng.normal(size=1000), difference=0.1)
    plan = bb.sample_size(design)
    assert plan.power_as_estimated == pytest.approx(plan.power, abs=2e-3)
    assert plan.notes == ()
    agreed = bb.power(bb.planning.PairedProportions(0.84, 0.8, 0.9, pilot_items=1000), 500, curve=())
    assert agreed.power_as_estimated == pytest.approx(agreed.power, abs=5e-3)
    assert agreed.notes == ()


def test_rare_differences_and_unequal_clusters_leave_more_open() -> None:
    seldom = bb.planning.PairedScores.from_pilot(np.r_[np.ones(3), -np.ones(2), np.zeros(95)])
    assert seldom.pilot_df is not None
    assert seldom.pilot_df < 12.0
    d = np.random.default_rng(3).normal(size=120)
    equal = bb.planning.PairedScores.from_pilot(d, clusters=np.arange(120) // 6)
    sizes = [1] * 10 + [5] * 8 + [30, 40]
    unequal = bb.planning.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(20), sizes))
    assert equal.pilot_df == pytest.approx(19.0, abs=1e-9)
    assert unequal.pilot_df is not None
    assert unequal.pilot_df < 6.0
    assert (equal.size_ratio, round(unequal.size_ratio, 3)) == (
        1.0,
        round(20 * (10 + 200 + 2500) / 120**2, 3),
    )


def test_clusters_of_unequal_size_cost_the_test_degrees_of_freedom() -> None:
    """The power on drawn studies of lognormal sizes, without correlation, tested by CR2."""
    rng, hits, used = np.random.default_rng(5), 0, 400
    design = bb.planning.PairedScores(0.5, 1.0, cluster_size=6.0, size_ratio=3.0)
    for _ in range(used):
        sizes = np.array([1] * 12 + [6] * 4 + [28, 48.0])  # their ratio is 3.0
        sums = 0.5 * sizes + np.sqrt(sizes) * rng.normal(size=sizes.size)
        mean = sums.sum() / sizes.sum()
        error = clusters.cr2((sums - sizes * mean) / sizes.sum(), sizes)
        hits += skewness.wald(mean, error, "two-sided").p_value <= 0.05
    n = int(sizes.sum())
    planned = bb.power(design, n, curve=()).power
    equal = bb.power(bb.planning.PairedScores(0.5, 1.0, cluster_size=6.0), n, curve=()).power
    assert planned < equal
    assert planned == pytest.approx(hits / used, abs=0.08)


def test_a_pilot_whose_systems_seldom_differ_can_be_planned_with() -> None:
    right = np.ones(20, dtype=int)
    design = bb.planning.PairedProportions.from_pilot(right, right).with_effect(-0.05)
    plan = bb.sample_size(design, curve=())
    assert plan.power >= 0.8 > bb.power(design, plan.n - 1, curve=()).power
    assert plan.power_as_estimated is not None
    assert design.taken_as_true().agreement == pytest.approx(0.95)


def test_a_budget_from_a_pilot_says_what_its_components_leave_open() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3, 40)) + np.array([-1.0, 1.0, 0.5])[None, :, None]
    answer = bb.allocate(
        bb.planning.RunsAndItems.from_pilot(a, b, difference=1.0), 60.0, run_cost=4.0, item_cost=0.2
    )
    assert answer.power_as_estimated is not None
    assert answer.best.power < answer.power_as_estimated
    assert "If the estimates of the pilot were the true values" in " ".join(str(answer).split())
    assert json.loads(answer.to_json())["power_as_estimated"] == answer.power_as_estimated
    assert bb.allocate(RUNS, 500.0, run_cost=20.0, item_cost=0.05).power_as_estimated is None


def _few_runs(i: int, **options: int) -> bb.planning.RunsAndItems:
    """A pilot of three runs on 100 items, whose run component is small but not 0."""
    g = np.random.default_rng([3, 100, i, 9])
    a, b = (g.normal(0, 0.5, 100) + g.normal(0, 0.05, (3, 1)) + g.normal(0, 0.5, (3, 100)) for _ in "ab")
    return bb.planning.RunsAndItems.from_pilot(a, b, difference=0.2, **options)  # type: ignore[arg-type]


def test_a_run_component_estimated_as_zero_is_not_known_to_be_zero() -> None:
    """The size grows far beyond that of a design whose runs do not vary, and the note says why."""
    for i in (4, 9):
        design = _few_runs(i)
        assert design.clipped == ("run_sd",)
        plan, known = (bb.sample_size(one, curve=()) for one in (design, design.taken_as_true()))
        assert plan.n > 1.1 * known.n
        assert "uncertain_pilot" in {note.code for note in plan.notes}
        assert "far below" in " ".join(note.message for note in plan.notes)
        assert "averaged over the uncertainty about the variances of the pilot" in " ".join(str(plan).split())


def test_the_power_does_not_jump_where_a_component_becomes_zero() -> None:
    options = {"item_sd": 0.7, "rest_sd": 0.7, "runs": 3, "pilot_df": (99.0, 2.6, 396.0)}
    powers = [
        bb.power(bb.planning.RunsAndItems(0.2, run_sd=run_sd, **options), 200, curve=()).power  # type: ignore[arg-type]
        for run_sd in (0.0, 1e-6, 0.07)
    ]
    assert powers[0] == pytest.approx(powers[1], abs=1e-6)
    assert powers[1] > powers[2] + 0.05
    below = bb.planning.RunsAndItems(0.2, run_sd=0.0, below_zero=(0.0, 0.004), **options)  # type: ignore[arg-type]
    assert bb.power(below, 200, curve=()).power > powers[0] + 0.05


def test_one_run_cannot_be_planned_from_a_pilot_whose_run_component_is_zero() -> None:
    design = _few_runs(3, runs=1)
    with pytest.raises(DesignError, match="one run of each system"):
        bb.power(design, 100)
    assert bb.allocate(design, 40.0, run_cost=10.0, item_cost=0.1).best.runs > 1


@pytest.mark.parametrize(("agreement", "n"), [(1.0, 297), (0.97, 200)])
def test_a_pilot_that_agreed_too_much_shows_the_difference_that_it_is_planned_for(
    agreement: float, n: int
) -> None:
    for b in (0.8, 0.2):
        found = bb.minimum_detectable(
            bb.planning.PairedProportions(b, b, agreement, pilot_items=40), n, curve=()
        )
        again = bb.sample_size(found.design, curve=())
        assert again.n == pytest.approx(n, abs=1)
        assert found.power == pytest.approx(0.8, abs=1e-6)


def test_an_agreement_above_what_the_difference_allows_is_said_to_be_that_of_the_pilot() -> None:
    words = bb.planning.PairedProportions(0.9, 0.8, 0.98, pilot_items=50).assumed_words
    assert words.endswith("both right or both wrong on 0.98 of the 50 items of a pilot")


def test_a_pilot_without_any_variation_leaves_none_open() -> None:
    pilot = bb.planning.Pilot(bb.Evaluation.of({"a": np.ones(30), "b": np.zeros(30)}))
    assert pilot.pilot_df == 29.0
    assert bb.power(pilot, 60, n_simulations=100, curve=()).power == 1.0


@pytest.mark.parametrize("metric", ["points", "f1_macro"])
def test_few_clusters_are_planned_with_the_test_that_compare_takes(metric: str) -> None:
    rng = np.random.default_rng(0)
    clusters = np.arange(120) // 20
    if metric == "points":
        gold = None
        systems = {"a": rng.normal(0.3, 0.5, 120), "b": rng.normal(0.0, 0.5, 120)}
    else:
        gold = rng.integers(3, size=120)
        systems = {"a": gold, "b": np.where(rng.random(120) < 0.5, gold, 0)}
    evaluation = bb.Evaluation.of(systems, gold, clusters=clusters)

    def power(test: Any) -> float:
        design = bb.planning.Pilot(evaluation, metric, test=test, as_population=True)
        return bb.power(design, 6, level=0.99, n_simulations=60, curve=()).power

    assert power("permutation") == 0.0  # no swap of six clusters has a p-value below 0.03
    assert power("auto") > 0.5
