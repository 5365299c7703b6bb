"""Executors of dask: work is sent once, and their client is found."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from tests.unit.resampling.executors import Client, RecordingExecutor, numbers

from bestby.resampling import executing


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
