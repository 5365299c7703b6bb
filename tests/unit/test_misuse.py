"""Every public function answers any odd argument by a result or by an error of ours, never by another one.

Each parameter in turn takes each odd value, while the others are right.
"""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

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


@cache
def _labels() -> tuple[list[int], dict[str, list[int]]]:
    chance = random.Random(0)
    gold = [chance.randrange(2) for _ in range(24)]
    systems = {
        name: [label if chance.random() < right else 1 - label for label in gold]
        for name, right in (("a", 0.9), ("b", 0.6))
    }
    return gold, systems


@cache
def _scores(n: int = 8) -> dict[str, list[float]]:
    chance = random.Random(1)
    return {name: [round(chance.gauss(mean, 1), 3) for _ in range(n)] for name, mean in (("a", 1), ("b", 0))}


def _tables(folder: Path) -> dict[str, Path]:
    gold, systems = _labels()
    files = {name: folder / f"{name}.csv" for name in ("wide", "runs", "datasets", "judged", "wins", "folds")}
    pd.DataFrame({"item": range(24), "gold": gold, **systems}).to_csv(files["wide"], index=False)
    pd.DataFrame(_scores()).to_csv(files["runs"], index=False)
    pd.DataFrame({"dataset": list("uvwxyz"), **_scores(6)}).to_csv(files["datasets"], index=False)
    _judged().to_csv(files["judged"], index=False)
    _wins().to_csv(files["wins"], index=False)
    pd.DataFrame({"repeat": [0] * 4, "fold": range(4), **_scores(4)}).to_csv(files["folds"], index=False)
    return files


def _judged() -> pd.DataFrame:
    chance = random.Random(2)
    rows = [
        {"item": item, "system": system, "judge": chance.random(), "human": [chance.random(), None][item > 8]}
        for item in range(24)
        for system in ("a", "b")
    ]
    return pd.DataFrame(rows)


def _wins() -> pd.DataFrame:
    return pd.DataFrame({"a": list("xyz") * 8, "b": list("yzx") * 8, "winner": list("xyzyzx") * 4})


