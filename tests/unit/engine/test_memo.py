"""What is kept is not made again, and the oldest makes room."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from bestby import compare


@pytest.mark.parametrize("metric", ["mae", "pearson", "spearman"])
def test_no_array_waits_for_the_garbage_collector(metric: str) -> None:
    """Comparisons one after the other take the memory of one."""
    gold = np.random.default_rng(0).normal(size=200)
    systems = {name: gold + np.random.default_rng(seed).normal(size=200) for seed, name in enumerate("abc")}
    compare(systems, gold, metric=metric)  # imports
    gc.collect()
    gc.disable()
    try:
        compare(systems, gold, metric=metric)
        assert gc.collect() == 0
    finally:
        gc.enable()
