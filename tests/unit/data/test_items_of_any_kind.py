"""An evaluation of items of any kind keeps them as they are."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby import Evaluation, compare
from bestby.errors import InvalidInputError


def test_items_are_kept_as_they_are() -> None:
    texts = ["a b", "c", ""]
    references = [["a b", "a"], ["c"], []]
    pairs = [(1, 2), (3, 4), (5, 6)]
    made = Evaluation.of({"texts": texts, "pairs": pairs}, references, objects=True)
    assert made.systems["texts"].tolist() == texts
    assert made.systems["pairs"].tolist() == pairs
    assert made.systems["pairs"].shape == (3,)
    assert made.gold is not None
    assert made.gold.tolist() == references
    assert made.gold.dtype == object
    assert made.classes is None


@pytest.mark.parametrize(
    "values",
    [
        [[1, 2], [3, 4], [5, 6]],
        [(1, 2), (3, 4), (5, 6)],
        [{"d": 1.0}, {"e": 2.0}, {}],
        [{1}, set(), {2, 3}],
        [1, "two", 3.0],
        np.arange(6).reshape(3, 2),
        np.array(["a", "b", "c"]),
        (text for text in ["a", "b", "c"]),
    ],
    ids=["lists", "tuples", "mappings", "sets", "mixed", "a 2-D array", "an array of text", "a generator"],
)
def test_any_sequence_of_three_is_three_items(values: Any) -> None:
    made = Evaluation.of({"a": values, "b": ["x", "y", "z"]}, objects=True)
    assert made.systems["a"].shape == (3,)
    assert made.systems["a"].dtype == object


def test_items_are_aligned_by_id() -> None:
    gold = {"q1": ["x"], "q2": ["y", "z"]}
    made = Evaluation.of({"a": {"q2": "y", "q1": "w"}, "b": {"q1": "x", "q2": ""}}, gold, objects=True)
    assert made.items is not None
    at = made.items.tolist().index("q2")
    assert (made.systems["a"][at], made.systems["b"][at], made.gold[at]) == ("y", "", ["y", "z"])  # type: ignore[index]


def test_a_missing_item_of_pandas_is_missing() -> None:
    import pandas as pd

    for values in (["x", pd.NA], pd.Series(["x", None]), pd.Series(["x", pd.NaT], dtype=object)):
        with pytest.raises(InvalidInputError, match="system 'a' has a missing value at position 1"):
            Evaluation.of({"a": values, "b": ["x", "y"]}, ["x", "y"], objects=True)


def test_the_hash_knows_what_the_items_are() -> None:
    def hashed(a: Any, gold: Any = ("r", "s")) -> str:
        return Evaluation.of({"a": a, "b": ["x", "y"]}, list(gold), objects=True).data_hash()

    long = ["w" * 5000 + "x", "y"]
    arrays = [np.zeros(3000), np.ones(3000)]
    other = [np.zeros(3000), np.ones(3000)]
    other[0][1500] = 1.0
    made = [
        ["x", "y"],
        ["y", "x"],
        ["x\n'y'", ""],
        [["x"], ["y"]],
        [("x",), ("y",)],
        [1, 2],
        [1.0, 2.0],
        ["1", "2"],
        long,
        [long[0][:-1], "y"],
        arrays,
        other,
    ]
    hashes = [hashed(values) for values in made] + [hashed(["x", "y"], gold=("r", ["s"]))]
    assert len(set(hashes)) == len(hashes)
    again = pickle.loads(pickle.dumps(made))
    assert [hashed(values) for values in again] == hashes[:-1]


def test_the_hash_of_sets_is_the_same_in_every_process() -> None:
    """Text hashes differ between processes, and with them the order of a set."""
    code = (
        "from bestby import Evaluation; rows = [set('abcdefgh'), frozenset(['xy', 'z', 'w'])];"
        "print(Evaluation.of({'a': rows, 'b': rows[::-1]}, rows, objects=True).data_hash())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


@pytest.mark.parametrize("role", ["gold", "clusters", "strata", "items", "b"])
def test_columns_of_pandas_in_another_order_are_refused(role: str) -> None:
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("xxyy"), "gold": list("xyyy"), "id": [1, 2, 3, 4]})
    given: dict[str, Any] = {"gold": frame["gold"]}
    systems = {"a": frame["a"], "b": frame["b"]}
    shuffled = frame["id"].iloc[::-1]
    if role == "b":
        systems["b"] = shuffled
    else:
        given[role] = shuffled
    told = "system 'b'" if role == "b" else role
    with pytest.raises(InvalidInputError, match=f"the index of {told} is in another order than") as caught:
        Evaluation.of(systems, **given)
    assert caught.value.hint is not None
    assert "gold.loc[predictions.index]" in caught.value.hint


def test_columns_of_pandas_in_one_order_or_with_other_labels_are_taken_as_they_lie() -> None:
    a, gold = pd.Series([1, 0, 1], index=[5, 3, 3]), pd.Series([1, 1, 0], index=[5, 3, 3])
    assert Evaluation.of({"a": a, "b": a.to_numpy()[::-1]}, gold).n_items == 3
    assert Evaluation.of({"a": a, "b": a.reset_index(drop=True)}, gold).n_items == 3


@pytest.mark.parametrize("path", ["wide.csv", Path("wide.csv")])
def test_a_path_for_systems_is_told_to_be_read(path: Any) -> None:
    with pytest.raises(InvalidInputError, match="data must be a mapping of system to predictions") as caught:
        compare(path, gold="label")
    assert caught.value.hint == (
        "read the file first, with one of bestby's read functions:"
        " compare(bestby.read('wide.csv', gold=\"label\"))"
    )
