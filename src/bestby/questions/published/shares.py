"""Shares of right answers, of which one is published: what follows under each assumption."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

import numpy as np

from bestby._core.errors import InvalidInputError
from bestby.inference import discordant
from bestby.questions.published import independent
from bestby.questions.published.result import PublishedAnswer
from bestby.questions.published.rounded import Rounded
from bestby.results.values import Interval

_COMPUTED = Decimal("1e-12")
"""How far a share that was computed and not rounded, such as 2 / 3, may be from the exact one."""


def counts_of(score: Rounded, n: int) -> range:
    """Return the numbers of right answers whose share rounds to the published score.

    >>> from bestby.questions.published.rounded import rounded
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


def other_items(right: int, n: int, counts: range, theirs: int, level: float) -> PublishedAnswer:
    """Return the answer if the two systems answered different items."""
    p, by_fisher = independent.proportions_tests(right, n, np.asarray(counts), theirs)
    ends = (counts[0], counts[-1])
    intervals = (independent.proportions_interval(right, n, count, theirs, level) for count in ends)
    name = "fisher" if by_fisher.any() else "chi-squared"
    return PublishedAnswer("other items", None, union(intervals), float(p.min()), float(p.max()), name)


def same_items(right: int, n: int, counts: range, level: float, *, most: bool) -> PublishedAnswer:
    """Return the answer if the two systems differ on as few items as their scores allow, or on as many."""
    theirs = np.asarray(counts)
    n10 = np.minimum(right, n - theirs) if most else np.maximum(right - theirs, 0)
    n01 = n10 - (right - theirs)
    p, _ = discordant.permutation(n10, n01, "two-sided")
    low, high = discordant.tango(n10, n01, n, level)
    differing = n10 + n01
    return PublishedAnswer(
        "most differing" if most else "fewest differing",
        (int(differing.min()), int(differing.max())),
        Interval(float(low.min()), float(high.max()), level, "tango", True),
        float(p.min()),
        float(p.max()),
        "mcnemar",
    )


def differing_limit(right: int, n: int, counts: range, alpha: float) -> int | None:
    """Return the number of differing items up to which McNemar's test rejects for every count.

    None if it rejects for none of these numbers. With a fixed difference p grows with the number that differ.
    """
    limits = []
    for count in {counts[0], counts[-1], *_nearest(float(right), counts)}:
        n10 = np.arange(max(right - count, 0), min(right, n - count) + 1)
        p, _ = discordant.permutation(n10, n10 - (right - count), "two-sided")
        rejected = int(np.searchsorted(p, alpha, side="right"))
        limits.append(2 * int(n10[rejected - 1]) - (right - count) if rejected else 0)
    return min(limits) or None


def union(intervals: Iterable[Interval]) -> Interval:
    """Return the interval from the least low to the greatest high end."""
    several = list(intervals)
    low, high = min(one.low for one in several), max(one.high for one in several)
    return Interval(low, high, several[0].level, several[0].method, several[0].exact)


def _nearest(count: float, counts: range) -> set[int]:
    """Return the counts beside a number, where the difference is smallest."""
    return {min(max(place, counts[0]), counts[-1]) for place in (math.floor(count), math.ceil(count))}
