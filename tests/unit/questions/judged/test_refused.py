"""`compare_judged`: what is refused, and how columns of its table are read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.judged.examples import CHOSEN, RATES, compared

import bestby as bb

NEEDED = {"labels_drawn": "random"}
ARRAYS = {"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 1.0, 3.0, 5.0]}
LABELS = {"a": [1, 2, None, None], "b": [2, 1, None, None]}


@pytest.mark.parametrize(
    ("judge", "human", "options", "message"),
    [
        (ARRAYS, LABELS, {**NEEDED, "simultaneous": True, "correction": "bh"}, "'bh' would be ignored"),
        (ARRAYS, LABELS, {}, "labels_drawn is missing: .*only if chance chose"),
        ({**ARRAYS, "a": [None, 1, 2, 3]}, LABELS, NEEDED, "item 0 of system 'a' has a human label, and"),
        ({**ARRAYS, "a": [1, 1, None, 3]}, LABELS, NEEDED, "the judge did not score item 2 of system 'a'"),
        ({"a": {"x": 1, "y": 2}}, {"a": {"z": 1}}, NEEDED, "item 'z' of system 'a' has a human label, and"),
        (ARRAYS, {**LABELS, "a": [1, None, None, None]}, NEEDED, "'a' has 1 human label, and at least 2"),
        ({"a": [1] * 4, "b": [1] * 4}, LABELS, NEEDED, "the judge always says the same"),
        (ARRAYS, LABELS, {**NEEDED, "clusters": ["x", "x", "y", "z"]}, "all labels of system 'a' lie in one"),
        (ARRAYS, LABELS, {"labels_drawn": [0.0, 1, 1, 1]}, r"item 0 must lie in \(0, 1\], got 0"),
        (ARRAYS, LABELS, {"labels_drawn": [1.5, 1, 1, 1]}, r"must lie in \(0, 1\], got 1.5"),
        (ARRAYS, LABELS, {"labels_drawn": "doubtful"}, "names no column"),
        (ARRAYS, LABELS, {"labels_drawn": 0.5}, 'must be "random", "stratified" or a probability per item'),
        (ARRAYS, LABELS, {"labels_drawn": "stratified"}, "needs the strata"),
        (ARRAYS, LABELS, {**NEEDED, "strata": ["x", "y", "y", "y"]}, "a stratum has 1 label of system"),
        (ARRAYS, {"a": [1, 2, 3, 4], "b": [2, 1, 3, 4]}, NEEDED, "every item of every system has a"),
        (ARRAYS, {**LABELS, "c": [1, 2, 3, 4]}, NEEDED, "human has system 'c'"),
        (ARRAYS, {**LABELS, "a": ["good", None, None, None]}, NEEDED, "must be numbers"),
        (ARRAYS, {**LABELS, "a": [1, 2, None]}, NEEDED, "have different lengths"),
        (ARRAYS, None, NEEDED, "human must be a mapping"),
        (ARRAYS, None, {"calibration": RATES}, "error rates correct the verdicts of one judge"),
        ({"a": [0, 1], "b": [1, 0]}, None, {"calibration": {"a": RATES}}, "calibration lacks system 'b'"),
        ({"a": [0, 1], "b": [1, 0]}, None, {"calibration": 0.7}, "calibration must be pairs"),
        ({"a": [0, 1], "b": [1, 0]}, None, {"calibration": ([0, 1], [1])}, "needs a verdict, 0 or 1"),
        ({"a": [0, 1], "b": [1, 0]}, None, {"calibration": ([0, 1], [1, 1])}, "all of one kind"),
        ({"a": [0, 1], "b": [1, 0]}, LABELS, {"calibration": RATES}, "human"),
        ({**ARRAYS, "a": [1.0, 2.0, np.inf, 4.0]}, LABELS, NEEDED, "must be finite, got inf at position 2"),
        ({**ARRAYS, "a": [1.0, 2.0, 3.0, 1e200]}, LABELS, NEEDED, r"must be at most 1e\+75 in size"),
        ("judge.csv", None, NEEDED, "data must be the judge's scores"),
        ([{"item": 1, "judge": 2, "human": 3}], None, NEEDED, "has no column 'system'"),
        ({"a": [10.0, 20, 30, 40], "b": [10.0, 20, 30, 50]},
         {"a": [0, 1, None, None], "b": [1, 0, None, None]},
         {**NEEDED, "scale": "same"}, 'scale="same", but'),
    ],
)  # fmt: skip
def test_what_is_refused(judge: Any, human: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((bb.InvalidInputError, bb.DesignError), match=message) as caught:
        bb.compare_judged(judge, human, **options)
    assert caught.value.hint
    assert len(str(caught.value).splitlines()) == 2


def test_a_column_of_texts_that_are_numbers_is_one_of_numbers() -> None:
    counts = np.arange(200) % 3
    expected = compared(scale="same", bias_by={"turns": counts}).judges[0].effects[0]
    assert expected.numeric
    assert expected.slope is not None
    texts = [str(one) for one in counts.tolist()]
    for given in (texts, np.array(texts), pd.Series(texts), [*counts[:-1].tolist(), texts[-1]]):
        found = compared(scale="same", bias_by={"turns": given}).judges[0].effects[0]
        assert found == expected
    years = [str(2020 + one) for one in counts.tolist()]
    assert compared(scale="same", bias_by={"turns": years}).judges[0].effects[0].slope == pytest.approx(
        expected.slope
    )
    codes = compared(scale="same", bias_by={"turns": [f"0{one}" for one in texts]}).judges[0].effects[0]
    assert [one.value for one in codes.levels] == ["00", "01", "02"]


def test_dates_are_counted_in_days_however_they_are_given() -> None:
    days = np.datetime64("2026-01-01") + np.arange(200) % 40
    expected = compared(scale="same", bias_by={"day": np.arange(200) % 40}).judges[0].effects[0].slope
    assert expected is not None
    for given in (days, days.astype("datetime64[ns]"), days.astype(str), pd.Series(days), days.tolist()):
        found = compared(scale="same", bias_by={"day": given}).judges[0].effects[0]
        assert found.numeric
        assert found.slope == pytest.approx(expected)


@pytest.mark.parametrize("value", [math.inf, "-inf", 10**400])
def test_a_column_with_an_infinite_number_is_refused(value: Any) -> None:
    labelled = int(np.flatnonzero(CHOSEN)[7])
    column = [value if place == labelled else place for place in range(200)]
    with pytest.raises(bb.InvalidInputError, match=f"'turns' is infinite for item {labelled}, so") as caught:
        compared(scale="same", bias_by={"turns": column})
    assert caught.value.hint


@pytest.mark.parametrize("more", [NEEDED, {"calibration": RATES}], ids=["labels", "calibration"])
def test_a_single_system_is_not_sent_to_a_function_that_corrects_nothing(more: dict[str, Any]) -> None:
    human = {"a": [1, 0, None, None]} if more is NEEDED else None
    with pytest.raises(bb.InvalidInputError, match="at least 2 systems, got 1: a") as caught:
        bb.compare_judged({"a": [0.0, 1.0, 1.0, 0.0]}, human, **more)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("give the judge's scores of a second system too")
    assert "evaluate would take the judge's scores as they are" in caught.value.hint
