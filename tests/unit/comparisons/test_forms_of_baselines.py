"""A baseline finds its system in another Unicode form, as ids and labels do."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bestby as bb

NAME = "mod\xe8le"
OTHER = unicodedata.normalize("NFD", NAME)
RNG = np.random.default_rng(0)
ONE, TWO, THREE = ((RNG.random(40) < share).astype(int) for share in (0.5, 0.7, 0.6))
SCORES = {NAME: [0.5, 0.6, 0.4, 0.7], "b": [0.6, 0.5, 0.7, 0.9], "c": [0.4, 0.6, 0.7, 0.8]}
ITEMS = {NAME: ONE, "b": TWO, "c": THREE}
JUDGED = [(NAME, "b", NAME), ("b", "c", "c"), (NAME, "c", "c"), ("b", NAME, "b"), ("c", "b", "b")] * 4
BY_DATASET = {f"d{i}": {name: row[i] for name, row in SCORES.items()} for i in range(4)}
RUNS_BY_DATASET = {f"d{i}": {n: [r[i], r[i] + 0.1, r[i]] for n, r in SCORES.items()} for i in range(4)}
CALLS: dict[str, Callable[[str], Any]] = {
    "items": lambda base: bb.compare(ITEMS, metric="mean", baseline=base),
    "slices": lambda base: bb.compare_slices(
        ITEMS, metric="mean", by={"half": np.arange(40) % 2}, baseline=base
    ),
    "runs": lambda base: bb.compare_runs(SCORES, baseline=base),
    "datasets": lambda base: bb.compare_datasets(BY_DATASET, baseline=base),
    "runs of datasets": lambda base: bb.compare_datasets(RUNS_BY_DATASET, baseline=base),
    "folds": lambda base: bb.compare_folds(SCORES, baseline=base),
    "judged": lambda base: bb.compare_judged(
        ITEMS,
        human={n: [*x[:20], *[None] * 20] for n, x in ITEMS.items()},
        labels_drawn="random",
        baseline=base,
    ),
    "preferences": lambda base: bb.compare_preferences(JUDGED, baseline=base),
    "gate": lambda base: bb.gate({n: ITEMS[n] for n in (NAME, "b")}, metric="mean", baseline=base),
}


@pytest.mark.parametrize("form", CALLS)
def test_another_form_of_its_name_finds_the_baseline(form: str) -> None:
    assert OTHER != NAME
    found, meant = CALLS[form](OTHER), CALLS[form](NAME)
    assert found.baseline == NAME
    assert found.to_json() == meant.to_json()
    with pytest.raises(bb.errors.InvalidInputError, match="is not among the systems"):
        CALLS[form]("modele")
