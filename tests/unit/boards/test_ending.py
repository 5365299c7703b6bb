"""A phase ends by a line of the record and goes on by a later one: no clock shows or ends it."""

from __future__ import annotations

import contextlib
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from tests.unit.boards.examples import folder_of, gold_file, predictions_file, state

from bestby.boards.board import Board
from bestby.boards.record import PhaseEnded
from bestby.errors import InvalidInputError

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
END = NOW + timedelta(days=30)
DAY = timedelta(days=1)


def at(moment: datetime) -> mock._patch[mock.MagicMock]:
    """Set the clock of boards."""
    return mock.patch("bestby.boards.record.now", return_value=moment)


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board whose private phase hides the results of a submission until its end, in 30 days."""
    with at(NOW):
        made = Board.create(
            tmp_path / "board", gold_file(tmp_path), title="T", metrics="accuracy", private_share=0.5, rng=1
        )
        settings = made.path / "board.toml"
        end = f'show = "after"\nend = {END:%Y-%m-%dT%H:%M:%SZ}'
        settings.write_text(settings.read_text().replace('show = "after"', end))
        made.submit(predictions_file(tmp_path), team="ours", system="first", phase="private")
    return made


def shown(board: Board, moment: datetime) -> bool:
    """Publish the board at a moment and tell whether its site has results of the private phase."""
    site = board.path.parent / "site"
    with at(moment):
        board.publish(site)
        assert board.verify(site).sound
    return any((site / "data").glob("private-*"))


def test_no_clock_shows_hidden_results_or_closes_a_board(board: Board, tmp_path: Path) -> None:
    with at(NOW + 400 * DAY):
        board.withdraw(board.submit(predictions_file(tmp_path), team="a", system="b", phase="public").number)
    assert not shown(board, NOW + 400 * DAY)
    assert not shown(board, NOW + DAY)
    with at(NOW + 2 * DAY):
        receipt = board.submit(
            predictions_file(tmp_path, "q.csv", 4), team="ours", system="x", phase="private"
        )
        assert (receipt.state, receipt.time) == ("in force", "2026-05-03T12:00:00Z")
        verified = board.verify(tmp_path / "site")
        assert verified.sound
        assert "the record is ahead of the clock" in str(verified)
        with pytest.warns(UserWarning, match="the record is ahead of the clock: its line 5 is of 2027-06-05"):
            board.submissions()
    with at(NOW + 401 * DAY):
        assert board.verify().remarks == ()
        assert len(board.submissions()) == 3


def test_an_end_shows_the_results_and_a_revocation_hides_them(board: Board, tmp_path: Path) -> None:
    with at(END):
        number = board.end("private", reason="as announced")
        before = state(board.path)
        assert board.end("private") == board.end("private", early=True) == number
    assert state(board.path) == before
    assert shown(board, END)
    with at(NOW), pytest.raises(InvalidInputError, match=f"line {number + 1} of the record says so"):
        board.submit(predictions_file(tmp_path, "q.csv", 4), team="ours", system="x", phase="private")
    with at(END):
        assert board.end("private", revoke=True) > number
    assert not shown(board, END)
    with at(END), pytest.raises(InvalidInputError, match="nothing to revoke"):
        board.end("private", revoke=True)
    with at(END):
        board.end("private")  # what the hint says
    assert shown(board, END)


@pytest.mark.parametrize("remedy", ["later", "date", "early"])
def test_before_its_date_a_phase_ends_by_one_of_the_ways_of_the_hint(board: Board, remedy: str) -> None:
    with at(NOW), pytest.raises(InvalidInputError, match="ends on 2026-05-31T12:00:00Z, and it is") as caught:
        board.end("private")
    assert caught.value.hint == "do it after this date, change the date in board.toml, or pass early=True"
    if remedy == "date":
        settings = board.path / "board.toml"
        settings.write_text(settings.read_text().replace("end = 2026-05-31T12", "end = 2026-05-01T11"))
    with at(END if remedy == "later" else NOW):
        board.end("private", early=remedy == "early")
    assert shown(board, NOW)
    page = (board.path.parent / "site" / "participate.html").read_text()
    ended = {"later": "2026-05-31", "date": "2026-05-01 11:00", "early": "2026-05-01 12:00"}
    assert f"ended {ended[remedy]}" in page


def test_a_phase_without_a_date_ends_when_it_is_said(board: Board) -> None:
    with at(NOW):
        board.end("public")
        with pytest.raises(InvalidInputError, match="no phase 'privat'"):
            board.end("privat")
        with pytest.raises(InvalidInputError, match="the board has 2 phases"):
            board.end()
        with pytest.raises(InvalidInputError, match="early must be True or False"):
            board.end("private", early="yes")  # type: ignore[arg-type]


def test_a_board_that_lay_idle_for_months_goes_on(board: Board, tmp_path: Path) -> None:
    with at(NOW + 300 * DAY):
        assert board.end("private") == len(folder_of(board).lines()) - 1
        board.submit(predictions_file(tmp_path), team="theirs", system="late", phase="public")
    assert shown(board, NOW + 300 * DAY)


def test_of_many_at_once_one_ends_it_and_no_submission_comes_after_the_line(
    board: Board, tmp_path: Path
) -> None:
    files = [predictions_file(tmp_path, f"{place}.csv", place + 2) for place in range(8)]

    def change(place: int) -> None:
        if place % 2:
            board.end("private", early=True)
            return
        with contextlib.suppress(InvalidInputError):  # it has ended
            board.submit(files[place], team=f"team {'abcdefgh'[place]}", system="s", phase="private")

    with at(NOW):
        threads = [threading.Thread(target=change, args=(place,)) for place in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        lines = folder_of(board).lines()
        assert [type(line.event) for line in lines].count(PhaseEnded) == 1
        assert isinstance(lines[-1].event, PhaseEnded)
        assert board.verify().sound


def test_a_file_that_no_line_tells_of_is_found(board: Board) -> None:
    (board.path / "submissions" / ".gitkeep").touch()
    with at(NOW):
        assert board.verify().sound
        path = board.path / "record.jsonl"
        whole = path.read_text()
        path.write_text("".join(whole.splitlines(keepends=True)[:-1]))  # the newest line is cut off
        (finding,) = board.verify().findings[-1:]
        assert "is in no line of the record" in finding
        path.write_text(whole)
        assert board.verify().sound
