"""Notes on intervals that are probably too short stand only where there is an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb

DOUBTS = {"few_effective", "few_differing", "moves_in_steps", "few_items", "few_clusters"}
TWO = {"a": [0.2, 0.3], "b": [0.1, 0.5]}
THREE = {"a": [0.2, 0.3, 0.9], "b": [0.1, 0.5, 0.4]}


@pytest.mark.parametrize("settings", [{}, {"interval": "bca"}, {"correction": "simultaneous"}])
def test_no_note_doubts_an_interval_that_is_not_there(settings: dict[str, Any]) -> None:
    result = bb.compare(TWO, [0.3, 0.1], metric="pearson", **settings)
    assert {entry.interval for entry in result.systems} | {result["a", "b"].interval} == {None}
    assert not DOUBTS & {note.code for note in result.notes}


def test_no_note_doubts_intervals_of_runs_that_were_not_asked_for() -> None:
    runs = {"a": [[1, 0, 1, 1], [1, 1, 1, 0]], "b": [[0, 0, 1, 1], [1, 0, 0, 1]]}
    gold = [1, 1, 1, 1]
    asked = bb.compare_runs(runs, gold, metric="accuracy")
    assert "few_items" in {note.code for note in asked.notes}
    without = bb.compare_runs(runs, gold, metric="accuracy", interval=None)
    assert not DOUBTS & {note.code for note in without.notes}


def test_lost_resamples_are_told_without_an_interval_that_is_not_there() -> None:
    systems = {"a": [0.9, 0.1, 0.2, 0.3, 0.95], "b": [0.5, 0.2, 0.3, 0.1, 0.4]}
    result = bb.compare(systems, [1, 0, 0, 0, 0], metric="roc_auc", interval="percentile", n_resamples=50)
    without = [entry for entry in (*result.systems, *result.differences) if entry.interval is None]
    told = [note.message for note in result.notes if note.code == "undefined_resamples"]
    assert without
    assert told
    assert not any("interval" in text for text in told)


@pytest.mark.parametrize(("asked", "given"), [("abc", "BCa bootstrap"), ("studentized", "percentile")])
def test_a_note_names_the_method_that_stepped_in(asked: Any, given: str) -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=4)
    systems = {"a": gold + 0.2 * rng.normal(size=4), "b": rng.normal(size=4)}
    if asked == "studentized":
        systems = {name: (values > 0.0).astype(int) for name, values in systems.items()}
        gold, metric = (gold > 0.0).astype(int), "f1_macro"
    else:
        metric = "pearson"
    result = bb.compare(systems, gold, metric=metric, interval=asked, n_resamples=300)
    (entry,) = [entry for entry in result.systems if entry.system == "a"]
    assert entry.interval is not None
    assert entry.interval.method != asked
    (told,) = [n.message for n in result.notes if n.code == "few_effective" and n.about == (metric, "a")]
    assert f"the {given}" in told


def test_a_short_interval_that_is_there_keeps_its_note() -> None:
    result = bb.compare(THREE, [0.3, 0.1, 0.7], metric="pearson")
    assert all(entry.interval is not None for entry in result.systems)
    told = {note.about for note in result.notes if note.code == "few_effective"}
    assert told == {("pearson", "a"), ("pearson", "b")}
