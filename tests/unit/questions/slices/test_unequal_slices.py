"""Whether a difference depends on the slice: Welch's F, slices that do not vary, slices of few items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

import bestby as bb
from bestby.inference import skewness
from bestby.inference.clusters import StandardError
from bestby.inference.intervals import Moments
from bestby.questions.slices import heterogeneity


def sliced(values: Any, by: Any, **more: Any) -> bb.results.SlicesComparison:
    """Compare scores whose differences are these values."""
    return bb.compare_slices(
        {"a": values, "b": np.zeros(len(values))}, by={"x": by}, metric="points", n_resamples=499, **more
    )


def opposed(n: int, size: float = 1.0) -> tuple[Any, Any]:
    """Return differences of this size in favour of a in all items of u, and of b in all of v."""
    return np.repeat([size, -size], n), np.repeat(["u", "v"], n)


def codes(result: bb.results.SlicesComparison) -> set[str]:
    return {note.code for note in result.notes}


def test_slices_that_vary_unequally_are_tested_by_welchs_f() -> None:
    rng = np.random.default_rng(3)
    sizes = [12, 40, 160]
    groups = [
        rng.choice([-1.0, 0.0, 1.0], n, p=[s / 2, 1 - s, s / 2])
        for n, s in zip(sizes, (0.7, 0.4, 0.1), strict=True)
    ]
    (tested,) = sliced(np.concatenate(groups), np.repeat([0, 1, 2], sizes)).heterogeneity
    means = np.array([group.mean() for group in groups])
    errors = np.array([group.std(ddof=1) / np.sqrt(group.size) for group in groups])
    p = heterogeneity.welch(means, errors, np.array(sizes) - 1.0)
    assert (tested.test, tested.p_value) == ("welch-q", pytest.approx(p, rel=1e-9))


def test_two_slices_are_welchs_t_test() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=15), 4.0 * rng.normal(size=9)
    (tested,) = sliced(np.concatenate([first, second]), np.repeat([0, 1], [15, 9])).heterogeneity
    assert tested.p_value == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue)


@pytest.mark.check
def test_the_level_where_small_slices_disagree_most() -> None:
    """Permutations of items reject in 15 % of these data sets."""
    rng = np.random.default_rng(5)
    sizes = np.rint(np.geomspace(10, 400, 8)).astype(int)
    rejected = {"welch": 0, "permuted": 0}
    for _ in range(300):
        groups = [
            rng.choice([-1.0, 0.0, 1.0], n, p=[s / 2, 1.0 - s, s / 2])
            for n, s in zip(sizes, np.geomspace(0.6, 0.02, 8), strict=True)
        ]
        means = np.array([group.mean() for group in groups])
        errors = np.array([group.std(ddof=1) / np.sqrt(group.size) for group in groups])
        rejected["welch"] += heterogeneity.welch(means, errors, sizes - 1.0) <= 0.05
        rejected["permuted"] += heterogeneity.permuted(groups, 99, 0) <= 0.05
    assert rejected["welch"] <= 0.085 * 300
    assert rejected["permuted"] >= 0.1 * 300


@pytest.mark.parametrize("size", [1.0, 3.5])
def test_perfectly_opposed_slices_differ_and_change_their_sign(size: float) -> None:
    values, by = opposed(20, size)
    result = sliced(values, by)
    (tested,) = result.heterogeneity
    assert (tested.test, tested.df) == ("permutation-q", 1)
    assert tested.p_value == pytest.approx(1.0 / 500.0)
    assert tested.q == pytest.approx(39.0), "the squares between the slices over those of all items"
    z = float(ndtri(0.5**20))
    assert tested.sign_statistic == pytest.approx(z * z)
    assert tested.sign_p == pytest.approx(0.5 * float(stats.chi2.sf(z * z, 1)))
    assert (tested.mean, tested.tau) == (pytest.approx(0.0), pytest.approx(1.395965 * size, rel=1e-6))
    assert all(one.shrunken == pytest.approx(0.97436 * one.difference.estimate, rel=1e-4) for one in result)
    assert "change their sign" in str(result)
    assert "heterogeneity" not in codes(result)


def test_answers_and_other_metrics_that_are_opposed() -> None:
    gold = np.ones(40, dtype=int)
    first = np.repeat([1, 0], 20)
    by = {"x": np.repeat(["u", "v"], 20)}
    for metric in ("accuracy", "f1_macro"):
        result = bb.compare_slices({"a": first, "b": 1 - first}, gold, by=by, metric=metric, n_resamples=499)
        (tested,) = result.heterogeneity
        assert tested.p_value == pytest.approx(1.0 / 500.0)
        assert tested.sign_p is not None
        assert tested.sign_p < 0.001


def test_opposed_clusters_are_tested_approximately() -> None:
    values, by = opposed(24)
    result = sliced(values, by, clusters=np.repeat(np.arange(12), 4))
    (tested,) = result.heterogeneity
    assert tested.test == "welch-q"
    assert "heterogeneity_approximate" in codes(result)
    z = float(ndtri(0.5**6))
    assert tested.sign_statistic == pytest.approx(z * z)
    spanned = sliced(np.tile([1.0, -1.0], 24), np.tile(["u", "v"], 24), clusters=np.repeat(np.arange(24), 2))
    assert spanned.heterogeneity == ()


def test_slices_that_all_differ_by_the_same_are_not_tested() -> None:
    for values in (np.zeros(40), np.full(40, 0.1)):
        result = sliced(values, opposed(20)[1])
        assert result.heterogeneity == ()
        assert "heterogeneity" in codes(result)


def test_a_few_opposed_items_are_no_finding() -> None:
    (tested,) = sliced(*opposed(2)).heterogeneity
    assert tested.p_value > 0.2
    assert tested.sign_p is not None
    assert tested.sign_p > 0.2


@pytest.mark.parametrize(("least", "noted"), [(9, True), (10, False)])
def test_slices_of_fewer_than_ten_items_are_named(least: int, noted: bool) -> None:
    rng = np.random.default_rng(6)
    by = np.repeat(["big", "tiny"], [30, least])
    told = [
        note.message for note in sliced(rng.normal(size=by.size), by).notes if note.code == "small_slices"
    ]
    assert bool(told) is noted
    if noted:
        assert told[0].startswith("fewer than 10 items in 'tiny':")
    answers = (rng.random((2, by.size)) < 0.5).astype(int)
    right = bb.compare_slices(
        dict(zip("ab", answers, strict=True)), np.ones(by.size, dtype=int), by={"x": by}
    )
    assert "small_slices" not in codes(right), "score intervals hold however few items there are"


def test_clusters_are_counted_where_there_are_some() -> None:
    rng = np.random.default_rng(7)
    by = np.repeat(["u", "v"], [60, 40])
    result = sliced(rng.normal(size=100), by, clusters=np.arange(100) // 5)
    (told,) = [note.message for note in result.notes if note.code == "small_slices"]
    assert told.startswith("fewer than 10 clusters in 'v':")


def test_skewed_differences_in_small_slices_are_noted() -> None:
    rng = np.random.default_rng(8)
    by = np.repeat([0, 1, 2], [12, 60, 120])
    assert "heterogeneity_approximate" in codes(sliced(rng.exponential(size=192) - 1.0, by))
    assert "heterogeneity_approximate" not in codes(sliced(rng.normal(size=192), by))
    large = np.repeat([0, 1], 600)
    assert "heterogeneity_approximate" not in codes(sliced(rng.exponential(size=1200) - 1.0, large))


def test_intervals_of_scores_allow_for_skewness_at_the_level_of_all_slices() -> None:
    rng = np.random.default_rng(9)
    by = np.repeat([0, 1, 2], 25)
    values = rng.exponential(size=75) - 1.0
    result = sliced(values, by)
    at = 0.95 ** (1.0 / 3.0)
    for one in result:
        own = values[by == int(one.slice)]
        units = Moments.of(own, np.ones(25, dtype=np.int64))
        plain = StandardError(float(own.std(ddof=1)) / 5.0, 24.0)
        error = skewness.robust(plain, units, skewness.FOR_INTERVALS)
        low, high = skewness.interval(float(own.mean()), error, at)
        made = one.difference.interval
        assert made is not None
        assert (made.method, made.level) == ("max-t", 0.95)
        assert (made.low, made.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))
        t = float(stats.t.ppf(0.5 * (1.0 + at), 24)) * plain.se
        assert made.low <= own.mean() - t + 0.01, "no end is nearer than by Student's t"
        assert made.high > own.mean() + 1.1 * t, "the long tail is above"
    (told,) = [note.message for note in result.notes if note.code == "slices"]
    assert "skewness-allowing t (Hall)" in told


@pytest.mark.check
def test_intervals_of_skewed_slices_hold_together() -> None:
    """Bootstrap intervals hold in 86 % of such data sets."""
    rng = np.random.default_rng(11)
    by = np.repeat(np.arange(6), 25)
    held = [
        all(0.0 in one.difference.interval for one in sliced(rng.exponential(size=150) - 1.0, by))
        for _ in range(40)
    ]
    assert sum(held) >= 36
