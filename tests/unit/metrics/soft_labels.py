"""Metrics of soft labels, fitted and scored."""

from __future__ import annotations

import numpy as np

from bestby.metrics import resolve

ENTROPIES = ("entropy_similarity", "entropy_correlation")


def fitted_metric(name, gold, predictions):
    return resolve(name).fit(gold, [predictions], np.arange(gold.shape[1]))


def score_of(name, gold, predictions, weights=None):
    metric = fitted_metric(name, gold, predictions)
    rows = metric.statistics(gold, predictions)
    return float(metric.score(rows.sum(axis=0) if weights is None else weights @ rows))
