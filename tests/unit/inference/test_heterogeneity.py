"""Effects in several groups: published examples, and other ways to the same numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby.inference import heterogeneity

BCG = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232),
    (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
)  # fmt: skip
"""Thirteen trials of the BCG vaccine: cases and others, of the vaccinated and the controls (Colditz 1994)."""


def test_dersimonian_and_laird_of_the_bcg_trials() -> None:
    """Viechtbauer (2010), J. Statist. Softw. 36 (3), and the manual of metafor: method="DL"."""
    table = np.array(BCG, dtype=np.float64)
    a, b, c, d = table.T
    effects = np.log(a / (a + b)) - np.log(c / (c + d))
    variances = 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    found = heterogeneity.pooled(effects, np.diag(variances))
    assert found.df == 12
    assert round(found.q, 4) == 152.2330
    assert round(found.tau**2, 4) == 0.3088
    assert round(found.mean, 4) == -0.7141
    assert round(found.error, 4) == 0.1787


def test_the_eight_schools_shrink_to_their_mean() -> None:
    """Gelman et al. (2013), Bayesian Data Analysis, section 5.5: Q is below its df, so tau is 0."""
    effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    found = heterogeneity.pooled(effects, np.diag(errors**2))
    assert (round(found.mean, 1), round(found.error, 1), found.tau) == (7.7, 4.1, 0.0)
    assert found.shrunken == pytest.approx(found.mean)


def test_gail_and_simons_own_example() -> None:
    """Gail & Simon (1985), Biometrics 41, 361-372: disease-free survival of women by age and receptor."""
    effects = np.array([0.163, -0.114, -0.047, -0.151])
    errors = np.array([0.0788, 0.0689, 0.0614, 0.0547])
    statistic, p = heterogeneity.gail_simon(effects, errors)
    assert (round(statistic, 2), round(p, 3)) == (4.28, 0.088)
    assert heterogeneity.gail_simon(-effects, errors) == pytest.approx((statistic, p))
    assert heterogeneity.gail_simon(np.abs(effects), errors) == (0.0, 1.0)


@pytest.mark.parametrize(("k", "critical"), [(2, 2.71), (3, 4.23), (4, 5.43), (5, 6.50)])
def test_gail_and_simons_critical_values(k: int, critical: float) -> None:
    """Their table 1 at .05."""
    effects = np.array([math.sqrt(critical), *[-100.0] * (k - 1)])
    assert heterogeneity.gail_simon(effects, np.ones(k))[1] == pytest.approx(0.05, abs=4e-4)


def test_q_of_dependent_effects_is_that_of_their_contrasts() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4))
    covariance, effects = root @ root.T + np.eye(4), rng.normal(size=4)
    contrasts = np.array([[1.0, -1, 0, 0], [0, 1, -1, 0], [0, 0, 1, -1]])
    moved = contrasts @ effects
    expected = moved @ np.linalg.solve(contrasts @ covariance @ contrasts.T, moved)
    assert heterogeneity.pooled(effects, covariance).q == pytest.approx(expected)


def test_welch_is_the_analysis_of_variance_of_alexander_and_govern_with_many_items() -> None:
    rng = np.random.default_rng(4)
    groups = [rng.normal(size=n) * s for n, s in ((400, 1.0), (300, 3.0), (500, 0.5))]
    means = np.array([g.mean() for g in groups])
    errors = np.array([g.std(ddof=1) / math.sqrt(g.size) for g in groups])
    p = heterogeneity.welch(means, errors, np.array([g.size - 1.0 for g in groups]))
    assert p == pytest.approx(stats.alexandergovern(*groups).pvalue, abs=2e-3)
    q = heterogeneity.pooled(means, np.diag(errors**2)).q
    assert p == pytest.approx(heterogeneity.chi_squared(q, 2), abs=0.01)


def test_permutations_count_all_of_them() -> None:
    groups = [np.array([1.0, 2, 2.5]), np.array([4.0, 4.5, 3.0])]
    values = np.concatenate(groups)
    statistics = []
    for chosen in [(i, j, k) for i in range(6) for j in range(i + 1, 6) for k in range(j + 1, 6)]:
        first, second = values[list(chosen)], np.delete(values, chosen)
        statistics.append(stats.ttest_ind(first, second, equal_var=False).statistic ** 2)
    observed = stats.ttest_ind(*groups, equal_var=False).statistic ** 2
    expected = np.mean(np.array(statistics) >= observed * (1 - 1e-9))
    assert heterogeneity.permuted(groups, 20_000, 0) == pytest.approx(expected, abs=0.012)


def test_groups_that_are_constant_are_permuted_too() -> None:
    assert heterogeneity.permuted([np.zeros(5), np.zeros(4)], 99, 0) == 1.0
    assert heterogeneity.permuted([np.zeros(8), np.ones(8)], 999, 0) < 0.01
    rare = [np.r_[np.ones(2), np.zeros(48)], np.zeros(50), np.r_[-1.0, np.zeros(49)]]
    assert 0.05 < heterogeneity.permuted(rare, 999, 0) <= 1.0
