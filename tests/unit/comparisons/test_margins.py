"""Every comparison with a margin refuses one that no difference of its metric could reach."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb

RNG = np.random.default_rng(4)
GOLD = RNG.integers(0, 2, 60)
SYSTEMS = {name: np.where(RNG.random(60) < 0.8, GOLD, 1 - GOLD) for name in "ab"}


def items(**more: Any) -> Any:
    return bb.compare(SYSTEMS, GOLD, **more)


def gate(**more: Any) -> Any:
    return bb.gate(SYSTEMS, GOLD, **more)


def runs(**more: Any) -> Any:
    two = {name: [values, np.roll(values, 1), np.roll(values, 2)] for name, values in SYSTEMS.items()}
    return bb.compare_runs(two, GOLD, metric="accuracy", **more)


def datasets(**more: Any) -> Any:
    data = {name: bb.Evaluation.of(SYSTEMS, GOLD) for name in ("x", "y", "z")}
    return bb.compare_datasets(data, metric="accuracy", **more)


def folds(**more: Any) -> Any:
    frame = [
        {"fold": place % 5, "gold": gold, "a": a, "b": b}
        for place, (gold, a, b) in enumerate(zip(GOLD, *SYSTEMS.values(), strict=True))
    ]
    return bb.compare_folds(frame, fold="fold", gold="gold", metric="accuracy", **more)


def study(**more: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        made = bb.Study(Path(folder) / "study")
        for name, values in SYSTEMS.items():
            made.add(name, run=0, predictions=values, gold=GOLD)
        return made.compare(metric="accuracy", **more)


COMPARISONS = [items, gate, runs, datasets, folds, study]


@pytest.mark.parametrize("compared", COMPARISONS)
@pytest.mark.parametrize("margin", [1.0, 5])
def test_a_margin_out_of_reach_is_refused(compared: Callable[..., Any], margin: float) -> None:
    with pytest.raises(bb.InvalidInputError, match=rf"margin of accuracy is {margin:g}, and") as caught:
        compared(margin=margin)
    assert caught.value.hint
    assert "on the scale of accuracy" in caught.value.hint
    assert caught.value.argument == "margin"


@pytest.mark.parametrize("compared", COMPARISONS)
def test_a_margin_within_reach_is_used(compared: Callable[..., Any]) -> None:
    assert compared(margin=0.99) is not None


def test_of_measures_without_bounds_every_margin_is_in_reach() -> None:
    numbers = {name: RNG.normal(size=40) for name in "ab"}
    assert bb.compare(numbers, metric="points", margin=50.0, greater_is_better=True).margin == 50.0
