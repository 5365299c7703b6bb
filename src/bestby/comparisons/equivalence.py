"""The interval that the verdict "equivalent" is read from allows for units which could still differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from bestby.comparisons.family import equivalence_level
from bestby.engine.base import Influences
from bestby.engine.estimate import Estimate
from bestby.engine.runs import RunsWithItems
from bestby.engine.unseen import Evidence, evidence, evidence_of_runs, reach_of_cluster
from bestby.inference import intervals
from bestby.inference.intervals import Ends
from bestby.report.shown import UNSEEN
from bestby.results.base import Note
from bestby.results.values import Interval

Guarded = tuple[Interval | None, tuple[Note, ...]]
"""The interval of two one-sided tests, None where the data allow none, and a note if that decides."""


class MarginSettings(Protocol):
    """The settings of a comparison that are read here."""

    @property
    def level(self) -> float:
        """The level of the interval that is shown."""

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""


def interval_of_pair(
    estimate: Estimate,
    tost: Interval | None,
    settings: MarginSettings,
    level: float | None = None,
) -> Guarded:
    """Return the interval of two one-sided tests of two systems, with what units not seen could change.

    `tost` is the interval from what was seen. Tango's allows for other units by itself. `level` is that of an
    interval of a family; by default it is that of the two tests of this pair alone.
    """
    if settings.margin is None or (tost is not None and tost.method == "tango"):
        return tost, ()
    assert estimate.b is not None
    found = evidence(estimate.group, (estimate.a, estimate.b))
    return _from_evidence(found, tost, estimate.value, settings, estimate.bounds[1], level)


def bounds_of_pair(estimate: Estimate, seen: Interval | None, level: float) -> Interval | None:
    """Return the same interval at the level given, whatever the margin.

    `seen` is the interval at this level from what was seen.
    """
    if seen is not None and seen.method == "tango":
        return seen
    assert estimate.b is not None
    found = evidence(estimate.group, (estimate.a, estimate.b))
    return _widened_by(found, _seen(found, seen, level), estimate.value, estimate.bounds[1])


def interval_of_runs(
    maker: RunsWithItems,
    pair: tuple[int, int],
    tost: Interval | None,
    n_differing: int,
    settings: MarginSettings,
) -> Guarded:
    """Return the same interval of two systems with several runs.

    On `n_differing` items some run differs from another. Score intervals of answers allow for other items by
    themselves.
    """
    if settings.margin is None:
        return tost, ()
    if tost is not None and tost.method == "crossed-t" and maker.answers(*pair) is not None:
        return tost, ()
    found = evidence_of_runs(maker, *pair, n_differing)
    limits = maker.group.metric.bounds
    return _from_evidence(found, tost, maker.estimate(*pair), settings, limits[1] - limits[0])


def interval_of_mean(
    parts: Sequence[Evidence], tost: Interval | None, estimate: float, settings: MarginSettings
) -> Guarded:
    """Return the same interval of a mean of independent differences, such as one per dataset."""
    return (
        (tost, ()) if settings.margin is None else _from_evidence(_mean_of(parts), tost, estimate, settings)
    )


def _from_evidence(
    found: Evidence,
    tost: Interval | None,
    estimate: float,
    settings: MarginSettings,
    furthest: float = np.inf,
    level: float | None = None,
) -> Guarded:
    """Return the interval widened by what is known of the units, and a note if that decides."""
    assert settings.margin is not None
    tost = _seen(found, tost, level or equivalence_level(settings.level, settings.margin) or settings.level)
    wide = _widened_by(found, tost, estimate, furthest)
    return wide, _note(found, tost, wide, settings.margin)


def _seen(found: Evidence, tost: Interval | None, level: float) -> Interval | None:
    """Return the interval from what was seen, which of copies is a point."""
    return Interval(0.0, 0.0, level, "unseen", exact=True) if found.n_differing == 0 else tost


def _widened_by(
    found: Evidence, tost: Interval | None, estimate: float, furthest: float = np.inf
) -> Interval | None:
    """Return the interval widened by what is known of the units; no difference is larger than `furthest`.

    The evidence tells what one item could do. With clusters, or where nothing bounds an item, nothing is
    added if half of the units differ. Otherwise the largest effect seen tells how large others may be, or, if
    few clusters differ, the effect of one all of whose items do. None where few units differ that nothing
    bounds.
    """
    if tost is None:
        return None
    most_differ = 2 * found.n_differing >= found.n_units
    few_differ = found.n_differing < intervals.ENOUGH_DIFFERING
    known = found.influences
    reach = found.reach if known is not None else None
    if found.clustered or reach is None:
        if most_differ:
            return tost
        if few_differ and reach is None:
            return None
        if known is None:
            return tost
        reach = reach_of_cluster(reach, known) if few_differ and reach is not None else _reach_of_seen(known)
    assert known is not None
    ends = intervals.widened(
        (tost.low, tost.high), estimate, known.values, known.counts, known.bounds, reach, tost.level
    )
    return dataclasses.replace(tost, low=max(ends[0], -furthest), high=min(ends[1], furthest))


def interval_of_unbounded(
    n_differing: int, n_units: int, tost: Interval | None, margin: float | None
) -> Guarded:
    """Return the interval of two one-sided tests of units whose differences nothing bounds.

    None if so few of them differ that they do not show how much others may.
    """
    if margin is None:
        return tost, ()
    found = Evidence(None, None, n_differing, n_units, clustered=False)
    wide = _widened_by(found, tost, 0.0)
    return wide, _note(found, tost, wide, margin)


def _mean_of(parts: Sequence[Evidence]) -> Evidence:
    """Return what is known of a mean of independent differences, such as one per dataset."""
    size = len(parts)
    known = [part.influences for part in parts if part.influences is not None]
    reaches = [part.reach for part in parts if part.reach is not None]
    influences, reach = None, None
    if len(known) == size:
        starts = np.cumsum([0, *(one.counts.size for one in known)])
        bounds = [one.bounds[:-1] + start for one, start in zip(known, starts[:-1], strict=True)]
        influences = Influences(
            np.concatenate([one.values for one in known]) / size,
            np.concatenate([one.sizes for one in known]),
            np.concatenate([one.counts for one in known]),
            np.concatenate([*bounds, starts[-1:]]),
        )
    if len(reaches) == size:
        reach = max(low for low, _ in reaches) / size, max(high for _, high in reaches) / size
    return Evidence(
        influences,
        reach,
        sum(part.n_differing for part in parts),
        sum(part.n_units for part in parts),
        any(part.clustered for part in parts),
    )


def _reach_of_seen(known: Influences) -> Ends:
    """Return the reach of units that may differ by more than those seen."""
    largest = intervals.BEYOND * float(np.abs(known.values).max(initial=0.0))
    return largest, largest


def _inside(interval: Interval, margin: float) -> bool:
    return -margin < interval.low and interval.high < margin


def _note(found: Evidence, tost: Interval | None, wide: Interval | None, margin: float) -> tuple[Note, ...]:
    """Return a note if two systems would be equivalent by the units that were seen alone."""
    if tost is None or not _inside(tost, margin):
        return ()
    told = f"{_differing(found)}: others could differ"
    if wide is None:
        told += (
            " by any amount, because the scores have no known bounds, so at least"
            f" {intervals.ENOUGH_DIFFERING} must differ before the systems can be shown to be equivalent"
        )
    elif _inside(wide, margin):
        return ()
    else:
        told += " too, or by more, so the systems are not shown to be equivalent within the margin"
    return (Note(UNSEEN, told),)


def _differing(found: Evidence) -> str:
    what = "clusters" if found.clustered else "units"
    if found.n_differing == 0:
        return f"none of {found.n_units} {what} differs"
    return f"{found.n_differing} of {found.n_units} {what} differ"
