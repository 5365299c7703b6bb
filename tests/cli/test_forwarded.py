"""`bestby compare` runs the command that the data are for, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.helpers import Run, check_refused

import bestby as bb
from bestby._core.errors import InvalidInputError

SCORES = {"old": [0.80, 0.81, 0.79, 0.80, 0.82], "new": [0.84, 0.83, 0.85, 0.83, 0.84]}


def rows(*columns: str) -> pd.DataFrame:
    """Return scores of two systems, a row for each score or for both, with columns of their places."""
    wide = pd.DataFrame({name: range(5) for name in columns} | SCORES)
    return wide.assign(dataset=[f"d{place}" for place in range(5)]) if "dataset" in columns else wide


def long(table: pd.DataFrame, value: str) -> pd.DataFrame:
    return table.melt([name for name in table if name not in SCORES], var_name="system", value_name=value)


TWICE = pd.concat([rows("seed").assign(dataset=name) for name in ("sst2", "mrpc", "rte")])
ITEMS = pd.DataFrame(
    [
        {"task": task, "item": item, "gold": item % 2, "a": item % 2, "b": (item + (item % 5 == 0)) % 2}
        for task in "xy"
        for item in range(40)
    ]
)
ITEMS_OF_RUNS = pd.DataFrame(
    [
        {"system": system, "seed": seed, "item": item, "score": (item + seed) % every > 0}
        for system, every in (("old", 3), ("new", 5))
        for seed in range(4)
        for item in range(40)
    ]
)
TABLES = {
    "wide runs": ("runs", rows("seed")),
    "long runs": ("runs", long(rows("run"), "acc")),
    "runs of items": ("runs", ITEMS_OF_RUNS),
    "datasets": ("datasets", rows("dataset")),
    "long datasets": ("datasets", long(rows("dataset"), "score")),
    "runs on datasets": ("datasets", long(TWICE, "acc")),
    "items of tasks": ("datasets", ITEMS),
    "p-values": ("datasets", pd.DataFrame({"dataset": ["x", "y"], "p_value": [0.01, 0.2]})),
    "folds": ("folds", rows("fold")),
}


@pytest.mark.parametrize("name", TABLES)
def test_compare_goes_where_the_data_belong(run: Run, tmp_path: Path, name: str) -> None:
    question, table = TABLES[name]
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ["--level", "0.9", "--json", "-"]
    done, direct = run("compare", "t.csv", *options), run(question, "t.csv", *options)
    assert (done.returncode, direct.returncode, direct.stderr) == (0, 0, "")
    assert json.loads(done.stdout) == json.loads(direct.stdout)
    (line,) = done.stderr.splitlines()
    assert line.endswith(f", so this is the answer of: bestby {question} t.csv --level 0.9 --json -")


@pytest.mark.parametrize("name", [name for name in TABLES if name != "p-values"])
def test_python_is_told_the_call(name: str) -> None:
    question, data = TABLES[name]
    with pytest.raises(InvalidInputError) as refused:
        bb.compare(data)
    hint = str(refused.value.hint)
    assert hint.startswith(f"bestby.compare_{question}(data")
    answer = eval(hint.partition("; or ")[0], {"bestby": bb, "data": data})
    assert len({one.a for one in answer} | {one.b for one in answer}) == 2


def test_the_call_keeps_what_was_given() -> None:
    with pytest.raises(InvalidInputError) as refused:
        bb.compare(rows("seed"), metric="acc")
    assert str(refused.value.hint).startswith("bestby.compare_runs(data, metric='acc'); or ")
    with pytest.raises(InvalidInputError) as refused:
        bb.compare(rows("seed").assign(note=1), reading=bb.Reading(ignore="note"))
    assert ".compare_runs(data, reading=bestby.Reading(ignore='note')); or " in str(refused.value.hint)


def test_an_option_that_the_other_command_has_not_is_named(run: Run, tmp_path: Path) -> None:
    rows("seed").to_csv(tmp_path / "t.csv", index=False)
    done = run("compare", "t.csv", "--blocks", "3")
    check_refused(
        done, "and bestby runs has no --blocks", "hint: leave --blocks out; or name the systems: --system"
    )


def test_what_is_chosen_stays(run: Run, tmp_path: Path) -> None:
    rows("seed").to_csv(tmp_path / "t.csv", index=False)
    for chosen in (("--ignore", "seed"), ("--system", "old", "--system", "new")):
        done = run("compare", "t.csv", *chosen)
        assert (done.returncode, done.stderr) == (0, "")
    rows("seed").assign(seed=7).to_csv(tmp_path / "t.csv", index=False)
    check_refused(run("compare", "t.csv"), "looks like the number of a run", "leave it out: --ignore ...")


def test_another_command_is_told_of_it(run: Run, tmp_path: Path) -> None:
    rows("seed").to_csv(tmp_path / "t.csv", index=False)
    check_refused(run("evaluate", "t.csv"), "looks like the number of a run", "hint: bestby runs t.csv; or ")


def test_items_of_several_datasets_can_be_one_test_set(run: Run, tmp_path: Path) -> None:
    table = ITEMS.melt(["task", "item"], ["a", "b"], var_name="system", value_name="score")
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("gate", "t.csv", "--margin", "0.2")
    hint = "hint: bestby datasets t.csv --margin 0.2; or take all items as one test set: --item "
    check_refused(done, "looks like the name of a dataset", hint)
    options = done.stderr.split("test set: ")[1].split()
    gated = run("gate", "t.csv", "--margin", "0.2", *options)
    assert (gated.returncode, gated.stderr) == (0, "")
    assert "item: task and item" in gated.stdout
