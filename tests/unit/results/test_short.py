"""A difference and a score on one line."""

from __future__ import annotations

from typing import Any

import pytest

import bestby as bb

ITEMS = {"new": [1] * 9 + [0], "old": [0, 1] * 5, "mid": [1, 1, 1, 0] * 2 + [1, 0]}
RUNS = {"new": [0.81, 0.84, 0.83, 0.86, 0.82], "old": [0.79, 0.80, 0.78, 0.81, 0.80]}
JUDGED = [("x", "y", "x")] * 30 + [("y", "x", "y")] * 10


def test_the_parts_of_a_short_difference() -> None:
    many = bb.compare(ITEMS, margin=0.1)
    assert many["new", "old"].short == (
        "new − old: 0.40 [−0.09, 0.72], p = 0.22 (adjusted p = 0.66), n = 10, not worse"
    )
    pair = {name: ITEMS[name] for name in ("new", "old")}
    assert bb.compare(pair)["new", "old"].short == "new − old: 0.40 [−0.09, 0.72], p = 0.22, n = 10"
    assert bb.compare(pair, test=None)["new", "old"].short.endswith("], n = 10")
    assert bb.compare(pair, interval=None)["new", "old"].short == "new − old: 0.4000, p = 0.22, n = 10"
    assert bb.compare_runs(RUNS)["new", "old"].short.endswith(", 5 and 5 runs")
    assert bb.compare_preferences(JUDGED, n_resamples=99)["x", "y"].short.endswith(", n = 40")


@pytest.mark.parametrize(
    "result", [bb.compare(ITEMS), bb.compare_runs(RUNS), bb.compare_preferences(JUDGED, n_resamples=99)]
)
def test_a_repr_is_one_line(result: Any) -> None:
    for one in (*result.differences, *result.systems):
        assert "\n" not in repr(one)
        assert repr(one).startswith(f"<{type(one).__name__} ")
        assert len(repr(one)) < 150
    d = result.differences[0]
    assert d.short in repr(d)
    hostile = bb.compare({"a\nb": [1, 0, 1], "c": [0, 0, 1]})
    assert "\n" not in repr(hostile.differences) + repr(hostile.systems)
