"""Alignment by item id, kinds of labels, hashes."""

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

from bestby import DesignError, Evaluation, InvalidInputError, compare
from bestby.data.batches import Streamed
from bestby.data.coding import codes


def test_items_are_aligned_by_id_whatever_their_order() -> None:
    made = Evaluation.of(
        {"a": {"q2": 2.0, "q1": 1.0, "q3": 3.0}, "b": {"q3": 30.0, "q2": 20.0, "q1": 10.0}},
        clusters={"q1": "c", "q2": "d", "q3": "c"},
    )
    assert made.items is not None
    by_id = {
        str(item): (float(a), float(b))
        for item, a, b in zip(made.items, made.systems["a"], made.systems["b"], strict=True)
    }
    assert by_id == {"q1": (1.0, 10.0), "q2": (2.0, 20.0), "q3": (3.0, 30.0)}
    assert made.clusters is not None
    assert dict(zip(made.items.tolist(), made.clusters.tolist(), strict=True)) == {
        "q1": "c",
        "q2": "d",
        "q3": "c",
    }


def test_missing_ids_of_scores_are_drawn_from_all_systems_together() -> None:
    made = Evaluation.of({"a": {1: 0.1, 2: 0.2}, "b": {2: 0.3, 3: 0.4}}, on_missing="worst")
    assert made.n_items == 3
    assert {name: int(mask.sum()) for name, mask in made.missing.items()} == {"a": 1, "b": 1}
    dropped = Evaluation.of({"a": {1: 0.1, 2: 0.2, 3: 0.5}, "b": {2: 0.3, 3: 0.4}}, on_missing="drop")
    assert dropped.n_items == 2
    assert [note.code for note in dropped.notes] == ["items_dropped"]


def test_its_repr_is_one_line() -> None:
    systems = {"a": [1.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 1.0, 0.0]}
    assert repr(Evaluation.of(systems)) == "<evaluation of 2 systems on 4 items: a, b>"
    grouped = Evaluation.of(systems, clusters=[1, 1, 2, 2])
    assert repr(grouped) == "<evaluation of 2 systems on 4 items in 2 clusters: a, b>"
    counted = Evaluation.of(systems, counts=[1, 2, 3, 4])
    assert repr(counted) == "<evaluation of 2 systems on 10 items: a, b>"
    streamed = Streamed({name: np.empty(0) for name in systems}, n=7)
    assert repr(streamed) == "<evaluation of 2 systems on 7 items: a, b>"


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="a comparison needs at least 2 items, got 0"):
        Evaluation.of({"a": {1: 0.1, 2: 0.2}, "b": {3: 0.3, 4: 0.4}}, on_missing="drop")


def test_clusters_may_nest_in_strata_but_not_cross_them() -> None:
    Evaluation.of({"a": [1.0] * 4, "b": [0.0] * 4}, clusters=[1, 1, 2, 2], strata=["x", "x", "y", "y"])
    with pytest.raises(DesignError, match="cluster 2 lies in more than one stratum: 'x' and 'y'"):
        Evaluation.of({"a": [1.0] * 4, "b": [0.0] * 4}, clusters=[1, 1, 2, 2], strata=["x", "x", "x", "y"])


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b", "c"],
        [3, -5, 3, 1000],
        [True, False, False, True],
        [0.5, 0.25, 0.5, 9.0],
        [10**12, 3, 10**12, -(10**12)],
        [7, 7, 7, 7],
        np.array([-128, 127, 0, -128], dtype=np.int8),
        np.array([255, 0, 255, 3], dtype=np.uint8),
        np.array([-(2**63), 2**63 - 1, 0, 5]),
        np.arange(-700, 700)[::-1],
        np.array([2**63 + 6, 2**63 + 5, 2**63 + 6], dtype=np.uint64),
        np.array([2**64 - 1, 2**64 - 900, 2**64 - 2], dtype=np.uint64),
        np.array([1, 2, 1, 300], dtype=">i8"),
        np.array([-3, 5, -3], dtype=">i2"),
    ],
)
def test_codes_are_positions_in_the_sorted_values(values: list[object]) -> None:
    array = np.array(values)
    distinct, position = codes(array)
    expected, inverse = np.unique(array, return_inverse=True)
    assert distinct.tolist() == expected.tolist()
    assert position.tolist() == inverse.tolist()


