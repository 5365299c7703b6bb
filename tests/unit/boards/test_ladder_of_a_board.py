"""A phase with a ladder shows of each team what is better than what it showed before, and nothing else."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.unit.boards.examples import board_in, gold_file, gold_labels, ids, predictions_file, write_table

from bestby.boards.board import Board


def right(folder: Path, share: int, name: str = "p.csv") -> Path:
    """Write predictions of which so many of 60 are right."""
    labels = [label if place < share else "z" for place, label in enumerate(gold_labels())]
    return write_table(folder / name, {"id": ids(), "prediction": labels})


def with_ladder(board: Board) -> Board:
    settings = board.path / "board.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('part = "all"', 'part = "all"\nladder = true'), encoding="utf-8")
    return board


def published(board: Board) -> tuple[list[str], list[str]]:
    """Return the systems of the first table, the best first, and why submissions are not shown."""
    site = board.publish(board.path.parent / "site").site
    with (site / "data" / "submissions.csv").open(encoding="utf-8", newline="") as stream:
        why = [row["why_not"] for row in csv.DictReader(stream)]
    (table,) = (site / "data").glob("all-task-accuracy-*.csv")
    with table.open(encoding="utf-8", newline="") as stream:
        return [row["system"] for row in csv.DictReader(stream)], why


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return with_ladder(board_in(tmp_path))


def test_no_improvement_is_listed_and_not_in_the_table(board: Board, tmp_path: Path) -> None:
    for team, system, share in (
        ("ours", "a", 30), ("ours", "b", 31), ("theirs", "a", 31), ("ours", "c", 40), ("ours", "d", 39),
    ):  # fmt: skip
        board.submit(right(tmp_path, share), team=team, system=system)
    systems, why = published(board)
    assert systems == ["ours/c", "theirs/a", "ours/a"]
    assert why == ["", "no improvement", "", "", "no improvement"]


def test_the_score_of_what_is_no_improvement_is_nowhere(board: Board, tmp_path: Path) -> None:
    board.submit(right(tmp_path, 30), team="ours", system="a")
    board.submit(right(tmp_path, 31), team="ours", system="hidden one")
    published(board)
    texts = [
        path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.[hjcs]*") if path.is_file()
    ]
    assert any("hidden one" in text for text in texts)
    raw = sum(label == ("z" if place >= 31 else label) for place, label in enumerate(gold_labels())) / 60
    for shown in (f"{raw:.3f}", repr(raw)[:8]):
        assert not any(shown in text for text in texts)


def test_what_was_withdrawn_stays_a_step_of_the_ladder(board: Board, tmp_path: Path) -> None:
    board.submit(right(tmp_path, 20), team="ours", system="a")
    better = board.submit(right(tmp_path, 40), team="ours", system="a")
    board.submit(right(tmp_path, 30), team="ours", system="a")
    assert published(board) == (["ours/a"], ["replaced", "", "no improvement"])
    board.withdraw(better.number)
    assert published(board) == (["ours/a"], ["", "withdrawn", "no improvement"])


def test_a_corrected_gold_is_climbed_anew(board: Board, tmp_path: Path) -> None:
    board.submit(right(tmp_path, 30), team="ours", system="a")
    board.submit(predictions_file(tmp_path, every=2), team="ours", system="b")
    before, _ = published(board)
    flipped = [
        {"x": "y", "y": "x", "z": "z"}[label] if place < 20 else label
        for place, label in enumerate(gold_labels())
    ]
    board.correct(gold_file(tmp_path, labels=flipped), reason="a mistake")
    after, why = published(board)
    assert before == ["ours/a"]
    assert after == ["ours/b", "ours/a"]
    assert why == ["", ""]
