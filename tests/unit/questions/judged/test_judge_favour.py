"""A judge that is blind to the systems is said to favour one in 5 % of cases; one that is not is found."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bestby.questions.judged import judge_quality
from bestby.questions.judged.judge_quality import Pairs


def pairs_of(judge: Any, human: Any, **changes: Any) -> Pairs:
    """Labels of S systems on the same items, from arrays of shape (n, S)."""
    judge, human = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    n, k = judge.shape
    plain = Pairs(
        judge.ravel(), human.ravel(), np.full(n * k, 1.0 / n), np.tile(np.arange(k), n),
        np.repeat(np.arange(n), k), np.zeros(n * k, dtype=np.int64), tuple("abcdef"[:k]), plain=True,
        binary=judge_quality.binary(judge, human),
    )  # fmt: skip
    return dataclasses.replace(plain, **changes)


def verdicts(seed: int, shares: tuple[float, ...], n: int, more: float = 0.0) -> Pairs:
    """A judge with sensitivity .9 (less `more`) and specificity .7, that gives the first system more."""
    rng = np.random.default_rng(seed)
    human = rng.random((n, 1)) + 0.5 * rng.random((n, len(shares)))
    human = np.stack(
        [column < np.quantile(column, p) for column, p in zip(human.T, shares, strict=True)], axis=1
    )
    first = np.arange(len(shares)) == 0
    chance = np.where(human, 0.9 - more, 0.3) + more * first
    return pairs_of(rng.random((n, len(shares))) < chance, human)


def few_answers(
    seed: int, right: tuple[float, ...], *, by_verdict: bool = False, size: int = 1, more: float = 0.0
) -> Pairs:
    """A judge that is right with .85, and hardly an answer of one label of the first system.

    Errors are alike within an item, or a cluster of this size. `by_verdict` 0 is labelled four times as often
    as 1. The judge calls `more` of the wrong answers of the last system right.
    """
    rng = np.random.default_rng(seed)
    shape = (200, len(right))
    alike = np.repeat(rng.normal(size=(200 // size, 1)), size, axis=0)
    human = rng.random(shape) < right
    judge = human ^ ((alike + rng.normal(size=shape)) / np.sqrt(2.0) > stats.norm.ppf(0.85))
    judge[:, -1] |= rng.random(200) < more
    chance = np.where(judge, 0.2, 0.8) if by_verdict else np.ones(shape)
    cluster = np.repeat(np.arange(200) // size, len(right))
    pairs = pairs_of(judge, human, weights=1.0 / chance.ravel(), cluster=cluster)
    return pairs.part((rng.random(shape) < chance).ravel())


def scores(seed: int, slope: float, n: int, k: int = 2, more: float = 0.0, curve: bool = False) -> Pairs:
    rng = np.random.default_rng(seed)
    human = np.linspace(0.0, 0.8, k) + rng.normal(size=(n, 1)) + rng.normal(size=(n, k))
    if curve:
        human = np.exp(human)
    followed = np.sqrt(human) if curve else slope * human
    return pairs_of(0.2 + followed + 0.5 * rng.normal(size=(n, k)) + more * (np.arange(k) == 0), human)


def rejected(pairs: Pairs) -> bool:
    return min((one.p_adjusted for one in judge_quality.favour(pairs)), default=1.0) <= 0.05


@pytest.mark.parametrize(
    "blind",
    [
        lambda seed: verdicts(seed, (0.4, 0.7), 60),
        lambda seed: verdicts(seed, (0.4, 0.7), 200),
        lambda seed: verdicts(seed, (0.3, 0.5, 0.6, 0.8), 100),
        lambda seed: few_answers(seed, (0.95, 0.5)),
        lambda seed: few_answers(seed, (0.03, 0.4)),
        lambda seed: few_answers(seed, (0.97, 0.9, 0.6)),
        lambda seed: few_answers(seed, (0.95, 0.5), size=5),
        lambda seed: few_answers(seed, (0.7, 0.4), by_verdict=True),
        lambda seed: few_answers(seed, (0.9, 0.5), by_verdict=True),
        lambda seed: scores(seed, 0.5, 40),
        lambda seed: scores(seed, 2.0, 100, k=3),
        lambda seed: scores(seed, 1.0, 100, curve=True),
    ],
)
def test_a_blind_judge_is_rarely_accused(blind: Any) -> None:
    """Of 300 data sets at 5 %, 25 or more are rejected by chance in less than 1 %; the seeds are fixed."""
    assert 2 <= sum(rejected(blind(seed)) for seed in range(300)) <= 25


def test_the_bias_differs_all_the_same() -> None:
    found = [judge_quality.equal_bias(verdicts(seed, (0.4, 0.7), 200)) for seed in range(50)]
    assert sum(one is not None and one.p_value <= 0.05 for one in found) > 25


def test_true_favour_is_found() -> None:
    for pairs in (verdicts(seed, (0.4, 0.7), 300, more=0.2) for seed in range(20)):
        for one in judge_quality.favour(pairs):
            assert (one.highest, one.lowest) == ("a", "b")
            assert one.difference > 0.0
        assert rejected(pairs)
    for more, names in ((0.5, ("a", "b")), (-0.5, ("b", "a"))):
        (found,) = judge_quality.favour(scores(1, 0.5, 200, more=more))
        assert (found.highest, found.lowest) == names
        assert found.p_value < 1e-4
        assert found.difference == pytest.approx(0.5, abs=0.2)


def test_favour_is_found_where_the_other_system_has_few_wrong_answers() -> None:
    assert sum(rejected(few_answers(seed, (0.9, 0.5), more=0.4)) for seed in range(50)) > 35


def test_separate_items_are_two_independent_samples() -> None:
    """Where every item is labelled for one system, the test is Pearson's but for the design effect of 1."""
    rng = np.random.default_rng(3)
    system = np.arange(400) % 2
    judge = (rng.random(400) < 0.7).astype(float)
    pairs = Pairs(
        judge, np.ones(400), np.full(400, 1 / 200), system, np.arange(400), np.zeros(400, dtype=np.int64),
        ("a", "b"), plain=True, binary=True,
    )  # fmt: skip
    (found,) = judge_quality.favour(pairs)
    table = [[judge[system == s].sum(), (1.0 - judge[system == s]).sum()] for s in (0, 1)]
    known = stats.chi2_contingency(table, correction=False)
    assert found.statistic == pytest.approx(known.statistic, rel=0.01)
    assert found.p_value == pytest.approx(known.pvalue, abs=0.01)


