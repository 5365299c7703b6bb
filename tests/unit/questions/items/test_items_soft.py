"""`compare`: soft labels and annotators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.soft_labels import GOLD, HARD, HARD_GOLD, A, B, codes, message, one_hot

from bestby import Reading, compare
from bestby.errors import DesignError, InvalidInputError

CLASSES = ["neg", "neu", "pos"]


# -- hard and soft together ------------------------------------------------------------------------

MEASURES = ["brier", "cross_entropy", "js_divergence", "soft_accuracy", "soft_f1_macro", "emd", "ece"]


@pytest.mark.parametrize("gold", [GOLD, HARD_GOLD], ids=["soft gold", "hard gold"])
@pytest.mark.parametrize("metric", MEASURES)
def test_a_hard_label_is_the_certainty_of_its_class(metric: str, gold: np.ndarray) -> None:
    certain = gold if gold.ndim == 2 else one_hot(gold)
    hard = compare({"a": A, "b": HARD}, gold, metric=metric, n_resamples=200)
    soft = compare({"a": A, "b": one_hot(HARD)}, certain, metric=metric, n_resamples=200)
    assert hard.differences == soft.differences
    assert hard.systems == soft.systems
    named = "b" if gold.ndim == 2 else "the gold, b"
    assert message(hard, "certain_of_its_class") == (
        f"for {metric}, {named}: a hard label counts as probability 1 of its class"
    )
    assert "certain_of_its_class" not in codes(soft)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "matthews_corrcoef"])
def test_a_soft_label_is_its_most_probable_class(metric: str) -> None:
    soft = compare({"a": A, "b": B}, GOLD, metric=metric, n_resamples=200)
    hard = compare({"a": A.argmax(axis=1), "b": HARD}, HARD_GOLD, metric=metric, n_resamples=200)
    assert soft.differences == hard.differences
    assert message(soft, "most_probable_class") == (
        f"for {metric} a soft label counts as its most probable class"
    )
    assert "most_probable_class" not in codes(hard)


def test_of_equally_probable_classes_the_first_counts_and_ties_are_told() -> None:
    tied = [[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]] * 10
    gold = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]] * 10
    result = compare({"a": tied, "b": [0, 1, 1] * 10}, gold, metric="accuracy")
    assert (result.score("a").score, result.score("b").score) == (1.0, pytest.approx(2 / 3))
    assert message(result, "most_probable_class") == (
        "for accuracy a soft label counts as its most probable class, the first of equally probable ones"
        " (10 of the gold, 20 of a)"
    )
    turned = compare(
        {"a": [row[::-1] for row in tied], "b": [0, 1, 1] * 10},
        gold,
        reading=Reading(classes=[1, 0]),
        metric="accuracy",
    )
    assert turned.score("a").score == pytest.approx(2 / 3)  # the first column is class 1 now, for both


def test_classes_of_text_are_the_columns_in_their_order() -> None:
    named = np.array(CLASSES)
    text = compare(
        {"a": A, "b": named[HARD]},
        named[HARD_GOLD],
        reading=Reading(classes=CLASSES),
        metric=["brier", "f1[neu]"],
    )
    number = compare({"a": A, "b": HARD}, HARD_GOLD, metric=["brier", "f1[1]"])
    assert [d.estimate for d in text] == [d.estimate for d in number]
    turned = compare(
        {"a": A[:, ::-1], "b": named[HARD]},
        named[HARD_GOLD],
        reading=Reading(classes=CLASSES[::-1]),
        metric="brier",
    )
    assert turned.score("a").score == pytest.approx(text.score("a", "brier").score, rel=1e-12)


def test_probabilities_against_scores_of_items_are_refused() -> None:
    for metric in ("mse", "spearman", "roc_auc", "roc_auc[1]"):
        with pytest.raises(InvalidInputError) as caught:
            compare({"a": A, "b": HARD}, HARD_GOLD, metric=metric)
        assert caught.value.message == (
            f"metric {metric} needs one number per item, but system 'a' holds a row of probabilities"
        )
        with pytest.raises(InvalidInputError, match="but the gold holds a row of probabilities"):
            compare({"a": HARD, "b": HARD_GOLD}, GOLD, metric=metric)


def test_a_function_of_rows_gets_rows_from_every_system() -> None:
    seen: set[tuple[int, ...]] = set()

    def overlap(gold: Any, predictions: Any) -> float:
        seen.add(predictions.shape[1:])
        return float(np.minimum(gold, predictions).sum() / len(gold))

    result = compare({"a": A, "b": HARD}, GOLD, metric=overlap, interval="percentile", n_resamples=50)
    named = compare({"a": A, "b": HARD}, GOLD, metric="soft_accuracy", interval="percentile")
    assert seen == {(3,)}
    assert result["a", "b"].estimate == pytest.approx(named["a", "b"].estimate, rel=1e-12)
    assert result["a", "b"].n_differing == named["a", "b"].n_differing == 80


def test_the_default_measure_goes_by_the_gold() -> None:
    assert compare({"a": A, "b": B}, GOLD).metrics[0].name != "accuracy"
    assert compare({"a": A, "b": B}, HARD_GOLD).metrics[0].name == "accuracy"


@pytest.mark.parametrize("on_missing", ["drop", "worst"])
def test_soft_predictions_that_are_missing(on_missing: str) -> None:
    ids = [f"q{i}" for i in range(80)]
    a, b, gold = (dict(zip(ids, values, strict=True)) for values in (A, B, GOLD))
    del a["q3"]
    if on_missing == "drop":
        kept = np.arange(80) != 3
        found = compare({"a": a, "b": b}, gold, on_missing="drop", metric="brier")
        expected = compare({"a": A[kept], "b": B[kept]}, GOLD[kept], metric="brier")
        assert found.differences == expected.differences
        return
    counted = compare({"a": a, "b": b}, gold, on_missing="worst", metric="accuracy")
    right = A.argmax(axis=1) == HARD_GOLD
    right[3] = False
    assert counted.score("a").score == pytest.approx(right.mean())
    with pytest.raises(DesignError, match="no worst value for metrics of soft labels"):
        compare({"a": a, "b": b}, gold, on_missing="worst", metric="brier")


def test_a_system_without_any_prediction_is_no_system() -> None:
    gold = {"q1": "x", "q2": "y"}
    with pytest.raises(InvalidInputError) as caught:
        compare({"a": gold, "b": {}}, gold, on_missing="worst")
    assert caught.value.message == "system 'b' has no prediction for any of 2 items"


# -- annotators ------------------------------------------------------------------------------------

VOTES = np.array([np.random.default_rng(i).choice(3, 4, p=row) for i, row in enumerate(GOLD)])


@pytest.mark.long
def test_annotators_are_the_gold_they_make() -> None:
    shares = np.stack([(k == VOTES).mean(axis=1) for k in range(3)], axis=1)
    systems, settings = {"a": A, "b": B}, {"metric": MEASURES, "n_resamples": 499}
    fixed, again = (
        compare(systems, VOTES, reading=Reading(classes=[0, 1, 2], annotators=how), **settings)
        for how in ("fixed", "resample")
    )
    given = compare(systems, shares, **settings)
    assert fixed.differences == given.differences
    assert [d.estimate for d in again] == [d.estimate for d in given]
    assert [d.test for d in again] == [d.test for d in given]
    assert {d.interval.method for d in again if d.interval is not None} == {"basic"}
    assert fixed.provenance.settings.get("annotators") is None
    assert again.provenance.settings["annotators"] == "resample"


@pytest.mark.parametrize("text", ["fixed", "resample"])
def test_annotators_of_a_data_frame_are_no_column(text: str) -> None:
    import pandas as pd

    frame = pd.DataFrame({"gold": HARD_GOLD, "a": HARD, "b": HARD_GOLD})
    with pytest.raises(InvalidInputError, match="with annotators, gold must be one list of labels per item"):
        compare(frame, "gold", reading=Reading(annotators=text))
    with pytest.raises(InvalidInputError, match="for a data frame gold is the name of a column, got ndarray"):
        compare(frame, VOTES)
    with pytest.raises(InvalidInputError, match="for a data frame gold is the name of a column, got Annot"):
        compare(frame, VOTES, reading=Reading(annotators=text))


def test_labels_of_annotators_without_the_word_are_recognised() -> None:
    for gold in (VOTES, np.array(CLASSES)[VOTES]):
        with pytest.raises(InvalidInputError) as caught:
            compare({"a": HARD, "b": HARD_GOLD}, gold, metric="accuracy")
        assert caught.value.hint is not None
        assert 'several annotators go with reading=bestby.Reading(annotators="fixed")' in caught.value.hint
