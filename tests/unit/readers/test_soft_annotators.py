"""Gold from annotators: a column each, or a row per item and annotator."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import numpy as np
import pytest
from tests.unit.readers.helpers import Make, message

from bestby import Reading
from bestby.data.evaluation import Evaluation
from bestby.readers import read

WIDE = "id,ann1,ann2,ann3,cluster\nq1,x,y,y,u\nq2,x,x,NA,u\nq3,NA,NA,y,v\n"
LONG = (
    "id,worker,label,cluster\nq2,w1,x,u\nq1,w1,x,u\nq1,w2,y,u\nq3,w9,y,v\nq2,w3,x,u\nq1,w3,y,u\nq2,w4,NA,u\n"
)
COUNTS = {"q1": [1, 2], "q2": [2, 0], "q3": [0, 1]}


def check(evaluation: Evaluation, classes: list[str] | None = None) -> None:
    assert evaluation.annotations is not None
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == (classes or ["x", "y"])
    assert evaluation.items is not None
    counts = dict(zip(evaluation.items.tolist(), evaluation.annotations.counts.tolist(), strict=True))
    wanted = COUNTS if classes is None else {item: row[::-1] for item, row in COUNTS.items()}
    assert counts == wanted
    assert evaluation.gold is not None
    assert evaluation.gold.tolist() == evaluation.annotations.distribution().tolist()


def test_columns_of_one_table(make: Make) -> None:
    text = WIDE.replace("cluster", "cluster,gold,a,b").replace("u\n", "u,x,x,y\n").replace("v\n", "v,y,y,y\n")
    table = make("w.csv", text)
    evaluation = read(table, reading=Reading(annotators=["ann1", "ann2", "ann3"]))
    check(evaluation)
    assert evaluation.names == ("a", "b")
    assert evaluation.notes[0].message == (
        "w.csv was read as a wide table; systems: a, b; annotators: ann1, ann2, ann3; item: id;"
        " cluster: cluster; column gold was not used; distributions over the classes x, y: gold"
    )
    named = read(table, reading=Reading(annotators=["ann1", "ann2", "ann3"]), systems=["b", "a"], items="id")
    check(named)
    assert named.names == ("b", "a")


@pytest.mark.parametrize(
    ("gold", "annotators"), [(WIDE, ["ann1", "ann2", "ann3"]), (LONG, "worker"), (LONG, ["worker"])]
)
def test_the_file_of_the_gold(make: Make, gold: str, annotators: str | list[str]) -> None:
    hard = make("a.csv", "id,prediction\nq3,y\nq1,x\nq2,x\n")
    soft = make("b.csv", "id,y,x\nq1,0.5,0.5\nq2,1,0\nq3,0.25,0.75\n")
    path = make("g.csv", gold)
    check(read({"a": hard, "b": hard}, gold=path, reading=Reading(annotators=annotators)))
    evaluation = read(
        {"a": hard, "b": soft}, gold=path, reading=Reading(classes=["y", "x"], annotators=annotators)
    )
    check(evaluation, ["y", "x"])
    assert evaluation.items is not None
    at = evaluation.items.tolist().index("q3")
    assert evaluation.systems["b"][at].tolist() == [0.25, 0.75]
    assert evaluation.clusters is not None
    assert evaluation.clusters[at] == "v"


def test_rows_and_columns_of_annotators_are_the_same_evaluation(make: Make) -> None:
    files = {
        "a": make("a.csv", "id,prediction\nq1,x\nq2,y\nq3,y\n"),
        "b": make("b.csv", "id,prediction\nq1,x\nq2,y\nq3,y\n"),
    }
    ordered = LONG.splitlines()
    rows = "\n".join([ordered[0], *sorted(ordered[1:])]) + "\n"
    one = read(files, gold=make("1.csv", WIDE), reading=Reading(annotators=["ann1", "ann2", "ann3"]))
    two = read(files, gold=make("2.csv", rows), reading=Reading(annotators="worker"))
    assert one.data_hash() == two.data_hash()


def test_a_long_table_of_systems(make: Make) -> None:
    rows = "item,system,prediction,one,two\n1,a,x,x,y\n2,a,y,y,\n1,b,y,x,y\n2,b,y,y,\n"
    evaluation = read(make("l.csv", rows), reading=Reading(annotators=["one", "two"]))
    assert evaluation.annotations is not None
    assert evaluation.annotations.counts.tolist() == [[1, 1], [0, 1]]
    bad = rows.replace("2,b,y,y,", "2,b,y,y,x")
    assert message(make("l.csv", bad), reading=Reading(annotators=["one", "two"])) == (
        "{}: the gold of item '2' is \"['y', None]\" here and \"['y', 'x']\" there"
    )


def test_items_may_be_dropped_and_keep_their_annotators(make: Make) -> None:
    files = {
        "a": make("a.csv", "id,prediction\nq3,y\nq1,x\n"),
        "b": make("b.csv", "id,prediction\nq1,x\nq2,y\nq3,x\n"),
    }
    evaluation = read(
        files, gold=make("g.csv", LONG), reading=Reading(annotators="worker"), on_missing="drop"
    )
    assert evaluation.items is not None
    assert evaluation.annotations is not None
    assert dict(zip(evaluation.items.tolist(), evaluation.annotations.counts.tolist(), strict=True)) == {
        "q1": [1, 2], "q3": [0, 1],
    }  # fmt: skip


def test_numbers_as_labels_beside_arrays(make: Make, tmp_path) -> None:
    np.save(tmp_path / "a.npy", np.full((2, 3), [0.5, 0.25, 0.25]))
    files = {"a": tmp_path / "a.npy", "b": make("b.txt", "0\n1\n")}
    evaluation = read(files, gold=make("g.csv", "p,q\n0,1\n1,1\n"), reading=Reading(annotators=["p", "q"]))
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == [0, 1, 2]
    assert evaluation.annotations is not None
    assert evaluation.annotations.counts.tolist() == [[1, 1, 0], [0, 2, 0]]


SYSTEMS = "id,prediction\nq1,x\nq2,y\nq3,y\n"


@pytest.mark.parametrize(
    ("gold", "annotators", "expected"),
    [
        (WIDE, ["ann1", "ann9"], "{} has no column 'ann9' (named as annotator); did you mean 'ann3' or 'ann2'?"),
        (WIDE, ["ann1", "ann2"], "{}: the gold is missing for 1 of 3 items; first: row 3, item 'q3'"),
        (WIDE, ["ann1", "ann1"], "annotator 'ann1' was named 2 times"),
        (WIDE, [], "annotators is an empty list"),
        (LONG.replace("q2,w4,NA", "q2,w1,y"), "worker", "{}: annotator 'w1' labelled item 'q2' twice, in rows 1 and 7"),
        (LONG.replace("q3,w9,y", "q3,w9,"), "worker", "{}: the gold is missing for 1 of 3 items; first: row 3, item 'q3'"),
        (LONG.replace("id,", "key,"), "worker", "{}: a row per item and annotator needs a column of item ids"),
        (LONG.replace("label", "given").replace("cluster", "text"), "worker", "{}: which column holds the labels of the annotators? its columns are: id, worker, given, text"),
        (LONG.replace("q1,w3,y,u", "q1,w3,y,v"), "worker", "{}: the value of 'cluster' of item 'q1' is 'u' here and 'v' there"),
        (LONG.replace("w9", ""), "worker", "{}: annotator column 'worker' has no value in 1 of 7 rows; first: row 4"),
    ],
)  # fmt: skip
def test_errors(make: Make, gold: str, annotators: str | list[str], expected: str) -> None:
    path = make("g.csv", gold)
    said = message(
        {"a": make("a.csv", SYSTEMS), "b": make("b.csv", SYSTEMS)},
        gold=path,
        reading=Reading(annotators=annotators),
    )
    assert said.replace(str(path), "{}") == expected


def test_where_annotators_make_no_sense(make: Make) -> None:
    systems = {"a": make("a.csv", SYSTEMS), "b": make("b.csv", SYSTEMS)}
    assert message(systems, reading=Reading(annotators=["p", "q"])) == (
        "there is one file per system, and none with the labels of the annotators"
    )
    lines = make("g.txt", "x\ny\nx\n")
    assert message(systems, gold=lines, reading=Reading(annotators=["p", "q"])) == (
        f"{lines} has no columns with names, expected one per annotator (p, q)"
    )
    wide = make("w.csv", "id,p,q,a,b\n1,x,x,x,x\n2,y,y,y,y\n")
    assert message(wide, gold="p", reading=Reading(annotators=["p", "q"])) == (
        "the gold is either column 'p' or made of the labels of annotators (p, q)"
    )
    assert message(wide, reading=Reading(annotators="p")).startswith(
        "column 'p' says who labelled, so it needs a row per item"
    )
    lists = make("w.jsonl", '{"p":[0.5,0.5],"q":"x","a":"x","b":"x"}\n' * 2)
    assert "column 'p' holds lists, expected the labels of one annotator" in message(
        lists, reading=Reading(annotators=["p", "q"])
    )
