"""Plans of human labels keep what they promise, and agree with each other."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bestby as bb
from bestby.cli import main

DESIGN = bb.planning.JudgedScores(sd=0.5, correlation=0.8, n_items=4000)


def study(rng: np.random.Generator, n: int, total: int, r: float) -> tuple[float, float]:
    """Return the estimate by regression on the judge, and half its 95 % interval, of normal scores."""
    judge = rng.standard_normal(total)
    human = r * judge[:n] + np.sqrt(1 - r * r) * rng.standard_normal(n)
    fit = stats.linregress(judge[:n], human)
    rest = human - fit.intercept - fit.slope * judge[:n]
    estimate = human.mean() + fit.slope * (judge.mean() - judge[:n].mean())
    of_rest = rest @ rest / (n - 2) / n * (1 + 1 / (n - 3))
    error = np.sqrt(of_rest + fit.slope**2 * judge.var(ddof=1) / total)
    return float(estimate), float(stats.t.ppf(0.975, n - 2) * error)


@pytest.mark.parametrize("r", [0.3, 0.7, 0.95])
def test_studies_of_the_planned_size_have_the_half_width_promised(r: float) -> None:
    plan = bb.plan_labels(bb.planning.JudgedScores(1.0, r, 3000, error_share=1.0), half_width=0.15)
    rng = np.random.default_rng(7)
    found = np.array([study(rng, plan.n_labels, 3000, r) for _ in range(1000)])
    assert np.median(found[:, 1]) == pytest.approx(0.15, rel=0.04)
    assert np.mean(np.abs(found[:, 0]) <= found[:, 1]) == pytest.approx(0.95, abs=0.02)


def test_a_margin_is_detected_with_the_power_promised() -> None:
    plan = bb.plan_labels(bb.planning.JudgedScores(1.0, 0.8, 2000), margin=0.2, power=0.9)
    rng = np.random.default_rng(8)
    found = np.array([study(rng, plan.n_labels, 2000, 0.8) for _ in range(1500)])
    assert np.mean(np.abs(found[:, 0] + 0.2) > found[:, 1]) == pytest.approx(0.9, abs=0.025)


def test_the_variance_is_that_of_ppi_with_its_best_constant() -> None:
    n, total = 400, 4000
    unlabelled = total - n
    share = 1 - DESIGN.correlation**2 * unlabelled / (unlabelled + n)  # Angelopoulos et al. 2023
    expected = DESIGN.sd**2 / n * share
    assert DESIGN.standard_error(n, total) ** 2 == pytest.approx(expected, rel=2 / n)


def test_the_least_number_is_enough_and_one_less_is_not() -> None:
    plan = bb.plan_labels(DESIGN, half_width=0.04)
    assert plan.half_width <= 0.04 < bb.plan_labels(DESIGN, plan.n_labels - 1).half_width
    assert bb.plan_labels(DESIGN, plan.n_labels).half_width == plan.half_width
    assert plan.n_alone == pytest.approx((1.96 * 0.5 / 0.04) ** 2, rel=0.01)


def test_better_judges_more_items_and_higher_levels() -> None:
    def labels(design: bb.planning.JudgedScores = DESIGN, **options: Any) -> int:
        return bb.plan_labels(design, half_width=0.04, **options).n_labels

    assert (
        labels(bb.planning.JudgedScores(0.5, 0.9, 4000))
        < labels()
        < labels(bb.planning.JudgedScores(0.5, 0.5, 4000))
    )
    assert labels(bb.planning.JudgedScores(0.5, -0.8, 4000)) == labels()
    assert labels(bb.planning.JudgedScores(0.5, 0.8, 40_000)) < labels()
    assert labels(level=0.99) == labels(n_comparisons=5) > labels()
    assert labels(bb.planning.JudgedScores(0.5, 0.8, 4000, design_effect=2.0)) > 1.9 * labels()
    useless = bb.plan_labels(bb.planning.JudgedScores(0.5, 0.0, 4000), half_width=0.04)
    assert useless.n_labels == pytest.approx(useless.n_alone, abs=3)
    assert "judge_saves_little" in {note.code for note in useless.notes}


def test_a_pilot_measures_what_it_was_drawn_with() -> None:
    rng = np.random.default_rng(9)
    x = rng.standard_normal(4000)
    y = 0.6 * x + 0.8 * rng.standard_normal(4000)
    found = bb.planning.JudgedScores.from_pilot(x, y)
    assert found.correlation == pytest.approx(0.6, abs=0.03)
    assert found.sd == pytest.approx(1.0, abs=0.03)
    gaps = np.where(np.arange(4000) < 2000, y, np.nan)
    assert bb.planning.JudgedScores.from_pilot(x, gaps).pilot_labels == 2000
    base = rng.standard_normal(4000)
    pair = bb.planning.JudgedScores.from_pilot({"a": x + base, "b": base}, {"a": y - base, "b": -base})
    assert pair.correlation == pytest.approx(found.correlation)


def test_small_pilots_do_not_flatter_the_judge_and_ask_for_caution() -> None:
    rng = np.random.default_rng(10)
    rest = []
    for _ in range(1500):
        x = rng.standard_normal(12)
        found = bb.planning.JudgedScores.from_pilot(x, 0.8 * x + 0.6 * rng.standard_normal(12))
        rest.append(found.sd**2 * (1 - found.correlation**2))
    assert np.mean(rest) == pytest.approx(0.36, rel=0.05)  # over n it would be 17 % less
    pilot = bb.planning.JudgedScores(0.5, 0.8, 4000, pilot_labels=20)
    plan = bb.plan_labels(pilot, half_width=0.06)
    assert plan.n_cautious is not None
    assert plan.n_cautious > 1.2 * plan.n_labels
    unsure = bb.plan_labels(bb.planning.JudgedScores(0.5, 0.8, 700, pilot_labels=6), half_width=0.04)
    assert unsure.n_cautious is None
    assert "pilot_too_uncertain" in {note.code for note in unsure.notes}


def stratified(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Judge, human and stratum: the strata differ in their means, and the judge follows inside them."""
    stratum = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    ahead, own = np.array([0.0, 1.0, 3.0])[stratum], rng.standard_normal((2, n))
    return own[0], ahead + 0.6 * own[0] + 0.8 * own[1], stratum


