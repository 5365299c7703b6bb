"""What a bootstrap distribution answers: mass below, mass at, quantiles."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from bestby.inference.distributions import Inverted, Lattice, mean_bootstrap, replicates

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


def test_values_that_never_vary() -> None:
    found = mean_bootstrap(np.array([0.7]), np.array([25]), ONE)
    assert found is not None
    assert found.at(0.7) == 1.0
    assert found.quantile(0.025) == found.quantile(0.975) == pytest.approx(0.7)
    assert found.sd == 0.0


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
