"""Strengths in plain loops: Hunter's iteration, the likelihood climbed directly, resamples one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from bestby.questions.preferences import bradley_terry
from bestby.questions.preferences.bradley_terry import errors
from bestby.questions.preferences.matrices import WinMatrices
from bestby.vocabulary import allowed_names


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


def davidson_likelihood(parameters: Any, wins: Any, ties: Any) -> float:
    *b, eta = parameters
    value = 0.0
    for i in range(len(b)):
        for j in range(i + 1, len(b)):
            weights = math.exp(b[i]), math.exp(b[j]), math.exp(eta + (b[i] + b[j]) / 2.0)
            for times, weight in zip((wins[i][j], wins[j][i], ties[i][j]), weights, strict=True):
                value += times * math.log(weight / sum(weights))
    return value


def random_matrices(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 9, (size, size)) * (rng.random((size, size)) < 0.7) + 0.0
    ring = np.arange(size)
    wins[ring, (ring + 1) % size] += 1.0  # a ring of wins connects all
    np.fill_diagonal(wins, 0.0)
    ties = np.triu(rng.integers(0, 5, (size, size)), 1) + 0.0
    return wins, ties + ties.T


@pytest.mark.parametrize("size", [2, 3, 6, 9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bradley_terry(size: int, seed: int) -> None:
    wins, ties = random_matrices(seed, size)
    np.testing.assert_allclose(
        bradley_terry.strengths(wins).log, plain_bradley_terry(wins.tolist()), atol=1e-9
    )
    halves = (wins + 0.5 * ties).tolist()
    np.testing.assert_allclose(
        bradley_terry.strengths(wins, ties).log, plain_bradley_terry(halves), atol=1e-9
    )


def test_a_chain_on_which_the_plain_iteration_is_slow() -> None:
    # Neighbours only, 4 wins against 1: neighbours differ by ln 4, whatever their number
    wins = np.diag(np.full(29, 4.0), 1) + np.diag(np.full(29, 1.0), -1)
    np.testing.assert_allclose(np.diff(bradley_terry.strengths(wins).log), -math.log(4.0), atol=1e-10)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_davidson(size: int) -> None:
    wins, ties = random_matrices(4, size)
    fitted = bradley_terry.strengths(wins, ties, model="davidson")
    best = minimize(lambda x: -davidson_likelihood([0.0, *x], wins, ties), np.zeros(size), tol=1e-12)
    found = [*(fitted.log - fitted.log[0]), math.log(fitted.tie)]
    np.testing.assert_allclose(found[1:], best.x, atol=2e-4)
    here = davidson_likelihood(found, wins, ties)
    assert here >= -best.fun - 1e-9
    rng = np.random.default_rng(5)
    for _ in range(20):
        assert davidson_likelihood(np.array(found) + rng.normal(0.0, 1e-3, size + 1), wins, ties) < here


def test_many_matrices_at_once_are_each_alone() -> None:
    matrices = [random_matrices(seed, 4) for seed in range(30)]
    wins, ties = (np.stack(part) for part in zip(*matrices, strict=True))
    for model in allowed_names("ties"):
        together = bradley_terry.strengths(wins, ties, model=model)
        for r, (w, t) in enumerate(matrices):
            alone = bradley_terry.strengths(w, t, model=model)
            np.testing.assert_allclose(together.log[r], alone.log, atol=1e-12)
            np.testing.assert_allclose(together.tie[r], alone.tie, atol=1e-12)


def test_errors_in_plain_loops_over_clusters() -> None:
    rng = np.random.default_rng(6)
    n, size = 60, 3
    first = rng.integers(0, size, n)
    second = (first + rng.integers(1, size, n)) % size
    values = rng.choice([1.0, 0.0, 0.5], n, p=[0.5, 0.3, 0.2])
    clusters = rng.permutation(np.arange(n) % 20)
    judged = WinMatrices(size, first, second, values, clusters)
    fitted = bradley_terry.strengths(*judged.matrices())
    found = errors(fitted, first, second, values, clusters=clusters)
    information, middle = np.zeros((size, size)), np.zeros((size, size))
    for g in range(20):
        score = np.zeros(size)
        for t in np.flatnonzero(clusters == g):
            a, b = first[t], second[t]
            p = 1.0 / (1.0 + math.exp(fitted.log[b] - fitted.log[a]))
            apart = np.zeros(size)
            apart[a], apart[b] = 1.0, -1.0
            information += p * (1.0 - p) * np.outer(apart, apart)
            score += (values[t] - p) * apart
        middle += np.outer(score, score)
    inverse = np.linalg.pinv(information)
    np.testing.assert_allclose(found.fisher, inverse, atol=1e-9)
    np.testing.assert_allclose(found.robust, inverse @ middle @ inverse * 20 / 19, atol=1e-9)


def test_errors_of_davidson_by_numerical_derivatives() -> None:
    rng = np.random.default_rng(8)
    n, size = 90, 3
    first = rng.integers(0, size, n)
    second = (first + rng.integers(1, size, n)) % size
    values = rng.choice([1.0, 0.0, 0.5], n, p=[0.5, 0.2, 0.3])
    clusters = rng.permutation(np.arange(n) % 30)
    whole = WinMatrices(size, first, second, values)
    fitted = bradley_terry.strengths(*whole.matrices(), model="davidson")
    found = errors(fitted, first, second, values, clusters=clusters, model="davidson")
    at = np.array([*fitted.log, math.log(fitted.tie)])

    def gradient(matrices: Any, x: np.ndarray) -> np.ndarray:
        steps = 1e-5 * np.eye(size + 1)
        return np.array(
            [
                (davidson_likelihood(x + h, *matrices) - davidson_likelihood(x - h, *matrices)) / 2e-5
                for h in steps
            ]
        )

    middle = np.zeros((size + 1, size + 1))
    for g in range(30):
        mine = clusters == g
        score = gradient(WinMatrices(size, first[mine], second[mine], values[mine]).matrices(), at)
        middle += np.outer(score, score)
    curve = [
        (gradient(whole.matrices(), at + h) - gradient(whole.matrices(), at - h)) / 2e-3
        for h in 1e-3 * np.eye(size + 1)
    ]
    inverse = np.linalg.pinv(-np.array(curve), rcond=1e-4)
    np.testing.assert_allclose(found.fisher, inverse[:size, :size], atol=1e-5)
    robust = inverse @ middle @ inverse * 30 / 29
    np.testing.assert_allclose(found.robust, robust[:size, :size], atol=1e-5)


@pytest.mark.parametrize("clustered", [False, True])
def test_resamples_are_sums_over_drawn_units(clustered: bool) -> None:
    rng = np.random.default_rng(7)
    n, size = 30, 3
    first = rng.integers(0, size, n)
    second = (first + rng.integers(1, size, n)) % size
    values = rng.choice([1.0, 0.0, 0.5], n)
    clusters = rng.permutation(np.arange(n) % 12) if clustered else None
    judged = WinMatrices(size, first, second, values, clusters)

    def flat(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
        return np.concatenate([wins, ties], axis=1).reshape(len(wins), -1)

    drawn = judged.bootstrap(200, 0, flat).reshape(200, 2, size, size)
    # Each resample must be a whole number of units: 12 clusters, or 30 judgements.
    judgements = drawn[:, 0].sum(axis=(1, 2)) + drawn[:, 1].sum(axis=(1, 2)) / 2.0
    if not clustered:
        assert (judgements == n).all()
    wins, ties = judged.matrices()
    mean = drawn.mean(axis=0)
    for got, expected in zip(mean, (wins, ties), strict=True):
        # 200 resamples: five standard errors of a Poisson count, which is above that of any entry here
        assert (np.abs(got - expected) <= 5.0 * np.sqrt(3.0 * np.maximum(expected, 1e-9) / 200)).all()
