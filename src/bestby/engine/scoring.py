"""Scores of totals, as many at once as stay in the cache."""

from __future__ import annotations

import math

import numpy as np

from bestby._core.typing import FloatArray
from bestby.metrics.base import Metric

STACKED = 1 << 17
"""Numbers handed at once to a metric: they stay in the cache of one core."""


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def scores(metric: Metric, totals: FloatArray) -> FloatArray:
    """Return the scores of totals; what a metric divides by 0 is undefined, and no matter for a warning."""
    found = np.asarray(metric.score(totals))
    if math.isfinite(np.add.reduce(found, axis=None)):  # then all of them are
        return found
    return np.where(np.isfinite(found), found, np.nan)
