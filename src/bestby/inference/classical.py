"""Classical tests of paired scores, and of all systems together (Cochran's Q, Friedman's).

They have formulas of their own, as importing ``scipy.stats`` takes longer than any test. Every difference is
A minus B, and the alternative "greater" says that it tends to be above 0. A p-value too small for a double is
given as the smallest normal one, never as 0.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from bestby._core import checks, special
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.rounding import is_nothing, level, level_width
from bestby._core.typing import Alternative, Array, ArrayLike, FloatArray, IntArray
from bestby.inference.proportions import count
from bestby.results.values import TestResult
from bestby.vocabulary import allowed_names


def mcnemar(n10: int, n01: int, alternative: Alternative = "two-sided") -> TestResult:
    """McNemar's test in its exact form (McNemar 1947, Psychometrika 12, 153-157): a binomial test.

    `n10` and `n01` are the numbers of items that only A, and only B, has right.
    """
    a, b = count(n10, "n10"), count(n01, "n01")
    return _binomial("mcnemar", a, b, alternative)


def mcnemar_midp(n10: int, n01: int, alternative: Alternative = "two-sided") -> TestResult:
    """McNemar's test with the mid-p value: the outcome observed counts half.

    Less conservative than `mcnemar`; can exceed its level, though hardly ever by much (Fagerland, Lydersen &
    Laake 2013, BMC Med. Res. Methodol. 13, 91).
    """
    a, b = count(n10, "n10"), count(n01, "n01")
    return _binomial("mcnemar-midp", a, b, alternative, mid=True)


def sign(
    differences: ArrayLike, alternative: Alternative = "two-sided", *, rounding: float | None = None
) -> TestResult:
    """Sign test, exact (Dixon & Mood 1946, J. Amer. Statist. Assoc. 41, 557-566).

    Differences up to `rounding` in size count as zero and are left out: up to 1e-12 of the largest by
    default, because the scores themselves are not known.
    """
    d = _differences(differences)
    threshold = level_width(float(np.abs(d).max())) if rounding is None else rounding
    positive, negative = int((d > threshold).sum()), int((d < -threshold).sum())
    return _binomial("sign", positive, negative, alternative)


def wilcoxon(
    differences: ArrayLike, alternative: Alternative = "two-sided", *, rounding: float | None = None
) -> TestResult:
    """Wilcoxon's signed-rank test (1945, Biometrics Bulletin 1, 80-83).

    Differences of zero are left out before ranking, as R and SciPy do by default. Pratt's way (1959, J. Amer.
    Statist. Assoc. 54, 655-667), to rank them and leave them out then, makes the test nearly a sign test when
    most items do not differ. `rounding` is as for `sign`; neighbours no further apart count as ties. The
    statistic is the sum of the ranks of the positive less that of the negative differences. The test is
    exact, ties or not, for up to 200 differences other than 0; by the normal approximation with the variance
    of tied ranks beyond.
    """
    checks.choice(alternative, allowed_names("alternative"), "alternative")
    d = _differences(differences)
    slack = level_width(float(np.abs(d).max())) if rounding is None else rounding
    d = d[np.abs(d) > slack]
    if d.size == 0:
        return TestResult("wilcoxon", 1.0, alternative, exact=True, method="convolution", statistic=0.0)
    ranks = doubled_ranks(np.abs(d), slack)
    positive, total = int(ranks[d > 0.0].sum()), int(ranks.sum())
    statistic = positive - total / 2.0
    # Up to so many pairs the signed ranks are convolved, which takes a few milliseconds
    if d.size > 200:
        scale = math.sqrt(float((ranks.astype(float) ** 2).sum()))
        z = (2 * positive - total) / scale
        p = tail_p_value(float(special.ndtr(-z)), float(special.ndtr(z)), alternative)
        return TestResult("wilcoxon", p, alternative, exact=False, method="asymptotic", statistic=statistic)
    smaller = min(positive, total - positive)
    tail, point = _signed_rank_tail(ranks, smaller)
    other = 1.0 - tail + point  # at least the larger sum, which the symmetry makes at least the median
    upper, lower = (tail, other) if positive > smaller else (other, tail)
    if 2 * positive == total:
        upper = lower = tail
    p = tail_p_value(upper, lower, alternative)
    return TestResult("wilcoxon", p, alternative, exact=True, method="convolution", statistic=statistic)


def paired_differences(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return A minus B, 0 where the scores of an item are equal up to rounding of their own size.

    All differences are the same where they differ by no more than rounding.
    """
    raw, sizes = a - b, np.abs(a) + np.abs(b)
    differences: FloatArray = np.where(level(a, b, sizes), 0.0, raw)
    if is_nothing(float(np.ptp(differences)), float(np.median(sizes))):
        return np.full_like(differences, float(np.median(differences)))
    return differences


