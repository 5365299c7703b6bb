"""Ranks of systems over several datasets: Friedman with Iman and Davenport, Nemenyi, Holm."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
from scipy.special import fdtrc, log_ndtr, ndtr

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.typing import ArrayLike, FloatArray
from bestby.inference import classical
from bestby.inference.bisection import last_that_holds
from bestby.inference.classical import doubled_ranks
from bestby.inference.multiplicity import holm
from bestby.results.values import Friedman


def average_ranks(scores: ArrayLike, *, greater_is_better: bool = True) -> FloatArray:
    """Return the average rank of each system over the datasets, 1 being the best; ties share ranks."""
    x = _scores(scores)
    return np.asarray(ranks(x, greater_is_better=greater_is_better).mean(axis=0))


def ranks_by_pairs(scores: FloatArray, *, greater_is_better: bool = True) -> FloatArray:
    """Return average ranks of systems of which some have no score (NaN) on some datasets.

    The rank of a system is 1 and the number of better ones, ties counting one half: on average, 1 and the
    shares of the datasets on which each other one is better. Each share is over the datasets that both have,
    and one of two that have none in common is the mean of those there are.

    >>> table = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, np.nan], [2.0, 3.0, 1.0]])
    >>> ranks_by_pairs(table)
    array([1.66666667, 1.33333333, 3.        ])
    """
    x = scores if greater_is_better else -scores
    k = x.shape[1]
    above = np.full((k, k), np.nan)
    for system in range(k):
        there = ~np.isnan(x) & ~np.isnan(x[:, [system]])
        higher = (x > x[:, [system]]) + 0.5 * (x == x[:, [system]])
        n = there.sum(axis=0)
        above[system] = np.divide((higher * there).sum(axis=0), n, out=np.full(k, np.nan), where=n > 0)
    np.fill_diagonal(above, np.nan)
    found: FloatArray = 1.0 + (k - 1) * np.nanmean(above, axis=1)
    return found


def ranks(scores: FloatArray, *, greater_is_better: bool = True) -> FloatArray:
    """Return the rank of each system on each dataset, shape (N, k); equal scores are ties."""
    return np.asarray(doubled_ranks(-scores if greater_is_better else scores) / 2.0)


def friedman(scores: ArrayLike) -> Friedman:
    """Test whether all systems rank alike, over datasets.

    The result has chi-squared with the correction for ties (Friedman 1937); Iman and Davenport's F, which is
    less conservative (1980, Commun. Statist. A 9, 571-595; Demsar 2006, JMLR 7, 1-30, section 3.2.2); and the
    exact p-value for few systems and datasets, where neither approximation is good (F rejects in 19 % of
    cases for three systems on three datasets, in 7 % on four; from five on it keeps its 5 %). If all datasets
    rank the systems alike, F has no denominator: its p-value is then the probability of that under the null
    hypothesis, (k!)^(1 - N) at most, rather than 0.
    """
    x = _scores(scores)
    n, k = x.shape
    chi, df, p = classical.friedman(x)
    rest = n * (k - 1) - chi
    within = (k - 1) * (n - 1)
    if rounding.is_nothing(rest, n * (k - 1), rounding.ERROR):
        f, p_f = math.inf, math.exp((1 - n) * math.lgamma(k + 1))
    else:
        f = (n - 1) * chi / rest
        p_f = float(fdtrc(df, within, f))
    return Friedman(chi, df, p, f, within, max(p_f, sys.float_info.min), _exact(x))


def _exact(x: FloatArray) -> float | None:
    """Return the probability, over all orders on each dataset, of rank sums that lie as far apart.

    As all systems are alike under the null, only the sorted rank sums matter.
    """
    doubled = np.rint(2.0 * ranks(x)).astype(np.int64)
    n, k = doubled.shape
    base = 2 * k * n + 1
    if k > 7 or base**k > 2**62:
        return None
    powers = base ** np.arange(k, dtype=np.int64)
    states = np.sort(doubled[:1], axis=1)
    mass: FloatArray = np.ones(1)
    for row in doubled[1:]:
        orders, times = np.unique(np.array(list(itertools.permutations(row))), axis=0, return_counts=True)
        # Rank sums times orders held at once by the exact test: a tenth of a second
        if len(states) * len(orders) > 200_000:
            return None
        sums = np.sort((states[:, None, :] + orders[None, :, :]).reshape(-1, k), axis=1)
        weights = (mass[:, None] * (times / times.sum())[None, :]).reshape(-1)
        _, first, place = np.unique(sums @ powers, return_index=True, return_inverse=True)
        states = sums[first]
        mass = np.bincount(place.reshape(-1), weights=weights).astype(np.float64)
    centre = n * (k + 1)
    spread = ((states - centre) ** 2).sum(axis=1)
    observed = int(((doubled.sum(axis=0) - centre) ** 2).sum())
    return min(float(mass[spread >= observed].sum()), 1.0)


def rank_scale(k: int, n: int) -> float:
    """Return the standard error of the difference of two average ranks, sqrt(k (k + 1) / 6 N)."""
    return math.sqrt(k * (k + 1) / (6.0 * n))


def nemenyi(average: ArrayLike, n: int) -> FloatArray:
    """Return Nemenyi's p-value for each two systems: all pairs compared by their average ranks.

    Nemenyi (1963), Distribution-free multiple comparisons, PhD thesis, Princeton. The p-values already
    account for all pairs (Demsar 2006, JMLR 7, 1-30, section 3.2.2); they are 1 on the diagonal.
    """
    r = np.asarray(average, dtype=np.float64)
    q = np.abs(r[:, None] - r[None, :]) / rank_scale(r.size, n) * math.sqrt(2.0)
    p = np.array([[studentized_range_sf(float(value), r.size) for value in row] for row in q])
    np.fill_diagonal(p, 1.0)
    return p


def holm_ranks(average: ArrayLike, n: int, baseline: int | None = None) -> FloatArray:
    """Return Holm's adjusted p-values for each two systems, or for each against a baseline.

    Each difference of average ranks is divided by `rank_scale` and referred to the normal distribution
    (Demsar 2006, JMLR 7, 1-30, section 3.2.2). With a `baseline`, the position of a system, the family is k -
    1 pairs. The result is NaN where a pair was not compared, 1 on the diagonal.
    """
    r = np.asarray(average, dtype=np.float64)
    k = r.size
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k) if baseline is None or baseline in (i, j)]
    z = np.array([abs(r[i] - r[j]) for i, j in pairs]) / rank_scale(k, n)
    adjusted = holm(np.maximum(2.0 * ndtr(-z), sys.float_info.min))
    p = np.full((k, k), np.nan)
    for (i, j), value in zip(pairs, adjusted, strict=True):
        p[i, j] = p[j, i] = value
    np.fill_diagonal(p, 1.0)
    return p


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return the difference of average ranks from which Nemenyi's test tells two systems apart.

    Returns the quantile of the studentized range over sqrt(2), times `rank_scale`.
    """
    checks.probability(alpha, "alpha")
    largest = 1.0
    while studentized_range_sf(largest, k) > alpha:
        largest *= 2.0
    _, quantile = last_that_holds(lambda q: studentized_range_sf(q, k) > alpha, 0.0, largest)
    return quantile / math.sqrt(2.0) * rank_scale(k, n)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(400)


