"""Whether labelled items look drawn by chance: false alarms, choices that the scores show, and the note."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.questions.judged.labelled import unlike_random_draw

N = 600
ONE = np.zeros(N, dtype=np.int64)


def chosen(places: np.ndarray, n_systems: int = 2) -> np.ndarray:
    known = np.zeros((N, n_systems), dtype=bool)
    known[places] = True
    return known


@pytest.mark.check
def test_random_draws_are_hardly_ever_taken_for_chosen() -> None:
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(150):
        rare = (rng.random((N, 2, 1)) < 0.98).astype(float)
        alarms += unlike_random_draw(rare, chosen(rng.choice(N, 20, replace=False)), ONE, None)
        several = rng.standard_normal((N, 3, 2))
        own = np.stack([np.isin(np.arange(N), rng.choice(N, 40, replace=False)) for _ in range(3)], axis=1)
        alarms += unlike_random_draw(several, own, ONE, None)
    assert alarms <= 2  # .3 are expected


def test_clusters_drawn_as_wholes_or_labelled_in_part_are_no_choice() -> None:
    rng, alarms, cluster = np.random.default_rng(2), 0, np.arange(N) // 10
    for _ in range(100):
        judge = 3.0 * rng.standard_normal((60, 1))[cluster] + rng.standard_normal((N, 2))
        some = rng.choice(60, 35, replace=False)
        alarms += unlike_random_draw(judge[:, :, None], chosen(np.isin(cluster, some[:8])), ONE, cluster)
        part = np.isin(cluster, some) & (np.arange(N) % 10 < 4)
        alarms += unlike_random_draw(judge[:, :, None], chosen(part), ONE, cluster)
    assert alarms <= 1


@pytest.mark.check
@pytest.mark.parametrize(
    "way", ["apart", "doubtful", "lowest", "first rows", "of one system", "inside strata"]
)
def test_choices_by_the_scores_are_seen(way: str) -> None:
    rng = np.random.default_rng(3)
    judge = rng.random((N, 2)) + 0.3 * rng.random((N, 1))
    places, strata = np.arange(60), ONE
    if way == "apart":
        judge = (judge < 0.9).astype(float)
        places = rng.choice(np.flatnonzero(judge[:, 0] != judge[:, 1]), 40, replace=False)
    elif way == "doubtful":
        places = np.argsort(np.abs(judge - 0.65).sum(axis=1))[:60]
    elif way == "first rows":
        judge = judge[np.argsort(judge.mean(axis=1))]
    else:
        places = np.argsort(judge.mean(axis=1))[:60]
        strata = np.arange(N) % 3 if way == "inside strata" else ONE
    known = chosen(places)
    if way == "of one system":
        known = np.stack([known[:, 0], rng.permutation(known[:, 0])], axis=1)
    assert unlike_random_draw(judge[:, :, None], known, strata, None)
    order = rng.permutation(N)
    assert unlike_random_draw(judge[order][:, ::-1, None], known[order][:, ::-1], strata[order], None)


def test_parts_of_many_clusters_show_a_choice() -> None:
    rng, cluster = np.random.default_rng(4), np.arange(N) // 5
    judge = rng.standard_normal((120, 1))[cluster] + rng.standard_normal((N, 2))
    low = np.argsort(judge.mean(axis=1))[:80]
    assert unlike_random_draw(judge[:, :, None], chosen(low), ONE, cluster)


def test_labels_of_all_items_cannot_be_chosen() -> None:
    judge = np.random.default_rng(5).random((N, 2, 1))
    assert not unlike_random_draw(
        judge, np.stack([np.ones(N, dtype=bool), np.arange(N) % 5 == 0], axis=1), ONE, None
    )


RNG = np.random.default_rng(8)
N_ITEMS = 1000
HUMAN = (RNG.random((N_ITEMS, 2)) < 0.7).astype(float)
JUDGE = np.where(RNG.random((N_ITEMS, 2)) < 0.9, HUMAN, 1.0 - HUMAN)
APART = JUDGE[:, 0] != JUDGE[:, 1]


def codes(known: np.ndarray, drawn: Any, **more: Any) -> set[str]:
    human = np.where(known[:, None], HUMAN, np.nan)
    judge, labels = (dict(zip("ab", x.T, strict=True)) for x in (JUDGE, human))
    return {note.code for note in bb.compare_judged(judge, labels, labels_drawn=drawn, **more).notes}


def test_labels_where_the_judge_sees_systems_apart_are_not_random() -> None:
    places = np.flatnonzero(APART)[:60]
    assert "labels_not_random" in codes(np.isin(np.arange(N_ITEMS), places), "random")


def test_what_the_note_proposes_has_no_note() -> None:
    drawn = bb.choose_items(dict(zip("ab", JUDGE.T, strict=True)), 60, rng=1)
    assert "labels_not_random" not in codes(np.isin(np.arange(N_ITEMS), drawn.items), "random")
    chance = np.where(APART, 0.12, 0.03)
    assert "labels_not_random" not in codes(np.random.default_rng(1).random(N_ITEMS) < chance, chance)


def test_strata_out_of_proportion_are_random_inside() -> None:
    known = np.zeros(N_ITEMS, dtype=bool)
    known[np.flatnonzero(APART)[:60]] = known[np.flatnonzero(~APART)[:30]] = True
    assert "labels_not_random" not in codes(known, "stratified", strata=APART)
    assert "labels_not_random" in codes(known, "random")


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
def test_labels_of_predictions_are_compared_likewise(metric: str) -> None:
    rng = np.random.default_rng(2)
    gold = rng.choice(["x", "y"], N_ITEMS, p=[0.8, 0.2])
    predictions = {name: np.where(rng.random(N_ITEMS) < 0.85, gold, "x") for name in "ab"}
    judge = np.where(rng.random(N_ITEMS) < 0.9, gold, "y")
    wrong = (predictions["a"] != judge) & (np.cumsum(predictions["a"] != judge) <= 80)
    for known, noted in ((wrong, True), (rng.permutation(N_ITEMS) < 80, False)):
        human = [value if there else None for value, there in zip(gold.tolist(), known, strict=True)]
        found = bb.compare_judged(
            judge, human, predictions=predictions, metric=metric, labels_drawn="random", n_resamples=199
        )
        assert ("labels_not_random" in {note.code for note in found.notes}) == noted
