"""Sandwich covariances against sums over single judgements and clusters, one at a time."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from tests.unit.questions.preferences.examples import design, drawn

from bestby.questions.preferences import precision
from bestby.questions.preferences.model import Fit
from bestby.questions.preferences.precision import (
    precision_of,
    shrunk_weights,
    units_of,
    variance_between,
)
from bestby.questions.preferences.source import Clusters, Judgements
from bestby.questions.preferences.strengths import strengths


def fitted(judged: Judgements, **how: Any) -> Fit:
    return strengths(judged, **({"order": True} | how)).fit


def parts(judged: Judgements, found: Fit) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return design, residuals, weights and the inverse information, judgement by judgement."""
    scaled = dataclasses.replace(judged, covariates=judged.covariates / judged.covariates.std(axis=0))
    Z = design(scaled if judged.covariates.shape[1] else judged)
    p = 1.0 / (1.0 + np.exp(-Z @ found.parameters))
    return (
        Z,
        0.5 * judged.outcome - p,
        p * (1.0 - p),
        np.linalg.pinv(Z.T @ (Z * (p * (1.0 - p))[:, None]), rcond=1e-9),
    )


@pytest.mark.parametrize("p", [0, 2])
def test_hc3(p: int) -> None:
    judged = drawn(p=p, n=300)
    found = fitted(judged)
    Z, r, w, V = parts(judged, found)
    np.testing.assert_allclose(found.inverse, V, atol=1e-10)
    leverage = w * np.einsum("ij,jk,ik->i", Z, V, Z)
    scores = Z * (r / (1.0 - leverage))[:, None]
    (way,) = precision_of(found, judged.clusters.values()).ways
    np.testing.assert_allclose(way.covariance, V @ scores.T @ scores @ V, atol=1e-10)


def brute(judged: Judgements, found: Fit, codes: np.ndarray, *, exact: bool) -> np.ndarray:
    """Return CR3 with every cluster left out by one step, or CR1."""
    Z, r, w, V = parts(judged, found)
    n = int(codes.max()) + 1
    H, moved = Z.T @ (Z * w[:, None]), []
    for g in range(n):
        mine = codes == g
        score = Z[mine].T @ r[mine]
        left = H - Z[mine].T @ (Z[mine] * w[mine, None])
        moved.append(np.linalg.pinv(left, rcond=1e-9, hermitian=True) @ score if exact else V @ score)
    rows = np.array(moved)
    return (n - 1.0) / n * rows.T @ rows if exact else n / (n - 1.0) * rows.T @ rows


@pytest.mark.parametrize("p", [0, 2])
@pytest.mark.parametrize("exact", [True, False])
def test_clusters(p: int, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "HEAVY", -1.0 if exact else 9.0)
    judged = drawn(groups={"voter": 25}, p=p)
    found = fitted(judged)
    (way,) = precision_of(found, judged.clusters.values()).ways
    expected = brute(judged, found, judged.clusters["voter"].codes, exact=exact)
    np.testing.assert_allclose(way.covariance, expected, atol=1e-12)


def test_clusters_with_leverage_are_left_out_exactly_and_others_nearly() -> None:
    judged = drawn(groups={"voter": 300}, n=2000)
    found = fitted(judged)
    (way,) = precision_of(found, judged.clusters.values()).ways
    exact, first_order = (
        brute(judged, found, judged.clusters["voter"].codes, exact=exact) for exact in (True, False)
    )
    assert np.abs(way.covariance - exact).max() < 0.1 * np.abs(first_order - exact).max()


def test_clusters_of_one_are_judgements() -> None:
    judged = drawn(n=400)
    codes = np.arange(400, dtype=np.int32)
    codes[350:] = codes[:50]
    judged = dataclasses.replace(judged, clusters={"item": Clusters(codes % 350)})
    found = fitted(judged)
    (way,) = precision_of(found, judged.clusters.values()).ways
    np.testing.assert_allclose(way.covariance, brute(judged, found, codes % 350, exact=False), atol=1e-12)


def test_both_ways() -> None:
    judged = drawn(groups={"item": 40, "voter": 25})
    found = fitted(judged)
    item, voter = (clusters.codes for clusters in judged.clusters.values())
    both = np.unique(item * 1000 + voter, return_inverse=True)[1]
    error, df = precision_of(found, judged.clusters.values()).of(
        variance_between(np.array([0]), np.array([1]))
    )
    one, two, three = (
        precision_of(found, [Clusters(codes)]).of(variance_between(np.array([0]), np.array([1])))[0].item()
        ** 2
        for codes in (item, voter, both.astype(np.int32))
    )
    variance = max(one + two - three, one, two)
    assert error.item() ** 2 == pytest.approx(variance)
    units = [units_of(codes) - 1.0 for codes in (item, voter)]
    assert df.item() == pytest.approx(variance**2 / (one**2 / units[0] + two**2 / units[1]))


def test_davidson_with_clusters_of_one_has_the_scores_of_its_likelihood() -> None:
    judged = drawn(ties=0.3, n=300)
    codes = np.arange(300, dtype=np.int32)
    found = fitted(judged, davidson=True)
    Z = design(judged)

    def logs(beta: np.ndarray) -> np.ndarray:
        gap = Z @ beta[:-1]
        weights = np.exp(np.column_stack([-gap / 2.0, np.full(judged.n, beta[-1]), gap / 2.0]))
        return np.log((weights / weights.sum(axis=1, keepdims=True))[codes, judged.outcome])

    step = 1e-6 * np.eye(found.parameters.size)
    scores = np.column_stack([(logs(found.parameters + e) - logs(found.parameters - e)) / 2e-6 for e in step])
    np.testing.assert_allclose(scores.sum(axis=0), 0.0, atol=1e-4)
    (way,) = precision_of(found, [Clusters(codes)]).ways
    expected = 300 / 299 * found.inverse @ scores.T @ scores @ found.inverse
    np.testing.assert_allclose(way.covariance, expected, atol=1e-6)


def test_weights_follow_how_much_voters_differ() -> None:
    rng = np.random.default_rng(3)
    same = drawn(n=3000, groups={"voter": 30})
    clusters = same.clusters["voter"]
    voter = clusters.codes
    assert shrunk_weights(fitted(same), clusters).min() > 0.5
    own = rng.normal(0.0, 1.0, (30, 5))
    gap = own[voter, same.first] - own[voter, same.second]
    outcome = 2 * (rng.random(3000) < 1.0 / (1.0 + np.exp(-gap)))
    differing = dataclasses.replace(same, outcome=outcome.astype(np.int8))
    weights = shrunk_weights(fitted(differing), clusters)
    sizes = np.bincount(voter)
    # Judgements of the busiest voter count least, and a voter of one judgement counts 1
    assert weights[voter == sizes.argmax()].max() == weights.min() < 0.1
    assert (np.diff(np.unique(np.column_stack([sizes[voter], weights]), axis=0)[:, 1]) < 0.0).all()


def test_blocks_hold_the_judgements_of_whole_clusters_once_and_in_order() -> None:
    codes = np.random.default_rng(1).permutation(300_000) % 5000
    parts = [*Clusters(codes).blocks(np.arange(5000))]
    assert len(parts) > 1
    assert all((sizes == 60).all() for _, sizes in parts)
    np.testing.assert_array_equal(
        np.concatenate([members for members, _ in parts]), np.argsort(codes, kind="stable")
    )
    members, sizes = Clusters(codes).members(np.array([7, 3]))
    assert (codes[members].tolist(), sizes.tolist()) == ([7] * 60 + [3] * 60, [60, 60])
