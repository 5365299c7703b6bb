"""Submissions: what is taken, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.boards.examples import DAY, NOW, board_in, edit, folder_of, predictions_file, state

from bestby.boards.board import Board
from bestby.boards.record import SettingsSet, Submitted
from bestby.boards.result import SubmissionReceipt
from bestby.boards.submitting import end, submit, withdraw
from bestby.errors import BoardError, InvalidInputError


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board without submissions."""
    return board_in(tmp_path)


def sent(board: Board, file: Path, now: datetime = NOW, **fields: Any) -> SubmissionReceipt:
    """Submit a file."""
    request = Submitted(**{"team": "ours", "system": "first", "phase": "", "files": {}, **fields})
    return submit(folder_of(board), file, request, now)


def test_a_submission_is_a_line_and_a_file(board: Board, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    receipt = sent(board, file, paper="https://example.org/paper", code="http://example.org/code")
    (one,) = board.submissions()
    assert dataclasses.replace(one, is_new=True) == receipt
    assert receipt.paper == "https://example.org/paper"
    assert receipt.state == "in force"
    stored = board.path / "submissions" / f"{receipt.files['task']}.csv"
    assert stored.read_bytes() == file.read_bytes()


def test_the_same_again_adds_nothing(board: Board, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    first = sent(board, file)
    before = state(board.path)
    again = sent(board, file, NOW + DAY)
    assert (again.number, again.time, again.is_new) == (first.number, first.time, False)
    assert state(board.path) == before


@pytest.mark.parametrize("other", [{"team": "theirs"}, {"system": "second"}, {"run": "seed 2"}])
def test_the_same_bytes_of_another_are_another(board: Board, tmp_path: Path, other: dict[str, str]) -> None:
    file = predictions_file(tmp_path)
    first, second = sent(board, file), sent(board, file, **other)
    assert first.number != second.number
    assert {one.state for one in board.submissions()} == {"in force"}
    assert len([*(board.path / "submissions").iterdir()]) == 1


def test_a_newer_one_takes_the_place_and_the_older_can_come_back(board: Board, tmp_path: Path) -> None:
    old, new = predictions_file(tmp_path), predictions_file(tmp_path, "new.csv", 5)
    numbers = [sent(board, file).number for file in (old, new, old)]
    assert len(set(numbers)) == 3
    assert [one.state for one in board.submissions()] == ["replaced", "replaced", "in force"]


def test_without_the_newest_the_one_before_is_in_force(board: Board, tmp_path: Path) -> None:
    sent(board, predictions_file(tmp_path))
    newest = sent(board, predictions_file(tmp_path, "new.csv", 5))
    withdrawn = withdraw(folder_of(board), newest.number, NOW, hidden=False, reason="a mistake")
    assert withdrawn.state == "withdrawn"
    assert [one.state for one in board.submissions()] == ["in force", "withdrawn"]


def test_what_was_withdrawn_can_be_submitted_again(board: Board, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    first = sent(board, file)
    board.withdraw(first.number)
    assert sent(board, file).number != first.number


def test_withdrawing_twice_adds_one_line_unless_the_name_is_hidden_then(board: Board, tmp_path: Path) -> None:
    number = sent(board, predictions_file(tmp_path)).number
    lengths = []
    for hidden in (False, False, True, True):
        board.withdraw(number, hidden=hidden)
        lengths.append(len(folder_of(board).lines()))
    assert lengths[1] == lengths[0]
    assert lengths[2] == lengths[3] == lengths[0] + 1


@pytest.mark.parametrize("number", [0, 99, -1])
def test_what_is_not_there_cannot_be_withdrawn(board: Board, number: int) -> None:
    with pytest.raises(InvalidInputError, match="no submission"):
        board.withdraw(number)


def test_changed_settings_are_recorded_with_the_next_submission(board: Board, tmp_path: Path) -> None:
    edit(board, 'title = "Letters"', 'title = "Letters again"')
    sent(board, predictions_file(tmp_path))
    sent(board, predictions_file(tmp_path, "new.csv", 5))
    kinds = [type(line.event) for line in folder_of(board).lines()][2:]
    assert kinds == [SettingsSet, Submitted, Submitted]


def test_settings_that_cannot_be_read_refuse_everything(board: Board, tmp_path: Path) -> None:
    edit(board, "title =", "titel =")
    before = state(board.path)
    with pytest.raises(InvalidInputError, match="unknown key: 'titel'; did you mean 'title'"):
        sent(board, predictions_file(tmp_path))
    assert state(board.path) == before


def test_predictions_can_be_submitted_where_the_gold_is_not(board: Board, tmp_path: Path) -> None:
    (tmp_path / "secret").rename(tmp_path / "elsewhere")
    assert sent(board, predictions_file(tmp_path)).is_new


def test_a_changed_gold_refuses_everything(board: Board, tmp_path: Path) -> None:
    path = tmp_path / "secret" / "1" / "task.csv"
    path.write_text(path.read_text().replace("q1,y", "q1,x").replace("q2,x", "q2,y"))
    before = state(board.path)
    with pytest.raises(BoardError, match="version 1 of the gold was changed"):
        sent(board, predictions_file(tmp_path))
    assert state(board.path) == before


def test_a_changed_list_of_items_refuses_everything(board: Board, tmp_path: Path) -> None:
    path = board.path / "items.csv"
    path.write_text(path.read_text().replace("q1\n", "q01\n"))
    before = state(board.path)
    with pytest.raises(BoardError, match="is not the list of items in the record"):
        sent(board, predictions_file(tmp_path))
    with pytest.raises(BoardError, match="is not the list of items in the record"):
        board.publish(tmp_path / "site")
    assert state(board.path) == before


def change_record(board: Board) -> None:
    """Change a letter in the first line of the record."""
    path = board.path / "record.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Letters", b"Lettres", 1))


def cut_record(board: Board) -> None:
    """Remove the first line of the record."""
    path = board.path / "record.jsonl"
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])