def calls(folder: Path) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Return every function with right arguments, few resamples among them."""
    gold, systems = _labels()
    items = {"data": systems, "gold": gold, "n_resamples": 99}
    files = _tables(folder)
    design = bb.PairedProportions(0.83, 0.80, agreement=0.9)
    split = bb.RunsAndItems(0.02, item_sd=0.3, run_sd=0.01, rest_sd=0.1)
    labels = bb.JudgedScores(sd=0.3, correlation=0.7, n_items=500)
    return {
        "compare": (bb.compare, items),
        "evaluate": (bb.evaluate, items),
        "compare_slices": (bb.compare_slices, {**items, "by": {"half": [0, 1] * 12}}),
        "gate": (bb.gate, {**items, "margin": 0.1}),
        "advise": (bb.advise, {"metric": "accuracy", "data": systems, "gold": gold}),
        "compare_runs": (bb.compare_runs, {"data": _scores(), "n_resamples": 99}),
        "compare_datasets": (
            bb.compare_datasets,
            {"data": {name: {"a": x, "b": 1 - x} for name, x in zip("uvwxyz", _scores()["a"], strict=False)}},
        ),
        "compare_folds": (bb.compare_folds, {"data": files["folds"], "n_resamples": 99}),
        "compare_published": (bb.compare_published, {"data": systems, "gold": gold, "published": "75.0"}),
        "compare_judged": (bb.compare_judged, {"judge": _judged(), "labels_drawn": "random"}),
        "compare_preferences": (bb.compare_preferences, {"data": _wins(), "n_resamples": 99}),
        "Monitor": (bb.Monitor, {"systems": ["a", "b"], "bounds": (0, 1)}),
        "aso": (bb.aso, {**_scores(), "n_resamples": 99}),
        "multi_aso": (bb.multi_aso, {"data": _scores(), "n_resamples": 99}),
        "aso_tightness": (bb.aso_tightness, {"m_old": 5, "n_old": 5, "m_new": 10, "n_new": 10}),
        "normality": (bb.normality, {"values": _scores()["a"], "n_resamples": 99}),
        "replicability": (bb.replicability, {"p_values": {"u": 0.01, "v": 0.2}}),
        "power": (bb.power, {"design": design, "n": 200}),
        "sample_size": (bb.sample_size, {"design": design}),
        "minimum_detectable": (bb.minimum_detectable, {"design": design, "n": 200}),
        "allocate": (bb.allocate, {"design": split, "budget": 100.0, "run_cost": 1.0, "item_cost": 0.01}),
        "plan_labels": (bb.plan_labels, {"design": labels, "margin": 0.1}),
        "choose_items": (bb.choose_items, {"data": _judged(), "n": 5}),
        "FunctionMetric": (bb.FunctionMetric, {"function": len, "name": "own"}),
        "Evaluation.of": (bb.Evaluation.of, {"systems": systems, "gold": gold}),
        "Resampling": (bb.Resampling, {}),
        "PairedProportions": (bb.PairedProportions, {"accuracy_a": 0.8, "accuracy_b": 0.7, "agreement": 0.8}),
        "PairedScores": (bb.PairedScores, {"difference": 0.1, "sd": 1.0}),
        "RunsAndItems": (bb.RunsAndItems, {"difference": 0.1, "item_sd": 0.3, "run_sd": 0.1, "rest_sd": 0.1}),
        "JudgedScores": (bb.JudgedScores, {"sd": 0.3, "correlation": 0.7}),
        "LiftedScores": (bb.LiftedScores, {"scores": _scores()["a"]}),
        "Pilot": (bb.Pilot, {"evaluation": bb.Evaluation.of(systems, gold)}),
        "list_metrics": (bb.list_metrics, {}),
        "load": (bb.load, {"source": bb.compare(**items).to_json()}),
        "read": (bb.read, {"paths": files["wide"], "gold": "gold"}),
        "read_runs": (bb.read_runs, {"path": files["runs"]}),
        "read_datasets": (bb.read_datasets, {"path": files["datasets"]}),
        "read_folds": (bb.read_folds, {"path": files["folds"]}),
        "read_judged": (bb.read_judged, {"path": files["judged"]}),
        "read_preferences": (bb.read_preferences, {"paths": files["wins"]}),
        "read_labels": (bb.read_labels, {"path": files["wide"]}),
        "Board": (bb.Board, {"path": folder / "board"}),
        "Study": (bb.Study, {"path": folder / "study"}),
    }


def parameters(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the names of the parameters of a function or class."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            yield name


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
                except bb.BestbyError:
                    continue
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"{parameter} = {what}: {type(error).__name__}: {error}"[:160])
    return wrong


NAMES = [
    "compare",
    "evaluate",
    "compare_slices",
    "gate",
    "advise",
    "compare_runs",
    "compare_datasets",
    "compare_folds",
    "compare_published",
    "compare_judged",
    "compare_preferences",
    "Monitor",
    "aso",
    "multi_aso",
    "aso_tightness",
    "normality",
    "replicability",
    "power",
    "sample_size",
    "minimum_detectable",
    "allocate",
    "plan_labels",
    "choose_items",
    "FunctionMetric",
    "Evaluation.of",
    "Resampling",
    "PairedProportions",
    "PairedScores",
    "RunsAndItems",
    "JudgedScores",
    "LiftedScores",
    "Pilot",
    "list_metrics",
    "load",
    "read",
    "read_runs",
    "read_datasets",
    "read_folds",
    "read_judged",
    "read_preferences",
    "read_labels",
    "Board",
    "Study",
]


@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # what is made under an odd name is made here
    function, right = calls(tmp_path)[name]
    assert faults(function, right) == []


def test_odd_values_within_others(tmp_path: Path) -> None:
    """What a mapping or a list holds may be odd, too."""
    functions = calls(tmp_path)
    for name, odd in (
        ("compare_judged", {"bias_by": {"length": 1}}),
        ("read", {"systems": {"a": None}}),
        ("read", {"annotators": {"a": None}}),
        ("compare_preferences", {"prior": 1e308}),
    ):
        function, right = functions[name]
        with pytest.raises(bb.InvalidInputError):
            function(**{**right, **odd})
    function, right = functions["compare_preferences"]
    assert function(**{**right, "prior": 1.0}).systems  # which the hint proposes


def test_every_function_is_tried(tmp_path: Path) -> None:
    named = {function for function, _ in calls(tmp_path).values()}
    public = {getattr(bb, name) for name in bb.__all__}
    assert list(calls(tmp_path)) == NAMES
    assert {one.__name__ for one in public - named if inspect.isfunction(one)} == set()


@pytest.mark.parametrize(
    "method",
    ["to_html", "to_json", "to_csv", "to_markdown", "to_latex", "to_frame", "plot", "table", "methods"],
)
def test_odd_arguments_of_a_result(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold, systems = _labels()
    result = bb.compare(systems, gold, n_resamples=99)
    assert faults(getattr(result, method), {}) == []
