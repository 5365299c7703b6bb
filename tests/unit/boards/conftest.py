"""Fixtures of the tests of boards."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.boards.small_boards import GOLD, ONE_TASK, N, SmallBoard, ids, small_board


@pytest.fixture
def board(tmp_path: Path) -> SmallBoard:
    """Return an empty board of one task."""
    return small_board(tmp_path / "board", ONE_TASK, {"spam": {"id": ids(N), "gold": GOLD}})
