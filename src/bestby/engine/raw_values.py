"""Swaps of numbers as they were given, for metrics whose statistics are of standard scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.chunks import chunks
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.metrics.base import StandardisedMetric

MOST_APART = 1e5
"""Standard deviations of a system in a unit that two share: beyond it, what the system on the smaller scale
says is lost in sums of squares."""


def comparable(metric: StandardisedMetric, systems: Sequence[int]) -> bool:
    """Return whether two systems can swap their numbers as given: sums of squares must hold both scales."""
    return _common_scale(metric, systems)[1] / min(metric.locations[s][1] for s in systems) <= MOST_APART


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
    return [metric.on_scale(of_system, s, *scale) for of_system, s in zip(rows, systems, strict=True)]


def changes(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray], columns: IntArray
) -> FloatArray:
    """Return A minus B in some columns of the numbers as given, 0 where only rounding separates them."""
    first, second = (one[:, columns] for one in _in_common_unit(metric, systems, rows))
    scale = np.maximum(1.0, np.abs(np.maximum(first, second)))
    return np.where(rounding.level(first, second, scale), 0.0, first - second)


def totals(
    metric: StandardisedMetric, systems: Sequence[int], of_scores: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the totals (k,) of two systems for the numbers as given, from those for the standard scores."""
    return [one[0] for one in _in_common_unit(metric, systems, [total[None] for total in of_scores])]


def apart(metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]) -> BoolArray:
    """Return in which rows the statistics of two systems differ by more than rounding."""
    first, second = _in_common_unit(metric, systems, rows)
    unlike = np.zeros(len(first), dtype=np.bool_)
    for of_a, of_b in zip(first.T, second.T, strict=True):  # column by column, as they lie in memory
        scale = np.maximum(1.0, np.abs(np.maximum(of_a, of_b)))
        unlike |= ~rounding.level(of_a, of_b, scale)
        if unlike.all():
            break
    return unlike


def apart_singly(
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
    unlike = np.empty(len(scores[0]), dtype=np.bool_)
    for part in chunks(unlike.size):
        numbers = []
        for s, column in zip(systems, scores, strict=True):
            own_centre, own_scale = metric.locations[s]
            numbers.append((own_scale / unit) * metric.standard_scores(column[part]))
            numbers[-1] += (own_centre - centre) / unit
        first, second = numbers
        width = np.maximum(1.0, np.abs(np.maximum(first, second)))
        unlike[part] = np.abs(first - second) > width * math.sqrt(rounding.level_width(1.0))
    near = np.flatnonzero(~unlike)
    if near.size:
        unlike[near] = apart(metric, systems, [one[near] for one in rows()])
    return unlike
