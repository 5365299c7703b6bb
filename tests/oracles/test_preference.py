"""Strengths in plain loops: Hunter's iteration, one system after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import of_tables

from bestby.questions.preferences.model import Trials, fit


def plain_bradley_terry(wins: Any) -> list[float]:
    """Hunter (2004), eq. 3, one system after the other, until nothing moves."""
    size = len(wins)
    gamma = [1.0] * size
    for _ in range(100_000):
        before = list(gamma)
        for i in range(size):
            met = sum((wins[i][j] + wins[j][i]) / (gamma[i] + gamma[j]) for j in range(size) if j != i)
            gamma[i] = sum(wins[i]) / met
        total = sum(gamma)
        gamma = [g / total for g in gamma]
        if max(abs(math.log(g / h)) for g, h in zip(gamma, before, strict=True)) < 1e-14:
            break
    log = [math.log(g) for g in gamma]
    return [x - sum(log) / size for x in log]


def strengths(wins: np.ndarray, ties: np.ndarray | None = None) -> np.ndarray:
    """Return the strengths of wins of the row against the column, and of symmetric ties."""
    size = len(wins)
    tied = np.triu(np.zeros((size, size)) if ties is None else ties)
    judged = of_tables(wins.astype(int), np.zeros((size, size), dtype=int), tied.astype(int))
    return fit(Trials.of(judged), np.zeros(size, dtype=np.int64)).strengths


@pytest.mark.parametrize("size", [2, 3, 6, 9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bradley_terry(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 9, (size, size)) * (rng.random((size, size)) < 0.7) + 0.0
    ring = np.arange(size)
    wins[ring, (ring + 1) % size] += 1.0  # a ring of wins connects all
    np.fill_diagonal(wins, 0.0)
    ties = np.triu(rng.integers(0, 5, (size, size)), 1) + 0.0
    ties = ties + ties.T
    np.testing.assert_allclose(strengths(wins), plain_bradley_terry(wins.tolist()), atol=1e-9)
    halves = (wins + 0.5 * ties).tolist()
    np.testing.assert_allclose(strengths(wins, ties), plain_bradley_terry(halves), atol=1e-9)


def test_a_chain_on_which_the_plain_iteration_is_slow() -> None:
    # Neighbours only, 4 wins against 1: neighbours differ by ln 4, whatever their number
    wins = np.diag(np.full(29, 4.0), 1) + np.diag(np.full(29, 1.0), -1)
    np.testing.assert_allclose(np.diff(strengths(wins)), -math.log(4.0), atol=1e-9)
