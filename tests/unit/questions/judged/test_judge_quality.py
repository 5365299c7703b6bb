"""The report on a judge: other ways to compute it, what was put into the data, and the regression of it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bestby.inference import proportions
from bestby.inference.clusters import cr2
from bestby.metrics.classification import CohenKappa
from bestby.questions.judged import judge_quality
from bestby.questions.judged.judge_quality import Pairs, carried_by_few, regressed
from bestby.questions.slices.heterogeneity import hotelling

LEVEL = 0.95


def pairs_of(judge: Any, human: Any, **changes: Any) -> Pairs:
    """Labels of S systems on the same items, from arrays of shape (n, S)."""
    judge, human = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    n, k = judge.shape
    item = np.repeat(np.arange(n), k)
    plain = Pairs(
        judge.ravel(), human.ravel(), np.full(n * k, 1.0 / n), np.tile(np.arange(k), n), item,
        np.zeros(n * k, dtype=np.int64), tuple("abcdef"[:k]), plain=True,
        binary=judge_quality.binary(judge, human),
    )  # fmt: skip
    return dataclasses.replace(plain, **changes)


def graded(seed: int = 0, n: int = 80, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A judge that gives the first of two systems `shift` more than the second."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n, 2)) + rng.normal(size=(n, 1))
    return human + 0.3 * rng.normal(size=(n, 1)) + 0.2 * rng.normal(size=(n, 2)) + [shift, 0.0], human


def binary(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = (rng.random((n, 1)) < 0.6).astype(float)
    return np.where(rng.random((n, 1)) < 0.85, human, 1.0 - human), human


def test_bias_is_the_paired_t_interval() -> None:
    judge, human = graded(shift=0.4)
    found = judge_quality.quality_of_judge("j", pairs_of(judge, human), (), LEVEL, same=True)
    for place, system in enumerate(found.systems):
        d = judge[:, place] - human[:, place]
        own = stats.ttest_1samp(d, 0.0).confidence_interval(LEVEL)
        assert system.bias == pytest.approx(d.mean())
        assert system.bias_interval is not None
        assert (system.bias_interval.low, system.bias_interval.high) == pytest.approx((own.low, own.high))
        assert system.pearson == pytest.approx(stats.pearsonr(judge[:, place], human[:, place]).statistic)
        assert system.spearman == pytest.approx(stats.spearmanr(judge[:, place], human[:, place]).statistic)
        assert system.kappa is None


def test_a_bias_that_is_rounding_is_0() -> None:
    human = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 0.9])
    judge = human + np.array([0.1, -0.1, 0.2, -0.2, 0.3, -0.3])
    pairs = pairs_of(judge[:, None], human[:, None])
    assert judge_quality.quality_of_judge("j", pairs, (), LEVEL, same=True).systems[0].bias == 0.0


def test_equal_bias_of_two_systems_is_the_paired_t_test() -> None:
    judge, human = graded(seed=1)
    found = judge_quality.equal_bias(pairs_of(judge, human))
    d = judge - human
    known = stats.ttest_rel(d[:, 0], d[:, 1])
    assert found is not None
    assert found.statistic == pytest.approx(known.statistic**2, rel=1e-9)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-9)
    assert found.n_units == 80


def test_the_system_that_is_helped_follows_the_direction() -> None:
    pairs = pairs_of(*graded(shift=0.4))
    favoured = [judge_quality.equal_bias(pairs, greater=greater) for greater in (True, False)]
    assert [one and one.helped for one in favoured] == ["a", "b"]
    assert favoured[0] is not None
    assert favoured[0].p_value < 1e-6


def test_equal_bias_cannot_be_told_of_copies() -> None:
    judge, human = graded()
    assert judge_quality.equal_bias(pairs_of(judge[:, [0, 0]], human[:, [0, 0]])) is None
    assert judge_quality.equal_bias(pairs_of(judge[:2], human[:2])) is None


def test_shares_of_0_and_1() -> None:
    judge, human = binary()
    system = judge_quality.quality_of_judge("j", pairs_of(judge, human), (), LEVEL, same=True).systems[0]
    positive, right = human[:, 0] == 1.0, judge[:, 0] == human[:, 0]
    assert system.sensitivity == pytest.approx(right[positive].mean())
    assert system.specificity == pytest.approx(right[~positive].mean())
    for found, own in (
        (system.sensitivity_interval, positive), (system.specificity_interval, ~positive)
    ):  # fmt: skip
        assert found is not None
        assert (found.low, found.high) == pytest.approx(proportions.wilson(right[own].sum(), own.sum()))
    assert system.bias_interval is not None
    above, below = (int((judge - human == sign).sum()) for sign in (1.0, -1.0))
    assert (system.bias_interval.low, system.bias_interval.high) == proportions.tango(above, below, 120)
    metric = CohenKappa("cohen_kappa").fit(None, [], np.array(["0", "1"]))
    rows = metric.statistics(human[:, 0].astype(int), judge[:, 0].astype(int))
    assert system.kappa == pytest.approx(float(metric.score(rows.sum(axis=0))))


def test_clusters_make_shares_less_sure() -> None:
    judge, human = binary()
    doubled = pairs_of(np.repeat(judge, 3, axis=0), np.repeat(human, 3, axis=0))
    wrong = judge_quality.quality_of_judge("j", doubled, (), LEVEL, same=True).systems[0]
    clustered = dataclasses.replace(doubled, cluster=np.repeat(np.arange(120), 3), plain=False)
    right = judge_quality.quality_of_judge("j", clustered, (), LEVEL, same=True).systems[0]
    alone = judge_quality.quality_of_judge("j", pairs_of(judge, human), (), LEVEL, same=True).systems[0]
    for name in ("sensitivity_interval", "specificity_interval", "bias_interval"):
        widths = [getattr(one, name).high - getattr(one, name).low for one in (wrong, right, alone)]
        assert widths[1] > 1.5 * widths[0]
        assert widths[1] == pytest.approx(widths[2], rel=0.05)


def test_no_bias_on_different_scales() -> None:
    judge, human = graded()
    found = judge_quality.quality_of_judge("j", pairs_of(judge * 20, human), (), LEVEL, same=False)
    assert found.equal_bias is None
    assert found.systems[0].bias is None
    assert found.systems[0].pearson is not None
    assert found.calibration


def test_constant_judge_has_no_correlation() -> None:
    _, human = graded()
    system = judge_quality.quality_of_judge(
        "j", pairs_of(0 * human + 1, human), (), LEVEL, same=True
    ).systems[0]
    assert (system.pearson, system.spearman, system.pearson_interval) == (None, None, None)


def test_calibration_has_a_bin_per_score_or_of_equal_size() -> None:
    judge, human = graded(n=60)
    curve = judge_quality.calibration(pairs_of(judge, human), LEVEL)
    assert [one.n_labels for one in curve] == [12] * 10
    assert all(one.high < other.low for one, other in itertools.pairwise(curve))
    assert sum(one.human * one.n_labels for one in curve) / 120 == pytest.approx(human.mean())
    few = judge_quality.calibration(pairs_of(np.round(judge / 2), human), LEVEL)
    assert all(one.low == one.high == pytest.approx(one.judge) for one in few)


def test_slope_finds_what_a_judge_pays_for_length() -> None:
    judge, human = graded(n=200)
    length = np.random.default_rng(5).integers(10, 400, judge.shape).astype(float)
    with_length = pairs_of(judge + 0.002 * length, human)
    found = judge_quality.effect(with_length, "length", length.ravel(), LEVEL)
    assert found.numeric
    assert found.interval is not None
    assert 0.002 in found.interval
    assert found.p_value is not None
    assert found.p_value < 1e-4
    none = judge_quality.effect(pairs_of(judge, human), "length", length.ravel(), LEVEL)
    assert none.p_value is not None
    assert none.p_value > 0.01


def test_position_and_values() -> None:
    judge, human = graded(n=200)
    first = np.random.default_rng(6).random(200) < 0.5
    position = np.where(np.column_stack([first, ~first]), "first", "second")
    found = judge_quality.effect(
        pairs_of(judge + 0.3 * (position == "first"), human), "position", position.ravel(), LEVEL
    )
    first_level, second_level = found.levels
    assert (first_level.value, second_level.value) == ("first", "second")
    assert first_level.bias - second_level.bias == pytest.approx(0.3, abs=0.1)
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.slope is None


@pytest.mark.parametrize("values", [np.ones(160), np.repeat("x", 160), np.arange(160).astype(str)])
def test_columns_that_tell_nothing(values: np.ndarray) -> None:
    found = judge_quality.effect(pairs_of(*graded()), "c", values, LEVEL)
    assert found.p_value is None
    assert found.slope is None


def test_agreement_of_humans() -> None:
    rng = np.random.default_rng(7)
    truth, noise = rng.normal(size=4000), rng.normal(size=(4000, 3))
    labels = truth[:, None] + noise
    variances, n = labels.var(axis=1, ddof=1), np.full(4000, 3)
    found = judge_quality.agreement(variances, n, labels.mean(axis=1), np.zeros(4000, dtype=np.int64))
    assert found is not None
    assert found.variance == pytest.approx(1 / 3, rel=0.05)
    assert found.reliability == pytest.approx(0.75, abs=0.03)
    assert judge_quality.agreement(variances, n // 3, truth, np.zeros(4000, dtype=np.int64)) is None


def test_no_reliability_of_labels_that_do_not_vary() -> None:
    same, two = np.full(7, 0.1), np.full(7, 2)
    found = judge_quality.agreement(np.zeros(7), two, same, np.zeros(7, dtype=np.int64))
    assert found is not None
    assert found.reliability is None


def test_no_interval_of_what_hardly_varies() -> None:
    human = np.array([[1.0]] * 60)
    judge = human.copy()
    judge[:4] = 0.0
    human[:2] = 0.0
    columns = (("topic", np.array(["a", "b"] * 30)),)
    found = judge_quality.quality_of_judge("j", pairs_of(judge, human), columns, LEVEL, same=True)
    assert found.systems[0].pearson is not None
    assert found.systems[0].pearson_interval is None  # two labels are 0
    assert [level.interval for level in found.effects[0].levels] == [None, None]
    assert all(one.interval is not None for one in found.calibration)  # Wilson's


def test_a_point_of_equal_grades_is_no_share() -> None:
    """Ten labels 1 on a scale from 1 to 5 are not all right answers: nothing is known of their spread."""
    judge = np.repeat([1.0, 3.0], 10)[:, None]
    human = np.concatenate([np.ones(10), np.arange(10) % 5 + 1.0])[:, None]
    first, second = judge_quality.calibration(pairs_of(judge, human), LEVEL)
    assert first.interval is None
    assert second.interval is not None
    assert second.interval.method == "t"


def far_off(seed: int, n: int, share: float) -> Pairs:
    """A judge of one system that is far off on a share of the answers."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n, 1))
    error = np.where(rng.random((n, 1)) < share, rng.exponential(8.0, (n, 1)), rng.normal(size=(n, 1)))
    return pairs_of(0.8 * human + 0.6 * error, human)


