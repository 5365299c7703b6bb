"""What every comparison of a family of systems does once scores and tests are there."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from bestby._core import rounding
from bestby._core.typing import Alternative, Array, BoolArray, FloatArray, IntArray, Question
from bestby.inference import groups, multiplicity
from bestby.inference.multiplicity import rejects
from bestby.report.comparison import Difference, by_interval, opposed, winner_at
from bestby.report.disagreements import OTHER_QUESTIONS
from bestby.report.pairs import VERDICTS
from bestby.results.base import Note
from bestby.results.values import Interval

OPPOSED = "test_opposes_score"
"""The code of the note on a significant test that speaks for the system with the worse score."""

LONG = "long_interval"
"""The code of the note on an interval that allows for more than the runs show."""


OPEN_VERDICTS = ("inconclusive", "not worse", "not better")
"""Verdicts that a shorter interval might change."""

Standings = tuple[IntArray, IntArray, tuple[str, ...] | None]
"""The ranks the tests leave open (low, high), and the labels of the groups."""


def ranked(scores: FloatArray, names: Sequence[str], greater_is_better: bool) -> list[int]:
    """Return the systems from best to worst; systems that are level stand in the order of their names."""
    sign = -1.0 if greater_is_better else 1.0
    return sorted(range(len(names)), key=lambda s: (sign * scores[s], names[s]))


def pairs_to_compare(
    order: Sequence[int], baseline: int | Sequence[int] | None, *, sided: bool
) -> list[tuple[int, int]]:
    """Return the pairs to compare: every two, the better one first, or each system and one baseline or more.

    `sided`: a one-sided question must not take its direction from the data: pairs then stand in the order
    given.
    """
    if baseline is not None:
        bases = [baseline] if isinstance(baseline, int) else baseline
        return [(a, b) for a in order if a not in bases for b in bases]
    systems = line(order, baseline, sided=sided)
    return [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]


def order_and_pairs(
    scores: FloatArray,
    names: Sequence[str],
    greater_is_better: bool,
    baseline: str | None,
    alternative: Question,
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the systems from best to worst, and the pairs of them that a question is about."""
    order = ranked(scores, names, greater_is_better)
    base = None if baseline is None else names.index(baseline)
    return order, pairs_to_compare(order, base, sided=alternative != "two-sided")


def line(order: Sequence[int], baseline: int | Sequence[int] | None, *, sided: bool) -> list[int]:
    """Return the systems in the order in which `pairs` makes pairs of them.

    >>> line([2, 0, 1], None, sided=True)
    [0, 1, 2]
    """
    return sorted(order) if sided and baseline is None else list(order)


def standings(
    names: Sequence[str], differences: Sequence[Difference], alpha: float, *, lettered: bool
) -> Standings:
    """Return the ranks the tests leave open, and the letters of the groups."""
    place = {name: position for position, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=np.bool_)
    for d in differences:
        winner = winner_at(d, alpha)
        if winner is not None:
            better[place[winner], place[d.b if winner == d.a else d.a]] = True
    return standings_of(better, lettered=lettered)


def standing(standings: Standings | None, position: int) -> dict[str, Any]:
    """Return the ranks and the group of the system at a position, as its score holds them."""
    low, high, letters = standings or (None, None, None)
    return {
        "rank_low": None if low is None else int(low[position]),
        "rank_high": None if high is None else int(high[position]),
        "group": None if letters is None else letters[position],
    }


AnyDifference = TypeVar("AnyDifference", bound=Difference)


def with_direction_notes(differences: Sequence[AnyDifference], alpha: float) -> tuple[AnyDifference, ...]:
    """Return differences with a note where a significant test speaks for the system with the worse score."""
    noted = []
    for d in differences:
        notes = tuple(note for note in d.notes if note.code != OPPOSED)
        significant = d.test is not None and d.p_adjusted is not None and rejects(d.p_adjusted, alpha)
        if d.test is not None and significant and opposed(d) and not by_interval(d):
            notes += (_opposition_note(d, d.test.name),)
        noted.append(d if notes == d.notes else dataclasses.replace(d, notes=notes))
    return tuple(noted)


def adjusted(differences: Iterable[AnyDifference], correction: str) -> list[AnyDifference]:
    """Return differences with their p-values corrected as one family; as they are if nothing was tested."""
    family = list(differences)
    p_values = [d.test.p_value for d in family if d.test is not None]
    if len(p_values) < len(family):
        return family
    corrected = multiplicity.adjust(p_values, correction)
    return [dataclasses.replace(d, p_adjusted=float(p)) for d, p in zip(family, corrected, strict=True)]


