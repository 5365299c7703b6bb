"""A real cluster of worker processes: the same bits, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bestby import Comparison, compare
from bestby.resampling import executing, totals

WITHOUT = "a cluster needs dask: pip install 'bestby[dask]'"
dask = pytest.importorskip("dask", reason=WITHOUT)
distributed = pytest.importorskip("distributed", reason=WITHOUT)

N = 500


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the cluster's start and end are not ours
        cluster = distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        client = distributed.Client(cluster)
        yield client
        client.close()
        cluster.close()


@pytest.fixture
def sent_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "SEND_FROM", 0.0)
    monkeypatch.setattr(totals, "BLOCK_NUMBERS", 100 * N)


def compared(metric: Any, executor: Any = None, n_resamples: int = 1000, **settings: Any) -> Comparison:
    rng = np.random.default_rng(6)
    gold = rng.normal(size=N)
    systems = {name: gold + rng.normal(0.0, 1.0 + i / 10, N) for i, name in enumerate("abc")}
    return compare(
        systems,
        gold,
        metric=metric,
        interval="percentile",
        n_resamples=n_resamples,
        executor=executor,
        **settings,
    )


def same(one: Comparison, other: Comparison) -> bool:
    """Tell whether all numbers and notes of two comparisons are the same bits."""
    return one.to_json() == other.to_json()


@pytest.mark.usefixtures("sent_always")
@pytest.mark.parametrize("metric", [["pearson", "rmse"], "spearman"], ids=["sums", "ranks"])
def test_a_cluster_changes_nothing(metric: Any, client: Any) -> None:
    here = compared(metric)
    assert same(compared(metric, client.get_executor()), here)
    assert same(compared(metric, client), here)


@pytest.mark.usefixtures("sent_always")
def test_functions_of_a_notebook_can_be_sent(client: Any) -> None:
    def error(gold: Any, predictions: Any) -> float:
        return float(np.median(np.abs(gold - predictions)))

    here = compared(error, n_resamples=200)
    assert same(compared(error, client.get_executor(), 200), here)


@pytest.mark.usefixtures("sent_always")
def test_a_worker_killed_in_the_middle_changes_nothing(client: Any) -> None:
    def slow(gold: Any, predictions: Any) -> float:
        gap = gold - predictions
        return float(np.median(np.abs(np.subtract.outer(gap[:100], gap[100:200]))))

    here = compared(slow, n_resamples=900, test="bootstrap")
    before = client.run(os.getpid)
    calls: list[tuple[int, int]] = []

    def kill(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == 1:
            os.kill(next(iter(before.values())), signal.SIGKILL)

    there = compared(slow, client.get_executor(), 900, test="bootstrap", progress=kill)
    done, total = calls[0]
    assert done < total / 2  # more than half of the first job was still to be made
    assert same(there, here)
    client.wait_for_workers(3, timeout=15)
    assert next(iter(before.values())) not in client.run(os.getpid).values()


@pytest.mark.usefixtures("sent_always")
def test_an_error_of_the_work_comes_through(client: Any) -> None:
    def picky(gold: Any, predictions: Any) -> float:
        if np.unique(gold).size < gold.size:
            raise OSError("no such thing")
        return float(np.mean(gold - predictions))

    with pytest.raises(OSError, match="no such thing"):
        compared(picky, client.get_executor(), 200)


@pytest.mark.usefixtures("sent_always")
def test_large_data_are_sent_once_without_a_warning(client: Any) -> None:
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1kB"}):
        with pytest.warns(UserWarning, match="Sending large graph"):  # what every task would say
            client.submit(len, np.random.default_rng(7).normal(size=N)).result()
        assert same(compared("rmse", client), compared("rmse"))
