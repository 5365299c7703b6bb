"""What a bootstrap distribution answers: mass below, mass at, quantiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from scipy import stats

from bestby._core.typing import FloatArray, IntArray
from bestby.inference import distributions
from bestby.inference.distributions import (
    Inverted,
    Lattice,
    _inverted_bootstrap,
    _lattice_bootstrap,
    _moments,
    mean_bootstrap,
    replicates,
)

ONE = np.array([0, 1])


def test_replicates_tied_up_to_rounding_are_tied() -> None:
    drawn = replicates(np.array([0.1 + 0.2, 0.3, 0.5, 0.1]))
    assert drawn.at(0.3) == 0.5
    assert drawn.below(0.3) == drawn.below(0.1 + 0.2) == 0.25
    assert not drawn.exact
    assert drawn.size == 4


def test_the_scale_of_the_scores_sets_the_tolerance() -> None:
    noise = np.array([-1e-16, 0.0, 1e-16])  # differences of scores near 1 that are level
    assert replicates(noise, 1.0).at(0.0) == 1.0
    assert replicates(noise).at(0.0) == pytest.approx(1 / 3)


def test_quantiles_of_replicates_are_those_of_the_mirror() -> None:
    values = np.random.default_rng(0).exponential(size=999)
    one, other = replicates(values), replicates(-values)
    for p in (0.001, 0.025, 0.3, 0.5, 0.975, 0.9999):
        assert one.quantile(p) == pytest.approx(-other.quantile(1.0 - p), rel=1e-9)
    assert one.quantile(0.0) == values.min()
    assert one.quantile(1.0) == values.max()
    assert one.quantile(0.025) == np.sort(values)[24]  # rank p (B + 1) = 25


def test_a_single_replicate_has_no_spread() -> None:
    assert replicates(np.array([2.0])).sd == 0.0


def test_a_lattice_and_its_mirror() -> None:
    pmf = np.array([0.1, 0.2, 0.3, 0.4])
    one, other = Lattice(-1.0, 0.3, 7, pmf), Lattice(-2.0, 0.3, 7, pmf[::-1])
    assert one.at(0.0) == 0.2
    assert one.at(0.01) == 0.0
    assert one.below(0.0) == 0.1
    assert one.below(0.01) == pytest.approx(0.3)
    assert one.below(-99.0) == 0.0
    assert one.below(99.0) == pytest.approx(1.0)
    assert (one.above(0.0), one.above(0.01), one.above(99.0)) == (pytest.approx(0.7), pytest.approx(0.7), 0.0)
    assert one.above(-99.0) == pytest.approx(1.0)
    for x in (-0.05, 0.0, 0.01, 0.3 / 7):
        assert one.above(x) == pytest.approx(other.below(-x), rel=1e-14)
    for p in (0.05, 0.15, 0.5001, 0.8, 1.0):
        assert one.quantile(p) == -other.quantile(1.0 - p)
    assert one.sd == pytest.approx(0.3 / 7)
    assert one.exact
    assert one.size == 0


def test_real_values_are_inverted_and_have_no_atoms() -> None:
    values = np.random.default_rng(1).normal(2.0, 1.0, 200)
    found = mean_bootstrap(values, np.ones(200, dtype=np.int64), np.array([0, 200]))
    assert isinstance(found, Inverted)
    assert found.at(2.0) == 0.0
    assert found.below(-99.0) == 0.0
    assert found.below(99.0) == 1.0
    assert found.mean == pytest.approx(values.mean())
    assert found.sd == pytest.approx(values.std() / np.sqrt(200))
    points = [found.quantile(p) for p in (1e-6, 0.01, 0.5, 0.99, 1 - 1e-6)]
    assert points == sorted(points)
    assert [found.below(x) for x in points] == pytest.approx([1e-6, 0.01, 0.5, 0.99, 1 - 1e-6], abs=1e-9)


def test_where_neither_way_is_accurate_resamples_must_be_drawn() -> None:
    """One huge value among few: the characteristic function does not die out."""
    values = np.array([*np.random.default_rng(1).normal(size=30), 1e4 * np.pi])
    assert mean_bootstrap(values, np.ones(31, dtype=np.int64), np.array([0, 31])) is None


def test_counts_are_multiplicities() -> None:
    values, counts = np.array([0.0, 1.0, 3.0]), np.array([4, 3, 2])
    one = mean_bootstrap(values, counts, np.array([0, 3]))
    other = mean_bootstrap(np.repeat(values, counts), np.ones(9, dtype=np.int64), np.array([0, 9]))
    assert one is not None
    assert other is not None
    for x in np.arange(0, 28) / 9:
        assert one.at(x) == pytest.approx(other.at(x), abs=1e-14)


@pytest.mark.parametrize("value", [1.0, 1e-9, -1e-8, 1e40])
def test_values_that_never_vary_are_one_point_on_any_scale(value: float) -> None:
    found = mean_bootstrap(np.array([value]), np.array([25]), ONE)
    assert found is not None
    assert (found.at(value), found.at(0.0), found.at(2.0 * value)) == (1.0, 0.0, 0.0)
    assert (found.above(0.0), found.below(0.0)) == ((1.0, 0.0) if value > 0.0 else (0.0, 1.0))


@pytest.mark.parametrize("strata", [2000, 2100])
def test_right_and_wrong_in_many_strata_are_on_a_lattice(strata: int) -> None:
    """Three items of each stratum, one or two of them right: a sum of binomials with few distinct values."""
    counts, values = np.tile([2, 1], strata), np.tile([0.0, 1.0], strata)
    counts[: strata // 2 * 2] = np.tile([1, 2], strata // 2)
    found = mean_bootstrap(values, counts, np.arange(strata + 1) * 2)
    half = 3 * (strata // 2)
    ways = np.convolve(
        scipy.stats.binom.pmf(np.arange(half + 1), half, 2 / 3),
        scipy.stats.binom.pmf(np.arange(3 * strata - half + 1), 3 * strata - half, 1 / 3),
    )
    assert isinstance(found, Lattice)
    assert found.at(0.5) == pytest.approx(ways[3 * strata // 2], rel=1e-9)
    assert found.above(0.51) == pytest.approx(ways[int(0.51 * 3 * strata + 1e-9) + 1 :].sum(), rel=1e-9)


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


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_strata_that_vary_by_rounding_only_never_vary(unit: float) -> None:
    """Two constants without a common step, each with noise in its 13th digit."""
    values = unit * np.array([1.0, 1.0 + 2e-13, math.pi, math.pi + 2e-13])
    found = mean_bootstrap(values, np.full(4, 500), np.array([0, 2, 4]))
    assert isinstance(found, Lattice)
    assert found.sd == 0.0
    assert found.pmf.tolist() == [1.0]
    assert found.quantile(0.01) == found.quantile(0.99)
    assert found.quantile(0.5) == pytest.approx(unit * (1.0 + math.pi) / 2.0, rel=1e-12)


def test_one_hit_among_a_thousand_is_nearly_poisson() -> None:
    """The total has mean 1 and mass far above: the window must not end after nine steps."""
    n = 1000
    found = mean_bootstrap(np.array([0.0, 1.0]), np.array([n - 1, 1]), np.array([0, 2]))
    true = stats.binom(n, 1.0 / n)
    assert found is not None
    for k in range(12):
        assert found.at(k / n) == pytest.approx(true.pmf(k), rel=1e-5, abs=0.0)
        assert found.above(k / n) == pytest.approx(true.sf(k), rel=1e-2, abs=0.0)


@pytest.mark.parametrize("n", [7, 8, 9, 15, 16, 17, 32, 33])
def test_both_ends_of_a_lattice_of_any_length_keep_their_mass(n: int) -> None:
    """All or none of n: with one frequency too few, one end is added to the other."""
    k = n // 2
    found = mean_bootstrap(np.array([0.0, 1.0]), np.array([n - k, k]), np.array([0, 2]))
    assert isinstance(found, Lattice)
    assert found.pmf.size == n + 1
    assert found.at(0.0) == pytest.approx((1.0 - k / n) ** n, rel=1e-5, abs=0.0)
    assert found.at(1.0) == pytest.approx((k / n) ** n, rel=1e-5, abs=0.0)


def test_no_mass_is_negative() -> None:
    """Rounding of the FFT is about 1e-17 to either side, where the true masses are far below."""
    for counts in ([500, 500], [900, 100], [4990, 10]):
        found = mean_bootstrap(np.array([0.0, 1.0]), np.array(counts), np.array([0, 2]))
        assert isinstance(found, Lattice)
        assert found.pmf.min() >= 0.0
        assert not found.pmf[(found.pmf > 0.0) & (found.pmf < 9e-18)].size


@pytest.mark.parametrize("shape", [50.0, 400.0])
@pytest.mark.parametrize("scale", [1e-9, 3.0])
def test_an_inverted_gamma_is_that_of_scipy(shape: float, scale: float) -> None:
    """Skewed, so that a sign changed anywhere shows; the mass beyond the window is below 1e-12."""
    true = stats.gamma(shape, scale=scale)
    mean, sd = float(true.mean()), float(true.std())
    t = np.pi / (9.5 * sd) * np.arange(1, 37)
    found = Inverted(mean, sd, t[0], (1.0 - 1j * scale * t) ** -shape * np.exp(-1j * t * mean))
    for x in mean + sd * np.array([-4.0, -1.0, 0.0, 0.3, 2.0, 5.0]):
        assert found.below(x) == pytest.approx(true.cdf(x), abs=1e-12)
        assert found.above(x) == pytest.approx(true.sf(x), abs=1e-12)
        assert found._density(x) * sd == pytest.approx(true.pdf(x) * sd, abs=1e-12)
    for p in (1e-4, 0.025, 0.5, 0.9, 0.9999):
        assert (found.quantile(p) - mean) / sd == pytest.approx((true.ppf(p) - mean) / sd, abs=1e-6)
    edge = 9.5 * sd * (1.0 + 1e-12)
    assert (found.below(mean - edge), found.below(mean + edge)) == (0.0, 1.0)
    assert 0.0 <= found.below(mean - 9.4 * sd) < 1e-12
    assert 1.0 - 1e-12 < found.below(mean + 9.4 * sd) <= 1.0
    for p in (0.0, 1.0):
        assert abs(found.quantile(p) - mean) <= edge


@pytest.mark.parametrize("edges", [[0, 80], [0, 30, 80], [0, 40, 41, 80]], ids=str)
def test_inverted_and_exact_on_a_fine_lattice_agree(edges: list[int]) -> None:
    """Halfway between its points: what is left is the square of a step of 1e-3 standard deviations."""
    rng = np.random.default_rng(len(edges))
    v: IntArray = np.rint(rng.exponential(60.0, 80)).astype(np.int64)
    counts, bounds = rng.integers(1, 3, 80), np.array(edges)
    n = int(counts.sum())
    exact = _lattice_bootstrap(0.01, v, counts, bounds)
    values: FloatArray = v * 0.01
    totals, variances = _moments(values, counts, bounds)
    found = _inverted_bootstrap(values, counts, bounds, totals, float(np.sqrt(sum(variances))))
    assert exact is not None
    assert found is not None
    assert (found.mean, found.sd) == (pytest.approx(sum(totals) / n), pytest.approx(exact.sd, rel=1e-9))
    for z in (-4.0, -2.0, -0.5, 0.0, 1.0, 3.0):
        x = (np.floor((found.mean + z * found.sd) * n / 0.01) + 0.5) * 0.01 / n
        assert found.below(x) == pytest.approx(exact.below(x), abs=1e-6)
        assert found.above(x) == pytest.approx(exact.above(x), abs=1e-6)


@pytest.mark.parametrize("size", [1e-13, 0.1, 1.0, 3.0, 1e9])
@pytest.mark.parametrize("least", [0.0, -7.0, 5.0])
def test_the_mean_of_two_values_is_a_binomial(size: float, least: float) -> None:
    n, hits = 40, 13
    values = size * np.array([least, least + 1.0])
    found = mean_bootstrap(values, np.array([n - hits, hits]), np.array([0, 2]))
    assert isinstance(found, distributions.Lattice)
    true = stats.binom(n, hits / n)
    points = size * (least + np.arange(n + 1) / n)
    assert [found.at(x) for x in points] == pytest.approx(true.pmf(np.arange(n + 1)).tolist(), abs=1e-14)
    assert found.sd == pytest.approx(size * true.std() / n, rel=1e-9)
    for p in (1e-3, 0.3, 0.5, 0.8, 0.999):
        assert found.quantile(p) == pytest.approx(points[int(true.ppf(p))], rel=1e-9, abs=1e-12 * size)
    assert found.at(points[-1] + size / n) == found.at(points[0] - size / n) == 0.0


def test_quantiles_between_two_points_are_the_outer_ones_above_one_half() -> None:
    quarters = distributions.Lattice(0.0, 1.0, 1, np.full(4, 0.25))
    assert [quarters.quantile(p) for p in (0.25, 0.5, 0.75)] == [0.0, 1.0, 3.0]
