"""What every comparison of a family does with scores and tests."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from bestby.comparisons import family
from bestby.report.comparison import Difference
from bestby.results.values import Interval, TestResult


def difference(a: str, b: str, estimate: float, p: float, greater_is_better: bool = True) -> Difference:
    interval = Interval(estimate - 1.0, estimate + 1.0, 0.95, "t", True)
    test = TestResult("t", p, "two-sided", False, "asymptotic")
    return Difference("m", a, b, estimate, 0.0, 0.0, interval, test, p, greater_is_better, 10, 5)


def test_ties_stand_in_the_order_of_names() -> None:
    assert family.ranked(np.array([1.0, 2.0, 2.0]), ["z", "y", "x"], True) == [2, 1, 0]
    assert family.ranked(np.array([1.0, 2.0, 2.0]), ["z", "y", "x"], False) == [0, 2, 1]


def test_one_sided_pairs_do_not_look_at_the_ranks() -> None:
    assert family.pairs_to_compare([2, 0, 1], None, sided=True) == [(0, 1), (0, 2), (1, 2)]
    assert family.pairs_to_compare([2, 0, 1], 1, sided=True) == [(2, 1), (0, 1)]


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_standings_follow_the_direction(greater_is_better: bool) -> None:
    sign = 1.0 if greater_is_better else -1.0
    found = [
        difference("a", "b", sign, 0.5, greater_is_better),
        difference("a", "c", sign, 0.01, greater_is_better),
        difference("b", "c", sign, 0.0501, greater_is_better),
    ]
    low, high, letters = family.standings(["a", "b", "c"], found, 0.05, lettered=True)
    assert low.tolist() == [1, 1, 2]
    assert high.tolist() == [2, 3, 3]
    assert letters == ("a", "ab", "b")
    assert family.standings(["a", "b", "c"], found, 0.05, lettered=False)[2] is None


@pytest.mark.parametrize(
    ("low", "high", "direction", "expected"),
    [
        (0.2, 0.4, True, "better"),
        (0.2, 0.4, False, "worse"),
        (-0.4, -0.2, True, "worse"),
        (-0.4, -0.2, False, "better"),
        (-0.05, 0.05, True, "equivalent"),
        (-0.2, 0.2, True, "inconclusive"),
        (0.05, 0.2, True, "inconclusive"),
    ],
)
def test_verdicts(low: float, high: float, direction: bool, expected: str) -> None:
    interval = Interval(low, high, 0.95, "t", True)
    assert family.verdict(interval, interval, 0.1, direction) == expected


def test_only_what_lies_by_a_mark_is_moved() -> None:
    d = difference("a", "b", 0.3, 0.5)
    assert family.with_verdict(d, d.interval, None) is d
    for low in (-1e-17, -0.0):
        near = dataclasses.replace(d, interval=Interval(low, 0.6, 0.95, "t", True), score_a=0.8, score_b=0.5)
        moved = family.with_verdict(near, near.interval, None).interval
        assert moved is not None
        assert math.copysign(1.0, moved.low) == 1.0
        assert (moved.low, moved.high) == (0.0, 0.6)
