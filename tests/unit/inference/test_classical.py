"""Classical tests against enumeration, exact rational arithmetic and scipy.stats."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q

from bestby._core import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.inference.classical import cochran_q, friedman, mcnemar, mcnemar_midp, paired_t, sign, wilcoxon
from bestby.results.values import TestResult

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
ON_COUNTS = [mcnemar, mcnemar_midp]
ON_DIFFERENCES = [sign, wilcoxon, paired_t]
counts = st.integers(0, 400)
whole = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=11)
real = st.lists(
    st.floats(-100.0, 100.0, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=1, max_size=30
)
either = st.one_of(whole, real)


def exact_tail(k: int, m: int) -> Fraction:
    return Fraction(sum(math.comb(m, i) for i in range(k + 1)), 2**m)


def bounded(p: Fraction | float) -> float:
    return max(min(float(p), 1.0), sys.float_info.min)


# -- McNemar and sign: binomial --------------------------------------------------------------------


@given(n10=counts, n01=counts)
def test_mcnemar_against_whole_numbers(n10: int, n01: int) -> None:
    m = n10 + n01
    if m == 0:
        return
    distance = abs(2 * n10 - m)
    two_sided = Fraction(sum(math.comb(m, i) for i in range(m + 1) if abs(2 * i - m) >= distance), 2**m)
    expected = {"two-sided": two_sided, "greater": exact_tail(n01, m), "less": exact_tail(n10, m)}
    for alternative in ALTERNATIVES:
        result = mcnemar(n10, n01, alternative)
        assert result.p_value == pytest.approx(bounded(expected[alternative]), rel=1e-12, abs=0.0)


@given(n10=counts, n01=counts)
def test_midp_is_the_exact_p_less_half_the_point(n10: int, n01: int) -> None:
    m = n10 + n01
    if m == 0:
        return
    point = Fraction(math.comb(m, n10), 2**m)
    greater, less = exact_tail(n01, m) - point / 2, exact_tail(n10, m) - point / 2
    expected = {"two-sided": 2 * min(greater, less), "greater": greater, "less": less}
    for alternative in ALTERNATIVES:
        result = mcnemar_midp(n10, n01, alternative)
        assert result.p_value == pytest.approx(bounded(expected[alternative]), rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("n10", "n01"), [(1000, 0), (1000, 3), (1010, 10), (3500, 1500), (51000, 49000)])
def test_mcnemar_far_tail_and_many_items(n10: int, n01: int) -> None:
    expected = (
        float(2 * exact_tail(n01, n10 + n01)) if n10 < 5000 else 2 * scipy.stats.binom.cdf(n01, 100000, 0.5)
    )
    assert mcnemar(n10, n01).p_value == pytest.approx(expected, rel=1e-11 if n10 < 5000 else 1e-8, abs=0.0)


def test_p_is_never_zero() -> None:
    tiny = sys.float_info.min
    assert mcnemar(5000, 0).p_value == tiny
    assert mcnemar_midp(5000, 0).p_value == tiny
    assert sign(np.ones(5000)).p_value == tiny
    assert wilcoxon(np.arange(1.0, 9000.0)).p_value == tiny
    assert paired_t(np.ones(5000)).p_value == tiny
    assert paired_t(np.linspace(1.0, 1.001, 5000)).p_value == tiny
    assert friedman(np.tile([1.0, 2.0, 3.0], (2000, 1)))[2] == tiny
    assert cochran_q(np.tile([1, 0, 0], (2000, 1)))[2] == tiny


@pytest.mark.parametrize("test", ON_COUNTS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_item_differs(test: Callable[..., TestResult], alternative: Alternative) -> None:
    result = test(0, 0, alternative)
    assert (result.p_value, result.exact, result.statistic) == (1.0, True, 0.0)


@pytest.mark.parametrize("test", ON_COUNTS)
def test_equal_counts_have_p_one_exactly(test: Callable[..., TestResult]) -> None:
    assert all(test(k, k).p_value == 1.0 for k in range(1, 300))


@given(differences=either)
def test_sign_is_the_binomial_test_of_the_signs(differences: list[float]) -> None:
    positive, negative = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    for alternative in ALTERNATIVES:
        result = sign(differences, alternative)
        if positive + negative:
            expected = scipy.stats.binomtest(positive, positive + negative, alternative=alternative).pvalue
            assert result.p_value == pytest.approx(expected, rel=1e-10)
        else:
            assert result.p_value == 1.0
        assert result.statistic == positive - negative
        assert result.exact


# -- Wilcoxon --------------------------------------------------------------------------------------


def signed_rank_p(differences: list[float]) -> dict[str, float]:
    """Every assignment of signs, ranks by counting."""
    d = [x for x in differences if x != 0.0]
    size = [abs(x) for x in d]
    ranks = [
        sum(other < one for other in size) + (sum(other == one for other in size) + 1) / 2 for one in size
    ]
    observed = sum(r for r, x in zip(ranks, d, strict=True) if x > 0)
    sums = [sum(itertools.compress(ranks, heads)) for heads in itertools.product([0, 1], repeat=len(d))]
    greater = sum(s >= observed for s in sums) / len(sums)
    less = sum(s <= observed for s in sums) / len(sums)
    return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}


@given(differences=whole)
def test_wilcoxon_with_ties_against_enumeration(differences: list[float]) -> None:
    expected = signed_rank_p(differences)
    for alternative in ALTERNATIVES:
        result = wilcoxon(differences, alternative)
        assert result.p_value == pytest.approx(expected[alternative], rel=1e-12)
        assert result.exact


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("digits", [1, 12])
def test_wilcoxon_asymptotic_against_scipy(digits: int, alternative: Alternative) -> None:
    d = np.round(np.random.default_rng(7).normal(0.05, 1.0, 1500), digits)  # one digit: ties and zeros
    result = wilcoxon(d, alternative)
    expected = scipy.stats.wilcoxon(d, alternative=alternative, method="asymptotic", correction=False)
    assert not result.exact
    assert result.method == "asymptotic"
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_approximation_meets_the_exact_p_where_it_takes_over() -> None:
    d = np.random.default_rng(3).normal(0.12, 1.0, 201)
    approximate = wilcoxon(d)
    exact = scipy.stats.wilcoxon(d, method="exact").pvalue
    assert not approximate.exact
    assert approximate.p_value == pytest.approx(exact, rel=0.02)


def test_ties_are_seen_through_rounding() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 differ in the last bits; 0.1 + 0.2 - 0.3 is not quite 0
    rounded = [0.3 - 0.2, 0.1 - 0.2, 0.2 - 0.1, 0.1 + 0.2 - 0.3, 0.5 - 0.2, 0.4 - 0.2]
    meant = [1, -1, 1, 0, 3, 2]
    assert len({abs(x) for x in rounded}) > len({abs(x) for x in meant})
    for test in (wilcoxon, sign):
        assert test(rounded).p_value == test(meant).p_value
        assert test(rounded).statistic == test(meant).statistic


# -- paired t --------------------------------------------------------------------------------------


def test_paired_t_far_tail_with_two_degrees_of_freedom() -> None:
    # P(T > t) = 1/2 - t / (2 sqrt(t^2 + 2)), which is 1 / (2 t^2) less 3 / (4 t^4) and so on
    d = np.array([1.0, 1.0 + 1e-7, 1.0 - 1e-7])
    result = paired_t(d, "greater")
    t2 = result.statistic**2
    assert result.p_value == pytest.approx(1 / (2 * t2) - 3 / (4 * t2 * t2), rel=1e-12)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.0, 0.0, 0.0], (1.0, 1.0, 1.0, 0.0)),
        ([0.2] * 5, (1 / 16, 1 / 32, 1.0, math.inf)),
        ([-0.2] * 5, (1 / 16, 1.0, 1 / 32, -math.inf)),
        ([0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8], (1 / 4, 1 / 8, 1.0, math.inf)),  # equal but for rounding
        ([3.0], (1.0, 0.5, 1.0, math.inf)),
    ],
)
def test_paired_t_of_equal_differences(differences: list[float], expected: tuple[float, ...]) -> None:
    results = [paired_t(differences, alternative) for alternative in ALTERNATIVES]
    assert tuple(r.p_value for r in results) == pytest.approx(expected[:3], rel=1e-14)
    assert {r.statistic for r in results} == {expected[3]}
    assert all(r.exact for r in results)
    assert {r.method for r in results} == {"enumeration"}


@pytest.mark.parametrize("scale", [1e-200, 1e-75, 3e74])
def test_paired_t_of_tiny_and_huge_differences(scale: float) -> None:
    d = np.array([1.0, -0.5, 2.0, 1.25, 3.0])
    assert paired_t(d * scale).p_value == pytest.approx(paired_t(d).p_value, rel=1e-12)


# -- the laws, for all of them ---------------------------------------------------------------------


@pytest.mark.parametrize("test", ON_DIFFERENCES)
@given(differences=either)
def test_p_lies_in_range_and_two_sides_double_the_smaller(
    test: Callable[..., TestResult], differences: list[float]
) -> None:
    two, greater, less = (test(differences, alternative).p_value for alternative in ALTERNATIVES)
    assert min(two, greater, less) > 0.0
    assert max(two, greater, less) <= 1.0
    assert two == pytest.approx(min(1.0, 2.0 * min(greater, less)), rel=1e-12)
    assert greater + less >= 1.0 - 1e-9


@pytest.mark.parametrize("test", ON_DIFFERENCES)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([], "differences must hold at least one item, got none"),
        ([1.0, float("nan")], "differences must be finite, got nan at position 1"),
        (["a", "b"], "differences must be numbers"),
        (np.zeros((2, 2)), r"one-dimensional, got shape \(2, 2\)"),
    ],
)
def test_differences_refused(test: Callable[..., TestResult], bad: object, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        test(bad)


@pytest.mark.parametrize("test", ON_COUNTS)
@pytest.mark.parametrize(("bad", "named"), [((-1, 2), "n10"), ((1, 2.5), "n01"), ((math.nan, 2), "n10")])
def test_counts_refused(test: Callable[..., TestResult], bad: tuple[int, int], named: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{named} must be a whole number of at least 0"):
        test(*bad)


@pytest.mark.parametrize("test", ON_COUNTS + ON_DIFFERENCES)
def test_unknown_alternative(test: Callable[..., TestResult]) -> None:
    arguments = (1, 2) if test in ON_COUNTS else ([1.0, 2.0, 4.0],)
    with pytest.raises(InvalidInputError, match="alternative must be one of two-sided, greater, less"):
        test(*arguments, "both")


# -- omnibus ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 30, 60, 200])
def test_wilcoxon_keeps_its_digits_far_out_on_either_side(n: int) -> None:
    """All ranks on one side have probability 2^-n, and all but that of rank 1 as much again."""
    d = np.arange(1.0, n + 1.0)
    assert wilcoxon(d, "greater").p_value == pytest.approx(0.5**n, rel=1e-12, abs=0.0)
    assert wilcoxon(-d, "less").p_value == pytest.approx(0.5**n, rel=1e-12, abs=0.0)
    d[0] = -1.0
    assert wilcoxon(d, "greater").p_value == pytest.approx(2 * 0.5**n, rel=1e-12, abs=0.0)
    assert wilcoxon(-d).p_value == pytest.approx(4 * 0.5**n, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("n", "size"), [(2, 3), (20, 4), (500, 10), (40000, 7)])
@pytest.mark.parametrize("levels", [2, 5, 10**6])
def test_friedman_against_scipy(n: int, size: int, levels: int) -> None:
    x = np.random.default_rng(n).integers(0, levels, (n, size)) + np.linspace(0, levels / 20, size).astype(
        int
    )
    statistic, df, p = friedman(x)
    expected = scipy.stats.friedmanchisquare(*x.T)
    assert statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert p == pytest.approx(max(expected.pvalue, sys.float_info.min), rel=1e-8, abs=1e-300)
    assert df == size - 1


@given(rows=st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=30))
def test_cochran_q_is_friedman_of_zeros_and_ones(rows: list[list[int]]) -> None:
    assert cochran_q(rows) == pytest.approx(friedman(rows), rel=1e-12)


@pytest.mark.parametrize("test", [cochran_q, friedman])
@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12),
    data=st.data(),
)
def test_omnibus_ignores_the_order_of_items_and_systems(
    test: Callable[..., tuple[float, int, float]], rows: list[list[int]], data: st.DataObject
) -> None:
    shuffled = np.array(data.draw(st.permutations(rows)))[:, data.draw(st.permutations(range(3)))]
    assert test(shuffled) == test(rows)


@pytest.mark.parametrize("test", [cochran_q, friedman])
def test_omnibus_of_systems_that_are_all_tied(test: Callable[..., tuple[float, int, float]]) -> None:
    assert test(np.ones((5, 3))) == (0.0, 2, 1.0)
    assert test([[1, 1], [0, 0]]) == (0.0, 1, 1.0)


@pytest.mark.parametrize("test", [cochran_q, friedman])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros(3), r"a column for each of two or more systems, got \(3,\)"),
        (np.zeros((3, 1)), r"two or more systems, got \(3, 1\)"),
        (np.zeros((0, 3)), "x must hold at least one item"),
        ([[0.0, 1.0], [math.nan, 1.0]], "x must be finite, got nan at item 1, system 0"),
        ([["a", "b"]], "x must be numbers"),
    ],
)
def test_omnibus_refuses(test: Callable[..., tuple[float, int, float]], bad: object, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        test(bad)


def test_cochran_q_refuses_other_scores() -> None:
    with pytest.raises(InvalidInputError, match="scores of 0 and 1 only") as error:
        cochran_q([[0, 2], [1, 1]])
    assert "Friedman" in str(error.value)


@pytest.mark.parametrize("block", [1, 6, 12, 1000])
def test_counted_rows_are_repeated_rows(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statsmodels and SciPy have the rows one by one; ours may be ranked a few at a time."""
    monkeypatch.setattr(chunks, "CHUNK", block)
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, 7)
    right, scores = rng.integers(0, 2, (7, 3)), rng.integers(0, 4, (7, 3))
    every = np.repeat(scores, counts, axis=0)
    assert friedman(scores, counts)[0] == pytest.approx(stats.friedmanchisquare(*every.T).statistic)
    assert friedman(scores, counts) == friedman(every)
    expected = cochrans_q(np.repeat(right, counts, axis=0))
    assert cochran_q(right, counts)[0] == pytest.approx(expected.statistic)
    assert cochran_q(right, counts)[2] == pytest.approx(expected.pvalue)
