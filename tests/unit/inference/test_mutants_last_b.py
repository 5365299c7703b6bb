"""What changes of the code showed to be untested: mid-p power, many items, exact tests of means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby._core.typing import Alternative
from bestby.inference.distributions import Lattice, _lattice_bootstrap, mean_bootstrap
from bestby.inference.permutation import exact_mean
from bestby.inference.power import mcnemar_power, t_power
from bestby.inference.sign_sums import central_binomial

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

# -- power -------------------------------------------------------------------------------------------


def _summed(
    n: int, differing: float, difference: float, alpha: float, alternative: Alternative, *, mid: bool
) -> float:
    """Return the power of McNemar's test, outcome by outcome, for every number of differing items."""
    chance = 0.5 * (1.0 + difference / differing)
    power = 0.0
    for m in range(1, n + 1):
        k, fair = np.arange(m + 1), stats.binom(m, 0.5)
        half = 0.5 * fair.pmf(k) if mid else 0.0
        upper, lower = fair.sf(k - 1) - half, fair.cdf(k) - half
        p = {"greater": upper, "less": lower, "two-sided": 2.0 * np.minimum(upper, lower)}[alternative]
        power += float(stats.binom.pmf(m, n, differing) * stats.binom.pmf(k, m, chance)[p <= alpha].sum())
    return power


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("alpha", [0.07, 0.8])
@pytest.mark.parametrize("mid", [False, True])
def test_power_outcome_by_outcome(mid: bool, alpha: float, alternative: Alternative) -> None:
    """A level of 0.8 rejects with a single item for A, and by mid-p without any."""
    for n in (1, 2, 6, 25, 90):
        for difference in (0.07, -0.2):
            found = mcnemar_power(np.array([n]), 0.3, difference, alpha, alternative, mid=mid)
            expected = _summed(n, 0.3, difference, alpha, alternative, mid=mid)
            assert found == pytest.approx([expected], rel=1e-9)


def test_a_test_that_always_rejects_has_power_1_for_millions_of_items() -> None:
    """The logarithms of the binomial masses are of size 1e8 there, and known to 1e-8 only."""
    for n in (10_000_019, 30_000_001):
        assert mcnemar_power(np.array([n]), 0.5, 0.5, 0.05)[0] == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("df", [1.0, 2.0, 19.0, 1000.0, 1e6])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_power_of_t_is_0_or_1_where_scipy_has_no_number(df: float, alternative: Alternative) -> None:
    """The sign of the difference decides, which is nine standard errors and more."""
    towards = np.geomspace(9.0, 500.0, 300) * (1.0 if alternative == "greater" else -1.0)
    for alpha in (0.001, 0.01, 0.05):
        away = t_power(-towards, np.array([df]), alpha, alternative)
        assert away == pytest.approx(np.zeros(300), abs=1e-13)
    for alpha in (0.95, 0.99, 0.999):
        assert t_power(towards, np.array([df]), alpha, alternative) == pytest.approx(np.ones(300), abs=1e-13)


# -- exact bootstrap distributions -------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_strata_that_never_vary_and_cancel_have_a_mean_of_0(unit: float) -> None:
    """0.1 + 0.2 - 0.3 is 6e-17: rounding, which is neither above 0 nor below."""
    found = mean_bootstrap(unit * np.array([0.1, 0.2, -0.3]), np.ones(3, dtype=int), np.array([0, 1, 2, 3]))
    assert found is not None
    assert (found.at(0.0), found.above(0.0), found.below(0.0)) == (1.0, 0.0, 0.0)
    assert (found.at(0.001 * unit), found.above(-0.001 * unit), found.below(0.001 * unit)) == (0.0, 1.0, 1.0)


def test_the_masses_of_a_hundred_million_units_sum_to_1() -> None:
    """The modulus to the power of so many is known to 1e-8."""
    n = 100_000_000
    found = mean_bootstrap(np.array([0.0, 1.0]), np.array([n // 4, 3 * n // 4]), np.array([0, 2]))
    assert isinstance(found, Lattice)
    assert float(found.pmf.sum()) == pytest.approx(1.0, abs=1e-13)
    assert found.at(0.75) == pytest.approx(float(stats.binom.pmf(3 * n // 4, n, 0.75)), rel=1e-6)


def test_a_characteristic_function_that_reaches_0_is_no_warning() -> None:
    """A value of -1, 0, 0 or 1 is the number of heads of two coins, less 1."""
    found = mean_bootstrap(np.array([-1.0, 0.0, 1.0]), np.array([1, 2, 1]), np.array([0, 3]))
    assert isinstance(found, Lattice)
    assert found.pmf == pytest.approx(stats.binom.pmf(np.arange(9), 8, 0.5), abs=1e-15)


def test_the_longest_fft_of_an_exact_bootstrap() -> None:
    """Two values 100 000 steps apart take 2^20 points for ten units, and twice as many for eleven."""
    bounds, far = np.array([0, 2]), np.array([0, 100_000])
    found = _lattice_bootstrap(1.0, far, np.array([5, 5]), bounds)
    assert found is not None
    masses = [found.at(10_000.0 * k) for k in range(11)]
    assert masses == pytest.approx(stats.binom.pmf(np.arange(11), 10, 0.5).tolist(), abs=1e-8)
    assert _lattice_bootstrap(1.0, far, np.array([5, 6]), bounds) is None


def test_the_most_work_of_an_exact_bootstrap() -> None:
    """64 values on a grid of 2^19 points; the mean of as many of them on a grid 150 times as fine."""
    near, far = (
        _lattice_bootstrap(step, np.arange(64) * times, np.ones(64, dtype=int), np.array([0, 64]))
        for step, times in ((150.0, 1), (1.0, 150))
    )
    assert near is not None
    assert far is not None
    for k in (1000, 2016, 2500):
        assert far.at(150.0 * k / 64) == pytest.approx(near.at(150.0 * k / 64), rel=1e-9)
    assert _lattice_bootstrap(1.0, np.arange(65) * 150, np.ones(65, dtype=int), np.array([0, 65])) is None


# -- exact tests of means ----------------------------------------------------------------------------


def test_the_binomial_of_few_units_in_whole_numbers() -> None:
    for n in range(1, 65):
        net, chances, outside = central_binomial(n)
        assert net.tolist() == list(range(-n, n + 1, 2))
        assert outside == 0.0
        assert chances == pytest.approx([math.comb(n, k) / 2**n for k in range(n + 1)], rel=1e-13, abs=0.0)


@pytest.mark.parametrize("net", [0, 60, 200, 400])
def test_two_sizes_of_five_thousand_units_each(net: int) -> None:
    """All counts would be 25 million pairs, those with a mass half a million."""
    n = 5000
    up, down = (n + net) // 2, (n - net) // 2
    found = exact_mean(
        np.array([1.0, -1.0, math.pi, -math.pi]), np.array([up, down, up, down]), "greater", 1.0
    )
    assert found is not None
    assert found.method == "convolution"
    k, true = np.arange(n + 1), stats.binom(n, 0.5)
    least = np.ceil(((1.0 + math.pi) * net - math.pi * (2.0 * k - n) + n) / 2.0 - 1e-6)
    assert found.p_value == pytest.approx(float(true.pmf(k) @ true.sf(least - 1.0)), rel=1e-6, abs=1e-17)
