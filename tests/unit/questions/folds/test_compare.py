"""compare_folds: every form of data, which test is taken, notes, messages."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.unit.comparisons.examples import TABLE, cross_validated, items

from bestby import Evaluation, ScoreMetric, compare_datasets, compare_folds
from bestby._core.errors import InvalidInputError
from bestby.report import words


def test_folds_whose_joined_names_are_alike_all_count() -> None:
    parts = {}
    for again, folds in {"1/2": ["3", "4"], "1": ["2/3", "2/4"]}.items():
        rng = np.random.default_rng(len(again))
        values = {s: rng.normal(size=20) for s in ("a", "b")}
        parts[again] = Evaluation.of(values, strata=np.repeat(folds, 10))
    result = compare_folds(parts, metric="mean")
    (effects,) = result.effects.values()
    assert len(effects.p_values) == len(result.folds) == 4


def test_folds_in_every_form() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (3, 4)), "b": generator.normal(0.68, 0.02, (3, 4))}
    expected = compare_folds(arrays)
    rows = [
        {"repetition": i + 1, "fold": j + 1, **{name: float(x[i, j]) for name, x in arrays.items()}}
        for i in range(3)
        for j in range(4)
    ]
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
        found = compare_folds(frame)
        assert (found.differences, found.folds) == (expected.differences, expected.folds)
    assert compare_folds(pd.DataFrame(rows).assign(item=1)).differences == expected.differences
    parts = cross_validated()
    table = pd.concat(
        [
            pd.DataFrame({"repetition": name, "fold": p.strata, "gold": p.gold, **p.systems})
            for name, p in parts.items()
        ]
    )
    one, other = compare_folds(parts), compare_folds(table, gold="gold")
    assert (one.differences, one.spread, one.effects) == (other.differences, other.spread, other.effects)
    single = compare_folds(parts["1"])
    assert single.folds == tuple(("1", name) for name in dict.fromkeys(map(str, parts["1"].strata)))


def test_five_by_two() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (5, 2)), "b": generator.normal(0.68, 0.02, (5, 2))}
    result = compare_folds(arrays)
    assert result.ratio == 1.0
    (tests,) = result.tests.values()
    assert [test.name for test in tests] == ["corrected-t", "5x2cv-f", "5x2cv-t"]
    assert result.differences[0].test.name == "corrected-t"
    assert compare_folds(arrays, test="5x2cv-t").differences[0].test.name == "5x2cv-t"
    sided = compare_folds(arrays, alternative="greater")
    assert sided.differences[0].test.name == "corrected-t"


def test_the_5x2_tests_are_taken_by_name_only_and_with_a_note() -> None:
    generator = np.random.default_rng(0)
    arrays = {"a": generator.normal(0.7, 0.02, (5, 2)), "b": generator.normal(0.68, 0.02, (5, 2))}
    for test in ("5x2cv-f", "5x2cv-t"):
        found = compare_folds(arrays, test=test)
        (note,) = (note for note in found.notes if note.code == "liberal_test")
        assert "up to 17 %" in note.message
        assert found.differences[0].interval == compare_folds(arrays).differences[0].interval
    assert "liberal_test" not in {note.code for note in compare_folds(arrays).notes}


@pytest.mark.parametrize(
    ("shape", "ratio", "name"),
    [
        ((5, 2), None, "corrected-t"),
        ((2, 2), None, "corrected-t"),
        ((1, 10), None, "corrected-t"),
        ((1, 3), None, "corrected-t"),
        ((10, 10), None, "conservative-t"),
        ((2, 5), None, "conservative-t"),
        ((10, 1), 0.25, "conservative-t"),
        ((1, 10), 0.25, "conservative-t"),  # splits that test more than all items cannot be disjoint folds
        ((1, 4), 0.25, "corrected-t"),
        ((10, 1), 1.0, "corrected-t"),
    ],
)
def test_the_default_over_folds(shape: tuple[int, int], ratio: float | None, name: str) -> None:
    generator = np.random.default_rng(4)
    arrays = {"a": generator.normal(0.7, 0.02, shape), "b": generator.normal(0.69, 0.02, shape)}
    result = compare_folds(arrays, ratio=ratio)
    (d,) = result.differences
    assert d.interval is not None
    assert (d.test.name, d.interval.method, result.provenance.settings["test"]) == (name, name, name)
    assert "correlation_assumed" in {note.code for note in result.notes}
    assert words.name_of_test(name) in " ".join(str(result).split())
    assert ", chosen because " in " ".join(str(result).split())
    plain = compare_folds(arrays, ratio=ratio, test="corrected-t")
    assert ("liberal_test" in {note.code for note in plain.notes}) == (name == "conservative-t")
    assert plain.differences[0].p_value <= d.p_value
    assert plain.provenance.settings["test_choice"] == "by name"
    assert "chosen because" not in " ".join(str(plain).split())


def test_the_correlation_that_is_assumed() -> None:
    generator = np.random.default_rng(5)
    found = {}
    for shape in ((1, 10), (10, 10), (5, 2)):
        arrays = {"a": generator.normal(0.7, 0.02, shape), "b": generator.normal(0.69, 0.02, shape)}
        (note,) = (n for n in compare_folds(arrays).notes if n.code == "correlation_assumed")
        found[shape] = note.message
    assert "0.1 is assumed" in found[1, 10]
    assert "0.1 to 0.18 is assumed" in found[10, 10]
    assert "a correlation of 0.5 is assumed" in found[5, 2]
    assert "weak features" in found[1, 10]
    assert "weak features" not in found[5, 2]


@pytest.mark.parametrize(
    ("shape", "test", "assumed"),
    [
        ((10, 1), "auto", "0.32"),  # random splits cannot show how far they differ
        ((1, 10), "auto", "0.32"),
        ((10, 3), "auto", "0.2 to 0.32"),
        ((1, 4), "conservative-t", "0.2"),  # with four splits the correction is that of corrected-t
        ((10, 1), "corrected-t", "0.2"),
    ],
)
def test_the_correlation_that_is_assumed_of_random_splits(
    shape: tuple[int, int], test: str, assumed: str
) -> None:
    generator = np.random.default_rng(5)
    arrays = {name: generator.normal(0.7, 0.02, shape) for name in "ab"}
    result = compare_folds(arrays, ratio=0.25, test=test)
    (note,) = (n for n in result.notes if n.code == "correlation_assumed")
    assert f"the scores do not show how much, and a correlation of {assumed} is assumed." in note.message


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_tests_and_effects_of_folds_take_the_two_names_in_either_order(alternative: str) -> None:
    result = compare_folds(cross_validated(), alternative=alternative)
    forward, back = result.tests["a", "b"], result.tests["b", "a"]
    assert back == tuple(test.mirrored() for test in forward)
    assert result["b", "a"].test in back
    assert back[0].statistic == -forward[0].statistic
    assert result.tests.get(("b", "a")) == back
    assert result.tests == dict(result.tests)
    if alternative == "two-sided":
        assert result.effects["b", "a"] == result.effects["a", "b"]
        assert ("b", "a") in result.effects
    else:
        assert result.effects.get(("b", "a")) is None
        with pytest.raises(
            InvalidInputError, match=r"score of 'a' is greater[^\n]*\nhint: look up \('a', 'b'\)"
        ):
            result.effects["b", "a"]
    for found in (result.tests, result.effects):
        with pytest.raises(InvalidInputError, match=r"of \('a', 'c'\)[^\n]*\nhint: pairs: \('a', 'b'\)"):
            found["a", "c"]


def test_counts_are_equal_to_a_mapping_with_the_same_items() -> None:
    folds, other = (compare_folds(cross_validated(seed)).effects for seed in (0, 1))
    for counts in (folds, compare_datasets(items(), n_resamples=99).replicability):
        assert counts == dict(counts)
        assert dict(counts) == counts
        assert counts == pickle.loads(pickle.dumps(counts))
        assert counts != other
        assert counts != {}


def test_scores_of_folds_have_no_counts() -> None:
    folds = compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.75]})
    for counts in (folds.effects, compare_datasets(TABLE).replicability):
        with pytest.raises(
            InvalidInputError, match=r"scores without items or runs have none, nor has .*\nhint: give"
        ):
            counts["a", "b"]
        assert ("a", "b") not in counts
        assert counts == {}


def test_folds_without_a_class_are_noted() -> None:
    gold = np.where(np.arange(30) < 4, "rare", "common")
    flat = np.full(30, "common")
    parts = Evaluation.of({"a": gold, "b": flat}, gold, strata=np.arange(30) % 10)
    (note,) = (n for n in compare_folds(parts, metric="f1_macro").notes if n.code == "missing_classes")
    assert note.message.startswith("6 of 10 folds lack a class")
    for metric, folds in (("accuracy", 10), ("f1_macro", 4)):
        whole = dataclasses.replace(parts, strata=np.arange(30) % folds)
        assert "missing_classes" not in {n.code for n in compare_folds(whole, metric=metric).notes}


def test_each_fold_counts_in_the_ratio() -> None:
    """Two folds of ratio 1 and four of ratio 1/3, as if the sizes of the folds were known."""
    rows = [("1", 2), ("2", 4)]
    frame = pd.DataFrame(
        [
            {"repetition": again, "fold": j, "a": 0.7 + 0.01 * j, "b": 0.6 + 0.02 * j}
            for again, k in rows
            for j in range(k)
        ]
    )
    assert compare_folds(frame).ratio == pytest.approx((2 * 1.0 + 4 / 3.0) / 6)
    whole = np.arange(24)
    parts = {
        again: Evaluation.of({"a": whole % 3, "b": whole % 4}, whole % 2, strata=whole % k)
        for again, k in rows
    }
    assert compare_folds(parts, metric="mae").ratio == compare_folds(frame).ratio


def test_the_ratio_is_told_or_found() -> None:
    arrays = {"a": [0.7, 0.8, 0.9, 0.75], "b": [0.6, 0.7, 0.7, 0.65]}
    assumed, told = compare_folds(arrays), compare_folds(arrays, ratio=0.1)
    assert (assumed.ratio, told.ratio) == (pytest.approx(1 / 3), 0.1)
    assert "ratio_assumed" in {note.code for note in assumed.notes}
    assert "ratio_assumed" not in {note.code for note in told.notes}
    assert told.differences[0].p_value < assumed.differences[0].p_value


def test_required_folds() -> None:
    parts = cross_validated(repetitions=1, n=300)
    every = compare_folds(parts, test="k-bonferroni")
    one = compare_folds(parts, test="k-bonferroni", required=1)
    assert every.differences[0].test.statistic == 3.0
    assert every.differences[0].p_value == every.effects["a", "b"].bonferroni[-1]
    assert one.differences[0].p_value <= every.differences[0].p_value


def test_lower_is_better_in_folds() -> None:
    arrays = {"a": [0.7, 0.8, 0.9], "b": [0.6, 0.7, 0.7]}
    assert compare_folds(arrays).systems == ("a", "b")
    assert compare_folds(arrays, metric=ScoreMetric("score", greater_is_better=False)).systems == ("b", "a")


def test_a_difference_without_variance_is_noted() -> None:
    result = compare_folds({"a": [1.0, 2.0, 3.0], "b": [0.5, 1.5, 2.5]})
    assert [note.code for note in result.differences[0].notes] == ["constant_difference"]
    assert result.differences[0].p_value == 0.25
    # An interval of no width would say that the difference is known, which the p-value contradicts.
    assert result.differences[0].interval is None
    assert result.differences[0].standard_error == 0.0
    assert "its spread is unknown" in result.differences[0].notes[0].message
    same = compare_folds({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0]}).differences[0]
    assert (same.interval, same.p_value) == (None, 1.0)
    assert [note.code for note in same.notes] == ["constant_difference"]


@pytest.mark.parametrize("shape", [(4,), (2, 2)])
def test_scores_of_folds_whose_squares_no_float_holds_are_refused(shape: tuple[int, ...]) -> None:
    arrays = {"a": [0.75, 0.71, 0.74, 0.72], "b": [0.74, 0.69, 0.75, 0.66]}
    for unit, message in (
        (1e160, r"the scores of 'a' must be at most 1e\+75 in size, got 7\.5e\+159 at position 0"),
        (1e-200, "the scores of 'a' must not all be smaller than 1e-75"),
    ):
        scaled = {name: np.multiply(x, unit).reshape(shape) for name, x in arrays.items()}
        rows = {name: x.reshape(-1) for name, x in scaled.items()}
        for given in (scaled, pd.DataFrame({"fold": range(4), **rows})):
            with pytest.raises(InvalidInputError, match=message):
                compare_folds(given)

    def huge(gold: Any, predicted: Any) -> float:
        return float((gold == predicted).mean()) * 1e160

    with pytest.raises(InvalidInputError, match="at most 1e\\+75 in size"):
        compare_folds(cross_validated(repetitions=1), metric=huge, n_resamples=9)
    kept = {name: np.multiply(x, 1e74) for name, x in arrays.items()}
    expected, found = (compare_folds(x).differences[0].p_value for x in (arrays, kept))
    assert found == pytest.approx(expected)
