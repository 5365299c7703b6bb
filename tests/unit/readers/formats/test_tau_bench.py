from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.helpers import run_in
from tests.unit.readers.formats.log_files import message, scores_of, tau_bench
from tests.unit.readers.helpers import Make

from bestby import compare, compare_slices, gate, read
from bestby.errors import InvalidInputError
from bestby.readers.formats import tau_bench as form
from bestby.readers.formats.base import format_in

TRIALS = [[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]


def _pair(make: Make, a: Any, b: Any) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


def test_trials_are_runs_and_users_a_grouping(make: Make) -> None:
    paths = _pair(make, tau_bench(TRIALS), tau_bench(TRIALS[::-1]))
    assert all(format_in(path) is form for path in paths.values())
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
    assert "trials that ended in an error: 1 in " in found.description
    assert scores_of(found)["a"] == TRIALS[0]


def test_refusals(make: Make) -> None:
    rows = tau_bench(TRIALS)
    assert message(form, _pair(make, [*rows, rows[5]], rows)) == (
        "a.json, entry 9: item '1' of run 1 was already in entry 6"
    )
    assert message(form, _pair(make, [{**rows[0], "trial": "x"}], rows)) == (
        "a.json, entry 1: trial is 'x', expected a whole number"
    )
    assert message(form, _pair(make, [], rows)) == "a.json is empty"
    assert message(form, _pair(make, [{"task_id": 1}], rows)) == "a.json, entry 1: no 'reward' in this record"
    other = tau_bench(TRIALS, asked="Cancel order")
    assert "item '0' is not the same in a.json and in" in message(form, _pair(make, rows, other))
    assert "1 missing from 'b', first: '3'" in message(
        form, _pair(make, rows, [row for row in rows if row["task_id"] != 3])
    )
    unscored = [{**row, "reward": None} for row in rows]
    assert message(form, _pair(make, unscored, rows)) == "a.json: no sample has a score"


def test_trials_of_one_log_go_straight_to_pass_k(make: Make) -> None:
    trials = [[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    paths = _pair(make, tau_bench(trials), tau_bench(trials[::-1]))
    evaluation = read(paths)
    pairs = {"a": [(3, 3), (3, 1), (3, 2), (3, 0)], "b": [(3, 3), (3, 1), (3, 2), (3, 0)]}
    assert {name: list(map(tuple, counts.tolist())) for name, counts in evaluation.trials.items()} == pairs
    for metric in ("pass^1", "pass^2", "pass@3"):
        ours, theirs = compare(evaluation, metric=metric), compare(pairs, metric=metric)
        assert [one.score for one in ours.systems] == [one.score for one in theirs.systems]
    both = compare(evaluation, metric=["mean", "pass^2"])
    assert both.score("a", "pass^2").score == pytest.approx((1 + 0 + 1 / 3 + 0) / 4)
    assert both.score("a", "mean").score == pytest.approx(0.5)
    assert gate(evaluation, metric="pass^2").outcome == "pass"
    groups = compare_slices(evaluation, metric="pass^2", by="user_id")
    assert {one.slice for one in groups} == {"user_0", "user_1"}
    with pytest.raises(InvalidInputError, match="samples >= 4") as caught:
        compare(evaluation, metric="pass^4")
    assert "k can be no greater" in caught.value.hint


def test_pass_k_needs_several_trials_of_0_or_1(make: Make) -> None:
    for rows in ([[1.0, 0.0, 1.0]], [[1.0, 0.5, 1.0], [1.0, 0.0, 1.0]]):
        evaluation = read(_pair(make, tau_bench(rows), tau_bench(rows)))
        assert not evaluation.trials
        with pytest.raises(InvalidInputError, match="reads a pair") as caught:
            compare(evaluation, metric="pass^1")
        assert "files need several runs (trials, epochs) of 0 or 1 of each item" in caught.value.hint


def test_pass_k_on_the_command_line(make: Make, tmp_path: Path) -> None:
    trials = [[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    paths = _pair(make, tau_bench(trials), tau_bench(trials[::-1]))
    done = run_in(tmp_path)("compare", paths["a"], paths["b"], "--metric", "pass^2")
    assert done.returncode == 0, done.stderr
    assert "a and b share the highest pass^2, 0.500, over 4 items." in done.stdout


@pytest.mark.parametrize("told", [True, False])
def test_domains_of_a_folder_are_tasks(tmp_path: Path, told: bool) -> None:
    for agent, trials in (("a", TRIALS), ("b", TRIALS[::-1])):
        (tmp_path / agent).mkdir()
        for domain in ("airline", "retail"):
            rows = tau_bench(trials, asked=domain)
            if told:  # by the policy of the agent, which opens a dialogue
                for row in rows:
                    row["traj"] = [
                        {"role": "system", "content": f"# {domain.title()} Agent Policy\n\nBe kind."}
                    ]
            name = f"run{len(domain)}.json" if told else f"{domain}_gpt.json"
            (tmp_path / agent / name).write_text(json.dumps(rows))
    folders = [tmp_path / "a", tmp_path / "b"]
    files = [file for folder in folders for file in sorted(folder.iterdir())]
    for paths in (folders, files, {"a": folders[0], "b": folders[1]}):
        evaluation = read(paths)
        assert evaluation.names == ("a", "b")
        assert set(evaluation.tasks.tolist()) == {"airline", "retail"}


def test_two_files_of_a_folder_that_tell_no_domain_are_refused(tmp_path: Path) -> None:
    for agent in "ab":
        (tmp_path / agent).mkdir()
        for run in ("x", "y"):
            (tmp_path / agent / f"{run}.json").write_text(json.dumps(tau_bench(TRIALS)))
    with pytest.raises(
        InvalidInputError, match="are both logs of system 'a' on 'tasks', in one folder"
    ) as caught:
        read([tmp_path / "a", tmp_path / "b"])
    assert (
        caught.value.hint
        == "keep the one that counts in the folder, or give the files in its place: name=path"
    )
    assert read([f"a={tmp_path / 'a' / 'x.json'}", f"b={tmp_path / 'b' / 'y.json'}"]).names == ("a", "b")
    for agent in "ab":
        (tmp_path / agent / "y.json").unlink()
    assert read([tmp_path / "a", tmp_path / "b"]).names == ("a", "b")
