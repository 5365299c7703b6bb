"""Searches of scikit-learn: `samples/sklearn/write.py` wrote the table, with the means of its folds."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.unit.readers.helpers import Make

from bestby import Reading, compare_folds, read, read_folds
from bestby.errors import InvalidInputError
from bestby.readers.formats import cv_results as form
from bestby.readers.formats.base import format_in

SAMPLE = Path(__file__).parent / "samples" / "sklearn" / "cv_results.csv"
SETTINGS = ["C=0.01", "C=1.0", "C=1.0, class_weight='balanced'"]


@pytest.mark.parametrize("score", ["accuracy", "f1_macro"])
def test_the_means_are_those_that_scikit_learn_reports(score: str) -> None:
    found = read_folds(SAMPLE, reading=Reading(value_column=score))
    assert list(found) == SETTINGS
    assert {scores.shape for scores in found.values()} == {(1, 5)}
    means = [scores.mean() for scores in found.values()]
    assert means == pytest.approx(pd.read_csv(SAMPLE)[f"mean_test_{score}"].tolist(), abs=1e-12)


def test_two_settings_are_compared() -> None:
    found = read_folds(SAMPLE, systems=SETTINGS[:2], reading=Reading(value_column="accuracy"))
    assert str(compare_folds(found)).startswith("C=1.0 has the highest mean score")


def test_the_score_must_be_named_where_there_are_several(make: Make) -> None:
    with pytest.raises(InvalidInputError, match="which score\\? the table has: accuracy, f1_macro"):
        read_folds(SAMPLE)
    with pytest.raises(InvalidInputError, match="no score 'f1'"):
        read_folds(SAMPLE, reading=Reading(value_column="f1"))
    one = make(
        "one.csv", "params,split0_test_score,split1_test_score\n{'C': 1},0.5,0.25\n{'C': 2},0.5,0.75\n"
    )
    assert read_folds(one)["C=2"].tolist() == [[0.5, 0.75]]
    failed = make(
        "failed.csv", "params,split0_test_score,split1_test_score\n{'C': 1},,0.2\n{'C': 2},0.5,0.7\n"
    )
    with pytest.raises(InvalidInputError, match="has no value in 1 of 2 rows"):
        read_folds(failed)
    twice = make("twice.csv", "params,split0_test_score\n{'C': 1},0.5\n{'C': 1},0.5\n")
    with pytest.raises(InvalidInputError, match="the setting 'C=1' is there twice"):
        read_folds(twice)


def test_they_are_no_items() -> None:
    assert format_in(SAMPLE) is form
    with pytest.raises(InvalidInputError, match="has a score per fold of each setting") as caught:
        read(SAMPLE)
    assert "compare_folds" in str(caught.value.hint)
