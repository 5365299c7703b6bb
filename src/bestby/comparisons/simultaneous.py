"""Intervals that hold for all differences of a metric at once, and p-values read from them."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bestby._core.typing import Alternative, FloatArray, IntArray
from bestby.comparisons import equivalence, family, one_pair
from bestby.comparisons.settings import Settings
from bestby.engine import interval_methods
from bestby.engine.base import Pair
from bestby.engine.estimate import Estimate, Estimates, Situation
from bestby.engine.interval_choice import choose_interval
from bestby.inference.multiplicity import Joint
from bestby.inference.proportions import two_sided_quantile
from bestby.inference.skewness import FEWEST
from bestby.report import comparison
from bestby.results.base import Note
from bestby.results.values import Interval
from bestby.vocabulary import long_name

FEW_BEYOND = 10
"""Resamples beyond an end of an interval below which chance among them moves it."""


@dataclass(frozen=True)
class FamilyIntervals:
    """The intervals and adjusted p-values of all pairs of a metric.

    `bounds` has per pair the interval, that for two one-sided tests, and notes, `errors` its standard error
    and where that comes from. Where the intervals hold for all pairs at once, `singles` has that of each pair
    by itself; `notes` are on all of these. Without a test there are no p-values.
    """

    bounds: Mapping[Pair, one_pair.Bounds]
    singles: Mapping[Pair, Interval | None] = field(default_factory=dict)
    errors: Mapping[Pair, tuple[float | None, str | None]] = field(default_factory=dict)
    p_adjusted: Mapping[Pair, float] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class OneOfFamily:
    """An interval that holds together with others, and `single`, by itself, each by its own method."""

    method: str
    interval: Interval | None
    single_method: str
    single: Interval | None
    notes: tuple[Note, ...]


def joint_of(estimates: Estimates, pairs: IntArray, names: Sequence[str]) -> Joint:
    """Return how the differences of pairs of systems, shape (m, 2), vary together."""
    return estimates.joint(pairs, sorted(range(len(names)), key=lambda s: names[s]))


def family_intervals(
    estimates: Estimates, pairs: Sequence[Pair], names: Sequence[str], settings: Settings
) -> FamilyIntervals:
    """Return the intervals of all pairs of a metric, each by its own method at the level of the family."""
    assert settings.interval is not None
    joint = joint_of(estimates, np.array(pairs), names)
    at = 1.0 - joint.single_level(settings.alpha)
    bounds, singles, errors, methods, p_values = {}, {}, {}, {}, []
    for pair in pairs:  # all of a pair at once, while what its intervals are made of is at hand
        estimate = estimates.of(*pair)
        member = one_of_family(estimate, settings.interval, settings.level, at, settings.margin)
        methods[pair], singles[pair] = member.method, member.single
        tost, unseen = _equivalence(estimate, member, settings, at)
        bounds[pair] = one_pair.Bounds(member.interval, tost, (*member.notes, *unseen))
        errors[pair] = one_pair.standard_error(estimate, member.single or member.interval)
        if settings.test is not None:
            p_values.append(interval_methods.p_value(estimate, member.method))
    adjusted = {}
    if settings.test is not None:
        alternative = settings.towards(estimates.group.metric.greater_is_better)
        p_of_intervals = np.array(p_values)
        values = np.array([estimates.of(*pair).value for pair in pairs])
        low, high = _ends_on_marks(
            estimates, {pair: bounds[pair].interval for pair in pairs}, settings.margin
        )
        agreed = agreeing(joint.adjusted(p_of_intervals), values, low, high, alternative, settings.alpha)
        adjusted = dict(zip(pairs, agreed.tolist(), strict=True))
    drawn = any(bound.interval is not None and not bound.interval.exact for bound in bounds.values())
    note = family_note(estimates, joint, Counter(methods.values()), settings, drawn=drawn)
    return FamilyIntervals(bounds, singles, errors, adjusted, (note,))


def _equivalence(
    estimate: Estimate, member: OneOfFamily, settings: Settings, at: float
) -> equivalence.Guarded:
    """Return the interval of two one-sided tests: the family's, with what units not seen could change.

    It is longer where it does not contain that of the pair by itself, which may be made in another way.
    """
    if settings.margin is None:
        return None, ()
    wide = member.interval
    if wide is not None:
        wide = dataclasses.replace(wide, method=member.method, level=at)
    tost, notes = equivalence.interval_of_pair(estimate, wide, settings, at)
    if tost is None:
        return None, notes
    by_itself = partial(interval_methods.interval, estimate, member.single_method)
    single = family.for_equivalence(member.single, by_itself, settings.level, settings.margin)
    single, _ = equivalence.interval_of_pair(estimate, single, settings)
    low, high = tost.low, tost.high
    if single is not None:
        low, high = min(low, single.low), max(high, single.high)
    return Interval(low, high, settings.level, comparison.SIMULTANEOUS, tost.exact), notes


def one_of_family(
    estimate: Estimate,
    asked: str,
    level: float,
    at: float,
    margin: float | None = None,
) -> OneOfFamily:
    """Return the interval of an estimate at the level `at`, at which all intervals of its family hold."""
    method, situation = one_pair.chosen(estimate, asked)
    family_method = _family_method(method, asked, situation, level, at)
    family_method = family_method if margin is None else one_pair.deciding(family_method, asked, situation)
    interval, single, notes = interval_methods.simultaneous(estimate, method, level, family_method, at)
    by_own = None if interval is None else dataclasses.replace(interval, method=family_method)
    doubts = one_pair.doubts(by_own, situation)
    return OneOfFamily(family_method, interval, method, single, (*notes, *doubts))


def method_at(estimate: Estimate, asked: str, level: float, at: float) -> str:
    """Return the method of an interval at a level of a family, where it is asked for at another level."""
    method, situation = one_pair.chosen(estimate, asked)
    return _family_method(method, asked, situation, level, at)


def _family_method(method: str, asked: str, situation: Situation, level: float, at: float) -> str:
    """Return the method that is chosen for an interval at the level of the family.

    Errors of the bootstrap beyond the end of an interval grow with the fourth power of how far out it lies
    (the kurtosis terms of Hall 1992, The Bootstrap and Edgeworth Expansion, section 2.4). So many more units
    must carry the variance for a method to hold as well as at the usual level. Means allow for skewness
    however few the units are, as skewed tails are further off there than at the usual level.
    """
    # How far rounding takes the level of a family of one from that of its interval
    if asked != "auto" or situation["blocks"] or at <= level + 1e-12:
        return method
    if (situation["mean"] or situation["plain_mean"]) and method in ("normal", "cr2"):
        return "hall" if situation["n_units"] >= FEWEST else method
    if method in ("hall", "hall-wide"):
        return method
    situation = situation.copy()
    if situation["n_effective"] is not None:
        situation["n_effective"] *= (two_sided_quantile(level) / two_sided_quantile(at)) ** 4
    return choose_interval(**situation).method


def _ends_on_marks(
    estimates: Estimates, intervals: Mapping[Pair, Interval | None], margin: float | None
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of pairs as verdicts read them, NaN for a pair without one."""
    low, high = np.full((2, len(intervals)), np.nan)
    for place, ((a, b), interval) in enumerate(intervals.items()):
        scores = float(estimates.scores[a]), float(estimates.scores[b])
        shown = family.on_marks(interval, scores, margin)
        if shown is not None:
            low[place], high[place] = shown.low, shown.high
    return low, high


