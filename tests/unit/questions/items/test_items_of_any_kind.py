"""`compare`: items of any kind, such as texts and lists of references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.comparisons.soft_labels import GOLD, HARD, HARD_GOLD, A, B, codes, one_hot

from bestby import Evaluation, FunctionMetric, compare, compare_runs
from bestby.errors import DesignError, InvalidInputError

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
