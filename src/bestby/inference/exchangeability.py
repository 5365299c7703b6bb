"""Signs in paired data that the two systems could not change places.

The paired permutation test is exact if they could. As a test that two means are equal it needs differences
that are symmetric about their mean, and clusters whose effect does not go with their size; as a test of
correlations, numbers on scales that are not visibly apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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
    powers = Moments.of(d, c) if moments is None else moments
    if powers is None or rounding.is_nothing(powers.second / n * (powers.largest / largest) ** 2, 1.0):
        return False
    skewness = powers.third / n / (powers.second / n) ** 1.5
    if abs(skewness) <= max(SKEWNESS * math.sqrt(n), _chance(pairs) * _error_of_skewness(n)):
        return False
    # Heavy tails make a large skewness by chance, but leave the mean near the median.
    spread = powers.largest * math.sqrt(powers.second / n / (n - 1))
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


# -- numbers on different scales -------------------------------------------------------------------


RATIO = 1.5
"""How many times wider one system's numbers must spread than the other's."""

SHIFT = 0.5
"""By how many standard deviations their means must differ."""

SURE = 3.0
"""Standard errors that either must be from what equal scales give."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales of the numbers of two systems, which differ by more than chance, and enough."""

    means: tuple[float, float]
    deviations: tuple[float, float]

    @property
    def distance(self) -> float:
        """How far apart the scales are: the ratio of the spreads plus the shift in standard deviations."""
        low, high = sorted(self.deviations)
        shift = abs(self.means[0] - self.means[1])
        return (high + shift) / low if low > 0.0 else math.inf


Numbers = Callable[[], FloatArray]
"""Returns the numbers of a system, one per item."""


def mean_and_deviation(numbers: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of numbers."""
    return float(numbers.mean()), float(numbers.std())


def scales_apart(
    a: tuple[float, float], b: tuple[float, float], numbers_a: Numbers, numbers_b: Numbers
) -> Scales | None:
    """Return the scales of paired numbers with these locations if they differ, else None.

    They differ if the paired t statistic of the absolute deviations from the medians (Brown & Forsythe 1974)
    is beyond `SURE` and the standard deviations have a ratio of `RATIO` or more; or if the paired t statistic
    of the numbers is, and the means are `SHIFT` root mean square deviations apart or more. How often that
    happens by chance is in the page "Calibration", "Correlations and ranks".
    """
    (mean_a, sd_a), (mean_b, sd_b) = a, b
    low, high = sorted((sd_a, sd_b))
    # Cheap moments first: only scales that look apart are worth a test.
    pooled = math.sqrt((low * low + high * high) / 2.0)
    wider, shifted = high >= RATIO * low, abs(mean_a - mean_b) >= SHIFT * pooled
    if pooled == 0.0 or not (wider or shifted):  # as mostly
        return None
    first, second = numbers_a(), numbers_b()
    spreads = [np.abs(x - np.median(x)) for x in (first, second)]
    differ = (wider and _sure(spreads[0] - spreads[1])) or (shifted and _sure(first - second))
    return Scales((mean_a, mean_b), (sd_a, sd_b)) if differ else None


def _sure(differences: FloatArray) -> bool:
    """Return whether the mean of paired differences is beyond chance."""
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size) if differences.size > 1 else math.inf
    return abs(float(differences.mean())) > SURE * error
