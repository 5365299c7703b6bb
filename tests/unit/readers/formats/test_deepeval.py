from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import deepeval, message, scores_of
from tests.unit.readers.helpers import Make

from bestby.readers.formats import deepeval as form
from bestby.readers.formats.base import format_in


def _pair(make: Make, a: Any, b: Any) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


def test_the_only_metric(make: Make) -> None:
    found = form.read(_pair(make, deepeval({"Relevancy": [0.9, 0.2]}), deepeval({"Relevancy": [0.4, 0.8]})))
    assert scores_of(found) == {"a": [0.9, 0.2], "b": [0.4, 0.8]}
    assert found.description == (
        "test runs of DeepEval; metric: Relevancy (also in the files: success); systems: a, b"
    )
    assert found.metric.greater_is_better
    assert found.clusters == {}


def test_of_several_metrics_one_must_be_named(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2], "Faithfulness": [0.7, 0.8]})
    paths = _pair(make, run, run)
    assert message(form, paths) == "a.json: which metric? the files have: Relevancy, Faithfulness, success"
    assert scores_of(form.read(paths, value_column="Faithfulness"))["a"] == [0.7, 0.8]
    assert scores_of(form.read(paths, value_column="success"))["a"] == [1.0, 0.0]
    assert message(form, paths, value_column="Bias") == "a.json: no metric 'Bias'"


def test_whether_a_case_succeeds_is_no_scorer(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2], "Faithfulness": [0.7, 0.8]})
    found = form.read(_pair(make, run, run), value_column="Relevancy")
    assert found.cells is not None
    assert found.cells(["scorer"]).distinct("scorer") == {"Relevancy", "Faithfulness"}


def test_files_that_share_no_metric(make: Make) -> None:
    a, b = deepeval({"Relevancy": [0.9, 0.2]}), deepeval({"Bias": [0.9, 0.2]})
    assert scores_of(form.read(_pair(make, a, b)))["a"] == [1.0, 0.0], "they share whether a case succeeds"
    for case in (*a["testCases"], *b["testCases"]):
        del case["success"]
    assert message(form, _pair(make, a, b)).startswith(
        "the files share no metric: Relevancy in a.json, Bias in "
    )


def test_metrics_that_succeed_below_their_threshold_are_losses(make: Make) -> None:
    run = deepeval({"Bias": [0.9, 0.2]}, falling=["Bias"])
    assert not form.read(_pair(make, run, run)).metric.greater_is_better
    at_threshold = deepeval({"Bias": [0.5, 0.5]}, falling=["Bias"])
    assert form.read(_pair(make, at_threshold, at_threshold)).metric.greater_is_better


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_copy_of_the_latest_run(make: Make, wrapped: bool) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2]})
    path = make("x", json.dumps({"testRunData": run} if wrapped else run))
    assert format_in(path) is form
    assert scores_of(form.read({"a": path, "b": path}))["a"] == [0.9, 0.2]


def test_cases_without_names_of_their_own_go_by_their_place(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2]})
    for case in run["testCases"]:
        case["name"] = "test_chatbot"
    turned = {**run, "testCases": run["testCases"][::-1]}
    assert scores_of(form.read(_pair(make, run, turned))) == {"a": [0.9, 0.2], "b": [0.9, 0.2]}


def test_conversations_and_groupings(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2, 0.4, 0.6]})
    cases = [{key: value for key, value in case.items() if key != "input"} for case in run["testCases"]]
    talk = {"testCases": [], "conversationalTestCases": cases}
    found = form.read(_pair(make, talk, talk))
    assert scores_of(found)["a"] == [0.9, 0.2, 0.4, 0.6]
    assert found.clusters["topic"].tolist() == ["a", "b", "a", "b"]
    assert form.read(_pair(make, talk, talk), clusters="topic").evaluation.clusters is not None


def test_an_error_of_the_metric_is_a_missing_score(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2, 0.4]})
    broken = deepeval({"Relevancy": [0.9, 0.2, 0.4]})
    broken["testCases"][1]["metricsData"][0] |= {"score": None, "error": "timeout"}
    assert "b has no score (NaN) for item test_case_1 in b.json" in message(form, _pair(make, run, broken))


def test_refusals(make: Make) -> None:
    run = deepeval({"Relevancy": [0.9, 0.2]})
    assert message(form, _pair(make, {**run, "testCases": []}, run)) == "a.json has no test cases"
    assert message(form, _pair(make, {**run, "testCases": 3}, run)) == (
        "a.json: 'testCases' is a number, expected a list"
    )
    unscored = deepeval({"Relevancy": [0.9, 0.2]})
    for case in unscored["testCases"]:
        case["metricsData"] = None
    assert message(form, _pair(make, unscored, run)) == "a.json: no sample has a metric"
    other = deepeval({"Relevancy": [0.9, 0.2]}, asked="riddle")
    assert "item 'test_case_0' is not the same in a.json and in " in message(form, _pair(make, run, other))
    twice = deepeval({"Relevancy": [0.9, 0.2]})
    twice["testCases"][0]["metricsData"] *= 2
    assert message(form, _pair(make, twice, run)) == (
        "a.json, testCases 1: the score 'Relevancy' is there twice"
    )
