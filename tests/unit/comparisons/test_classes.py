"""The shares of the classes in gold and predictions, and the note on classes that are never predicted."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb

GOLD = ["a"] * 6 + ["b"] * 3 + ["c"]
SYSTEMS = {"x": ["a"] * 7 + ["b"] * 2 + ["c"], "y": ["a"] * 10}


def compared(**settings):
    return bb.compare(SYSTEMS, gold=GOLD, metric="accuracy", **settings)


def never(result):
    return [note.message for note in result.notes if note.code == "never_predicted"]


@pytest.mark.parametrize("settings", [{}, {"clusters": list("1122334455")}, {"strata": list("1111122222")}])
def test_counts_and_shares(settings):
    result = compared(**settings)
    gold, x, y = result.classes
    assert (gold.system, gold.labels, gold.counts) == (None, ("a", "b", "c"), (6, 3, 1))
    assert (x.system, x.counts, x.shares) == ("x", (7, 2, 1), (0.7, 0.2, 0.1))
    assert (y.system, y.counts) == ("y", (10, 0, 0))
    assert never(result) == ["y never predicts 2 of the 3 classes of the gold: 'b', 'c'"]
    assert bb.load(result.to_json()) == result


def test_missing_predictions_have_no_class():
    keyed = {name: dict(enumerate(labels)) for name, labels in SYSTEMS.items()}
    del keyed["x"][9]
    data = bb.Evaluation.of(keyed, gold=dict(enumerate(GOLD)), on_missing="worst")
    gold, x, _ = bb.compare(data, metric="accuracy").classes
    assert (gold.counts, x.counts) == ((6, 3, 1), (7, 2, 0))


def test_soft_labels_have_a_mean_distribution():
    rng = np.random.default_rng(0)
    gold, x, y = rng.dirichlet([1.0, 1.0, 1.0], size=(3, 20))
    found = bb.compare({"x": x, "y": y}, gold=gold, metric="brier").classes
    assert [entry.counts for entry in found] == [None, None, None]
    assert found[1].shares == pytest.approx(x.mean(axis=0))


def test_there_are_none_without_labels():
    rng = np.random.default_rng(0)
    gold, x, y = rng.normal(size=(3, 20))
    assert bb.compare({"x": x, "y": y}, gold=gold, metric="pearson").classes == ()
    assert bb.compare({"x": x, "y": y}).classes == ()


def test_there_are_none_for_very_many_classes():
    gold = [str(i) for i in range(60)]
    assert bb.compare({"x": gold, "y": ["0"] * 60}, gold=gold, metric="accuracy").classes == ()


def test_evaluate_has_them_too():
    result = bb.evaluate(SYSTEMS["y"], GOLD, metric="f1_macro")
    assert result.classes[1].counts == (10, 0, 0)
    assert len(never(result)) == 1
