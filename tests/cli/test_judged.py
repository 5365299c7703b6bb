"""`bestby judged compare`: what it prints and writes, and two lines with status 2 for what cannot be used."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.helpers import Run

import bestby as bb
from bestby.questions.judged.source import read_calibration

Rows = list[dict[str, Any]]


def rows(n: int = 120, labelled: int = 40) -> Rows:
    rng = np.random.default_rng(3)
    found: Rows = []
    for item in range(n):
        length, first = int(rng.integers(10, 90)), rng.random() < 0.5
        for system, share in (("new", 0.7), ("old", 0.5)):
            truth = int(rng.random() < share)
            judge = truth if rng.random() < 0.9 else 1 - truth
            position = "first" if first == (system == "new") else "second"
            human = truth if item < labelled else ""
            found.append(
                {"item": f"q{item}", "system": system, "judge": judge, "human": human, "length": length,
                 "position": position, "topic": f"t{item % 20}", "domain": "xy"[item % 2], "chance": 0.5}
            )  # fmt: skip
    return found


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Rows], Path]:
    def to_file(table: Rows) -> Path:
        path = tmp_path / "judged.csv"
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
        return path

    return to_file


def test_every_output_and_option(run: Run, write: Callable[[Rows], Path], tmp_path: Path) -> None:
    path = write(rows())
    files = {form: tmp_path / f"r.{form}" for form in ("json", "csv", "markdown", "latex", "html")}
    done = run(
        "judged", "compare", path, "--labels-drawn", "chance", "--cluster", "topic", "--stratum", "domain",
        "--scale", "same", "--baseline", "old", "--level", "0.9", "--alternative", "better",
        "--correction", "bh", "--margin", "0.05",
        "--bias-by", "position", *(word for form, file in files.items() for word in (f"--{form}", file)),
        "--csv-scores", tmp_path / "s.csv", "--csv-judges", tmp_path / "j.csv", "--plot", tmp_path / "p.svg",
        "--plot-kind", "judge",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = bb.load(files["json"])
    direct = bb.compare_judged(
        bb.read_judged(path), labels_drawn="chance", clusters="topic", strata="domain", scale="same",
        baseline="old", level=0.9, alternative="better", correction="bh", margin=0.05, bias_by="position",
    )  # fmt: skip
    assert result == direct
    assert (result.labels_drawn, result.n_clusters, result.n_strata) == ("probabilities", 20, 2)
    with (tmp_path / "j.csv").open() as stream:
        assert [row["system"] for row in csv.DictReader(stream)] == ["new", "old"]
    assert "The judge against the humans" in files["html"].read_text()
    drawing = (tmp_path / "p.svg").read_text()
    assert all(
        f"{rate}, {name}" in drawing for rate in ("sensitivity", "specificity") for name in ("new", "old")
    )
    assert json.loads(files["json"].read_text())["bias"][0]["value"] == "first"


def checked_rows(n: int = 200) -> Rows:
    rng = np.random.default_rng(6)
    human = (rng.random(n) < 0.5).astype(int)
    judge = np.where(rng.random(n) < 0.85, human, 1 - human)
    return [
        {"judge": int(j), "human": int(h), "topic": f"c{place % 40}", "domain": "xy"[place % 2]}
        for place, (j, h) in enumerate(zip(judge, human, strict=True))
    ]


def test_a_calibration_set(run: Run, write: Callable[[Rows], Path], tmp_path: Path) -> None:
    checked = write(checked_rows()).rename(tmp_path / "checked.csv")
    verdicts = [{key: value for key, value in row.items() if key != "human"} for row in rows()]
    path, stored = write(verdicts), tmp_path / "r.json"
    groups = ("--cluster", "topic", "--stratum", "domain")
    done = run("judged", "compare", path, "--calibration", checked, *groups, "--json", stored)
    assert done.returncode == 0, done.stderr
    assert (bb.load(stored).n_clusters, bb.load(stored).n_strata) == (20, 2)
    done = run("judged", "compare", path, "--calibration", checked, "--cluster", "topic", "--json", stored)
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "Systems by the corrected mean human score (higher is better), 120 items in 20 clusters, error rates",
        "checked.csv was read as a calibration set; judge: judge; human: human",
        "judged.csv was read as scores per item and system; systems: system; judge: judge; item: item",
        "corrected by its error rates on a calibration set (Rogan-Gladen)",
    ):
        assert text in " ".join(done.stdout.split())
    direct = bb.compare_judged(
        bb.read_judged(path, human=False), calibration=read_calibration(checked), clusters="topic"
    )
    assert bb.load(stored) == direct
    for options, message in (
        (("--calibration", checked, "--labels-drawn", "random"), "has no effect on a calibration set"),
        (("--calibration", path), "has no column 'human'"),
        (("--calibration", tmp_path / "none.csv"), "no file"),
    ):
        refused = run("judged", "compare", path, *options)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 2)
        assert message in refused.stderr


def label_rows(n: int = 150, labelled: int = 50) -> Rows:
    rng = np.random.default_rng(4)
    found: Rows = []
    for item in range(n):
        gold = "xyz"[int(rng.integers(3))]
        made = {
            name: gold if rng.random() < right else "xyz"[int(rng.integers(3))]
            for name, right in (("judge", 0.8), ("prediction[new]", 0.8), ("prediction[old]", 0.6))
        }
        found.append(
            {"item": f"q{item}", "human": gold if item < labelled else "", **made, "cluster": item // 3}
        )
    return found


def test_labels_and_predictions(run: Run, write: Callable[[Rows], Path], tmp_path: Path) -> None:
    path, stored = write(label_rows()), tmp_path / "r.json"
    done = run(
        "judged", "compare", path, "--metric", "f1_macro", "--labels-drawn", "random", "--resamples", "500",
        "--seed", "7", "--baseline", "old", "--json", stored,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "Systems by the corrected f1_macro (higher is better), 150 items in 50 clusters, 50 with human",
        "prediction-powered bootstrap",
        "judged.csv was read as predictions and labels of items; systems: new, old; judge: judge",
        "500 resamples, seed 7",
    ):
        assert text in done.stdout
    direct = bb.compare_judged(
        bb.read_judged(path), metric="f1_macro", labels_drawn="random", n_resamples=500, rng=7, baseline="old"
    )
    assert bb.load(stored) == direct
    by_default = run("judged", "compare", path, "--labels-drawn", "random", "--details")
    assert "Systems by the corrected accuracy" in by_default.stdout
    assert "The judge against the humans" in by_default.stdout
