"""Pairs of ranks are those of all pairs, and derivatives by the weights of items those of small steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bestby.metrics import correlation, ranks
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
    steps = np.array([found.path(unit)(np.array([STEP, 0.0, -STEP])) for unit in np.eye(23)])
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
    here = [found.path(w - 1.0)(np.ones(1))[0] for w in weights]
    np.testing.assert_allclose(here, metric.weighted(items, weights), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 17, 31, 32, 33, 64, 65, 97, 160, 1000])
@pytest.mark.parametrize("values", [2, 40, 10_000])
@pytest.mark.parametrize("chunk", [32, ranks.CHUNK])
def test_concordance_is_that_of_all_pairs(
    n: int, values: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In parts and in blocks of any number, with ties in both columns, in one, in none."""
    monkeypatch.setattr(ranks, "CHUNK", chunk)
    rng = np.random.default_rng(n + values)
    x = rng.integers(0, values, n)
    y = (x + rng.integers(0, values, n)) // 2
    weights = rng.normal(size=n)
    untied = rng.permutation(n)
    for one, other in ((x, y), (untied, y), (x, untied), (untied, rng.permutation(n))):
        groups = [np.unique(part, return_inverse=True)[1] for part in (one, other)]
        signs = np.sign(one[None, :] - one[:, None]) * np.sign(other[None, :] - other[:, None])
        pairs = ranks.Concordance(*groups)
        np.testing.assert_array_equal(pairs.signs(), signs.sum(axis=1))
        assert pairs.total(weights) == pytest.approx(weights @ signs @ weights, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [16_385, 2 * ranks.CHUNK + 5])
def test_concordance_of_many_items_in_order_and_in_reverse(n: int) -> None:
    order, ones = np.arange(n), np.ones(n)
    for other, sign in ((order, 1), (order[::-1], -1)):
        pairs = ranks.Concordance(order, other)
        assert (pairs.signs() == sign * (n - 1)).all()
        assert pairs.total(ones) == sign * n * (n - 1)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 129, 300, 517])
def test_inversions_are_those_of_all_pairs(n: int) -> None:
    rng = np.random.default_rng(n)
    weights = rng.integers(0, 4, (5, n))
    for places in (rng.permutation(n), np.arange(n), np.arange(n)[::-1].copy()):
        inverted = np.triu(places[:, None] > places[None, :])
        expected = np.einsum("ri,ij,rj->r", weights, inverted, weights)
        assert (ranks.Inversions(places).count(weights.astype(np.uint8)) == expected).all()


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("metric", METRICS[2:], ids=lambda metric: metric.name)
def test_the_curvature_is_the_sum_of_the_second_derivatives(
    metric: WeightedMetric, digits: int | None
) -> None:
    found = metric.derivatives(prepared(metric, 150, digits))
    assert found is not None
    assert found.curvature is not None
    assert found.curvature() == pytest.approx(found.second().sum(), rel=1e-12)


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
    steps = np.array([found.path(change)(np.array([STEP, 0.0, -STEP])) for change in changes])
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
    monkeypatch.setattr(correlation, "CHUNK", 1)
    np.testing.assert_allclose(found.second_of_groups(of), whole, rtol=1e-12)
