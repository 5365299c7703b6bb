"""The same table as a file and as a frame of every kind gives the same result, in every layout."""

from __future__ import annotations

import csv
import dataclasses
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bestby as bb
from bestby.data.layouts.items import evaluation_of_frame
from bestby.data.roles import TableOptions
from bestby.data.table import backend_of

Columns = dict[str, list[Any]]
N = 24


def _relation(columns: Columns) -> Any:
    table = pa.table(columns)
    connection = duckdb.connect()
    connection.register("arrow_table", table)
    return connection.sql("SELECT * FROM arrow_table")


def _dask(columns: Columns) -> Any:
    dataframe = pytest.importorskip("dask.dataframe")
    return dataframe.from_pandas(_nullable(columns), npartitions=3)


def _nullable(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame({name: pd.array(values) for name, values in columns.items()})


def _categories(columns: Columns) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    texts = [name for name, values in columns.items() if isinstance(values[0], str)]
    return frame.astype(dict.fromkeys(texts, "category"))


def _records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, nullable": _nullable,
    "pandas, categories": _categories,
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "Arrow": pa.table,
    "DuckDB": _relation,
    "dask": _dask,
    "records": _records,
}

FEW: dict[str, Any] = {"n_resamples": 99}


def wide() -> Columns:
    rng = np.random.default_rng(3)
    columns: Columns = {"id": list(range(N)), "cluster": [f"d{i // 3}" for i in range(N)]}
    columns["gold"] = rng.choice(["x", "y", "z"], N).tolist()
    for name in ("old", "new"):
        wrong = rng.random(N) < 0.4
        columns[name] = np.where(wrong, rng.choice(["x", "y", "z"], N), columns["gold"]).tolist()
    columns["new"][4] = None
    return columns


def long(of: Columns, value: str = "prediction") -> Columns:
    side = [name for name in of if name not in ("old", "new")]
    rows = [
        {**{name: of[name][i] for name in side}, "model": system, value: of[system][i]}
        for i in range(len(of["old"]))
        for system in ("old", "new")
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def scores(key: str, n: int = 8) -> Columns:
    rng = np.random.default_rng(4)
    return {
        key: [f"k{i}" for i in range(n)],
        "old": rng.random(n).round(3).tolist(),
        "new": rng.random(n).round(3).tolist(),
    }


def judgements() -> Columns:
    rng = np.random.default_rng(5)
    rows = [("old", "new") if rng.random() < 0.5 else ("new", "mid") for _ in range(40)]
    winners = [pair[int(rng.random() < 0.4)] if rng.random() < 0.9 else "tie" for pair in rows]
    return {
        "id": [f"q{i // 2}" for i in range(40)],
        "model_a": [a for a, _ in rows],
        "model_b": [b for _, b in rows],
        "winner": winners,
    }


def _written(columns: Columns, path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _items(columns: Columns) -> tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]:
    return (
        columns,
        lambda path: bb.compare(bb.read(path, on_missing="worst"), **FEW),
        lambda frame: bb.compare(frame, on_missing="worst", **FEW),
    )


def _runs(columns: Columns) -> tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]:
    def of_file(path: Path) -> Any:
        found = bb.read_runs(path)
        return bb.compare_runs(found.runs, metric=found.metric, **FEW)

    return columns, of_file, lambda frame: bb.compare_runs(frame, **FEW)


def _datasets(columns: Columns) -> tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]:
    return (
        columns,
        lambda path: bb.compare_datasets(bb.read_datasets(path), **FEW),
        lambda frame: bb.compare_datasets(frame, **FEW),
    )


def _preferences() -> tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]:
    def of_file(path: Path) -> Any:
        return bb.compare_preferences(bb.read_preferences(path).judgements(), **FEW)

    return judgements(), of_file, lambda frame: bb.compare_preferences(frame, **FEW)


def _folds() -> tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]:
    return (
        scores("fold"),
        lambda path: bb.compare_folds(bb.read_folds(path)),
        bb.compare_folds,
    )