@pytest.mark.parametrize("change", [change_record, cut_record])
def test_a_changed_record_refuses_everything(
    board: Board, tmp_path: Path, change: Callable[[Board], None]
) -> None:
    change(board)
    before = state(board.path)
    with pytest.raises(BoardError, match=r"line 1 of .* was changed"):
        sent(board, predictions_file(tmp_path))
    assert state(board.path) == before


# -- phases and limits -----------------------------------------------------------------------------

PHASES = """[[phase]]
name = "one"
start = 2026-05-01
end = 2026-05-03
per_day = 2
per_team = 3

[[phase]]
name = "two"
start = 2026-05-10
"""


@pytest.fixture
def timed(board: Board) -> Board:
    """Return a board with two phases and limits."""
    path = board.path / "board.toml"
    path.write_text(path.read_text().partition("[[phase]]")[0] + PHASES)
    return board


@pytest.mark.parametrize(
    ("day", "phase", "message", "hint"),
    [
        (-5, None, "no phase of the board is open (2026-04-26T12:00:00Z)", "one from 2026-05-01"),
        (4, None, "no phase of the board is open", "two from 2026-05-10T00:00:00Z"),
        (4, "one", "phase 'one' has ended: it is 2026-05-05", "until 2026-05-03T00:00:00Z"),
        (0, "two", "phase 'two' has not begun", "two from 2026-05-10"),
        (0, "tow", "no phase 'tow'; did you mean 'two'?", "one, two"),
    ],
)
def test_a_phase_must_be_open(
    timed: Board, tmp_path: Path, day: int, phase: str | None, message: str, hint: str
) -> None:
    before = state(timed.path)
    with pytest.raises(InvalidInputError) as caught:
        sent(timed, predictions_file(tmp_path), NOW + day * DAY, phase=phase)
    assert message in caught.value.message
    assert hint in str(caught.value.hint)
    assert state(timed.path) == before


