"""Published scores: what they may have been rounded from, and what follows of shares of right answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any

import numpy as np
from scipy.special import gammaln, ndtr, stdtr

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.inference import proportions, samples
from bestby.inference.proportions import wilson
from bestby.questions.published.result import PublishedAnswer, union
from bestby.results.values import Interval, TestResult


@dataclass(frozen=True)
class Rounded:
    """A published number: its value, and how far the exact one may be from it; both are decimal."""

    digits: Decimal
    margin: Decimal

    @property
    def value(self) -> float:
        """The number as it was published."""
        return float(self.digits)

    @property
    def half(self) -> float:
        """Half a unit of its last digit."""
        return float(self.margin)

    @property
    def low(self) -> float:
        """The least number that rounds to it."""
        return float(self.digits - self.margin)

    @property
    def high(self) -> float:
        """The greatest number that rounds to it."""
        return float(self.digits + self.margin)


def rounded(value: Any, what: str) -> Rounded:
    """Return a published number with the rounding that its digits tell.

    >>> rounded("87.4%", "published")
    Rounded(digits=Decimal('0.874'), margin=Decimal('0.0005'))
    >>> rounded(0.87, "published").half
    0.005
    """
    text = value.strip() if isinstance(value, str) else _shortest(checks.number(value, what), value)
    percent = text.endswith("%")
    try:
        number = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    # The greatest power of ten of a number that a float holds, and so of a score
    if not isinstance(exponent, int) or abs(number.adjusted()) > 300:  # infinite, or no number
        raise InvalidInputError(
            f"{what} must be a number, got {quoted(value)}",
            hint="write it as 0.874 or '87.4%'",
            argument=what,
        )
    places = exponent - 2 * percent
    return Rounded(number.scaleb(-2 * percent), Decimal(1).scaleb(min(places, 0)) / 2)


def _shortest(number: float, value: Any) -> str:
    """Return the fewest digits that tell a number from others of its precision."""
    return str(value) if isinstance(value, np.floating) else repr(number)


def check_bounds(score: Rounded, metric: str, bounds: tuple[float, float]) -> None:
    """Refuse a published score that the metric cannot have."""
    low, high = bounds
    if low <= score.value <= high:
        return
    in_percent = bounds == (0.0, 1.0) and 1.0 < score.value <= 100.0
    raise InvalidInputError(
        f"{metric} lies between {low:g} and {high:g}, and the published score is {score.value:g}",
        hint=f"write {score.digits}%" if in_percent else "check the published score",
        argument="published",
    )


def are_same(n: int, m: int, same_items: bool | None, hint: str) -> bool:
    """Return whether two systems answered the same items: by default where there are as many."""
    same = n == m if same_items is None else checks.flag(same_items, "same_items")
    if same and n != m:
        raise InvalidInputError(f"{n} items cannot be the same as {m}", hint=hint, argument="same_items")
    return same


def check_several(n_runs: int) -> None:
    """Refuse a single run."""
    if n_runs < 2:
        raise InvalidInputError(
            "the spread of a single run is not known", hint="n_runs is at least 2", argument="n_runs"
        )


_COMPUTED = Decimal("1e-12")
"""How far a share that was computed and not rounded, such as 2 / 3, may be from the exact one."""


def counts_of(score: Rounded, n: int) -> range:
    """Return the numbers of right answers whose share rounds to the published score.

    >>> counts_of(rounded("0.874", "published"), 1000), counts_of(rounded(2 / 3, "published"), 30)
    (range(874, 875), range(20, 21))
    """
    margin = max(score.margin, _COMPUTED)
    least, most = math.ceil(n * (score.digits - margin)), math.floor(n * (score.digits + margin))
    counts = range(max(0, least), min(n, most) + 1)
    if not counts:
        raise InvalidInputError(
            f"no number of right answers out of {n} rounds to {score.value:g}",
            hint="give the number of items of the publication: n_items=..., or the score with fewer digits",
            argument="published",
        )
    return counts


def other_items(ours: range, n: int, theirs: range, m: int, level: float) -> PublishedAnswer:
    """Return the answer if the two systems answered n and m different items, with so many right ones."""
    tests = [proportions_tests(right, n, _some(theirs), m) for right in _some(ours).tolist()]
    p = np.concatenate([one for one, _ in tests])
    ends = ((ours[0], theirs[-1]), (ours[-1], theirs[0]))
    intervals = (proportions_interval(one, n, other, m, level) for one, other in ends)
    name = "fisher" if any(by_fisher.any() for _, by_fisher in tests) else "chi-squared"
    return PublishedAnswer("other items", None, union(intervals), float(p.min()), float(p.max()), name)


def _some(counts: range) -> IntArray:
    """Return all counts, or of very many a thousand from the first to the last: p hardly changes between."""
    return np.unique(np.linspace(counts[0], counts[-1], min(len(counts), 1000)).round().astype(np.int64))


def _gaps(ours: range, theirs: range, n: int) -> tuple[IntArray, IntArray]:
    """Return each difference of two numbers of right answers, and the most items on which they can differ.

    Both answered the same n items: they differ on at most as many as both together have right, or wrong.
    """
    gaps = np.arange(ours[0] - theirs[-1], ours[-1] - theirs[0] + 1)
    least, most = np.maximum(ours[0], theirs[0] + gaps), np.minimum(ours[-1], theirs[-1] + gaps)
    total = 2 * np.clip((n + gaps) // 2, least, most) - gaps
    return gaps, np.minimum(total, 2 * n - total)


def same_items(ours: range, theirs: range, n: int, level: float, *, most: bool) -> PublishedAnswer:
    """Return the answer if the two systems differ on as few items as their scores allow, or on as many."""
    gaps, differing = _gaps(ours, theirs, n)
    differing = differing if most else np.abs(gaps)
    n10, n01 = (differing + gaps) // 2, (differing - gaps) // 2
    p, _ = proportions.permutation_pairs(n10, n01, "two-sided")
    low, high = proportions.tango_pairs(n10, n01, n, level)
    return PublishedAnswer(
        "most differing" if most else "fewest differing",
        (int(differing.min()), int(differing.max())),
        Interval(float(low.min()), float(high.max()), level, "tango", True),
        float(p.min()),
        float(p.max()),
        "mcnemar",
    )


def differing_limit(ours: range, theirs: range, n: int, alpha: float) -> int | None:
    """Return the number of differing items up to which McNemar's test rejects for all counts.

    None if it rejects for none of these numbers. With a fixed difference p grows with the number that differ,
    so that the last one with which it rejects is found by halves.
    """
    gaps, differing = _gaps(ours, theirs, n)
    least = np.abs(gaps)

    def rejected(beside: IntArray) -> BoolArray:
        p, _ = proportions.permutation_pairs(least + beside, beside, "two-sided")
        return np.asarray(p <= alpha)

    low, high = np.zeros_like(least), (differing - least) // 2
    while (low < high).any():
        middle = (low + high + 1) // 2
        low, high = np.where(rejected(middle), middle, low), np.where(rejected(middle), high, middle - 1)
    return int(np.where(rejected(low), least + 2 * low, 0).min()) or None


def proportions_interval(k1: int, n1: int, k2: int, n2: int, level: float = 0.95) -> Interval:
    """Return Newcombe's interval for k1 / n1 - k2 / n2 of independent items.

    The distances of both proportions to the ends of their Wilson intervals are combined (Newcombe 1998,
    Statist. Med. 17, 873-890, method 10).

    >>> interval = proportions_interval(56, 70, 48, 80)  # the first example of that paper
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0524, 0.3339)
    """
    (low1, high1), (low2, high2) = wilson(k1, n1, level), wilson(k2, n2, level)
    p1, p2 = k1 / n1, k2 / n2
    low = p1 - p2 - math.hypot(p1 - low1, high2 - p2)
    high = p1 - p2 + math.hypot(high1 - p1, p2 - low2)
    return Interval(low, high, level, "newcombe-difference", True)


def proportions_tests(k1: int, n1: int, k2: Array, n2: int) -> tuple[FloatArray, Array]:
    """Test whether two proportions of independent items are equal, two-sided, for each of many counts `k2`.

    Returns the p-values, and which are Fisher's. The chi-squared test with N - 1 in place of N is taken if
    every expected count is at least 1, otherwise Fisher's exact test that sums the tables no likelier than
    the observed one (Campbell 2007, Statist. Med. 26, 3661-3675). Fisher's p-value does not only grow or fall
    with the distance of the two proportions.

    >>> p, by_fisher = proportions_tests(56, 70, np.array([48, 0]), 80)
    >>> p.round(4), by_fisher
    (array([0.0083, 0.    ]), array([False, False]))
    """
    right, n = k1 + k2.astype(np.float64), n1 + n2
    # An expected count below 1: the test is Fisher's
    exact = min(n1, n2) * np.minimum(right, n - right) < n
    p = np.empty(k2.size)
    # One over the variance of the difference if both proportions are equal, with N - 1
    information = (n - 1.0) * n1 * n2 / (right[~exact] * (n - right[~exact]))
    z = (k1 / n1 - k2[~exact] / n2) * np.sqrt(information)
    p[~exact] = np.maximum(2.0 * ndtr(-np.abs(z)), 5e-324)
    for mostly_right in (False, True):  # fewer tables are possible if the rarer answer is counted
        rows = exact & ((2.0 * right > n) == mostly_right)
        if rows.any():
            counts = (n1 - k1, n2 - k2[rows]) if mostly_right else (k1, k2[rows])
            p[rows] = _fisher(counts[0], n1, counts[1], n2)
    return p, exact


def _fisher(k1: int, n1: int, k2: Array, n2: int) -> FloatArray:
    """Return the chance of all tables that are no likelier than the one observed, for each count `k2`."""
    right = k1 + k2
    small, large, observed = (n1, n2, np.full_like(k2, k1)) if n1 <= n2 else (n2, n1, k2)
    tables = np.arange(min(small, int(right.max())) + 1)
    other = right[:, None] - tables
    logs = -sum(gammaln(np.maximum(cell, 0) + 1.0) for cell in (tables, small - tables, other, large - other))
    logs = np.where((other >= 0) & (other <= large), logs, -np.inf)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    unlikely = rounding.as_unlikely(chances, np.take_along_axis(chances, observed[:, None], axis=1))
    p: FloatArray = np.where(unlikely, chances, 0.0).sum(axis=1) / chances.sum(axis=1)
    return np.clip(p, 5e-324, 1.0)


def welch(
    mean1: float, sd1: float, n1: int, mean2: float, sd2: float, n2: int, level: float = 0.95
) -> tuple[Interval, TestResult]:
    """Return the interval of mean1 - mean2 and the test that they are equal, by Welch's t.

    One of the two standard deviations has to be above 0.

    >>> interval, test = welch(0.81, 0.01, 5, 0.79, 0.02, 4)
    >>> round(interval.low, 4), round(interval.high, 4), round(test.p_value, 4)
    (-0.0099, 0.0499, 0.1386)
    """
    difference, (error, freedom) = mean1 - mean2, welch_error(sd1, n1, sd2, n2)
    t = difference / error
    p = 2.0 * float(stdtr(freedom, -abs(t)))
    test = TestResult("welch", p, "two-sided", False, "asymptotic", statistic=t)
    return samples.t_interval(difference, error, freedom, level, "welch"), test


def welch_of_rounded(
    ours: tuple[Rounded, float, int],
    theirs: tuple[Rounded, float, int],
    spreads: tuple[Rounded, Rounded],
    level: float,
) -> PublishedAnswer:
    """Return Welch's interval and test over all means and spreads that round to those that were published.

    Each side has its mean, how many standard deviations of a run one unit of its spread is, and its runs.
    """
    (one, scale1, n1), (other, scale2, n2) = ours, theirs
    low, high = one.low - other.high, one.high - other.low
    gaps = (low, min(max(0.0, low), high), high)
    # p neither only grows nor only falls with a spread, which brings degrees of freedom, too
    grids = (np.linspace(max(spread.low, 0.0), spread.high, 17).tolist() for spread in spreads)
    pairs = [
        welch(gap, sd1 * scale1, n1, 0.0, sd2 * scale2, n2, level)
        for sd1, sd2 in product(*grids)
        if sd1 + sd2 > 0.0
        for gap in gaps
    ]
    return independent_runs(pairs)


def independent_runs(pairs: Sequence[tuple[Interval, TestResult]]) -> PublishedAnswer:
    """Return the answer on runs from intervals and tests, one for each way to round what is published."""
    p = [test.p_value for _, test in pairs]
    interval = union(interval for interval, _ in pairs)
    return PublishedAnswer("runs", None, interval, min(p), max(p), pairs[0][1].name)


def welch_error(sd1: float, n1: int, sd2: float, n2: int) -> tuple[float, float]:
    """Return the standard error of a difference of two means, and its degrees of freedom."""
    return samples.welch([sd1**2 / n1, sd2**2 / n2], [n1 - 1, n2 - 1])
