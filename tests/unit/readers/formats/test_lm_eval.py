from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.readers.formats.log_files import lm_eval, message, results, scores_of
from tests.unit.readers.helpers import Make

from bestby import compare
from bestby.readers.formats import lm_eval as form
from bestby.readers.formats.base import default_names, format_in

_DATE = "2026-01-21T03-44-18.458309"


def _pair(make: Make, a: str, b: str) -> dict[str, Path]:
    return {"x": make("a.jsonl", a), "y": make("b.jsonl", b)}


def test_scores_by_document(make: Make) -> None:
    found = form.read(_pair(make, lm_eval([1.0, 0.0, 1.0]), lm_eval([0.0, 0.0, 1.0])))
    assert scores_of(found) == {"x": [1.0, 0.0, 1.0], "y": [0.0, 0.0, 1.0]}
    assert found.metric.name == "acc"
    assert found.description == "samples of lm-evaluation-harness; metric: acc; systems: x, y"


def test_model_and_direction_come_from_the_results(tmp_path: Path) -> None:
    for folder, values in (("one", [3.0, 1.0]), ("two", [1.0, 1.0])):
        place = tmp_path / folder
        place.mkdir()
        (place / f"samples_sums_{_DATE}.jsonl").write_text(lm_eval(values, measure="odd"))
        (place / f"results_{_DATE}.json").write_text(results("sums", f"org/{folder}", odd=False))
        (place / "results_2025-01-01T00-00-00.0.json").write_text(results("sums", "other", odd=True))
    name = f"samples_sums_{_DATE}.jsonl"
    files = [tmp_path / folder / name for folder in ("one", "two")]
    paths = {default_names(path)[1]: path for path in files}
    found = form.read(paths)
    assert list(scores_of(found)) == ["org/one", "org/two"]
    assert found.metric.greater_is_better is False
    renamed = form.read(dict(zip("AB", files, strict=True)))
    assert list(scores_of(renamed)) == ["A", "B"]


def test_two_files_of_one_model_keep_their_own_names(tmp_path: Path) -> None:
    paths = {}
    for date in ("2026-01-21T03-44-18.1", "2026-01-22T03-44-18.1"):
        (tmp_path / f"results_{date}.json").write_text(results("sums", "org/m", acc=True))
        path = tmp_path / f"samples_sums_{date}.jsonl"
        path.write_text(lm_eval([1.0, 0.0]))
        paths[default_names(path)[0]] = path
    assert list(scores_of(form.read(paths))) == list(paths)


def test_the_first_filter_unless_another_is_named(make: Make) -> None:
    whole = lm_eval([1.0, 0.0, 0.0], filters=("strict", "flexible"))
    paths = _pair(make, whole, whole)
    first = form.read(paths)
    assert scores_of(first)["x"] == [1.0, 0.0, 0.0]
    assert "filter: strict of strict, flexible" in first.description
    assert scores_of(form.read(paths, value_column="acc,flexible"))["x"] == [0.0, 0.0, 1.0]
    assert message(form, paths, value_column="acc,lenient") == "a.jsonl: no filter 'lenient'"


def test_the_filter_is_one_that_both_files_have(make: Make) -> None:
    a = lm_eval([1.0, 0.0], filters=("strict", "flexible"))
    b = lm_eval([1.0, 1.0], filters=("flexible",))
    assert scores_of(form.read(_pair(make, a, b))) == {"x": [0.0, 1.0], "y": [1.0, 1.0]}
    paths = _pair(make, lm_eval([1.0, 0.0], filters=("strict",)), b)
    assert message(form, paths) == ("the files share no filter (a.jsonl: strict; b.jsonl: flexible)")


def test_pairs_of_reference_and_translation(make: Make) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    a = lm_eval([["a b c d e", "a b c d e"], ["e f g h", "e f g h"]], measure="bleu")
    b = lm_eval([["a b c d e", ["a b c d f"]], ["e f g h", "e f g i"]], measure="bleu")
    found = form.read(_pair(make, a, b))
    assert found.evaluation.gold.tolist() == ["a b c d e", "e f g h"]
    comparison = compare(found.evaluation, metric=found.metric)
    assert {s.system: round(s.score, 4) for s in comparison.systems} == {
        "x": 100.0,
        "y": round(sacrebleu.corpus_bleu(["a b c d f", "e f g i"], [["a b c d e", "e f g h"]]).score, 4),
    }


def test_classes_of_pairs(make: Make) -> None:
    a = lm_eval([[1, 1], [0, 1], [1, 0]], measure="f1")
    b = lm_eval([[1, 1], [0, 0], [1, 0]], measure="f1")
    found = form.read(_pair(make, a, b))
    scores = {s.system: s.score for s in compare(found.evaluation, metric=found.metric).systems}
    assert scores == pytest.approx({"x": 0.5, "y": 2 / 3})


def test_cells_are_of_scores_of_documents_alone(make: Make) -> None:
    a, b = (lm_eval(scores, filters=("strict", "flexible")) for scores in ([1.0, 0.0], [0.0, 0.0]))
    cells = form.read(_pair(make, a, b)).cells(())
    assert cells.cells("item") == ["0", "1"] * 2
    assert cells.cells("score") == ["1.0", "0.0", "0.0", "0.0"]
    pairs = lm_eval([["a b", "a b"], ["c", "d"]], measure="bleu")
    assert form.read(_pair(make, pairs, pairs)).cells is None


