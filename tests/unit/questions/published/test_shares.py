"""Two independent samples of which counts, or means and spreads, are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby.questions.published import shares


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((0, 10, 0, 10), -0.2775, 0.2775),
    ],
)
def test_intervals_are_those_of_newcombe(counts: tuple[int, ...], low: float, high: float) -> None:
    """Newcombe (1998), table II, method 10."""
    found = shares.proportions_interval(*counts)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize("counts", [(56, 70, 48, 80), (30, 100, 45, 90), (2, 40, 9, 35)])
def test_the_chi_squared_test_has_one_item_less(counts: tuple[int, int, int, int]) -> None:
    k1, n1, k2, n2 = counts
    statistic = stats.chi2_contingency([[k1, n1 - k1], [k2, n2 - k2]], correction=False)[0]
    n = n1 + n2
    (p,), (by_fisher,) = shares.proportions_tests(k1, n1, np.array([k2]), n2)
    assert not by_fisher
    assert p == pytest.approx(stats.chi2.sf(statistic * (n - 1) / n, 1))


@pytest.mark.parametrize("counts", [(1, 3, 0, 4), (30, 30, 29, 30), (0, 5, 0, 9)])
def test_few_right_or_wrong_take_fishers_test(counts: tuple[int, int, int, int]) -> None:
    k1, n1, k2, n2 = counts
    (p,), (by_fisher,) = shares.proportions_tests(k1, n1, np.array([k2]), n2)
    assert by_fisher
    assert p == pytest.approx(stats.fisher_exact([[k1, n1 - k1], [k2, n2 - k2]])[1])


def test_welch_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.8, 0.01, 5), rng.normal(0.79, 0.03, 8)
    interval, test = shares.welch(x.mean(), x.std(ddof=1), 5, y.mean(), y.std(ddof=1), 8, 0.9)
    found = stats.ttest_ind(x, y, equal_var=False)
    expected = found.confidence_interval(0.9)
    assert test.p_value == pytest.approx(found.pvalue)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert math.isclose(test.statistic, found.statistic)
