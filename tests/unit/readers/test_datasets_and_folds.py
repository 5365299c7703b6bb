"""Tables of datasets and folds: which kind a table is, and what is made of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bestby import Evaluation, Reading, read_datasets, read_folds, read_runs
from bestby._core.errors import InvalidInputError


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_wide_and_long(tmp_path: Path) -> None:
    wide = written(tmp_path, "task,a,b\nx,0.5,1\ny,,0.25\n")
    long = written(tmp_path, "dataset,system,score\nx,a,0.5\nx,b,1\ny,b,0.25\ny,a,NA\n", "long.csv")
    expected = {"x": {"a": 0.5, "b": 1.0}, "y": {"b": 0.25}}
    assert read_datasets(wide) == expected
    found = read_datasets(long)
    assert isinstance(found, dict)
    assert found["y"]["a"] is None  # compare_datasets takes None for missing
    assert read_datasets(wide, systems=["b"]) == {"x": {"b": 1.0}, "y": {"b": 0.25}}


def test_systems_are_told_by_other_names_where_they_repeat(tmp_path: Path) -> None:
    scores = written(tmp_path, "dataset,model,score\nx,a,0.5\nx,b,1\ny,b,0.25\ny,a,0\n")
    assert read_datasets(scores) == {"x": {"a": 0.5, "b": 1.0}, "y": {"b": 0.25, "a": 0.0}}
    wide = written(tmp_path, "model,a,b\nx,0.5,1\ny,0,0.25\n")
    assert read_datasets(wide, dataset="model") == {"x": {"a": 0.5, "b": 1.0}, "y": {"a": 0.0, "b": 0.25}}
    beside = written(tmp_path, "dataset,model,a,b\nx,m,0.5,1\ny,m,0,0.25\n")
    assert read_datasets(beside, systems=["b"]) == {"x": {"b": 1.0}, "y": {"b": 0.25}}
    rows = [f"{i % 2},{i},{s},{(i + len(s)) % 2}" for i in range(4) for s in ("a", "bb")]
    folds = read_folds(written(tmp_path, "fold,item,model,score\n" + "\n".join(rows) + "\n"))
    assert isinstance(folds["1"], Evaluation)
    assert folds["1"].names == ("a", "bb")


def test_a_quantity_beside_the_scores_of_its_system_is_no_system(tmp_path: Path) -> None:
    for name, read in (("dataset", read_datasets), ("fold", read_folds)):
        path = written(tmp_path, f"{name},a,a_usd,b,b_usd\nx,0.5,3,1,4\ny,0,5,0.25,6\n")
        with pytest.raises(InvalidInputError, match="column 'a_usd' holds a quantity of a system"):
            read(path)
        read(path, reading=Reading(ignore=["a_usd", "b_usd"]))
        read(path, systems=["a", "a_usd"])


def test_p_values(tmp_path: Path) -> None:
    assert read_datasets(written(tmp_path, "dataset,p\nx,0.5\ny,1e-3\n")) == {"x": 0.5, "y": 0.001}
    with pytest.raises(InvalidInputError, match="column 'p' has no value in 1 of 2 rows"):
        read_datasets(written(tmp_path, "dataset,p\nx,0.5\ny,NA\n"))


def test_items_of_the_same_id_in_two_datasets(tmp_path: Path) -> None:
    path = written(tmp_path, "dataset,item,gold,a,b\nx,1,u,u,v\nx,2,v,v,v\ny,1,u,u,u\ny,2,v,u,v\n")
    found = read_datasets(path)
    assert isinstance(found, Evaluation)
    assert found.strata is not None
    assert (found.strata.tolist(), found.names) == (["x", "x", "y", "y"], ("a", "b"))
    assert found.items is not None
    assert found.items.tolist() == ["x/1", "x/2", "y/1", "y/2"]
    assert "dataset: dataset" in found.notes[0].message
    doubled = written(tmp_path, "dataset,item,a,b\nx,1,1,0\nx,1,0,0\n")
    with pytest.raises(InvalidInputError, match="more than once"):
        read_datasets(doubled)


def test_items_in_a_long_table(tmp_path: Path) -> None:
    rows = [f"{d},{i},{s},{(i + len(s)) % 2}" for d in "xy" for i in (1, 2, 3) for s in ("a", "bb")]
    path = written(tmp_path, "dataset,item,system,score\n" + "\n".join(rows) + "\n")
    found = read_datasets(path)
    assert isinstance(found, Evaluation)
    assert (found.names, found.n_items) == (("a", "bb"), 6)


def test_scores_of_folds(tmp_path: Path) -> None:
    path = written(tmp_path, "seed,fold,a,b\n1,1,1,2\n1,2,3,4\n2,1,5,6\n2,2,7,8\n")
    found = read_folds(path, repetition="seed")
    assert list(found) == ["a", "b"]
    np.testing.assert_array_equal(found["a"], [[1, 3], [5, 7]])


def test_items_of_folds(tmp_path: Path) -> None:
    rows = [f"{r},{i},{i % 2},u,{'uv'[i % 2]},u" for r in (1, 2) for i in range(4)]
    path = written(tmp_path, "repetition,id,fold,gold,a,b\n" + "\n".join(rows) + "\n")
    found = read_folds(path)
    assert list(found) == ["1", "2"]
    first = found["1"]
    assert isinstance(first, Evaluation)
    assert first.strata is not None
    assert first.strata.tolist() == ["0", "1", "0", "1"]
    assert first.names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column is called dataset or task"),
        ("dataset,system\nx,a\n", "which column holds the scores"),
        ("dataset,a,b\nx,1,u\ny,2,3\n", r"column 'b' holds text \('u'\), expected scores; first: row 1"),
        ("dataset,a,b\nx,1,2\ny,2,u\n", r"column 'b' holds text \('u'\), expected scores; first: row 2"),
        ("dataset,a,b\nx,1,NA\ny,2,\n", "column 'b' has no value in any row"),
    ],
)
def test_messages(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        read_datasets(written(tmp_path, text))


@pytest.mark.parametrize("name", ["rep", "Repeat", "round", "seed"])
def test_a_column_of_repetitions_is_no_system(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, f"fold,{name},a,b\n1,1,0.1,0.2\n2,1,0.3,0.4\n1,2,0.5,0.6\n2,2,0.7,0.8\n")
    with pytest.raises(InvalidInputError, match=f"column '{name}' looks like the number of a repetition"):
        read_folds(path)
    assert read_folds(path, repetition=name)["a"].tolist() == [[0.1, 0.3], [0.5, 0.7]]  # type: ignore[union-attr]


def test_one_table_holds_all(tmp_path: Path) -> None:
    scores = written(tmp_path, "fold,a,b\n1,0.5,1\n2,0.25,0.5\n")
    other = written(tmp_path, "fold,a,b\n3,0.5,1\n", "other.csv")
    assert read_folds([scores])["a"].tolist() == [[0.5, 0.25]]  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="the results on all folds must be in one table, got 2 files"):
        read_folds([scores, other])  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="on all datasets must be in one table, got 2 files"):
        read_datasets([scores, other])
    with pytest.raises(
        InvalidInputError, match="the runs of all systems must be in one table, or in a file per run"
    ):
        read_runs([scores, other])
