from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.readers.formats.log_files import message, promptfoo, scores_of
from tests.unit.readers.helpers import Make

from bestby import compare, read
from bestby.readers.formats import promptfoo as form
from bestby.readers.formats.base import format_in


def _file(make: Make, whole: Any, name: str = "log.json") -> dict[str, Path]:
    return {name.removesuffix(".json"): make(name, json.dumps(whole))}


def test_providers_of_one_file_are_systems_and_tests_items(make: Make) -> None:
    paths = _file(make, promptfoo({"gpt": [1, 0.5, 0.75], "mini": [0, 1, 1]}))
    found = form.read(paths)
    assert scores_of(found) == {"gpt": [1.0, 0.0, 0.0], "mini": [0.0, 1.0, 1.0]}
    assert found.description == (
        "results of promptfoo; score: pass (also in the files: score, tone); systems: gpt, mini"
    )
    assert scores_of(form.read(paths, value_column="score"))["gpt"] == [1.0, 0.5, 0.75]
    assert scores_of(form.read(paths, value_column="tone"))["gpt"] == [0.5, 0.25, 0.375]
    assert message(form, paths, value_column="depth") == "log.json: no score 'depth'"
    assert found.clusters["topic"].tolist() == ["a", "b", "a"]
    assert form.read(paths, clusters="topic").evaluation.clusters.tolist() == ["a", "b", "a"]


def test_one_provider_per_file_goes_by_the_name_of_the_file_where_both_are_alike(make: Make) -> None:
    old, new = (json.dumps(promptfoo({"gpt": scores})) for scores in ([1, 0], [1, 1]))
    paths = {"old": make("old.json", old), "new": make("new.json", new)}
    assert scores_of(form.read(paths)) == {"old": [1.0, 0.0], "new": [1.0, 1.0]}
    other = {"old": paths["old"], "b": make("b.json", json.dumps(promptfoo({"mini": [0, 1]})))}
    assert list(scores_of(form.read(other))) == ["gpt", "mini"]
    assert list(scores_of(form.read({"mine": paths["old"], "b": other["b"]}))) == ["mine", "mini"]


def test_files_of_several_providers_each(make: Make) -> None:
    paths = {**_file(make, promptfoo({"gpt": [1, 0], "mini": [0, 0]}), "a.json")}
    paths["b"] = make("b.json", json.dumps(promptfoo({"gpt": [1, 1], "llm": [0, 1]})))
    assert list(scores_of(form.read(paths))) == ["a gpt", "mini", "b gpt", "llm"]


def test_prompts_of_one_provider_are_told_apart(make: Make) -> None:
    whole = promptfoo({"one": [1, 0], "two": [0, 1], "three": [1, 1]})
    labels = {
        "one": "short",
        "two": "short",
        "three": "a prompt that is too long to serve as a name of anything",
    }
    for row in whole["results"]["results"]:
        row["prompt"]["label"] = labels[row["provider"]["id"]]
        row["provider"] = "gpt"
    assert list(scores_of(form.read(_file(make, whole)))) == [
        "gpt [short] 1",
        "gpt [short] 2",
        "gpt [prompt 3]",
    ]


def test_repeated_tests_are_runs(make: Make) -> None:
    found = form.read(_file(make, promptfoo({"gpt": [1, 0, 1, 1], "mini": [0, 0, 0, 1]}, repeat=2)))
    assert found.runs["gpt"].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert scores_of(found)["mini"] == [0.0, 0.5]


def test_tests_that_are_there_unequally_often_stay_items(make: Make) -> None:
    whole = promptfoo({"gpt": [1, 0, 1, 1], "mini": [0, 0, 0, 1]}, repeat=2)
    for row in whole["results"]["results"]:
        row["vars"] = {"riddle": f"{row['testIdx'] // 3}"}
    found = form.read(_file(make, whole))
    assert found.runs is None
    assert found.n_items == 4


def test_an_error_of_the_provider_is_a_missing_score(make: Make) -> None:
    paths = _file(make, promptfoo({"gpt": [1, 0, 1], "mini": [0, 1, 1]}, failed=[2]))
    assert scores_of(form.read(paths, on_missing="drop")) == {"gpt": [1.0, 0.0], "mini": [0.0, 1.0]}
    whole = promptfoo({"gpt": [1, 0, 1], "mini": [0, 1, 1]})
    whole["results"]["results"][0]["failureReason"] = 2
    assert "mini has no score (NaN) for item 2 in log.json" in message(form, _file(make, whole))
    assert scores_of(form.read(_file(make, whole), on_missing="worst"))["mini"] == [0.0, 1.0, 0.0]


def test_a_result_per_line(make: Make) -> None:
    rows = promptfoo({"gpt": [1, 0], "mini": [0, 1]})["results"]["results"]
    path = make("log.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    assert format_in(path) is form
    assert scores_of(form.read({"log": path})) == {"gpt": [1.0, 0.0], "mini": [0.0, 1.0]}


def test_the_door(make: Make) -> None:
    path = make("log.json", json.dumps(promptfoo({"gpt": [1, 0, 1], "mini": [0, 1, 1]}), indent=2))
    assert format_in(path) is form
    result = compare(read(path))
    assert {one.system: one.score for one in result.systems} == {"gpt": 2 / 3, "mini": 2 / 3}


def test_refusals(make: Make) -> None:
    whole = promptfoo({"gpt": [1, 0], "mini": [0, 1]})
    rows = whole["results"]["results"]
    doubled = {**whole, "results": {**whole["results"], "results": [*rows, rows[0]]}}
    assert message(form, _file(make, doubled)) == ("log.json, results 5: item '1' was already in results 1")
    bare = [{key: value for key, value in row.items() if key != "testIdx"} for row in rows]
    assert message(form, _file(make, {**whole, "results": {"prompts": [], "results": bare}})) == (
        "log.json, results 1: testIdx is None, expected a number"
    )
    assert message(form, _file(make, {**whole, "results": {"prompts": []}})) == (
        "log.json: no 'results' in this record"
    )
    assert message(form, _file(make, {**whole, "results": {"results": []}})) == "log.json has no tests"
    other = {**_file(make, whole), "b": make("b.json", json.dumps(promptfoo({"x": [1, 0]}, asked="joke")))}
    assert message(form, other) == ("item '0' is not the same in log.json and in b.json: its content differs")
    cut = make("cut.json", json.dumps(whole)[:-40])
    assert "cut.json, line 1: not JSON" in message(form, {"cut": cut})
