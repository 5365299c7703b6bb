"""Regression with CR2 errors equals its definition, cluster by cluster."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.inference.clusters import cr2
from bestby.inference.robust_regression import regressed

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
