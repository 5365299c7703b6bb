"""How a draw is divided over strata, and which units it takes."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.questions.labels.choose import drawn_sizes, first_units


@pytest.mark.parametrize("seed", range(40))
def test_sizes_add_up_within_their_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 200, rng.integers(1, 12))
    least = int(np.minimum(sizes, 2).sum())
    n = int(rng.integers(least, sizes.sum() + 1))
    sds = rng.choice([0.0, 0.1, 1.0, 20.0], sizes.size) if seed % 2 else None
    found = drawn_sizes(sizes, n, sds)
    assert found.sum() == n
    assert (found <= sizes).all()
    assert (found >= np.minimum(sizes, 2)).all()


def test_proportional_sizes_differ_from_their_shares_by_less_than_one() -> None:
    sizes = np.array([311, 97, 592])
    assert (np.abs(drawn_sizes(sizes, 137) - 137 * sizes / 1000) < 1).all()


def test_neyman_has_the_least_variance_of_divisions_with_half_of_each_share() -> None:
    sizes, sds, n = np.array([40, 30, 30]), np.array([0.5, 1.0, 3.0]), 20

    def variance(numbers: np.ndarray) -> float:
        return float((sizes**2 * sds**2 / numbers).sum())

    every = [np.array([i, j, n - i - j]) for i in range(4, 15) for j in range(3, n - i - 2)]
    assert variance(drawn_sizes(sizes, n, sds)) == pytest.approx(min(map(variance, every)), rel=0.01)


def test_a_stratum_without_spread_takes_what_the_others_cannot_give() -> None:
    assert drawn_sizes(np.array([5, 50]), 30, np.array([1.0, 0.0])).tolist() == [5, 25]
    assert drawn_sizes(np.array([5, 50]), 30, np.array([0.0, 0.0])).tolist() == [3, 27]


def test_a_larger_draw_holds_the_smaller_one() -> None:
    order = np.random.default_rng(1).permutation(30)
    strata = np.arange(30) % 3
    small = first_units(order, strata, np.array([2, 3, 4]))
    large = first_units(order, strata, np.array([4, 3, 6]))
    assert {*small.tolist()} < {*large.tolist()}
    assert np.bincount(strata[large]).tolist() == [4, 3, 6]