def test_perplexity_is_that_of_the_sum_not_a_mean(make: Make) -> None:
    a = lm_eval([[-10.0, 5], [-2.0, 4]], measure="word_perplexity")
    found = form.read(_pair(make, a, lm_eval([[-9.0, 5], [-2.0, 4]], measure="word_perplexity")))
    score = compare(found.evaluation, metric=found.metric)
    assert {s.system: s.score for s in score.systems} == pytest.approx(
        {"x": 2.718281828459045 ** (12 / 9), "y": 2.718281828459045 ** (11 / 9)}
    )
    flat = form.read(
        _pair(make, lm_eval([-1.0, -3.0], measure="perplexity"), lm_eval([-1.0, -1.0], measure="perplexity"))
    )
    scores = {s.system: s.score for s in compare(flat.evaluation, metric=flat.metric).systems}
    assert scores == pytest.approx({"x": 2.718281828459045**2, "y": 2.718281828459045})


def test_several_tasks_are_datasets_and_together_strata(tmp_path: Path) -> None:
    for model, values in (("m1", [1.0, 0.0, 1.0]), ("m2", [0.0, 0.0, 1.0])):
        folder = tmp_path / model
        folder.mkdir()
        for task in ("arc", "boolq"):
            (folder / f"samples_{task}_{_DATE}.jsonl").write_text(lm_eval(values, asked=task))
    found = form.read({"A": tmp_path / "m1", "B": tmp_path / "m2"})
    assert list(found.datasets) == ["arc", "boolq"]
    assert found.evaluation.strata.tolist() == ["arc"] * 3 + ["boolq"] * 3
    assert scores_of(found) == {"A": [1.0, 0.0, 1.0] * 2, "B": [0.0, 0.0, 1.0] * 2}
    assert found.evaluation.items.tolist()[:4] == ["arc/0", "arc/1", "arc/2", "boolq/0"]
    (tmp_path / "m2" / f"samples_boolq_{_DATE}.jsonl").unlink()
    paths = {"A": tmp_path / "m1", "B": tmp_path / "m2"}
    assert message(form, paths).startswith("system 'B' has no log of 'boolq'; ")
    left = form.read(paths, on_missing="drop")
    assert left.datasets is None
    assert "1 datasets were left out because some system has no log of them" in left.description


def test_a_document_of_another_hash_is_refused(make: Make) -> None:
    paths = _pair(make, lm_eval([1.0, 0.0]), lm_eval([1.0, 0.0], asked="Question"))
    assert message(
        form, paths
    ) == f"item '0' is not the same in a.jsonl and in {paths['y']}: its content differs".replace(
        f"{paths['x'].parent}/", ""
    )


def test_groupings_of_the_documents(make: Make) -> None:
    paths = _pair(make, lm_eval([1.0, 0.0, 1.0, 1.0]), lm_eval([1.0, 0.0, 0.0, 0.0]))
    # "subject" has no name of a cluster; it can be asked for all the same.
    assert form.read(paths).clusters == {}
    found = form.read(paths, clusters="subject")
    assert found.evaluation.clusters.tolist() == ["a", "b", "c", "a"]
    assert message(form, paths, clusters="speaker") == "there is no grouping 'speaker' of the items"


def test_malformed_files_are_named_with_their_line(make: Make) -> None:
    good = lm_eval([1.0, 0.0, 1.0])
    cut = _pair(make, good, good[:-20])
    assert message(form, cut).startswith("b.jsonl, line 5: not JSON: ")
    doubled = _pair(make, good, good + "\n" + lm_eval([1.0]))
    assert message(form, doubled) == "b.jsonl, line 7: item '0' was already in line 1"
    fewer = _pair(make, good, lm_eval([1.0, 0.0]))
    assert message(form, fewer) == (
        "system 'y' and system 'x' share 2 of 3 item ids; 1 missing from 'y', first: '2'"
    )
    assert len(scores_of(form.read(fewer, on_missing="drop"))["x"]) == 2
    wrong = _pair(make, good, lm_eval([1.0, "yes"]))
    assert message(form, wrong) == "b.jsonl, line 3: acc is not a score of one document but 'yes'"
    with_bytes = {
        "x": make("a.jsonl", good),
        "y": make("b.jsonl", good.encode().replace(b"question 1", b"\xff")),
    }
    assert message(form, with_bytes) == "b.jsonl, line 3: not UTF-8 text"


def test_no_measure_no_gold_one_system(make: Make) -> None:
    good = lm_eval([1.0, 0.0])
    paths = _pair(make, good, good)
    assert message(form, paths, value_column="f1") == "a.jsonl: no metric 'f1'"
    one = {"x": paths["x"]}
    assert form.read(one).evaluation.names == ("x",)
    none = _pair(make, lm_eval([[1, 2, 3], [1]], measure="odd"), good)
    assert message(form, none) == "a.jsonl: no sample has a metric"


def test_older_samples_are_a_list_without_names_of_measures(make: Make) -> None:
    rows = [json.loads(line) for line in lm_eval([1.0, 0.0]).splitlines() if line]
    for row in rows:
        del row["metrics"], row["filter"], row["doc_hash"]
    text = json.dumps(rows)
    paths = {"x": make("a.json", text), "y": make("b.json", text)}
    assert scores_of(form.read(paths))["y"] == [1.0, 0.0]
    assert format_in(paths["x"]) is form


def test_recognised_by_content(make: Make) -> None:
    assert format_in(make("anything.txt", lm_eval([1.0]))) is form
    assert format_in(make("samples_x.jsonl", '{"id": 1, "a": "x", "b": "y"}\n')) is None
