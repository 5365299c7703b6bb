"""The three questions of planning agree with each other, and with their budgets."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.questions.planning.examples import RUNS

import bestby as bb
from bestby.planning.base import Design


@st.composite
def proportions(draw: st.DrawFn) -> bb.planning.PairedProportions:
    b = draw(st.floats(0.1, 0.9))
    differing = draw(st.floats(0.1, 0.9)) * min(2.0 * b, 2.0 - 2.0 * b)
    room = min(differing, 2.0 - 2.0 * b - differing)
    difference = draw(st.floats(0.2, 0.99)) * room
    test = draw(st.sampled_from(["mcnemar", "mcnemar-midp"]))
    return bb.planning.PairedProportions(b + difference, b, 1.0 - differing, test)


scores = st.builds(
    bb.planning.PairedScores,
    difference=st.floats(0.05, 1.0),
    sd=st.floats(0.5, 2.0),
    design_effect=st.floats(0.5, 4.0),
    cluster_size=st.floats(1.0, 6.0),
)


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


@given(design=st.one_of(proportions(), scores), wanted=st.sampled_from([0.5, 0.8, 0.95]))
def test_one_item_fewer_is_not_enough(design: Design, wanted: float) -> None:
    plan = bb.sample_size(design, wanted, curve=())
    assert plan.power >= wanted
    if plan.n > design.least:
        assert bb.power(design, plan.n - 1, curve=()).power < wanted


@pytest.mark.parametrize("d", [0.9, 0.5])
def test_a_jagged_power_is_met_at_its_first_tooth(d: float) -> None:
    """Systems that never agree: the sign test of n items, whose power goes up and down with n."""
    design = bb.planning.PairedProportions((1.0 + d) / 2.0, (1.0 - d) / 2.0, agreement=0.0)
    powers = design.powers(np.arange(2, 400), bb.planning.base.Question())[0]
    for wanted in (0.5, 0.8, 0.99):
        assert bb.sample_size(design, wanted, curve=()).n == 2 + int(np.argmax(powers >= wanted))


@pytest.mark.parametrize(
    "design", [bb.planning.PairedProportions(0.84, 0.8, 0.9), bb.planning.PairedScores(0.1, 1.0), RUNS]
)
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
    bb.power(bb.planning.PairedProportions(0.803, 0.80, 0.9), 100_000)
    assert time.perf_counter() - started < 2.0  # 0.05 s on a quiet machine


def test_an_unseen_difference_of_nothing_has_the_level_as_its_power() -> None:
    assert bb.power(bb.planning.PairedScores(0.0, 1.0), 40).power == pytest.approx(0.05, abs=1e-9)
    assert bb.power(bb.planning.PairedProportions(0.8, 0.8, 0.8), 300).power < 0.05
    assert bb.power(bb.planning.PairedProportions(0.8, 0.8, 1.0), 300).power == 0.0


def test_the_best_split_is_the_best_of_all() -> None:
    answer = bb.allocate(RUNS, 500.0, run_cost=20.0, item_cost=0.05, answer_cost=0.001)
    assert answer.best.power == max(split.power for split in answer.splits if not math.isnan(split.power))
    assert math.isnan(answer.splits[0].power)  # one run
    for split in answer.splits:
        cost = 20.0 * split.runs + 0.05 * split.items + 0.001 * split.runs * split.items
        assert split.cost == pytest.approx(cost)
        assert cost <= 500.0 < cost + 0.05 + 0.001 * split.runs  # one more item cannot be paid
        if split.runs > 1:
            alone = bb.power(
                bb.planning.RunsAndItems(0.03, 0.3, 0.01, 0.4, runs=split.runs), split.items, curve=()
            )
            assert split.power == pytest.approx(alone.power)
    assert answer.design.runs == answer.best.runs  # type: ignore[attr-defined]


def test_limits_of_a_budget() -> None:
    answer = bb.allocate(RUNS, 500.0, run_cost=20.0, max_items=3000, max_runs=9)
    assert {split.items for split in answer.splits} == {3000}
    assert [split.runs for split in answer.splits] == list(range(1, 10))
    assert answer.best.runs == 9
