"""Score intervals of answers of several runs, and the components of their variance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from bestby.engine import runs_and_items
from bestby.engine.runs_and_items import Differences, mean_interval
from bestby.inference import proportions

Z = float(-ndtri(0.025))
SHARES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


@pytest.mark.parametrize("counts", [(6, 16, 161), (0, 0, 60), (1, 0, 20), (9, 0, 9)])
def test_one_run_each_has_tangos_interval(counts: tuple[int, int, int]) -> None:
    n10, n01, n = counts
    found = Differences.of(np.array([1.0, -1.0, 0.0]), np.array([n10, n01, n - n10 - n01]))
    assert found.interval(0.0, Z) == pytest.approx(proportions.tango(n10, n01, n), abs=1e-9)


def test_copies_of_a_run_are_one_run() -> None:
    """Answers that all runs share differ by 1; luck of each run makes them differ by less."""
    copies = Differences.of(np.array([1.0, -1.0, 0.0]), np.array([2, 1, 57]))
    luck = Differences.of(np.array([1 / 3, -1 / 3, 0.0]), np.array([6, 3, 51]))
    assert (copies.size, copies.differing) == (1.0, 3.0)
    assert (luck.size, luck.differing) == (pytest.approx(1 / 3), pytest.approx(9.0))
    wide, narrow = (high - low for low, high in (one.interval(0.0, Z) for one in (copies, luck)))
    assert narrow < wide / 1.5


@given(SHARES, st.floats(0.0, 0.05))
def test_the_interval_holds_the_estimate_and_mirrors(pairs: list[tuple[int, int]], others: float) -> None:
    values = np.array([a / 4 - b / 4 for a, b in pairs])
    counts = np.ones(values.size, dtype=np.int64)
    low, high = Differences.of(values, counts).interval(others, Z)
    assert Differences.of(-values, counts).interval(others, Z) == (-high, -low)
    assert -1.0 <= low <= values.mean() + 1e-12
    assert values.mean() - 1e-12 <= high <= 1.0
    assert high > low


def test_what_runs_add_reaches_beyond_what_items_can_differ_by() -> None:
    found = Differences.of(np.array([0.5]), np.array([100]))
    assert found.interval(0.0, Z)[1] == pytest.approx(0.5, abs=1e-9)
    assert found.interval(0.01, Z)[1] == pytest.approx(0.5 + Z * 0.1, abs=1e-6)


def test_the_interval_of_one_mean_is_wilsons_for_as_many_answers_as_count() -> None:
    p, n = 0.9, 50
    single = mean_interval(p, p * (1 - p) / (n - 1), n, 0.0, Z)
    assert single == pytest.approx(proportions.wilson(45, 50))
    luck = mean_interval(p, p * (1 - p) / (n - 1) / 4, n, 0.0, Z)
    assert luck == pytest.approx(proportions.wilson(180, 200))
    assert mean_interval(1.0, 0.0, n, 0.0, Z) == pytest.approx(proportions.wilson(50, 50))
    assert mean_interval(0.0, 0.0, n, 0.0, Z) == pytest.approx(proportions.wilson(0, 50))


def test_a_single_run_borrows_variance_and_freedom() -> None:
    several, alone = np.array([0.70, 0.72, 0.77]), np.array([0.75])
    v = float(several.var(ddof=1))
    for scores in ([alone, several], [several, alone]):
        found = runs_and_items.variance_components(1e-12, 500.0, scores, [0.0, 0.0])
        assert found.runs == pytest.approx(v * (1 + 1 / 3), rel=1e-6)
        assert found.freedom == pytest.approx(2.0, rel=1e-6)
    luck = runs_and_items.variance_components(0.002, 500.0, [several, alone], [2e-5, 0.0])
    assert luck.rest == pytest.approx(2e-5 * 3 / 2 * (1 + 1 / 3))
    both = runs_and_items.variance_components(1.0, 500.0, [alone, alone], [0.0, 0.0])
    assert (both.runs, both.freedom) == (0.0, 500.0)
    assert math.isclose(both.standard_error, 1.0)


def test_only_items_that_differ_by_several_amounts_keep_the_variance_of_the_estimate() -> None:
    several = Differences.of(np.array([1.0, 0.5, 0.25]), np.array([6, 3, 1]))
    low, high = several.interval(0.0, Z)
    mean = 7.75 / 10
    assert several.interval(0.0, Z, 0.005) == (low, pytest.approx(mean + Z * math.sqrt(0.005)))
    assert several.interval(0.0, Z, 1e-9) == (low, high)
    one = Differences.of(np.array([1.0, 0.0]), np.array([8, 2]))
    assert one.interval(0.0, Z, 0.1) == one.interval(0.0, Z)