def test_few_answers_far_off_are_found_and_normal_errors_are_not() -> None:
    seeds = range(300)
    for n, least in ((50, 0.7), (100, 0.88), (500, 0.99)):
        assert np.mean([carried_by_few(far_off(seed, n, 0.05)) for seed in seeds]) >= least
        assert np.mean([carried_by_few(far_off(seed, n, 0.0)) for seed in seeds]) <= 0.02


def test_whether_few_answers_are_far_off_depends_on_no_scale_order_or_weight() -> None:
    for seed in range(20):
        pairs = far_off(seed, 60, 0.05)
        expected = carried_by_few(pairs)
        order = np.random.default_rng(seed).permutation(60)
        mirrored = dataclasses.replace(pairs, judge=7.0 - 30.0 * pairs.judge, human=pairs.human / 9.0)
        shuffled = dataclasses.replace(pairs, judge=pairs.judge[order], human=pairs.human[order])
        heavier = dataclasses.replace(pairs, weights=3.0 * pairs.weights)
        doubled = pairs_of(np.repeat(pairs.judge, 2)[:, None], np.repeat(pairs.human, 2)[:, None])
        doubled = dataclasses.replace(doubled, cluster=np.repeat(np.arange(60), 2))
        for same in (mirrored, shuffled, heavier, doubled):
            assert carried_by_few(same) == expected


