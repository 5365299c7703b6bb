"""Nothing that happens where the gold is read tells of it."""

from __future__ import annotations

import traceback
import warnings

import pytest

from bestby import BoardError, InvalidInputError
from bestby.boards.secrets import SHOW_VARIABLE, sealed

GOLD = "the gold label of item 7"


@pytest.mark.parametrize("error", [ValueError(GOLD), InvalidInputError(GOLD, hint=GOLD), KeyError(GOLD)])
def test_an_error_becomes_one_that_tells_nothing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SHOW_VARIABLE, raising=False)
    with pytest.raises(BoardError) as caught, sealed("score the submissions"):
        raise error
    assert caught.value.message.startswith(f"cannot score the submissions: {type(error).__name__}")
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value.hint)
    assert GOLD not in shown.replace("raise error", "")


def test_errors_of_boards_pass() -> None:
    with pytest.raises(BoardError, match="the gold was changed"), sealed("score"):
        raise BoardError("the gold was changed")


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
