"""The page on a public leaderboard: its numbers are what the data give, and what other pages say of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


def test_the_page_is_what_the_data_give(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("livecodebench") / "performances_execution.json"
    command = [sys.executable, str(DOCS / "make_leaderboard_page.py"), "--check", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr


def test_pages_that_point_there_say_what_it_says() -> None:
    page = (DOCS / "guides" / "leaderboard.md").read_text(encoding="utf-8")
    assert "**Of 36 neighbouring ranks 1 holds:**" in page
    for path in (ROOT / "README.md", DOCS / "index.md"):
        said = " ".join(path.read_text(encoding="utf-8").lower().split())
        assert "of 36 neighbouring ranks of a public leaderboard" in said
        assert "one holds" in said
