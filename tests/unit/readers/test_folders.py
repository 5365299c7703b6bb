"""Folders of logs and tables: every file is read, named in a note, or the reason of a refusal."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.readers.formats.log_files import (
    alpaca,
    deepeval,
    helm,
    inspect_log,
    lm_eval,
    mteb,
    openai_evals,
    promptfoo,
    results,
    tau_bench,
    zipped,
)

import bestby
from bestby import read
from bestby._core.errors import InvalidInputError
from bestby.readers import paths as readers_paths
from bestby.readers.formats import base

_A = {"T1": 0.6, "T2": 0.4, "T3": 0.7, "T4": 0.1}
_B = {"T1": 0.5, "T2": 0.45, "T3": 0.6, "T4": 0.3}


def _suite(root: Path, scores: dict[str, float] = _A) -> Path:
    root.mkdir(parents=True)
    for task, score in scores.items():
        (root / f"{task}.json").write_text(json.dumps(mteb(task, {"default": score})))
    return root


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    return [_suite(tmp_path / "a"), _suite(tmp_path / "b", _B)]


def _left_out(notes: Any) -> list[str]:
    return [note.message for note in notes if note.code == "files_left_out"]


def _refused(call: Callable[[], Any]) -> str:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert caught.value.hint
    return caught.value.message


def test_every_file_of_a_large_folder_is_read_in_one_order(tmp_path: Path) -> None:
    tasks = [f"T{place:04d}" for place in range(1100)]
    paths = []
    for name in ("a", "b"):
        shuffled = random.Random(name).sample(tasks, len(tasks))
        paths.append(_suite(tmp_path / name, {task: int(task[1:]) / 2000 for task in shuffled}))
    found = read(paths)
    assert found.items.tolist() == tasks
    assert readers_paths.files_in(paths[0]) == sorted(paths[0].iterdir())
    assert _left_out(found.notes) == []


def test_a_folder_of_more_files_than_any_suite_is_refused(
    pair: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers_paths, "MOST_FILES", 2)
    assert _refused(lambda: read(pair)).endswith("a holds more than 2 files")


def test_files_that_are_not_read_are_named(pair: list[Path]) -> None:
    (pair[0] / "deep").mkdir()
    (pair[0] / "deep" / "costs.json").write_text("[1]")
    (pair[1] / "table.csv").write_text("x,y\n1,2\n")
    beside = ("README.md", ".gitignore", "plot.png", ".cache.json", "model_meta.json", "T_predictions.json")
    for name in beside:
        (pair[1] / name).write_text("{}")
    note = (
        f"2 files were not read, because they are not in the format of the others:"
        f" {pair[0] / 'deep' / 'costs.json'}, {pair[1] / 'table.csv'}"
    )
    evaluation = read(pair)
    compared = bestby.compare(evaluation)
    for one in (
        evaluation,
        compared,
        bestby.evaluate(evaluation),
        bestby.compare_slices(evaluation, by={"half": ["x", "y", "x", "y"]}),
        bestby.gate(evaluation, baseline="a", margin=0.5),
    ):
        assert _left_out(one.notes) == [note]
    for number in range(7):
        (pair[0] / f"more{number}.json").write_text("[1]")
    (shown,) = _left_out(read(pair).notes)
    assert shown.endswith(f"others: 8 .json, 1 .csv, such as {pair[0] / 'deep' / 'costs.json'}")


def test_the_note_reaches_runs_datasets_and_judgements(tmp_path: Path) -> None:
    for name, values in (("a", ["CIC", "CCC"]), ("b", ["IIC", "CIC"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.json").write_text(json.dumps(inspect_log(values, model=name)))
    (tmp_path / "a" / "other.json").write_text("{}")
    paths = [tmp_path / "a", tmp_path / "b"]
    assert len(_left_out(bestby.compare_runs(bestby.read_runs(paths)).notes)) == 1
    for name in ("a", "b"):
        log = inspect_log([["C", "I", "C"]], model=name, task="other")
        (tmp_path / name / "log2.json").write_text(json.dumps(log))
    assert len(_left_out(bestby.compare_datasets(bestby.read_datasets(paths)).notes)) == 1
    judged = tmp_path / "judged"
    judged.mkdir()
    (judged / "annotations.json").write_text(json.dumps(alpaca([1, 2, 2, 1])))
    (judged / "leaderboard.csv").write_text("x\n1\n")
    (judged / "other.json").write_text("{}")
    found = bestby.compare_preferences(bestby.read_preferences(judged))
    assert _left_out(found.notes) == [
        f"1 file was not read, because it is not in the format of the others: {judged / 'other.json'}"
    ]


def test_a_folder_of_tables_names_its_other_files(tmp_path: Path) -> None:
    for part in range(2):
        (tmp_path / f"part-{part}.csv").write_text(f"id,gold,a,b\n{part}x,1,1,0\n{part}y,0,0,0\n")
    (tmp_path / "part-2.json").write_text('[{"id": "2x", "gold": 1, "a": 0, "b": 0}]')
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "notes.txt").write_text("x")
    for stream in (None, True, False):
        found = read(tmp_path, gold="gold", items="id", stream=stream)
        assert found.n_items == 4
        assert len(_left_out(found.notes)) == 1
    (tmp_path / "part-1.csv").unlink()  # one table is no less a folder
    assert len(_left_out(read(tmp_path, gold="gold").notes)) == 1
    (tmp_path / "part-1.csv").symlink_to(tmp_path / "gone.csv")
    assert _refused(lambda: read(tmp_path, gold="gold")).endswith("part-1.csv'")


def _zst(path: Path, data: bytes) -> None:
    zstandard = pytest.importorskip("zstandard")
    path.write_bytes(zstandard.ZstdCompressor().compress(data))


_TEXT = json.dumps(mteb("T9", {"default": 0.5}), indent=2).encode()
_DAMAGED = {
    "deep/T1.json": b"",
    "blank.jsonl": b"\n \n",
    "short.json": _TEXT[:20],
    "cut.json": _TEXT[:-3],
    "cut.jsonl": b'{"a": 1}\n{"a": 2',
    "sixteen.json": _TEXT.decode().encode("utf-16"),
    "short.json.gz": gzip.compress(_TEXT)[:20],
    "cut.json.gz": gzip.compress(_TEXT)[:-4],
    "empty.json.gz": gzip.compress(b""),
    "log.eval": b"PK\x03\x04" + b"x" * 100,
    "cut.parquet": b"PAR1" + b"x" * 100,
    "empty.csv": b"",
}


@pytest.mark.parametrize("name", [*_DAMAGED, "cut.json.zst", "gone.json"])
def test_a_damaged_file_of_a_folder_is_an_error_that_names_it(pair: list[Path], name: str) -> None:
    path = pair[1] / name
    path.parent.mkdir(exist_ok=True)
    if name == "gone.json":
        path.symlink_to(pair[1] / "nowhere")
    elif name == "cut.json.zst":
        _zst(path, _TEXT * 100)
        path.write_bytes(path.read_bytes()[:-5])
    else:
        path.write_bytes(_DAMAGED[name])
    assert str(path) in _refused(lambda: read(pair))
    path.unlink()  # as the hint says
    assert read(pair).n_items == 4


def test_files_of_settings_and_empty_ones_do_not_stop_a_folder(pair: list[Path]) -> None:
    texts = {
        "config.json": '{"seed": 1, "seed": 2}',
        "empty.json": "",
        "blank.json": "\ufeff \n",
        "package.json": '{"name": "x", "scripts": {}}',
    }
    for name, text in texts.items():
        (pair[1] / name).write_text(text, encoding="utf-8")
    (note,) = _left_out(read(pair).notes)
    shown = {
        name: f"{pair[1] / name} (empty)" if not text.strip("\ufeff \n") else str(pair[1] / name)
        for name, text in texts.items()
    }
    assert note.endswith(f": {', '.join(shown[name] for name in sorted(shown))}")
    (pair[1] / "package.json").write_text(texts["package.json"][:-1])
    assert "package.json, line 1: not JSON" in _refused(lambda: read(pair))
    for path in pair[1].iterdir():
        path.write_text("")
    assert _refused(lambda: read(pair)).endswith(
        ".json is empty"
    )  # where nothing is read, these may be the logs


def test_a_folder_of_which_no_log_is_whole_is_an_error_that_names_one(pair: list[Path]) -> None:
    for path in pair[1].iterdir():
        path.write_bytes(path.read_bytes()[:20])
    assert f"{pair[1] / 'T1.json'}, line 1: not JSON" in _refused(lambda: read(pair))
    assert f"{pair[1] / 'T1.json'}, line 1: not JSON" in _refused(lambda: read(pair[1]))


def test_a_cut_archive_of_its_own_is_called_cut(tmp_path: Path) -> None:
    path = zipped(tmp_path / "log.eval", inspect_log([["C", "I"]]))
    path.write_bytes(path.read_bytes()[:-30])
    assert _refused(lambda: read(path)) == f"{path} is a zip archive that is cut off or damaged"


_LOGS = {
    "lm_eval.jsonl": lm_eval([1.0, 0.0, 1.0]),
    "inspect.json": json.dumps(inspect_log([["C", "I", "C"]])),
    "helm.json": json.dumps(helm([1.0, 0.0, 1.0])),
    "alpaca.json": json.dumps(alpaca([1, 2, 2])),
    "promptfoo.json": json.dumps(promptfoo({"m": [1, 0, 1]})),
    "deepeval.json": json.dumps(deepeval({"Bias": [0.9, 0.1, 0.2]})),
    "openai.jsonl": openai_evals([True, False, True]),
    "tau.json": json.dumps(tau_bench([[1, 0, 1]])),
    "mteb.json": json.dumps(mteb("T", {"ar": 0.5, "de": 0.4, "en": 0.1})),
    "swe.json": json.dumps({"total_instances": 2, "resolved_ids": ["a-1"], "submitted_ids": ["a-1", "a-2"]}),
}


@pytest.mark.parametrize("name", _LOGS)
def test_logs_that_begin_with_a_byte_order_mark_are_read(tmp_path: Path, name: str) -> None:
    plain, marked = tmp_path / "plain", tmp_path / "marked"
    for folder, start in ((plain, b""), (marked, codecs.BOM_UTF8)):
        folder.mkdir()
        (folder / name).write_bytes(start + _LOGS[name].encode())
    form = base.format_in(plain)
    assert form is not None
    assert base.format_in(marked) is base.format_in(marked / name) is form
    one, other = (form.read({"m": folder}).evaluation for folder in (plain, marked))
    assert one is not None
    assert other is not None
    assert one.data_hash() == other.data_hash()


@pytest.mark.parametrize("name", ["lm_eval.jsonl", "alpaca.json", "tau.json"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_long_text_before_what_tells_the_format(tmp_path: Path, name: str, packed: bool) -> None:
    long = "x" * 100_000
    records = [json.loads(line) for line in _LOGS[name].split("\n") if line]
    records = records[0] if isinstance(records[0], list) else records
    first = next(key for key in records[0] if key != "task_id")
    key = {"lm_eval.jsonl": "doc", "alpaca.json": "instruction", "tau.json": "x"}.get(name, first)
    for place, record in enumerate(records):
        record[key] = {"text": long + str(place)} if key == "doc" else f"{place}{long}"
    text = json.dumps(records) if name != "lm_eval.jsonl" else "\n".join(map(json.dumps, records))
    path = tmp_path / "a" / "arc"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    form = base.format_in(path)
    assert form is not None
    assert base.format_in(tmp_path) is form
    assert base.files_of({"a": tmp_path}, form.recognises)[0].path == path


def test_links_are_followed_once(pair: list[Path], tmp_path: Path) -> None:
    (pair[0] / "loop").symlink_to(tmp_path)
    (pair[0] / "self").symlink_to(pair[0] / "self")
    (pair[1] / "latest").symlink_to(pair[1])
    (pair[1] / "latest.json").symlink_to(pair[1] / "T1.json")
    more = _suite(tmp_path / "c" / "more", {"T7": 0.5})
    (pair[1] / "inner").symlink_to(more)
    outside = tmp_path / "c" / "T5.json"
    outside.write_text(json.dumps(mteb("T5", {"default": 0.5})))
    (pair[1] / "T5.json").symlink_to(outside)
    (pair[1] / "T6.json").symlink_to(outside)
    names = [str(one.relative_to(pair[1])) for one in readers_paths.files_in(pair[1])]
    assert names == ["T1.json", "T2.json", "T3.json", "T4.json", "T5.json", "inner/T7.json"]
    assert len(readers_paths.files_in(pair[0])) == 11  # of all three, and the link to itself


def test_a_folder_that_cannot_be_opened_is_an_error(
    pair: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (pair[0] / "locked").mkdir()
    scan = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "locked' cannot be read: Permission denied" in _refused(lambda: read(pair))


def test_files_of_one_name_are_called_by_the_folders_that_tell_them_apart(tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two"):
        paths.append(tmp_path / name / "deep" / "out.csv")
        paths[-1].parent.mkdir(parents=True)
        paths[-1].write_text("id,score\n1,0.5\n2,0.1\n3,0.3\n")
    assert read(paths).names == ("one/deep/out", "two/deep/out")
    assert "two files are called" in _refused(lambda: read([paths[0], paths[0]]))


def test_the_folder_where_one_is_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_suite(tmp_path / "mine"))
    assert read(".").names == ("mine",)


def test_models_of_one_folder_are_told_apart_by_what_the_logs_say(tmp_path: Path) -> None:
    for model, scores in (("one", [1.0, 0.0, 1.0]), ("two", [1.0, 1.0, 1.0])):
        place = tmp_path / "out" / model
        place.mkdir(parents=True)
        for task in ("x", "y"):
            name = f"{task}_2026-01-21T03-44-18.458309"
            (place / f"samples_{name}.jsonl").write_text(lm_eval(scores))
        (place / "results_2026-01-21T03-44-18.458309.json").write_text(results("x", model))
    found = read(tmp_path / "out")
    assert found.names == ("one", "two")
    assert _left_out(found.notes) == []
    for name in ("one", "two"):  # disjoint tasks: never one system
        task = "x" if name == "one" else "y"
        (tmp_path / "out" / name / f"samples_{task}_2026-01-21T03-44-18.458309.jsonl").unlink()
    assert "no dataset has logs of all systems" in _refused(lambda: read(tmp_path / "out", on_missing="drop"))
    assert read({"mine": tmp_path / "out"}).names == ("mine",)  # unless the user says so


def test_samples_without_a_task_in_their_name_are_called_by_it(tmp_path: Path) -> None:
    for name, scores in (("a", [1.0, 0.0, 1.0]), ("b", [1.0, 1.0, 1.0])):
        (tmp_path / name).mkdir()
        for file in ("samples_arc_2026-01-21T03-44-18.458309.jsonl", "long.jsonl"):
            (tmp_path / name / file).write_text(lm_eval(scores))
    found = bestby.read_datasets([tmp_path / "a", tmp_path / "b"])
    assert sorted(found) == ["arc", "long"]


def test_helm_compares_one_split(tmp_path: Path) -> None:
    paths = {}
    for name, splits in (("a", ("valid",)), ("b", ("valid", "test"))):
        paths[name] = tmp_path / f"{name}.json"
        rows = [row for split in splits for row in helm([1.0, 0.0, 1.0], split=split)]
        for place, row in enumerate(rows):
            row["instance_id"] = f"id{place}"
        paths[name].write_text(json.dumps(rows))
    found = read(paths, on_missing="drop")
    assert found.names == ("a", "b")
    assert "split: valid of valid, test" in found.notes[0].message
    paths["b"].write_text(json.dumps(helm([1.0, 0.0, 1.0])))
    said = _refused(lambda: read(paths))
    assert said.startswith("the files share no split (")
    assert "a.json: valid" in said


def test_documents_without_a_hash_tell_whether_they_are_the_same(tmp_path: Path) -> None:
    paths = []
    for name, asked in (("a", "one"), ("b", "two")):
        rows = [json.loads(line) for line in lm_eval([1.0, 0.0, 1.0], asked=asked).split("\n") if line]
        for row in rows:
            del row["doc_hash"]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)))
    assert "item '0' is not the same in" in _refused(lambda: read(paths))
    paths[1].write_text(lm_eval([1.0, 1.0, 1.0], asked="one"))  # it has hashes
    assert read(paths).n_items == 3


def test_win_rates_of_different_annotators_are_noted(tmp_path: Path) -> None:
    for name, judge in (("m", "gpt"), ("n", "claude")):
        rows = [{**row, "annotator": judge} for row in alpaca([1, 2, 2], second=name)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    paths = [tmp_path / "m.json", tmp_path / "n.json"]
    for found in (read(paths), bestby.compare_preferences(bestby.read_preferences(paths))):
        assert [note.message for note in found.notes if note.code == "other_judges"] == [
            "the preferences come from different annotators: m and ref: gpt; n and ref: claude"
        ]


def test_files_that_helm_writes_beside_its_statistics_are_no_news(tmp_path: Path) -> None:
    for model, scores in (("x", [1.0, 0.0, 1.0]), ("y", [0.0, 0.0, 1.0])):
        for subject in ("a", "b"):
            run = tmp_path / model / f"mmlu:subject={subject},model={model}"
            run.mkdir(parents=True)
            (run / "per_instance_stats.json").write_text(json.dumps(helm(scores)))
            for name in ("stats", "scenario", "scenario_state", "instances", "display_requests"):
                (run / f"{name}.json").write_text("{}")
            (run / "run_spec.json").write_text(json.dumps({"name": run.name}))
    found = read([tmp_path / "x", tmp_path / "y"])
    assert (found.names, found.n_items) == (("x", "y"), 6)
    assert _left_out(found.notes) == []


@pytest.mark.parametrize("pattern", ["*", "[ab]", "?"])
def test_a_pattern_that_no_shell_expanded_stands_for_folders(pair: list[Path], pattern: str) -> None:
    found = read(pair[0].parent / pattern)
    assert found.names == read(pair).names == ("a", "b")
    assert found.data_hash() == read(pair).data_hash()


def test_a_pattern_stands_for_files_and_folders_of_logs(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name, rewards in (("a/trials", [1, 0, 1]), ("b", [0, 0, 1]), ("c", [0, 1, 1])):
        (tmp_path / f"{name}.json").write_text(json.dumps(tau_bench([rewards])))
    assert read(str(tmp_path / "*")).names == ("a", "b", "c")
    found = read([str(tmp_path / "[ab]*"), f"mine={tmp_path / 'c.json'}"])
    assert found.names == ("a", "b", "mine")


def test_a_pattern_of_logs_in_runs_and_check(tmp_path: Path) -> None:
    for name, rewards in (("a", [[1, 0, 1], [1, 1, 0]]), ("b", [[0, 0, 1], [0, 1, 1]])):
        (tmp_path / f"{name}.json").write_text(json.dumps(tau_bench(rewards)))
    pattern = str(tmp_path / "*.json")
    assert [*bestby.read_runs(pattern).runs] == ["a", "b"]
    assert "trajectories of tau-bench" in str(bestby.check(pattern))


def test_a_pattern_of_tables_stays_one_table(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("gold,old,new\nx,x,y\ny,y,y\n")
        (tmp_path / f"folder {name}").mkdir()
    assert read(tmp_path / "*").n_items == 4
