"""Peak memory stays within 150 MB above the inputs, however many resamples are drawn."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from bestby import compare

pytestmark = pytest.mark.long


@pytest.mark.parametrize("metric", ["rmse", "pearson"])
def test_a_hundred_thousand_resamples_of_two_thousand_items(metric: str) -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=2000)
    systems = {"a": gold + rng.normal(size=2000), "b": gold + rng.normal(size=2000)}
    if metric == "pearson":  # 4e8 draws of eight columns take seconds; memory shows with fewer too
        systems = {name: values[:150] for name, values in systems.items()}
        gold = gold[:150]
    compare(systems, gold, metric=metric, interval="percentile", n_resamples=10)  # imports are not measured
    tracemalloc.start()
    result = compare(systems, gold, metric=metric, interval="percentile", n_resamples=100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.provenance.n_resamples == 100_000
    assert peak < 150e6


def test_ranks_hold_a_block_of_weights_at_a_time() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 2000)
    systems = {"a": gold + rng.normal(size=2000), "b": gold + rng.normal(size=2000)}
    compare(systems, gold, metric="roc_auc", n_resamples=3000)  # imports are not measured
    tracemalloc.start()
    compare(systems, gold, metric="roc_auc", n_resamples=20_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6
