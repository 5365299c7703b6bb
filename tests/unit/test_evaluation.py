"""Alignment by item id, kinds of labels, hashes."""

from __future__ import annotations

import numpy as np
import pytest

from bestby import DesignError, Evaluation, InvalidInputError
from bestby.evaluation import codes


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
    ],
)
def test_codes_are_positions_in_the_sorted_values(values: list[object]) -> None:
    array = np.array(values)
    distinct, position = codes(array)
    expected, inverse = np.unique(array, return_inverse=True)
    assert distinct.tolist() == expected.tolist()
    assert position.tolist() == inverse.tolist()


def test_the_hash_tells_where_one_column_ends() -> None:
    one = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    other = Evaluation.of({"a": [1.0, 2.0], "b": [3.0, 4.0]}, clusters=[0, 1])
    renamed = Evaluation.of({"ab": [1.0, 2.0], "c": [3.0, 4.0]})
    assert len({one.data_hash(), other.data_hash(), renamed.data_hash()}) == 3
    assert len(one.data_hash()) == 16
