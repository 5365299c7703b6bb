"""An export: no text of a participant is a formula, and no file of the board is written over."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.unit.boards.examples import board_in, predictions_file, state, write_table

from bestby.boards.board import Board
from bestby.errors import InvalidInputError

GOLD = ["=1+1", "-5", "+3e2", "a"] * 10
CELLS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "-5", "+3e2", "-.5", "a=b", "'=1", "- item"] * 4
EXPORTED = [
    "'=cmd|' /C calc'!A0",
    "'+1+1",
    "'-2+3",
    "'@SUM(A1)",
    "-5",
    "+3e2",
    "-.5",
    "a=b",
    "'=1",
    "'- item",
] * 4


@pytest.mark.parametrize("with_gold", [False, True])
def test_texts_that_are_formulas_get_an_apostrophe_and_numbers_do_not(
    tmp_path: Path, with_gold: bool
) -> None:
    ids = [f"q{place}" for place in range(40)]
    gold = write_table(tmp_path / "gold.csv", {"id": ids, "gold": GOLD})
    board = Board.create(tmp_path / "board", gold, title="T", metrics="em_strict")
    for name, values in (("odd", CELLS), ("right", GOLD)):
        board.submit(
            write_table(tmp_path / "p.csv", {"id": ids, "prediction": values}), team="t", system=name
        )
    assert board.export(tmp_path / "all.csv", with_gold=with_gold) == 2
    with (tmp_path / "all.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["t/odd"] for row in rows] == EXPORTED
    if with_gold:
        assert [row["gold"] for row in rows] == [row["t/right"] for row in rows]
        assert rows[0]["gold"] == "'=1+1"


@pytest.mark.parametrize(
    "place",
    [
        "board.toml", "record.jsonl", "items.csv", ".gitignore", ".gitattributes", "lock.sqlite",
        "Lock.SQLite", "lock.sqlite-wal", "tmp/all.csv", "submissions/all.csv",
        "site/all.csv", "site/data/all.csv", "site/index.html",
        "../elsewhere/all.csv", "../secret/1/task.csv",
    ],
)  # fmt: skip
def test_it_is_never_written_over_files_of_the_board_or_into_a_site(tmp_path: Path, place: str) -> None:
    board = board_in(tmp_path)
    board.submit(predictions_file(tmp_path), team="ours", system="first")
    for site in (board.path / "site", tmp_path / "elsewhere"):
        board.publish(site)
    before = state(tmp_path)
    with pytest.raises(
        InvalidInputError, match="a place of the board's own files or of a published site"
    ) as caught:
        board.export(board.path / place)
    assert caught.value.hint == "name another file, such as all.csv"
    assert state(tmp_path) == before
    board.export(board.path / "all.csv")
