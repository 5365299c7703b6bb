"""Ids and dates: what may be one, and that no two become one."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bestby import compare, read
from bestby._core.errors import InvalidInputError
from bestby.data.columns import identifiers, label_column
from bestby.data.evaluation import Evaluation
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions

FEW: dict[str, Any] = {"metric": "accuracy", "n_resamples": 20, "test": "sign"}


def scores(data: Any, gold: Any = None, **more: Any) -> dict[str, float]:
    return {entry.system: entry.score for entry in compare(data, gold, **FEW, **more).systems}


def test_capitals_tell_columns_apart(tmp_path: Path) -> None:
    columns = {"gold": ["x", "y", "x", "y"], "sys": ["x", "y", "x", "x"], "SYS": ["x", "x", "y", "x"]}
    nested = {"more": [{"sys": 1}] * 4}
    pq.write_table(pa.table({**nested, **columns}), tmp_path / "t.parquet")
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("t.parquet", "t.jsonl"):
        for stream in (None, True):
            data = read(tmp_path / name, gold="gold", systems=["sys", "SYS"], stream=stream)
            assert scores(data) == {"sys": 0.75, "SYS": 0.25}


def test_capitals_in_several_files_of_one_table(tmp_path: Path) -> None:
    columns = {"gold": ["x", "y"], "sys": ["x", "y"], "SYS": ["y", "y"]}
    pq.write_table(pa.table(columns), tmp_path / "1.parquet")
    pq.write_table(pa.table(dict(reversed(columns.items()))), tmp_path / "2.parquet")
    for stream in (None, True):
        data = read(tmp_path, gold="gold", systems=["sys", "SYS"], stream=stream)
        assert scores(data) == {"sys": 1.0, "SYS": 0.5}


def test_a_nul_is_refused() -> None:
    for values in (["a\0", "b"], np.array(["a\0", "b"], dtype=object), pd.Series(["a\0", "b"])):
        with pytest.raises(InvalidInputError, match="system 'x' holds a NUL character at position 0"):
            compare({"x": values, "y": ["a", "b"]}, ["a", "b"])


DAYS = [dt.date(2024, 1, 30 + i) for i in (0, 1)] + [dt.date(2024, 2, 1 + i) for i in (0, 1)]


def test_dates_are_ids_and_groups_on_all_paths(tmp_path: Path) -> None:
    columns = {
        "id": DAYS,
        "cluster": [DAYS[0], DAYS[0], DAYS[1], DAYS[1]],
        "gold": DAYS,
        "a": DAYS,
        "b": DAYS[:3] + DAYS[:1],
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
    stamps = {name: pd.to_datetime(pd.Series(values)) for name, values in columns.items()}
    roles = {"items": "id", "clusters": "cluster"}
    found = [read(tmp_path / name, gold="gold", **roles) for name in ("t.csv", "t.parquet")]
    frames = (pd.DataFrame(columns), pd.DataFrame(stamps), pl.DataFrame(columns), pa.table(columns))
    found += [
        evaluation_of_frame(frame, TableOptions.of("gold", items="id", clusters="cluster"))
        for frame in frames
    ]
    found.append(
        Evaluation.of(
            {name: dict(zip(DAYS, columns[name], strict=True)) for name in "ab"},
            dict(zip(DAYS, DAYS, strict=True)),
            clusters=dict(zip(DAYS, columns["cluster"], strict=True)),
        )
    )
    for data in found:
        assert data.items is not None
        assert data.clusters is not None
        assert data.items.tolist() == [str(day) for day in DAYS]
        assert data.clusters.tolist() == ["2024-01-30"] * 2 + ["2024-01-31"] * 2
        assert scores(data) == {"a": 1.0, "b": 0.75}


def test_times_keep_their_time() -> None:
    frame = pl.DataFrame(
        {
            "at": [dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 1, 2)],
            "gold": [0, 1],
            "a": [0, 1],
            "b": [1, 1],
        }
    )
    found = evaluation_of_frame(frame, TableOptions.of("gold", items="at"))
    assert found.items is not None
    assert found.items.tolist() == ["2024-01-01 12:00:00", "2024-01-02 00:00:00"]


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        ([2**63 + 1, -1, 5], [str(2**63 + 1), "-1", "5"]),
        ([("q", 1), ("q", 2), ("r", 1)], ["('q', 1)", "('q', 2)", "('r', 1)"]),
        ([1, "a", 2.5], ["1", "a", "2.5"]),
        ([2**53 + 1, 2**53, 0.5], [str(2**53 + 1), str(2**53), "0.5"]),
    ],
)
def test_ids_may_be_anything_that_is_a_key(ids: list[Any], texts: list[str]) -> None:
    values = dict.fromkeys(ids, "x")
    data = Evaluation.of({"a": values, "b": dict(reversed(values.items()))}, values)
    assert data.items is not None
    assert data.items.tolist() == texts


def test_ids_that_are_written_alike_are_refused() -> None:
    with pytest.raises(
        InvalidInputError, match="items holds 1 and '1', which are different but written alike"
    ):
        identifiers([1, "1", 2], "items")


@pytest.mark.parametrize("container", [list, pd.Series, lambda ids: np.array(ids, dtype=object)])
def test_ids_may_be_uuids(container: Any) -> None:
    ids = [uuid.UUID(int=number) for number in range(12)]
    assert identifiers(container(ids), "items").tolist() == [str(one) for one in ids]
    values = dict.fromkeys(ids, 1) | {ids[0]: 0}
    keyed = Evaluation.of({"a": values, "b": dict.fromkeys(ids, 1)}, dict.fromkeys(ids, 1))
    listed = Evaluation.of({"a": [0] + [1] * 11, "b": [1] * 12}, [1] * 12, items=container(ids))
    frame = pd.DataFrame({"id": ids, "gold": 1, "a": [0] + [1] * 11, "b": 1})
    framed = evaluation_of_frame(
        frame, TableOptions.of("gold", items="id", clusters="id", systems=["a", "b"])
    )
    for evaluation in (keyed, listed, framed):
        assert evaluation.items is not None
        assert evaluation.items.tolist() == [str(one) for one in ids]


def test_ids_without_a_text_of_their_own_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="items holds values of the type object, which are neither"):
        identifiers([object(), object()], "items")
    with pytest.raises(InvalidInputError, match="gold holds values of the type UUID, which are neither"):
        label_column([uuid.UUID(int=0)], "gold")
    with pytest.raises(InvalidInputError, match="different but written alike"):
        identifiers([uuid.UUID(int=0), str(uuid.UUID(int=0))], "items")