def test_the_first_open_phase_is_taken(timed: Board, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    assert sent(timed, file).phase == "one"
    assert sent(timed, file, NOW + 12 * DAY).phase == "two"


def test_the_same_again_is_answered_after_the_end(timed: Board, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    first = sent(timed, file)
    assert not sent(timed, file, NOW + 4 * DAY).is_new
    assert sent(timed, file, NOW + 4 * DAY, phase="one").number == first.number


def test_limits_count_days_and_withdrawn_submissions(timed: Board, tmp_path: Path) -> None:
    files = [predictions_file(tmp_path, f"p{every}.csv", every) for every in range(2, 8)]
    sent(timed, files[0])
    withdraw(folder_of(timed), sent(timed, files[1], system="second").number, NOW, hidden=False, reason="")
    before = state(timed.path)
    with pytest.raises(InvalidInputError, match="'ours' has submitted 2 times today in phase 'one'"):
        sent(timed, files[2])
    assert state(timed.path) == before
    sent(timed, files[2], team="theirs")


def test_a_limit_of_the_whole_phase(timed: Board, tmp_path: Path) -> None:
    files = [predictions_file(tmp_path, f"p{every}.csv", every) for every in range(2, 8)]
    for file, day in zip(files[:3], (0, 0, 1), strict=True):
        sent(timed, file, NOW + day * DAY)
    with pytest.raises(InvalidInputError, match="3 times in phase 'one', which is its limit"):
        sent(timed, files[3], NOW + DAY)
    assert sent(timed, files[3], NOW + 12 * DAY).phase == "two"


def test_a_clock_that_was_ahead_closes_nothing(timed: Board, tmp_path: Path) -> None:
    number = sent(timed, predictions_file(tmp_path)).number
    withdraw(folder_of(timed), number, NOW + 400 * DAY, hidden=False, reason="")
    receipt = sent(timed, predictions_file(tmp_path, "new.csv", 5), NOW)
    assert (receipt.phase, receipt.time) == ("one", "2026-05-01T12:00:00Z")
    with pytest.raises(InvalidInputError, match="2 times today"):  # the line that is ahead is of no day
        sent(timed, predictions_file(tmp_path, "newer.csv", 7), NOW)


def test_the_date_of_an_end_refuses_and_writes_nothing_and_a_line_refuses_for_good(
    timed: Board, tmp_path: Path
) -> None:
    file, folder = predictions_file(tmp_path), folder_of(timed)
    before = state(timed.path)
    with pytest.raises(InvalidInputError, match="'one' has ended: it is 2026-05-13"):
        sent(timed, file, NOW + 12 * DAY, phase="one")
    assert state(timed.path) == before
    end(folder, "one", NOW, early=True, revoke=False, reason="")
    with pytest.raises(InvalidInputError, match="'one' has ended: line 4 of the record says so"):
        sent(timed, file, NOW, phase="one")
    end(folder, "one", NOW, early=False, revoke=True, reason="")
    assert sent(timed, file, NOW, phase="one").state == "in force"


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["team", "system", "run"])
@pytest.mark.parametrize("name", ["<b>", "../up", "a/b", "a\\b", "-x", "x\u202ey", "y" * 81, "a\nb", "{{x}}"])
def test_names_with_markup_or_of_paths_are_refused(
    board: Board, tmp_path: Path, field: str, name: str
) -> None:
    before = state(board.path)
    with pytest.raises(InvalidInputError, match=f"the {field}"):
        sent(board, predictions_file(tmp_path), **{field: name})
    assert state(board.path) == before


@pytest.mark.parametrize("field", ["team", "system"])
@pytest.mark.parametrize("name", ["", "  "])
def test_names_must_be_there(board: Board, tmp_path: Path, field: str, name: str) -> None:
    with pytest.raises(InvalidInputError, match=f"the {field} must have 1 to 80 characters"):
        sent(board, predictions_file(tmp_path), **{field: name})


@pytest.mark.parametrize("name", ["OURS", "Ours", "\uff4furs"])
def test_names_that_look_alike_are_refused(board: Board, tmp_path: Path, name: str) -> None:
    sent(board, predictions_file(tmp_path))
    with pytest.raises(InvalidInputError, match="is too like 'ours', which is on the board"):
        sent(board, predictions_file(tmp_path), team=name)
    with pytest.raises(InvalidInputError, match="the system 'FIRST' is too like 'first'"):
        sent(board, predictions_file(tmp_path), system="FIRST")
    assert sent(board, predictions_file(tmp_path), team="theirs", system="FIRST").is_new


@pytest.mark.parametrize("field", ["paper", "code"])
@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", "ftp://a/b", "example.org", "https://a b", 'http://a/">'],
)
def test_links_are_of_http(board: Board, tmp_path: Path, field: str, link: str) -> None:
    before = state(board.path)
    with pytest.raises(InvalidInputError, match="is not the address of a page"):
        sent(board, predictions_file(tmp_path), **{field: link})
    assert state(board.path) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"team": 1}, {"team": None}, {"system": 2.0}, {"run": 7}, {"phase": 5}, {"paper": 5}, {"files": None},
        {"files": 5}, {"files": {"task": None}},
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused(board: Board, tmp_path: Path, wrong: dict[str, Any]) -> None:
    given = {"files": predictions_file(tmp_path), "team": "ours", "system": "first", **wrong}
    with pytest.raises(InvalidInputError) as caught:
        board.submit(given.pop("files"), **given)
    assert caught.value.hint
    assert not board.submissions()


def test_the_gold_is_no_submission(board: Board, tmp_path: Path) -> None:
    """A pull request may bring a link to the gold, which lies beside the repository when it is submitted."""
    link = tmp_path / "mine.csv"
    folder = folder_of(board)
    link.symlink_to(folder.gold_version(1) / "task.csv")
    before = state(board.path)
    with pytest.raises(InvalidInputError, match="lies in the folder of the gold"):
        sent(board, link)
    assert state(board.path) == before
