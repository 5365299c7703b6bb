"""Scores that are means or shares of the units, such as recall: what score intervals are made of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine.base import Contributions, Group
from bestby.engine.table import Table
from bestby.inference import clusters
from bestby.metrics.base import MeanMetric, Metric


def are_answers(group: Group, m: int, systems: Iterable[int]) -> bool:
    """Return whether all scores of systems are 0/1 values of single items that the metric calls answers."""
    metric = group.metrics[m]
    if not isinstance(metric, MeanMetric) or not metric.proportions:
        return False
    found = (group.contributions(m, int(system)) for system in systems)
    return all(one is not None and one.single_items and one.binary for one in found)


def unit_means(table: Table, m: int) -> FloatArray:
    """Return the mean of each unit for every system, shape (C, S), of the metric at this position."""
    means = [table.column(int(value)) / table.column(int(count)) for value, count in table.columns[m]]
    return np.column_stack(means)


def mean(table: Table, m: int, a: int, b: int | None) -> Contributions | None:
    """Return a mean, or the difference of two; None if units hold unequally many items."""
    columns = table.columns[m]
    column, size = int(columns[a][0]), table.constant(int(columns[a][1]))
    if size is None:
        return None
    if b is None:
        values = table.column(column) / size
    else:
        values = table.difference(column, int(columns[b][0]))
        values = values if size == 1.0 else values / size
    return Contributions(values, table.units.counts, table.units.bounds, not table.clustered)


def are_possible(metric: Metric, k: int, *, difference: bool) -> bool:
    """Return whether a metric of rows (R, k) is a share, or also a difference of two; most are not."""
    if type(metric).trials is Metric.trials or (difference and not metric.same_trials):
        return False
    return metric.trials(np.empty((0, k))) is not None


def answers(metric: Metric, table: Table, m: int, a: int, b: int | None) -> Contributions | None:
    """Return whether each item that a share counts is a success, or the difference of two systems.

    `m` is the position of the metric in the table. None if the score is no share of single items in one
    stratum, or counts no item.
    """
    found = _trials(metric, table, m, a, b)
    if found is None or table.clustered or table.units.n_strata > 1:
        return None
    tried = found[1] == 1.0
    counts = table.units.counts[tried]
    if not counts.size:
        return None
    return Contributions(found[0][tried], counts, np.array([0, counts.size]), single_items=True)


def equal_units(metric: Metric, table: Table, m: int, a: int, b: int | None) -> float | None:
    """Return how many units of equal size a mean or a share is made of (Kish 1965, section 8.2).

    None for what is neither, and for a share of nothing.
    """
    sizes: FloatArray | None = table.sizes
    if not isinstance(metric, MeanMetric):
        found = _trials(metric, table, m, a, b)
        sizes = None if found is None or not found[1].any() else found[1]
    if sizes is None:
        return None
    return clusters.equal_units(sizes, table.units.counts)


def _trials(
    metric: Metric, table: Table, m: int, a: int, b: int | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return the successes of A, or those less the ones of B, and the trials of each distinct unit."""
    if not are_possible(metric, table.columns[m][a].size, difference=b is not None):
        return None
    of_a = metric.trials(table.rows(table.columns[m][a]))
    if of_a is None or b is None:
        return of_a
    of_b = metric.trials(table.rows(table.columns[m][b]))
    return None if of_b is None else (of_a[0] - of_b[0], of_a[1])
