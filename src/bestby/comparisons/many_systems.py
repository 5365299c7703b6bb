"""All pairs of systems that are right or wrong on every item, from the counts of discordant items at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray
from bestby.comparisons import simultaneous
from bestby.comparisons.family import equivalence_level, marks, verdicts
from bestby.comparisons.settings import Settings
from bestby.data.evaluation import Evaluation
from bestby.engine import interval_choice
from bestby.engine.base import Pair
from bestby.engine.estimate import Estimates
from bestby.engine.sums import SumGroup
from bestby.inference import classical, multiplicity, proportions
from bestby.inference.intervals import LEAST_P
from bestby.inference.multiplicity import Joint
from bestby.inference.proportions import paired_error
from bestby.report.comparison import SIMULTANEOUS
from bestby.report.pairs import IDENTICAL, Pairs
from bestby.results.base import Note

FEW_PAIRS = 10
"""Pairs below which each is computed by itself, which takes less time."""

ALONE = 500
"""Pairs up to which those with simultaneous intervals are computed by themselves.

Of more, where an interval ends at 0 follows from a formula; what is found by search agrees to six digits.
"""

TESTS = ("permutation", "mcnemar", "mcnemar-midp", "auto")
"""Tests that see nothing but the counts; answers that all differ the same way leave nothing to refine."""

_METHODS = ("binomial", "enumeration")
_OF_COUNTS = {"mcnemar": classical.mcnemar, "mcnemar-midp": classical.mcnemar_midp}


@dataclass(frozen=True, eq=False)
class Counts:
    """The numbers of items, of `n`, that only A and only B has right, for every pair of positions."""

    a: IntArray
    b: IntArray
    n10: IntArray
    n01: IntArray
    n: int

    def noted_pairs(self) -> list[Pair]:
        """Return the pairs that notes look at: all, or of many those of the first and of neighbours."""
        chosen = np.ones(self.a.size, dtype=np.bool_)
        # Pairs up to which notes look at each
        if self.a.size > 2000:
            block_starts = np.diff(self.a, prepend=-1) != 0
            chosen = (self.a == self.a[0]) | block_starts
        return [(int(a), int(b)) for a, b in zip(self.a[chosen], self.b[chosen], strict=True)]


def counted(
    estimates: Estimates, line: list[int], baseline: int | Sequence[int] | None, settings: Settings
) -> Counts | None:
    """Return the counts of all pairs in the order of `line`; None if they are few, or do not tell all.

    They are for a mean of 0/1 over single items without strata, with Tango's intervals and a test of counts,
    or without either.
    """
    bases = np.atleast_1d(np.array([] if baseline is None else baseline, dtype=np.int64))
    n_pairs = (len(line) - bases.size) * bases.size if bases.size else len(line) * (len(line) - 1) // 2
    group = estimates.group
    if n_pairs < FEW_PAIRS or not isinstance(group, SumGroup) or not estimates.by_formula:
        return None
    if settings.interval not in ("auto", "tango", None) or (settings.simultaneous and n_pairs <= ALONE):
        return None
    if settings.test not in (*TESTS, None):
        return None
    n = group.n_units
    # Items from which two counts do not fit into one key of 64 bits; pairs are then computed one by one
    if group.n_strata > 1 or n >= 1 << 31 or not group.are_answers(range(group.n_systems)):
        return None
    right, counts = _right(group)
    order = np.array(line)
    if baseline is not None:
        others = order[~np.isin(order, bases)]
        a, b = np.repeat(others, bases.size), np.tile(bases, others.size)
        both = proportions.both_right(right[:, others], counts, right[:, bases]).reshape(-1)
    else:
        first, second = np.triu_indices(order.size, 1)
        a, b = order[first], order[second]
        both = proportions.both_right(right, counts)[a, b]
    everything = np.ones((counts.size, 1), dtype=np.uint8)
    correct = proportions.both_right(right, counts, everything)[:, 0]
    return Counts(a, b, correct[a] - both, correct[b] - both, n)


def _right(group: SumGroup) -> tuple[Array, IntArray]:
    """Return where each system is right on the distinct items, shape (C, S), and how many these are."""
    sample = group.together
    right = sample.spread([(one.X[:, 0] != 0.0).astype(np.uint8) for one in group.statistics])
    return np.stack(right, axis=1), sample.units.counts


def pairs(
    counts: Counts,
    estimates: Estimates,
    test: str | None,
    alternative: Alternative,
    evaluation: Evaluation,
    settings: Settings,
    joint: Joint | None,
) -> Pairs:
    """Return the differences of all pairs with intervals, tests and verdicts.

    `joint` is how they vary together, for intervals that hold for all at once.
    """
    metric, scores = estimates.group.metric, estimates.scores
    bounded, nothing = settings.interval is not None, np.full(counts.a.size, np.nan)
    scale = np.maximum(np.abs(scores[counts.a]), np.abs(scores[counts.b]))
    estimate = rounding.difference(scores[counts.a], scores[counts.b])
    (low, high), tost, tost_level = _intervals(counts, scale, settings, joint)
    p, adjusted, statistic, how = nothing, nothing, nothing, np.zeros(counts.a.size, dtype=np.uint8)
    if test is not None:
        p, statistic, how = _tested(counts, test, alternative)
        if joint is None:
            among = partial(joint_of, counts, estimates, evaluation)
            adjusted = multiplicity.adjust_jointly(p, settings.correction, alternative, among)
        else:
            adjusted = joint.adjusted(np.maximum(proportions.score_p(counts.n10, counts.n01), LEAST_P))
            adjusted = simultaneous.agreeing(adjusted, estimate, low, high, alternative, settings.alpha)
    return Pairs(
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        names=evaluation.names,
        scores=scores,
        a=counts.a.astype(np.int32),
        b=counts.b.astype(np.int32),
        estimate=estimate,
        low=low,
        high=high,
        standard_error=paired_error(counts.n10 + counts.n01, estimate, counts.n) if bounded else nothing,
        p_value=p,
        p_adjusted=adjusted,
        statistic=statistic,
        n_differing=(counts.n10 + counts.n01).astype(np.int32 if counts.n < 1 << 31 else np.int64),
        how=how,
        verdict=verdicts(low, high, *tost, settings.margin, metric.greater_is_better),
        methods=_METHODS,
        n_items=evaluation.n_items,
        level=settings.level,
        interval=None if not bounded else "tango" if joint is None else SIMULTANEOUS,
        test="permutation" if test == "auto" else test,
        alternative=alternative,
        told=_notes(counts, bounded=bounded),
        margin=settings.margin,
        equivalence=None if settings.margin is None else tost,
        equivalence_level=tost_level,
    )


def _intervals(
    counts: Counts, scale: FloatArray, settings: Settings, joint: Joint | None
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray], float]:
    """Return the intervals, those for two one-sided tests, and the level of the latter.

    With a `joint`, both are the intervals of the family.
    """
    nothing = np.full(counts.a.size, np.nan)
    level = settings.level if joint is None else 1.0 - joint.single_level(settings.alpha)
    tost_level = equivalence_level(settings.level, settings.margin) if joint is None else None

    def at(asked: float) -> tuple[FloatArray, FloatArray]:
        low, high = proportions.tango_pairs(counts.n10, counts.n01, counts.n, asked)
        crossed = marks(settings.margin)
        return rounding.on_marks(low, crossed, scale), rounding.on_marks(high, crossed, scale)

    shown = (nothing, nothing) if settings.interval is None else at(level)
    return shown, shown if tost_level is None else at(tost_level), tost_level or settings.level


def joint_of(counts: Counts, estimates: Estimates, evaluation: Evaluation) -> Joint:
    """Return how the differences of all pairs vary together."""
    return simultaneous.joint_of(estimates, np.column_stack((counts.a, counts.b)), evaluation.names)


def _notes(counts: Counts, *, bounded: bool) -> dict[int, tuple[Note, ...]]:
    """Return the notes of differences, by the number of items that differ; `bounded`: with intervals."""
    notes_by_count: dict[int, tuple[Note, ...]] = {}
    for n_differing in np.unique(counts.n10 + counts.n01).tolist():
        note = None
        if bounded:
            note = interval_choice.reservation(
                "tango", difference=True, n_differing=n_differing, n_effective=None, plain_mean=True
            )
        notes: tuple[Note, ...] = () if note is None else (note,)
        if n_differing == 0:
            notes += (Note("identical", IDENTICAL),)
        if notes:
            notes_by_count[n_differing] = notes
    return notes_by_count


def _tested(counts: Counts, test: str, alternative: Alternative) -> tuple[FloatArray, FloatArray, Array]:
    """Return p-values, statistics, and how they were had."""
    net = (counts.n10 - counts.n01).astype(np.float64)
    if test in ("permutation", "auto"):
        p, how = proportions.permutation_pairs(counts.n10, counts.n01, alternative)
        return p, net / counts.n, how.astype(np.uint8)
    key, place = np.unique(counts.n10 * (counts.n + 1) + counts.n01, return_inverse=True)
    distinct = [
        _OF_COUNTS[test](n10, n01, alternative).p_value
        for n10, n01 in zip(*(part.tolist() for part in np.divmod(key, counts.n + 1)), strict=True)
    ]
    return np.array(distinct)[place.reshape(-1)], net, np.zeros(net.size, dtype=np.uint8)


def beaten(differences: Pairs, order: list[int]) -> BoolArray:
    """Return which system is significantly better than which, shape (S, S), the systems in rank order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    better = np.zeros((len(order), len(order)), dtype=np.bool_)
    sides, a, b = differences.sides, place[differences.a], place[differences.b]
    better[np.where(sides > 0, a, b)[sides != 0], np.where(sides > 0, b, a)[sides != 0]] = True
    return better
