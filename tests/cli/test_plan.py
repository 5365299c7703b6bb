"""`bestby plan`: which options make which design, and what it prints."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.cli.helpers import Run

import bestby as bb
from bestby.cli import main
from bestby.cli.options import spellings
from bestby.questions.planning.command import Plan
from bestby.questions.planning.source import _BUDGET, _CHEAPEST, _DESIGNS, _GOES_WITH, _NO_BUDGET

PROPORTIONS = ["--accuracy", ".83", ".80", "--agreement", ".9"]
COLUMNS = ["--gold", "label", "--item", "item", "--cluster", "doc"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, object]:
    assert main(["plan", *map(str, arguments), "--json", "-"]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    chance = random.Random(1)
    path = tmp_path / "runs.csv"
    lines = ["seed,score", *(f"{seed},{chance.gauss(0.7, 0.02):.5f}" for seed in range(10))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def runs_and_items(tmp_path: Path) -> Path:
    chance = random.Random(2)
    lines = ["system,run,item,score"]
    for system, lead in (("a", 0.4), ("b", 0.0)):
        for run in range(4):
            shift = chance.gauss(lead, 0.1)
            lines += [f"{system},{run},{item},{shift + chance.gauss(0.0, 1.0):.4f}" for item in range(30)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_table_as_a_process(run: Run) -> None:
    done = run("plan", *PROPORTIONS, "--power", ".8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("920 items are needed to detect a difference of 0.03 with power 0.8.\n")
    assert "\x1b" not in done.stdout
    assert done.stdout == run("plan", *PROPORTIONS).stdout  # 0.8 is the default


def test_what_is_left_out_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [(["--n", "500"], "power"), (["--power", ".9"], "sample_size"), (["--n", "500", "--power", ".9"], "minimum_detectable")]  # fmt: skip
    design = bb.planning.PairedProportions(0.83, 0.80, 0.9)
    expected = [bb.power(design, 500), bb.sample_size(design, 0.9), bb.minimum_detectable(design, 500, 0.9)]
    for (options, question), plan in zip(asked, expected, strict=True):
        document = _json(capsys, *PROPORTIONS, *options)
        assert document["asked"] == question
        assert (document["n"], document["power"], document["difference"]) == (
            plan.n,
            plan.power,
            plan.difference,
        )


def test_the_test_and_its_level(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--n 500 --test mcnemar-midp --level .9 --alternative greater --comparisons 4"
    plan = bb.power(
        bb.planning.PairedProportions(0.83, 0.80, 0.9, test="mcnemar-midp"),
        500, level=0.9, alternative="greater", n_comparisons=4,
    )  # fmt: skip
    assert _json(capsys, *PROPORTIONS, *options.split())["power"] == plan.power
    assert plan.alpha == pytest.approx(0.025)


def test_scores_by_their_spread(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--difference .1 --sd 1 --design-effect 2 --cluster-size 4"
    document = _json(capsys, *options.split())
    assert document["n"] == bb.sample_size(bb.planning.PairedScores(0.1, 1.0, 2.0, 4.0)).n
    from_few = _json(capsys, *options.split(), "--pilot-df", 9)
    assert from_few["n"] == bb.sample_size(bb.planning.PairedScores(0.1, 1.0, 2.0, 4.0, pilot_df=9)).n
    assert document["power_as_estimated"] is None
    assert from_few["n"] > document["n"]


def test_a_margin(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    scores = _json(capsys, "--sd", 0.3, "--margin", 0.02)
    assert scores["n"] == bb.sample_size(bb.planning.PairedScores(0.0, 0.3, margin=0.02)).n
    answers = _json(capsys, "--accuracy", 0.84, 0.80, "--agreement", 0.9, "--margin", 0.02)
    assert answers["n"] == bb.sample_size(bb.planning.PairedProportions(0.84, 0.80, 0.9).with_margin(0.02)).n
    pilot = [table, "--gold", "label", "--item", "item", "--system", "high", "--system", "low", "--formula"]
    assert _json(capsys, *pilot, "--margin", 0.05)["design"]["margin"] == 0.05  # type: ignore[index]


def test_what_a_pilot_leaves_open_can_be_left_out(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    options = ("--lift", 1.02, "--n", 12, "--test", "welch", "--simulations", 300)
    averaged = _json(capsys, runs, *options)
    assert _json(capsys, runs, *options, "--taken-as-true")["power"] == averaged["power_as_estimated"]
    shares = ("--accuracy", 0.9, 0.8, "--agreement", 0.8, "--n", 150)
    found = _json(capsys, *shares, "--pilot-items", 30)
    assert found["power_as_estimated"] == _json(capsys, *shares)["power"] != found["power"]


def test_runs_are_lifted(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    scores = [float(line.split(",")[1]) for line in runs.read_text().splitlines()[1:]]
    for option, by in (("--lift", "factor"), ("--offset", "offset")):
        lift = 1.02 if by == "factor" else 0.015
        document = _json(
            capsys, runs, option, lift, "--n", 12, "--test", "welch", "--simulations", 300, "--seed", 3
        )
        plan = bb.power(bb.planning.LiftedScores(scores, lift, by, "welch"), 12, n_simulations=300, rng=3)
        assert document["power"] == plan.power
    bare = runs.with_name("bare.txt")
    bare.write_text("\n".join(map(str, scores)) + "\n")
    assert (
        _json(capsys, bare, "--lift", 1.02, "--n", 12)["power"]
        == bb.power(bb.planning.LiftedScores(scores, 1.02), 12).power
    )


def test_one_system_of_several_is_lifted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("seed,old,new\n0,0.5,0.7\n1,0.6,0.8\n2,0.55,0.9\n")
    document = _json(capsys, path, "--lift", 1.1, "--system", "new", "--n", 5, "--simulations", 50)
    assert document["design"]["scores"] == [0.7, 0.8, 0.9]  # type: ignore[index]
    assert main(["plan", str(path), "--lift", "1.1"]) == 2
    assert "got 2 of: old, new\nhint: --system old" in capsys.readouterr().err


def test_a_pilot(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    files = [table, *COLUMNS, "--system", "high", "--system", "low"]
    document = _json(
        capsys, *files, "--n", 20, "--metric", "f1_macro", "--simulations", 60, "--resamples", 199
    )
    assert (document["unit"], document["n"]) == ("clusters", 20)
    evaluation = bb.read(table, gold="label", items="item", clusters="doc", systems=["high", "low"])
    pilot = bb.planning.Pilot(evaluation, "f1_macro", "high", "low")
    assert document["power"] == bb.power(pilot, 20, n_simulations=60, n_resamples=199).power
    shrunk = _json(capsys, *files, "--n", 20, "--difference", 0.05, "--simulations", 20)
    assert shrunk["difference"] == pytest.approx(0.05, abs=1e-9)


def test_a_pilot_by_formula(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    files = [table, "--gold", "label", "--item", "item", "--system", "high", "--system", "low", "--formula"]
    plain = _json(capsys, *files)
    assert plain["design"]["name"] == "paired proportions"  # type: ignore[index]
    clustered = _json(capsys, *files, "--cluster", "doc", "--difference", ".1")
    assert clustered["design"]["cluster_size"] == 4.0  # type: ignore[index]
    assert clustered["difference"] == 0.1


def test_runs_and_items(capsys: pytest.CaptureFixture[str], runs_and_items: Path) -> None:
    document = _json(capsys, runs_and_items, "--runs", 6, "--n", 200)
    assert document["design"]["runs"] == 6  # type: ignore[index]
    spent = _json(capsys, runs_and_items, "--budget", 100, "--run-cost", 5, "--item-cost", ".1")
    assert spent["best"] in spent["splits"]  # type: ignore[operator]
    options = (
        "--difference .02 --item-sd .3 --run-sd .01 --rest-sd .4 --budget 1000 --run-cost 50 --item-cost .1"
    )
    answer = bb.allocate(bb.planning.RunsAndItems(0.02, 0.3, 0.01, 0.4), 1000, run_cost=50, item_cost=0.1)
    assert _json(capsys, *options.split())["best"]["runs"] == answer.best.runs  # type: ignore[index]


def test_every_option_belongs_somewhere() -> None:
    options = {name for names in spellings(Plan).values() for name in names}
    assert set(_GOES_WITH) <= options
    questions = {_BUDGET, _NO_BUDGET, _CHEAPEST}
    assert {one for designs in _GOES_WITH.values() for one in designs} == {*_DESIGNS, *questions}


def test_facets_by_their_components(capsys: pytest.CaptureFixture[str]) -> None:
    variances = {"prompt": 0.0004, "item": 0.04, "prompt x item": 0.05}
    design = bb.planning.FacetedScores(0.03, variances, levels={"prompt": 6})
    options = ["--component", "prompt=.0004,item=.04", "--component", "prompt x item=.05"]
    options += ["--levels", "prompt=6", "--difference", ".03"]
    assert _json(capsys, *options, "--n", 500)["power"] == bb.power(design, 500).power
    costs = {"prompt": 20.0, "call": 0.02}
    spent = _json(capsys, *options, "--budget", 400, "--cost", "prompt=20,call=.02")
    assert spent["best"] in spent["splits"]  # type: ignore[operator]
    assert spent["best"]["levels"][0][0] == "prompt"  # type: ignore[index]
    assert spent["best"]["power"] == bb.allocate(design, 400, costs=costs).best.power  # type: ignore[index]
    cheapest = _json(capsys, *options, "--power", 0.7, "--cost", "prompt=20,call=.02")
    assert cheapest["budget"] == bb.allocate(design, power=0.7, costs=costs).budget
    fixed = _json(capsys, *options, "--n", 500, "--fixed", "prompt")
    assert fixed["power"] > 0.8  # type: ignore[operator]
    by_prompts = _json(capsys, *options[:4], "--levels", "item=500", "--counted", "prompt", "--n", 9)
    assert by_prompts["unit"] == "prompts"


def test_a_pilot_of_facets(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    p, s, i = np.indices((4, 2, 30))
    scores = {"a": 0.03 * p + 0.1 * ((p + 3 * s + 7 * i) % 5), "b": 0.02 * (i % 3), "c": 0.01 * (s + p)}
    pilot = bb.compare_facets(scores, facets=("prompt", "seed"), nested="seed in prompt", n_resamples=99)
    path = tmp_path / "pilot.json"
    pilot.to_json(path)
    document = _json(capsys, path, "--levels", "prompt=6,seed=5", "--n", 500, "--power", 0.8)
    levels = {"prompt": 6, "seed": 5}
    design = bb.planning.FacetedScores.from_pilot(pilot, levels=levels)
    assert document["difference"] == bb.minimum_detectable(design, 500, 0.8).difference
    other = _json(capsys, path, "--system", "c", "--system", "b", "--n", 40, "--taken-as-true")
    design = bb.planning.FacetedScores.from_pilot(pilot["c", "b"]).taken_as_true()
    assert other["power"] == bb.power(design, 40).power
    for options, said in (
        (["--levels", "judge=3"], "no facet 'judge' here"),
        (["--levels", "prompt"], "--levels must be facets with numbers"),
        (["--fixed", "prompt"], "--fixed does not go with the JSON of 'bestby facets'"),
        (["--n", "9", "--cost", "prompt=3"], "--n does not go with a plan with --cost and without --budget"),
        (["--test", "t"], "decided by a t-test"),
    ):
        assert main(["plan", str(path), *options]) == 2
        assert said in capsys.readouterr().err


def test_runs_by_another_name_with_a_gold(
    capsys: pytest.CaptureFixture[str], runs_and_items: Path, tmp_path: Path
) -> None:
    renamed = tmp_path / "trials.csv"
    renamed.write_text(runs_and_items.read_text().replace(",run,", ",trial,"))
    expected = _json(capsys, runs_and_items, "--runs", 6, "--n", 200)
    assert _json(capsys, renamed, "--runs", 6, "--n", 200, "--run", "trial") == expected
    assert main(["plan", str(renamed), "--runs", "6", "--n", "200"]) == 2
    assert "hint: name it: --run ...; its columns are: system, trial" in capsys.readouterr().err
    lines = ["system,run,item,label,prediction"]
    lines += [
        f"{s},{r},{i},x,{'xy'[(i * 7 + r * (s == 'b')) % 3 == 0]}"
        for s in "ab"
        for r in range(3)
        for i in range(20)
    ]
    labelled = tmp_path / "labelled.csv"
    labelled.write_text("\n".join(lines) + "\n")
    assert _json(capsys, labelled, "--gold", "label", "--runs", 3, "--n", 50)["n"] == 50
    assert main(["plan", str(labelled), "--gold", "label", "--gold", "item", "--runs", "3"]) == 2
    assert "one column of the gold, got 2" in capsys.readouterr().err


def test_a_pilot_with_missing_values(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    lines = table.read_text().splitlines()
    holes = [line.replace(",doc", "") if at else line for at, line in enumerate(lines)]
    first = holes[1].split(",")
    holes[1] = ",".join([*first[:4], "gone", *first[5:]])
    table.write_text("\n".join(holes) + "\n")
    asked = [table, *COLUMNS, "--system", "middle", "--system", "high"]
    asked += ["--missing-value", "gone", "--n", 20, "--simulations", 20]
    assert main(["plan", *map(str, asked)]) == 2
    assert "hint: pass --on-missing drop" in capsys.readouterr().err
    assert _json(capsys, *asked, "--on-missing", "drop")["n"] == 20


def test_ids_and_gold_are_no_systems_to_lift(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item,gold,a,b\n1,0,0.5,0.7\n2,1,0.6,0.8\n")
    assert main(["plan", str(path), "--lift", "1.1"]) == 2
    assert "got 2 of: a, b\nhint: --system a\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "first", "second"),
    [
        ("", "InvalidInputError: nothing is known about the study", "hint: give --accuracy and --agreement"),
        ("--accuracy .9 .8", "InvalidInputError: --accuracy needs --agreement", "hint: --agreement 0.9"),
        ("--accuracy .9 .8 --sd 1", "InvalidInputError: --accuracy and --sd describe different", "hint: 'bestby plan --help'"),
        ("--sd 1 --difference .1 --test t", "InvalidInputError: --test: this design", "hint: leave out --test"),
        ("--sd 1 --difference .1 --budget 5", "InvalidInputError: --budget is spent on runs", "hint: give --item-sd"),
        ("pilot.csv --sd 1", "InvalidInputError: a file and --sd describe", "hint: leave out --sd"),
        ("nowhere.csv --lift 1.1", "InvalidInputError: no file 'nowhere.csv'", "hint: check the path"),
        ("--lift 1.1", "InvalidInputError: runs are read from one file, got 0", "hint: bestby plan runs.csv"),
        ("--accuracy .9 .8 --agreement .8 --difference .1", "InvalidInputError: --difference does not go with --accuracy", "hint: leave one out; --difference is for --sd, --item-sd, --component, the JSON of 'bestby facets', a pilot in FILES, --formula, runs in FILES"),
        ("--sd 1 --difference .1 --run-sd 0", "InvalidInputError: --run-sd does not go with --sd", "hint: leave one out; --run-sd is for --item-sd"),
        ("pilot.csv --formula --simulations 9", "InvalidInputError: --simulations does not go with --formula", "hint: leave one out"),
        ("--item-sd .3 --difference .1 --budget 5 --run-cost 1 --n 5", "InvalidInputError: --n does not go with --budget", "hint: leave one out"),
        ("--item-sd .3 --difference .1 --n 100 --max-items 5", "InvalidInputError: --max-items does not go with a plan without --budget", "hint: leave one out; --max-items is for --budget"),
        ("--lift 1.1 --margin .1", "InvalidInputError: --margin does not go with --lift", "hint: leave one out"),
        ("--accuracy .9 .8 --agreement .8 --margin .1 --test mcnemar", "InvalidInputError: --test: this design", "hint: leave out --test"),
    ],
)  # fmt: skip
def test_errors_are_two_lines(
    options: str, first: str, second: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *options.split()]) == 2
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == ""
    assert lines[0].startswith(first)
    assert len(lines) == 2
    assert lines[1].startswith(second)


def test_three_systems_are_one_too_many(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    assert main(["plan", str(table), "--gold", "label", "--item", "item", "--cluster", "doc"]) == 2
    assert (
        "two systems, got 3: low, middle, high\nhint: --system low --system high" in capsys.readouterr().err
    )
    pair = ["--system", "low", "--system", "high"]
    assert main(["plan", str(table), "--gold", "label", "--formula", "--metric", "f1_macro", *pair]) == 2
    assert "no formula for f1_macro" in capsys.readouterr().err
