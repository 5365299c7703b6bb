"""Law 9 for every question: wrong settings and data are refused, the argument is named, and the hint works.

What the messages say is not repeated here: an error must be one of ours, speak of its argument in a line,
and whatever setting its hint proposes must lead to a result or to another error.
"""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.laws.outcomes import check_error
from tests.sound_calls import Call, cells, labels, parameters, scores, sound_calls

import bestby as bb

NAN, INF = math.nan, math.inf
DIGITS = 10**5000
"""A number of more digits than Python writes as a text."""

WRONG: dict[str, list[Any]] = {
    "across": ["anova"],
    "alternative": ["larger", 3, None],
    "at_most": [3, {"x": "ten"}, {"x": -2.0}, {"nowhere": "+10%"}],
    "baseline": ["nobody", ["nobody"]],
    "bounds": [(1, 0), "01", (0, INF)],
    "by": ["nowhere", 3],
    "cache": [3, ""],
    "candidate": ["nobody"],
    "clusters": [["c"], "nowhere"],
    "correction": ["fdr", 3, None],
    "cost": [3, [], "", {"a": -1.0, "b": 1.0}, {"a": 1.0}, {"x": {"a": NAN, "b": 1.0}}],
    "executor": [3],
    "fail_test": ["tango"],
    "focus": ["nobody"],
    "greater_is_better": ["yes"],
    "human": [3],
    "inside": ["anova"],
    "interval": ["cosy", 3],
    "labels_drawn": ["sometimes", 0.5, None],
    "largest": [0.0, -1.0, INF, NAN, "x"],
    "level": [0, 1, 95, -0.5, NAN, "x", True, None],
    "looks": [0, [], [2, 1], "x"],
    "margin": [0.0, -0.1, NAN, INF, "x"],
    "method": ["guess"],
    "metric": ["acuracy", "f1[", "", 3, []],
    "min_items": [0, 2.5, 10**6],
    "n_comparisons": [0, 1.5],
    "n_items": [0, 1.5],
    "n_jobs": [0, 1.5, "x"],
    "n_resamples": [0, -5, 2.5, "x", NAN, DIGITS],
    "normalise": ["max", 3],
    "on_missing": ["skip"],
    "outer": ["model"],
    "population": ["all"],
    "power": [0, 1, 2, NAN],
    "progress": [3, "yes"],
    "reading": [7],
    "prior": [-1, NAN, "x"],
    "published": ["x", NAN],
    "quality": ["acuracy", "f1[", "", 3, []],
    "ratio": [0, -1, NAN, "x"],
    "required": [0, 99, "x"],
    "resample_size": [0, 1, -0.5, 2.0, NAN, "x", True],
    "resampling": [7],
    "rng": [-1, 0.5, "x", 2**256, DIGITS],
    "scale": ["glicko"],
    "size": [0, -1, 2.5],
    "statistic": ["mode", 3],
    "strata": [["s"], "nowhere"],
    "systems": [["nobody"], [3], []],
    "test": ["anova", 3],
    "ties": ["drop"],
}
"""Settings, and what no function takes for them."""

NAMES_ONLY = {"compare_runs", "compare_datasets", "compare_facets", "compare_folds"}
"""Where there are scores already, the metric is a name of any kind."""
UNNAMED = {("gate", "annotators"), ("compare_judged", "systems"), ("advise", "n_items"),
           ("Study.compare", "baseline"), ("gate", "at_most")}  # fmt: skip
"""Where the error is about something else that is wrong then."""
MISNAMED = {
    "compare_datasets-runs of text",
    "compare_judged-no scores of the judge",
    "compare_published-a score in words",
}
"""Errors whose argument is not called so in the signature."""


@cache
def calls() -> dict[str, Call]:
    """Return the functions that answer questions, each with arguments that it answers."""
    folder = Path(mkdtemp())
    every, (gold, systems), study = sound_calls(folder), labels(), bb.Study(folder / "runs")
    for name, predictions in systems.items():
        study.add(name, run=0, predictions=predictions, gold=gold)
    every["Study.compare"] = study.compare, {"n_resamples": 99}
    return {name: call for name, call in every.items() if name != "FunctionMetric" and "read" not in name}


def settings() -> list[Any]:
    """Return every function with each of its settings for which there are wrong values."""
    return [
        pytest.param(name, setting, id=f"{name}-{setting}")
        for name, (function, _) in calls().items()
        for setting in parameters(function)
        if setting in WRONG
        and not (setting == "metric" and name in NAMES_ONLY)
        and (name, setting) not in UNNAMED
    ]


def refused(function: Callable[..., Any], arguments: dict[str, Any]) -> bb.errors.BestbyError:
    """Return the error with which a call is refused, a short one whose hint works."""
    with pytest.raises((bb.errors.InvalidInputError, bb.errors.DesignError)) as caught:
        function(**arguments)
    check_error(caught.value)
    heed(function, arguments, caught.value)
    return caught.value


def heed(function: Callable[..., Any], arguments: dict[str, Any], error: bb.errors.BestbyError) -> None:
    """Follow the hint of an error, as far as it gives values of settings: the error must not come again."""
    for advice in re.sub(r"\w+\([^)]*\)", "", error.hint or "").split(";"):
        leave = advice.strip().startswith("leave out ")
        for proposal in re.split(r", or\b", advice):
            if leave:
                given = {*re.findall(r"\w+", proposal)} & {*arguments}
                changed = {name: value for name, value in arguments.items() if name not in given}
            else:
                found = re.findall(r'\b(\w+)=("[^"]*"|True|False|None|\[[\d, ]+\]|[\d.]*\d)', proposal)
                given = {name for name, _ in found} & {*parameters(function)}
                changed = {**arguments, **{name: ast.literal_eval(x) for name, x in found if name in given}}
            if given:
                assert message_of(function, changed) != error.message, proposal


