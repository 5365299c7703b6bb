"""Intervals and tests from cluster-robust errors where effects go with the size of clusters."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bestby._core.typing import FloatArray
from bestby.inference import exchangeability
from bestby.inference.clusters import StandardError, cr2, mean_error, two_way
from bestby.inference.intervals import Moments
from bestby.inference.skewness import (
    FOR_VERDICTS,
    REACH,
    interval,
    restored,
    robust,
    transformed,
    wald,
)

SKEWED = StandardError(0.4, 12.0, skewness=0.5, effective=5.0)
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)


def test_without_skewness_it_is_students() -> None:
    low, high = interval(1.0, StandardError(0.5, 7.0), 0.95)
    assert (low, high) == pytest.approx(
        (1.0 - 0.5 * stats.t.isf(0.025, 7), 1.0 + 0.5 * stats.t.isf(0.025, 7))
    )
    assert interval(1.0, StandardError(0.5, 0.4), 0.9) == interval(1.0, StandardError(0.5, 1.0), 0.9)


def test_halls_transformation_by_its_published_form() -> None:
    """Hall (1992): g(T) = T + n^-1/2 c (a T^2 + b) + n^-1 (a c)^2 T^3 / 3, a = 1/3 and b = 1/6 for a mean."""
    n, c = 20, 1.3
    for t in (-3.0, -0.2, 0.0, 1.7):
        published = t + c * (t**2 / 3 + 1 / 6) / math.sqrt(n) + (c / 3) ** 2 * t**3 / 3 / n
        assert transformed(t, c / math.sqrt(n)) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize("skewness", [-1.0, -0.3, -1e-9, 0.0, 1e-9, 0.3, 1.0])
def test_the_transformation_increases_and_can_be_undone(skewness: float) -> None:
    at = np.linspace(-50.0, 50.0, 2001)
    moved = [transformed(float(t), skewness) for t in at]
    assert (np.diff(moved) > 0.0).all()
    assert [restored(x, skewness) for x in moved] == pytest.approx(at.tolist(), abs=1e-6)
    assert restored(np.array(moved), np.full(at.size, skewness)) == pytest.approx(at.tolist(), abs=1e-6)
    assert transformed(math.inf, skewness) == math.inf
    assert transformed(-math.inf, skewness) == -math.inf


@pytest.mark.parametrize("skewness", [-0.9, 0.3, 0.7])
def test_the_transformation_goes_on_with_slope_1_where_it_would_be_flat(skewness: float) -> None:
    last = -REACH / skewness
    for further in (0.1, 3.0, 6.5 / abs(skewness)):
        t = last - math.copysign(further, skewness)
        assert transformed(last, skewness) - transformed(t, skewness) == pytest.approx(last - t)
        assert restored(transformed(t, skewness), skewness) == pytest.approx(t)
        assert transformed(-t, skewness) - transformed(-last, skewness) != pytest.approx(last - t, rel=0.1)


@pytest.mark.parametrize("skewness", [-0.9, 0.3, 0.7])
def test_no_interval_reaches_further_than_by_halls_transformation(skewness: float) -> None:
    """Far out, where quantiles of few degrees of freedom are, it is steeper than slope 1."""
    for x in np.geomspace(0.1, 1e4, 60) * -np.sign(skewness):
        y = skewness * (x - skewness / 6.0)
        by_hall = 3.0 * (np.cbrt(1.0 + y) - 1.0) / skewness
        assert abs(restored(float(x), skewness)) <= abs(by_hall) * (1.0 + 1e-9)
    assert restored(float(x), skewness) == pytest.approx(by_hall)


def test_intervals_of_skewed_penalties_cover_and_are_not_far_longer_than_students() -> None:
    rng = np.random.default_rng(2026)
    n, true = 50, 0.4 * math.exp(0.5)
    above, lengths = [], []
    for _ in range(1500):
        x = np.where(rng.random(n) < 0.6, 0.0, rng.lognormal(size=n))
        error = cr2((x - x.mean()) / n, np.ones(n))
        low, high = interval(float(x.mean()), error, 0.95)
        above.append(true > high)
        lengths.append((high - low) / (2.0 * stats.t.isf(0.025, n - 1) * error.se))
    assert np.mean(above) < 0.045  # 11 % by Student's t
    assert np.mean(lengths) < 2.0
    assert np.quantile(lengths, 0.95) < 3.0  # without the bound 3.4


@pytest.mark.parametrize("skewness", [-0.9, -0.2, 0.0, 0.5])
def test_the_interval_excludes_0_where_the_test_rejects(skewness: float) -> None:
    error = replace(SKEWED, skewness=skewness)
    seen = set()
    for estimate in np.linspace(-6.0, 6.0, 121):
        p = wald(float(estimate), error, "two-sided").p_value
        for level in LEVELS:
            low, high = interval(float(estimate), error, level)
            assert low <= estimate <= high
            assert (not low <= 0.0 <= high) == (p <= 1.0 - level)
            seen.add(p <= 1.0 - level)
    assert seen == {True, False}


# -- when there is a skewness to allow for -------------------------------------------------------------


def drawn(slope: float, g: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    sizes = np.maximum(1.0, np.round(10.0 * rng.lognormal(0.0, 1.5, g)))
    means = slope * np.log(sizes) + 0.5 * rng.normal(size=g)
    centre = sizes @ means / sizes.sum()
    return sizes * (means - centre) / sizes.sum(), sizes


def test_effects_that_go_with_the_size_have_skewness_and_effective_units() -> None:
    influence, sizes = drawn(0.3)
    found = cr2(influence, sizes)
    assert found.skewness == pytest.approx((influence**3).sum() / (influence**2).sum() ** 1.5)
    assert found.effective == pytest.approx((influence**2).sum() ** 2 / (influence**4).sum())
    assert found.skewness > 0.3
    assert found.effective < 10.0
    mirrored = cr2(-influence, sizes)
    assert mirrored == replace(found, skewness=-found.skewness)
    small = cr2(1e-12 * influence, sizes)
    assert (small.skewness, small.effective) == pytest.approx((found.skewness, found.effective))


def test_other_effects_have_none() -> None:
    influence, sizes = drawn(0.0)
    found = cr2(influence, sizes)
    assert (found.skewness, found.effective) == (0.0, math.inf)
    equal = cr2(drawn(0.3)[0], np.full(60, 7.0))
    assert (equal.skewness, equal.effective) == (0.0, math.inf)


def test_rounding_in_place_of_0_changes_nothing() -> None:
    """Clusters without an effect do not count as differing where their effects are rounding."""
    rng = np.random.default_rng(7)
    for _ in range(50):
        influence = np.r_[-rng.exponential(size=9), np.zeros(11)]
        noisy = influence.copy()
        noisy[9:] = 1e-18 * rng.choice([-1.0, 0.0, 1.0], 11)
        found, other = exchangeability.skewed(influence, ONES), exchangeability.skewed(noisy, ONES)
        assert found == other


ONES = np.ones(20, dtype=np.int64)


def test_alike_clusters_may_be_counted() -> None:
    influence, sizes = drawn(0.3)
    counts = np.resize([1, 2, 3], influence.size)
    influence = influence - sizes * (counts @ influence) / (counts @ sizes)
    together = cr2(influence, sizes, counts)
    apart = cr2(np.repeat(influence, counts), np.repeat(sizes, counts))
    assert together.skewness != 0.0
    assert (together.skewness, together.effective) == pytest.approx((apart.skewness, apart.effective))


def test_third_cumulants_of_two_groupings_add_up() -> None:
    influence, sizes = drawn(0.3)
    first = np.repeat(np.arange(sizes.size), sizes.astype(int))
    items = (influence / sizes)[first]
    second = np.arange(items.size) % 20
    alone, both = cr2(influence, sizes), two_way(items, first, second)
    of_second = cr2(np.bincount(second, weights=items), np.bincount(second).astype(float))
    assert of_second.skewness == 0.0
    assert both.skewness == pytest.approx(alone.skewness * (alone.se / both.se) ** 3)
    assert both.effective == pytest.approx(alone.effective)


def test_a_mean_over_datasets_adds_third_cumulants() -> None:
    one, other = StandardError(0.3, 9.0, 0.6, 4.0), StandardError(0.4, 16.0)
    found = mean_error([one, other])
    assert found.se == pytest.approx(0.25)
    assert found.skewness == pytest.approx(0.6 * 0.3**3 / 0.5**3)
    assert found.effective == pytest.approx(0.25**2 / (0.09**2 / 4.0))
    assert found.df == pytest.approx(0.25**2 / (0.09**2 / 9.0 + 0.16**2 / 16.0))
    assert mean_error([StandardError(0.0, 3.0)] * 2) == StandardError(0.0, 0.0)


def _error_of(x: FloatArray, errors: float) -> StandardError:
    units = Moments.of(x, np.ones(x.size, dtype=np.int64))
    assert units is not None
    return robust(StandardError(units.error_of_mean, x.size - 1.0), units, errors)


def test_the_skewness_of_units_is_fishers_and_moves_by_its_standard_error() -> None:
    x = np.random.default_rng(1).exponential(size=12)
    error = _error_of(x, 1.0)
    assert error.skewness == pytest.approx(stats.skew(x, bias=False) / math.sqrt(12))
    # R's e1071 and SPSS print this as the standard error of the skewness of 12 numbers.
    assert error.moves * math.sqrt(12) == pytest.approx(0.637302, abs=1e-6)
    assert _error_of(x, 0.5).moves == pytest.approx(error.moves / 2.0)


@pytest.mark.slow
def test_one_sided_errors_of_exponential_units() -> None:
    """Student's t misses 8.4 and 7.1 % at nominal 2.5; a whole standard error stays within 1.3 times."""
    rng = np.random.default_rng(5)
    for n, most in ((12, 0.034), (20, 0.033), (40, 0.033)):
        X = rng.exponential(size=(6000, n))
        missed = [interval(float(x.mean()), _error_of(x, FOR_VERDICTS), 0.95)[1] < 1.0 for x in X]
        assert np.mean(missed) < most + 2.0 * math.sqrt(0.025 / 6000)


