"""Items that depend on one another: clusters, few clusters, two crossed groupings, and ordered text.

All take influence values: what each item (or each cluster) adds to the estimate, to first order. For a mean
of n items that is its value minus the mean, over n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestby._core import rounding, special
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import FloatArray, IntArray
from bestby.inference.exchangeability import follows_size, skewed

FEW_CLUSTERS = 30
"""Clusters below which the usual standard error and its degrees of freedom are too small."""

LARGEST_SHARE = 1.0 / 3.0
"""Share of the items above which one cluster makes them too small, however many there are."""


@dataclass(frozen=True, slots=True)
class StandardError:
    """A standard error and how well it is known.

    Parameters
    ----------
    se : float
        The standard error.
    df : float
        Its degrees of freedom.
    skewness : float
        The skewness of the estimate, where intervals and tests must allow for it; else 0.
    effective : float
        How many units of equal weight would carry the variance, in the same case; else infinite.
    moves : float
        How far the true skewness may be from this one (`robust` of `bestby.inference.skewness`).
    """

    se: float
    df: float
    skewness: float = 0.0
    effective: float = math.inf
    moves: float = 0.0


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """The standard error of an estimate with and without its clusters."""

    itemwise: float
    clustered: float

    @property
    def ratio(self) -> float:
        """The variance with clusters over that without: items per item's worth of information."""
        return (self.clustered / self.itemwise) ** 2 if self.itemwise > 0.0 else math.nan


def few(sizes: FloatArray, counts: IntArray | None = None) -> bool:
    """Tell whether there are fewer than 30 clusters, or one holds more than a third of the items.

    >>> few(np.full(29, 10.0)), few(np.full(30, 10.0)), few(np.r_[np.ones(40), 21.0])
    (True, False, True)
    """
    n = sizes.size if counts is None else int(counts.sum())
    total = float(sizes.sum() if counts is None else counts @ sizes)
    return n < FEW_CLUSTERS or not rounding.at_most(float(sizes.max()), LARGEST_SHARE * total)


def design_effect(influence: FloatArray, clusters: IntArray, strata: IntArray | None = None) -> DesignEffect:
    """Return the standard error of an estimate item-wise and clustered (Kish 1965, section 5.4)."""
    _same_length(influence, clusters)
    sums = np.bincount(clusters, weights=influence).astype(np.float64)
    cluster_strata = None
    if strata is not None:
        cluster_strata = np.zeros(sums.size, dtype=np.int64)
        cluster_strata[clusters] = strata
    itemwise, clustered = _stratified(influence, strata), _stratified(sums, cluster_strata)
    return DesignEffect(itemwise, 0.0 if rounding.is_nothing(clustered, itemwise) else clustered)


def _stratified(influence: FloatArray, strata: IntArray | None) -> float:
    """Return the standard error of a sum of independent units, centred within strata."""
    if strata is None:
        n = influence.size
        centred = influence - influence.mean()
        return math.sqrt(float(centred @ centred) * n / (n - 1)) if n > 1 else 0.0
    sizes = np.bincount(strata)
    means = np.bincount(strata, influence) / np.maximum(sizes, 1)
    squares = np.bincount(strata, (influence - means[strata]) ** 2)
    return math.sqrt(float((squares * sizes / np.maximum(sizes - 1, 1))[sizes > 1].sum()))


