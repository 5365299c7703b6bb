"""Metrics of texts on tables: a cell is a text, whatever shape the table has and whatever it looks like."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.helpers import Run

Rows = list[tuple[str, ...]]
Shape = Callable[[Path, Rows], list[str]]

GOLD = ("3", "5 apples", "the cat", "7")
A = ("3", "5 apples", "a cat", "8")
B = ("03", "4 apples", "the cat", "7")
ROWS: Rows = list(zip("wxyz", GOLD, A, B, strict=True))
NUMBERS: Rows = [("w", "3", "3", "4"), ("x", "5", "5", "5"), ("y", "7", "8", "7"), ("z", "9", "9", "9")]


def _table(path: Path, header: str, rows: Rows) -> None:
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")


def _wide(folder: Path, rows: Rows) -> list[str]:
    _table(folder / "wide.csv", "id,gold,a,b", rows)
    return ["wide.csv"]


def _json_lines(folder: Path, rows: Rows) -> list[str]:
    records = (json.dumps(dict(zip(("id", "reference", "a", "b"), row, strict=True))) for row in rows)
    (folder / "wide.jsonl").write_text("\n".join(records) + "\n", encoding="utf-8")
    return ["wide.jsonl", "--gold", "reference", "--item", "id"]


def _long(folder: Path, rows: Rows) -> list[str]:
    long = [
        (item, name, gold, value)
        for item, gold, *both in rows
        for name, value in zip("ab", both, strict=True)
    ]
    _table(folder / "long.csv", "id,system,gold,prediction", long)
    return ["long.csv"]


def _files(folder: Path, rows: Rows) -> list[str]:
    for place, name in enumerate(("gold", "a", "b"), start=1):
        word = "gold" if name == "gold" else "prediction"
        _table(folder / f"{name}.csv", f"id,{word}", [(row[0], row[place]) for row in rows])
    return ["a.csv", "b.csv", "--gold", "gold.csv"]


SHAPES = pytest.mark.parametrize("shape", [_wide, _json_lines, _long, _files])


def _scores(run: Run, *arguments: str) -> dict[tuple[str, str], float]:
    done = run("compare", *arguments, "--resamples", "99", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    return {(one["metric"], one["system"]): one["score"] for one in json.loads(done.stdout)["systems"]}


@SHAPES
def test_a_table_of_texts_in_every_shape(run: Run, tmp_path: Path, shape: Shape) -> None:
    scores = _scores(run, *shape(tmp_path, ROWS), "--metric", "em", "--metric", "wer")
    assert scores["em", "a"] == 0.75  # SQuAD's normalisation leaves articles out
    assert scores["em", "b"] == 0.5
    assert scores["wer", "a"] == pytest.approx(2 / 6)
    assert scores["wer", "b"] == pytest.approx(2 / 6)


def _record(row: tuple[str, ...], **more: str) -> dict[str, object]:
    return {"id": row[0], "gold": ["none", row[1], "neither"], **more}


@pytest.mark.parametrize("shape", ["wide", "long", "files"])
def test_a_list_in_the_gold_is_of_several_right_answers(run: Run, tmp_path: Path, shape: str) -> None:
    records = {
        "wide": [_record(row, a=row[2], b=row[3]) for row in ROWS],
        "long": [_record(row, system=n, prediction=row[p]) for row in ROWS for p, n in ((2, "a"), (3, "b"))],
        "files": [_record(row) for row in ROWS],
    }[shape]
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    arguments = ["records.jsonl", "--gold", "gold"]
    if shape == "files":
        arguments = [*_files(tmp_path, ROWS)[:2], "--gold", "records.jsonl"]
    scores = _scores(run, *arguments, "--metric", "em")
    assert (scores["em", "a"], scores["em", "b"]) == (0.75, 0.5)


def test_a_list_is_no_prediction_of_a_text(run: Run, tmp_path: Path) -> None:
    records = [{"gold": "x y", "a": ["x", "y"], "b": "x y"}, {"gold": "z", "a": ["z"], "b": "z"}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    done = run("compare", "t.jsonl", "--gold", "gold", "--metric", "em")
    assert done.returncode == 2
    assert "'a' holds lists, and the metric reads a text of each item" in done.stderr


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("plan", ("--n", "4", "--simulations", "10")),
        ("advise", ()),
        ("datasets", ("--dataset", "part", "--resamples", "99")),
        ("folds", ("--fold", "part", "--resamples", "99")),
    ],
)
def test_the_other_commands_read_texts_that_look_like_numbers(
    run: Run, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    grouped = command in ("datasets", "folds")
    rows = [(*row[1:], *([part] if grouped else [])) for part in "uv" for row in NUMBERS]
    _table(tmp_path / "numbers.csv", "gold,a,b,part" if grouped else "gold,a,b", rows)
    done = run(command, "numbers.csv", "--metric", "em", "--gold", "gold", *more, "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"em"' in done.stdout


def test_scores_may_be_called_what_is_no_metric(run: Run, tmp_path: Path) -> None:
    _table(tmp_path / "scores.csv", "dataset,a,b", [("x", "1", "2"), ("y", "3", "4")])
    done = run("datasets", "scores.csv", "--metric", "my score")
    assert (done.returncode, done.stderr) == (0, "")
    assert "my score" in done.stdout


@pytest.mark.parametrize(("rows", "b"), [(ROWS, 0.5), (NUMBERS, 0.75)], ids=["texts", "numbers"])
def test_runs_of_measures_of_texts(run: Run, tmp_path: Path, rows: Rows, b: float) -> None:
    long = [(str(seed), *row) for seed in range(2) for row in rows]
    _table(tmp_path / "runs.csv", "seed,item,gold,a,b", long)
    done = run("runs", "runs.csv", "--metric", "em", "--resamples", "99", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert {one["system"]: one["score"] for one in json.loads(done.stdout)["systems"]} == {"a": 0.75, "b": b}


@pytest.mark.parametrize("in_file", [False, True], ids=["column", "file"])
def test_runs_with_several_right_answers(run: Run, tmp_path: Path, in_file: bool) -> None:
    golds = [{"item": row[0], "gold": ["none", row[1]]} for row in ROWS]
    records = [
        {"seed": seed, "item": row[0], "a": row[2], "b": row[3], **({} if in_file else gold)}
        for seed in range(2)
        for row, gold in zip(ROWS, golds, strict=True)
    ]
    for name, lines in (("runs", records), ("gold", golds)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    gold = "gold.jsonl" if in_file else "gold"
    done = run("runs", "runs.jsonl", "--gold", gold, "--metric", "em", "--resamples", "99", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert {one["system"]: one["score"] for one in json.loads(done.stdout)["systems"]} == {
        "a": 0.75,
        "b": 0.5,
    }
