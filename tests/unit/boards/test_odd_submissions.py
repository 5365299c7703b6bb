"""No submission that is taken keeps the others from being published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.boards.examples import gold_labels, ids, write_table

from bestby.boards.board import Board

pytestmark = pytest.mark.long

N = 60
NUMBERS = [f"{place * 7919 % 104729}.25" for place in range(N)]
VARIED = {
    "close": [f"{place * 7919 % 104729 + place % 5 * 1000}" for place in range(N)],
    "far": [f"{place * 31 % 17}" for place in range(N)],
}
ODD = {
    "constant": ["3.5"] * N,
    "huge": ["1e75"] * N,
    "largest": ["1e75"] * (N - 1) + ["-1e75"],
    "one differs": ["0"] * (N - 1) + ["1"],
    "tiny": ["1e-74"] * (N - 1) + ["5e-324"],
}
LABELS = {
    "right": gold_labels(N),
    "one label": ["z"] * N,
    "two labels": ["x", "y"] * (N // 2),
    "nearly right": ["y", *gold_labels(N)[1:]],
}


def findings(
    folder: Path, metrics: Sequence[str], golds: Any, systems: Any, **settings: Any
) -> tuple[str, ...]:
    """Return what is wrong with the published board of some systems, each with two runs.

    Warnings count as errors.
    """
    board = Board.create(folder / "board", golds, title="T", metrics=metrics, rng=1, **settings)
    for run in ("", "two"):
        for place, (name, predictions) in enumerate(systems.items()):
            path = write_table(folder / "mine.csv", {"id": ids(N), "prediction": predictions})
            files = path if isinstance(golds, Path) else dict.fromkeys(golds, path)
            board.submit(files, team="ours" if place % 3 else "theirs", system=name, run=run)
    board.publish(folder / "site")
    return board.verify(folder / "site").findings


@pytest.mark.parametrize("share", [None, 0.5], ids=["whole", "parts"])
@pytest.mark.parametrize("clusters", [None, "author"])
@pytest.mark.parametrize("metrics", [["mse", "rmse", "mae"], ["pearson", "spearman"]], ids=" ".join)
def test_numbers(tmp_path: Path, metrics: list[str], clusters: str | None, share: float | None) -> None:
    columns = {"id": ids(N), "gold": NUMBERS, "author": [f"a{place // 4}" for place in range(N)]}
    gold = write_table(tmp_path / "gold.csv", {**columns, "half": ["x", "y"] * (N // 2)})
    settings = {"clusters": clusters, "private_share": share, "slices": "half"}
    assert findings(tmp_path, metrics, gold, {**ODD, **VARIED}, **settings) == ()


@pytest.mark.parametrize("system", ODD)
@pytest.mark.parametrize("metric", ["pearson", "rmse"])
def test_one_odd_system_alone(tmp_path: Path, metric: str, system: str) -> None:
    gold = write_table(tmp_path / "gold.csv", {"id": ids(N), "gold": NUMBERS})
    assert findings(tmp_path, [metric], gold, {system: ODD[system]}) == ()


@pytest.mark.parametrize("share", [None, 0.5], ids=["whole", "parts"])
@pytest.mark.parametrize("metrics", [["accuracy", "matthews_corrcoef"], ["f1[z]", "f1_macro"]], ids=" ".join)
def test_labels_of_several_tasks(tmp_path: Path, metrics: list[str], share: float | None) -> None:
    first = write_table(
        tmp_path / "first.csv", {"id": ids(N), "gold": gold_labels(N), "half": ["x", "y"] * (N // 2)}
    )
    second = write_table(
        tmp_path / "second.csv", {"id": ids(N), "gold": gold_labels(N)[::-1], "half": ["x"] * N}
    )
    golds = {"first": first, "second": second}
    settings = {"private_share": share, "slices": "half", "baseline": "ours/one label"}
    assert findings(tmp_path, metrics, golds, LABELS, **settings) == ()
