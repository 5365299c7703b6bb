"""Which submissions of a phase with a ladder are shown: the record replayed, a sequence per team."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from bestby._core import rounding
from bestby._core.errors import InvalidInputError
from bestby.boards.events import Submitted
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Group
from bestby.inference.ladder import Improvement, ladder
from bestby.metrics.base import BaseMetric

_SEED = 0
"""Of the groups of items that are left out together where there are very many."""


def shown_by_ladder(
    submissions: Iterable[tuple[int, Submitted]], improvement: Callable[[int, int], Improvement]
) -> frozenset[int]:
    """Return the numbers of the submissions of one phase that are shown, of all in the order of the record.

    A team has one sequence for all its systems and runs, or else it could ask the same question under other
    names; where submissions may leave out tasks, one for those of the same tasks. Withdrawn submissions
    belong to the sequence: what was shown of them was seen. `improvement(new, last)` compares two submissions
    by their numbers, over several tasks with `mean_improvement`; it is asked once for each submission that is
    not the first of its sequence.
    """
    sequences: dict[tuple[str, frozenset[str]], list[int]] = {}
    for number, one in submissions:
        sequences.setdefault((one.team, frozenset(one.files)), []).append(number)
    return frozenset(one for numbers in sequences.values() for one in ladder(numbers, improvement))


def improvement_of(evaluation: Evaluation, metric: BaseMetric, new: str, last: str) -> Improvement:
    """Return by how much a system of an evaluation is better than another one by a metric.

    The standard error is that of the paired difference, with n - 1 in the variance of a mean, by the delta
    method for other functions of sums; by CR2 with clusters. A first score that is defined is better than one
    that is not.
    """
    defined = [_is_defined(evaluation, metric, name) for name in (new, last)]
    if not all(defined):
        return Improvement(math.inf if defined[0] else math.nan, 0.0)
    group = _group(evaluation, metric, [new, last])
    of_new, of_last = (float(score) for score in group.scores()[0])
    gap = float(rounding.difference(np.array([of_new]), np.array([of_last]))[0])
    if not metric.greater_is_better:
        gap = -gap
    return Improvement(gap, _error(group), max(abs(of_new), abs(of_last)))


def _group(evaluation: Evaluation, metric: BaseMetric, names: list[str]) -> Group:
    some = evaluation.with_systems(names)
    ((group, _),) = prepare.groups(some, [metric], supports=prepare.ALL_GROUPINGS, consumer="a ladder")
    return group


def _is_defined(evaluation: Evaluation, metric: BaseMetric, name: str) -> bool:
    """Tell whether a system has a score: some metrics have none where all predictions are the same."""
    try:
        return math.isfinite(float(_group(evaluation, metric, [name]).scores()[0][0]))
    except (InvalidInputError, ArithmeticError, ValueError):
        return False


def _error(group: Group) -> float:
    """Return the standard error of the difference of the two systems of a group."""
    if group.clustered or group.crossed:
        robust = group.error(0, 0, 1)
        if robust is not None:
            return robust.se
    known = group.standard_error(0, 0, 1)
    return _jackknifed(group) if known is None else known


def _jackknifed(group: Group) -> float:
    """Return it from the scores without each unit (Efron 1982, The Jackknife, eq. 3.1), by stratum."""
    left_out = group.jackknife(_SEED)
    gaps, variance = left_out.scores[:, 0, 0] - left_out.scores[:, 0, 1], 0.0
    for start, stop in pairwise(left_out.bounds.tolist()):
        c, v = left_out.counts[start:stop], gaps[start:stop]
        n = int(c.sum())
        variance += float(c @ (v - float(c @ v) / n) ** 2) * (n - 1) / n
    return math.sqrt(variance)
