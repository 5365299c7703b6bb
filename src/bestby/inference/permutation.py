"""The paired permutation test (Fisher-Pitman): exact where the structure allows, Monte Carlo otherwise.

Under the null hypothesis the two systems are exchangeable within every unit: each unit's predictions
may change places with probability one half.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray
from bestby.inference.lattice import merged
from bestby.inference.sign_sums import MOST_COMBINATIONS, central_binomial, lattice_tail, real_tail
from bestby.results.values import TestResult


def monte_carlo(
    replicates: FloatArray,
    observed: float,
    alternative: Alternative,
    *,
    name: str,
    scale: float = 0.0,
    slack: float = 0.0,
) -> TestResult:
    """Return the Monte Carlo p-value of an observed difference.

    Parameters
    ----------
    replicates : ndarray, shape (B,)
        The difference under resampling of the null hypothesis.
    observed : float
        The difference in the data.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts |replicate| >= |observed|.
    name : str
        Name of the test.
    scale : float
        Size of the numbers the difference was taken of; ties are counted within 1e-13 of it, and within 1e-10
        of the difference.
    slack : float
        By how much rounding of the sums alone may move the difference; ties are counted within that too.

    Returns
    -------
    TestResult
        p = (1 + hits) / (1 + B), never 0, with its standard error.

    References
    ----------
    .. [1] Phipson & Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9, 39, eq. 2.

    Examples
    --------
    >>> monte_carlo(np.array([0.1, -0.3, 0.2]), 0.2, "greater", name="permutation").p_value
    0.5
    """
    size = int(replicates.size)
    tolerance = max(rounding.tie_width(scale, abs(observed)), slack)
    hits = int(np.count_nonzero(_extreme(replicates, observed, alternative, tolerance)))
    p = (1 + hits) / (1 + size)
    error = math.sqrt(p * (1.0 - p) / size)
    return TestResult(name, p, alternative, False, "monte carlo", error, size, observed)


def inverted_percentile(
    replicates: FloatArray, observed: float, alternative: Alternative, *, name: str
) -> TestResult:
    """Return the p-value of 0 by the percentile interval: it rejects where the interval excludes 0.

    Parameters
    ----------
    replicates : ndarray, shape (B,)
        The bootstrap replicates of the difference, around the observed one.
    observed : float
        The difference in the data. Where it is 0, the two-sided p-value is 1.
    alternative : {"two-sided", "greater", "less"}
        Two-sided doubles the smaller share.
    name : str
        Name of the test.

    Returns
    -------
    TestResult
        (1 + the replicates on the other side of 0, or at 0) / (1 + B), with its standard error.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 15.4.

    Examples
    --------
    >>> drawn = np.array([-0.1, 0.1, 0.2, 0.3, 0.4, 0.2, 0.5])
    >>> inverted_percentile(drawn, 0.2, "two-sided", name="bootstrap-runs").p_value
    0.5
    """
    size = int(replicates.size)
    hits = {
        "greater": int(np.count_nonzero(replicates <= 0.0)),
        "less": int(np.count_nonzero(replicates >= 0.0)),
    }
    sides = 2.0 if alternative == "two-sided" else 1.0
    share = (1 + (min(hits.values()) if alternative == "two-sided" else hits[alternative])) / (1 + size)
    p = 1.0 if alternative == "two-sided" and observed == 0.0 else min(1.0, sides * share)
    error = sides * math.sqrt(share * (1.0 - share) / size)
    return TestResult(name, p, alternative, False, "monte carlo", error, size, observed)


def _extreme(
    differences: FloatArray, observed: float, alternative: Alternative, tolerance: float
) -> BoolArray:
    """Return which differences are at least as extreme as the one observed; undefined ones count as such."""
    if alternative == "two-sided":
        extreme = np.abs(differences) >= abs(observed) - tolerance
    elif alternative == "greater":
        extreme = differences >= observed - tolerance
    else:
        extreme = differences <= observed + tolerance
    hits: BoolArray = extreme | np.isnan(differences)
    return hits


def exact_mean(
    differences: FloatArray, counts: IntArray, alternative: Alternative, divisor: float
) -> TestResult | None:
    """Return the exact permutation test of a sum of differences.

    One distinct size: a binomial (McNemar's exact test). Multiples of a step: convolution by FFT, tilted to
    the observed value where that is far out, so that p keeps its relative precision. Real differences: up to
    36 all sign changes are enumerated, in two halves; above, a few sizes that many units share are convolved;
    all others have the characteristic function prod cos(w d) inverted (absolute error below 1e-6, or 2e-4 for
    multiples of a step finer than 1/1700 of the standard deviation of S). However p is found, it is never
    less than the mass of the data's own arrangement of signs and, for two sides, of its mirror image.
    `differences` and `counts` have shape (C,). The reported statistic is the sum of all differences divided
    by `divisor` (the number of items). Returns None for real differences whose characteristic function does
    not die out for good: then resample.
    """
    observed = float(counts @ differences)
    differing = (differences != 0.0) & (counts > 0)
    if not differing.any():
        return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
    unit = math.ldexp(1.0, math.frexp(float(np.abs(differences).max()))[1])
    direction = {"two-sided": math.copysign(1.0, observed), "greater": 1.0, "less": -1.0}[alternative]
    one_way = bool((direction * differences[differing] > 0.0).all())
    # In units of a power of two, which changes no bit, no product underflows.
    size, c = merged(np.abs(differences[differing]) / unit, counts[differing])
    far = direction * observed / unit
    upper, method = 0.5 ** int(c.sum()), "enumeration"
    if not one_way:
        tail = lattice_tail(size, c, far) or real_tail(size, c, far)
        if tail is None:
            return None
        upper, method = max(upper, tail[0]), tail[1]
    p = 2.0 * upper if alternative == "two-sided" else upper
    p = 1.0 if alternative == "two-sided" and far <= 0.0 else min(1.0, max(p, sys.float_info.min))
    return TestResult("permutation", p, alternative, True, method, statistic=observed / divisor)


def exact_enumeration(
    delta: FloatArray,
    counts: IntArray,
    own: IntArray,
    difference: Callable[[FloatArray], FloatArray],
    observed: float,
    alternative: Alternative,
    tolerance: float,
) -> TestResult | None:
    """Return the exact permutation test of any statistic of sums, by enumerating binomial counts.

    Units whose swap changes the totals by the same amount are interchangeable: only the number of them
    that swap matters, and it is binomial. F1 of one class has two such kinds (gold-positive and
    gold-negative discordant items), so its test is a two-dimensional sum [1]_.

    Parameters
    ----------
    delta : ndarray, shape (D, k)
        The distinct changes of the totals (B minus A), each with first non-zero entry positive.
    counts : ndarray of int, shape (D,)
        How many units have that change or its negative.
    own : ndarray of int, shape (D,)
        The data's own arrangement: of each kind, the units with a plus sign less those with a minus sign.
    difference : callable
        Takes shifts (R, k) = sums of signed halves of delta (swapped from the midpoint of the two
        systems) and returns the difference A minus B, shape (R,).
    observed : float
        The difference in the data, for the record. What the combinations are held against is the difference
        of the data's own arrangement, computed as theirs are: rounding of the sums moves both alike.
    alternative : {"two-sided", "greater", "less"}
        The alternative.
    tolerance : float
        Differences this close tie.

    Returns
    -------
    TestResult or None
        None if there are more than 2^20 combinations after leaving out those of total mass below 1e-18,
        which is added to p. p is at least the mass of the data's own arrangement and, for two sides, of its
        mirror image.

    References
    ----------
    .. [1] Zmigrod, Vieira & Cotterell (2022), Exact paired-permutation testing for structured test
       statistics, NAACL, section 4.
    """
    if counts.size > math.log2(MOST_COMBINATIONS):
        return None
    axes = [central_binomial(int(count)) for count in counts]
    if math.prod(axis[0].size for axis in axes) > MOST_COMBINATIONS:
        return None
    seen, least = _own_arrangement(delta, own, axes, difference)
    if alternative == "two-sided" and own.any():
        least *= 2.0
    outside = sum(axis[2] for axis in axes)
    (points, mass, _), rest = axes[0], axes[1:]
    shift = np.zeros((1, delta.shape[1]))
    weight = np.ones(1)
    for row, (values, chances, _) in zip(delta[1:], rest, strict=True):
        shift = (shift[:, None, :] + values[None, :, None] * (0.5 * row)).reshape(-1, delta.shape[1])
        weight = (weight[:, None] * chances[None, :]).reshape(-1)
    hit = 0.0
    for value, chance in zip(points.tolist(), mass.tolist(), strict=True):
        d = difference(shift + value * (0.5 * delta[0]))
        hit += chance * float(weight[_extreme(d, seen, alternative, tolerance)].sum())
    p = min(1.0, max(hit + outside, least))
    method = "convolution" if int(counts.max()) > 1 else "enumeration"
    return TestResult("permutation", p, alternative, True, method, statistic=observed)


def _own_arrangement(
    delta: FloatArray,
    own: IntArray,
    axes: Sequence[tuple[FloatArray, FloatArray, float]],
    difference: Callable[[FloatArray], FloatArray],
) -> tuple[float, float]:
    """Return the difference of the data's own arrangement, added up as the others are, and its mass."""
    shift, mass = np.zeros((1, delta.shape[1])), 1.0
    for k in (*range(1, own.size), 0):
        values, chances, outside = axes[k]
        shift = shift + float(own[k]) * (0.5 * delta[k])
        place = np.flatnonzero(values == own[k])
        mass *= float(chances[place[0]]) if place.size else outside
    return float(difference(shift)[0]), mass
