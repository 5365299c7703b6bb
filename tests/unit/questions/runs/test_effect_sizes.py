"""Effect sizes of runs: against textbooks, by hand, and where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby.questions.runs import differences


def test_paired_effect_size_by_hand() -> None:
    """The root of the mean variance as the unit, n = 3, correction root 1/2; then variances 1, 4, r = 1."""
    a, b = np.array([5.0, 4.0, 3.0]), np.array([4.0, 2.0, 0.0])
    tilted = np.array([3.5, 2.5, 0.0])
    variance = float(tilted.var(ddof=1))
    r = float(np.corrcoef(a, tilted)[0, 1])
    assert r > 0.9
    d = 2.0 / math.sqrt((1 + variance) / 2)
    g, interval = differences.effect_size(a, tilted, 0.8, paired=True)
    assert g == pytest.approx(math.sqrt(1 / 2) * d)
    mean, both = (1 + variance) / 2, r * math.sqrt(variance)
    squares = (1 + variance**2 + 2 * both**2) / (16 * mean**2), (1 + variance - 2 * both) / (2 * mean)
    half = stats.norm.ppf(0.9) * math.sqrt(d * d * squares[0] + squares[1])
    assert (interval.low, interval.high) == pytest.approx((d - half, d + half))
    # Correlated entirely, the difference of 2 has the variance 1 of b - a; (1 + 16 + 8) / (16 * 2.5^2) = 1/4.
    g, interval = differences.effect_size(a, b, 0.8, paired=True)
    assert g == pytest.approx(math.sqrt(1 / 2) * 2 / math.sqrt(2.5))
    half = stats.norm.ppf(0.9) * math.sqrt(4 / 2.5 / 4 + 1 / 5)
    assert interval.high - interval.low == pytest.approx(2 * half)


def test_paired_effect_size_where_rounding_makes_the_differences_vary_less_than_0() -> None:
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(200):
        a = rng.normal(size=4)
        b = a + 1e-10
        covariance = float(((a - a.mean()) * (b - b.mean())).sum()) / 3
        below += float(a.var(ddof=1)) + float(b.var(ddof=1)) < 2.0 * covariance
        g, interval = differences.effect_size(a, b, 0.95, paired=True)
        assert abs(g) < 1e-8
        assert interval is None
    assert below > 0


def test_two_pairs_have_an_effect_size_though_no_correction() -> None:
    d, interval = differences.effect_size(np.array([3.0, 5.0]), np.array([1.0, 2.0]), 0.95, paired=True)
    assert d == pytest.approx(2.5 / math.sqrt(1.25))
    assert (interval.low + interval.high) / 2 == pytest.approx(d)


def test_paired_effect_size_where_one_system_never_varies() -> None:
    """d = 2 / sqrt(0.5), variance d^2 / (8 * 2 * 0.5^2) + 1 / (2 * 0.5)."""
    g, interval = differences.effect_size(np.array([1.0, 2.0, 3.0]), np.zeros(3), 0.95, paired=True)
    d = 2.0 / math.sqrt(0.5)
    assert g == pytest.approx(math.sqrt(1 / 2) * d)
    assert interval.high - d == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(d * d / 4 + 1))


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_effect_size_has_no_unit(scale: float, paired: bool) -> None:
    a, b = np.array([0.8, 0.7, 0.9, 0.75]), np.array([0.6, 0.8, 0.7, 0.65])
    (one, interval), (other, scaled) = (
        differences.effect_size(c * a, c * b, 0.95, paired=paired) for c in (1.0, scale)
    )
    assert (other, scaled.low, scaled.high) == pytest.approx((one, interval.low, interval.high), rel=1e-9)


@pytest.mark.parametrize("paired", [False, True])
def test_small_variation_has_an_effect_size_and_rounding_has_none(paired: bool) -> None:
    shape, level = np.array([0.0, 1.0, 2.0]), np.array([4.0, 6.0, 5.0])
    large = differences.effect_size(shape, level, 0.95, paired=paired)[0]
    small = differences.effect_size(1.0 + 1e-8 * shape, 1.0 + 1e-8 * level, 0.95, paired=paired)[0]
    assert small == pytest.approx(large, rel=1e-6)
    for size in (0.0, 1e-6, 1.0, 1e6):
        rounded = size * np.array([0.1 + 0.2, 0.3, 0.3])
        g, interval = differences.effect_size(rounded, rounded[::-1], 0.9, paired=paired)
        assert math.isnan(g)
        assert interval is None


def test_effect_sizes_of_a_textbook() -> None:
    """Borenstein et al. (2009), p. 27: means 103, 100, sd 5.5, 4.5, n 50: d 0.5970, g 0.5924.

    The interval is that of ci.stdmean2(.05, 103, 100, 5.5, 4.5, 50, 50) of statpsych, made by its formula.
    """
    spread = np.tile([-1.0, 1.0], 25) * math.sqrt(49 / 50)
    g, interval = differences.effect_size(103 + 5.5 * spread, 100 + 4.5 * spread, 0.95, paired=False)
    assert g == pytest.approx(0.5924, abs=5e-5)
    d, (v, w), s = 0.5970, (5.5**2, 4.5**2), (5.5**2 + 4.5**2) / 2
    error = math.sqrt(d * d * (v * v + w * w) / 49 / (8 * s * s) + (v + w) / 49 / s)
    assert (interval.low, interval.high) == pytest.approx(
        (d - 1.959964 * error, d + 1.959964 * error), abs=1e-4
    )


def test_effect_size_without_variance_is_undefined() -> None:
    for paired in (False, True):
        g, interval = differences.effect_size(np.full(3, 0.3), np.full(3, 0.2), 0.95, paired=paired)
        assert math.isnan(g)
        assert interval is None
