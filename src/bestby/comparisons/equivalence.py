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
from bestby.report.comparison import UNSEEN
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
    units = evidence(estimate.group, (estimate.a, estimate.b))
    return _from_evidence(units, tost, estimate.value, settings, estimate.bounds[1], level)


def bounds_of_pair(estimate: Estimate, seen: Interval | None, level: float) -> Interval | None:
    """Return the interval of a pair at a level, with what units not seen could change, whatever the margin.

    `seen` is the interval at this level from what was seen.
    """
    if seen is not None and seen.method == "tango":
        return seen
    assert estimate.b is not None
    units = evidence(estimate.group, (estimate.a, estimate.b))
    return _widened_by(units, _seen(units, seen, level), estimate.value, estimate.bounds[1])


def interval_of_runs(
    maker: RunsWithItems,
    pair: tuple[int, int],
    tost: Interval | None,
    n_differing: int,
    settings: MarginSettings,
) -> Guarded:
    """Return the interval of two one-sided tests of two systems with several runs.

    On `n_differing` items some run differs from another. Score intervals of answers allow for other items by
    themselves.
    """
    if settings.margin is None:
        return tost, ()
    if tost is not None and tost.method == "crossed-t" and maker.answers(*pair) is not None:
        return tost, ()
    units = evidence_of_runs(maker, *pair, n_differing)
    limits = maker.group.metric.bounds
    return _from_evidence(units, tost, maker.estimate(*pair), settings, limits[1] - limits[0])


def interval_of_mean(
    parts: Sequence[Evidence], tost: Interval | None, estimate: float, settings: MarginSettings
) -> Guarded:
    """Return the interval of two one-sided tests of a mean of independent differences, as of datasets."""
    return (tost, ()) if settings.margin is None else _from_evidence(mean_of(parts), tost, estimate, settings)


def _from_evidence(
    units: Evidence,
    tost: Interval | None,
    estimate: float,
    settings: MarginSettings,
    furthest: float = np.inf,
    level: float | None = None,
) -> Guarded:
    """Return the interval widened by what is known of the units, and a note if that decides."""
    assert settings.margin is not None
    tost = _seen(units, tost, level or equivalence_level(settings.level, settings.margin) or settings.level)
    wide = _widened_by(units, tost, estimate, furthest)
    return wide, _note(units, tost, wide, settings.margin)


def _seen(units: Evidence, tost: Interval | None, level: float) -> Interval | None:
    """Return the interval from what was seen, which of copies is a point."""
    return Interval(0.0, 0.0, level, "unseen", exact=True) if units.n_differing == 0 else tost


def _widened_by(
    units: Evidence, tost: Interval | None, estimate: float, furthest: float = np.inf
) -> Interval | None:
    """Return the interval widened by what is known of the units; no difference is larger than `furthest`.

    The evidence tells what one item could do. With clusters, or where nothing bounds an item, nothing is
    added if half of the units differ. Otherwise the largest effect seen tells how large others may be, or, if
    few clusters differ, the effect of one all of whose items do. None where few units differ that nothing
    bounds.
    """
    if tost is None:
        return None
    most_differ = 2 * units.n_differing >= units.n_units
    few_differ = units.n_differing < intervals.ENOUGH_DIFFERING
    influences = units.influences
    reach = units.reach if influences is not None else None
    if units.clustered or reach is None:
        if most_differ:
            return tost
        if few_differ and reach is None:
            return None
        if influences is None:
            return tost
        reach = (
            reach_of_cluster(reach, influences)
            if few_differ and reach is not None
            else _reach_of_seen(influences)
        )
    assert influences is not None
    ends = intervals.widened(
        (tost.low, tost.high),
        estimate,
        influences.values,
        influences.counts,
        influences.bounds,
        reach,
        tost.level,
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
    units = Evidence(None, None, n_differing, n_units, clustered=False)
    wide = _widened_by(units, tost, 0.0)
    return wide, _note(units, tost, wide, margin)


def mean_of(parts: Sequence[Evidence]) -> Evidence:
    """Return what is known of a mean of independent differences, such as one per dataset."""
    size = len(parts)
    every_influence = [part.influences for part in parts if part.influences is not None]
    reaches = [part.reach for part in parts if part.reach is not None]
    influences, reach = None, None
    if len(every_influence) == size:
        starts = np.cumsum([0, *(one.counts.size for one in every_influence)])
        bounds = [one.bounds[:-1] + start for one, start in zip(every_influence, starts[:-1], strict=True)]
        influences = Influences(
            np.concatenate([one.values for one in every_influence]) / size,
            np.concatenate([one.sizes for one in every_influence]),
            np.concatenate([one.counts for one in every_influence]),
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


def _reach_of_seen(influences: Influences) -> Ends:
    """Return the reach of units that may differ by more than those seen."""
    largest = intervals.BEYOND * float(np.abs(influences.values).max(initial=0.0))
    return largest, largest


def _inside(interval: Interval, margin: float) -> bool:
    return -margin < interval.low and interval.high < margin


def _note(units: Evidence, tost: Interval | None, wide: Interval | None, margin: float) -> tuple[Note, ...]:
    """Return a note if two systems would be equivalent by the units that were seen alone."""
    if tost is None or not _inside(tost, margin):
        return ()
    message = f"{_differing(units)}: others could differ"
    if wide is None:
        message += (
            " by any amount, because the scores have no known bounds, so at least"
            f" {intervals.ENOUGH_DIFFERING} must differ before the verdict can be equivalent"
        )
    elif _inside(wide, margin):
        return ()
    else:
        message += " too, or by more, so the verdict is not equivalent"
    return (Note(UNSEEN, message),)


def _differing(units: Evidence) -> str:
    what = "clusters" if units.clustered else "units"
    if units.n_differing == 0:
        return f"none of {units.n_units} {what} differs"
    return f"{units.n_differing} of {units.n_units} {what} differ"
