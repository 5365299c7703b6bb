"""Tests of normality against SciPy, statsmodels, published critical values, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import kstest_normal, normal_ad

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby._core.typing import FloatArray
from bestby.questions.order.normality import _modified, _reference


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


def test_lookup_text_and_dictionary() -> None:
    found = bb.normality([1.0, 2.0, 4.0, 8.0, 8.0])
    assert found.tied == pytest.approx(0.2)
    assert [test["name"] for test in found.to_dict()["tests"]] == [
        "shapiro-wilk",
        "anderson-darling",
        "lilliefors",
    ]
    assert "20 % tied" in str(found)
    with pytest.raises(InvalidInputError, match="there is no test 'jarque-bera'"):
        found["jarque-bera"]


def test_a_large_mean_costs_no_digit() -> None:
    """Odd whole numbers of 53 bits are doubles; above twice as much there are even ones only."""
    x = np.array([1.0, 4.0, 9.0, 16.0, 4097.0, 4104.0, 5003.0, 6001.0, 9001.0])
    plain, far = (bb.normality(place + x, n_resamples=9) for place in (0.0, 2.0**52))
    assert far.std == pytest.approx(float(np.std(x, ddof=1)), rel=1e-12)
    assert far.skewness == pytest.approx(float(stats.skew(x)), rel=1e-12)
    for test in plain.tests:
        assert far[test.name].statistic == pytest.approx(test.statistic, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "of_a", "of_d"),
    [(4, 1.0 + 0.1875 + 0.140625, 2.0 - 0.01 + 0.425), (100, 1.0 + 0.0075 + 0.000225, 10.0 - 0.01 + 0.085)],
)
def test_modifications_of_stephens_by_hand(n: int, of_a: float, of_d: float) -> None:
    """Without them p changes above 200 values only, where another n is simulated."""
    x = np.sort(np.random.default_rng(n).normal(size=n))
    z: FloatArray = ((x - x.mean()) / x.std(ddof=1))[None, :]
    found = bb.normality(x, n_resamples=9)
    expected = [of_a * found["anderson-darling"].statistic, of_d * found["lilliefors"].statistic]
    assert _modified(z)[:, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e60])
def test_moments_against_scipy(unit: float) -> None:
    x = np.random.default_rng(6).gamma(2.0, size=37)
    found = bb.normality(unit * (x + 4.0), n_resamples=9)
    assert found.n == 37
    assert found.mean == pytest.approx(unit * (float(np.mean(x)) + 4.0), rel=1e-12, abs=0.0)
    assert found.std == pytest.approx(unit * float(np.std(x, ddof=1)), rel=1e-12, abs=0.0)
    assert found.skewness == pytest.approx(float(stats.skew(x)), rel=1e-9)
    assert found.kurtosis == pytest.approx(float(stats.kurtosis(x)), rel=1e-9)
    assert found.tied == 0.0
    assert [test.name for test in found.tests] == ["shapiro-wilk", "anderson-darling", "lilliefors"]


@pytest.mark.parametrize("n", [12, 260])
def test_p_is_the_share_of_simulated_samples_that_are_as_far(n: int) -> None:
    """The samples drawn again, one at a time, their statistics by plain formulas; 200 stand for 260."""
    x = np.sort(np.random.default_rng(n).logistic(size=n))

    def statistics(values: np.ndarray) -> tuple[float, float]:  # type: ignore[type-arg]
        m = values.size
        p = stats.norm.cdf((values - values.mean()) / values.std(ddof=1))
        i = np.arange(1, m + 1)
        a = -m - float(((2 * i - 1) * (np.log(p) + np.log1p(-p[::-1]))).sum()) / m
        d = float(max((i / m - p).max(), (p - (i - 1) / m).max()))
        return a * (1 + 0.75 / m + 2.25 / m**2), d * (m**0.5 - 0.01 + 0.85 / m**0.5)

    found = bb.normality(x, n_resamples=99, rng=3)
    drawn = np.random.default_rng(3).standard_normal((99, min(n, 200)))
    hits = np.sum([np.array(statistics(np.sort(row))) >= statistics(x) for row in drawn], axis=0)
    for test, count in zip(found.tests[1:], hits.tolist(), strict=True):
        p = (1 + count) / 100
        assert (test.p_value, test.error) == (p, pytest.approx(math.sqrt(p * (1 - p) / 99)))


def test_a_simulated_sample_as_far_as_the_data_counts() -> None:
    """The data are the simulated sample itself here, in several units."""
    row = np.random.default_rng(8).standard_normal((1, 6))[0]
    for unit in (1.0, 1e-5, 777.0):
        found = bb.normality(unit * row, n_resamples=1, rng=8)
        assert [test.p_value for test in found.tests[1:]] == [1.0, 1.0]


@pytest.mark.parametrize("unit", [-1e-6, -1.0, 1.0, 1e6])
def test_values_equal_up_to_rounding_are_refused(unit: float) -> None:
    with pytest.raises(InvalidInputError, match="all 3 values are equal"):
        bb.normality(unit * np.array([1.0, 1.0, 1.0 + 1e-13]), n_resamples=9)
    found = bb.normality(unit * np.array([1.0, 1.0, 1.0 + 1e-11]), n_resamples=9)
    assert found.tied == pytest.approx(1 / 3)
    assert bb.normality(unit * np.array([-1.0, 0.0, 0.5]), n_resamples=9).n == 3


@pytest.mark.parametrize(
    ("n", "codes"),
    [
        (3, ["low_power"]),
        (19, ["low_power"]),
        (20, []),
        (499, []),
        (500, ["rejects_trifles"]),
        (5000, ["rejects_trifles"]),
        (5001, ["rejects_trifles", "royston"]),
    ],
)
def test_notes_begin_and_end_where_they_should(n: int, codes: list[str]) -> None:
    found = bb.normality(stats.norm.ppf((np.arange(n) + 0.5) / n), n_resamples=9)
    assert [note.code for note in found.notes] == codes
    assert [note["message"] for note in found.to_dict()["notes"]] == [note.message for note in found.notes]


def test_more_than_a_tenth_of_ties_is_noted() -> None:
    x = np.arange(30.0) ** 1.1
    for ties, codes in ((2, []), (4, ["ties"])):
        x[: ties + 1] = x[0]
        found = bb.normality(x, n_resamples=9)
        assert found.tied == pytest.approx(ties / 30)
        assert [note.code for note in found.notes] == codes
