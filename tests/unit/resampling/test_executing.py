"""Executors: when work is sent, how it is cut up, and what is said when it fails."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from tests.unit.resampling.executors import Client, RecordingExecutor, numbers

import bestby
from bestby import compare
from bestby._core.errors import DesignError, ExecutorError
from bestby.resampling import executing
from bestby.resampling.executing import Shared
from bestby.resampling.totals import run_blocks

PARENT = "BESTBY_TEST_PARENT"


def mean_gap(gold: Any, predictions: Any) -> float:
    """Return the mean error, unless in a process that is not the parent, which dies."""
    if os.environ.get(PARENT) not in (None, str(os.getpid())):
        os._exit(3)
    return float(np.mean(np.abs(gold - predictions)))


def picky(gold: Any, predictions: Any) -> float:
    """Return the mean error of the whole data, and fail on any other."""
    if not np.array_equal(gold, np.arange(40.0)):
        raise OSError("no such thing")
    return float(np.mean(np.abs(gold - predictions)))


def asked(metric: Any, executor: Any, **settings: Any) -> Any:
    rng, gold = np.random.default_rng(1), np.arange(40.0)
    systems = {name: gold + rng.normal(size=40) for name in "ab"}
    given = {"interval": "percentile", "n_resamples": 300} | settings
    return compare(systems, gold, metric=metric, resampling=bestby.Resampling(executor=executor), **given)


@pytest.fixture
def sent_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "SEND_FROM", 0.0)


# -- when ------------------------------------------------------------------------------------------


class Clock:
    """A clock that only work moves."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(executing, "time", clock)
    return clock


def test_quick_work_stays_here(clock: Clock) -> None:
    executor = RecordingExecutor()
    assert (run_blocks(numbers, 1000, 7, 1, None, executor) == np.arange(1000)).all()
    assert executor.given == []


@pytest.mark.parametrize(
    ("each", "trials"), [(0.012, [1, 1]), (0.0006, [1, 1, 16])], ids=["plain at once", "several to tell"]
)
def test_slow_work_is_sent_after_few_trials(each: float, trials: list[int], clock: Clock) -> None:
    made: list[int] = []

    def slow(first: int, stop: int) -> Any:
        made.append(stop - first)
        clock.now += each * (stop - first)
        return numbers(first, stop)

    assert executing.worth_sending(slow, 1000)
    assert made == trials
    assert not executing.worth_sending(slow, 10)


def test_what_takes_long_only_once_is_not_sent(clock: Clock) -> None:
    made: list[int] = []

    def compiling(first: int, stop: int) -> Any:
        clock.now += 0.0 if made else 3.0
        made.append(stop - first)
        return numbers(first, stop)

    assert not executing.worth_sending(compiling, 1000)
    assert made == [1, 1, 16]


def test_a_single_block_is_never_sent(sent_always: None) -> None:
    executor = RecordingExecutor()
    run_blocks(numbers, 100, 100, 1, None, executor)
    assert executor.given == []


# -- how -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_resamples", [11, 100, 1000, 1001])
@pytest.mark.parametrize("size", [1, 3, 10])
@pytest.mark.parametrize("workers", [None, 1, 5])
def test_blocks_are_the_same_and_joined_in_order(
    n_resamples: int, size: int, workers: int | None, sent_always: None
) -> None:
    executor, seen, done = RecordingExecutor(workers), [], []

    def work(first: int, stop: int) -> Any:
        seen.append((first, stop))
        return numbers(first, stop)

    found = run_blocks(work, n_resamples, size, 1, lambda k, _: done.append(k), executor)
    assert (found == np.arange(n_resamples)).all()
    assert seen == [(at, min(at + size, n_resamples)) for at in range(0, n_resamples, size)]
    assert len(executor.given) <= 4 * (workers or executing.WORKERS)
    assert len(executor.given) > min(2 * (workers or executing.WORKERS), len(seen)) - 1
    assert len(done) == len(executor.given)
    assert done[-1] == n_resamples


def test_a_client_stands_for_its_executor() -> None:
    class Client:
        def get_executor(self) -> Executor:
            return executor

    executor = RecordingExecutor()
    assert executing.checked(Client()) is executor
    assert executing.checked(executor) is executor


# -- trouble ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("of", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_error_of_the_work_comes_through(of: Any, sent_always: None) -> None:
    context = {"mp_context": get_context("spawn")} if of is ProcessPoolExecutor else {}
    with of(2, **context) as pool, pytest.raises(OSError, match="no such thing"):
        asked(picky, pool)


def test_a_broken_pool_is_told(sent_always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PARENT, str(os.getpid()))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(
            ExecutorError, match=r"a worker of the ProcessPoolExecutor died.*\nhint:"
        ) as caught:
            asked(mean_gap, pool)
        assert isinstance(caught.value, bestby.errors.BestbyError)
        with pytest.raises(ExecutorError, match="died"):  # nor does it take new work
            asked(mean_gap, pool)


