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


def test_two_units_far_from_others_are_skewed() -> None:
    differences = np.concatenate([[-9.0, -7.0], np.linspace(0.9, 1.1, 14)])
    assert skewed(differences, np.ones(16, dtype=np.int64))
