"""Taken from family.py."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import IntArray
from bestby.inference.multiplicity import rejects
from bestby.report.comparison import Difference
from bestby.report.pairs import Pairs

UNSEEN = "unseen_differences"
"""The code of the note on systems that are not shown to be equivalent because too few units differ."""


SIMULTANEOUS = "max-t"
"""The name of intervals that hold for all pairs at once, and of p-values that are read from them."""


def shown_better(d: Difference, alpha: float) -> str | None:
    """Return the system that a significant test shows to be better; None without such evidence.

    Ranks, groups, headlines, marks and notes all ask here. A rejection counts for the system that the
    statistic of the test favours, and only if that one does not have the worse score: a sign test in favour
    of the system with the worse mean says nothing for the better mean of the other. Where adjusted p-values
    are those of simultaneous intervals, the interval tells.
    """
    if d.test is None or d.p_adjusted is None or not rejects(d.p_adjusted, alpha):
        return None
    if by_interval(d):
        return d.ahead
    one_sided = d.test.alternative != "two-sided"
    if one_sided and d.test.direction is not None and d.test.direction != d.test.alternative:
        return None  # a level above one half rejects towards a side on which the data are not
    return d.better


def by_interval(d: Difference) -> bool:
    """Return whether the adjusted p-value is that of a simultaneous interval, not of the test."""
    return d.interval is not None and d.interval.method == SIMULTANEOUS


def shown_sides(pairs: Pairs, alpha: float) -> IntArray:
    """Return `shown_better` for many pairs at once: 1 for A, -1 for B, 0 for neither."""
    if pairs.test is None:
        return np.zeros(len(pairs), dtype=np.int64)
    sides = np.sign(pairs.statistic).astype(np.int64)
    shown = rejects(pairs.p_adjusted, alpha)
    if pairs.alternative != "two-sided":
        shown &= sides == (1 if pairs.alternative == "greater" else -1)
    return np.where(shown, sides if pairs.greater_is_better else -sides, 0)


OTHER_QUESTIONS = {
    "sign": "it counts which system wins more often, not by how much",
    "brunner-munzel": "it asks which system wins more often, not by how much",
    "wilcoxon": "it ranks the differences, so a few large ones count for less than in the mean",
    "k-bonferroni": "it asks whether there is an effect on one fold at the least, whatever the mean",
}
"""Per test that asks something else than whether the difference of the scores is 0, what it asks."""
