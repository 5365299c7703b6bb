"""Verifying finds every changed byte of a board and of its site, and says nothing of a sound one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from tests.unit.boards.examples import MADE, NOW, board_in, edit, folder_of, predictions_file, state

from bestby.boards.board import Board


def at(moment: datetime) -> mock._patch[mock.MagicMock]:
    """Set the clock of boards."""
    return mock.patch("bestby.boards.record.now", return_value=moment)


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a published board with two systems."""
    made = board_in(tmp_path)
    with at(NOW):
        made.submit(predictions_file(tmp_path), team="ours", system="first")
        made.submit(predictions_file(tmp_path, "other.csv", every=4), team="theirs", system="best")
        made.publish(tmp_path / "site")
    return made


def test_a_sound_board_has_no_findings(board: Board, tmp_path: Path) -> None:
    before = state(tmp_path)
    found = board.verify(tmp_path / "site")
    assert found.sound, found
    assert (found.n_lines, found.n_submissions) == (5, 2)
    assert found.n_files == len([path for path in (tmp_path / "site").rglob("*") if path.is_file()])
    assert state(tmp_path) == before
    assert board.verify().sound


def test_a_site_that_is_older_than_the_board_is_verified_as_it_was(board: Board, tmp_path: Path) -> None:
    with at(NOW + timedelta(days=1)):
        board.submit(predictions_file(tmp_path, "third.csv", every=5), team="late", system="third")
    edit(board, "Letters", "Letters and more")
    found = board.verify(tmp_path / "site")
    assert [one for one in found.findings if "board.toml" not in one] == []
    assert "board.toml was changed" in found.findings[0]
    with at(NOW + timedelta(days=2)):
        board.publish(tmp_path / "new")
    assert board.verify(tmp_path / "site").sound
    assert board.verify(tmp_path / "new").sound


def _flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.parametrize("pattern", ["*.html", "*.svg", "*.csv", "*.json", "*.zip"])
def test_a_changed_byte_of_a_site_is_found(board: Board, tmp_path: Path, pattern: str) -> None:
    site = tmp_path / "site"
    paths = sorted(site.rglob(pattern))
    assert paths
    for path in paths:
        before = path.read_bytes()
        path.unlink()  # pages may be links to those of an older site
        path.write_bytes(before)
        _flip(path)
        found = board.verify(site)
        assert any(path.relative_to(site).as_posix() in one for one in found.findings), path
        path.write_bytes(before)


def test_missing_and_foreign_files_of_a_site_are_found(board: Board, tmp_path: Path) -> None:
    (tmp_path / "site" / "index.html").unlink()
    (tmp_path / "site" / "more.html").write_text("more")
    found = board.verify(tmp_path / "site").findings
    assert any("index.html is missing" in one for one in found)
    assert any("more.html is not of the site" in one for one in found)


def _of_record(board: Board) -> Path:
    return board.path / "record.jsonl"


def _of_items(board: Board) -> Path:
    return board.path / "items.csv"


def _of_gold(board: Board) -> Path:
    return folder_of(board).gold_version(1) / "task.csv"


def _of_submission(board: Board) -> Path:
    return sorted((board.path / "submissions").iterdir())[0]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (_of_record, "line"),
        (_of_items, "items.csv' is not the list"),
        (_of_gold, "version 1 of the gold was changed"),
        (_of_submission, "its bytes are not those that were submitted"),
    ],
)
def test_a_changed_byte_of_the_board_is_found(
    board: Board, tmp_path: Path, place: Callable[[Board], Path], told: str
) -> None:
    _flip(place(board))
    for found in (board.verify(), board.verify(tmp_path / "site")):
        assert not found.sound
        assert any(told in one for one in found.findings), found.findings


def test_what_a_killed_process_left_behind_is_told(board: Board) -> None:
    with _of_record(board).open("ab") as stream:
        stream.write(b'{"number":')
    (found,) = board.verify().findings
    assert found.startswith("the record ends with 10 bytes of a line")


def test_a_board_whose_history_was_written_anew_does_not_fit_its_site(board: Board, tmp_path: Path) -> None:
    """A record with a sound chain and other submissions is another record."""
    (tmp_path / "again").mkdir()
    again = board_in(tmp_path / "again")
    with at(NOW):
        again.submit(predictions_file(tmp_path), team="ours", system="first")
        again.publish(tmp_path / "again" / "site")
    found = again.verify(tmp_path / "site").findings
    assert any("is not in the record" in one for one in found)
    assert any("is not what gold and submissions give" in one for one in found)


def test_a_forged_publication_is_found(board: Board, tmp_path: Path) -> None:
    """Whoever writes a line about a site that the board does not give cannot hide it in the chain."""
    from bestby.boards.record import Published

    folder = folder_of(board)
    manifest = json.loads((tmp_path / "site" / "manifest.json").read_text())
    folder.append(folder.lines(), [Published("0" * 64, manifest["as_of"], 3)], NOW)
    (found,) = board.verify().findings
    assert "gold and submissions give another site" in found


def test_a_site_without_a_publication(tmp_path: Path) -> None:
    board = board_in(tmp_path)
    assert board.verify().sound
    assert board.verify(tmp_path).findings == ("the record has no published site",)


def test_the_clock_of_the_verifier_does_not_matter(board: Board, tmp_path: Path) -> None:
    with at(MADE):
        assert board.verify(tmp_path / "site").sound


@pytest.mark.parametrize("change", [lambda key: f" {key}", lambda key: f"{key}\n", str.upper, str.strip])
def test_another_spelling_of_the_key_is_found(
    board: Board, tmp_path: Path, change: Callable[[str], str]
) -> None:
    """It is the same key, so the mark fits, and all numbers are computed anew all the same."""
    key = folder_of(board).gold_version(1) / "key"
    key.write_text(change(key.read_text()))
    found = board.verify(tmp_path / "site")
    assert [one.split(" is not written")[0] for one in found.findings] == ["the key of version 1 of the gold"]
    assert found.n_files > 0


def test_what_git_could_store_of_a_hidden_gold_is_found(board: Board, tmp_path: Path) -> None:
    place = board.path / ".gitignore"
    place.write_text(place.read_text().replace("gold/\n", ""))
    (found,) = board.verify(tmp_path / "site").findings
    assert "does not keep gold/ out of git" in found
    place.unlink()
    assert "gold/, lock.sqlite*, tmp/" in board.verify().findings[0]
