"""Ordered items: how much of the variance of a sum blocks of consecutive items catch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from bestby._core.typing import FloatArray, IntArray

QUIET = 5
"""Correlations in a row that must be within chance before the dependence counts as over."""

LARGEST = 1.0 - 1e-12
"""Correlation up to which Fisher's z is taken, whose standard error is about 1 / √n."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far neighbouring items depend on one another.

    `correlations` are estimates at the distances 0, 1, … K, tapered; K is 0 if none is beyond chance.
    """

    correlations: FloatArray

    def share(self, length: int) -> float:
        """Return the variance that blocks of a length catch, over all of it; 1 if that is not positive.

        The sum over a block has its covariances at the distance k (1 - k / length) times as often as the sum
        over all items.
        """
        k = np.arange(1, self.correlations.size)
        whole = 1.0 + 2.0 * float(self.correlations[1:].sum())
        caught = 1.0 + 2.0 * float(np.maximum(1.0 - k / length, 0.0) @ self.correlations[1:])
        return caught / whole if whole > 0.0 and caught > 0.0 else 1.0

    def long_enough(self, share: float) -> int:
        """Return the shortest length whose blocks catch a share of the variance.

        >>> Reach(0.5 ** np.arange(20)).long_enough(0.95)
        27
        """
        high = 1
        while self.share(high) < share and high < 1 << 40:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.share(middle) >= share else (middle, high)
        return high


def reach(values: FloatArray, strata: IntArray | None = None) -> Reach:
    """Estimate how far consecutive items depend on one another.

    `values` are what each item adds to the estimate, in the order of the items. Correlations count up to
    twice the distance after which five in a row are within chance, with a window that is flat up to half of
    that (Politis & White 2004, Econometric Reviews 23, 53-70, section 3.2).
    """
    code = np.zeros(values.size, dtype=np.int64) if strata is None else strata
    # Distances between items are looked at up to a third of them
    furthest = max(1, int(np.bincount(code).max()) // 3)
    covariances = np.zeros(furthest + 1)
    for stratum in np.unique(code):
        part = values[code == stratum]
        u = part - part.mean()
        length = 1 << (2 * u.size - 1).bit_length()
        part_sums = np.fft.irfft(np.abs(np.fft.rfft(u, length)) ** 2, length)[: min(furthest + 1, u.size)]
        covariances[: part_sums.size] += part_sums
    if covariances[0] <= 0.0:
        return Reach(np.ones(1))
    r: FloatArray = covariances / covariances[0]
    chance = 2.0 * math.sqrt(math.log10(values.size) / values.size)
    within = np.abs(r[1:]) < chance
    run = np.convolve(within, np.ones(QUIET), mode="valid") if within.size >= QUIET else np.zeros(0)
    over = np.flatnonzero(run == QUIET)
    last = int(over[0]) if over.size else furthest // 2
    size = min(2 * last, furthest)
    if size == 0:
        return Reach(np.ones(1))
    k = np.arange(size + 1)
    return Reach(r[: size + 1] * np.clip(2.0 * (1.0 - k / (size + 1)), 0.0, 1.0))


def crosses(values: FloatArray, blocks: IntArray, strata: IntArray | None = None) -> bool:
    """Tell whether items depend on one another across the boundaries of blocks, as they do inside them.

    A `Reach` takes the series to be stationary, so that it cannot tell a dependence that is longer than the
    blocks from one that ends where they end. `values` are as for `reach`; no boundary between two strata is
    looked at.
    """
    code = np.zeros(values.size, dtype=np.int64) if strata is None else strata
    order = np.argsort(code, kind="stable")
    u, block, stratum = values[order], blocks[order], code[order]
    u = u - (np.bincount(stratum, weights=u) / np.maximum(np.bincount(stratum), 1))[stratum]
    running = np.concatenate([[0.0], np.cumsum(u)])
    strongest, across, boundaries, m = -1.0, 0.0, 0, 1
    while m <= max(1, int(np.bincount(block).max()) // 2):
        at = np.arange(m, u.size - m + 1)
        before, after = running[at] - running[at - m], running[at + m] - running[at]
        inside = block[at - m] == block[at + m - 1]
        between = (block[at - 1] != block[at]) & (stratum[at - 1] == stratum[at])
        between &= (block[at - m] == block[at - 1]) & (block[at + m - 1] == block[at])
        inner = _correlation(before[inside], after[inside])
        if inner > strongest:
            strongest, across = inner, _correlation(before[between], after[between])
            boundaries = int(between.sum())
        m *= 2
    # Boundaries between blocks below which nothing shows whether items depend on one another across them
    if boundaries < 4:
        return False
    # Beyond a third of the correlation inside blocks, and beyond chance: a one-sided test at 5 %
    return across > strongest / 3.0 and math.atanh(across) > 1.64 / math.sqrt(boundaries)


def _correlation(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of numbers with mean 0, short of 1; 0 where there is none."""
    size = math.sqrt(float(x @ x) * float(y @ y))
    return float(np.clip(float(x @ y) / size, -LARGEST, LARGEST)) if size > 0.0 else 0.0


def rejected(share: float, alpha: float) -> float:
    """Return how often a test rejects a true hypothesis whose variance is taken for a share of what it is."""
    return 2.0 * float(ndtr(ndtri(alpha / 2.0) * math.sqrt(share)))
