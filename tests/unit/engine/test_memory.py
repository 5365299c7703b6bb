"""Peak memory stays within 150 MB above the inputs, however many resamples are drawn."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from bestby import compare

pytestmark = pytest.mark.long


def peak_of(n_resamples: int, systems: Any, gold: Any, **settings: Any) -> int:
    """Return the greatest number of bytes that a comparison held."""
    tracemalloc.start()
    result = compare(systems, gold, n_resamples=n_resamples, **settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.provenance.n_resamples == n_resamples
    return peak


@pytest.mark.parametrize(
    ("metric", "n", "drawn"), [("rmse", 2000, 15_000), ("pearson", 150, 60_000), ("roc_auc", 2000, 6000)]
)
def test_blocks_of_resamples_are_drawn_and_scores_alone_are_kept(metric: str, n: int, drawn: int) -> None:
    """A resample more adds the scores of two systems, and not the weights of the items."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, n) if metric == "roc_auc" else rng.normal(size=n)
    systems = {name: gold + rng.normal(size=n) for name in "ab"}
    settings = {"metric": metric, "interval": "percentile"}
    compare(systems, gold, n_resamples=10, **settings)  # imports are not measured
    few, many = (peak_of(size, systems, gold, **settings) for size in (drawn // 3, drawn))
    assert many < 150e6
    assert many - few < 100 * (drawn - drawn // 3)  # bytes: a byte for each item would be more
