"""Notes on intervals that are probably too short stand only where there is an interval."""

from __future__ import annotations

from typing import Any

import pytest

import bestby as bb

DOUBTS = {"few_effective", "few_differing", "moves_in_steps"}
TWO = {"a": [0.2, 0.3], "b": [0.1, 0.5]}
THREE = {"a": [0.2, 0.3, 0.9], "b": [0.1, 0.5, 0.4]}


@pytest.mark.parametrize("settings", [{}, {"interval": "bca"}, {"simultaneous": True}])
def test_no_note_doubts_an_interval_that_is_not_there(settings: dict[str, Any]) -> None:
    result = bb.compare(TWO, [0.3, 0.1], metric="pearson", **settings)
    assert {entry.interval for entry in result.systems} | {result["a", "b"].interval} == {None}
    assert not DOUBTS & {note.code for note in result.notes}


def test_a_short_interval_that_is_there_keeps_its_note() -> None:
    result = bb.compare(THREE, [0.3, 0.1, 0.7], metric="pearson")
    assert all(entry.interval is not None for entry in result.systems)
    told = {note.about for note in result.notes if note.code == "few_effective"}
    assert told == {("pearson", "a"), ("pearson", "b")}
