"""Mean squares of a layout, their quantiles, and the points of an integral over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv, ndtri

from bestby._core.typing import FloatArray


@lru_cache(maxsize=4)
def cube_points(n_points: int, dimensions: int) -> FloatArray:
    """Return points that fill the unit cube evenly: multiples, modulo 1, of powers of an irrational number.

    >>> cube_points(3, 1).round(3)
    array([[0.118, 0.736, 0.354]])
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))  # the golden one in one dimension
    steps = ratio ** -np.arange(1.0, dimensions + 1.0)
    points: FloatArray = (0.5 + steps[:, None] * np.arange(1.0, n_points + 1.0)) % 1.0
    return points


def mean_square(u: FloatArray, df: float) -> FloatArray:
    """Return quantiles of a chi-square over its degrees of freedom; 0 without any.

    >>> [mean_square(np.array([0.05, 0.95]), df).round(4).tolist() for df in (3, 1000, 1001)]
    [[0.1173, 2.6049], [0.9276, 1.0747], [0.9276, 1.0746]]
    """
    if df == 0:
        return np.zeros_like(u)
    # Degrees of freedom beyond which the cube root of a chi-square is taken for normal (Wilson and Hilferty)
    if df > 1000:
        part = 2.0 / (9.0 * df)
        return np.asarray((1.0 - part + np.sqrt(part) * ndtri(u)) ** 3)
    return np.asarray(2.0 * gammaincinv(0.5 * df, u) / df)


def ratio_of_mean_squares(u: FloatArray, df: float) -> FloatArray:
    """Return quantiles of a mean square over its expectation, above 0 so that one may divide by them."""
    return np.maximum(mean_square(u, df), 1e-100)


def pooled_df(variances: Sequence[float], df: Sequence[int]) -> float:
    """Return the degrees of freedom of a sum of variances (Satterthwaite); the least of them if all are 0."""
    total = sum(variances)
    if total == 0.0:
        return float(min(df))
    return total**2 / sum(variance**2 / one for variance, one in zip(variances, df, strict=True))


def residual_mean_square(layer: FloatArray) -> float:
    """Return the mean square of what neither the run nor the item explains."""
    left = layer - layer.mean(axis=1, keepdims=True) - layer.mean(axis=0, keepdims=True) + layer.mean()
    return float((left**2).sum() / ((layer.shape[0] - 1) * (layer.shape[1] - 1)))
