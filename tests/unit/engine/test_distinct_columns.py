"""Distinct columns of statistics are kept as they were when the metric returned them."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.metrics.base import Metric


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


@pytest.mark.parametrize(("n", "k"), [(50, 2), (100, 2000), (500, 2), (100_000, 2)])
def test_a_metric_may_use_its_memory_again(n: int, k: int) -> None:
    gold = np.linspace(0.0, 1.0, n)
    data = Evaluation.of({f"s{s}": gold + 0.25 * s for s in range(3)}, gold=gold)
    ((group, _),) = prepare.groups(data, [Reusing(n, k)])
    total = group.table.total()
    for s, columns in enumerate(group.table.columns[0]):
        assert total[columns] == pytest.approx(n * (np.arange(k) + 0.25 * s))
