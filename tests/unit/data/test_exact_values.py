"""Numbers stay exact: decimals, whole numbers and floats, in memory and from files."""

from __future__ import annotations

import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bestby import Study, compare, read
from bestby._core.errors import InvalidInputError
from bestby.data.columns import Column, column_of_texts, label_column
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions
from bestby.data.values import label_codes, read_together

FEW: dict[str, Any] = {"metric": "accuracy", "n_resamples": 20, "test": "sign"}


def scores(data: Any, gold: Any = None, **more: Any) -> dict[str, float]:
    return {entry.system: entry.score for entry in compare(data, gold, **FEW, **more).systems}


def test_whole_numbers_and_floats_are_compared_exactly() -> None:
    gold = np.array([2**53 + 1, 1, 2])
    assert scores({"a": np.array([2.0**53, 1, 2]), "b": gold}, gold) == {"a": pytest.approx(2 / 3), "b": 1.0}
    mixed = [np.array([2**64 - 1], dtype=np.uint64), np.array([-1])]
    assert label_codes(mixed)[0].tolist() == ["-1", str(2**64 - 1)]


@pytest.mark.parametrize("stream", [None, True])
def test_decimals_of_parquet_are_exact(tmp_path: Path, stream: bool | None) -> None:
    gold = [10**18 + i % 3 for i in range(12)]
    columns = {"gold": gold, "a": [value + 1 for value in gold], "b": gold}
    for kind in (pa.decimal128(38, 0), pa.decimal128(38, 2), pa.uint64()):
        values = {
            name: pa.array(
                [decimal.Decimal(v) for v in column] if pa.types.is_decimal(kind) else column, kind
            )
            for name, column in columns.items()
        }
        pq.write_table(pa.table(values), tmp_path / "t.parquet")
        data = read(tmp_path / "t.parquet", gold="gold", systems=["a", "b"], stream=stream)
        assert scores(data) == {"a": pytest.approx(0.0), "b": 1.0}
        if stream is None:
            frame = pa.table(values)
            assert scores(frame, "gold") == scores(pl.DataFrame(frame), "gold") == {"a": 0.0, "b": 1.0}


def test_ids_of_decimals_are_exact(tmp_path: Path) -> None:
    ids = pa.array([decimal.Decimal(10**30 + i) for i in range(4)], pa.decimal128(38, 0))
    pq.write_table(
        pa.table({"id": ids, "gold": [0, 1, 0, 1], "a": [0, 1, 0, 1], "b": [0, 0, 0, 1]}),
        tmp_path / "t.parquet",
    )
    data = read(tmp_path / "t.parquet", gold="gold", items="id")
    assert data.items is not None
    assert data.items.tolist()[0] == str(10**30)


@pytest.mark.parametrize(
    "maker",
    [pl.DataFrame, pa.table, lambda data: pd.DataFrame({k: pd.array(v, "Int64") for k, v in data.items()})],
)
def test_whole_numbers_stay_exact_where_one_is_missing(maker: Any) -> None:
    gold = [2**53 + 1, 1, 2, 2]
    frame = maker({"gold": gold, "a": [2**53, 1, None, 2], "b": gold})
    found = evaluation_of_frame(frame, TableOptions.of("gold", on_missing="drop"))
    assert found.systems["a"].tolist() == [2**53, 1, 2]
    assert scores(found)["a"] == pytest.approx(2 / 3)


def test_floats_that_cannot_hold_the_labels_are_refused() -> None:
    frame = pd.DataFrame({"gold": [2**53 + 1, 1, 2], "a": [2**53 + 1, 1, None], "b": [2**53 + 1, 1, 2]})
    with pytest.raises(
        InvalidInputError, match="column 'a' holds whole numbers as floats because a value is"
    ):
        compare(frame, "gold", on_missing="drop")


