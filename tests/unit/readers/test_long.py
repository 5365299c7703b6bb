"""Long tables: a row per item and system."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import pytest
from tests.unit.readers.helpers import Make, columns, message

from bestby import Reading
from bestby.errors import InvalidInputError
from bestby.readers import read

LONG = (
    "system,item,prediction,gold,cluster\n"
    "b,q2,y,y,c1\na,q1,x,x,c1\nb,q1,y,x,c1\na,q3,x,y,c2\na,q2,y,y,c1\nb,q3,y,y,c2\n"
)


def test_rows_are_joined_by_item_whatever_their_order(make: Make) -> None:
    evaluation = read(make("l.csv", LONG))
    assert evaluation.items is not None
    assert evaluation.clusters is not None
    by_item = dict(
        zip(evaluation.items.tolist(), zip(*columns(evaluation).values(), strict=True), strict=True)
    )
    assert list(columns(evaluation)) == ["gold", "a", "b"]
    assert by_item == {"q1": ("x", "x", "y"), "q2": ("y", "y", "y"), "q3": ("y", "x", "y")}
    groups = dict(zip(evaluation.items.tolist(), evaluation.clusters.tolist(), strict=True))
    assert groups == {"q1": "c1", "q2": "c1", "q3": "c2"}
    assert evaluation.notes[0].message == (
        "l.csv was read as a long table; systems: a, b (column system); values: prediction;"
        " gold: gold; item: item; cluster: cluster"
    )


@pytest.mark.parametrize("name", ["model", "Method", "algorithm"])
def test_systems_are_told_by_other_names_where_they_repeat(make: Make, name: str) -> None:
    evaluation = read(make("l.csv", LONG.replace("system", name)))
    assert columns(evaluation) == columns(read(make("s.csv", LONG)))
    assert f"systems: a, b (column {name})" in evaluation.notes[0].message


@pytest.mark.parametrize(
    "text",
    [
        "id,gold,prediction,model\n1,x,x,y\n2,y,y,y\n3,x,x,x\n",  # labels of the gold
        "id,score,model\n1,0,1\n2,1,1\n3,0,1\n",  # numbers
    ],
)
def test_a_system_may_be_called_model(make: Make, text: str) -> None:
    assert read(make("w.csv", text)).names[1] == "model"


def test_items_that_occur_once_a_run_are_for_another_command(make: Make) -> None:
    rows = "".join(f"{name},{run},q1,x,x\n" for name in "ab" for run in "12")
    unique = "item ids of system 'a' must be unique"
    for word, said, hint in (
        ("Seed", "'Seed' looks like the number of a run", "compare_runs"),
        ("year", unique, "told apart by year and item together"),
    ):
        with pytest.raises(InvalidInputError, match=said) as caught:
            read(make("l.csv", f"system,{word},item,prediction,gold\n{rows}"))
        assert hint in str(caught.value.hint)


def test_systems_can_be_chosen(make: Make) -> None:
    path = make("l.csv", LONG + "c,q1,x,x,c1\n")
    assert read(path, systems=["a", "b"]).names == ("a", "b")
    assert message(path, systems=["a", "d"]) == "{}: no system 'd' in column 'system'"


def test_scores_need_no_gold(make: Make) -> None:
    evaluation = read(
        make("s.csv", "system,id,score,gold\na,1,0.5,x\nb,1,1,x\na,2,0,y\nb,2,1,y\n"),
    )
    assert evaluation.gold is None or evaluation.gold.tolist() == ["x", "y"]
    plain = read(make("p.csv", "system,id,score\na,1,0.5\nb,1,1\na,2,0\nb,2,1\n"))
    assert columns(plain) == {"a": [0.5, 0.0], "b": [1.0, 1.0]}


def test_a_score_is_preferred_where_there_is_no_gold(make: Make) -> None:
    text = "system,item,prediction,score{}\na,1,x,0.5{}\nb,1,y,1{}\na,2,x,0{}\nb,2,y,1{}\n"
    without = read(make("n.csv", text.format(*[""] * 5)))
    assert columns(without) == {"a": [0.5, 0.0], "b": [1.0, 1.0]}
    with_gold = read(make("g.csv", text.format(",gold", *[",x"] * 4)))
    assert columns(with_gold) == {"gold": ["x", "x"], "a": ["x", "x"], "b": ["y", "y"]}
    asked = read(make("v.csv", text.format(",gold", *[",x"] * 4)), reading=Reading(value_column="score"))
    assert columns(asked) == {"a": [0.5, 0.0], "b": [1.0, 1.0]}


def test_columns_by_other_names(make: Make) -> None:
    path = make("o.csv", "model,question,answer,label\na,1,x,x\nb,1,y,x\na,2,x,y\nb,2,y,y\n")
    evaluation = read(
        path, reading=Reading(system_column="model", value_column="answer"), items="question", gold="label"
    )
    assert columns(evaluation) == {"gold": ["x", "y"], "a": ["x", "x"], "b": ["y", "y"]}
    assert message(path, reading=Reading(system_column="model", value_column="answer")) == (
        "{}: a long table needs a column of item ids"
    )
    assert message(path, reading=Reading(system_column="model"), items="question") == (
        "{}: no column is called prediction or score"
    )
    path = make("o.csv", "net,question,answer\na,1,x\nb,1,y\na,2,x\nb,2,y\n")
    assert message(path, reading=Reading(value_column="answer"), items="question") == (
        "{} has no column 'system' (named as system_column)"
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("a,q1,x,x,c1\n", "{}: item ids of system 'a' must be unique, but 1 of 3 occur more than once; first: 'q1' (2 times)"),
        ("a,q4,x,x,c1\n", "system 'b' and the gold share 3 of 4 item ids; 1 missing from 'b', first: 'q4'"),
        ("c,q1,x,y,c1\n", "{}: the gold of item 'q1' is 'x' here and 'y' there"),
        ("c,q1,x,x,c2\n", "{}: the cluster of item 'q1' is 'c1' here and 'c2' there"),
        ("c,q1,x,,c1\n", "{}: the gold is missing for 1 of 7 items; first: row 7, item 'q1'"),
        ("c,,x,x,c1\n", "{}: item column 'item' has no value in 1 of 7 rows; first: row 7"),
        (",q1,x,x,c1\n", "{}: system column 'system' has no value in 1 of 7 rows; first: row 7"),
        ("c,q1,,x,c1\n", "{}: system 'c' has no value for 1 of 1 items; first: row 1, item 'q1'"),
    ],
)  # fmt: skip
def test_errors(make: Make, row: str, expected: str) -> None:
    assert message(make("l.csv", LONG + row)) == expected


def test_missing_rows_and_missing_cells_are_the_same(make: Make) -> None:
    cell = read(make("c.csv", LONG.replace("a,q3,x", "a,q3,NA")), on_missing="worst")
    row = read(make("r.csv", LONG.replace("a,q3,x,y,c2\n", "")), on_missing="worst")
    for evaluation in (cell, row):
        assert evaluation.items is not None
        assert evaluation.items[evaluation.missing["a"]].tolist() == ["q3"]
    dropped = read(make("d.csv", LONG.replace("a,q3,x", "a,q3,NA")), on_missing="drop")
    assert dropped.items is not None
    assert sorted(dropped.items.tolist()) == ["q1", "q2"]


def test_a_wide_table_with_a_column_called_system_stays_wide(make: Make) -> None:
    path = make("w.csv", "system,item,prediction,other\n1,1,0,1\n0,2,1,1\n")
    assert read(path, systems=["prediction", "other"]).names == ("prediction", "other")


def test_items_that_repeat_beside_a_column_of_systems_ask_for_the_column_of_values(make: Make) -> None:
    path = make("t.csv", "item,system,graded,seconds\nq1,a,1,0.2\nq1,b,0,0.3\nq2,a,1,0.4\nq2,b,1,0.5\n")
    with pytest.raises(InvalidInputError, match="no column is called prediction or score; its") as error:
        read(path)
    assert error.value.hint == (
        "name the columns: reading=bestby.Reading(value_column='graded'); or leave this one out:"
        " reading=bestby.Reading(ignore='system')"
    )
    assert columns(read(path, reading=Reading(value_column="graded"))) == {"a": [1, 1], "b": [0, 1]}
    assert columns(read(path, reading=Reading(value_column="seconds"))) == {"a": [0.2, 0.4], "b": [0.3, 0.5]}
