"""Paths that are no readable file: every function that reads refuses them in one sentence and a hint."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.questions.study.source import read_run

TABLE = "item,gold,a,b\n1,x,x,y\n2,y,y,y\n3,x,x,x\n"

READERS: dict[str, Callable[[str], Any]] = {
    "read": bb.read,
    "read, a file per system": lambda path: bb.read({"a": path, "b": path}),
    "read, gold": lambda path: bb.read(["a=a.txt", "b=a.txt"], gold=path),
    "read, format": lambda path: bb.read([path], format="trec", gold=path),
    "read_runs": bb.read_runs,
    "read_datasets": bb.read_datasets,
    "read_folds": bb.read_folds,
    "read_preferences": bb.read_preferences,
    "read_run": read_run,
}


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail what hangs."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("x\ny\nx\n")
    os.mkfifo("pipe")
    Path("circle").symlink_to("circle")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nowhere.csv", "no file 'nowhere.csv'"),
        ("a.txt/nowhere.csv", "no file 'a.txt/nowhere.csv'"),
        ("~/nowhere.csv", "/nowhere.csv'"),
        ("a" * 300, "(300 characters) cannot be read: the path is too long for a file"),
        ("circle", "'circle' cannot be read: its symbolic links form a loop"),
        ("pipe", "pipe is not a regular file"),
        ("/dev/zero", "/dev/zero is not a regular file"),
        ("a\0b", "no file "),
        ("\ud800", "no file "),
        ("-", "no file '-': the standard input is not read"),
        ("https://example.com/p.csv?a=b", "no file 'https://example.com/p.csv?a=b': addresses"),
    ],
)
def test_what_is_no_file_is_refused_in_two_lines(reader: str, path: str, told: str) -> None:
    with at_most(20), pytest.raises(InvalidInputError) as error:
        READERS[reader](path)
    assert told in error.value.message
    assert "\n" not in error.value.message
    assert error.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_may_not_be_read(reader: str) -> None:
    Path("locked.csv").write_text(TABLE)
    Path("locked.csv").chmod(0)
    with pytest.raises(InvalidInputError, match=r"locked\.csv' cannot be read: Permission denied"):
        READERS[reader]("locked.csv")


def test_a_missing_file_is_said_before_formats_are_compared() -> None:
    Path("run.txt").write_text("".join(f"t{i} Q0 d{j} {j} {9 - j}.5 x\n" for i in (1, 2) for j in (1, 2)))
    with pytest.raises(InvalidInputError, match=r"no file 'runs/b\.txt'"):
        bb.read(["run.txt", "runs/b.txt"], gold="qrels.txt")


def test_files_of_different_formats_are_named_by_the_paths_that_were_given() -> None:
    Path("one").mkdir()
    Path("one", "run.txt").write_text("t1 Q0 d1 1 9.5 x\nt1 Q0 d2 2 8.5 x\n")
    with pytest.raises(InvalidInputError, match=r"one/run\.txt: trec, a\.txt: table"):
        bb.read(["one/run.txt", "a.txt"])


def test_the_home_directory_is_put_in_for_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "t.csv").write_text(TABLE)
    monkeypatch.setenv("HOME", str(home))
    assert bb.read("~/t.csv", gold="gold").n_items == 3
    assert bb.read("~/*.csv", gold="gold").n_items == 3
    (home / "gold.txt").write_text("x\ny\nx\n")
    assert bb.read(["a=a.txt", "b=a.txt"], gold="~/gold.txt").n_items == 3
    Path("~").mkdir()
    Path("~", "t.csv").write_text(TABLE + "4,x,x,x\n")
    assert bb.read("~/t.csv", gold="gold").n_items == 4  # a file that is really called so goes before


def test_the_name_of_a_gold_column_may_be_longer_than_that_of_a_file() -> None:
    name = "g" * 400
    Path("wide.csv").write_text(TABLE.replace("gold", name))
    assert bb.read("wide.csv", gold=name).n_items == 3
