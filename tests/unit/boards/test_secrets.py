"""Nothing that happens where the gold is read tells of it."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.boards.examples import edit, ids, state, write_table

from bestby.boards.board import Board
from bestby.boards.gold import SHOW_VARIABLE, sealed
from bestby.errors import BoardError, InvalidInputError

SECRETS = [f"{place * 7919 % 104729 + 100000}.25" for place in range(60)]
GOLD = "the gold label of item 7"


@pytest.mark.parametrize("error", [ValueError(GOLD), InvalidInputError(GOLD, hint=GOLD), KeyError(GOLD)])
def test_an_error_becomes_one_that_tells_nothing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)
    with pytest.raises(BoardError) as caught, sealed("score the submissions"):
        raise error
    assert caught.value.message.startswith(f"cannot score the submissions: {type(error).__name__}")
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value.hint)
    assert GOLD not in shown


def test_errors_of_boards_pass() -> None:
    with pytest.raises(BoardError, match="the gold was changed"), sealed("score"):
        raise BoardError("the gold was changed")


def test_errors_of_boards_pass_without_what_they_arose_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)

    def damaged() -> None:
        try:
            raise ValueError(SECRETS[0])
        except ValueError as error:
            raise BoardError("the gold is damaged") from error

    with pytest.raises(BoardError, match="is damaged") as caught, sealed("score"):
        damaged()
    check_told_nothing(caught.value)


def test_warnings_are_hidden(recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)
    with sealed("score"):
        warnings.warn(GOLD, stacklevel=1)
    assert not recwarn.list


def test_an_organiser_can_see_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHOW_VARIABLE, "1")
    with pytest.raises(ValueError, match=GOLD), sealed("score"):
        raise ValueError(GOLD)


def test_an_interrupt_passes() -> None:
    with pytest.raises(KeyboardInterrupt), sealed("score"):
        raise KeyboardInterrupt


# -- what touches the gold of a board --------------------------------------------------------------


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """Return a board whose gold has numbers that are found nowhere else, with two systems."""
    gold = write_table(tmp_path / "gold.csv", {"id": ids(), "gold": SECRETS})
    made = Board.create(
        tmp_path / "board",
        gold,
        title="T",
        metrics="mse",
        gold_folder=tmp_path / "secret",
        private_share=0.5,
        rng=0,
    )
    for team in ("a", "b"):
        values = [f"{place * len(team)}" for place in range(60)]
        made.submit(
            write_table(tmp_path / "mine.csv", {"id": ids(), "prediction": values}), team=team, system="s"
        )
    made.publish(tmp_path / "site")
    return made


def check_told_nothing(error: BaseException) -> None:
    """Check that nothing which is printed of an error has a number of the gold."""
    shown = "".join(traceback.format_exception(error)) + str(error) + repr(error)
    assert [one for one in SECRETS if one in shown] == []


COMMANDS: dict[str, Callable[[Board, Path], object]] = {
    "publish": lambda board, folder: board.publish(folder / "site"),
    "verify": lambda board, folder: board.verify(folder / "site"),
    "export": lambda board, folder: board.export(folder / "all.csv", phase="public", with_gold=True),
}


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("publish", "predictions.Hidden.of"),
        ("publish", "compute.compare"),
        ("publish", "publishing.pages"),
        ("verify", "predictions.Hidden.of"),
        ("verify", "publishing.render"),
        ("export", "transfer._with_gold"),
    ],
)
def test_a_failure_anywhere_tells_nothing(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, place: str
) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)

    def failing(*arguments: object, **keywords: object) -> None:
        raise RuntimeError(f"{SECRETS} {arguments} {keywords}")

    monkeypatch.setattr(f"bestby.boards.{place}", failing)
    before = state(tmp_path)
    with pytest.raises(BoardError) as caught:
        COMMANDS[command](board, tmp_path)
    check_told_nothing(caught.value)
    assert "RuntimeError" in caught.value.message
    assert {path: data for path, data in state(tmp_path).items() if "cache" not in path} == {
        path: data for path, data in before.items() if "cache" not in path
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('metrics = ["mse"]', 'metrics = ["accuracy"]'),
        ('metrics = ["mse"]', 'metrics = ["f1_macro"]\nlabels = ["1", "2"]'),
        ('metrics = ["mse"]', 'metrics = ["mse"]\nslices = ["nothing"]'),
        ('metrics = ["mse"]', 'metrics = ["mse"]\nclusters = "gold"'),
        ('metrics = ["mse"]', 'metrics = ["no such metric"]'),
        ('metrics = ["mse"]', 'metrics = ["roc_auc"]'),
        ('metrics = ["mse"]', 'metrics = ["bleu"]'),
        ('part = "public"', 'part = "all"'),
    ],
)
def test_settings_that_do_not_suit_the_gold_tell_nothing(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)
    edit(board, old, new)
    for act in (board.publish, board.verify):
        try:
            act(tmp_path / "site")
        except (BoardError, InvalidInputError) as error:
            check_told_nothing(error)
    pages = b"".join(state(tmp_path / "site").values()).decode(errors="replace")
    assert [one for one in SECRETS if one in pages] == []


@pytest.mark.parametrize("name", ["task.csv", "key"])
def test_a_damaged_gold_tells_nothing(board: Board, tmp_path: Path, name: str) -> None:
    path = tmp_path / "secret" / "1" / name
    path.write_bytes(path.read_bytes()[:-20] + b'\xff"\n')
    for act in (board.publish, board.verify):
        try:
            found = str(act(tmp_path / "site"))
            assert [one for one in SECRETS if one in found] == []
            assert "gold" in found
        except BoardError as error:
            check_told_nothing(error)
