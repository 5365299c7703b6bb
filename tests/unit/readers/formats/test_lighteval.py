"""Details of lighteval: `samples/lighteval` was written by lighteval 0.13, for two toy models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
from tests.unit.readers.formats.log_files import message, scores_of

from bestby import Reading, compare, read
from bestby.readers.formats import lighteval as form
from bestby.readers.formats.base import format_in

SAMPLES = Path(__file__).parent / "samples" / "lighteval"
MODELS = {name: SAMPLES / "details" / name for name in ("toy-1", "toy-2")}


def _file(model: str) -> Path:
    (path,) = MODELS[model].rglob("*.parquet")
    return path


@pytest.mark.parametrize("metric", ["em", "f1"])
def test_the_means_are_those_that_lighteval_published(metric: str) -> None:
    found = compare(read(list(MODELS.values()), reading=Reading(value_column=metric)))
    for model in MODELS:
        (results,) = (SAMPLES / "results" / model).iterdir()
        published = json.loads(results.read_text())["results"]["capitals_gen|0"][metric]
        assert found.score(model).score == pytest.approx(published, abs=1e-12)
        assert found.n_items == 12


def test_one_of_two_metrics_must_be_named() -> None:
    assert format_in(_file("toy-1")) is form
    assert message(form, MODELS).endswith("which metric? the files have: em, f1")
    assert message(form, MODELS, value_column="bleu").endswith("no metric 'bleu'")


def test_a_model_is_called_as_its_folder_unless_it_is_named() -> None:
    paths = {_file(name).stem + name[-1:]: _file(name) for name in MODELS}
    assert list(read([_file(name) for name in MODELS], reading=Reading(value_column="em")).names) == [
        "toy-1",
        "toy-2",
    ]
    assert list(form.read(paths, value_column="em").evaluation.names) == list(paths)


def test_the_results_tell_where_lower_is_better(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "out")
    paths = {name: tmp_path / "out" / "details" / name for name in MODELS}
    assert form.read(paths, value_column="em").metric.greater_is_better
    for results in (tmp_path / "out" / "results").rglob("*.json"):
        results.write_text(
            results.read_text().replace('"higher_is_better": true', '"higher_is_better": false')
        )
    assert not form.read(paths, value_column="em").metric.greater_is_better
    shutil.rmtree(tmp_path / "out" / "results")
    assert form.read(paths, value_column="em").metric.greater_is_better


def _write(path: Path, query: str) -> Path:
    duckdb.sql(query).write_parquet(str(path))
    return path


def test_several_tasks_are_datasets(tmp_path: Path) -> None:
    paths = {}
    for model in ("a", "b"):
        folder = tmp_path / "details" / "org" / model / "2026"
        folder.mkdir(parents=True)
        for task in ("qa", "nli"):
            _write(
                folder / f"details_{task}.parquet",
                f"SELECT {{'id': i::VARCHAR, 'task_name': '{task}|5', 'query': 'q' || i}} AS doc,"
                f" {{'acc': i % {2 + (model == 'b')}}} AS metric, {{'text': ['x']}} AS model_response"
                " FROM range(12) t(i)",
            )
        paths[model] = folder.parent
    found = form.read(paths)
    assert set(found.datasets) == {"qa", "nli"}
    assert scores_of(found)["org/a"][:4] == [0.0, 1.0, 0.0, 1.0]


def test_other_tables_and_damaged_files(tmp_path: Path) -> None:
    table = _write(tmp_path / "t.parquet", "SELECT 1 AS doc, {'a': 1} AS metric, {'b': 1} AS model_response")
    assert format_in(table) is not form
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(_file("toy-1").read_bytes()[:5000])
    assert format_in(cut) is not form
    odd = _write(
        tmp_path / "odd.parquet", "SELECT {'x': 1} AS doc, {'acc': 1} AS metric, {'b': 1} AS model_response"
    )
    assert "no 'task_name' in this record" in message(form, {"a": odd, "b": odd})
    empty = _write(
        tmp_path / "empty.parquet",
        "SELECT {'id': 'a', 'task_name': 't'} AS doc, {'acc': 1} AS metric, {'b': 1} AS model_response"
        " LIMIT 0",
    )
    assert message(form, {"a": empty, "b": empty}).endswith("has no items")