def test_strata_cost_degrees_of_freedom() -> None:
    strata = bb.planning.JudgedScores(0.5, 0.8, 4000, n_strata=3)
    n = np.array([50, 200])
    assert strata.standard_error(n, 4000) == pytest.approx(DESIGN.standard_error(n, 4000), rel=1e-3)
    assert (strata.standard_error(n, 4000) > DESIGN.standard_error(n, 4000)).all()
    assert (strata.freedom(n) == DESIGN.freedom(n) - 2).all()
    assert strata.least_labels == DESIGN.least_labels + 2
    wide = [
        bb.plan_labels(replace(one, error_share=1.0), half_width=0.3).n_labels for one in (strata, DESIGN)
    ]
    assert wide[0] > wide[1]


def test_a_pilot_measures_what_lies_inside_the_strata() -> None:
    judge, human, stratum = stratified(np.random.default_rng(3), 20_000)
    labels = np.where(np.arange(20_000) < 15_000, human, np.nan)
    labels[(stratum == 0) & (np.arange(20_000) % 2 == 0)] = np.nan  # half of the labels of one stratum
    design = bb.planning.JudgedScores.from_pilot(judge, labels, strata=stratum)
    assert design.sd == pytest.approx(1.0, rel=0.02)
    assert design.correlation == pytest.approx(0.6, abs=0.02)
    assert design.n_strata == 3
    assert design.cautious().sd > design.sd
    assert bb.planning.JudgedScores.from_pilot(judge, labels).sd == pytest.approx(human.std(), rel=0.1)


def test_strata_of_unequal_spread_count_by_their_shares() -> None:
    rng = np.random.default_rng(4)
    stratum = np.repeat([0, 1], [9000, 1000])
    human = np.array([1.0, 5.0])[stratum] * rng.standard_normal(10_000)
    labels = np.where((stratum == 1) | (np.arange(10_000) < 1000), human, np.nan)
    design = bb.planning.JudgedScores.from_pilot(rng.standard_normal(10_000), labels, strata=stratum)
    assert design.sd**2 == pytest.approx(0.9 * 1.0 + 0.1 * 25.0, rel=0.1)


def test_one_stratum_is_none() -> None:
    judge, human, _ = stratified(np.random.default_rng(5), 80)
    one = bb.planning.JudgedScores.from_pilot(judge, human, strata=["all"] * 80)
    assert one == bb.planning.JudgedScores.from_pilot(judge, human)


