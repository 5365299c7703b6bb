"""One database reads all files of a process, and no file sees what another one did."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bestby import read
from bestby._core.errors import InvalidInputError
from bestby.readers import database


def test_a_database_that_became_unusable_is_replaced(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with database.connection("x") as one:
        before = one.execute("SELECT 1").fetchall()
    with pytest.raises(InvalidInputError, match="broken"), database.connection("x"):
        raise duckdb.InternalException("INTERNAL Error: broken")
    with database.connection("x") as one:
        assert one.execute("SELECT 1").fetchall() == before
    assert database._shared_by.cache_info().misses >= 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_of_the_same_size_and_time_is_read_anew(tmp_path: Path, kind: str) -> None:
    import pandas as pd

    path = tmp_path / f"t.{kind}"
    seen = []
    for label in "xy":
        frame = pd.DataFrame({"gold": ["x", "y"], "a": [label, label], "b": ["x", "y"]})
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        os.utime(path, ns=(10**18, 10**18))
        seen.append(list(read(path).systems["a"]))
    assert seen == [["x", "x"], ["y", "y"]]


def test_tables_of_one_connection_are_not_seen_by_the_next() -> None:
    with database.connection("x") as one:
        one.execute("CREATE TEMP TABLE t AS SELECT 1")
    with pytest.raises(InvalidInputError, match="does not exist"), database.connection("x") as other:
        other.execute("SELECT * FROM t")


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fork_opens_a_database_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("gold,a,b\nx,x,y\ny,y,y\n", encoding="utf-8")
    assert read(path).n_items == 2
    child = os.fork()
    if child == 0:
        os._exit(0 if read(path).n_items == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
