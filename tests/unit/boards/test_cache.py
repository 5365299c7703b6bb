"""The cache of a board changes no number, and nothing of it is used that was changed."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.unit.boards.small_boards import SmallBoard, filled

from bestby.boards.cache import opened
from bestby.boards.content_maker import opened_cache


def test_the_cache_changes_no_number(board: SmallBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(board)
    known = board.content()
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.content(cache=cache) == known
    monkeypatch.setattr("bestby.boards.submission_reader.predictions", None)  # nothing is read again
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.content(cache=cache) == known


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0" + b"x" * 5000, b"text"])
def test_a_damaged_cache_is_made_anew(board: SmallBoard, damage: bytes) -> None:
    filled(board)
    known = board.content()
    for _ in range(2):
        with opened_cache(board.folder, board.folder.lines()) as cache:
            assert board.content(cache=cache) == known
        board.folder.cache.write_bytes(damage)


def test_values_of_a_cache_with_another_secret_are_not_used(board: SmallBoard) -> None:
    """Whoever sends a cache along with a submission does not know the secret."""
    filled(board)
    with opened(board.folder.cache, b"guess") as cache:
        key = cache.key("some", "parts")
        cache.keep(key, np.arange(3))
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert cache.key("some", "parts") != key
        assert cache.find(key) is None


def test_changed_values_of_a_cache_are_not_used(board: SmallBoard) -> None:
    filled(board)
    known = board.content()
    with opened_cache(board.folder, board.folder.lines()) as cache:
        board.content(cache=cache)
    with contextlib.closing(sqlite3.connect(board.folder.cache)) as database:
        rows = database.execute("SELECT key, data FROM arrays").fetchall()
        database.executemany(
            "UPDATE arrays SET data = ? WHERE key = ?", [(one[::-1], key) for key, one in rows]
        )
        database.commit()
    assert rows
    with opened_cache(board.folder, board.folder.lines()) as cache:
        assert board.content(cache=cache) == known


def test_a_cache_keeps_arrays(tmp_path: Path) -> None:
    kept = {
        "codes": np.arange(4, dtype=np.int16),
        "numbers": np.array([0.1, np.pi, np.nan]),
        "right": np.array([0.0, 1.0, -7.0]),
        "large": np.array([0.0, 1e9]),
        "minus": np.array([-0.0, 1.0]),
        "texts": np.array(["ä", "", "x\n"], dtype=object),
    }
    with opened(tmp_path / "cache", b"s") as cache:
        for key, values in kept.items():
            cache.keep(key, values)
    with opened(tmp_path / "cache", b"s") as cache:
        for key, values in kept.items():
            found = cache.find(key)
            assert found is not None
            assert found.dtype == values.dtype
            assert list(map(repr, found.tolist())) == list(map(repr, values.tolist()))
        assert cache.find("none") is None