@pytest.mark.parametrize(
    ("strata", "message"),
    [
        (["a"] * 9 + ["b"], "stratum 'b' has 1 label in the pilot, and 2 are the least"),
        (["a"] * 9, "strata must have one entry per item, 10, got 9"),
        (["a"] * 9 + [None], "an item has no stratum"),
        (["a", "b", "c", "d", "e"] * 2, "10 labels in 5 strata, inside which human scores must vary"),
    ],
)
def test_strata_that_tell_nothing_are_refused(strata: Any, message: str) -> None:
    human = np.arange(10) % 5
    with pytest.raises(bb.errors.InvalidInputError, match=re.escape(message)):
        bb.planning.JudgedScores.from_pilot(np.arange(10.0), human.astype(float), strata=strata)


def test_a_stratified_study_has_the_half_width_promised() -> None:
    """Labels in proportion to the strata, corrected by `compare_judged`."""
    rng = np.random.default_rng(6)
    judge, human, stratum = stratified(rng, 200_000)
    known = bb.planning.JudgedScores.from_pilot(judge, human, strata=stratum, n_items=2000)
    plan = bb.plan_labels(known, half_width=0.12)
    shares = np.rint(np.array([0.5, 0.3, 0.2]) * 2000).astype(int)
    widths, hits = [], []
    for _ in range(60):
        judge, human, stratum = stratified(rng, 5000)
        rows = np.concatenate([np.flatnonzero(stratum == h)[: shares[h]] for h in range(3)])
        judge, human, stratum = judge[rows], human[rows], stratum[rows]
        drawn = bb.choose_items(range(2000), plan.n_labels, strata=stratum, rng=rng)
        chosen = np.isin(np.arange(2000), [int(one.item) for one in drawn])
        found = bb.compare_judged(
            {"x": judge, "y": rng.random(2000)},
            {"x": np.where(chosen, human, np.nan), "y": np.where(chosen, rng.random(2000), np.nan)},
            labels_drawn="stratified",
            strata=stratum,
            scale="different",
        )
        interval = found.score("x").interval
        widths.append(0.5 * (interval.high - interval.low))
        hits.append(0.9 in interval)
    assert np.median(widths) == pytest.approx(0.12, rel=0.04)
    assert np.mean(hits) > 0.85


def test_a_budget_is_divided_at_the_best_ratio_of_judged_items_and_labels() -> None:
    design = bb.planning.JudgedScores(1.0, 0.8)
    best = bb.allocate(design, 10_000, judge_cost=0.02, label_cost=1.0).best
    ratio = np.sqrt(0.8**2 / (1 - 0.8**2) * 1.0 / 0.02)
    assert best.items / best.labels == pytest.approx(ratio, rel=0.01)
    assert best.cost <= 10_000
    around = [(best.labels + step, int((10_000 - best.labels - step) / 0.02)) for step in (-5, -1, 1, 5)]
    assert all(design.standard_error(n, items) >= best.standard_error for n, items in around)


