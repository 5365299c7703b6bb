"""Soft labels in an evaluation: beside hard ones, aligned by id, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, InvalidInputError

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
