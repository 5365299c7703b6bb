"""The paired permutation test (Fisher-Pitman): exact where the structure allows, Monte Carlo otherwise.

Under the null hypothesis the two systems are exchangeable within every unit: each unit's predictions may
change places with probability one half. The exact test of a mean needs the tail of a sum of differences with
random signs, which the second half of this module has.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from bestby._core import rounding, special
from bestby._core.chunks import chunks
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.inference.characteristic_functions import (
    LARGEST_REMAINDER,
    SignSeries,
    has_steps,
    later_terms,
    lugannani_rice,
)
from bestby.inference.distributions import WINDOW
from bestby.inference.lattice import all_single, as_lattice, merged, rising, weighted_sum
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
    # The data are a draw of the null hypothesis too, so that they count in both.
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
        tail = upper_tail(size, c, far)
        if tail is None:
            return None
        upper, method = max(upper, tail[0]), tail[1]
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
    # Counts that were left out are taken for hits, so that p errs upward.
    outside = sum(axis[2] for axis in axes)
    (points, mass, _), rest = axes[0], axes[1:]
    # All combinations of the kinds but the first are held; the values of the first are gone through.
    shift = np.zeros((delta.shape[1], 1))  # column by column, as metrics read totals
    weight = np.ones(1)
    for row, (values, chances, _) in zip(delta[1:], rest, strict=True):
        shift = _each_beside_all(np.add, shift, np.multiply.outer(0.5 * row, values))
        weight = _each_beside_all(np.multiply, weight, chances)
    hit = 0.0
    parts = [*chunks(weight.size, 4)]
    for value, chance in zip(points.tolist(), mass.tolist(), strict=True):
        moved = (value * (0.5 * delta[0]))[:, None]
        differences = [difference((shift[:, part] + moved).T) for part in parts]
        hit += chance * float(
            weight[_extreme(np.concatenate(differences), seen, alternative, tolerance)].sum()
        )
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


# -- the tail of a sum with random signs -----------------------------------------------------------
# By enumeration, convolution, or inversion of its characteristic function.


FIRST_FREQUENCIES = 400
"""Frequencies taken one by one; of those beyond, only where the characteristic function counts."""


TILT_FROM = 5.0
"""Standard deviations from which the distribution is tilted, so that tiny p-values keep their digits."""


QUICKLY_CONVOLVED, MOST_CONVOLVED = 1 << 20, 1 << 25
"""Multiplications of a convolution, a grid point and a size each, that take some 10 ms, or half a second."""

LEAST_INVERTED = 1e-4
"""Integral below which the absolute error of an inversion may be more than a hundredth of it."""


Tail: TypeAlias = tuple[float, str]
"""P(S >= far) for the sum S of signed sizes, and how it was found."""


def upper_tail(sizes: FloatArray, counts: IntArray, far: float) -> Tail | None:
    """Return the tail, by the way that is quick and accurate; None where there is none.

    Multiples of a step are convolved where that is quick, or where the characteristic function does not die
    out for good.
    """
    lattice = as_lattice(sizes)
    if lattice is None:
        return real_tail(sizes, counts, far)
    step, steps = lattice
    return (
        lattice_tail(steps, counts, round(far / step), QUICKLY_CONVOLVED)
        or real_tail(sizes, counts, far, 2.0 * step)
        or lattice_tail(steps, counts, round(far / step), MOST_CONVOLVED)
    )


def lattice_tail(steps: IntArray, counts: IntArray, target: int, most: int) -> Tail | None:
    """Return the tail of whole numbers of steps; None if that takes more than `most` multiplications."""
    if steps.size == 1:
        return _binomial_upper(int(counts[0]), target), "binomial"
    tail = _lattice_upper(steps, counts, target, most)
    return None if tail is None else (tail, "convolution")


def _binomial_upper(n: int, net: int) -> float:
    """Return P(S >= net) for the sum S of n independent signs; net has the parity of n."""
    successes = (n + net) // 2
    return 1.0 if successes <= 0 else float(special.betainc(successes, n - successes + 1, 0.5))


def _lattice_upper(steps: IntArray, counts: IntArray, target: int, most: int) -> float | None:
    """Return P(S >= target) for S the sum of signed steps, tilted where the target is unlikely."""
    sizes = steps.astype(np.float64)
    if target <= TILT_FROM * math.sqrt(float(counts @ sizes**2)):
        upper = _convolved(steps, counts, target, 0.0, most)
        # Mass of a tail of whole steps below which rounding may be more than a millionth of it
        if upper is None or upper >= 1e-9:
            return upper
    return _convolved(steps, counts, target, sign_tilt(sizes, counts, float(target)), most)


def _convolved(steps: IntArray, counts: IntArray, target: int, theta: float, most: int) -> float | None:
    """Return P(S >= target) for S the sum of signed steps, by one FFT under the tilt theta."""
    # Of T = (S + sum of steps) / 2 each unit adds its step or nothing.
    total = int(counts @ steps)
    t = (target + total + 1) // 2
    # Under the tilt a unit adds its step with probability q, so that T is about t in the mean.
    q = 1.0 / (1.0 + np.exp(-theta * steps))
    mean = float(counts @ (q * steps))
    reach = int(WINDOW * math.sqrt(float(counts @ (q * (1.0 - q) * steps.astype(np.float64) ** 2)))) + 2
    start, stop = max(0, min(t, math.floor(mean)) - reach), min(total, math.ceil(mean) + reach)
    if t > stop:
        return None if t <= total else 0.0
    size = 1 << max((stop - start).bit_length(), 3)
    # Points of the longest grid that is convolved on
    if size > 1 << 20 or size * steps.size > most:
        return None
    # Every exp(i w step) is a root of unity, so one table has them all; the size is a power of two.
    roots, k = np.exp(2j * np.pi * np.arange(size) / size), np.arange(size // 2 + 1)
    phi, log_phi = roots[-start * k & (size - 1)], np.zeros(k.size, dtype=np.complex128)
    with np.errstate(divide="ignore"):
        for step, count, chance in zip(steps.tolist(), counts.tolist(), q.tolist(), strict=True):
            factor = 1.0 - chance + chance * roots[step * k & (size - 1)]
            if count == 1:
                phi *= factor
            else:
                log_phi += count * np.log(factor)
        pmf = np.fft.irfft((phi * np.exp(log_phi)).conj(), size)[: stop - start + 1]
    points = np.arange(start, stop + 1)
    tail = pmf[points >= t]
    weights = np.exp(-theta * (points[points >= t] - t))
    # P(T = t) is the tilted one times prod((1 + exp(theta step)) / 2) exp(-theta t).
    log_factor = float(counts @ (np.logaddexp(0.0, theta * steps) - math.log(2.0))) - theta * t
    return float(max(tail @ weights, 0.0)) * math.exp(log_factor)


def sign_tilt(sizes: FloatArray, counts: IntArray, target: float, accuracy: float = 0.0) -> float:
    """Return theta with sum of size * tanh(theta size / 2) = target, by bisection to a relative accuracy."""
    total = float(counts @ sizes)
    target = min(target, total * (1.0 - 1e-9))
    low, high = 0.0, 1.0 / float(sizes.max())
    while float(counts @ (sizes * np.tanh(0.5 * high * sizes))) < target and high < 1e12:
        high *= 2.0
    for _ in range(60):
        if high - low <= accuracy * low:
            break
        middle = 0.5 * (low + high)
        if float(counts @ (sizes * np.tanh(0.5 * middle * sizes))) < target:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def real_tail(sizes: FloatArray, counts: IntArray, far: float, gap: float = 0.0) -> Tail | None:
    """Return the tail for sizes of any kind; None where no way is accurate or cheap.

    `gap` is the distance of neighbouring values of S, if it is known. A density takes the place of the masses
    at these values, and is integrated from the middle between two of them.
    """
    single = all_single(counts)
    total = weighted_sum(sizes, None if single else counts)
    tolerance = rounding.signed_sum_width(total, rounding.typical(sizes))
    # Differing units up to which all sign changes of real differences are enumerated
    if int(counts.sum()) <= 36:
        return _enumerated_upper(np.repeat(sizes, counts), far, tolerance), "enumeration"
    counted = _counted_upper(sizes, counts, far, tolerance)
    if counted is not None:
        return counted, "convolution"
    spread = sizes if single else np.repeat(sizes, counts)
    inverted = _inverted_upper(spread, far - 0.5 * gap, gap)
    if inverted is not None:
        return inverted, "characteristic function"
    rare = _rare_upper(spread, far, tolerance)
    return None if rare is None else (rare, "enumeration")


def _enumerated_upper(sizes: FloatArray, far: float, tolerance: float) -> float:
    """Return P(S >= far) over all sign changes: every sum of one half met with every sum of the other."""
    # Two times 2^18 sums take the place of 2^36.
    half = sizes.size // 2
    left, right = np.sort(_sign_sums(sizes[:half])), _sign_sums(sizes[half:])
    hits = left.size - np.searchsorted(left, far - tolerance - right, side="left")
    return float(hits.sum()) / float(2**sizes.size)


def _rare_upper(sizes: FloatArray, far: float, tolerance: float) -> float | None:
    """Return P(S >= far) where few sign changes reach that far; None if there are too many."""
    # S falls short of the sum of all sizes by twice the sizes with the other sign: the sets of those whose
    # sum is within the gap are counted, size by size from the smallest.
    budget = 0.5 * (float(sizes.sum()) - far + tolerance)
    sums = np.zeros(1)
    for size in np.sort(sizes).tolist():
        if size > budget:
            break
        more = sums[sums <= budget - size] + size
        if sums.size + more.size > MOST_COMBINATIONS:
            return None
        sums = np.concatenate([sums, more])
    return math.ldexp(float(sums.size), -sizes.size)


def _counted_upper(sizes: FloatArray, counts: IntArray, far: float, tolerance: float) -> float | None:
    """Return P(S >= far) of a few sizes with many units each; None if there are too many combinations."""
    # Such sums have ties of up to 0.6 / n, which the inversion of a characteristic function would count half.
    # With too many combinations for this no tie has a mass above 2e-4. Only how many units of each size are
    # positive matters.
    if sizes.size > math.log2(MOST_COMBINATIONS):
        return None
    axes = [central_binomial(int(count)) for count in counts]
    if math.prod(axis[0].size for axis in axes) > MOST_COMBINATIONS:
        return None
    total, weight = np.zeros(1), np.ones(1)
    for size, (net, chances, _) in zip(sizes.tolist(), axes, strict=True):
        total = np.add.outer(total, size * net).reshape(-1)
        weight = np.multiply.outer(weight, chances).reshape(-1)
    outside = sum(axis[2] for axis in axes)
    return min(1.0, float(weight[total >= far - tolerance].sum()) + outside)


def _sign_sums(sizes: FloatArray) -> FloatArray:
    """Return the sums of all sign changes, shape (2^m,)."""
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _inverted_upper(sizes: FloatArray, far: float, gap: float = 0.0) -> float | None:
    """Return P(S >= far) from the characteristic function of S, tilted towards `far` if that is far out."""
    # The quickest way first. An inversion has an absolute error, so that small tails are inverted under a
    # tilt, which puts the data into the middle, or taken from a saddlepoint with its second term.
    series = SignSeries.of(sizes)
    quick = None if series is None else _inverted_by_series(sizes, far, series, gap)
    if quick is not None:
        return quick
    tail = None if far > TILT_FROM * math.sqrt(float(sizes @ sizes)) else _inverted(sizes, far, 0.0, gap)
    if tail is not None and tail[0] >= LEAST_INVERTED:
        return tail[0]
    if series is not None and not gap:
        terms = SignSeries.term_by_term(sizes)
        upper, more = lugannani_rice(terms, far)
        # Second term of a saddlepoint, as a part of the tail, after which the third is below 2e-4 of it
        if abs(more) <= 1e-3 and not has_steps(sizes, terms.tilt(far)):
            return upper * (1.0 + more)
    accuracy = 1e-3 if series is not None else 0.0  # any tilt near the right one gives the same tail
    theta = sign_tilt(2.0 * sizes, np.ones(sizes.size, dtype=np.int64), 2.0 * far, accuracy)
    tail = _inverted(sizes, far, theta, gap)
    return None if tail is None or tail[0] < LEAST_INVERTED else tail[0] * math.exp(tail[1])


def _inverted_by_series(sizes: FloatArray, far: float, series: SignSeries, gap: float = 0.0) -> float | None:
    """Return P(S >= far) of very many sizes, none of which carries S; None if the series do not hold."""
    # The characteristic function is off by 1e-9 at most, and p by as little of itself in all cases tried.
    sd = math.sqrt(series.variance)
    # Standard deviations beyond which a tail is below the smallest float, by Hoeffding's inequality
    if far > 38.0 * sd:
        return 0.0
    # Standard deviations from which the distribution is tilted, as the power series makes that cheap
    theta = series.tilt(far) if far > 2.0 * sd else 0.0
    spread, inner = series.curvature(theta), series.curvature(theta, inner=True)
    if not 0.0 < inner <= spread:
        return None
    spread, inner = math.sqrt(spread), math.sqrt(inner)
    centre = series.slope(theta)
    half = WINDOW * spread + abs(far - centre)
    h = math.pi / half
    # Frequency, over the standard deviation, from which the characteristic function is below 1e-15
    k = np.arange(math.ceil(min(9.0 / (inner * h), FIRST_FREQUENCIES)) + 1)
    at_theta = float(series.value(np.array([theta]))[0])
    w = theta + 1j * h * k
    with np.errstate(over="ignore", invalid="ignore"):  # where the series does not hold
        products = np.exp(series.value(w) - at_theta - 1j * h * k * centre)
        errors = np.abs(products) * np.expm1(series.remainder(w))
    if k.size > FIRST_FREQUENCIES or not (errors <= LARGEST_REMAINDER).all():
        return None
    # Up to the frequency where the largest size turns by one radian, the function only falls.
    first = max(k.size, math.floor(1.0 / (h * series.largest)))
    later = later_terms(sizes, h, theta, first, gap)
    if later is None:
        return None
    value = _integrated(
        np.concatenate([k, later[0]]), np.concatenate([products, later[1]]), far, centre, half, theta
    )
    return None if value < LEAST_INVERTED else value * math.exp(at_theta - theta * far)


def _inverted(sizes: FloatArray, far: float, theta: float, gap: float) -> tuple[float, float] | None:
    """Return P(S >= far) over its factor, and the logarithm of the factor, under the tilt theta."""
    # The density of the tilted S has a Fourier series on a window of 9.5 standard deviations either side of
    # its centre; its tail, weighted back, is integrated term by term.
    sd = math.sqrt(float(sizes @ sizes))
    slope = np.tanh(theta * sizes)
    spread = math.sqrt(float(sizes**2 @ (1.0 - slope**2)))
    if spread <= 1e-6 * sd:
        return None
    centre = float(sizes @ slope)
    # The window holds the tilted sum, and the point from which its tail is taken.
    half = WINDOW * spread + abs(far - centre)
    terms = _cosine_products(sizes, np.pi / half, theta, gap)
    if terms is None:
        return None
    value = _integrated(*terms, far, centre, half, theta)
    log_factor = float(np.sum(np.logaddexp(theta * sizes, -theta * sizes) - math.log(2.0))) - theta * far
    return value, log_factor


def _integrated(
    k: IntArray, coefficients: Array, far: float, centre: float, half: float, theta: float
) -> float:
    """Return the integral of the density of a Fourier series from `far` on, weighted back from the tilt."""
    # The integral of exp(-(theta + i k h)(x - far)) from far to the end of the window is -expm1(-rate length)
    # / rate, with h = pi / half.
    rate = theta + 1j * k * np.pi / half
    length = centre + half - far
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(rate == 0.0, length, -np.expm1(-rate * length) / rate)
    waves = coefficients * np.exp(-1j * k * np.pi / half * (far - centre)) * tail
    return float((waves[0].real + 2.0 * waves[1:].real.sum()) / (2.0 * half))


def _cosine_products(sizes: FloatArray, h: float, theta: float, gap: float) -> tuple[IntArray, Array] | None:
    """Return k = 0, 1, … and E exp(i k h (S - ES)) until it has died out, and those k beyond where it counts.

    None if it still counts at the last frequencies looked at: S is near the multiples of a step.
    """
    values: list[complex] = [1.0]
    products = _tilted_products(sizes, h, np.tanh(theta * sizes)) if theta else _plain_products(sizes, h)
    for value in products:
        values.append(value)
        if len(values) > 4 and max(abs(late) for late in values[-3:]) < 1e-15:
            break
    # Where few units carry the sum, or nearly all point one way, it falls slowly: what follows counts too.
    later = later_terms(sizes, h, theta, len(values), gap)
    if later is None:
        return None
    return np.concatenate([np.arange(len(values)), later[0]]), np.concatenate([values, later[1]])


def _plain_products(sizes: FloatArray, h: float) -> Iterator[complex]:
    """Yield prod cos(k h size) for k = 1, 2, …, by Chebyshev's recurrence in k."""
    lanes = 64  # products of 64 lanes side by side; the padding is cos 0 = 1
    padded = np.zeros(-(-sizes.size // lanes) * lanes)
    padded[: sizes.size] = sizes
    first = np.cos(h * padded.reshape(-1, lanes))
    twice, before, now = 2.0 * first, np.ones_like(first), first
    for _ in range(FIRST_FREQUENCIES):
        yield float(np.prod(np.multiply.reduce(now, axis=0)))
        before, now = now, twice * now - before


def _tilted_products(sizes: FloatArray, h: float, slope: FloatArray) -> Iterator[complex]:
    """Yield E exp(i k h (S - ES)) under the tilt for the frequencies k = 1, 2, 3 and so on."""
    centre = h * float(sizes @ slope)
    for k in range(1, FIRST_FREQUENCIES + 1):
        angle = k * h * sizes
        # A sign of mean tanh(theta size) turns cos x into cos x + i tanh(theta size) sin x.
        factor = np.cos(angle) + 1j * slope * np.sin(angle)
        yield complex(np.exp(np.sum(np.log(factor)) - 1j * k * centre))


MOST_COMBINATIONS = 1 << 20
"""Combinations of binomial counts up to which the permutation distribution is enumerated."""


def central_binomial(n: int) -> tuple[FloatArray, FloatArray, float]:
    """Return net signs of n units (2 K - n), their probabilities, and the mass left out (below 1e-18)."""
    k = np.arange(n + 1, dtype=np.float64)
    lower = k[: n // 2]
    half = np.concatenate([[0.0], np.cumsum(np.log((n - lower) / (lower + 1.0)))]) - n * math.log(2.0)
    # Symmetric to the bit: two-sided tests double one tail.
    log_pmf = np.concatenate([half, half[: n + 1 - half.size][::-1]])
    keep = log_pmf > math.log(1e-19 / (n + 1))
    pmf: FloatArray = np.exp(log_pmf)
    pmf /= pmf.sum()  # the logarithms are off by 1e-9 at n = 100 000
    return (2.0 * k - n)[keep], pmf[keep], float(pmf[~keep].sum())
