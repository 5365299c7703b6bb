"""Functions of a user: how often they are called."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bestby import compare


def systems(n: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, n)
    return {name: np.where(rng.random(n) < 0.8, gold, 1 - gold) for name in "ab"}, gold


@pytest.mark.parametrize(("n", "left_out"), [(300, 300), (1500, 200)])
def test_each_score_is_computed_once(n: int, left_out: int) -> None:
    calls: Counter[tuple[bytes, bytes]] = Counter()

    def share(gold: Any, predictions: Any) -> float:
        calls[gold.tobytes(), predictions.tobytes()] += 1
        return float(np.mean(gold == predictions))

    predictions, gold = systems(n)
    for interval in ("auto", "bca"):
        calls.clear()
        compare(predictions, gold, metric=share, interval=interval, n_resamples=70, rng=3)
        # for a note; the data; without each unit or group, and 100 sets of these; the bootstrap; the swaps
        assert sum(calls.values()) == 2 * (1 + 1 + left_out + 100 + 70 + 70)
