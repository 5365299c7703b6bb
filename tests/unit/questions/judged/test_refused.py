"""`compare_judged`: what is refused, and how columns of its table are read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.unit.questions.judged.examples import compared


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
