"""What changed code once went unnoticed: pinned draws, the limits of each way, what is handed on."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from pickle import PicklingError
from typing import Any

import numpy as np
import pytest
import threadpoolctl
from scipy import stats

from bestby._core.errors import DesignError, ExecutorError
from bestby._core.typing import Array, FloatArray
from bestby.resampling import executing, poisson, streams, totals, weights
from bestby.resampling.blocks import circular, consecutive
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


# -- units -------------------------------------------------------------------------------------------


def test_a_cell_costs_as_many_draws_as_are_given() -> None:
    units = Units(np.array([12, 12]), np.array([0, 2]))
    assert units.by_cells(12)
    assert not units.by_cells(13)


def test_expanded_units_are_counted_in_whole_numbers() -> None:
    X = np.array([[1.0, -1.0], [2.0, 0.0], [3.0, 5.0]])
    rows, units = Units(np.array([2, 1, 3]), np.array([0, 2, 3])).expanded(X)
    assert rows.tolist() == [[1.0, -1.0]] * 2 + [[2.0, 0.0]] + [[3.0, 5.0]] * 3
    assert (units.counts.dtype, units.counts.tolist()) == (np.int64, [1] * 6)
    assert (units.sizes.dtype, units.sizes.tolist()) == (np.int64, [3, 3])
    alone = single_stratum(3)
    assert (alone.counts.dtype, alone.bounds.dtype, alone.sizes.tolist()) == (np.int64, np.int64, [3])
    again, same = alone.expanded(X)
    assert again is X
    assert same is alone


# -- streams -----------------------------------------------------------------------------------------


def test_the_seeds_of_a_generator() -> None:
    """Pinned: they are drawn from 0 to 2^63, and a generator gives the same ones in every version."""
    rng = np.random.default_rng(0)
    assert [streams.seed_of(rng) for _ in range(2)] == [5874934615388537135, 2488343231644625808]


def test_fresh_entropy_has_64_bits() -> None:
    """All of forty are below 2^60 once in 16^40 times."""
    seeds = [streams.seed_of(None) for _ in range(40)]
    assert 1 << 60 <= max(seeds) < 1 << 64


def test_the_generators_of_blocks() -> None:
    """Pinned, as the raw output of PCG64, which NumPy does not change."""
    found = {
        (purpose, block): int(streams.block_generator(5, purpose, block).bit_generator.random_raw())
        for purpose in ("bootstrap", "swap")
        for block in (0, 1)
    }
    assert found == {
        ("bootstrap", 0): 4455326469936819963,
        ("bootstrap", 1): 16766144230685221550,
        ("swap", 0): 16354253905787002918,
        ("swap", 1): 13714147109100223035,
    }


# -- blocks of consecutive items ---------------------------------------------------------------------


def test_items_of_many_interleaved_strata_stay_in_their_order() -> None:
    """Long enough that a sort which is not stable would exchange some."""
    strata = np.random.default_rng(0).integers(0, 3, 2000)
    expected = [np.flatnonzero(strata == h) for h in range(3)]
    assert circular(2000, 7, strata).order.tolist() == np.concatenate(expected).tolist()
    found, before = consecutive(2000, 7, strata), 0
    assert found.dtype == np.int64
    for members in expected:
        assert found[members].tolist() == [before + i // 7 for i in range(members.size)]
        before += -(-members.size // 7)


def test_two_blocks_are_enough_and_no_rest_is_no_part() -> None:
    blocks = circular(12, 6)
    assert [blocks.lengths.tolist(), blocks.strata.tolist(), blocks.draws.tolist()] == [[6], [0], [2]]
    assert blocks.draws.dtype == blocks.lengths.dtype == np.int64
    with pytest.raises(DesignError, match="need at least 12 items, got 11"):
        circular(11, 6)


def test_how_often_items_are_drawn_is_held_in_short_integers() -> None:
    blocks = circular(12, 5)
    for kind in (np.uint8, np.int64, np.float64):
        found = blocks.spread(np.ones((2, 24), dtype=kind))
        assert (found.dtype, found.tolist()) == (np.int32, [[7] * 12] * 2)


# -- totals: swaps, against the bits written out -----------------------------------------------------


def swapped(D: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    keys = streams.replicate_keys(streams.stream_key(seed, "swap"), 0, n_resamples)
    return weights.swap_bits(keys, len(D)) @ D


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the compiled kernels that are called."""
    names: list[str] = []
    true = totals._kernels()

    class Watched:
        def __getattr__(self, name: str) -> Any:
            names.append(name)
            return getattr(true, name)

    monkeypatch.setattr(totals, "_kernels", Watched)
    return names


