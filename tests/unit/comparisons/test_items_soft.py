"""Soft labels, annotators, the size of resamples, the question "better", items of any kind, in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import (
    Comparison,
    DesignError,
    Evaluation,
    FunctionMetric,
    InvalidInputError,
    compare,
    compare_runs,
)

CLASSES = ["neg", "neu", "pos"]


def rows(seed: int, n: int = 80) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(3), n)


GOLD, A, B = rows(0), (rows(0) + rows(1)) / 2, (rows(0) + 2 * rows(2)) / 3
HARD_GOLD, HARD = GOLD.argmax(axis=1), B.argmax(axis=1)


def codes(result: Comparison) -> list[str]:
    return [note.code for note in result.notes]


def message(result: Comparison, code: str) -> str:
    (found,) = {note.message for note in result.notes if note.code == code}
    return found


def one_hot(labels: np.ndarray) -> np.ndarray:
    return np.eye(3)[labels]


# -- hard and soft together --------------------------------------------------------------------------

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
        {"a": [row[::-1] for row in tied], "b": [0, 1, 1] * 10}, gold, classes=[1, 0], metric="accuracy"
    )
    assert turned.score("a").score == pytest.approx(2 / 3)  # the first column is class 1 now, for both


def test_classes_of_text_are_the_columns_in_their_order() -> None:
    named = np.array(CLASSES)
    text = compare({"a": A, "b": named[HARD]}, named[HARD_GOLD], classes=CLASSES, metric=["brier", "f1[neu]"])
    number = compare({"a": A, "b": HARD}, HARD_GOLD, metric=["brier", "f1[1]"])
    assert [d.estimate for d in text] == [d.estimate for d in number]
    turned = compare(
        {"a": A[:, ::-1], "b": named[HARD]}, named[HARD_GOLD], classes=CLASSES[::-1], metric="brier"
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


# -- annotators --------------------------------------------------------------------------------------

VOTES = np.array([np.random.default_rng(i).choice(3, 4, p=row) for i, row in enumerate(GOLD)])


def test_annotators_are_the_gold_they_make() -> None:
    shares = np.stack([(k == VOTES).mean(axis=1) for k in range(3)], axis=1)
    fixed = compare({"a": A, "b": B}, VOTES, annotators="fixed", classes=[0, 1, 2], metric=MEASURES)
    given = compare({"a": A, "b": B}, shares, metric=MEASURES)
    assert fixed.differences == given.differences
    again = compare({"a": A, "b": B}, VOTES, annotators="resample", classes=[0, 1, 2], metric=MEASURES)
    assert [d.estimate for d in again] == [d.estimate for d in given]
    assert [d.test for d in again] == [d.test for d in given]
    assert {d.interval.method for d in again} == {"basic"}
    assert fixed.provenance.settings.get("annotators") is None
    assert again.provenance.settings["annotators"] == "resample"


@pytest.mark.parametrize("text", ["fixed", "resample"])
def test_annotators_of_a_data_frame_are_no_column(text: str) -> None:
    import pandas as pd

    frame = pd.DataFrame({"gold": HARD_GOLD, "a": HARD, "b": HARD_GOLD})
    with pytest.raises(InvalidInputError, match="with annotators, gold must be one list of labels per item"):
        compare(frame, "gold", annotators=text)
    with pytest.raises(InvalidInputError, match="for a data frame gold is the name of a column, got ndarray"):
        compare(frame, VOTES)
    with pytest.raises(InvalidInputError, match="for a data frame gold is the name of a column, got Annot"):
        compare(frame, VOTES, annotators=text)


def test_labels_of_annotators_without_the_word_are_recognised() -> None:
    for gold in (VOTES, np.array(CLASSES)[VOTES]):
        with pytest.raises(InvalidInputError) as caught:
            compare({"a": HARD, "b": HARD_GOLD}, gold, metric="accuracy")
        assert caught.value.hint is not None
        assert 'the labels of several annotators go with annotators="fixed"' in caught.value.hint


# -- the size of resamples ---------------------------------------------------------------------------


def test_notes_on_the_size_of_resamples() -> None:
    settings: dict[str, Any] = {"metric": "brier", "n_resamples": 300}
    result = compare({"a": A, "b": B}, GOLD, resample_size=0.25, **settings)
    assert codes(result) == ["resample_size_of_intervals", "small_resamples"]
    assert message(result, "resample_size_of_intervals") == (
        "the intervals come from resamples of 20 of 80 units; the permutation test does not draw with"
        ' replacement: test="bootstrap" would use these resamples'
    )
    assert message(result, "small_resamples") == (
        "resamples of 20 units are too small to keep the level: with 10 to 40 units, tests at 5 % rejected"
        " 1.9 to 5.5 % of true null hypotheses; with 50 or more, 4 to 6 %"
    )
    tested = compare({"a": A, "b": B}, GOLD, resample_size=60, test="bootstrap", **settings)
    assert codes(tested) == []
    raw = compare({"a": A, "b": B}, GOLD, resample_size=20, rescale=False, test="bootstrap", **settings)
    assert codes(raw) == ["not_rescaled"]
    assert message(raw, "not_rescaled") == (
        "resamples of 20 of 80 units vary 2 times as much as resamples of all 80 and were not rescaled:"
        " p-values and intervals are those of an experiment with 20 units, and depend on this choice"
    )
    assert codes(compare({"a": A, "b": B}, GOLD, resample_size=1.0, rescale=False, **settings)) == []
    assert codes(compare({"a": A, "b": B}, GOLD, resample_size=80, **settings)) == []


def test_strata_too_small_for_their_share_are_told() -> None:
    strata = np.array([0] * 4 + [1] * 76)
    result = compare({"a": A, "b": B}, GOLD, metric="brier", strata=strata, resample_size=0.1)
    assert message(result, "uneven_strata").startswith(
        "resamples hold 11% to 25% of the units of a stratum, because each"
    )
    fine = compare({"a": A, "b": B}, GOLD, metric="brier", strata=np.arange(80) % 2, resample_size=0.7)
    assert codes(fine) == ["resample_size_of_intervals"]
    alone = np.array([0] + [1] * 79)  # what cannot vary needs no share
    assert "uneven_strata" not in codes(
        compare({"a": A, "b": B}, GOLD, metric="brier", strata=alone, resample_size=0.1)
    )


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (81, "a resample must have 2 to 80 units (items or clusters) here, got 81"),
        (0.01, "a resample must have 2 to 80 units (items or clusters) here, got 1"),
        (1, "resample_size must be a fraction up to 1 or a whole number of at least 2, got 1"),
        (0, "resample_size must be a fraction up to 1 or a whole number of at least 2, got 0"),
        (2.0, "resample_size must be a fraction up to 1 or a whole number of at least 2, got 2.0"),
        (-0.5, "resample_size must be a fraction up to 1 or a whole number of at least 2, got -0.5"),
        (float("nan"), "resample_size must be a fraction up to 1 or a whole number of at least 2, got nan"),
        (True, "resample_size must be a fraction up to 1 or a whole number of at least 2, got True"),
        ("0.2", "resample_size must be a fraction up to 1 or a whole number of at least 2, got '0.2'"),
    ],
)
def test_sizes_there_are_not(size: Any, said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        compare({"a": A, "b": B}, GOLD, metric="brier", resample_size=size)
    assert caught.value.message == said


def test_sizes_are_recorded_where_they_matter() -> None:
    settings: dict[str, Any] = {"metric": "brier", "n_resamples": 50}
    signatures = {
        compare({"a": A, "b": B}, GOLD, **settings, **more).signature
        for more in (
            {},
            {"resample_size": 1.0},
            {"resample_size": 1.0, "rescale": False},
            {"resample_size": 0.5},
            {"resample_size": 0.25},
            {"resample_size": 0.25, "rescale": False},
        )
    }
    assert len(signatures) == 4
    told = compare({"a": A, "b": B}, GOLD, resample_size=0.5, **settings).provenance.settings
    assert (told["resample_size"], told["rescale"]) == (0.5, True)


# -- better ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize(("metric", "side"), [("brier", "less"), ("soft_accuracy", "greater")])
def test_better_is_the_tail_in_which_better_lies(metric: str, side: str, test: str) -> None:
    settings: dict[str, Any] = {"metric": metric, "test": test, "n_resamples": 500}
    better = compare({"a": A, "b": B}, GOLD, alternative="better", **settings)["a", "b"]
    sided = compare({"a": A, "b": B}, GOLD, alternative=side, **settings)["a", "b"]
    assert better == sided
    assert better.test.alternative == side
    assert better.better == "a"
    assert better.p_value < 0.01
    turned = compare({"b": B, "a": A}, GOLD, alternative="better", **settings)
    assert [(d.a, d.b) for d in turned] == [("b", "a")]  # in the order given, not in that of the ranks
    assert turned.differences[0].p_value > 0.9


def test_better_of_several_measures_takes_the_tail_of_each() -> None:
    result = compare({"a": A, "b": B}, GOLD, metric=["brier", "soft_accuracy"], alternative="better")
    assert [d.test.alternative for d in result] == ["less", "greater"]
    assert "direction" not in codes(result)  # what was asked needs no telling


def test_better_than_a_baseline() -> None:
    systems = {"old": B, "new": A, "worse": (B + 3 * rows(9)) / 4}
    result = compare(systems, GOLD, metric="brier", alternative="better", baseline="old")
    p = {d.a: d.p_value for d in result}
    assert [d.b for d in result] == ["old", "old"]
    assert p["new"] < 0.01
    assert p["worse"] > 0.5


@pytest.mark.parametrize(("metric", "side"), [("cross_entropy", "less"), ("accuracy", "greater")])
def test_better_runs(metric: str, side: str) -> None:
    low, high = [0.30, 0.20, 0.25, 0.27], [0.50, 0.60, 0.55, 0.58]
    new, old = (low, high) if side == "less" else (high, low)
    settings: dict[str, Any] = {"metric": metric, "n_resamples": 200}
    for test in ("permutation", "t", "bootstrap", "brunner-munzel"):
        better = compare_runs({"new": new, "old": old}, alternative="better", test=test, **settings)
        sided = compare_runs({"new": new, "old": old}, alternative=side, test=test, **settings)
        assert better.differences == sided.differences
        assert better["new", "old"].p_value < 0.05
        assert better["new", "old"].test.alternative == side
        assert "direction" not in [note.code for note in better.notes]
    back = compare_runs({"old": old, "new": new}, alternative="better", **settings).differences[0]
    assert (back.a, back.b) == ("old", "new")
    assert back.p_value > 0.95


# -- items of any kind -------------------------------------------------------------------------------

TEXTS = ["the cat", "a dog", "one fox", "two hens"] * 10
REFERENCES = [["the cat", "cats"], ["dog"], ["a fox", "the fox"], ["hens"]] * 10
OTHER = ["cat", "a dog", "fox", "hen"] * 10


def test_measures_of_texts_get_the_items_as_they_are() -> None:
    result = compare({"a": TEXTS, "b": OTHER}, REFERENCES, metric=["em", "qa_f1"])
    assert result.score("a", "em").score == 0.5  # "the cat", "a dog": articles do not count
    evaluation = Evaluation.of({"a": TEXTS, "b": OTHER}, REFERENCES, objects=True)
    assert compare(evaluation, metric=["em", "qa_f1"]).to_dict() == result.to_dict()


def frames() -> list[Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"gold": REFERENCES, "a": TEXTS, "b": OTHER}
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


@pytest.mark.parametrize("which", [0, 1, 2], ids=["pandas", "polars", "Arrow"])
def test_frames_may_hold_lists_of_references(which: int) -> None:
    expected = compare({"a": TEXTS, "b": OTHER}, REFERENCES, metric="em")
    assert compare(frames()[which], "gold", metric="em").differences == expected.differences


def test_frames_of_texts_with_a_missing_answer() -> None:
    import pandas as pd

    frame = pd.DataFrame({"gold": REFERENCES, "a": [None, *TEXTS[1:]], "b": OTHER})
    with pytest.raises(InvalidInputError, match="system 'a' has no value for 1 of 40 items"):
        compare(frame, "gold", metric="em")
    worst = compare(frame, "gold", metric="em", on_missing="worst")
    assert worst.score("a").score == 19 / 40
    assert compare(frame, "gold", metric="em", on_missing="drop").n_items == 39


def test_a_missing_item_is_the_empty_one_of_the_measure() -> None:
    ids = list(range(40))
    a, b, gold = (dict(zip(ids, values, strict=True)) for values in (TEXTS, OTHER, REFERENCES))
    del a[0]
    found = compare({"a": a, "b": b}, gold, metric=["em", "qa_f1"], on_missing="worst")
    given = compare({"a": a | {0: ""}, "b": b}, gold, metric=["em", "qa_f1"])
    assert [d.estimate for d in found] == [d.estimate for d in given]
    assert "counted_as_worst" in codes(found)


def test_a_function_of_items_gets_what_was_given() -> None:
    def among(gold: Any, predictions: Any) -> float:
        return float(
            np.mean([text in references for text, references in zip(predictions, gold, strict=True)])
        )

    evaluation = Evaluation.of({"a": TEXTS, "b": OTHER}, REFERENCES, objects=True)
    result = compare(evaluation, metric=FunctionMetric(among), interval="percentile", n_resamples=50)
    assert result.score("a").score == 0.25


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("accuracy", "the items are texts or structures, not labels"),
        ("brier", "the items are texts or structures, not labels"),
        ("mse", "metric mse needs numbers, but system 'a' holds text: 'the cat' at position 0"),
        ("spearman", "metric spearman needs numbers, but system 'a' holds text: 'the cat' at position 0"),
    ],
)
def test_measures_of_labels_and_numbers_refuse_them(metric: str, said: str) -> None:
    evaluation = Evaluation.of({"a": TEXTS, "b": OTHER}, REFERENCES, objects=True)
    with pytest.raises((DesignError, InvalidInputError)) as caught:
        compare(evaluation, metric=metric)
    assert caught.value.message == said


def test_settings_of_labels_are_refused_for_texts() -> None:
    for settings in ({"classes": ["x"]}, {"normalise": True}, {"annotators": "fixed"}):
        with pytest.raises(InvalidInputError, match="items are taken as they are, but classes, normalise or"):
            compare({"a": TEXTS, "b": OTHER}, REFERENCES, metric="em", **settings)


@pytest.mark.parametrize("gold", [GOLD, HARD_GOLD], ids=["soft gold", "hard gold"])
def test_items_on_which_runs_of_rows_differ_are_counted(gold: np.ndarray) -> None:
    other = A.copy()
    other[:7] = B[:7]
    result = compare_runs({"a": [A, A], "b": [other, A]}, gold=gold, metric="brier", n_resamples=20)
    assert result["a", "b"].n_differing == 7
    certain = compare_runs(
        {"a": [A, one_hot(HARD)], "b": [A, A]}, gold=gold, metric="accuracy", n_resamples=20
    )
    mixed = compare_runs({"a": [A, HARD], "b": [A, A]}, gold=gold, metric="accuracy", n_resamples=20)
    assert mixed["a", "b"].n_differing == certain["a", "b"].n_differing == 80
