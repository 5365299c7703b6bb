"""A study of the example that comes with BooStSa: three conditions, two runs of each, 1000 items.

Fornaciari, Uma, Poesio and Hovy (2022), Hard and Soft Evaluation of NLP models with BOOtSTrap SAmpling -
BooStSa, ACL 2022 demonstrations, 127-134. The scores of h0.0 and h1.0 are those of the documentation of
boostsa 0.2.13; those over both runs are what it prints for the two runs glued together.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestby.questions.study.boostsa import import_outcomes, write_outcomes
from bestby.questions.study.store import Store
from bestby.readers.files import read_labels

RUNS = ("h0.0", "h0.1", "h1.0", "h1.1", "h2.0", "h2.1")


@pytest.fixture
def study(shared_data: Callable[[str], Path], tmp_path: Path) -> Store:
    folder = shared_data("boostsa_example")
    store = Store(tmp_path / "study")
    for run in RUNS:
        condition = run[:2]
        store.add(
            condition,
            run=run,
            predictions=read_labels(folder / run / "preds.txt"),
            gold=read_labels(folder / run / "targs.txt"),
            ids=read_labels(folder / run / "idxs.txt"),
            baseline=condition == "h0",
            epochs=10,
        )
    return store


def accuracy(store: Store, condition: str, run: str) -> float:
    return float(np.mean(store.load(condition, run).predictions == store.gold().values))


def test_the_example_loads_with_its_ids(study: Store) -> None:
    gold = study.gold()
    assert gold.n_items == 1000
    assert gold.ids[:3].tolist() == [212, 600, 173]
    assert sorted(gold.ids.tolist()) != gold.ids.tolist()
    assert np.bincount(gold.values).tolist() == [465, 535]
    assert study.conditions() == ("h0", "h1", "h2")
    assert study.against("h1") == study.against("h2") == ("h0",)


def test_accuracies_as_published(study: Store) -> None:
    assert accuracy(study, "h0", "h0.0") == 0.690
    assert accuracy(study, "h1", "h1.0") == 0.741
    for condition, both in (("h0", 0.7080), ("h1", 0.7355), ("h2", 0.7155)):
        scores = [accuracy(study, condition, run) for run in study.runs(condition)]
        assert np.mean(scores) == pytest.approx(both, abs=1e-12)


def test_out_and_in_again(study: Store, tmp_path: Path) -> None:
    assert write_outcomes(study, tmp_path / "outcomes.json") is None
    content = json.loads((tmp_path / "outcomes.json").read_text())
    assert list(content) == ["h0"]
    assert list(content["h0"]["h1"]) == ["h1", "h2"]
    again = Store(tmp_path / "again")
    assert len(import_outcomes(again, tmp_path / "outcomes.json")) == len(RUNS)
    assert again.gold().hash == study.gold().hash
    for run in RUNS:
        assert again.load(run[:2], run).hash == study.load(run[:2], run).hash
