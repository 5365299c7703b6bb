"""What the same comparison costs on threads, processes and a cluster of one and of two workers.

    python -m benchmarks.cluster [--quick]

Prints a Markdown table: wall-clock time, and the CPU time of this process and of its workers, which depends
less on what else the machine does; the clusters are up and warm. Every way must give the same numbers, or the
program stops.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil

import bestby as bb

REPEATS = 1
"""Runs of which the one with the least CPU time is taken."""


def correlations(quick: bool) -> dict[str, Any]:
    """Pearson's correlation of six systems: sums, 30 000 items."""
    n = 10_000 if quick else 30_000
    rng = np.random.default_rng(1)
    gold = rng.normal(size=n)
    systems = {name: gold + rng.normal(size=n) for name in "abcdef"}
    return {"systems": systems, "gold": gold, "metric": "pearson"}


def median_error(gold: Any, predictions: Any) -> float:
    """Return the median absolute error: a function that is called once per resample and system."""
    return float(np.median(np.abs(gold - predictions)))


def calls(quick: bool) -> dict[str, Any]:
    """A function of gold and predictions on 1000 items, called 40 000 times."""
    n = 200 if quick else 1000
    rng = np.random.default_rng(2)
    gold = rng.normal(size=n)
    return {
        "systems": {name: gold + rng.normal(size=n) for name in "ab"},
        "gold": gold,
        "metric": median_error,
        "interval": "percentile",
    }


@contextmanager
def cluster(n_workers: int) -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as made,
        Client(made) as client,
    ):
        yield client


@dataclass(frozen=True)
class Cost:
    """Seconds: by the clock, of this process, and of each of its workers."""

    wall: float
    here: float
    workers: tuple[float, ...] = ()

    def row(self, job: str, way: str) -> str:
        busiest = max(self.workers, default=0.0)
        cells = [self.wall, self.here, busiest, self.here + sum(self.workers)]
        return "| " + " | ".join([job, way, *(f"{cell:.2f}" for cell in cells)]) + " |"


def cost(run: Callable[[], Any], pids: Sequence[int] = (), repeats: int = REPEATS) -> tuple[Cost, Any]:
    """Return the cost of the run that took the least CPU time of several, and its result."""
    found, result = [], None
    for _ in range(repeats):
        before = time.perf_counter(), time.process_time(), [_cpu(pid) for pid in pids]
        result = run()
        wall, here = time.perf_counter() - before[0], time.process_time() - before[1]
        workers = tuple(_cpu(pid) - cpu for pid, cpu in zip(pids, before[2], strict=True))
        found.append(Cost(wall, here, workers))
    return min(found, key=lambda one: one.here + sum(one.workers)), result


def _cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def resampling(name: str, settings: dict[str, Any], rows: list[str]) -> None:
    run = partial(bb.compare, **settings)
    run(n_resamples=500)  # imports are not measured
    alone, here = cost(run)
    rows.append(alone.row(name, "one thread"))

    def told(way: str, one: Callable[[], Any], pids: Sequence[int] = ()) -> None:
        one()  # warm
        found, there = cost(one, pids)
        if there.to_json() != here.to_json():
            raise SystemExit(f"{way}: other numbers than on one thread")
        rows.append(found.row(name, way))

    told("two threads", partial(run, resampling=bb.Resampling(n_jobs=2)))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.5, 0.5]))  # both are up
        told("two processes", partial(run, resampling=bb.Resampling(executor=pool)), list(pool._processes))
    for n_workers in (1, 2):
        with cluster(n_workers) as client:
            pids = list(client.run(os.getpid).values())
            told(
                _called(n_workers),
                partial(run, resampling=bb.Resampling(executor=client.get_executor())),
                pids,
            )


def _called(n_workers: int) -> str:
    return f"dask, {n_workers} worker" + "s" * (n_workers > 1)


def written(folder: Path, n: int, n_files: int) -> None:
    rng = np.random.default_rng(3)
    labels = np.array(["de", "en", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv"])
    for i in range(n_files):
        gold = rng.integers(0, 10, n // n_files)
        columns = {"label": labels[gold]}
        for system, right in (("a", 0.8), ("b", 0.79)):
            made = np.where(rng.random(gold.size) < right, gold, rng.integers(0, 10, gold.size))
            columns[system] = labels[made]
        pd.DataFrame(columns).to_parquet(folder / f"part-{i:03}.parquet")


def counting(quick: bool, rows: list[str]) -> None:
    import dask.dataframe as dd

    n = 200_000 if quick else 5_000_000
    name = f"counting {n:,} rows of Parquet".replace(",", " ")
    settings = {"gold": "label", "metric": ["accuracy", "f1_macro"]}
    results = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        written(folder, n, 20)

        def run() -> Any:  # a frame made anew is read anew
            return bb.compare(dd.read_parquet(folder), **settings)

        for n_workers in (1, 2):
            with cluster(n_workers) as client:
                run()  # warm
                found, result = cost(run, list(client.run(os.getpid).values()))
            results.append(result.to_json())
            rows.append(found.row(name, _called(n_workers)))
    if results[0] != results[1]:
        raise SystemExit("other numbers with two workers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, to see that it runs")
    quick = parser.parse_args().quick
    started, _ = cost(_up_and_down, repeats=1)
    rows = [
        "| job | way | wall | CPU here | CPU of the busiest worker | CPU in all |",
        "|---|---|---|---|---|---|",
    ]
    resampling("Pearson, 6 systems", correlations(quick), rows)
    resampling("a Python function", calls(quick), rows)
    counting(quick, rows)
    print("\n".join(rows))
    print(
        f"\nSeconds. {os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, dask"
        f" {version('dask')}; load {os.getloadavg()[0]:.1f} at the end. A cluster of two workers took"
        f" {started.wall:.1f} s to start and stop."
    )


def _up_and_down() -> None:
    with cluster(2):
        pass


if __name__ == "__main__":
    main()
