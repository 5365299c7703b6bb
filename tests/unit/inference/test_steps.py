"""Sums of values on two scales, or near the multiples of a step: right tails, or none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.inference import characteristic_functions, permutation, tilting
from bestby.inference.distributions import Inverted, Lattice, mean_bootstrap
from bestby.inference.permutation import exact_mean
from bestby.results.values import TestResult


def two_scales(k: int, n: int, noise: float) -> Any:
    """Return n values, k of them about 1 or -1 (68 % about 1), the others small."""
    rng = np.random.default_rng(1)
    d = rng.normal(size=n) * noise
    d[:k] += np.where(rng.random(k) < 0.68, 1.0, -1.0)
    return d


def share_at_least(d: Any, draws: int = 100_000) -> float:
    rng = np.random.default_rng(5)
    signs = rng.integers(0, 2, (draws, d.size), dtype=np.int8) * 2.0 - 1.0
    return float(np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12))


@pytest.mark.parametrize(("k", "n", "noise"), [(21, 110, 1e-3), (40, 200, 1e-3), (21, 110, 3e-2)])
def test_p_of_values_on_two_scales_is_that_of_random_signs(k: int, n: int, noise: float) -> None:
    """The small values alone decide whether sums near the observed one are more extreme."""
    d = two_scales(k, n, noise)
    found = exact_mean(d, np.ones(n, dtype=np.int64), "two-sided", float(n))
    assert found is not None
    assert found.method == "characteristic function"
    p = share_at_least(d)
    assert found.p_value == pytest.approx(p, abs=5.0 * (p / 100_000) ** 0.5)


@pytest.mark.parametrize("noise", [1e-5, 1e-7])
def test_sums_near_the_multiples_of_a_step_are_not_inverted(noise: float) -> None:
    d = two_scales(40, 200, noise)
    assert exact_mean(d, np.ones(200, dtype=np.int64), "two-sided", 200.0) is None


@pytest.mark.parametrize("far", [0.4, 1.6, 2.7])
@pytest.mark.parametrize("small", [0.1, 0.3])
def test_the_inversion_of_two_scales_against_all_sign_changes(small: float, far: float) -> None:
    rng = np.random.default_rng(8)
    sizes = np.concatenate([1.0 + 0.01 * rng.random(10), small * (0.2 + rng.random(28))])
    s = far * float(np.sqrt(sizes @ sizes))
    found = permutation._inverted_upper(sizes, s)
    assert found == pytest.approx(permutation._enumerated_upper(sizes, s, 0.0), abs=1e-6)


def test_a_tilted_sum_has_steps_too() -> None:
    """Far out the tail is tilted: 60 large values, 52 of them positive, decide."""
    rng = np.random.default_rng(2)
    sizes = np.concatenate([np.ones(60), 0.03 * (0.2 + rng.random(200))])
    far = 44.0
    assert far > permutation.TILT_FROM * float(np.sqrt(sizes @ sizes))
    found = permutation._inverted_upper(sizes, far)
    # The small ones sum to within 1 of 0, and the large ones to even numbers.
    net = rng.integers(0, 2, (20_000, 200)) * 2.0 - 1.0
    above = float(np.mean(net @ sizes[60:] >= 0.0))
    exact = permutation._binomial_upper(60, 46) + above * (
        permutation._binomial_upper(60, 44) - permutation._binomial_upper(60, 46)
    )
    assert found == pytest.approx(exact, rel=0.02)


def test_ordinary_values_have_no_steps() -> None:
    for n in (60, 400, 5000):
        values = np.sort(np.random.default_rng(n).normal(size=n))
        ones = np.ones(n, dtype=np.int64)
        assert exact_mean(values, ones, "two-sided", float(n)) is not None
        assert isinstance(mean_bootstrap(values, ones, np.array([0, n])), Inverted)


@pytest.mark.parametrize("strata", [1, 2])
def test_a_bootstrap_mean_of_values_on_two_scales_is_drawn(strata: int) -> None:
    """Its distribution has steps; the inversion would give the test .0048 for .0061."""
    d = two_scales(40, 200, 1e-4)
    bounds = np.linspace(0, 200, strata + 1).astype(int)
    d = np.concatenate([d[i::strata] for i in range(strata)])
    assert mean_bootstrap(d, np.ones(200, dtype=np.int64), bounds) is None
    rounded = mean_bootstrap(np.round(d), np.ones(200, dtype=np.int64), bounds)
    assert isinstance(rounded, Lattice)


def test_bounds_of_a_characteristic_function_hold() -> None:
    rng = np.random.default_rng(3)
    k = rng.integers(1, characteristic_functions.FREQUENCIES, 200)
    for values in (rng.normal(size=500), rng.standard_t(2, 500), two_scales(40, 200, 1e-2)):
        x = np.sort(values)
        h = np.pi / (9.5 * float(x.std()) * x.size**0.5)
        waves = np.exp(1j * h * np.multiply.outer(k, x))
        exact = x.size * np.log(np.abs(waves.mean(axis=1)))
        for some in (x, x[::3]):
            assert (
                exact <= characteristic_functions._log_bound(some, np.ones(some.size), x.size, h)[k] + 1e-9
            ).all()
        weights = rng.random(x.size)
        found, missed = characteristic_functions._waves(x, weights, h)
        assert (np.abs(found[k].conj() - waves @ weights) <= missed[k] + 1e-9).all()


@pytest.mark.parametrize("case", ["few units carry the sum", "one unit dominates", "nearly all one way"])
@pytest.mark.parametrize("seed", range(4))
def test_characteristic_functions_that_fall_slowly(case: str, seed: int) -> None:
    """Exact p-values agree with weighted draws, or are not given."""
    rng = np.random.default_rng(seed)
    if case == "few units carry the sum":
        d = np.minimum(np.exp(rng.normal(-9.0, 4.0, 700)), 1.0) * np.where(rng.random(700) < 0.12, -1.0, 1.0)
    elif case == "one unit dominates":
        d = np.exp(rng.normal(-9.0, 4.0, 700)) * np.where(rng.random(700) < 0.05, -1.0, 1.0)
    else:
        d = rng.beta(1.5, 0.4, 700) * np.where(rng.random(700) < 0.01, -1.0, 1.0)
    exact = exact_mean(d, np.ones(700, dtype=np.int64), "two-sided", 1.0)
    plain = TestResult("permutation", 1e-4, "two-sided", False, "monte carlo", 1e-4, 9999, float(d.sum()))
    drawn = tilting.refined_mean(plain, d, 1.0, 0)
    assert case == "one unit dominates" or exact is not None
    if exact is not None:
        assert abs(np.log(drawn.p_value / exact.p_value)) < 5.0 * drawn.error / drawn.p_value
