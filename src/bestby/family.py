"""What every comparison of a family of systems does once scores and tests are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from bestby._core.typing import Alternative, BoolArray, FloatArray, IntArray, Question
from bestby.inference import groups
from bestby.results import Difference, Interval

Standings = tuple[IntArray, IntArray, tuple[str, ...] | None]
"""The ranks the tests leave open (low, high), and the labels of the groups."""


def ranked(scores: FloatArray, names: Sequence[str], greater_is_better: bool) -> list[int]:
    """Return the systems from best to worst; systems that are level stand in the order of their names.

    Examples
    --------
    >>> ranked(np.array([1.0, 3.0, 2.0]), ["a", "b", "c"], False)
    [0, 2, 1]
    """
    sign = -1.0 if greater_is_better else 1.0
    return sorted(range(len(names)), key=lambda s: (sign * scores[s], names[s]))


def pairs(order: Sequence[int], baseline: int | None, *, sided: bool) -> list[tuple[int, int]]:
    """Return the pairs to compare: every two, the better one first, or each system and the baseline.

    Parameters
    ----------
    order : sequence of int
        The systems from best to worst.
    baseline : int or None
        The system to compare all others with.
    sided : bool
        A one-sided question must not take its direction from the data: pairs then stand in the order given.

    Examples
    --------
    >>> pairs([2, 0, 1], None, sided=False), pairs([2, 0, 1], 0, sided=False)
    ([(2, 0), (2, 1), (0, 1)], [(2, 0), (1, 0)])
    """
    if baseline is not None:
        return [(a, baseline) for a in order if a != baseline]
    found = line(order, baseline, sided=sided)
    return [(a, b) for i, a in enumerate(found) for b in found[i + 1 :]]


def line(order: Sequence[int], baseline: int | None, *, sided: bool) -> list[int]:
    """Return the systems in the order in which `pairs` makes pairs of them.

    Examples
    --------
    >>> line([2, 0, 1], None, sided=True)
    [0, 1, 2]
    """
    return sorted(order) if sided and baseline is None else list(order)


def standings(
    names: Sequence[str], differences: Sequence[Difference], alpha: float, *, lettered: bool
) -> Standings:
    """Return the ranks the tests leave open, and the letters of the groups.

    Parameters
    ----------
    names : sequence of str
        The systems from best to worst.
    differences : sequence of Difference
        With adjusted p-values.
    alpha : float
        The level of the tests.
    lettered : bool
        Whether every pair was tested, so that there can be letters.

    Returns
    -------
    (low, high, letters)
        In the order of `names`.
    """
    place = {name: position for position, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    for d in differences:
        if rejects(d.p_adjusted, alpha) and d.better is not None:
            behind = d.b if d.better == d.a else d.a
            better[place[d.better], place[behind]] = True
    return standings_of(better, lettered=lettered)


def standings_of(better: BoolArray, *, lettered: bool) -> Standings:
    """Return the ranks and groups that follow from which system is significantly better than which.

    Parameters
    ----------
    better : ndarray of bool, shape (S, S)
        ``better[i, j]``: system i is significantly better than system j; in rank order.
    lettered : bool
        Whether every pair was tested, so that there can be groups.

    Returns
    -------
    (low, high, labels)
        As `standings`; no labels either where there are more groups than systems.
    """
    low, high = groups.rank_intervals(better)
    return low, high, groups.labels(better | better.T) if lettered else None


def verdict(interval: Interval, tost: Interval, margin: float | None, greater_is_better: bool) -> str | None:
    """Return the verdict of A against B from the interval against the margin.

    Parameters
    ----------
    interval : Interval
        Of the difference, at the level asked for.
    tost : Interval
        Of the same at the level of two one-sided tests.
    margin : float or None
        The smallest difference that matters.
    greater_is_better : bool
        The direction.

    Examples
    --------
    >>> near = Interval(-0.1, 0.2, 0.95, "t", True)
    >>> verdict(near, near, 0.3, True), verdict(near, near, 0.15, True), verdict(near, near, None, True)
    ('equivalent', 'inconclusive', None)
    """
    if margin is None:
        return None
    if interval.low > margin:
        return "better" if greater_is_better else "worse"
    if interval.high < -margin:
        return "worse" if greater_is_better else "better"
    if -margin < tost.low and tost.high < margin:
        return "equivalent"
    return "inconclusive"


def oriented(question: Question, greater_is_better: bool) -> Alternative:
    """Return the alternative on the scale of the measure; "better" depends on which direction is better.

    Examples
    --------
    >>> oriented("better", False), oriented("greater", False)
    ('less', 'greater')
    """
    if question != "better":
        return question
    return "greater" if greater_is_better else "less"


@overload
def rejects(p_value: float, alpha: float) -> bool: ...
@overload
def rejects(p_value: FloatArray, alpha: float) -> BoolArray: ...
def rejects(p_value: float | FloatArray, alpha: float) -> bool | BoolArray:
    """Return whether a test at the level alpha rejects: p <= alpha, but for the rounding of a correction.

    Examples
    --------
    >>> rejects(3 * (0.05 / 3), 0.05), rejects(0.0501, 0.05)
    (True, False)
    """
    return p_value <= alpha * (1.0 + 1e-12)


def alpha_of(level: float) -> float:
    """Return 1 - level without the rounding of the subtraction.

    Examples
    --------
    >>> alpha_of(0.95)
    0.05
    """
    return round(1.0 - level, 15)
