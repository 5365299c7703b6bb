"""Scores of totals."""

from __future__ import annotations

import math

import numpy as np

from bestby._core.typing import FloatArray
from bestby.metrics.base import Metric


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def scores(metric: Metric, totals: FloatArray) -> FloatArray:
    """Return the scores of totals; what a metric divides by 0 is undefined, and no matter for a warning."""
    found = np.asarray(metric.score(totals))
    if math.isfinite(np.add.reduce(found, axis=None)):  # then all of them are
        return found
    return np.where(np.isfinite(found), found, np.nan)
