"""Logs of several tasks whose metrics differ, by every reader and command that takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.helpers import run_in
from tests.unit.readers.formats.log_files import helm, inspect_log, lm_eval, openai_evals

import bestby as bb
from bestby import read
from bestby.errors import InvalidInputError
from bestby.readers.reading import read_datasets

_DATE = "2026-01-21T03-44-18.458309"
A = {"gsm8k": [1.0, 0.0, 1.0, 1.0, 1.0], "law": [0.0, 0.0, 1.0, 1.0]}
B = {"gsm8k": [0.0, 0.0, 1.0, 0.0, 1.0], "law": [1.0, 0.0, 1.0, 1.0]}
METRICS = {"gsm8k": "exact_match", "law": "acc"}
"""What each task is scored by; law has a second score, the first turned round."""


def _samples(task: str, values: list[float], measure: str) -> str:
    rows = [json.loads(line) for line in lm_eval(values, measure=measure, asked=task).splitlines() if line]
    for row in rows:
        if task == "law":
            row["metrics"].append("acc_norm")
            row["acc_norm"] = 1.0 - row[measure]
    return "".join(json.dumps(row) + "\n" for row in rows)


def _write(
    root: Path,
    *,
    metrics: Mapping[str, str] = METRICS,
    better: Mapping[str, Any] | None = None,
    scores: Mapping[str, Mapping[str, list[float]]] | None = None,
) -> Path:
    """Write the folder of each model, beside its results if they say anything."""
    for model, tasks in (scores or {"org__a": A, "org__b": B}).items():
        folder = root / model
        folder.mkdir(parents=True)
        for task, values in tasks.items():
            text = _samples(task, values, metrics[task])
            (folder / f"samples_{task}_{_DATE}.jsonl").write_text(text, encoding="utf-8")
        if better is not None:
            told = {"model_name": model.replace("__", "/"), "higher_is_better": better, "config": {}}
            (folder / f"results_{_DATE}.json").write_text(json.dumps(told), encoding="utf-8")
    return root


def _scores(evaluation: Any) -> dict[str, float]:
    return {one.system: one.score for one in bb.evaluate(evaluation).systems}


def test_each_task_has_its_own_first_metric(tmp_path: Path) -> None:
    root = _write(tmp_path)
    evaluation = read([root / "org__a", root / "org__b"])
    assert evaluation.suggested.name == "score"
    assert evaluation.systems["org__a"].tolist() == A["gsm8k"] + A["law"]
    note = evaluation.notes[0].message
    assert "each item has its task's own metric: gsm8k: exact_match; law: acc" in note
    result = bb.compare(evaluation)
    assert result["org__a", "org__b"].estimate == pytest.approx(1 / 9)
    parts = read_datasets([str(root / "org__a"), str(root / "org__b")])
    assert bb.compare_datasets(parts, outer="dataset").scores.tolist() == [[0.8, 0.4], [0.5, 0.75]]


def test_a_note_says_that_the_tasks_count_as_one_test_set(tmp_path: Path) -> None:
    (note,) = (note for note in read(_write(tmp_path)).notes if note.code == "datasets_as_one")
    assert "the items of 2 datasets count as one test set" in note.message
    one = read(sorted(tmp_path.glob("*/samples_law_*")))
    assert "datasets_as_one" not in {note.code for note in one.notes}


def test_the_tasks_slice_the_items(tmp_path: Path) -> None:
    evaluation = read(_write(tmp_path))
    slices = bb.compare_slices(evaluation, by="task")
    assert {one.slice: one.difference.estimate for one in slices} == pytest.approx(
        {"gsm8k": 0.4, "law": -0.25}
    )
    # The strata are those tasks: they are no clusters that somebody forgot.
    assert "clusters_ignored" not in [note.code for note in bb.compare(evaluation).notes]


@pytest.mark.parametrize("told", [True, False])
def test_names_are_alike_for_folders_and_files_and_a_folder_of_two_models(tmp_path: Path, told: bool) -> None:
    better = {"gsm8k": {"exact_match": True}, "law": {"acc": True}} if told else None
    root = _write(tmp_path / "out", better=better)
    folders = [root / "org__a", root / "org__b"]
    files = [file for folder in folders for file in sorted(folder.glob("samples_*.jsonl"))]
    expected = ("org/a", "org/b") if told else ("org__a", "org__b")
    for paths in (folders, files, root, [root]):
        assert read(paths).names == expected
    assert read({"x": folders[0], "y": folders[1]}).names == ("x", "y")


def test_two_runs_of_one_model_are_called_as_their_folders(tmp_path: Path) -> None:
    better = {"gsm8k": {"exact_match": True}}
    root = _write(tmp_path, better=better)
    for file in root.glob("*/results_*.json"):
        told = {**json.loads(file.read_text()), "model_name": "org/one"}
        file.write_text(json.dumps(told), encoding="utf-8")
    assert read([root / "org__a", root / "org__b"]).names == read(root).names == ("org__a", "org__b")


def test_a_metric_by_task_or_pattern(tmp_path: Path) -> None:
    root = _write(tmp_path)
    for wanted in ({"law": "acc_norm"}, {"l*": "acc_norm"}, {"*": "exact_match", "law": "acc_norm"}):
        evaluation = read(root, reading=bb.Reading(value_column=wanted))
        assert evaluation.systems["org__b"].tolist() == B["gsm8k"] + [0.0, 1.0, 0.0, 0.0]
    assert "law: acc_norm" in evaluation.notes[0].message
    one = read(root, reading=bb.Reading(value_column="law=acc_norm"))
    assert one.systems["org__b"].tolist() == evaluation.systems["org__b"].tolist()
    filtered = read(root, reading=bb.Reading(value_column={"gsm8k": "exact_match,none"}))
    assert filtered.systems["org__a"].tolist() == A["gsm8k"] + A["law"]
    parts = read_datasets(str(root), reading=bb.Reading(value_column={"law": "acc_norm"}))
    assert parts["law"].systems["org__b"].tolist() == [0.0, 1.0, 0.0, 0.0]


def test_one_metric_for_tasks_that_lack_it_lists_those_of_each(tmp_path: Path) -> None:
    root = _write(tmp_path)
    with pytest.raises(InvalidInputError, match="no metric 'acc'") as caught:
        read(root, reading=bb.Reading(value_column="acc"))
    assert caught.value.hint == (
        "metrics by task: gsm8k: exact_match; law: acc, acc_norm; name one:"
        ' reading=bestby.Reading(value_column={"gsm8k": "exact_match"})'
    )
    assert read(root, reading=bb.Reading(value_column={"gsm8k": "exact_match"})).n_items == 9
    with pytest.raises(InvalidInputError, match="names the task 'mmlu', which these files do not hold"):
        read(root, reading=bb.Reading(value_column={"mmlu": "acc"}))


def test_a_wrong_filter_or_a_list_of_tasks_has_a_hint_of_its_own(tmp_path: Path) -> None:
    root = _write(tmp_path)
    with pytest.raises(InvalidInputError, match="no filter 'strict'") as caught:
        read(root, reading=bb.Reading(value_column="law=acc,strict"))
    assert caught.value.hint == "available filters: none"
    with pytest.raises(InvalidInputError, match="names the task 'gsm8k=exact_match,law'") as caught:
        read(root, reading=bb.Reading(value_column="gsm8k=exact_match,law=acc"))
    assert caught.value.hint.endswith(
        'name one task in each, and repeat it: reading=bestby.Reading(value_column={"gsm8k": "exact_match"})'
    )


def test_a_run_again_in_one_folder_is_refused(tmp_path: Path) -> None:
    root = _write(tmp_path)
    for file in root.glob("*/samples_law_*"):
        (file.parent / file.name.replace("2026-01-21", "2026-02-21")).write_text(file.read_text())
    with pytest.raises(
        InvalidInputError, match="both logs of system 'org__a' on 'law', in one folder"
    ) as caught:
        read([root / "org__a", root / "org__b"])
    assert "give the files in its place: name=path" in caught.value.hint
    assert (
        read([f"{name}={next((root / name).glob('*law_2026-02*'))}" for name in ("org__a", "org__b")]).n_items
        == 4
    )


def test_metrics_of_two_directions_are_not_averaged(tmp_path: Path) -> None:
    better = {"gsm8k": {"exact_match": True}, "law": {"loss": False, "acc_norm": True}}
    metrics = {"gsm8k": "exact_match", "law": "loss"}
    root = _write(tmp_path, metrics=metrics, better=better)
    with pytest.raises(InvalidInputError, match="they have no common mean") as caught:
        read(root)
    assert "is better the lower it is" in caught.value.message
    assert 'value_column={"' in caught.value.hint
    assert "give the files of the other tasks" in caught.value.hint
    assert (
        'gsm8k: exact_match; law: loss, acc_norm; name another: reading=bestby.Reading(value_column={"law"'
        in caught.value.hint
    )
    assert read(root, reading=bb.Reading(value_column={"law": "acc_norm"})).n_items == 9
    files = sorted(root.glob("*/samples_gsm8k_*.jsonl"))
    assert read(files).names == ("org/a", "org/b")
    falling = read(sorted(root.glob("*/samples_law_*.jsonl")))
    assert falling.suggested.greater_is_better is False


def test_a_score_of_a_corpus_has_no_common_mean_with_scores_of_items(tmp_path: Path) -> None:
    for model in ("a", "b"):
        folder = tmp_path / model
        folder.mkdir()
        pairs = [["a b c d", "a b c d"], ["e f g h", "e f g i"]]
        (folder / f"samples_wmt_{_DATE}.jsonl").write_text(lm_eval(pairs, measure="bleu"))
        (folder / f"samples_law_{_DATE}.jsonl").write_text(lm_eval([1.0, 0.0]))
    with pytest.raises(InvalidInputError, match="bleu of task 'wmt' is one score of all its items") as caught:
        read(tmp_path)
    assert str(caught.value.hint).startswith("bestby.compare_datasets(bestby.read_datasets(...)); or ")
    assert read(sorted(tmp_path.glob("*/samples_wmt_*"))).suggested == "bleu"
    result = bb.compare_datasets(read_datasets(tmp_path))  # as the hint says
    assert dict(zip(result.datasets, result.scores[:, 0], strict=True))["law"] == 0.5
    assert "law: acc, wmt: bleu" in " ".join(note.message for note in result.notes)
    assert "lower is better" not in " ".join(note.message for note in result.notes)


OF_TWO_DIRECTIONS = {
    "org__a": {
        "gsm8k": A["gsm8k"],
        "law": [0.5, 0.25, 0.25, 1.0],
        "wiki": [[-40.0, 12], [-30.0, 9], [-25.0, 4]],
    },
    "org__b": {
        "gsm8k": B["gsm8k"],
        "law": [0.5, 0.75, 0.5, 1.25],
        "wiki": [[-44.0, 12], [-30.0, 9], [-28.0, 4]],
    },
}


def _two_directions(root: Path) -> Path:
    metrics = {"gsm8k": "exact_match", "law": "loss", "wiki": "word_perplexity"}
    for model, tasks in OF_TWO_DIRECTIONS.items():
        (root / model).mkdir(parents=True)
        for task, values in tasks.items():
            text = lm_eval(values, measure=metrics[task], asked=task)
            (root / model / f"samples_{task}_{_DATE}.jsonl").write_text(text, encoding="utf-8")
    return root


def test_each_dataset_is_compared_in_the_direction_of_its_own_metric(tmp_path: Path) -> None:
    result = bb.compare_datasets(read_datasets(_two_directions(tmp_path)))
    perplexity = {"org__a": np.exp(95 / 25), "org__b": np.exp(102 / 25)}
    expected = {"org__a": [0.8, -0.5, -perplexity["org__a"]], "org__b": [0.4, -0.75, -perplexity["org__b"]]}
    found = {name: result.scores[:, place].tolist() for place, name in enumerate(result.systems)}
    assert found == {name: pytest.approx(scores) for name, scores in expected.items()}
    assert (result.metric.name, result.metric.greater_is_better) == ("score", True)
    assert result.systems[0] == "org__a"  # which is better on all three
    for name, place in zip(result.datasets, range(3), strict=True):
        (difference,) = result.within[name]
        assert difference.estimate == pytest.approx(expected["org__a"][place] - expected["org__b"][place])
        assert difference.interval is not None
    assert {(one.average, one.resampled) for one in result.overall} == {
        ("macro", "items"),
        ("macro", "datasets"),
    }
    notes = {note.code: note.message for note in result.notes}
    assert notes["own_metrics"] == (
        "each dataset has a metric of its own: gsm8k: exact_match, law: loss, wiki: perplexity; lower is"
        " better on law, wiki, whose scores have a minus so that higher is better on all"
    )
    assert notes["not_pooled"].endswith("the datasets have metrics of their own")
    assert isinstance(bb.load(result.to_json()), type(result))


def test_a_turned_dataset_gives_the_differences_of_the_dataset_by_itself(tmp_path: Path) -> None:
    root = _two_directions(tmp_path)
    result = bb.compare_datasets(read_datasets(root))
    for task in ("law", "wiki"):
        (turned,) = result.within[task]
        files = {name: next((root / name).glob(f"samples_{task}_*")) for name in ("org__a", "org__b")}
        alone = bb.compare(read(files))["org__a", "org__b"]
        assert turned.estimate == pytest.approx(-alone.estimate)
        assert turned.test is not None
        assert alone.test is not None
        assert turned.test.p_value == pytest.approx(alone.test.p_value)


def test_commands_on_tasks_of_two_directions(tmp_path: Path) -> None:
    run = run_in(_two_directions(tmp_path / "out").parent)
    done = run("datasets", "out")
    assert done.returncode == 0, done.stderr
    assert "lower is better on law, wiki" in " ".join(done.stdout.split())
    forwarded = run("compare", "out")
    assert forwarded.stdout == done.stdout
    assert forwarded.stderr.endswith("so this is the answer of: bestby datasets out\n")
    for command in (("slices", "--by", "task"), ("gate",), ("evaluate",)):
        done = run(*command, "out")
        assert done.returncode == 2
        assert "exact_match of task 'gsm8k' is better the higher it is, loss of task 'law' is better the" in (
            done.stderr
        )
        assert "hint: bestby datasets out; or " in done.stderr


def test_the_direction_of_each_task_is_that_of_the_results_or_of_the_name(tmp_path: Path) -> None:
    metrics = {"gsm8k": "brier_score", "law": "loss"}
    falling = read(_write(tmp_path / "named", metrics=metrics))
    assert (falling.suggested.name, falling.suggested.greater_is_better) == ("score", False)
    told = {"gsm8k": {"brier_score": True}, "law": {"loss": True}}
    assert read(_write(tmp_path / "told", metrics=metrics, better=told)).suggested.greater_is_better


@pytest.mark.parametrize("form", ["inspect", "helm", "openai"])
def test_other_formats_of_several_tasks(tmp_path: Path, form: str) -> None:
    paths = []
    for model, tasks in (("a", A), ("b", B)):
        for task, values in tasks.items():
            if form == "inspect":
                log = inspect_log([values], model=model, task=task)
                for sample in log["samples"]:
                    sample["scores"] = {METRICS[task]: sample["scores"]["match"]}
                path, text = tmp_path / f"{model}_{task}.json", json.dumps(log)
            elif form == "helm":
                folder = tmp_path / f"{task}:model={model}"
                folder.mkdir()
                measure = {"law": "f1_score"}.get(task, "exact_match")
                path, text = folder / "per_instance_stats.json", json.dumps(helm(values, measure=measure))
            else:
                scores = [{METRICS[task]: value} for value in values]
                path = tmp_path / f"{model}_{task}.jsonl"
                text = openai_evals([None] * len(values), model=model, name=task, metrics=scores)
            path.write_text(text, encoding="utf-8")
            paths.append(path)
    evaluation = read(paths)
    assert _scores(evaluation) == pytest.approx({"a": 6 / 9, "b": 5 / 9})
    assert "each item has its task's own metric" in evaluation.notes[0].message
    law = {"helm": "f1_score"}.get(form, "acc")
    assert read(paths, reading=bb.Reading(value_column={"law": law})).names == ("a", "b")
    with pytest.raises(InvalidInputError) as caught:
        read(paths, reading=bb.Reading(value_column="nothing"))
    assert "by task: " in caught.value.hint


def test_tables_have_no_scores_by_task(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("item,a,b\n1,1,0\n2,0,0\n", encoding="utf-8")
    for reader in (read, read_datasets, bb.read_runs):
        with pytest.raises(InvalidInputError, match="only logs of evaluation tools have"):
            reader(table, reading=bb.Reading(value_column={"law": "acc"}))


def test_a_metric_by_task_on_the_command_line(tmp_path: Path) -> None:
    root, run = str(_write(tmp_path / "out")), run_in(tmp_path)
    done = run("compare", root, "--value-column", "acc")
    assert done.returncode == 2
    assert "gsm8k: exact_match; law: acc, acc_norm; name one: --value-column gsm8k=exact_match" in done.stderr
    for command in (("compare",), ("evaluate",), ("slices", "--by", "task"), ("gate",), ("datasets",)):
        done = run(*command, root, "--value-column", "gsm8k=exact_match", "--value-column", "law=acc_norm")
        assert done.returncode in (0, 1, 3), done.stderr
        assert "law: acc_norm" in " ".join(done.stdout.split())
    assert (
        run("compare", root, "--value-column", "acc", "--value-column", "gsm8k=exact_match").returncode == 0
    )
    twice = run("compare", root, "--value-column", "acc", "--value-column", "acc_norm")
    assert "--value-column names 'acc' and 'acc_norm' for all tasks" in twice.stderr


def test_scores_of_no_number_are_missing(tmp_path: Path) -> None:
    scores = {"a": {"law": [1.0, 0.0, 1.0, float("nan")]}, "b": {"law": [1.0, 1.0, None, 0.0]}}
    for model, tasks in scores.items():
        (tmp_path / f"{model}.jsonl").write_text(lm_eval(tasks["law"]), encoding="utf-8")
    paths = {model: tmp_path / f"{model}.jsonl" for model in scores}
    with pytest.raises(InvalidInputError, match=r"^a has no score \(NaN\) for item 3 in ") as caught:
        read(paths)
    assert 'on_missing="drop"' in caught.value.hint
    assert read(paths, on_missing="drop").items.tolist() == ["0", "1"]
    worst = read(paths, on_missing="worst")
    assert _scores(worst) == pytest.approx({"a": 0.5, "b": 0.5})
    assert np.isfinite(worst.systems["a"]).all()


def test_items_that_no_system_has_a_score_for_are_not_dropped_silently(tmp_path: Path) -> None:
    paths = {}
    for model in "ab":
        paths[model] = tmp_path / f"{model}.jsonl"
        paths[model].write_text(lm_eval([1.0, None, 0.0]), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has no score"):
        read(paths)
    notes = [note.message for note in read(paths, on_missing="drop").notes if note.code == "items_dropped"]
    assert notes == ["1 of 3 items were dropped because not all systems (and the gold) have them"]


def test_watched_logs_must_have_one_metric(tmp_path: Path) -> None:
    root, run = _write(tmp_path / "out"), run_in(tmp_path)
    one = root / "org__a" / f"samples_gsm8k_{_DATE}.jsonl"
    other = root / "org__b" / f"samples_law_{_DATE}.jsonl"
    done = run("watch", f"a={one}", f"b={other}")
    assert done.returncode == 2
    assert "has the scores acc, and " in done.stderr
    assert "--value-column" in done.stderr
    same = root / "org__a" / f"samples_law_{_DATE}.jsonl"
    assert run("watch", f"a={same}", f"b={other}", "--value-column", "acc_norm").returncode in (0, 1, 3)
