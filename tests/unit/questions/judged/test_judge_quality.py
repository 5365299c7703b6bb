"""The report on a judge agrees with other ways to compute it, and finds what was put into the data."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bestby.inference import proportions
from bestby.metrics.chance import CohenKappa
from bestby.questions.judged import judge_quality
from bestby.questions.judged.judge_quality import Pairs, carried_by_few

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
