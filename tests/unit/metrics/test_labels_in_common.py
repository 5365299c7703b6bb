"""Systems and gold without labels in common: refused, noted, or allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.metrics.unsuitable import (
    BINARY,
    GENERATED,
    NUMBERS,
    PROBABILITIES,
    REAL,
    SPELT,
    TEXTS,
    WORDS,
    N,
    P,
    Q,
)

import bestby as bb
from bestby import Evaluation
from bestby.errors import DesignError

# -- real numbers that are labels ------------------------------------------------------------------


def test_half_stars_are_labels_if_the_metric_is_named() -> None:
    stars = np.tile([0.5, 1.0, 3.5, 5.0], N // 4)
    systems = {"a": np.roll(stars, 1), "b": np.where(P > 0.4, stars, 2.5)}
    result = bb.compare(
        systems,
        stars,
        reading=bb.Reading(classes=[0.5, 1.0, 2.5, 3.5, 5.0]),
        metric=["accuracy", "ordinal_mae"],
        n_resamples=99,
    )
    scores = {entry.system: entry.score for entry in result.systems if entry.metric == "accuracy"}
    assert scores == {"a": 0.0, "b": np.mean(P > 0.4)}
    with pytest.raises(DesignError, match=r"the gold holds real numbers, such as 0\.5"):
        bb.compare(systems, stars)


def test_whole_numbers_in_floats_are_labels() -> None:
    result = bb.compare({"a": BINARY.astype(float), "b": 1.0 - BINARY}, BINARY.astype(float))
    assert [entry.score for entry in result.systems] == [1.0, 0.0]


def test_real_gold_and_a_named_metric_of_labels_with_no_label_in_common() -> None:
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(NUMBERS, REAL, metric="accuracy")
    assert 'metric="rmse"' in str(caught.value.hint)


@pytest.mark.parametrize("metric", ["accuracy", ["accuracy", "f1_macro"]])
def test_real_predictions_from_0_to_1_share_no_label_with_a_real_gold(metric: Any) -> None:
    gold = np.tile([0.0, 0.5, 1.0], N // 3)
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(PROBABILITIES, gold, metric=metric)
    assert 'metric="rmse"' in str(caught.value.hint)
    result = bb.compare({"a": P, "b": gold}, gold, metric=metric, n_resamples=99)
    assert ("no_shared_label", ("a",)) in [(note.code, note.about) for note in result.notes]


@pytest.mark.parametrize("precision", [np.float32, np.float16])
def test_labels_in_another_precision_are_told(precision: Any) -> None:
    tenths = np.tile([0.1, 0.5, 0.7], N // 3)
    lower = tenths.astype(precision)
    for systems, gold in (({"a": lower, "b": tenths}, tenths), ({"a": tenths, "b": lower}, lower)):
        result = bb.compare(systems, gold, metric="accuracy", n_resamples=99)
        (note,) = [note for note in result.notes if note.code == "label_precision"]
        assert note.about == ("a",)
        assert "0.1 " in note.message or "against 0.1" in note.message
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare(
            {"a": lower[tenths != 0.5]} | {"b": lower[tenths != 0.5]},
            tenths[tenths != 0.5],
            metric="accuracy",
        )
    assert "fewer digits" in str(caught.value.hint)
    for gold in (tenths, np.tile([0.0, 0.5, 1.0], N // 3)):
        result = bb.compare({"a": gold + 1e-9, "b": gold}, gold, metric="accuracy", n_resamples=99)
        assert "label_precision" not in [note.code for note in result.notes]


@pytest.mark.parametrize(
    "odd", [P + 1e-7 + (1.0 - P.max()), 100.0 * P, np.r_[-0.5, P[1:]]], ids=["over", "percent", "below"]
)
def test_the_number_that_is_no_probability_is_shown(odd: Any) -> None:
    with pytest.raises(DesignError, match="nor probabilities") as caught:
        bb.compare({"a": P, "b": odd}, BINARY, metric="log_loss")
    shown = float(caught.value.message.split("such as ")[1].split(",")[0])
    assert not 0.0 <= shown <= 1.0
    assert np.isclose(odd, shown, rtol=1e-9, atol=0.0).any()


@pytest.mark.parametrize("metric", ["emd", "ordinal_mae"])
@pytest.mark.parametrize("label", [2.5, 7])
def test_positions_of_classes_are_those_of_the_gold(metric: str, label: float) -> None:
    gold = np.tile([1, 2, 3], N // 3)
    systems = {"a": np.roll(gold, 1), "b": np.where(P > 0.5, gold, 2)}
    systems["odd"] = np.r_[label, gold[1:]]
    with pytest.raises(DesignError, match=f"'odd' predicts the label {label}.*, which the gold") as caught:
        bb.compare(systems, gold, metric=metric)
    assert "classes=[...]" in str(caught.value.hint)
    result = bb.compare(
        systems, gold, reading=bb.Reading(classes=sorted({1, 2, 3, label})), metric=metric, n_resamples=99
    )
    assert len(result.systems) == 3
    texts = {name: values.astype(int).astype(str) for name, values in systems.items() if name != "odd"}
    same = bb.compare(texts, gold, metric=metric, n_resamples=99)
    plain = bb.compare({"a": systems["a"], "b": systems["b"]}, gold, metric=metric, n_resamples=99)
    assert [entry.score for entry in same.systems] == [entry.score for entry in plain.systems]


# -- labels in common ------------------------------------------------------------------------------


def test_a_system_that_is_always_wrong_is_no_stranger() -> None:
    result = bb.compare({"a": 1 - BINARY, "b": 1 - BINARY}, BINARY)
    assert [entry.score for entry in result.systems] == [0.0, 0.0]
    assert result.notes == ()


def test_one_of_several_without_a_label_of_the_gold_is_noted() -> None:
    result = bb.compare({"good": WORDS, "odd": SPELT["a"], "other": ["neither"] * N}, WORDS)
    notes = {(note.code, note.about) for note in result.notes if note.code != "never_predicted"}
    assert notes == {
        ("no_shared_label", ("odd",)),
        ("no_shared_label", ("other",)),
        ("label_spelling", ("odd",)),
    }


@pytest.mark.parametrize(
    ("form", "distinct", "other", "noted"),
    [
        ("answer {}", 40, "another", True), ("answer {}", 40, "answer 1", False),
        ("answer {}", 10, "another", False), ("2024-01-{}", 40, "another", False),
    ],
)  # fmt: skip
def test_a_gold_of_texts_needs_a_named_metric(form: str, distinct: int, other: str, noted: bool) -> None:
    gold = [form.format(item % distinct) for item in range(40)]
    systems = {"a": gold, "b": [*gold[:30], *[other] * 10]}
    result = bb.compare(systems, gold, metric="accuracy")
    assert noted is any(note.code == "texts_as_labels" for note in result.notes)
    if noted:
        with pytest.raises(DesignError, match="the gold looks like texts") as caught:
            bb.compare(systems, gold)
        assert 'metric="chrf"' in str(caught.value.hint)
    else:
        assert bb.compare(systems, gold).differences == result.differences


@pytest.mark.parametrize("metric", ["multilabel_f1_micro", "subset_accuracy"])
def test_labels_of_sets_are_compared_as_single_ones_are(metric: str) -> None:
    gold = [{"x", "y"}, {"x"}, set(), {"y"}] * 10
    upper = [{label.upper() for label in item} for item in gold]
    settings: dict[str, Any] = {"metric": metric, "n_resamples": 49}
    result = bb.compare({"good": gold, "odd": upper, "empty": [set()] * 40}, gold, **settings)
    found = {note.code: note for note in result.notes if note.about == ("odd",)}
    assert {"no_shared_label", "label_spelling"} <= {*found}
    assert "every label counts as wrong" in found["no_shared_label"].message
    assert "'X' against 'x', 'Y' against 'y'" in found["label_spelling"].message
    assert not [note for note in result.notes if note.code == "no_shared_label" and "odd" not in note.about]
    with pytest.raises(DesignError, match="no prediction of any system is a label of the gold") as caught:
        bb.compare({"a": upper, "b": upper}, gold, **settings)
    assert ".strip().lower()" in str(caught.value.hint)
    lower = [{label.lower() for label in item} for item in upper]
    assert bb.evaluate({"a": lower}, gold, metric=metric).systems[0].score == 1.0
    others = [{"a long name"}] * 40
    with pytest.raises(DesignError, match="no prediction of any system") as caught:
        bb.compare({"a": others, "b": others}, gold, **settings)
    assert "classes=[...]" in str(caught.value.hint)
    assert "em" not in str(caught.value.hint).split('"')
    named = bb.compare(
        {"a": others, "b": gold}, gold, reading=bb.Reading(classes=["x", "y", "a long name"]), **settings
    )
    assert not {"no_shared_label"} & {note.code for note in named.notes}


def test_labels_spelt_oddly_now_and_then_are_noted() -> None:
    mixed = np.where(np.arange(N) < 7, " Pos", WORDS)
    result = bb.compare({"good": WORDS, "mixed": mixed}, WORDS)
    (note,) = result.notes
    assert (note.code, note.about) == ("label_spelling", ("mixed",))
    assert "' Pos' against 'pos'" in note.message


def test_labels_that_the_gold_spells_in_two_ways_are_two_labels() -> None:
    gold = np.where(np.arange(N) % 2, "pos", "Pos")
    codes = [note.code for note in bb.compare({"a": gold, "b": ["Pos"] * N}, gold).notes]
    assert codes == ["never_predicted"]  # 'pos' by b


def test_classes_that_these_items_lack_can_be_named() -> None:
    systems = {"a": ["other"] * N, "b": ["other"] * N}
    with pytest.raises(DesignError, match="no prediction of any system"):
        bb.compare(systems, WORDS)
    result = bb.compare(systems, WORDS, reading=bb.Reading(classes=["neg", "other", "pos"]))
    assert [entry.score for entry in result.systems] == [0.0, 0.0]


def test_a_fold_need_not_hold_the_labels_that_others_have() -> None:
    gold = np.repeat(["x", "y", "x"], 20)
    wrong = np.repeat(["y", "x", "x"], 20)
    parts = {"1": Evaluation.of({"a": wrong, "b": wrong}, gold, strata=np.repeat([1, 2, 3], 20))}
    assert bb.compare_folds(parts).means == pytest.approx((1 / 3, 1 / 3))
    sets = {
        name: Evaluation.of({"a": [name] * 20, "b": [name] * 20}, [gold] * 20) for name, gold in ("xy", "yx")
    }
    assert bb.compare_datasets(sets).means == (0.0, 0.0)


def test_the_dataset_is_named() -> None:
    good = Evaluation.of({"a": WORDS, "b": WORDS}, WORDS)
    bad = Evaluation.of(SPELT, np.where(BINARY, "yes", "no"))
    with pytest.raises(DesignError, match="dataset 'second': no prediction"):
        bb.compare_datasets({"first": good, "second": bad})
    odd = Evaluation.of({"a": WORDS, "b": SPELT["a"]}, WORDS)
    notes = bb.compare_datasets({"first": good, "second": odd}).notes
    assert any(
        note.code == "no_shared_label" and note.message.startswith("dataset 'second'") for note in notes
    )


def test_missing_predictions_share_nothing_and_hinder_nothing() -> None:
    gold = dict(enumerate(WORDS.tolist()))
    half = {item: label for item, label in gold.items() if item % 2}
    result = bb.compare({"a": gold, "b": half}, gold, on_missing="worst")
    assert {note.code for note in result.notes} == {"counted_as_worst"}


def test_counted_rows_are_judged_by_their_distinct_labels() -> None:
    rows = {"a": ["Pos", "Neg"], "b": ["Neg", "Pos"]}
    with pytest.raises(DesignError, match="no prediction of any system"):
        bb.compare(Evaluation.of(rows, ["pos", "neg"], counts=[1000, 2000]))
    with pytest.raises(DesignError, match="the gold holds real numbers"):
        bb.compare(Evaluation.of({"a": [0.5, 1.5], "b": [1.5, 0.5]}, [0.5, 1.25], counts=[1000, 2000]))


def test_other_metrics_take_what_is_no_label() -> None:
    assert bb.compare(PROBABILITIES, BINARY, metric="roc_auc", n_resamples=99).notes == ()
    assert bb.compare(NUMBERS, REAL, metric=["rmse", "spearman"], n_resamples=99).notes == ()
    assert bb.compare(GENERATED, TEXTS, metric="em", n_resamples=99).systems[0].score == 0.0


def test_advice_and_plans_default_to_the_metric_of_compare() -> None:
    rows = np.column_stack([1.0 - P, P])
    data = Evaluation.of({"a": rows, "b": np.column_stack([1.0 - Q, Q])}, rows)
    assert bb.advise(data=data).case.metric == "cross_entropy"
    assert bb.planning.Pilot(data).settings()["metric"] == "cross_entropy"
    assert bb.compare(data, n_resamples=99).metrics[0].name == "cross_entropy"
    assert bb.compare_datasets({"x": data, "y": data}, n_resamples=99).metric.name == "cross_entropy"