def test_limits_and_prices_of_items_are_kept() -> None:
    design = bb.planning.JudgedScores(1.0, 0.8)
    limited = bb.allocate(design, 10_000, judge_cost=0.02, label_cost=1.0, max_items=12_000)
    assert {split.items for split in limited.splits if split.labels < 9000} == {12_000}
    free = bb.allocate(design, 100, label_cost=1.0, max_items=5000)
    assert (free.best.labels, free.best.items) == (100, 5000)
    dear = bb.allocate(design, 100, judge_cost=10.0, label_cost=1.0)
    assert dear.best == dear.alone
    assert (dear.best.labels, dear.best.items) == (100, 0)
    priced = bb.allocate(design, 100, item_cost=1.0, judge_cost=0.1, label_cost=1.0)
    assert priced.alone.labels == 50


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bb.plan_labels(DESIGN), "exactly one of"),
        (lambda: bb.plan_labels(DESIGN, 50, half_width=0.1), "exactly one of"),
        (lambda: bb.plan_labels(bb.planning.JudgedScores(1.0, 0.5), half_width=0.1), "how many items"),
        (lambda: bb.plan_labels(DESIGN, half_width=0.01), "labels of all 4000 judged items are not enough"),
        (lambda: bb.plan_labels(DESIGN, half_width=-1.0), "positive"),
        (lambda: bb.plan_labels(DESIGN, 5000), "between 5 and the 4000"),
        (lambda: bb.plan_labels(DESIGN, half_width=0.1, power=0.8), "power"),
        (lambda: bb.plan_labels(DESIGN, margin=0.1, power=0.01), "above the level"),
        (lambda: bb.plan_labels(bb.planning.PairedScores(0.1, 1.0), 10), "must be JudgedScores"),  # type: ignore[arg-type]
        (lambda: bb.planning.JudgedScores(0.0, 0.5), "sd must be"),
        (lambda: bb.planning.JudgedScores(1.0, 1.5), "correlation must lie"),
        (lambda: bb.planning.JudgedScores(1.0, 0.5, 3), "n_items must be at least 5"),
        (lambda: bb.planning.JudgedScores.from_pilot([1, 2, 3, 4], [1, 2, 3, 4]), "at least 5 items"),
        (lambda: bb.planning.JudgedScores.from_pilot(range(6), [1] * 6), "all the same"),
        (lambda: bb.planning.JudgedScores.from_pilot(range(6), range(5)), "lengths differ"),
        (lambda: bb.planning.JudgedScores.from_pilot([None, 1, 2, 3, 4, 5], range(6)), "scored every item"),
        (
            lambda: bb.planning.JudgedScores.from_pilot({"a": range(6)}, {"a": range(6)}),
            "the same two systems",
        ),
        (lambda: bb.planning.JudgedScores.from_pilot({"a": range(6)}, range(6)), "both"),
        (lambda: bb.planning.JudgedScores.from_pilot(["x"] * 6, range(6)), "must be numbers"),
        (lambda: bb.allocate(bb.planning.PairedScores(0.1, 1.0), 10.0), "got PairedScores"),  # type: ignore[call-overload]
        (lambda: bb.allocate(DESIGN, 3.0, label_cost=1.0, judge_cost=0.1), "pays for 3 labels"),
        (lambda: bb.allocate(DESIGN, 30.0, judge_cost=0.1), "labels cost nothing"),  # type: ignore[call-overload]
        (lambda: bb.allocate(DESIGN, 30.0, label_cost=1.0), "nothing limits them"),
        (lambda: bb.allocate(DESIGN, 30.0, label_cost=1.0, run_cost=1.0), "run_cost"),  # type: ignore[call-overload]
        (
            lambda: bb.allocate(
                bb.planning.RunsAndItems(0.1, 1.0, 0.1, 1.0), 30.0, label_cost=1.0, run_cost=1.0
            ),
            "label_cost",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, message: str) -> None:
    with pytest.raises(bb.errors.BestbyError, match=message):
        call()


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    human = {name: rng.normal(0.5, 0.2, 120).round(3) for name in "ab"}
    wide: dict[str, Any] = {"item": [f"q{place}" for place in range(120)]}
    for name, scores in human.items():
        wide[f"judge[{name}]"] = (scores + rng.normal(0.1, 0.1, 120)).round(3)
        wide[f"human[{name}]"] = np.where(np.arange(120) < 60, scores, np.nan)
    path = tmp_path / "pilot.csv"
    pd.DataFrame(wide).to_csv(path, index=False)
    return path


