"""Values as multiples of a step, and equal values merged."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestby.inference.distributions import mean_bootstrap
from bestby.inference.lattice import MANY, all_single, as_lattice, merged, weighted_sum


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=30, unique=True),
    st.sampled_from([1.0, 0.1, 1.0 / 3.0, 1e-7, 12345.678]),
)
def test_multiples_of_a_step_are_found(multiples: list[int], step: float) -> None:
    found = as_lattice(np.array(multiples) * step)
    assert found is not None
    divisor = math.gcd(*multiples)
    if divisor == 0:
        assert found[1].tolist() == [0]
        return
    assert found[0] == pytest.approx(step * divisor, rel=1e-9)
    assert found[1].tolist() == [m // divisor for m in multiples]


def test_real_values_are_no_lattice() -> None:
    assert as_lattice(np.random.default_rng(0).normal(size=50)) is None
    assert as_lattice(np.array([1.0, math.sqrt(2.0)])) is None
    assert as_lattice(np.arange(5000.0)) is None  # more than 4096 values


@pytest.mark.parametrize("most", [1, 3])
def test_counts_of_one_give_what_other_counts_give(most: int) -> None:
    rng = np.random.default_rng(5)
    values, counts = np.round(rng.normal(size=400), 2), rng.integers(1, most + 1, 400)
    assert all_single(counts) == (most == 1)
    distinct, sizes = merged(values, counts)
    expected = {value: int(counts[values == value].sum()) for value in np.unique(values)}
    assert dict(zip(distinct.tolist(), sizes.tolist(), strict=True)) == expected
    assert weighted_sum(values, counts) == pytest.approx(math.fsum(values * counts), rel=1e-13)
    assert weighted_sum(values, None) == pytest.approx(math.fsum(values), rel=1e-13)
    assert not all_single(np.array([1, 0, 1]))


def test_values_that_rounding_tore_apart_are_merged() -> None:
    values, counts = merged(np.array([0.3, 0.1 + 0.2, -1.0, 0.3]), np.array([1, 2, 5, 4]))
    assert values.tolist() == [-1.0, 0.3]
    assert counts.tolist() == [5, 7]
    empty, none = merged(np.array([]), np.array([], dtype=np.int64))
    assert empty.size == none.size == 0


def test_a_constant_does_not_hide_how_values_vary() -> None:
    """Values around 1e10 that vary by 0.3 are no multiples of 1e10."""
    values = 1e10 + np.random.default_rng(0).normal(0.0, 0.3, 100)
    ones = np.ones(100, dtype=np.int64)
    distribution = mean_bootstrap(values, ones, np.array([0, 100]))
    assert distribution is not None
    low, high = distribution.quantile(0.025), distribution.quantile(0.975)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 10.0, rel=0.02)


def test_one_value_far_off_does_not_merge_the_others() -> None:
    sizes = np.r_[np.linspace(0.5, 1.5, 30), 1e10]
    assert as_lattice(sizes) is None
    values, counts = merged(sizes, np.ones(31, dtype=np.int64))
    assert values.size == counts.size == 31
    # What is on a lattice stays on it, however far off one multiple is.
    found = as_lattice(np.r_[0.01 * np.arange(1, 30), 900.0])
    assert found is not None
    assert found[0] == pytest.approx(0.01)


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.5, -1.5], [0.0, 7.0]])
def test_multiples_are_whole_numbers(values: list[float]) -> None:
    found = as_lattice(np.array(values))
    assert found is not None
    assert found[1].dtype == np.int64
    assert (found[0] * found[1]).tolist() == values


def test_the_largest_lattices() -> None:
    """4096 values at most, and a step of at least 1e-5 of the largest."""
    most = as_lattice(np.arange(4096.0))
    assert most is not None
    assert most[0] == 1.0
    assert as_lattice(np.arange(4097.0)) is None
    finest = as_lattice(np.array([1.0, 1e5]))
    assert finest is not None
    assert finest[1].tolist() == [1, 100_000]
    assert as_lattice(np.array([1.0, 1e5 + 1.0])) is None


def test_zeros_are_merged() -> None:
    values, counts = merged(np.array([0.0, -0.0, 0.0]), np.array([1, 2, 4]))
    assert (values.tolist(), counts.tolist()) == ([0.0], [7])
    values, counts = merged(np.zeros(3), np.ones(3, dtype=np.int64))
    assert (values.tolist(), counts.tolist()) == ([0.0], [3])


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e250, 1e290])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_a_sum_of_very_many_values_does_not_depend_on_their_order(scale: float, shift: float) -> None:
    rng = np.random.default_rng(0)
    values = (rng.normal(size=MANY + 17) + shift) * scale
    values[0] = -values[1:].sum() * (1.0 - 1e-12)  # what is left is far smaller than the values
    found = weighted_sum(values, None)
    assert found == pytest.approx(math.fsum(values.tolist()), rel=1e-15 if scale < 1e280 else 1e-2)
    if scale < 1e280:
        assert all(weighted_sum(rng.permutation(values), None) == found for _ in range(5))


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_a_sum_of_very_many_values_that_are_not_finite(odd: float) -> None:
    values = np.ones(MANY)
    values[5] = odd
    assert weighted_sum(values, None) == pytest.approx(odd, nan_ok=True)
