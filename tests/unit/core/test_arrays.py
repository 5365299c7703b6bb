"""The gate for containers: labels, names of columns, masks, mappings, and what is said of them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bestby as bb
from bestby import InvalidInputError
from bestby._core import arrays
from bestby._core.text import quoted
from bestby.data import soft

IDS = [f"q{i}" for i in range(40)]
GOLD = pd.Series([0, 1] * 20, index=IDS)
RIGHT = GOLD.where(np.arange(40) % 7 > 0, 1 - GOLD)
FEW = {"n_resamples": 20}


def message(call: Any) -> str:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert caught.value.hint
    return caught.value.message


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


SOFT = pd.DataFrame({"neg": 0.9 - 0.8 * RIGHT, "pos": 0.1 + 0.8 * RIGHT})
WORDS = GOLD.map({0: "neg", 1: "pos"})


@pytest.mark.parametrize(
    "turned",
    [
        SOFT[["pos", "neg"]],
        pl.from_pandas(SOFT[["pos", "neg"]]),
        pa.table(SOFT[["pos", "neg"]].to_dict("list")),
    ],
)
def test_columns_of_soft_predictions_are_taken_by_their_names(turned: Any, tmp_path: Path) -> None:
    found = bb.compare({"a": SOFT, "b": turned}, gold=WORDS.tolist(), classes=["neg", "pos"], **FEW)
    assert {entry.score for entry in found.systems} == {34 / 40}
    soft_gold = pd.DataFrame({"neg": 1.0 - GOLD, "pos": GOLD})
    evaluation = bb.Evaluation.of({"a": SOFT.to_numpy(), "b": turned}, soft_gold)
    assert evaluation.classes is not None
    assert evaluation.classes.tolist() == ["neg", "pos"]
    np.testing.assert_array_equal(evaluation.systems["a"], evaluation.systems["b"])
    study = bb.Study(tmp_path / "s")
    study.add("a", run=0, predictions=SOFT, gold=WORDS.tolist(), classes=["neg", "pos"])
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
    assert message(lambda: bb.compare(pair, gold=GOLD, classes=[0, 1])) == (
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
        found = bb.compare({"a": a, "b": b}, soft_gold, classes=classes, metric="accuracy", **FEW)
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
    found = bb.compare({"a": frame, "b": plain}, gold, classes=classes, metric="accuracy", **FEW)
    assert {entry.score for entry in found.systems} == {34 / 40}


# -- masks and gaps --------------------------------------------------------------------------------


def test_a_masked_cell_is_a_missing_value() -> None:
    """It was counted as what the mask hid: a mean of 20.4 of 0 and 1."""
    hidden = np.ma.array([0.0, 1, 1, 1, 99] * 4, mask=[0, 0, 0, 0, 1] * 4)
    systems = {"a": hidden, "b": np.array([0.0, 1, 1, 0, 1] * 4)}
    assert message(lambda: bb.compare(systems)) == "system 'a' has a missing value at position 4"
    dropped = bb.compare(systems, on_missing="drop", **FEW)
    assert {entry.system: entry.score for entry in dropped.systems} == {"a": 0.75, "b": 0.5}
    assert "items_dropped" in [note.code for note in dropped.notes]
    lowest = bb.compare(systems, on_missing="worst", **FEW)
    assert {entry.system: entry.score for entry in lowest.systems} == {"a": 0.6, "b": 0.6}


@pytest.mark.parametrize("kind", ["None", "NaN", "NA", "series", "masked", "polars", "mapping"])
@pytest.mark.parametrize("role", ["system", "gold"])
def test_on_missing_for_values_without_ids(kind: str, role: str) -> None:
    full = GOLD.tolist()
    gap: Any = {
        "None": [None, *full[1:]],
        "NaN": [float("nan"), *full[1:]],
        "NA": [pd.NA, *full[1:]],
        "series": pd.Series([None, *full[1:]], dtype="Int64"),
        "masked": np.ma.array(full, mask=[True] + [False] * 39),
        "polars": pl.Series([None, *full[1:]]),
        "mapping": {**dict(zip(IDS, full, strict=True)), "q0": None},
    }[kind]
    keyed = kind == "mapping"
    whole: Any = dict(zip(IDS, full, strict=True)) if keyed else full
    other: Any = dict(RIGHT) if keyed else RIGHT.tolist()
    systems, gold = ({"a": gap, "b": other}, whole) if role == "system" else ({"a": whole, "b": other}, gap)
    clusters: Any = {item: item[-1] for item in IDS} if keyed else [item[-1] for item in IDS]
    assert " at position 0" in message(lambda: bb.compare(systems, gold))
    found = bb.compare(systems, gold, clusters=clusters, on_missing="drop", **FEW)
    assert found.n_items == 39
    assert {entry.system: entry.score for entry in found.systems} == {"a": 1.0, "b": 34 / 39}
    assert found.notes[0].message.startswith("1 of 40 items were dropped")
    if role == "system":
        found = bb.compare(systems, gold, on_missing="worst", **FEW)
        assert {entry.system: entry.score for entry in found.systems} == {"a": 39 / 40, "b": 34 / 40}
    else:
        message(lambda: bb.compare(systems, gold, on_missing="worst"))


def test_dropping_keeps_soft_rows_annotators_and_ids() -> None:
    holed = SOFT.copy()
    holed.iloc[3, 1] = np.nan
    found = bb.Evaluation.of({"a": holed, "b": SOFT}, WORDS, items=IDS, on_missing="drop")
    assert found.items is not None
    assert found.items.tolist() == IDS[:3] + IDS[4:]
    annotated = bb.Annotations.of(pd.DataFrame({"x": WORDS, "y": WORDS}))
    found = bb.Evaluation.of({"a": holed, "b": SOFT}, annotated, on_missing="drop")
    assert found.annotations is not None
    assert len(found.annotations.counts) == 39
    assert message(
        lambda: bb.Evaluation.of({"a": holed, "b": SOFT}, WORDS, clusters=IDS[:5], on_missing="drop")
    ) == ("clusters has 5 values, expected 40")


# -- mappings --------------------------------------------------------------------------------------


def test_mappings_of_run_to_score_are_their_values() -> None:
    runs = {"a": {1: 0.8, 2: 0.9, 3: 0.85}, "b": {1: 0.7, 2: 0.8, 3: 0.75}}
    plain = {name: list(scores.values()) for name, scores in runs.items()}
    for more in ({}, {"paired": True}):
        found, expected = bb.compare_runs(runs, **more, **FEW), bb.compare_runs(plain, **more, **FEW)
        assert found.to_json() == expected.to_json()
    assert bb.compare_folds(runs, **FEW).to_json() == bb.compare_folds(plain, **FEW).to_json()
    assert bb.multi_aso(runs, **FEW)["a", "b"] == bb.multi_aso(plain, **FEW)["a", "b"]
    assert bb.aso(runs["a"], runs["b"], **FEW) == bb.aso(plain["a"], plain["b"], **FEW)


def test_paired_mappings_are_joined_by_their_keys() -> None:
    a, b = {1: 0.8, 2: 0.9, 3: 0.85}, {1: 0.7, 2: 0.85, 3: 0.75}
    turned = dict(reversed(b.items()))
    paired = [bb.compare_runs({"a": a, "b": one}, paired=True, **FEW) for one in (b, turned)]
    assert paired[0].to_json() == paired[1].to_json()
    folds = [bb.compare_folds({"a": {1: a, 2: a}, "b": {2: one, 1: b}}, **FEW) for one in (b, turned)]
    assert folds[0].to_json() == folds[1].to_json()
    other = {1: 0.7, 2: 0.85, 4: 0.75}
    assert message(lambda: bb.compare_runs({"a": a, "b": other}, paired=True)) == (
        "the runs of 'b' and the runs of 'a' have different runs: 3 is not in both"
    )
    assert message(lambda: bb.compare_folds({"a": a, "b": [0.1, 0.2, 0.3]})) == (
        "the scores of 'a' are a mapping of folds to values, but the scores of 'b' are not"
    )
    assert bb.compare_runs({"a": a, "b": other}, **FEW).n_items == 0


def test_runs_of_items_in_mappings() -> None:
    """Of run to values, and of item to value within."""
    values = {1: RIGHT.tolist(), 2: GOLD.tolist()}
    by_id = {run: dict(zip(IDS, row, strict=True)) for run, row in values.items()}
    expected = bb.compare_runs(
        {"a": list(values.values()), "b": [values[1], values[1]]}, gold=GOLD.tolist(), **FEW
    )
    found = bb.compare_runs({"a": values, "b": {1: values[1], 2: values[1]}}, gold=GOLD.tolist(), **FEW)
    assert found.to_json() == expected.to_json()
    shuffled = {run: dict(reversed(row.items())) for run, row in by_id.items()}
    found = bb.compare_runs(
        {"a": shuffled, "b": {1: by_id[1], 2: by_id[1]}},
        gold=dict(zip(IDS, GOLD.tolist(), strict=True)),
        **FEW,
    )
    assert found.to_json() == expected.to_json()


def test_a_mean_a_deviation_and_a_number_of_runs_are_no_runs() -> None:
    summary, scores = (0.80, 0.01, 5), [0.7, 0.8, 0.9]
    for runs in (
        {"a": summary, "b": (0.78, 0.02, 5)},
        {"a": summary, "b": scores},
        {"b": scores, "a": summary},
    ):
        assert message(lambda runs=runs: bb.compare_runs(runs)) == (
            "the runs of 'a' are the tuple (0.8, 0.01, 5), which looks like a mean, a standard deviation and"
            " a number of runs"
        )
    for runs in ({"a": list(summary), "b": scores}, {"a": (0.8, 0.01, 0.5), "b": scores}):
        assert len(bb.compare_runs(runs, **FEW).systems) == 2


def test_pilots_in_mappings_are_joined_by_item() -> None:
    a, b = {"x": 1.0, "y": 2.0, "z": 4.0}, {"z": 3.0, "y": 2.5, "x": 0.5}
    groups = {"y": 1, "x": 1, "z": 2}
    expected = bb.PairedScores.from_pilot([1.0, 2.0, 4.0], [0.5, 2.5, 3.0], clusters=[1, 1, 2])
    assert bb.PairedScores.from_pilot(a, b, clusters=groups) == expected
    right = bb.PairedProportions.from_pilot({"x": 1, "y": 0}, {"y": 1, "x": 1})
    assert (right.accuracy_a, right.accuracy_b, right.agreement) == (0.5, 1.0, 0.5)
    assert bb.LiftedScores(a).values.tolist() == [1.0, 2.0, 4.0]
    assert message(lambda: bb.PairedScores.from_pilot(a, [1.0, 2.0, 3.0])) == (
        "a are a mapping of items to values, but b are not"
    )


def test_mappings_with_ids_beside_them_are_refused() -> None:
    by_id = dict(zip(IDS, GOLD.tolist(), strict=True))
    assert message(lambda: bb.compare({"a": by_id, "b": by_id}, by_id, items=IDS)) == (
        "items must not be given for systems that are mappings of id to value"
    )


# -- arguments that are no sequences ---------------------------------------------------------------


@pytest.mark.parametrize("odd", [np.array(["a", "b"]), pd.Series(["a", "b"]), ["a"], 3, np.array("a")])
def test_a_baseline_is_the_name_of_a_system(odd: Any) -> None:
    systems = {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.4]}
    rows = {"m": {"a": 0.1, "b": 0.2}, "n": {"a": 0.1, "b": 0.3}}
    judged = [("a", "b", "a"), ("a", "b", "b"), ("a", "b", "a")]
    for call in (
        lambda: bb.compare(systems, baseline=odd),
        lambda: bb.compare_runs(systems, baseline=odd),
        lambda: bb.compare_folds(systems, baseline=odd),
        lambda: bb.compare_datasets(rows, baseline=odd),
        lambda: bb.compare_preferences(judged, baseline=odd),
    ):
        assert message(call).startswith("baseline ")


def test_what_is_no_path() -> None:
    for call in (bb.read, bb.read_runs, bb.read_datasets, bb.read_folds, bb.read_preferences):
        for odd in (pd.Series(["a"], dtype="category"), pl.Series(["a"]), np.array(["a"]), np.array("a"), 3):
            assert message(lambda: call(odd)).startswith("a path must be a str or a Path, got ")  # noqa: B023
    for odd in (np.array([1]), 3, None, b"s"):
        assert message(lambda: bb.Study(odd)).startswith("a path must be text or a pathlib.Path")  # noqa: B023


def test_judgements_have_names_in_their_cells() -> None:
    assert message(lambda: bb.compare_preferences([("x", "y", np.array(["x", "y"]))])) == (
        "the winner of judgement 0 must be a name, got array(['x', 'y'], dtype='<U1')"
    )
    assert message(lambda: bb.compare_preferences({"a": ["x"], "b": ["y"], "winner": ["x", "y"]})) == (
        "column 'a' has 1 values, 'winner' has 2"
    )


# -- words -----------------------------------------------------------------------------------------


def test_values_are_quoted_on_one_short_line() -> None:
    table = pd.DataFrame({"a": range(50)})
    for value in (np.zeros((50, 50)), table, "x\n" * 200, [dt.date(2020, 1, 1)] * 99):
        shown = quoted(value)
        assert len(shown) <= 80
        assert len(shown.splitlines()) == 1
    assert quoted("x") == "'x'"
    error = bb.InvalidInputError("got [[1\n  2]]\r\nand more", hint="one\u2028line")
    assert (error.message, error.hint) == ("got [[1 2]] and more", r"one\u2028line")


# -- items that are lists --------------------------------------------------------------------------

CONTAINERS = [list, tuple, pd.Series, pl.Series, pa.array, lambda rows: pa.chunked_array([rows])]
TAGS = [["O", "B-X"], ["O"]] * 20
PROBABILITIES = [[0.9, 0.1], [0.2, 0.8]] * 20


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("items", "other", "metric"),
    [
        ([["x"], ["x", "y"]] * 20, [["x"], ["x"]] * 20, "subset_accuracy"),
        (TAGS, [["O", "O"], ["O"]] * 20, "span_f1"),
        (PROBABILITIES, PROBABILITIES[::-1], "brier"),
    ],
)
def test_items_that_are_lists_can_be_dropped(container: Any, items: Any, other: Any, metric: str) -> None:
    with_gap = [None, *items[1:]]
    kept = bb.compare({"a": items[1:], "b": other[1:]}, items[1:], metric=metric, **FEW)
    for a, gold in ((with_gap, items), (items, with_gap)):
        systems = {"a": container(a), "b": container(other)}
        found = bb.compare(systems, container(gold), metric=metric, on_missing="drop", **FEW)
        assert found.differences == kept.differences
        assert [note.code for note in found.notes if note.code == "items_dropped"] == ["items_dropped"]


# -- what is said where on_missing is of use, and where not ------------------------------------------


@pytest.mark.parametrize("on_missing", ["drop", "worst"])
def test_unequal_lengths_are_named_before_missing_values(on_missing: Any) -> None:
    a, b, gold = [None, *GOLD.tolist()], GOLD.tolist(), [None, *GOLD.tolist()]
    assert message(lambda: bb.compare({"a": a, "b": b}, b, on_missing=on_missing)) == (
        "systems must have one value per item: 'a' has 41, 'b' has 40"
    )
    assert message(lambda: bb.compare({"a": b, "b": b}, gold, on_missing=on_missing)) == (
        "gold has 41 values, expected 40"
    )


def test_on_missing_is_recommended_only_where_it_exists(tmp_path: Path) -> None:
    a, gap = GOLD.tolist(), [None, *GOLD.tolist()[1:]]
    scores = [0.5, float("nan"), 0.7]
    study = bb.Study(tmp_path / "s")
    calls = {
        "clusters": lambda: bb.compare({"a": a, "b": a}, a, clusters=gap),
        "aso": lambda: bb.aso(scores, [0.1, 0.2, 0.3]),
        "runs of items": lambda: bb.compare_runs({"a": [a, gap], "b": [a, a]}, gold=a),
        "scores of runs": lambda: bb.compare_runs({"a": scores, "b": [0.1, 0.2, 0.3]}),
        "study": lambda: study.add("a", run=0, predictions=gap, gold=a),
    }
    for what, call in calls.items():
        with pytest.raises(InvalidInputError) as caught:
            call()
        assert caught.value.hint == (
            "remove the item for all systems, or give the value the failure should count as"
        ), what
    for systems, gold in (({"a": gap, "b": a}, a), ({"a": a, "b": a}, gap)):
        with pytest.raises(InvalidInputError) as caught:
            bb.compare(systems, gold)
        assert 'on_missing="drop"' in str(caught.value)
