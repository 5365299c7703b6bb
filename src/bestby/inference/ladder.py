"""The Ladder: which of many submissions of a team a leaderboard shows, so that it cannot fit the hidden gold.

A team that sees the score of every submission can climb by chance alone: it keeps what happened to score
well. The Ladder shows a submission only if it is better than the last one shown by more than the noise of
their difference, so that a submission tells next to nothing where it has nothing to tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bestby._core import rounding

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Improvement:
    """By how much a submission is better than another on the same items; negative if it is worse.

    Parameters
    ----------
    estimate : float
        The difference of their scores, positive if the new one is better.
    error : float
        The standard error of the paired difference, with n - 1 in the variance.
    scale : float
        The size of the scores, which rounding is relative to.
    """

    estimate: float
    error: float
    scale: float = 1.0

    @property
    def shown(self) -> bool:
        """Whether the difference is larger than its standard error; a tie is not, nor what is undefined."""
        gap = self.estimate - self.error
        width = rounding.level_width(self.scale) + rounding.noise_width(self.error, rounding.ERROR)
        return gap > width


def mean_improvement(improvements: Sequence[Improvement]) -> Improvement:
    """Return the mean over several tasks, whose items are independent of each other.

    >>> mean_improvement([Improvement(0.1, 0.03), Improvement(0.2, 0.04)])
    Improvement(estimate=0.15000000000000002, error=0.025, scale=1.0)
    """
    n = len(improvements)
    return Improvement(
        math.fsum(one.estimate for one in improvements) / n,
        math.hypot(*(one.error for one in improvements)) / n,
        max(one.scale for one in improvements),
    )


def ladder(submissions: Iterable[T], improvement: Callable[[T, T], Improvement]) -> tuple[T, ...]:
    """Return which submissions of one team are shown, of all of them in the order of time.

    The first one is shown; another one if it is better than the last that was shown by more than the standard
    error of their difference. This is the parameter-free Ladder. The paper also rounds what it shows to
    multiples of 1 / n, which scores that are shares of n items are anyway.

    Parameters
    ----------
    submissions : iterable
        The submissions, or whatever stands for them.
    improvement : callable
        ``improvement(new, last)`` compares two of them.

    Returns
    -------
    tuple
        Those that are shown, in the order of time.

    References
    ----------
    .. [1] Blum & Hardt (2015), The Ladder: A Reliable Leaderboard for Machine Learning Competitions, ICML,
       section 3.1, Figure 2 (arXiv 1502.04585).

    Examples
    --------
    >>> gains = {("second", "first"): Improvement(0.01, 0.02), ("third", "first"): Improvement(0.05, 0.02)}
    >>> ladder(["first", "second", "third"], lambda new, last: gains[new, last])
    ('first', 'third')
    """
    shown: list[T] = []
    for new in submissions:
        if not shown or improvement(new, shown[-1]).shown:
            shown.append(new)
    return tuple(shown)
