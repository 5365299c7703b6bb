"""What the cache of a study keeps comes back to the last bit."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.comparisons.study import cache
from bestby.comparisons.study.store import Store
from bestby.results.base import Note
from bestby.results.study import ConditionScore, StudyDifference
from bestby.results.values import Interval, TestResult

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["nan", "inf", "-inf"]
)
INTERVALS = st.builds(Interval, FLOATS, FLOATS, st.floats(0.5, 1), NAMES, st.booleans())


def bits(value: Any) -> Any:
    """A value in which NaN equals NaN, and 0.0 does not equal -0.0."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: bits(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    return value.hex() if isinstance(value, float) else (type(value).__name__, value)


def through(result: cache.Scored | StudyDifference) -> Any:
    return json.loads(json.dumps(cache.stored(result), allow_nan=False))


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), FLOATS, INTERVALS, NAMES, NAMES
)
def test_scores(runs: list[float], score: float, interval: Interval, metric: str, name: str) -> None:
    entry = ConditionScore(metric, name, score, interval, 1, 2, None, runs=tuple(runs), epochs=2.5)
    kept = cache.Scored(entry, (Note(name, metric, (name, metric)), Note("inf", "nan")))
    assert bits(cache.scored(through(kept))) == bits(kept)


@given(st.lists(FLOATS, min_size=7, max_size=7), INTERVALS, st.lists(NAMES, min_size=5, max_size=5))
def test_differences(numbers: list[float], interval: Interval, names: list[str]) -> None:
    test = TestResult(names[0], numbers[0], "less", False, names[1], numbers[1], 7, numbers[2])
    notes = (Note(names[2], names[3], (names[4], names[0])), Note("inf", "nan"))
    kept = StudyDifference(
        names[0], names[1], names[2], *numbers[3:6], interval, test, numbers[6], False, 10, 3,
        verdict=None, margin=0.1, notes=notes, n_runs=(3, 1),
    )  # fmt: skip
    assert bits(cache.difference(through(kept))) == bits(kept)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, -0.0, 5e-324, 0.1 + 0.2, 1e308])
def test_through_the_files_of_a_study(tmp_path: Path, number: float) -> None:
    store = Store(tmp_path / "study")
    interval = Interval(number, number, 0.95, "t", True)
    kept = cache.Scored(ConditionScore("m", "c", number, interval, 1, 1, None, runs=(0.1, 0.2)))
    store.keep("abc", cache.stored(kept))
    value = store.cached("abc")
    assert value is not None
    assert bits(cache.scored(value)) == bits(kept)


def test_keys_depend_on_everything_and_on_no_order() -> None:
    parts = {"metric": "accuracy", "conditions": [["h0", ["x"]], ["h1", ["y", "z"]]], "level": 0.95}
    assert cache.key_of(parts) == cache.key_of(dict(reversed(parts.items())))
    others = [
        {**parts, "metric": "f1_macro"},
        {**parts, "level": 0.9500000000000001},
        {**parts, "conditions": [["h0", ["x"]], ["h1", ["z", "y"]]]},
        {**parts, "conditions": [["h0", ["x", "y"]], ["h1", ["z"]]]},
        {**parts, "more": None},
    ]
    keys = [cache.key_of(other) for other in [parts, *others]]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 40 and key.isalnum() for key in keys)
