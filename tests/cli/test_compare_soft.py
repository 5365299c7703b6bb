"""Soft labels, annotators and the size of resamples at the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.cli.helpers import Run

from bestby import compare, read

CLASSES = ["neg", "neu", "pos"]


def _row(chance: random.Random) -> list[str]:
    first, second = sorted(chance.sample(range(1, 100), 2))
    return [f"{part / 100:.2f}" for part in (first, second - first, 100 - second)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write the same soft systems and soft gold in several forms, and labels of annotators."""
    chance = random.Random(3)
    columns = {name: [_row(chance) for _ in range(60)] for name in ("a", "b", "gold")}
    for name, rows in columns.items():
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
        lines = [",".join([f"q{i}", *row]) for i, row in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,neg,neu,pos", *lines]) + "\n", encoding="utf-8")
    header = ",".join(f"{name}[{one}]" for name in columns for one in CLASSES)
    rows = [",".join(cell for name in columns for cell in columns[name][i]) for i in range(60)]
    (tmp_path / "wide.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    labels = [[chance.choice(CLASSES) for _ in range(3)] for _ in range(60)]
    wide = [",".join([f"q{i}", *row]) for i, row in enumerate(labels)]
    (tmp_path / "ann.csv").write_text("\n".join(["id,one,two,three", *wide]) + "\n", encoding="utf-8")
    long = [f"q{i},w{k},{label}" for i, row in enumerate(labels) for k, label in enumerate(row)]
    (tmp_path / "rows.csv").write_text("\n".join(["id,who,label", *long]) + "\n", encoding="utf-8")
    return tmp_path


def _differences(run: Run, *arguments: str) -> list[dict[str, object]]:
    done = run("compare", *arguments, "--json", "-", "--resamples", "200")
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, object]] = json.loads(done.stdout)["differences"]
    return found


def test_every_form_gives_the_same_comparison(run: Run, files: Path) -> None:
    metric = ("--metric", "cross_entropy")
    wide = _differences(run, "wide.csv", *metric)
    for arguments in (
        ("a=a.txt", "b=b.txt", "--gold", "gold.txt", "--classes", "neg,neu,pos"),
        ("a=a.csv", "b=b.csv", "--gold", "gold.csv", "--classes", "neg", "--classes", "neu, pos"),
        ("a=a.csv", "b=b.csv", "--gold", "gold.csv", "--classes", "columns"),
    ):
        assert _differences(run, *arguments, *metric) == wide
    result = compare(read(files / "wide.csv"), metric="cross_entropy", n_resamples=200)
    assert wide[0]["difference"] == result["a", "b"].estimate


def test_annotators(run: Run, files: Path) -> None:
    systems = ("a=a.csv", "b=b.csv", "--classes", "neg,neu,pos", "--metric", "cross_entropy")
    columns = _differences(
        run, *systems, "--gold", "ann.csv", "--annotators", "one,two", "--annotators", "three"
    )
    assert _differences(run, *systems, "--gold", "rows.csv", "--annotators", "who") == columns
    again = _differences(
        run, *systems, "--gold", "ann.csv", "--annotators", "one,two,three", "--resample-annotators"
    )
    assert again[0]["difference"] == pytest.approx(columns[0]["difference"], rel=1e-9)
    assert again[0]["low"] != columns[0]["low"]


def test_rows_that_do_not_sum_to_one(run: Run, files: Path) -> None:
    (files / "a.txt").write_text("1 2 1\n" * 60, encoding="utf-8")
    arguments = ("a=a.txt", "b=b.txt", "--gold", "gold.txt")
    done = run("compare", *arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "InvalidInputError: a.txt, line 1 sums to 4, not to 1 (60 of 60 rows are not as they must be)",
        "hint: pass --normalise to divide every row by its sum",
    ]
    assert _differences(run, *arguments, "--metric", "cross_entropy", "--normalise")
