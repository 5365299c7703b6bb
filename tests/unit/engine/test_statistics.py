"""The statistics of one system: distinct units, counted, in an order that the items leave no trace in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bestby import Evaluation, Metric
from bestby.engine import prepare
from bestby.engine import statistics as engine_statistics
from bestby.engine.statistics import Design, Rows, Statistics, _summed
from bestby.engine.sums import SumGroup
from bestby.metrics.registry import resolve

N = 120
RNG = np.random.default_rng(0)
CLUSTERS = RNG.integers(0, 50, N)
CLUSTERS[:50] = np.arange(50)


def of(rows: Any, design: Design) -> Statistics:
    """Return the statistics of a system; the metric has no say in them."""
    return Statistics.of(resolve("mean"), 0, Rows(np.asarray(rows, dtype=float)), design)  # type: ignore[arg-type]


def same(one: Statistics, other: Statistics) -> bool:
    """Return whether all but the places of the units is the same to the bit."""
    pairs = [
        (one.X, other.X),
        (one.units.counts, other.units.counts),
        (one.units.bounds, other.units.bounds),
        (one.sizes, other.sizes),
    ]
    return all(np.array_equal(first, second) for first, second in pairs)


class Reusing(Metric):
    """Fills the same array for every system."""

    name = "reusing"
    reads = "numbers"

    def __init__(self, n: int, k: int) -> None:
        self.memory = np.empty((k, n))

    def statistics(self, gold: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        self.memory[:] = np.arange(len(self.memory))[:, None] + predictions - gold
        return self.memory.T

    def score(self, totals: np.ndarray) -> np.ndarray:
        return totals[..., 0]


@pytest.mark.parametrize(("n", "k"), [(50, 2), (100, 2000), (100_000, 2)])
def test_a_metric_may_use_its_memory_again(n: int, k: int) -> None:
    gold = np.linspace(0.0, 1.0, n)
    data = Evaluation.of({f"s{s}": gold + 0.25 * s for s in range(3)}, gold=gold)
    (group,) = prepare.groups(data, [Reusing(n, k)])
    for s in range(3):
        assert group.statistics[s].total == pytest.approx(n * (np.arange(k) + 0.25 * s))  # type: ignore[attr-defined]


# -- rows that look alike, and rows that are ---------------------------------------------------------------


def test_a_huge_column_does_not_make_other_rows_one() -> None:
    """In a sum of all columns, numbers 1e30 times as small are lost: rows are told apart by themselves."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.repeat([1e30, 0.0], 100), rng.normal(size=200), rng.integers(0, 2, 200)])
    order = rng.permutation(200)
    one, other = of(rows, Design(200)), of(rows[order], Design(200))
    assert one.units.n_rows == 200
    assert one.total[1] == pytest.approx(rows[:, 1].sum(), rel=1e-12)
    assert same(one, other)


def test_rows_that_a_huge_column_hides_are_counted_where_they_are_equal() -> None:
    rows = np.column_stack([np.full(4, 1e30), [2.0, 1.0, 2.0, 1.0]])
    order, fresh = engine_statistics.ordered(rows, [np.full(4, 1e30), np.array([0, 0, 0, 1])])
    assert order.tolist() == [1, 0, 2, 3]
    assert fresh.tolist() == [True, True, False, True]


# -- what the score makes of them --------------------------------------------------------------------------


def system(name: str, **groups: Any) -> Statistics:
    """Return the statistics of a system of real numbers, or of labels."""
    rng = np.random.default_rng(8)
    gold = rng.normal(size=90) if name in ("rmse", "pearson", "mse") else rng.integers(0, 3, 90)
    noisy = gold + rng.normal(size=90) if gold.dtype == float else np.where(rng.random(90) < 0.6, gold, 0)
    (group,) = prepare.groups(Evaluation.of({"a": noisy}, gold, **groups), [resolve(name)])
    assert isinstance(group, SumGroup)
    return group.statistics[0]


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_sums_of_clusters_do_not_depend_on_the_order_of_the_items(scale: float) -> None:
    rng = np.random.default_rng(11)
    rows, clusters = rng.choice([0.1, 0.2, 0.3, 0.7], size=(400, 2)) * scale, rng.integers(0, 40, 400)
    first = _summed(Rows(rows), clusters, 40)
    for _ in range(20):
        order = rng.permutation(400)
        assert (_summed(Rows(rows[order]), clusters[order], 40) == first).all()
    exact = [[math.fsum(column) for column in rows[clusters == c].T] for c in range(40)]
    assert first.tolist() == exact


def test_sums_of_numbers_that_are_not_finite() -> None:
    rows = np.array([[np.inf, 1.0], [2.0, np.nan], [3.0, 4.0]])
    assert _summed(Rows(rows), np.array([0, 0, 1]), 2) == pytest.approx(
        np.array([[np.inf, np.nan], [3.0, 4.0]]), nan_ok=True
    )
