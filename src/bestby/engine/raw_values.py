"""Swaps of numbers as they were given, for metrics whose statistics are of standard scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bestby._core import rounding
from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.engine import table
from bestby.engine.base import Group, Pair
from bestby.engine.table import Table
from bestby.metrics.base import Metric, StandardisedMetric

MOST_SHARED = 1e3
"""Standard deviations of a system in a unit of several: sums of squares lose twice as many digits."""

MOST_APART = 1e5
"""The same in a unit of two: beyond it, what the system on the smaller scale says is lost in the sums."""

_BEGINNING = 64
"""Rows that are compared before all are."""


def comparable(metric: StandardisedMetric, pair: Pair) -> bool:
    """Return whether two systems can swap their numbers as given: sums of squares must hold both scales."""
    return _spans(metric, pair[1:]) <= MOST_APART


def together(metric: StandardisedMetric, pairs: Sequence[Pair]) -> Iterator[Sequence[Pair]]:
    """Yield the pairs whose systems can share a unit: all, or each alone if some scales are far apart."""
    if _spans(metric, sorted({system for _, a, b in pairs for system in (a, b)})) <= MOST_SHARED:
        yield pairs
    else:
        for pair in pairs:
            yield [pair]


def rebuilt(source: Table, metric: StandardisedMetric, m: int, systems: Sequence[int]) -> Table:
    """Return the table of one metric and some systems, with the statistics of the numbers as given."""
    rows = _as_given(metric, systems, [source.rows(source.columns[m][s]) for s in systems])
    return table.restated(source, [rows])


def differing(source: Table, metric: StandardisedMetric, pair: Pair) -> tuple[int, int]:
    """Return on how many items, and on how many units, the numbers of two systems differ."""
    m, *systems = pair
    columns = source.columns[m]
    scores = [_standard_column(source, metric, columns[s]) for s in systems]
    if not source.clustered:
        apart = _apart_singly(metric, systems, scores, lambda s: source.rows(columns[s]))
        n_units = int(source.units.counts[apart].sum())
        return n_units, n_units
    apart = _apart(metric, systems, [source.rows(columns[s]) for s in systems])
    of_items = _apart_singly(metric, systems, scores, lambda s: source.items[:, columns[s]])
    return int(source.item_counts[of_items].sum()), int(source.units.counts[apart].sum())


def same(source: Table, metric: StandardisedMetric, pair: Pair) -> bool:
    """Return whether two systems have the same standard scores on every item, but for rounding."""
    m, *systems = pair
    # Standard scores are as inexact as the numbers are far from 0, in standard deviations.
    far = max(abs(centre) / scale for centre, scale in (metric.locations[s] for s in systems))
    of_a, of_b = (source.columns[m][s] for s in systems)

    def are_level(first: FloatArray, second: FloatArray) -> bool:
        return bool(rounding.level(first, second, np.maximum(np.abs(first), 1.0 + far)).all())

    beginning = (_standard_column(source, metric, of)[:_BEGINNING] for of in (of_a, of_b))
    if not are_level(*beginning):  # as mostly
        return False
    if source.clustered:
        return are_level(source.items[:, of_a], source.items[:, of_b])
    return are_level(source.rows(of_a), source.rows(of_b))


def _standard_column(source: Table, metric: StandardisedMetric, columns: IntArray) -> FloatArray:
    """Return the column of the items that tells the standard scores of the system with these columns."""
    place = int(columns[metric.standard_column])
    return source.items[:, place] if source.clustered else source.column(place)


def numbers(source: Table, metric: StandardisedMetric, m: int, system: int) -> tuple[FloatArray, IntArray]:
    """Return the numbers of a system on its items, as given, and how many items have each."""
    centre, scale = metric.locations[system]
    scores = metric.standard_scores(source.items[:, source.columns[m][system][metric.standard_column]])
    return centre + scale * scores, source.item_counts


def items_as_given(source: Table, metric: StandardisedMetric, pair: Pair) -> list[FloatArray]:
    """Return the statistics of the numbers as given of two systems, a row per row of items."""
    m, *systems = pair
    return _as_given(metric, systems, [source.items[:, source.columns[m][s]] for s in systems])


def _common_scale(metric: StandardisedMetric, systems: Sequence[int]) -> tuple[float, float]:
    """Return a centre and a unit in which the numbers of several systems are of the order of 1."""
    centres, spreads = zip(*(metric.locations[s] for s in systems), strict=True)
    centre = sum(centres) / len(centres)
    return centre, max(*spreads, *(abs(one - centre) for one in centres))


def _spans(metric: StandardisedMetric, systems: Sequence[int]) -> float:
    """Return how many standard deviations of the system with the least a common unit is."""
    return _common_scale(metric, systems)[1] / min(metric.locations[s][1] for s in systems)


def _as_given(
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


def _in_common_unit(
    metric: StandardisedMetric, systems: Sequence[int], rows: Sequence[FloatArray]
) -> list[FloatArray]:
    """Return the statistics of the numbers as given, up to rounding."""
    scale = _common_scale(metric, systems)
    return [metric.as_given(of_system, s, *scale) for of_system, s in zip(rows, systems, strict=True)]


def changes(
    metric: StandardisedMetric, pair: Pair, rows: Sequence[FloatArray], columns: IntArray
) -> FloatArray:
    """Return A minus B in some columns of the numbers as given, 0 where only rounding separates them."""
    first, second = (one[:, columns] for one in _in_common_unit(metric, pair[1:], rows))
    scale = np.maximum(1.0, np.abs(np.maximum(first, second)))
    return np.where(rounding.level(first, second, scale), 0.0, first - second)


def totals(metric: StandardisedMetric, pair: Pair, of_scores: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the totals (k,) of two systems for the numbers as given, from those for the standard scores."""
    return [one[0] for one in _in_common_unit(metric, pair[1:], [total[None] for total in of_scores])]


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
    rows: Callable[[int], FloatArray],
) -> BoolArray:
    """Return the same of rows of single items, whose numbers mostly tell, without their statistics.

    Where numbers are further apart than the root of what counts as rounding, so are their squares.
    `scores` are the columns of standard scores; ``rows(system)`` returns the statistics of a system.
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
        apart[near] = _apart(metric, systems, [rows(s)[near] for s in systems])
    return apart


class OfStandardScores(Group):
    """What a group says of metrics whose statistics may be those of standard scores."""

    metrics: Sequence[Metric]
    table: Table

    def same_ranks(self, metric: int, a: int, b: int) -> bool:
        """Whether the standard scores of two systems are the same, but for rounding."""
        own = self.metrics[metric]
        return isinstance(own, StandardisedMetric) and same(self.table, own, (metric, a, b))

    def has_standardised_swaps(self, metric: int) -> bool:
        """Whether the statistics are of standard scores."""
        return isinstance(self.metrics[metric], StandardisedMetric)

    def numbers(self, metric: int, system: int) -> tuple[FloatArray, IntArray] | None:
        """Return the numbers of a system as given, and how many items have each; None without such swaps."""
        own = self.metrics[metric]
        if not isinstance(own, StandardisedMetric):
            return None
        return numbers(self.table, own, metric, system)
