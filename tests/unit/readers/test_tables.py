"""Tables: who cuts them, which of their texts spell numbers, and what spreadsheets add."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.readers.helpers import Make, columns, message

import bestby as bb
from bestby._core.checks import NUMERAL
from bestby._core.errors import InvalidInputError
from bestby.data.columns import MISSING, Numerals
from bestby.readers import read, tables
from bestby.readers.tables import _kind_sql

CELLS = st.text(st.sampled_from(list('ab1 ."\t\\#é\u2028\ufeff')), max_size=3) | st.sampled_from(
    ['""', '"a,b"', '"a\nb"', '"a""b"', ' "a"', '"a" ', "NULL", "NA"]
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=3), max_size=5), end=st.sampled_from(["\n", "\r\n"])
)
def test_python_cuts_a_table_as_the_database_does(tmp_path: Path, rows: list[list[str]], end: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(end.join(["x,y", *map(",".join, rows), ""]), encoding="utf-8", newline="")
    columns = tables._columns_of_small_file(path, "none", ["x", "y"], ",")
    if columns is None:
        return
    expected = tables._columns_of_database(path, "none", ["x", "y"], ",", frozenset())
    assert [column.tolist() for column in columns] == [tables._cells(column) for column in expected]


@pytest.mark.parametrize(
    "text", ['x,y\n1, "2"\n', 'x,y\n"1"2,3\n', "x,y\n1\n", "x\n1\n", "x,y\r\n1,2\n", "x,y\r1,2\r"]
)
def test_what_python_would_cut_otherwise_is_left_to_the_database(text: str, make: Make) -> None:
    path = make("t.csv", text.encode())
    assert tables._columns_of_small_file(path, "none", text.split()[0].split(","), ",") is None


def test_no_database_is_loaded_for_a_small_table(make: Make) -> None:
    path = make("t.csv", b"gold,a,b\n" + b"x,x,y\ny,x,y\n" * 5)
    code = f"import sys, bestby; bestby.read({str(path)!r}); print('duckdb' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "False\n"


NUMBERS = "0 -0 1 +1 -1 0.5 -0.5 +.5 .5 5. 0. 1e5 1E-5 1.5e+3 0e5 1e400 12345678901234567890123"
CODES = "01 -01 +01 00 -00 00.5 1_000 0_1 1__0 +-1 -+1 --1 1- 1e 1e5.5 .e5 . - + 1.5.2 1,5 1'000"
OTHERS = "0x1F 0b1 1f 1d 1L 1% $1 true x NA NaN nan"
SPELLINGS = [
    *f"{NUMBERS} {CODES} {OTHERS}".split(),
    "",
    " 1",
    "\t1",
    " 01",
    "1 2",
    "1\u00a0",
    "\u0661",
    "1\n.5",
]


def test_the_kinds_of_texts_are_those_of_the_pattern() -> None:
    query = f"SELECT x, {_kind_sql('x', frozenset(MISSING))} FROM (SELECT unnest(?) AS x)"
    kinds = dict(duckdb.connect().execute(query, [SPELLINGS]).fetchall())
    expected = {text: 0 if text in MISSING else 1 if NUMERAL.fullmatch(text) else 2 for text in SPELLINGS}
    assert kinds == expected


@pytest.mark.parametrize("odd", ["01", "1_000", "+-1", "x"])
def test_one_odd_value_far_down_makes_texts_of_a_long_column(odd: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{i / 7},{i / 3}" for i in range(1, 12_000)]
    path.write_text("\n".join(["a,b", *rows, f"{odd},1"]) + "\n", encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="'a' holds text"):
        bb.read(path)


def test_scores_of_a_table_are_never_made_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Numerals) -> None:
        raise AssertionError("the texts of numbers take four fifths of the time of reading")

    path = tmp_path / "scores.csv"
    path.write_text("a,b\n" + "".join(f"{i / 64},0.5\n" for i in range(30_000)), encoding="utf-8")
    monkeypatch.setattr(Numerals, "values", property(refused))
    evaluation = bb.read(path)
    assert evaluation.systems["a"].tolist() == [i / 64 for i in range(30_000)]


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
    assert read(path, reading=bb.Reading(ignore=name)).names == ("a", "b")
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
