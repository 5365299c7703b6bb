"""A judge that misses rare failures; other items labelled for each system; few labelled clusters."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb

N = 1500


def grades(rng: np.random.Generator, n_items: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Return human and judge's grades of two systems: failures, 3 and 6 %, the judge does not see."""
    quality = 4.0 + 0.6 * rng.standard_normal((n_items, 1)) + 0.7 * rng.standard_normal((n_items, 2))
    human = np.clip(np.rint(quality), 1.0, 5.0)
    judge = np.clip(np.rint(human + 0.3 * rng.standard_normal((n_items, 2))), 1.0, 5.0)
    failed = rng.random((n_items, 2)) < (0.03, 0.06)
    return np.where(failed, 1.0, human), np.where(failed, rng.integers(4, 6, (n_items, 2)), judge)


def compared(
    human: np.ndarray, judge: np.ndarray, known: np.ndarray, **more: object
) -> bb.results.JudgedComparison:
    labels = np.where(known if known.ndim > 1 else known[:, None], human, np.nan)
    sides = (dict(zip("ab", x.T, strict=True)) for x in (judge, labels))
    return bb.compare_judged(*sides, labels_drawn="random", **more)  # type: ignore[arg-type]


@pytest.mark.check
@pytest.mark.parametrize("n", [30, 60])
def test_a_judge_that_misses_failures_makes_no_interval_long_or_short_without_a_note(n: int) -> None:
    rng = np.random.default_rng(n)
    true = grades(rng, 1_000_000)[0].mean(axis=0)
    held, noted = [], []
    for _ in range(80):
        human, judge = grades(rng)
        found = compared(human, judge, rng.permutation(N) < n)
        warned = {note.about for note in found.notes if note.code == "unseen_judge_errors"}
        for score, truth in zip((found.score("a"), found.score("b")), true, strict=True):
            interval, alone = score.interval, score.labels_interval
            assert interval is not None
            assert alone is not None
            assert score.extra_labels is not None
            ratio = (interval.high - interval.low) / (alone.high - alone.low)
            assert ratio <= 1.1 + 1e-6
            assert score.extra_labels == pytest.approx(n * (ratio**-2 - 1.0))
            noted.append(("human score", score.system) in warned)
            held.append(truth in interval or noted[-1])
    assert np.mean(held) >= 0.93
    assert 0.05 < np.mean(noted) < 0.75


def test_many_labels_or_a_poor_judge_have_no_such_note() -> None:
    rng = np.random.default_rng(2)
    human, judge = grades(rng)
    poor = judge + 2.0 * rng.standard_normal(judge.shape)
    for one, n in ((judge, 700), (poor, 60)):
        found = compared(human, one, rng.permutation(N) < n)
        notes = [*found.notes, *(note for d in found.differences for note in d.notes)]
        assert "unseen_judge_errors" not in {note.code for note in notes}


@pytest.mark.check
@pytest.mark.parametrize("n", [30, 60])
def test_a_judge_of_verdicts_that_is_nearly_always_right_has_no_short_interval(n: int) -> None:
    """It takes three of a hundred answers for right that are wrong; one interval in five missed that."""
    rng, right = np.random.default_rng(n), np.array([0.8, 0.7])
    held, ratios, codes = [], [], set()
    for _ in range(60):
        human = (rng.random((N, 2)) < right).astype(float)
        judge = np.where(rng.random((N, 2)) < 0.03 / (1.0 - right), 1.0, human)
        found = compared(human, judge, rng.permutation(N) < n)
        codes |= {note.code for note in (*found.notes, *found.differences[0].notes)}
        for score, truth in zip((found.score("a"), found.score("b")), right, strict=True):
            assert score.interval is not None
            assert score.labels_interval is not None
            held.append(truth in score.interval)
            lengths = [one.high - one.low for one in (score.interval, score.labels_interval)]
            ratios.append(lengths[0] / lengths[1])
    assert np.mean(held) >= 0.93
    assert np.median(ratios) < 0.85
    assert not codes & {"unseen_judge_errors", "few_large_labels"}


def test_skewed_penalties_of_which_few_labels_are_large_have_a_note() -> None:
    rng = np.random.default_rng(7)
    normal = rng.standard_normal((N, 2))
    heard = 0.5 * normal + rng.standard_normal((N, 2))
    skewed = (np.expm1(1.8 * np.maximum(one - 0.8, 0.0)) for one in (normal, heard))
    for (human, judge), n, noted in (((normal, heard), 30, False), (tuple(skewed), 30, True)):
        found = compared(human, judge, rng.permutation(N) < n)
        notes = [note for note in found.notes if note.code == "few_large_labels"]
        assert bool(notes) == noted
        if noted:
            assert "of the 30 labels, far from what judge and mean say of them" in notes[0].message
            assert notes[0].about in {("human score", "a"), ("human score", "b")}


@pytest.mark.check
def test_disjoint_labels_give_the_difference_of_two_means() -> None:
    rng, held, alone = np.random.default_rng(3), [], []
    for place in range(150):
        human = rng.standard_normal((600, 2)) + np.array([0.5, 0.0])
        judge = human + 0.6 * rng.standard_normal((600, 2))
        order = rng.permutation(600)
        known = np.stack([order < 40, (order >= 40) & (order < 100)], axis=1)
        found = compared(human, judge, known)["a", "b"]
        assert found.interval is not None
        assert found.labels_interval is not None
        held.append(0.5 in found.interval)
        alone.append(0.5 in found.labels_interval)
        if place == 0:
            a, b = human[known[:, 0], 0], human[known[:, 1], 1]
            assert found.labels_estimate == pytest.approx(a.mean() - b.mean())
            half = 0.5 * (found.labels_interval.high - found.labels_interval.low)
            welch = np.sqrt(a.var(ddof=1) / a.size + b.var(ddof=1) / b.size)
            assert half == pytest.approx(1.985 * welch, rel=0.01)
            assert found.n_labels == 0
            assert (found.p_value <= 0.05) == (found.interval.low > 0.0 or found.interval.high < 0.0)
    assert np.mean(held) >= 0.9
    assert np.mean(alone) >= 0.9


def test_disjoint_verdicts_of_which_few_are_rare_have_a_note() -> None:
    rng = np.random.default_rng(4)
    human = (rng.random((600, 2)) < (0.97, 0.95)).astype(float)
    judge = np.where(rng.random((600, 2)) < 0.9, human, 1.0 - human)
    order = rng.permutation(600)
    apart = np.stack([order < 60, order >= 540], axis=1)
    assert "few_of_a_kind" in {note.code for note in compared(human, judge, apart)["a", "b"].notes}
    assert "few_of_a_kind" not in {note.code for note in compared(human, judge, order < 60)["a", "b"].notes}


def test_few_labelled_clusters_have_a_note() -> None:
    rng = np.random.default_rng(5)
    human = rng.standard_normal((1000, 2)) + np.repeat(rng.standard_normal((100, 1)), 10, axis=0)
    judge, cluster = human + rng.standard_normal((1000, 2)), np.arange(1000) // 10
    order = rng.permutation(100)
    for known, noted in (
        (np.isin(cluster, order[:12]), True),
        (np.isin(cluster, order[:60]), False),
        (np.isin(cluster, order[:40]) & (np.arange(1000) % 10 == 3), False),
    ):
        codes = {note.code for note in compared(human, judge, known, clusters=cluster).notes}
        assert ("few_clusters" in codes) == noted
        assert "few_large_labels" not in codes
