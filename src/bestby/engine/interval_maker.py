"""Confidence intervals of scores and differences, checked, and the p-values that they give."""

from __future__ import annotations

import math

import numpy as np

from bestby._core import rounding
from bestby.engine import interval_methods
from bestby.engine.estimate import Estimate
from bestby.inference import intervals
from bestby.results.base import Note
from bestby.results.values import Interval, defined, without_interval

USUAL = 0.95
"""A level at which an interval tells whether it is made of resamples."""

OF_RESAMPLES = ("percentile", "basic", "bca")
"""Intervals whose ends are quantiles of the bootstrap distribution."""

_ABOUT = 1.0 - 1e-6  # a level is known to its last digits only


def interval(estimate: Estimate, method: str, level: float) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return the interval by one method, whose `method` says what was done in the end, with notes.

    None if it is undefined or would have no length, which a note then says.
    """
    return _checked(estimate, *interval_methods.interval(estimate, method, level))


def _checked(
    estimate: Estimate, found: Interval, notes: tuple[Note, ...] = ()
) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return an interval if it is defined and has a length; else a bound from unseen units, or None."""
    constant = "constant_scores" if estimate.b is None else "constant_difference"
    checked, told = defined(found, scale=_size(estimate), constant=constant)
    if estimate.b is not None and estimate.sample.same_ranks:
        checked, told = None, (without_interval("identical_ranks", found.method),)
    if checked is not None or told[0].code == "undefined_interval":
        return checked, (*notes, *told)
    # Notes on how the method got to its ends mean nothing now; that on lost resamples does.
    left = tuple(note for note in notes if note.code == "undefined_resamples")
    if told[0].code != constant:
        return None, (*left, *told)
    some_vary = _some_resamples_vary(estimate, found.method)
    bound = interval_methods.unseen(estimate, found.level)
    if bound is None:
        why = (without_interval("equal_resamples", found.method),) if some_vary else told
        return None, (*left, *why)
    what = "score" if estimate.b is None else "difference"
    same = "in nearly all resamples" if some_vary else "whichever of the items or clusters are taken"
    same = f"the {what} is the same {same}"
    text = f"{same}: the interval says only how far items of a kind that these data lack could move it"
    return bound, (*left, Note(constant, text))


def _some_resamples_vary(estimate: Estimate, method: str) -> bool:
    """Return whether an interval is of resamples of which only those at the ends differ."""
    return method in OF_RESAMPLES and not rounding.is_nothing(estimate.distribution[0].sd, _size(estimate))


def _size(estimate: Estimate) -> float:
    """Return the size of the scores, or where these are means of the numbers they are made of."""
    size = estimate.scale
    for system in estimate.systems:
        plain = estimate.group.sample(system).contributions
        if plain is not None and plain.moments is not None:
            size = max(size, plain.moments.size)
    return size


def simultaneous(
    estimate: Estimate, method: str, level: float, family_method: str, at: float
) -> tuple[Interval | None, Interval | None, tuple[Note, ...]]:
    """Return the interval as one of a family, and by itself, with what must be known.

    By itself it is by `method` at `level`; as one of the family by `family_method` at the level `at`, made
    longer where it does not contain the other.
    """
    single, notes = interval(estimate, method, level)
    wide, more = interval(estimate, family_method, at)
    notes = tuple(dict.fromkeys((*notes, *more)))
    if single is None or wide is None:
        return None, single, notes
    low, high = min(single.low, wide.low), max(single.high, wide.high)
    return Interval(low, high, level, "max-t", single.exact and wide.exact), single, notes


def p_value(estimate: Estimate, method: str) -> float:
    """Return one minus the level at which the interval by a method ends at 0.

    1 if the interval contains 0 at every level, and not less than what the resamples can tell.
    """
    side = np.sign(estimate.value)
    usual, _ = interval(estimate, method, USUAL)
    if side == 0.0 or usual is None:
        return 1.0

    if usual.method == "abc":
        known = interval_methods.abc_p_value(estimate, float(side), intervals.LEAST_P)
        if known is not None:
            return known
    fewest = min(1.0, 2.0 / (estimate.drawing.n_resamples + 1))

    def clearance(level: float) -> float:
        # As it is made: at a low level the interval of a score that moves in steps has no length.
        told = 1.0 - level >= _ABOUT * fewest  # by resamples
        if usual.method == "unseen":
            found = interval_methods.unseen(estimate, level)
        else:
            found = interval_methods.without_fallback(estimate, method, level)
        if found is None and told:
            found, _ = interval_methods.interval(estimate, method, level)
        if found is None or not (found.exact or told):
            return -1.0
        end = found.low if side > 0.0 else -found.high
        return -1.0 if math.isnan(end) else end

    return intervals.p_value(clearance, intervals.LEAST_P if usual.exact else fewest)
