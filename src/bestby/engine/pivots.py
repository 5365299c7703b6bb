"""Studentized replicates of functions of sums."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.engine.slopes import Directions
from bestby.engine.table import Table
from bestby.engine.transforms import DeltaPivots, Functional, MeanPivots
from bestby.metrics.base import Metric
from bestby.resampling import totals as resampling
from bestby.resampling.units import Units

MOST_STUDENTIZED = 24
"""Columns of statistics up to which second moments are resampled for the studentized interval."""


def mean_pivots(values: FloatArray, units: Units, drawing: Drawing) -> FloatArray:
    """Return the pivots of a mean of values (C,)."""
    n = units.n
    mean = float(units.counts @ values) / n
    centred = values - mean

    return resampling.bootstrap(
        np.column_stack([centred, centred**2]),
        units,
        drawing.n_resamples,
        drawing.seed,
        MeanPivots(n, float(np.abs(centred).max(initial=0.0))),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def function_pivots(
    metric: Metric, table: Table, columns_a: IntArray, columns_b: IntArray | None, drawing: Drawing
) -> FloatArray | None:
    """Return pivots with the delta-method variance of each resample, from its second moments.

    `columns_a` and `columns_b` are the columns of the two systems, None for the score of one. None with too
    many that vary.
    """
    score, columns = _function(metric, columns_a, columns_b)
    varying = columns[columns < table.X.shape[1]]
    if varying.size > MOST_STUDENTIZED:
        return None
    n = table.units.n
    X = table.X[:, varying]
    mean = (table.units.counts @ X) / n
    centred = X - mean
    directions = Directions.of((centred.T * table.units.counts) @ centred / n)
    coordinates = centred @ directions.across
    first, second = np.triu_indices(coordinates.shape[1])
    moments = coordinates[:, first] * coordinates[:, second]
    total = table.total()[columns]
    place = np.flatnonzero(columns < table.X.shape[1])
    return resampling.bootstrap(
        np.column_stack([coordinates, moments]),
        table.units,
        drawing.n_resamples,
        drawing.seed,
        DeltaPivots(score, total, place, directions, first, second, n),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )


def _function(metric: Metric, columns_a: IntArray, columns_b: IntArray | None) -> tuple[Functional, IntArray]:
    """Return a score or difference as a function of the totals of the columns it uses."""
    if columns_b is None:
        return Functional(metric), columns_a
    columns, position = np.unique(np.concatenate([columns_a, columns_b]), return_inverse=True)
    return Functional(metric, position[: columns_a.size], position[columns_a.size :]), columns