def test_labels_of_unequal_weight_do_not_look_like_few_answers_far_off() -> None:
    rng = np.random.default_rng(1)
    found = []
    for seed in range(200):
        weights = rng.choice([0.25, 1.0], 100, p=[0.8, 0.2])
        found.append(
            carried_by_few(dataclasses.replace(far_off(seed, 100, 0.0), weights=weights / weights.sum()))
        )
    assert np.mean(found) <= 0.02


def test_nothing_is_said_of_scores_0_and_1_or_of_a_judge_that_is_never_off() -> None:
    rare = np.zeros((100, 1))
    rare[:3] = 1.0
    assert not carried_by_few(pairs_of(rare, 1.0 - rare[::-1]))
    human = np.arange(50.0)[:, None]
    assert not carried_by_few(pairs_of(0.1 * human + 3.0, human))
    twice = np.repeat(human, 2, axis=0)
    away = pairs_of(twice + np.tile([1.0, -1.0], 50)[:, None], twice)
    assert not carried_by_few(dataclasses.replace(away, cluster=np.repeat(np.arange(50), 2)))
    tiny = pairs_of(1e-200 * np.sin(human), 1e-200 * np.cos(human))
    assert not carried_by_few(tiny)


def test_the_correlation_has_no_more_degrees_of_freedom_than_equal_influences() -> None:
    """The ends are those of Student's t with (sum u^2)^2 / sum u^4 degrees of freedom on Fisher's scale."""
    pairs = far_off(3, 100, 0.05)
    r, interval = judge_quality.pearson(pairs, LEVEL)
    assert r is not None
    assert interval is not None
    x, y = (stats.zscore(one) for one in (pairs.judge, pairs.human))
    u = x * y - 0.5 * r * (x**2 + y**2)
    df = (u**2).sum() ** 2 / (u**4).sum()
    assert df < 20.0
    reach = stats.t.isf(0.025, df) * math.sqrt((u**2).sum() / (100 * 99)) / (1.0 - r * r)
    ends = math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)
    assert (interval.low, interval.high) == pytest.approx(ends, rel=1e-9)


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


