"""Items and runs together: components of variance, and what is resampled together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import pytest

from bestby._core.errors import DesignError
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.runs import RunsWithItems
from bestby.inference import clusters
from bestby.metrics import resolve


def crossed(
    runs: Sequence[np.ndarray],
    gold: np.ndarray | None = None,
    metric: str = "mean",
    *,
    paired: bool = False,
    clusters: np.ndarray | None = None,
    resamples: int = 200,
) -> RunsWithItems:
    names = [chr(ord("a") + s) for s in range(len(runs))]
    flat = {f"{name}#{r}": row for name, rows in zip(names, runs, strict=True) for r, row in enumerate(rows)}
    evaluation = Evaluation.of(flat, gold, clusters=clusters)
    (group,) = prepare.groups(evaluation, [resolve(metric)])
    return RunsWithItems(Estimates(group, Drawing(resamples, 0)), [len(rows) for rows in runs], names, paired)


def scores(shape: tuple[int, int], seed: int, run_sd: float = 0.3, rest: float = 0.7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n_runs, n = shape
    return rng.normal(size=n) + rng.normal(0, run_sd, (n_runs, 1)) + rng.normal(0, rest, (n_runs, n))


def anova(y: np.ndarray) -> tuple[float, float, float]:
    """Two-way random-effects analysis of variance, by loops: mean squares of items, runs and residuals."""
    n_runs, n = y.shape
    grand = y.mean()
    items = n_runs * sum((y[:, i].mean() - grand) ** 2 for i in range(n)) / (n - 1)
    runs = n * sum((y[r].mean() - grand) ** 2 for r in range(n_runs)) / (n_runs - 1)
    rest = sum(
        (y[r, i] - y[r].mean() - y[:, i].mean() + grand) ** 2 for r in range(n_runs) for i in range(n)
    ) / ((n - 1) * (n_runs - 1))
    return items, runs, rest


@pytest.mark.parametrize(("n_runs", "n"), [(2, 5), (4, 30), (7, 11)])
def test_components_of_a_mean_are_those_of_the_analysis_of_variance(n_runs: int, n: int) -> None:
    y = scores((n_runs, n), n_runs)
    found = crossed([y, scores((3, n), 99)]).components(0)
    items, runs, rest = (ms / (n * n_runs) for ms in anova(y))
    assert found.rest == pytest.approx(rest)
    assert found.items == pytest.approx(max(0.0, items - rest))
    assert found.runs == pytest.approx(max(0.0, runs - rest))


def test_components_of_a_paired_difference_are_those_of_the_differences() -> None:
    a, b = scores((4, 20), 1), scores((4, 20), 2)
    maker = crossed([a, b], paired=True)
    items, runs, rest = (ms / 80 for ms in anova(a - b))
    found = maker.components(0, 1)
    assert (found.items, found.runs, found.rest) == pytest.approx(
        (max(0.0, items - rest), max(0.0, runs - rest), rest)
    )


def test_components_of_independent_runs_share_the_items_only() -> None:
    """The item part is that of the mean difference per item; runs and rest add up."""
    a, b = scores((3, 25), 1), scores((5, 25), 2)
    found = crossed([a, b]).components(0, 1)
    rest = anova(a)[2] / 75 + anova(b)[2] / 125
    d = a.mean(axis=0) - b.mean(axis=0)
    by_runs = a.mean(axis=1).var(ddof=1) / 3 + b.mean(axis=1).var(ddof=1) / 5
    assert found.rest == pytest.approx(rest)
    assert found.items == pytest.approx(max(0.0, d.var(ddof=1) / 25 - rest))
    assert found.runs == pytest.approx(max(0.0, by_runs - rest))
    assert found.standard_error == pytest.approx(math.sqrt(found.items + found.runs + found.rest))


def test_clusters_are_the_units() -> None:
    """Equal clusters: the same as one mean per cluster."""
    y = [scores((4, 30), 5), scores((4, 30), 6)]
    clusters = np.repeat(np.arange(10), 3)
    found = crossed(y, clusters=clusters).components(0, 1)
    means = crossed([x.reshape(4, 10, 3).mean(axis=2) for x in y]).components(0, 1)
    assert (found.items, found.runs, found.rest, found.freedom) == pytest.approx(
        (means.items, means.runs, means.rest, means.freedom)
    )


@pytest.mark.parametrize("metric", ["f1_macro", "matthews_corrcoef", "spearman"])
def test_other_measures_agree_with_the_bootstrap_of_the_items(metric: str) -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 300)
    runs = [np.where(rng.random((3, 300)) < p, gold, 1 - gold) for p in (0.8, 0.7)]
    if metric == "spearman":
        runs = [x + rng.normal(size=x.shape) for x in runs]
    maker = crossed(runs, gold, metric, resamples=4000)
    drawn = np.cov(maker.replicates, rowvar=False)
    scale = np.sqrt(np.outer(drawn.diagonal(), drawn.diagonal()))
    # 4000 resamples know a correlation to 0.016 and a variance to 2.2 %.
    assert np.abs(maker.covariance(0, 1) - drawn).max() < 0.1 * scale.max()


@pytest.mark.parametrize("metric", ["spearman", "pearson"])
def test_a_system_that_hardly_varies_leaves_the_others_alone(metric: str) -> None:
    """Its runs are undefined on resamples on which those of the others are not."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=40)
    runs = [gold + rng.normal(0.0, sd, (3, 40)) for sd in (1.0, 1.4)]
    flat = np.zeros((24, 40))
    flat[np.arange(24), rng.integers(40, size=24)] = 1.0
    alone = crossed(runs, gold, metric)
    beside = crossed([*runs, flat], gold, metric)
    assert not np.isfinite(beside.replicates[:, 6:]).all(axis=1).any()
    for pair in ((0, 1), (0,), (1,)):
        expected, found = alone.components(*pair), beside.components(*pair)
        assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(expected), rel=1e-8)


