"""Inverted pairs of weighted items are counted as by looking at each pair."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.metrics.ranks import Inversions


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 129, 300, 517])
def test_inversions_are_those_of_all_pairs(n: int) -> None:
    rng = np.random.default_rng(n)
    places, weights = rng.permutation(n), rng.integers(0, 4, (5, n))
    inverted = np.triu(places[:, None] > places[None, :])
    expected = np.einsum("ri,ij,rj->r", weights, inverted, weights)
    assert (Inversions(places).count(weights.astype(np.uint8)) == expected).all()


def test_the_ends_have_none_and_all() -> None:
    ones = np.ones((1, 200), dtype=np.uint8)
    assert Inversions(np.arange(200)).count(ones).tolist() == [0]
    assert Inversions(np.arange(200)[::-1].copy()).count(ones).tolist() == [200 * 199 // 2]
