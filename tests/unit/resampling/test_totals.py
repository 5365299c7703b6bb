"""Totals of resamples: against bits written out, and how much is made at once."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import threadpoolctl
from scipy import stats

from bestby._core.typing import Array, FloatArray
from bestby.resampling import executing, streams, totals
from bestby.resampling.units import Units, single_stratum

CELLS = Units(np.array([300, 200, 500]), np.array([0, 2, 3]))


def itself(t: Array) -> FloatArray:
    return t.astype(float)


class Told(Executor):
    """An executor that runs what it gets at once, and counts it."""

    def __init__(self) -> None:
        self.tasks = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


# -- totals: swaps, against the bits written out -----------------------------------------------------


def swapped(D: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    keys = streams.replicate_keys(streams.stream_key(seed, "swap"), 0, n_resamples)
    return totals.swap_bits(keys, len(D)) @ D


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1024, 1025, 3000])
@pytest.mark.parametrize("k", [1, 3, 9])
def test_swaps_are_sums_of_the_rows_taken(n: int, k: int) -> None:
    """To the bit for whole numbers, else as nearly as sums of double precision are."""
    rng = np.random.default_rng(k)
    whole = rng.integers(-5000, 5000, (n, k)).astype(float)
    assert (totals.swaps(whole, single_stratum(n), 300, 4, itself) == swapped(whole, 300, 4)).all()
    for D in (
        rng.normal(size=(n, k)),
        whole + 1e-6,
        rng.normal(size=(n, k)) * 1e-200,
        np.exp(9 * whole / 5000),
    ):
        found = totals.swaps(D, single_stratum(n), 300, 4, itself)
        np.testing.assert_allclose(
            found, swapped(D, 300, 4), rtol=0.0, atol=1e-13 * np.abs(D).sum(axis=0).max()
        )


def test_swaps_of_few_equal_rows_are_those_of_units() -> None:
    D = np.array([[3.0, 0.0], [1.0, 4.0], [-2.0, 1.0]])
    found = totals.swaps(D, Units(np.array([2, 1, 2]), np.array([0, 3])), 200, 4, itself)
    assert (found == swapped(np.repeat(D, [2, 1, 2], axis=0), 200, 4)).all()


def test_swaps_of_cells_are_binomial_in_any_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means within 5.5 standard errors of 5000 draws, variances within 5.5 of theirs: once in 1e6."""
    one = totals.swaps(np.eye(3), CELLS, 5000, 6, itself)
    assert (one == totals.swaps(np.eye(3), CELLS, 5000, 6, itself)).all()
    assert (one != totals.swaps(np.eye(3), CELLS, 5000, 7, itself)).any()
    assert (one[1000:2000] != one[:1000]).any()
    assert (totals.swaps(np.eye(3), CELLS, 1000, 6, itself) == one[:1000]).all()
    for numbers in (1, 60, 6000):
        monkeypatch.setattr(totals, "BLOCK_NUMBERS", numbers)
        assert (totals.swaps(np.eye(3), CELLS, 1000, 6, itself) == one[:1000]).all()
    variance = stats.binom(CELLS.counts, 0.5).var()
    assert (np.abs(one.mean(axis=0) - CELLS.counts / 2) < 5.5 * np.sqrt(variance / 5000)).all()
    assert (np.abs(one.var(axis=0) / variance - 1.0) < 5.5 * np.sqrt(2.0 / 5000)).all()


def test_swap_bits_are_handed_to_other_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", 70 * 128)
    seen: list[Array] = []

    def kept(bits: Array) -> FloatArray:
        seen.append(bits)
        return bits.astype(float)

    found = totals.swap_blocks(single_stratum(70), 300, 4, kept)
    assert (found == swapped(np.eye(70), 300, 4)).all()
    assert [bits.dtype for bits in seen] == [np.uint8] * 3


@pytest.mark.parametrize(("draws", "kind"), [(None, np.uint8), ([255, 50], np.uint8), ([256, 50], np.int64)])
def test_weights_are_handed_to_other_measures(draws: list[int] | None, kind: type) -> None:
    """As many draws as units if not told; short integers where no weight is longer."""
    seen: list[Array] = []

    def kept(W: Array) -> FloatArray:
        seen.append(W)
        return W.astype(float)

    units = Units(np.ones(70, dtype=np.int64), np.array([0, 20, 70]))
    drawn = None if draws is None else np.array(draws)
    keys = streams.replicate_keys(streams.stream_key(4, "bootstrap"), 0, 300)
    found = totals.bootstrap_blocks(units, 300, 4, kept, draws=drawn)
    assert (found == totals.bootstrap_weights(keys, units.bounds, drawn)).all()
    assert [W.dtype for W in seen] == [kind]


# -- totals: how much is made at once, and by which way ----------------------------------------------


