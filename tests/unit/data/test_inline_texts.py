"""Codes made from the memory of a data frame stand for the texts that its library gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from bestby import compare
from bestby._core.errors import BestbyError
from bestby.data import frames, inline_texts
from bestby.data.inline_texts import LONGEST, MOST_TEXTS, inline_coded

TEXTS = ["", "a", "b", "x" * LONGEST, "é" * (LONGEST // 2), "a\0", "日本語", " a"]


def _arrow(values: list[Any]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, type=pa.string_view())])


def _in_chunks(values: list[Any]) -> pl.Series:
    parts = [pl.Series(values[:3], dtype=pl.String), pl.Series([], dtype=pl.String)]
    return pl.concat([*parts, pl.Series(values[3:], dtype=pl.String)], rechunk=False)


FORMS = {
    "polars": lambda values: pl.Series(values, dtype=pl.String),
    "polars in chunks": _in_chunks,
    "polars, a slice": lambda values: pl.Series(["other", *values, None, "x" * 40], dtype=pl.String)[1:-2],
    "polars, a frame's slice": lambda values: pl.DataFrame(
        {"a": ["other"] * 11 + values}, schema={"a": pl.String}
    ).slice(11)["a"],
    "Arrow": _arrow,
    "Arrow in chunks": lambda values: pa.chunked_array(
        [*_arrow(values[:5]).chunks, *_arrow(values[5:]).chunks]
    ),
    "Arrow, a slice": lambda values: _arrow([None, "other", *values]).slice(2),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("holes", [False, True])
def test_codes_stand_for_the_texts(form: str, holes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline_texts, "_BLOCK", 16)
    draw = random.Random(form)
    for size in (8, 15, 16, 17, 200):
        values: list[Any] = [*TEXTS, *draw.choices(TEXTS, k=size - len(TEXTS))]
        draw.shuffle(values)
        if holes:
            values = [None if draw.random() < 0.3 else value for value in values]
        texts = sorted({*values} - {None})
        made = inline_coded(FORMS[form](values), texts)
        assert made is not None
        assert np.asarray(made).tolist() == values
        assert set(made.distinct.tolist()) == set(values)  # each occurs


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "odd", ["c", "x" * (LONGEST + 1), "é" * (LONGEST // 2) + "a", "b\0", "x" * 11, "a" * 5000]
)
def test_a_text_that_is_none_of_those_sought_leaves_the_column_to_its_library(form: str, odd: str) -> None:
    values = ["a", "b", "a", None, "x" * LONGEST, "a", "b", "b", "a"]
    made = FORMS[form]([*values, odd])
    assert inline_coded(made, ["a", "b", "x" * LONGEST]) is None
    assert inline_coded(FORMS[form]([odd, *values]), ["a", "b", "x" * LONGEST]) is None


def test_many_texts_and_long_ones_are_left_to_the_library() -> None:
    many = [f"t{i}" for i in range(MOST_TEXTS + 1)]
    assert inline_coded(pl.Series(many), many) is None
    assert inline_coded(pl.Series(many[1:]), many[1:]) is not None
    assert inline_coded(pl.Series(["contradiction"]), ["contradiction"]) is None
    assert inline_coded(pl.Series([None], dtype=pl.String), []) is None


def test_texts_that_are_kept_in_another_form_are_left_to_the_library() -> None:
    assert inline_coded(pa.chunked_array([["a", "b"]]), ["a", "b"]) is None
    assert inline_coded(pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]) is None


@pytest.mark.parametrize("longest", ["x" * LONGEST, "x" * (LONGEST + 1)])
@pytest.mark.parametrize("missing", [False, True])
def test_a_frame_gives_what_its_lists_give(
    longest: str, missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(longest)
    n = frames.CODED_FROM
    columns: dict[str, list[Any]] = {
        name: draw.choices(["a", "b", longest], k=n) for name in ("gold", "s", "t")
    }
    if missing:
        columns["t"][n // 2] = None
    columns["s"][-1] = "a label that is not at the beginning" if missing else "c"
    lists = {name: columns[name] for name in ("s", "t")}
    by_frame = compare(pl.DataFrame(columns), "gold", on_missing="worst")
    by_lists = compare(lists, columns["gold"], on_missing="worst")
    assert by_frame.differences == by_lists.differences
    assert by_frame.systems == by_lists.systems
    assert by_frame.provenance.data_hash == by_lists.provenance.data_hash


def test_messages_name_the_row_of_a_value_that_is_wrong() -> None:
    n = frames.CODED_FROM
    column = ["a", "b"] * (n // 2)
    wrong = [*column[:-1], None]
    with pytest.raises(BestbyError, match=f"'s' has no value for 1 of {n} items; first: row {n}"):
        compare(pl.DataFrame({"gold": column, "s": wrong, "t": column}), "gold")
    with pytest.raises(BestbyError, match=f"NUL character in row {n}"):
        compare(pl.DataFrame({"gold": column, "s": [*column[:-1], "a\0"], "t": column}), "gold")


def test_the_memory_of_a_frame_is_given_back() -> None:
    """A chunk that is not given back keeps its 16 MB."""
    import resource

    def made() -> None:
        series = pl.Series(["a", "b"] * 500_000)
        assert inline_coded(series, ["a", "b"]) is not None
        assert inline_coded(series, ["a"]) is None  # left in the middle

    made()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        made()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # kilobytes; 320,000 if kept


def test_a_library_that_does_not_show_its_memory_makes_the_codes_itself() -> None:
    assert inline_coded(["a", "b", "a"], ["a", "b"]) is None
