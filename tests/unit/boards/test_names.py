"""New names show every character they have, and none is taken for another one on the board."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from tests.unit.boards.examples import board_in, predictions_file, state

from bestby.boards import settings
from bestby.boards.board import Board
from bestby.errors import InvalidInputError

UNSEEN = (
    "ours\ufe0f", "ours\u034f", "ours\u3164", "ours\u115f", "ours\u1160", "ours\u2800", "ours\U000e0100",
    "ours\u17b4", "o\u180burs", "ours\uffa0", "ours\u00a0x", "ours\u3000x", "ours\u200b", "o\u2066urs",
)  # fmt: skip
ALIKE = (
    "\u043eurs", "our\u0455", "\u03bfurs", "OURS", "\uff4furs", "\U0001d428urs", "ou\u1d26s", "\u0585urs",
)  # fmt: skip


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board with a submission of team "ours"."""
    made = board_in(tmp_path)
    made.submit(predictions_file(tmp_path), team="ours", system="ours", run="ours")
    return made


@pytest.mark.parametrize(
    "name", [*UNSEEN, "e" + "\u0301" * 79, "a\u0302\u0303\u0304\u0305\u0306", "\u0301a"], ids=ascii
)
@pytest.mark.parametrize("field", ["team", "system", "run"])
def test_what_nobody_sees_is_refused(board: Board, tmp_path: Path, field: str, name: str) -> None:
    file, before = predictions_file(tmp_path, "q.csv", 4), state(board.path)
    with pytest.raises(InvalidInputError, match=r"nobody sees|combining marks|a page or a path"):
        board.submit(file, **{"team": "x", "system": "y", field: name})
    assert state(board.path) == before


@pytest.mark.parametrize("name", ALIKE, ids=ascii)
@pytest.mark.parametrize("field", ["team", "system", "run"])
def test_look_alikes_are_refused(board: Board, tmp_path: Path, field: str, name: str) -> None:
    file, before = predictions_file(tmp_path, "q.csv", 4), state(board.path)
    with pytest.raises(InvalidInputError, match="is too like 'ours'") as caught:
        board.submit(file, **{"team": "ours", "system": "ours", "run": "ours", field: name})
    assert caught.value.hint == "write 'ours' if it is the same, or give another name"
    assert state(board.path) == before
    board.submit(file, **{"team": "ours", "system": "ours", "run": "ours", field: "ours"})


@pytest.mark.parametrize(
    "name",
    ["\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48", "Ti\u1ebfng Vi\u1ec7t",
     "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
     "\u65e5\u672c\u8a9e", "\u010cesk\u00e1", "run 2", "(a)_b, c+#"],
    ids=ascii,
)  # fmt: skip
def test_names_of_languages_are_taken(board: Board, tmp_path: Path, name: str) -> None:
    receipt = board.submit(predictions_file(tmp_path, "q.csv", 4), team=name, system=name, run=name)
    assert {receipt.team, receipt.system, receipt.run} == {unicodedata.normalize("NFC", name)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AI", "Al"),
        ("bert-1", "bert-l"),
        ("v10", "v1O"),
        ("modern", "modem"),
        ("e\u0301", "\u00e9"),
        ("a b", "a  b"),
    ],
)  # fmt: skip
def test_pairs_that_look_alike(one: str, other: str) -> None:
    assert settings.look_alike(one, [other]) == other
    assert settings.look_alike(other, ["x", one]) == one


@pytest.mark.parametrize(
    ("one", "other"), [("run 1", "run 2"), ("a", "b"), ("s0", "s1"), ("team a", "team b")]
)
def test_pairs_that_do_not(one: str, other: str) -> None:
    assert settings.look_alike(one, [other]) is None


@pytest.mark.parametrize("field", ["paper", "code"])
@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u200b", "\u2066", "\ufeff", "\ufe0f", "\ud800", "\u2800", "\u3000"], ids=ascii
)
def test_links_show_every_character(board: Board, tmp_path: Path, field: str, hidden: str) -> None:
    file, before = predictions_file(tmp_path, "q.csv", 4), state(board.path)
    with pytest.raises(InvalidInputError, match=r"nobody sees|not the address of a page") as caught:
        board.submit(file, team="x", system="y", **{field: f"https://x.org/{hidden}a"})
    assert caught.value.hint
    assert state(board.path) == before
    board.submit(file, team="x", system="y", **{field: "https://x.org/\u00e4"})
