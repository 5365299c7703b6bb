"""The shipped logs: they can be made again, and say the same in every format."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from bestby import Reading, compare, read, read_runs

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "logs"
RIGHT = {"nb_13": 0.43, "svm_14": 0.455}

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="examples/ is not beside the tests (they run against a wheel)"
)


def test_the_same_files_come_out_byte_for_byte(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("logs_make_data", FOLDER / "make_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    kept = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert made == sorted(path.relative_to(FOLDER) for path in kept)
    for path in made:
        assert (tmp_path / path).read_bytes() == (FOLDER / path).read_bytes(), path


@pytest.mark.parametrize(
    "paths",
    [
        ["harness/nb_13", "harness/svm_14"],
        ["helm/langid,model=nb_13", "helm/langid,model=svm_14"],
        ["resolved/nb_13.json", "resolved/svm_14.json"],
        ["promptfoo.json"],
        ["deepeval/nb_13.json", "deepeval/svm_14.json"],
        ["langsmith/nb_13.csv", "langsmith/svm_14.csv"],
        ["langfuse.jsonl"],
        ["openai_evals/nb_13.jsonl", "openai_evals/svm_14.jsonl"],
    ],
)
def test_every_format_gives_the_same_scores(paths: list[str]) -> None:
    result = compare(read([FOLDER / path for path in paths]))
    assert {one.system: one.score for one in result.systems} == pytest.approx(RIGHT, abs=1e-12)


@pytest.mark.parametrize("place", ["{}.eval", "tau/{}.json"])
def test_epochs_and_trials_are_the_five_runs(place: str) -> None:
    runs = read_runs([FOLDER / place.format(name) for name in RIGHT]).runs
    assert {name: rows.shape for name, rows in runs.items()} == {"nb_13": (5, 200), "svm_14": (5, 200)}
    assert {name: rows[0].mean() for name, rows in runs.items()} == pytest.approx(RIGHT, abs=1e-12)


def test_exported_runs_are_those_of_the_example() -> None:
    wandb = read_runs(FOLDER / "wandb.csv", reading=Reading(value_column="test/accuracy")).runs
    mlflow = read_runs(FOLDER / "mlflow.csv").runs
    table = read_runs(FOLDER.parent / "langid" / "runs.csv", reading=Reading(value_column="accuracy")).runs
    assert len(table) == 5
    for name, scores in table.items():
        assert wandb[name].tolist() == mlflow[name].tolist() == scores.tolist()
