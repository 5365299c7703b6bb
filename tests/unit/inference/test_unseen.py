"""Bounds that allow for units not seen are score intervals where all that differ do so fully."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestby.inference.intervals import widened
from bestby.inference.proportions import tango, wilson

LEVEL = 0.9


def of_mean(x: np.ndarray, reach: float, ends: tuple[float, float] | None = None) -> tuple[float, float]:
    n, mean = x.size, float(x.mean())
    seen = ends or (mean, mean)
    influence = (x - mean) / n
    above, below = (reach - mean) / n, (reach + mean) / n
    ones, edges = np.ones(n, dtype=np.int64), np.array([0, n])
    return widened(seen, mean, influence, ones, edges, (below, above), LEVEL)


@pytest.mark.parametrize("n", [30, 200, 5000])
def test_without_differing_units_it_is_tangos_interval(n: int) -> None:
    """With Student's quantile in place of the normal one: that of the level at which the two are the same."""
    quantile = stats.t.ppf(0.5 * (1.0 + LEVEL), n - 1)
    expected = tango(0, 0, n, 2.0 * stats.norm.cdf(quantile) - 1.0)
    assert of_mean(np.zeros(n), 1.0) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("k", "n"), [(1, 2000), (5, 2000), (40, 2000)])
def test_of_units_that_differ_fully_it_is_wilsons_interval(k: int, n: int) -> None:
    x = np.r_[np.ones(k), np.zeros(n - k)]
    quantile = stats.t.ppf(0.5 * (1.0 + LEVEL), n - 1)
    _, high = wilson(k, n, 2.0 * stats.norm.cdf(quantile) - 1.0)
    assert of_mean(x, 1.0)[1] == pytest.approx(high, rel=0.01)


def test_of_many_units_that_differ_it_is_that_of_the_standard_error() -> None:
    x = np.random.default_rng(0).normal(size=20_000)
    low, high = of_mean(x, 3.0)
    half = stats.t.ppf(0.5 * (1.0 + LEVEL), x.size - 1) * stats.sem(x)
    assert (low, high) == pytest.approx((x.mean() - half, x.mean() + half), rel=0.01)


def test_it_is_never_shorter_than_the_interval_seen() -> None:
    x = np.r_[np.ones(3), np.zeros(97)]
    assert of_mean(x, 1.0, (-0.5, 0.5)) == (-0.5, 0.5)


def test_mirrored_units_mirror_it_and_other_units_of_measure_change_nothing_else() -> None:
    x = np.r_[np.ones(3), -0.2 * np.ones(4), np.zeros(93)]
    low, high = of_mean(x, 1.0)
    assert of_mean(-x, 1.0) == pytest.approx((-high, -low), rel=1e-12)
    for unit in (1e-12, 1e12):
        assert of_mean(unit * x, unit) == pytest.approx((unit * low, unit * high), rel=1e-9)


def test_the_longer_tail_has_the_farther_end() -> None:
    x = np.r_[np.ones(6), np.zeros(94)]
    low, high = of_mean(x, 1.0)
    assert high - x.mean() > 1.2 * (x.mean() - low)


def test_strata_of_few_units_show_the_skewness_of_all() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    whole, in_strata = [], []
    for size, found in ((n, whole), (4, in_strata), (2, in_strata)):
        x = (rng.random(n) < 0.03).astype(float)
        u, ones = (x - x.mean()) / n, np.ones(n, dtype=np.int64)
        edges = np.arange(0, n + 1, size)
        _, high = widened((0.0, 0.0), 0.0, u, ones, edges, (1e-9, 1e-9), LEVEL)
        found.append(high / np.sqrt(x.var() / n))
    assert in_strata == pytest.approx(whole * 2, rel=0.03)


def test_nothing_varies_and_nothing_could() -> None:
    assert of_mean(np.zeros(9), 0.0) == (0.0, 0.0)
