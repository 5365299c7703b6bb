"""What a comparison computes on the way is freed when it returns, without the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.engine import prepare

RNG = np.random.default_rng(0)
N = 60
LABELS = RNG.choice(["x", "y", "z"], N)
NUMBERS = RNG.normal(size=N)


def labels() -> dict[str, Any]:
    return {name: np.where(RNG.random(N) < 0.7, LABELS, "x") for name in "abc"}


def numbers() -> dict[str, Any]:
    return {name: NUMBERS + RNG.normal(size=N) for name in "abc"}


def a_function(gold: Any, predictions: Any) -> float:
    return float(np.median(np.abs(gold - predictions)))


def by_dataset() -> dict[str, Any]:
    return {name: bb.Evaluation.of(labels(), LABELS) for name in ("first", "second", "third")}


QUESTIONS: dict[str, Callable[[], Any]] = {
    "counts": lambda: bb.compare(labels(), LABELS, margin=0.1),
    "a function of sums": lambda: bb.compare(labels(), LABELS, metric="f1_macro", n_resamples=99),
    "ranks": lambda: bb.compare(numbers(), NUMBERS, metric="spearman", n_resamples=99, margin=0.1),
    "a function": lambda: bb.compare(numbers(), NUMBERS, metric=a_function, n_resamples=49),
    "blocks": lambda: bb.compare(labels(), LABELS, metric="f1_macro", clusters=bb.Blocks(5), n_resamples=99),
    "clusters": lambda: bb.compare(numbers(), NUMBERS, metric="pearson", clusters=np.arange(N) // 4),
    "simultaneous": lambda: bb.compare(numbers(), NUMBERS, metric="mse", correction="simultaneous"),
    "scores alone": lambda: bb.evaluate(labels(), LABELS, metric="f1_macro"),
    "datasets": lambda: bb.compare_datasets(by_dataset(), n_resamples=99),
    "datasets, ranks": lambda: bb.compare_datasets(
        {name: bb.Evaluation.of(numbers(), NUMBERS) for name in ("first", "second", "third")},
        metric="spearman",
        n_resamples=99,
    ),
    "folds": lambda: bb.compare_folds(
        bb.Evaluation.of(labels(), LABELS, strata=np.arange(N) % 5), n_resamples=99
    ),
    "runs": lambda: bb.compare_runs(
        {name: [labels()["a"] for _ in range(4)] for name in "ab"}, LABELS, metric="f1_macro", n_resamples=99
    ),
    "runs, ranks": lambda: bb.compare_runs(
        {name: [numbers()["a"] for _ in range(4)] for name in "ab"},
        NUMBERS,
        metric="spearman",
        n_resamples=99,
    ),
    "slices": lambda: bb.compare_slices(
        labels(), LABELS, by={"half": np.arange(N) % 2}, metric="f1_macro", n_resamples=99
    ),
}


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[weakref.ref[Any]]]:
    """References to all groups that are prepared, the garbage collector being off."""
    prepared: list[weakref.ref[Any]] = []
    original = prepare.groups

    def recorded(*args: Any, **settings: Any) -> Any:
        found = original(*args, **settings)
        prepared.extend(map(weakref.ref, found))
        return found

    monkeypatch.setattr(prepare, "groups", recorded)
    gc.collect()
    gc.disable()
    yield prepared
    gc.enable()


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_waits_for_the_collector(question: str, groups: list[weakref.ref[Any]]) -> None:
    result = QUESTIONS[question]()
    assert groups
    assert [one() for one in groups if one() is not None] == []
    assert result is not None