def test_the_command_reads_a_pilot_of_either_form(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv(pilot)
    judge, human = ({name: frame[f"{what}[{name}]"] for name in "ab"} for what in ("judge", "human"))
    design = bb.planning.JudgedScores.from_pilot(judge, human, n_items=3000)
    expected = json.loads(bb.plan_labels(design, half_width=0.03).to_json())
    options = ["judged", "plan", "--judged-items", "3000", "--half-width", ".03", "--json", "-"]
    named = ["--judge", "judge[a]", "--judge", "judge[b]", "--human", "human[a]", "--human", "human[b]"]
    parts = [
        frame[["item", f"judge[{name}]", f"human[{name}]"]].set_axis(["item", "judge", "human"], axis=1)
        for name in "ab"
    ]
    long = pilot.with_name("long.csv")
    pd.concat(parts, keys=["a", "b"], names=["system"]).reset_index(0).to_csv(long, index=False)
    for more in ([str(pilot)], [str(pilot), *named], [str(long)]):
        assert main([*options, *more]) == 0
        assert json.loads(capsys.readouterr().out) == expected
    one = bb.planning.JudgedScores.from_pilot(judge["a"], human["a"], n_items=3000)
    for path in (pilot, long):
        assert main([*options, str(path), "--system", "a"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["n_labels"] == bb.plan_labels(one, half_width=0.03).n_labels


def test_the_command_averages_humans_and_joins_systems_by_item(
    pilot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_csv(pilot)
    one = frame[["item", "judge[a]"]].assign(**{
        "human_1[a]": frame["human[a]"] - 0.1, "human_2[a]": frame["human[a]"] + 0.1
    })  # fmt: skip
    humans = pilot.with_name("humans.csv")
    one.to_csv(humans, index=False)
    rows = [
        {"item": row["item"], "system": name, "judge": row[f"judge[{name}]"], "human": row[f"human[{name}]"]}
        for name, skipped in (("a", range(5)), ("b", range(3, 9)))
        for place, row in enumerate(frame.to_dict("records"))
        if place not in skipped
    ]
    unequal = pilot.with_name("unequal.csv")
    pd.DataFrame(rows).to_csv(unequal, index=False)
    shared = frame.iloc[9:]
    judge, human = ({name: shared[f"{what}[{name}]"] for name in "ab"} for what in ("judge", "human"))
    expected = {
        humans: bb.planning.JudgedScores.from_pilot(frame["judge[a]"], frame["human[a]"]),
        unequal: bb.planning.JudgedScores.from_pilot(judge, human),
    }
    for path, design in expected.items():
        assert main(["judged", "plan", str(path), "--n", "50", "--json", "-"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["design"]["sd"] == pytest.approx(design.sd)
        assert shown["design"]["correlation"] == pytest.approx(design.correlation)
        assert shown["design"]["n_items"] == design.n_items


RARE = {"sd": 0.333, "correlation": 0.94, "n_items": 2000}
"""Differences of 3 and 9 % failures, of which a judge without false alarms catches nine of ten."""


def rare_failures(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    human = (rng.random((n, 2)) > (0.03, 0.09)).astype(float)
    return human, np.where((human == 0.0) & (rng.random((n, 2)) < 0.9), 0.0, 1.0)


def power_of(n: int, studies: int = 20) -> float:
    rng, found = np.random.default_rng(2), 0
    for _ in range(studies):
        human, judge = rare_failures(rng, 2000)
        human[rng.permutation(2000) >= n] = np.nan
        sides = (dict(zip("ab", x.T, strict=True)) for x in (judge, human))
        found += bb.compare_judged(*sides, labels_drawn="random")["a", "b"].p_value <= 0.05
    return found / studies


def test_a_plan_expects_five_errors_of_the_judge_or_does_without_it() -> None:
    plan = bb.plan_labels(bb.planning.JudgedScores(**RARE), margin=0.06)
    continuous = bb.plan_labels(bb.planning.JudgedScores(**RARE, error_share=1.0), margin=0.06)
    assert continuous.n_labels < 40
    assert plan.n_labels == plan.n_alone > 200
    note = next(note for note in plan.notes if note.code == "few_judge_errors")
    assert f"{continuous.n_labels} labels are expected to hold 0.4" in note.message
    assert "error_share=1.0" in note.message  # as above, and then there is no such note
    assert "few_judge_errors" not in {note.code for note in continuous.notes}
    assert power_of(continuous.n_labels) < 0.5
    assert power_of(plan.n_labels) >= 0.8
    five = bb.plan_labels(bb.planning.JudgedScores(0.5, 0.95, 5000), half_width=0.03)
    assert five.n_labels == 206  # 5 / .0244
    assert "that for 5 errors" in next(n for n in five.notes if n.code == "few_judge_errors").message


def test_a_pilot_measures_on_how_many_items_the_judge_errs() -> None:
    rng = np.random.default_rng(3)
    human, judge = rare_failures(rng, 40_000)
    pair = ({"a": x[:, 0], "b": x[:, 1]} for x in (judge, human))
    known = bb.planning.JudgedScores.from_pilot(*pair)
    wrong = np.mean((human != judge).any(axis=1))
    assert known.error_share == pytest.approx(wrong, rel=0.1)
    small = human[:60, 1], judge[:60, 1]
    pilot = bb.planning.JudgedScores.from_pilot(small[1], small[0], n_items=2000)
    plan = bb.plan_labels(pilot, half_width=0.05)
    assert plan.n_labels >= min(5 / max(pilot.error_share or 0.0, 1e-9), plan.n_alone)
    assert plan.n_cautious is not None
    assert plan.n_cautious >= plan.n_labels
    noisy = judge[:, 0] + rng.standard_normal(40_000)
    assert bb.planning.JudgedScores.from_pilot(noisy, human[:, 0] + noisy).labels_with_errors < 200
    normal = bb.planning.JudgedScores.from_pilot(noisy, noisy + rng.standard_normal(40_000))
    assert normal.error_share == pytest.approx(1 / 3, rel=0.1)


def test_a_given_number_and_a_budget_say_that_errors_are_too_few() -> None:
    design = bb.planning.JudgedScores(**RARE)
    given = next(n for n in bb.plan_labels(design, 100).notes if n.code == "few_judge_errors")
    assert given.message.endswith("388 labels hold 5")
    more = bb.plan_labels(design, 388)
    assert "few_judge_errors" not in {note.code for note in more.notes}
    costs = {"judge_cost": 0.01, "label_cost": 1.0}
    small = bb.allocate(design, 60.0, **costs)
    assert small.best.items == 0
    assert "few_judge_errors" in {note.code for note in small.notes}
    large = bb.allocate(design, 2000.0, **costs)
    assert large.best.labels >= 388
    sure = bb.allocate(bb.planning.JudgedScores(0.333, 0.94, error_share=1.0), 60.0, **costs)
    assert sure.best.items > 0
    assert "few_judge_errors" not in {note.code for note in sure.notes}


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_of_errors_is_one(share: float) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="error_share must lie between 0 and 1"):
        bb.planning.JudgedScores(0.5, 0.8, error_share=share)


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ("--accuracy .8 .7 --n 50", "No such option: --accuracy"),
        ("--sd .5 --half-width .1", "nothing is known of the judge"),
        ("--sd .5 --correlation .5 --budget 9 --n 7", "--n does not go with --budget"),
        ("PILOT --sd .5 --n 50", "--sd and a pilot"),
        ("PILOT --judge item --human human[a] --n 50", "column 'item' must hold numbers"),
        ("PILOT --judge judge[a] --n 50", "1 columns of the judge"),
        ("PILOT --judge judge[a] --human human[a] --system a --n 50", "no column 'system'"),
    ],
)
def test_the_command_refuses_in_two_lines(
    pilot: Path, capsys: pytest.CaptureFixture[str], arguments: str, first: str
) -> None:
    assert main(["judged", "plan", *arguments.replace("PILOT", str(pilot)).split()]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert first in lines[0]
    assert len(lines) <= 2


def test_the_command_plans_for_strata(pilot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv(pilot)
    frame["part"] = np.where(frame["human[a]"] > 0.5, "high", "low")
    frame.to_csv(pilot, index=False)
    options = ["judged", "plan", "--half-width", ".03", "--json", "-"]
    expected = bb.plan_labels(
        bb.planning.JudgedScores.from_pilot(
            frame["judge[a]"], frame["human[a]"], strata=frame["part"], n_items=3000
        ),
        half_width=0.03,
    )
    where = [str(pilot), "--judged-items", "3000", "--stratum", "part"]
    for more in (["--system", "a"], ["--judge", "judge[a]", "--human", "human[a]"]):
        assert main([*options, *where, *more]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert (shown["n_labels"], shown["design"]["n_strata"]) == (expected.n_labels, 2)
    numbers = ["--sd", ".5", "--correlation", ".8", "--judged-items", "4000"]
    assert main([*options, *numbers, "--n-strata", "4"]) == 0
    known = bb.planning.JudgedScores(0.5, 0.8, 4000, n_strata=4)
    assert json.loads(capsys.readouterr().out)["n_labels"] == bb.plan_labels(known, half_width=0.03).n_labels


def test_the_command_divides_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--sd", ".5", "--correlation", ".8", "--budget", "500", "--judge-cost", ".01"]
    assert main(["judged", "plan", *options, "--label-cost", "1", "--json", "-"]) == 0
    expected = bb.allocate(bb.planning.JudgedScores(0.5, 0.8), 500, judge_cost=0.01, label_cost=1)
    assert json.loads(capsys.readouterr().out) == json.loads(expected.to_json())


def test_the_command_takes_the_share_of_errors(capsys: pytest.CaptureFixture[str]) -> None:
    options = shlex.split("judged plan --sd .333 --correlation .94 --judged-items 2000 --margin .06")
    for more, share in (([], None), (["--judge-errors", "1"], 1.0)):
        assert main([*options, *more, "--json", "-"]) == 0
        expected = bb.plan_labels(bb.planning.JudgedScores(**RARE, error_share=share), margin=0.06)
        assert json.loads(capsys.readouterr().out)["n_labels"] == expected.n_labels