@pytest.mark.parametrize("make", [totals.swap_blocks, totals.bootstrap_blocks])
def test_weights_held_at_once(make: Callable[..., FloatArray], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", 79)
    for n, most, expected in ((10, 1000, 7), (10, 3, 3), (79, 1000, 1), (80, 1000, 1), (10, 0, 1)):
        rows: list[int] = []

        def kept(W: Array, rows: list[int] = rows) -> FloatArray:
            rows.append(W.shape[0])
            return W.astype(float)

        make(single_stratum(n), 21, 4, kept, most=most)
        assert rows == [expected] * (21 // expected)


WAYS: dict[str, Callable[..., FloatArray]] = {
    "cells": lambda **how: totals.bootstrap(np.eye(3), CELLS, 5000, 3, **how),
    "units": lambda **how: totals.bootstrap(np.eye(90), single_stratum(90), 5000, 3, **how),
    "weights": lambda **how: totals.bootstrap_blocks(single_stratum(90), 5000, 3, most=1000, **how),
    "swapped cells": lambda **how: totals.swaps(np.eye(3), CELLS, 5000, 3, **how),
    "swapped units": lambda **how: totals.swaps(np.eye(90), single_stratum(90), 5000, 3, **how),
    "swap bits": lambda **how: totals.swap_blocks(single_stratum(90), 5000, 3, most=1000, **how),
}


@pytest.mark.parametrize("way", WAYS)
def test_threads_executors_and_progress_are_handed_on(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "SEND_FROM", 0.0)
    monkeypatch.setattr(totals, "BLOCK_NUMBERS", 6000)
    monkeypatch.setattr(totals, "FEW_BLOCK", 6000)
    threads: set[int] = set()
    told: list[tuple[int, int]] = []

    def kept(t: Array) -> FloatArray:
        threads.add(threading.get_ident())
        return t.astype(np.float32)

    def tell(done: int, of: int) -> None:
        told.append((done, of))

    here, executor = {threading.get_ident()}, Told()
    one = WAYS[way](transform=kept, progress=tell)
    assert threads == here
    assert one.dtype == np.float32  # what the transform gives is kept as it is
    assert len(told) > 1
    assert told[-1] == (5000, 5000)
    told.clear()
    assert (WAYS[way](transform=kept, executor=executor, progress=tell) == one).all()
    assert len(told) == executor.tasks > 1
    threads.clear()
    assert (WAYS[way](transform=kept, n_jobs=2) == one).all()
    assert not threads & here


def test_matrix_products_have_one_thread_each() -> None:
    def threads() -> list[int]:
        return [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]

    before = threads()
    with executing.one_blas_thread():
        assert set(threads()) <= {1}
    assert threads() == before


def test_a_single_block_is_made_here() -> None:
    def where(first: int, stop: int) -> FloatArray:
        return np.full(stop - first, float(threading.get_ident()))

    assert totals.run_blocks(where, 5, 5, 3, None).tolist() == [float(threading.get_ident())] * 5


def test_results_of_all_blocks_never_wait_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    pools: list[int] = []

    def pool(n: int) -> ThreadPoolExecutor:
        pools.append(n)
        return ThreadPoolExecutor(n)

    monkeypatch.setattr(totals, "ThreadPoolExecutor", pool)

    def one(first: int) -> FloatArray:
        made.append(first)
        return np.zeros(1)

    parts = totals._on_threads(one, range(0, 1000, 10), 2)
    for _ in range(8):
        next(parts)
    assert len(made) == 8
    next(parts)
    assert len(made) <= 16
    assert len(list(parts)) == 91
    assert sorted(made) == list(range(0, 1000, 10))
    assert pools == [2]


def test_no_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match="n_resamples must be at least 1"):
        totals.run_blocks(lambda first, stop: np.zeros(stop - first), 0, 5, 1, None)


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("n_draws", [30, 31])  # a quarter of the units, or more
def test_rows_drawn_are_summed_or_weighted(n_draws: int, k: int) -> None:
    X = np.random.default_rng(k).integers(-50, 50, (120, k)).astype(float)
    found = totals.bootstrap(X, single_stratum(120), 50, 3, itself, draws=np.array([n_draws]))
    keys = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 50)
    drawn = totals.drawn_units(keys, np.array([0, 120]), np.array([n_draws]))
    assert (found == X[drawn].sum(axis=1)).all()


@pytest.mark.parametrize("kinds", [10, 200])
def test_whole_numbers_have_the_same_sums_in_single_precision(kinds: int) -> None:
    """Sums that stay below 2^24 are exact in it; halves and larger ones keep double precision."""
    rng = np.random.default_rng(kinds)
    counts = rng.integers(1, 300, kinds)
    D = rng.integers(-40, 40, (kinds, 3)).astype(np.float64)
    found = totals.cell_swaps(D, counts, 50, 7, np.asarray)
    assert found.dtype == np.float64
    for factor in (0.5, 2.0**20):
        np.testing.assert_array_equal(
            totals.cell_swaps(factor * D, counts, 50, 7, np.asarray), factor * found
        )


KEYS = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 40)


@pytest.mark.parametrize("n", [1, 64, 65, 600])
def test_swap_bits_from_any_word_are_those_of_all(n: int) -> None:
    everything = totals.swap_bits(KEYS, 128 + n)
    assert (totals.swap_bits(KEYS, n, 128) == everything[:, 128:]).all()