def test_hashes_of_64_bits_are_labels_clusters_and_strata() -> None:
    hashes = np.array([2**63 + 5, 2**63 + 6], dtype=np.uint64)
    hits = [np.arange(60) % step > 0 for step in (3, 4)]
    of_small, of_large = (
        compare(
            {name: np.where(hit, gold, gold[::-1]) for name, hit in zip("ab", hits, strict=True)},
            gold,
            clusters=first + np.arange(60).astype(first.dtype) // 3,
            strata=gold[0] + np.arange(60).astype(gold.dtype) // 30,
            n_resamples=99,
        )
        for gold, first in ((np.tile([0, 1], 30), np.int64(0)), (np.tile(hashes, 30), hashes[0]))
    )
    assert of_large.systems == of_small.systems
    assert of_large.differences == of_small.differences


def test_the_hash_tells_where_one_column_ends() -> None:
    one = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    other = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]}, clusters=[0, 1])
    renamed = Evaluation.of({"ab": [1.0, 2.0], "c": [3.0, 4.0]})
    assert len({one.data_hash(), other.data_hash(), renamed.data_hash()}) == 3
    assert len(one.data_hash()) == 16


# -- soft labels -------------------------------------------------------------------------------------

ROWS = [[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]]


def test_hard_and_soft_stand_side_by_side() -> None:
    made = Evaluation.of({"hard": ["b", "a", "a"], "soft": ROWS}, ["b", "b", "a"], classes=["b", "a"])
    assert made.systems["hard"].tolist() == ["b", "a", "a"]
    assert made.systems["soft"].tolist() == ROWS
    assert made.classes is not None
    assert made.classes.tolist() == ["b", "a"]
    assert made.n_items == 3
    assert sorted(made.coded) == ["", "hard"]


def test_without_names_classes_are_numbered() -> None:
    made = Evaluation.of({"a": ROWS, "b": [1, 0, 1]}, [0, 0, 1])
    assert made.classes is not None
    assert made.classes.tolist() == [0, 1]
    assert Evaluation.of({"a": [1, 0], "b": [0, 0]}, [0, 1]).classes is None


def test_soft_rows_are_aligned_by_id() -> None:
    a = dict(zip("xyz", ROWS, strict=True))
    b = dict(zip("zyx", ROWS, strict=True))
    gold = dict(zip("yxz", [0, 1, 0], strict=True))
    made = Evaluation.of({"a": a, "b": b}, gold)
    assert made.items is not None
    order = made.items.tolist()
    assert made.systems["a"].tolist() == [a[key] for key in order]
    assert made.systems["b"].tolist() == [b[key] for key in order]
    dropped = Evaluation.of({"a": a, "b": {k: b[k] for k in "xz"}}, gold, on_missing="drop")
    assert dropped.systems["a"].shape == (2, 2)
    worst = Evaluation.of({"a": a, "b": {k: b[k] for k in "xz"}}, gold, on_missing="worst")
    assert worst.missing["b"].sum() == 1


