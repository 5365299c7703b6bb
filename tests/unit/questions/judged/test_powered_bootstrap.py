"""Intervals and tests from resamples of labelled and judged items: normal theory, and the edges."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from bestby.inference.clusters import StandardError
from bestby.inference.distributions import replicates
from bestby.questions.judged.label_metrics import PoweredBootstrap

NORMAL = norm.ppf((np.arange(9999) + 1) / 10000)


def made(
    estimate: float, sd: float, df: float = 1e9, wider: float = 1.0, shift: float = 0.0
) -> PoweredBootstrap:
    values = replicates(estimate + shift + sd * NORMAL, 1.0)
    return PoweredBootstrap(estimate, values, StandardError(wider * sd, df), sd)


def test_normal_resamples_give_the_normal_interval_and_test() -> None:
    low, high = made(0.3, 0.1).interval(0.95)
    assert (low, high) == pytest.approx((0.3 - 1.96 * 0.1, 0.3 + 1.96 * 0.1), abs=1e-3)
    assert made(0.15, 0.1).tested("two-sided").p_value == pytest.approx(2 * norm.sf(1.5), rel=1e-2)
    assert made(0.15, 0.1).tested("greater").p_value == pytest.approx(norm.sf(1.5), rel=1e-2)
    assert made(0.15, 0.1).tested("less").p_value == pytest.approx(norm.cdf(1.5), rel=1e-2)


def test_percentiles_are_expanded_to_the_robust_error_with_students_t() -> None:
    found = made(0.3, 0.1, df=9.0, wider=1.2)
    reach = 1.2 * 0.1 * t.ppf(0.975, 9)
    assert found.interval(0.95) == pytest.approx((0.3 - reach, 0.3 + reach), abs=2e-3)
    assert found.tested("two-sided").p_value == pytest.approx(2 * t.sf(2.5, 9), rel=2e-2)
    assert made(0.3, 0.1, wider=0.5).interval(0.95) == made(0.3, 0.1).interval(0.95)  # never narrowed


def test_a_bias_of_the_resamples_is_taken_out_twice() -> None:
    biased = made(0.3, 0.1, shift=-0.05)
    low, high = biased.interval(0.95)  # as if they lay as far above the estimate as they lie below
    assert (low, high) == pytest.approx((0.35 - 1.96 * 0.1, 0.35 + 1.96 * 0.1), abs=2e-3)


@pytest.mark.parametrize("estimate", [-0.3, -0.19, 0.0, 0.1, 0.19, 0.2, 0.35])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_interval_and_test_agree(estimate: float, level: float) -> None:
    skewed = replicates(estimate + np.random.default_rng(1).gamma(4.0, 0.05, 4000) - 0.2, 1.0)
    found = PoweredBootstrap(estimate, skewed, StandardError(0.12, 15.0), 0.1)
    low, high = found.interval(level)
    assert (found.tested("two-sided").p_value <= 1.0 - level) == (low > 0.0 or high < 0.0)


def test_resamples_on_one_side_of_zero_never_give_a_p_value_of_zero() -> None:
    found = made(1.0, 0.01).tested("two-sided")
    assert 0.0 < found.p_value < 0.001
    assert found.n_resamples == 9999
    assert made(-1.0, 0.01).tested("greater").p_value > 0.999


def test_mirrored_resamples_give_the_mirrored_results() -> None:
    values = np.random.default_rng(2).gamma(3.0, 0.1, 2000)
    one = PoweredBootstrap(0.25, replicates(values, 1.0), StandardError(0.2, 20.0), 0.17)
    other = PoweredBootstrap(-0.25, replicates(-values, 1.0), StandardError(0.2, 20.0), 0.17)
    low, high = one.interval(0.95)
    assert other.interval(0.95) == pytest.approx((-high, -low), abs=1e-12)
    assert one.tested("greater").p_value == pytest.approx(other.tested("less").p_value)


def test_equal_resamples_say_nothing() -> None:
    found = PoweredBootstrap(0.0, replicates(np.zeros(99), 1.0), StandardError(0.0, 0.0), 0.0)
    assert not found.varies
    assert found.tested("two-sided").p_value == 1.0
