"""The record of a monitor at one moment, and what must be known to read it."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from bestby.data.evaluation import Evaluation
from bestby.questions.monitor import deciding, planned
from bestby.questions.monitor.collected import Collected
from bestby.questions.monitor.order import order_note
from bestby.questions.monitor.result import (
    Decision,
    MonitoredComparison,
    MonitoredDifference,
    MonitoredSystem,
    MonitorLook,
)
from bestby.questions.monitor.sequences import Ends, Pairs, Sums, interval, overturned_by
from bestby.questions.monitor.settings import FEW_FOR_ASYMPTOTICS, PROVISIONAL, Settings
from bestby.questions.monitor.tracking import exact_ends
from bestby.results.base import Note, provenance_of
from bestby.results.values import Interval

TORN = Note(
    "torn_line",
    "the last line of the file was cut off, as by a crash, and left out: its item was not counted and can be"
    " added again",
)


@dataclass(frozen=True, slots=True)
class State:
    """What was decided at the looks so far."""

    decisions: Mapping[str, tuple[Decision, int]]
    decision: tuple[Decision, int] | None
    behind: Mapping[str, str]
    dropped_at: Mapping[str, int]


EndsFinder = Callable[[int, float], Ends]
"""Finds the interval of a pair, by its place, at a level alpha, whatever earlier looks have shown."""


def interval_of(
    pairs: Pairs, place: int, find_ends: EndsFinder, *, one_sided: bool = False
) -> Interval | None:
    """Return the interval of a pair without what earlier looks have excluded; None if it has no end."""
    s = pairs.settings
    alpha = (2.0 if one_sided else 1.0) * s.alpha
    low, high = find_ends(place, alpha)
    for which, mean in enumerate(pairs.means.tolist()):
        if low < mean <= high and pairs.shown(0, which, alpha / 2.0)[place]:
            low = mean
        if low <= mean < high and pairs.shown(1, which, alpha / 2.0)[place]:
            high = mean
    if math.isinf(low) or math.isinf(high):
        return None
    return Interval(low, high, 1.0 - alpha, s.method, s.method != "asymptotic")


def result(
    collected: Collected, first: Pairs, state: State, n_looks: int, notes: Sequence[Note]
) -> MonitoredComparison:
    """Return the record of a monitor."""
    s, c = collected.settings, collected
    n_units, n = len(c.ends), c.n_counted
    find_ends = cache(partial(exact_ends, first, c))
    digest = hashlib.blake2b(c.scores.tobytes() + repr(c.items).encode(), digest_size=8).hexdigest()
    settings = {key: value for key, value in s.as_dict().items() if key != "systems"}
    extent = {"items": n, "clusters": n_units if c.clustered else 0, "systems": list(s.systems)}
    pairs = differences(first, c, state, find_ends)
    return MonitoredComparison(
        systems=tuple(_system(c, place, name, state) for place, name in enumerate(s.systems)),
        pairs=pairs,
        path=tuple(_path(first, c)),
        decision=None if state.decision is None else state.decision[0],
        decided_at=None if state.decision is None else state.decision[1],
        n_items=n,
        n_clusters=n_units if c.clustered else 0,
        n_looks=n_looks,
        n_available=s.n_items,
        looks=s.looks,
        population=s.population,
        method=s.method,
        bounds=s.bounds,
        greater_is_better=s.greater_is_better,
        level=s.level,
        margin=s.margin,
        notes=(*notes, *_notes(c, first), *_contradictions(first, find_ends), *_provisional(pairs)),
        provenance=provenance_of(settings, extent, data_hash=digest),
        largest=s.largest,
    )


def differences(
    first: Pairs, c: Collected, state: State, find_ends: EndsFinder
) -> tuple[MonitoredDifference, ...]:
    """Return the first system against each other one."""
    return tuple(_difference(first, place, c, state, find_ends) for place in range(len(first.pairs)))


def _system(c: Collected, place: int, name: str, state: State) -> MonitoredSystem:
    n_units = state.dropped_at.get(name, len(c.ends))
    n = c.ends[n_units - 1] if n_units else 0
    score = float(c.scores[:n, place].mean()) if n else math.nan
    return MonitoredSystem(name, score, n, state.behind.get(name))


def _difference(
    first: Pairs, place: int, c: Collected, state: State, find_ends: EndsFinder
) -> MonitoredDifference:
    s, (a, b) = c.settings, first.pairs[place]
    n_units = int(first.n_units[place])
    n = c.ends[n_units - 1] if n_units else 0
    gaps = c.scores[:n, a] - c.scores[:n, b]
    ahead = gaps if s.greater_is_better else -gaps
    made, at = state.decisions.get(s.systems[b], (None, None))
    size, largest = (None, 0.0) if made is None or at is None else _overturned_by(first, place, c, made, at)
    return MonitoredDifference(
        a=s.systems[a],
        b=s.systems[b],
        estimate=float(gaps.mean()) if n else math.nan,
        interval=interval_of(first, place, find_ends),
        equivalence_interval=None
        if s.margin is None
        else interval_of(first, place, find_ends, one_sided=True),
        n_items=n,
        n_clusters=n_units if c.clustered else 0,
        p_value=_p_value(first, place),
        wins=int((ahead > 0.0).sum()),
        losses=int((ahead < 0.0).sum()),
        decision=made,
        decided_at=at,
        overturned_by=size,
        provisional=size is not None and s.largest is None and size < PROVISIONAL * largest,
    )


def _overturned_by(
    first: Pairs, place: int, c: Collected, made: Decision, at: int
) -> tuple[float | None, float]:
    """Return which single difference would overturn a decision, and the largest deviation so far.

    Any look may show it, as the intervals of all looks hold at once: that of the decision, or the present.
    """
    s, n_units = c.settings, int(first.n_units[place])
    looks = {bisect_left(c.ends, at) + 1, n_units}
    whole = s.n_population is not None and c.n_counted == s.n_population
    if s.bounds is not None or made == "futile" or whole:
        return None, 0.0
    units = [c.pair(*first.pairs[place], one) for one in sorted(looks)]
    sums, claims = [Sums.of(one) for one in units], deciding.claims(s, made)
    sizes = [
        overturned_by(one, s, claims, planned.counts_of(s, part))
        for one, part in zip(sums, units, strict=True)
    ]
    return max(sizes), float(sums[-1].largest[0])


def _p_value(first: Pairs, place: int) -> float | None:
    if first.settings.method != "betting":
        return None
    zero = int(np.flatnonzero(first.means == 0.0)[0])
    share = first.settings.alpha / (1.0 - first.settings.level)
    return min(1.0, 2.0 * math.exp(-float(first.peak[:, zero, place].max())) / share)


def _path(first: Pairs, c: Collected) -> Iterator[MonitorLook]:
    """Yield how the first pair developed, at numbers of units in geometric steps."""
    n_units = int(first.n_units[0])
    if not n_units:
        return
    units, s = c.pair(*first.pairs[0], n_units), c.settings
    for n in _steps(c, n_units):
        part = units.part(0, n)
        total = float((part.values[:, 0] * part.sizes).sum())
        size = int(part.sizes.sum())
        # An end to 1e-4 is enough for a line in a figure
        yield MonitorLook(size, total / size, *interval(part, s, s.alpha, 1e-4))


def _steps(c: Collected, n_units: int) -> list[int]:
    """Return numbers of units for a path: in geometric steps, or those at the planned looks."""
    if c.settings.looks is None:
        # How many looks the path of a figure has
        steps = np.geomspace(min(5, n_units), n_units, 40)
        return sorted({round(step) for step in steps.tolist()})
    counts = planned.reached(c.settings.looks, c.ends[:n_units])
    return [bisect_left(c.ends, count) + 1 for count in counts]


def _notes(c: Collected, first: Pairs) -> Iterator[Note]:
    s = c.settings
    order = order_note(c.items, c.clusters)
    if order is not None:
        yield order
    sums = _sums(c, first) if s.bounds is None and s.largest is None else []
    if s.method == "asymptotic":
        yield _asymptotic(s, sums)
    if s.file_format == 1 and s.bounds is None:
        yield Note(
            "begun_before",
            "this monitor was begun by version 0.2.0 and goes on by its rules, whose intervals of scores"
            " without bounds are too short where losses are rare and large; a new monitor with the same items"
            " allows for them",
        )
    if c.clustered and (s.largest_cluster is None or s.method != "betting"):
        yield Note(
            "approximate_clusters",
            "the size of the largest cluster was not given, so that the interval is only approximate"
            if s.method == "betting"
            else "clusters are counted by their totals, with an interval that is only approximate",
        )
    if any(one.constant[0] for one in sums):
        yield Note(
            "constant_differences",
            "two systems differ by the same amount on all items, which does not show how far differences can"
            " vary: there is no interval of them; give the largest difference that is possible (largest=...)",
        )
    if s.looks is not None:
        means, _ = c.units(0, len(c.ends), range(len(s.systems)))
        yield from planned.notes(s, means, c.ends, len(c))
    elif len(c) > c.n_counted:
        yield Note(
            "open_cluster",
            f"{len(c) - c.n_counted} items of the last cluster are not counted yet: they are when the next"
            " one begins, or after close_cluster()",
        )


def _sums(c: Collected, first: Pairs) -> list[Sums]:
    """Return the sums of each pair over the units that were counted of it."""
    counted = zip(first.pairs, first.n_units.tolist(), strict=True)
    return [Sums.of(c.pair(*pair, n_units)) for pair, n_units in counted if n_units]


def _asymptotic(s: Settings, sums: Sequence[Sums]) -> Note:
    """Return what must be known of a sequence for scores without bounds; the sums are of its differences."""
    needed = float(FEW_FOR_ASYMPTOTICS)
    if s.file_format > 1:
        needed = max([needed, *(float(one.units_needed[0]) for one in sums)])
    rare = (
        f"it allows for differences of up to {s.largest_difference:g}"
        if s.largest_difference is not None
        else "it cannot allow for losses that are rarer and larger than any so far: give the largest"
        " difference that is possible (largest=...)"
    )
    return Note(
        "asymptotic_sequence",
        "the asymptotic interval is only valid with many items: of the first"
        f" {math.ceil(needed)} nothing is concluded; {rare}",
    )


def _provisional(pairs: Sequence[MonitoredDifference]) -> Iterator[Note]:
    """Yield a note for each decision that one item might overturn."""
    for one in pairs:
        if one.provisional:
            yield Note(
                "provisional_decision",
                f"{one.a} and {one.b}: {one.decision!r} is provisional: an item that differs from the mean by"
                f" {one.overturned_by:.3g} would overturn it, which is less than {PROVISIONAL:g} times the"
                " largest deviation so far; go on, or give the largest difference that is possible"
                " (largest=...)",
            )


def _contradictions(first: Pairs, find_ends: EndsFinder) -> Iterator[Note]:
    """Yield a note for each pair whose interval contradicts what an earlier look has shown."""
    s = first.settings
    for place, (a, b) in enumerate(first.pairs):
        low, high = find_ends(place, s.alpha)
        if any(
            (first.shown(0, which, s.alpha / 2.0)[place] and high < mean)
            or (first.shown(1, which, s.alpha / 2.0)[place] and low > mean)
            for which, mean in enumerate(first.means.tolist())
        ):
            yield Note(
                "contradicting_looks",
                f"the interval of {s.systems[a]} and {s.systems[b]} contradicts an earlier look, which is"
                " nearly impossible if the items come in random order: the later items are unlike the first",
            )


def evaluation(
    c: Collected, kept: Sequence[int], n: int, decision: tuple[Decision, int] | None
) -> Evaluation:
    """Return the items that were counted, with a note that they were looked at before."""
    s = c.settings
    made = Evaluation.of(
        {s.systems[place]: c.scores[:n, place].copy() for place in kept},
        items=c.items[:n],
        clusters=c.clusters[:n] if c.clustered else None,
    )
    what = (
        "a monitor looked at these items as they came"
        if decision is None
        else f"a monitor stopped at {decision[1]} of these items because of what they showed ({decision[0]})"
    )
    note = Note(
        "monitored",
        f"{what}: intervals and tests for a fixed number of items are too optimistic here; report those of"
        " the monitor",
    )
    return dataclasses.replace(made, notes=(*made.notes, note))
