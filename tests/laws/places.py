"""The places in the public functions that take values, each with a call that puts them there."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from tests.laws.containers import OTHER, PLAIN, SCORES

import bestby as bb

# -- the places that take values -------------------------------------------------------------------


def told(result: Any) -> str:
    """Return the numbers of a result."""
    if isinstance(result, bb.Annotations):
        return f"{result.classes.tolist()} {result.counts.tolist()}"
    return str(result) if not hasattr(result, "to_json") else str(result.to_json())


def _study(first: Mapping[str, Any], second: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        study = bb.Study(pathlib.Path(folder, "study"))
        study.add("a", **{"run": 0, "gold": OTHER, "predictions": PLAIN, **first})
        study.add("b", **{"run": 0, "predictions": OTHER, **second})
        gold, runs = study.gold(), [study.load(name, study.runs(name)[0]) for name in study.conditions()]
        clusters = None if gold.clusters is None else gold.clusters.tolist()
        return gold.values.tolist(), clusters, [run.predictions.tolist() for run in runs]


def _frame() -> Any:
    return pd.DataFrame({"gold": OTHER, "a": PLAIN, "b": OTHER, "id": range(6)})


FEW = {"n_resamples": 20}

OF_LABELS = {
    "compare, predictions",
    "compare, worst",
    "compare, strata",
    "compare, function",
    "Evaluation.of",
    "Study, predictions",
    "Study, later predictions",
    "Study, gold",
    "Study, clusters",
}
"""Places that take dates, as text."""

GIVEN: dict[str, tuple[list[Any], Callable[[Any], Any]]] = {
    "compare, scores": (SCORES, lambda x: bb.compare({"a": x, "b": SCORES[::-1]}, **FEW)),
    "compare, scores, dropped": (
        SCORES,
        lambda x: bb.compare({"a": x, "b": SCORES[::-1]}, on_missing="drop", **FEW),
    ),
    "compare, predictions": (PLAIN, lambda x: bb.compare({"a": x, "b": OTHER}, PLAIN, **FEW)),
    "compare, worst": (PLAIN, lambda x: bb.compare({"a": x, "b": OTHER}, PLAIN, on_missing="worst", **FEW)),
    "compare, gold": (PLAIN, lambda x: bb.compare({"a": OTHER, "b": PLAIN}, gold=x, **FEW)),
    "compare, items": (
        list("abcdef"),
        lambda x: bb.compare({"a": OTHER, "b": PLAIN}, PLAIN, items=x, **FEW),
    ),
    "compare, clusters": (PLAIN, lambda x: bb.compare({"a": OTHER, "b": PLAIN}, PLAIN, clusters=x, **FEW)),
    "compare, strata": (PLAIN, lambda x: bb.compare({"a": OTHER, "b": PLAIN}, PLAIN, strata=x, **FEW)),
    "compare, classes": (
        [0, 1],
        lambda x: bb.compare(
            {"a": OTHER, "b": PLAIN}, PLAIN, reading=bb.Reading(classes=x), metric="f1_macro", **FEW
        ),
    ),
    "compare, texts": (
        list("abcdef"),
        lambda x: bb.compare({"a": x, "b": list("abdcef")}, list("abcdef"), metric="em", **FEW),
    ),
    "compare, function": (
        PLAIN,
        lambda x: bb.compare({"a": x, "b": OTHER}, PLAIN, metric=lambda g, p: float(np.mean(g == p)), **FEW),
    ),
    "compare, annotators": (
        [[0, 1], [1, 1], [0, 0], [1, 1], [0, 1], [1, 0]],
        lambda x: bb.compare({"a": OTHER, "b": PLAIN}, x, reading=bb.Reading(annotators="fixed"), **FEW),
    ),
    "Evaluation.of": (
        PLAIN,
        lambda x: bb.Evaluation.of({"a": x, "b": OTHER}, OTHER).data_hash(),
    ),
    "Annotations.of": ([[0, 1], [1, 1], [0, 0]], bb.Annotations.of),
    "Annotations.of, classes": ([0, 1], lambda x: bb.Annotations.of([[0, 1], [1, 1]], x)),
    "compare_runs": (SCORES, lambda x: bb.compare_runs({"a": x, "b": SCORES[::-1]}, **FEW)),
    "compare_runs, paired": (
        SCORES,
        lambda x: bb.compare_runs({"a": x, "b": [*SCORES[1:], 0.1]}, paired=True, **FEW),
    ),
    "compare_runs, a run": (
        SCORES,
        lambda x: bb.compare_runs({"a": [x, SCORES], "b": [SCORES, SCORES[::-1]]}, **FEW),
    ),
    "compare_runs, gold": (
        PLAIN,
        lambda x: bb.compare_runs({"a": [PLAIN, OTHER], "b": [OTHER, OTHER[::-1]]}, gold=x, **FEW),
    ),
    "compare_runs, clusters": (
        list("aabbcc"),
        lambda x: bb.compare_runs(
            {"a": [PLAIN, OTHER], "b": [OTHER, OTHER[::-1]]}, gold=PLAIN, clusters=x, **FEW
        ),
    ),
    "compare_folds": (SCORES, lambda x: bb.compare_folds({"a": x, "b": SCORES[::-1]}, **FEW)),
    "aso": (SCORES, lambda x: bb.aso(x, SCORES[1:], n_resamples=20).epsilon_min),
    "multi_aso": (
        SCORES,
        lambda x: bb.multi_aso({"a": x, "b": SCORES[1:]}, n_resamples=20)["a", "b"].epsilon_min,
    ),
    "normality": (SCORES, lambda x: bb.normality(x, n_resamples=99)),
    "replicability": ([0.01, 0.04, 0.2], bb.replicability),
    "LiftedScores": (SCORES, lambda x: bb.planning.LiftedScores(x).values.tolist()),
    "PairedScores, a": (SCORES, lambda x: bb.planning.PairedScores.from_pilot(x, SCORES[::-1])),
    "PairedScores, b": (SCORES[::-1], lambda x: bb.planning.PairedScores.from_pilot(SCORES, x)),
    "PairedScores, clusters": (
        list("aabbcc"),
        lambda x: bb.planning.PairedScores.from_pilot(SCORES, clusters=x),
    ),
    "PairedProportions": (PLAIN, lambda x: bb.planning.PairedProportions.from_pilot(x, OTHER)),
    "RunsAndItems": (
        [SCORES, SCORES[::-1]],
        lambda x: bb.planning.RunsAndItems.from_pilot(x, [[*SCORES[1:], 0.1], SCORES]),
    ),
    "Study, predictions": (PLAIN, lambda x: _study({"predictions": x}, {})),
    "Study, later predictions": (PLAIN, lambda x: _study({}, {"predictions": x})),
    "Study, gold": (PLAIN, lambda x: _study({"gold": x}, {})),
    "Study, ids": (list("abcdef"), lambda x: _study({"ids": x}, {})),
    "Study, clusters": (list("aabbcc"), lambda x: _study({"clusters": x}, {})),
    "Study, classes": ([0, 1], lambda x: _study({"reading": bb.Reading(classes=x)}, {})),
    "compare_preferences, clusters": (
        list("aabbcc"),
        lambda x: bb.compare_preferences(
            [("x", "y", "x"), ("x", "y", "y"), ("x", "y", "x")] * 2, clusters=x, **FEW
        ),
    ),
    "compare_preferences, column": (
        list("xxxxxx"),
        lambda x: bb.compare_preferences({"a": x, "b": list("yyyyyy"), "winner": list("xyxyxy")}, **FEW),
    ),
}
"""The places that take a sequence: values that do, and what calls the function with others."""


# -- the places where two containers belong together -----------------------------------------------


def _soft(values: Any) -> Any:
    """Return rows of probabilities with the index of the values."""
    return pd.DataFrame({"no": 0.9 - 0.8 * values, "yes": 0.1 + 0.8 * values})


def _annotated(values: Any) -> Any:
    return pd.DataFrame({"x": values, "y": values, "z": 1})


def _runs(values: Any) -> Any:
    """Return two runs of six items, the columns called as the index is."""
    return pd.DataFrame([values, values * 0.5], columns=values.index)


WORDS = {0: "no", 1: "yes"}

TOGETHER: dict[str, Callable[[Any, Any], Any]] = {
    "compare, systems": lambda x, y: bb.compare({"a": x, "b": y}, OTHER, **FEW),
    "compare, scores": lambda x, y: bb.compare({"a": x, "b": y}, **FEW),
    "compare, gold": lambda x, y: bb.compare({"a": x, "b": OTHER}, gold=y, **FEW),
    "compare, items": lambda x, y: bb.compare({"a": x, "b": OTHER}, OTHER, items=y.index, **FEW),
    "compare, items with an index": lambda x, y: bb.compare(
        {"a": x, "b": OTHER}, OTHER, items=pd.Series(range(6), y.index), **FEW
    ),
    "compare, clusters": lambda x, y: bb.compare({"a": x, "b": OTHER}, OTHER, clusters=y, **FEW),
    "compare, crossed": lambda x, y: bb.compare({"a": x, "b": OTHER}, OTHER, clusters=[OTHER, y], **FEW),
    "compare, strata": lambda x, y: bb.compare({"a": x, "b": OTHER}, OTHER, strata=y, **FEW),
    "compare, texts": lambda x, y: bb.compare(
        {"a": x.map(WORDS), "b": y.map(WORDS)}, ["no"] * 6, metric="em", **FEW
    ),
    "compare, soft": lambda x, y: bb.compare(
        {"a": _soft(x), "b": _soft(y)}, list(map(WORDS.get, OTHER)), **FEW
    ),
    "compare, soft gold": lambda x, y: bb.compare({"a": _soft(x), "b": _soft(x)}, _soft(y), **FEW),
    "compare, annotators": lambda x, y: bb.compare(
        {"a": x, "b": OTHER}, _annotated(y), reading=bb.Reading(annotators="fixed"), **FEW
    ),
    "Annotations.of": lambda x, y: bb.compare(
        {"a": x, "b": OTHER}, bb.Annotations.of(_annotated(y)), reading=bb.Reading(annotators="fixed"), **FEW
    ),
    "compare_runs, paired": lambda x, y: bb.compare_runs({"a": x, "b": y}, paired=True, **FEW),
    "compare_runs, items": lambda x, y: bb.compare_runs({"a": [x, x], "b": [y, x]}, **FEW),
    "compare_runs, columns": lambda x, y: bb.compare_runs({"a": _runs(x), "b": _runs(y)}, **FEW),
    "compare_runs, gold": lambda x, y: bb.compare_runs({"a": [x, x], "b": [x, x]}, gold=y, **FEW),
    "compare_runs, clusters": lambda x, y: bb.compare_runs({"a": [x, x], "b": [x, x]}, clusters=y, **FEW),
    "compare_folds": lambda x, y: bb.compare_folds({"a": x, "b": y}, **FEW),
    "compare_folds, repeated": lambda x, y: bb.compare_folds({"a": _runs(x), "b": _runs(y)}, **FEW),
    "compare_preferences": lambda x, y: bb.compare_preferences(
        {"a": pd.Series(["s"] * 6, x.index), "b": ["t"] * 6, "winner": y.map({0: "a", 1: "b"})}, **FEW
    ),
    "compare_preferences, clusters": lambda x, y: bb.compare_preferences(
        pd.DataFrame({"a": "s", "b": "t", "winner": x.map({0: "a", 1: "b"})}), clusters=y, **FEW
    ),
    "PairedScores": lambda x, y: bb.planning.PairedScores.from_pilot(x, y + np.arange(6)),
    "PairedScores, clusters": lambda x, y: bb.planning.PairedScores.from_pilot(
        x, clusters=pd.Series(list("aabbcc"), y.index)
    ),
    "PairedProportions": lambda x, y: bb.planning.PairedProportions.from_pilot(x, y),
    "RunsAndItems": lambda x, y: bb.planning.RunsAndItems.from_pilot(_runs(x), _runs(y + np.arange(6))),
    "Study, gold": lambda x, y: _study({"predictions": x, "gold": y}, {}),
    "Study, clusters": lambda x, y: _study({"predictions": x, "clusters": y}, {}),
    "Study, ids": lambda x, y: _study({"predictions": x, "ids": list(y.index)}, {}),
    "Study, later": lambda x, y: _study({"gold": x}, {"predictions": y}),
    "Study, later with gold": lambda x, y: _study({"gold": x}, {"gold": pd.Series(x.to_numpy(), y.index)}),
    "Study, soft": lambda x, y: _study(
        {"gold": list(map(WORDS.get, OTHER)), "predictions": _soft(x)}, {"predictions": _soft(y)}
    ),
}
"""The places where two pandas objects must have the same items, which their indexes name."""
