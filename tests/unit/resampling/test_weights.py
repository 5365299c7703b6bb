"""Weights by NumPy and by the compiled kernels: the same draws, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from bestby.resampling import _kernels, streams, totals, weights
from bestby.resampling.units import Units, single_stratum

KEYS = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 40)
BOUNDS = [[0, 1], [0, 2], [0, 65], [0, 3, 7], [0, 1, 2, 130], [0, 64, 128]]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("kind", [np.uint16, np.int32, np.float64])
def test_compiled_bootstrap_weights_are_those_of_numpy(bounds: list[int], kind: type) -> None:
    edges = np.array(bounds)
    out = np.empty((40, bounds[-1]), dtype=kind)
    _kernels.bootstrap_weights(KEYS, edges, np.diff(edges), weights.word_offsets(np.diff(edges)), out)
    assert (out == weights.bootstrap_weights(KEYS, edges)).all()


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_compiled_sums_are_those_of_the_weights(bounds: list[int]) -> None:
    edges = np.array(bounds)
    X = np.asfortranarray(np.random.default_rng(0).integers(-50, 50, (bounds[-1], 3)).astype(float))
    out = np.empty((40, 3))
    _kernels.bootstrap_sums(X, KEYS, edges, np.diff(edges), weights.word_offsets(np.diff(edges)), out)
    assert (out == weights.bootstrap_weights(KEYS, edges) @ X).all()


@pytest.mark.parametrize("n", [1, 7, 8, 63, 64, 65, 255, 256, 257, 600])
@pytest.mark.parametrize("k", [1, 4])
def test_compiled_swaps_are_those_of_numpy(n: int, k: int) -> None:
    D = np.random.default_rng(n).integers(-50, 50, (n, k)).astype(float)
    bits = weights.swap_bits(KEYS, n)
    sums, compiled = np.empty((40, k)), np.empty((40, n), dtype=np.uint8)
    _kernels.swap_sums(np.ascontiguousarray(D), KEYS, sums)
    _kernels.swap_bits(KEYS, compiled)
    assert (compiled == bits).all()
    assert (sums == bits @ D).all()


def test_draws_of_a_stratum_stay_in_it() -> None:
    drawn = weights.drawn_units(KEYS, np.array([0, 3, 4, 9]))
    assert set(np.unique(drawn[:, :3])) == {0, 1, 2}
    assert set(np.unique(drawn[:, 3])) == {3}
    assert set(np.unique(drawn[:, 4:])) == {4, 5, 6, 7, 8}


def test_rows_with_multiplicities_are_expanded_in_their_strata() -> None:
    X = np.array([[1.0], [2.0], [3.0]])
    expanded, units = Units(np.array([2, 1, 3]), np.array([0, 2, 3])).expanded(X)
    assert expanded.ravel().tolist() == [1, 1, 2, 3, 3, 3]
    assert units.bounds.tolist() == [0, 3, 6]
    assert units.n == units.n_rows == 6


def test_blocks_come_back_in_order_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    for n_jobs in (1, 3):
        found = totals.run_blocks(
            lambda first, stop: np.arange(first, stop, dtype=float),
            103,
            10,
            n_jobs,
            lambda done, of: told.append((done, of)),
        )
        assert found.tolist() == list(range(103))
    assert told[:11] == told[11:] == [(min(10 * (i + 1), 103), 103) for i in range(11)]


def test_an_error_in_a_thread_is_raised() -> None:
    def fails(first: int, stop: int) -> np.ndarray:
        if first == 20:
            raise ZeroDivisionError("in block 20")
        return np.zeros(stop - first)

    with pytest.raises(ZeroDivisionError, match="in block 20"):
        totals.run_blocks(fails, 100, 10, 3, None)


def test_few_rows_go_by_cells_and_many_one_by_one() -> None:
    assert Units(np.array([50, 50]), np.array([0, 2])).by_cells(12)
    assert not single_stratum(100).by_cells(12)
