"""Swaps of numbers as they were given, for metrics whose statistics are of standard scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestby._core import rounding
from bestby._core.typing import BoolArray, FloatArray
from bestby.metrics.base import StandardisedMetric

if TYPE_CHECKING:
    from bestby.engine.sample import Sample

MOST_APART = 1e5
"""Standard deviations of a system in a unit that two share: beyond it, what the system on the smaller scale
says is lost in sums of squares."""

_BEGINNING = 64
"""Rows that are compared before all are."""


def comparable(metric: StandardisedMetric, systems: Sequence[int]) -> bool:
    """Return whether two systems can swap their numbers as given: sums of squares must hold both scales."""
    return _common_scale(metric, systems)[1] / min(metric.locations[s][1] for s in systems) <= MOST_APART


def differing(sample: Sample, metric: StandardisedMetric) -> tuple[int, int]:
    """Return on how many items, and on how many units, the numbers of two systems differ."""
    systems = [one.system for one in sample.systems]
    columns = [one.X[:, metric.standard_column] for one in sample.systems]
    if not sample.design.clustered:
        apart = _apart_singly(metric, systems, sample.spread(columns), sample.rows)
        n_units = int(sample.units.counts[apart].sum())
        return n_units, n_units
    n_units = int(sample.units.counts[_apart(metric, systems, sample.rows())].sum())
    items = [one.of_items for one in sample.systems]
    scores = [one.spread(one.X[:, metric.standard_column]) for one in items]
    of_items = _apart_singly(metric, systems, scores, lambda: [one.each() for one in items])
    return int(sample.design.item_counts[of_items].sum()), n_units


def same(sample: Sample, metric: StandardisedMetric) -> bool:
    """Return whether two systems have the same standard scores on every item, but for rounding."""
    # Standard scores are as inexact as the numbers are far from 0, in standard deviations.
    locations = [metric.locations[one.system] for one in sample.systems]
    far = max(abs(centre) / scale for centre, scale in locations)

    def are_level(first: FloatArray, second: FloatArray) -> bool:
        return bool(rounding.level(first, second, np.maximum(np.abs(first), 1.0 + far)).all())

    items = [one.of_items for one in sample.systems]
    beginning = [one.spread(one.X[:, metric.standard_column])[:_BEGINNING] for one in items]
    if not are_level(*beginning):  # as mostly
        return False
    return are_level(*(one.each() for one in items))


def as_given(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the statistics of the numbers as given; what only rounding separates is the same again."""
    found = np.stack(_in_common_unit(metric, systems, rows))
    order = np.argsort(found, axis=0)
    ascending = np.take_along_axis(found, order, axis=0)
    for s in range(1, len(systems)):
        below, here = ascending[s - 1], ascending[s]
        ascending[s] = np.where(rounding.level(here, below, np.maximum(1.0, np.abs(here))), below, here)
    np.put_along_axis(found, order, ascending, axis=0)
    return list(found)


def _common_scale(metric: StandardisedMetric, systems: Sequence[int]) -> tuple[float, float]:
    """Return a centre and a unit in which the numbers of several systems are of the order of 1."""
    centres, spreads = zip(*(metric.locations[s] for s in systems), strict=True)
    centre = sum(centres) / len(centres)
    return centre, max(*spreads, *(abs(one - centre) for one in centres))


def _in_common_unit(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the statistics of the numbers as given, up to rounding."""
    scale = _common_scale(metric, systems)
    return [metric.as_given(of_system, s, *scale) for of_system, s in zip(rows, systems, strict=True)]


def _apart(metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]) -> BoolArray:
    """Return in which rows the statistics of two systems differ by more than rounding."""
    first, second = _in_common_unit(metric, systems, rows)
    apart = np.zeros(len(first), dtype=np.bool_)
    for of_a, of_b in zip(first.T, second.T, strict=True):  # column by column, as they lie in memory
        scale = np.maximum(1.0, np.abs(np.maximum(of_a, of_b)))
        apart |= ~rounding.level(of_a, of_b, scale)
        if apart.all():
            break
    return apart


def _apart_singly(
    metric: StandardisedMetric,
    systems: Sequence[int],
    scores: Sequence[FloatArray],
    rows: Callable[[], Sequence[FloatArray]],
) -> BoolArray:
    """Return the same of rows of single items, whose numbers mostly tell, without their statistics.

    Where numbers are further apart than the root of what counts as rounding, so are their squares.
    `scores` are the columns of standard scores; ``rows()`` returns the statistics of both.
    """
    centre, unit = _common_scale(metric, systems)
    numbers = []
    for s, column in zip(systems, scores, strict=True):
        own_centre, own_scale = metric.locations[s]
        numbers.append((own_scale / unit) * metric.standard_scores(column))
        numbers[-1] += (own_centre - centre) / unit
    first, second = numbers
    width = np.maximum(first, second)
    np.maximum(1.0, np.abs(width, out=width), out=width)
    width *= math.sqrt(rounding.level_width(1.0))
    first -= second
    apart: BoolArray = np.abs(first, out=first) > width
    near = np.flatnonzero(~apart)
    if near.size:
        apart[near] = _apart(metric, systems, [one[near] for one in rows()])
    return apart
