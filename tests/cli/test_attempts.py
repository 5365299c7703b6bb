"""`bestby attempts`: files of pairs, outputs and errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.helpers import Run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write samples of two systems as a long table, as a wide one, and as a file per system."""
    chance = random.Random(3)
    long, wide = ["system,item,n,c,contest"], ["id,short.n,short.c,long.n,long.c"]
    for item in range(60):
        hard = chance.random()
        counts = {
            "short": sum(chance.random() < hard**4 for _ in range(20)),
            "long": sum(chance.random() < 0.15 for _ in range(20)),
        }
        long += [f"{name},q{item},20,{c},c{item // 3}" for name, c in counts.items()]
        wide.append(f"q{item},20,{counts['short']},20,{counts['long']}")
    for name in ("short", "long"):
        rows = [",".join(line.split(",")[1:4]) for line in long if line.startswith(f"{name},")]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,n,c", *rows]), encoding="utf-8")
    (tmp_path / "samples.csv").write_text("\n".join(long), encoding="utf-8")
    (tmp_path / "wide.csv").write_text("\n".join(wide), encoding="utf-8")
    return tmp_path


def test_long_wide_and_single_files_have_one_answer(files: Path, run: Run) -> None:
    answers = [
        json.loads(run("attempts", *paths, "--json", "-").stdout)["curves"]
        for paths in (["samples.csv"], ["wide.csv"], ["short=short.csv", "long=long.csv"])
    ]
    assert answers[0] == answers[1] == answers[2]


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
