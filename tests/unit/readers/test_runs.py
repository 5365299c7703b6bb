"""Tables of runs: wide, long, with items, with datasets; and what is wrong with others."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby.errors import InvalidInputError
from bestby.readers.reading import read_runs

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "runs.csv"
        path.write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
        return path

    return to_file


def test_a_wide_table(write: Write) -> None:
    found = read_runs(write("Seed,old,new 0,0.1,0.3 1,0.2, 2,,0.5"))
    assert {name: x.tolist() for name, x in found.runs.items()} == {"old": [0.1, 0.2], "new": [0.3, 0.5]}
    assert (found.gold, found.clusters, found.metric) == (None, None, None)
    assert found.description == "a wide table of runs; systems: old, new"


def test_quantities_of_systems_are_no_systems(write: Write) -> None:
    path = write("seed,old,new,old_seconds,new_seconds 0,0.1,0.3,7,9 1,0.2,0.5,8,9")
    found = read_runs(path)
    assert list(found.runs) == ["old", "new"]
    assert [one.message for one in found.notes if "old_seconds, new_seconds" in one.message]
    assert list(read_runs(path, systems=["old", "old_seconds"]).runs) == ["old", "old_seconds"]


def test_chosen_systems_of_a_wide_table(write: Write) -> None:
    found = read_runs(write("run,task,old,new r0,x,1,3 r1,x,2,4"), systems=["new", "old"])
    assert list(found.runs) == ["new", "old"]


def test_a_long_table_and_its_metric(write: Write) -> None:
    path = write("system,run,accuracy b,1,0.5 a,0,0.1 a,1,0.2 b,0,0.4")
    found = read_runs(path)
    assert {name: x.tolist() for name, x in found.runs.items()} == {"b": [0.5, 0.4], "a": [0.1, 0.2]}
    assert found.metric == "accuracy"
    paired = read_runs(path, paired=True)
    assert {name: x.tolist() for name, x in paired.runs.items()} == {"a": [0.1, 0.2], "b": [0.4, 0.5]}


def test_systems_are_told_by_other_names_where_they_repeat(write: Write) -> None:
    found = read_runs(write("Model,seed,f1 b,1,0.5 a,0,0.1 a,1,0.2 b,0,0.4"))
    assert {name: x.tolist() for name, x in found.runs.items()} == {"b": [0.5, 0.4], "a": [0.1, 0.2]}
    assert (found.metric, found.description) == ("f1", "a long table of runs; systems: a, b (column Model)")
    wide = write("seed,item,gold,base,model 0,q1,x,x,y 0,q2,y,y,y 1,q1,x,x,x 1,q2,y,x,y")
    assert list(read_runs(wide).runs) == ["base", "model"]


def test_a_column_that_looks_like_gold_is_no_system(write: Write) -> None:
    path = write("seed,item,label,old,new 0,q1,1,1,0 0,q2,0,0,0 1,q1,1,1,1 1,q2,0,0,1")
    with pytest.raises(InvalidInputError, match="column 'label' looks like gold"):
        read_runs(path)
    assert list(read_runs(path, gold="label").runs) == ["old", "new"]


def test_one_dataset_is_chosen_of_several(write: Write) -> None:
    path = write("system,run,dataset,score a,0,x,1 a,0,y,3 a,1,x,2 a,1,y,4 b,0,y,7 b,0,x,5 b,1,x,6 b,1,y,8")
    with pytest.raises(
        InvalidInputError, match=r"the runs are of 2 datasets \(column 'dataset': x, y\)"
    ) as caught:
        read_runs(path)
    assert "bestby datasets" in str(caught.value.hint)
    one = read_runs(path, datasets=["y"])
    assert {name: x.tolist() for name, x in one.runs.items()} == {"a": [3.0, 4.0], "b": [7.0, 8.0]}


def test_items_in_any_order_with_gold_and_clusters(write: Write) -> None:
    long = write("system,run,item,gold,cluster,prediction a,0,q1,x,d1,x a,0,q2,y,d2,x a,1,q2,y,d2,y a,1,q1,x,d1,x "
                 "b,0,q2,y,d2,y b,0,q1,x,d1,y b,1,q1,x,d1,x b,1,q2,y,d2,x")  # fmt: skip
    found = read_runs(long)
    assert {name: np.array(x).tolist() for name, x in found.runs.items()} == {
        "a": [["x", "x"], ["x", "y"]],
        "b": [["y", "y"], ["x", "x"]],
    }
    assert found.gold is not None
    assert found.clusters is not None
    assert found.gold.tolist() == ["x", "y"]
    assert found.clusters.tolist() == ["d1", "d2"]
    wide = write("id,seed,gold,a,b q1,0,1,1,0 q2,0,0,1,0 q2,1,0,0,0 q1,1,1,1,1")
    found = read_runs(wide)
    assert {name: np.array(x).tolist() for name, x in found.runs.items()} == {
        "a": [[1, 1], [1, 0]],
        "b": [[0, 0], [1, 0]],
    }
    assert found.gold is not None
    assert found.gold.tolist() == [1, 0]


def test_scores_of_items(write: Write) -> None:
    found = read_runs(write("item,run,a,b q1,0,1.5,0 q2,0,1,0 q2,1,0,0 q1,1,1,1"))
    assert np.array(found.runs["a"]).tolist() == [[1.5, 1.0], [1.0, 0.0]]
    assert found.gold is None


@pytest.mark.parametrize(
    ("text", "settings", "said"),
    [
        ("run 0 1", {}, "there is no column of a system"),
        ("run,a,b 0,1,x 1,2,y", {}, "system 'b' has a value that is not a number: 'x'"),
        ("item,run,a,b q1,0,1,3 q1,1,2,y", {}, "system 'b' has a value that is not a number: 'y'"),
        (
            "item,run,gold,country,a,b q1,0,x,AE,x,x q1,1,x,AE,x,y q2,0,y,DE,x,y q2,1,y,DE,y,y",
            {},
            "column 'country' shares no value with the gold",
        ),
        ("run,a,b 0,1,3 0,2,4", {}, "run '0' of system 'a' occurs 2 times"),
        ("run,a,b 0,,3 1,,4", {}, "system 'a' has no runs"),
        (
            "run,a,b 0,1,3 1,,4",
            {"paired": True},
            "paired runs must be the same for all systems, but run '1' is missing",
        ),
        ("run,a,b 0,1,3 1,2,4", {"systems": ["a", "c"]}, "has no column 'c' (named as system)"),
        ("run,a,b 0,1,3 1,2,4", {"gold": "label"}, "has no column 'label' (named as gold)"),
        ("run,a,b 0,1,3 1,2,4", {"datasets": ["x"]}, "has no column of datasets"),
        ("system,run,f1,acc a,0,1,2 b,0,1,2", {}, "which column holds the scores? Candidates: f1, acc"),
        ("system,run,score a,0,1 b,0,1", {"systems": ["c", "a"]}, "no system 'c'"),
        ("system,run,dataset,score a,0,x,1 b,0,x,1", {"datasets": ["y"]}, "no dataset 'y'"),
        (
            "system,run,item,score a,0,x,1 a,1,y,1 b,0,x,1",
            {},
            "run '0' of system 'a' has no value for 1 of 2 items; first: 'y'",
        ),
        ("system,dataset,score a,x,1 b,x,1", {}, "has no column called run or seed"),
        ("item,run,a,b q1,0,1,1 q1,0,1,1", {}, "run '0': item 'q1' of system 'a' occurs 2 times"),
        ("item,run,gold,a,b q1,0,x,x,y q1,1,y,x,y", {}, "the gold of item 'q1' is 'x' here and 'y' there"),
    ],
)
def test_what_cannot_be_read_is_refused(
    write: Write, text: str, settings: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_runs(write(text), **settings)  # type: ignore[arg-type]
    assert said in caught.value.message
