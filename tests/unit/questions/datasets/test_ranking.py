"""Ranks over datasets: Friedman, Iman and Davenport, Nemenyi, Holm."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestby._core.errors import InvalidInputError
from bestby.questions.datasets import ranking


@pytest.mark.parametrize("k", [2, 3, 4, 10, 15, 50])
def test_studentized_range_against_scipy(k: int) -> None:
    for q in (0.01, 0.5, 1.0, 2.5, 3.6, 5.0, 8.0):
        ours, theirs = ranking.studentized_range_sf(q, k), stats.studentized_range.sf(q, k, np.inf)
        assert ours == pytest.approx(theirs, abs=1e-10)


def test_studentized_range_of_two_is_the_normal_distribution_into_its_tail() -> None:
    for q in (0.0, 1.0, 5.0, 20.0, 40.0):
        expected = 2.0 * stats.norm.sf(q / np.sqrt(2.0))
        assert ranking.studentized_range_sf(q, 2) == pytest.approx(expected, rel=1e-9)
    assert ranking.studentized_range_sf(100.0, 4) > 0.0


def test_ranks_share_ties_in_both_directions() -> None:
    scores = np.array([[0.3, 0.1, 0.3, 0.2]])
    assert ranking.ranks(scores).tolist() == [[1.5, 4.0, 1.5, 3.0]]
    assert ranking.ranks(scores, greater_is_better=False).tolist() == [[3.5, 1.0, 3.5, 2.0]]


def test_friedman_against_scipy(generator: np.random.Generator) -> None:
    for n, k in ((5, 3), (12, 4), (30, 6)):
        x = generator.integers(0, 6, (n, k)).astype(float)  # with ties
        test = ranking.friedman(x)
        theirs = stats.friedmanchisquare(*x.T)
        assert test.statistic == pytest.approx(theirs.statistic)
        assert test.p_value == pytest.approx(theirs.pvalue)
        assert test.p_f == pytest.approx(stats.f.sf(test.f, k - 1, (k - 1) * (n - 1)))


def test_friedman_does_not_know_the_direction(generator: np.random.Generator) -> None:
    x = generator.normal(size=(8, 4))
    assert ranking.friedman(x) == ranking.friedman(-x)


def test_exact_p_of_tables() -> None:
    # Siegel (1956), Nonparametric Statistics, Table N: k = 3, N = 3: 4.667 has 0.194; k = 3, N = 4: 6.5 has
    # 0.042; k = 4, N = 3: 7.0 has 0.054
    assert ranking.friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3]]).p_exact == pytest.approx(0.194, abs=5e-4)
    four = ranking.friedman([[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 3, 2]])
    assert (round(four.statistic, 2), four.p_exact) == (6.5, pytest.approx(0.042, abs=5e-4))
    wide = ranking.friedman([[1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 4, 3]])
    assert (round(wide.statistic, 2), wide.p_exact) == (7.0, pytest.approx(0.054, abs=5e-4))


def test_datasets_that_all_agree_have_a_p_value_above_0() -> None:
    test = ranking.friedman([[3, 2, 1]] * 5)
    assert test.f == np.inf
    assert test.p_f == pytest.approx(6.0**-4)
    assert test.p_exact == pytest.approx(6.0**-4)


def test_systems_that_are_all_tied() -> None:
    test = ranking.friedman([[1, 1, 1], [2, 2, 2]])
    assert (test.statistic, test.f, test.p_f, test.p_exact) == (0.0, 0.0, 1.0, 1.0)


def test_the_exact_test_is_left_out_where_it_is_large(generator: np.random.Generator) -> None:
    assert ranking.friedman(generator.normal(size=(20, 8))).p_exact is None
    assert ranking.friedman(generator.normal(size=(60, 5))).p_exact is None


@given(st.integers(2, 12), st.integers(2, 40), st.sampled_from([0.01, 0.05, 0.1]))
def test_the_critical_difference_is_where_nemenyi_reaches_alpha(k: int, n: int, alpha: float) -> None:
    cd = ranking.critical_difference(k, n, alpha)
    average = np.full(k, (k + 1) / 2.0)
    average[0], average[1] = 1.0, 1.0 + cd
    assert ranking.nemenyi(average, n)[0, 1] == pytest.approx(alpha, rel=1e-6)


def test_nemenyi_is_symmetric_and_one_for_equal_ranks() -> None:
    p = ranking.nemenyi([1.0, 2.0, 2.0, 3.0], 10)
    np.testing.assert_array_equal(p, p.T)
    assert p[1, 2] == 1.0
    assert (p.diagonal() == 1.0).all()


def test_holm_against_a_baseline_has_a_smaller_family() -> None:
    average = [1.5, 2.0, 3.0, 3.5]
    every, one = ranking.holm_ranks(average, 12), ranking.holm_ranks(average, 12, baseline=0)
    assert (one[0, 1:] <= every[0, 1:]).all()
    assert np.isnan(one[1, 2])
    z = 2.0 / ranking.rank_scale(4, 12)
    assert one[0, 3] == pytest.approx(3.0 * 2.0 * stats.norm.sf(z))


def test_the_f_of_iman_and_davenport_by_hand() -> None:
    """Chi-squared 14/3 of three systems on three datasets: 2 (14/3) / (6 - 14/3) = 7."""
    found = ranking.friedman([[3, 2, 1], [3, 1, 2], [3, 2, 1]])
    assert (found.statistic, found.f) == (pytest.approx(14 / 3), pytest.approx(7.0))
    assert (found.df, found.df_within) == (2, 4)
    assert found.p_f == pytest.approx(stats.f.sf(7.0, 2, 4))


@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 4), (4, 4), (5, 3), (6, 3), (7, 3), (9, 2), (2, 5)])
def test_the_exact_p_over_all_orders_of_every_dataset(n: int, k: int) -> None:
    """Rank sums of every combination of orders, ties and all; that of the first dataset may stay."""
    rng = np.random.default_rng([n, k])
    for most in (k, 100):  # with ties and without
        x = rng.integers(0, most, (n, k)).astype(float)
        ranks = stats.rankdata(x, axis=1)
        sums = ranks[:1]
        for row in ranks[1:]:
            orders = np.array(list(itertools.permutations(row)))
            sums = (sums[:, None, :] + orders).reshape(-1, k)
        spread = ((sums - n * (k + 1) / 2) ** 2).sum(axis=1)
        observed = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()
        assert ranking.friedman(x).p_exact == pytest.approx((spread >= observed - 1e-9).mean(), rel=1e-12)


def test_up_to_how_many_systems_the_p_is_exact() -> None:
    """Two datasets that agree on seven systems do so in one order out of 7!."""
    assert ranking.friedman([range(7)] * 2).p_exact == pytest.approx(1 / math.factorial(7))
    assert ranking.friedman([range(8)] * 2).p_exact is None


def test_holm_ranks_has_ones_on_the_diagonal() -> None:
    for baseline in (None, 1):
        assert ranking.holm_ranks([1.5, 2.0, 2.5], 12, baseline).diagonal().tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("k", "five", "ten"),
    [(2, 1.960, 1.645), (3, 2.343, 2.052), (4, 2.569, 2.291), (7, 2.949, 2.693), (10, 3.164, 2.920)],
)
def test_critical_values_of_a_table(k: int, five: float, ten: float) -> None:
    """Demsar (2006), Table 5 (a), the two-tailed Nemenyi test; the level is 5 % where none is given."""
    scale = math.sqrt(k * (k + 1) / (6 * 14))
    assert ranking.critical_difference(k, 14) / scale == pytest.approx(five, abs=1.1e-3)
    assert ranking.critical_difference(k, 14, 0.1) / scale == pytest.approx(ten, abs=1.1e-3)


def test_critical_differences_at_odd_levels() -> None:
    """Of two systems the range over sqrt(2) is a normal variable."""
    for alpha in (0.99, 0.9, 0.5, 1e-6):
        expected = float(stats.norm.isf(alpha / 2)) * ranking.rank_scale(2, 10)
        assert ranking.critical_difference(2, 10, alpha) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(InvalidInputError, match=r"^alpha must lie"):
        ranking.critical_difference(4, 14, 1.0)


def test_a_range_of_nothing_is_exceeded_for_certain() -> None:
    for k in (2, 3, 10, 50):
        assert ranking.studentized_range_sf(0.0, k) == 1.0
        for q in (1e-300, 1e-12, 1e-6, 1e-3):
            assert 1.0 - 1e-2 < ranking.studentized_range_sf(q, k) <= 1.0
