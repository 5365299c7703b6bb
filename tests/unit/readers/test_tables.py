"""Small tables of text are cut by Python, as DuckDB would cut them, or left to DuckDB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.readers.helpers import Make

from bestby.readers import tables

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
