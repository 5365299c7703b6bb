"""Measures: what turns gold and predictions into statistics, and totals into scores."""

from bestby.metrics.base import BaseMetric, FunctionMetric, MeanMetric, Metric, WeightedMetric
from bestby.metrics.registry import available, default, resolve

__all__ = [
    "BaseMetric",
    "FunctionMetric",
    "MeanMetric",
    "Metric",
    "WeightedMetric",
    "available",
    "default",
    "resolve",
]
