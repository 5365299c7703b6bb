from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import message, mteb, scores_of

from bestby import read
from bestby._core.errors import InvalidInputError
from bestby.readers.formats import mteb as form
from bestby.readers.formats.base import format_in


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
    assert format_in(a) is form
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


def _write(folder: Path, *results: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for one in results:
        (folder / f"{one['task_name']}.json").write_text(json.dumps(one, indent=4, sort_keys=True))
    return folder


def test_other_splits_of_a_task_are_other_items(tmp_path: Path) -> None:
    rest = {f"R{place}": {"default": place / 10} for place in range(3)}
    a = _folder(tmp_path / "a", rest)
    b = _folder(tmp_path / "b", rest)
    _write(a, mteb("T1", {"default": 0.9}, split="validation"), mteb("T2", {"default": 0.5}, split="dev"))
    _write(b, mteb("T1", {"default": 0.1}), mteb("T2", {"default": 0.2}))
    with pytest.raises(InvalidInputError) as caught:
        read([a, b])
    assert caught.value.message == (
        "2 tasks have no split that all models have: T1 (a: validation; b: test), T2 (a: dev; b: test)"
    )
    dropped = read([a, b], on_missing="drop")  # as the hint says
    assert dropped.items.tolist() == ["R0", "R1", "R2"]
    assert any("4 of 7 items were dropped" in note.message for note in dropped.notes)
    both = mteb("T1", {"default": 0.1}, split="validation")
    both["scores"] |= mteb("T1", {"default": 0.3})["scores"]
    also = mteb("T2", {"default": 0.4}, split="dev")
    also["scores"] |= mteb("T2", {"default": 0.3})["scores"]
    _write(b, both, also)
    found = read([a, b])
    assert found.items.tolist()[-2:] == ["T1 (validation)", "T2 (dev)"]
    assert found.systems["b"].tolist()[-2:] == [0.1, 0.4]


def test_other_languages_of_a_subset_are_refused_and_other_revisions_noted(tmp_path: Path) -> None:
    result = mteb("T", {"x": 0.5, "y": 0.5})
    _write(tmp_path / "a", result)
    other = json.loads(json.dumps(result).replace("eng-Latn", "fra-Latn"))
    _write(tmp_path / "b", other)
    paths = {name: tmp_path / name for name in ("a", "b")}
    assert "item 'T [x]' is not the same in a and in b: its content differs" in message(form, paths)
    _write(tmp_path / "b", {**mteb("T", {"x": 0.1, "y": 0.1}), "dataset_revision": "2"})
    (note,) = [note for note in read(list(paths.values())).notes if note.code == "other_data"]
    assert note.message == "the models saw different revisions of the data of 1 task: T"


@pytest.mark.parametrize("told", ["no_model_name_available", "no_model_name/available", None])
def test_models_without_a_name_are_told_apart_by_their_path(tmp_path: Path, told: str | None) -> None:
    inner = Path("no_model_name_available", "no_revision_available")
    a = _folder(tmp_path / "a" / inner, {"T1": {"x": 0.5, "y": 0.6}}, told)
    b = _folder(tmp_path / "b" / inner, {"T1": {"x": 0.4, "y": 0.2}}, told)
    for paths in ([a, b], [tmp_path / "a", tmp_path / "b"], tmp_path, [*a.glob("T*"), *b.glob("T*")]):
        assert read(paths).names == ("a", "b")
        assert read(paths).systems["a"].tolist() == [0.5, 0.6]
    assert read({"x": a, "y": b}).names == ("x", "y")
    text = (b / "T1.json").read_text().replace("T1", "T2")
    (b / "T1.json").rename(b / "T2.json").write_text(text)
    with pytest.raises(InvalidInputError, match="share 0 of 2 item ids"):  # disjoint tasks: never one model
        read([a, b])


def test_revisions_of_one_model_are_told_apart(tmp_path: Path) -> None:
    for revision in ("r1", "r2"):
        _folder(tmp_path / "results" / "org__m" / revision, TASKS, "org/m")
    _folder(tmp_path / "results" / "org__n" / "r1", TASKS, "org/n")
    assert read(tmp_path / "results").names == ("org/m (r1)", "org/m (r2)", "org/n")


def test_a_name_given_by_the_user_holds_for_the_revisions_of_a_folder(tmp_path: Path) -> None:
    for model in "ab":
        _folder(tmp_path / model / "r1", {"T0": {"default": 0.5}, "T1": {"default": 0.25}}, f"org/{model}")
        _folder(tmp_path / model / "r2", {"T2": {"default": 0.5}}, f"org/{model}")
    folders = {model: tmp_path / model for model in "ab"}
    for paths in (folders, [f"{name}={path}" for name, path in folders.items()]):
        evaluation = read(paths)
        assert (evaluation.names, evaluation.n_items) == (("a", "b"), 3)
    with pytest.raises(
        InvalidInputError, match="the folder 'a' holds 2 models or revisions, of which"
    ) as caught:
        read([*folders.values()])
    assert caught.value.hint.startswith("if they are one system, name it: name=path")
    (tmp_path / "a" / "r2" / "T1.json").write_text((tmp_path / "a" / "r1" / "T1.json").read_text())
    with pytest.raises(InvalidInputError, match=r"item 'T1' was already in .*r1"):
        read(folders)
