"""What changes of the code showed to be untested: power, folds, normality, and edges of exact bootstraps."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.special import bdtrc

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.inference import crossvalidation as cv
from bestby.inference.distributions import Lattice, mean_bootstrap
from bestby.inference.power import mcnemar_power, t_power

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

# -- exact bootstrap distributions -------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_strata_that_vary_by_rounding_only_never_vary(unit: float) -> None:
    """Two constants without a common step, each with noise in its 13th digit."""
    values = unit * np.array([1.0, 1.0 + 2e-13, math.pi, math.pi + 2e-13])
    found = mean_bootstrap(values, np.full(4, 500), np.array([0, 2, 4]))
    assert isinstance(found, Lattice)
    assert found.sd == 0.0
    assert found.pmf.tolist() == [1.0]
    assert found.quantile(0.01) == found.quantile(0.99)
    assert found.quantile(0.5) == pytest.approx(unit * (1.0 + math.pi) / 2.0, rel=1e-12)


def test_one_hit_among_a_thousand_is_nearly_poisson() -> None:
    """The total has mean 1 and mass far above: the window must not end after nine steps."""
    n = 1000
    found = mean_bootstrap(np.array([0.0, 1.0]), np.array([n - 1, 1]), np.array([0, 2]))
    true = stats.binom(n, 1.0 / n)
    assert found is not None
    for k in range(12):
        assert found.at(k / n) == pytest.approx(true.pmf(k), rel=1e-5, abs=0.0)
        assert found.above(k / n) == pytest.approx(true.sf(k), rel=1e-2, abs=0.0)


@pytest.mark.parametrize("n", [7, 8, 9, 15, 16, 17, 32, 33])
def test_both_ends_of_a_lattice_of_any_length_keep_their_mass(n: int) -> None:
    """All or none of n: with one frequency too few, one end is added to the other."""
    k = n // 2
    found = mean_bootstrap(np.array([0.0, 1.0]), np.array([n - k, k]), np.array([0, 2]))
    assert isinstance(found, Lattice)
    assert found.pmf.size == n + 1
    assert found.at(0.0) == pytest.approx((1.0 - k / n) ** n, rel=1e-5, abs=0.0)
    assert found.at(1.0) == pytest.approx((k / n) ** n, rel=1e-5, abs=0.0)


def test_no_mass_is_negative() -> None:
    """Rounding of the FFT is about 1e-17 to either side, where the true masses are far below."""
    for counts in ([500, 500], [900, 100], [4990, 10]):
        found = mean_bootstrap(np.array([0.0, 1.0]), np.array(counts), np.array([0, 2]))
        assert isinstance(found, Lattice)
        assert found.pmf.min() >= 0.0
        assert not found.pmf[(found.pmf > 0.0) & (found.pmf < 9e-18)].size


# -- power -------------------------------------------------------------------------------------------


def _summed(n: int, differing: float, difference: float, alpha: float, alternative: Alternative) -> float:
    """Return the power of McNemar's exact test over every number of differing items."""
    chance = 0.5 * (1.0 + difference / differing)
    level = alpha / 2.0 if alternative == "two-sided" else alpha
    power = 0.0
    for m in range(1, n + 1):
        tails = np.append(1.0, bdtrc(np.arange(m), m, 0.5))
        if tails[-1] > level:
            continue
        least = int(np.argmax(tails <= level))
        upper, lower = (float(bdtrc(least - 1, m, p)) for p in (chance, 1.0 - chance))
        given = {"two-sided": upper + lower, "greater": upper, "less": lower}[alternative]
        power += math.comb(n, m) * differing**m * (1.0 - differing) ** (n - m) * given
    return power


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_power_of_several_numbers_of_items_at_once(alternative: Alternative) -> None:
    sizes = [400, 6, 90]
    found = mcnemar_power(np.array(sizes), 0.3, 0.07, 0.02, alternative)
    assert found.shape == (3,)
    for n, power in zip(sizes, found.tolist(), strict=True):
        assert power == pytest.approx(_summed(n, 0.3, 0.07, 0.02, alternative), rel=1e-9, abs=1e-300)


def test_power_where_few_items_differ() -> None:
    """Two of 20000 are expected and 14 are needed: all of the power is far out in a Poisson's tail."""
    n, rate = 20_000, 1e-4
    found = float(mcnemar_power(np.array([n]), rate, rate, 1e-4, "greater")[0])
    assert found == pytest.approx(float(stats.binom.sf(13, n, rate)), rel=1e-8, abs=0.0)


def test_systems_that_never_differ_are_never_told_apart() -> None:
    assert mcnemar_power(np.array([5, 1000]), 0.0, 0.0, 0.05).tolist() == [0.0, 0.0]
    assert mcnemar_power(np.array([3]), 1.0, 1.0, 0.2, "greater").tolist() == [1.0]


