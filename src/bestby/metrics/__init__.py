"""Metrics: what turns gold and predictions into statistics, and totals into scores."""

from bestby.metrics.base import BaseMetric, MeanMetric, Metric, WeightedMetric
from bestby.metrics.functions import FunctionMetric
from bestby.metrics.registry import MetricRow, default, list_metrics, resolve

__all__ = [
    "BaseMetric",
    "FunctionMetric",
    "MeanMetric",
    "Metric",
    "MetricRow",
    "WeightedMetric",
    "default",
    "list_metrics",
    "resolve",
]
