"""What a comparison of a study says: notes, errors, and every output."""

from __future__ import annotations

import csv
import dataclasses
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.study.conditions import (
    CLASSES,
    GOLD,
    RUNS,
    SOFT_GOLD,
    SOFT_RUNS,
    Make,
    N,
    labels,
    rows,
)

import bestby as bb
from bestby import Study
from bestby.errors import DesignError, InvalidInputError
from bestby.questions.study.result import StudyComparison


def test_a_class_without_items_is_told(make: Make) -> None:
    never = np.where(RUNS["h1"][0] == "z", "x", RUNS["h1"][0])
    found = make({"h0": RUNS["h0"], "h1": [never]}).compare(metric="precision_macro")
    plain = bb.compare({"a": RUNS["h0"][0], "b": never}, GOLD, metric="precision_macro")
    (told,) = [note.message for note in plain.notes if note.code == "counted_as_zero"]
    assert told in [note.message for d in found for note in d.notes if note.code == "counted_as_zero"]


def test_cautions_are_told(make: Make) -> None:
    study = make(SOFT_RUNS, gold=SOFT_GOLD, reading=bb.Reading(classes=CLASSES))
    for _ in range(2):  # from the cache too
        assert [n.about for n in study.compare(metric="ece").notes if n.code == "caution"] == [("ece",)]


def test_a_treatment_of_a_baseline_that_is_none(tmp_path: Path) -> None:
    study = Study(tmp_path / "study")
    study.add("h0", run=0, predictions=RUNS["h0"][0], gold=GOLD, baseline=True)
    study.add("h1", run=0, predictions=RUNS["h1"][0], against="k0")
    with pytest.raises(InvalidInputError, match="'h1' is to be compared with 'k0', which is not a baseline"):
        study.compare()


def test_an_undefined_score_names_the_run(make: Make) -> None:
    runs = {"s0": [rows(0.5, 1)], "s1": [rows(0.5, 2), np.eye(3)[np.zeros(N, dtype=int)]]}
    with pytest.raises(InvalidInputError, match=r"undefined.*|'s1#1'"):
        make(runs, gold=SOFT_GOLD, reading=bb.Reading(classes=CLASSES)).compare(metric="entropy_correlation")


# -- outputs ---------------------------------------------------------------------------------------


@pytest.fixture
def result(make: Make) -> StudyComparison:
    study = make(RUNS, epochs=10)
    return study.compare(metric=["f1_macro", "accuracy"], margin=0.02)


def test_several_baselines_are_marked(make: Make) -> None:
    found = make(RUNS, baselines=("h0", "h2")).compare()
    for text in (str(found), found.to_markdown(), found.to_html()):
        assert "h0 (baseline)" in text
        assert "h2 (baseline)" in text
        assert "Against the baseline h2" in text


def test_results_tsv(result: StudyComparison, tmp_path: Path) -> None:
    text = result.to_results_tsv(tmp_path / "results.tsv")
    assert (tmp_path / "results.tsv").read_text(encoding="utf-8") == text
    head, *lines = [line.split("\t") for line in text.splitlines()]
    assert head == ["", "mean_epochs", "f1", "d_f1", "s_f1", "std_f1", "acc", "d_acc", "s_acc", "std_acc"]
    assert [line[:2] for line in lines] == [["h0", "10.0"], ["h1", "10.0"], ["h2", "10.0"]]
    assert lines[0][3:5] == ["", ""]
    assert lines[2][5] == ""  # no spread of one run
    d = result["h1", "h0", "accuracy"]
    assert lines[1][6:8] == [f"{d.score_a:.4f}", f"{d.estimate:.4f}"]
    assert lines[1][9] == f"{result.score('h1', 'accuracy').sd:.4f}"


@pytest.mark.parametrize(
    ("estimate", "p", "greater", "mark"),
    [
        (0.1, 0.01, True, "**"),
        (0.1, 0.0101, True, "*"),
        (0.1, 0.05, True, "*"),
        (0.1, 0.0501, True, ""),
        (-0.1, 0.05, True, "!"),
        (-0.1, 0.001, True, "!"),
        (-0.1, 0.001, False, "**"),
        (0.1, 0.001, False, "!"),
        (-0.1, 0.2, True, ""),
        (0.0, 1.0, True, ""),
    ],
)
def test_marks(result: StudyComparison, estimate: float, p: float, greater: bool, mark: str) -> None:
    from bestby.questions.study.report import results_tsv

    changed = [
        dataclasses.replace(
            d,
            estimate=estimate,
            p_adjusted=p,
            greater_is_better=greater,
            test=dataclasses.replace(d.test, statistic=estimate),
        )
        for d in result.differences
    ]
    text = results_tsv(dataclasses.replace(result, differences=tuple(changed)))
    assert [line.split("\t")[4] for line in text.splitlines()[1:]] == ["", mark, mark]


def test_results_tsv_has_a_block_per_baseline(tmp_path: Path) -> None:
    study = Study(tmp_path / "study")
    study.add("h10", run=0, predictions=labels(0.4, 1), gold=GOLD, baseline=True)
    study.add("k0", run=0, predictions=labels(0.5, 2), baseline=True)
    for name, against in (("h2", None), ("h\t1", "k0"), ("h11", None)):
        study.add(name, run=0, predictions=labels(0.6, 3), against=against)
    found = study.compare(metric="js_distance")
    lines = list(csv.reader(io.StringIO(found.to_results_tsv()), delimiter="\t"))
    assert [line[0] for line in lines] == ["", "h10", "h2", "h11", "k0", "h2", "h11", "h\t1"]
    assert lines[0][2:] == ["jsd", "d_jsd", "s_jsd", "std_jsd"]
    assert {line[1] for line in lines[1:]} == {""}
    with pytest.raises(DesignError, match="every two conditions were compared") as caught:
        study.compare(conditions=["h2", "h11"]).to_results_tsv()
    assert caught.value.hint == "name a baseline: baseline=..."


def test_what_is_said_of_the_interval_of_a_score_is_kept_with_it(make: Make) -> None:
    study = make({"h0": RUNS["h0"], "h1": RUNS["h1"][:1]})
    settings: dict[str, Any] = {"interval": "percentile", "n_resamples": 200}
    first, again = study.compare(**settings), study.compare(**settings)
    assert (first.n_reused, again.n_computed) == (0, 0)
    told = [note for note in first.notes if note.code == "short_interval"]
    assert [note.about for note in told] == [("accuracy", "h0")]
    assert again.notes == first.notes


def test_the_score_of_a_single_run_has_the_notes_of_compare(make: Make) -> None:
    nearly = GOLD.copy()
    nearly[:2] = ["x" if label != "x" else "y" for label in GOLD[:2]]
    study = make({"h0": RUNS["h0"][:1], "h1": [nearly]})
    plain = bb.compare({"h0": RUNS["h0"][0], "h1": nearly}, GOLD, metric="f1_macro", baseline="h0")
    found = study.compare(metric="f1_macro")
    told = [note for note in plain.notes if note.about == ("f1_macro", "h1")]
    assert [note.code for note in told] == ["few_effective"]
    assert [note for note in found.notes if note.about == ("f1_macro", "h1")] == told


def test_what_a_study_prints(tmp_path: Path) -> None:
    study = Study(tmp_path / "study")
    assert repr(study) == "<study without runs>"
    study.add("h0", run=0, predictions=["x", "y"], gold=["x", "y"], baseline=True)
    assert repr(study) == "<study of 1 condition, 1 run, 2 items>"
    study.add("h0", run=1, predictions=["x", "x"])
    assert repr(study) == "<study of 1 condition, 2 runs, 2 items>"
