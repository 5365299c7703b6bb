from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.readers.formats.log_files import message, mteb, scores_of

from bestby.readers.formats import mteb as form
from bestby.readers.formats.base import recognised


def _folder(root: Path, tasks: dict[str, dict[str, float]], name: str | None = None, **more: Any) -> Path:
    root.mkdir(parents=True)
    for task, scores in tasks.items():
        (root / f"{task}.json").write_text(json.dumps(mteb(task, scores, **more), indent=4))
    if name is not None:
        (root / "model_meta.json").write_text(json.dumps({"name": name, "revision": "r"}))
    return root


TASKS = {"Banking77": {"default": 0.5}, "STS22": {"ar": 0.25, "de": 0.75}}


def test_subsets_of_tasks_are_items(tmp_path: Path) -> None:
    a = _folder(tmp_path / "a" / "r1", TASKS, "org/small")
    b = _folder(tmp_path / "b" / "r2", TASKS)
    assert recognised(a) is form
    found = form.read({"r1": a, "r2": b})
    assert scores_of(found) == {"org/small": [0.5, 0.25, 0.75], "r2": [0.5, 0.25, 0.75]}
    assert found.evaluation.items.tolist() == ["Banking77", "STS22 [ar]", "STS22 [de]"]
    assert found.description == (
        "results of MTEB, with the subsets of the tasks as items; score: main_score (also in the files:"
        " accuracy); systems: org/small, r2"
    )
    assert scores_of(form.read({"mine": a, "r2": b}, value_column="accuracy"))["mine"] == [0.25, 0.125, 0.375]
    grouped = form.read({"r1": a, "r2": b}, clusters="task").evaluation.clusters
    assert grouped.tolist() == ["Banking77", "STS22", "STS22"]


def test_a_folder_of_several_models(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _folder(tmp_path / "results" / name / "r", TASKS, f"org/{name}")
    found = form.read({"results": tmp_path / "results"})
    assert list(scores_of(found)) == ["org/one", "org/two"]


def test_the_split_called_test_else_the_first(tmp_path: Path) -> None:
    a = _folder(tmp_path / "a", TASKS, split="dev")
    assert scores_of(form.read({"x": a, "y": a}))["x"] == [0.5, 0.25, 0.75]
    whole = mteb("Banking77", {"default": 0.9}, split="dev")
    whole["scores"] |= mteb("Banking77", {"default": 0.7})["scores"]
    (a / "Banking77.json").write_text(json.dumps(whole))
    assert scores_of(form.read({"x": a, "y": a}))["x"] == [0.7, 0.25, 0.75]


def test_refusals(tmp_path: Path) -> None:
    a = _folder(tmp_path / "a", TASKS)
    b = _folder(tmp_path / "b", {"Banking77": {"default": 0.5}})
    assert "2 missing from 'y', first: 'STS22 [ar]'" in message(form, {"x": a, "y": b})
    (b / "copy.json").write_text((b / "Banking77.json").read_text())
    assert "item 'Banking77' was already in" in message(form, {"x": a, "y": b})
    (b / "copy.json").write_text(json.dumps({**mteb("T", {"default": 1.0}), "scores": []}))
    assert message(form, {"y": b / "copy.json", "x": a}).endswith(
        "copy.json: expected the name of a task and its scores by split, got 'T' and a list"
    )
