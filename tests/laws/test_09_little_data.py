"""Law 9 for little data: an error that speaks, or numbers that make sense with a note."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.roster import (
    DESIGNS,
    INTERVALS,
    OF_A_KIND,
    RESAMPLES,
    TESTS,
    applies,
    by_key,
    each,
    make,
)

from bestby import compare
from bestby.errors import DesignError, InvalidInputError
from bestby.report.pairs import VERDICTS
from bestby.results.values import WITHOUT_INTERVAL, Interval


def whole(count: int, least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(least, most), min_size=count, max_size=count)


FEW_ROWS = ([1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0], [0.25, 0.25, 0.5])


@st.composite
def little_data(draw: st.DrawFn, kind: str) -> tuple[dict[str, Any], list[Any] | None, Any, Any]:
    """Return data as degenerate as they come: few items, few values, few clusters."""
    n = draw(st.integers(2, 7))
    most = {"labels": 2, "ranking": 3}.get(kind, 3)
    systems = {name: draw(whole(n, 0, most)) for name in ("a", "b")}
    gold = None if kind == "scores" else draw(whole(n, 0, 1 if kind == "ranking" else most))
    if kind.startswith("soft"):
        assert gold is not None
        soft = {name: [FEW_ROWS[i] for i in values] for name, values in systems.items()}
        return (
            soft,
            [min(i, 2) for i in gold] if kind == "soft, hard gold" else [FEW_ROWS[i] for i in gold],
            *draw(little_groups(n)),
        )
    return systems, gold, *draw(little_groups(n))


@st.composite
def little_groups(draw: st.DrawFn, n: int) -> tuple[Any, Any]:
    clusters = draw(st.none() | whole(n, 0, 2))
    strata = draw(st.none() | (whole(n, 0, 1) if clusters is None else st.just([c % 2 for c in clusters])))
    return clusters, strata


@pytest.mark.parametrize("entry", each())
def test_little_data_give_an_error_that_speaks_or_numbers_that_make_sense(entry: Any) -> None:
    metric = {"f1[pos]": "f1[1]", "recall[pos]": "recall[1]", "precision[pos]": "precision[1]"}

    one_of_many = entry.key == "callable" or (entry.kind.startswith("soft") and entry.key not in OF_A_KIND)

    @settings(max_examples=6 if one_of_many else 12)
    @given(little_data(entry.kind), st.sampled_from(INTERVALS), st.sampled_from(TESTS), st.booleans())
    def check(data: Any, interval: str, test: str, simultaneous: bool) -> None:
        systems, gold, clusters, strata = data
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = compare(
                    systems,
                    gold,
                    metric=metric.get(entry.metric, entry.metric)
                    if isinstance(entry.metric, str)
                    else entry.metric,
                    clusters=clusters,
                    strata=strata,
                    interval=interval,
                    test=test,
                    correction="simultaneous" if simultaneous else "holm",
                    margin=0.5,
                    n_resamples=60,
                )
        except (InvalidInputError, DesignError):
            return
        for d in result:
            assert 0.0 < d.p_value <= 1.0
            assert 0.0 < d.p_adjusted <= 1.0
            assert simultaneous or d.p_value <= d.p_adjusted  # else that is of the interval
            assert np.isfinite(d.estimate)
            assert without_or_with_length(d.interval, [note.code for note in d.notes])
            assert d.verdict in VERDICTS[1:]
            if d.n_differing == 0:
                assert d.estimate == 0.0
        for s in result.systems:
            least, greatest = result.metrics[0].bounds
            assert without_or_with_length(s.interval, [note.code for note in result.notes])
            assert s.interval is None or least <= s.interval.low < s.interval.high <= greatest

    check()


def without_or_with_length(interval: Interval | None, codes: list[str]) -> bool:
    """Return whether an interval has finite ends and a length, or there is none, which a note says."""
    if interval is None:
        return not WITHOUT_INTERVAL.keys().isdisjoint(codes)
    return bool(np.isfinite([interval.low, interval.high]).all()) and interval.low < interval.high


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("key", ["mean", "accuracy", "f1_macro", "rmse", "roc_auc", "callable"])
def test_a_difference_that_never_varies_is_a_result(key: str, design: str) -> None:
    """B differs from A in the same way everywhere: no variance, so no method may divide by it."""
    entry = by_key(key)
    data = make(entry, design, seed=81, systems=1)
    a = data.systems["a"]
    b = a - 0.25 if entry.kind != "labels" else np.where(data.gold == "pos", "neg", "pos")
    systems = {"a": data.gold if entry.kind == "labels" else a, "b": b}
    for interval in INTERVALS:
        if applies(entry, design, interval=interval):
            data.compare(entry, systems=systems, interval=interval)
    for test in TESTS:
        if applies(entry, design, test=test):
            d = data.compare(entry, systems=systems, test=test).differences[0]
            assert 0.0 < d.p_value <= 1.0


def test_undefined_resamples_are_told_and_counted() -> None:
    gold = [1] + [0] * 9
    systems = {"a": [0.9, 0.1, 0.2, 0.3, 0.95, 0.1, 0.2, 0.3, 0.4, 0.5], "b": list(np.linspace(0, 1, 10))}
    result = compare(systems, gold, metric="roc_auc", interval="percentile", n_resamples=RESAMPLES)
    for notes in (result.differences[0].notes, result.notes):
        (note,) = {note.message for note in notes if note.code == "undefined_resamples"}
        count = int(note.split("on ")[1].split(" of")[0])
        # Without the one positive item: (9/10)^10 = 35 %; binomial, false alarm rate below 1e-6.
        assert 199 * 0.3487 - 34 < count < 199 * 0.3487 + 34
        assert note.startswith(f"the metric is undefined on {count} of 199 resamples")


def test_simultaneous_intervals_tell_of_undefined_resamples_too() -> None:
    gold = [1] + [0] * 9
    systems = {"a": [0.9, 0.1, 0.2, 0.3, 0.95, 0.1, 0.2, 0.3, 0.4, 0.5], "b": list(np.linspace(0, 1, 10))}
    how = {"correction": "simultaneous", "interval": "percentile", "n_resamples": RESAMPLES}
    result = compare(systems, gold, metric="roc_auc", **how)
    assert "undefined_resamples" in [note.code for note in result.differences[0].notes]
