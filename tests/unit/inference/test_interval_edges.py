"""Edges of the bootstrap intervals, which mutants showed to be untested."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri

from bestby.inference.distributions import replicates
from bestby.inference.intervals import acceleration, bca, max_t_quantile

FEW = np.array([3, 1, 2])


@pytest.mark.parametrize("ties", ["half", "strict"])
def test_where_every_replicate_is_the_estimate_there_is_nothing_to_correct(ties: str) -> None:
    for found in (0.0, 0.25):
        point = replicates(np.full(99, found))
        assert bca(point, found, 0.0, 0.95, ties=ties) == (found, found)
        assert bca(point, found, 9.0, 0.95, ties=ties) == (found, found)


def test_an_acceleration_that_sends_an_end_to_infinity_is_undefined() -> None:
    """1 - a (z0 + z) is 0 where a is 1 / z, which rounds back to 1 at half of all levels."""
    spread = replicates(np.arange(1.0, 100.0))
    exact = 0
    for level in np.linspace(0.5, 0.99, 50).tolist():
        z = float(ndtri(0.5 * (1.0 + level)))
        if 1.0 - (1.0 / z) * z == 0.0:
            exact += 1
            assert bca(spread, 50.0, 1.0 / z, level) is None
    assert exact > 5


@pytest.mark.parametrize("scale", [1e-20, 1e-8, 1.0, 1e8])
def test_the_acceleration_has_no_unit(scale: float) -> None:
    left_out = np.array([0.3, -0.2, 1.1])
    assert acceleration(scale * left_out, FEW) == pytest.approx(acceleration(left_out, FEW), rel=1e-9)
    assert acceleration(scale * left_out, FEW) != 0.0


def test_small_variation_is_variation_and_rounding_is_not() -> None:
    assert acceleration(1.0 + 1e-8 * np.array([0.3, -0.2, 1.1]), FEW) == pytest.approx(
        acceleration(np.array([0.3, -0.2, 1.1]), FEW), rel=1e-6
    )
    assert acceleration(1e3 + 1e-12 * np.array([0.3, -0.2, 1.1]), FEW) == 0.0
    assert acceleration(np.zeros(3), FEW) == 0.0


@pytest.mark.parametrize(
    ("n", "level", "rank"),
    [(3, 0.5, 2), (19, 0.95, 19), (39, 0.95, 38), (99, 0.9, 90), (10, 0.95, 10), (1, 0.9, 1)],
)
def test_the_rank_of_the_largest_deviation(n: int, level: float, rank: int) -> None:
    deviations = np.random.default_rng(0).permutation(np.arange(1.0, n + 1.0))[:, None]
    assert max_t_quantile(deviations * np.array([1.0, -0.5]), level) == rank
    assert math.ceil(level * (n + 1)) >= rank
