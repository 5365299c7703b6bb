"""CSV: every value comes back, and what a spreadsheet would run can be made harmless."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestby as bb
from bestby.report.writers.csv import lines

CELLS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["=1", "+1", "-1", "@a", "\t=", "\r", "a,b", '"']
)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1), st.sampled_from(",\t"))
def test_texts_come_back(rows: list[list[str]], delimiter: str) -> None:
    read = csv.reader(io.StringIO(lines(rows, delimiter), newline=""), delimiter=delimiter)
    assert list(read) == rows


@given(st.lists(CELLS, min_size=1))
def test_no_text_begins_as_a_formula_does(texts: list[str]) -> None:
    (read,) = csv.reader(io.StringIO(lines([[*texts, "end"]], spreadsheet_safe=True), newline=""))
    for text, cell in zip(texts, read, strict=False):
        assert cell in (text, f"'{text}")
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(st.lists(st.floats() | st.integers() | st.booleans() | st.none(), min_size=1))
def test_numbers_never_change(values: list[float]) -> None:
    assert lines([values], spreadsheet_safe=True) == lines([values])
    assert lines([[np.float64(-0.5), np.int64(-3)]], spreadsheet_safe=True) == "-0.5,-3\n"


def test_the_option() -> None:
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\r"]
    result = bb.compare(
        {name: np.arange(12) % (i + 2) for i, name in enumerate(names)}, np.arange(12) % 2, n_resamples=50
    )
    plain, safe = (list(csv.reader(io.StringIO(text, newline=""))) for text in (
        result.to_csv(), result.to_csv(spreadsheet_safe=True)))  # fmt: skip
    assert {row[1] for row in plain[1:]} | {row[2] for row in plain[1:]} == set(names)
    assert {row[1] for row in safe[1:]} | {row[2] for row in safe[1:]} == {f"'{name}" for name in names}
    assert [[cell.removeprefix("'") for cell in row] for row in safe] == plain
    with pytest.raises(bb.errors.InvalidInputError, match="spreadsheet_safe must be True or False"):
        result.to_csv(spreadsheet_safe="yes")  # type: ignore[arg-type]
