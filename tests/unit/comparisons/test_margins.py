"""Every function with a margin refuses one that is no positive number, or that no difference could reach."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Collection
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


def facets(**more: Any) -> Any:
    answers = {name: np.stack([values, np.roll(values, 1), values]) for name, values in SYSTEMS.items()}
    return bb.compare_facets(answers, GOLD, metric="accuracy", facets="prompt", **more)


def study(**more: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        made = bb.Study(Path(folder) / "study")
        for name, values in SYSTEMS.items():
            made.add(name, run=0, predictions=values, gold=GOLD)
        return made.compare(metric="accuracy", **more)


COMPARISONS = [items, gate, runs, datasets, facets, folds, study]


@pytest.mark.parametrize("compared", COMPARISONS)
@pytest.mark.parametrize("margin", [1.0, 5])
def test_a_margin_out_of_reach_is_refused(compared: Callable[..., Any], margin: float) -> None:
    with pytest.raises(
        bb.errors.InvalidInputError, match=rf"margin of accuracy is {margin:g}, and"
    ) as caught:
        compared(margin=margin)
    assert caught.value.hint
    assert "on the scale of accuracy" in caught.value.hint
    assert caught.value.argument == "margin"


@pytest.mark.parametrize("compared", COMPARISONS)
def test_a_margin_within_reach_is_used(compared: Callable[..., Any]) -> None:
    assert compared(margin=0.99) is not None


def test_of_measures_without_bounds_every_margin_is_in_reach() -> None:
    numbers = {name: RNG.normal(size=40) for name in "ab"}
    assert (
        bb.compare(numbers, metric=bb.ScoreMetric("points", greater_is_better=True), margin=50.0).margin
        == 50.0
    )


JUDGED = {name: RNG.random(40).tolist() for name in "ab"}


def numbers(**more: Any) -> Any:
    return bb.compare(JUDGED, metric=bb.ScoreMetric("points", greater_is_better=True), **more)


def gate_of_numbers(**more: Any) -> Any:
    return bb.gate(JUDGED, metric=bb.ScoreMetric("points", greater_is_better=True), **more)


def frontier_of_prices(margin: Any) -> Any:
    return bb.frontier(SYSTEMS, GOLD, cost=dict.fromkeys(SYSTEMS, 1.0), margin=margin)


def margin_of_a_gate(margin: Any) -> Any:
    return gate_of_numbers(margin=0.1).with_margin(margin)


def runs_of_numbers(**more: Any) -> Any:
    return bb.compare_runs({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 7.0]}, **more)


def datasets_of_numbers(**more: Any) -> Any:
    data = {name: bb.Evaluation.of(JUDGED) for name in "xyz"}
    return bb.compare_datasets(data, metric=bb.ScoreMetric("points", greater_is_better=True), **more)


def folds_of_numbers(**more: Any) -> Any:
    frame = [{"fold": place, "a": RNG.normal(), "b": RNG.normal()} for place in range(5)]
    return bb.compare_folds(
        frame, fold="fold", metric=bb.ScoreMetric("points", greater_is_better=True), ratio=0.25, **more
    )


def study_of_means(**more: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        made = bb.Study(Path(folder) / "study")
        gold = RNG.normal(size=40)
        for name, values in JUDGED.items():
            made.add(name, run=0, predictions=np.array(values), gold=gold)
        return made.compare(metric="mse", **more)


def preferences(**more: Any) -> Any:
    won = [{"a": "x", "b": "y", "winner": "xy"[place % 3 > 0]} for place in range(30)]
    return bb.compare_preferences(won, **more)


def judged(**more: Any) -> Any:
    human = {name: [*values[:20], *[None] * 20] for name, values in JUDGED.items()}
    return bb.compare_judged(JUDGED, human, labels_drawn="random", **more)


def monitor(**more: Any) -> Any:
    return bb.Monitor(["a", "b"], bounds=None, **more)


def bounded_monitor(**more: Any) -> Any:
    return bb.Monitor(["a", "b"], bounds=(0, 1), **more)


def plan(**more: Any) -> Any:
    return bb.power(bb.planning.PairedScores(0.1, sd=1.0, **more), n=100)


def plan_of_proportions(margin: Any) -> Any:
    return bb.planning.PairedProportions(0.84, 0.80, agreement=0.9).with_margin(margin)


def labels(**more: Any) -> Any:
    return bb.plan_labels(bb.planning.JudgedScores(sd=0.5, correlation=0.7, n_items=5000), **more)


def board(**more: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        gold = Path(folder) / "gold.csv"
        gold.write_text("id,gold\n" + "".join(f"q{place},{place}\n" for place in range(30)), encoding="utf-8")
        return bb.Board.create(Path(folder) / "board", gold, title="t", metrics="mse", **more)


def board_of_results(**more: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        rows = [f"q{place},{place % 7},{place % 5}\n" for place in range(30)]
        results = Path(folder) / "results.csv"
        results.write_text("id,a,b\n" + "".join(rows), encoding="utf-8")
        return bb.Board.from_results(Path(folder) / "board", results, **more)


def parameters(thing: Any) -> Collection[str]:
    """Return the names of the parameters of a function or a class; none of other things."""
    try:
        return inspect.signature(thing).parameters if callable(thing) else ()
    except ValueError:
        return ()


WITH_MARGINS = [
    *COMPARISONS, numbers, frontier_of_prices, gate_of_numbers, margin_of_a_gate, runs_of_numbers,
    datasets_of_numbers, folds_of_numbers, study_of_means, preferences, judged, monitor, bounded_monitor,
    plan, plan_of_proportions, labels, board, board_of_results,
]  # fmt: skip


@pytest.mark.parametrize("margin", [np.inf, -np.inf, np.nan, 0.0, -0.1])
@pytest.mark.parametrize("function", WITH_MARGINS)
def test_a_margin_that_is_no_positive_finite_number_is_refused(
    function: Callable[..., Any], margin: float
) -> None:
    with pytest.raises(
        bb.errors.InvalidInputError, match=rf"margin must be a positive number.*, got {margin}"
    ) as caught:
        function(margin=margin)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("it is the smallest difference that matters")
    assert caught.value.argument == "margin"


@pytest.mark.parametrize("function", WITH_MARGINS)
def test_a_positive_margin_is_taken(function: Callable[..., Any]) -> None:
    assert function(margin=0.05) is not None


def test_every_public_function_with_a_margin_is_tried_here() -> None:
    rooms = (bb, bb.planning)
    functions = {
        name for room in rooms for name in room.__all__ if "margin" in parameters(getattr(room, name))
    }
    tried = {
        "Monitor", "PairedScores", "compare", "compare_datasets", "compare_facets", "compare_folds",
        "compare_judged", "compare_preferences", "compare_runs", "frontier", "gate", "plan_labels",
    }  # fmt: skip
    results = {name for name in functions if name in bb.results.__all__}
    assert functions - results == tried


@pytest.mark.parametrize("margin", [1e-320, 1e-160, 1e-80, 1e80])
def test_a_margin_that_has_no_square_is_refused_before_a_table_is_printed(margin: float) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="margin must be 0 or lie between 1e-75 and 1e"):
        bb.compare({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 4.0]}, margin=margin)
