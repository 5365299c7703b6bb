"""Tests of folds: edges, laws, messages."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestby._core.typing import Alternative, ArrayLike
from bestby.inference import classical
from bestby.questions.folds import crossvalidation as cv

DIFFERENCES = st.lists(st.integers(-20, 20).map(lambda x: x / 100), min_size=10, max_size=10)


def test_a_ratio_near_0_is_the_ordinary_t_test(generator: np.random.Generator) -> None:
    d = generator.normal(0.1, 1.0, 12)
    plain = stats.ttest_1samp(d, 0.0)
    corrected = cv.corrected_t(d, 1e-12)
    assert corrected.statistic == pytest.approx(plain.statistic)
    assert corrected.p_value == pytest.approx(plain.pvalue)


@given(DIFFERENCES, st.floats(0.01, 2.0))
def test_the_correction_never_makes_it_easier(d: list[float], ratio: float) -> None:
    assert cv.corrected_t(d, ratio).p_value >= classical.paired_t(d).p_value * (1.0 - 1e-9)


@given(DIFFERENCES, st.floats(0.01, 20.0))
def test_the_conservative_t_is_never_more_liberal(d: list[float], ratio: float) -> None:
    splits, repetitions = cv.conservative_t(d, ratio), cv.conservative_t(np.reshape(d, (2, 5)), ratio)
    assert splits.p_value >= repetitions.p_value >= cv.corrected_t(d, ratio).p_value


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("apart", [0.0, 0.1, 0.4, 2.0])
def test_the_conservative_t_goes_with_the_spread_of_the_repetitions(k: int, apart: float) -> None:
    """Between models that are the same and the chance that a split separates two items, by plain loops."""
    generator = np.random.default_rng(k)
    d = generator.normal(0.1, 1.0, (10, k))
    d += apart * generator.normal(0.0, 1.0, (10, 1)) - d.mean(axis=1, keepdims=True) + 0.2
    q = 1.0 / k
    rho = sum(q * (1.0 - q) for first, second in itertools.product((0, 1), repeat=2) if first != second)
    low = 1.0 / d.size + q / (1.0 - q)
    high = max(low, rho / (1.0 - rho))
    share = 1.0
    if k > 2:
        within = sum(float(np.var(row, ddof=1)) for row in d) / 10
        between = float(np.var([sum(row) / k for row in d], ddof=1))
        share = min(1.0, between * k / within / (2 * (k - 1) / (k * (k - 2))))
    t = d.mean() / math.sqrt((low + share * (high - low)) * d.var(ddof=1))
    found = cv.conservative_t(d, 1.0 / (k - 1))
    assert (found.name, found.statistic) == ("conservative-t", pytest.approx(t))
    assert found.p_value == pytest.approx(2.0 * stats.t.sf(abs(t), d.size - 1))
    plain = cv.corrected_t(d, 1.0 / (k - 1)).statistic
    assert (found.statistic == pytest.approx(plain)) == (k == 2 or apart == 0.0)
    splits = cv.conservative_t(d.reshape(-1), 1.0 / (k - 1)).statistic
    assert splits == pytest.approx(d.mean() / math.sqrt(high * d.var(ddof=1)))


@pytest.mark.parametrize("test", cv.T_TESTS)
@given(d=DIFFERENCES, level=st.sampled_from([0.8, 0.95]), ratio=st.sampled_from([1.0, 1 / 4, 1 / 9]))
def test_the_interval_holds_0_if_and_only_if_the_test_does_not_reject(
    test: str, d: list[float], level: float, ratio: float
) -> None:
    x = np.reshape(d, (2, 5))
    p = getattr(cv, test.replace("-", "_"))(x, ratio).p_value
    interval = cv.corrected_interval(x, ratio, level, test)
    if np.ptp(d) > 0 and abs(p - (1 - level)) > 1e-9:
        assert (p > 1.0 - level) == (0.0 in interval)


@pytest.mark.parametrize("name", ["corrected_t", "conservative_t", "five_by_two_t"])
@given(d=DIFFERENCES)
def test_exchanging_the_systems_mirrors_the_test(name: str, d: list[float]) -> None:
    x = np.array(d).reshape(5, 2)
    arguments = () if name == "five_by_two_t" else (1.0,)
    test = getattr(cv, name)
    one, other = test(x, *arguments), test(-x, *arguments)
    assert one.p_value == other.p_value
    assert one.statistic == -other.statistic
    assert test(x, *arguments, "greater").p_value == test(-x, *arguments, "less").p_value
    assert cv.five_by_two_f(x) == cv.five_by_two_f(-x)


@given(DIFFERENCES)
def test_the_combined_f_does_not_depend_on_the_order_of_the_folds(d: list[float]) -> None:
    x = np.array(d).reshape(5, 2)
    turned = cv.five_by_two_f(x[::-1, ::-1])
    assert cv.five_by_two_f(x).p_value == pytest.approx(turned.p_value, rel=1e-9)


def test_no_difference_anywhere_gives_1() -> None:
    zero = np.zeros((5, 2))
    for test in (cv.corrected_t(zero, 1.0), cv.five_by_two_f(zero), cv.five_by_two_t(zero)):
        assert (test.p_value, test.statistic, test.exact) == (1.0, 0.0, True)
    interval = cv.corrected_interval(zero, 1.0)
    assert np.isnan([interval.low, interval.high]).all()


def test_the_same_difference_everywhere_gives_what_the_signs_say() -> None:
    same = np.full((5, 2), 0.25)
    for test in (cv.corrected_t(same, 1.0), cv.five_by_two_f(same), cv.five_by_two_t(same)):
        assert (test.p_value, test.statistic) == (2.0**-9, math.inf)
    assert cv.corrected_t(-same, 1.0).statistic == -math.inf
    assert cv.corrected_t(same, 1.0, "less").p_value == 1.0


def test_repetitions_without_variance_that_disagree() -> None:
    x = np.repeat([[0.1], [-0.1], [0.1], [-0.1], [0.1]], 2, axis=1)
    assert cv.five_by_two_f(x).p_value == classical.sign(x.reshape(-1)).p_value


def test_k_bonferroni_counts_folds() -> None:
    p = [0.001, 0.2, 0.01]
    assert cv.k_bonferroni(p, 1).p_value == pytest.approx(0.003)
    assert cv.k_bonferroni(p, 2).p_value == pytest.approx(0.02)
    assert cv.k_bonferroni(p, 3).p_value == 0.2  # all: the largest
    assert cv.k_bonferroni([0.0, 0.0], 2).p_value > 0.0


WHOLE_HALVES = np.array([[100, -100], [-50, 100], [100, 75], [0, -100], [25, -125]])
"""Whole numbers of eight bits, whose gaps and squares are not."""


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize(
    "test",
    [
        lambda d: cv.corrected_t(d, 1.0),
        lambda d: cv.corrected_interval(d, 1.0),
        cv.five_by_two_t,
        cv.five_by_two_f,
    ],
)
def test_differences_of_a_small_type_are_computed_in_doubles(
    test: Callable[[ArrayLike], object], dtype: type[np.generic]
) -> None:
    small = WHOLE_HALVES.astype(dtype) if dtype is np.int8 else (WHOLE_HALVES / 300.0).astype(dtype)
    assert test(small) == test(small.astype(np.float64))


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


HALVES = np.array([[0.5, 0.25], [0.125, 0.5], [0.75, 0.25], [0.5, -0.25], [0.125, 0.375]])
"""Half the squared gaps are 0.03125, 0.0703125, 0.125, 0.28125, 0.03125: their mean is 0.1078125."""


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_every_field_of_the_tests_of_folds(alternative: Alternative) -> None:
    def tail(t: float, df: int) -> float:
        tails = {"greater": stats.t.sf(t, df), "less": stats.t.cdf(t, df), "two-sided": 2 * stats.t.sf(t, df)}
        return float(tails[alternative])

    # 1, 2, 3, 6: mean 3, variance 14 / 3; (1/4 + 1/3) of it is 49 / 18
    corrected = cv.corrected_t([1.0, 2.0, 3.0, 6.0], 1.0 / 3.0, alternative)
    first = cv.five_by_two_t(HALVES, alternative)
    for found, name, t, df in (
        (corrected, "corrected-t", 3.0 / math.sqrt(49.0 / 18.0), 3),
        (first, "5x2cv-t", 0.5 / math.sqrt(0.1078125), 5),
    ):
        assert (found.name, found.alternative, found.exact) == (name, alternative, False)
        assert found.method == "asymptotic"
        assert found.statistic == pytest.approx(t, rel=1e-12)
        assert found.p_value == pytest.approx(tail(t, df), rel=1e-9)


def test_every_field_of_the_combined_test_and_of_the_count() -> None:
    f = float((HALVES**2).sum()) / 1.078125
    found = cv.five_by_two_f(HALVES)
    assert (found.name, found.alternative, found.exact) == ("5x2cv-f", "two-sided", False)
    assert (found.method, found.statistic) == ("asymptotic", pytest.approx(f, rel=1e-12))
    assert found.p_value == pytest.approx(float(stats.f.sf(f, 10, 5)), rel=1e-9)
    for alternative in ALTERNATIVES:
        count = cv.k_bonferroni([0.25, 0.125, 0.0625], 2, alternative)
        assert (count.name, count.p_value, count.alternative) == ("k-bonferroni", 0.25, alternative)
        assert (count.exact, count.method, count.statistic) == (False, "partial conjunction", 2.0)
    assert cv.k_bonferroni([0.25, 0.5], 1).alternative == "two-sided"
    assert cv.k_bonferroni([0.0, 0.0], 1).p_value == sys.float_info.min


@pytest.mark.parametrize("level", [None, 0.5, 0.99])
def test_the_corrected_interval_by_hand(level: float | None) -> None:
    d = [1.0, 2.0, 3.0, 6.0]
    found = (
        cv.corrected_interval(d, 1.0 / 3.0) if level is None else cv.corrected_interval(d, 1.0 / 3.0, level)
    )
    half = float(stats.t.ppf(0.5 + 0.5 * (level or 0.95), 3)) * math.sqrt(49.0 / 18.0)
    assert (found.low, found.high) == (pytest.approx(3.0 - half), pytest.approx(3.0 + half))
    assert (found.level, found.method, found.exact) == (level or 0.95, "corrected-t", True)


@pytest.mark.parametrize("unit", [-1e-9, 0.3, -7.0, 1e9])
def test_differences_equal_up_to_rounding_have_no_variance(unit: float) -> None:
    """A gap of 1e-13 is rounding, one of 1e-11 is not, in any unit and with either sign."""
    same, other = unit * np.ones((5, 2)), unit * np.ones((5, 2))
    same[:, 1] *= 1.0 + 1e-13
    other[:, 1] *= 1.0 + 1e-11
    for test in (lambda d: cv.corrected_t(d, 1.0), cv.five_by_two_t, cv.five_by_two_f):
        found = test(same)
        sign = 1.0 if found.name == "5x2cv-f" else math.copysign(1.0, unit)
        assert (found.statistic, found.p_value) == (sign * math.inf, 2.0**-9)
        assert (found.method, found.exact, found.alternative) == ("binomial", True, "two-sided")
        assert math.isfinite(test(other).statistic or math.nan)
        assert test(other).method == "asymptotic"
    interval = cv.corrected_interval(same, 1.0)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_folds_without_variance_keep_their_name_and_side() -> None:
    steady = np.repeat([[0.0], [1.0], [1.0], [2.0], [3.0]], 2, axis=1)
    for alternative, p in zip(ALTERNATIVES, (2.0**-7, 2.0**-8, 1.0), strict=True):
        first = cv.five_by_two_t(steady, alternative)
        assert (first.name, first.statistic, first.p_value) == ("5x2cv-t", 0.0, p)
        assert first.alternative == alternative
        alike = cv.corrected_t([2.0] * 8, 0.1, alternative)
        assert (alike.name, alike.statistic, alike.p_value) == ("corrected-t", math.inf, p)
        assert alike.alternative == alternative
    assert (cv.five_by_two_f(steady).name, cv.five_by_two_f(steady).statistic) == ("5x2cv-f", math.inf)
    assert cv.five_by_two_f(-steady).statistic == math.inf
    one_gap = steady.copy()
    one_gap[2, 0] = 1.5  # one repetition of five that varies is enough
    assert cv.five_by_two_f(one_gap).statistic == pytest.approx((one_gap**2).sum() / (10.0 * 0.125 / 5.0))


def test_p_of_folds_is_neither_0_nor_above_1() -> None:
    many = np.linspace(1.0, 1.0 + 1e-9, 400)
    assert cv.corrected_t(many, 0.1).p_value == sys.float_info.min
    assert cv.corrected_t(many, 0.1, "greater").p_value == sys.float_info.min
    assert cv.corrected_t(-many, 0.1, "less").p_value == sys.float_info.min
    assert cv.corrected_t([-1.0, 1.0], 0.5).p_value == 1.0
    assert cv.corrected_t(many, 0.1, "less").p_value == 1.0
    assert cv.corrected_t([0.0, 1.0], sys.float_info.max / 4.0).p_value == pytest.approx(1.0)
    huge = 1e60 + np.array([[0.0, 1e49]] * 5)
    assert 0.0 < cv.five_by_two_f(huge).p_value < 1e-40
