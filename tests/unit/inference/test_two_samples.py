"""Tests of two samples of runs: by hand, against SciPy, and at their edges."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.inference import samples
from bestby.inference.classical import cochran_q, friedman, wilcoxon
from bestby.results.values import TestResult

# --- tests of two samples ---------------------------------------------------------------------

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
LOCATIONS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": np.mean,
    "median": np.median,
    "iqm": lambda x: np.sort(x)[len(x) // 4 : -(len(x) // 4)].mean(),
}


def t_of_six_pairs(a: np.ndarray, b: np.ndarray, statistic: str) -> float:
    """Return the difference in its standard errors; of means in none, which gives the same p-values."""
    difference = float(LOCATIONS[statistic](a) - LOCATIONS[statistic](b))
    if statistic == "mean":
        return difference
    if statistic == "iqm":
        w = [np.clip(x, np.sort(x)[1], np.sort(x)[4]) for x in (a, b)]
        error = math.sqrt((w[0] - w[1]).var(ddof=0) * 6 / (4 * 3))
    else:  # the order statistics of Price and Bonett are the first and the last, of which 2^-6 lie beyond
        one, other = (np.ptp(x) / (2 * stats.norm.isf(0.5**6)) for x in (a, b))
        left, right = a - np.median(a), b - np.median(b)
        alike, apart = int((left * right > 0.0).sum()), int((left * right < 0.0).sum())
        error = math.sqrt(one**2 + other**2 - 2 * (alike - apart) / 7 * one * other)
    return difference / max(error, 1e-12)


def of_all_swaps(a: np.ndarray, b: np.ndarray, statistic: str, alternative: Alternative) -> float:
    """Return the share of the swaps of pairs with a t as extreme, one swap after the other."""
    sides: dict[str, Callable[[float], float]] = {"two-sided": abs, "greater": float, "less": lambda x: -x}
    extreme = sides[alternative]
    found = []
    for swap in itertools.product([False, True], repeat=a.size):
        x, y = np.where(swap, b, a), np.where(swap, a, b)
        found.append(extreme(t_of_six_pairs(x, y, statistic)))
    observed = extreme(t_of_six_pairs(a, b, statistic))
    return float(np.mean(np.array(found) >= observed - 1e-9))


@pytest.mark.parametrize("statistic", ["mean", "median", "iqm"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_paired_permutation_by_hand(statistic: str, alternative: Alternative) -> None:
    rng = np.random.default_rng(5)
    ways = {"mean": "convolution"}
    for _ in range(3):
        a, b = rng.integers(0, 9, 6) / 10.0, rng.integers(0, 7, 6) / 10.0
        found = samples.permutation_test(a, b, statistic, alternative, paired=True, n_resamples=1, seed=0)
        assert found.p_value == pytest.approx(of_all_swaps(a, b, statistic, alternative), rel=1e-12)
        assert (found.name, found.alternative, found.exact) == ("permutation", alternative, True)
        assert found.method == ways.get(statistic, "enumeration")
        assert found.statistic == pytest.approx(t_of_six_pairs(a, b, statistic))


def test_paired_means_of_many_runs_are_exact() -> None:
    a, b = np.arange(40.0) + 3.0, np.arange(40.0)[::-1]
    found = samples.permutation_test(a, b, "mean", "greater", paired=True, n_resamples=1, seed=0)
    assert found.exact
    differences = [int(d) for d in a - b]
    ways = Counter({0: 1})
    for d in differences:
        before, ways = ways, Counter()
        for total, times in before.items():
            ways[total + d] += times
            ways[total - d] += times
    hits = sum(times for total, times in ways.items() if total >= sum(differences))
    assert found.p_value == pytest.approx(hits / 2**40, rel=1e-9, abs=0.0)


def test_up_to_how_many_runs_swaps_and_splits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_SWAPS", 4)
    for n, exact in ((4, True), (5, False)):
        a, b = np.arange(float(n)) ** 2, np.arange(float(n))[::-1]
        found = samples.permutation_test(a, b, "median", "greater", paired=True, n_resamples=9, seed=0)
        assert found.exact is exact
    a, b = np.array([1.0, 5.0]), np.array([2.0, 4.0, 9.0])  # 10 splits of 5 positions each
    for most_splits, most_listed, exact in ((10, 50, True), (9, 50, False), (10, 49, False)):
        monkeypatch.setattr(samples, "MOST_SPLITS", most_splits)
        monkeypatch.setattr(samples, "MOST_LISTED", most_listed)
        found = samples.permutation_test(a, b, "mean", "greater", paired=False, n_resamples=9, seed=0)
        assert found.exact is exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_two_samples_permuted_say_what_they_are(
    alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = np.array([1.0, 5.0, 6.5]), np.array([2.0, 4.0, 9.0])

    def found() -> TestResult:
        return samples.permutation_test(a, b, "median", alternative, paired=False, n_resamples=400, seed=2)

    exact = found()
    assert (exact.name, exact.alternative, exact.exact, exact.method) == (
        "permutation-2",
        alternative,
        True,
        "enumeration",
    )
    t = 1.0 / (math.hypot(5.5, 7.0) / (2 * stats.norm.isf(0.5**3)))
    assert (exact.statistic, exact.n_resamples) == (pytest.approx(t), 0)
    monkeypatch.setattr(samples, "MOST_SPLITS", 0)
    drawn = found()
    assert (drawn.name, drawn.alternative, drawn.exact, drawn.method) == (
        "permutation-2",
        alternative,
        False,
        "monte carlo",
    )
    assert (drawn.statistic, drawn.n_resamples) == (pytest.approx(t), 400)
    monkeypatch.setattr(samples, "CHUNK", 7 * 6)
    assert found() == drawn


@pytest.mark.parametrize("paired", [False, True])
def test_drawn_permutations_depend_on_the_seed_and_on_nothing_else(
    paired: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=21), rng.normal(size=21)
    ps = []
    for seed in (0, 0, 1, 2, 3):
        found = samples.permutation_test(a, b, "median", "less", paired=paired, n_resamples=500, seed=seed)
        assert (found.name, found.alternative) == ("permutation" if paired else "permutation-2", "less")
        assert (found.exact, found.method, found.n_resamples) == (False, "monte carlo", 500)
        test = samples.t_test(a, b, "median", "less", paired=paired)
        assert test is not None
        assert found.statistic == pytest.approx(test.statistic)
        ps.append(found.p_value)
    assert ps[0] == ps[1]
    assert len(set(ps)) > 2
    monkeypatch.setattr(samples, "CHUNK", 100)
    found = samples.permutation_test(a, b, "median", "less", paired=paired, n_resamples=500, seed=0)
    assert found.p_value == ps[0]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("n", [6, 25])
def test_ties_are_ties_on_any_scale(n: int, paired: bool) -> None:
    """Multiples of 0.1, and the same above a million, where their differences are rounded to ten digits."""
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 5, n) / 10.0, rng.integers(0, 4, n) / 10.0
    for statistic in ("median", "trimmed_mean"):
        ps = [
            samples.permutation_test(
                shift + a, shift + b, statistic, "greater", paired=paired, n_resamples=300, seed=0
            ).p_value
            for shift in (0.0, 1e6)
        ]
        assert ps[0] == ps[1]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6])
def test_permutations_have_no_unit(scale: float, paired: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.integers(0, 5, 5) / 10.0, rng.integers(0, 4, 5) / 10.0
        ps = [
            samples.permutation_test(
                unit * a, unit * b, "median", "greater", paired=paired, n_resamples=1, seed=0
            ).p_value
            for unit in (1.0, scale)
        ]
        assert ps[0] == ps[1]


def test_placements_by_hand() -> None:
    """Of 2, 2, 5 below 2: none and half of two; below 6 all; of 2, 6 below 2: half of one."""
    p, of_a, of_b = samples.placements(np.array([2.0, 6.0]), np.array([2.0, 2.0, 5.0]))
    assert p == pytest.approx((1 / 3 + 1) / 2)
    assert of_a.tolist() == pytest.approx([1 / 3, 1.0])
    assert of_b.tolist() == pytest.approx([0.75, 0.75, 0.5])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_brunner_munzel_with_ties_against_scipy(alternative: Alternative) -> None:
    a, b = np.array([1.0, 2.0, 2.0, 4.0, 5.0]), np.array([0.0, 2.0, 3.0, 0.0])
    found = samples.brunner_munzel(a, b, alternative)
    expected = stats.brunnermunzel(a, b, alternative=alternative)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert abs(found.statistic) == pytest.approx(abs(expected.statistic))
    assert (found.name, found.alternative, found.exact, found.method) == (
        "brunner-munzel",
        alternative,
        False,
        "asymptotic",
    )


def test_t_tests_have_their_names() -> None:
    a, b = np.array([1.0, 2.0, 4.0, 7.0, 8.0]), np.array([1.5, 2.0, 3.0, 3.5, 9.0])
    names = {
        (statistic, paired): test.name
        for statistic in ("mean", "trimmed_mean", "iqm", "median")
        for paired in (False, True)
        if (test := samples.t_test(a, b, statistic, "two-sided", paired=paired)) is not None
    }
    assert names == {
        ("mean", False): "welch",
        ("mean", True): "t",
        ("trimmed_mean", False): "yuen",
        ("trimmed_mean", True): "yuen",
        ("iqm", False): "yuen",
        ("iqm", True): "yuen",
        ("median", False): "price-bonett",
        ("median", True): "price-bonett",
    }
    assert samples.difference_error(a[:1], b[:1], "median", paired=True) is None
    for one, other in ((a[:1], b), (a, b[:1]), (a[:1], b[:1])):
        assert samples.difference_error(one, other, "mean", paired=False) is None


def test_paired_t_of_interquartile_means_by_hand() -> None:
    """Of four runs two are kept; winsorized a: 2 2 3 3, b: 1 3 3 1, differences 1 -1 0 2, their mean 1/2."""
    a, b = np.array([0.0, 2.0, 3.0, 9.0]), np.array([1.0, 8.0, 3.0, -5.0])
    error = math.sqrt((0.5**2 + 1.5**2 + 0.5**2 + 1.5**2) / 2)
    assert samples.difference_error(a, b, "iqm", paired=True) == (pytest.approx(error), 1.0)
    found = samples.t_test(a, b, "iqm", "greater", paired=True)
    assert found is not None
    assert found.statistic == pytest.approx(0.5 / error)
    assert found.p_value == pytest.approx(stats.cauchy.sf(0.5 / error))


def test_a_paired_trimmed_difference_without_variance_has_the_p_of_its_signs() -> None:
    a = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    ps = [samples.t_test(a + 1.0, a, "trimmed_mean", side, paired=True) for side in ALTERNATIVES]
    assert [test.p_value for test in ps if test is not None] == [2 / 32, 1 / 32, 1.0]


def test_a_t_interval_says_what_it_is() -> None:
    interval = samples.t_interval(1.0, 0.5, 4.0, 0.9, "yuen")
    assert (interval.level, interval.method, interval.exact) == (0.9, "yuen", True)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_says_what_it_is(alternative: Alternative) -> None:
    none = wilcoxon([0.0, 0.0], alternative)
    assert (none.name, none.alternative, none.exact, none.method) == (
        "wilcoxon",
        alternative,
        True,
        "convolution",
    )
    d = np.random.default_rng(2).integers(-3, 5, 400).astype(float)
    many = wilcoxon(d, alternative)
    assert (many.name, many.alternative, many.exact, many.method) == (
        "wilcoxon",
        alternative,
        False,
        "asymptotic",
    )
    ranks = stats.rankdata(np.abs(d[d != 0.0]))
    assert many.statistic == pytest.approx(float((ranks * np.sign(d[d != 0.0])).sum()), rel=1e-12)


def test_omnibus_tests_name_what_is_no_array() -> None:
    for test in (cochran_q, friedman):
        with pytest.raises(InvalidInputError, match=r"\bx\b"):
            test([[1.0, 0.0], [1.0]])


def test_t_without_error() -> None:
    """p is the least there is on the side of the difference and 1 on the other; twice the least for both."""
    for difference, ps in ((2.0, (0.25, 0.125, 1.0)), (-2.0, (0.25, 1.0, 0.125)), (0.0, (1.0, 1.0, 1.0))):
        found = [samples.t_result("t", difference, 0.0, 3.0, side, 0.125, 2.0) for side in ALTERNATIVES]
        assert tuple(test.p_value for test in found) == ps
        assert [test.alternative for test in found] == list(ALTERNATIVES)
        expected = math.copysign(math.inf, difference) if difference else 0.0
        assert {(test.name, test.exact, test.method, test.statistic) for test in found} == {
            ("t", True, "enumeration", expected)
        }
    assert samples.t_result("t", 0.0, 0.0, 3.0, "two-sided").p_value == 1.0
    assert samples.t_result("t", 1.0, 0.0, 3.0, "two-sided").p_value == 0.0  # unless a least p is given


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_with_an_error(alternative: Alternative) -> None:
    found = samples.t_result("yuen", 1.0, 0.5, 1.0, alternative)
    sides = {"two-sided": 2 * stats.cauchy.sf(2), "greater": stats.cauchy.sf(2), "less": stats.cauchy.cdf(2)}
    assert found.p_value == pytest.approx(sides[alternative])
    assert (found.name, found.alternative, found.exact, found.method, found.statistic) == (
        "yuen",
        alternative,
        False,
        "asymptotic",
        2.0,
    )


@pytest.mark.parametrize("scale", [1e-15, 1e-9, 1.0, 1e9])
def test_the_t_tests_have_no_unit(scale: float) -> None:
    """Three runs against three: differences with and without a spread, and one of rounding only."""
    a, b = np.array([0.8, 0.7, 0.9]), np.array([0.6, 0.8, 0.3])
    real = samples.t_test(scale * a, scale * b, "mean", "greater", paired=False)
    assert real is not None
    assert real.p_value == pytest.approx(stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue)
    apart = samples.t_test(np.full(3, 0.8 * scale), np.full(3, 0.6 * scale), "mean", "greater", paired=False)
    assert apart is not None
    assert (apart.p_value, apart.exact) == (1 / 20, True)
    rounded = samples.t_test(
        scale * np.array([0.1 + 0.2, 0.3, 0.3]), np.full(3, 0.3 * scale), "mean", "greater", paired=False
    )
    assert rounded is not None
    assert (rounded.p_value, rounded.exact) == (1.0, True)
    error = 0.1 * scale
    assert samples.t_result("t", scale, error, 9.0, "less").p_value == pytest.approx(stats.t.cdf(10.0, 9))
