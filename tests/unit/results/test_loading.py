"""What `load` reads and refuses, and what frames it makes no difference to."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.questions.planning.result import StoredDesign
from bestby.report.loading import decoded, encoded
from bestby.report.reported import with_backend

RESULT = bb.compare({"a": [1, 1, 0, 1], "b": [0, 1, 0, 1]}, n_resamples=99)
NAMES = {"NaN": [1, 0, 1, 1], 'class"\n': [1, 1, 0, 1], "\u202ehidden": [0, 1, 1, 1]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        0.1,
        "text",
        "NaN",
        (1, (2.5, "x"), ()),
        [1, [2]],
        {"class": "dict", ("a", "b"): [1], 3: {}},
        bb.results.Note("code", "message", ("about",)),
    ],
)
def test_values_come_back(value: Any) -> None:
    written = json.dumps(encoded(value), allow_nan=False)
    assert decoded(json.loads(written)) == value
    assert type(decoded(json.loads(written))) is type(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_know_come_back(value: float) -> None:
    assert repr(decoded(json.loads(json.dumps(encoded(value), allow_nan=False)))) == repr(value)


@pytest.mark.parametrize("dtype", ["float64", "int64", "bool", "<U3"])
def test_arrays_come_back_read_only(dtype: str) -> None:
    array = np.array([[0, 1], [1, 0]]).astype(dtype)
    again = decoded(json.loads(json.dumps(encoded(array))))
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype
    assert not again.flags.writeable
    hole = np.array([1.5, math.nan, math.inf])
    np.testing.assert_array_equal(decoded(json.loads(json.dumps(encoded(hole), allow_nan=False))), hole)


def test_names_of_any_kind_come_back() -> None:
    result = bb.compare(NAMES, metric="mean", n_resamples=99)
    loaded = bb.load(result.to_json())
    assert loaded == result
    assert {entry.system for entry in loaded.systems} == set(NAMES)


def test_undefined_numbers_come_back() -> None:
    same = bb.aso([1.0, 2.0], [1.0, 2.0], n_resamples=99)
    assert math.isnan(same.violation_ratio)
    assert bb.load(same.to_json()) == same
    text = bb.compare({"a": [1.5, 2.0, 0.5], "b": [0.5, 2.5, 1.0]}, n_resamples=99).to_json()
    assert bb.load(text).metrics[0].bounds == (-math.inf, math.inf)


@pytest.mark.parametrize(
    "design",
    [
        bb.planning.PairedProportions(0.8, 0.7, 0.8),
        bb.planning.PairedScores(0.5, 1.0, pilot_df=7),
        bb.planning.LiftedScores([0.71, 0.74, 0.69, 0.75], lift=1.05, test="welch"),
        bb.planning.RunsAndItems(0.02, 0.4, 0.01, 0.3),
    ],
    ids=lambda design: type(design).__name__,
)
def test_plans_come_back_with_their_designs(design: Any) -> None:
    plan = bb.power(design, 20, n_simulations=50)
    loaded = bb.load(plan.to_json())
    assert loaded == plan
    assert type(loaded.design) is type(design)
    assert bb.power(loaded.design, 20, n_simulations=50) == plan


def test_a_plan_of_a_pilot_comes_back_without_its_data() -> None:
    pilot = bb.planning.Pilot(bb.Evaluation.of({"a": ["x"] * 9 + ["y"], "b": ["x", "y"] * 5}, ["x"] * 10))
    plan = bb.power(pilot, 12, n_simulations=20)
    loaded = bb.load(plan.to_json())
    assert loaded == plan
    assert str(loaded) == str(plan)
    assert loaded.to_html() == plan.to_html()
    assert isinstance(loaded.design, StoredDesign)
    assert loaded.design.settings() == pilot.settings()
    with pytest.raises(bb.errors.DesignError, match="cannot compute power at other sizes"):
        loaded.design.powers(np.array([5]), None)


def _changed(**more: Any) -> str:
    return json.dumps({**RESULT.to_dict(), **more})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{", "the text is not JSON, or it is cut off"),
        (RESULT.to_json()[:-20], "not JSON, or it is cut off"),
        ("{}", "not a result of bestby"),
        (json.dumps({"kind": "Comparison", "format": 1}), "not a result of bestby"),
        (_changed(format=2), "format 2, and this version of bestby reads 1"),
        (_changed(format=None), "format None"),
        (_changed(kind="Plan"), "kind of this result is 'Plan', but its record is a 'Comparison'"),
        (
            _changed(record={"class": "Comparison"}),
            "record of this Comparison is damaged: a Comparison in it lacks the field 'metrics'",
        ),
        (_changed(kind="Popen", record={"class": "Popen"}), "damaged: there is no class"),
        (
            _changed(record={**RESULT.to_dict()["record"], "more": 1}),
            "damaged: a Comparison in it has an unknown field 'more'",
        ),
        (
            _changed(record={**RESULT.to_dict()["record"], "notes": {}}),
            "damaged: it has no 'class' where one was written",
        ),
        (3, "from a path, JSON text or a dictionary, got int"),
        ("no/such.json", "no file 'no/such.json'"),
    ],
)
def test_what_is_no_result_is_refused(source: Any, message: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=message.replace("(", r"\(")) as caught:
        bb.load(source)
    assert caught.value.hint


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(bb.errors.InvalidInputError, match=r"result\.json' is not JSON"):
        bb.load(path)
    path.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match="not a result of bestby"):
        bb.load(path)


# -- frames ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("what", ["differences", "scores"])
def test_frames_of_every_library_hold_the_same(backend: str, what: str) -> None:
    pytest.importorskip(backend)
    frame = RESULT.to_frame(what, backend=backend)
    assert type(frame).__module__.split(".")[0] == backend
    expected = RESULT.to_frame(what, backend="pandas")
    names = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert names == list(expected.columns)
    for name in names:
        values = frame[name].to_pylist() if backend == "pyarrow" else frame[name].to_list()
        for value, other in zip(values, expected[name].tolist(), strict=True):
            missing = other is None or other != other
            assert (value is None or value != value) if missing else value == other


@pytest.mark.parametrize("backend", ["dask", "duckdb", None])
def test_a_frame_of_another_kind_leaves_the_default(backend: str | None) -> None:
    pandas = pytest.importorskip("pandas")
    result = bb.compare({"a": [1, 1, 0, 1], "b": [0, 1, 0, 1]}, n_resamples=99)
    result = with_backend(result, backend)
    assert isinstance(result.to_frame(), pandas.DataFrame)


def test_an_unknown_library_or_table_is_refused() -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="backend must be one of"):
        RESULT.to_frame(backend="excel")
    with pytest.raises(bb.errors.InvalidInputError, match="what must be one of differences, scores"):
        RESULT.to_csv(what="score")
