from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.cli.helpers import Run, run_in


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs the command line as a process in an empty folder."""
    return run_in(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a table of three systems that are right on 60, 75 and 78 percent of 120 items."""
    chance = random.Random(5)
    lines = ["item,label,doc,low,middle,high"]
    for item in range(120):
        gold = chance.choice("xyz")
        draw = chance.random()
        cells = [gold if draw < limit else "xyz"[("xyz".index(gold) + 1) % 3] for limit in (0.6, 0.75, 0.78)]
        lines.append(",".join([f"q{item}", gold, f"d{item // 4}", *cells]))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
