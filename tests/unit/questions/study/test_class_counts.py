"""The comparison of a study counts the classes of the gold and of the runs of each condition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bestby as bb

GOLD = np.array(["x", "y", "z"] * 20)


def added(study: bb.Study, condition: str, *predictions: np.ndarray, **more: object) -> None:
    for run, values in enumerate(predictions):
        study.add(condition, run=run, predictions=values, gold=GOLD, **more)


def test_classes_are_counted_over_the_runs(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    added(study, "h0", GOLD, np.where(GOLD == "z", "y", GOLD), baseline=True)
    added(study, "h1", np.full(60, "x"))
    result = study.compare(metric="accuracy")
    gold, h0, h1 = result.classes
    assert [one.system for one in result.classes] == [None, "h0", "h1"]
    assert gold.labels == h0.labels == ("x", "y", "z")
    assert (gold.counts, h0.counts, h1.counts) == ((20, 20, 20), (40, 60, 20), (60, 0, 0))
    assert h0.shares == pytest.approx((1 / 3, 1 / 2, 1 / 6))
    noted = [note.message for note in result.notes if note.code == "never_predicted"]
    assert noted == ["h1 never predicts 2 of the 3 classes of the gold: 'y', 'z'"]
    assert bb.load(result.to_json()) == result
    assert study.compare(metric="accuracy").classes == result.classes  # the rest is from the cache
    assert [row["count"] for row in result.to_dict()["classes"]][3:6] == [40, 60, 20]
    assert "Items of each class" in " ".join(result.to_html().split())


def test_one_run_of_each_is_as_in_compare(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    both = {"h0": np.where(GOLD == "z", "y", GOLD), "h1": GOLD}
    for name, values in both.items():
        added(study, name, values, baseline=name == "h0")
    assert study.compare(metric="accuracy").classes == bb.compare(both, GOLD, metric="accuracy").classes


def test_soft_labels_have_mean_shares_and_numbers_have_none(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).dirichlet([1.0, 2.0], 30)
    soft, real = bb.Study(tmp_path / "soft"), bb.Study(tmp_path / "real")
    for study, values in ((soft, rows), (real, rows[:, 0])):
        for run in range(2):
            study.add("h0", run=run, predictions=values, gold=values, baseline=True)
        study.add("h1", run=0, predictions=values[::-1])
    _, h0, h1 = soft.compare(metric="cross_entropy").classes
    assert h0.counts is None
    assert h0.shares == pytest.approx(rows.mean(axis=0).tolist())
    assert h1.shares == pytest.approx(h0.shares)
    assert real.compare(metric="mse").classes == ()


def test_worse_with_a_one_sided_test(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    added(study, "h0", GOLD, baseline=True)
    added(study, "worse", np.where(np.arange(60) < 30, "x", GOLD))
    added(study, "alike", np.where(np.arange(60) < 2, "x", GOLD))

    def marks(**settings: object) -> dict[str, str]:
        text = study.compare(metric="accuracy", **settings).to_results_tsv()
        return {line.split("\t")[0]: line.split("\t")[4] for line in text.splitlines()[2:]}

    assert marks() == marks(alternative="better") == {"worse": "!", "alike": ""}
    assert marks(alternative="better", interval=None) == {"worse": "", "alike": ""}


def test_what_is_added_prints_as_one_line(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    run = study.add("h0", run=3, predictions=GOLD, gold=GOLD, baseline=True)
    assert repr(run) == "<run '3' of 'h0', a baseline: 60 items>"
    assert repr(study.gold()) == "<gold of 60 items>"
