from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.readers.formats.log_files import message, scores_of, tau_bench
from tests.unit.readers.helpers import Make

from bestby.readers.formats import tau_bench as form
from bestby.readers.formats.base import recognised

TRIALS = [[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]


def _pair(make: Make, a: Any, b: Any) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


def test_trials_are_runs_and_users_a_grouping(make: Make) -> None:
    paths = _pair(make, tau_bench(TRIALS), tau_bench(TRIALS[::-1]))
    assert all(recognised(path) is form for path in paths.values())
    found = form.read(paths)
    assert found.runs["a"].tolist() == TRIALS
    assert scores_of(found)["a"] == [1.0, 0.5, 1.0, 0.0]
    assert found.clusters["user_id"].tolist() == ["user_0", "user_0", "user_1", "user_1"]
    assert form.read(paths, clusters="user_id").evaluation.clusters is not None
    assert found.description == (
        "trajectories of tau-bench; score: reward; systems: a, b; the score of an item is its mean over the"
        " runs (a: 2, b: 2)"
    )


def test_one_trial(make: Make) -> None:
    found = form.read(_pair(make, tau_bench(TRIALS[:1]), tau_bench(TRIALS[1:])))
    assert scores_of(found) == {"a": TRIALS[0], "b": TRIALS[1]}
    assert found.runs is None


def test_errors_are_counted(make: Make) -> None:
    rows = tau_bench(TRIALS[:1])
    rows[1] |= {"info": {"error": "timeout", "traceback": ""}, "reward": 0.0, "traj": []}
    found = form.read(_pair(make, rows, tau_bench(TRIALS[:1])))
    assert "tau-bench (1 ended in an error);" in found.description
    assert scores_of(found)["a"] == TRIALS[0]


def test_refusals(make: Make) -> None:
    rows = tau_bench(TRIALS)
    assert message(form, _pair(make, [*rows, rows[5]], rows)) == (
        "a.json, entry 9: item '1' of run 1 was already in entry 6"
    )
    assert message(form, _pair(make, [{**rows[0], "trial": "x"}], rows)) == (
        "a.json, entry 1: expected the numbers of a task and a trial, got 0 and 'x'"
    )
    assert message(form, _pair(make, [], rows)) == "a.json has no trajectories"
    assert message(form, _pair(make, [{"task_id": 1}], rows)) == "a.json, entry 1: no 'reward' in this record"
    other = tau_bench(TRIALS, asked="Cancel order")
    assert "item '0' is not the same in a.json and in" in message(form, _pair(make, rows, other))
    assert "1 missing from 'b', first: '3'" in message(
        form, _pair(make, rows, [row for row in rows if row["task_id"] != 3])
    )
    unscored = [{**row, "reward": None} for row in rows]
    assert "a.json: no item has a score" in message(form, _pair(make, unscored, rows))
