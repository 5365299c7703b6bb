"""Every public function answers any odd argument by a result or by an error of ours, never by another one.

Each parameter in turn takes each odd value, while the others are right.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests.sound_calls import labels, parameters, sound_calls

import bestby as bb

pytestmark = pytest.mark.check  # some 17,000 calls

ODD: dict[str, Any] = {
    "None": None,
    "True": True,
    "a number": 3,
    "a fraction": 0.05,
    "a huge number": 10**30,
    "a number that no float holds": 10**400,
    "a negative number": -1,
    "NaN": float("nan"),
    "almost 0": 1e-300,
    "almost 1": 1 - 1e-16,
    "infinity": float("inf"),
    "no text": "",
    "a word": "thing",
    "a long text": "a" * 5000,
    "a NUL": "a\0b",
    "half of a character": "\ud800",
    "bytes": b"a",
    "digits": "1" * 5000,
    "no time": pd.NaT,
    "nothing of pandas": pd.NA,
    "an array without dimensions": np.array(3),
    "an array of booleans": np.array([True, False]),
    "an array of texts": np.array(["a", "b"]),
    "an empty array": np.zeros(0),
    "a series": pd.Series([1.0, 0.0]),
    "a frame": pd.DataFrame({"a": [1, 0], "b": [0, 1]}),
    "an empty frame": pd.DataFrame(),
    "a list": [1, "a", None],
    "an empty list": [],
    "a dictionary": {1: [1, 0]},
    "an empty dictionary": {},
    "a set": {"a", "b"},
    "an object": object(),
    "a type": int,
    "a function": len,
    "a path": Path("no/such/file"),
    "an error": ValueError("odd"),
}

RUNS_FOR_LONG = {"n_resamples", "n_jobs", "n_simulations", "max_items", "max_runs", "n_items", "n", "curve"}
"""What may rightly take long, or much memory, where a number is huge."""


def faults(function: Callable[..., Any], right: dict[str, Any]) -> list[str]:
    """Return each pair of a parameter and an odd value that ends in an error that is not ours."""
    wrong = []
    for parameter in parameters(function):
        for what, value in ODD.items():
            if parameter in RUNS_FOR_LONG and what in ("a huge number", "a number that no float holds"):
                continue
            if parameter == "progress" and callable(value):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    str(function(**{**right, parameter: value}))
                    plt.close("all")
                except bb.errors.BestbyError:
                    continue
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"{parameter} = {what}: {type(error).__name__}: {error}"[:160])
    return wrong


NAMES = """
    compare evaluate compare_slices frontier agreement compare_attempts gate advise compare_runs
    compare_datasets compare_facets compare_folds
    compare_published compare_judged compare_preferences Monitor aso multi_aso aso_tightness normality
    replicability power sample_size minimum_detectable allocate plan_labels choose_items FunctionMetric
    Evaluation.of Resampling
    Reading Blocks ScoreMetric
    PairedProportions PairedScores RunsAndItems FacetedScores JudgedScores LiftedScores Pilot list_metrics
    load check read read_runs read_datasets read_folds read_judged read_preferences read_labels Board Study
""".split()  # noqa: SIM905 - a list of words


@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what is made under an odd name is made here
    function, sound = sound_calls(tmp_path)[name]
    assert str(function(**sound))
    assert faults(function, sound) == []


def test_odd_values_within_others(tmp_path: Path) -> None:
    """What a mapping or a list holds may be odd, too."""
    functions = sound_calls(tmp_path)
    for name, odd in (
        ("compare_judged", {"bias_by": {"length": 1}}),
        ("read", {"systems": {"a": None}}),
        ("read", {"reading": bb.Reading(annotators={"a": None})}),
        ("compare_preferences", {"prior": 1.0}),
    ):
        function, right = functions[name]
        with pytest.raises(bb.errors.InvalidInputError):
            function(**{**right, **odd})
    function, right = functions["compare_preferences"]
    assert function(**{**right, "prior": "jeffreys"}).systems  # which the hint proposes


def test_every_function_is_tried(tmp_path: Path) -> None:
    calls = sound_calls(tmp_path)
    named = {function for function, _ in calls.values()}
    public = {getattr(bb, name) for name in bb.__all__}
    assert list(calls) == NAMES
    assert {one.__name__ for one in public - named if inspect.isfunction(one)} == set()


@pytest.mark.parametrize(
    "method",
    ["to_html", "to_json", "to_csv", "to_markdown", "to_latex", "to_frame", "plot", "table", "methods"],
)
def test_odd_arguments_of_a_result(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold, systems = labels()
    result = bb.compare(systems, gold, n_resamples=99)
    assert faults(getattr(result, method), {}) == []
