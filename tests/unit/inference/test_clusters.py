"""Standard errors from dependent items: the special cases in which they must be the usual ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby._core.errors import DesignError, InvalidInputError
from bestby.inference.clusters import StandardError, cr2, design_effect, few, two_way
from bestby.inference.skewness import wald


def influence(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.size


def test_clusters_of_equal_size_have_the_usual_error() -> None:
    sums = influence(np.random.default_rng(0).normal(size=12))
    found = cr2(sums, np.full(12, 7.0))
    assert found.se == pytest.approx(math.sqrt(sums @ sums * 12 / 11))
    assert found.df == pytest.approx(11.0)


def test_clusters_of_one_item_have_the_error_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(size=30)
    found = cr2(influence(values), np.ones(30))
    assert (found.se, found.df) == pytest.approx((stats.sem(values), 29.0))


def test_alike_clusters_may_be_counted() -> None:
    sums, sizes, counts = np.array([0.2, -0.1, -0.05]), np.array([3.0, 5.0, 1.0]), np.array([1, 1, 2])
    together = cr2(sums, sizes, counts)
    apart = cr2(np.repeat(sums, counts), np.repeat(sizes, counts))
    assert (together.se, together.df) == pytest.approx((apart.se, apart.df))


def test_strata_add_their_variances_and_lose_a_mean_each() -> None:
    rng = np.random.default_rng(2)
    sums = rng.normal(size=10)
    parts = [cr2(sums[:4], np.ones(4)), cr2(sums[4:], np.ones(6))]
    whole = cr2(sums, np.ones(10), bounds=np.array([0, 4, 10]))
    assert whole.se == pytest.approx(math.hypot(*(part.se for part in parts)))
    assert whole.df == pytest.approx((4 + 6) ** 2 / (4**2 / 3 + 6**2 / 5))  # as Welch's


def test_a_stratum_of_one_cluster_says_nothing() -> None:
    assert cr2(np.array([0.3, -0.3]), np.ones(2), bounds=np.array([0, 1, 2])) == StandardError(0.0, 0.0)
    alone = cr2(np.array([9.0, 0.3, -0.3]), np.ones(3), bounds=np.array([0, 1, 3]))
    assert alone.se == pytest.approx(math.sqrt(2 * (0.3**2 + 0.3**2)))


def test_a_large_cluster_costs_degrees_of_freedom() -> None:
    sums = influence(np.random.default_rng(4).normal(size=40))
    assert cr2(sums, np.r_[39.0 * 10, np.full(39, 10.0)]).df < 4.0
    assert cr2(sums, np.full(40, 10.0)).df == pytest.approx(39.0)


@pytest.mark.parametrize(
    ("sizes", "answer"),
    [
        (np.ones(29), True),
        (np.ones(30), False),
        (np.r_[np.ones(60), 30.0], False),
        (np.r_[np.ones(60), 31.0], True),
    ],
)
def test_which_clusters_are_few(sizes: np.ndarray, answer: bool) -> None:
    assert few(sizes) is answer
    values, counts = np.unique(sizes, return_counts=True)
    assert few(values, counts) is answer


def test_the_design_effect_of_copies_is_their_number() -> None:
    values = np.random.default_rng(5).normal(size=50)
    code = np.repeat(np.arange(50), 6)
    found = design_effect(influence(np.repeat(values, 6)), code)
    assert found.clustered == pytest.approx(stats.sem(values))
    assert found.ratio == pytest.approx(6 * (299 / 300) / (49 / 50))
    assert math.isnan(design_effect(np.zeros(10), np.arange(10) // 2).ratio)


def test_two_way_is_never_less_than_one_way() -> None:
    rng = np.random.default_rng(8)
    first, second = np.repeat(np.arange(5), 5), np.tile(np.arange(5), 5)
    as_one_way = 0
    for _ in range(200):
        values = influence(rng.normal(size=25))
        alone = [cr2(np.bincount(code, weights=values), np.full(5, 5.0)).se for code in (first, second)]
        found = two_way(values, first, second)
        assert found.se >= max(alone) * (1 - 1e-12)
        assert found.df == pytest.approx(4.0)
        as_one_way += found.se == pytest.approx(max(alone))
    assert as_one_way > 5  # where no grouping matters, the cells have as much of the variance


def test_two_way_needs_two_groups_of_each() -> None:
    with pytest.raises(DesignError, match="all items are in one group"):
        two_way(np.zeros(4), np.zeros(4, dtype=np.int64), np.arange(4))
    with pytest.raises(InvalidInputError, match="4 items and 3 groups"):
        two_way(np.zeros(4), np.arange(4), np.arange(3))


def test_wald_is_student() -> None:
    error = StandardError(0.5, 7.0)
    assert wald(1.0, error, "two-sided").p_value == pytest.approx(2 * stats.t.sf(2.0, 7))
    assert wald(1.0, error, "greater").p_value == pytest.approx(stats.t.sf(2.0, 7))
    assert wald(1.0, error, "less").p_value == pytest.approx(stats.t.cdf(2.0, 7))
    mirrored = wald(-1.0, error, "less")
    assert mirrored.p_value == wald(1.0, error, "greater").p_value
    assert (mirrored.name, mirrored.statistic) == ("wald", -2.0)


def test_wald_without_spread() -> None:
    assert wald(0.0, StandardError(0.0, 0.0), "two-sided").p_value == 1.0
    assert wald(0.1, StandardError(0.0, 5.0), "two-sided").p_value == 0.0


def test_the_design_effect_with_strata_of_one_and_two_units() -> None:
    """A stratum of one unit adds nothing; one of two units adds half the squared difference, times 2 / 1."""
    influence = np.array([7.0, 0.5, -0.1, 0.2, 0.3, -0.5])
    strata = np.array([0, 1, 1, 2, 2, 2])
    found = design_effect(influence, np.arange(6), strata)
    of_two, of_three = 0.6**2 / 2 * 2, (0.2**2 + 0.3**2 + 0.5**2) * 3 / 2
    assert found.itemwise == pytest.approx(math.sqrt(of_two + of_three))
    assert found.clustered == pytest.approx(found.itemwise)


def test_cr2_centres_within_strata() -> None:
    """Two strata whose sums are 3 and -3: sum over strata of sums (x - h S)^2 / (1 - h)."""
    influence, sizes = np.array([2.0, 1.0, -2.0, -1.0]), np.array([3.0, 1.0, 2.0, 2.0])
    found = cr2(influence, sizes, bounds=np.array([0, 2, 4]))
    first = (2 - 0.75 * 3) ** 2 / 0.25 + (1 - 0.25 * 3) ** 2 / 0.75
    second = (-2 + 0.5 * 3) ** 2 / 0.5 + (-1 + 0.5 * 3) ** 2 / 0.5
    assert found.se == pytest.approx(math.sqrt(first + second))


def test_a_stratum_of_one_cluster_costs_no_degrees_of_freedom() -> None:
    """Four clusters alike in size have three, whatever share of the items lies in a stratum apart."""
    sums = np.array([0.5, 0.3, -0.1, -0.4, 0.2])
    for alone in (1.0, 10.0, 1000.0):
        found = cr2(sums, np.array([alone, 10.0, 10.0, 10.0, 10.0]), bounds=np.array([0, 1, 5]))
        assert found.df == pytest.approx(3.0)
        assert found.se == pytest.approx(math.sqrt(0.3 * 4 / 3))


def test_two_way_subtracts_the_variance_of_the_cells() -> None:
    """Rows and columns of 4 x 4, one item in each: 4/3 (rows^2 + columns^2) - 16/15 (items^2)."""
    influence = np.array([[5, 3, 3, 1], [2, 1, 0, -3], [1, 0, -1, -2], [-1, -3, -2, -4]]) / 16.0
    rows, columns = (code.reshape(-1) for code in np.indices((4, 4)))
    of_rows, of_columns, items = 12**2 + 0 + 2**2 + 10**2, 7**2 + 1 + 0 + 8**2, 94
    expected = (4 / 3 * (of_rows + of_columns) - 16 / 15 * items) / 256
    assert expected > 4 / 3 * max(of_rows, of_columns) / 256  # the cells matter
    found = two_way(influence.reshape(-1), rows, columns)
    assert (found.se, found.df) == pytest.approx((math.sqrt(expected), 3.0))


def test_two_groups_of_each_are_enough() -> None:
    """2 x 2 items: 2 (2 * 0.5^2) by rows, 2 (2 * 0.1^2) by columns, less 4/3 of the squares of the items."""
    influence = np.array([0.4, 0.1, -0.3, -0.2])
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    together = 4 * 0.25 + 4 * 0.01 - 4 / 3 * (0.16 + 0.01 + 0.09 + 0.04)
    found = two_way(influence, rows, columns)
    assert found.se == pytest.approx(math.sqrt(max(together, 1.0, 0.04)))
    assert found.df == pytest.approx(1.0)


def test_wald_with_less_than_one_degree_of_freedom_is_cauchys() -> None:
    expected = 2 * stats.cauchy.sf(2.0)
    for df in (1.0, 0.5, 0.0):
        assert wald(1.0, StandardError(0.5, df), "two-sided").p_value == pytest.approx(expected)


def test_cr2_of_a_weighted_mean_has_the_variance_and_degrees_of_freedom_of_its_weights() -> None:
    rng = np.random.default_rng(4)
    weights = np.where(np.arange(40) < 8, 25.0, 6.25)
    weights /= weights.sum()
    found = []
    for _ in range(2000):
        values = rng.standard_normal(40)
        influence = weights * (values - weights @ values)
        found.append(cr2(influence, weights, variances=weights**2))
    variances = np.array([one.se**2 for one in found])
    true = float(weights @ weights)
    assert variances.mean() == pytest.approx(true, rel=0.04)
    # 2 V^2 / var(V) are the degrees of freedom of a variance that is like chi-squared.
    assert found[0].df == pytest.approx(2.0 * true**2 / variances.var(), rel=0.15)
    assert found[0].df < cr2(influence, weights).df - 3


def test_cr2_with_the_variances_of_its_sizes_is_cr2() -> None:
    sizes = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    influence = np.array([0.3, -0.2, 0.1, -0.4, 0.2])
    plain, given = cr2(influence, sizes), cr2(influence, sizes, variances=sizes / 15.0)
    assert (given.se, given.df) == pytest.approx((plain.se, plain.df))
