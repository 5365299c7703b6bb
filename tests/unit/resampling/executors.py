"""Executors that tell what is sent to them, and their clients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np


def numbers(first: int, stop: int) -> Any:
    """Return each replicate's own number: what is out of place shows."""
    return np.arange(first, stop, dtype=np.float64)


class RecordingExecutor(Executor):
    """An executor that runs what it gets at once, and remembers it."""

    def __init__(self, max_workers: int | None = None) -> None:
        if max_workers is not None:
            self._max_workers = max_workers
        self.given: list[tuple[Any, ...]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given.append(args)
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


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
