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
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray
from bestby.inference.lattice import all_single, merged, rising, weighted_sum
from bestby.inference.sign_sums import MOST_COMBINATIONS, central_binomial, upper_tail
from bestby.results.values import TestResult

SADDLEPOINT = "saddlepoint"
"""The method of a test by a saddlepoint, which draws nothing."""

SADDLEPOINT_ERROR = 0.02
"""The error told of it, as a part of p: measured (`calibration/dominating_points.py`), and no bound."""


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

    It is p = (1 + hits) / (1 + B) [1]_, never 0. Ties are counted within 1e-13 of `scale`, the size of the
    scores, within 1e-10 of the difference, and within `slack`, which bounds how much rounding of the sums may
    move it.

    References
    ----------
    .. [1] Phipson & Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9, 39, eq. 2.
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

    It is (1 + the replicates on the other side of 0, or at 0) / (1 + B). Where `observed` is 0, the two-sided
    p-value is 1.

    References
    ----------
    .. [1] Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 15.4.
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
    differences: FloatArray,
    counts: IntArray,
    alternative: Alternative,
    divisor: float,
    total: float | None = None,
) -> TestResult | None:
    """Return the exact permutation test of a sum of differences.

    One distinct size: a binomial (McNemar's exact test). Multiples of a step: convolution by FFT, tilted to
    the observed value where that is far out, so that p keeps its relative precision. Real differences: up to
    36 all sign changes are enumerated, in two halves; above, a few sizes that many units share are convolved;
    all others, and multiples of a step so fine that a convolution would take long, have the characteristic
    function prod cos(w d) inverted. Its absolute error is below 1e-5; it may be 5e-4 where all but a few of
    the differences are multiples of a step, and a convolution would take too long. However p is found, it is
    never less than the mass of the data's own arrangement of signs and, for two sides, of its mirror image.
    `differences` and `counts` have shape (C,). The reported statistic is the sum of all differences divided
    by `divisor` (the number of items); `total` is that sum, where it is known. Returns None for real
    differences whose characteristic function does not die out for good, as where they are nearly multiples of
    a step: then resample.
    """
    single = all_single(counts)
    observed = weighted_sum(differences, None if single else counts) if total is None else total
    if not single or np.count_nonzero(differences) < differences.size:
        differing = (differences != 0.0) & (counts > 0)
        if not differing.any():
            return TestResult("permutation", 1.0, alternative, True, "enumeration", statistic=0.0)
        differences, counts = differences[differing], counts[differing]
    size = np.abs(differences)
    unit = math.ldexp(1.0, math.frexp(float(size.max()))[1])
    direction = {"two-sided": math.copysign(1.0, observed), "greater": 1.0, "less": -1.0}[alternative]
    # Differences that are rounding of the scores are no units that could have been swapped to another sum.
    one_way = bool((direction * differences > rounding.level_width(float(size.max()))).all())
    # In units of a power of two, which changes no bit, no product underflows.
    size = np.divide(size, unit, out=size)
    if single:  # in place; of differences in rising order, the sizes fall and then rise: two runs to merge
        size.sort(kind="stable" if rising(differences) else None)
    size, c = merged(size, counts)
    far = direction * observed / unit
    upper, method = 0.5 ** int(c.sum()), "enumeration"
    if not one_way:
        found = upper_tail(size, c, far)
        if found is None:
            return None
        upper, method = max(upper, found[0]), found[1]
    p = 2.0 * upper if alternative == "two-sided" else upper
    p = 1.0 if alternative == "two-sided" and far <= 0.0 else min(1.0, max(p, sys.float_info.min))
    return TestResult("permutation", p, alternative, True, method, statistic=observed / divisor)


def least_p(n_units: int, alternative: Alternative) -> float:
    """Return the p-value of the most extreme swap of n units, which differ or not: no other is smaller.

    >>> least_p(5, "two-sided"), least_p(5, "greater")
    (0.0625, 0.03125)
    """
    return (2.0 if alternative == "two-sided" else 1.0) * 0.5**n_units


def at_least_p(test: TestResult, n_units: int) -> bool:
    """Return whether no swap of n units is more extreme than the data, so that p cannot be smaller.

    It is if all units point the same way. Not for so many units that no correction for many tests asks for a
    smaller p-value.
    """
    least = least_p(n_units, test.alternative)
    # A p-value that no correction for many tests asks for: 10^10 of them at 5 %
    return test.exact and least >= 1e-12 and rounding.at_most(test.p_value, least)


