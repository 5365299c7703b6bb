"""Power by plain loops and by other programs: nothing of bestby is used to make what it is compared with."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestPower

import bestby as bb
from bestby.inference.power import mcnemar_power, t_power
from bestby.planning.base import Question
from bestby.questions.planning.simulated import (
    mann_whitney_p_values,
    permutation_p_values,
    welch_p_values,
)


@functools.cache
def _mcnemar_p(n10: int, n01: int, alternative: str, mid: bool) -> float:
    m = n10 + n01
    if m == 0:
        return 1.0
    chance = [math.comb(m, k) / 2**m for k in range(m + 1)]

    def tail(k: int) -> float:
        return sum(chance[k:]) - (0.5 * chance[k] if mid else 0.0)

    upper, lower = tail(n10), tail(n01)
    return {"greater": upper, "less": lower, "two-sided": min(1.0, 2.0 * min(upper, lower))}[alternative]


@pytest.mark.parametrize("mid", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("differing", "difference"), [(0.3, 0.1), (0.5, -0.3), (1.0, 0.4), (0.2, 0.0), (0.2, 0.2)]
)
def test_mcnemar_is_the_sum_over_all_tables(
    differing: float, difference: float, alternative: str, mid: bool
) -> None:
    n = 25
    p10, p01 = (differing + difference) / 2.0, (differing - difference) / 2.0
    same = 1.0 - p10 - p01
    power = 0.0
    for n10 in range(n + 1):
        for n01 in range(n + 1 - n10):
            if _mcnemar_p(n10, n01, alternative, mid) <= 0.05:
                ways = math.comb(n, n10) * math.comb(n - n10, n01)
                power += ways * p10**n10 * max(p01, 0.0) ** n01 * max(same, 0.0) ** (n - n10 - n01)
    computed = mcnemar_power(np.array([n]), differing, difference, 0.05, alternative, mid=mid)  # type: ignore[arg-type]
    assert computed[0] == pytest.approx(power, abs=1e-12)


def test_mcnemar_approaches_the_normal_approximation_of_statsmodels() -> None:
    n, d, differing = 4000, 0.02, 0.15
    exact = bb.power(bb.planning.PairedProportions(0.82, 0.80, agreement=1.0 - differing), n).power
    effect = d / math.sqrt(differing - d * d)
    normal = NormalIndPower(ddof=0).power(effect, n, 0.05, ratio=0)
    assert exact == pytest.approx(normal, abs=0.02)  # the exact test is conservative
    mid = bb.power(
        bb.planning.PairedProportions(0.82, 0.80, agreement=1.0 - differing, test="mcnemar-midp"), n
    ).power
    assert exact < mid == pytest.approx(normal, abs=0.005)


@pytest.mark.parametrize(
    ("alternative", "theirs"), [("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")]
)
@pytest.mark.parametrize("n", [5, 20, 300])
def test_paired_t_is_that_of_statsmodels(n: int, alternative: str, theirs: str) -> None:
    for d in (-0.4, 0.05, 0.6):
        ours = bb.power(bb.planning.PairedScores(d, 1.3), n, alternative=alternative).power
        assert ours == pytest.approx(TTestPower().power(d / 1.3, n, 0.05, alternative=theirs), abs=1e-9)


@pytest.mark.parametrize("d", [0.1, 0.35, 1.0])
def test_the_size_is_that_of_statsmodels(d: float) -> None:
    theirs = TTestPower().solve_power(effect_size=d, alpha=0.05, power=0.9)
    assert bb.sample_size(bb.planning.PairedScores(d, 1.0), 0.9).n == math.ceil(theirs - 1e-9)
    detectable = bb.minimum_detectable(bb.planning.PairedScores(0.0, 1.0), 50, 0.9).difference
    assert TTestPower().power(detectable, 50, 0.05) == pytest.approx(0.9, abs=1e-9)


@pytest.mark.parametrize("runs", [3, 6, 15])
def test_paired_runs_alone_are_the_paired_t_test(runs: int) -> None:
    design = bb.planning.RunsAndItems(
        0.03, item_sd=0.0, run_sd=0.02, rest_sd=0.0, runs=runs, paired_runs=True
    )
    theirs = TTestPower().power(1.5, runs, 0.05)
    assert bb.power(design, 1000).power == pytest.approx(theirs, abs=2e-3)


def test_runs_alone_are_the_test_of_welch() -> None:
    """Without variation between items, unpaired runs are two independent samples."""
    design = bb.planning.RunsAndItems(0.03, item_sd=0.0, run_sd=0.02 * math.sqrt(2.0), rest_sd=0.0, runs=6)
    rng = np.random.default_rng(0)
    a, b = rng.normal(1.5, 1.0, (100_000, 6)), rng.normal(size=(100_000, 6))
    hits = (stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue <= 0.05).mean()
    assert bb.power(design, 1000).power == pytest.approx(hits, abs=0.006)  # four standard errors


def test_items_alone_are_the_paired_t_test() -> None:
    design = bb.planning.RunsAndItems(0.2, item_sd=1.0, run_sd=0.0, rest_sd=0.0, runs=1)
    assert bb.power(design, 120).power == pytest.approx(
        bb.power(bb.planning.PairedScores(0.2, 1.0), 120).power, abs=2e-3
    )


@pytest.mark.parametrize("shift", [0.0, 3.0, 9.0, 60.0, -9.0])
def test_no_size_of_effect_is_undefined(shift: float) -> None:
    power = t_power(np.full(6, shift), np.array([1.0, 2.0, 9.0, 90.0, 1e4, 1e9]), 0.05)
    assert np.isfinite(power).all()
    assert (power >= 0.05 - 1e-11).all()  # SciPy 1.13 to 1.15 are off by 5e-12


def _samples(studies: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.integers(0, 9, (studies, n)) / 4.0 + 0.5, rng.integers(0, 9, (studies, n)) / 4.0


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_vectorised_tests_are_those_of_scipy(alternative: str) -> None:
    x, y = _samples(40, 8)
    welch = welch_p_values(x, y, alternative)  # type: ignore[arg-type]
    ranks = mann_whitney_p_values(x, y, alternative)  # type: ignore[arg-type]
    for s in range(40):
        t = stats.ttest_ind(x[s], y[s], equal_var=False, alternative=alternative)
        assert welch[s] == pytest.approx(t.pvalue, abs=1e-12)
        u = stats.mannwhitneyu(x[s], y[s], alternative=alternative, method="asymptotic")
        assert ranks[s] == pytest.approx(u.pvalue, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_scores_are_divided_in_every_way(alternative: str) -> None:
    x, y = _samples(10, 5)
    p_values = permutation_p_values(x, y, alternative, 999, np.random.default_rng(0))  # type: ignore[arg-type]
    for s in range(10):
        pooled = [*x[s], *y[s]]
        observed = sum(x[s]) - sum(y[s])
        hits = ways = 0
        for chosen in itertools.combinations(range(10), 5):
            gap = 2.0 * sum(pooled[i] for i in chosen) - sum(pooled)
            ways += 1
            sizes = {"two-sided": abs(gap) - abs(observed), "greater": gap - observed, "less": observed - gap}
            hits += sizes[alternative] >= -1e-9
        assert p_values[s] == pytest.approx(hits / ways, abs=1e-12)


def test_drawn_divisions_approach_all_of_them() -> None:
    x, y = _samples(20, 7)
    every = permutation_p_values(x, y, "two-sided", 3432, np.random.default_rng(0))
    drawn = permutation_p_values(x, y, "two-sided", 3000, np.random.default_rng(0))
    assert not np.array_equal(every, drawn)
    # 20 values with a standard error of at most 0.0091: one beyond 0.037 in 1 of 1000 correct programs
    assert np.abs(every - drawn).max() < 0.037


def test_bootstrap_power_analysis_by_plain_loops() -> None:
    scores = [0.61, 0.70, 0.66, 0.74, 0.69, 0.72, 0.58, 0.71]
    draw, studies = random.Random(1), 3000
    lifted = [[1.08 * draw.choice(scores) for _ in scores] for _ in range(studies)]
    plain = [[draw.choice(scores) for _ in scores] for _ in range(studies)]
    hits = np.count_nonzero(stats.ttest_ind(lifted, plain, axis=1, equal_var=False).pvalue <= 0.05)
    plan = bb.power(bb.planning.LiftedScores(scores, 1.08, test="welch"), curve=())
    assert plan.n == 8
    # The difference of two shares of 3000 and 5000 has a standard error of at most 0.0116: 4 of them.
    assert plan.power_as_estimated == pytest.approx(hits / studies, abs=0.046)


def test_a_pilot_of_right_and_wrong_has_the_power_of_the_formula() -> None:
    """Items drawn from a pilot follow a multinomial: McNemar's unconditional power, exactly."""
    rng = np.random.default_rng(2)
    gold = np.zeros(200, dtype=int)
    a, b = (rng.random(200) > p for p in (0.85, 0.72))
    pilot = bb.planning.Pilot(bb.Evaluation.of({"a": a.astype(int), "b": b.astype(int)}, gold))
    formula = bb.planning.PairedProportions.from_pilot(~a, ~b)
    for n, scale in ((100, 1.0), (150, 0.6), (100, 0.0)):
        shrunk = pilot.with_effect(scale)
        computed = bb.power(formula.with_effect(scale * formula.true_difference), n)
        assert shrunk.true_difference == pytest.approx(computed.difference, abs=1e-12)
        (simulated,), (error,) = shrunk.powers(np.array([n]), Question(n_simulations=1500))
        assert simulated == pytest.approx(computed.power, abs=4.0 * error)


