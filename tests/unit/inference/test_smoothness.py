"""What moves in steps, as quantiles do, and what moves smoothly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bestby import compare
from bestby.engine.interval_choice import choose_interval, reservation
from bestby.inference.influence import in_steps, random_sets


def median_error(gold: Any, x: Any) -> float:
    return float(np.median(np.abs(gold - x)))


def late_error(gold: Any, x: Any) -> float:
    return float(np.quantile(np.abs(gold - x), 0.9))


def correlation(gold: Any, x: Any) -> float:
    return float(np.corrcoef(gold, x)[0, 1])


def root_error(gold: Any, x: Any) -> float:
    return float(np.sqrt(np.square(gold - x).mean()))


def right(gold: Any, x: Any) -> float:
    return float(np.mean((gold > 0) == (x > 0)))


def f1(gold: Any, x: Any) -> float:
    both = np.count_nonzero(gold > 0) + np.count_nonzero(x > 0)
    return 2.0 * np.count_nonzero((gold > 0) & (x > 0)) / both


def data(n: int, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    gold, a, b = rng.normal(size=(3, n))
    return {"a": gold + 0.6 * a, "b": gold + 0.8 * b}, gold


@pytest.mark.parametrize("n", [50, 300])
@pytest.mark.parametrize(
    ("function", "steps"),
    [
        (median_error, True),
        (late_error, True),
        (correlation, False),
        (root_error, False),
        (right, False),
        (f1, False),
    ],
)
def test_only_quantiles_get_the_percentile_interval(
    function: Callable[[Any, Any], float], steps: bool, n: int
) -> None:
    systems, gold = data(n)
    difference = compare(systems, gold, metric=function, n_resamples=60, test="wald")["a", "b"]
    assert (difference.interval.method == "percentile") is steps
    codes = {note.code for note in difference.notes}
    assert ("moves_in_steps" in codes) is (steps and n < 100)


def test_bca_of_a_quantile_is_noted_and_percentile_named() -> None:
    systems, gold = data(60)
    difference = compare(systems, gold, metric=median_error, interval="bca", n_resamples=60, test="wald")[
        "a", "b"
    ]
    (note,) = (note for note in difference.notes if note.code == "moves_in_steps")
    assert "the BCa bootstrap interval is probably too short, and percentile is better" in note.message


def test_more_than_a_thousand_items_are_left_out_in_groups() -> None:
    systems, gold = data(1500)
    for function, method in ((median_error, "percentile"), (root_error, "bca")):
        difference = compare(systems, gold, metric=function, n_resamples=20, test="bootstrap")["a", "b"]
        assert difference.interval.method == method


def test_what_is_undefined_or_never_moves_does_not_move_in_steps() -> None:
    sets = random_sets(20, np.random.default_rng(0))
    assert (sets.sum(axis=1) == 4).all()
    left_out, together = np.full(20, 0.5), np.full(sets.shape[0], 0.5)
    assert not in_steps(0.5, left_out, together, sets)
    left_out[3] = np.nan
    assert not in_steps(0.5, left_out, together, sets)


def test_the_choice_and_the_reservation() -> None:
    given: dict[str, Any] = {
        "proportion": False,
        "difference": True,
        "plain_mean": False,
        "stratified": False,
    }
    assert choose_interval(n_differing=500, n_effective=400.0, steps=True, **given).method == "percentile"
    assert choose_interval(n_differing=500, n_effective=400.0, **given).method == "bca"
    few = choose_interval(n_differing=20, few_clusters=True, robust=True, steps=True, **given)
    assert few.method == "cr2"
    assert reservation("percentile", difference=True, n_differing=100, n_effective=4.0, steps=True) is None
    note = reservation("percentile", difference=True, n_differing=99, n_effective=40.0, steps=True)
    assert note is not None
    assert note.code == "moves_in_steps"
