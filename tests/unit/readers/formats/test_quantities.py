"""What items took, in the logs of tools: read as quantities, compared only where they are asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import (
    deepeval,
    helm,
    inspect_log,
    message,
    mteb,
    openai_evals,
    promptfoo,
    scores_of,
)
from tests.unit.readers.helpers import Make

import bestby as bb
from bestby.readers.formats import deepeval as deepeval_form
from bestby.readers.formats import helm as helm_form
from bestby.readers.formats import inspect_logs, swe_bench, tau_bench
from bestby.readers.formats import mteb as mteb_form
from bestby.readers.formats import openai_evals as openai_evals_form
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


def test_runtime_and_tokens_of_helm(make: Make) -> None:
    paths = {}
    for name, scale in (("a", 1.0), ("b", 0.5)):
        rows = helm([1.0, 0.0, 1.0])
        for place, row in enumerate(rows):
            for key, value in (("inference_runtime", scale * (place + 1)), ("num_output_tokens", 3.0)):
                stat = {"name": {"name": key, "split": "test"}, "count": 1, "sum": value, "mean": value}
                row["stats"].append(stat)
            row["stats"].append(
                {"name": {"name": "training_co2_cost", "split": "test"}, "count": 0, "sum": 0}
            )
        paths[name] = make(f"{name}.json", json.dumps(rows))
    found = bb.read(paths)
    assert found.quantities == ("inference_runtime", "num_output_tokens")
    assert "; quantities: inference_runtime, num_output_tokens; systems" in found.notes[0].message
    runtime = helm_form.read(paths, value_column="inference_runtime")
    assert scores_of(runtime) == {"a": [1.0, 2.0, 3.0], "b": [0.5, 1.0, 1.5]}
    assert not runtime.metric.greater_is_better  # type: ignore[union-attr]


def test_tokens_of_all_answers_on_a_sample_of_openai_evals(make: Make) -> None:
    paths = {}
    for name in "ab":
        lines = [json.loads(line) for line in openai_evals([True, False, True], model=name).splitlines()]
        sampled = [line for line in lines if line.get("type") == "sampling"]
        for place, line in enumerate(sampled):
            tokens = {"completion_tokens": place, "completion_tokens_details": {"reasoning_tokens": 1}}
            line["data"] |= {"model": name, "usage": tokens}
        graded = {**sampled[0], "data": {**sampled[0]["data"], "usage": {"completion_tokens": 10}}}
        text = "".join(f"{json.dumps(line)}\n" for line in [*lines, graded])
        paths[name] = make(f"{name}.jsonl", text)
    assert bb.read(paths).quantities == ("completion_tokens", "reasoning_tokens")
    tokens = openai_evals_form.read(paths, value_column="completion_tokens")
    assert sorted(scores_of(tokens)["a"]) == [1.0, 2.0, 10.0]


def test_costs_of_instances_and_tokens_of_trials(make: Make) -> None:
    entries = {f"x__y-{n}": {"resolved": n > 1, "cost": n / 4, "api_calls": 9} for n in range(4)}
    paths = {name: make(f"{name}.json", json.dumps(entries)) for name in "ab"}
    found = bb.read(paths)
    assert (found.quantities, found.systems["a"].tolist()) == (("cost",), [0.0, 0.0, 1.0, 1.0])
    costs = swe_bench.read(paths, value_column="cost")
    assert scores_of(costs)["a"] == [0.0, 0.25, 0.5, 0.75]
    assert not costs.metric.greater_is_better  # type: ignore[union-attr]
    assert scores_of(swe_bench.read(paths, value_column="resolved"))["b"] == [0.0, 0.0, 1.0, 1.0]
    assert message(swe_bench, paths, value_column="usd") == "a.json: no score 'usd'"
    rows = [
        {"task_id": f"t{n}", "is_resolved": True, "total_input_tokens": 100 * n, "total_output_tokens": None}
        for n in range(3)
    ]
    paths = {name: make(f"{name}.json", json.dumps({"results": rows, "n_resolved": 3})) for name in "ab"}
    assert bb.read(paths).quantities == ("total_input_tokens",)
    tokens = swe_bench.read(paths, value_column="total_input_tokens")
    assert scores_of(tokens)["a"] == [0.0, 100.0, 200.0]


def test_costs_of_instances_that_have_no_entry_are_not_known(make: Make) -> None:
    entries = {f"x__y-{n}": {"resolved": True, "cost": 0.5} for n in range(4)}
    paths = {name: make(f"{name}.json", json.dumps(entries)) for name in "ab"}
    gold = make("ids.txt", "".join(f"x__y-{n}\n" for n in range(5)))
    assert scores_of(swe_bench.read(paths, gold=gold))["a"] == [1.0, 1.0, 1.0, 1.0, 0.0]
    with pytest.raises(bb.errors.InvalidInputError, match="no score"):
        swe_bench.read(paths, gold=gold, value_column="cost")


def test_the_time_of_a_task_of_mteb_is_that_of_its_only_subset(tmp_path: Path) -> None:
    for name in "ab":
        folder = tmp_path / name
        folder.mkdir()
        for task, scores in (("Banking", {"default": 0.5}), ("ArguAna", {"default": 0.25})):
            text = json.dumps(mteb(task, scores) | {"evaluation_time": 16.5, "kg_co2_emissions": None})
            (folder / f"{task}.json").write_text(text, encoding="utf-8")
    paths = {name: tmp_path / name for name in "ab"}
    assert bb.read(paths).quantities == ("evaluation_time",)
    times = mteb_form.read(paths, value_column="evaluation_time")
    assert scores_of(times)["a"] == [16.5, 16.5]
    assert not times.metric.greater_is_better  # type: ignore[union-attr]
    several = mteb("STS22", {"ar": 0.25, "de": 0.75}) | {"evaluation_time": 3.0}
    for name in "ab":
        (tmp_path / name / "STS22.json").write_text(json.dumps(several), encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="no score"):
        mteb_form.read(paths, value_column="evaluation_time")


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
