"""Systems whose runs or clusters are unlike: what holds, and where a note says that it may not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestby as bb
from bestby.inference import exchangeability
from bestby.inference.samples import improvement


@pytest.mark.parametrize(("n", "m"), [(3, 10), (4, 20), (20, 4)])
@pytest.mark.parametrize("truth", [0.5, 0.95])
def test_the_probability_to_win_is_held_where_few_runs_vary_more(n: int, m: int, truth: float) -> None:
    """The system with fewer runs varies six times as much as the other."""
    rng, sets = np.random.default_rng([n, m]), 400
    at = math.sqrt(37.0) * {0.5: 0.0, 0.95: 1.6448536}[truth]
    held = 0
    for _ in range(sets):
        wide, narrow = rng.normal(at, 6.0, min(n, m)), rng.normal(size=max(n, m))
        a, b, true = (wide, narrow, truth) if n < m else (narrow, wide, 1.0 - truth)
        held += true in improvement(a, b, 0.95, paired=False)[1]
    assert held / sets >= 0.95 - 2.0 * math.sqrt(0.95 * 0.05 / sets)


def test_few_false_claims_of_dominance_go_without_a_note() -> None:
    """Five runs each, of which one system's vary four times as much; the means are equal."""
    rng, sets, claimed, quiet = np.random.default_rng(1), 250, 0, 0
    for _ in range(sets):
        order = bb.aso(4.0 * rng.normal(size=5), rng.normal(size=5), n_resamples=50)
        if order.test.p_value <= 0.05:
            claimed += 1
            quiet += "unequal_spread" not in {note.code for note in order.notes}
    assert claimed > 0
    assert quiet / sets <= 0.05


def by_size(rng: np.random.Generator, n_clusters: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return right and wrong answers in clusters of 5 to 320 items, of which the large ones favour b."""
    sizes = (5.0 * 2.0 ** (6.0 * rng.random(n_clusters))).astype(int)
    labels = np.repeat(np.arange(n_clusters), sizes)
    lead = 0.12 - 0.1 * np.log2(sizes / 5.0)
    mean = float((lead * sizes).sum() / sizes.sum())
    ahead = np.repeat((lead - mean) / 2.0 + 0.1 * rng.normal(size=n_clusters), sizes)
    u = rng.random(labels.size)
    return {"a": (u < 0.6 + ahead) * 1, "b": (u < 0.6 - ahead) * 1}, labels


def test_few_rejections_of_effects_that_go_with_size_go_without_a_note() -> None:
    rng, sets, rejected, quiet = np.random.default_rng(2), 80, 0, 0
    for _ in range(sets):
        systems, clusters = by_size(rng, 15)
        result = bb.compare(systems, clusters=clusters, interval=None, n_resamples=199)
        (difference,) = result.differences
        assert difference.test is not None
        if difference.test.p_value <= 0.05:
            rejected += 1
            quiet += "effect_of_size" not in {note.code for note in (*result.notes, *difference.notes)}
    assert rejected > 0
    assert quiet / sets <= 0.05


def test_few_clusters_of_equal_size_have_no_such_note() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(15), 10)
    b = rng.random(150) < 0.4
    a = b | (rng.random(150) < 0.3)
    result = bb.compare({"a": a * 1, "b": b * 1}, clusters=clusters, interval=None)
    assert result.differences[0].test is not None
    assert result.differences[0].test.p_value < 0.05
    assert "effect_of_size" not in {note.code for note in result.notes}
    assert not exchangeability.unequal(np.full(15, 10.0))


def test_unequal_clusters_that_reject_nothing_have_no_such_note() -> None:
    sizes = np.array([40, 20, 10, 5, 4, 4, 3, 3, 2, 2])
    clusters = np.repeat(np.arange(10), sizes)
    rng = np.random.default_rng(4)
    systems = {name: (rng.random(sizes.sum()) < 0.6) * 1 for name in "ab"}
    result = bb.compare(systems, clusters=clusters, interval=None)
    assert result.differences[0].test is not None
    assert result.differences[0].test.p_value > 0.05
    assert "effect_of_size" not in {note.code for note in result.notes}
