"""Arrays of discordant counts give what one pair at a time gives, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestby._core import chunks
from bestby._core.typing import Alternative
from bestby.inference import proportions
from bestby.inference.permutation import exact_mean

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


def test_together_gives_whole_numbers() -> None:
    found = proportions.both_right(np.array([[1, 1], [1, 0]], dtype=np.uint8), np.array([3, 2]))
    assert (found.dtype, found.tolist()) == (np.int64, [[5, 3], [3, 3]])


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