def test_variance_components_by_plain_loops() -> None:
    rng = np.random.default_rng(8)
    runs, items = 4, 6
    layer = rng.normal(size=(runs, items)) + rng.normal(size=(1, items)) + rng.normal(size=(runs, 1))
    zero = np.zeros((runs, items))
    grand = sum(layer[r][i] for r in range(runs) for i in range(items)) / (runs * items)
    of_run = [sum(layer[r]) / items for r in range(runs)]
    of_item = [sum(layer[r][i] for r in range(runs)) / runs for i in range(items)]
    ms_run = items * sum((x - grand) ** 2 for x in of_run) / (runs - 1)
    ms_item = runs * sum((x - grand) ** 2 for x in of_item) / (items - 1)
    rest = sum((layer[r][i] - of_run[r] - of_item[i] + grand) ** 2 for r in range(runs) for i in range(items))
    ms_rest = rest / ((runs - 1) * (items - 1))
    expected = [max(0.0, x) ** 0.5 for x in ((ms_item - ms_rest) / runs, (ms_run - ms_rest) / items, ms_rest)]
    for paired in (True, False):
        design = bb.planning.RunsAndItems.from_pilot(layer, zero, paired_runs=paired)
        assert [design.item_sd, design.run_sd, design.rest_sd] == pytest.approx(expected)