def test_units_of_which_nothing_is_known_leave_the_error_as_it_is() -> None:
    error = StandardError(0.1, 1.0)
    assert robust(error, None, 1.0) is error
    assert robust(error, Moments.of(np.array([1.0, 2.0]), np.ones(2, dtype=np.int64)), 1.0) is error
    assert robust(error, Moments.of(np.ones(9), np.ones(9, dtype=np.int64)), 1.0) is error


def test_each_end_is_the_furthest_of_all_skewnesses_between_and_p_values_agree() -> None:
    for seed in range(40):
        x = np.random.default_rng(seed).lognormal(0.0, 1.2, size=12)
        error, t = _error_of(x, 1.0), stats.t.isf(0.025, 11)
        s = np.linspace(error.skewness, error.skewness + error.moves, 2001)
        below = np.linspace(error.skewness - error.moves, error.skewness, 2001)
        low, high = interval(0.0, error, 0.95)
        assert high == pytest.approx(-error.se * min(-t, restored(np.full(2001, -t), s).min()), rel=1e-3)
        assert low == pytest.approx(-error.se * max(t, restored(np.full(2001, t), below).max()), rel=1e-3)
        narrow = interval(0.0, _error_of(x, 0.5), 0.95)
        assert low <= narrow[0] < narrow[1] <= high
        for estimate in (low, high):  # 0 is then an end
            assert wald(-estimate, error, "two-sided").p_value == pytest.approx(0.05, abs=1e-6)
