from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import message
from tests.unit.readers.helpers import Make

from bestby import Reading, compare_runs
from bestby.readers.formats import experiment_csv as form
from bestby.readers.formats.base import format_in
from bestby.readers.reading import read_runs

_FRAME = "run_id,experiment_id,status,artifact_uri,start_time,metrics.acc,params.lr,params.seed\n"
_UI = "Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,model,seed,acc\n"
_WANDB = "Name,State,Notes,User,Tags,Created,Runtime,Sweep,model,seed,acc,loss\n"


def _frame(rows: list[tuple[str, float | str, float, int]]) -> str:
    return _FRAME + "".join(
        f"r{i},1,{s},x,t,{acc},{lr},{seed}\n" for i, (s, acc, lr, seed) in enumerate(rows)
    )


def _wandb(rows: list[tuple[str, str, int, float, float]]) -> str:
    return _WANDB + "".join(
        f'"run-{i}","{state}","-","me","","2026","{i}","","{model}","{seed}","{acc}","{loss}"\n'
        for i, (state, model, seed, acc, loss) in enumerate(rows)
    )


_GOOD = [
    ("FINISHED", 0.5, 0.1, 2),
    ("FINISHED", 0.6, 0.1, 1),
    ("FINISHED", 0.7, 0.01, 1),
    ("FINISHED", 0.8, 0.01, 2),
]
_RUNS = [
    ("finished", "big", 1, 0.5, 1.0),
    ("finished", "big", 0, 0.6, 0.9),
    ("finished", "small", 0, 0.4, 1.1),
    ("finished", "small", 1, 0.3, 1.2),
    ("crashed", "small", 2, 0.1, 9.0),
]


def test_settings_that_vary_name_the_systems(make: Make) -> None:
    found = form.read({"runs": make("runs.csv", _frame(_GOOD))})
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "lr=0.1": [0.6, 0.5],
        "lr=0.01": [0.7, 0.8],
    }
    assert found.metric == "acc"
    assert found.description == (
        "runs exported from mlflow.search_runs; score: metrics.acc; system: columns params.lr;"
        " runs in the order of their seeds; systems: lr=0.1, lr=0.01"
    )
    assert compare_runs(found.runs, metric=found.metric).n_items == 0


def test_a_column_with_a_telling_name_and_unfinished_runs(make: Make) -> None:
    path = make("wandb.csv", _wandb(_RUNS))
    assert format_in(path) is form
    found = form.read({"wandb": path}, value_column="acc")
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "big": [0.6, 0.5],
        "small": [0.4, 0.3],
    }
    assert "system: column model; 1 runs that did not finish were left out" in found.description
    loss = form.read({"wandb": path}, value_column="loss")
    assert not compare_runs(loss.runs, metric=loss.metric).metrics[0].greater_is_better


def test_which_score(make: Make) -> None:
    path = make("wandb.csv", _wandb(_RUNS))
    assert message(form, {"wandb": path}) == (
        "wandb.csv: which column holds the scores? columns of numbers: acc, loss"
    )
    assert (
        message(form, {"wandb": path}, value_column="f1") == "wandb.csv has no column 'f1' (named as score)"
    )
    assert message(form, {"wandb": path}, value_column="model") == (
        "wandb.csv: column 'model' does not hold numbers"
    )


def test_the_table_of_the_user_interface(make: Make) -> None:
    rows = "".join(f"t,1s,r{i},run,LOCAL,x.py,me,FINISHED,{'ab'[i % 2]},{i},0.{i}\n" for i in range(1, 5))
    path = make("runs.csv", _UI + rows)
    assert format_in(path) is form
    found = form.read({"runs": path})
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "b": [0.1, 0.3],
        "a": [0.2, 0.4],
    }


def test_names_of_runs_without_their_numbers(make: Make) -> None:
    text = _WANDB.replace("model,", "depth,").replace(",loss", "") + "".join(
        f"{name},finished,,,,,,,7,,{score}\n"
        for name, score in (("bert-s1", 0.5), ("bert-s2", 0.6), ("lstm-s1", 0.3), ("lstm-s2", 0.2))
    )
    found = form.read({"w": make("w.csv", text)}, value_column="acc")
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "bert": [0.5, 0.6],
        "lstm": [0.3, 0.2],
    }


def _named(*names: str) -> str:
    head = _WANDB.replace("model,", "depth,").replace(",loss", "")
    return head + "".join(f"{name},finished,,,,,,,7,,0.{i + 1}\n" for i, name in enumerate(names))


