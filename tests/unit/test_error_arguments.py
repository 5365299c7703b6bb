"""An error about an argument names it, as the signature of the function does."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bestby as bb

GOLD = [1, 0] * 10
SYSTEMS = {"alpha": GOLD, "beta": [1] * 20}
FRAME = pd.DataFrame({**SYSTEMS, "gold": GOLD, "doc": [i // 4 for i in range(20)]})
RECORDS: list[Any] = [{"system": "a", "score": 1.0}, {"system": "b", "score": 2.0}, None]
PARTS = {name: bb.Evaluation.of(SYSTEMS, GOLD) for name in ("x", "y", "z")}

CASES: list[tuple[Callable[..., Any], Any, dict[str, Any], str]] = [
    (bb.compare, SYSTEMS, {"gold": GOLD, "metric": "precision"}, "metric"),
    (bb.compare, SYSTEMS, {"gold": "gold"}, "gold"),
    (bb.compare, SYSTEMS, {"gold": GOLD, "metric": bb.ScoreMetric("accuracy", greater_is_better=False)}, "metric"),
    (bb.compare, SYSTEMS, {"gold": GOLD, "baseline": "gamma"}, "baseline"),
    (bb.compare, FRAME, {"strata": "docs"}, "strata"),
    (bb.compare, SYSTEMS, {"rng": 1, "resampling": bb.Resampling(rng=2)}, "rng"),
    (bb.compare, FRAME, {"clusters": ["doc", "docs"]}, "clusters"),
    (bb.compare, FRAME, {"items": "docs"}, "items"),
    (bb.compare, FRAME, {"gold": "label"}, "gold"),
    (bb.compare, FRAME, {"reading": bb.Reading(ignore="none")}, "ignore"),
    (bb.compare, FRAME, {"reading": bb.Reading(system_column="model")}, "system_column"),
    (bb.compare, "table.csv", {}, "data"),
    (bb.compare, RECORDS, {}, "data"),
    (bb.compare_runs, RECORDS, {}, "data"),
    (bb.compare_datasets, RECORDS, {}, "data"),
    (bb.compare_datasets, PARTS, {"metric": "f1[w]"}, "metric"),
    (bb.compare_datasets, PARTS, {"metric": bb.ScoreMetric("accuracy", greater_is_better=False)}, "metric"),
    (bb.compare_folds, RECORDS, {}, "data"),
    (bb.multi_aso, {"a": [1.0, 2.0]}, {}, "data"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "data", "arguments", "named"), CASES)
def test_the_argument_is_named(
    function: Callable[..., Any], data: Any, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(bb.errors.BestbyError) as caught:
        function(data, **arguments)
    assert caught.value.argument == named
    assert named in inspect.signature(function).parameters | inspect.signature(bb.Reading).parameters


@pytest.mark.parametrize("function", [bb.compare, bb.compare_runs, bb.compare_datasets, bb.compare_folds])
def test_a_record_that_is_none_is_named_by_its_row(function: Callable[..., Any]) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=r"row 3 of the list of records .*, got None"):
        function(RECORDS)


@pytest.mark.parametrize("data", [[1, 2], np.eye(2), pd.Series([1.0, 2.0]), []])
def test_data_of_no_known_form_are_called_data(data: Any) -> None:
    for call in (bb.compare, bb.compare_runs, lambda given: bb.advise(data=given)):
        with pytest.raises(bb.errors.InvalidInputError, match="data must be a mapping of system to"):
            call(data)


def test_a_column_that_is_no_system_can_be_ignored() -> None:
    frame = FRAME.assign(text=[f"word {i}" for i in range(20)])
    with pytest.raises(bb.errors.InvalidInputError, match="is it a system") as caught:
        bb.compare(frame)
    assert caught.value.hint is not None
    assert "reading=bestby.Reading(ignore='text')" in caught.value.hint
    result = bb.compare(frame, reading=bb.Reading(ignore=["text", "doc"]), n_resamples=99)
    assert {one.system for one in result.systems} == {"alpha", "beta"}


def test_frames_of_runs_and_series_of_p_values_keep_their_names() -> None:
    runs = {"new": [0.81, 0.84, 0.83], "old": [0.79, 0.80, 0.78]}
    frame = pd.DataFrame({"run": [1, 2, 3], **runs})
    of_frame, of_mapping = bb.multi_aso(frame, n_resamples=99), bb.multi_aso(runs, n_resamples=99)
    assert of_frame.orders == of_mapping.orders
    assert "systems: new, old" in of_frame.notes[0].message
    assert bb.replicability(pd.Series([0.01, 0.2], index=["x", "y"])) == bb.replicability(
        {"x": 0.01, "y": 0.2}
    )
    assert bb.replicability(pd.Series([0.01, 0.2])).datasets == ("1", "2")
    with pytest.raises(bb.errors.InvalidInputError, match="more than once in the index"):
        bb.replicability(pd.Series([0.01, 0.2], index=["x", "x"]))
