"""Judgements counted and resampled: by hand, by block, and in plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.questions.preferences.matrices import WinMatrices
from bestby.resampling import streams, totals


def test_matrices_and_direct_judgements_by_hand() -> None:
    first, second = np.array([0, 2, 1, 2, 2, 0]), np.array([1, 0, 2, 0, 1, 1])
    judged = WinMatrices(3, first, second, np.array([0.0, 1.0, 0.5, 0.5, 0.0, 1.0]))
    wins, ties = judged.matrices()
    assert wins.tolist() == [[0, 1, 0], [1, 0, 1], [1, 0, 0]]
    assert ties.tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert (judged.n, judged.n_units) == (6, 6)
    assert judged.direct(0, 1).tolist() == [-1.0, 1.0]
    assert judged.direct(1, 0).tolist() == [1.0, -1.0]
    assert judged.direct(0, 2).tolist() == [-1.0, 0.0]
    assert judged.direct(2, 1).tolist() == [0.0, -1.0]
    # Outcomes in order: 0 > 1, 1 > 0, 1 > 2, 2 > 0, 0 = 2, 1 = 2
    wins, ties = judged.matrices(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]]))
    assert wins.tolist() == [[[0, 1, 0], [2, 0, 3], [4, 0, 0]], [[0, 6, 0], [5, 0, 4], [3, 0, 0]]]
    assert ties.tolist() == [[[0, 0, 5], [0, 0, 6], [5, 6, 0]], [[0, 0, 2], [0, 0, 1], [2, 1, 0]]]


def test_direct_judgements_of_clusters_by_hand() -> None:
    first, second = np.array([0, 1, 0, 0, 1, 2]), np.array([1, 0, 1, 1, 2, 1])
    clusters = np.array([4, 4, 1, 4, 2, 2])
    judged = WinMatrices(3, first, second, np.array([1.0, 0.0, 0.0, 0.5, 1.0, 0.0]), clusters)
    assert judged.direct(0, 1).tolist() == [-1.0, 2.0]
    assert judged.direct(1, 2).tolist() == [2.0]
    assert judged.direct(0, 2).tolist() == []


def both(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    return np.stack([wins, ties], axis=1)


def test_resampled_outcomes_are_multinomial_by_block() -> None:
    # 12 judgements per outcome and more are drawn as outcomes, 2048 resamples at a time
    values = np.repeat([1.0, 0.5], [9, 15])
    judged = WinMatrices(2, np.zeros(24, dtype=np.int64), np.ones(24, dtype=np.int64), values)
    told: list[tuple[int, int]] = []
    found = judged.bootstrap(2050, 7, both, progress=lambda done, of: told.append((done, of)))
    assert found.shape == (2050, 2, 2, 2)
    assert told[-1] == (2050, 2050)
    for block, (start, stop) in enumerate(((0, 2048), (2048, 2050))):
        generator = streams.block_generator(7, "bootstrap", block)
        drawn = generator.multinomial(24, [9 / 24, 15 / 24], size=stop - start)
        assert np.array_equal(found[start:stop, 0, 0, 1], drawn[:, 0])
        assert np.array_equal(found[start:stop, 1, 1, 0], drawn[:, 1])
        assert not found[start:stop, 0, 1, 0].any()


def test_many_systems_are_drawn_in_smaller_blocks() -> None:
    # 2^20 numbers at a time: of 32 systems, 1024 matrices
    first, second = np.repeat([0, 1], 12), np.repeat([1, 31], 12)
    judged = WinMatrices(32, first, second, np.ones(24))
    found = judged.bootstrap(1026, 3, lambda wins, _: wins[:, [0, 1], [1, 31]])
    for block, (start, stop) in enumerate(((0, 1024), (1024, 1026))):
        generator = streams.block_generator(3, "bootstrap", block)
        assert np.array_equal(found[start:stop], generator.multinomial(24, [0.5, 0.5], size=stop - start))


@pytest.mark.parametrize("clustered", [False, True])
def test_resampled_units_are_weighted_judgements(clustered: bool) -> None:
    # 23 judgements of two outcomes are fewer than 12 each; clusters are drawn in any case
    n = 43 if clustered else 23
    values = np.array(([1.0, 0.5] * 22)[:n])
    clusters = np.arange(n) % 5 if clustered else None
    first, second = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    judged = WinMatrices(2, first, second, values, clusters)
    told: list[tuple[int, int]] = []
    found = judged.bootstrap(9, 5, both, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (9, 9)
    units = 5 if clustered else 23
    keys = streams.replicate_keys(streams.stream_key(5, "bootstrap"), 0, 9)
    drawn = totals.bootstrap_weights(keys, np.array([0, units]))
    # Without clusters, units are the judgements by outcome: the 12 wins, then the 11 ties
    won = (
        [[u % 2 == 0 for u in range(g, n, 5)] for g in range(5)]
        if clustered
        else [[u < 12] for u in range(23)]
    )
    for r in range(9):
        wins = sum(int(drawn[r, u]) * sum(won[u]) for u in range(units))
        ties = sum(int(drawn[r, u]) * (len(won[u]) - sum(won[u])) for u in range(units))
        assert found[r].tolist() == [[[0, wins], [0, 0]], [[0, ties], [ties, 0]]]


def test_resampled_units_in_several_blocks() -> None:
    # Of 128 systems, 64 matrices at a time; 23 judgements are drawn one by one, and all of each resample
    first, second = np.zeros(23, dtype=np.int64), np.repeat([1, 127], [12, 11])
    judged = WinMatrices(128, first, second, np.ones(23))
    found = judged.bootstrap(70, 5, lambda wins, _: wins[:, 0, [1, 127]])
    keys = streams.replicate_keys(streams.stream_key(5, "bootstrap"), 0, 70)
    drawn = totals.bootstrap_weights(keys, np.array([0, 23]))
    assert found.tolist() == [[int(row[:12].sum()), int(row[12:].sum())] for row in drawn]