@pytest.mark.check
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


RNG = np.random.default_rng(0)
CLUSTERS = np.sort(np.r_[np.arange(8), RNG.integers(0, 8, 40)])
Y = RNG.normal(size=48) + RNG.normal(size=8)[CLUSTERS]
X = np.column_stack([np.ones(48), RNG.normal(size=48)])
WEIGHTS = RNG.uniform(0.5, 2.0, 48)


def test_intercept_alone_is_a_mean_with_cr2() -> None:
    fit = regressed(np.ones((48, 1)), Y, np.ones(48), CLUSTERS)
    assert fit is not None
    known = cr2(np.bincount(CLUSTERS, weights=(Y - Y.mean()) / 48), np.bincount(CLUSTERS).astype(np.float64))
    own = fit.error(np.ones(1))
    assert fit.coefficients[0] == pytest.approx(Y.mean(), rel=1e-12)
    assert (own.se, own.df) == pytest.approx((known.se, known.df), rel=1e-10)


def test_errors_against_the_definition() -> None:
    """Adjusted residuals and the covariance of the quadratic form, with matrices of all rows."""
    fit = regressed(X, Y, WEIGHTS, CLUSTERS)
    assert fit is not None
    contrast = np.array([0.0, 1.0])
    root = np.sqrt(WEIGHTS)
    x, y = X * root[:, None], Y * root
    inverse = np.linalg.inv(x.T @ x)
    maker = np.eye(48) - x @ inverse @ x.T
    variance, columns = 0.0, []
    for cluster in range(8):
        own = cluster == CLUSTERS
        values, vectors = np.linalg.eigh(maker[np.ix_(own, own)])
        adjusted = contrast @ inverse @ x[own].T @ (vectors / np.sqrt(values)) @ vectors.T
        variance += float(adjusted @ (maker @ y)[own]) ** 2
        columns.append(maker[own].T @ adjusted)
    form = np.array(columns) @ np.array(columns).T
    own_error = fit.error(contrast)
    assert fit.coefficients == pytest.approx(inverse @ x.T @ y, rel=1e-10)
    assert own_error.se == pytest.approx(np.sqrt(variance), rel=1e-10)
    assert own_error.df == pytest.approx(np.trace(form) ** 2 / (form**2).sum(), rel=1e-10)


