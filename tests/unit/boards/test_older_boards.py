"""Boards that version 0.2.0 wrote open, verify and publish: nothing that was public is hidden, nothing else shown.

In `boards_0_2_0/` both boards have a public phase and a private one that ended on 2026-02-01 and whose results are
shown after it. `ended` was published after this date, `ladder`, which has the key of that name, before it.
"""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest

from bestby.boards.board import Board

BOARDS = Path(__file__).parent / "boards_0_2_0"


def older(folder: Path, name: str) -> Board:
    """Return a copy of a board, with a `.gitignore` that would hide its gold from git where the board lies."""
    shutil.copytree(BOARDS / name, folder / name)
    (folder / name / "gitignore").rename(folder / name / ".gitignore")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Board(folder / name)


def test_a_ladder_in_the_settings_is_said_to_do_nothing(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    with pytest.warns(UserWarning, match="the key ladder of phase public no longer does anything"):
        Board(board.path)
    assert [one.state for one in board.submissions()] == ["in force"] * 8  # one was no improvement
    settings = board.path / "board.toml"
    settings.write_text(settings.read_text().replace("ladder = true\n", ""))
    Board(board.path)


def test_every_submission_of_a_phase_that_had_a_ladder_is_shown(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    board.publish(tmp_path / "site")
    assert board.verify(tmp_path / "site").sound
    (table,) = (tmp_path / "site" / "data").glob("public-task-accuracy-*[0-9a-f].csv")
    assert "ours/second" in table.read_text()
