"""Score intervals: their defining equations, ends, mirror images and limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from bestby._core import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import Alternative
from bestby.inference import proportions
from bestby.inference.permutation import exact_mean
from bestby.inference.proportions import tango, wilson, wilson_midp

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])


@st.composite
def tables(draw: st.DrawFn, largest: int = 3000) -> tuple[int, int, int]:
    n = draw(st.integers(1, largest))
    n10 = draw(st.integers(0, n))
    return n10, draw(st.integers(0, n - n10)), n


def tango_statistic(n10: int, n01: int, n: int, delta: float) -> float:
    """Tango (1998), section 4, as printed: the restricted estimate is of the probability of the cell n01."""
    a = 2.0 * n
    b = -n10 - n01 + (2.0 * n - n10 + n01) * delta
    c = -n01 * delta * (1.0 - delta)
    q = (math.sqrt(max(b * b - 4.0 * a * c, 0.0)) - b) / (2.0 * a)
    return (n10 - n01 - n * delta) / math.sqrt(n * (2.0 * q + delta * (1.0 - delta)))


@given(table=tables(), level=levels)
def test_tango_ends_solve_the_published_equation(table: tuple[int, int, int], level: float) -> None:
    z = norm.isf((1.0 - level) / 2.0)
    for end, target in zip(tango(*table, level), (z, -z), strict=True):
        if abs(end) < 1.0:
            # an error of 1e-12 in the end moves the statistic by about 1e-12 times its slope
            step = 1e-9 * (1.0 - abs(end))
            slope = (tango_statistic(*table, end + step) - tango_statistic(*table, end - step)) / (2.0 * step)
            assert abs(tango_statistic(*table, end) - target) < 1e-12 * abs(slope) + 1e-9


@given(table=tables(), level=levels)
def test_tango_is_mirrored_to_the_bit(table: tuple[int, int, int], level: float) -> None:
    n10, n01, n = table
    low, high = tango(n10, n01, n, level)
    assert tango(n01, n10, n, level) == (-high, -low)


@given(table=tables(), level=levels)
def test_tango_holds_the_estimate_and_stays_in_range(table: tuple[int, int, int], level: float) -> None:
    n10, n01, n = table
    low, high = tango(n10, n01, n, level)
    assert -1.0 <= low <= (n10 - n01) / n <= high <= 1.0
    assert low < high


@pytest.mark.parametrize("n", [1, 7, 1000, 10**7])
def test_tango_closed_forms_at_the_corners(n: int) -> None:
    zz = norm.isf(0.025) ** 2
    assert tango(0, 0, n) == pytest.approx((-zz / (n + zz), zz / (n + zz)), rel=1e-14)
    assert tango(n, 0, n) == pytest.approx(((n - zz) / (n + zz), 1.0), rel=1e-14)
    assert tango(0, n, n) == pytest.approx((-1.0, (zz - n) / (n + zz)), rel=1e-14)


def test_tango_accepts_numpy_counts() -> None:
    assert tango(np.int64(6), np.float64(16.0), np.int32(161)) == tango(6, 16, 161)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0, 5), "n10 must be a whole number of at least 0, got -1"),
        ((0, 1.5, 5), "n01 must be a whole number of at least 0, got 1.5"),
        ((0, 0, 0), "n must be at least 1"),
        ((3, 3, 5), "at least n10 \\+ n01, got n = 5, n10 = 3, n01 = 3"),
        ((1, 1, float("nan")), "n must be a whole number"),
        ((1, 1, 5, 1.0), "level must lie strictly between 0 and 1"),
    ],
)
def test_tango_refuses(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        tango(*arguments)  # type: ignore[arg-type]


@given(data=st.data(), n=st.integers(1, 10**6), level=levels)
def test_wilson_against_statsmodels(data: st.DataObject, n: int, level: float) -> None:
    x = data.draw(st.integers(0, n))
    expected = proportion_confint(x, n, alpha=1.0 - level, method="wilson")
    assert wilson(x, n, level) == pytest.approx(expected, abs=1e-12)


@given(data=st.data(), n=st.integers(1, 500))
def test_wilson_of_the_failures_is_the_mirror_image(data: st.DataObject, n: int) -> None:
    x = data.draw(st.integers(0, n))
    (low, high), (low_failures, high_failures) = wilson(x, n), wilson(n - x, n)
    assert high == 1.0 - low_failures
    assert high_failures == 1.0 - low
    assert 0.0 <= low <= x / n <= high <= 1.0


def test_wilson_ends_are_exact_at_the_limits() -> None:
    assert wilson(0, 20)[0] == 0.0
    assert wilson(20, 20)[1] == 1.0
    assert wilson(0, 20)[1] < 0.2


def test_wilson_is_vectorised() -> None:
    low, high = wilson([0, 5, 9], 10)
    for i, x in enumerate([0, 5, 9]):
        assert (low[i], high[i]) == wilson(x, 10)
    assert all(isinstance(end, float) for end in wilson(np.int64(3), np.int64(4)))


@pytest.mark.parametrize("arguments", [(-1, 5), (6, 5), (0, 0), (float("nan"), 5), ([1, 7], 5)])
def test_wilson_refuses(arguments: tuple[float, float]) -> None:
    with pytest.raises(InvalidInputError, match="successes must lie between 0 and n"):
        wilson(*arguments)


@pytest.mark.parametrize(("n", "least"), [(12, 0.92), (20, 0.928), (40, 0.933), (80, 0.938), (150, 0.94)])
def test_the_union_of_wilson_and_mid_p_covers_wherever_the_proportion_lies(n: int, least: float) -> None:
    """Exact coverage, by the binomial distribution; Wilson's alone falls far below it near 0 and 1."""
    x, p = np.arange(n + 1), np.linspace(0.001, 0.999, 999)[:, None]
    chances = stats.binom.pmf(x, n, p)

    def coverage(ends: list[tuple[float, float]]) -> float:
        low, high = np.array(ends).T
        return float((chances * ((low <= p) & (p <= high))).sum(axis=1).min())

    both = [wilson_midp(int(k), n) for k in x]
    assert coverage(both) >= least
    assert coverage([wilson(int(k), n) for k in x]) < 0.87
    for (low, high), (mirrored_low, mirrored_high) in zip(both, both[::-1], strict=True):
        assert (low, high) == pytest.approx((1.0 - mirrored_high, 1.0 - mirrored_low), abs=1e-12)
    assert both[0][0] == 0.0
    assert both[-1][1] == 1.0


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n = draw(st.one_of(st.integers(1, 40), st.integers(41, 20_000), st.just(3_000_000)))
    pair = st.integers(0, n).flatmap(lambda a: st.tuples(st.just(a), st.integers(0, n - a)))
    edges = [(0, 0), (n, 0), (0, n), (n // 2, n // 2)]
    return n, [*edges, *draw(st.lists(pair, max_size=10))]


@pytest.mark.long
@given(counts(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_tango_is_that_of_one_pair(found: tuple[int, list[tuple[int, int]]], level: float) -> None:
    n, pairs = found
    n10, n01 = np.array(pairs).T
    low, high = proportions.tango_pairs(n10, n01, n, level)
    expected = [proportions.tango(a, b, n, level) for a, b in pairs]
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == expected


@pytest.mark.long
@given(counts(), st.sampled_from(ALTERNATIVES))
def test_permutation_is_that_of_one_pair(
    found: tuple[int, list[tuple[int, int]]], alternative: Alternative
) -> None:
    n, pairs = found
    n10, n01 = np.array(pairs).T
    p, alone = proportions.permutation_pairs(n10, n01, alternative)
    for i, (a, b) in enumerate(pairs):
        one = exact_mean(np.array([-1.0, 0.0, 1.0]), np.array([b, n - a - b, a]), alternative, float(n))
        assert one is not None
        assert (p[i], "enumeration" if alone[i] else "binomial") == (one.p_value, one.method)


def test_a_p_value_is_never_0() -> None:
    p, _ = proportions.permutation_pairs(np.array([5000, 1074]), np.array([0, 0]), "two-sided")
    assert (p > 0.0).all()


@pytest.mark.parametrize("rows", [1, 7, 5000])
def test_together_counts_items(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 15)
    rng = np.random.default_rng(rows)
    right, counts = rng.integers(0, 2, (rows, 5)), rng.integers(1, 9, rows)
    spread = np.repeat(right, counts, axis=0)
    np.testing.assert_array_equal(proportions.both_right(right, counts), spread.T @ spread)
    some = proportions.both_right(right, counts, right[:, [2]])
    np.testing.assert_array_equal(some, spread.T @ spread[:, [2]])


def test_together_is_exact_beyond_single_precision() -> None:
    counts = np.array([1 << 24, 1, 1, 1])
    assert (
        proportions.both_right(np.ones((4, 2), dtype=np.uint8), counts).tolist() == [[(1 << 24) + 3] * 2] * 2
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_discordant_items_against_scipy(alternative: Alternative) -> None:
    n10, n01 = (part.ravel() for part in np.mgrid[0:6, 0:6])
    p, alone = proportions.permutation_pairs(n10, n01, alternative)
    for found, one, a, b in zip(p.tolist(), alone.tolist(), n10.tolist(), n01.tolist(), strict=True):
        expected = stats.binomtest(a, a + b, 0.5, alternative).pvalue if a + b else 1.0
        assert found == pytest.approx(expected, rel=1e-12)
        assert one == (
            a + b == 0 or {"two-sided": a * b == 0, "greater": b == 0, "less": a == 0}[alternative]
        )


def test_tango_of_many_pairs_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine blocks of three distinct pairs and a rest; pairs that occur twice, in both directions."""
    monkeypatch.setattr(chunks, "CHUNK", 24)
    n10, n01 = (part.ravel() for part in np.mgrid[0:8, 0:5])
    n10, n01 = np.append(n10, [40, 0, 3, 4]), np.append(n01, [0, 40, 4, 3])
    low, high = proportions.tango_pairs(n10, n01, 40, 0.9)
    expected = [proportions.tango(int(a), int(b), 40, 0.9) for a, b in zip(n10, n01, strict=True)]
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == expected
