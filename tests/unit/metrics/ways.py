"""Every comparison of items by a metric, as a function of the systems, their gold and the metric."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

import bestby as bb

Way = Callable[[Any, Any, Any], Any]
FEW: dict[str, Any] = {"n_resamples": 99}


def thirds(gold: Any) -> Any:
    return np.arange(len(gold)) * 3 // len(gold)


def runs(systems: Any, gold: Any, metric: Any) -> Any:
    several = {name: [list(values), [*list(values)[:-1], values[0]]] for name, values in systems.items()}
    return bb.compare_runs(several, gold=gold, metric=metric, **FEW)


def datasets(systems: Any, gold: Any, metric: Any) -> Any:
    part = bb.Evaluation.of(systems, gold)
    return bb.compare_datasets({"x": part, "y": part}, metric=metric, **FEW)


def folds(systems: Any, gold: Any, metric: Any) -> Any:
    return bb.compare_folds({"1": bb.Evaluation.of(systems, gold, strata=thirds(gold))}, metric=metric)


def slices(systems: Any, gold: Any, metric: Any) -> Any:
    return bb.compare_slices(systems, gold, by={"half": np.arange(len(gold)) % 2}, metric=metric, **FEW)


def study(systems: Any, gold: Any, metric: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        made = bb.Study(f"{folder}/study")
        for name, values in systems.items():
            made.add(name, run=0, predictions=values, gold=gold)
        first = made.compare(metric=metric, **FEW)
        assert made.compare(metric=metric, **FEW).notes == first.notes  # also those that were kept
    return first


WAYS: dict[str, Way] = {
    "compare": lambda systems, gold, metric: bb.compare(systems, gold, metric=metric, **FEW),
    "runs": runs,
    "datasets": datasets,
    "folds": folds,
    "study": study,
}
WITH_GATES = WAYS | {
    "evaluate": lambda systems, gold, metric: bb.evaluate(systems, gold, metric=metric),
    "no interval": lambda systems, gold, metric: bb.compare(
        systems, gold, metric=metric, interval=None, **FEW
    ),
    "gate": lambda systems, gold, metric: bb.gate(systems, gold, metric=metric, **FEW),
    "slices": slices,
}
"""Also those of one system, without intervals, and of two systems."""
