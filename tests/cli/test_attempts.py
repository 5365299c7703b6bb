"""`bestby attempts`: files of pairs, outputs and errors."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.cli.helpers import Run

import bestby as bb


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write samples of two systems as a long table, as a wide one, and as a file per system."""
    chance = random.Random(3)
    long, wide = ["system,item,n,c,contest"], ["id,short.n,short.c,long.n,long.c"]
    each = ["model,item,attempt,score,contest,answer,gold"]
    for item in range(60):
        hard = chance.random()
        counts = {
            "short": sum(chance.random() < hard**4 for _ in range(20)),
            "long": sum(chance.random() < 0.15 for _ in range(20)),
        }
        long += [f"{name},q{item},20,{c},c{item // 3}" for name, c in counts.items()]
        each += [
            f"{name},q{item},{k},{int(k < c)},c{item // 3},{'x' if k < c else 'y'},x"
            for name, c in counts.items()
            for k in range(20)
        ]
        wide.append(f"q{item},20,{counts['short']},20,{counts['long']}")
    for name in ("short", "long"):
        rows = [",".join(line.split(",")[1:4]) for line in long if line.startswith(f"{name},")]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,n,c", *rows]), encoding="utf-8")
    (tmp_path / "samples.csv").write_text("\n".join(long), encoding="utf-8")
    (tmp_path / "wide.csv").write_text("\n".join(wide), encoding="utf-8")
    (tmp_path / "each.csv").write_text("\n".join(each), encoding="utf-8")
    return tmp_path


def test_long_wide_and_single_files_have_one_answer(files: Path, run: Run) -> None:
    answers = [
        json.loads(run("attempts", *paths, "--json", "-").stdout)["curves"]
        for paths in (["samples.csv"], ["wide.csv"], ["short=short.csv", "long=long.csv"], ["each.csv"])
    ]
    assert all(one == answers[0] for one in answers)
    frame = pd.read_csv(files / "each.csv")
    result = bb.compare_attempts(frame, reading=bb.Reading(value_column="score"))
    assert [score for one in result.curves for score in one.scores] == [one["score"] for one in answers[0]]


def test_compare_takes_the_mean_over_samples(files: Path, run: Run) -> None:
    of_samples = json.loads(run("compare", "each.csv", "--cluster", "contest", "--json", "-").stdout)
    of_pairs = run("compare", "samples.csv", "--metric", "pass@1", "--cluster", "contest", "--json", "-")
    kept = ("difference", "low", "high", "p_value")
    assert [[one[key] for key in kept] for one in of_samples["differences"]] == [
        [one[key] for key in kept] for one in json.loads(of_pairs.stdout)["differences"]
    ]
    assert any(
        "its mean over the samples (column attempt: 20)" in one["message"] for one in of_samples["notes"]
    )


def test_samples_of_predictions_are_another_question(files: Path, run: Run) -> None:
    words = ("each.csv", "--value-column", "answer", "--gold", "gold")
    assert "compare_facets (bestby facets)" in run("compare", *words).stderr
    words = (*words, "--facets", "attempt", "--metric", "accuracy")
    assert "attempts" in run("facets", *words).stdout


def test_a_missing_sample_leaves_the_item_without_a_score(files: Path, run: Run) -> None:
    text = (files / "each.csv").read_text().replace("short,q0,0,0", "short,q0,0,").replace(
        "short,q0,0,1", "short,q0,0,"
    )  # fmt: skip
    (files / "each.csv").write_text(text, encoding="utf-8")
    assert "q0" in run("compare", "each.csv").stderr
    data = bb.read(files / "each.csv", on_missing="drop")
    assert bb.compare_attempts(data).n_items == 59


def test_samples_of_one_system_need_no_column_of_systems(files: Path, run: Run) -> None:
    of_one = pd.read_csv(files / "each.csv").query("model == 'long'")[["item", "attempt", "score"]]
    of_one.to_csv(files / "long_each.csv", index=False)
    alone = json.loads(run("attempts", "long_each.csv", "--json", "-").stdout)["curves"]
    among = json.loads(run("attempts", "samples.csv", "--system", "long", "--json", "-").stdout)["curves"]
    assert [{**one, "system": "long"} for one in alone] == among
    refused = run("attempts", "a=long_each.csv", "b=long_each.csv").stderr
    assert "write the rows of all systems into one table" in refused


@pytest.mark.parametrize(("on_missing", "n_items"), [("drop", 59), ("worst", 60), ("pairs", 60)])
def test_items_without_samples_of_a_system(files: Path, on_missing: Any, n_items: int) -> None:
    frame = pd.read_csv(files / "each.csv").query("not (model == 'long' and item == 'q3')")
    reading = bb.Reading(value_column="score")
    assert bb.compare(frame, on_missing=on_missing, reading=reading).n_items == n_items


def test_rows_of_one_sample_twice_are_refused(files: Path, run: Run) -> None:
    with (files / "each.csv").open("a", encoding="utf-8") as file:
        file.write("\nshort,q0,0,1,c0,x,x")
    assert "must be unique" in run("compare", "each.csv").stderr


def test_outputs(files: Path, run: Run) -> None:
    done = run(
        "attempts", "samples.csv", "--metric", "pass^k", "--cluster", "contest", "--csv", "curves.csv",
        "--csv-differences", "differences.csv", "--plot", "a.svg", "--percent",
    )  # fmt: skip
    assert "pass^k (%)" in done.stdout
    assert len((files / "curves.csv").read_text().splitlines()) == 41
    assert (files / "differences.csv").read_text().startswith("metric,a,b,k,difference,low,high,level")
    assert "<svg" in (files / "a.svg").read_text()


def test_one_system(files: Path, run: Run) -> None:
    said = run("attempts", "samples.csv", "--system", "long").stdout
    assert "pass@k of long is" in said
    assert "at k = 20" in said


def test_check_proposes_it(files: Path, run: Run) -> None:
    assert "bestby attempts samples.csv" in run("check", "samples.csv").stdout
    of_samples = run("check", "each.csv").stdout
    assert "bestby attempts each.csv" in of_samples
    assert "more than once" not in of_samples


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["samples.csv", "--metric", "pass@10"], "must be one of pass@k, pass^k"),
        (["samples.csv", "--level", "2"], "level"),
        (["labels.csv"], "per-item scores"),
        (["none.csv"], "none.csv"),
    ],
)
def test_wrong_input(files: Path, run: Run, words: list[str], message: str) -> None:
    (files / "labels.csv").write_text("item,a,b\n1,x,y\n2,y,y\n3,x,x\n", encoding="utf-8")
    done = run("attempts", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