def test_columns_are_text_where_no_type_is_exact() -> None:
    assert label_column([2**64, 1], "it").values.tolist() == [str(2**64), "1"]
    assert label_column([1, 2.5], "it").values.tolist() == [1.0, 2.5]
    missing = Column(np.array([1.0, np.nan]), np.array([False, True]))
    gold, systems, _ = read_together(column_of_texts(["1", "2"]), {"a": missing})
    assert gold is not None
    assert systems["a"].values.dtype.kind == "i"


def test_three_types_of_numbers_are_compared_exactly() -> None:
    gold = np.array([2**53, 2**53 + 1] * 20)
    systems = {
        "a": np.array([2**53] * 40),
        "b": np.array([True, False] * 20),
        "c": np.array([2**63, 2**53] * 20, dtype=np.uint64),
    }
    assert scores(systems, gold) == {"a": 0.5, "b": 0.0, "c": 0.0}
    two = {name: systems[name] for name in "ac"}
    assert scores(two, gold) == {"a": 0.5, "c": 0.0}


D = decimal.Decimal


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([D("0.48"), D("0.5"), D("1.00")], np.array([0.48, 0.5, 1.0])),
        ([D("0.48"), 0.5, 1], np.array([0.48, 0.5, 1.0])),
        ([D("1.00"), D("2"), 3], np.array([1, 2, 3])),
        ([D(2**53 + 1), D(2**53)], np.array([2**53 + 1, 2**53])),
        ([D(2**64 + 1), D(2**64)], np.array([str(2**64 + 1), str(2**64)])),
        ([D("1.10"), "x"], np.array(["1.10", "x"])),
        (pl.Series([D("0.48"), D("1.00")]), np.array([0.48, 1.0])),
        (pa.array([D("0.48"), D("1.00")]), np.array([0.48, 1.0])),
    ],
)
def test_decimals_in_memory_are_numbers(values: Any, expected: Any) -> None:
    read = label_column(values, "system 'a'").values
    assert read.dtype.kind == expected.dtype.kind
    assert read.tolist() == expected.tolist()


def test_metrics_take_decimals_as_the_floats_that_they_spell(tmp_path: Path) -> None:
    floats = {"a": [0.5, 0.25, 1.5, 2.0] * 5, "b": [0.125, 0.5, 1.0, 2.5] * 5}
    decimals = {name: [D(repr(value)) for value in values] for name, values in floats.items()}
    gold = [0.5, 0.5, 1.0, 3.0] * 5
    options: dict[str, Any] = {"n_resamples": 20}
    for metric in ("rmse", "pearson"):
        exact = [D(repr(value)) for value in gold]
        assert [entry.score for entry in compare(decimals, exact, metric=metric, **options).systems] == [
            entry.score for entry in compare(floats, gold, metric=metric, **options).systems
        ]
    ranks = compare(decimals, ["x", "y"] * 10, metric="roc_auc", **options).systems
    assert [entry.score for entry in ranks] == [
        entry.score for entry in compare(floats, ["x", "y"] * 10, metric="roc_auc", **options).systems
    ]
    means = compare(decimals, **options).systems
    assert [entry.score for entry in means] == pytest.approx([np.mean(floats["a"]), np.mean(floats["b"])])
    study = Study(tmp_path / "study")
    for name, values in decimals.items():
        study.add(name, run=0, predictions=values, gold=gold)
    assert [entry.score for entry in study.compare(metric="rmse", **options).systems] == [
        entry.score for entry in compare(floats, gold, metric="rmse", **options).systems
    ]


@pytest.mark.parametrize("nan", [D("NaN"), D("sNaN")])
def test_a_decimal_nan_is_missing(nan: D) -> None:
    values = [nan, D(1), D(0)] + [D(1)] * 9
    with pytest.raises(InvalidInputError, match="missing value at position 0"):
        label_column(values, "system 'a'")
    dropped = scores({"a": values, "b": [1] * 12}, [1] * 12, on_missing="drop")
    assert dropped == pytest.approx({"a": 10 / 11, "b": 1.0})
