"""How far a judge's scores foretell human scores: the coefficients of prediction-powered inference.

A coefficient is fitted to the labels by least squares, drawn towards 0 by as much as chance accounts for, and
fitted again without each cluster, so that residuals do not know the labels they are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core.typing import FloatArray, IntArray

_SINGULAR = 1e-10
"""Share of the largest eigenvalue below which a direction of the regressors counts as constant."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients, of shape (P,), and the residuals of each label without its own cluster, of shape (M,)."""

    coefficients: FloatArray
    residuals: FloatArray


def fitted(
    x: FloatArray, y: FloatArray, weights: FloatArray, clusters: IntArray, blocks: tuple[int, ...]
) -> Fit:
    """Return the coefficients of `y`, shape (M,), on `x`, shape (M, P), both centred.

    `weights` are those of the labels in the estimate: the coefficients minimise its variance, the sum of
    squares of weighted residuals (Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453, section 4; for survey
    samples Cochran 1977, Sampling Techniques, section 7.3). `blocks` says how many columns are drawn towards
    0 together: by the positive part of James and Stein's factor, 1 - P / W, with the cluster-robust Wald
    statistic W (Efron & Morris 1973, J. Amer. Statist. Assoc. 68, 117-130). A judge that foretells nothing
    so has the coefficient 0, and the estimate is that of the labels alone.

    >>> y = np.array([-1.0, 0.0, 1.0, 0.5, -0.5])
    >>> fit = fitted(np.array([[-1.1], [0.1], [1.0], [0.4], [-0.4]]), y, np.full(5, 0.2), np.arange(5), (1,))
    >>> fit.coefficients.round(3)
    array([0.98])
    """
    spread = np.sqrt((weights**2) @ x**2)
    scale = np.where(spread > 0.0, spread, 1.0)
    z = x * weights[:, None] / scale
    v = y * weights
    n_clusters = int(clusters.max()) + 1
    squares = np.zeros((n_clusters, x.shape[1], x.shape[1]))
    products = np.zeros((n_clusters, x.shape[1]))
    np.add.at(squares, clusters, z[:, :, None] * z[:, None, :])
    np.add.at(products, clusters, z * v[:, None])
    total, sums = squares.sum(axis=0), products.sum(axis=0)
    inverse = np.linalg.pinv(total, rcond=_SINGULAR, hermitian=True)
    raw = inverse @ sums
    without = np.linalg.pinv(total - squares, rcond=_SINGULAR, hermitian=True)
    left_out = np.einsum("gpq,gq->gp", without, sums - products)
    kept = _shrinkage(raw, left_out, blocks)
    residuals = y - np.einsum("mp,mp->m", z, (kept * left_out)[clusters]) / np.where(
        weights > 0, weights, 1.0
    )
    return Fit(kept * raw / scale, residuals)


def _shrinkage(raw: FloatArray, left_out: FloatArray, blocks: tuple[int, ...]) -> FloatArray:
    """Return the factor of each coefficient, from the jackknife variance of those of its block."""
    n_clusters = len(left_out)
    change = left_out - raw
    covariance = change.T @ change * ((n_clusters - 1) / n_clusters)
    factors = np.zeros(raw.size)
    start = 0
    for size in blocks:
        part = slice(start, start + size)
        own = np.linalg.pinv(covariance[part, part], rcond=_SINGULAR, hermitian=True)
        wald = float(raw[part] @ own @ raw[part])
        exact = not covariance[part, part].any() and bool(raw[part].any())
        factors[part] = 1.0 if exact else max(0.0, 1.0 - size / wald) if wald > 0.0 else 0.0
        start += size
    return factors
