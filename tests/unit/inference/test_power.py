"""Power of McNemar's test and of t: summed outcome by outcome, and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestby._core.typing import Alternative
from bestby.inference.power import mcnemar_power, t_power

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


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
    for n in (1, 2, 6, 40):
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


def test_power_where_few_items_differ() -> None:
    """Two of 20000 are expected and 14 are needed: all of the power is far out in a Poisson's tail."""
    n, rate = 20_000, 1e-4
    found = float(mcnemar_power(np.array([n]), rate, rate, 1e-4, "greater")[0])
    assert found == pytest.approx(float(stats.binom.sf(13, n, rate)), rel=1e-8, abs=0.0)


def test_systems_that_never_differ_are_never_told_apart() -> None:
    assert mcnemar_power(np.array([5, 1000]), 0.0, 0.0, 0.05).tolist() == [0.0, 0.0]
    assert mcnemar_power(np.array([3]), 1.0, 1.0, 0.2, "greater").tolist() == [1.0]


def test_p_equal_to_the_level_rejects() -> None:
    """A wins every item: p is 2⁻ⁿ, to the bit."""
    for n in (1, 2, 4, 5, 10, 20, 30):
        for least, power in ((0.5**n, 1.0), (0.5**n * (1.0 - 1e-9), 0.0)):
            assert mcnemar_power(np.array([n]), 1.0, 1.0, least, "greater").tolist() == [power]
            assert mcnemar_power(np.array([n]), 1.0, -1.0, 2.0 * least).tolist() == [power]


def test_without_a_differing_item_p_is_1_even_halved() -> None:
    """One item, which differs half of the time; a mid-p of 1/4 if A has it, of 3/4 if B has."""
    assert mcnemar_power(np.array([1]), 0.5, 0.0, 0.6, "greater", mid=True).tolist() == [0.25]
    assert mcnemar_power(np.array([1]), 0.5, 0.25, 0.6, "less", mid=True)[0] == pytest.approx(0.125)


@pytest.mark.parametrize("df", [0.5, 1.0, 7.5, 200.0])
@pytest.mark.parametrize("alpha", [0.001, 0.2])
def test_power_of_t_by_the_noncentral_t_of_scipy(df: float, alpha: float) -> None:
    for shift in (-2.0, 0.0, 0.7, 3.0):
        critical = float(stats.t.isf(alpha, df))
        far = float(stats.t.isf(alpha / 2.0, df))
        greater, less = stats.nct.sf(critical, df, shift), stats.nct.cdf(-critical, df, shift)
        both = stats.nct.sf(far, df, shift) + stats.nct.cdf(-far, df, shift)
        for alternative, power in zip(ALTERNATIVES, (both, greater, less), strict=True):
            found = t_power(np.array([shift]), np.array([df]), alpha, alternative)
            assert found == pytest.approx([power], rel=1e-7, abs=1e-10)


def test_power_of_t_without_degrees_of_freedom_is_undefined() -> None:
    found = t_power(np.array([2.5]), np.array([0.0, -1.0, 0.5, 19.0]), 0.05)
    assert np.isnan(found).tolist() == [True, True, False, False]
    assert found[3] == pytest.approx(0.6599, abs=5e-5)
    assert t_power(np.array([0.0, 1e3, -1e3]), np.array([9.0]), 0.05, "greater") == pytest.approx(
        [0.05, 1, 0]
    )
