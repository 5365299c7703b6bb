"""Frames of three libraries and one of our own making give the same evaluation."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestby import compare, read
from bestby._core.arrays import is_frame
from bestby._core.errors import BestbyError, InvalidInputError
from bestby.data import table
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions

DATA: dict[str, list[Any]] = {
    "id": ["q1", "q2", "q3"],
    "gold": [1, 2, 1],
    "aen": [1, 1, 1],
    "bert": [2, 2, 1],
    "doc": ["d1", "d1", "d2"],
}


class Bare:
    """The least a frame can be."""

    def __init__(self, data: dict[str, list[Any]]) -> None:
        self.data = data
        self.column_names = list(data)

    def __getitem__(self, name: str) -> list[Any]:
        return self.data[name]


MAKERS = [pd.DataFrame, pl.DataFrame, pa.table, Bare]


def parts(evaluation: Evaluation) -> dict[str, Any]:
    arrays = {"gold": evaluation.gold, "items": evaluation.items, "clusters": evaluation.clusters}
    return {
        name: None if array is None else array.tolist()
        for name, array in (arrays | dict(evaluation.systems)).items()
    }


@pytest.mark.parametrize("maker", MAKERS)
def test_missing_values(maker: Any) -> None:
    frame = maker(DATA | {"aen": [1, None, 1]})
    with pytest.raises(InvalidInputError) as caught:
        evaluation_of_frame(frame, TableOptions.of("gold", items="id", clusters="doc"))
    assert (
        caught.value.message
        == "the data frame: system 'aen' has no value for 1 of 3 items; first: row 2, item 'q2'"
    )
    worst = evaluation_of_frame(
        frame, TableOptions.of("gold", items="id", clusters="doc", on_missing="worst")
    )
    assert worst.missing["aen"].tolist() == [False, True, False]
    assert worst.systems["aen"].dtype.kind == "i"
    dropped = evaluation_of_frame(frame, TableOptions.of("gold", systems=["bert", "aen"], on_missing="drop"))
    assert dropped.names == ("bert", "aen")
    assert dropped.systems["aen"].tolist() == [1, 1]
    assert dropped.items is not None
    assert dropped.items.tolist() == [1, 3]


def test_pandas_na_and_text() -> None:
    frame = pd.DataFrame(
        {"gold": ["x", "y", "x"], "a": pd.array(["x", pd.NA, "x"], dtype="string"), "b": ["y"] * 3}
    )
    evaluation = evaluation_of_frame(frame, TableOptions.of("gold", on_missing="worst"))
    assert evaluation.missing["a"].tolist() == [False, True, False]


def test_scores_without_gold_and_an_index_that_means_nothing() -> None:
    frame = pd.DataFrame({"a": [0.5, 1.0], "b": [0.0, 1.0]}, index=[7, 7])
    before = frame.copy()
    evaluation = evaluation_of_frame(frame, TableOptions())
    assert evaluation.gold is None
    assert evaluation.systems["a"].tolist() == [0.5, 1.0]
    pd.testing.assert_frame_equal(frame, before)


LONG: dict[str, list[Any]] = {
    "system": ["a", "a", "b", "b"],
    "item": ["q1", "q2", "q1", "q2"],
    "prediction": ["x", "y", "x", "x"],
    "gold": ["x", "y", "x", "y"],
}


def test_what_was_read_as_what_with_two_groupings() -> None:
    frame = pd.DataFrame(DATA).rename(columns={"gold": "language"})
    evaluation = evaluation_of_frame(frame, TableOptions.of(clusters=["doc", "language"]))
    told = "no gold: per-item scores; item: id; cluster: doc and language"
    assert evaluation.notes[0].message.endswith(told)


@pytest.mark.parametrize("gold", [["x", "y", "x", "y"], [1, 0, 1, 0]])
@pytest.mark.parametrize("maker", MAKERS)
def test_a_column_of_something_else_is_no_system(maker: Any, gold: list[Any]) -> None:
    frame = maker({"model": LONG["system"], "prediction": gold, "gold": gold, "other": gold[::-1]})
    with pytest.raises(InvalidInputError, match="column 'model' names systems, as in a table with a row per"):
        compare(frame, gold="gold")


def test_scores_need_share_no_value_with_the_gold() -> None:
    frame = pd.DataFrame({"gold": ["x", "y", "x", "y"], "a": [0.5, 0.1, 0.7, 0.2], "b": [0.1, 0.5, 0.9, 0.3]})
    assert evaluation_of_frame(frame, TableOptions.of("gold")).names == ("a", "b")


@pytest.mark.parametrize("thing", [{"a": [1]}, [1, 2], np.zeros((2, 2)), "text", None])
def test_what_is_no_frame(thing: Any) -> None:
    assert not is_frame(thing)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_frame_is_not_read(maker: Any) -> None:
    frame: Any = maker(DATA)
    with pytest.raises(InvalidInputError, match="read takes files, got a data frame") as caught:
        read(frame, gold="gold")
    assert caught.value.hint == 'pass the frame itself: bestby.compare(frame, gold="label")'


@pytest.mark.parametrize("label", ["label", "y_true", "Target"])
def test_a_column_called_as_a_gold_is_no_system(label: str) -> None:
    frame = pd.DataFrame({label: [0, 1, 1, 0], "a": [0, 1, 0, 0], "b": [1, 1, 1, 0]})
    with pytest.raises(InvalidInputError, match=f"column '{label}' looks like gold"):
        compare(frame)
    assert compare(frame, gold=label, n_resamples=50).metrics[0].name == "accuracy"


def test_a_column_called_as_a_run_is_no_system() -> None:
    frame = pd.DataFrame({"seed": [0, 1, 2, 3], "a": [0.5, 0.1, 0.2, 0.3], "b": [0.4, 0.1, 0.3, 0.2]})
    with pytest.raises(InvalidInputError, match="column 'seed' looks like the number of a run"):
        compare(frame)


def test_whole_numbers_of_128_bits_of_polars() -> None:
    right = [10**25 + 1, 10**25 + 2] * 9
    kind = dict.fromkeys(("gold", "a", "b"), pl.Int128)
    frame = pl.DataFrame({"gold": right, "a": right, "b": [10**25 + 1] * 18}, schema=kind)
    (found,) = compare(frame, "gold").differences
    assert found.estimate == 0.5


def test_messages_name_the_row_of_a_value_that_is_wrong() -> None:
    n = table.CODED_FROM
    column = ["a", "b"] * (n // 2)
    wrong = [*column[:-1], None]
    with pytest.raises(BestbyError, match=f"'s' has no value for 1 of {n} items; first: row {n}"):
        compare(pl.DataFrame({"gold": column, "s": wrong, "t": column}), "gold")
    with pytest.raises(BestbyError, match=f"NUL character in row {n}"):
        compare(pl.DataFrame({"gold": column, "s": [*column[:-1], "a\0"], "t": column}), "gold")


@pytest.mark.parametrize(
    ("frame", "arguments", "expected"),
    [
        (pd.DataFrame(DATA), {"gold": "label"}, "the data frame has no column 'label' (named as gold)"),
        (pd.DataFrame(DATA), {"gold": "gold", "systems": ["aen", "gold"]}, "the data frame: column 'gold' cannot be gold and system at once"),
        (pd.DataFrame([[1, 2], [1, 2]]), {}, "columns must be named by strings, got 0 (int)"),
        (pd.DataFrame([[1, 2], [1, 2]], columns=["a", "a"]), {}, "column name 'a' occurs 2 times"),
        (pd.DataFrame(DATA | {"gold": [1, None, 2]}), {"gold": "gold", "clusters": "doc"}, "the data frame: the gold is missing for 1 of 3 items; first: row 2"),
        (pd.DataFrame(DATA | {"id": ["q", "q", "r"], "aen": [1, None, 1]}), {"gold": "gold", "items": "id", "clusters": "doc", "on_missing": "drop"}, "the data frame: item ids must be unique, but 1 of 2 occur more than once; first: 'q' (2 times)"),
        (pl.DataFrame({"a": [1], "b": [1]}), {}, "a comparison needs at least 2 items, got 1"),
    ],
)  # fmt: skip
def test_errors(frame: Any, arguments: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        evaluation_of_frame(frame, TableOptions.of(**arguments))
    assert caught.value.message.startswith(expected)