def message_of(function: Callable[..., Any], arguments: dict[str, Any]) -> str | None:
    """Return the message of the error with which a call ends, None where it is answered."""
    try:
        function(**arguments)
    except bb.errors.BestbyError as error:
        return error.message
    return None


@pytest.mark.parametrize(("name", "setting"), settings())
def test_a_wrong_setting_is_refused_by_its_name(name: str, setting: str) -> None:
    function, sound = calls()[name]
    for value in WRONG[setting]:
        error = refused(function, {**sound, setting: value})
        assert error.argument == setting or setting.rstrip("s") in error.message, (value, error.message)


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "a verdict without an interval": {"interval": None, "margin": 0.1},
    "one side without a test": {"test": None, "alternative": "better"},
    "a correction without tests": {"test": None, "correction": "bh"},
    "intervals that hold at once, without intervals": {"interval": None, "correction": "simultaneous"},
}
"""Settings that cannot be met together, whatever is compared."""


@pytest.mark.parametrize("what", CONTRADICTIONS)
@pytest.mark.parametrize(
    "name", [n for n, (f, _) in calls().items() if {"interval", "test"} <= {*parameters(f)}]
)
def test_settings_that_contradict_each_other_are_refused(name: str, what: str) -> None:
    function, sound = calls()[name]
    if {*CONTRADICTIONS[what]} <= {*parameters(function)}:
        refused(function, {**sound, **CONTRADICTIONS[what]})


TABLE = {d: {"a": x, "b": 1 - x} for d, x in zip("uvw", (0.2, 0.4, 0.3), strict=True)}
RUNS, WINS = {"a": [0.2, 0.4], "b": [0.3, 0.1]}, [("x", "y", "x"), ("x", "y", "y")] * 6
PER_ITEM = {name: [values, values] for name, values in labels()[1].items()}
CELLS = {name: np.array(values) for name, values in cells().items()}
FOUR = {"a": [1, 1, 0, 3], "b": [0, 1, 2, 3]}
HUMAN = {"a": [1, 0, None, None], "b": [0, 1, None, None]}
PREDICTED = {name: values * 5 for name, values in labels()[1].items()}
GOLD = labels()[0] * 5
LABELLED: dict[str, Any] = {
    "judge": PREDICTED["a"],
    "human": [label if place < 60 else None for place, label in enumerate(GOLD)],
    "predictions": PREDICTED,
    "metric": "f1_macro",
}
VERDICTS, RATES = {"a": [0, 1], "b": [1, 0]}, ([0, 1, 0, 1, 1], [0, 1, 0, 1, 0])
EVALUATION = bb.Evaluation.of(labels()[1], labels()[0])
PAPER: dict[str, Any] = {"gold": None, "published": 0.8}
ALONE: dict[str, Any] = {"data": None, "gold": None, "published": None}
SPREAD = {"A": "0.9±0.1", "B": "0.8±0.1"}
SPARSE = {
    name: [value if place % 8 else None for place, value in enumerate(scores(24)[name])] for name in "ab"
}
GAPS = {
    how: bb.Evaluation.of(SPARSE, slices={"half": np.arange(24) % 2}, on_missing=how)
    for how in ("pairs", "bounds")
}
SIXES, FOURS = np.arange(24) // 4, np.arange(24) % 4
CROSSED = [SIXES, FOURS]
ITEMS = np.arange(24.0) + 1.0
TWICE_LABELLED = bb.Annotations.of([[x, x, 1 - x] for x in labels()[0]])
WORDS = [f"word {i} of many" for i in range(24)]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


def but(row: str, **scores: Any) -> dict[str, Any]:
    """Return the table of datasets with other scores in one row."""
    return {**TABLE, row: {**TABLE[row], **scores}}


