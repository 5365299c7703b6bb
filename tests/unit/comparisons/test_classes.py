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


@pytest.mark.parametrize("strata", [None, [*"12"] * 200])
def test_classes_of_many_systems_are_counted_without_their_joint_rows(strata, monkeypatch):
    rng = np.random.default_rng(8)
    gold = dict(enumerate(rng.choice(["a", "b", "c"], 400).tolist()))
    systems = {f"s{i:02}": dict(enumerate(rng.choice(["a", "b"], 400).tolist())) for i in range(12)}
    systems["s03"] = {item: label for item, label in systems["s03"].items() if item % 50}
    groups = None if strata is None else dict(enumerate(strata))
    monkeypatch.setattr("bestby.data.evaluation.collapsed", None)
    result = bb.compare(systems, gold=gold, metric="accuracy", strata=groups, on_missing="worst")
    for shares in result.classes:
        labels = list((gold if shares.system is None else systems[shares.system]).values())
        assert shares.labels == ("a", "b", "c")
        assert shares.counts == tuple(labels.count(label) for label in "abc")


def test_numbers_in_labels_are_in_the_order_of_their_size():
    gold = ["10"] * 5 + ["9"] * 4 + ["1"]
    (shares, *_) = bb.compare({"x": gold, "y": ["9"] * 10}, gold=gold, metric="accuracy").classes
    assert (shares.labels, shares.counts) == (("1", "9", "10"), (1, 4, 5))
    named = [f"c{label}" for label in gold]
    (shares, *_) = bb.compare({"x": named, "y": ["c9"] * 10}, gold=named, metric="accuracy").classes
    assert (shares.labels, shares.counts) == (("c1", "c9", "c10"), (1, 4, 5))


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


def test_whole_numbers_are_classes_even_as_floats():
    gold, x = np.array([0.0, 1.0, 2.0, 1.0] * 5), np.array([0.0, 1.0, 1.0, 1.0] * 5)
    floats = bb.compare({"x": x, "y": gold}, gold=gold, metric="accuracy")
    whole = bb.compare({"x": x.astype(int), "y": gold}, gold=gold.astype(int), metric="accuracy")
    assert [entry.labels for entry in floats.classes] == [("0", "1", "2")] * 3
    assert floats.classes == whole.classes
    assert never(floats) == ["x never predicts 1 of the 3 classes of the gold: '2'"]


def test_the_table_is_in_every_report_where_it_is_small(capsys):
    result = compared()
    for text in (result.to_html(), result.to_markdown()):
        assert "Items of each class" in text
        assert "7 (70 %)" in text
    assert "Items of each class" not in str(result)
    rows = result.to_frame("classes")
    assert list(rows.columns) == ["system", "label", "share", "count"]
    assert len(rows) == 9
    assert rows["count"].sum() == 30
    many = [str(i) for i in range(40)]
    large = bb.compare({f"s{i}": many for i in range(12)}, gold=many, metric="accuracy", n_resamples=99)
    assert "Items of each class" not in large.to_html()
    soft = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], size=(3, 20))
    page = bb.compare({"x": soft[0], "y": soft[1]}, gold=soft[2], metric="brier").to_markdown()
    assert "Mean probability of each class" in page
    assert f"{soft[2].mean(axis=0)[0]:.3f}" in page


def test_there_are_none_for_very_many_classes():
    gold = [str(i) for i in range(60)]
    assert bb.compare({"x": gold, "y": ["0"] * 60}, gold=gold, metric="accuracy").classes == ()


def taken_for_labels(gold, **systems):
    result = bb.compare(systems, gold=gold, metric="accuracy")
    return [note.message for note in result.notes if note.code == "word_for_nothing"]


@pytest.mark.parametrize("word", ["null", "None", "NULL", "-", "n/a"])
def test_a_word_for_nothing_that_the_gold_never_has_is_noted(word):
    gold = ["x", "y"] * 10
    (told,) = taken_for_labels(gold, a=[word, "y"] * 2 + gold[4:], b=gold)
    assert told.startswith(
        f"'{word}' is taken for a label that the gold never has, and counts as wrong on 2 items of a:"
    )
    assert "missing=" in told


def test_a_word_for_nothing_in_the_gold_is_noted_where_no_system_predicts_it():
    gold = ["none", *["x", "y"] * 20]
    (told,) = taken_for_labels(gold, a=["x"] * 41, b=["y"] * 41)
    assert told.startswith("'none' is taken for a label of the gold, on 1 item, that no system predicts:")


@pytest.mark.parametrize(
    "gold", [["none", "x", "y"] * 10, ["none", *["x", "y"] * 20]], ids=["often", "predicted"]
)
def test_a_word_for_nothing_that_is_a_class_is_not_noted(gold):
    other = ["x", *gold[1:]]
    assert taken_for_labels(gold, a=gold, b=other) == []
    assert taken_for_labels(["x", "y"] * 10, a=["x"] * 20, b=["other", *["y"] * 19]) == []
