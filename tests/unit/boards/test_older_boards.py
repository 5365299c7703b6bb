"""Boards of version 0.2.0 open, verify and publish: what was public stays so, and nothing else is shown.

In `boards_0_2_0/` both have a public phase, and a private one that ends on 2026-02-01 and shows its results
after it. `ended` was published after this date; `ladder`, which has the key of that name, before it.
"""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest

from bestby import InvalidInputError
from bestby.boards.board import Board

BOARDS = Path(__file__).parent / "boards_0_2_0"


def older(folder: Path, name: str) -> Board:
    """Return a copy of a board, with the `.gitignore` that would hide its gold from git in this folder."""
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


def test_what_was_published_after_the_date_of_an_end_stays_public(tmp_path: Path) -> None:
    board = older(tmp_path, "ended")
    board.publish(tmp_path / "site")
    assert any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound
    lines = len((board.path / "record.jsonl").read_text().splitlines())
    assert board.end("private") == 11  # the line of the publication by version 0.2.0
    assert len((board.path / "record.jsonl").read_text().splitlines()) == lines
    board.end("private", revoke=True)
    board.publish(tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))


def test_what_was_not_published_after_the_date_waits_for_the_line(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    board.publish(tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))
    board.end("private")
    board.publish(tmp_path / "site")
    assert any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound


def test_a_date_that_is_changed_later_ends_no_phase_of_an_older_publication(tmp_path: Path) -> None:
    board = older(tmp_path, "ladder")
    settings = board.path / "board.toml"
    assert "end = 2026-02-01" in settings.read_text()
    settings.write_text(settings.read_text().replace("end = 2026-02-01", "end = 2026-01-03"))
    board.publish(tmp_path / "site")
    assert not any((tmp_path / "site" / "data").glob("private-*"))
    assert board.verify(tmp_path / "site").sound


@pytest.mark.parametrize("name", ["ended", "ladder"])
def test_verify_finds_nothing_but_a_site_that_another_version_wrote(tmp_path: Path, name: str) -> None:
    board = older(tmp_path, name)
    findings = board.verify().findings
    assert all("an older version of bestby did" in one for one in findings)
    board.publish(tmp_path / "site")  # what the finding says
    assert board.verify().sound


def test_names_that_are_on_a_board_go_on_and_their_likes_are_refused(tmp_path: Path) -> None:
    """Both "ours" and one with a Cyrillic o submitted to the boards."""
    board = older(tmp_path, "ladder")
    predictions = next((board.path / "submissions").iterdir())
    for team in ("ours", "\u043eurs"):
        assert board.submit(predictions, team=team, system="new", phase="public").is_new
    with pytest.raises(InvalidInputError, match="the team 'our\u0455' is too like"):
        board.submit(predictions, team="our\u0455", system="new", phase="public")
