"""What items took, in the logs of tools: read as quantities, compared only where they are asked for."""

from __future__ import annotations

import json

import pytest
from tests.unit.readers.formats.log_files import deepeval, inspect_log, promptfoo, scores_of
from tests.unit.readers.helpers import Make

import bestby as bb
from bestby.readers.formats import deepeval as deepeval_form
from bestby.readers.formats import inspect_logs, tau_bench
from bestby.readers.formats import promptfoo as form


def test_latency_cost_and_tokens_of_promptfoo(make: Make) -> None:
    whole = promptfoo({"gpt": [1, 0, 1], "mini": [0, 1, 1]})
    for place, row in enumerate(whole["results"]["results"]):
        row |= {"latencyMs": 100 + place, "cost": 0.25, "response": {"cost": 9, "tokenUsage": {"total": 7}}}
        row["vars"]["price"] = 3
    paths = {"log": make("log.json", json.dumps(whole))}
    found = form.read(paths)
    assert scores_of(found)["gpt"] == [1.0, 0.0, 1.0]
    assert "; quantities: latencyMs, cost, tokenUsage.total" in found.description
    latency = form.read(paths, value_column="latencyMs")
    assert scores_of(latency)["gpt"] == [105.0, 104.0, 103.0]
    assert latency.metric is not None
    assert not latency.metric.greater_is_better  # type: ignore[union-attr]
    assert scores_of(form.read(paths, value_column="cost"))["mini"] == [0.25] * 3
    assert "price" not in found.description


def test_tokens_of_all_models_in_inspect(make: Make) -> None:
    logs = {}
    for name, scale in (("a", 1), ("b", 2)):
        log = inspect_log([["C", "I", "C"]], model=name)
        for place, sample in enumerate(log["samples"]):
            usage = {"input_tokens": 1, "total_tokens": scale * (place + 1)}
            sample |= {"total_time": 0.5, "model_usage": {"m": usage, "judge": usage}}
        logs[name] = make(f"{name}.json", json.dumps(log))
    found = inspect_logs.read(logs)
    assert found.description.startswith("logs of Inspect; scorer: match")
    _, _, taken = found.description.partition("; quantities: ")
    assert {"total_time", "input_tokens", "total_tokens"} <= {*taken.partition(";")[0].split(", ")}
    tokens = inspect_logs.read(logs, value_column="total_tokens")
    assert scores_of(tokens) == {"a": [2.0, 4.0, 6.0], "b": [4.0, 8.0, 12.0]}


def test_what_an_evaluation_took_is_not_what_a_system_took(make: Make) -> None:
    paths = {}
    for name in "ab":
        whole = deepeval({"faithful": [0.5, 1.0]})
        for row in whole["testRunData"]["testCases"] if "testRunData" in whole else whole["testCases"]:
            row |= {"evaluationCost": 0.1, "runDuration": 3.0, "completionTime": 0.2}
        paths[name] = make(f"{name}.json", json.dumps(whole))
    found = deepeval_form.read(paths)
    assert "; quantities: completionTime;" in found.description


def test_costs_of_trials_of_tau_bench(make: Make) -> None:
    rows = [
        {"task_id": task, "trial": 0, "reward": 1.0, "info": {"user_cost": 0.5 + task}, "traj": []}
        for task in range(3)
    ]
    paths = {name: make(f"{name}.json", json.dumps(rows)) for name in "ab"}
    assert scores_of(tau_bench.read(paths))["a"] == [1.0, 1.0, 1.0]
    assert scores_of(tau_bench.read(paths, value_column="user_cost"))["a"] == [0.5, 1.5, 2.5]


def test_a_frontier_of_logs(make: Make) -> None:
    whole = promptfoo({"gpt": [1, 0, 1, 1] * 10, "mini": [0, 1, 1, 0] * 10})
    for row in whole["results"]["results"]:
        row["latencyMs"] = 100 if row["provider"]["id"] == "gpt" else 50
    path = make("log.json", json.dumps(whole))
    reading = bb.Reading(value_column="latencyMs")
    result = bb.frontier(bb.read(path), cost={"latencyMs": bb.read(path, reading=reading)})
    assert [(one.system, one.costs[0].value) for one in result] == [("gpt", 100.0), ("mini", 50.0)]
    assert [note.code for note in result.notes if note.code == "known_costs"] == ["known_costs"]
    with pytest.raises(bb.errors.InvalidInputError, match="names a column, 'latencyMs', and the data are"):
        bb.frontier(bb.read(path), cost="latencyMs")
