"""What is known of a phase once and for all is computed once, and never taken from a changed cache."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from tests.unit.boards.small_boards import SmallBoard, ids, small_board, two_labels, wrong_on

from bestby.boards import compute as boards_tables
from bestby.boards.compute import cache_of, tables
from bestby.boards.content import BoardContent
from bestby.boards.gold import TaskGold
from bestby.boards.record import PhaseEnded
from bestby.boards.settings import parse
from bestby.errors import BoardError

N = 120
GOLD = two_labels(N)

TEXT = """
title = "Spam"
[[task]]
name = "spam"
metrics = ["accuracy", "f1_macro"]
labels = ["ham", "spam"]
slices = ["kind"]
[[phase]]
name = "first"
[[phase]]
name = "second"
[public]
items = true
pairs = true
"""


@pytest.fixture
def board(tmp_path: Path) -> SmallBoard:
    """Return a board with a phase that has ended, and one that is open."""
    kind = [f"k{place % 3}" for place in range(N)]
    made = small_board(tmp_path / "board", TEXT, {"spam": {"id": ids(N), "gold": GOLD, "kind": kind}})
    for place, share in enumerate((0.4, 0.3, 0.1)):
        made.submit(f"t{place % 2}/s{place}", wrong_on(GOLD, share, place), phase="first")
        made.submit(f"t{place}/s", wrong_on(GOLD, share, 9 + place), phase="second")
    made.add(PhaseEnded("first"))
    return made


def content(board: SmallBoard) -> BoardContent:
    """Return what is shown, by the cache."""
    return board.content(cache=cache_of(board.folder, board.folder.lines()))


def phases_computed(board: SmallBoard) -> list[str]:
    """Return the phases whose tables are computed."""
    with mock.patch("bestby.boards.compute.tables", wraps=tables) as made:
        content(board)
    return [call.args[0].phase.name for call in made.call_args_list]


def test_a_closed_phase_is_computed_once(board: SmallBoard) -> None:
    known = board.content()
    assert known.versions[0].phases[0].tables[0].slices is not None
    assert known.versions[0].phases[0].items
    for _ in range(2):
        assert content(board) == known
    assert phases_computed(board) == ["second"]


def test_an_open_phase_is_not_kept(board: SmallBoard) -> None:
    board.add(PhaseEnded("first", revoked=True))
    for _ in range(2):
        assert phases_computed(board) == ["first", "second"]


def test_results_by_an_older_gold_are_computed_once(board: SmallBoard) -> None:
    content(board)
    kind = [f"k{place % 3}" for place in range(N)]
    columns = {"id": ids(N), "gold": [GOLD[1], *GOLD[1:]], "kind": kind}
    board.correct("typo", {"spam": TaskGold(columns)})
    board.submit("t9/new", wrong_on(GOLD, 0.2, 20), phase="second")
    known = board.content()
    assert content(board) == known
    assert phases_computed(board) == ["second"]  # by the gold in force
    assert content(board) == known


@pytest.mark.parametrize(
    ("old", "new"),
    [('title = "Spam"\n', 'title = "Spam"\nlevel = 0.9\n'), ("pairs = true", "pairs = false")],
)
def test_other_settings_give_other_results(board: SmallBoard, old: str, new: str) -> None:
    content(board)
    board.settings = parse(board.folder.text().replace(old, new), "board.toml")
    assert phases_computed(board) == ["first", "second"]
    assert content(board) == board.content()


def test_changed_files_of_the_cache_are_not_used(board: SmallBoard) -> None:
    known = content(board)
    for path in board.folder.cache.iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert content(board) == known
    assert phases_computed(board) == ["second"]  # what was changed was made anew and is kept again


def test_a_changed_submission_is_refused_though_its_results_are_kept(board: SmallBoard) -> None:
    content(board)
    for path in board.folder.submissions.iterdir():
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(b"ham", b"spam", 1))
    with pytest.raises(BoardError, match="was changed"):
        content(board)


def test_results_of_too_many_pairs_are_not_kept(board: SmallBoard) -> None:
    with mock.patch.object(boards_tables, "MOST_PAIRS", 1):
        content(board)
    assert phases_computed(board) == ["first", "second"]
