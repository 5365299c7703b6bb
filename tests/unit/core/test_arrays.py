"""The gate for containers: labels, names of columns, and what is said of them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.core.examples import FEW, GOLD, IDS, RIGHT, SOFT, WORDS, message

import bestby as bb
from bestby._core import arrays
from bestby._core.text import quoted
from bestby.data import soft
from bestby.errors import InvalidInputError

# -- labels ----------------------------------------------------------------------------------------


def test_a_study_remembers_the_index_of_its_gold(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=RIGHT, gold=GOLD)
    assert study.gold().ids.tolist() == IDS
    told = message(lambda: study.add("b", run=0, predictions=RIGHT.sort_values()))
    assert told == "the index of run '0' of 'b' is in another order than the items of the study"
    told = message(lambda: study.add("b", run=0, predictions=RIGHT.set_axis([*IDS[1:], "q40"])))
    assert told == (
        "the index of run '0' of 'b' and the items of the study share 39 of 40 labels; first missing from the"
        " latter: 'q40'"
    )
    for number, values in enumerate(
        (RIGHT, RIGHT.to_numpy(), RIGHT.reset_index(drop=True), dict(RIGHT.sort_values()))
    ):
        study.add("b", run=number, predictions=values)
    assert {entry.score for entry in study.compare(**FEW).systems} == {34 / 40}


def test_a_study_with_ids_joins_by_them(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=RIGHT.tolist(), gold=GOLD.tolist(), ids=IDS)
    shuffled = RIGHT.sort_values()
    assert message(lambda: study.add("b", run=0, predictions=shuffled, ids=IDS)) == (
        "the index of run '0' of 'b' holds the ids in another order"
    )
    study.add("b", run=0, predictions=shuffled, ids=shuffled.index)
    study.add("b", run=1, predictions=shuffled.set_axis(range(7, 47)), ids=shuffled.index)  # numbers of rows
    assert {entry.score for entry in study.compare(**FEW).systems} == {34 / 40}


@pytest.mark.parametrize(
    ("index", "ids"),
    [
        (pd.date_range("2020-01-01", periods=40), [f"2020-01-{i:02} 00:00:00" for i in range(1, 3)]),
        (pd.MultiIndex.from_product([["x", "y"], range(20)]), ["('x', 0)", "('x', 1)"]),
        (pd.Index(range(5, 45)), [5, 6]),
        (pd.Index(["d"] * 40), [0, 1]),  # no ids, being all the same
        (pd.RangeIndex(40), [0, 1]),
    ],
)
def test_which_labels_become_ids(index: Any, ids: list[Any], tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=RIGHT.set_axis(index), gold=GOLD.set_axis(index))
    found = study.gold().ids.tolist()
    if not isinstance(index, pd.DatetimeIndex):
        assert found[:2] == ids
    study.add("b", run=0, predictions=GOLD.set_axis(index))
    if index.is_unique:
        with pytest.raises(InvalidInputError, match="another order"):
            study.add("c", run=0, predictions=GOLD.set_axis(index).iloc[::-1])


def test_rows_numbered_from_0_are_joined_by_place() -> None:
    """As where predictions of a part of a frame come as a new column."""
    part = GOLD.set_axis(range(100, 140))
    found = bb.compare({"a": pd.Series(RIGHT.to_numpy()), "b": part}, gold=part, **FEW)
    assert [entry.score for entry in found.systems] == [1.0, 34 / 40]
    numbers = GOLD.reset_index(drop=True)
    assert message(lambda: bb.compare({"a": numbers, "b": numbers}, gold=numbers.iloc[::-1])) == (
        "the index of gold is in another order than that of system 'a'"
    )


# -- names of columns ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turned",
    [
        SOFT[["pos", "neg"]],
        pl.from_pandas(SOFT[["pos", "neg"]]),
        pa.table(SOFT[["pos", "neg"]].to_dict("list")),
    ],
)
def test_columns_of_soft_predictions_are_taken_by_their_names(turned: Any, tmp_path: Path) -> None:
    found = bb.compare(
        {"a": SOFT, "b": turned}, gold=WORDS.tolist(), reading=bb.Reading(classes=["neg", "pos"]), **FEW
    )
    assert {entry.score for entry in found.systems} == {34 / 40}
    soft_gold = pd.DataFrame({"neg": 1.0 - GOLD, "pos": GOLD})
    evaluation = bb.Evaluation.of({"a": SOFT.to_numpy(), "b": turned}, soft_gold)
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == ["neg", "pos"]
    np.testing.assert_array_equal(evaluation.systems["a"], evaluation.systems["b"])
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=SOFT, gold=WORDS.tolist(), reading=bb.Reading(classes=["neg", "pos"]))
    study.add("b", run=0, predictions=turned)
    np.testing.assert_array_equal(study.load("a", 0).predictions, study.load("b", 0).predictions)


def test_the_columns_of_frames_name_the_classes() -> None:
    evaluation = bb.Evaluation.of({"a": SOFT, "b": SOFT}, WORDS)
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == ["neg", "pos"]
    with_third = SOFT.assign(maybe=0.0)
    annotated = bb.Annotations.of([[word, "neg"] for word in WORDS])
    evaluation = bb.Evaluation.of({"a": with_third, "b": with_third}, annotated)
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == ["neg", "pos", "maybe"]
    assert evaluation.notes == ()  # no order of the columns was assumed


def test_columns_with_other_names_are_refused() -> None:
    pair = {"a": SOFT, "b": SOFT}
    assert message(lambda: bb.compare(pair, gold=GOLD, reading=bb.Reading(classes=[0, 1]))) == (
        "the columns of system 'a' are neg, pos, but the classes are 0, 1"
    )
    assert message(lambda: bb.compare(pair, gold=GOLD)) == (
        "gold holds the label '0', which is none of the classes neg, pos"
    )
    turned = {"a": SOFT, "b": SOFT[["pos", "neg"]]}
    assert message(lambda: bb.compare(turned, gold=WORDS)) == (
        "the columns of system 'b' are in another order than those of system 'a'"
    )
    plain = {name: frame.to_numpy() for name, frame in pair.items()}
    assert bb.compare(plain, gold=GOLD, **FEW).systems[0].score == 34 / 40


def test_columns_that_nobody_named() -> None:
    for frame in (pd.DataFrame([[0.5, 0.5]]), pl.DataFrame([[0.5], [0.5]]), np.ones((1, 2)), [[0.5, 0.5]]):
        assert arrays.are_default_names(arrays.column_names(frame) or [])
        assert soft.by_name(frame, ["no", "yes"], "gold") is frame


NUMBERED = SOFT.set_axis([0, 1], axis=1)
FLOATS = SOFT.set_axis([0.0, 1.0], axis=1)


@pytest.mark.parametrize(
    ("systems", "classes"),
    [
        ((NUMBERED, NUMBERED[[1, 0]]), None),
        ((NUMBERED[[1, 0]], NUMBERED), None),
        ((NUMBERED[[1, 0]], NUMBERED[[1, 0]]), None),
        ((NUMBERED, NUMBERED), [1, 0]),
        ((NUMBERED, NUMBERED[[1, 0]]), [0, 1]),
        ((FLOATS, FLOATS[[1.0, 0.0]]), None),
        ((NUMBERED, FLOATS[[1.0, 0.0]]), [1, 0]),
        ((NUMBERED, pl.from_pandas(SOFT.set_axis(["0", "1"], axis=1))), None),
    ],
)
@pytest.mark.parametrize("gold", [GOLD, pd.DataFrame({0: 1.0 - GOLD, 1: GOLD})], ids=["hard", "soft"])
def test_columns_that_are_numbers_are_taken_by_their_names(systems: Any, classes: Any, gold: Any) -> None:
    a, b = systems
    for soft_gold in [gold] if gold is GOLD else [gold, gold[[1, 0]]]:
        found = bb.compare(
            {"a": a, "b": b}, soft_gold, reading=bb.Reading(classes=classes), metric="accuracy", **FEW
        )
        assert {entry.score for entry in found.systems} == {34 / 40}


def test_numbered_columns_are_the_same_for_runs_and_studies(tmp_path: Path) -> None:
    pair = {"a": [NUMBERED, NUMBERED], "b": [NUMBERED[[1, 0]], NUMBERED]}
    evaluation = bb.compare_runs(pair, gold=GOLD, metric="accuracy", **FEW)
    assert {system.score for system in evaluation.systems} == {34 / 40}
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=NUMBERED, gold=GOLD)
    study.add("b", run=0, predictions=NUMBERED[[1, 0]])
    np.testing.assert_array_equal(study.load("a", 0).predictions, study.load("b", 0).predictions)


@pytest.mark.parametrize(
    ("frame", "gold", "names"),
    [(NUMBERED[[1, 0]], GOLD, "1, 0"), (SOFT[["pos", "neg"]], WORDS, "pos, neg")],
)
def test_columns_without_names_beside_unsorted_ones_are_refused(frame: Any, gold: Any, names: str) -> None:
    plain = SOFT.to_numpy()
    assert message(lambda: bb.compare({"a": frame, "b": plain}, gold, metric="accuracy")) == (
        f"the columns of system 'a' are {names}, not in sorted order, and those of system 'b' have no names"
        " that say which is which"
    )
    classes = sorted(frame.columns)
    found = bb.compare(
        {"a": frame, "b": plain}, gold, reading=bb.Reading(classes=classes), metric="accuracy", **FEW
    )
    assert {entry.score for entry in found.systems} == {34 / 40}


# -- words -----------------------------------------------------------------------------------------


def test_values_are_quoted_on_one_short_line() -> None:
    table = pd.DataFrame({"a": range(50)})
    for value in (np.zeros((50, 50)), table, "x\n" * 200, [dt.date(2020, 1, 1)] * 99):
        shown = quoted(value)
        assert len(shown) <= 80
        assert len(shown.splitlines()) == 1
    assert quoted("x") == "'x'"
    error = bb.errors.InvalidInputError("got [[1\n  2]]\r\nand more", hint="one\u2028line")
    assert (error.message, error.hint) == ("got [[1 2]] and more", r"one\u2028line")
