"""Signs that the two systems could not change places are read off the data, and not off rounding."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.inference.exchangeability import skewed


@pytest.mark.parametrize("n", [8, 9, 12, 15, 19, 25])
def test_one_unit_against_others_that_are_alike_is_the_same_at_any_scale(n: int) -> None:
    rng = np.random.default_rng(n)
    counts = np.ones(n, dtype=np.int64)
    for size in rng.random(50):
        differences = np.full(n, size)
        differences[0] -= n * size
        assert not skewed(differences, counts)
        assert not skewed(differences - differences.mean(), counts)


@pytest.mark.parametrize("off", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
def test_one_unit_that_is_hardly_unlike_the_others_is_the_same_at_any_scale(off: float) -> None:
    rng = np.random.default_rng(0)
    for size in rng.random(100):
        differences = np.full(17, 1.0)
        differences[0] += off
        assert not skewed(differences * size, np.ones(17, dtype=np.int64))


def test_two_units_far_from_others_are_skewed() -> None:
    differences = np.concatenate([[-9.0, -7.0], np.linspace(0.9, 1.1, 14)])
    assert skewed(differences, np.ones(16, dtype=np.int64))
