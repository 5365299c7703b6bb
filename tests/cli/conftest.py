from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.cli.gates import N, write_labels
from tests.cli.helpers import Run, run_in
from tests.cli.studies import GOLD, Lines, wrong

from bestby.questions.study.study import Study


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


@pytest.fixture
def gate_files(tmp_path: Path) -> Path:
    """Write the gold, a baseline that is right on 160 of 200 items, and candidates beside it."""
    gold = ["xyz"[place % 3] for place in range(N)]

    def right_but(wrong: set[int]) -> list[str]:
        return ["xyz"[(place + (place in wrong)) % 3] for place in range(N)]

    columns = {
        "main": right_but({*range(40)}),
        "same": right_but({*range(40)}),
        "worse": right_but({*range(80)}),
        "close": right_but({*range(3, 45)}),
        "none": ["nothing"] * N,
    }
    write_labels(tmp_path / "gold.csv", "gold", gold)
    for name, values in columns.items():
        write_labels(tmp_path / f"{name}.csv", "prediction", values)
    return tmp_path


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Return a function that writes a file with a value per line and returns its name."""

    def written(name: str, values: list[str]) -> str:
        (tmp_path / name).write_text("\n".join(values) + "\n", encoding="utf-8")
        return name

    return written


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of a baseline and two treatments, two runs of each."""
    made = Study(tmp_path / "s")
    for name, every in (("h0", 2), ("h1", 5), ("h2", 3)):
        for run in (0, 1):
            made.add(name, run=run, predictions=wrong(every, run), gold=GOLD, baseline=name == "h0", epochs=3)
    return made.path