def with_one_long_note(
    differences: Sequence[AnyDifference],
) -> tuple[tuple[AnyDifference, ...], list[Note]]:
    """Return differences of one metric without notes on long intervals, and one note on all that matter.

    An interval that covers more than it says matters only where a shorter one might have decided: a verdict
    leaves something open, or, without a margin, 0 lies in the interval.
    """
    shortened, long = [], []
    for d in differences:
        notes = tuple(note for note in d.notes if note.code != LONG)
        open_ = d.verdict in OPEN_VERDICTS if d.margin is not None else 0.0 in (d.interval or ())
        if open_ and notes != d.notes:
            long.append(d)
        shortened.append(d if notes == d.notes else dataclasses.replace(d, notes=notes))
    if not long:
        return tuple(shortened), []
    one, pairs = len(long) == 1, len(differences)
    which = f"of {len(long)} of {pairs} pairs the runs"
    if one:
        which = f"the runs of {long[0].a} and {long[0].b}"
    allow = "interval allows" if one else "intervals allow"
    message = (
        f"{which} vary no more than chance on single items explains; so few runs may hide a larger variation,"
        f" for which the {allow}, and the test finds a difference less often than it could if there is none"
    )
    about = (long[0].metric, long[0].a, long[0].b) if one else (long[0].metric,)
    return tuple(shortened), [Note(LONG, message, about)]


_WHY_OPPOSED = OTHER_QUESTIONS | {"yuen": "it leaves out the highest and the lowest scores"}
"""Per test that can speak for the system with the worse score, why it can."""


def _opposition_note(d: Difference, test: str) -> Note:
    why = _WHY_OPPOSED.get(test, "it does not test the difference between the two scores itself")
    return Note(
        OPPOSED,
        f"the {test} test is significant, but speaks for the system with the worse score: {why}."
        " Ranks and groups therefore leave the order of these two systems open",
        (d.metric, d.a, d.b),
    )


def standings_of(better: BoolArray, *, lettered: bool) -> Standings:
    """Return the ranks and groups that follow from which system is significantly better than which.

    `better` has shape (S, S).
    """
    low, high = groups.rank_intervals(better)
    return low, high, groups.labels(better | better.T) if lettered else None


def equivalence_level(level: float, margin: float | None) -> float | None:
    """Return the level of the interval that two one-sided tests are read from; None if it is not needed.

    At a level of one half or less there is no such interval, and that of the difference takes its place.

    >>> equivalence_level(0.95, None), equivalence_level(0.95, 0.02), equivalence_level(0.5, 0.02)
    (None, 0.9, None)
    """
    # Rounded: twice 0.95 minus 1 is 0.8999999999999999.
    return round(2.0 * level - 1.0, 15) if margin is not None and level > 0.5 else None


def on_marks(interval: Interval | None, scores: tuple[float, float], margin: float | None) -> Interval | None:
    """Return the interval of a difference; ends that only rounding separates from 0 or the margin lie on it.

    Verdicts, sentences and tables then agree on which side of 0 and of the margin an end lies.

    >>> on_marks(Interval(0.1, 0.8 - 0.5, 0.95, "t", True), (0.8, 0.5), 0.3).high
    0.3
    """
    if interval is None:
        return None
    scale = max(map(abs, scores))
    low, high = rounding.on_marks(np.array([interval.low, interval.high]), marks(margin), scale).tolist()
    if low == high:  # both ends lie within rounding of the same mark: moved there, they would be one point
        return interval
    if (low, high) == (interval.low, interval.high) and low and high:  # of 0 there are two
        return interval
    return dataclasses.replace(interval, low=low, high=high)


def marks(margin: float | None) -> tuple[float, ...]:
    """Return the numbers that an interval of a difference is compared with."""
    return (0.0,) if margin is None else (0.0, -margin, margin)


