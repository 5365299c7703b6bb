"""The list of submissions says what a ladder shows, and nothing that only the gold can tell without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.boards.examples import board_in, edit, folder_of, predictions_file
from tests.unit.boards.test_ladder_of_a_board import right

from bestby import BoardError
from bestby.boards.board import Board


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board with a ladder and four submissions of a team, of which the second is no improvement."""
    made = board_in(tmp_path)
    edit(made, 'part = "all"', 'part = "all"\nladder = true')
    for place, share in enumerate((30, 31, 45, 20)):
        made.submit(right(tmp_path, share, f"{place}.csv"), team="ours", system=f"s{place % 2}")
    return made


def states(board: Board) -> list[str]:
    return [one.state for one in board.submissions()]


def test_a_ladder_decides(board: Board) -> None:
    assert states(board) == ["replaced", "no improvement", "in force", "no improvement"]
    board.withdraw(board.submissions()[2].number)
    assert states(board) == ["in force", "no improvement", "withdrawn", "no improvement"]


def test_what_is_listed_is_what_the_site_shows(board: Board, tmp_path: Path) -> None:
    board.publish(tmp_path / "site")
    text = (tmp_path / "site" / "data" / "submissions.csv").read_text(encoding="utf-8")
    shown = [line.split(",") for line in text.splitlines()]
    place = shown[0].index("why_not")
    assert [line[place] or "in force" for line in shown[1:]] == states(board)


def test_without_the_gold_a_ladder_leaves_it_open(board: Board, tmp_path: Path) -> None:
    number = board.submissions()[2].number
    (tmp_path / "secret").rename(tmp_path / "moved")
    assert states(Board(board.path)) == ["undecided"] * 4
    assert "4 submissions" in repr(Board(board.path))
    board.withdraw(number)
    assert states(board)[2] == "withdrawn"


def test_before_the_end_of_a_phase_that_is_shown_then_it_stays_open(board: Board) -> None:
    edit(board, 'part = "all"', 'part = "all"\nshow = "after"\nend = 2999-01-01')
    assert set(states(board)) == {"undecided"}


def test_an_error_tells_nothing_of_the_gold(board: Board) -> None:
    path = folder_of(board).gold_version(1) / "task.csv"
    path.write_text(path.read_text().replace(",x,", ",y,", 1))
    with pytest.raises(BoardError, match="the gold was changed"):
        board.submissions()


def test_a_receipt_of_a_phase_with_a_ladder_claims_nothing(board: Board, tmp_path: Path) -> None:
    receipt = board.submit(predictions_file(tmp_path), team="theirs", system="a")
    assert receipt.state == "undecided"
