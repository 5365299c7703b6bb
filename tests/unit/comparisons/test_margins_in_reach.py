"""A margin that no difference can reach, and a level that nearly everything reaches, are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError

RNG = np.random.default_rng(0)
ITEMS = {name: (RNG.random(60) < share).astype(float) for name, share in (("a", 0.6), ("b", 0.8))}
RUNS = {name: RNG.normal(mean, 0.02, 6) for name, mean in (("a", 0.6), ("b", 0.7))}
DATASETS = {f"d{i}": {name: float(runs[i]) for name, runs in RUNS.items()} for i in range(6)}
GOLD = RNG.integers(0, 2, 60)

CALLS: dict[str, Callable[[dict[str, Any], float], Any]] = {
    "compare": lambda scale, margin: bb.compare(scaled(ITEMS, scale), margin=margin),
    "accuracy": lambda _, margin: bb.compare(
        {name: x.astype(int) for name, x in ITEMS.items()}, GOLD, margin=margin
    ),
    "gate": lambda scale, margin: bb.gate(scaled(ITEMS, scale), metric="mean", margin=margin),
    "runs": lambda scale, margin: bb.compare_runs(scaled(RUNS, scale), margin=margin),
    "runs of items": lambda scale, margin: bb.compare_runs(
        {name: [x, x[::-1]] for name, x in scaled(ITEMS, scale).items()}, margin=margin
    ),
    "folds": lambda scale, margin: bb.compare_folds(scaled(RUNS, scale), margin=margin),
    "datasets": lambda scale, margin: bb.compare_datasets(
        {name: scaled(row, scale) for name, row in DATASETS.items()}, margin=margin
    ),
    "frontier": lambda scale, margin: bb.frontier(
        scaled(ITEMS, scale), cost={"a": 1.0, "b": 2.0}, margin=margin
    ),
}


def scaled(values: Any, scale: Any) -> Any:
    """Return scores on another scale."""
    return {name: np.asarray(x) * scale if np.ndim(x) else x * scale for name, x in values.items()}


@pytest.mark.parametrize("name", CALLS)
def test_shares_have_a_margin_below_one(name: str) -> None:
    CALLS[name](1.0, 0.02)
    with pytest.raises(InvalidInputError, match="no difference could be larger") as caught:
        CALLS[name](1.0, 2.0)
    assert caught.value.argument == "margin"
    if name != "accuracy":
        CALLS[name](100.0, 2.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda level: bb.compare(ITEMS, level=level),
        lambda level: bb.evaluate(ITEMS, level=level),
        lambda level: bb.gate(ITEMS, metric="mean", level=level),
        lambda level: bb.compare_runs(RUNS, level=level),
        lambda level: bb.compare_folds(RUNS, level=level),
        lambda level: bb.compare_datasets(DATASETS, level=level),
        lambda level: bb.aso(RUNS["a"], RUNS["b"], level=level),
        lambda level: bb.agreement(ITEMS, level=level),
        lambda level: bb.compare_published(scores={"a": "88%", "b": "87%"}, n_items=100, level=level),
    ],
)  # fmt: skip
def test_a_level_is_no_alpha(call: Callable[[float], Any]) -> None:
    call(0.6)
    with pytest.raises(InvalidInputError, match=r"level is that of the intervals.*got 0\.05") as caught:
        call(0.05)
    assert "level=0.95" in str(caught.value.hint)
