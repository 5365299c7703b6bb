"""Masks and gaps in containers, and where `on_missing` is recommended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.unit.core.examples import FEW, GOLD, IDS, RIGHT, SOFT, WORDS, message

import bestby as bb
from bestby._core import checks
from bestby.data.layouts.runs import FAILED_RUN
from bestby.errors import InvalidInputError

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


def test_a_missing_text_among_texts_of_any_length_is_a_missing_value() -> None:
    texts = np.array(["yes", None, "no", "yes"], dtype=np.dtypes.StringDType(na_object=None))
    systems = {"a": texts, "b": ["yes", "no", "no", "no"]}
    gold = ["yes", "yes", "no", "yes"]
    assert message(lambda: bb.compare(systems, gold)) == "system 'a' has a missing value at position 1"
    dropped = bb.compare(systems, gold, on_missing="drop", **FEW)
    assert {entry.system: entry.score for entry in dropped.systems} == {"a": 1.0, "b": 2 / 3}


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


# -- what is said where on_missing is of use, and where not ----------------------------------------


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
        failed = f"leave it out, the numbers of runs may differ; {FAILED_RUN}"
        assert caught.value.hint == (failed if what == "scores of runs" else checks.ASK_VALUE), what
    for systems, gold in (({"a": gap, "b": a}, a), ({"a": a, "b": a}, gap)):
        with pytest.raises(InvalidInputError) as caught:
            bb.compare(systems, gold)
        assert 'on_missing="drop"' in str(caught.value)
