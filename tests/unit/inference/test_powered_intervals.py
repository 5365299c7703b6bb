"""Errors of corrected shares allow for wrong verdicts of the judge that the labels do not hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestby.inference.clusters import StandardError, carrying
from bestby.inference.powered_intervals import FEW, UNSEEN, allowing_for_unseen

N = 50


def units(wrong: int) -> np.ndarray:
    """Return what labels of weight 1 / N add, on so many of which the judge is wrong."""
    return np.where(np.arange(N) < wrong, -1.0, 0.02) / N


@pytest.mark.parametrize("wrong", range(8))
def test_up_to_two_errors_are_counted_beside_fewer_than_five(wrong: int) -> None:
    error, alone = StandardError(math.sqrt(wrong) / N, 49.0), StandardError(0.1, 49.0)
    found = allowing_for_unseen(error, alone, units(wrong), 1.0 / N)
    assert found.se * N == pytest.approx(math.sqrt(max(wrong, min(wrong + UNSEEN, FEW))))
    assert found.df == error.df


def test_no_error_becomes_larger_than_that_of_the_labels_alone_or_smaller_than_it_was() -> None:
    for size in (0.001, 0.02, 0.05):
        for alone in (0.0, 0.01, 0.04):
            found = allowing_for_unseen(StandardError(size, 49.0), StandardError(alone, 49.0), units(0), 0.02)
            assert found.se >= size
            assert found.se <= max(size, alone)


def test_labels_that_carry_a_variance_are_counted_by_their_size() -> None:
    assert carrying(np.zeros(5), np.ones(5)) == 0.0
    assert carrying(np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4)) == pytest.approx(4.0)
    assert carrying(1e-200 * np.array([1.0, -1.0, 1.0]), np.ones(3)) == pytest.approx(3.0)
    assert carrying(np.array([100.0, 1.0, -1.0, 1.0]), np.ones(4)) == pytest.approx(1.0, abs=0.001)
    normal = np.random.default_rng(1).standard_normal(3000)
    assert carrying(normal, np.ones(3000)) == pytest.approx(1000.0, rel=0.1)