def agreeing(
    p_values: FloatArray,
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    alternative: Alternative,
    alpha: float,
) -> FloatArray:
    """Return p-values that are at most alpha exactly where the interval excludes 0, on the side asked for.

    They are so by themselves, but for the steps of resamples and for levels at which a method breaks down.
    All arrays have shape (m,); the ends of the intervals were put on the marks.
    """
    shown = np.where(estimate > 0.0, low > 0.0, high < 0.0)
    # Further than p-values that count as equal are apart
    agreed = np.where(shown, np.minimum(p_values, alpha), np.clip(p_values, alpha * (1.0 + 1e-9), 1.0))
    if alternative != "two-sided":
        agreed[(estimate > 0.0) != (alternative == "greater")] = 1.0
    return agreed


def held_at_once(what: str, vary: str, joint: Joint, level: float, at: float, methods: Counter[str]) -> str:
    """Return how the intervals of `what` were made that hold at once; `vary` names what varies together."""
    how = f"found from how {vary} together"
    if joint.bonferroni:
        how = f"Bonferroni's, as too few units tell how {vary} together"
    which = f"the {joint.size} intervals of {what} hold at once with {100.0 * level:.4g} %"
    return (
        f"{which}: each is made by its own method ({_listed(methods)}) at the level {_percent(at)} %, {how}"
    )


def _percent(level: float) -> str:
    """Return a level in percent with four digits, or as many as tell it from 100 %.

    >>> _percent(0.9957), _percent(0.9999932)
    ('99.57', '99.99932')
    """
    rest = 100.0 * (1.0 - level)
    return f"{100.0 * level:.4g}" if rest >= 0.01 else f"{100.0 * level:.{1 - math.floor(math.log10(rest))}f}"


def _listed(methods: Counter[str]) -> str:
    """Return the methods of intervals; of several, with the number of intervals of each."""
    several = len(methods) > 1
    return ", ".join(
        f"{long_name('interval', name)}{f' for {n} of them' * several}" for name, n in methods.most_common()
    )


def family_note(
    estimates: Estimates, joint: Joint, methods: Counter[str], settings: Settings, *, drawn: bool
) -> Note:
    """Return the note on how the intervals of a family were made."""
    at = 1.0 - joint.single_level(settings.alpha)
    message = held_at_once(
        "differences", "the scores of the systems vary", joint, settings.level, at, methods
    )
    if joint.size < 2:
        message = f"with one difference, the simultaneous interval is the one by itself ({_listed(methods)})"
    if settings.test is not None:
        message += (
            ". Groups, ranks, verdicts and adjusted p-values are read from these intervals, and p is that"
        )
        message += " of the test"
    beyond = 0.5 * (1.0 - at) * (estimates.drawing.n_resamples + 1)
    if beyond < FEW_BEYOND and drawn:
        needed = int(np.ceil(2.0 * FEW_BEYOND / (1.0 - at)))
        message += (
            f". Fewer than {FEW_BEYOND} resamples lie beyond each end of the bootstrap intervals: use"
            f" n_resamples={needed}"
        )
    return Note("simultaneous", message, (estimates.group.metric.name,))
