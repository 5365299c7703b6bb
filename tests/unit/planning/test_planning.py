"""The three questions of planning agree with each other; what makes no sense is refused in words."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincinv

import bestby as bb
from bestby._core.errors import DesignError, InvalidInputError
from bestby.engine import prepare, test_maker
from bestby.engine.base import Drawing
from bestby.engine.interval_maker import Intervals
from bestby.engine.sums import SumGroup
from bestby.inference import cluster_pivots, clusters
from bestby.metrics import resolve
from bestby.planning.base import Design, Question
from bestby.planning.studies import by_cells
from bestby.report.figures.drawing import render

SCORES = [0.61, 0.70, 0.66, 0.74, 0.69, 0.72, 0.58, 0.71]
RUNS = bb.RunsAndItems(0.03, item_sd=0.3, run_sd=0.01, rest_sd=0.4, runs=5)


def _pilot(n: int = 120, **options: object) -> bb.Pilot:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < p, gold, 1 - gold) for p in (0.9, 0.75))
    extra = {key: options.pop(key) for key in ("clusters", "strata") if key in options}
    return bb.Pilot(bb.Evaluation.of({"a": a, "b": b}, gold, **extra), **options)  # type: ignore[arg-type]


@st.composite
def proportions(draw: st.DrawFn) -> bb.PairedProportions:
    b = draw(st.floats(0.1, 0.9))
    differing = draw(st.floats(0.1, 0.9)) * min(2.0 * b, 2.0 - 2.0 * b)
    room = min(differing, 2.0 - 2.0 * b - differing)
    difference = draw(st.floats(0.2, 0.99)) * room
    test = draw(st.sampled_from(["mcnemar", "mcnemar-midp"]))
    return bb.PairedProportions(b + difference, b, 1.0 - differing, test)


scores = st.builds(
    bb.PairedScores,
    difference=st.floats(0.05, 1.0),
    sd=st.floats(0.5, 2.0),
    design_effect=st.floats(0.5, 4.0),
    cluster_size=st.floats(1.0, 6.0),
)


@settings(max_examples=60)
@given(
    design=st.one_of(proportions(), scores),
    n=st.integers(20, 1500),
    n_comparisons=st.sampled_from([1, 6]),
    alternative=st.sampled_from(["two-sided", "greater"]),
)
def test_the_three_questions_agree(design: Design, n: int, n_comparisons: int, alternative: str) -> None:
    options = {"n_comparisons": n_comparisons, "alternative": alternative, "curve": ()}
    asked = bb.power(design, n, **options)  # type: ignore[arg-type]
    if asked.alpha + 1e-6 < asked.power < 1.0 - 1e-9:
        sized = bb.sample_size(design, asked.power, **options)  # type: ignore[arg-type]
        assert sized.n <= n
        assert sized.power >= asked.power
        smallest = bb.minimum_detectable(design, n, asked.power, **options)  # type: ignore[arg-type]
        assert smallest.power >= asked.power
        assert smallest.difference <= asked.difference * (1.0 + 1e-9) + 1e-12


@settings(max_examples=40)
@given(design=st.one_of(proportions(), scores), wanted=st.sampled_from([0.5, 0.8, 0.95]))
def test_one_item_fewer_is_not_enough(design: Design, wanted: float) -> None:
    plan = bb.sample_size(design, wanted, curve=())
    assert plan.power >= wanted
    if plan.n > design.least:
        assert bb.power(design, plan.n - 1, curve=()).power < wanted


@pytest.mark.parametrize("d", [0.9, 0.5])
def test_a_jagged_power_is_met_at_its_first_tooth(d: float) -> None:
    """Systems that never agree: the sign test of n items, whose power goes up and down with n."""
    design = bb.PairedProportions((1.0 + d) / 2.0, (1.0 - d) / 2.0, agreement=0.0)
    powers = design.powers(np.arange(2, 400), bb.planning.base.Question())[0]
    for wanted in (0.5, 0.8, 0.99):
        assert bb.sample_size(design, wanted, curve=()).n == 2 + int(np.argmax(powers >= wanted))


@pytest.mark.parametrize("design", [bb.PairedProportions(0.84, 0.8, 0.9), bb.PairedScores(0.1, 1.0), RUNS])
def test_more_of_anything_is_more_power(design: Design) -> None:
    base = bb.power(design, 600).power
    assert bb.power(design, 900).power > base
    assert bb.power(design, 600, alternative="greater").power > base
    assert bb.power(design, 600, alternative="less").power < 0.01
    assert bb.power(design, 600, level=0.99).power < base
    assert bb.power(design, 600, n_comparisons=5).power == bb.power(design, 600, level=0.99).power
    assert bb.power(design.with_effect(-design.effect), 600).power == pytest.approx(base, abs=2e-3)


def test_large_studies_are_quick() -> None:
    started = time.perf_counter()
    bb.power(bb.PairedProportions(0.803, 0.80, 0.9), 100_000)
    assert time.perf_counter() - started < 2.0  # 0.05 s on a quiet machine


def test_an_unseen_difference_of_nothing_has_the_level_as_its_power() -> None:
    assert bb.power(bb.PairedScores(0.0, 1.0), 40).power == pytest.approx(0.05, abs=1e-9)
    assert bb.power(bb.PairedProportions(0.8, 0.8, 0.8), 300).power < 0.05
    assert bb.power(bb.PairedProportions(0.8, 0.8, 1.0), 300).power == 0.0


# -- designs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "kind", "first", "second"),
    [
        (lambda: bb.PairedProportions(0.9, 0.5, 0.9), DesignError, "are impossible with an agreement of 0.9", "between 0.4 and 0.6"),
        (lambda: bb.PairedProportions(1.2, 0.5, 0.9), InvalidInputError, "accuracy_a must lie in [0, 1], got 1.2", "90 %"),
        (lambda: bb.PairedProportions(0.8, 0.8, 0.9, test="t"), InvalidInputError, "mcnemar, mcnemar-midp", None),
        (lambda: bb.PairedProportions.from_pilot([0, 2], [1, 1]), InvalidInputError, "right_a must hold only 0 and 1", "PairedScores"),
        (lambda: bb.PairedScores(0.1, 0.0), InvalidInputError, "sd must be a positive number, got 0.0", "a pilot measures it"),
        (lambda: bb.PairedScores(math.nan, 1.0), InvalidInputError, "difference must be finite", None),
        (lambda: bb.PairedScores(0.1, 1.0, cluster_size=0.5), InvalidInputError, "cluster_size must be at least 1", None),
        (lambda: bb.PairedScores.from_pilot([1, 1, 1]), InvalidInputError, "at least 2 items whose differences vary", "sd"),
        (lambda: bb.PairedScores.from_pilot([1, 2, 3], clusters=list("abc")), InvalidInputError, "3 clusters of 3 items", "leave clusters out"),
        (lambda: bb.LiftedScores([0.5]), InvalidInputError, "at least 2 scores that vary", "seeds"),
        (lambda: bb.LiftedScores([-0.5, 0.5]), DesignError, "one of them is -0.5", 'by="offset"'),
        (lambda: bb.LiftedScores(["a", "b"]), InvalidInputError, "must be numbers", None),
        (lambda: bb.LiftedScores([0.5, 0.6], lift=-1.0), InvalidInputError, "lift must be a positive number", None),
        (lambda: bb.RunsAndItems(0.1, 0.0, 0.0, 0.0), InvalidInputError, "without any variation", "item_sd"),
        (lambda: bb.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=(1, 2)), InvalidInputError, "pilot_df must be three positive numbers, got (1, 2)", "from_pilot"),  # type: ignore[arg-type]
        (lambda: bb.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df="abc"), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=3), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.RunsAndItems(0.1, 1.0, 1.0, 1.0, pilot_df=(1, 2, "x")), InvalidInputError, "pilot_df must be three positive numbers", None),  # type: ignore[arg-type]
        (lambda: bb.RunsAndItems(0.1, 1.0, 1.0, 1.0, below_zero=(-1.0, 0.0)), InvalidInputError, "below_zero must be two numbers of at least 0", None),
        (lambda: bb.RunsAndItems.from_pilot([[1, 2], [3, 4]], [[1, 2, 3], [3, 4, 5]]), InvalidInputError, "same items", "row per run"),
        (lambda: _pilot(effect_scale=2.0), InvalidInputError, "effect_scale must lie in [-1, 1]", "larger one"),
        (lambda: _pilot(a="a", b="c"), InvalidInputError, "two systems of the pilot, got 'a' and 'c'", "a, b"),
        (lambda: _pilot().assuming(0.9), DesignError, "0.9 is larger", "plan with agreement=... or sd=..."),
        (lambda: bb.power(_pilot(), 50, n_comparisons=100), DesignError, "999 resamples cannot give", "n_resamples=19999"),
        (lambda: bb.power(bb.PairedScores(0.1, 1.0)), InvalidInputError, "no size of its own", "n=... items"),
        (lambda: bb.power(bb.PairedScores(0.1, 1.0), 1), InvalidInputError, "n must lie between 2 and", None),
        (lambda: bb.power("accuracy", 5), InvalidInputError, "design must be one of", "PairedProportions"),  # type: ignore[arg-type]
        (lambda: bb.sample_size(bb.PairedScores(0.0, 1.0)), DesignError, "a difference of 0", "smallest difference that matters"),
        (lambda: bb.sample_size(bb.PairedScores(-0.1, 1.0), alternative="greater"), DesignError, "contradicts the alternative", "two-sided"),
        (lambda: bb.sample_size(bb.PairedScores(0.1, 1.0), 0.04), InvalidInputError, "above the level", "customary"),
        (lambda: bb.sample_size(bb.RunsAndItems(0.01, 0.3, 0.05, 0.0, runs=3)), DesignError, "a power of 0.8 is not reached", "more runs"),
        (lambda: bb.power(bb.RunsAndItems(0.01, 0.3, 0.05, 0.0, runs=1), 50), DesignError, "one run of each system", "runs=2"),
        (lambda: bb.minimum_detectable(bb.PairedProportions(0.8, 0.8, 0.99), 50), DesignError, "no difference is detected", "more items"),
        (lambda: bb.minimum_detectable(bb.PairedProportions(0.99, 0.99, 0.99 - 0.005), 50), DesignError, "no difference is detected", None),
        (lambda: bb.minimum_detectable(bb.PairedProportions(0.9, 0.98, 0.9), 50), DesignError, "agree on at least 0.96", "higher agreement"),
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
    make: Callable[[], object], kind: type[bb.BestbyError], first: str, second: str | None
) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert first in caught.value.message
    if second is not None:
        assert second in (caught.value.hint or "")


def test_clusters_of_copies_are_worth_one_item_each() -> None:
    d = np.repeat(np.random.default_rng(0).normal(0.2, 1.0, 80), 5)
    design = bb.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(80), 5))
    assert design.intracluster_correlation == pytest.approx(1.0)
    assert design.design_effect == pytest.approx(5.0)
    single = bb.PairedScores(design.difference, design.sd)
    assert design.pilot_df == pytest.approx(79.0)
    assert bb.power(design.taken_as_true(), 400).power == pytest.approx(bb.power(single, 80).power)
    assert (
        "80 clusters and carry as much information as 80 independent items"
        in bb.power(design, 400).notes[0].message
    )


def test_a_negative_correlation_is_told_and_not_counted_on() -> None:
    d = np.tile([1.0, -1.0, 0.5, -0.5], 20) + 0.01 * np.arange(80)
    design = bb.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(20), 4))
    assert design.intracluster_correlation is not None
    assert design.intracluster_correlation < 0.0
    assert design.design_effect == 1.0
    assert "negative_icc" in {note.code for note in bb.power(design, 80).notes}


def test_a_pilot_of_two_columns_is_that_of_their_difference() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 50))
    assert bb.PairedScores.from_pilot(a, b) == bb.PairedScores.from_pilot(a - b)
    assert bb.PairedScores.from_pilot(a, b, difference=0.3).difference == 0.3


def test_runs_are_estimated_as_they_were_made() -> None:
    rng = np.random.default_rng(6)
    item = rng.normal(0.0, 0.5, (1, 4000))
    shape = (40, 4000)
    a = 0.1 + item + rng.normal(0.0, 0.1, (40, 1)) + rng.normal(0.0, 0.3, shape)
    b = rng.normal(0.0, 0.2, (40, 1)) + rng.normal(0.0, 0.4, shape)
    design = bb.RunsAndItems.from_pilot(a, b, runs=7)
    assert design.runs == 7
    assert design.item_sd == pytest.approx(0.5, rel=0.05)
    assert design.run_sd == pytest.approx(math.hypot(0.1, 0.2), rel=0.35)
    assert design.rest_sd == pytest.approx(0.5, rel=0.01)


def test_a_negative_component_counts_as_zero_and_is_told() -> None:
    layer = np.array([[1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.01]])
    design = bb.RunsAndItems.from_pilot(layer, 0.0 * layer, paired_runs=True, difference=0.5)
    assert design.run_sd == 0.0
    assert "run_sd" in design.clipped
    assert any("negative" in note.message for note in bb.power(design, 50).notes)


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "welch", "mann-whitney"])
def test_scores_lifted_by_nothing_are_found_at_the_level(test: str) -> None:
    design = bb.LiftedScores(np.random.default_rng(0).normal(0.7, 0.02, 30), 1.0, test=test)
    plan = bb.power(design, 20, curve=())
    # 5000 studies: standard error 0.003; the bootstrap test of 20 scores is a little too eager.
    assert plan.power == pytest.approx(0.05, abs=0.02 if test == "bootstrap" else 0.012)


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "welch", "mann-whitney"])
def test_the_smallest_lift_has_the_power_wanted(test: str) -> None:
    design = bb.LiftedScores(SCORES, 0.0, by="offset", test=test)
    plan = bb.minimum_detectable(design, 12, 0.8, n_simulations=800, curve=())
    assert plan.power >= 0.8
    assert plan.design.effect == pytest.approx(plan.difference)
    less = bb.minimum_detectable(design, 12, 0.8, n_simulations=800, alternative="less", curve=())
    assert -plan.difference < less.difference < 0.0


def test_lifted_scores_are_reproducible_and_do_not_move_with_the_lift() -> None:
    design = bb.LiftedScores(SCORES, 1.06, test="welch")
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
    pilot = _pilot(metric=metric, effect_scale=0.0, **options)
    plan = bb.power(pilot, 40, n_simulations=150, n_resamples=199, curve=())
    assert plan.unit == ("clusters" if group == "clusters" else "items")
    assert plan.power <= 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / 150)
    assert abs(plan.difference) < 0.02


def test_a_pilot_shrunk_to_a_difference() -> None:
    for metric in ("accuracy", "f1_macro", "roc_auc"):
        pilot = _pilot(metric=metric)
        assert pilot.assuming(0.05).true_difference == pytest.approx(0.05, abs=2e-3)
        assert pilot.assuming(-0.05).effect_scale < 0.0
        assert pilot.assuming(pilot.observed).effect_scale == pytest.approx(1.0, abs=1e-6)


def test_a_study_without_a_value_convinces_nobody() -> None:
    gold = np.array([1, *[0] * 19])
    pilot = bb.Pilot(
        bb.Evaluation.of({"a": np.arange(20.0)[::-1], "b": np.arange(20.0)}, gold), metric="roc_auc"
    )
    # Two items hold the one positive with probability 1 - 0.95², and a test of two items never rejects.
    assert bb.power(pilot, 2, n_simulations=60, curve=()).power == 0.0


@pytest.mark.parametrize("test", ["mcnemar", "t", "wilcoxon", "sign", "bootstrap"])
def test_a_pilot_is_decided_by_any_test(test: str) -> None:
    plan = bb.power(_pilot(test=test), 120, n_simulations=100, curve=())
    assert 0.5 < plan.power <= 1.0
    assert plan.provenance.settings["simulations"] == 100


@pytest.mark.long
def test_the_size_of_a_simulated_study_has_about_the_power_wanted() -> None:
    plan = bb.sample_size(_pilot().assuming(0.1), 0.8, n_simulations=400)
    exact = bb.PairedProportions.from_pilot(*(
        np.asarray(plan.design.evaluation.systems[name] == plan.design.evaluation.gold) for name in "ab"  # type: ignore[attr-defined]
    ))  # fmt: skip
    theirs = bb.sample_size(exact.with_effect(0.1), 0.8).n
    assert plan.n == pytest.approx(theirs, rel=0.15)
    assert [point.n for point in plan.curve] == sorted({point.n for point in plan.curve})


def test_the_work_is_told() -> None:
    told: list[tuple[int, int]] = []
    bb.power(
        _pilot(), 30, n_simulations=20, curve=(), progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (20, 20)
    assert len(told) == 20


# -- budgets ---------------------------------------------------------------------------------------


def test_the_best_split_is_the_best_of_all() -> None:
    answer = bb.allocate(RUNS, 500.0, run_cost=20.0, item_cost=0.05, answer_cost=0.001)
    assert answer.best.power == max(split.power for split in answer.splits if not math.isnan(split.power))
    assert math.isnan(answer.splits[0].power)  # one run
    for split in answer.splits:
        cost = 20.0 * split.runs + 0.05 * split.items + 0.001 * split.runs * split.items
        assert split.cost == pytest.approx(cost)
        assert cost <= 500.0 < cost + 0.05 + 0.001 * split.runs  # one more item cannot be paid
        if split.runs > 1:
            alone = bb.power(bb.RunsAndItems(0.03, 0.3, 0.01, 0.4, runs=split.runs), split.items, curve=())
            assert split.power == pytest.approx(alone.power)
    assert answer.design.runs == answer.best.runs  # type: ignore[attr-defined]


def test_limits_of_a_budget() -> None:
    answer = bb.allocate(RUNS, 500.0, run_cost=20.0, max_items=3000, max_runs=9)
    assert {split.items for split in answer.splits} == {3000}
    assert [split.runs for split in answer.splits] == list(range(1, 10))
    assert answer.best.runs == 9


# -- results ---------------------------------------------------------------------------------------


def _results() -> list[bb.Plan | bb.Allocation]:
    return [
        bb.power(bb.PairedScores(0.1, 1.0, design_effect=2.0, cluster_size=4.0), 800, n_comparisons=3),
        bb.sample_size(bb.PairedProportions(0.83, 0.8, 0.9)),
        bb.minimum_detectable(RUNS, 500),
        bb.power(bb.LiftedScores(SCORES, 1.05), 6, n_simulations=200),
        bb.power(_pilot(), 60, n_simulations=50),
        bb.allocate(RUNS, 1000.0, run_cost=10.0, item_cost=0.1),
    ]


@pytest.mark.long
@pytest.mark.parametrize("position", range(6))
def test_every_result_in_every_form(position: int, tmp_path: Path) -> None:
    result = _results()[position]
    text = str(result)
    assert repr(result).startswith(f"<{type(result).__name__}: ")
    assert "\n" not in repr(result)
    assert result.signature in text
    document = json.loads(result.to_json(tmp_path / "plan.json"))
    assert (tmp_path / "plan.json").read_text(encoding="utf-8") == result.to_json()
    assert document["design"]["name"] == result.design.name
    assert document["signature"] == result.signature
    frame = result.to_frame()
    lines = result.to_csv().splitlines()
    assert lines[0].split(",") == list(frame.columns)
    assert len(lines) == len(frame) + 1 > 2
    assert "**" in result.to_markdown()
    assert "tabular" in result.to_latex()
    assert "<svg" in result.to_html()
    assert render(result.plot(), ".png").startswith(b"\x89PNG")


def test_the_answer_is_in_the_table_and_in_the_figure() -> None:
    plan = bb.sample_size(bb.PairedProportions(0.83, 0.8, 0.9))
    assert str(plan).startswith("920 items are needed to detect a difference of 0.03 with power 0.8.")
    assert "| **0.800** |" in plan.to_markdown()
    assert plan.exact
    axes = plan.plot()
    marks = {line.get_gid(): line for line in axes.lines}
    assert marks["answer"].get_xdata()[0] == 920
    assert marks["answer"].get_ydata()[0] == plan.power
    curve = marks["curve"]
    assert plan.power in curve.get_ydata()
    assert (np.diff(curve.get_ydata()) > 0).all()
    assert marks["wanted"].get_ydata()[0] == 0.8


def test_the_figure_of_a_budget_marks_the_best() -> None:
    answer = bb.allocate(RUNS, 1000.0, run_cost=10.0, item_cost=0.1)
    marks = {line.get_gid(): line for line in answer.plot().lines}
    assert (marks["answer"].get_xdata()[0], marks["answer"].get_ydata()[0]) == (
        answer.best.runs,
        answer.best.power,
    )
    assert "runs, the power is within 0.01 of that." in str(answer)


def test_a_curve_of_the_sizes_asked_for() -> None:
    plan = bb.power(bb.PairedScores(0.1, 1.0), 500, curve=[1000, 100])
    assert [point.n for point in plan.curve] == [100, 500, 1000]
    assert [point.n for point in bb.power(bb.PairedScores(0.1, 1.0), 500, curve=()).curve] == [500]


def test_the_signature_tells_designs_apart() -> None:
    one, other = (bb.power(bb.PairedScores(d, 1.0), 50).signature for d in (0.1, 0.2))
    assert one != other
    assert "plan:power|design:paired scores" in one


# -- pilots with groups of items -------------------------------------------------------------------

UNEQUAL = np.r_[np.full(12, 2), np.full(3, 30)]
"""Items of each cluster of a pilot."""


def _unequal_pilot() -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(UNEQUAL.size), UNEQUAL)
    shift = rng.normal(0.5, 0.5, UNEQUAL.size)[cluster]
    return {"a": shift + rng.normal(size=cluster.size), "b": rng.normal(size=cluster.size)}, cluster


def test_studies_drawn_from_clusters_have_clusters_of_their_sizes() -> None:
    systems, cluster = _unequal_pilot()
    ((group, _),) = prepare.groups(bb.Evaluation.of(systems, clusters=cluster), [resolve("mean")])
    assert isinstance(group, SumGroup)
    seen = set()
    for study in by_cells(group, 20, 30, 0.2, np.random.default_rng(1)):
        assert isinstance(study, SumGroup)
        assert study.clustered
        items = study.table.total()[study.table.columns[0][0][1]]
        assert study.table.units.counts @ study.table.sizes == items
        seen |= set(study.table.sizes.tolist())
    assert seen == {2.0, 30.0}


@pytest.mark.long
def test_power_of_the_wald_test_on_unequal_clusters_is_that_of_compare() -> None:
    """Both are shares of rejections in 900 studies: they may differ by 4 standard errors, once in 16 000 tests."""
    systems, cluster = _unequal_pilot()
    evaluation = bb.Evaluation.of(systems, clusters=cluster)
    plan = bb.power(bb.Pilot(evaluation, test="wald"), n_simulations=900, curve=())
    rng, hits = np.random.default_rng(2), 0
    members = [np.flatnonzero(cluster == c) for c in range(UNEQUAL.size)]
    for _ in range(900):
        drawn = rng.integers(0, UNEQUAL.size, UNEQUAL.size)
        items = np.concatenate([members[c] for c in drawn])
        labels = np.repeat(np.arange(drawn.size), UNEQUAL[drawn])
        study = bb.Evaluation.of({name: x[items] for name, x in systems.items()}, clusters=labels)
        made = Intervals(prepare.groups(study, [resolve("mean")])[0][0], Drawing(1, 0))
        hits += test_maker.run("wald", made, [(0, 0, 1)], "two-sided")[0, 0, 1].p_value <= 0.05
    share = hits / 900
    assert 0.2 < share < 0.8
    assert abs(plan.power - share) < 4.0 * math.sqrt(2.0 * share * (1.0 - share) / 900)


def test_a_pilot_in_two_crossed_groupings_is_refused() -> None:
    both = [np.arange(120) // 10, np.arange(120) % 10]
    with pytest.raises(DesignError, match="simulated pilot does not support two crossed groupings") as caught:
        _pilot(clusters=both)
    assert caught.value.hint == "give one grouping as clusters, that with fewer groups"


# -- what pilots leave open ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 15])
def test_plans_from_normal_pilots_have_their_power_on_average(size: int) -> None:
    """Over 40 pilots, of which the power of the planned sizes is computed: no test is drawn."""
    rng = np.random.default_rng(size)
    known = bb.PairedScores(0.4, 1.0)
    sizes: dict[str, list[int]] = {"averaged": [], "as estimated": []}
    for _ in range(40):
        pilot = bb.PairedScores.from_pilot(rng.normal(size=size), difference=0.4)
        sizes["averaged"].append(bb.sample_size(pilot, curve=()).n)
        sizes["as estimated"].append(bb.sample_size(pilot.taken_as_true(), curve=()).n)
    powers = {what: known.powers(np.array(n), Question())[0] for what, n in sizes.items()}
    error = powers["averaged"].std() / math.sqrt(40)
    assert powers["averaged"].mean() == pytest.approx(0.8, abs=4.0 * error)
    assert powers["as estimated"].mean() < powers["averaged"].mean()


@pytest.mark.parametrize("df", [4.0, 14.0])
def test_a_known_number_of_degrees_of_freedom_gives_the_power_promised(df: float) -> None:
    """The ratio of estimate and truth at its quantiles: the average power is an integral, without any draw."""
    quantiles = (np.arange(20) + 0.5) / 20
    truth = bb.PairedScores(0.1, 1.0)
    sizes = [
        bb.sample_size(
            bb.PairedScores(0.1, math.sqrt(2.0 * gammaincinv(df / 2.0, u) / df), pilot_df=df), curve=()
        ).n
        for u in quantiles
    ]
    assert truth.powers(np.array(sizes), Question())[0].mean() == pytest.approx(0.8, abs=0.01)


def _pilots() -> list[Design]:
    rng = np.random.default_rng(2)
    x, groups = rng.normal(0.4, 1.0, 24), np.repeat(np.arange(8), [1, 1, 2, 2, 3, 3, 4, 8])
    right = rng.random((2, 24)) < 0.7
    return [
        bb.PairedScores.from_pilot(x, difference=0.4),
        bb.PairedScores.from_pilot(x, clusters=groups, difference=0.4),
        bb.PairedProportions.from_pilot(*right).with_effect(0.1),
        bb.LiftedScores(SCORES, 1.15, test="welch"),
        bb.RunsAndItems.from_pilot(
            *(rng.normal(size=(2, 4, 30)) + rng.normal(size=(2, 4, 1))), difference=1.0
        ),
        bb.Pilot(bb.Evaluation.of({"a": x, "b": 0.0 * x}), test="t"),
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
    few = bb.LiftedScores([0.70, 0.72, 0.74], 0.04, by="offset", test="welch")
    many = bb.LiftedScores([0.70, 0.72, 0.74] * 20, 0.04, by="offset", test="welch")
    sizes = [bb.sample_size(one, n_simulations=1000, curve=()).n for one in (few, many)]
    assert sizes[0] > 1.5 * sizes[1]


def test_large_pilots_change_nothing_much_and_are_not_noted() -> None:
    rng = np.random.default_rng(1)
    design = bb.PairedScores.from_pilot(rng.normal(size=1000), difference=0.1)
    plan = bb.sample_size(design)
    assert plan.power_as_estimated == pytest.approx(plan.power, abs=2e-3)
    assert plan.notes == ()
    agreed = bb.power(bb.PairedProportions(0.84, 0.8, 0.9, pilot_items=1000), 500, curve=())
    assert agreed.power_as_estimated == pytest.approx(agreed.power, abs=5e-3)
    assert agreed.notes == ()


def test_rare_differences_and_unequal_clusters_leave_more_open() -> None:
    seldom = bb.PairedScores.from_pilot(np.r_[np.ones(3), -np.ones(2), np.zeros(95)])
    assert seldom.pilot_df is not None
    assert seldom.pilot_df < 12.0
    d = np.random.default_rng(3).normal(size=120)
    equal = bb.PairedScores.from_pilot(d, clusters=np.arange(120) // 6)
    sizes = [1] * 10 + [5] * 8 + [30, 40]
    unequal = bb.PairedScores.from_pilot(d, clusters=np.repeat(np.arange(20), sizes))
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
    design = bb.PairedScores(0.5, 1.0, cluster_size=6.0, size_ratio=3.0)
    for _ in range(used):
        sizes = np.array([1] * 12 + [6] * 4 + [28, 48.0])  # their ratio is 3.0
        sums = 0.5 * sizes + np.sqrt(sizes) * rng.normal(size=sizes.size)
        mean = sums.sum() / sizes.sum()
        error = clusters.cr2((sums - sizes * mean) / sizes.sum(), sizes)
        hits += cluster_pivots.wald(mean, error, "two-sided").p_value <= 0.05
    n = int(sizes.sum())
    planned = bb.power(design, n, curve=()).power
    equal = bb.power(bb.PairedScores(0.5, 1.0, cluster_size=6.0), n, curve=()).power
    assert planned < equal
    assert planned == pytest.approx(hits / used, abs=0.08)


def test_a_pilot_whose_systems_seldom_differ_can_be_planned_with() -> None:
    right = np.ones(20, dtype=int)
    design = bb.PairedProportions.from_pilot(right, right).with_effect(-0.05)
    plan = bb.sample_size(design, curve=())
    assert plan.power >= 0.8 > bb.power(design, plan.n - 1, curve=()).power
    assert plan.power_as_estimated is not None
    assert design.taken_as_true().agreement == pytest.approx(0.95)


def test_a_budget_from_a_pilot_says_what_its_components_leave_open() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3, 40)) + np.array([-1.0, 1.0, 0.5])[None, :, None]
    answer = bb.allocate(bb.RunsAndItems.from_pilot(a, b, difference=1.0), 60.0, run_cost=4.0, item_cost=0.2)
    assert answer.power_as_estimated is not None
    assert answer.best.power < answer.power_as_estimated
    assert "If the estimates of the pilot were the true values" in " ".join(str(answer).split())
    assert json.loads(answer.to_json())["power_as_estimated"] == answer.power_as_estimated
    assert bb.allocate(RUNS, 500.0, run_cost=20.0, item_cost=0.05).power_as_estimated is None


def _few_runs(i: int, **options: int) -> bb.RunsAndItems:
    """A pilot of three runs on 100 items, whose run component is small but not 0."""
    g = np.random.default_rng([3, 100, i, 9])
    a, b = (g.normal(0, 0.5, 100) + g.normal(0, 0.05, (3, 1)) + g.normal(0, 0.5, (3, 100)) for _ in "ab")
    return bb.RunsAndItems.from_pilot(a, b, difference=0.2, **options)  # type: ignore[arg-type]


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
        bb.power(bb.RunsAndItems(0.2, run_sd=run_sd, **options), 200, curve=()).power  # type: ignore[arg-type]
        for run_sd in (0.0, 1e-6, 0.07)
    ]
    assert powers[0] == pytest.approx(powers[1], abs=1e-6)
    assert powers[1] > powers[2] + 0.05
    below = bb.RunsAndItems(0.2, run_sd=0.0, below_zero=(0.0, 0.004), **options)  # type: ignore[arg-type]
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
        found = bb.minimum_detectable(bb.PairedProportions(b, b, agreement, pilot_items=40), n, curve=())
        again = bb.sample_size(found.design, curve=())
        assert again.n == pytest.approx(n, abs=1)
        assert found.power == pytest.approx(0.8, abs=1e-6)


def test_an_agreement_above_what_the_difference_allows_is_said_to_be_that_of_the_pilot() -> None:
    words = bb.PairedProportions(0.9, 0.8, 0.98, pilot_items=50).assumed_words
    assert words.endswith("both right or both wrong on 0.98 of the 50 items of a pilot")


def test_a_pilot_without_any_variation_leaves_none_open() -> None:
    pilot = bb.Pilot(bb.Evaluation.of({"a": np.ones(30), "b": np.zeros(30)}))
    assert pilot.pilot_df == 29.0
    assert bb.power(pilot, 60, n_simulations=100, curve=()).power == 1.0