def test_names_that_repeat_are_the_systems(make: Make) -> None:
    names = ("resnet18", "resnet50", "resnet18", "resnet50", "gpt-3", "gpt-3")
    found = form.read({"w": make("w.csv", _named(*names))}, value_column="acc")
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "resnet18": [0.1, 0.3],
        "resnet50": [0.2, 0.4],
        "gpt-3": [0.5, 0.6],
    }
    assert found.notes == ()


@pytest.mark.parametrize(
    "names",
    [
        ("resnet18", "resnet50", "vgg16", "vgg19"),
        ("gpt-3", "gpt-4", "bert-1", "bert-2"),
        ("parts1", "parts2", "parts3", "others"),
        ("quiet-sky-1", "calm-sea-2", "old-hill-3", "new-lake-4"),
    ],
)
def test_numbers_that_may_be_parts_of_names_join_nothing(make: Make, names: tuple[str, ...]) -> None:
    assert message(form, {"w": make("w.csv", _named(*names))}, value_column="acc") == (
        "w.csv: which column names the system of a run?"
    )


def test_a_note_says_which_runs_were_joined(make: Make) -> None:
    text = _named("bert-large-1", "bert-large-2", "lstm_seed42", "lstm_seed7")
    assert message(form, {"w": make("w.csv", text)}, value_column="acc")  # one with a word, one without
    text = _named("bert-seed1", "bert-seed22", "lstm_seed42", "lstm_seed7")
    (note,) = form.read({"w": make("w.csv", text)}, value_column="acc").notes
    assert note.code == "runs_joined"
    assert "bert = bert-seed1, bert-seed22; lstm = lstm_seed42, lstm_seed7. If" in note.message
    runs = read_runs(make("v.csv", text), reading=Reading(value_column="acc"))
    assert runs.notes == (note,)


def test_a_system_column_that_is_named(make: Make) -> None:
    path = make("wandb.csv", _wandb(_RUNS))
    assert list(form.read({"w": path}, value_column="acc", system_column="seed").runs) == ["1", "0"]
    assert message(form, {"w": path}, value_column="acc", system_column="depth") == (
        "wandb.csv has no column 'depth' (named as system)"
    )


def test_no_column_of_systems(make: Make) -> None:
    text = _WANDB.replace("model,", "depth,") + "".join(
        f"n{i}x,finished,,,,,,,7,{i},0.5,1\n" for i in range(3)
    )
    assert message(form, {"w": make("w.csv", text)}, value_column="acc") == (
        "w.csv: which column names the system of a run?"
    )


def test_a_table_per_system(make: Make) -> None:
    paths = {"A": make("a.csv", _frame(_GOOD[:2])), "B": make("b.csv", _frame(_GOOD[2:]))}
    found = form.read(paths)
    assert {name: scores.tolist() for name, scores in found.runs.items()} == {
        "A": [0.6, 0.5],
        "B": [0.7, 0.8],
    }
    assert "system: one table per system" in found.description


def test_seeds_must_not_come_twice(make: Make) -> None:
    doubled = [*_GOOD, ("FINISHED", 0.9, 0.1, 2)]
    assert message(form, {"runs": make("runs.csv", _frame(doubled))}) == (
        "runs.csv, row 5: a run of 'lr=0.1' with the seed 2 was already in row 1"
    )


def test_finished_runs_without_a_score(make: Make) -> None:
    paths = {"runs": make("runs.csv", _frame([*_GOOD, ("FINISHED", "", 0.1, 3)]))}
    assert message(form, paths) == "runs.csv: run '3' of system 'lr=0.1' has no score"


def test_no_run_has_finished(make: Make) -> None:
    rows = [("RUNNING", 0.5, 0.1, 1), ("FAILED", 0.5, 0.2, 1)]
    assert (
        message(form, {"runs": make("runs.csv", _frame(rows))}) == "runs.csv: none of the 2 runs has finished"
    )


@pytest.mark.parametrize("text", ["system,run,acc\na,0,1\n", "Name,Score\na,1\n", "", "\ufeff"])
def test_other_tables_are_not_recognised(make: Make, text: str) -> None:
    assert format_in(make("t.csv", text)) is None


def test_one_system_is_none_to_compare(make: Make, tmp_path: Path) -> None:
    paths = {"runs": make("runs.csv", _frame(_GOOD[:2]))}
    assert message(form, paths, system_column="experiment_id") == (
        "runs.csv: a comparison needs at least 2 systems, got 1"
    )