def verdict(
    interval: Interval | None,
    tost: Interval | None,
    margin: float | None,
    greater_is_better: bool,
    *,
    doubted: bool = False,
) -> str | None:
    """Return the verdict of A against B from the interval against the margin.

    "better" and "worse" need the whole interval beyond the margin. Two one-sided tests at the level of the
    test, one against each end of the margin, show that A is not worse than B by the margin, and that B
    is not worse than A: where both do, A is "equivalent". Where one does and the interval holds 0, A is "not
    worse" (not inferior), or "not better". An interval without 0 that holds an end of the margin leaves the
    verdict "inconclusive": one system is better, and whether by the margin stays open.

    `interval`: of the difference, at the level asked for; None where there is none. `tost`: of the same at
    the level of two one-sided tests, whose ends are the bounds of these two tests; None where the data cannot
    show equivalence. Of copies there can be the second alone, from what the metric allows items not seen to
    do.

    >>> tost = Interval(-0.01, 0.05, 0.9, "t", True)
    >>> wide = Interval(-0.02, 0.06, 0.95, "t", True)
    >>> [verdict(wide, tost, 0.03, greater_is_better) for greater_is_better in (True, False)]
    ['not worse', 'not better']
    """
    if margin is None:
        return None
    if doubted:
        return "inconclusive"
    nothing = (math.nan, math.nan)
    ends = [nothing if one is None else (one.low, one.high) for one in (interval, tost)]
    (low, high), (tost_low, tost_high) = np.array(ends)[:, :, None]
    code = verdicts(low, high, tost_low, tost_high, margin, greater_is_better)
    return VERDICTS[int(code[0])]


def verdicts(
    low: FloatArray,
    high: FloatArray,
    tost_low: FloatArray,
    tost_high: FloatArray,
    margin: float | None,
    greater_is_better: bool,
) -> Array:
    """Return `verdict` of many differences as positions in `VERDICTS`; the ends of no interval are NaN."""
    codes = np.zeros(low.size, dtype=np.uint8)
    if margin is None:
        return codes
    above, below = ("better", "worse") if greater_is_better else ("worse", "better")
    codes[:] = VERDICTS.index("inconclusive")
    holds_zero = (low <= 0.0) & (high >= 0.0)
    codes[holds_zero & (-margin < tost_low)] = VERDICTS.index(f"not {below}")
    codes[holds_zero & (tost_high < margin)] = VERDICTS.index(f"not {above}")
    codes[(-margin < tost_low) & (tost_high < margin)] = VERDICTS.index("equivalent")
    codes[high < -margin] = VERDICTS.index(below)
    codes[low > margin] = VERDICTS.index(above)
    return codes


Bounds = tuple[Interval | None, tuple[Note, ...]]
"""An interval, None where it is undefined, and the notes on it."""


def with_equivalence(
    bounds: Callable[[float], Bounds], level: float, margin: float | None
) -> tuple[Interval | None, Interval | None, tuple[Note, ...]]:
    """Return the interval at the level, that of two one-sided tests, and the notes on the first.

    Where the first is None, the second is too.
    """
    interval, notes = bounds(level)
    return interval, for_equivalence(interval, bounds, level, margin), notes


def for_equivalence(
    interval: Interval | None, bounds: Callable[[float], Bounds], level: float, margin: float | None
) -> Interval | None:
    """Return the interval of two one-sided tests, where that at the level is `interval`."""
    tost_level = equivalence_level(level, margin)
    return interval if interval is None or tost_level is None else bounds(tost_level)[0]


def with_verdict(
    d: AnyDifference,
    tost: Interval | None,
    margin: float | None,
    *,
    decides: Interval | None = None,
    doubted: bool = False,
) -> AnyDifference:
    """Return a difference with its verdict, from its interval and that of two one-sided tests.

    `decides` is the interval that tells whether it is beyond the margin, where that is not the one shown.
    """
    scores = (d.score_a, d.score_b)
    interval = on_marks(d.interval, scores, margin)
    if margin is None and interval is d.interval:
        return d
    tost, deciding = on_marks(tost, scores, margin), on_marks(decides, scores, margin) or interval
    decided = verdict(deciding, tost, margin, d.greater_is_better, doubted=doubted)
    shown = verdict(interval, tost, margin, d.greater_is_better)
    notes = d.notes
    if doubted and decided != shown:
        message = f"the interval may be too short, so that no verdict is read from it; it would be {shown}"
        notes += (Note("doubted_verdict", message, (d.metric, d.a, d.b)),)
    elif decided != shown and deciding is not None:
        message = (
            f"a verdict allows for more skewness than the interval does, by which it would be {shown}: the"
            f" interval that decides it is {deciding.low:.4g} to {deciding.high:.4g}"
        )
        notes += (Note("skewed_verdict", message, (d.metric, d.a, d.b)),)
    return dataclasses.replace(
        d,
        interval=interval,
        verdict=decided,
        margin=margin,
        equivalence_interval=None if margin is None else tost,
        notes=notes,
    )


def oriented(question: Question, greater_is_better: bool) -> Alternative:
    """Return the alternative on the scale of the metric; "better" depends on which direction is better.

    >>> oriented("better", False), oriented("greater", False)
    ('less', 'greater')
    """
    if question != "better":
        return question
    return "greater" if greater_is_better else "less"
