"""The paired permutation test (Fisher-Pitman): exact where the structure allows, Monte Carlo otherwise.

Under the null hypothesis the two systems are exchangeable within every unit: each unit's predictions
may change places with probability one half.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from scipy.special import betainc

from bestby._core import rounding
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.inference.distributions import WINDOW
from bestby.inference.lattice import as_lattice, merged
from bestby.inference.revivals import later_terms
from bestby.results.values import TestResult

MOST_COMBINATIONS = 1 << 20
"""Combinations of binomial counts up to which the permutation distribution is enumerated."""

MEET_IN_THE_MIDDLE = 36
"""Differing units up to which all sign changes of real differences are enumerated."""

FIRST_FREQUENCIES = 400
"""Frequencies taken one by one; of those beyond, only where the characteristic function counts."""

TILT_FROM = 5.0
"""Standard deviations from which the distribution is tilted, so that tiny p-values keep their digits."""

LEAST_INVERTED = 1e-4
"""Integral below which the absolute error of an inversion may be more than a hundredth of it."""


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
        tail = _lattice_mean(size, c, far) or _real_mean(size, c, far)
        if tail is None:
            return None
        upper, method = max(upper, tail[0]), tail[1]
    p = 2.0 * upper if alternative == "two-sided" else upper
    p = 1.0 if alternative == "two-sided" and far <= 0.0 else min(1.0, max(p, sys.float_info.min))
    return TestResult("permutation", p, alternative, True, method, statistic=observed / divisor)


Tail: TypeAlias = tuple[float, str]
"""P(S >= far) for the sum S of signed sizes, and how it was found."""


def _lattice_mean(sizes: FloatArray, counts: IntArray, far: float) -> Tail | None:
    """Return the tail for sizes that are multiples of a step; None if they are none, or too many steps."""
    lattice = as_lattice(sizes)
    if lattice is None:
        return None
    steps = np.rint(sizes / lattice[0]).astype(np.int64)
    target = round(far / lattice[0])
    if steps.size == 1:
        return _binomial_upper(int(counts[0]), target), "binomial"
    tail = _lattice_upper(steps, counts, target)
    return None if tail is None else (tail, "convolution")


def _binomial_upper(n: int, net: int) -> float:
    """Return P(S >= net) for the sum S of n independent signs; net has the parity of n."""
    successes = (n + net) // 2
    return 1.0 if successes <= 0 else float(betainc(successes, n - successes + 1, 0.5))


def _lattice_upper(steps: IntArray, counts: IntArray, target: int) -> float | None:
    """Return P(S >= target) for S the sum of signed steps, by one FFT.

    With T = (S + sum of steps) / 2, each unit adds its step or nothing. Under the tilt theta it adds it
    with probability 1 / (1 + exp(-theta step)); the tail is the tilted one times a known factor.
    """
    total = int(counts @ steps)
    sd = 0.5 * math.sqrt(float(counts @ steps.astype(np.float64) ** 2))
    t = (target + total + 1) // 2
    theta = tilt(steps.astype(np.float64), counts, float(target)) if target > 2 * TILT_FROM * sd else 0.0
    q = 1.0 / (1.0 + np.exp(-theta * steps))
    mean = float(counts @ (q * steps))
    reach = int(WINDOW * math.sqrt(float(counts @ (q * (1.0 - q) * steps.astype(np.float64) ** 2)))) + 2
    start, stop = max(0, min(t, math.floor(mean)) - reach), min(total, math.ceil(mean) + reach)
    if t > stop:
        return None if t <= total else 0.0
    size = 1 << max((stop - start).bit_length(), 3)
    if size > 1 << 20 or size * steps.size > 1 << 25:
        return None
    w = 2.0 * np.pi * np.arange(size // 2 + 1) / size
    log_phi = np.zeros(w.size, dtype=np.complex128)
    with np.errstate(divide="ignore"):
        for step, count, chance in zip(steps.tolist(), counts.tolist(), q.tolist(), strict=True):
            log_phi += count * np.log(1.0 - chance + chance * np.exp(1j * w * step))
        pmf = np.fft.irfft(np.exp(log_phi - 1j * w * start).conj(), size)[: stop - start + 1]
    points = np.arange(start, stop + 1)
    tail = pmf[points >= t]
    weights = np.exp(-theta * (points[points >= t] - t))
    log_factor = float(counts @ (np.logaddexp(0.0, theta * steps) - math.log(2.0))) - theta * t
    return float(max(tail @ weights, 0.0)) * math.exp(log_factor)


def tilt(sizes: FloatArray, counts: IntArray, target: float) -> float:
    """Return theta with sum of size * tanh(theta size / 2) = target, by bisection."""
    total = float(counts @ sizes)
    target = min(target, total * (1.0 - 1e-9))
    low, high = 0.0, 1.0 / float(sizes.max())
    while float(counts @ (sizes * np.tanh(0.5 * high * sizes))) < target and high < 1e12:
        high *= 2.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if float(counts @ (sizes * np.tanh(0.5 * middle * sizes))) < target:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _real_mean(sizes: FloatArray, counts: IntArray, far: float) -> Tail | None:
    """Return the tail for sizes of any kind; None where no way is accurate or cheap."""
    total = float(counts @ sizes)
    tolerance = rounding.signed_sum_width(total, rounding.typical(sizes))
    if int(counts.sum()) <= MEET_IN_THE_MIDDLE:
        return _enumerated_upper(np.repeat(sizes, counts), far, tolerance), "enumeration"
    counted = _counted_upper(sizes, counts, far, tolerance)
    if counted is not None:
        return counted, "convolution"
    spread = np.repeat(sizes, counts)
    inverted = _inverted_upper(spread, far)
    if inverted is not None:
        return inverted, "characteristic function"
    rare = _rare_upper(spread, far, tolerance)
    return None if rare is None else (rare, "enumeration")


def _enumerated_upper(sizes: FloatArray, far: float, tolerance: float) -> float:
    """Return P(S >= far) over all sign changes: every sum of one half met with every sum of the other."""
    half = sizes.size // 2
    left, right = np.sort(_sign_sums(sizes[:half])), _sign_sums(sizes[half:])
    hits = left.size - np.searchsorted(left, far - tolerance - right, side="left")
    return float(hits.sum()) / float(2**sizes.size)


def _rare_upper(sizes: FloatArray, far: float, tolerance: float) -> float | None:
    """Return P(S >= far) where few sign changes reach that far: nearly all units point in one direction.

    S falls short of the sum of all sizes by twice the sizes with the other sign, so the sets of those
    whose sum is within the gap are counted, size by size from the smallest. None if there are too many.
    """
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
    """Return P(S >= far) for a few sizes with many units each, by how many of each are positive.

    Such sums have ties of up to 0.6 / n, which the inversion of a characteristic function would count
    half. None if there are too many combinations; then no tie has a mass above 2e-4.
    """
    if sizes.size > math.log2(MOST_COMBINATIONS):
        return None
    axes = [_central_binomial(int(count)) for count in counts]
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


def _inverted_upper(sizes: FloatArray, far: float) -> float | None:
    """Return P(S >= far) from the characteristic function of S, tilted towards `far` if that is far out."""
    tail = None if far > TILT_FROM * math.sqrt(float(sizes @ sizes)) else _inverted(sizes, far, 0.0)
    if tail is not None and tail[0] >= LEAST_INVERTED:
        return tail[0]
    tail = _inverted(sizes, far, tilt(2.0 * sizes, np.ones(sizes.size, dtype=np.int64), 2.0 * far))
    return None if tail is None or tail[0] < LEAST_INVERTED else tail[0] * math.exp(tail[1])


def _inverted(sizes: FloatArray, far: float, theta: float) -> tuple[float, float] | None:
    """Return P(S >= far) over its factor, and the logarithm of the factor, under the tilt theta.

    The density of the tilted S has a Fourier series on a window of 9.5 standard deviations either side of
    its centre; its tail, weighted back, is integrated term by term.
    """
    sd = math.sqrt(float(sizes @ sizes))
    slope = np.tanh(theta * sizes)
    spread = math.sqrt(float(sizes**2 @ (1.0 - slope**2)))
    if spread <= 1e-6 * sd:
        return None
    centre = float(sizes @ slope)
    half = WINDOW * spread + abs(far - centre)
    terms = _cosine_products(sizes, np.pi / half, slope if theta else None)
    if terms is None:
        return None
    k, coefficients = terms
    rate = theta + 1j * k * np.pi / half
    length = centre + half - far
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(rate == 0.0, length, -np.expm1(-rate * length) / rate)
    waves = coefficients * np.exp(-1j * k * np.pi / half * (far - centre)) * tail
    value = float((waves[0].real + 2.0 * waves[1:].real.sum()) / (2.0 * half))
    log_factor = float(np.sum(np.logaddexp(theta * sizes, -theta * sizes) - math.log(2.0))) - theta * far
    return value, log_factor


def _cosine_products(sizes: FloatArray, h: float, slope: FloatArray | None) -> tuple[IntArray, Array] | None:
    """Return k = 0, 1, … and E exp(i k h (S - ES)) until it has died out, and those k beyond where it counts.

    None if it still counts at the last frequencies looked at: S is near the multiples of a step.
    """
    values: list[complex] = [1.0]
    products = _plain_products(sizes, h) if slope is None else _tilted_products(sizes, h, slope)
    for value in products:
        values.append(value)
        if len(values) > 4 and max(abs(late) for late in values[-3:]) < 1e-15:
            break
    # Where few units carry the sum, or nearly all point one way, it falls slowly: what follows counts too.
    later = later_terms(sizes, h, slope, len(values))
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
    """Yield the same under the tilt, centred on its mean."""
    centre = h * float(sizes @ slope)
    for k in range(1, FIRST_FREQUENCIES + 1):
        angle = k * h * sizes
        factor = np.cos(angle) + 1j * slope * np.sin(angle)
        yield complex(np.exp(np.sum(np.log(factor)) - 1j * k * centre))


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
    axes = [_central_binomial(int(count)) for count in counts]
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


def _central_binomial(n: int) -> tuple[FloatArray, FloatArray, float]:
    """Return net signs of n units (2 K - n), their probabilities, and the mass left out (below 1e-18)."""
    k = np.arange(n + 1, dtype=np.float64)
    lower = k[: n // 2]
    half = np.concatenate([[0.0], np.cumsum(np.log((n - lower) / (lower + 1.0)))]) - n * math.log(2.0)
    log_pmf = np.concatenate([half, half[: n + 1 - half.size][::-1]])  # symmetric to the bit
    keep = log_pmf > math.log(1e-19 / (n + 1))
    pmf: FloatArray = np.exp(log_pmf)
    pmf /= pmf.sum()  # the logarithms are off by 1e-9 at n = 100 000
    return (2.0 * k - n)[keep], pmf[keep], float(pmf[~keep].sum())