def test_draws_of_a_stratum_stay_in_it() -> None:
    drawn = totals.drawn_units(KEYS, np.array([0, 3, 4, 9]))
    assert set(np.unique(drawn[:, :3])) == {0, 1, 2}
    assert set(np.unique(drawn[:, 3])) == {3}
    assert set(np.unique(drawn[:, 4:])) == {4, 5, 6, 7, 8}


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


# -- fewer draws than units ----------------------------------------------------------------------------

DRAWS = [
    ([0, 1], [1]),
    ([0, 65], [2]),
    ([0, 65], [13]),
    ([0, 65], [64]),
    ([0, 3, 7], [1, 3]),
    ([0, 1, 2, 130], [1, 1, 25]),
    ([0, 64, 128], [7, 64]),
    ([0, 5, 10], [9, 2]),
]
IDS = [f"{bounds}-{draws}" for bounds, draws in DRAWS]


@pytest.mark.parametrize(("bounds", "draws"), DRAWS, ids=IDS)
@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float64])
def test_weights_count_the_units_drawn(bounds: list[int], draws: list[int], kind: type) -> None:
    edges, drawn = np.array(bounds), np.array(draws)
    found = totals.bootstrap_weights(KEYS, edges, drawn, kind)
    assert found.dtype == kind
    for row, units in zip(found, totals.drawn_units(KEYS, edges, drawn), strict=True):
        assert (row == np.bincount(units, minlength=bounds[-1])).all()
    for (start, stop), count in zip(itertools.pairwise(bounds), draws, strict=True):
        assert (found[:, start:stop].sum(axis=1) == count).all()


@pytest.mark.parametrize(("bounds", "draws"), DRAWS, ids=IDS)
@pytest.mark.parametrize("tile", [1, 50, 1 << 13])
def test_totals_are_those_of_the_weights(
    bounds: list[int], draws: list[int], tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "WEIGHT_TILE", tile)
    edges, drawn = np.array(bounds), np.array(draws)
    X = np.random.default_rng(1).integers(-9, 9, (bounds[-1], 2)).astype(float)
    units = Units(np.ones(bounds[-1], dtype=np.int64), edges)
    expected = totals.bootstrap_weights(KEYS, edges, drawn) @ X
    assert (totals._bootstrap_totals(X, units, drawn, KEYS) == expected).all()


def test_draws_as_many_as_there_are_units_are_those_without_a_number() -> None:
    edges = np.array([0, 5, 9])
    everything = totals.drawn_units(KEYS, edges)
    assert (totals.drawn_units(KEYS, edges, np.array([5, 4])) == everything).all()
    fewer = totals.drawn_units(KEYS, edges, np.array([4, 4]))
    assert (fewer[:, :4] == everything[:, :4]).all()  # from words of the same place in the stream


def table_of(kind: str) -> tuple[np.ndarray, Units, np.ndarray]:
    """Return rows, units and draws: many rows, few draws from many rows, strata, or cells."""
    rng = np.random.default_rng(2)
    if kind == "cells":
        return rng.normal(size=(4, 5)), Units(np.array([300, 50, 400, 250]), np.array([0, 2, 4])), [70, 130]
    n = 120
    bounds = np.array([0, 20, n]) if kind == "strata" else np.array([0, n])
    drawn = {"strata": [4, 20], "sparse": [9], "half": [60], "all": [n]}[kind]
    return rng.normal(size=(n, 5)), Units(np.ones(n, dtype=np.int64), bounds), drawn


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cells", "strata", "sparse", "half", "all"])
def test_blocks_and_threads_change_no_total(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, units, draws = table_of(kind)

    def drawn(n_jobs: int) -> np.ndarray:
        return totals.bootstrap(X, units, 5000, 3, lambda t: t, draws=np.array(draws), n_jobs=n_jobs)

    one = drawn(1)
    assert (drawn(3) == one).all()
    if kind != "cells":  # the blocks of cells have seeds of their own and one size for all
        for size in (120 * 2, 120 * 333):
            monkeypatch.setattr(totals, "BLOCK_NUMBERS", size)
            assert drawn(1) == pytest.approx(one, rel=1e-12, abs=1e-12)
            assert (drawn(2) == drawn(1)).all()


def test_cells_keep_the_draws_of_each_stratum() -> None:
    _, units, draws = table_of("cells")
    drawn = totals.bootstrap(np.eye(4), units, 4000, 0, lambda t: t, draws=np.array(draws))
    assert (drawn[:, :2].sum(axis=1) == 70).all()
    assert (drawn[:, 2:].sum(axis=1) == 130).all()
    share = np.array([300 / 350, 50 / 350, 400 / 650, 250 / 650])
    expected = np.array([70, 70, 130, 130]) * share
    # 5.5 standard errors of the mean of 4000 binomials: false alarm rate below 1e-6.
    assert np.abs(drawn.mean(axis=0) - expected).max() < 5.5 * np.sqrt((expected * (1 - share)).max() / 4000)
