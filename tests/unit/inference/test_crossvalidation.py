"""Tests of folds: edges, laws, messages."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestby._core.errors import InvalidInputError
from bestby.inference import classical
from bestby.inference import crossvalidation as cv

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
    assert (interval.low, interval.high) == (0.0, 0.0)


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.corrected_t([0.1], 0.5), "differences must be two or more finite numbers, got 1"),
        (lambda: cv.corrected_t([0.1, float("inf")], 0.5), "got 2, not all finite"),
        (lambda: cv.corrected_t([0.1, 0.2], 0.0), "ratio must be a positive number, got 0.0"),
        (
            lambda: cv.five_by_two_f([[1.0, 2.0]] * 4),
            "5 repetitions of 2 folds, all finite, got shape (4, 2)",
        ),
        (lambda: cv.k_bonferroni([0.5], 2), "2 folds with an effect were asked for, but there are only 1"),
        (lambda: cv.k_bonferroni([0.5], 0), "required must be a whole number of at least 1"),
    ],
)
def test_messages(call: object, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()  # type: ignore[operator]
    assert message in caught.value.message
