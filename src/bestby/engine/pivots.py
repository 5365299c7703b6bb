"""Studentized replicates of functions of sums."""

from __future__ import annotations

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine.base import Drawing
from bestby.engine.slopes import Directions
from bestby.engine.transforms import DeltaPivots, Functional, MeanPivots, SideBySide
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


def function_pivots(metric: Metric, columns: SideBySide, units: Units, drawing: Drawing) -> FloatArray | None:
    """Return pivots with the delta-method variance of each resample, from its second moments.

    `columns` are those of one system or two; None where too many vary.
    """
    X, n = columns.X, units.n
    if X.shape[1] > MOST_STUDENTIZED:
        return None
    total = np.concatenate([units.counts @ X, n * columns.constants])
    whole = all(bool((np.rint(part) == part).all()) for part in (X, columns.constants))
    centred = X - total[: X.shape[1]] / n
    directions = Directions.of((centred.T * units.counts) @ centred / n)
    coordinates = centred @ directions.across
    first, second = np.triu_indices(coordinates.shape[1])
    moments = coordinates[:, first] * coordinates[:, second]
    return resampling.bootstrap(
        np.column_stack([coordinates, moments]),
        units,
        drawing.n_resamples,
        drawing.seed,
        DeltaPivots(Functional(metric, *columns.used), total, whole, directions, first, second, n),
        n_jobs=drawing.n_jobs,
        progress=drawing.progress,
        executor=drawing.executor,
    )
