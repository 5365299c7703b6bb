"""Commands refuse predictions without gold, and logs of one system, by the names of their columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.helpers import Run, check_refused, run_in

N = 60


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a command where baseline.csv and candidate.csv have predicted classes."""
    write(tmp_path, "prediction")
    return run_in(tmp_path)


def write(folder: Path, column: str) -> None:
    """Write the files; the candidate predicts 1 more often."""
    for name, more in (("baseline", 3), ("candidate", 2)):
        lines = [f"q{place},{int(place % more == 0)}" for place in range(N)]
        (folder / f"{name}.csv").write_text("\n".join([f"id,{column}", *lines]) + "\n", encoding="utf-8")


BOTH = ("baseline.csv", "candidate.csv")


@pytest.mark.parametrize(
    ("column", "status"), [("score", 0), ("correct", 0), ("points", 0), ("p", 2), ("value", 2)]
)
def test_a_gate_asks_for_names_of_scores(run: Run, tmp_path: Path, column: str, status: int) -> None:
    write(tmp_path, column)
    assert run("gate", *BOTH).returncode == status
    assert run("gate", *BOTH, "--metric", "mean").returncode == 0
    assert run("gate", "--save", "main.json", "baseline.csv").returncode == 0
    assert run("gate", "--baseline-file", "main.json", "candidate.csv").returncode == status


def test_a_growing_log_of_one_system_or_of_predictions(run: Run, tmp_path: Path) -> None:
    for name, keys, message in (
        ("one", ("score", "latency_ms"), "'score' holds the scores of one system"),
        ("labels", ("pred_a", "pred_b"), "'pred_a' is called as predictions are"),
    ):
        rows = [{"item": f"q{i}", keys[0]: i % 2, keys[1]: i % 3 % 2} for i in range(N)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
        check_refused(run("watch", f"{name}.jsonl"), message, "--system NAME")
        named = [word for key in keys for word in ("--system", key)]
        assert run("watch", f"{name}.jsonl", *named).returncode in (0, 1, 3)


@pytest.mark.parametrize(
    ("paths", "hint"),
    [(["88.3%", "87.6%"], "--score 88.3%"), (["paper.csv"], "--table paper.csv")],
)
def test_published_scores_by_position(run: Run, paths: list[str], hint: str) -> None:
    assert hint in run("published", *paths).stderr
