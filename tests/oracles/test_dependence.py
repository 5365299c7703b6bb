"""Clusters, crossed groupings and blocks against their definitions, written out."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import plain_dependence as plain

from bestby.inference import clusters
from bestby.resampling import units as resampling_units


def influence(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.size


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3), (1, 2, 7, 4), (20, 1, 2, 3, 4, 5), (5, 6)])
def test_cr2_is_that_of_the_regression_on_a_constant(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    code = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(size=code.size) + rng.normal(size=len(sizes))[code]
    expected = plain.cr2_of_a_mean(values, code)
    found = clusters.cr2(np.bincount(code, weights=influence(values)), np.array(sizes, dtype=float))
    assert (found.se, found.df) == pytest.approx(expected, rel=1e-9)


def test_the_two_way_variance_is_a_sum_over_pairs_that_share_a_group() -> None:
    """Of groups of equal size, of which CR2 has the factor G / (G - 1)."""
    rng = np.random.default_rng(3)
    first, second = np.repeat(np.arange(4), 10), np.tile(np.arange(5), 8)
    values = rng.normal(size=40) + first + second
    found = clusters.two_way(influence(values), first, second).se ** 2
    assert found == pytest.approx(plain.two_way(values.tolist(), first.tolist(), second.tolist()), rel=1e-9)


@pytest.mark.parametrize(("n", "length"), [(10, 2), (11, 3), (7, 1), (9, 4)])
def test_sums_over_blocks_are_those_of_the_items_drawn(n: int, length: int) -> None:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, 2))
    made = resampling_units.circular(n, length)
    sums, units = made.sums(rows), made.units
    starts, last = rng.integers(0, n, n // length), int(rng.integers(0, n))
    weights = np.zeros((1, units.n), dtype=np.int64)
    np.add.at(weights[0], starts, 1)
    if n % length:
        weights[0, n + last] += 1
    items = plain.block_resample(n, length, starts.tolist(), last)
    assert weights[0] @ sums == pytest.approx(rows[items].sum(axis=0), abs=1e-12)
    assert made.spread(weights)[0].tolist() == [items.count(item) for item in range(n)]
