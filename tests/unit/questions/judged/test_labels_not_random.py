"""The note on labels that chance has not chosen, and what it proposes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb

RNG = np.random.default_rng(8)
N = 1000
HUMAN = (RNG.random((N, 2)) < 0.7).astype(float)
JUDGE = np.where(RNG.random((N, 2)) < 0.9, HUMAN, 1.0 - HUMAN)
APART = JUDGE[:, 0] != JUDGE[:, 1]


def codes(known: np.ndarray, drawn: Any, **more: Any) -> set[str]:
    human = np.where(known[:, None], HUMAN, np.nan)
    judge, labels = (dict(zip("ab", x.T, strict=True)) for x in (JUDGE, human))
    return {note.code for note in bb.compare_judged(judge, labels, labels_drawn=drawn, **more).notes}


def test_labels_where_the_judge_sees_systems_apart_are_not_random() -> None:
    places = np.flatnonzero(APART)[:60]
    assert "labels_not_random" in codes(np.isin(np.arange(N), places), "random")


def test_what_the_note_proposes_has_no_note() -> None:
    drawn = bb.choose_items(dict(zip("ab", JUDGE.T, strict=True)), 60, rng=1)
    assert "labels_not_random" not in codes(np.isin(np.arange(N), drawn.items), "random")
    chance = np.where(APART, 0.12, 0.03)
    assert "labels_not_random" not in codes(np.random.default_rng(1).random(N) < chance, chance)


def test_strata_out_of_proportion_are_random_inside() -> None:
    known = np.zeros(N, dtype=bool)
    known[np.flatnonzero(APART)[:60]] = known[np.flatnonzero(~APART)[:30]] = True
    assert "labels_not_random" not in codes(known, "stratified", strata=APART)
    assert "labels_not_random" in codes(known, "random")


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_labels_of_predictions_are_compared_likewise(metric: str) -> None:
    rng = np.random.default_rng(2)
    gold = rng.choice(["x", "y"], N, p=[0.8, 0.2])
    predictions = {name: np.where(rng.random(N) < 0.85, gold, "x") for name in "ab"}
    judge = np.where(rng.random(N) < 0.9, gold, "y")
    wrong = (predictions["a"] != judge) & (np.cumsum(predictions["a"] != judge) <= 80)
    for known, noted in ((wrong, True), (rng.permutation(N) < 80, False)):
        human = [value if there else None for value, there in zip(gold.tolist(), known, strict=True)]
        found = bb.compare_judged(
            judge, human, predictions=predictions, metric=metric, labels_drawn="random", n_resamples=199
        )
        assert ("labels_not_random" in {note.code for note in found.notes}) == noted