@pytest.mark.parametrize(
    ("k", "largest", "way"),
    [(2, 1 << 22, "swap_sums"), (6, 70, "swap_sums"), (7, 70, "swap_bits"), (7, 69, "swap_sums")],
)
def test_swaps_are_sums_of_the_rows_taken(
    k: int, largest: int, way: str, called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    D = np.random.default_rng(k).integers(-50, 50, (70, k)).astype(float)
    monkeypatch.setattr(totals, "LARGEST_ROW", largest)
    expected = swapped(D, 300, 4)
    for start, names in ((300 * 70 + 1, []), (300 * 70, [way])):
        monkeypatch.setattr(totals, "COMPILED_FROM", start)
        assert (totals.swaps(D, single_stratum(70), 300, 4, itself) == expected).all()
        assert called == names


def test_swaps_of_few_equal_rows_are_those_of_units() -> None:
    D = np.array([[3.0, 0.0], [1.0, 4.0], [-2.0, 1.0]])
    found = totals.swaps(D, Units(np.array([2, 1, 3]), np.array([0, 3])), 200, 4, itself)
    assert (found == swapped(np.repeat(D, [2, 1, 3], axis=0), 200, 4)).all()


def test_swaps_of_cells_are_binomial_in_blocks_of_their_own() -> None:
    """Means within 5.5 standard errors of 5000 draws, variances within 5.5 of theirs: once in 1e6."""
    one = totals.swaps(np.eye(3), CELLS, 5000, 6, itself)
    assert (one == totals.swaps(np.eye(3), CELLS, 5000, 6, itself)).all()
    assert (one != totals.swaps(np.eye(3), CELLS, 5000, 7, itself)).any()
    size = totals.CELL_BLOCK
    assert (one[size : 2 * size] != one[:size]).any()
    assert (totals.swaps(np.eye(3), CELLS, size, 6, itself) == one[:size]).all()
    variance = stats.binom(CELLS.counts, 0.5).var()
    assert (np.abs(one.mean(axis=0) - CELLS.counts / 2) < 5.5 * np.sqrt(variance / 5000)).all()
    assert (np.abs(one.var(axis=0) / variance - 1.0) < 5.5 * np.sqrt(2.0 / 5000)).all()


@pytest.mark.parametrize("compiled_from", [300 * 70, 300 * 70 + 1])
def test_swap_bits_are_handed_to_other_measures(
    compiled_from: int, called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "COMPILED_WEIGHTS_FROM", compiled_from)
    monkeypatch.setattr(totals, "WEIGHT_BLOCK", 70 * 128)
    seen: list[Array] = []

    def kept(bits: Array) -> FloatArray:
        seen.append(bits)
        return bits.astype(float)

    found = totals.swap_blocks(single_stratum(70), 300, 4, kept)
    assert (found == swapped(np.eye(70), 300, 4)).all()
    assert {bits.dtype for bits in seen} == {np.dtype(np.uint8)}
    assert called == (["swap_bits"] * 3 if compiled_from == 300 * 70 else [])


@pytest.mark.parametrize("compiled_from", [300 * 70, 300 * 70 + 1])
def test_weights_are_handed_to_other_measures(
    compiled_from: int, called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many draws as units if not told; by the compiled kernels, short integers."""
    monkeypatch.setattr(totals, "COMPILED_WEIGHTS_FROM", compiled_from)
    seen: list[Array] = []

    def kept(W: Array) -> FloatArray:
        seen.append(W)
        return W.astype(float)

    units = Units(np.ones(70, dtype=np.int64), np.array([0, 20, 70]))
    keys = streams.replicate_keys(streams.stream_key(4, "bootstrap"), 0, 300)
    assert (
        totals.bootstrap_blocks(units, 300, 4, kept) == weights.bootstrap_weights(keys, units.bounds)
    ).all()
    compiled = compiled_from == 300 * 70
    assert called == (["bootstrap_weights"] if compiled else [])
    assert [W.dtype for W in seen] == [np.uint8 if compiled else np.int64]


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

    parts = totals._mapped(one, range(0, 1000, 10), 2)
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


@pytest.mark.parametrize(
    ("n_draws", "k", "largest", "compiled", "summed"),
    [
        (30, 5, 1 << 22, False, True),  # a quarter of the units
        (31, 5, 1 << 22, False, False),
        (31, 3, 1 << 22, True, True),
        (31, 4, 1 << 22, True, False),
        (31, 4, 120, True, False),
        (31, 4, 119, True, True),
        (31, 4, 119, False, False),
    ],
)
def test_rows_are_summed_where_few_are_drawn_or_columns_are_few(
    n_draws: int,
    k: int,
    largest: int,
    compiled: bool,
    summed: bool,
    called: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(totals, "LARGEST_ROW", largest)
    monkeypatch.setattr(totals, "COMPILED_FROM", 50 * n_draws + (0 if compiled else 1))
    seen: set[tuple[bool, bool]] = set()
    true = totals._bootstrap_totals

    def watched(*given: Any) -> FloatArray:
        seen.add((bool(given[4]), bool(given[5])))
        return true(*given)

    monkeypatch.setattr(totals, "_bootstrap_totals", watched)
    X = np.random.default_rng(k).integers(-50, 50, (120, k)).astype(float)
    found = totals.bootstrap(X, single_stratum(120), 50, 3, itself, draws=np.array([n_draws]))
    assert seen == {(compiled, summed)}
    assert set(called) == ({"bootstrap_sums" if summed else "bootstrap_weights"} if compiled else set())
    keys = streams.replicate_keys(streams.stream_key(3, "bootstrap"), 0, 50)
    drawn = weights.drawn_units(keys, np.array([0, 120]), np.array([n_draws]))
    assert (found == X[drawn].sum(axis=1)).all()


@pytest.mark.parametrize("at_once", [1, 45, 89, 90, 1 << 16])
def test_rows_drawn_are_summed_a_few_resamples_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "GATHERED", at_once)
    rng = np.random.default_rng(0)
    X, drawn = rng.integers(-50, 50, (40, 5)).astype(float), rng.integers(0, 40, (7, 9))
    expected = X[drawn].sum(axis=1)
    assert (totals._row_sums(X, drawn) == expected).all()
    assert (totals._column_sums(X, drawn) == expected).all()


def test_cells_of_the_bootstrap_are_drawn_by_block() -> None:
    one = totals.bootstrap(np.eye(3), CELLS, 5000, 6, itself)
    size = totals.CELL_BLOCK
    assert (one.sum(axis=1) == 1000.0).all()
    assert (one[size : 2 * size] != one[:size]).any()
    assert (totals.bootstrap(np.eye(3), CELLS, size, 6, itself) == one[:size]).all()


# -- Poisson weights ---------------------------------------------------------------------------------


def test_keys_are_the_last_eight_bytes_of_the_digests() -> None:
    """Pinned: every Poisson weight follows from them. Digests as given by md5sum."""
    assert poisson.item_keys(["q1", "q2"]).tolist() == [13426102490104382658, 9749761389079030798]
    assert poisson.item_keys(["é", 7]).tolist() == [8054489590243458038, 4838530986245240410]


def test_the_table_of_weights_is_the_quantile_function() -> None:
    """Each weight k has the 16 bits from 65536 F(k - 1) to 65536 F(k), rounded; F is that of SciPy."""
    table = poisson._quantiles()
    assert (table.dtype, table.shape) == (np.uint8, (1 << 16,))
    assert (np.diff(table.astype(int)) >= 0).all()
    ends = np.rint(stats.poisson(1.0).cdf(np.arange(9)) * 65536)
    assert np.bincount(table, minlength=9).tolist() == np.diff(ends, prepend=0).tolist()
    assert (table == poisson.WEIGHTS).all()


@pytest.mark.parametrize("add", [poisson.add_weighted, poisson.add_swapped])
@pytest.mark.parametrize(("compiled", "n_jobs"), [(False, 1), (True, 1), (True, 2)])
@pytest.mark.parametrize("tile", [1, 3000, 1 << 18])
def test_poisson_totals_are_those_of_the_weights(
    add: poisson.Add, compiled: bool, n_jobs: int, tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many are held at once; and they are added to what is there."""
    pools: list[int] = []
    used: list[bool] = []
    kernels = poisson._kernels

    def pool(n: int) -> ThreadPoolExecutor:
        pools.append(n)
        return ThreadPoolExecutor(n)

    def watched() -> Any:
        used.append(True)
        return kernels()

    monkeypatch.setattr(poisson, "ThreadPoolExecutor", pool)
    monkeypatch.setattr(poisson, "_kernels", watched)
    monkeypatch.setattr(poisson, "_TILE", tile)
    monkeypatch.setattr(poisson, "_ITEMS", 16)
    monkeypatch.setattr(poisson, "_REPLICATES", 128)
    items = poisson.item_keys(range(41))
    X = np.random.default_rng(1).integers(-50, 50, (41, 2)).astype(float)
    draw = poisson.weights if add is poisson.add_weighted else poisson.swap_bits
    out = np.full((301, 2), 5.0)
    add(out, X, items, 8, compiled=compiled, **({} if n_jobs == 1 else {"n_jobs": n_jobs}))
    assert pools == ([] if n_jobs == 1 else [n_jobs])
    assert used == ([True] if compiled else [])
    drawn = draw(items, 8, 0, 301)
    assert drawn.dtype == np.uint8
    assert (out == 5.0 + drawn.astype(float) @ X).all()


# -- executors of dask, as far as they are seen from here --------------------------------------------


class Client:
    """A client that says how many threads its workers have, and keeps what it is given by itself."""

    def __init__(self, threads: dict[str, int], warning: str | None = None) -> None:
        self.threads, self.warning = threads, warning
        self.kept: list[tuple[Any, dict[str, Any]]] = []

    def nthreads(self) -> dict[str, int]:
        return self.threads

    def submit(self, fn: Callable[..., Any], work: Any, **settings: Any) -> Future[Any]:
        if self.warning is not None:
            warnings.warn(self.warning, stacklevel=1)
        self.kept.append((work, settings))
        future: Future[Any] = Future()
        future.set_result(fn(work))
        return future


class OfDask(Told):
    """An executor in a module of `distributed`, which puts results for the futures among the arguments."""

    __module__ = "distributed.cfexecutor"

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = client
        self.settings: list[dict[str, Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.settings.append(kwargs)
        return super().submit(fn, *(arg.result() if isinstance(arg, Future) else arg for arg in args))


def numbers(first: int, stop: int) -> FloatArray:
    return np.arange(first, stop, dtype=np.float64)


@pytest.mark.parametrize(("threads", "workers"), [({"a": 2, "b": 1}, 3), ({"a": 1}, 1), ({}, 1)])
def test_dask_gets_the_work_once_and_four_tasks_per_thread(threads: dict[str, int], workers: int) -> None:
    client = Client(threads, "Sending large graph of size 11 MiB")
    executor = OfDask(client)
    parts = list(executing.sent(executor, numbers, 1000, 10))
    assert (np.concatenate(parts) == np.arange(1000)).all()
    assert executor.tasks == len(parts)
    assert 4 * workers - 1 <= executor.tasks <= 4 * workers
    assert client.kept == [(numbers, {"pure": False})]  # the same work again is another task
    assert executor.settings == [{"pure": False}] * executor.tasks


def test_other_warnings_of_dask_come_through() -> None:
    with pytest.warns(UserWarning, match="slow"):
        list(executing.sent(OfDask(Client({"a": 1}, "the network is slow")), numbers, 100, 10))


def test_only_executors_of_dask_have_a_client_of_dask() -> None:
    other = Told()
    other._client = Client({"a": 50})  # type: ignore[attr-defined]
    list(executing.sent(other, numbers, 1000, 10))
    assert other.tasks <= 4 * executing.WORKERS
    assert other._client.kept == []  # type: ignore[attr-defined]


class Unknown(Told):
    """An executor of `distributed` without a client that is known."""

    __module__ = "distributed.other"


def test_an_executor_of_dask_without_a_client_is_as_any() -> None:
    executor = Unknown()
    assert np.concatenate(list(executing.sent(executor, numbers, 1000, 10))).tolist() == list(range(1000))
    assert executor.tasks > 1


class Refusing(Told):
    """An executor that accepts no work, for a reason."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        raise self.error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            BrokenExecutor("gone"),
            "a worker of the Refusing died, and its resamples are lost: gone",
        ),
        (CancelledError(), "the Refusing cancelled its resamples"),
        (
            RuntimeError("cannot schedule after shutdown"),
            "the Refusing accepts no work: cannot schedule after",
        ),
    ],
    ids=lambda x: type(x).__name__,
)
def test_an_executor_that_refuses_is_named(error: Exception, told: str) -> None:
    with pytest.raises(ExecutorError, match=told) as caught:
        list(executing.sent(Refusing(error), numbers, 100, 10))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [PicklingError("Can't pickle f"), TypeError("cannot PICKLE '_io' object")])
def test_work_that_cannot_be_pickled_is_a_matter_of_the_design(error: Exception) -> None:
    with pytest.raises(
        DesignError, match="the Refusing runs in other processes, and the work cannot be sent"
    ):
        list(executing.sent(Refusing(error), numbers, 100, 10))


@pytest.mark.parametrize(
    "error",
    [
        TypeError("x"),
        AttributeError("x"),
        RuntimeError("after all"),
        RuntimeError("no shutdown"),
        ValueError("x"),
    ],
)
def test_other_errors_come_through_as_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        list(executing.sent(Refusing(error), numbers, 100, 10))
    assert caught.value is error