@pytest.mark.parametrize(
    ("systems", "gold", "settings", "message"),
    [
        (
            {"a": ROWS, "b": ROWS[:2]},
            [0, 1, 0],
            {},
            "systems must have one value per item: 'a' has 3, 'b' has 2",
        ),
        ({"a": ROWS, "b": ROWS}, [0, 1], {}, "gold has 2 values, expected 3"),
        (
            {"a": ROWS, "b": ROWS},
            [0, 1, 2],
            {},
            "gold holds the label '2', which is none of the classes 0, 1",
        ),
        (
            {"a": ROWS, "b": ["x", "y", "x"]},
            ROWS,
            {},
            "system 'b' holds the label 'x', which is none of the classes 0, 1",
        ),
        (
            {"a": ROWS, "b": [[0.2, 0.3, 0.5]] * 3},
            ROWS,
            {},
            "system 'b' has 3 numbers per item, but there are 2 classes",
        ),
        (
            {"a": ROWS, "b": ROWS},
            ROWS,
            {"classes": ["x", "y", "z"]},
            "system 'a' has 2 numbers per item, but there are 3 classes",
        ),
        ({"a": ROWS, "b": ROWS}, ROWS, {"classes": ["x", "x"]}, "a class is named twice: x, x"),
        (
            {"a": ROWS, "b": ROWS},
            ROWS,
            {"classes": []},
            "system 'a' has 2 numbers per item, but there are 0 classes",
        ),
        (
            {"a": dict(zip("xyz", ROWS, strict=True)), "b": {"x": [0, 1], "y": [0.5, 0.6], "z": [1, 0]}},
            dict(zip("xyz", ROWS, strict=True)),
            {},
            "system 'b', item 'y' sums to 1.1, not to 1",
        ),
        (
            {"a": np.array([[0.2, 0.8]]), "b": np.array([[0.5, 0.5]])},
            np.array([[1.0, 0.0]]),
            {},
            "a comparison needs at least 2 items, got 1",
        ),
        ({"a": [], "b": []}, [], {}, "a comparison needs at least 2 items, got 0"),
        (
            {"a": ROWS, "b": ROWS},
            None,
            {},
            "without gold, systems must be per-item scores, but 'a' holds a row per item",
        ),
    ],
)
def test_soft_data_that_do_not_fit(systems: Any, gold: Any, settings: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Evaluation.of(systems, gold, **settings)
    assert caught.value.message == message


def test_labels_of_every_type_find_their_class() -> None:
    for hard in (
        [1, 0, 1],
        [True, False, True],
        [1.0, 0.0, 1.0],
        ["1", "0", "1"],
        np.array([1, 0, 1], dtype="u1"),
    ):
        assert Evaluation.of({"a": ROWS, "b": hard}, [0, 1, 1]).n_items == 3


def test_other_classes_are_other_data() -> None:
    def hashed(systems: Any, gold: Any, **settings: Any) -> str:
        return Evaluation.of(systems, gold, **settings).data_hash()

    hard: Any = {"a": ["x", "y", "x"], "b": ["y", "y", "x"]}
    soft: Any = {"a": ROWS, "b": ROWS[::-1]}
    certain = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    hashes = [
        hashed(soft, certain),
        hashed(soft, [1, 0, 0]),
        hashed(soft, certain, classes=["x", "y"]),
        hashed(soft, certain, classes=["y", "x"]),
        hashed({"a": ROWS, "b": [row[::-1] for row in ROWS[::-1]]}, certain),
        hashed(hard, ["x", "y", "y"]),
        hashed(hard, ["x", "y", "y"], classes=["x", "y"]),
        hashed(hard, ["x", "y", "y"], classes=["y", "x"]),
        hashed(hard, ["x", "y", "y"], objects=True),
    ]
    assert len(set(hashes)) == len(hashes)
    assert hashed(soft, certain) == hashed(
        {"b": np.array(ROWS[::-1]), "a": np.array(ROWS)}, np.array(certain)
    )


def test_soft_rows_given_are_never_written() -> None:
    a, gold = np.array(ROWS), np.array(ROWS[::-1])
    for array in (a, gold):
        array.flags.writeable = False
    nested = [list(row) for row in ROWS]
    Evaluation.of({"a": a, "b": nested}, gold, normalise=True).data_hash()
    assert nested == ROWS
    assert a.tolist() == ROWS


# -- items of any kind -------------------------------------------------------------------------------


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


NO_SEQUENCE = "system 'a' must be a one-dimensional sequence of values, got {0}: {0} is no type of sequences"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["x", None, "y"], "system 'a' has a missing value at position 1"),
        (["x", "y", float("nan")], "system 'a' has a missing value at position 2"),
        (["x", np.float32("nan"), "y"], "system 'a' has a missing value at position 1"),
        ("xyz", NO_SEQUENCE.format("str")),
        (5, NO_SEQUENCE.format("int")),
        (None, NO_SEQUENCE.format("NoneType")),
        (["x", "y"], "systems must have one value per item: 'a' has 2, 'b' has 3"),
    ],
)
def test_what_are_no_items(values: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Evaluation.of({"a": values, "b": ["x", "y", "z"]}, ["x", "y", "z"], objects=True)
    assert caught.value.message == message


def test_a_missing_item_of_pandas_is_missing() -> None:
    import pandas as pd

    for values in (["x", pd.NA], pd.Series(["x", None]), pd.Series(["x", pd.NaT], dtype=object)):
        with pytest.raises(InvalidInputError, match="system 'a' has a missing value at position 1"):
            Evaluation.of({"a": values, "b": ["x", "y"]}, ["x", "y"], objects=True)


@pytest.mark.parametrize("settings", [{"classes": ["x", "y"]}, {"normalise": True}, {"gold": "annotations"}])
def test_what_belongs_to_labels_is_no_setting_of_items(settings: dict[str, Any]) -> None:
    from bestby import Annotations

    gold = Annotations.of([["x"], ["y"]]) if settings.pop("gold", None) else ["x", "y"]
    with pytest.raises(InvalidInputError, match="items are taken as they are, but classes, normalise or"):
        Evaluation.of({"a": ["x", "y"], "b": ["y", "y"]}, gold, objects=True, **settings)


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


def test_items_given_are_never_written() -> None:
    references = [["a", "b"], ["c"]]
    copy = [list(row) for row in references]
    made = Evaluation.of({"a": ["a", "c"], "b": ["b", "d"]}, references, objects=True)
    made.data_hash()
    assert references == copy


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
