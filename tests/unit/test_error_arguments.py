"""An error about an argument names it, as the signature of the function does."""

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
    (bb.compare, SYSTEMS, {"gold": GOLD, "metric": "acuracy"}, "metric"),
    (bb.compare, SYSTEMS, {"gold": GOLD, "metric": "precision"}, "metric"),
    (bb.compare, SYSTEMS, {"gold": "gold"}, "gold"),
    (
        bb.compare,
        SYSTEMS,
        {"gold": GOLD, "metric": "accuracy", "greater_is_better": False},
        "greater_is_better",
    ),
    (bb.compare, SYSTEMS, {"gold": GOLD, "interval": "bcaa"}, "interval"),
    (bb.compare, SYSTEMS, {"gold": GOLD, "baseline": "gamma"}, "baseline"),
    (bb.compare, SYSTEMS, {"rng": 1, "resampling": bb.Resampling(rng=2)}, "rng"),
    (bb.compare, SYSTEMS, {"resampling": 3}, "resampling"),
    (bb.compare, FRAME, {"clusters": "docs"}, "clusters"),
    (bb.compare, FRAME, {"clusters": ["doc", "docs"]}, "clusters"),
    (bb.compare, FRAME, {"strata": "docs"}, "strata"),
    (bb.compare, FRAME, {"items": "docs"}, "items"),
    (bb.compare, FRAME, {"gold": "label"}, "gold"),
    (bb.compare, FRAME, {"systems": ["alpa"]}, "systems"),
    (bb.compare, FRAME, {"ignore": "none"}, "ignore"),
    (bb.compare, FRAME, {"system_column": "model"}, "system_column"),
    (bb.compare, "table.csv", {}, "data"),
    (bb.compare, RECORDS, {}, "data"),
    (bb.evaluate, FRAME, {"gold": "label"}, "gold"),
    (bb.compare_runs, [1, 2], {}, "data"),
    (bb.compare_runs, RECORDS, {}, "data"),
    (bb.compare_datasets, RECORDS, {}, "data"),
    (bb.compare_datasets, PARTS, {"metric": "f1[w]"}, "metric"),
    (bb.compare_datasets, PARTS, {"metric": "accuracy", "greater_is_better": False}, "greater_is_better"),
    (bb.compare_folds, RECORDS, {}, "data"),
    (bb.multi_aso, pd.DataFrame({"a": [1.0, 2.0]}), {}, "data"),
]


@pytest.mark.parametrize(("function", "data", "arguments", "named"), CASES)
def test_the_argument_is_named(
    function: Callable[..., Any], data: Any, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(bb.BestbyError) as caught:
        function(data, **arguments)
    assert caught.value.argument == named
    assert named in inspect.signature(function).parameters


def test_an_unknown_keyword_is_named() -> None:
    with pytest.raises(bb.InvalidInputError) as caught:
        bb.compare(SYSTEMS, qux=1)  # type: ignore[call-arg]
    assert caught.value.argument == "qux"


@pytest.mark.parametrize("function", [bb.compare, bb.compare_runs, bb.compare_datasets, bb.compare_folds])
def test_a_record_that_is_none_is_named_by_its_row(function: Callable[..., Any]) -> None:
    with pytest.raises(bb.InvalidInputError, match=r"row 3 of the list of records .*, got None"):
        function(RECORDS)


@pytest.mark.parametrize("data", [[1, 2], np.eye(2), pd.Series([1.0, 2.0]), []])
def test_data_of_no_known_form_are_called_data(data: Any) -> None:
    for call in (bb.compare, bb.compare_runs, lambda given: bb.advise(data=given)):
        with pytest.raises(bb.InvalidInputError, match="data must be a mapping of system to"):
            call(data)


def test_a_column_that_is_no_system_can_be_ignored() -> None:
    frame = FRAME.assign(text=[f"word {i}" for i in range(20)])
    with pytest.raises(bb.InvalidInputError, match="is it a system") as caught:
        bb.compare(frame)
    assert caught.value.hint is not None
    assert "ignore=[...]" in caught.value.hint
    result = bb.compare(frame, ignore=["text", "doc"], n_resamples=99)
    assert {one.system for one in result.systems} == {"alpha", "beta"}
