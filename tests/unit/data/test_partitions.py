"""Data frames in partitions: counted where they are, and the same numbers as in one piece."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby import compare, compare_datasets, compare_folds
from bestby._core.errors import DesignError, InvalidInputError
from bestby.data.layouts import items
from bestby.results import Comparison

WITHOUT = "data frames in partitions need dask: pip install 'bestby[dask]'"
dask = pytest.importorskip("dask", reason=WITHOUT)
dd = pytest.importorskip("dask.dataframe", reason=WITHOUT)

N = 700
SETTINGS: dict[str, Any] = {"gold": "label", "metric": ["accuracy", "f1_macro"], "n_resamples": 500}


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def texts(rng: np.random.Generator) -> Any:
    return rng.choice(["x", "y", "z ", "é"], N)


def numbers(rng: np.random.Generator) -> Any:
    return rng.integers(-1, 3, N)


def truths(rng: np.random.Generator) -> Any:
    return rng.random(N) < 0.5


def categories(rng: np.random.Generator) -> Any:
    return pd.Categorical(rng.choice(["x", "y", "z"], N))


def frame_of(values: Callable[[np.random.Generator], Any] = texts) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    gold = pd.Series(values(rng))
    systems = {name: gold.where(rng.random(N) < 0.7, pd.Series(values(rng))) for name in "abc"}
    return pd.DataFrame({"label": gold, **systems, "part": rng.choice(["p", "q"], N), "id": np.arange(N)})


def same(one: Comparison, other: Comparison) -> bool:
    """Tell whether all is the same but what is said of the counting."""
    kept = tuple(note for note in one.notes if note.code != "counted")
    return dataclasses.replace(one, notes=kept).to_json() == other.to_json()


@pytest.mark.long
@pytest.mark.parametrize("values", [texts, numbers, truths, categories])
@pytest.mark.parametrize("n_partitions", [1, 7])
def test_partitions_give_the_same_numbers(values: Any, n_partitions: int) -> None:
    frame = frame_of(values).drop(columns=["part", "id"])
    if values is truths:
        frame = frame.astype(bool)
    there = compare(dd.from_pandas(frame, npartitions=n_partitions), **SETTINGS)
    assert same(there, compare(frame, **SETTINGS))
    assert there.n_items == N


def test_strata_and_ids() -> None:
    frame = frame_of()
    roles = {"items": "id", "strata": "part"}
    there = compare(dd.from_pandas(frame, npartitions=4), **SETTINGS, **roles)
    assert same(there, compare(frame, **SETTINGS, **roles))
    (note,) = (note for note in there.notes if note.code == "counted")
    assert note.message.startswith(f"{N} rows were counted into ")
    assert note.message.endswith("that the ids in column id are unique was not checked")


def test_scores_that_repeat_are_counted_too() -> None:
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({name: rng.integers(0, 5, N) / 4 for name in "ab"})
    here, there = compare(frame), compare(dd.from_pandas(frame, npartitions=3))
    assert there.differences == here.differences
    assert there.systems == here.systems


@pytest.mark.parametrize("on_missing", ["drop", "worst"])
@pytest.mark.parametrize("values", [texts, numbers])
def test_missing_predictions(on_missing: str, values: Any) -> None:
    frame = frame_of(values).drop(columns=["part", "id"])
    frame.loc[3:10, "a"] = None
    frame.loc[8:20, "b"] = None
    there = compare(dd.from_pandas(frame, npartitions=5), on_missing=on_missing, **SETTINGS)
    assert same(there, compare(frame, on_missing=on_missing, **SETTINGS))
    with pytest.raises(
        InvalidInputError, match=f"system 'a' has no value for 8 of {N} items\nhint: pass on_mis"
    ):
        compare(dd.from_pandas(frame, npartitions=5), **SETTINGS)


def test_a_gold_with_holes_is_refused() -> None:
    frame = frame_of().drop(columns=["part", "id"])
    frame.loc[5:14, "label"] = None
    with pytest.raises(InvalidInputError, match=f"the gold is missing for 10 of {N} items\nhint:"):
        compare(dd.from_pandas(frame, npartitions=5), on_missing="drop", **SETTINGS)


def test_files_in_parquet(tmp_path: Path) -> None:
    frame = frame_of()
    for i, part in enumerate(np.array_split(np.arange(N), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"part-{i}.parquet")
    there = compare(dd.read_parquet(tmp_path), **SETTINGS, items="id", strata="part")
    assert same(there, compare(frame, **SETTINGS, items="id", strata="part"))


def test_only_the_columns_that_are_used_are_read() -> None:
    frame = frame_of()
    cells, counts = items.counted_partitions(dd.from_pandas(frame, npartitions=2), ["label", "a"])
    assert list(cells.columns) == ["label", "a"]
    assert counts.sum() == N
    assert len(cells) == len(frame[["label", "a"]].drop_duplicates())


def test_too_many_distinct_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MOST_CELLS", 50)
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({name: rng.normal(size=N) for name in "ab"})
    with pytest.raises(DesignError, match=r"more than 50 distinct rows.*\nhint: .*frame\.compute\(\)"):
        compare(dd.from_pandas(frame, npartitions=3))


def test_what_needs_every_item_is_refused() -> None:
    frame = frame_of()
    there = dd.from_pandas(frame, npartitions=3)
    with pytest.raises(DesignError, match=r"every item is needed for clusters\nhint: pass frame\.compute"):
        compare(there, gold="label", clusters="part", items="id")
    with pytest.raises(DesignError, match="every item is needed for this comparison"):
        compare_datasets(there, dataset="part", gold="label")
    with pytest.raises(DesignError, match="every item is needed for this comparison"):
        compare_folds(there, fold="part", gold="label")
    with pytest.raises(DesignError, match="every item is needed for this metric"):
        compare(there.drop(columns=["part", "id"]), gold="label", metric="bleu")
    scores = dd.from_pandas(frame_of(numbers).drop(columns=["part", "id"]), npartitions=3)
    with pytest.raises(DesignError, match="metric spearman needs every item"):
        compare(scores, gold="label", metric="spearman")


def test_wrong_columns_are_told_before_anything_is_read() -> None:
    there = dd.from_pandas(frame_of(), npartitions=3)
    with pytest.raises(InvalidInputError, match="no column 'lable'"):
        compare(there, gold="lable")
