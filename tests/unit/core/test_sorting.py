"""Positions in rising order, made by sorting digits or words, are those that NumPy finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bestby._core import sorting
from bestby._core.typing import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]

NUMBERS: dict[str, Draw] = {
    "real": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: np.round(rng.normal(size=n), 1),
    "zeros of both signs": lambda rng, n: np.where(rng.random(n) < 0.3, -0.0, np.round(rng.normal(size=n))),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-320, 300, n),
    "that differ in their last bits": lambda rng, n: 1.0 + rng.integers(-500, 500, n) * 2.0**-52,
    "of which some do": lambda rng, n: np.where(
        rng.random(n) < 0.01, 1.0 + rng.integers(1, 9, n) * 2.0**-52, rng.normal(size=n)
    ),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("few", [2, 1000])
@pytest.mark.parametrize("words_from", [1, 10_000])
def test_digits_and_words_give_the_order_of_the_numbers(
    kind: str, few: int, words_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "_DIGITS_FROM", 1)
    monkeypatch.setattr(sorting, "_WORDS_FROM", words_from)
    monkeypatch.setattr(sorting, "_BLOCK", 64)
    monkeypatch.setattr(sorting, "_FEW", few)
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 63, 64, 65, 1000, 5000):
        values = NUMBERS[kind](rng, n)
        given = values.copy()
        order, found = sorting.in_order(values)
        assert np.array_equal(np.sort(order), np.arange(n))
        assert np.array_equal(found, np.sort(values))
        assert np.array_equal(values[order], found)
        assert np.array_equal(values, given)


@pytest.mark.parametrize("n", [10_000, 300_000])
def test_many_numbers_are_sorted_by_digits_or_words(n: int) -> None:
    values = np.random.default_rng(4).normal(size=n)
    order, found = sorting.in_order(values)
    assert np.array_equal(order, np.argsort(values))
    assert np.array_equal(found, np.sort(values))