def _items_of(key: str) -> Columns:
    columns = {**wide(), "new": wide()["old"][::-1]}
    del columns["cluster"]
    return {key: [f"k{i % 3}" for i in range(N)], **columns, "id": [i // 3 for i in range(N)]}


LAYOUTS: dict[str, tuple[Columns, Callable[[Path], Any], Callable[[Any], Any]]] = {
    "wide": _items(wide()),
    "long": _items(long(wide())),
    "runs": _runs(scores("seed")),
    "runs, long": _runs(long(scores("seed"), "score")),
    "datasets": _datasets(scores("dataset")),
    "datasets, long": _datasets(long(scores("task"), "score")),
    "datasets, items": _datasets(_items_of("dataset")),
    "folds": _folds(),
    "judgements": _preferences(),
}

COUNTED_OR_REFUSED = {("wide", "dask"), ("long", "dask")}  # tests/unit/data/test_partitions.py


def numbers(result: Any) -> list[str]:
    return [repr(dataclasses.asdict(difference)) for difference in result]


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_a_frame_gives_what_its_file_gives(layout: str, tmp_path: Path) -> None:
    columns, of_file, of_frame = LAYOUTS[layout]
    expected = numbers(of_file(_written(columns, tmp_path / "t.csv")))
    assert numbers(of_file(_written(columns, tmp_path / "t.parquet"))) == expected
    found = {
        kind: numbers(of_frame(make(columns)))
        for kind, make in FRAMES.items()
        if (layout, kind) not in COUNTED_OR_REFUSED
    }
    assert found == dict.fromkeys(found, expected)


def test_notes_are_those_of_the_file(tmp_path: Path) -> None:
    columns = long(wide())
    path = _written(columns, tmp_path / "t.parquet")
    here = bb.compare(pl.LazyFrame(columns), on_missing="drop", **FEW)
    there = bb.compare(bb.read(path, on_missing="drop"), **FEW)
    told = [note.message.replace("the data frame", "t.parquet") for note in here.notes]
    assert told == [note.message for note in there.notes]
    assert bb.compare_preferences(pd.DataFrame(judgements()), **FEW).notes[0].code == "read_as"
    assert bb.compare_runs(pd.DataFrame(scores("seed")), **FEW).notes[0].code == "read_as"


EXTRAS: Columns = {
    "day": [dt.date(2024, 1, 1 + i % 4) for i in range(12)],
    "at": [dt.datetime(2024, 1, 1, 3, i) for i in range(12)],
    "gold": [2**53 + i % 3 for i in range(12)],
    "a": [2**53 + (i + 1) % 3 if i != 5 else None for i in range(12)],
    "b": [2**53 + i % 2 for i in range(12)],
    "flag": [True, None] * 6,
}


@pytest.mark.parametrize(
    "kind", [name for name in FRAMES if name not in ("pandas", "pandas, categories", "dask")]
)
def test_dates_large_numbers_and_holes(kind: str, tmp_path: Path) -> None:
    roles: dict[str, Any] = {"gold": "gold", "items": "at", "clusters": "day", "on_missing": "worst"}
    there = bb.read(_written(EXTRAS, tmp_path / "t.parquet"), reading=bb.Reading(ignore="flag"), **roles)
    here = evaluation_of_frame(
        FRAMES[kind](EXTRAS), TableOptions.of(reading=bb.Reading(ignore="flag"), **roles)
    )
    assert here.data_hash() == there.data_hash()
    assert here.items is not None
    assert there.items is not None
    assert here.items.tolist() == there.items.tolist()
    assert here.systems["a"].dtype.kind == "i"
    assert here.missing["a"].tolist() == [i == 5 for i in range(12)]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("pandas", "pandas"),
        ("polars", "polars"),
        ("polars, lazy", "polars"),
        ("Arrow", "pyarrow"),
        ("DuckDB", "duckdb"),
        ("dask", "dask"),
        ("records", None),
    ],
)
def test_the_library_of_the_frame_is_remembered(kind: str, name: str | None) -> None:
    columns = {"a": [1, 0, 1], "b": [0, 0, 1]}
    assert backend_of(FRAMES[kind](columns)) == name
    assert evaluation_of_frame(FRAMES[kind](columns), TableOptions()).frame_backend == name