def test_p_equal_to_the_level_rejects() -> None:
    """A wins every item: p is 2⁻ⁿ, to the bit."""
    for n in (1, 2, 4, 5, 10, 20, 30):
        for least, power in ((0.5**n, 1.0), (0.5**n * (1.0 - 1e-9), 0.0)):
            assert mcnemar_power(np.array([n]), 1.0, 1.0, least, "greater").tolist() == [power]
            assert mcnemar_power(np.array([n]), 1.0, -1.0, 2.0 * least).tolist() == [power]


def test_without_a_differing_item_p_is_1_even_halved() -> None:
    """One item, which differs half of the time; a mid-p of 1/4 if A has it, of 3/4 if B has."""
    assert mcnemar_power(np.array([1]), 0.5, 0.0, 0.6, "greater", mid=True).tolist() == [0.25]
    assert mcnemar_power(np.array([1]), 0.5, 0.25, 0.6, "less", mid=True)[0] == pytest.approx(0.125)


@pytest.mark.parametrize("df", [0.5, 1.0, 7.5, 200.0])
@pytest.mark.parametrize("alpha", [0.001, 0.2])
def test_power_of_t_by_the_noncentral_t_of_scipy(df: float, alpha: float) -> None:
    for shift in (-2.0, 0.0, 0.7, 3.0):
        critical = float(stats.t.isf(alpha, df))
        far = float(stats.t.isf(alpha / 2.0, df))
        greater, less = stats.nct.sf(critical, df, shift), stats.nct.cdf(-critical, df, shift)
        both = stats.nct.sf(far, df, shift) + stats.nct.cdf(-far, df, shift)
        for alternative, power in zip(ALTERNATIVES, (both, greater, less), strict=True):
            found = t_power(np.array([shift]), np.array([df]), alpha, alternative)
            assert found == pytest.approx([power], rel=1e-7, abs=1e-10)


def test_power_of_t_without_degrees_of_freedom_is_undefined() -> None:
    found = t_power(np.array([2.5]), np.array([0.0, -1.0, 0.5, 19.0]), 0.05)
    assert np.isnan(found).tolist() == [True, True, False, False]
    assert found[3] == pytest.approx(0.6599, abs=5e-5)
    assert t_power(np.array([0.0, 1e3, -1e3]), np.array([9.0]), 0.05, "greater") == pytest.approx(
        [0.05, 1, 0]
    )


# -- folds -------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: cv.corrected_t([1.0, 2.0], 0.5, "up"), "alternative"),  # type: ignore[arg-type]
        (lambda: cv.five_by_two_t(HALVES, "up"), "alternative"),  # type: ignore[arg-type]
        (lambda: cv.corrected_interval([1.0, 2.0], 0.5, 1.5), "level"),
        (lambda: cv.corrected_t([[1.0], [2.0, 3.0]], 0.5), "differences"),  # type: ignore[list-item]
        (lambda: cv.five_by_two_t([[1.0], [2.0, 3.0]]), "differences"),  # type: ignore[list-item]
        (lambda: cv.corrected_t([1.0, 2.0], math.inf), "ratio must be a positive number"),
        (lambda: cv.five_by_two_f(HALVES * math.nan), "5 repetitions of 2 folds, all finite"),
        (lambda: bb.normality([1.0, 2.0, 4.0], n_resamples=0), "n_resamples"),
        (lambda: bb.normality([[1.0, 2.0], [2.0, 4.0]]), "values"),
    ],
)
def test_arguments_are_named(call: Callable[[], object], word: str) -> None:
    with pytest.raises(InvalidInputError, match=word):
        call()


# -- normality ---------------------------------------------------------------------------------------


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


def test_9999_samples_of_seed_0_by_default() -> None:
    x = np.random.default_rng(9).normal(size=10) ** 3
    assert bb.normality(x) == bb.normality(x, n_resamples=9_999, rng=0)
    far = bb.normality(np.append(np.zeros(30), 1.0))
    assert [test.p_value for test in far.tests[1:]] == [1e-4, 1e-4]


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


def test_the_text_has_every_number() -> None:
    found = bb.normality([1.0, 2.0, 4.0, 8.0, 8.0], n_resamples=9, rng=1)
    lines = str(found).split("\n")
    assert lines[0] == (
        "5 values: mean 4.6, standard deviation 3.286, skewness 0.11, excess kurtosis -1.71, 20% tied"
    )
    assert [line.split()[0] for line in lines[1:4]] == ["shapiro-wilk", "anderson-darling", "lilliefors"]
    assert [float(line.split()[1]) for line in lines[1:4]] == pytest.approx(
        [test.statistic for test in found.tests], abs=6e-5
    )
    assert [float(line.split()[4]) for line in lines[1:4]] == pytest.approx(
        [test.p_value for test in found.tests], rel=0.05
    )
    assert lines[4:] == [f"  Note: {note.message}" for note in found.notes]
    assert len(lines) == 6
    moments = {"n", "mean", "std", "skewness", "kurtosis", "tied", "tests", "notes"}
    more = {"kind", "format", "signature", "provenance", "record"}
    assert set(found.to_dict()) == moments | more
    assert all(found[test.name] is test for test in found.tests)
