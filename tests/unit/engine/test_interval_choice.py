"""The rule of interval="auto", clause by clause, and the notes on intervals that cover less than they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby import Resampling, compare
from bestby.engine.interval_choice import (
    ENOUGH_DIFFERING,
    FEW_DIFFERING,
    choose_interval,
    for_verdict,
    reservation,
    strata_note,
)
from bestby.inference.influence import Shown
from bestby.inference.skewness import FEWEST, FROM_UNITS
from bestby.results import Comparison

FEW = ENOUGH_DIFFERING - 1


@pytest.mark.parametrize(
    ("given", "method"),
    [
        ({"proportion": True}, "tango"),
        ({"proportion": True, "difference": False}, "wilson-midp"),
        ({"proportion": True, "stratified": True, "formula": True}, "normal"),
        ({"n_differing": ENOUGH_DIFFERING}, "bca"),
        ({"n_differing": 1000, "n_effective": float(ENOUGH_DIFFERING), "formula": True}, "abc"),
        ({"n_units": FROM_UNITS, "plain_mean": True, "formula": True}, "hall"),
        ({"n_units": FROM_UNITS - 1, "plain_mean": True, "formula": True}, "normal"),
        ({"n_units": 10**6, "n_differing": 10**6, "plain_mean": True, "formula": True}, "hall"),
        ({"n_units": FROM_UNITS, "plain_mean": True, "stratified": True, "proportion": True}, "hall"),
        ({"n_units": FEWEST, "plain_mean": True, "difference": False}, "hall"),
        ({"n_units": FEWEST - 1, "plain_mean": True, "difference": False}, "normal"),
        ({"n_units": FROM_UNITS, "mean": True, "clustered": True, "few_clusters": True}, "hall"),
        ({"n_units": FROM_UNITS - 1, "mean": True, "clustered": True, "few_clusters": True}, "cr2"),
        ({"n_units": FROM_UNITS - 1, "mean": True, "clustered": True, "difference": False}, "cr2"),
        ({"n_differing": 1000, "difference": False, "formula": True}, "hall-wide"),
        ({"difference": False, "formula": True, "correlation": True}, "fisher-z"),
        ({"difference": False, "ranks": True, "correlation": True}, "fisher-z"),
        ({"n_differing": 1000, "n_effective": ENOUGH_DIFFERING - 0.1, "formula": True}, "normal"),
        ({"n_differing": 1000, "formula": True, "shown_by_resamples": 0.5}, "normal"),
        ({"n_differing": 1000, "ranks": True, "difference": False, "shown_by_resamples": 0.5}, "normal"),
        ({"n_differing": 1000, "clustered": True, "robust": True, "shown_by_resamples": 0.5}, "cr2"),
        ({"n_differing": 1000, "shown_by_resamples": 0.5}, "bca"),
        ({"n_differing": 1000, "formula": True, "shown_by_resamples": 0.95}, "abc"),
        ({"n_differing": FEW, "formula": True}, "normal"),
        ({"n_differing": FEW}, "basic"),
        ({"n_differing": FEW, "ranks": True}, "normal"),
        ({"n_differing": 1000, "n_effective": float(ENOUGH_DIFFERING), "ranks": True}, "abc"),
        ({"n_differing": FEW, "difference": False, "ranks": True}, "bca-expanded"),
        ({"n_differing": 1000, "clustered": True, "robust": True, "ranks": True}, "abc"),
        ({"n_differing": FEW, "clustered": True, "ranks": True}, "normal"),
        ({"n_differing": FEW, "difference": False}, "bca-expanded"),
        ({"n_differing": 1000, "clustered": True, "robust": True}, "bca"),
        ({"n_differing": FEW, "clustered": True, "robust": True, "formula": True}, "cr2"),
        ({"n_differing": FEW, "clustered": True, "robust": True, "difference": False}, "cr2"),
        ({"n_differing": FEW, "clustered": True}, "basic"),
        ({"n_differing": 1000, "clustered": True, "few_clusters": True, "robust": True}, "cr2"),
        ({"n_differing": 1000, "clustered": True, "few_clusters": True}, "bca"),
        ({"n_differing": 1000, "clustered": True, "blocks": True, "robust": True}, "cr2"),
        ({"n_differing": 1000, "clustered": True, "blocks": True}, "basic"),
        ({"n_differing": 1000, "clustered": True, "crossed": True, "robust": True}, "two-way"),
        (
            {"n_differing": 1000, "clustered": True, "few_clusters": True, "robust": True, "drawn": True},
            "basic",
        ),
    ],
)
def test_the_rule(given: dict[str, Any], method: str) -> None:
    situation = {
        "proportion": False,
        "difference": True,
        "n_differing": 0,
        "plain_mean": False,
        "stratified": False,
    } | given
    choice = choose_interval(**situation)
    assert choice.method == method
    assert choice.reason


def test_a_verdict_is_read_from_an_interval_that_allows_for_more_skewness() -> None:
    for method in ("hall", "normal", "cr2", "auto"):
        assert for_verdict(method, mean=True, n_units=FEWEST) == "hall-wide"
        assert for_verdict(method, mean=True, n_units=FEWEST - 1) == method
        assert for_verdict(method, mean=False, n_units=100) == method
    assert for_verdict("tango", mean=True, n_units=100) == "tango"


def test_compare_follows_it() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 300)
    a = np.where(rng.random(300) < 0.2, 1 - gold, gold)
    b = a.copy()
    b[:20] = 1 - b[:20]
    result = compare({"a": a, "b": b}, gold, metric=["f1[1]", "roc_auc"], n_resamples=200)
    assert result["a", "b", "f1[1]"].interval.method == "normal"
    assert result["a", "b", "roc_auc"].interval.method == "normal"
    x = rng.normal(size=(2, 30))
    strata = compare({"a": x[0], "b": x[1]}, strata=np.arange(30) % 2, n_resamples=200)
    assert strata["a", "b"].interval.method == "hall"


@pytest.mark.parametrize(
    ("method", "given", "code"),
    [
        ("normal", {"n_differing": FEW_DIFFERING - 1}, "few_differing"),
        ("normal", {"n_differing": FEW_DIFFERING, "n_effective": 6.9}, "few_effective"),
        ("normal", {"n_differing": FEW_DIFFERING, "n_effective": 7.0}, None),
        ("normal", {"n_effective": 2.9, "plain_mean": True}, "few_effective"),
        (
            "normal",
            {"n_differing": 0, "n_effective": 0.0},
            None,
        ),  # identical systems have a note of their own
        ("tango", {"n_differing": FEW_DIFFERING - 1, "n_effective": 1.0}, "few_differing"),
        ("tango", {"n_differing": FEW_DIFFERING, "n_effective": 1.0}, None),
        ("wilson", {"n_effective": 1.9, "difference": False}, "few_effective"),
        ("wilson", {"n_effective": 2.0, "difference": False}, None),
        ("bca", {"n_effective": 19.9}, "few_effective"),
        ("bca", {"n_effective": 20.0}, None),
        ("percentile", {"n_effective": 19.9}, "few_effective"),
        ("percentile", {"n_effective": None}, None),
        ("percentile", {"n_effective": 5.9, "ranks": True}, "few_effective"),
        ("percentile", {"n_effective": 6.0, "ranks": True}, None),
        ("basic", {"n_effective": 4.9}, "few_effective"),
        ("basic", {"n_effective": 5.0}, None),
        ("studentized", {"n_effective": 9.9, "plain_mean": True}, "few_effective"),
        ("studentized", {"n_effective": 10.0, "plain_mean": True}, None),
        ("studentized", {"n_effective": 1.0}, None),
        ("bca", {"n_effective": 6.9, "difference": False}, "few_effective"),
        ("bca", {"n_effective": 7.0, "difference": False}, None),
        ("cr2", {"n_effective": 4.9}, "few_effective"),
        ("cr2", {"n_effective": 5.0}, None),
        ("cr2", {"n_effective": 2.9, "difference": False}, "few_effective"),
        ("cr2", {"n_effective": 3.0, "difference": False}, None),
    ],
)
def test_intervals_that_do_not_cover_what_they_say_are_noted(
    method: str, given: dict[str, Any], code: str | None
) -> None:
    note = reservation(method, **{"difference": True, "n_differing": 100, "n_effective": 100.0, **given})
    assert (None if note is None else note.code) == code


def test_the_notes_say_how_few() -> None:
    note = reservation("normal", difference=True, n_differing=1, n_effective=1.0)
    assert note is not None
    assert note.message == "the systems differ on only one unit: the interval is probably too short"
    note = reservation("tango", difference=True, n_differing=2, n_effective=2.0)
    assert note is not None
    assert note.message == (
        "the systems differ on only 2 units: with so few, no interval meets its level; this one covers"
        " more than it says"
    )
    note = reservation("bca", difference=True, n_differing=50, n_effective=7.4)
    assert note is not None
    assert note.message == ("only 7 effective units: the BCa bootstrap interval is probably too short")
    note = reservation("bca", difference=True, n_differing=50, n_effective=1.4)
    assert note is not None
    assert note.message == "only one effective unit: the BCa bootstrap interval is probably too short"


def test_the_notes_reach_the_result() -> None:
    gold = np.tile([0, 1], 100)
    a = np.where(np.arange(200) < 20, 1 - gold, gold)
    b = np.where(np.arange(200) < 23, 1 - gold, gold)
    d = compare({"a": a, "b": b}, gold, metric="f1_macro", n_resamples=200)["a", "b"]
    assert [(note.code, note.about) for note in d.notes] == [("few_differing", ("f1_macro", "a", "b"))]
    (note,) = compare({"a": a, "b": b}, gold, metric="accuracy")["a", "b"].notes
    assert note.code == "few_differing"
    assert note.message.endswith("covers more than it says")


def _in_strata(sizes: list[int], **settings: Any) -> Comparison:
    rng = np.random.default_rng(5)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    systems = {name: rng.normal(size=strata.size) for name in "ab"}
    return compare(systems, strata=strata, n_resamples=200, **settings)


def _length(result: Comparison) -> float:
    interval = result["a", "b"].interval
    assert interval is not None
    return interval.high - interval.low


def test_resamples_inside_pairs_of_items_have_half_the_variance_and_auto_does_not_use_them() -> None:
    by_default, by_bca = _in_strata([2] * 100), _in_strata([2] * 100, interval="bca")
    assert _length(by_bca) == pytest.approx(_length(by_default) * np.sqrt(0.5), rel=0.02)
    assert {entry.interval.method for entry in (*by_default, *by_default.systems)} == {"hall"}
    assert not any(note.code == "small_strata" for note in by_default["a", "b"].notes)
    (note,) = (note for note in by_bca["a", "b"].notes if note.code == "small_strata")
    assert note.message == (
        "strata have 2 units on average, and resamples inside them vary too little: the BCa bootstrap"
        ' interval is about 29 % too short; larger strata or interval="normal" avoid that'
    )


def test_large_strata_change_nothing() -> None:
    result = _in_strata([20] * 10)
    assert result["a", "b"].interval.method == "hall"
    assert not result["a", "b"].notes


def test_units_alone_in_their_stratum_are_noted_for_every_interval() -> None:
    for interval in ("auto", "normal", "percentile"):
        (note,) = _in_strata([1] * 100 + [100], interval=interval)["a", "b"].notes
        assert note.code == "small_strata"
        assert note.message.startswith(
            "50 % of the units are alone in their stratum, which does not show how they vary"
        )
        assert note.message.endswith("; merge strata")


def test_the_bootstrap_test_is_noted_in_small_strata_and_no_other_test() -> None:
    for test, noted in (("bootstrap", True), ("permutation", False)):
        result = _in_strata([2] * 50, test=test)
        assert any("rejects too often" in note.message for note in result.notes) is noted


def test_resamples_that_vary_as_much_as_all_units_have_no_note() -> None:
    """Of three items in a stratum, two that are drawn and not rescaled have all of their variance."""
    for test in ("bootstrap", None):
        notes, rescaled = (
            {note.code for note in (*result.notes, *result["a", "b"].notes)}
            for result in (
                _in_strata(
                    [3] * 40,
                    test=test,
                    interval="percentile",
                    resampling=Resampling(resample_size=0.67, rescale=rescale),
                )
                for rescale in (False, True)
            )
        )
        assert "small_strata" not in notes
        assert "not_rescaled" in notes
        assert "small_strata" in rescaled


def test_no_interval_by_formula_is_proposed_where_there_is_none() -> None:
    def middle(gold: Any, predictions: Any) -> float:
        return float(np.mean(predictions))

    how = {"gold": np.zeros(60), "interval": "percentile", "test": None}
    for settings, proposed in (
        ({"metric": middle}, False),
        ({"metric": "mse", "resampling": Resampling(resample_size=0.5)}, False),  # no formula draws fewer
        ({"metric": "mse"}, True),
    ):
        notes = _in_strata([2] * 30, **how, **settings)["a", "b"].notes
        (note,) = (note for note in notes if note.code == "small_strata")
        assert ('interval="normal"' in note.message) == proposed
        assert note.message.endswith("avoid that")


def test_few_large_strata_have_no_note() -> None:
    assert strata_note("bca", Shown(1.0, 0.95)) is None
