"""Laws 5, 8 and 9 for whatever is passed: a result that obeys them, or an error that says what to do."""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.drawn_values import columns, names, odd_settings, plain, scalars, sizes
from tests.laws.outcomes import check_error, numbers
from tests.laws.roster import INTERVALS, TESTS

import bestby as bb
from bestby.cli.inputs import in_records

SETTINGS = {"suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}
FEW = 60
"""Resamples: the laws hold for any number."""


def check_outcome(call: Callable[[], Any]) -> Any:
    """Return the result, None for an error of ours, whose text is checked; other errors and warnings fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call()
        except bb.errors.BestbyError as error:
            check_error(error)
            return None


def check_comparison(result: Any) -> None:
    """Check p-values and intervals of a comparison of any kind, and that its pairs mirror."""
    for d in result.differences:
        assert 0.0 < d.p_value <= 1.0 or (d.test.exact and d.p_value == 0.0)
        assert d.p_value <= d.p_adjusted <= 1.0 or math.isnan(d.p_adjusted)
        assert math.isfinite(d.estimate)
        if d.interval is not None:
            assert d.interval.low < d.interval.high
            assert np.isfinite([d.interval.low, d.interval.high]).all() or d.notes or result.notes
        mirrored = result[d.b, d.a]
        assert mirrored.estimate == -d.estimate
        assert (
            mirrored.p_adjusted == d.p_adjusted
            or result.provenance.settings.get("alternative") != "two-sided"
        )
    assert str(result)
    assert result.to_json()


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return systems and gold: sound ones, those with one odd column, or odd ones altogether."""
    how = draw(st.sampled_from(["sound", "one odd", "odd"]))
    n = 6 if how == "sound" else draw(sizes)
    column, given = plain(n), ["a", "b", "c"][: draw(st.sampled_from([2, 2, 3, 1, 0]))]
    if how == "odd":
        column = draw(st.sampled_from([plain(n), columns(n)]))
        given = draw(st.lists(names, max_size=3, unique=True))
    systems: Any = {name: draw(column) for name in given}
    if how == "one odd" and given:
        systems[given[-1]] = draw(columns(n))
    gold = draw(st.none() | plain(n) if how == "sound" else st.none() | plain(n) | columns(n))
    return systems, gold


options = st.one_of(
    odd_settings,
    st.fixed_dictionaries({"interval": st.sampled_from(INTERVALS), "test": st.sampled_from(TESTS)}),
    st.fixed_dictionaries({"clusters": columns(6)}),
    st.fixed_dictionaries({"clusters": st.lists(columns(6), max_size=3)}),
    st.fixed_dictionaries({"items": columns(6)}),
    st.fixed_dictionaries({"strata": columns(6), "clusters": st.none() | plain(6)}),
    *(
        st.sampled_from([{name: value} for value in values])
        for name, values in {
            "metric": [
                "f1_macro",
                "roc_auc",
                "pearson",
                "spearman",
                "mse",
                "cross_entropy",
                "bleu",
                "?",
                "",
                3,
                [],
            ],
            "margin": [0.1, -1, math.nan, "x", math.inf, 1j, [1]],
            "resample_size": [0.5, 2, 10**6, "x", math.nan, True],
            "blocks": [1, 2, 10**9, "x", 2.0],
            "baseline": ["a", "?", 3, ["a"]],
            "n_jobs": [2, 0, "x"],
            "on_missing": ["drop", "worst", "drop-systems", "pairs", "bounds", None, 3],
            "classes": [[0, 1], ["x", "y"], [], "xy", 3],
            "annotators": ["fixed", "resample", 3],
            "correction": ["bh", "none", "", None, 3],
        }.items()
    ),
)


@settings(**SETTINGS)
@given(evaluations(), options)
def test_compare(made: tuple[Any, Any], given: dict[str, Any]) -> None:
    systems, gold = made
    result = check_outcome(
        lambda: bb.compare(systems, gold, **in_records(bb.compare, {"n_resamples": FEW, **given}))
    )
    if result is not None:
        check_comparison(result)


@settings(**SETTINGS)
@given(evaluations(), options)
def test_evaluation(made: tuple[Any, Any], given: dict[str, Any]) -> None:
    known = {k: v for k, v in given.items() if k in ("items", "clusters", "strata", "on_missing", "classes")}
    found = check_outcome(lambda: bb.Evaluation.of(*made, **known))
    if found is not None:
        assert found.n_items >= 2
        assert len(found.names) >= 1
        assert all(len(values) == found.n_items for values in found.systems.values())
        assert len(found.data_hash()) == 16


@settings(max_examples=15, **SETTINGS)
@given(
    evaluations(),
    st.sampled_from(["pandas", "polars", "arrow"]),
    st.sampled_from(["gold", "a", "?", 3, None]),
)
def test_a_frame(made: tuple[Any, Any], library: str, gold: Any) -> None:
    maker = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[library]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = maker({**made[0], "gold": made[1]})
    except Exception:  # the library does not take such columns
        return
    for on_missing in ("error", "drop", "worst"):
        result = check_outcome(lambda: bb.compare(frame, gold, n_resamples=FEW, on_missing=on_missing))  # noqa: B023
        if result is not None:
            check_comparison(result)


@settings(**SETTINGS)
@given(
    evaluations(),
    odd_settings,
    st.sampled_from([{}, {"paired": True}, {"statistic": "median"}, {"test": "aso"}]),
)
def test_runs(made: tuple[Any, Any], given: dict[str, Any], more: dict[str, Any]) -> None:
    for call in (
        lambda: bb.compare_runs(made[0], **{"n_resamples": FEW, **given, **more}),
        lambda: bb.compare_runs(
            {name: [values, values] for name, values in made[0].items()},
            gold=made[1],
            **{"n_resamples": FEW, **given, **more},
        ),
    ):
        result = check_outcome(call)
        if result is not None:
            check_comparison(result)


@settings(**SETTINGS)
@given(
    columns(4) | plain(5), columns(4) | plain(5), odd_settings, st.sampled_from([{}, {"n_comparisons": 0}])
)
def test_stochastic_order(a: Any, b: Any, given: dict[str, Any], more: dict[str, Any]) -> None:
    given = {"n_resamples": FEW, **more, **{k: v for k, v in given.items() if k != "alternative"}}
    found = check_outcome(lambda: bb.aso(a, b, **given))
    if found is not None:
        assert 0.0 <= found.violation_ratio <= 1.0 or math.isnan(found.violation_ratio)
        assert 0.0 <= found.epsilon_min <= 1.0 or math.isnan(found.epsilon_min)
    check_outcome(lambda: bb.multi_aso({"a": a, "b": b, "c": [0.1, 0.4, 0.2]}, **given))
    check_outcome(lambda: bb.normality(a, n_resamples=99))


@settings(**SETTINGS)
@given(
    st.one_of(columns(5), st.dictionaries(names, st.floats(-0.1, 1.1) | scalars, max_size=4)),
    st.one_of(scalars, st.floats(0, 1)),
)
def test_replicability(p_values: Any, alpha: Any) -> None:
    for more in ({}, {"alpha": alpha}):
        found = check_outcome(lambda: bb.replicability(p_values, **more))  # noqa: B023
        if found is not None:
            str(found)
            found.to_json()


@settings(**SETTINGS)
@given(
    st.sampled_from(
        [
            (
                bb.planning.PairedScores,
                {"difference": 0.3, "sd": 1.0, "design_effect": 1.0, "cluster_size": 1.0},
            ),
            (bb.planning.PairedProportions, {"accuracy_a": 0.8, "accuracy_b": 0.7, "agreement": 0.8}),
            (
                bb.planning.RunsAndItems,
                {"difference": 0.3, "item_sd": 1.0, "run_sd": 0.1, "rest_sd": 0.5, "runs": 3},
            ),
            (
                bb.planning.FacetedScores,
                {
                    "difference": 0.3,
                    "components": {"seed in prompt": 0.1, "item": 1.0},
                    "levels": {"prompt": 4, "seed": 2},
                    "fixed": (),
                    "counted": "item",
                },
            ),
        ]
    ),
    st.data(),
)
def test_planning(of: tuple[Any, dict[str, Any]], data: st.DataObject) -> None:
    kind, fields = of
    odd = data.draw(st.sampled_from([None, *fields]))
    if odd is not None:
        fields = {**fields, odd: data.draw(scalars)}
    given = {k: v for k, v in data.draw(odd_settings).items() if k != "n_resamples"}
    n = data.draw(st.sampled_from([50, 50, 2, 1, 0, -3, 2.5, None, "x", 10**12]) | scalars)
    power = data.draw(st.sampled_from([0.8, 0.9]) | scalars)
    design = check_outcome(lambda: kind(**fields))
    if design is None:
        return
    for call in (
        lambda: bb.power(design, n, **given),
        lambda: bb.sample_size(design, power, **given),
        lambda: bb.minimum_detectable(design, n, power, **given),
        lambda: bb.power(design, 50, n_comparisons=n),
        lambda: bb.power(design, 50, curve=[n, 20]),
    ):
        plan = check_outcome(call)
        if plan is not None:
            assert plan.power is None or 0.0 <= plan.power <= 1.0 + 1e-12
            str(plan)
    if kind is bb.planning.RunsAndItems:
        check_outcome(lambda: bb.allocate(design, n, run_cost=1.0, item_cost=0.1))
    if kind is bb.planning.FacetedScores:
        check_outcome(lambda: bb.allocate(design, n, costs={"prompt": power, "call": 0.1}))


@settings(**SETTINGS)
@given(columns(6) | plain(6), scalars)
def test_planning_from_scores(scores: Any, lift: Any) -> None:
    for more in ({}, {"lift": lift}, {"by": lift}):
        design = check_outcome(lambda: bb.planning.LiftedScores(scores, **more))  # noqa: B023
        if design is not None:
            plan = check_outcome(lambda: bb.power(design, 8, n_simulations=20, n_resamples=19))  # noqa: B023
            assert plan is None or 0.0 <= plan.power <= 1.0


@settings(**SETTINGS)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "metric",
                "n_items",
                "n_differing",
                "n_systems",
                "n_runs",
                "n_datasets",
                "n_folds",
                "clustered",
                "paired",
                "mean_of_items",
                "binary",
                "data",
            ]
        ),
        scalars | st.sampled_from(["accuracy", "f1_macro", 100, True]),
        max_size=4,
    )
)
def test_advise(given: dict[str, Any]) -> None:
    found = check_outcome(lambda: bb.advise(**given))
    if found is not None:
        assert str(found)
        assert found.to_json()


