"""Effects in several groups: published examples, and other ways to the same numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestby.questions.slices import heterogeneity

BCG = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232),
    (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
)  # fmt: skip
"""Thirteen trials of the BCG vaccine: cases and others, of the vaccinated and the controls (Colditz 1994)."""


def test_dersimonian_and_laird_of_the_bcg_trials() -> None:
    """The table is on metafor-project.org/doku.php/analyses:vanhouwelingen2002; the numbers are made anew.

    DerSimonian & Laird's own formulas, with sums of weights, for independent effects.
    """
    table = np.array(BCG, dtype=np.float64)
    a, b, c, d = table.T
    effects = np.log(a / (a + b)) - np.log(c / (c + d))
    variances = 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    found = heterogeneity.pooled_effect(effects, np.diag(variances))
    w = 1 / variances
    mean = np.average(effects, weights=w)
    q = float(np.sum(w * (effects - mean) ** 2))
    spread = (q - 12) / (w.sum() - (w**2).sum() / w.sum())
    again = 1 / (variances + spread)
    assert (found.q, found.tau**2) == pytest.approx((q, spread))
    assert found.mean == pytest.approx(np.average(effects, weights=again))
    assert found.error == pytest.approx(again.sum() ** -0.5)
    kept = spread / (spread + variances)
    assert found.shrunken == pytest.approx(kept * effects + (1 - kept) * found.mean)
    assert found.df == 12
    assert round(found.q, 4) == 152.2330
    assert round(found.tau**2, 4) == 0.3088
    assert round(found.mean, 4) == -0.7141
    assert round(found.error, 4) == 0.1787


def test_the_eight_schools_shrink_to_their_mean() -> None:
    """Rubin (1981), J. Educ. Statist. 6, 377-401, in many textbooks: Q is below its df, so tau is 0."""
    effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    found = heterogeneity.pooled_effect(effects, np.diag(errors**2))
    mean = np.average(effects, weights=errors**-2)
    assert found.q == pytest.approx(float((((effects - mean) / errors) ** 2).sum()))
    assert found.q < found.df
    assert (found.mean, found.error) == pytest.approx((mean, (errors**-2).sum() ** -0.5))
    assert (round(found.mean, 1), round(found.error, 1), found.tau) == (7.7, 4.1, 0.0)
    assert found.shrunken == pytest.approx(found.mean)


def test_gail_and_simons_own_example() -> None:
    """The effects are those in the documentation of gailSimon in the R package biostatUZH, which cites them.

    https://rdrr.io/github/felix-hof/biostatUZH/man/gailSimon.html; the formula of the p-value is also that of
    SAS, PROC FREQ, "Gail-Simon Test for Qualitative Interactions".
    """
    effects = np.array([0.163, -0.114, -0.047, -0.151])
    errors = np.array([0.0788, 0.0689, 0.0614, 0.0547])
    statistic, p = heterogeneity.gail_simon(effects, errors)
    assert statistic == pytest.approx((0.163 / 0.0788) ** 2)
    assert p == pytest.approx(
        sum(stats.chi2.sf(statistic, h) * stats.binom.pmf(h, 3, 0.5) for h in (1, 2, 3))
    )
    assert (round(statistic, 2), round(p, 3)) == (4.28, 0.088)
    assert heterogeneity.gail_simon(-effects, errors) == pytest.approx((statistic, p))
    assert heterogeneity.gail_simon(np.abs(effects), errors) == (0.0, 1.0)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 12])
def test_gail_and_simons_p_is_that_of_the_hardest_null_hypothesis(k: int) -> None:
    """One effect is far below 0 and all others are 0: how often the positive ones add up to as much."""
    draws = np.random.default_rng(k).normal(size=(200_000, k - 1))
    sums = (draws**2 * (draws > 0)).sum(axis=1)
    for statistic in (1.0, 4.0, 7.0):
        effects = np.array([math.sqrt(statistic), *[-100.0] * (k - 1)])
        found, p = heterogeneity.gail_simon(effects, np.ones(k))
        assert found == pytest.approx(statistic)
        assert p == pytest.approx((sums >= statistic).mean(), abs=0.004)


@pytest.mark.check
def test_gail_and_simon_reject_no_more_often_than_they_say() -> None:
    rng = np.random.default_rng(9)
    for truth in ([0.0, 0, 0, 0], [50.0, 0, 0, 0], [1.0, 0.5, 0, 3], [-9.0, -9, 0, 0]):
        effects = rng.normal(size=(4000, 4)) + truth
        p = np.array([heterogeneity.gail_simon(one, np.ones(4))[1] for one in effects])
        assert (p <= 0.05).mean() < 0.05 + 3 * (0.05 * 0.95 / 4000) ** 0.5


@pytest.mark.check
@pytest.mark.parametrize(("k", "size"), [(20, 2), (20, 3), (10, 5), (4, 3)])
def test_errors_of_few_items_change_no_sign(k: int, size: int) -> None:
    """One effect is far from 0, all others are 0, and each is the mean of a few normal values."""
    rng = np.random.default_rng(k + size)
    values = rng.normal(size=(4000, k, size))
    values[:, 0] += 1e12
    effects, errors = values.mean(axis=2), values.std(axis=2, ddof=1) / math.sqrt(size)
    p = [heterogeneity.gail_simon(*one, size - 1.0)[1] for one in zip(effects, errors, strict=True)]
    assert 0.035 < (np.array(p) <= 0.05).mean() < 0.05 + 3 * (0.05 * 0.95 / 4000) ** 0.5


@pytest.mark.check
@pytest.mark.parametrize("k", [3, 6])
def test_a_spread_as_large_as_the_errors_is_missed_as_often_as_said(k: int) -> None:
    effects = math.sqrt(2.0) * np.random.default_rng(k).normal(size=(4000, k))
    none = np.mean([heterogeneity.pooled_effect(one, np.eye(k)).tau == 0.0 for one in effects])
    assert none == pytest.approx(heterogeneity.missed(k - 1), abs=0.025)


def test_q_of_dependent_effects_is_that_of_their_contrasts() -> None:
    rng = np.random.default_rng(3)
    root = rng.normal(size=(4, 4))
    covariance, effects = root @ root.T + np.eye(4), rng.normal(size=4)
    contrasts = np.array([[1.0, -1, 0, 0], [0, 1, -1, 0], [0, 0, 1, -1]])
    moved = contrasts @ effects
    expected = moved @ np.linalg.solve(contrasts @ covariance @ contrasts.T, moved)
    assert heterogeneity.pooled_effect(effects, covariance).q == pytest.approx(expected)


def test_welch_is_the_analysis_of_variance_of_alexander_and_govern_with_many_items() -> None:
    rng = np.random.default_rng(4)
    groups = [rng.normal(size=n) * s for n, s in ((400, 1.0), (300, 3.0), (500, 0.5))]
    means = np.array([g.mean() for g in groups])
    errors = np.array([g.std(ddof=1) / math.sqrt(g.size) for g in groups])
    p = heterogeneity.welch(means, errors, np.array([g.size - 1.0 for g in groups]))
    assert p == pytest.approx(stats.alexandergovern(*groups).pvalue, abs=2e-3)
    q = heterogeneity.pooled_effect(means, np.diag(errors**2)).q
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


def test_groups_with_the_same_mean_are_not_unlike_by_rounding() -> None:
    rng = np.random.default_rng(0)
    for size in rng.random(30):
        values = size * rng.integers(0, 3, 16)
        assert heterogeneity.permuted([rng.permutation(values) for _ in range(3)], 99, 0) == 1.0
        assert heterogeneity.permuted([np.full(n, size) for n in (3, 7, 10)], 99, 0) == 1.0
