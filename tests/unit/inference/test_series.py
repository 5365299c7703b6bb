"""The series of very many units give what the exact characteristic functions give."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from bestby._core.typing import FloatArray
from bestby.inference import characteristic_functions, distributions, permutation
from bestby.inference.characteristic_functions import (
    SignSeries,
    log_characteristic,
    lugannani_rice,
    power_sums,
)
from bestby.inference.distributions import mean_bootstrap
from bestby.inference.intervals import Moments

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