@settings(**SETTINGS)
@given(
    st.dictionaries(
        names,
        st.one_of(scalars, st.dictionaries(names, numbers | scalars, max_size=3), columns(3)),
        max_size=3,
    )
    | columns(4)
    | st.lists(scalars, max_size=3),
    odd_settings,
)
def test_datasets_and_folds(data: Any, given: dict[str, Any]) -> None:
    check_outcome(lambda: bb.compare_datasets(data, **{"n_resamples": FEW, **given}))
    check_outcome(lambda: bb.compare_folds(data, **{"n_resamples": FEW, **given}))


@settings(**SETTINGS)
@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz"), st.sampled_from(["a", "b", "tie"])),
        max_size=12,
    )
    | st.lists(st.tuples(names, names, st.sampled_from(["a", "b", "tie", "x", None]) | scalars), max_size=4)
    | columns(4),
    odd_settings,
    st.sampled_from(
        [
            {},
            {"ties": "drop"},
            {"ties": "x"},
            {"scale": "win rate"},
            {"prior": -1},
            {"prior": "jeffreys"},
            {"prior": "x"},
        ]
    )
    | st.fixed_dictionaries({"clusters": columns(4)}),
)
def test_preferences(judged: Any, given: dict[str, Any], more: dict[str, Any]) -> None:
    result = check_outcome(lambda: bb.compare_preferences(judged, **{"n_resamples": FEW, **given, **more}))
    if result is not None:
        check_comparison(result)


