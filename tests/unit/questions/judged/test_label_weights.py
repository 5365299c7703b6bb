"""Labels of unequal weight: strata out of proportion, and probabilities."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from bestby import compare_judged
from bestby.inference.powered_intervals import Shares
from bestby.results import JudgedComparison

SYSTEMS = ("a", "b", "c")


def population(rng: np.random.Generator, right: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Return human and judge's verdicts of 2000 items and three systems; the judge is lenient."""
    human = rng.random((2000, 3)) < right
    judge = np.where(human, rng.random((2000, 3)) < 0.95, rng.random((2000, 3)) < 0.5)
    return human.astype(float), judge.astype(float)


def compared(
    human: np.ndarray, judge: np.ndarray, known: np.ndarray, drawn: Any, **more: Any
) -> JudgedComparison:
    return compare_judged(
        dict(zip(SYSTEMS, judge.T, strict=True)),
        dict(zip(SYSTEMS, np.where(known[:, None], human, np.nan).T, strict=True)),
        labels_drawn=drawn,
        **more,
    )


def in_strata(rng: np.random.Generator, sure: int, n: int, right: float = 0.9) -> JudgedComparison:
    """Compare by `sure` of n labels where the judge likes all systems, and the others elsewhere."""
    human, judge = population(rng, right)
    doubt = (judge.sum(axis=1) < 3).astype(int)
    known = np.zeros(2000, dtype=bool)
    for stratum, size in ((0, sure), (1, n - sure)):
        known[rng.choice(np.flatnonzero(doubt == stratum), size, replace=False)] = True
    return compared(human, judge, known, "stratified", strata=doubt)


def with_probabilities(rng: np.random.Generator, ratio: float, n: int) -> JudgedComparison:
    human, judge = population(rng)
    wanted = np.where(judge.sum(axis=1) < 3, ratio, 1.0)
    chance = n * wanted / wanted.sum()
    return compared(human, judge, rng.random(2000) < chance, chance)


@pytest.mark.check
@pytest.mark.parametrize(
    "one",
    [
        functools.partial(in_strata, sure=6, n=60),
        functools.partial(in_strata, sure=18, n=60),
        functools.partial(with_probabilities, ratio=10.0, n=60),
    ],
)
def test_few_heavy_labels_do_not_make_intervals_short(one: Any) -> None:
    rng, held, equal = np.random.default_rng(7), [], []
    for _ in range(60):
        found = one(rng)
        assert any(note.code == "few_heavy_labels" for note in found.notes)
        for score in found.systems:
            assert score.interval is not None
            assert score.labels_interval is not None
            held.append(0.9 in score.interval)
            held.append(0.9 in score.labels_interval)
        equal += [difference.p_value <= 0.05 for difference in found.differences]
    assert np.mean(held) >= 0.93
    assert np.mean(equal) <= 0.06


def test_more_labels_of_the_heavy_kind_help_as_the_note_says() -> None:
    few, many = (in_strata(np.random.default_rng(3), sure, 200 + sure, 0.6) for sure in (10, 60))
    note = next(note for note in few.notes if note.code == "few_heavy_labels")
    assert note.message.startswith("the score of 'a' rests mostly on 10 labels")
    assert "few_heavy_labels" not in {note.code for note in many.notes}
    for name in SYSTEMS:
        short, long = (found.score(name).interval for found in (many, few))
        assert short is not None
        assert long is not None
        assert short.high - short.low < 0.6 * (long.high - long.low)


def test_strata_in_proportion_have_no_such_note() -> None:
    rng = np.random.default_rng(4)
    human, judge = population(rng)
    known = rng.permutation(2000) < 100
    for drawn, more in (("random", {}), ("stratified", {"strata": np.arange(2000) % 2})):
        notes = compared(human, judge, known, drawn, **more).notes
        assert "few_heavy_labels" not in {note.code for note in notes}


def test_the_degrees_of_freedom_are_those_of_the_stratum_that_carries_the_variance() -> None:
    rng = np.random.default_rng(5)
    quality = rng.standard_normal((2000, 3))
    known = np.zeros(2000, dtype=bool)
    known[:4] = known[1600:1700] = True  # 4 of 1600 items, and 100 of 400
    found = compared(
        quality, rng.standard_normal((2000, 3)), known, "stratified", strata=np.arange(2000) // 1600
    )
    score = found.score("a")
    assert score.labels_interval is not None
    half = 0.5 * (score.labels_interval.high - score.labels_interval.low)
    labels = quality[known, 0]
    error = np.sqrt(0.64 * labels[:4].var(ddof=1) / 4 + 0.04 * labels[4:].var(ddof=1) / 100)
    assert 3.0 < half / error < 3.4  # Student's t with about 3 degrees of freedom, not 1.98
    note = next(note for note in found.notes if note.code == "few_heavy_labels")
    assert "intervals may be too short" in note.message


def test_rare_labels_count_where_they_weigh() -> None:
    weights = np.r_[np.full(6, 0.12), np.full(54, 0.28 / 54)]
    light = np.r_[np.ones(6), np.arange(54) % 2.0]
    assert Shares.from_labels(light, weights).rare == 0
    assert Shares.from_labels(light, np.full(60, 1 / 60)).rare == 27
    assert Shares.from_differences(np.r_[np.zeros(6), np.ones(54)], weights).rare == 0
    assert Shares.from_labels(light, weights).n == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
