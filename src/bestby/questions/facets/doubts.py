"""What does not hold of a comparison over facets, or what it rests on: its notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bestby._core.text import counted, percentage, plural
from bestby.data.roles import listed
from bestby.questions.facets.means import Mean
from bestby.questions.facets.reference import largest, many_levels
from bestby.questions.facets.result import FacetDifference
from bestby.questions.facets.source import FacetData
from bestby.report.numbers import Rounding
from bestby.results.base import Note
from bestby.results.values import Interval

FEW_LEVELS = 20
"""Levels below which one in ten that breaks a system is often missing: of 20 in an eighth of the cases."""

SHORTER = 0.8
"""Part of the length below which the interval of runs is shown as a warning."""

UNEVEN = 0.1
"""How far apart the shares of missing cells of two levels are before a note says so."""


def notes_on_pair(mean: Mean, d: FacetDifference) -> Iterator[Note]:
    """Yield what a difference rests on, and what was set to 0 or pooled."""
    if mean.error is None:
        return
    if not d.components:
        message = (
            "so many cells have no value that effects cannot be told apart: there are no variance components,"
            " and nothing is said of other numbers of levels"
        )
        yield Note("no_components", message)
    design = mean.design
    many, effects = many_levels(design), design.nesting.effects
    levels = {
        facet: int(design.levels[effects.index(frozenset({facet}))])
        for facet in design.nesting.random
        if facet != many and not design.nesting.parents[facet]
    }
    share = float(mean.error.mixture.share)
    if levels and share > 0.5 and min(levels.values()) < FEW_LEVELS:
        few = min(levels, key=levels.__getitem__)
        message = (
            f"{percentage(share)} of the variance rests on {counted(levels[few], few)}: the interval holds as"
            " far as these are a fair sample and near normal in both systems, which so few do not show"
        )
        yield Note("rests_on_few", message)
    clear = {facet: mean.error.clear[effects.index(frozenset({facet}))] for facet in levels}
    if pooled := [facet for facet, share in clear.items() if share < 0.5]:
        message = (
            f"{listed(pooled)}: no more variance than single cells bring by chance, with which it is pooled"
        )
        yield Note("facet_pooled", message)
    if negative := [one.effect for one in d.components if one.part < 0.0]:
        yield Note("negative_component", f"components below 0 were set to 0: {listed(negative)}")


def notes_on_design(data: FacetData, differences: Sequence[FacetDifference], weights: str) -> Iterator[Note]:
    """Yield what the numbers of levels, and missing cells, mean for all differences."""
    yield from _notes_on_levels(differences[0])
    yield from _notes_on_missing(data, weights)
    shorter = [d for d in differences if _is_shorter(d.runs_interval, d.interval)]
    if shorter:
        d = shorter[0]
        runs = Rounding.of([(one.estimate, one.interval) for one in shorter]).interval(d.runs_interval)
        which = f"{len(shorter)} of {len(differences)} intervals" if len(differences) > 1 else "the interval"
        message = (
            f"with every combination of levels as a run of its own, {which} would be shorter by a fifth or"
            f" more, that of {d.a} and {d.b} {runs}: too short, as these runs share their levels"
        )
        yield Note("runs_interval", message)


def _notes_on_levels(d: FacetDifference) -> Iterator[Note]:
    if not d.components:
        return
    estimates = d.estimates
    facets, most = largest(estimates.nesting, estimates.nesting.levels_of(estimates.sizes))
    now = estimates.error(estimates.sizes).half_length(d.level)
    for facet in d.facets:
        few = facet.levels < FEW_LEVELS and not facet.fixed and not facet.within
        if not few or facet.name == facets[int(most)]:
            continue
        number = counted(int(facet.levels), facet.name)
        if facet.levels <= 2.0:
            message = (
                f"{number} can hardly show how much {plural(facet.name)} vary: intervals are very long, and"
                " still too short now and then"
            )
            yield Note("two_levels", message)
            continue
        more = np.array([FEW_LEVELS if one.name == facet.name else one.levels for one in d.facets], float)
        times = now / estimates.error(more).half_length(d.level)
        message = (
            f"with {number} the interval is about {times:.2g} times as long as it would be with"
            f" {FEW_LEVELS}; if one {facet.name} in ten breaks one system, these have none such with"
            f" probability {percentage(0.9**facet.levels)}, and nothing shows it"
        )
        yield Note("few_levels", message)


def _notes_on_missing(data: FacetData, weights: str) -> Iterator[Note]:
    items, nesting = data.nesting.items, data.nesting
    cells, there, full = data.cells
    lacking = 1.0 - float(there.sum()) / full
    if lacking <= 0.0:
        return
    message = (
        f"{percentage(lacking, 1)} of the cells have no value; every"
        f" {'level of a facet' if weights == 'levels' else 'cell'} has the same weight"
    )
    yield Note("unbalanced", message)
    of_items = set() if items is None else {items, *nesting.parents[items]}
    for facet in cells.codes:
        if facet in of_items or nesting.parents[facet]:
            continue
        each = np.bincount(cells.codes[facet], there)
        shares = 1.0 - each / each.max()
        if float(np.ptp(shares)) > UNEVEN:
            worst = int(shares.argmax())
            message = (
                f"{facet} {data.levels[facet][worst]} lacks {percentage(float(shares[worst]))} of the cells"
                f" that the fullest {facet} has: where a system failed, its score is then too good"
            )
            yield Note("missing_by_level", message)


def _is_shorter(one: Interval | None, other: Interval | None) -> bool:
    if one is None or other is None:
        return False
    return one.high - one.low < SHORTER * (other.high - other.low)
