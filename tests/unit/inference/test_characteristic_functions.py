"""The series of very many units give what the exact characteristic functions give."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bestby._core.typing import FloatArray
from bestby.inference import characteristic_functions, distributions, permutation, tilting
from bestby.inference.characteristic_functions import (
    SignSeries,
    log_characteristic,
    lugannani_rice,
    power_sums,
)
from bestby.inference.distributions import Inverted, Lattice, mean_bootstrap
from bestby.inference.intervals import Moments
from bestby.inference.permutation import exact_mean
from bestby.results.values import TestResult

N = 100_000
DRAWN: dict[str, Callable[[np.random.Generator], FloatArray]] = {
    "normal": lambda rng: rng.normal(size=N),
    "skewed": lambda rng: rng.exponential(size=N),
    "far tails": lambda rng: rng.standard_t(2, size=N),
}


@pytest.mark.parametrize("name", DRAWN)
def test_the_bootstrap_of_a_mean(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = DRAWN[name](np.random.default_rng(1))
    counts, bounds = np.ones(N, dtype=np.int64), np.array([0, N])
    quick = mean_bootstrap(values, counts, bounds)
    h = math.pi / (9.5 * float(values.std()) * math.sqrt(N))
    assert log_characteristic(h, 36, values - values.mean(), counts) is not None
    monkeypatch.setattr(characteristic_functions, "SERIES_FROM", N + 1)
    exact = mean_bootstrap(values, counts, bounds)
    assert isinstance(quick, distributions.Inverted)
    assert isinstance(exact, distributions.Inverted)
    length = exact.quantile(0.975) - exact.quantile(0.025)
    for p in (0.005, 0.025, 0.5, 0.975, 0.995):
        assert abs(quick.quantile(p) - exact.quantile(p)) < 1e-7 * length
    assert abs(quick.below(float(values.mean())) - exact.below(float(values.mean()))) < 1e-11


@pytest.mark.parametrize("name", [*DRAWN, "on two scales", "rounded"])
def test_the_bootstrap_of_a_mean_of_values_in_any_order(name: str) -> None:
    rng = np.random.default_rng(7)
    if name == "on two scales":  # its distribution has steps, which only resamples show
        values = rng.choice([0.0, 1.0], N, p=[1.0 - 1e-4, 1e-4]) + 1e-6 * rng.random(N)
    else:
        values = np.round(rng.normal(size=N), 1) if name == "rounded" else DRAWN[name](rng)
    counts, bounds = np.ones(N, dtype=np.int64), np.array([0, N])
    made = []
    for given in (values, np.sort(values)):
        moments = Moments.of(given, counts)
        assert moments is not None
        made.append(mean_bootstrap(given, counts, bounds, moments.powers))
    made.append(mean_bootstrap(values, counts, bounds))
    if name == "on two scales":
        assert made == [None, None, None]
        return
    first, *others = made
    assert first is not None
    assert all(type(first) is type(other) for other in others)
    length = first.quantile(0.975) - first.quantile(0.025)
    for other in others:
        assert other is not None
        for p in (0.005, 0.025, 0.5, 0.975):
            assert abs(first.quantile(p) - other.quantile(p)) < 1e-9 * length


@pytest.mark.parametrize("distance", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("name", DRAWN)
def test_the_tail_of_a_signed_sum(name: str, distance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    values = DRAWN[name](np.random.default_rng(2))
    sizes = np.sort(np.abs(values - values.mean()))
    far = distance * math.sqrt(float(sizes @ sizes))
    made = SignSeries.of(sizes)
    assert made is not None
    quick = permutation._inverted_by_series(sizes, far, made)
    monkeypatch.setattr(permutation.SignSeries, "of", lambda _: None)
    exact = permutation._inverted_upper(sizes, far)
    assert quick is not None
    assert exact is not None
    assert abs(quick / exact - 1.0) < 1e-8


@pytest.mark.parametrize("distance", [0.5, 3.0, 8.0, 20.0])
@pytest.mark.parametrize("name", DRAWN)
def test_the_tail_of_a_signed_sum_of_some_thousand_units(
    name: str, distance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = np.sort(np.abs(DRAWN[name](np.random.default_rng(8))[:3000]))
    far = min(distance * math.sqrt(float(sizes @ sizes)), 0.9 * float(sizes.sum()))
    quick = permutation._inverted_upper(sizes, far)
    monkeypatch.setattr(permutation.SignSeries, "of", lambda _: None)
    exact = permutation._inverted_upper(sizes, far)
    assert quick is not None
    assert exact is not None
    assert abs(quick / exact - 1.0) < 2e-4


@pytest.mark.parametrize("distance", [0.5, 6.0, 12.0])
def test_a_sum_with_steps_has_no_tail_by_a_series_or_a_saddlepoint(distance: float) -> None:
    sizes = np.sort(1.0 + 1e-5 * np.random.default_rng(9).random(3000))
    far = distance * math.sqrt(float(sizes @ sizes))
    assert permutation._inverted_upper(sizes, far) is None


def test_a_sum_that_few_units_carry_is_left_to_the_exact_functions() -> None:
    sizes = np.sort(np.concatenate([np.full(N, 1e-6), np.linspace(1.0, 2.0, 1030)]))
    made = SignSeries.of(sizes)
    assert made is not None
    assert permutation._inverted_by_series(sizes, 10.0, made) is None
    values = np.concatenate([sizes, -sizes])
    h = math.pi / (9.5 * math.sqrt(float(values @ values)))
    assert log_characteristic(300 * h, 36, values, np.ones(values.size, dtype=np.int64)) is None


def test_a_chance_below_the_smallest_float_is_0() -> None:
    sizes = np.sort(np.random.default_rng(3).random(N))
    assert permutation._inverted_upper(sizes, 50.0 * math.sqrt(float(sizes @ sizes))) == 0.0


def test_power_sums() -> None:
    values, counts = np.random.default_rng(4).normal(size=20_000), np.arange(20_000) % 3
    expected = [float(counts @ values**power) for power in range(11)]
    assert power_sums(values, counts) == pytest.approx(expected, rel=1e-10)


def test_a_characteristic_function_is_given_only_where_its_error_is_small() -> None:
    values = np.append(np.random.default_rng(5).normal(size=20_000), [-80.0, 80.0])
    values -= values.mean()  # the two would need more terms
    counts = np.ones(values.size, dtype=np.int64)
    given = 0
    for h in np.linspace(1e-3, 4e-2, 80).tolist():
        found = log_characteristic(h, 1, values, counts)
        if found is not None:
            given += 1
            exact = np.exp(1j * h * values).mean() ** values.size
            assert abs(np.exp(found[0]) - exact) < 1.01 * characteristic_functions.LARGEST_REMAINDER
    assert 10 < given < 80


def test_the_remainder_bounds_the_error_up_to_where_the_series_may_not_converge() -> None:
    n = 30_000
    made = SignSeries.of(np.ones(n))
    assert made is not None
    for ratio in (0.1, 0.3, 0.49):
        w = 0.5 * math.pi * math.sqrt(ratio)
        for at, exact in ((w, math.log(math.cosh(w))), (1j * w, math.log(math.cos(w)))):
            error = abs(made.value(np.array([at]))[0] - n * exact)
            bound = float(made.remainder(np.array([at]))[0])
            assert 0.1 * bound < error <= bound * (1.0 + 1e-9) or ratio < 0.2
            assert error <= bound + 1e-9
    beyond = 0.5 * math.pi * math.sqrt(0.51)
    assert made.remainder(np.array([beyond]))[0] == math.inf


def test_slope_and_curvature_are_derivatives() -> None:
    sizes = np.sort(np.random.default_rng(6).random(25_000))
    made = SignSeries.of(sizes)
    assert made is not None
    w, step = 0.05, 1e-4
    value = made.value(np.array([w - step, w, w + step]))
    assert made.slope(w) == pytest.approx(float(value[2] - value[0]) / (2 * step), rel=1e-6)
    slopes = made.slope(w + step) - made.slope(w - step)
    assert made.curvature(w) == pytest.approx(slopes / (2 * step), rel=1e-6)
    assert made.curvature(0.0) == pytest.approx(float(sizes @ sizes), rel=1e-10)
    assert made.curvature(0.0, inner=True) == pytest.approx(float(sizes[:-1024] @ sizes[:-1024]), rel=1e-10)


def test_very_many_values_that_differ_by_rounding_alone_are_constant() -> None:
    values = 0.3 + 1e-13 * np.random.default_rng(8).normal(size=N)
    counts, bounds = np.ones(N, dtype=np.int64), np.array([0, N])
    moments = Moments.of(values, counts)
    assert moments is not None
    found = mean_bootstrap(values, counts, bounds, moments.powers)
    assert isinstance(found, distributions.Lattice)
    assert found.sd == 0.0


@pytest.mark.parametrize("out", [0.5, 2.0, 6.0, 12.0])
def test_the_saddlepoint_knows_its_error(out: float) -> None:
    """Beside the inverted characteristic function: the second term is the error, nearly."""
    sizes = np.sort(np.abs(np.random.default_rng(0).standard_t(3, 30_000)))
    far = out * math.sqrt(float(sizes @ sizes))
    inverted = permutation.real_tail(sizes, np.ones(sizes.size, dtype=np.int64), far)
    assert inverted is not None
    for own in (SignSeries.of(sizes), SignSeries.term_by_term(sizes)):
        assert own is not None
        tail, more = lugannani_rice(own, far)
        assert abs(more) < 1e-4
        assert tail == pytest.approx(inverted[0], rel=1.2 * abs(more) + 1e-8)
        assert tail * (1.0 + more) == pytest.approx(inverted[0], rel=0.1 * abs(more) + 1e-8)


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
