"""Studentized replicates of functions of sums."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.engine.base import Drawing
from bestby.engine.slopes import Directions
from bestby.engine.table import Table
from bestby.engine.transforms import DeltaPivots, Functional, MeanPivots
from bestby.resampling import totals as resampling
from bestby.resampling.units import Units


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
    score: Functional,
    table: Table,
    columns: IntArray,
    varying: IntArray,
    drawing: Drawing,
) -> FloatArray:
    """Return pivots with the delta-method variance of each resample, from its second moments."""
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