def test_grades_have_a_mean_each() -> None:
    """Wald's test is that of a regression on a column per grade, with the covariance of clusters (CR0)."""
    rng = np.random.default_rng(5)
    human = rng.integers(1, 6, (150, 2)).astype(float)
    judge = human**2 / 5.0 + rng.normal(size=(150, 2))
    pairs = pairs_of(judge, human)
    (found,) = judge_quality.favour(pairs)
    x = np.column_stack([pairs.human[:, None] == np.arange(1.0, 6.0), pairs.system]).astype(float)
    inverse = np.linalg.inv(x.T @ x)
    slopes = inverse @ x.T @ pairs.judge
    added = (x * (pairs.judge - x @ slopes)[:, None]).reshape(150, 2, 6).sum(axis=1)
    covariance = inverse @ added.T @ added @ inverse
    assert found.difference == pytest.approx(abs(slopes[-1]))
    assert found.statistic == pytest.approx(slopes[-1] ** 2 / covariance[-1, -1], rel=0.06)


def test_weights_and_clusters_count() -> None:
    pairs = verdicts(2, (0.4, 0.7), 100)
    heavy = dataclasses.replace(pairs, weights=np.where(pairs.cluster < 50, 4.0, 1.0))
    again = dataclasses.replace(pairs, weights=3.0 * pairs.weights)
    plain, weighted, scaled = (judge_quality.favour(one) for one in (pairs, heavy, again))
    assert [one.p_value for one in weighted] != pytest.approx([one.p_value for one in plain])
    assert [one.p_value for one in scaled] == pytest.approx([one.p_value for one in plain])
    tripled = {
        name: np.repeat(getattr(pairs, name), 3)
        for name in ("judge", "human", "weights", "system", "cluster", "stratum")
    }
    copies = judge_quality.favour(dataclasses.replace(pairs, **tripled))
    assert [one.n_units for one in copies] == [one.n_units for one in plain]
    assert [one.p_value for one in copies] == pytest.approx([one.p_value for one in plain], abs=0.03)


def test_nothing_is_tested_of_too_little() -> None:
    rng = np.random.default_rng(4)
    human = (rng.random((80, 2)) < 0.5).astype(float)
    assert judge_quality.favour(pairs_of(human, human)) == ()  # a judge without an error
    specific = np.where(human == 1.0, rng.random((80, 2)) < 0.8, 0.0)
    (only,) = judge_quality.favour(pairs_of(specific, human))  # perfect on one label
    assert (only.label, only.p_adjusted) == (1.0, only.p_value)
    judged = rng.random((80, 2)) < 0.6
    absent = np.column_stack([np.ones(80), human[:, 1]])
    assert {one.label for one in judge_quality.favour(pairs_of(judged, absent))} == {1.0}
    assert judge_quality.favour(pairs_of(judged[:, [0, 0]], human[:, [0, 0]])) == ()  # one system twice
    assert judge_quality.favour(pairs_of(judged[:, :1], human[:, :1])) == ()
    assert judge_quality.favour(scores(0, 0.5, 2)) == ()
    numbers = scores(0, 0.5, 50)
    assert judge_quality.favour(dataclasses.replace(numbers, judge=np.ones(100))) == ()
    alone = dataclasses.replace(numbers, human=np.where(numbers.system == 0, 1.0, 2.0))
    assert judge_quality.favour(alone) == ()  # the grade says which system it is
