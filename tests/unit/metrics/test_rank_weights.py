"""Derivatives of metrics of ranks by the weights of the items are those of small steps, also with ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.metrics import _rank_weights
from bestby.metrics.base import WeightedMetric
from bestby.metrics.correlation import Kendall, Spearman
from bestby.metrics.ranking import AveragePrecision, RocAuc

METRICS: tuple[WeightedMetric, ...] = (
    RocAuc("roc_auc"),
    AveragePrecision("average_precision"),
    Spearman("spearman"),
    Kendall("kendall"),
)
STEP = 2.0**-10


def prepared(metric: WeightedMetric, n: int, digits: int | None, seed: int = 0) -> Any:
    """Return items of a gold and of predictions, rounded to so many digits, prepared."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n)
    predictions = gold + rng.normal(size=n)
    if digits is not None:
        gold, predictions = np.round(gold, digits), np.round(predictions, digits)
    if isinstance(metric, RocAuc | AveragePrecision):
        gold = (gold > 0.3).astype(int)
    return metric.prepare(gold, predictions)


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_derivatives_are_those_of_small_steps(metric: WeightedMetric, digits: int | None) -> None:
    found = metric.derivatives(prepared(metric, 23, digits))
    assert found is not None
    steps = np.array([found.along(unit, np.array([STEP, 0.0, -STEP])) for unit in np.eye(23)])
    first = (steps[:, 0] - steps[:, 2]) / (2.0 * STEP)
    second = (steps[:, 0] - 2.0 * steps[:, 1] + steps[:, 2]) / STEP**2
    np.testing.assert_allclose(found.first, first, atol=1e-6)
    np.testing.assert_allclose(found.second(), second, atol=1e-6)
    assert found.first.sum() == pytest.approx(0.0, abs=1e-13)
    assert np.abs(found.first).max() > 1e-3


@pytest.mark.parametrize("digits", [None, 0])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_whole_weights_are_multiplicities(metric: WeightedMetric, digits: int | None) -> None:
    """Weights of any size give for whole numbers what resamples with these multiplicities have."""
    items = prepared(metric, 23, digits)
    found = metric.derivatives(items)
    assert found is not None
    weights = np.random.default_rng(1).integers(0, 4, (5, 23))
    here = [found.along(w - 1.0, np.ones(1))[0] for w in weights]
    np.testing.assert_allclose(here, metric.weighted(items, weights), rtol=1e-12)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_the_jackknife_is_near(metric: WeightedMetric) -> None:
    """Leaving out an item takes its influence away, up to a part of 1 / n."""
    n = 200
    items = prepared(metric, n, 1)
    found = metric.derivatives(items)
    assert found is not None
    without = metric.weighted(items, np.ones((n, n), dtype=int) - np.eye(n, dtype=int))
    moved = metric.weighted(items, np.ones((1, n), dtype=int)) - without
    assert np.corrcoef(moved, found.first)[0, 1] > 0.999
    assert moved.std() / found.first.std() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("values", [2, 5, 40])
def test_concordance_is_that_of_all_pairs(values: int) -> None:
    rng = np.random.default_rng(values)
    for n in (2, 3, 17, 40):
        for x, y in (
            (rng.integers(0, values, n), rng.integers(0, values, n)),
            (rng.permutation(n), rng.integers(0, values, n)),
            (rng.integers(0, values, n), rng.permutation(n)),
        ):
            groups = [np.unique(part, return_inverse=True)[1] for part in (x, y)]
            weights = rng.normal(size=n)
            signs = np.sign(x[None, :] - x[:, None]) * np.sign(y[None, :] - y[:, None])
            np.testing.assert_allclose(
                _rank_weights.concordance(*groups, weights), signs @ weights, atol=1e-12
            )
            np.testing.assert_array_equal(_rank_weights.concordance(*groups), signs.sum(axis=1))
