"""Tests of many pairs of independent samples at once: p-values of whole arrays of simulated studies."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.special import ndtr, stdtr

from bestby._core import rounding
from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.inference.classical import doubled_ranks

_BLOCK = 500
"""Studies that share one set of resamples: enough for a matrix product, few enough not to hang on one set."""

PValues = Callable[[FloatArray, FloatArray, Alternative, int, np.random.Generator], FloatArray]


def welch(
    x: FloatArray,
    y: FloatArray,
    alternative: Alternative,
    n_resamples: int = 0,  # noqa: ARG001 - all tests take the same arguments
    generator: np.random.Generator | None = None,  # noqa: ARG001
) -> FloatArray:
    """Return p-values of Welch's t-test of (S, n) scores; of constant samples 1 if they are alike, else 0."""
    n, m = x.shape[1], y.shape[1]
    x_variance, y_variance = x.var(axis=1, ddof=1) / n, y.var(axis=1, ddof=1) / m
    variance = x_variance + y_variance
    gap = x.mean(axis=1) - y.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(gap == 0.0, 0.0, gap / np.sqrt(variance))
        df = variance**2 / (x_variance**2 / (n - 1) + y_variance**2 / (m - 1))
    return _tails(t, lambda value: stdtr(np.where(np.isnan(df), n + m - 2.0, df), value), alternative)


def mann_whitney(
    x: FloatArray,
    y: FloatArray,
    alternative: Alternative,
    n_resamples: int = 0,  # noqa: ARG001
    generator: np.random.Generator | None = None,  # noqa: ARG001
) -> FloatArray:
    """Return p-values of the Mann–Whitney test: normal approximation, corrected for ties and continuity."""
    n, m = x.shape[1], y.shape[1]
    ranks = 0.5 * doubled_ranks(np.concatenate([x, y], axis=1))
    u = ranks[:, :n].sum(axis=1) - n * (n + 1) / 2.0 - n * m / 2.0
    spread = n * m / ((n + m) * (n + m - 1.0)) * ((ranks - (n + m + 1) / 2.0) ** 2).sum(axis=1)
    sd = np.sqrt(spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper, lower = (np.where(sd > 0.0, ndtr(-(side * u - 0.5) / sd), 1.0) for side in (1.0, -1.0))
    if alternative == "two-sided":
        doubled: FloatArray = np.minimum(1.0, 2.0 * np.minimum(upper, lower))
        return doubled
    one: FloatArray = upper if alternative == "greater" else lower
    return one


def permutation(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the permutation test of the difference of means of (S, n) scores.

    All divisions of the pooled sample are taken if they are not more than `n_resamples`; otherwise a new set
    is drawn for every 500 pairs of samples.
    """
    n, size = x.shape[1], x.shape[1] + y.shape[1]
    pooled = np.concatenate([x, y], axis=1)
    pooled = pooled - pooled.mean(axis=1, keepdims=True)
    every = math.comb(size, n) <= max(n_resamples, 1) + 1
    taken = _all_divisions(size, n) if every else None
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        part = pooled[start : start + _BLOCK]
        sets = _divisions(size, n, n_resamples, generator) if taken is None else taken
        hits = _hits(part @ sets, part[:, :n].sum(axis=1), np.abs(part).max(axis=1) * n, alternative)
        out[start : start + _BLOCK] = hits / sets.shape[1] if every else (1 + hits) / (1 + n_resamples)
    return out


def bootstrap(
    x: FloatArray, y: FloatArray, alternative: Alternative, n_resamples: int, generator: np.random.Generator
) -> FloatArray:
    """Return p-values of the bootstrap test: both samples shifted to one mean, then resampled.

    Parameters and result are those of `permutation`. See Efron & Tibshirani (1993), section 16.2.

    >>> x, y = np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 4.0, 6.0]])
    >>> bool(bootstrap(x, y, "less", 999, np.random.default_rng(0))[0] < 0.05)
    True
    """
    observed = x.mean(axis=1) - y.mean(axis=1)
    centred = [z - z.mean(axis=1, keepdims=True) for z in (x, y)]
    out = np.empty(x.shape[0])
    for start in range(0, x.shape[0], _BLOCK):
        drawn = 0.0
        for z, sign in zip(centred, (1.0, -1.0), strict=True):
            n = z.shape[1]
            weights = generator.multinomial(n, np.full(n, 1.0 / n), size=n_resamples).T / (sign * n)
            drawn = drawn + z[start : start + _BLOCK] @ weights
        gap = observed[start : start + _BLOCK]
        hits = _hits(np.asarray(drawn), gap, np.abs(x[start : start + _BLOCK]).max(axis=1), alternative)
        out[start : start + _BLOCK] = (1 + hits) / (1 + n_resamples)
    return out


TESTS: dict[str, PValues] = {
    "permutation": permutation,
    "bootstrap": bootstrap,
    "welch": welch,
    "mann-whitney": mann_whitney,
}


def _tails(t: FloatArray, cdf: Callable[[FloatArray], FloatArray], alternative: Alternative) -> FloatArray:
    if alternative == "two-sided":
        return 2.0 * cdf(-np.abs(t))
    return cdf(-t) if alternative == "greater" else cdf(t)


def _hits(drawn: FloatArray, observed: FloatArray, scale: FloatArray, alternative: Alternative) -> FloatArray:
    """Count the replicates (S, B) at least as extreme as what was observed (S,), ties included."""
    slack = rounding.spread_width(scale)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= (np.abs(observed) - slack)[:, None]
    elif alternative == "greater":
        extreme = drawn >= (observed - slack)[:, None]
    else:
        extreme = drawn <= (observed + slack)[:, None]
    counts: FloatArray = np.count_nonzero(extreme, axis=1).astype(np.float64)
    return counts


def _all_divisions(size: int, n: int) -> FloatArray:
    chosen = np.array(list(combinations(range(size), n)))
    return _indicators(chosen, size)


def _divisions(size: int, n: int, count: int, generator: np.random.Generator) -> FloatArray:
    chosen = np.argpartition(generator.random((count, size), dtype=np.float32), n, axis=1)[:, :n]
    return _indicators(chosen, size)


def _indicators(chosen: IntArray, size: int) -> FloatArray:
    """Return a column of 0 and 1 per set of positions."""
    sets = np.zeros((size, chosen.shape[0]))
    sets[chosen.T, np.arange(chosen.shape[0])] = 1.0
    return sets