CELLS = [(system, p, s, i) for system in "ab" for p in range(2) for s in range(2) for i in range(2)]


@settings(**SETTINGS)
@given(
    st.lists(numbers | st.sampled_from([0, 1]), min_size=16, max_size=16)
    | st.lists(scalars, min_size=16, max_size=16),
    st.sets(st.sampled_from(CELLS), max_size=4),
    st.integers(1, 2),
    st.sampled_from([{}, {"fixed": "prompt"}, {"fixed": ("prompt", "item")}, {"nested": {"seed": "prompt"}}]),
    odd_settings,
)
def test_facets(
    scores: list[Any], holes: set[Any], n_items: int, given: dict[str, Any], more: dict[str, Any]
) -> None:
    names_of = ("system", "prompt", "seed", "item")
    rows = [
        {**dict(zip(names_of, cell, strict=True)), "score": score}
        for cell, score in zip(CELLS, scores, strict=True)
        if cell not in holes and cell[3] < n_items
    ]
    arguments = {"facets": ("prompt", "seed"), "n_resamples": FEW, **given, **more}
    result = check_outcome(lambda: bb.compare_facets(rows, **arguments))
    if result is not None:
        check_comparison(result)


@settings(**SETTINGS)
@given(
    st.lists(st.lists(numbers | st.none(), min_size=5, max_size=5), min_size=2, max_size=4)
    | st.lists(st.lists(st.sampled_from(["x", "y", "", None]), min_size=5, max_size=5), max_size=4)
    | st.lists(columns(5), max_size=3),
    st.sampled_from(["nominal", "ordinal", "interval", "ratio", "x"]),
)
def test_agreement(labels: list[Any], scale: str) -> None:
    table = {f"annotator_{place}": column for place, column in enumerate(labels)}
    result = check_outcome(lambda: bb.agreement(table, scale=scale))
    assert result is None or (str(result) and result.to_json())


