"""How many items change between the runs of a system."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bestby as bb
from bestby.metrics import resolve
from bestby.questions.runs.compare import changing_items

GOLD = ["x", "y", "x", "y", "x", "z"]
FIRST = ["x", "y", "y", "y", "z", "z"]
SECOND = ["x", "y", "x", "y", "y", "z"]  # item 2 becomes right, item 4 is wrong in another way
OTHER = {"b": [FIRST, FIRST]}


def changing(metric: str, runs: list[list[str]], **options: object) -> float | None:
    result = bb.compare_runs({"a": runs, **OTHER}, GOLD, metric=metric, **options)
    return next(entry.changing_items for entry in result.systems if entry.system == "a")


def test_outcomes_of_means_are_right_or_wrong() -> None:
    assert changing("accuracy", [FIRST, SECOND]) == pytest.approx(1 / 6)
    assert changing("accuracy", [FIRST, FIRST, SECOND]) == pytest.approx(1 / 6)


def test_outcomes_of_other_metrics_are_the_answers() -> None:
    assert changing("f1_macro", [FIRST, SECOND]) == pytest.approx(2 / 6)


def test_clusters_do_not_hide_items() -> None:
    assert changing("accuracy", [FIRST, SECOND], clusters=[0, 0, 1, 1, 2, 2]) == pytest.approx(1 / 6)


def test_equal_runs_change_nothing() -> None:
    assert changing("accuracy", [FIRST, FIRST]) == 0.0


def test_one_run_says_nothing() -> None:
    evaluation = bb.Evaluation.of({"a#0": FIRST, "b#0": FIRST, "b#1": SECOND}, GOLD)
    metric = resolve("accuracy")
    assert changing_items(evaluation, metric, slice(0, 1)) is None
    assert changing_items(evaluation, metric, slice(1, 3)) == pytest.approx(1 / 6)


def test_scores_of_runs_have_no_items() -> None:
    result = bb.compare_runs({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.6, 0.8]})
    assert {entry.changing_items for entry in result.systems} == {None}
    assert "items that change" not in str(result)


def test_it_is_shown_and_written() -> None:
    rng = np.random.default_rng(1)
    runs = {name: rng.random((3, 40)) < share for name, share in (("a", 0.9), ("b", 0.6))}
    result = bb.compare_runs({name: list(found.astype(float)) for name, found in runs.items()}, metric="mean")
    expected = {name: float((found != found[0]).any(axis=0).mean()) for name, found in runs.items()}
    assert {entry.system: entry.changing_items for entry in result.systems} == pytest.approx(expected)
    assert "items that change" in str(result)
    assert result.to_frame("scores")["changing_items"].tolist() == pytest.approx(
        [expected[entry.system] for entry in result.systems]
    )
    assert bb.load(json.loads(result.to_json())) == result
