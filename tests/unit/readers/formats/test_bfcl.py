"""Scores of BFCL: the items that a model failed, and as many others as the counts say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import message

from bestby import compare, read, read_datasets
from bestby.readers.formats import bfcl as form
from bestby.readers.formats.base import format_in

SAMPLES = Path(__file__).parent / "samples" / "bfcl"
MODELS = ("toy-1", "toy-2")
REPORTED = json.loads((SAMPLES / "reported.json").read_text())


def _file(model: str, category: str) -> Path:
    return SAMPLES / model / "non_live" / f"BFCL_v4_{category}_score.json"


@pytest.mark.parametrize("category", ["simple_python", "irrelevance"])
def test_the_means_are_those_that_the_leaderboard_reports(category: str) -> None:
    found = compare(read([_file(model, category) for model in MODELS]))
    assert {one.system: one.score for one in found.systems} == pytest.approx(
        {model: REPORTED[model][category] for model in MODELS}, abs=1e-12
    )
    assert found.n_items == 12


def test_items_are_paired_by_what_each_model_failed() -> None:
    evaluation = read([_file(model, "simple_python") for model in MODELS])
    both = [*zip(*(evaluation.systems[model].tolist() for model in MODELS), strict=True)]
    # toy-1 fails the items 1, 4, 5 and 9, toy-2 the items 1, 5 and 11
    assert [both.count(pair) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))] == [2, 2, 1, 7]


def test_folders_of_models_have_a_dataset_per_category() -> None:
    folders = [SAMPLES / model for model in MODELS]
    assert format_in(folders[0]) is form
    found = read_datasets(folders)
    assert set(found) == {"simple_python", "irrelevance"}
    assert read(folders).names == MODELS


def test_a_model_without_failures_is_called_as_its_folder(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "score")
    path = tmp_path / "score" / "toy-2" / "non_live" / "BFCL_v4_simple_python_score.json"
    path.write_text('{"accuracy": 1.0, "correct_count": 12, "total_count": 12}\n')
    found = compare(read([tmp_path / "score" / model for model in MODELS]))
    assert found.score("toy-2").score == pytest.approx((12 + 10) / 24)
    moved = tmp_path / "new.json"
    shutil.copy(path, moved)
    assert read([_file("toy-1", "simple_python"), moved]).names == ("toy-1", "new")


def test_refusals(tmp_path: Path) -> None:
    first, other = _file("toy-1", "simple_python"), tmp_path / "b.json"
    text = _file("toy-2", "simple_python").read_text()
    for old, new, said in (
        ('"total_count": 12', '"total_count": 13', "of 13 items 9 are correct, but 3 failed"),
        ('"id": "simple_python_1"', '"id": null', "b.json, line 2: id is None, expected a name or an id"),
        (
            '"id": "simple_python_5"',
            '"id": "simple_python_1"',
            "item 'simple_python_1' was already in line 2",
        ),
        ('"correct_count": 9, "total_count": 12', '"correct_count": 8, "total_count": 11', "about 12"),
    ):
        assert old in text
        other.write_text(text.replace(old, new, 1))
        assert said in message(form, {"a": first, "b": other})


def test_ids_of_other_items_are_refused(tmp_path: Path) -> None:
    files = {}
    for model in "ab":
        files[model] = tmp_path / f"{model}.json"
        rows = [{"accuracy": 0.25, "correct_count": 1, "total_count": 4}]
        rows += [{"id": f"{model}_{k}"} for k in range(3)]  # type: ignore[dict-item]
        files[model].write_text("\n".join(map(json.dumps, rows)))
    assert "failed 6 items of items, and" in message(form, files)