def studentized_range_sf(q: float, k: int) -> float:
    """Return the probability that the range of k standard normal variables exceeds `q`.

    The largest of the k is at z, and not all others within q below it: k times the integral of
    phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z-q))^(k-1)), by Gauss and Legendre. `scipy.stats`, which agrees to
    1e-10, takes two seconds to import.
    """
    if k < 2:
        raise InvalidInputError(f"a range needs at least 2 systems, got {k}")
    if q <= 0.0:
        return 1.0
    # Beyond q / 2 + 9 on either side of q / 2 the integrand is below 1e-17 of its largest values.
    half = q / 2.0 + 9.0
    z = q / 2.0 + half * _NODES
    log_cdf = log_ndtr(z)
    share = np.exp(np.minimum(log_ndtr(z - q) - log_cdf, -1e-300))
    with np.errstate(divide="ignore"):
        missing = -np.expm1((k - 1) * np.log1p(-np.minimum(share, 1.0)))
    density = np.exp(-0.5 * z * z + (k - 1) * log_cdf) / math.sqrt(2.0 * math.pi)
    p = k * half * float(_WEIGHTS @ (density * missing))
    return min(max(p, sys.float_info.min), 1.0)


def _scores(scores: ArrayLike) -> FloatArray:
    x = np.asarray(checks.as_array(scores, "scores"), dtype=np.float64)
    if x.ndim != 2 or x.shape[0] < 1 or x.shape[1] < 2:
        raise InvalidInputError(
            f"scores must have a row per dataset and a column for each of two or more systems, got {x.shape}"
        )
    if not np.isfinite(x).all():
        row, system = np.argwhere(~np.isfinite(x))[0]
        raise InvalidInputError(
            f"scores must be finite, got {x[row, system]} at dataset {row}, system {system}"
        )
    return rounding.levelled(x)
