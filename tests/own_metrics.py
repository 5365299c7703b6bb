"""Metrics as users write them, for tests of several folders."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby import MeanMetric, Metric


class Credit(MeanMetric):
    """The mean of scores between 0 and 1."""

    name = "credit"
    bounds = (0.0, 1.0)
    needs_gold = False

    def values(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return predictions


class Spread(Metric):
    """The standard deviation from sums of squares: a root of a difference of sums, which loses digits."""

    name = "spread"
    needs_gold = False

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.column_stack([predictions, predictions**2, np.ones(predictions.size)])

    def score(self, totals: Any) -> Any:
        x, xx, n = np.moveaxis(totals, -1, 0)
        return np.sqrt(np.maximum(xx / n - (x / n) ** 2, 0.0))
