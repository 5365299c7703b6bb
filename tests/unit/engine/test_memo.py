"""What is kept is not made again, and the oldest makes room."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from bestby import compare
from bestby.engine.base import Memo


@pytest.mark.parametrize(
    ("most", "asked", "made"),
    [
        (2, "abab", "ab"),
        (2, "abcbca", "abca"),
        (1, "aabba", "aba"),
        (0, "aab", "ab"),
    ],
)
def test_the_oldest_result_makes_room(most: int, asked: str, made: str) -> None:
    calls: list[str] = []
    memo = Memo[str, str](most)

    def upper(letter: str) -> str:
        calls.append(letter)
        return letter.upper()

    assert [memo.get(letter, upper) for letter in asked] == list(asked.upper())
    assert "".join(calls) == made
    assert len(memo) == max(1, most)


def test_results_of_some_size_make_room_for_one() -> None:
    memo = Memo[str, str](10, len)
    for word in ("four", "three", "a", "eleven more", "two"):
        assert memo.get(word, str) == word
        assert len(memo) == {"four": 1, "three": 2, "a": 3}.get(word, 1)
    assert memo.get("sixsix", str) == "sixsix"
    assert len(memo) == 2


def test_none_is_a_result() -> None:
    memo = Memo[int, int | None](3)
    assert memo.get(1, lambda _: None) is None
    assert memo.get(1, lambda _: 2) is None


@pytest.mark.parametrize("metric", ["mae", "pearson", "spearman"])
def test_no_array_waits_for_the_garbage_collector(metric: str) -> None:
    """Comparisons one after the other take the memory of one."""
    gold = np.random.default_rng(0).normal(size=200)
    systems = {name: gold + np.random.default_rng(seed).normal(size=200) for seed, name in enumerate("abc")}
    compare(systems, gold, metric=metric)  # imports
    gc.collect()
    gc.disable()
    try:
        compare(systems, gold, metric=metric)
        assert gc.collect() == 0
    finally:
        gc.enable()
