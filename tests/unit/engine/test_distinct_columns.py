"""Distinct columns of statistics are kept as they were when the metric returned them."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.engine.distinct_columns import distinct_columns


@pytest.mark.parametrize(("n", "k"), [(50, 2), (100, 2000), (500, 2), (100_000, 2)])
def test_a_metric_may_use_its_memory_again(n: int, k: int) -> None:
    memory = np.empty((k, n))

    def of_system(s: int) -> np.ndarray:
        memory[:] = np.arange(k)[:, None] + 0.1 * s
        return memory.T

    unique, places = distinct_columns([map(of_system, range(3))])
    for s in range(3):
        found = np.array([unique[place] for place in places[0][s]])
        assert (found == (np.arange(k) + 0.1 * s)[:, None]).all()
