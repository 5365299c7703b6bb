"""Small boards for tests, and the files of their participants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from bestby.boards.board import Board
from bestby.boards.folder import Folder, table_bytes

MADE = datetime(2026, 4, 1, 12, tzinfo=UTC)
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LABELS = ("x", "y", "z")


def ids(n: int = 60) -> list[str]:
    """Return the ids of the items."""
    return [f"q{place}" for place in range(n)]


def gold_labels(n: int = 60) -> list[str]:
    """Return the gold of the items, each label with a frequency of its own."""
    return [LABELS[(place * place) % 7 % 3] for place in range(n)]


def write_table(path: Path, columns: Mapping[str, Sequence[str]]) -> Path:
    """Write a table and return its path."""
    path.write_bytes(table_bytes(columns))
    return path


def gold_file(folder: Path, n: int = 60, labels: Sequence[str] | None = None) -> Path:
    """Write a gold with groups of items."""
    columns = {
        "id": ids(n),
        "gold": labels or gold_labels(n),
        "author": [f"a{place // 4}" for place in range(n)],
        "length": ["short" if place % 3 else "long" for place in range(n)],
    }
    return write_table(folder / "gold.csv", columns)


def predictions_file(folder: Path, name: str = "mine.csv", every: int = 3, n: int = 60) -> Path:
    """Write predictions of which one in so many is "z", the others are right."""
    labels = [label if place % every else "z" for place, label in enumerate(gold_labels(n))]
    return write_table(folder / name, {"id": ids(n), "prediction": labels})


def board_in(folder: Path, **settings: Any) -> Board:
    """Make a board in a folder, with its gold beside it."""
    given = {"title": "Letters", "metrics": "accuracy", "gold_folder": folder / "secret", **settings}
    with mock.patch("bestby.boards.record.now", return_value=MADE):
        return Board.create(folder / "board", gold_file(folder), **given)


def folder_of(board: Board) -> Folder:
    """Return the paths of a board."""
    return board._folder


def edit(board: Board, old: str, new: str) -> None:
    """Replace a text of `board.toml`, which must have it."""
    path = board.path / "board.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def state(root: Path) -> dict[str, bytes]:
    """Return every file below a folder by its path, scratch folders and locks apart."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "tmp" not in path.parts[-2:-1] and not path.name.startswith("lock.sqlite")
    }