def test_items_are_drawn_once_for_all_and_runs_within_their_system() -> None:
    """Without differences between runs, A minus B cancels in every resample if items are shared."""
    item = np.random.default_rng(0).normal(size=40)
    maker = crossed([np.tile(item, (3, 1)), np.tile(item, (5, 1)) + 1.0])
    assert maker.resampled(0) - maker.resampled(1) == pytest.approx(np.full(200, -1.0))
    assert maker.resampled(0).std() > 0.05
    # Without differences between items, only the runs vary, and those of each system on their own.
    flat = [
        np.tile(np.array([[1.0], [2.0], [4.0]]), (1, 40)),
        np.tile(np.array([[1.0], [2.0], [4.0]]), (1, 40)),
    ]
    free = crossed(flat)
    assert abs(np.corrcoef(free.resampled(0), free.resampled(1))[0, 1]) < 0.3
    assert (crossed(flat, paired=True).resampled(0) == crossed(flat, paired=True).resampled(1)).all()


def test_the_interval_is_cut_to_the_scale_and_says_what_it_is() -> None:
    gold = np.ones(12, dtype=int)
    runs = [np.ones((2, 12), dtype=int), np.array([[0] * 11 + [1], [1] * 12])]
    maker = crossed(runs, gold, "accuracy")
    interval, _ = maker.interval(0, 1, "auto", 0.95)
    assert interval.method == "crossed-t"
    assert -1.0 <= interval.low <= interval.high <= 1.0
    low, notes = maker.interval(0, 1, "percentile", 0.95)
    assert low.method == "percentile"
    assert [note.code for note in notes] == ["short_interval", "few_effective"]  # one item is another
    with pytest.raises(DesignError, match="no BCa interval over items and runs"):
        maker.interval(0, 1, "bca", 0.95)


