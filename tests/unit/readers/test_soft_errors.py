"""Files that hold no distributions where there should be some: what is said, and where."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.readers.helpers import Make, message

from bestby import Reading
from bestby._core.errors import InvalidInputError
from bestby._core.hints import without_records
from bestby.data.label_sets import WRITE_SETS
from bestby.data.roles import Soft
from bestby.readers import read

NORMALISE = "pass normalise=True to divide every row by its sum"
NUMBER = "every class needs a number; name the columns of the classes: classes=[...]"
CELL = "write 0 for a class that is impossible; leave the whole row out if there is no prediction"
SHAPE = "every row needs one probability per class, 0 where it is impossible"
ROW = "every row must be a probability for each class, at least 0, that sum to 1"


def said(paths: Any, **arguments: Any) -> tuple[str, str | None]:
    with pytest.raises(InvalidInputError) as caught:
        read(paths, **arguments)
    return caught.value.message, caught.value.hint and without_records(caught.value.hint)


@pytest.mark.parametrize(
    ("suffix", "content", "expected", "hint"),
    [
        ("txt", "0.5 0.5\n0.5 0.4\n1 0\n", "{}, line 2 sums to 0.9, not to 1", NORMALISE),
        ("txt", "0.5 0.5\nNA\n0.5 0.4\n", "{}, line 3 sums to 0.9, not to 1", NORMALISE),
        ("txt", "0.5 0.5\n3 1\n2 2\n", "{}, line 2 sums to 4, not to 1 (2 of 3 rows are not as they must be)", NORMALISE),
        ("txt", "0.5 0.5\n1 0\n0.2 x\n", "{}, line 3 holds 'x', expected a probability", NUMBER),
        ("txt", "0.5 0.5\n1 0\n0.2 0_8\n", "{}, line 3 holds '0_8', expected a probability", NUMBER),
        ("txt", "0.5,0.5\n1,0\n0.2,,0.8\n", "{}, line 3 holds 3 numbers, expected 2 (as in most rows)", SHAPE),
        ("txt", "0.5 0.5\n1 0\n1\n", "{}, line 3 holds 1 number, expected 2 (as in most rows)", SHAPE),
        ("txt", "0.5 0.5\n1.5 -0.5\n1 0\n", "{}, line 2 holds -0.5, less than 0", ROW),
        ("txt", "0.5 0.5\n1 NA\n1 0\n", "{}, line 2 has no value for number 2 of 2", CELL),
        ("txt", "0.5 0.5\n1 inf\n1 0\n", "{}, line 2 holds inf", ROW),
        ("csv", "0.5,0.5\n0.5,0.4\n1,0\n", "{}, line 2 sums to 0.9, not to 1", NORMALISE),
        ("csv", "0,1\n0.5,0.5\n1,0\n", "{}, line 1: is 0, 1 a distribution or the names of the classes?",
         "if names, say so: classes=[...]; if not, let the name of the file end in .txt"),
        ("csv", "id,p\n1,\"[0.5, 0.5]\"\n2,\"[0.5, 0.4]\"\n3,\"[1, 0]\"\n", "{}: column 'p', row 2 (item '2') sums to 0.9, not to 1", NORMALISE),
        ("csv", "p,q\n\"[0.5, 0.5]\",1\n\"[0.5, 0.5, 0]\",1\n\"[1, 0]\",1\n", "{}: column 'p', row 2 holds 3 numbers, expected 2 (as in most rows)", SHAPE),
        ("jsonl", '{"p":[0.5,0.5]}\n{"p":[0.5,"x"]}\n{"p":[1,0]}\n', "{}: column 'p', row 2 holds 'x', expected a probability", NUMBER),
        ("jsonl", '{"p":[0.5,0.5]}\n{"p":0.5}\n{"p":[1,0]}\n', "{}: column 'p', row 2 holds 1 number, expected 2 (as in most rows)", SHAPE),
        ("jsonl", '{"p":[0.5,0.5]}\n{"p":[null,0.5]}\n{"p":[1,0]}\n', "{}: column 'p', row 2 has no value for number 1 of 2", CELL),
        ("jsonl", '{"p":["a","b"]}\n{"p":["a"]}\n{"p":["b"]}\n', "'the gold' holds probabilities, while other columns hold sets of labels", WRITE_SETS),
    ],
)  # fmt: skip
def test_the_file_of_one_system(make: Make, suffix: str, content: str, expected: str, hint: str) -> None:
    path = make(f"bad.{suffix}", content)
    good = make("good.txt", "0.5 0.5\n1 0\n0 1\n")
    column = "p" if "p" in content.splitlines()[0] else None
    found = said({"bad": path, "good": good}, gold=good, reading=Reading(value_column=column))
    assert found == (expected.format(path), hint)


@pytest.mark.parametrize(
    ("content", "classes", "expected", "hint"),
    [
        ("item,neg,pos\nq1,0.5,0.5\nq2,0.5,0.4\n", ["neg", "pos"], "{}: columns neg, pos, row 2 (item 'q2') sums to 0.9, not to 1", NORMALISE),
        ("item,neg,pos\nq1,0.5,0.5\nq2,half,0.5\n", ["neg", "pos"], "{}: column 'neg', row 2 (item 'q2') holds 'half', expected a probability", NUMBER),
        ("item,neg,pos\nq1,0.5,0.5\nq2,,0.5\n", ["neg", "pos"], "{}: columns neg, pos, row 2 (item 'q2') has no value for class 'neg'", CELL),
        ("item,neg,pos\nq1,0.5,0.5\nq2,1,0\n", ["neg", "neu", "pos"], "{} has columns for some of the classes, but none for neu", "its columns are: item, neg, pos"),
        ("item,text,neg,pos\nq1,so,0.5,0.5\nq2,no,1,0\n", "columns", "{}: column 'text', row 1 (item 'q1') holds 'so', expected a probability", NUMBER),
        ("item,neg,pos\nq1,0.5,0.5\nq2,1,0\n", None, "{}: which column holds the predictions or scores? its columns are: item, neg, pos",
         "if columns are the probabilities of classes, or mark labels by 0 and 1, name them: classes=[...]; otherwise name the column of predictions or scores: value_column=..., or call it prediction or score"),
        ("item,text,pos\nq1,so,0.5\nq2,no,1\n", None, "{}: which column holds the predictions or scores? its columns are: item, text, pos",
         "name the column of predictions or scores: value_column=..., or call it prediction or score"),
        ("item,p\nq1,\"[0.5, 0.5]\"\nq2,\"[1, 0]\"\n", ["neg", "neu", "pos"], "{}: column 'p', row 1 (item 'q1') holds 2 numbers, expected 3 (one for each of neg, neu, pos)", SHAPE),
    ],
)  # fmt: skip
def test_columns_of_classes(make: Make, content: str, classes: Any, expected: str, hint: str) -> None:
    path = make("a.csv", content)
    assert said({"a": path, "b": path}, reading=Reading(classes=classes)) == (expected.format(path), hint)


def test_the_gold_file_hints_at_classes(make: Make) -> None:
    hard = make("a.csv", "item,prediction\nq1,x\nq2,y\n")
    gold = make("g.csv", "item,x,y\nq1,0.5,0.5\nq2,1,0\n")
    assert said({"a": hard, "b": hard}, gold=gold) == (
        f"{gold}: which column holds the gold? its columns are: item, x, y",
        "if columns are the probabilities of classes, or mark labels by 0 and 1, name them: classes=[...]; otherwise call it gold; columns of several annotators are annotators=[...]",
    )


BRACKETS = (
    "give gold and every system a column per class; if columns with brackets are systems of their own,"
    " choose them: systems=[...]"
)


@pytest.mark.parametrize(
    ("content", "arguments", "expected", "hint"),
    [
        ("id,a[x],a[y],b[x],b[y],gold\n1,0.5,0.5,1,0,x\n2,0.5,0.6,1,0,x\n", {}, "{}: columns a[x], a[y], row 2 (item '2') sums to 1.1, not to 1", NORMALISE),
        ("a[x],a[y],b[x],b[y],gold\n0.5,0.5,1,0,x\n0.5,?,1,0,x\n", {}, "{}: column 'a[y]', row 2 holds '?', expected a probability", NUMBER),
        ("a[x],a[y],b[x],b[y],b[z],gold\n0.5,0.5,1,0,0,x\n0.5,0.5,1,0,0,x\n", {}, "{} has a column 'b[z]', but the classes are x, y (of 'a')", BRACKETS),
        ("a[x],a[y],b[x],b[z],gold\n0.5,0.5,1,0,x\n0.5,0.5,1,0,x\n", {}, "{} has no column 'b[y]', but the classes are x, y (of 'a')", BRACKETS),
        ("a[x],a[y],b,gold\n0.5,0.5,x,x\n0.5,0.5,y,x\n", {"reading": Reading(classes=["x", "y", "z"])}, "{} has no column 'a[z]', but the classes are x, y, z", BRACKETS),
        ("a[x],a[y],a,gold\n0.5,0.5,x,x\n0.5,0.5,y,x\n", {}, "{}: column 'a' and the columns a[x], a[y] have one name", "rename one of them, or leave it out of the file"),
        ("a[x],a[y],text,gold[x],gold[y]\n0.5,0.5,so,1,0\n0.5,0.5,no,1,0\n", {}, "{}: column 'text' shares no value with the gold; is it a system?",
         "leave it out: ignore='text'; or choose the columns of the systems: systems=[...]"),
        ("a[x],a[y],b[x],b[y]\n0.5,0.5,1,0\n0.5,0.5,1,0\n", {}, "without gold, systems must be per-item scores, but 'a' holds a row per item", "pass gold=... to compare soft predictions"),
        ("a[x],a[y],b,gold\n0.5,0.5,x,x\n0.5,0.5,z,x\n", {}, "system 'b' holds the label 'z', which is none of the classes x, y",
         "pass classes=[...], the names of the classes in the order of the columns"),
        ("a[x],a[y],b,gold\n0.5,0.5,\"[1, 0]\",x\n0.5,0.5,\"[0, 1]\",x\n", {}, "nothing names the 2 classes of 'b', while those of 'a' are x, y",
         "name the classes in the order of its numbers: classes=[...]"),
    ],
)  # fmt: skip
def test_wide_tables(make: Make, content: str, arguments: dict[str, Any], expected: str, hint: str) -> None:
    path = make("w.csv", content)
    assert said(path, **arguments) == (expected.format(path), hint)


def test_arrays(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "a.npy"

    def of(array: Any, **arguments: Any) -> str:
        np.save(path, np.array(array))
        return message(
            {"a": path, "b": path}, gold=make("g.txt", "0\n1\n"), reading=Reading(**arguments)
        ).replace(str(path), "{}")

    assert of([[0.5, 0.5], [0.5, 0.4]]) == "{}, row 2 sums to 0.9, not to 1"
    assert of([[0.5, 0.5], [0.5, np.nan]]) == "{}, row 2 has no value for number 2 of 2"
    assert of([[2.5, -1.5], [0.5, 0.5]]) == "{}, row 1 holds -1.5, less than 0"
    assert of([["x", "y"], ["x", "y"]]) == "{} holds rows of values of type <U1, expected probabilities"
    assert of([[0.5, 0.5], [1, 0]], classes=["x", "y", "z"]) == (
        "{} holds 2 numbers per row, but 3 classes are named: x, y, z"
    )
    assert of([[0.0, 0.0], [1, 0]], normalise=True) == "{}, row 1 sums to 0 and cannot be normalised"
    assert of([[np.nan, np.nan], [1, 0]]).endswith("system 'a' has no value for 1 of 2 items; first: row 1")
    assert of([[0.5, 0.5]] * 3).startswith("gold has 2 values, expected 3")


def test_files_must_have_the_same_classes(make: Make, tmp_path: Path) -> None:
    a, b = make("a.csv", "x,y\n0.5,0.5\n1,0\n"), make("b.csv", "x,z\n0.5,0.5\n1,0\n")
    gold = make("g.txt", "x\nx\n")
    assert (
        message({"a": a, "b": b}, gold=gold, reading=Reading(classes="columns"))
        == "the classes of 'b' are x, z, those of 'a' x, y"
    )
    one, two = make("1.txt", "0.5 0.5\n1 0\n"), make("2.txt", "0.5 0.5 0\n1 0 0\n")
    assert message({"a": one, "b": two}, gold=one) == "'b' has 3 classes, 'a' has 2"
    words = make("w.txt", "neg\npos\n")
    assert said({"a": one, "b": one}, gold=words) == (
        "gold holds the label 'neg', which is none of the classes 0, 1",
        "pass classes=[...], the names of the classes in the order of the columns",
    )


def test_gold_in_the_files_of_the_systems_is_written_in_one_way(make: Make) -> None:
    a = make("a.jsonl", '{"prediction":[0.5,0.5],"g":[1,0]}\n{"prediction":[0.5,0.5],"g":[1,0]}\n')
    b = make("b.jsonl", '{"prediction":[0.5,0.5],"g":0}\n{"prediction":[0.5,0.5],"g":1}\n')
    assert (
        message({"a": a, "b": b}, gold="g")
        == "the gold in the files of the systems is not written in one way"
    )


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (
            "neg",
            "classes must be a list of names, or 'columns' for every column that plays no other part, got 'neg'",
        ),
        (["neg"], "there must be at least 2 classes, got 1"),
        (["neg", "pos", "neg"], "class 'neg' is named 2 times"),
        (["neg", ""], "a class has no name"),
    ],
)
def test_names_of_classes(classes: Any, expected: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Soft.of(classes, False)
    assert caught.value.message == expected
