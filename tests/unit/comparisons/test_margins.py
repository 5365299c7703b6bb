"""Margins: what the law of wrong settings does not reach, and those that are just in reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb

RNG = np.random.default_rng(4)
GOLD = RNG.integers(0, 2, 60)
SYSTEMS = {name: np.where(RNG.random(60) < 0.8, GOLD, 1 - GOLD) for name in "ab"}
NUMBERS = {name: RNG.random(40) for name in "ab"}
POINTS = bb.ScoreMetric("points", greater_is_better=True)


def margin_of_a_gate(folder: Path, margin: float) -> Any:
    return bb.gate(NUMBERS, metric=POINTS, margin=0.1).with_margin(margin)


def plan_of_proportions(folder: Path, margin: float) -> Any:
    return bb.planning.PairedProportions(0.84, 0.80, agreement=0.9).with_margin(margin)


def board(folder: Path, margin: float) -> Any:
    gold = folder / "gold.csv"
    gold.write_text("id,gold\n" + "".join(f"q{place},{place}\n" for place in range(30)), encoding="utf-8")
    return bb.Board.create(folder / "board", gold, title="t", metrics="mse", margin=margin)


def board_of_results(folder: Path, margin: float) -> Any:
    rows = [f"q{place},{place % 7},{place % 5}\n" for place in range(30)]
    results = folder / "results.csv"
    results.write_text("id,a,b\n" + "".join(rows), encoding="utf-8")
    return bb.Board.from_results(folder / "board", results, margin=margin)


@pytest.mark.parametrize("function", [margin_of_a_gate, plan_of_proportions, board, board_of_results])
def test_methods_refuse_a_margin_that_is_no_positive_finite_number(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    for margin in (np.inf, np.nan, 0.0, -0.1):
        with pytest.raises(bb.errors.InvalidInputError, match="margin must be a positive number") as caught:
            function(tmp_path, margin)
        assert caught.value.argument == "margin"
    assert function(tmp_path, 0.05) is not None


def test_a_margin_within_reach_is_used() -> None:
    assert bb.compare(SYSTEMS, GOLD, margin=0.99).margin == 0.99
    points = {name: 100.0 * np.asarray(scores) for name, scores in NUMBERS.items()}
    assert bb.compare(points, metric=POINTS, margin=50.0).margin == 50.0  # whose scores have no bounds


@pytest.mark.parametrize("margin", [1e-320, 1e-160, 1e-80, 1e80])
def test_a_margin_that_has_no_square_is_refused_before_a_table_is_printed(margin: float) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="margin must be 0 or lie between 1e-75 and 1e"):
        bb.compare({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 4.0]}, margin=margin)