def test_work_that_cannot_be_pickled_is_told(sent_always: None) -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(DesignError, match=r"cannot be sent there: .*\nhint: define metrics in a module"),
    ):
        asked(lambda gold, predictions: float(np.mean(gold == predictions)), pool)


def test_a_closed_executor_is_told(sent_always: None) -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(ExecutorError, match=r"accepts no work: .*\nhint: pass an executor that is open"):
        asked("spearman", pool, n_resamples=100_000)


def test_an_interrupt_takes_back_what_has_not_begun(sent_always: None) -> None:
    made: list[int] = []

    def work(first: int, stop: int) -> Any:
        made.append(first)
        time.sleep(0.02)
        return numbers(first, stop)

    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(KeyboardInterrupt):
            run_blocks(work, 100, 5, 1, interrupted, pool)
        begun = len(made)
    assert begun <= len(made) <= 2 * 5 + 5 < 20  # tasks of 5 blocks: one done, one begun


# -- settings of the process -----------------------------------------------------------------------


def test_what_is_shared_is_entered_once_and_left_last() -> None:
    told: list[str] = []

    @contextmanager
    def setting() -> Iterator[None]:
        told.append("in")
        yield
        told.append("out")

    shared = Shared(setting)
    with shared:
        with shared, pytest.raises(ValueError, match="x"), shared:
            raise ValueError("x")
        assert told == ["in"]
    assert told == ["in", "out"]
    with shared:
        assert told == ["in", "out", "in"]


def test_work_given_before_the_executor_closed_is_taken_back(sent_always: None) -> None:
    class Closing(RecordingExecutor):
        def __init__(self) -> None:
            super().__init__(2)
            self.futures: list[Future[Any]] = []

        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            if len(self.futures) == 3:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self.futures.append(Future())
            return self.futures[-1]

    executor = Closing()
    with pytest.raises(ExecutorError, match="accepts no work"):
        run_blocks(numbers, 100, 10, 1, None, executor)
    assert [future.cancelled() for future in executor.futures] == [True] * 3


class Refusing(RecordingExecutor):
    """An executor that takes no work, for a reason."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        raise self.error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (BrokenExecutor("gone"), "a worker of the Refusing died, and its resamples are lost: gone"),
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
        list(executing.sent_parts(Refusing(error), numbers, 100, 10))
    assert caught.value.__cause__ is error


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
        list(executing.sent_parts(Refusing(error), numbers, 100, 10))
    assert caught.value is error


class OfDask(RecordingExecutor):
    """An executor in a module of `distributed`, which puts results for the futures among the arguments."""

    __module__ = "distributed.cfexecutor"

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = client
        self.settings: list[dict[str, Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.settings.append(kwargs)
        return super().submit(fn, *(arg.result() if isinstance(arg, Future) else arg for arg in args))


@pytest.mark.parametrize(("threads", "workers"), [({"a": 2, "b": 1}, 3), ({"a": 1}, 1), ({}, 1)])
def test_dask_gets_the_work_once_and_four_tasks_per_thread(threads: dict[str, int], workers: int) -> None:
    client = Client(threads, "Sending large graph of size 11 MiB")
    executor = OfDask(client)
    parts = list(executing.sent_parts(executor, numbers, 1000, 10))
    assert (np.concatenate(parts) == np.arange(1000)).all()
    assert len(executor.given) == len(parts)
    assert 4 * workers - 1 <= len(executor.given) <= 4 * workers
    assert client.kept == [(numbers, {"pure": False})]  # the same work again is another task
    assert executor.settings == [{"pure": False}] * len(executor.given)


def test_other_warnings_of_dask_come_through() -> None:
    with pytest.warns(UserWarning, match="slow"):
        list(executing.sent_parts(OfDask(Client({"a": 1}, "the network is slow")), numbers, 100, 10))


def test_only_executors_of_dask_have_a_client_of_dask() -> None:
    other = RecordingExecutor()
    other._client = Client({"a": 50})  # type: ignore[attr-defined]
    list(executing.sent_parts(other, numbers, 1000, 10))
    assert len(other.given) <= 4 * executing.WORKERS
    assert other._client.kept == []  # type: ignore[attr-defined]


class Unknown(RecordingExecutor):
    """An executor of `distributed` without a client that is known."""

    __module__ = "distributed.other"


def test_an_executor_of_dask_without_a_client_is_as_any() -> None:
    executor = Unknown()
    assert np.concatenate(list(executing.sent_parts(executor, numbers, 1000, 10))).tolist() == list(
        range(1000)
    )
    assert len(executor.given) > 1