def refined(test: TestResult, n_units: int, other: TestResult | None) -> TestResult:
    """Return the permutation test, or where its p-value cannot be smaller, the smaller of it and another.

    At every level that swaps can reach this is the exact test. Below, it rejects only if no swap is more
    extreme than the data and the other test rejects, so that its level is at most that of the other.

    >>> swaps = TestResult("permutation", 0.0625, "two-sided", True, "enumeration", statistic=1.0)
    >>> refined(swaps, 5, TestResult("hall", 0.004, "two-sided", False, "asymptotic", statistic=6.0)).name
    'hall'
    >>> refined(swaps, 9, TestResult("hall", 0.004, "two-sided", False, "asymptotic", statistic=6.0)).name
    'permutation'
    """
    if other is None or not at_least_p(test, n_units):
        return test
    return other if other.p_value < test.p_value else test


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

    Units whose swap changes the totals by the same amount are interchangeable: only the number of them that
    swap matters, and it is binomial. F1 of one class has two such kinds (gold-positive and gold-negative
    discordant items), so its test is a two-dimensional sum [1]_.

    `delta`, of shape (D, k), are the distinct changes of the totals (B minus A), each with a positive first
    non-zero entry; `own` is the data's own arrangement: of each kind, the units with a plus sign less those
    with a minus sign. `difference` takes shifts (R, k) = sums of signed halves of delta (swapped from the
    midpoint of the two systems) and returns the difference A minus B, shape (R,). The combinations are
    compared with the difference of the data's own arrangement, computed in the same way, so that rounding
    moves both alike; `observed` is for the record. The result is None if there are more than 2^20
    combinations after leaving out those of total mass below 1e-18, which is added to p. p is at least the
    mass of the data's own arrangement and, for two sides, of its mirror image.

    References
    ----------
    .. [1] Zmigrod, Vieira & Cotterell (2022), Exact paired-permutation testing for structured test
       statistics, NAACL, section 4.
    """
    if counts.size > math.log2(MOST_COMBINATIONS):
        return None
    # A count has at least the values within four standard deviations: very many are not made first.
    if float(np.prod(np.minimum(counts + 1.0, 8.0 * np.sqrt(counts)))) > MOST_COMBINATIONS:
        return None
    axes = [central_binomial(int(count)) for count in counts]
    if math.prod(axis[0].size for axis in axes) > MOST_COMBINATIONS:
        return None
    seen, least = _own_arrangement(delta, own, axes, difference)
    if alternative == "two-sided" and own.any():
        least *= 2.0
    outside = sum(axis[2] for axis in axes)
    (points, mass, _), rest = axes[0], axes[1:]
    shift = np.zeros((delta.shape[1], 1))  # column by column, as metrics read totals
    weight = np.ones(1)
    for row, (values, chances, _) in zip(delta[1:], rest, strict=True):
        shift = _each_beside_all(np.add, shift, np.multiply.outer(0.5 * row, values))
        weight = _each_beside_all(np.multiply, weight, chances)
    hit = 0.0
    parts = [*chunks(weight.size, 4)]
    for value, chance in zip(points.tolist(), mass.tolist(), strict=True):
        moved = (value * (0.5 * delta[0]))[:, None]
        found = [difference((shift[:, part] + moved).T) for part in parts]
        hit += chance * float(weight[_extreme(np.concatenate(found), seen, alternative, tolerance)].sum())
    p = min(1.0, max(hit + outside, least))
    method = "convolution" if int(counts.max()) > 1 else "enumeration"
    return TestResult("permutation", p, alternative, True, method, statistic=observed)


def _each_beside_all(operation: np.ufunc, first: FloatArray, second: FloatArray) -> FloatArray:
    """Combine each of (..., n) with each of (..., m), the last of them quickest, into (..., n * m)."""
    out = np.empty((*first.shape, second.shape[-1]))
    if second.shape[-1] < first.shape[-1]:  # long loops, however few the second are
        for i in range(second.shape[-1]):
            operation(first, second[..., i, None], out=out[..., i])
    else:
        operation(first[..., None], second[..., None, :], out=out)
    return out.reshape(*first.shape[:-1], -1)


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
