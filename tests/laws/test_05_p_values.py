"""Law 5: p-values are never 0, count ties, and say how they were had."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.laws.roster import (
    ALTERNATIVES,
    RESAMPLES,
    ROSTER,
    TESTS,
    Data,
    Entry,
    applies,
    cases,
    make,
)

from bestby import compare


def far_apart(entry: Entry, design: str) -> Data:
    """Return a system that is right and one that is as wrong as can be."""
    data = make(entry, design, seed=41, n=200, systems=2)
    if entry.kind == "scores":
        worse = data.systems["a"] + (50.0 if entry.lower else -50.0)
        return Data({"a": data.systems["a"], "b": worse}, None, data.clusters, data.strata)
    if entry.kind == "labels":
        wrong = np.where(data.gold == "pos", "neg", np.where(data.gold == "neg", "neu", "pos"))
        return Data({"a": data.gold.copy(), "b": wrong}, data.gold, data.clusters, data.strata)
    if entry.kind.startswith("soft"):
        return _soft_and_far_apart(data)
    if entry.kind == "ranking":
        return Data(
            {"a": data.gold + 0.01 * data.systems["a"], "b": -data.gold + 0.01 * data.systems["b"]},
            data.gold,
            data.clusters,
            data.strata,
        )
    return Data(
        {"a": data.systems["a"], "b": -40.0 * data.systems["b"]}, data.gold, data.clusters, data.strata
    )


def _soft_and_far_apart(data: Data) -> Data:
    """Return the gold, and what is always wrong, torn where the gold is sure and sure where it is torn."""
    right = np.eye(3)[data.gold] if data.gold.ndim == 1 else data.gold.copy()
    order = right.argsort(axis=1)
    items = np.arange(len(right))
    wrong = np.zeros_like(right)
    wrong[items, order[:, 0]] = wrong[items, order[:, 1]] = 0.5
    torn = right.max(axis=1) < 0.7
    wrong[torn] = np.eye(3)[order[torn, 0]]
    return Data({"a": right, "b": wrong}, data.gold, data.clusters, data.strata)


@pytest.mark.parametrize(("entry", "design"), cases())
def test_p_is_never_0_and_monte_carlo_p_is_at_least_its_least_value(entry: Entry, design: str) -> None:
    data = far_apart(entry, design)
    for test, alternative in itertools.product(TESTS, ALTERNATIVES):
        if not applies(entry, design, test=test):
            continue
        t = data.compare(entry, test=test, alternative=alternative).differences[0].test
        assert 0.0 < t.p_value <= 1.0
        assert t.exact is (t.n_resamples == 0) or t.method == "asymptotic"
        if t.n_resamples:
            assert t.n_resamples == RESAMPLES
            assert t.method == "monte carlo"
            hits = t.p_value * (1 + RESAMPLES) - 1
            assert hits == pytest.approx(round(hits), abs=1e-9)
            assert t.p_value >= 1.0 / (1 + RESAMPLES)
            assert t.error == pytest.approx(math.sqrt(t.p_value * (1.0 - t.p_value) / RESAMPLES))
        else:
            assert t.error == 0.0


def test_far_apart_systems_are_told_apart() -> None:
    """The data of the test above do give the least p there is, so that it cannot pass on dull ones."""
    for entry in ROSTER:
        d = far_apart(entry, "plain").compare(entry).differences[0]
        assert d.p_value <= 1.0 / (1 + RESAMPLES), entry.key


def test_ties_count_whatever_rounding_does_to_them() -> None:
    """Of tenths: 0.1 + 0.2 - 0.3 is 5.6e-17, not 0; the observed sum recurs in half of all swaps."""
    a = [0.1, 0.2, -0.3, 0.7]
    d = compare({"a": a, "b": [0.0] * 4}, alternative="greater").differences[0]
    sums = [sum(s * v for s, v in zip(signs, (1, 2, -3, 7), strict=True)) for signs in _signs(4)]
    assert d.p_value == sum(s >= 7 for s in sums) / 16


def _signs(n: int) -> itertools.product[tuple[int, ...]]:
    return itertools.product((1, -1), repeat=n)


@pytest.mark.parametrize("factor", [1.0, 1e-6, 1e6, 0.1, 1.0 / 3.0])
def test_the_unit_of_the_scores_does_not_matter(factor: float) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 5, 50).astype(float), rng.integers(0, 5, 50).astype(float)
    one = compare({"a": a, "b": b}, interval="bca").differences[0]
    other = compare({"a": a * factor, "b": b * factor}, interval="bca").differences[0]
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    assert other.interval.low == pytest.approx(one.interval.low * factor, rel=1e-9, abs=1e-12 * factor)
    assert other.interval.high == pytest.approx(one.interval.high * factor, rel=1e-9, abs=1e-12 * factor)


@pytest.mark.parametrize("entry", [e for e in ROSTER if not e.mean], ids=lambda e: e.key)
def test_few_differing_items_give_the_exact_p(entry: Entry) -> None:
    data = make(entry, "plain", seed=43, n=30, systems=2)
    b = data.systems["a"].copy()
    b[5:11] = data.systems["b"][5:11]
    d = Data({"a": data.systems["a"], "b": b}, data.gold).compare(entry).differences[0]
    # These standardise each system, so no two items are the same in both.
    assert d.exact is (entry.key not in ("pearson", "entropy_correlation", "entropy_similarity"))
    if d.exact:
        assert d.test.n_resamples == 0
        combinations = d.p_value * 2**6
        assert combinations == pytest.approx(round(combinations), abs=1e-9)
