"""Rows of probabilities: which data are such, what is refused and where; beside hard labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Evaluation
from bestby.data import columns, soft
from bestby.errors import InvalidInputError

ROWS = [[0.25, 0.75], [1.0, 0.0]]


# -- which data are rows -----------------------------------------------------------------------------


def kinds() -> dict[str, Any]:
    import pandas as pd
    import polars as pl

    holders = np.empty(2, dtype=object)
    holders[:] = [np.array(row) for row in ROWS]
    return {
        "lists": ROWS,
        "tuples": tuple(map(tuple, ROWS)),
        "an array": np.array(ROWS),
        "single precision": np.array(ROWS, dtype=np.float32),
        "Fortran order": np.asfortranarray(ROWS),
        "objects": np.array(ROWS, dtype=object),
        "an array of arrays": holders,
        "a list of arrays": [np.array(row) for row in ROWS],
        "pandas": pd.DataFrame(ROWS),
        "polars": pl.DataFrame(ROWS, orient="row"),
        "a column of lists": pd.Series(ROWS),
        "a polars column of lists": pl.Series(ROWS),
    }


@pytest.mark.parametrize("kind", kinds())
def test_rows_of_every_container_are_rows(kind: str) -> None:
    values = kinds()[kind]
    assert columns.is_soft(values)
    found = soft.distributions(values, "gold")
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.tolist() == ROWS


def test_rows_of_whole_numbers_and_booleans() -> None:
    assert soft.distributions([[0, 1], [1, 0]], "gold").tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert soft.distributions(np.eye(2, dtype=bool), "gold").tolist() == [[1.0, 0.0], [0.0, 1.0]]


def plain() -> dict[str, Any]:
    import pandas as pd

    return {
        "labels": ["a", "b"],
        "text of several letters": ["ab", "cd"],
        "bytes": [b"ab", b"cd"],
        "numbers": [0.5, 0.25],
        "NumPy scalars": [np.float64(0.5), np.int64(1)],
        "arrays without dimensions": [np.array(0.5), np.array(1.0)],
        "a column": np.array([[0.5], [1.0]]),
        "a column laid down": np.array([[3.0, 1.0, 2.0]]),
        "labels laid down": np.array([["a", "b"]]),
        "a pandas column": pd.Series(["a", "b"]),
        "nothing": [],
        "an empty array": np.zeros(0),
        "mappings": [{"a": 1.0}, {"b": 1.0}],
        "sets": [{"a"}, {"b"}],
        "a mapping": {"q1": [0.5, 0.5]},
        "text": "abc",
        "a number": 3,
        "no value": None,
        "missing values": [None, None],
    }


@pytest.mark.parametrize("kind", plain())
def test_one_value_per_item_is_no_row(kind: str) -> None:
    assert not columns.is_soft(plain()[kind])


def test_a_single_distribution_is_one_item() -> None:
    """Not as many items as classes: a row that sums to 1 is no column laid down."""
    assert columns.is_soft(np.array([[0.2, 0.8]]))
    assert columns.is_soft([[0.2, 0.8]])


def test_a_missing_first_row_does_not_hide_the_others() -> None:
    values = [None, [0.5, 0.5], [1.0, 0.0]]
    assert columns.is_soft(values)
    with pytest.raises(InvalidInputError, match="gold, row 0 is not a row of numbers"):
        soft.distributions(values, "gold")


# -- what is refused ---------------------------------------------------------------------------------


def test_rows_are_named_as_the_caller_names_them() -> None:
    with pytest.raises(InvalidInputError, match=r"^a, item 'q1' sums to 0\.9"):
        soft.distributions([[1, 0], [0.5, 0.4]], "a", place=["item 'q0'", "item 'q1'"].__getitem__)


@pytest.mark.parametrize("values", [[["x", "y"], ["y", "y"]], [[0, 1, 1], [2, 0, 1]]])
def test_labels_of_annotators_are_recognised_in_the_hint(values: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        soft.distributions(values, "gold")
    assert caught.value.hint is not None
    assert caught.value.hint.endswith('; the labels of several annotators go with annotators="fixed"')


@pytest.mark.parametrize(("off", "fine"), [(0.9e-6, True), (1.1e-6, False)])
def test_sums_may_be_off_by_a_millionth(off: float, fine: bool) -> None:
    values = [[0.5, 0.5], [0.5 + off, 0.5]]
    if fine:
        assert soft.distributions(values, "a").tolist() == values
    else:
        with pytest.raises(InvalidInputError, match=r"a, row 1 sums to 1\.0000011, not to 1"):
            soft.distributions(values, "a")


# -- normalising -------------------------------------------------------------------------------------


def test_rows_are_divided_by_their_sums_on_request() -> None:
    assert soft.distributions([[1, 3], [2, 0]], "a", normalise=True).tolist() == ROWS


# -- classes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["b", "a", "b"], ["b", "a"], [0, 1, 0]),
        ([2, 0], [0, 1, 2], [2, 0]),
        (["1", "0"], [0, 1], [1, 0]),
        ([1, 0], ["0", "1"], [1, 0]),
        ([True, False], [0, 1], [1, 0]),
        ([1.0, 0.0], [0, 1], [1, 0]),
        ([10, 9], [9, 10], [1, 0]),
    ],
)
def test_labels_are_found_whatever_their_type_and_order(labels: Any, classes: Any, expected: Any) -> None:
    assert soft.positions(np.array(labels), np.array(classes), "gold").tolist() == expected


def test_a_label_that_no_column_of_a_frame_has() -> None:
    import pandas as pd

    frame = pd.DataFrame(ROWS, columns=["no", "yes"])
    with pytest.raises(InvalidInputError, match="holds the label 'maybe'") as caught:
        Evaluation.of({"a": frame, "b": frame}, ["no", "maybe"])
    assert caught.value.hint == soft.ASK_NAMES


def test_rows_of_many_whole_numbers_are_told_to_be_labels() -> None:
    with pytest.raises(InvalidInputError) as caught:
        soft.distributions([[0, 1, 2] * 30, [1, 1, 2] * 30], "a.csv")
    assert "these are 2 rows of 90 whole numbers: if they are labels" in str(caught.value.hint)


DISTRIBUTIONS = [[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]]


def test_hard_and_soft_stand_side_by_side() -> None:
    made = Evaluation.of(
        {"hard": ["b", "a", "a"], "soft": DISTRIBUTIONS}, ["b", "b", "a"], classes=["b", "a"]
    )
    assert made.systems["hard"].tolist() == ["b", "a", "a"]
    assert made.systems["soft"].tolist() == DISTRIBUTIONS
    assert made.classes is not None
    assert made.classes.tolist() == ["b", "a"]
    assert made.n_items == 3
    assert sorted(made.coded) == ["", "hard"]


def test_without_names_classes_are_numbered() -> None:
    made = Evaluation.of({"a": DISTRIBUTIONS, "b": [1, 0, 1]}, [0, 0, 1])
    assert made.classes is not None
    assert made.classes.tolist() == [0, 1]
    assert Evaluation.of({"a": [1, 0], "b": [0, 0]}, [0, 1]).classes is None


def test_soft_rows_are_aligned_by_id() -> None:
    a = dict(zip("xyz", DISTRIBUTIONS, strict=True))
    b = dict(zip("zyx", DISTRIBUTIONS, strict=True))
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


def test_labels_of_every_type_find_their_class() -> None:
    for hard in (
        [1, 0, 1],
        [True, False, True],
        [1.0, 0.0, 1.0],
        ["1", "0", "1"],
        np.array([1, 0, 1], dtype="u1"),
    ):
        assert Evaluation.of({"a": DISTRIBUTIONS, "b": hard}, [0, 1, 1]).n_items == 3


def test_other_classes_are_other_data() -> None:
    def hashed(systems: Any, gold: Any, **settings: Any) -> str:
        return Evaluation.of(systems, gold, **settings).data_hash()

    hard: Any = {"a": ["x", "y", "x"], "b": ["y", "y", "x"]}
    soft: Any = {"a": DISTRIBUTIONS, "b": DISTRIBUTIONS[::-1]}
    certain = [[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]
    hashes = [
        hashed(soft, certain),
        hashed(soft, [1, 0, 0]),
        hashed(soft, certain, classes=["x", "y"]),
        hashed(soft, certain, classes=["y", "x"]),
        hashed({"a": DISTRIBUTIONS, "b": [row[::-1] for row in DISTRIBUTIONS[::-1]]}, certain),
        hashed(hard, ["x", "y", "y"]),
        hashed(hard, ["x", "y", "y"], classes=["x", "y"]),
        hashed(hard, ["x", "y", "y"], classes=["y", "x"]),
        hashed(hard, ["x", "y", "y"], objects=True),
    ]
    assert len(set(hashes)) == len(hashes)
    assert hashed(soft, certain) == hashed(
        {"b": np.array(DISTRIBUTIONS[::-1]), "a": np.array(DISTRIBUTIONS)}, np.array(certain)
    )