ANSWERS = st.lists(st.lists(st.booleans() | st.sampled_from([0, 1, 0.5]), max_size=4), max_size=4)


@settings(**SETTINGS)
@given(st.dictionaries(names, ANSWERS | columns(3), max_size=3), st.sampled_from(["pass@k", "pass^k", "x"]))
def test_attempts(answers: dict[str, Any], metric: str) -> None:
    result = check_outcome(lambda: bb.compare_attempts(answers, metric=metric))
    assert result is None or (str(result) and result.to_json())


@settings(**SETTINGS)
@given(evaluations(), st.dictionaries(st.sampled_from("abc"), scalars | columns(6), max_size=3))
def test_frontier(made: tuple[Any, Any], costs: dict[str, Any]) -> None:
    result = check_outcome(lambda: bb.frontier(*made, cost={"price": costs}, n_resamples=FEW))
    assert result is None or (str(result) and result.to_json())


@settings(max_examples=12, **SETTINGS)
@given(evaluations(), names, scalars)
def test_study(made: tuple[Any, Any], condition: Any, run: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _study(Path(folder) / "s", made, condition, run)
        _study_of_any_name(Path(folder) / "named", condition, run)


def _study(folder: Path, made: tuple[Any, Any], condition: Any, run: Any) -> None:
    study = bb.Study(folder)
    for name, values in made[0].items():
        own = {"gold": made[1], "baseline": name == "a"}
        check_outcome(partial(study.add, name, run=run, predictions=values, **own))
        more = {str(name): run}
        check_outcome(partial(study.add, condition, run=1, predictions=values, against=name, **more))
    check_outcome(lambda: study.compare(n_resamples=FEW))
    check_outcome(lambda: study.runs(condition))
    check_outcome(lambda: study.remove(condition, run))


def _study_of_any_name(folder: Path, condition: Any, run: Any) -> None:
    study = bb.Study(folder)
    study.add("base", run=0, predictions=list("xyxyx"), gold=list("xyyyx"), baseline=True)
    study.add("sound", run=0, predictions=list("xyyxx"))
    check_outcome(partial(study.add, condition, run=run, predictions=list("xxyyx")))
    result = check_outcome(lambda: study.compare(n_resamples=FEW))
    assert result is not None
    assert {d.b for d in result} == {"base"}
    str(result)
    result.to_json()


@settings(max_examples=20, **SETTINGS)
@given(
    st.one_of(scalars, st.lists(scalars, max_size=2), st.dictionaries(names, scalars, max_size=2)),
    st.dictionaries(
        st.sampled_from(
            [
                "gold",
                "items",
                "clusters",
                "systems",
                "on_missing",
                "missing",
                "classes",
                "annotators",
                "format",
            ]
        ),
        scalars | st.sampled_from(["gold", "a", ["a"], "drop"]),
        max_size=2,
    ),
    st.booleans(),
)
def test_reading(paths: Any, given: dict[str, Any], real: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        table.write_text("gold,a,b\n1,1,0\n0,1,0\n1,1,1\n", encoding="utf-8")
        source = table if real else paths
        shared = {k: v for k, v in given.items() if k in ("gold", "items", "clusters", "systems", "missing")}
        check_outcome(lambda: bb.read(source, **given))
        check_outcome(lambda: bb.read_runs(source, **shared))
        check_outcome(lambda: bb.read_datasets(source, **shared))
        check_outcome(lambda: bb.read_folds(source, **shared))


@settings(**SETTINGS)
@given(columns(5), st.none() | columns(3))
def test_annotations(labels: Any, classes: Any) -> None:
    found = check_outcome(lambda: bb.Annotations.of(labels, classes))
    if found is not None:
        assert (found.counts >= 0).all()