def unequal(rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """Two systems of three runs, on items of which half are in one of eight clusters."""
    code = np.r_[np.zeros(35, dtype=int), np.repeat(np.arange(1, 8), 5)]
    of_cluster = rng.normal(size=(2, 8))[:, code]
    return [of_cluster[s] + rng.normal(size=(3, 70)) for s in range(2)], code


@pytest.mark.parametrize("paired", [False, True])
def test_the_part_of_the_items_is_cr2(paired: bool) -> None:
    runs, code = unequal(np.random.default_rng(3))
    maker = crossed(runs, clusters=code, paired=paired)
    d = runs[0].mean(axis=0) - runs[1].mean(axis=0)
    sums, sizes = np.bincount(code, d - d.mean()) / 70, np.bincount(code).astype(float)
    expected = clusters.cr2(sums, sizes)
    found = maker.components(0, 1)
    assert found.items + found.rest == pytest.approx(expected.se**2)
    assert found.freedom < 4.5  # of eight equal clusters about 7
    one = crossed([row[None, :] for row in runs[0][:2]], clusters=code).components(0, 1)
    d = runs[0][0] - runs[0][1]
    assert one.freedom == pytest.approx(expected.df)
    assert one.items == pytest.approx(clusters.cr2(np.bincount(code, d - d.mean()) / 70, sizes).se ** 2)


def test_ranks_in_clusters_take_cr2_from_the_jackknife() -> None:
    runs, code = unequal(np.random.default_rng(5))
    gold = np.random.default_rng(6).normal(size=70)
    maker = crossed(runs, gold, "spearman", clusters=code)
    covariance = maker.covariance(0, 1)
    error = maker.group.sample(0, 4).error
    assert error is not None
    contrast = np.array([1.0, 0, 0, 0, -1.0, 0])
    assert contrast @ covariance @ contrast == pytest.approx(error.se**2)


def right(n: int, wrong: Sequence[Sequence[int]]) -> np.ndarray:
    """Return answers that are right on all of n items but some in each run."""
    found = np.ones((len(wrong), n))
    for row, places in zip(found, wrong, strict=True):
        row[list(places)] = 0.0
    return found


def test_an_accuracy_near_1_has_an_interval_with_a_width() -> None:
    """No item differs among 60: a difference of .03 is no surprise, and the interval says so."""
    everything = right(60, [(), (), ()])
    maker = crossed([everything, everything])
    interval, notes = maker.interval(0, 1, "auto", 0.95)
    assert interval.method == "crossed-t"
    assert interval.high == -interval.low > 0.05
    assert [note.code for note in notes] == ["few_differing"]
    score, _ = maker.interval(0, None, "auto", 0.95)
    assert score.low < 0.95 < score.high == 1.0


@pytest.mark.parametrize("errors", [8, 14, 20])
def test_the_test_of_answers_agrees_with_their_interval(errors: int) -> None:
    rng = np.random.default_rng(errors)
    few = [rng.choice(60, 3, replace=False).tolist() for _ in range(3)]
    many = [rng.choice(60, errors // 2, replace=False).tolist() for _ in range(3)]
    maker = crossed([right(60, few), right(60, many)])
    p = maker.test(0, 1, "t", "two-sided").p_value
    for level in (1.0 - 0.999 * p, 1.0 - 1.001 * p):
        interval, _ = maker.interval(0, 1, "t", level)
        assert (0.0 in interval) == (1.0 - level < p)


def test_few_clusters_that_carry_a_difference_are_noted() -> None:
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(60), 5)
    alike = (rng.random((2, 3, 300)) < 0.7).astype(float)
    assert crossed(list(alike), clusters=code).interval(0, 1, "t", 0.95)[1] == ()
    nearly = [right(300, [(0, 1), (0,), (0, 1)]), right(300, [(7,), (), (9,)])]
    _, notes = crossed(nearly, clusters=code).interval(0, 1, "t", 0.95)
    assert [note.code for note in notes] == ["few_effective"]
    assert "of 60 clusters determine how" in notes[0].message


def test_a_single_run_is_drawn_as_the_runs_of_the_other_vary() -> None:
    flat = np.tile(np.array([[0.0], [2.0], [4.0]]), (1, 30))
    maker = crossed([flat[1:2], flat], resamples=4000)
    drawn = maker.interval(0, 1, "percentile", 0.95)[0]
    # One of three values apart from a mean of three draws: the variance is 8/3 (1 + 1/3).
    assert (drawn.low, drawn.high) == pytest.approx((-10 / 3, 10 / 3), abs=0.7)
    t = maker.components(0, 1)
    assert t.standard_error**2 == pytest.approx(4.0 * (1.0 + 1.0 / 3.0))
    assert t.freedom == pytest.approx(2.0)


def test_runs_that_differ_by_luck_alone_are_noted() -> None:
    """Mean squares of the runs equal to those of the rest, or smaller: no variance between runs is seen."""
    luck = np.random.default_rng(2).normal(size=(2, 4, 80))
    level = luck - luck.mean(axis=2, keepdims=True)
    _, notes = crossed(list(level)).interval(0, 1, "t", 0.95)
    assert [note.code for note in notes] == ["long_interval"]
    apart = level + np.array([0.0, 0.5, 1.0, 1.5])[:, None]
    assert crossed(list(apart)).interval(0, 1, "t", 0.95)[1] == ()


def test_a_large_difference_of_luck_has_two_sides() -> None:
    """Every item differs by a half, and is half right by luck: other runs may well differ by more."""
    luck = np.tile([[1.0, 0.0], [0.0, 1.0]], 5)
    for runs, sign in (([np.ones((2, 10)), luck], 1.0), ([luck, np.ones((2, 10))], -1.0)):
        maker = crossed(runs)
        interval, _ = maker.interval(0, 1, "t", 0.95)
        plain = maker.components(0, 1)
        assert max(sign * interval.low, sign * interval.high) > 0.8
        assert max(abs(interval.low), abs(interval.high)) - 0.5 > 2.0 * plain.standard_error
        p = maker.test(0, 1, "t", "two-sided").p_value
        for level in (1.0 - 0.999 * p, 1.0 - 1.001 * p):
            assert (0.0 in maker.interval(0, 1, "t", level)[0]) == (1.0 - level < p)


def test_a_large_difference_of_many_runs_is_held() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(60):
        runs = [(rng.random((20, 10)) < share).astype(float) for share in (0.9, 0.5)]
        held += 0.4 in crossed(runs).interval(0, 1, "t", 0.95)[0]
    assert held >= 57


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(20), 2)])
def test_copies_leave_nothing_to_the_items(paired: bool, groups: np.ndarray | None) -> None:
    x = np.random.default_rng(0).normal(size=(3, 40))
    copy = crossed([x, x], paired=paired, clusters=groups)
    assert copy.components(0, 1).items == 0.0
    assert (copy.components(0, 1).standard_error == 0.0) == paired
    interval, notes = copy.interval(0, 1, "t", 0.95)
    constant = ["constant_difference"] if paired else []
    assert (interval is None, [note.code for note in notes]) == (paired, constant)
    shifted = crossed([x + 1.0, x], paired=paired, clusters=groups)
    interval, notes = shifted.interval(0, 1, "t", 0.95)
    assert (interval is None, [note.code for note in notes]) == (paired, ["same_difference", *constant])
    p = shifted.test(0, 1, "t", "two-sided").p_value
    assert p == pytest.approx(2.0 * 0.5 ** (40 if groups is None else 20)) if paired else p > 1e-3


