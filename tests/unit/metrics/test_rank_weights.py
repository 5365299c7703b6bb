"""Derivatives of metrics of ranks by the weights of the items are those of small steps, also with ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.metrics import _rank_groups, _rank_pairs
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
            np.testing.assert_allclose(_rank_pairs.concordance(*groups, weights), signs @ weights, atol=1e-12)
            np.testing.assert_array_equal(_rank_pairs.concordance(*groups), signs.sum(axis=1))
            assert _rank_pairs.agreement(*groups, weights) == pytest.approx(
                weights @ signs @ weights, abs=1e-12
            )
            assert _rank_pairs.mean_concordance(*groups) == pytest.approx(signs.sum() / n, abs=1e-12)


@pytest.mark.parametrize("n", [31, 32, 33, 64, 65, 95, 96, 97, 129, 160, 224, 1000])
@pytest.mark.parametrize("values", [3, 50, 10_000])
def test_pairs_are_counted_in_blocks_of_any_number(n: int, values: int) -> None:
    rng = np.random.default_rng(n + values)
    x = rng.integers(0, values, n)
    y = (x + rng.integers(0, values, n)) // 2
    groups = [np.unique(part, return_inverse=True)[1] for part in (x, y)]
    assert _rank_pairs.mean_concordance(*groups) == pytest.approx(
        _rank_pairs.concordance(*groups).mean(), rel=1e-12
    )


@pytest.mark.parametrize("digits", [None, 1, 0])
def test_the_curvature_is_the_sum_of_the_second_derivatives(digits: int | None) -> None:
    found = METRICS[2].derivatives(prepared(METRICS[2], 150, digits))
    assert found is not None
    assert found.curvature is not None
    assert found.curvature() == pytest.approx(found.second().sum(), rel=1e-12)


def test_paths_of_two_changes_in_turn_are_not_mixed_up() -> None:
    found = METRICS[0].derivatives(prepared(METRICS[0], 40, None))
    assert found is not None
    one, other = np.random.default_rng(0).normal(0.0, 0.1, (2, 40))
    steps = np.array([0.0, 1.0])
    first = found.along(one, steps)
    assert (found.along(other, steps) != first)[1]
    np.testing.assert_array_equal(found.along(one, steps), first)


# -- groups of items ---------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("n_groups", [1, 5, 60, 120])
def test_second_derivatives_of_groups_are_those_of_common_steps(
    metric: WeightedMetric, digits: int | None, n_groups: int
) -> None:
    """Groups of one item, of a few, and of more than the root of all, which have a way of their own."""
    n = 120
    found = metric.derivatives(prepared(metric, n, digits))
    assert found is not None
    assert found.second_of_groups is not None
    of = np.random.default_rng(n_groups).permutation(np.arange(n) % n_groups)
    of[: n // 4][of[: n // 4] > 0] = 0  # one group that is larger than the others
    of = np.unique(of, return_inverse=True)[1]
    changes = (of == np.arange(of.max() + 1)[:, None]).astype(float)
    steps = np.array([found.along(change, np.array([STEP, 0.0, -STEP])) for change in changes])
    slow = (steps[:, 0] - 2.0 * steps[:, 1] + steps[:, 2]) / STEP**2
    np.testing.assert_allclose(found.second_of_groups(of), slow, atol=1e-6)
    np.testing.assert_allclose(found.second_of_groups(np.arange(n)), found.second(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", METRICS[2:], ids=lambda metric: metric.name)
def test_pairs_of_items_of_a_group_are_looked_up_in_parts(
    metric: WeightedMetric, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = metric.derivatives(prepared(metric, 300, 1))
    assert found is not None
    assert found.second_of_groups is not None
    of = np.random.default_rng(3).integers(0, 40, 300)
    whole = found.second_of_groups(of)
    monkeypatch.setattr(_rank_groups, "CHUNK", 1)
    np.testing.assert_allclose(found.second_of_groups(of), whole, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 16383, 16384, 16385])
def test_concordance_of_items_in_order_and_in_reverse(n: int) -> None:
    """Ranks are counted in the narrowest type that holds twice their number."""
    groups = np.arange(n)
    assert _rank_pairs.mean_concordance(groups, groups) == n - 1
    assert _rank_pairs.mean_concordance(groups, groups[::-1]) == 1 - n
