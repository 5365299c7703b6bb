"""What the cache of a study keeps comes back to the last bit."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bestby.questions.study.compare import Scored
from bestby.questions.study.result import ConditionScore, StudyDifference
from bestby.report.loading import decoded, encoded
from bestby.results.base import Note
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


def through(result: Scored | StudyDifference) -> Any:
    text = json.dumps(encoded(result), allow_nan=False)
    return decoded(json.loads(text), {"Scored": Scored})


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), FLOATS, INTERVALS, NAMES, NAMES
)
def test_scores(runs: list[float], score: float, interval: Interval, metric: str, name: str) -> None:
    entry = ConditionScore(metric, name, score, interval, 1, 2, None, runs=tuple(runs), epochs=2.5)
    kept = Scored(entry, (Note(name, metric, (name, metric)), Note("inf", "nan")))
    assert bits(through(kept)) == bits(kept)


@given(st.lists(FLOATS, min_size=7, max_size=7), INTERVALS, st.lists(NAMES, min_size=5, max_size=5))
def test_differences(numbers: list[float], interval: Interval, names: list[str]) -> None:
    test = TestResult(names[0], numbers[0], "less", False, names[1], numbers[1], 7, numbers[2])
    notes = (Note(names[2], names[3], (names[4], names[0])), Note("inf", "nan"))
    kept = StudyDifference(
        names[0], names[1], names[2], *numbers[3:6], interval, test, numbers[6], False, 10, 3,
        verdict=None, margin=0.1, notes=notes, n_runs=(3, 1),
    )  # fmt: skip
    assert bits(through(kept)) == bits(kept)