WITH_TEXT: Columns = {
    "task": ["p", "p", "q", "q"],
    "number": [1, 2, 1, 2],
    "text": ["a b", "c d", "e f", "g h"],
    "length": [3, 4, 5, 6],
    "gold": [1, 0, 1, 0],
    "gpt-1": [1, 0, 1, 1],
    "gpt-2": [1, 1, 1, 1],
    "other": [0, 0, 0, 0],
}


@pytest.mark.parametrize("kind", ["pandas", "polars, lazy", "records"])
def test_columns_are_chosen_by_name_and_pattern(kind: str, tmp_path: Path) -> None:
    frame = FRAMES[kind](WITH_TEXT)
    path = _written(WITH_TEXT, tmp_path / "t.csv")
    ids = ["task", "number"]
    chosen = bb.compare(frame, "gold", systems=["gpt-*"], items=ids, clusters="task", **FEW)
    assert {s.system for s in chosen.systems} == {"gpt-1", "gpt-2"}
    assert numbers(chosen) == numbers(
        bb.compare(bb.read(path, gold="gold", systems=["gpt-*"], items=ids, clusters="task"), **FEW)
    )
    rest = bb.compare(frame, reading=bb.Reading(ignore=["text", "len*"]), items=ids, **FEW)
    assert {s.system for s in rest.systems} == {"gpt-1", "gpt-2", "other"}
    assert bb.read(path, reading=bb.Reading(ignore=["text", "len*"]), items=ids).items.tolist() == [
        "p/1",
        "p/2",
        "q/1",
        "q/2",
    ]  # type: ignore[union-attr]
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.compare(frame, "gold", systems=["gtp-1", "other"])
    assert "no column 'gtp-1' (named as system); did you mean 'gpt-1'" in caught.value.message


def test_joined_ids_keep_apart_what_is_different() -> None:
    frame = pd.DataFrame({"p": ["a/b", "a"], "q": ["c", "b/c"], "x": [1, 0], "y": [0, 0]})
    found = evaluation_of_frame(frame, TableOptions.of(items=["p", "q"]))
    assert found.items is not None
    assert len(set(found.items.tolist())) == 2


def test_mappings_of_arrays_name_gold_and_groups_by_key() -> None:
    data = {"A": [1, 0, 1, 1], "B": [1, 1, 0, 1], "gold": [1, 0, 1, 0], "doc": ["p", "p", "q", "q"]}
    expected = bb.compare(
        {"A": data["A"], "B": data["B"]}, data["gold"], clusters=data["doc"], test="permutation", **FEW
    )
    assert bb.compare(data, "gold", clusters="doc", **FEW).differences == expected.differences
    chosen = bb.compare({**data, "C": data["A"]}, "gold", clusters="doc", systems=["A", "B"], **FEW)
    assert chosen.differences == expected.differences
    with pytest.raises(bb.errors.InvalidInputError, match=r"the data have no 'gld'.*did you mean 'gold'"):
        bb.compare(data, "gld")


def test_a_mapping_of_columns_may_be_long() -> None:
    columns = long({name: values for name, values in wide().items() if name != "cluster"})
    named = bb.compare(
        columns, "gold", reading=bb.Reading(system_column="model"), items="id", on_missing="drop", **FEW
    )
    assert numbers(named) == numbers(bb.compare(pd.DataFrame(columns), on_missing="drop", **FEW))


def test_a_hole_in_a_list_is_dropped_as_in_a_frame() -> None:
    gold = [1, 0, 1, 0, 1]
    a, b = [None, 0, 1, 1, 1], [1, 0, 0, 1, 1]
    listed = bb.compare({"a": a, "b": b}, gold, on_missing="drop", **FEW)
    framed = bb.compare(pd.DataFrame({"gold": gold, "a": a, "b": b}), on_missing="drop", **FEW)
    assert numbers(listed) == numbers(framed)
    assert listed.n_items == framed.n_items == 4