Case = tuple[float, float, float, float, int, int]
BASE: Case = (0.3, 0.8, 0.2, 1.0, 3, 40)
HARD: list[Case] = [
    (0.25, 0.1, 0.0, 1.0, 2, 100),
    (0.15, 0.1, 0.03, 1.0, 3, 200),
    (0.03, 0.2, 0.0, 0.45, 3, 300),
    (0.04, 0.2, 0.0, 0.45, 5, 300),
    (0.025, 0.3, 0.01, 0.4, 3, 1000),
]
"""Difference, standard deviations of items, runs and rest, number of runs and of items."""
MANY: list[Case] = [
    (0.3, 0.8, 0.2, 1.0, 60, 60),
    (0.25, 0.8, 0.4, 1.0, 120, 40),
    (1.0, 0.8, 0.4, 1.0, 400, 5),
]


def _crossed_scores(case: Case, paired: bool, studies: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the scores of both systems in simulated studies, shape (S, runs, items), in blocks."""
    difference, item_sd, run_sd, rest_sd, runs, items = case
    rng, half = np.random.default_rng(3), math.sqrt(0.5)
    most = max(1, 200_000 // (runs * items))
    for first in range(0, studies, most):
        count = min(most, studies - first)
        a, b = (
            half
            * (
                rng.normal(0.0, item_sd, (count, 1, items))
                + rng.normal(0.0, run_sd, (count, runs, 1))
                + rng.normal(0.0, rest_sd, (count, runs, items))
            )
            for _ in "ab"
        )
        shared = rng.normal(size=(count, 1, items)) + paired * rng.normal(
            size=(count, runs, items)
        )  # cancels
        yield a + shared + difference, b + shared


def _crossed_p_values(a: np.ndarray, b: np.ndarray, paired: bool) -> np.ndarray:
    """Return the p-value of each study by the analysis of variance of two crossed factors."""
    _, runs, items = a.shape
    layers = [a - b] if paired else [a, b]
    of_items, of_runs = ([layer.mean(axis=axis, keepdims=True) for layer in layers] for axis in (1, 2))
    left = [
        layer - item - run + layer.mean(axis=(1, 2), keepdims=True)
        for layer, item, run in zip(layers, of_items, of_runs, strict=True)
    ]
    rest = sum((one**2).sum(axis=(1, 2)) for one in left) / ((runs - 1) * (items - 1)) / (runs * items)
    by_items = (a - b).mean(axis=1).var(axis=1, ddof=1) / items
    by_runs = [one[:, :, 0].var(axis=1, ddof=1) / runs for one in of_runs]
    total = np.maximum(0.0, by_items - rest) + np.maximum(0.0, sum(by_runs) - rest) + rest
    freedom = total**2 / (by_items**2 / (items - 1) + sum(one**2 for one in by_runs) / (runs - 1))
    return np.asarray(2.0 * stats.t.sf(np.abs((a - b).mean(axis=(1, 2))) / np.sqrt(total), freedom))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("case", [BASE, *HARD], ids=str)
def test_compare_runs_decides_by_the_analysis_of_variance(case: Case, paired: bool) -> None:
    for a, b in _crossed_scores(case, paired, 4):
        for one, other, p in zip(a, b, _crossed_p_values(a, b, paired), strict=True):
            systems = {"a": list(one), "b": list(other)}
            result = bb.compare_runs(systems, test="t", paired=paired, n_resamples=9)
            assert result["a", "b"].p_value == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    "case", [BASE, *(pytest.param(case, marks=pytest.mark.check) for case in HARD)], ids=str
)
def test_power_of_runs_and_items_by_simulation(case: Case, paired: bool) -> None:
    """The test rejects in as many simulated studies of crossed scores as planned."""
    planned = bb.power(bb.planning.RunsAndItems(*case[:5], paired_runs=paired), case[5], curve=()).power
    p_values = [_crossed_p_values(a, b, paired) for a, b in _crossed_scores(case, paired, 4000)]
    share = (np.concatenate(p_values) <= 0.05).mean()
    assert planned == pytest.approx(share, abs=0.032)  # four standard errors of 4000 studies


@functools.cache
def _drawn_tests(case: Case, paired: bool) -> np.ndarray:
    """Return the upper tails of t in studies of which mean squares are drawn instead of scores."""
    difference, item_sd, run_sd, rest_sd, runs, items = case
    rng, draws, layers = np.random.default_rng(0), 100_000, 1 if paired else 2
    of_items, of_runs, of_rest = item_sd**2 / items, run_sd**2 / runs, rest_sd**2 / (runs * items)

    def drawn(df: int) -> np.ndarray:
        return np.asarray(rng.chisquare(df, draws) / df)

    both = of_rest * drawn(layers * (runs - 1) * (items - 1))
    over_items = (of_items + of_rest) * drawn(items - 1)
    over_runs = [(of_runs + of_rest) / layers * drawn(runs - 1) for _ in range(layers)]
    total = np.maximum(0.0, over_items - both) + np.maximum(0.0, sum(over_runs) - both) + both
    freedom = total**2 / (over_items**2 / (items - 1) + sum(v**2 for v in over_runs) / (runs - 1))
    t = rng.normal(difference, math.sqrt(of_items + of_runs + of_rest), draws) / np.sqrt(total)
    return np.asarray(stats.t.sf(t, freedom))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("case", [*HARD, *MANY], ids=str)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_power_of_runs_and_items_from_drawn_mean_squares(case: Case, paired: bool, alternative: str) -> None:
    """The whole test, difference and all."""
    above = _drawn_tests(case, paired)
    p_values = {"greater": above, "less": 1.0 - above, "two-sided": 2.0 * np.minimum(above, 1.0 - above)}
    hits = (p_values[alternative] <= 0.05).mean()
    design = bb.planning.RunsAndItems(*case[:5], paired_runs=paired)
    planned = bb.power(design, case[5], alternative=alternative, curve=()).power
    assert planned == pytest.approx(hits, abs=0.008)  # four standard errors and 0.002
