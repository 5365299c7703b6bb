"""Tests of normality against SciPy, statsmodels, published critical values, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import kstest_normal, normal_ad

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.inference.normality import _reference


@pytest.fixture(params=[(5, "normal"), (20, "t"), (60, "exponential"), (150, "uniform"), (900, "t")])
def sample(request: pytest.FixtureRequest) -> np.ndarray:  # type: ignore[type-arg]
    n, kind = request.param
    rng = np.random.default_rng(n)
    draw = {
        "normal": rng.standard_normal,
        "t": lambda size: rng.standard_t(6, size=size),
        "exponential": lambda size: rng.exponential(size=size) ** 0.5,
        "uniform": lambda size: rng.random(size),
    }[kind]
    return np.asarray(draw(n)) * 3.0 + 100.0


def test_statistics_against_scipy_and_statsmodels(sample: np.ndarray) -> None:  # type: ignore[type-arg]
    found = bb.normality(sample)
    assert found["shapiro-wilk"].statistic == pytest.approx(stats.shapiro(sample).statistic, abs=1e-9)
    assert found["shapiro-wilk"].p_value == pytest.approx(stats.shapiro(sample).pvalue, rel=1e-6)
    assert found["anderson-darling"].statistic == pytest.approx(normal_ad(sample)[0], abs=1e-9)
    assert found["lilliefors"].statistic == pytest.approx(kstest_normal(sample)[0], abs=1e-9)


def test_statistics_against_plain_loops() -> None:
    x = sorted([3.1, 0.2, 5.5, 4.0, 1.1, 9.7, 2.2])
    n, mean, std = len(x), float(np.mean(x)), float(np.std(x, ddof=1))
    p = [float(stats.norm.cdf((value - mean) / std)) for value in x]
    d = max(max((i + 1) / n - p[i], p[i] - i / n) for i in range(n))
    a = -n - sum((2 * i + 1) * (np.log(p[i]) + np.log(1 - p[n - 1 - i])) for i in range(n)) / n
    found = bb.normality(x)
    assert found["lilliefors"].statistic == pytest.approx(d, abs=1e-12)
    assert found["anderson-darling"].statistic == pytest.approx(a, abs=1e-12)


def test_p_values_against_the_formulas_of_statsmodels(sample: np.ndarray) -> None:  # type: ignore[type-arg]
    # D'Agostino and Stephens's formula, made for n >= 8; a table of simulated values, cut at 0.001 and 0.2 at
    # its ends and interpolated between. 0.02 is many Monte Carlo errors (0.005 at most) and their own.
    found = bb.normality(sample)
    if sample.size >= 8:
        assert found["anderson-darling"].p_value == pytest.approx(normal_ad(sample)[1], abs=0.02)
    theirs = kstest_normal(sample, pvalmethod="table")[1]
    assert np.clip(found["lilliefors"].p_value, 0.001, 0.2) == pytest.approx(
        np.clip(theirs, 0.001, 0.2), abs=0.02
    )


# D'Agostino & Stephens (1986), Table 4.7, case 3: A² (1 + 0.75/n + 2.25/n²) and D (√n - 0.01 + 0.85/√n).
@pytest.mark.parametrize(
    ("row", "level", "value", "within"),
    [
        (0, 0.10, 0.631, 0.015), (0, 0.05, 0.752, 0.02), (0, 0.025, 0.873, 0.03), (0, 0.01, 1.035, 0.05),
        (1, 0.10, 0.819, 0.01), (1, 0.05, 0.895, 0.012), (1, 0.01, 1.035, 0.03),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n", [20, 200])
def test_critical_values_against_the_published_table(
    row: int, level: float, value: float, within: float, n: int
) -> None:
    assert np.quantile(_reference(n, 9_999, 7)[row], 1.0 - level) == pytest.approx(value, abs=within)


def test_samples_of_200_stand_for_larger_ones() -> None:
    # Ten times as many values change no quantile by more than the Monte Carlo error of 3000 draws.
    small, large = _reference(200, 9_999, 1), _reference(2000, 3_000, 2)
    for row, within in ((0, 0.04), (1, 0.02)):
        for level in (0.5, 0.9, 0.95):
            assert np.quantile(small[row], level) == pytest.approx(np.quantile(large[row], level), abs=within)


@pytest.mark.parametrize("n", [8, 40, 400])
def test_normal_samples_are_rejected_as_often_as_said(n: int) -> None:
    # 1000 samples at 10 %: standard error 0.95 %; beyond 4 in one of 9 comparisons 0.06 % of the time.
    rng = np.random.default_rng(n)
    rejected = np.zeros(3)
    for _ in range(1000):
        rejected += [test.p_value <= 0.1 for test in bb.normality(rng.normal(5.0, 2.0, n)).tests]
    np.testing.assert_allclose(rejected / 1000, 0.1, atol=0.038)


def test_exponential_samples_are_rejected() -> None:
    found = bb.normality(np.random.default_rng(0).exponential(size=100))
    assert all(test.p_value < 0.01 for test in found.tests)
    assert found.skewness > 1.0


def test_neither_scale_nor_place_nor_order_matters() -> None:
    x = np.random.default_rng(1).gamma(3.0, size=70)
    plain = bb.normality(x)
    for other in (x[::-1], 1e-200 * x, 1e6 * x - 3e6):
        found = bb.normality(other)
        for test in plain.tests:
            assert found[test.name].statistic == pytest.approx(test.statistic, abs=1e-9)
            assert found[test.name].p_value == pytest.approx(test.p_value, abs=1e-3)
        assert found.skewness == pytest.approx(plain.skewness, abs=1e-9)


def test_p_is_never_0_and_has_its_error() -> None:
    found = bb.normality(np.random.default_rng(2).exponential(size=300) ** 3, n_resamples=99)
    for name in ("anderson-darling", "lilliefors"):
        assert found[name].p_value == 0.01
        assert found[name].error == pytest.approx(np.sqrt(0.01 * 0.99 / 99))
    assert found["shapiro-wilk"].error == 0.0


def test_the_same_seed_gives_the_same_bits() -> None:
    x = np.random.default_rng(3).normal(size=30)
    before = x.copy()
    assert bb.normality(x, rng=5) == bb.normality(x, rng=5)
    assert bb.normality(x, rng=5) != bb.normality(x, rng=6)
    np.testing.assert_array_equal(x, before)


def test_far_tails_stay_finite() -> None:
    x = np.concatenate([np.random.default_rng(4).normal(size=20_000), [60.0]])
    found = bb.normality(x)
    assert np.isfinite(found["anderson-darling"].statistic)
    assert {note.code for note in found.notes} == {"rejects_trifles", "royston"}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (np.arange(10.0), "low_power"),
        (np.repeat(np.arange(50.0), 2), "ties"),
        (np.arange(600.0) ** 2, "rejects_trifles"),
    ],
)
def test_notes(values: np.ndarray, code: str) -> None:  # type: ignore[type-arg]
    assert code in {note.code for note in bb.normality(values).notes}
    assert bb.normality(np.random.default_rng(5).normal(size=100)).notes == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], "at least 3 values, got 2"),
        ([2.0, 2.0, 2.0], "all 3 values are equal"),
        ([1.0, np.nan, 2.0], "must be finite"),
        (["a", "b", "c"], "needs numbers"),
        ([True, False, True], "needs numbers"),
    ],
)
def test_what_cannot_be_described_is_refused(values: list[object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bb.normality(values)


def test_lookup_text_and_dictionary() -> None:
    found = bb.normality([1.0, 2.0, 4.0, 8.0, 8.0])
    assert found.tied == pytest.approx(0.2)
    assert [test["name"] for test in found.to_dict()["tests"]] == [
        "shapiro-wilk",
        "anderson-darling",
        "lilliefors",
    ]
    assert "20% tied" in str(found)
    with pytest.raises(InvalidInputError, match="there is no test 'jarque-bera'"):
        found["jarque-bera"]
