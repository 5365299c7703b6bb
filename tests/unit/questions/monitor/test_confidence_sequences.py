"""Mixture bounds have the published numbers, and the asymptotic sequence holds at all looks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby.questions.monitor.confidence_sequences import (
    asymptotic_interval,
    beta_binomial_interval,
    normal_mixture_bound,
)


def test_normal_mixture_bounds() -> None:
    """The numbers of issue 21, after Howard et al. (2021)."""
    assert normal_mixture_bound(100.0, 0.05, 100.0) == pytest.approx(30.35209, abs=5e-6)
    assert normal_mixture_bound(100.0, 0.05, 100.0, two_sided=False) == pytest.approx(27.66071, abs=5e-6)


@pytest.mark.parametrize(
    ("successes", "trials", "t_opt", "low", "high"),
    [(700, 1000, 100, 0.651629, 0.745949), (15, 50, 50, 0.129556, 0.511896)],
)
def test_beta_binomial_intervals(successes: int, trials: int, t_opt: int, low: float, high: float) -> None:
    """The numbers of issue 21, which are cut off after six digits."""
    ends = beta_binomial_interval(successes, trials, 0.05, t_opt)
    assert [math.floor(1e6 * end) / 1e6 for end in ends] == [low, high]


def test_beta_binomial_intervals_at_the_edges() -> None:
    assert beta_binomial_interval(0, 0, 0.05, 50) == (0.0, 1.0)
    low, high = beta_binomial_interval(0, 50, 0.05, 50)
    assert low == 0.0
    assert 0.05 < high < 0.15
    mirrored = beta_binomial_interval(50, 50, 0.05, 50)
    assert mirrored == (pytest.approx(1.0 - high, abs=1e-9), 1.0)


def test_a_mixture_is_tightest_near_where_it_was_asked_to_be() -> None:
    at = {v_opt: normal_mixture_bound(100.0, 0.05, v_opt) for v_opt in (1.0, 10.0, 100.0, 1000.0, 10_000.0)}
    assert min(at, key=at.__getitem__) == 100.0


def test_the_asymptotic_sequence_misses_at_most_one_in_twenty() -> None:
    """2000 sequences of 300 to 1500 normal items: the error is below .05 but for chance 1e-4."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1500, 2000))
    n = np.arange(1, 1501)[:, None]
    mean = np.cumsum(values, axis=0) / n
    deviation = np.sqrt(np.cumsum(values**2, axis=0) / n - mean**2)
    missed = np.zeros(2000, dtype=bool)
    for last in range(300, 1501, 10):
        low, high = asymptotic_interval(mean[last - 1], deviation[last - 1], last, 0.05, 750.0)
        missed |= (low > 0.0) | (high < 0.0)
    assert 0.005 < missed.mean() < 0.05 + 3.7 * math.sqrt(0.05 * 0.95 / 2000)