def cr2(
    influence: FloatArray,
    sizes: FloatArray,
    counts: IntArray | None = None,
    bounds: IntArray | None = None,
    variances: FloatArray | None = None,
    squares: FloatArray | None = None,
) -> StandardError:
    """Return the bias-reduced cluster-robust standard error CR2 with Satterthwaite's degrees of freedom.

    For a mean, the share h of a cluster in the items is its leverage. CR2 divides the squared sum of each
    cluster by 1 - h, so that the variance is unbiased if items are independent (Bell & McCaffrey 2002, Survey
    Methodology 28, 169-181), and the degrees of freedom are those of the quadratic form under the same
    working model (Pustejovsky & Tipton 2018, J. Bus. Econ. Stat. 36, 672-683, section 2). With clusters of
    equal size both are as usual: the factor G / (G - 1), and G - 1. `influence`, of shape (C,), is what each
    distinct cluster adds to the estimate; other functions of sums are taken for means of it. `counts` says
    how many clusters are of each kind, `bounds` where the strata begin. `variances`, of shape (C,), are those
    of what clusters add under the working model, up to a factor, where they are not as the sizes: the sums of
    squared weights, if items of one stratum have different weights. `squares` are these sums where only the
    strata differ: they leave the error as it is, and the degrees of freedom are those of the strata that
    carry the variance. Both results are 0 if no stratum has two clusters.

    CR2 corrects for unequal sizes, not for an effect that goes with them, of which the large clusters tell
    most, nor for sums of clusters that are skewed. Both make the estimate and its error go together. Where
    the data show one of them (`follows_size` and `skewed` of `bestby.inference.exchangeability`) the result
    has the skewness of the estimate and its effective units; with `variances` it never has.
    """
    counts = np.ones(influence.size, dtype=np.int64) if counts is None else counts
    edges = np.array([0, influence.size]) if bounds is None else bounds
    total = float(counts @ sizes)
    variance = trace = trace_of_squares = 0.0
    residuals = np.zeros(influence.size)
    for start, stop in pairwise(edges.tolist()):
        part = slice(start, stop)
        c, v = counts[part].astype(np.float64), sizes[part] / total  # products of floats take a tenth
        if int(c.sum()) < 2:  # its mean is its own: nothing can be learnt of its spread
            continue
        within = float(c @ v)
        h = v / within
        residuals[part] = residual = influence[part] - h * float(c @ influence[part])
        if variances is None:
            q, adjust = v if squares is None else squares[part], (1.0 - h) ** -0.5
            variance += float(c @ (residual**2 / (1.0 - h)))
        else:
            q = variances[part]
            adjust = _adjusting(c, h, q)
            variance += float(c @ (adjust * residual) ** 2)
        first, second = _moments(c, h, q, adjust)
        trace += first
        trace_of_squares += second
    # Satterthwaite: the mean squared over half the variance of a quadratic form with covariance M is tr(M)^2
    # / tr(M^2).
    df = trace**2 / trace_of_squares if trace_of_squares > 0.0 else 0.0
    if variances is None and _vary_together(residuals, sizes, counts):
        return StandardError(math.sqrt(variance), df, *_skewed(residuals, counts))
    return StandardError(math.sqrt(variance), df)


def _vary_together(residuals: FloatArray, sizes: FloatArray, counts: IntArray) -> bool:
    """Tell whether the data show that an estimate and its standard error vary together."""
    if sizes.size and sizes.min() < sizes.max() and follows_size(residuals / sizes, sizes, counts):
        return True
    # Clusters below which the skewness of their sums is mostly chance, and would make intervals far too long
    return int(counts.sum()) >= 15 and skewed(residuals, counts)


def _skewed(residuals: FloatArray, counts: IntArray) -> tuple[float, float]:
    """Return the skewness of a sum of residuals and how many of equal weight would have its variance."""
    u = residuals / np.abs(residuals).max()
    squares = u**2
    return float(counts @ u**3) / float(counts @ squares) ** 1.5, equal_units(squares, counts)


def cr2_covariance(
    influence: FloatArray,
    sizes: FloatArray,
    counts: IntArray | None = None,
    bounds: IntArray | None = None,
) -> FloatArray:
    """Return the covariances of several estimates from the same clusters, by CR2.

    `influence` has shape (C, S), the result (S, S). `sizes`, `counts` and `bounds` are as for `cr2`, and so
    are the degrees of freedom.

    >>> influence = np.array([[0.3, 0.1], [-0.1, 0.2], [-0.2, -0.3]])
    >>> covariance = cr2_covariance(influence, np.array([40.0, 10.0, 10.0]))
    >>> covariance.diagonal().round(6), round(cr2(influence[:, 0], np.array([40.0, 10.0, 10.0])).se ** 2, 6)
    (array([0.33 , 0.186]), 0.33)
    """
    counts = np.ones(len(influence), dtype=np.int64) if counts is None else counts
    edges = np.array([0, len(influence)]) if bounds is None else bounds
    covariance = np.zeros((influence.shape[1], influence.shape[1]))
    for start, stop in pairwise(edges.tolist()):
        part = slice(start, stop)
        c, v = counts[part], sizes[part]
        if int(c.sum()) < 2:
            continue
        h = v / float(c @ v)
        residual = influence[part] - h[:, None] * (c @ influence[part])
        covariance += (residual * (c / (1.0 - h))[:, None]).T @ residual
    return covariance


