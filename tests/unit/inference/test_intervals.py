"""Interval arithmetic on known distributions, and every degenerate branch."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from bestby.errors import InvalidInputError
from bestby.inference import intervals
from bestby.inference.distributions import Lattice, replicates
from bestby.inference.intervals import acceleration, bca, effective_units, widened
from bestby.inference.proportions import tango, wilson

NORMAL = NormalDist()
HUNDREDTHS = replicates(np.arange(1.0, 1000.0))  # p (B + 1) is 1000 p


def test_percentile_and_basic_are_mirror_images_about_the_estimate() -> None:
    assert intervals.percentile(HUNDREDTHS, 0.9) == pytest.approx((50.0, 950.0))
    assert intervals.basic(HUNDREDTHS, 400.0, 0.9) == pytest.approx((-150.0, 750.0))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_end_of_a_basic_interval_that_is_0_but_for_rounding_is_0(sign: float) -> None:
    three_tenths = replicates(np.full(10, sign * (0.1 + 0.2)))
    assert 2.0 * 0.15 != 0.1 + 0.2
    assert intervals.basic(three_tenths, sign * 0.15, 0.9) == (0.0, 0.0)


@pytest.mark.parametrize("a", [-0.1, 0.0, 0.05])
@pytest.mark.parametrize("estimate", [300.0, 500.0, 650.5])
def test_bca_follows_the_formula(a: float, estimate: float) -> None:
    share = (np.arange(1, 1000) < estimate).mean() + 0.5 * (np.arange(1, 1000) == estimate).mean()
    z0 = NORMAL.inv_cdf(float(share))
    expected = []
    for p in (0.05, 0.95):
        z = z0 + NORMAL.inv_cdf(p)
        rank = 1000.0 * NORMAL.cdf(z0 + z / (1.0 - a * z))
        expected.append(min(max(rank, 1.0), 999.0))
    assert intervals.bca(HUNDREDTHS, estimate, a, 0.9) == pytest.approx(expected, rel=1e-9)


def test_ties_count_half_or_not_at_all() -> None:
    lattice = Lattice(0.0, 1.0, 1, np.array([0.01, 0.1, 0.2, 0.38, 0.2, 0.1, 0.01]))
    assert intervals.bca(lattice, 3.0, 0.0, 0.5) == (2.0, 4.0)  # half below: no bias at all
    z0 = NORMAL.inv_cdf(0.31)
    shifted = [NORMAL.cdf(2 * z0 + NORMAL.inv_cdf(p)) for p in (0.25, 0.75)]
    expected = tuple(float(np.searchsorted(np.cumsum(lattice.pmf), p)) for p in shifted)
    assert intervals.bca(lattice, 3.0, 0.0, 0.5, ties="strict") == expected != (2.0, 4.0)
    with pytest.raises(InvalidInputError, match="ties must be one of half, strict, got 'all'"):
        intervals.bca(lattice, 3.0, 0.0, 0.5, ties="all")


def test_bca_where_it_is_undefined() -> None:
    assert intervals.bca(HUNDREDTHS, 0.0, 0.0, 0.9) is None  # below all replicates
    assert intervals.bca(HUNDREDTHS, 1000.0, 0.0, 0.9) is None
    assert intervals.bca(HUNDREDTHS, 500.0, 1.0, 0.9) is None  # 1 - a z <= 0
    assert intervals.bca(HUNDREDTHS, 500.0, -1.0, 0.9) is None
    same = replicates(np.full(10, 0.3))
    assert intervals.bca(same, 0.3, 0.0, 0.9) == (0.3, 0.3)


def test_acceleration_is_signed_counts_and_strata() -> None:
    left_out = np.array([1.0, 1.2, 5.0])
    u = left_out.mean() - left_out
    expected = (u**3).sum() / (6 * ((u**2).sum()) ** 1.5)
    ones = np.ones(3, dtype=np.int64)
    assert intervals.acceleration(left_out, ones) == pytest.approx(expected, rel=1e-12)
    assert expected < 0.0
    assert intervals.acceleration(-left_out, ones) == pytest.approx(-expected, rel=1e-12)
    counts = np.array([2, 1, 3])
    assert intervals.acceleration(left_out, counts) == pytest.approx(
        intervals.acceleration(np.repeat(left_out, counts), np.ones(6, dtype=np.int64)), rel=1e-12
    )
    two = np.concatenate([left_out, left_out + 100.0])
    found = intervals.acceleration(two, np.ones(6, dtype=np.int64), np.array([0, 3, 6]))
    assert found == pytest.approx(2 * (u**3).sum() / (6 * (2 * (u**2).sum()) ** 1.5), rel=1e-9)
    assert intervals.acceleration(np.full(4, 0.7), np.ones(4, dtype=np.int64)) == 0.0


def test_normal_and_studentized() -> None:
    assert intervals.normal(1.0, 2.0, 0.95) == pytest.approx((1 - 3.919928, 1 + 3.919928), abs=1e-6)
    # Student's t with 4 degrees of freedom: 2.776445 (any table).
    assert intervals.normal(0.0, 1.0, 0.95, df=4) == pytest.approx((-2.776445, 2.776445), abs=1e-6)
    pivots = replicates(np.concatenate([np.arange(-99.0, 0.0), 10.0 * np.arange(0.0, 100.0)]))
    low, high = intervals.studentized(pivots, 5.0, 0.1, 0.9)
    assert low == pytest.approx(5.0 - 0.1 * pivots.quantile(0.95))
    assert high == pytest.approx(5.0 - 0.1 * pivots.quantile(0.05))
    assert 5.0 - low > high - 5.0  # the long tail of the pivots lies on the other side


def test_a_p_value_is_where_the_interval_ends_at_0() -> None:
    for z in (0.02, 1.0, 1.96, 4.0, 6.5):
        found = intervals.p_value(lambda level, z=z: intervals.normal(z, 1.0, level)[0])
        assert found == pytest.approx(2.0 * NORMAL.cdf(-z), rel=1e-7)
        low, _ = intervals.normal(z, 1.0, 1.0 - found, df=math.inf)
        assert low == pytest.approx(0.0, abs=1e-6)
    t = intervals.p_value(lambda level: intervals.normal(2.5, 1.0, level, df=4.0)[0])
    assert t == pytest.approx(0.066766, abs=1e-6)  # 2 P(t_4 > 2.5)


def test_a_p_value_from_a_distribution_in_steps() -> None:
    """99 replicates, of which the five lowest are below 0: 90 % is the highest level that excludes 0."""
    distribution = replicates(np.arange(-4.5, 94.0))
    p = intervals.p_value(lambda level: intervals.percentile(distribution, level)[0], least=0.02)
    assert intervals.percentile(distribution, 1.0 - p * (1.0 + 1e-6))[0] > 0.0
    assert intervals.percentile(distribution, 1.0 - p * (1.0 - 1e-6))[0] <= 0.0


def test_a_p_value_at_either_end() -> None:
    assert intervals.p_value(lambda _: 1.0, least=0.25) == 0.25
    assert intervals.p_value(lambda _: 1.0) == intervals.LEAST_P
    assert intervals.p_value(lambda _: -1.0) == 1.0
    assert intervals.p_value(lambda level: 1.0 if level < 1e-7 else -1.0) == 1.0


def test_effective_units_by_hand() -> None:
    """(sum u^2)^2 / sum u^4, u the deviations from the mean, of each stratum its own."""
    left_out, once = np.array([1.0, 2.0, 6.0]), np.ones(3, dtype=np.int64)
    assert effective_units(left_out, once) == pytest.approx((4 + 1 + 9) ** 2 / (16 + 1 + 81))
    for unit in (1e-100, 1e-9, 1e100):
        assert effective_units(unit * left_out, once) == pytest.approx(2.0)
    # Each unit four times: four times as many, and those of a stratum that never varies are none.
    assert effective_units(left_out, 4 * once) == pytest.approx(8.0)
    strata = np.array([5.0, 5.0, 1.0, 2.0, 6.0])
    assert effective_units(strata, np.ones(5, dtype=np.int64), np.array([0, 2, 5])) == pytest.approx(2.0)


def test_groups_left_out_in_turn_tell_the_effective_units_inside_them() -> None:
    rng = np.random.default_rng(8)
    n, once = 10_000, np.ones(200, dtype=np.int64)

    def of_groups(units: np.ndarray) -> float:
        groups = rng.permutation(n) % 200
        return effective_units(np.bincount(groups, units - units.mean()), once, None, n)

    few = np.where(np.arange(n) < 8, rng.choice([-1.0, 1.0], n), 0.0)
    assert effective_units(few, np.ones(n, dtype=np.int64)) == pytest.approx(8.0, abs=0.1)
    assert of_groups(few) == pytest.approx(8.0, rel=0.3)
    # By themselves 200 groups look as if 67 units carried the variance, and some as if fewer than 50 did.
    assert min(of_groups(rng.normal(size=n)) for _ in range(50)) > 100.0
    assert of_groups(np.zeros(n)) == 0.0


def test_no_effective_units() -> None:
    once = np.ones(3, dtype=np.int64)
    assert math.isnan(effective_units(np.array([1.0, math.nan, 2.0]), once))
    assert math.isnan(effective_units(np.array([1.0, math.inf, 2.0]), once))
    assert effective_units(np.full(3, 0.7), once) == 0.0
    assert effective_units(np.zeros(3), once) == 0.0
    assert effective_units(np.array([1e3, 1e3 + 1e-12, 1e3]), once) == 0.0  # rounding
    assert effective_units(1.0 + 1e-9 * np.array([1.0, 2.0, 6.0]), once) == pytest.approx(2.0, rel=1e-6)


FEW = np.array([3, 1, 2])


@pytest.mark.parametrize("ties", ["half", "strict"])
def test_where_every_replicate_is_the_estimate_there_is_nothing_to_correct(ties: str) -> None:
    for found in (0.0, 0.25):
        point = replicates(np.full(99, found))
        assert bca(point, found, 0.0, 0.95, ties=ties) == (found, found)
        assert bca(point, found, 9.0, 0.95, ties=ties) == (found, found)


def test_an_acceleration_that_sends_an_end_to_infinity_is_undefined() -> None:
    """1 - a (z0 + z) is 0 where a is 1 / z, which rounds back to 1 at half of all levels."""
    spread = replicates(np.arange(1.0, 100.0))
    exact = 0
    for level in np.linspace(0.5, 0.99, 50).tolist():
        z = float(ndtri(0.5 * (1.0 + level)))
        if 1.0 - (1.0 / z) * z == 0.0:
            exact += 1
            assert bca(spread, 50.0, 1.0 / z, level) is None
    assert exact > 5


@pytest.mark.parametrize("scale", [1e-20, 1e-8, 1.0, 1e8])
def test_the_acceleration_has_no_unit(scale: float) -> None:
    left_out = np.array([0.3, -0.2, 1.1])
    assert acceleration(scale * left_out, FEW) == pytest.approx(acceleration(left_out, FEW), rel=1e-9)
    assert acceleration(scale * left_out, FEW) != 0.0


def test_small_variation_is_variation_and_rounding_is_not() -> None:
    assert acceleration(1.0 + 1e-8 * np.array([0.3, -0.2, 1.1]), FEW) == pytest.approx(
        acceleration(np.array([0.3, -0.2, 1.1]), FEW), rel=1e-6
    )
    assert acceleration(1e3 + 1e-12 * np.array([0.3, -0.2, 1.1]), FEW) == 0.0
    assert acceleration(np.zeros(3), FEW) == 0.0


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