def paired_t(differences: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Student's t test of paired differences (Student 1908, Biometrika 6, 1-25).

    If all differences are equal, t has no denominator. If they are 0, then p is 1. Otherwise the statistic is
    infinite, and p is that of the signs alone, 2^(1-n) for two sides (1 for a single item): as small as the
    data can make it without assuming a normal distribution that they contradict. The result is then marked as
    exact, by "enumeration".
    """
    checks.choice(alternative, allowed_names("alternative"), "alternative")
    d = _differences(differences)
    largest = float(np.abs(d).max())
    if is_nothing(float(np.ptp(d)), largest):
        direction = float(np.sign(d[0]))
        signs = _binomial("t", d.size * (direction > 0), d.size * (direction < 0), alternative)
        statistic = math.copysign(math.inf, direction) if direction else 0.0
        return TestResult("t", signs.p_value, alternative, True, "enumeration", statistic=statistic)
    d = np.ldexp(d, -math.frexp(largest)[1])  # a power of two: the same bits, and no square overflows
    mean = math.fsum(d) / d.size  # correctly rounded sums do not depend on the order of the items
    variance = math.fsum((d - mean) ** 2) / (d.size - 1)
    return student("t", mean / math.sqrt(variance / d.size), d.size - 1, alternative)


def student(name: str, t: float, df: int, alternative: Alternative) -> TestResult:
    """Return the test of a statistic that has Student's t distribution."""
    p = tail_p_value(float(special.stdtr(df, -t)), float(special.stdtr(df, t)), alternative)
    return TestResult(name, p, alternative, exact=False, method="asymptotic", statistic=t)


def _binomial(name: str, a: int, b: int, alternative: Alternative, *, mid: bool = False) -> TestResult:
    """Test that of a + b fair coins, a come up heads."""
    checks.choice(alternative, allowed_names("alternative"), "alternative")
    if a + b == 0:  # no evidence in either direction, whatever half of a point mass would say
        p = 1.0
    else:
        p = tail_p_value(_at_most(b, a + b, mid=mid), _at_most(a, a + b, mid=mid), alternative)
    return TestResult(name, p, alternative, exact=True, method="binomial", statistic=float(a - b))


def _at_most(k: int, m: int, *, mid: bool) -> float:
    """P(X <= k) of m fair coins, or P(X < k) + P(X = k) / 2; betainc keeps 12 digits far in the tail."""
    # P(K <= k) of m fair coins is I_1/2(m - k, k + 1), which keeps twelve digits far in the tail.
    tail = 1.0 if k == m else float(special.betainc(m - k, k + 1, 0.5))
    if not mid:
        return tail
    below = 0.0 if k == 0 else float(special.betainc(m - k + 1, k, 0.5))
    return (tail + below) / 2.0


def tail_p_value(upper: float, lower: float, alternative: Alternative) -> float:
    """P-value from the probabilities of at least, and at most, the statistic; symmetric under the null."""
    tails = {"greater": upper, "less": lower, "two-sided": 2.0 * min(upper, lower)}
    return min(max(tails[alternative], sys.float_info.min), 1.0)


def _signed_rank_tail(ranks: IntArray, threshold: int) -> tuple[float, float]:
    """P(W <= threshold) and P(W = threshold), W the sum of the ranks with heads; one coin at a time."""
    probability = np.zeros(threshold + 1)
    probability[0] = 1.0
    for rank in ranks:
        # Each rank is added or not: P(w) becomes (P(w) + P(w - rank)) / 2, cut off at the threshold.
        shifted = probability[: max(threshold + 1 - rank, 0)] / 2.0
        probability /= 2.0
        probability[rank:] += shifted
    return float(probability.sum()), float(probability[threshold])


def doubled_ranks(values: FloatArray, slack: float = 0.0) -> IntArray:
    """Twice the midranks along the last axis, which are whole; neighbours within `slack` are ties."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    size = values.shape[-1]
    positions = np.broadcast_to(np.arange(size), values.shape)
    begins = np.ones(values.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] > ordered[..., :-1] + slack
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, positions, 0), axis=-1)
    last = np.where(ends, positions, size - 1)[..., ::-1]
    last = np.minimum.accumulate(last, axis=-1)[..., ::-1]
    ranks = np.empty(values.shape, dtype=np.int64)
    # Positions first to last, from 0, have the midrank (first + last) / 2 + 1.
    np.put_along_axis(ranks, order, first + last + 2, axis=-1)
    return ranks


def _differences(values: ArrayLike) -> FloatArray:
    return _numbers(checks.column(values, "differences"), "differences")


def _numbers(array: Array, what: str) -> FloatArray:
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(f"{what} must be numbers, got values of type {array.dtype}")
    if array.size == 0:
        raise InvalidInputError(f"{what} must hold at least one item, got none")
    return array.astype(np.float64, copy=False)


# -- all systems together --------------------------------------------------------------------------


def cochran_q(x: ArrayLike, counts: IntArray | None = None) -> tuple[float, int, float]:
    """Cochran's Q test that all systems are right equally often (1950, Biometrika 37, 256-266, eq. 4).

    `x`, of shape (n, S), is 1 where a system has an item right, else 0. Q is 0 if no two systems differ on
    any item.
    """
    scores = _matrix(x)
    right = scores == 1
    if not (right | (scores == 0)).all():
        raise InvalidInputError(
            "Cochran's Q needs scores of 0 and 1 only",
            hint="use Friedman's test for scores of other values",
        )
    size = scores.shape[1]
    times = np.ones(len(right), dtype=np.int64) if counts is None else counts
    per_system = [int(number) for number in times @ right]
    per_item = np.bincount(right.sum(axis=1), times, minlength=size + 1)
    # Q = (S - 1)(S sum G^2 - T^2) / sum L (S - L), G right per system, L per item, T all; whole numbers to
    # the division.
    spread = sum(int(items) * k * (size - k) for k, items in enumerate(per_item))
    between = size * sum(number * number for number in per_system) - sum(per_system) ** 2
    return _chi_squared((size - 1) * between / spread if spread else 0.0, size - 1)


def friedman(x: ArrayLike, counts: IntArray | None = None) -> tuple[float, int, float]:
    """Friedman's test that all systems rank alike, with midranks and the correction for ties.

    Friedman (1937), J. Amer. Statist. Assoc. 32, 675-701; ties by Conover (1999), Practical Nonparametric
    Statistics, 3rd ed., section 5.8. `counts` says how many items have each row of `x`, of shape (n, S). The
    statistic, chi-squared, is 0 if all systems are tied on every item.
    """
    scores = _matrix(x)
    size = scores.shape[1]
    sums, squares = np.zeros(size, dtype=np.int64), 0
    for part in chunks(*scores.shape):
        # Twice the midranks less twice their mean are whole: sums over any number of items are exact.
        centred = doubled_ranks(scores[part]) - (size + 1)
        times = np.ones(len(centred), dtype=np.int64) if counts is None else counts[part]
        sums += times @ centred
        squares += int(times @ (centred * centred).sum(axis=1))
    between = sum(int(total) ** 2 for total in sums)
    return _chi_squared((size - 1) * between / squares if squares else 0.0, size - 1)


def _chi_squared(statistic: float, df: int) -> tuple[float, int, float]:
    return statistic, df, max(float(special.chdtrc(df, statistic)), sys.float_info.min)


def _matrix(x: ArrayLike) -> FloatArray:
    scores = _numbers(checks.as_array(x, "x"), "x")
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise InvalidInputError(
            f"x must have one row per item and a column for each of two or more systems, got {scores.shape}"
        )
    if not np.isfinite(scores).all():
        row, system = np.argwhere(~np.isfinite(scores))[0]
        raise InvalidInputError(f"x must be finite, got {scores[row, system]} at item {row}, system {system}")
    return scores