def carrying(influence: FloatArray, sizes: FloatArray, counts: IntArray | None = None) -> float:
    """Return how many clusters of equal weight would have the variance, were all clusters equally large.

    That is (sum u^2)^2 / sum u^4, u the influence over the root of the size. CR2 and its degrees of freedom
    allow for unequal sizes, but not for a difference that few clusters carry. The arguments are as for `cr2`.
    The result is 0 if no cluster has an influence.

    >>> round(carrying(np.array([0.4, -0.1, -0.1, -0.2]), np.array([16.0, 1.0, 1.0, 4.0])), 6)
    4.0
    >>> round(carrying(np.array([0.2, -0.2, 0.0]), np.array([1.0, 1.0, 50.0]), np.array([1, 1, 30])), 6)
    2.0
    """
    counts = np.ones(influence.size, dtype=np.int64) if counts is None else counts
    largest = float(np.abs(influence).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    squared = (influence / largest) ** 2 / sizes
    return equal_units(squared, counts)


def equal_units(weights: FloatArray, counts: IntArray | None = None) -> float:
    """Return how many units of equal weight have the same sum of squared shares (Kish 1965, section 8.2).

    There is one unit of each weight without `counts`.

    >>> equal_units(np.array([3.0, 1.0]), np.array([1, 3]))
    3.0
    """
    c = np.ones(weights.size) if counts is None else counts.astype(np.float64)
    return float(c @ weights) ** 2 / float(c @ weights**2)


def _adjusting(c: FloatArray, h: FloatArray, v: FloatArray) -> FloatArray:
    """Return the factors that make squared residuals unbiased if the clusters have the variances v."""
    # E r_g^2 = v_g (1 - 2 h_g) + h_g^2 sum v, so that the factor squared times this is v_g.
    expected = v * (1.0 - 2.0 * h) + h**2 * float(c @ v)
    positive = expected > 0.0
    factors: FloatArray = np.where(positive, np.sqrt(v / np.where(positive, expected, 1.0)), 1.0)
    return factors


def _moments(c: FloatArray, h: FloatArray, v: FloatArray, adjust: FloatArray) -> tuple[float, float]:
    """Return the trace of M and the sum of its squares, M the covariance of the adjusted residuals.

    M = A (I - h 1') diag(v) (I - 1 h') A with A = diag(adjust) and variances v of the clusters.
    """
    # M = D - a b' - b a' + total a a', D = diag(A^2 v), a = A h, b = A v: both traces are inner products, and
    # no matrix of all clusters is made.
    total = float(c @ v)
    diagonal, a, b = adjust**2 * v, adjust * h, adjust * v
    aa, bb, ab = float(c @ (a * a)), float(c @ (b * b)), float(c @ (a * b))
    trace = float(c @ diagonal) - 2.0 * ab + total * aa
    squares = float(c @ diagonal**2) + 2.0 * float(c @ (diagonal * a * (total * a - 2.0 * b)))
    squares += 2.0 * aa * bb + 2.0 * ab**2 + total**2 * aa**2 - 4.0 * total * aa * ab
    return trace, squares


def two_way(influence: FloatArray, first: IntArray, second: IntArray) -> StandardError:
    """Return the standard error of an estimate from items in two crossed groupings.

    V1 + V2 - V12 (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29, 238-249, section 2), but with CR2
    in place of the factors G / (G - 1) of V1 and V2, and never less than one of these alone: where neither
    grouping matters the difference of three noisy numbers is too small about as often as too large. The page
    "Dependent items" has the coverage of both. `first` and `second` are codes from 0. Degrees of freedom are
    those of `cr2`, at most min(G1, G2) - 1. Third cumulants of the two groupings add up.
    """
    _same_length(influence, first)
    _same_length(influence, second)
    errors = []
    for codes in (first, second):
        sums = np.bincount(codes, weights=influence).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        if sums.size < 2:
            raise DesignError(
                "all items are in one group of one of the two groupings",
                hint="give the other grouping alone as clusters",
            )
        errors.append(cr2(sums, sizes))
    each_way = [error.se**2 for error in errors]
    # Items that share both groups are counted in V1 and in V2.
    together = sum(each_way) - _one_way(influence, _both(first, second))
    variance = max(together, *each_way)
    third = sum(error.skewness * error.se**3 for error in errors)
    return StandardError(
        math.sqrt(variance),
        min(error.df for error in errors),
        third / variance**1.5 if variance > 0.0 else 0.0,
        min(error.effective for error in errors),
    )


def mean_error(errors: Sequence[StandardError]) -> StandardError:
    """Return the standard error of a mean of independent estimates, such as one per dataset.

    The degrees of freedom are Satterthwaite's (1946, Biometrics Bulletin 2, 110-114), and effective units are
    put together likewise; third cumulants add up, and so do the squares of how far each may be off.
    """
    variances = [(error.se / len(errors)) ** 2 for error in errors]
    total = math.fsum(variances)
    varying = [(error, v / total) for error, v in zip(errors, variances, strict=True) if v > 0.0]
    if not varying:
        return StandardError(0.0, 0.0)
    fewer = math.fsum(share**2 / error.effective for error, share in varying)
    return StandardError(
        math.sqrt(total),
        1.0 / math.fsum(share**2 / error.df for error, share in varying),
        math.fsum(share**1.5 * error.skewness for error, share in varying),
        1.0 / fewer if fewer > 0.0 else math.inf,
        math.hypot(*(share**1.5 * error.moves for error, share in varying)),
    )


def _one_way(influence: FloatArray, codes: IntArray) -> float:
    sums = np.bincount(codes, weights=influence)
    return float(sums @ sums) * sums.size / max(sums.size - 1, 1)


def _both(first: IntArray, second: IntArray) -> IntArray:
    """Return the codes of the groups that share both groupings."""
    joint = first.astype(np.int64) * (int(second.max()) + 1) + second
    return np.asarray(np.unique(joint, return_inverse=True)[1].reshape(-1))


def _same_length(influence: FloatArray, codes: IntArray) -> None:
    if influence.shape != codes.shape:
        raise InvalidInputError(
            f"every item needs a group, got {influence.size} items and {codes.size} groups"
        )


# -- ordered items ---------------------------------------------------------------------------------
# How much of the variance of a sum blocks of consecutive items catch.


QUIET = 5
"""Correlations in a row that must be within chance before the dependence counts as over."""

LARGEST = 1.0 - 1e-12
"""Correlation up to which Fisher's z is taken, whose standard error is about 1 / √n."""


@dataclass(frozen=True, slots=True)
class Dependence:
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

        >>> Dependence(0.5 ** np.arange(20)).long_enough(0.95)
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


def dependence(values: FloatArray, strata: IntArray | None = None) -> Dependence:
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
        # Sums of lagged products are the transform of the squared spectrum; padding keeps the end of the text
        # from meeting its beginning.
        length = 1 << (2 * u.size - 1).bit_length()
        part_sums = np.fft.irfft(np.abs(np.fft.rfft(u, length)) ** 2, length)[: min(furthest + 1, u.size)]
        covariances[: part_sums.size] += part_sums
    if covariances[0] <= 0.0:
        return Dependence(np.ones(1))
    r: FloatArray = covariances / covariances[0]
    # The band of Politis & White (2004), section 3.2, with c = 2 and five correlations in a row.
    chance = 2.0 * math.sqrt(math.log10(values.size) / values.size)
    within = np.abs(r[1:]) < chance
    run = np.convolve(within, np.ones(QUIET), mode="valid") if within.size >= QUIET else np.zeros(0)
    over = np.flatnonzero(run == QUIET)
    last = int(over[0]) if over.size else furthest // 2
    size = min(2 * last, furthest)
    if size == 0:
        return Dependence(np.ones(1))
    k = np.arange(size + 1)
    return Dependence(r[: size + 1] * np.clip(2.0 * (1.0 - k / (size + 1)), 0.0, 1.0))


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
    # Sums of m items before and after a place are correlated at all places, for m = 1, 2, 4 ...; what counts
    # is the m at which the correlation inside blocks is strongest.
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


def rejection_rate(share: float, alpha: float) -> float:
    """Return how often a test rejects a true hypothesis whose variance is taken for a share of what it is."""
    return 2.0 * float(special.ndtr(special.ndtri(alpha / 2.0) * math.sqrt(share)))
