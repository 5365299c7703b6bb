"""Comparisons of many systems that are right or wrong on every item."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

from bestby import compare
from bestby._core.typing import Array
from bestby.comparisons import one_metric
from bestby.report.comparison import Comparison

N_SYSTEMS = 64
N_ITEMS = 300


def right(n_systems: int = N_SYSTEMS, n_items: int = N_ITEMS) -> dict[str, Array]:
    """Return systems of rising ability, two the same, two nearly, one always right and one never."""
    rng = np.random.Generator(np.random.PCG64(5))
    hard = rng.normal(size=n_items)
    able = np.sort(rng.normal(0.8, 0.7, size=n_systems - 4))
    scores = {
        f"s{i:02d}": (rng.random(n_items) < 1.0 / (1.0 + np.exp(-(a + 1.5 * hard)))).astype(int)
        for i, a in enumerate(able)
    }
    near = scores["s09"].copy()
    near[:3] = 1 - near[:3]
    more = {
        "copy": scores["s05"],
        "near": near,
        "always": np.ones(n_items, int),
        "never": np.zeros(n_items, int),
    }
    return {**scores, **more}


@cache
def many() -> Comparison:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_metric, "MOST_HELD", 100)
        return compare(right())


@cache
def held() -> Comparison:
    """Return the same with every difference held."""
    return dataclasses.replace(many(), differences=tuple(many().differences))
