"""Blocks of resamples on an executor: threads, processes, or the workers of a cluster.

A block is the same numbers whoever makes it, so that the only question is whether sending pays.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pickle import PicklingError
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from bestby._core import checks
from bestby._core.errors import DesignError, ExecutorError, InvalidInputError
from bestby._core.text import quoted
from bestby._core.typing import FloatArray

Work = Callable[[int, int], FloatArray]
"""Makes what is kept of the replicates from `first` up to `stop`."""

SEND_FROM = 0.5
"""Seconds of work from which it is sent to an executor; less is done sooner where it is."""

WORKERS = 8
"""Workers supposed where an executor does not say how many it has."""


def checked(executor: Any) -> Executor | None:
    """Return what blocks are sent to: an executor, that of a client of dask, or None."""
    if hasattr(executor, "get_executor"):
        executor = executor.get_executor()
    if executor is None or (callable(getattr(executor, "submit", None)) and not isinstance(executor, type)):
        return executor
    raise InvalidInputError(
        "executor must be a concurrent.futures.Executor or a dask.distributed.Client,"
        f" got {quoted(executor)}",
        hint="executor=ProcessPoolExecutor(4), or executor=client.get_executor()",
    )


def n_threads(n_jobs: int) -> int:
    """Return the number of threads; -1 stands for as many processors as this process may use.

    >>> n_threads(3), n_threads(-1) >= 1
    (3, True)
    """
    if isinstance(n_jobs, int) and n_jobs == -1:
        cpu_count = getattr(os, "process_cpu_count", os.cpu_count)  # the first from Python 3.13 on
        return int(cpu_count() or 1)
    try:
        return checks.positive_int(n_jobs, "n_jobs")
    except InvalidInputError as error:
        raise InvalidInputError(
            f"n_jobs must be a whole number of at least 1, or -1 for all processors, got {quoted(n_jobs)}",
            argument="n_jobs",
        ) from error


def worth_sending(work: Work, n_resamples: int) -> bool:
    """Tell whether all replicates take so long that sending them to an executor pays.

    A few are made here and thrown away: the first compiles what there is to compile, the others are timed.
    """
    if SEND_FROM <= 0.0:
        return True
    with one_blas_thread():
        work(0, 1)
        for few in (1, min(16, n_resamples)):
            start = time.perf_counter()
            work(0, few)
            each = (time.perf_counter() - start) / few
            # Seconds a single replicate must take for the time of it to say what a thousand take
            if each >= 0.01:
                break
    return each * n_resamples >= SEND_FROM


def sent_parts(executor: Executor, work: Work, n_resamples: int, size: int) -> Iterator[FloatArray]:
    """Run fixed blocks of replicates on an executor, several to a task; yield the parts in order."""
    # Several tasks a worker, so that a slow or lost worker costs a part of its share
    n_tasks = min(4 * n_workers(executor), -(-n_resamples // size))
    step = size * -(-n_resamples // (size * n_tasks))
    futures: list[Future[FloatArray]] = []
    try:
        with clear_errors(executor):
            submit, held = _submission(executor, work)
            for first in range(
                0, n_resamples, step
            ):  # one by one: what was taken is cancelled if more is not
                futures.append(submit(blocks, held, first, min(first + step, n_resamples), size))  # noqa: PERF401
        for future in futures:
            with clear_errors(executor):
                part = future.result()
            yield part
    finally:
        for future in futures:  # after an error or an interrupt; those that are done do not mind
            future.cancel()


def blocks(work: Work, first: int, stop: int, size: int) -> FloatArray:
    """Return the replicates from `first` up to `stop`, made in blocks: a task."""
    with one_blas_thread():
        return np.concatenate([work(at, min(at + size, stop)) for at in range(first, stop, size)])


def n_workers(executor: Executor) -> int:
    """Return how many tasks run at once, as far as the executor says."""
    client = _dask_client(executor)
    if client is not None:
        threads: dict[str, int] = client.nthreads()
        return max(1, sum(threads.values()))
    return int(getattr(executor, "_max_workers", 0)) or WORKERS


def _submission(executor: Executor, work: Work) -> tuple[Callable[..., Future[FloatArray]], Any]:
    """Return how to submit a task, and what to give it for the work.

    Dask gets the work once, as the result of a task of its own, which the scheduler runs again if a worker
    dies.
    """
    client = _dask_client(executor)
    if client is None:
        return executor.submit, work
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return partial(executor.submit, pure=False), client.submit(_itself, work, pure=False)


def _itself(work: Work) -> Work:
    return work


def _dask_client(executor: Executor) -> Any:
    """Return the client of the executor that ``dask.distributed.Client.get_executor()`` gives, else None."""
    is_dask = type(executor).__module__.partition(".")[0] == "distributed"
    return getattr(executor, "_client", None) if is_dask else None


@contextmanager
def clear_errors(executor: Executor) -> Iterator[None]:
    """Say what an executor that fails means; errors of the work go through."""
    name = type(executor).__name__
    try:
        yield
    except BrokenExecutor as error:
        raise ExecutorError(
            f"a worker of the {name} died, and its resamples are lost: {error}",
            hint="it may have run out of memory; a dask executor repeats lost work on other workers",
        ) from error
    except CancelledError as error:
        raise ExecutorError(
            f"the {name} cancelled its resamples",
            hint="check whether it was shut down, or its cluster closed",
        ) from error
    except (PicklingError, AttributeError, TypeError) as error:
        if "pickle" not in str(error).lower():
            raise
        raise DesignError(
            f"the {name} runs in other processes, and the work cannot be sent there: {error}",
            hint="define metrics in a module (no lambda, no function inside a function), or use threads",
        ) from error
    except RuntimeError as error:
        if "after" not in str(error) or "shutdown" not in str(error):
            raise
        raise ExecutorError(
            f"the {name} accepts no work: {error}", hint="pass an executor that is open"
        ) from error


class Shared:
    """A context manager entered by the first thread inside, and left by the last.

    Threads that each save and restore a setting of the process can leave it changed for good.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[object]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._inside = 0
        self._entered: AbstractContextManager[object] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._entered is None:
                entered = self._make()
                entered.__enter__()
                self._entered = entered
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._entered is not None:
                entered, self._entered = self._entered, None
                entered.__exit__(None, None, None)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def _one_thread() -> Any:
    return _blas().limit(limits=1, user_api="blas")


_ONE_THREAD = Shared(_one_thread)


def one_blas_thread() -> Shared:
    """Return what keeps matrix products to one thread each: threads belong to the blocks."""
    return _ONE_THREAD
