"""Means and metrics of error against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sk

from bestby.metrics import MeanMetric, resolve

REFERENCE = {
    "mse": sk.mean_squared_error,
    "mae": sk.mean_absolute_error,
    "rmse": sk.root_mean_squared_error,
    "r2": sk.r2_score,
}


def test_r2_is_nan_where_a_resample_has_constant_gold():
    gold, predictions = np.array([0.1, 0.7, 0.9]), np.array([0.2, 0.7, 0.6])
    metric = resolve("r2").fit(gold, [predictions], None)
    scores = metric.score(np.array([[3, 0, 0], [1, 1, 1]]) @ metric.statistics(gold, predictions))
    assert np.isnan(scores[0])
    assert np.isfinite(scores[1])


def test_rmse_survives_a_total_a_rounding_below_zero():
    assert resolve("rmse").score(np.array([-1e-17, 5.0])) == 0.0


@pytest.mark.parametrize(("name", "better"), [("mean", True), ("mean_loss", False)])
def test_the_mean_needs_no_gold(name, better, generator):
    scores = generator.normal(size=20)
    metric = resolve(name)
    assert isinstance(metric, MeanMetric)
    assert (metric.needs_gold, metric.greater_is_better, metric.name) == (False, better, name)
    assert metric.score(metric.statistics(None, scores).sum(axis=0)) == pytest.approx(
        scores.mean(), abs=1e-15
    )


@pytest.mark.parametrize("name", ["mse", "mae", "rmse", "r2"])
def test_reads_integers_without_wrapping_around(name):
    gold, predictions = np.array([200, 10, 30], dtype=np.uint8), np.array([10, 20, 30], dtype=np.uint8)
    metric = resolve(name).fit(gold, [predictions], None)
    value = metric.score(metric.statistics(gold, predictions).sum(axis=0))
    assert value == pytest.approx(REFERENCE[name](gold.astype(float), predictions.astype(float)))