def test_small_differences_of_large_scores_keep_their_standard_error() -> None:
    rng = np.random.default_rng(1)
    x, d = 1e5 * rng.normal(size=(3, 40)), 1e-3 * rng.normal(size=(3, 40))
    large, plain = (crossed([y + d, y], paired=True).components(0, 1) for y in (x, 0.0 * x))
    assert large.standard_error == pytest.approx(plain.standard_error, rel=1e-4)


def test_answers_in_clusters_of_which_none_differs_are_noted() -> None:
    """Of answers an interval of length 0 does not hold; its words are not those of a few clusters."""
    everything = right(60, [(), ()])
    interval, notes = crossed([everything, everything], clusters=np.repeat(np.arange(30), 2)).interval(
        0, 1, "t", 0.95
    )
    assert interval is None
    assert [note.code for note in notes] == ["none_effective", "constant_difference"]
    assert "any of the clusters" in notes[0].message


def test_tests_by_name() -> None:
    maker = crossed([scores((4, 30), 1) + 0.5, scores((4, 30), 2)])
    names = {
        name: maker.test(0, 1, name, "two-sided").name for name in ("auto", "t", "bootstrap", "permutation")
    }
    assert names == {
        "auto": "crossed-t",
        "t": "crossed-t",
        "bootstrap": "crossed-bootstrap",
        "permutation": "permutation-2",
    }
