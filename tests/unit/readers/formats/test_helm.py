from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import helm, message, scores_of
from tests.unit.readers.helpers import Make

from bestby.errors import InvalidInputError
from bestby.readers.formats import helm as form
from bestby.readers.formats.base import format_in


def _pair(make: Make, a: Any, b: Any) -> dict[str, Path]:
    return {"a": make("a.json", json.dumps(a)), "b": make("b.json", json.dumps(b))}


def test_scores_by_instance_without_costs_and_perturbed_copies(make: Make) -> None:
    found = form.read(_pair(make, helm([1.0, 0.0]), helm([0.0, 0.0])))
    assert scores_of(found) == {"a": [1.0, 0.0], "b": [0.0, 0.0]}
    assert found.description == "statistics per instance of HELM; metric: exact_match; systems: a, b"


def test_perturbed_instances_are_left_out(make: Make) -> None:
    more = helm([1.0, 0.0]) + [{**row, "perturbation": {"name": "typos"}} for row in helm([0.0, 1.0])]
    assert scores_of(form.read(_pair(make, more, helm([0.0, 0.0]))))["a"] == [1.0, 0.0]


def test_the_split_called_test_unless_another_is_named(make: Make) -> None:
    rows = helm([1.0, 0.0]) + [
        {**row, "instance_id": f"v{place}"} for place, row in enumerate(helm([0.5, 0.5], split="valid"))
    ]
    paths = _pair(make, rows, rows)
    found = form.read(paths)
    assert scores_of(found)["a"] == [1.0, 0.0]
    assert "split: test of test, valid" in found.description
    assert scores_of(form.read(paths, value_column="exact_match,valid"))["a"] == [0.5, 0.5]
    assert message(form, paths, value_column="exact_match,dev") == "a.json: no split 'dev'"


def test_trials_are_runs(make: Make) -> None:
    rows = helm([1.0, 0.0]) + [{**row, "train_trial_index": 1} for row in helm([1.0, 1.0])]
    found = form.read(_pair(make, rows, rows))
    assert found.runs["a"].tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert scores_of(found)["a"] == [1.0, 0.5]


def test_model_and_scenario_come_from_the_run(tmp_path: Path) -> None:
    paths = {}
    for model, values in (("openai_gpt2", [1.0, 0.0]), ("meta_llama-7b", [0.0, 0.0])):
        folder = tmp_path / f"mmlu:subject=law,model={model}"
        folder.mkdir()
        path = folder / "per_instance_stats.json"
        path.write_text(json.dumps(helm(values)))
        paths[f"{folder.name}/per_instance_stats"] = path
    assert scores_of(form.read(paths)) == {"openai_gpt2": [1.0, 0.0], "meta_llama-7b": [0.0, 0.0]}
    spec = {"name": "mmlu:subject=law,model=org_new", "adapter_spec": {"model": "org/new"}}
    (paths["mmlu:subject=law,model=openai_gpt2/per_instance_stats"].parent / "run_spec.json").write_text(
        json.dumps(spec)
    )
    assert list(scores_of(form.read(paths))) == ["org/new", "meta_llama-7b"]
    folders = {path.parent.name: path.parent for path in paths.values()}
    assert list(scores_of(form.read(folders))) == ["org/new", "meta_llama-7b"]


def test_which_measure(make: Make) -> None:
    paths = _pair(make, helm([1.0, 0.0], measure="odd"), helm([0.0, 1.0], measure="odd"))
    assert form.read(paths).metric.name == "odd"
    assert message(form, paths, value_column="even") == "a.json: no metric 'even'"
    both = [
        {**one, "stats": one["stats"] + two["stats"]}
        for one, two in zip(helm([1, 0], measure="odd"), helm([0, 1], measure="even"), strict=True)
    ]
    assert message(form, _pair(make, both, both)) == ("a.json: which metric? the files have: odd, even")


@pytest.mark.parametrize(("measure", "better"), [("edit_distance", False), ("exact_match", True)])
def test_direction(make: Make, measure: str, better: bool) -> None:
    rows = helm([1.0, 0.0], measure=measure)
    assert form.read(_pair(make, rows, rows)).metric.greater_is_better is better


def test_instances_without_a_value_are_missing(make: Make) -> None:
    paths = _pair(make, helm([1.0, 0.0, 1.0]), helm([1.0, None, 0.0]))
    assert "b has no score (NaN) for item id1 in b.json" in message(form, paths)
    assert scores_of(form.read(paths, on_missing="worst"))["b"][0] == 1.0


def test_malformed_files(make: Make) -> None:
    rows = helm([1.0, 0.0])
    doubled = _pair(make, [*rows, rows[0]], rows)
    assert message(form, doubled) == "a.json, entry 3: item 'id0' was already in entry 1"
    nameless = _pair(make, [{**rows[0], "stats": [{"count": 1}]}, rows[1]], rows)
    assert message(form, nameless) == "a.json, entry 1: a statistic has no name: {'count': 1}"
    assert (
        message(form, _pair(make, [*rows, 3], rows))
        == "a.json, entry 3: expected a JSON object, got a number"
    )


def test_recognised(make: Make) -> None:
    assert format_in(make("x", json.dumps(helm([1.0]), indent=2))) is form


def test_scenarios_may_be_the_clusters(tmp_path: Path) -> None:
    for model in ("a", "b"):
        for scenario in ("law", "art"):
            folder = tmp_path / f"{scenario},model={model}"
            folder.mkdir()
            (folder / "per_instance_stats.json").write_text(json.dumps(helm([1.0, 0.0])))
    paths = {folder.name: folder for folder in sorted(tmp_path.iterdir())}
    found = form.read(paths, clusters="task")
    assert found.evaluation.clusters.tolist() == ["art", "art", "law", "law"]
    assert set(form.read(paths).clusters) == {"task"}
    assert not found.clusters


def test_cells_are_of_the_split_that_is_compared(make: Make) -> None:
    valid = [{**row, "instance_id": f"v{k}"} for k, row in enumerate(helm([1.0, 1.0], split="valid"))]
    found = form.read(_pair(make, helm([1.0, 0.0]) + valid, helm([0.0, 0.0]) + valid))
    assert found.cells is not None
    assert found.cells(["epoch"]).texts("item", "item") == ["id0", "id1"] * 2


def test_scorers_of_two_directions_are_no_facet(make: Make) -> None:
    rows = [
        {**row, "stats": [*row["stats"], *more["stats"]]}
        for row, more in zip(helm([1.0, 0.0]), helm([2.0, 9.0], measure="perplexity"), strict=True)
    ]
    found = form.read(_pair(make, rows, rows))
    assert found.cells is not None
    with pytest.raises(InvalidInputError, match="lower values are better of perplexity only"):
        found.cells(["scorer"])
    assert found.cells(["epoch"]).n_rows == 4
