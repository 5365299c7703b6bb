"""`bestby study` as a process."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.cli import helpers
from tests.cli.helpers import Run
from tests.cli.studies import GOLD, Lines, wrong

from bestby.questions.study.study import Study

START = helpers.START | {"plot": "<?xml", "results-tsv": "\tmean_epochs\tacc\td_acc\ts_acc\tstd_acc\n"}


# -- add -------------------------------------------------------------------------------------------


def test_add(run: Run, lines: Lines, tmp_path: Path) -> None:
    ids = [f"q{place}" for place in range(len(GOLD))]
    lines("gold.txt", GOLD), lines("ids.txt", ids), lines("p.txt", wrong(2))
    done = run("study", "add", "s", "h0", "--run", "0", "--predictions", "p.txt", "--gold", "gold.txt", "--ids",
               "ids.txt", "--baseline")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "added run '0' of 'h0', a baseline: 60 items\n"
    table = ["id,prediction", *(f"{i},{p}" for i, p in zip(reversed(ids), reversed(wrong(5)), strict=True))]
    lines("p.csv", table)
    done = run("study", "add", "s", "h1", "--run", "seed 7", "--predictions", "p.csv", "--against", "h0", "--epochs",
               "10", "--tag", "lr=1e-5", "--tag", "model=bert=large", "--tag", "warm=true", "--tag", "seed=7",
               "--tag", "run=inf")  # fmt: skip
    assert done.stderr == "added run 'seed 7' of 'h1', a treatment against h0: 60 items\n"
    found = Study(tmp_path / "s").load("h1", "seed 7")
    assert found.predictions.tolist() == wrong(5)
    assert found.tags == {"lr": 1e-5, "model": "bert=large", "warm": True, "seed": 7, "run": "inf"}
    assert (found.epochs, type(found.epochs)) == (10, int)
    assert Study(tmp_path / "s").gold().ids.tolist() == ids


def test_add_soft_labels_and_clusters(run: Run, lines: Lines, tmp_path: Path) -> None:
    lines("g.csv", ["id,doc,neg,pos", "1,a,0.2,0.6", "2,a,1,1", "3,b,0,1"])
    done = run("study", "add", "s", "h0", "--run", "0", "--predictions", "g.csv", "--gold", "g.csv", "--classes", "pos,neg",
               "--normalise", "--cluster", "doc", "--baseline")  # fmt: skip
    assert done.returncode == 0, done.stderr
    gold = Study(tmp_path / "s").gold()
    assert gold.values.ravel().tolist() == pytest.approx([0.75, 0.25, 0.5, 0.5, 1.0, 0.0])
    assert (gold.classes.tolist(), gold.clusters.tolist()) == (["pos", "neg"], ["a", "a", "b"])  # type: ignore[union-attr]
    lines("p.txt", ["neg", "pos", "pos"])
    assert run("study", "add", "s", "h1", "--run", "0", "--predictions", "p.txt").returncode == 0


def test_replace_and_remove(run: Run, lines: Lines, study: Path) -> None:
    lines("p.txt", GOLD)
    again = ("study", "add", "s", "h1", "--run", "1", "--predictions", "p.txt")
    done = run(*again)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "InvalidInputError: run '1' of 'h1' is already in the study",
        "hint: pass --replace to put this one in its place, or give it another name",
    ]
    assert run(*again, "--replace").returncode == 0
    assert Study(study).load("h1", 1).predictions.tolist() == GOLD
    assert run("study", "remove", "s", "h1", "--run", "1").stderr == "removed 1 run of 'h1'\n"
    assert run("study", "remove", "s", "h2", "--all").stderr == "removed 2 runs of 'h2'\n"
    assert (Study(study).conditions(), Study(study).runs("h1")) == (("h0", "h1"), ("0",))


def test_nothing_is_removed_if_a_run_is_not_there(run: Run, study: Path) -> None:
    done = run("study", "remove", "s", "h1", "--run", "0", "--run", "7")
    assert done.returncode == 2
    assert "has no run '7' of 'h1'" in done.stderr
    assert Study(study).runs("h1") == ("0", "1")


# -- run -------------------------------------------------------------------------------------------


def test_run_says_what_came_from_the_cache(run: Run, lines: Lines, study: Path) -> None:
    first = run("study", "run", "s", "--metric", "f1_macro", "--metric", "accuracy")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("Against the baseline h0 (f1_macro")
    again = run("study", "run", "s", "--metric", "f1_macro", "--metric", "accuracy")
    assert again.stderr == "0 computed, 10 from the study's cache\n"
    assert again.stdout == first.stdout
    lines("p.txt", GOLD)
    run("study", "add", "s", "h3", "--run", "0", "--predictions", "p.txt")
    assert run("study", "run", "s", "--metric", "f1_macro", "--metric", "accuracy").stderr.startswith(
        "4 computed, 10 "
    )


def test_every_option_reaches_the_comparison(run: Run, study: Path) -> None:
    done = run(
        "study", "run", "s", "--metric", "f1_macro", "--per-class", "--condition", "h1", "--condition", "h2", "--condition", "h0",
        "--baseline", "h1", "--baseline", "h2", "--interval", "percentile", "--level", "0.9", "--test", "bootstrap",
        "--alternative", "better", "--correction", "bh", "--margin", "0.01", "--resamples", "500", "--resample-size", "0.5",
        "--no-rescale", "--seed", "7", "--jobs", "2", "--json", "-",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    made = document["provenance"]
    assert made["settings"] == {
        "metrics": ["f1_macro", "f1[x]", "f1[y]", "f1[z]"], "interval": "percentile", "level": 0.9,
        "test": "bootstrap", "alternative": "better", "correction": "bh", "margin": 0.01, "baseline": ["h1", "h2"],
        "resample_size": 0.5, "rescale": False,
    }  # fmt: skip
    assert (made["seed"], made["n_resamples"], document["baselines"]) == (7, 500, ["h1", "h2"])
    assert {(d["a"], d["b"]) for d in document["differences"]} == {("h0", "h1"), ("h0", "h2")}


def test_growth_by_dates(run: Run, study: Path, tmp_path: Path) -> None:
    grown = ("study", "run", "s", "--plot", "g.svg", "--plot-kind", "growth", "--plot-by", "h0=2026-01-31")
    done = run(*grown, "--plot-by", "h2=2026-03-01")
    assert (done.returncode, done.stderr) == (0, "")
    drawn = (tmp_path / "g.svg").read_text(encoding="utf-8")
    assert ">h0</text>" in drawn
    assert ">h2</text>" in drawn
    assert ">h1</text>" not in drawn  # it has no place
    assert "Not shown, as they have no place: 1 condition." in drawn


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["--plot-by", "h1"], "--plot-by must be CONDITION=PLACE, got 'h1'"),
        (["--plot-by", "h1=1", "--plot-by", "h1=2"], "--plot-by is given twice for h1"),
        (["--plot-by", "h1=1", "--plot-by", "h2=nan"], "--plot-by must have a number or a date for each condition"),
        (["--plot-by", "h1=1", "--plot-by", "h2=May"], "--plot-by must have a number or a date for each condition"),
        (["--plot-by", "h1=1", "--plot-by", "h2=2026-05-01"], "--plot-by has numbers and dates"),
        (["--plot-by", "h9=1"], "--plot-by has 'h9', which is no condition of this result"),
        (["--plot-by", "h1=1", "--plot-kind", "scores"], "--plot-by is for the figure of growth"),
    ],
)  # fmt: skip
def test_wrong_places(run: Run, study: Path, given: list[str], why: str) -> None:
    kind = () if "--plot-kind" in given else ("--plot-kind", "growth")
    done = run("study", "run", "s", "--plot", "g.svg", *kind, *given)
    assert done.returncode == 2
    *_, error, hint = done.stderr.splitlines()
    assert error.startswith(f"InvalidInputError: {why}")
    assert hint.startswith("hint: ")


@pytest.mark.parametrize("form", START)
def test_outputs(run: Run, study: Path, tmp_path: Path, form: str) -> None:
    done = run("study", "run", "s", f"--{form}", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(START[form])
    name = "out.svg" if form == "plot" else "out"
    assert run("study", "run", "s", f"--{form}", name).returncode == 0
    if form != "plot":  # a picture has the time in it
        text = (tmp_path / name).read_text(encoding="utf-8")
        # The second time all is in the cache of the study, and JSON says so.
        assert text.replace('"n_computed": 0, "n_reused": 5', '"n_computed": 5, "n_reused": 0') == done.stdout


def test_list(run: Run, study: Path) -> None:
    Study(study).add("h2", run=10, predictions=GOLD, learning_rate=0.1, model="bert")
    done = run("study", "list", "s")
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows, blank, summary = done.stdout.splitlines()
    assert head.split() == ["condition", "role", "run", "epochs", "tags", "added"]
    cells = [re.split(r"\s{2,}", row) for row in rows]
    assert [row[:4] for row in cells[:2]] == [["h0", "baseline", "0", "3"], ["h0", "baseline", "1", "3"]]
    assert cells[-1][:4] == ["h2", "treatment against all baselines", "10", "learning_rate=0.1 model=bert"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", row[-1]) for row in cells)
    assert (blank, summary) == ("", "7 runs of 3 conditions, 60 items")


def test_out_and_in_again(run: Run, study: Path, tmp_path: Path) -> None:
    done = run("study", "export", "s", "outcomes.json")
    assert (done.returncode, done.stderr) == (0, "labels as numbers: 0 = x, 1 = y, 2 = z\n")
    assert run("study", "import", "other", "outcomes.json").stderr == "added 6 runs of 3 conditions\n"
    again = run("study", "import", "other", "outcomes.json")
    assert again.returncode == 2
    assert again.stderr.startswith(
        "InvalidInputError: run '0' of 'h0' is already in the study\nhint: pass --replace "
    )
    assert run("study", "import", "other", "outcomes.json", "--replace").returncode == 0
    accuracies = [
        [(s.system, s.score) for s in Study(tmp_path / name).compare(metric="accuracy").systems]
        for name in ("s", "other")
    ]
    assert accuracies[0] == accuracies[1]


# -- the guide of BooStSa on its own example -------------------------------------------------------


# -- files -----------------------------------------------------------------------------------------


def test_the_files_of_a_study_are_where_the_guide_says(study: Path) -> None:
    assert sorted(path.relative_to(study).as_posix() for path in study.rglob("*.json")) == [
        "gold.json", *(f"runs/{name}/{run}.json" for name in ("h0", "h1", "h2") for run in (0, 1)), "study.json"
    ]  # fmt: skip
    shutil.rmtree(study / "tmp")
    assert Study(study).compare().n_items == 60
