"""A real cluster of worker processes: the same bits, also when a worker is killed in the middle."""

from __future__ import annotations

import importlib.util
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestby import Resampling, compare
from bestby.resampling import executing, totals
from bestby.results import Comparison

pytestmark = pytest.mark.long

WITHOUT = "a cluster needs dask: pip install 'bestby[dask]'"
dask = pytest.importorskip("dask", reason=WITHOUT)
distributed = pytest.importorskip("distributed", reason=WITHOUT)

N = 500
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "cluster" / "compare.py"


@contextmanager
def cluster() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of a cluster's start and end are not ours
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        )
        client = distributed.Client(made)
        client.wait_for_workers(2)
        yield client
        client.close()
        made.close()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster() as made:
        yield made


@pytest.fixture
def doomed() -> Iterator[Any]:
    """A cluster to kill a worker of."""
    with cluster() as made:
        yield made


@pytest.fixture
def sent_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "SEND_FROM", 0.0)
    monkeypatch.setattr(totals, "BLOCK_NUMBERS", 100 * N)


def compared(metric: Any, executor: Any = None, n_resamples: int = 1000, **settings: Any) -> Comparison:
    rng = np.random.default_rng(6)
    gold = rng.normal(size=N)
    systems = {name: gold + rng.normal(0.0, 1.0 + i / 10, N) for i, name in enumerate("abc")}
    how = Resampling(executor=executor, progress=settings.pop("progress", None))
    return compare(
        systems,
        gold,
        metric=metric,
        interval="percentile",
        n_resamples=n_resamples,
        resampling=how,
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
def test_a_worker_killed_in_the_middle_changes_nothing(doomed: Any) -> None:
    def slow(gold: Any, predictions: Any) -> float:
        gap = gold - predictions
        return float(np.median(np.abs(np.subtract.outer(gap[:100], gap[100:200]))))

    here = compared(slow, n_resamples=900, test="bootstrap")
    victim, other = doomed.run(os.getpid).values()
    calls: list[tuple[int, int]] = []

    def kill(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == 1:
            os.kill(victim, signal.SIGKILL)

    there = compared(slow, doomed.get_executor(), 900, test="bootstrap", progress=kill)
    done, total = calls[0]
    assert done < total / 2  # more than half was still to be made
    assert victim != other != os.getpid()
    assert same(there, here)


@pytest.mark.check
def test_a_worker_killed_while_rows_are_counted_changes_nothing(doomed: Any) -> None:
    dd = pytest.importorskip("dask.dataframe", reason=WITHOUT)
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 3, 600)
    frame = pd.DataFrame({"gold": gold} | {name: gold * (rng.random(600) < 0.7) for name in "ab"})
    victim, _ = doomed.run(os.getpid).values()
    begun = distributed.Event("begun", client=doomed)
    killed: list[int] = []

    def slowly(part: Any) -> Any:
        distributed.Event("begun").set()
        time.sleep(0.1)
        return part

    def kill() -> None:
        if begun.wait(timeout=20):
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    there = dd.from_pandas(frame, npartitions=20).map_partitions(slowly, meta=frame)
    found = compare(there, gold="gold", metric="f1_macro", resampling=Resampling(executor=doomed))
    killer.join()
    here = compare(frame, gold="gold", metric="f1_macro")
    assert killed
    assert found.differences == here.differences
    assert found.systems == here.systems


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


@pytest.mark.skipif(
    not EXAMPLE.is_file(), reason="examples/ is not beside the tests (they run against a wheel)"
)
def test_the_example_of_the_guide(client: Any) -> None:
    spec = importlib.util.spec_from_file_location("example_of_a_cluster", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    there = module.compared(client)
    frame = pd.read_csv(module.PREDICTIONS)[["gold", *module.SYSTEMS]]
    here = compare(frame, gold="gold", metric="f1_macro", n_resamples=20_000)
    assert there.differences == here.differences
    assert there.systems == here.systems
