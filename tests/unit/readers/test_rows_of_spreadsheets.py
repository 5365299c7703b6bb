"""What spreadsheets add to a table: numbers of rows, empty rows, and a line that tells the delimiter."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.unit.readers.helpers import Make, columns, message

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.readers import read


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["Satz Nr", "index", "Unnamed: 0"])
def test_a_column_that_counts_the_rows_is_no_system(make: Make, name: str, first: int) -> None:
    rows = "".join(f"{first + row},{row % 3},{row % 4}.5\n" for row in range(12))
    path = make("t.csv", f"{name},a,b\n{rows}")
    told = f"{{}}: column {name!r} counts the rows; is it a system?"
    assert message(path) == message(path, gold="a") == told
    frame = pd.read_csv(path)
    with pytest.raises(InvalidInputError, match="counts the rows"):
        bb.compare(frame, gold="a")
    assert read(path, items=name).names == ("a", "b")
    assert read(path, ignore=name).names == ("a", "b")
    assert read(path, systems=[name, "a"]).names == (name, "a")


def test_what_only_resembles_the_numbers_of_rows_is_a_system(make: Make) -> None:
    others = [[*range(11), 12], [*range(2, 14)], [0.0, 1.5, *range(2, 12)], [*range(12)][::-1]]
    for values in others:
        text = "".join(f"{value},{row % 3}\n" for row, value in enumerate(values))
        assert read(make("t.csv", f"a,b\n{text}")).names == ("a", "b")
    assert read(make("few.csv", "a,b\n1,2\n2,2\n3,1\n")).names == ("a", "b")
    gold = "".join(f"{row},{row},{row + row % 2}\n" for row in range(12))
    assert read(make("gold.csv", f"gold,a,b\n{gold}"), gold="gold").names == ("a", "b")


@pytest.mark.parametrize("name", ["ID", "Item", "item id"])
def test_a_column_that_is_called_as_item_ids_is_no_system(make: Make, name: str) -> None:
    path = make("t.csv", f"{name},a,b\nk7,x,x\nk9,x,y\n")
    assert message(path, gold="a") == f"{{}}: column {name!r} looks like item ids"
    assert read(path, gold="a", items=name).names == ("b",)


@pytest.mark.parametrize("n_rows", [3, 12_000])
@pytest.mark.parametrize("kind", ["labels", "scores", "mixed"])
def test_empty_rows_at_the_end_are_no_items(make: Make, n_rows: int, kind: str) -> None:
    cells = {"labels": "x;y", "scores": "0.5;0.25", "mixed": "x;0.25"}[kind]
    rows = f"{cells}\r\n" * n_rows
    gold = None if kind == "scores" else "a"
    plain = columns(read(make("plain.csv", f"a;b\r\n{rows}"), gold=gold, systems="b"))
    for blank in (";\r\n;\r\n\r\n", "  ;  \r\n", ";\r\n \t;\r\n;  \r\n"):
        assert columns(read(make("blank.csv", f"a;b\r\n{rows}{blank}"), gold=gold, systems="b")) == plain


def test_other_empty_rows_are_missing_items(make: Make) -> None:
    assert message(make("t.csv", "a,b\n1,2\n,\n3,1\n,\n")) == (
        "{}: system 'a' has no value for 1 of 3 items; first: row 2"
    )
    assert message(make("words.csv", "a,b\n.5,.1\n.2,.4\nNA,NA\n")) == (
        "{}: system 'a' has no value for 1 of 3 items; first: row 3"
    )
    assert message(make("none.csv", "a,b\n,\n,\n")) == "{} has a header but no rows"


def test_a_line_that_tells_a_spreadsheet_the_delimiter_names_no_columns(make: Make) -> None:
    assert message(make("t.csv", "sep=;\r\nitem;a;b\r\n1;1;0\r\n")) == (
        "{}, line 1: 'sep=;' tells a spreadsheet the delimiter, and names no columns"
    )
    assert read(make("plain.csv", "sep=,b\n1,0\n0,1\n")).names == ("sep=", "b")