@pytest.mark.parametrize("column", [np.zeros(48), np.ones(48)])
def test_none_for_columns_that_depend_on_each_other(column: np.ndarray) -> None:
    assert regressed(np.column_stack([np.ones(48), column]), Y, WEIGHTS, CLUSTERS) is None


def test_means_of_the_same_clusters_are_tested_by_hotelling() -> None:
    rng = np.random.default_rng(1)
    n, k = 15, 3
    y = rng.normal(size=n * k) + np.repeat(rng.normal(size=n), k)
    fit = regressed(np.tile(np.eye(k), (n, 1)), y, np.ones(n * k), np.repeat(np.arange(n), k))
    assert fit is not None
    contrasts = np.eye(k)[:-1] - np.eye(k)[-1]
    assert fit.freedom(contrasts) == pytest.approx(n - 1.0)
    q, p = fit.wald(contrasts) or (np.nan, np.nan)
    assert p == pytest.approx(hotelling(q, k - 1, n))


def test_freedom_against_the_definition() -> None:
    """Tipton & Pustejovsky (2015), equation 14: Q (Q + 1) over the variances of all entries, summed."""
    plain = np.column_stack([X, RNG.normal(size=48)])
    fit = regressed(plain, Y, WEIGHTS, CLUSTERS)
    assert fit is not None
    contrasts = np.eye(3)[1:]
    x = plain * np.sqrt(WEIGHTS)[:, None]
    inverse = np.linalg.inv(x.T @ x)
    maker = np.eye(48) - x @ inverse @ x.T
    rows = []
    for cluster in range(8):
        own = cluster == CLUSTERS
        values, vectors = np.linalg.eigh(maker[np.ix_(own, own)])
        adjust = vectors @ np.diag(np.where(values > 1e-9, values, np.inf) ** -0.5) @ vectors.T
        rows.append(contrasts @ inverse @ x[own].T @ adjust @ maker[own])
    values, axes = np.linalg.eigh(sum(one @ one.T for one in rows))
    unit = np.einsum("st,gtn->gsn", axes @ np.diag(values**-0.5) @ axes.T, np.array(rows))
    k = np.einsum("gsn,htn->gsht", unit, unit)
    variances = np.einsum("gshs,gtht->", k, k) + np.einsum("gsht,gths->", k, k)
    assert fit.freedom(contrasts) == pytest.approx(6.0 / variances, rel=1e-8)


def test_a_value_of_one_cluster_has_no_test() -> None:
    x = np.column_stack([np.ones(48), CLUSTERS == 0, CLUSTERS == 1]).astype(np.float64)
    fit = regressed(x, Y, np.ones(48), CLUSTERS)
    assert fit is not None
    assert fit.wald(np.eye(3)[1:]) is None
