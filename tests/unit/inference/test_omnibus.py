"""Cochran's Q and Friedman's test against scipy.stats and statsmodels."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.contingency_tables import cochrans_q as peer_cochrans_q

from bestby._core import chunks
from bestby._core.errors import InvalidInputError
from bestby.inference.classical import cochran_q, friedman

counts = st.integers(0, 400)


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


@pytest.mark.parametrize(("n", "size"), [(3, 2), (30, 3), (500, 10)])
def test_cochran_q_against_statsmodels(n: int, size: int) -> None:
    x = (np.random.default_rng(n).random((n, size)) < np.linspace(0.5, 0.7, size)).astype(int)
    statistic, df, p = cochran_q(x)
    expected = peer_cochrans_q(x)
    assert statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-10)
    assert df == expected.df


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


def test_friedman_of_many_items_is_quick() -> None:
    x = np.random.default_rng(0).normal(size=(100_000, 10))
    start = time.process_time()
    friedman(x)
    assert time.process_time() - start < 2.0  # takes about 0.15 s


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
