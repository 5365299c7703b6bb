"""Regression with CR2 errors equals its definition, cluster by cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr

from bestby.inference.clusters import cr2
from bestby.questions.judged.judge_quality import regressed
from bestby.questions.slices.heterogeneity import hotelling

RNG = np.random.default_rng(0)
CLUSTERS = np.sort(np.r_[np.arange(8), RNG.integers(0, 8, 40)])
Y = RNG.normal(size=48) + RNG.normal(size=8)[CLUSTERS]
X = np.column_stack([np.ones(48), RNG.normal(size=48)])
WEIGHTS = RNG.uniform(0.5, 2.0, 48)


def test_intercept_alone_is_a_mean_with_cr2() -> None:
    fit = regressed(np.ones((48, 1)), Y, np.ones(48), CLUSTERS)
    assert fit is not None
    known = cr2(np.bincount(CLUSTERS, weights=(Y - Y.mean()) / 48), np.bincount(CLUSTERS).astype(np.float64))
    own = fit.error(np.ones(1))
    assert fit.coefficients[0] == pytest.approx(Y.mean(), rel=1e-12)
    assert (own.se, own.df) == pytest.approx((known.se, known.df), rel=1e-10)


def test_errors_against_the_definition() -> None:
    """Adjusted residuals and the covariance of the quadratic form, with matrices of all rows."""
    fit = regressed(X, Y, WEIGHTS, CLUSTERS)
    assert fit is not None
    contrast = np.array([0.0, 1.0])
    root = np.sqrt(WEIGHTS)
    x, y = X * root[:, None], Y * root
    inverse = np.linalg.inv(x.T @ x)
    maker = np.eye(48) - x @ inverse @ x.T
    variance, columns = 0.0, []
    for cluster in range(8):
        own = cluster == CLUSTERS
        values, vectors = np.linalg.eigh(maker[np.ix_(own, own)])
        adjusted = contrast @ inverse @ x[own].T @ (vectors / np.sqrt(values)) @ vectors.T
        variance += float(adjusted @ (maker @ y)[own]) ** 2
        columns.append(maker[own].T @ adjusted)
    form = np.array(columns) @ np.array(columns).T
    own_error = fit.error(contrast)
    assert fit.coefficients == pytest.approx(inverse @ x.T @ y, rel=1e-10)
    assert own_error.se == pytest.approx(np.sqrt(variance), rel=1e-10)
    assert own_error.df == pytest.approx(np.trace(form) ** 2 / (form**2).sum(), rel=1e-10)


def test_the_scale_of_a_column_does_not_matter() -> None:
    plain, scaled = (regressed(X * [1.0, size], Y, WEIGHTS, CLUSTERS) for size in (1.0, 1e9))
    assert plain is not None
    assert scaled is not None
    assert scaled.coefficients[1] * 1e9 == pytest.approx(plain.coefficients[1], rel=1e-9)
    contrast = np.array([0.0, 1.0])
    assert scaled.error(contrast).df == pytest.approx(plain.error(contrast).df, rel=1e-9)


@pytest.mark.parametrize("column", [np.zeros(48), np.ones(48)])
def test_none_for_columns_that_depend_on_each_other(column: np.ndarray) -> None:
    assert regressed(np.column_stack([np.ones(48), column]), Y, WEIGHTS, CLUSTERS) is None


def test_one_contrast_is_tested_by_t() -> None:
    fit = regressed(X, Y, WEIGHTS, CLUSTERS)
    assert fit is not None
    contrast = np.array([0.5, 1.0])
    error = fit.error(contrast)
    t = float(contrast @ fit.coefficients) / error.se
    assert fit.freedom(contrast[None]) == pytest.approx(error.df, rel=1e-10)
    assert fit.wald(contrast[None]) == pytest.approx((t * t, 2.0 * stdtr(error.df, -abs(t))), rel=1e-10)


def test_means_of_the_same_clusters_are_tested_by_hotelling() -> None:
    rng = np.random.default_rng(1)
    n, k = 15, 3
    y = rng.normal(size=n * k) + np.repeat(rng.normal(size=n), k)
    fit = regressed(np.tile(np.eye(k), (n, 1)), y, np.ones(n * k), np.repeat(np.arange(n), k))
    assert fit is not None
    contrasts = np.eye(k)[:-1] - np.eye(k)[-1]
    assert fit.freedom(contrasts) == pytest.approx(n - 1.0)
    q, p = fit.wald(contrasts) or (np.nan, np.nan)
    assert p == pytest.approx(hotelling(q, k - 1, n))


def test_freedom_against_the_definition() -> None:
    """Tipton & Pustejovsky (2015), equation 14: Q (Q + 1) over the variances of all entries, summed."""
    plain = np.column_stack([X, RNG.normal(size=48)])
    fit = regressed(plain, Y, WEIGHTS, CLUSTERS)
    assert fit is not None
    contrasts = np.eye(3)[1:]
    x = plain * np.sqrt(WEIGHTS)[:, None]
    inverse = np.linalg.inv(x.T @ x)
    maker = np.eye(48) - x @ inverse @ x.T
    rows = []
    for cluster in range(8):
        own = cluster == CLUSTERS
        values, vectors = np.linalg.eigh(maker[np.ix_(own, own)])
        adjust = vectors @ np.diag(np.where(values > 1e-9, values, np.inf) ** -0.5) @ vectors.T
        rows.append(contrasts @ inverse @ x[own].T @ adjust @ maker[own])
    values, axes = np.linalg.eigh(sum(one @ one.T for one in rows))
    unit = np.einsum("st,gtn->gsn", axes @ np.diag(values**-0.5) @ axes.T, np.array(rows))
    k = np.einsum("gsn,htn->gsht", unit, unit)
    variances = np.einsum("gshs,gtht->", k, k) + np.einsum("gsht,gths->", k, k)
    assert fit.freedom(contrasts) == pytest.approx(6.0 / variances, rel=1e-8)


def test_a_value_of_one_cluster_has_no_test() -> None:
    x = np.column_stack([np.ones(48), CLUSTERS == 0, CLUSTERS == 1]).astype(np.float64)
    fit = regressed(x, Y, np.ones(48), CLUSTERS)
    assert fit is not None
    assert fit.wald(np.eye(3)[1:]) is None
