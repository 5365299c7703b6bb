"""Signs in paired differences that the two systems could not change places.

The paired permutation test is exact if they could. As a test that two means are equal it needs differences
that are symmetric about their mean, and clusters whose effect does not go with their size.
"""

from __future__ import annotations

import math

import numpy as np

from bestby._core import rounding, special
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.classical import doubled_ranks
from bestby.inference.intervals import Moments
from bestby.inference.lattice import all_single

FEWEST = 8
"""Differences other than 0 (or clusters) below which no such sign can be read."""

SKEWNESS = 0.15
"""Skewness over the root of n above which it moves the level of a test of the mean."""

FEW, APART_OF_FEW, APART = 20, 1.0, 1.2
"""Standard errors by which the mean must be away from the median, of fewer than 20 and of more."""


def skewed(differences: FloatArray, counts: IntArray, pairs: int = 1, moments: Moments | None = None) -> bool:
    """Tell whether differences are so skewed that a test of their mean rejects too often.

    They are if, of the differences other than 0, the skewness is large beside the root of their number (the
    term of first order in the error of Student's t: Johnson 1978, J. Amer. Statist. Assoc. 73, 536-544), and
    the mean lies on the same side of the median, by more than 1.2 standard errors (Cabilio & Masaro 1996,
    Canad. J. Statist. 24, 349-361). Heavy tails have such moments too, but no such mean. With several `pairs`
    the skewness must also be larger than normal differences have by chance (by Bonferroni). `moments` are
    those of all differences, where they are known.
    """
    sizes = np.abs(differences)
    largest = float(sizes.max(initial=0.0))
    there = (sizes > rounding.level_width(largest)) & (counts > 0)  # what is left is 0, but for rounding
    d, c = differences, counts
    if not there.all():
        d, c, sizes, moments = differences[there], counts[there], sizes[there], None
    n = int(c.sum())
    if n < FEWEST:
        return False
    if rounding.level(float(sizes.min()), largest, largest):
        return False
    found = Moments.of(d, c) if moments is None else moments
    if found is None or rounding.is_nothing(found.second / n * (found.largest / largest) ** 2, 1.0):
        return False
    skewness = found.third / n / (found.second / n) ** 1.5
    if abs(skewness) <= max(SKEWNESS * math.sqrt(n), _chance(pairs) * _error_of_skewness(n)):
        return False
    spread = found.largest * math.sqrt(found.second / n / (n - 1))
    away = float(c @ d) / n - _median(d, c)
    limit = (APART_OF_FEW if n < FEW else APART) * spread
    # One unit against n - 1 that are alike is at the limit of few, which rounding must not decide.
    return away * skewness > 0.0 and abs(away) > limit + rounding.tie_width(largest, limit)


def _chance(pairs: int) -> float:
    """Return how many standard errors the largest of several normal numbers is from 0; 0 for a single one.

    >>> _chance(1), round(_chance(45), 2)
    (0.0, 3.26)
    """
    # Of 20 families of several pairs of exchangeable systems, one may have a pair that looks like no such
    return float(-special.ndtri(0.05 / (2.0 * pairs))) if pairs > 1 else 0.0


def _error_of_skewness(n: int) -> float:
    """Return the standard deviation of the skewness of n normal numbers (Fisher 1930)."""
    return math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3.0)))


def _median(values: FloatArray, counts: IntArray) -> float:
    """Return the median of values with multiplicities."""
    if all_single(counts):
        return float(np.median(values))
    order = np.argsort(values)
    running = np.cumsum(counts[order])
    n = int(running[-1])
    low, high = np.searchsorted(running, [(n + 1) // 2, n // 2 + 1])
    return 0.5 * float(values[order[low]] + values[order[high]])


def follows_size(effects: FloatArray, sizes: FloatArray, counts: IntArray, pairs: int = 1) -> bool:
    """Tell whether the effect in a cluster goes with its size, and the sizes are so unequal that it matters.

    `effects` are the mean difference (or influence) of an item in each distinct cluster. Chance is allowed
    for all `pairs` together (by Bonferroni).
    """
    effects, sizes = np.repeat(effects, counts), np.repeat(sizes, counts)
    if sizes.size < FEWEST or not unequal(sizes):
        return False
    slack = rounding.level_width(float(np.abs(effects).max(initial=0.0)))
    x, y = (doubled_ranks(values, gap).astype(np.float64) for values, gap in ((effects, slack), (sizes, 0.0)))
    x, y = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(x @ x) * float(y @ y))
    # Spearman's correlation of effect and size, in its own standard errors, above which it is no chance
    limit = max(2.0, _chance(pairs))
    return spread > 0.0 and abs(float(x @ y)) / spread * math.sqrt(sizes.size - 1) > limit


def unequal(sizes: FloatArray) -> bool:
    """Tell whether clusters are so unequal that it matters whether the effect goes with their size.

    >>> unequal(np.array([1.0, 1.0, 1.0, 9.0])), unequal(np.array([5.0, 4.0, 6.0, 5.0]))
    (True, False)
    """
    effective = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    # It does not from 100 effective clusters on, nor where they are more than 0.7 of the clusters
    return effective < min(100, 0.7 * sizes.size)