TROUBLE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "compare": [
        ("one class", {"reading": bb.Reading(classes=["x"])}),
        ("classes as a word", {"reading": bb.Reading(classes="xy")}),
        ("no classes", {"reading": bb.Reading(classes=[])}),
        ("annotators of another kind", {"reading": bb.Reading(annotators="some")}),
        ("annotators by columns", {"reading": bb.Reading(annotators=["a", "b"])}),
        ("more units than there are", {"resampling": bb.Resampling(resample_size=25)}),
        ("a share of one item", {"resampling": bb.Resampling(resample_size=0.01)}),
        ("a margin out of reach", {"margin": 1.0}),
        ("the rank of one without tests", {"focus": "a", "test": None}),
        ("the rank of one beside a baseline", {"focus": "a", "baseline": "b"}),
        ("the rank of one on one side", {"focus": "a", "alternative": "greater"}),
        ("two groupings and strata", {"clusters": CROSSED, "strata": FOURS}),
        ("a bootstrap of two groupings", {"clusters": CROSSED, "test": "bootstrap"}),
        ("an interval of one grouping", {"clusters": CROSSED, "interval": "bca"}),
        ("a second grouping that is too short", {"clusters": [SIXES, FOURS[:9]]}),
        ("three groupings", {"clusters": [SIXES, FOURS, FOURS]}),
        ("annotators of two groupings", {"gold": TWICE_LABELLED, "clusters": CROSSED, "reading": bb.Reading(annotators="resample")}),
        ("a second grouping and smaller resamples", {"clusters": CROSSED, "resampling": bb.Resampling(resample_size=0.5)}),
        ("a formula and smaller resamples", {"metric": "f1_macro", "interval": "normal", "resampling": bb.Resampling(resample_size=0.5)}),
        ("bca and smaller resamples", {"metric": "f1_macro", "interval": "bca", "resampling": bb.Resampling(resample_size=0.5)}),
        ("bca of blocks", {"metric": "f1_macro", "clusters": bb.Blocks(4), "interval": "bca"}),
        ("a formula and annotators", {"gold": TWICE_LABELLED, "reading": bb.Reading(annotators="resample"), "interval": "normal"}),
        ("ranks and annotators", {"gold": TWICE_LABELLED, "reading": bb.Reading(annotators="resample"), "metric": "roc_auc"}),
        ("annotators of a plain gold", {"reading": bb.Reading(annotators="resample")}),
        ("a file in place of a folder", {"data": {"a": WORDS, "b": WORDS[::-1]}, "gold": WORDS, "metric": "bleu", "resampling": bb.Resampling(cache=__file__)}),
        ("blocks of some items", {"clusters": bb.Blocks(4), "resampling": bb.Resampling(resample_size=0.5)}),
        ("blocks of clusters", {"data": bb.Evaluation.of(labels()[1], labels()[0], clusters=SIXES), "gold": None, "clusters": bb.Blocks(4)}),
        ("groups of a copy that do not nest", {"data": replace(bb.Evaluation.of(labels()[1], labels()[0], strata=FOURS), clusters=SIXES), "gold": None}),
    ],
    "evaluate": [
        ("pairs", {"data": GAPS["pairs"], "gold": None}),
        ("bounds", {"data": GAPS["bounds"], "gold": None}),
    ],
    "Study.compare": [
        ("one metric twice", {"metric": ["accuracy", "accuracy"]}),
        ("one condition", {"conditions": ["a"]}),
        ("a word for conditions", {"conditions": "a"}),
        ("no such condition", {"conditions": ["a", "h9"]}),
        ("nothing but baselines", {"baseline": ["a", "b"]}),
        ("a margin out of reach", {"metric": "accuracy", "margin": 1.0}),
    ],
    "compare_datasets": [
        ("a list", {"data": [1, 2]}),
        ("nothing", {"data": {}}),
        ("a number among tables", {"data": {**TABLE, "y": 3}}),
        ("one dataset", {"data": {"u": TABLE["u"]}}),
        ("one system", {"data": {"x": {"a": 1}, "y": {"a": 2}}}),
        ("text", {"data": but("u", a="?")}),
        ("an infinite score", {"data": but("u", a=INF)}),
        ("a missing score", {"data": but("u", a=NAN)}),
        ("a dataset that lacks a system", {"data": {**TABLE, "u": {"a": 1.0}}}),
        ("names that are equal as text", {"data": {1: TABLE["u"], "1": TABLE["v"]}}),
        ("p-values", {"data": {"u": 0.001, "v": 0.4}}),
        ("a function as metric", {"metric": len}),
        ("two metrics", {"data": {"x": EVALUATION, "y": EVALUATION}, "metric": ["accuracy", "f1_macro"]}),
        ("a direction of accuracy", {"data": {"x": EVALUATION, "y": EVALUATION}, "metric": bb.ScoreMetric("accuracy", greater_is_better=False)}),
        ("no column of datasets", {"data": frame(a=[1], b=[2])}),
        ("one Evaluation", {"data": EVALUATION}),
        ("two scores of one", {"data": frame(dataset=["x", "x"], system=["a", "a"], score=[1, 2])}),
        ("datasets in place of systems", {"data": TABLE, "systems": ["u", "v"]}),
        ("outer of evaluations", {"data": {"x": EVALUATION, "y": EVALUATION}, "outer": "system"}),
        ("ranges of other datasets", {"normalise": {"hopper": (0, 1)}}),
        ("ranges that fall", {"data": TABLE, "normalise": dict.fromkeys("uvw", (1, 0))}),
        ("ranges of one number", {"data": TABLE, "normalise": dict.fromkeys("uvw", (1,))}),
        ("ranges of text", {"data": TABLE, "normalise": dict.fromkeys("uvw", "ab")}),
        ("no range in the scores", {"data": {**TABLE, "u": {"a": 1.0, "b": 1.0}}, "normalise": "minmax"}),
        ("ranges of items", {"data": {"x": EVALUATION, "y": EVALUATION}, "normalise": "minmax"}),
        ("a run without a score", {"data": {d: {**RUNS, "a": [NAN, 1]} for d in "uv"}}),
        ("a single run on one", {"data": {"u": RUNS, "v": {**RUNS, "a": [1]}}}),
        ("a score among runs", {"data": {"u": RUNS, "v": {**RUNS, "a": 1}}}),
        ("runs of text", {"data": {"u": RUNS, "v": {**RUNS, "a": ["x", 1]}}}),
        ("infinite runs", {"data": {"u": RUNS, "v": {**RUNS, "a": [INF, 1]}}}),
        ("runs of items", {"data": {"u": RUNS, "v": {**RUNS, "a": [[1, 2], [3, 4]]}}}),
        ("a metric of runs", {"data": {"u": RUNS, "v": RUNS}, "metric": max}),
        ("a test of items", {"data": {"u": RUNS, "v": RUNS}, "test": "sign"}),
        ("an interval of items", {"data": {"u": RUNS, "v": RUNS}, "interval": "bca"}),
        ("runs on other datasets", {"data": {"a": np.ones((2, 3)), "b": np.ones((3, 3))}}),
        ("pairs of scores", {"paired": True}),
        ("a margin out of reach", {"data": {"x": EVALUATION, "y": EVALUATION}, "margin": 1.0}),
        ("a dataset of thousands of digits", {"data": {DIGITS: TABLE["u"], "x": TABLE["v"]}}),
        ("a dataset of items of thousands of digits", {"data": {DIGITS: EVALUATION, "x": EVALUATION}, "metric": "accuracy"}),
        ("a system of thousands of digits", {"data": {d: {DIGITS: x, "b": 1 - x} for d, x in (("x", 0.2), ("y", 0.4))}}),
        ("runs of a system of thousands of digits", {"data": {d: {DIGITS: [1, 2, x], "b": [2, x, 1]} for d, x in (("x", 1), ("y", 3))}}),
        ("an outer system of thousands of digits", {"data": {"a": {DIGITS: 1, "y": 2}, "b": {DIGITS: 1, "y": 3}}, "outer": "system"}),
        ("these very datasets without items", {"datasets": "fixed"}),
        ("a test over datasets that are fixed", {"data": {"u": RUNS, "v": RUNS}, "across": "t", "datasets": "fixed"}),
        ("a test across without tests", {"test": None, "across": "sign"}),
        ("items in pairs", {"data": {"x": EVALUATION, "y": EVALUATION}, "on_missing": "pairs"}),
        ("no two datasets in common", {"data": {"x": {"a": 1.0, "b": 2.0}, "y": {"a": 1.0}, "z": {"b": 1.0}}, "on_missing": "pairs"}),
        ("a statistic of scores", {"statistic": "iqm"}),
    ],
    "compare_facets": [
        ("one system", {"data": {"a": CELLS["a"]}}),
        ("no facets", {"facets": None}),
        ("an axis more", {"facets": ("prompt", "seed", "judge")}),
        ("other numbers of levels", {"data": {**CELLS, "a": CELLS["a"][:1]}}),
        ("one level", {"data": {name: x[:1] for name, x in CELLS.items()}}),
        ("the same difference", {"data": {"a": np.ones((3, 4)), "b": np.zeros((3, 4))}}),
        ("no score", {"data": {**CELLS, "a": np.full((3, 4), NAN)}}),
        ("text", {"data": {**CELLS, "a": np.full((3, 4), "x")}}),
        ("an unknown fixed facet", {"fixed": "judge"}),
        ("all facets fixed", {"fixed": ("prompt", "item")}),
        ("a facet in itself", {"nested": "prompt in prompt"}),
        ("nested in no facet", {"nested": "prompt"}),
        ("unmatched items", {"unmatched": "item"}),
        ("clusters of arrays", {"clusters": "document"}),
        ("a metric of ranks", {"gold": [1, 0, 1, 0], "data": {name: (x > 0.5).astype(int) for name, x in CELLS.items()}, "metric": "roc_auc"}),
        ("gold of other items", {"gold": [1, 0]}),
        ("a design of no facet", {"study": {"judge": 3}}),
        ("a design of one prompt", {"study": {"prompt": 1}}),
        ("missing cells", {"data": {**CELLS, "a": np.where(CELLS["a"] > 0.9, NAN, CELLS["a"])}, "on_missing": "error"}),
        ("facets that change together", {"data": frame(system=["a", "b"] * 6, prompt=[0, 0, 1, 1, 2, 2] * 2, seed=["x", "x", "y", "y", "z", "z"] * 2, item=[0] * 6 + [1] * 6, score=range(12)), "facets": ("prompt", "seed")}),
        ("an unknown column", {"data": frame(system=["a", "b"] * 6, prompt=[0, 0, 1, 1, 2, 2] * 2, item=[0] * 6 + [1] * 6, score=range(12)), "facets": "pompt"}),
        ("another metric's margin", {"margin": -1}),
        ("a margin out of reach", {"gold": [1, 0, 1, 0], "data": {name: (x > 0.5).astype(int) for name, x in CELLS.items()}, "metric": "accuracy", "margin": 1.0}),
    ],
    "compare_folds": [
        ("one score less", {"data": {"a": [1, 2], "b": [1]}}),
        ("a system of thousands of digits", {"data": {DIGITS: [0.1, 0.2, 0.3], "b": [0.1, 0.3, 0.2]}}),
        ("one system", {"data": {"a": [1, 2]}}),
        ("one fold", {"data": {"a": [1], "b": [2]}}),
        ("a missing score", {"data": {"a": [1, NAN], "b": [2, 1]}}),
        ("text", {"data": {"a": ["x"], "b": ["y"]}}),
        ("repetitions of one fold", {"data": {"a": [[1], [2]], "b": [[2], [1]]}}),
        ("a test of another design", {"test": "5x2cv-f"}),
        ("a test of items", {"test": "k-bonferroni"}),
        ("a two-sided test", {"data": dict.fromkeys("ab", np.ones((5, 2))), "test": "5x2cv-f", "alternative": "less"}),
        ("a number", {"data": 3}),
        ("no column of folds", {"data": frame(a=[1])}),
        ("a margin out of reach", {"data": bb.Evaluation.of(labels()[1], labels()[0], strata=FOURS), "metric": "accuracy", "margin": 1.0}),
        ("one Evaluation", {"data": EVALUATION}),
    ],
    "compare_runs": [
        ("one run", {"data": {**RUNS, "a": [1.0]}}),
        ("a system of thousands of digits", {"data": {DIGITS: [1, 2, 3], **RUNS}}),
        ("one run of items", {"data": {"a": [[1.0, 2.0]], "b": [[1.0, 2.0]]}}),
        ("no runs", {"data": {**RUNS, "a": []}}),
        ("one system", {"data": {"a": [1.0, 2.0]}}),
        ("a list", {"data": [[1.0, 2.0], [1.0, 2.0]]}),
        ("a nameless system", {"data": {**RUNS, "": [1.0, 2.0]}}),
        ("a missing score", {"data": {**RUNS, "a": [1.0, NAN]}}),
        ("text", {"data": {"a": ["x", "y"], "b": ["x", "y"]}}),
        ("pairs of different numbers", {"data": {**RUNS, "a": [1, 2, 3]}, "paired": True}),
        ("items of one system", {"data": {**RUNS, "a": [[1, 2], [2, 3]]}}),
        ("gold of scores", {"gold": [1, 2]}),
        ("a function as metric", {"metric": len}),
        ("an interval of shares", {"interval": "tango"}),
        ("a test of answers", {"test": "mcnemar"}),
        ("a test of independent runs", {"paired": True, "test": "brunner-munzel"}),
        ("medians of items", {"data": PER_ITEM, "statistic": "median"}),
        ("one cluster", {"data": PER_ITEM, "clusters": [1] * 24}),
        ("other items in a run", {"data": {"a": [[1, 2], [1, 2, 3]], "b": [[1, 2]] * 2}}),
        ("a margin out of reach", {"data": PER_ITEM, "gold": labels()[0], "metric": "accuracy", "margin": 1.0}),
    ],
    "agreement": [
        ("one annotator", {"data": {"a": ["x", "y"]}}),
        ("one label", {"data": {"a": ["x"] * 4, "b": ["x"] * 4}}),
        ("names as ranks", {"data": {"a": ["x", "y"], "b": ["y", "y"]}, "scale": "ordinal"}),
        ("negative ratios", {"data": {"a": [-1.0, 2.0], "b": [1.0, 2.0]}, "scale": "ratio"}),
        ("lists of labels", {"data": {"a": [["x"], ["y", "z"]], "b": ["x", "y"]}}),
        ("clusters of other items", {"clusters": [0, 1]}),
    ],
    "frontier": [
        ("no cost", {"cost": None}),
        ("costs of no system", {"cost": {}}),
        ("an infinite price", {"cost": {"a": INF, "b": 1.0}}),
        ("a quantile of prices", {"cost": {"usd@0.5": {"a": 3.0, "b": 1.0}}}),
        ("a quantile above 1", {"cost": {"ms@1.5": {"a": ITEMS, "b": ITEMS}}}),
        ("a quantile of text", {"cost": {"ms@p95": {"a": ITEMS, "b": ITEMS}}}),
        ("costs below 0", {"cost": {"ms": {"a": -ITEMS, "b": ITEMS}}}),
        ("costs of other items", {"cost": {"ms": {"a": ITEMS[:9], "b": ITEMS[:9]}}}),
        ("a price and costs of items", {"cost": {"ms": {"a": 3.0, "b": ITEMS}}}),
        ("a margin out of reach", {"margin": 1.0}),
    ],
    "compare_attempts": [
        ("labels", {"data": {"a": ["x", "y"] * 12}}),
        ("right or wrong once", {"data": {"a": [1, 0] * 12}}),
        ("two answers each", {"data": {"a": [(1, 0), (0, 1)] * 12}}),
        ("more right than drawn", {"data": {"a": [(3, 4)] * 24}}),
        ("nothing drawn", {"data": {"a": [(0, 0), (3, 1)] * 12}}),
        ("another metric", {"metric": "pass@5"}),
        ("one cluster", {"clusters": [1] * 24}),
    ],
    "gate": [
        ("a level for one side", {"level": 0.5}),
        ("the margin of no metric", {"margin": {"acuracy": 0.1}}),
        ("a negative margin of a metric", {"margin": {"accuracy": -1}}),
        ("a margin beyond the bounds", {"margin": 5}),
        ("a margin at the bounds", {"margin": {"accuracy": 1.0}}),
        ("one system twice", {"baseline": "a", "candidate": "a"}),
        ("three systems", {"data": {**labels()[1], "c": labels()[0]}}),
        ("one system", {"data": {"a": labels()[0]}}),
        ("a slice per item", {"by": {"id": range(24)}}),
        ("a slice of one item", {"by": {"x": [0] * 23 + [1]}}),
        ("one slice", {"by": {"x": [0] * 24}}),
        ("one bin", {"by": {"x:1": range(24)}}),
        ("no slices to cross", {"crossed": True}),
        ("no slices to limit", {"min_items": 5}),
        ("one grouping to cross", {"by": {"x": [0, 1] * 12}, "crossed": True}),
        ("a budget of 10", {"at_most": {"ms": "10"}, "cost": {"ms": {"a": ITEMS, "b": ITEMS}}}),
        ("a budget below nothing", {"at_most": {"ms": "-150%"}, "cost": {"ms": {"a": ITEMS, "b": ITEMS}}}),
        ("a cost without a budget", {"at_most": {"ms": "+10%"}, "cost": {"usd": {"a": ITEMS, "b": ITEMS}}}),
        ("a baseline that costs nothing", {"at_most": {"ms": "+10%"}, "cost": {"ms": {"a": 0.0, "b": 0.0}}}),
        ("pairs", {"data": GAPS["pairs"], "gold": None, "metric": "mean"}),
    ],
    "compare_slices": [
        ("a slice per item", {"by": {"x": [f"q{i}" for i in range(24)]}}),
        ("a slice of one item", {"by": {"x": [0] + [1] * 23}}),
        ("one slice", {"by": {"x": [1] * 24}}),
        ("bins of text", {"by": {"x:4": ["a", "b"] * 12}}),
        ("one bin", {"by": {"x:1": [1, 2] * 12}}),
        ("bins of equal numbers", {"by": {"x:4": [1] * 24}}),
        ("no grouping", {"by": {}}),
        ("too few values", {"by": {"x": [1, 2]}}),
        ("one grouping to cross", {"crossed": True}),
        ("no test", {"test": None}),
        ("no interval", {"interval": None}),
        ("one cluster in a slice", {"clusters": [0, 1] * 12}),
        ("values in place of names", {"by": [1, 2] * 12}),
        ("two crossed groupings", {"clusters": [[*range(6)] * 4, [i // 4 for i in range(24)]]}),
        ("one system", {"data": {"a": labels()[0]}}),
        ("thousands of pairs in slices", {"data": {f"s{i}": [0, 1] * 200 for i in range(6)}, "gold": [1] * 400, "by": {"x": [i // 2 for i in range(400)]}}),
        ("pairs", {"data": GAPS["pairs"], "gold": None, "by": "half"}),
    ],
    "compare_judged": [
        ("no scores of the judge", {"judge": "judge.csv"}),
        ("no systems", {"judge": [{"item": 1, "judge": 2, "human": 3}]}),
        ("a label that was not judged", {"judge": {**FOUR, "a": [None, 1, 2, 3]}, "human": HUMAN}),
        ("an item that was not judged", {"judge": {**FOUR, "a": [1, 1, None, 3]}, "human": HUMAN}),
        ("a label of another item", {"judge": {"a": {"x": 1, "y": 2}}, "human": {"a": {"z": 1}}}),
        ("one label", {"judge": FOUR, "human": {**HUMAN, "a": [1, None, None, None]}}),
        ("a judge that always says the same", {"judge": dict.fromkeys("ab", [1] * 4), "human": HUMAN}),
        ("labels of one cluster", {"judge": FOUR, "human": HUMAN, "clusters": list("xxyz")}),
        ("a probability of 0", {"judge": FOUR, "human": HUMAN, "labels_drawn": [0.0, 1, 1, 1]}),
        ("a probability above 1", {"judge": FOUR, "human": HUMAN, "labels_drawn": [1.5, 1, 1, 1]}),
        ("no strata to draw from", {"judge": FOUR, "human": HUMAN, "labels_drawn": "stratified"}),
        ("a stratum of one label", {"judge": FOUR, "human": HUMAN, "strata": list("xyyy")}),
        ("labels of all items", {"judge": FOUR, "human": FOUR}),
        ("labels of another system", {"judge": FOUR, "human": {**HUMAN, "c": FOUR["a"]}}),
        ("labels of text", {"judge": FOUR, "human": {**HUMAN, "a": ["good", None, None, None]}}),
        ("one label less", {"judge": FOUR, "human": {**HUMAN, "a": [1, 0, None]}}),
        ("no labels", {"judge": FOUR, "human": None}),
        ("one system", {"judge": {"a": [0.0, 1, 1, 0]}, "human": {"a": [1, 0, None, None]}}),
        ("an infinite score", {"judge": {**FOUR, "a": [1, 2, INF, 4]}, "human": HUMAN}),
        ("a square that no float holds", {"judge": {**FOUR, "a": [1, 2, 3, 1e200]}, "human": HUMAN}),
        ("one scale that is none", {"judge": {"a": [10, 20, 30, 40], "b": [10, 20, 30, 50]}, "human": HUMAN, "scale": "same"}),
        ("rates of a judge of scores", {"judge": FOUR, "labels_drawn": None, "calibration": RATES}),
        ("rates of one system", {"judge": VERDICTS, "labels_drawn": None, "calibration": {"a": RATES}}),
        ("rates of one number", {"judge": VERDICTS, "labels_drawn": None, "calibration": 0.7}),
        ("rates of two lengths", {"judge": VERDICTS, "labels_drawn": None, "calibration": ([0, 1], [1])}),
        ("rates of one kind", {"judge": VERDICTS, "labels_drawn": None, "calibration": ([0, 1], [1, 1])}),
        ("rates beside labels", {"judge": VERDICTS, "human": HUMAN, "labels_drawn": None, "calibration": RATES}),
        ("rates and how labels were drawn", {"judge": VERDICTS, "calibration": RATES}),
        ("rates of a metric", {"judge": VERDICTS, "labels_drawn": None, "calibration": RATES, "metric": "f1_macro"}),
        ("an infinite value of a bias", {"bias_by": {"turns": [INF] + [1] * 23}}),
        ("a metric of ranks", {**LABELLED, "metric": "spearman"}),
        ("two metrics", {**LABELLED, "metric": ["f1_macro", "accuracy"]}),
        ("labels without any", {**LABELLED, "human": [None] * 120}),
        ("a label less", {**LABELLED, "human": LABELLED["human"][:-1]}),
        ("labels of one class", {**LABELLED, "human": [1] * 60 + [None] * 60}),
        ("labels of other classes", {**LABELLED, "human": ["X", "Y"] * 30 + [None] * 60}),
        ("a judge of one class", {**LABELLED, "judge": [1] * 120}),
        ("an item without a judge", {**LABELLED, "judge": [None, *PREDICTED["a"][1:]]}),
        ("an item without a prediction", {**LABELLED, "predictions": {**PREDICTED, "b": [None, *GOLD[1:]]}}),
        ("predictions of one system", {**LABELLED, "predictions": {"a": PREDICTED["a"]}}),
        ("predictions in two dimensions", {**LABELLED, "predictions": dict.fromkeys("ab", np.ones((120, 2)))}),
        ("a list of predictions", {**LABELLED, "predictions": [1, 2]}),
        ("predictions without a judge", {**LABELLED, "judge": None}),
        ("predictions without labels", {**LABELLED, "human": None}),
        ("a margin beyond the bounds", {**LABELLED, "margin": 1.5}),
        ("a scale of labels", {**LABELLED, "scale": "same"}),
        ("a bias of labels", {**LABELLED, "bias_by": {"length": range(120)}}),
        ("a direction of f1", {**LABELLED, "metric": bb.ScoreMetric("accuracy", greater_is_better=False)}),
        ("labels without predictions", {**LABELLED, "predictions": None}),
        ("a table without predictions", {"metric": "f1_macro"}),
        ("scores and a metric of labels", {"judge": FOUR, "human": HUMAN, "metric": "f1_macro"}),
        ("a table beside predictions", {**LABELLED, "judge": frame(judge=LABELLED["judge"], human=LABELLED["human"]), "human": None}),
        ("several humans", {"judge": frame(judge=LABELLED["judge"], human_1=LABELLED["human"], human_2=LABELLED["human"], **{f"prediction[{n}]": x for n, x in PREDICTED.items()}), "metric": "f1_macro"}),
    ],
    "compare_preferences": [
        ("no judgements", {"data": []}),
        ("a word", {"data": "xyz"}),
        ("a number", {"data": 3}),
        ("two of three", {"data": [("x", "y")]}),
        ("other lengths", {"data": [("x", "y", "x"), ("q", "x", "y", "x")]}),
        ("a word among them", {"data": [("x", "y", "x"), "xyx"]}),
        ("a system against itself", {"data": [("x", "x", "x")]}),
        ("another winner", {"data": [("x", "y", "z")]}),
        ("no winner", {"data": [("x", "y", None)]}),
        ("no second system", {"data": [("x", NAN, "x")]}),
        ("a nameless system", {"data": [("", "y", "y")]}),
        ("no item", {"data": [(None, "x", "y", "y")]}),
        ("one item", {"data": [("q", "x", "y", "y"), ("q", "x", "y", "x")]}),
        ("no column of winners", {"data": {"a": ["x"], "b": ["y"]}}),
        ("a test of items", {"data": WINS, "test": "sign"}),
        ("a cluster too few", {"data": WINS, "clusters": ["q"]}),
        ("a column of a list", {"data": WINS, "clusters": "prompt"}),
        ("an order that nothing tells of", {"data": WINS, "order": True}),
        ("nothing but ties", {"data": [("x", "y", "tie")] * 9, "ties": "davidson"}),
    ],
    "Monitor": [
        ("one system", {"systems": ["a"]}),
        ("one system twice", {"systems": ["a", "a"]}),
        ("a bank of unknown size", {"population": "bank"}),
        ("a margin as wide as the bounds", {"margin": 1.0}),
        ("half an item in a cluster", {"largest_cluster": 0.5}),
        ("bets without bounds", {"bounds": None, "method": "betting"}),
        ("bounds and a largest difference", {"largest": 1.0}),
        ("looks of an unknown number", {"looks": 3}),
        ("too many looks", {"looks": 101, "n_items": 1000}),
        ("a look twice", {"looks": [100, 100]}),
        ("half an item", {"looks": [100, 1.5]}),
        ("looks beyond the items", {"looks": [100, 200], "n_items": 150}),
        ("looks too near", {"looks": [5000, 5001]}),
        ("looks of a method for any time", {"looks": [10, 20], "method": "betting"}),
        ("a method of looks without any", {"method": "pocock"}),
    ],
    "aso": [
        ("one score", {"a": [1.0]}),
        ("no score", {"b": []}),
        ("a missing score", {"a": [1.0, NAN]}),
        ("text", {"a": ["u", "v"]}),
        ("a square that no float holds", {"a": [1e308, 0], "b": [-1e308, 0]}),
    ],
    "multi_aso": [
        ("one score", {"data": {**RUNS, "a": [3]}}),
        ("a number", {"data": 5}),
        ("names that are equal as text", {"data": {1: RUNS["a"], "1": RUNS["b"]}}),
        ("one system", {"data": {"a": RUNS["a"]}}),
    ],
    "compare_published": [
        ("a percentage", {"published": "87.4"}),
        ("a share below 0", {"published": -0.1}),
        ("more items than the same", {"n_items": 30, "same_items": True}),
        ("two metrics", {"metric": ["accuracy", "recall[1]"]}),
        ("the spread of a share", {"sd": 0.1, "n_runs": 3}),
        ("no share", {"metric": "f1_macro"}),
        ("means of scores", {"data": {"a": [0.2, 0.5, 0.7]}, "gold": None, "published": 0.8}),
        ("two systems", {"data": labels()[1]}),
        ("one run", {"data": [0.8], **PAPER, "sd": 0.1, "n_runs": 3}),
        ("runs that do not vary", {"data": [0.8, 0.8], **PAPER, "sd": 0.1, "n_runs": 3}),
        ("runs of text", {"data": ["x", "y"], **PAPER, "sd": 0.1, "n_runs": 3}),
        ("an unknown number of runs", {"data": [0.8, 0.9], **PAPER, "sd": 0.1}),
        ("the spread of a single run", {"data": [0.8, 0.9], **PAPER, "sd": 0.1, "n_runs": 1}),
        ("a spread below 0", {"data": [0.8, 0.9], **PAPER, "sd": -0.1, "n_runs": 2}),
        ("one score", {"scores": {"A": "88.3%"}, **ALONE, "n_items": 872}),
        ("neither items nor runs", {"scores": {"A": "88.3%", "B": "87%"}, **ALONE}),
        ("percentages without a sign", {"scores": {"A": "88.3", "B": "87.6"}, **ALONE, "n_items": 872}),
        ("a spread of an unknown kind", {"scores": SPREAD, **ALONE, "n_runs": 5}),
        ("a range", {"scores": SPREAD, **ALONE, "n_runs": 5, "spread": "range"}),
        ("no kind of spread", {"scores": SPREAD, **ALONE, "n_runs": 5, "spread": "iqr"}),
        ("one published run", {"scores": SPREAD, **ALONE, "n_runs": 1, "spread": "sd"}),
        ("a score without its spread", {"scores": {**SPREAD, "B": "0.8"}, **ALONE, "n_runs": 5}),
        ("a spread of items", {"scores": SPREAD, **ALONE, "n_items": 10}),
        ("a percentage with the spread of a share", {"scores": {"A": "88%±0.4", "B": "87%±0.4"}, **ALONE, "n_runs": 5, "spread": "sd"}),
        ("two spreads", {"scores": {**SPREAD, "A": "0.9±0.1±0.2"}, **ALONE, "n_runs": 5, "spread": "sd"}),
        ("three numbers of items", {"scores": {"A": "88.3%", "B": "87.6%"}, **ALONE, "n_items": [1, 2, 3]}),
        ("gold of scores alone", {"scores": {"A": "88.3%", "B": "87.6%"}, **ALONE, "n_items": 872, "gold": [1]}),
        ("a score in words", {"scores": {"A": "high", "B": "87.6%"}, **ALONE, "n_items": 872}),
        ("runs that are all the same", {"scores": {"A": "0±0.0", "B": "0±0.0"}, **ALONE, "n_runs": 5, "spread": "sd"}),
    ],
    "choose_items": [
        ("of an unknown number", {"n": None}),
        ("more than there are", {"n": 13}),
        ("none", {"n": 0}),
        ("too few for the strata", {"n": 2, "stratify_by": "score"}),
        ("one bin", {"stratify_by": "score", "n_bins": 1}),
        ("strata and their making", {"stratify_by": "score", "strata": ["x"] * 12}),
        ("a division among no strata", {"allocation": "neyman"}),
        ("a spread of no strata", {"sds": {"x": 1.0}}),
        ("strata of an unknown spread", {"strata": ["x", "y"] * 6, "allocation": "neyman"}),
        ("the spread of one stratum", {"strata": ["x", "y"] * 6, "allocation": "neyman", "sds": {"x": 1.0}}),
        ("a spread below 0", {"strata": ["x", "y"] * 6, "allocation": "neyman", "sds": {"x": 1.0, "y": -1.0}}),
        ("a column that is none", {"stratify_by": "scores"}),
        ("a word for yes", {"shuffle": "yes"}),
        ("equal scores", {"data": {"a": [1] * 10}, "n": 4, "stratify_by": "score"}),
        ("the disagreement of one", {"data": {"a": range(10)}, "n": 4, "stratify_by": "disagreement"}),
        ("scores of ids", {"data": [f"q{i}" for i in range(12)], "stratify_by": "score"}),
        ("scores of text", {"data": {"a": ["x", "y"] * 5}, "n": 4, "stratify_by": "score"}),
        ("an id twice", {"data": ["q", "q"], "n": 1}),
        ("fractions as ids", {"data": [0.5, 0.2], "n": 1}),
        ("clusters across strata", {"n": 4, "clusters": [0, 0, 1, 1] * 3, "strata": ["x", "y"] * 6}),
    ],
    "advise": [
        *((f"{name} of data", {name: value}) for name, value in (("n_systems", 3), ("clustered", True), ("paired", False))),
        *((what, {"data": None, "gold": None, **numbers}) for what, numbers in (
            ("one system", {"n_systems": 1}), ("no run", {"n_runs": 0}), ("half a run", {"n_runs": 2.5}), ("one fold", {"n_folds": 1}),
            ("fewer than none that differ", {"n_differing": -1}),
            ("gold without data", {"gold": ["a", "b"]}), ("systems without data", {"systems": ["a", "b"]}), ("ids without data", {"items": ["a", "b"]}),
            ("clusters without data", {"clusters": ["a", "b"]}), ("columns without data", {"reading": bb.Reading(ignore="a")}),
        )),
    ],
    "replicability": [
        ("a dataset of thousands of digits", {"p_values": {DIGITS: 0.1, "x": 0.2}}),
        ("no p-value above 1", {"p_values": {"u": 0.5, "v": 1.1}}),
        ("a missing p-value", {"p_values": {"u": NAN, "v": 0.5}}),
        ("a list of p-values", {"p_values": {"u": [0.5], "v": 0.5}}),
        ("no p-value", {"p_values": {}}),
    ],
    "aso_tightness": [(f"no run in {name}", {name: 0}) for name in ("m_old", "n_old", "m_new", "n_new")],
    "normality": [
        ("two values", {"values": [1.0, 2.0]}),
        ("equal values", {"values": [2.0, 2.0, 2.0]}),
        ("zeros", {"values": [0.0, -0.0, 0.0, 0.0]}),
        ("a missing value", {"values": [1.0, NAN, 2.0]}),
        ("text", {"values": ["a", "b", "c"]}),
        ("truth values", {"values": [True, False, True]}),
        ("two dimensions", {"values": [[1.0, 2.0], [2.0, 4.0]]}),
    ],
}  # fmt: skip
"""What is wrong with the data or the settings of a question, and the arguments in which it is wrong."""

CASES = [(question, what) for question, rows in TROUBLE.items() for what, _ in rows]


@pytest.mark.parametrize(("question", "what"), CASES)
def test_trouble_is_refused(question: str, what: str) -> None:
    function, sound = calls()[question]
    error = refused(function, {**sound, **dict(TROUBLE[question])[what]})
    known = {*parameters(function), *parameters(bb.Reading), *parameters(bb.Resampling)}
    named = error.argument is None or error.argument in known
    assert named is (f"{question}-{what}" not in MISNAMED)


def test_what_the_troubles_are_made_of_is_sound() -> None:
    for function, arguments in calls().values():
        function(**arguments)
    few = {"n_resamples": 99}
    assert bb.compare_judged(**LABELLED, labels_drawn="random", **few)
    assert bb.compare_judged(FOUR, HUMAN, labels_drawn="random")
    assert bb.compare_judged(VERDICTS, calibration=RATES)
    assert bb.compare_preferences(WINS, **few)
    assert bb.compare_datasets({"u": RUNS, "v": RUNS}, **few)
    assert bb.compare_datasets({"x": EVALUATION, "y": EVALUATION}, **few)
    assert bb.compare_runs(PER_ITEM, **few)
