"""Parameters have one name and one place in the order in all public functions."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb

ORDER = """
    data gold judge human predictions calibration metric quality cost greater_is_better statistic per_class
    systems conditions baseline focus candidate pool items facets nested fixed unmatched dataset datasets outer fold repetition a b winner
    run clusters voter covariates order strata labels_drawn bias_by by crossed min_items on_missing reading
    normalise paired missing texts label_sets label_separator format stream ratio required ties scale prior
    voter_weights weights study interval test across inside correction level alternative margin at_most fail_test
    n_comparisons curve n_simulations rng n_resamples resampling
""".split()  # noqa: SIM905 - a list of words
"""The order that docs/concepts/design.md lays down."""

COMPARISONS: dict[str, Callable[..., Any]] = {
    "compare": bb.compare,
    "compare_datasets": bb.compare_datasets,
    "compare_facets": bb.compare_facets,
    "compare_folds": bb.compare_folds,
    "compare_judged": bb.compare_judged,
    "compare_preferences": bb.compare_preferences,
    "compare_runs": bb.compare_runs,
    "evaluate": bb.evaluate,
    "frontier": bb.frontier,
    "gate": bb.gate,
    "multi_aso": bb.multi_aso,
    "Study.compare": bb.Study.compare,
}
READERS: dict[str, Callable[..., Any]] = {
    "read": bb.read,
    "read_datasets": bb.read_datasets,
    "read_folds": bb.read_folds,
    "read_preferences": bb.read_preferences,
    "read_runs": bb.read_runs,
}
PLANS: dict[str, Callable[..., Any]] = {
    "minimum_detectable": bb.minimum_detectable,
    "power": bb.power,
    "sample_size": bb.sample_size,
}
RESAMPLING = {**COMPARISONS, **PLANS, "aso": bb.aso, "normality": bb.normality}
RUNS = {"a": [0.81, 0.84, 0.83, 0.86, 0.82], "b": [0.79, 0.80, 0.78, 0.81, 0.80]}


def names(function: Callable[..., Any]) -> list[str]:
    return [
        name
        for name in inspect.signature(function).parameters
        if name not in ("self", "design", "n", "power", "path", "paths", "options")
    ]


ORDERED = {**COMPARISONS, **PLANS, **READERS, "compare_slices": bb.compare_slices}


@pytest.mark.parametrize("name", ORDERED)
def test_order(name: str) -> None:
    found = names(ORDERED[name])
    assert set(found) <= set(ORDER), "a new parameter needs a place in the order"
    assert found == sorted(found, key=ORDER.index)


def test_every_place_is_taken() -> None:
    taken = {name for function in ORDERED.values() for name in names(function)}
    assert taken == set(ORDER)


@pytest.mark.parametrize("name", RESAMPLING)
def test_defaults_are_the_same(name: str) -> None:
    parameters = inspect.signature(RESAMPLING[name]).parameters
    expected = {"level": 0.95, "rng": 0, "resampling": None}
    expected |= {"alternative": "two-sided", "correction": "holm", "margin": None, "baseline": None}
    for parameter, default in expected.items():
        assert parameter not in parameters or parameters[parameter].default == default
    assert "resampling" in parameters


@pytest.mark.parametrize("name", [*COMPARISONS, *READERS])
def test_names_of_systems_and_items_have_one_type(name: str) -> None:
    parameters = inspect.signature({**COMPARISONS, **READERS}[name]).parameters
    expected = {"systems": "str | Sequence[str] | None", "on_missing": "OnMissing"}
    expected |= {"reading": "Reading | None", "resampling": "Resampling | None"}
    for parameter, annotation in expected.items():
        assert parameter not in parameters or parameters[parameter].annotation == annotation
    assert not {"item", "cluster", "stratum"} & set(parameters)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_answers_the_names_that_options_have(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,gold,a,b\n1,x,x,y\n2,y,y,y\n", encoding="utf-8")
    for word, meant in (
        ("item", "items"),
        ("cluster", "clusters"),
        ("system", "systems"),
        ("stratum", "strata"),
    ):
        if meant in inspect.signature(READERS[name]).parameters:
            with pytest.raises(
                TypeError, match=rf"{name}\(\) has no parameter '{word}'; did you mean {meant}\?"
            ):
                READERS[name](path, **{word: "id"})


def test_the_record_and_the_keywords_are_the_same() -> None:
    record = bb.Resampling(n_resamples=77, rng=3)
    result = bb.compare(RUNS, resampling=record)
    assert (result.provenance.n_resamples, result.provenance.seed) == (77, 3)
    assert str(result) == str(bb.compare(RUNS, n_resamples=77, rng=3))
    assert bb.compare(RUNS, n_resamples=77, resampling=bb.Resampling(rng=3)).provenance == result.provenance
    assert bb.compare_runs(RUNS, resampling=record).provenance.n_resamples == 77
    assert bb.compare(RUNS, resampling=bb.Resampling(rng=3)).provenance.n_resamples == 10_000
    assert bb.compare(RUNS, n_resamples=77, resampling=record).provenance == result.provenance
    with ThreadPoolExecutor(1) as executor:
        assert bb.compare(RUNS, resampling=bb.Resampling(executor=executor)).signature


def test_what_contradicts_or_has_no_effect_is_refused() -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="rng=5 contradicts resampling, which has rng=3"):
        bb.compare(RUNS, rng=5, resampling=bb.Resampling(rng=3))
    with pytest.raises(bb.errors.InvalidInputError, match=r"resampling\.resample_size=0.5 has no effect"):
        bb.compare_runs(RUNS, resampling=bb.Resampling(resample_size=0.5))
    with pytest.raises(bb.errors.InvalidInputError, match="resampling must be a Resampling"):
        bb.compare(RUNS, resampling=7)


@pytest.mark.parametrize(
    ("word", "meant"), [("seed", "rng"), ("metrics", "metric"), ("cluster", "clusters"), ("alpha", "level")]
)
def test_an_unknown_keyword_is_answered(word: str, meant: str) -> None:
    for error in (TypeError, bb.errors.InvalidInputError):
        with pytest.raises(error, match=rf"compare\(\) has no parameter '{word}'; did you mean {meant}\?"):
            bb.compare(RUNS, **{word: 1})
    with pytest.raises(TypeError) as caught:
        bb.normality(np.arange(5.0), quux=1)  # type: ignore[call-arg]
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("function", "keyword", "value", "hint"),
    [
        (bb.compare, "n_jobs", 4, "resampling=bestby.Resampling(n_jobs=4)"),
        (bb.gate, "workers", 4, "resampling=bestby.Resampling(n_jobs=4)"),
        (bb.compare_runs, "cache", "counts", "resampling=bestby.Resampling(cache='counts')"),
        (bb.power, "progres", print, "resampling=bestby.Resampling(progress=...)"),
        (bb.compare, "greater_is_better", True, 'metric=bestby.ScoreMetric("score", greater_is_better=True)'),
        (bb.compare, "lower_is_better", True, 'metric=bestby.ScoreMetric("score", greater_is_better=False)'),
        (bb.evaluate, "blocks", 25, "clusters=bestby.Blocks(25)"),
        (bb.read_runs, "value_column", "acc", "reading=bestby.Reading(value_column='acc')"),
        (bb.read, "ignore", ["x"], "reading=bestby.Reading(ignore=...)"),
        (bb.gate, "annotators", "resample", "reading=bestby.Reading(annotators='resample')"),
        (bb.compare_judged, "simultaneous", True, 'correction="simultaneous"'),
        (bb.Study.compare, "rescale", False, "resampling=bestby.Resampling(rescale=False)"),
    ],
)
def test_a_keyword_that_has_moved_says_where_it_is_given(
    function: Callable[..., Any], keyword: str, value: Any, hint: str
) -> None:
    with pytest.raises(TypeError) as caught:
        function(RUNS, **{keyword: value})
    home = hint.partition("=")[0]
    assert str(caught.value).endswith(f"has no parameter '{keyword}': it is given in {home}\nhint: {hint}")


def test_a_keyword_is_not_sent_to_a_place_that_refuses_it() -> None:
    with pytest.raises(TypeError, match=r"compare_runs\(\) has no parameter 'simultaneous'\n"):
        bb.compare_runs(RUNS, simultaneous=True)  # type: ignore[call-arg]
    blocks, scores = bb.Blocks(5), {"a": LABELS, "b": LABELS[::-1]}
    for refused in (
        lambda: bb.compare_slices(scores, by={"half": LABELS}, clusters=blocks),
        lambda: bb.choose_items(scores, 3, clusters=blocks),
    ):
        with pytest.raises(bb.errors.InvalidInputError, match="blocks of items are for compare, evaluate"):
            refused()


def test_an_option_of_a_format_is_no_misspelt_parameter(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,gold,a,b\n1,x,x,y\n2,y,y,y\n", encoding="utf-8")
    with pytest.raises(bb.errors.InvalidInputError, match=r"a table takes no case\nhint: .*transcripts"):
        bb.read(path, gold="gold", case=True)


LABELS = [1, 0] * 12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bb.compare(LABELS, LABELS, LABELS), r"compare\(\) takes 2 arguments by position \(data, gold\)"),
        (lambda: bb.evaluate({"a": LABELS}, LABELS, "accuracy"), r"got 3\n.*name the others: metric=\.\.\."),
        (lambda: bb.compare({"a": LABELS}, data={"a": LABELS}), "has data twice"),
        (lambda: bb.compare_slices({"a": LABELS}, LABELS), r"compare_slices\(\) needs by\nhint: .*by=\.\.\."),
        (lambda: bb.planning.PairedScores(0.1), r"PairedScores\(\) needs sd"),
        (lambda: bb.planning.PairedProportions(0.8, 0.7, 0.9, "exact", 9, 9), "takes 5 arguments by position"),
        (lambda: bb.Evaluation.of(), r"Evaluation.of\(\) needs systems\nhint: call it as Evaluation.of\(systems=",),
        (lambda: bb.load(), "needs source"),
        (lambda: bb.aso_tightness(5), "needs n_old and m_new and n_new"),
        (lambda: bb.Study("s").add("a", LABELS), r"add\(\) takes 1 argument by .*\n.*: run=\.\.\., predictions=\.\.\."),
        (lambda: bb.Study("s").compare("f1"), r"takes no arguments by position, got 1\n.*metric=\.\.\."),
    ],
)  # fmt: skip
def test_a_wrong_call_is_answered(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=message) as error:
        call()
    assert isinstance(error.value, TypeError)


def test_what_is_answered_to_a_wrong_call_works() -> None:
    result = bb.compare({"a": LABELS, "b": LABELS[::-1]}, LABELS, metric="accuracy")
    assert [one.score for one in result.systems] == [1.0, 0.0]
