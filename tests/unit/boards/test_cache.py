"""The cache of a board changes no number, and nothing of it is used that was changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.boards.small_boards import SmallBoard, filled

from bestby.boards.compute import cache_of
from bestby.boards.content import BoardContent
from bestby.boards.predictions import _predictions_as_bytes, _predictions_from_bytes


def content(board: SmallBoard) -> BoardContent:
    """Return what is shown, by the cache."""
    return board.content(cache=cache_of(board.folder, board.folder.lines()))


def test_the_cache_changes_no_number(board: SmallBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(board)
    known = board.content()
    assert content(board) == known
    monkeypatch.setattr("bestby.boards.predictions.predictions", None)  # nothing is read again
    assert content(board) == known


@pytest.mark.parametrize(
    "change",
    [lambda data, _: data[:-1] + b"x", lambda data, _: data[:9], lambda _, other: other],
    ids=["changed", "cut off", "exchanged"],
)
def test_changed_files_are_not_used(board: SmallBoard, change: Callable[[bytes, bytes], bytes]) -> None:
    filled(board)
    known = content(board)
    stored = {path: path.read_bytes() for path in board.folder.cache.iterdir()}
    assert len(stored) == 4
    for path, other in zip(stored, reversed(stored.values()), strict=True):
        path.write_bytes(change(stored[path], other))
    assert content(board) == known == board.content()
    assert {path: path.read_bytes() for path in board.folder.cache.iterdir()} == stored


def test_who_does_not_know_the_key_of_the_gold_can_bring_no_file(board: SmallBoard) -> None:
    """A pull request may hold files of the cache beside a submission."""
    cache = cache_of(board.folder, board.folder.lines())
    for secret in (b"", b"guess"):
        forged = replace(cache, secret=secret)
        assert forged.key("some", "parts") != cache.key("some", "parts")
        forged.write(cache.key("some", "parts"), b"forged")
        assert cache.read(cache.key("some", "parts")) is None


@pytest.mark.parametrize(
    "values",
    [
        np.arange(4, dtype=np.int16),
        np.array([0.1, np.pi, np.nan, -0.0, 1e9]),
        np.array([], dtype=np.float64),
        np.array(["ä", "", "x\n"], dtype=object),
        np.array([], dtype=object),
    ],
)
def test_predictions_come_back_to_the_bit(values: np.ndarray) -> None:
    found = _predictions_from_bytes(_predictions_as_bytes(values))
    assert found.dtype == values.dtype
    assert list(map(repr, found.tolist())) == list(map(repr, values.tolist()))
