"""What do the compiled kernels buy over NumPy alone, at the sizes where they are used?

Both ways are timed on one thread, in CPU time: the best of several turns, after one that compiles.
Prints the table of docs/concepts/dependencies.md, and how long the import takes.

    python -m benchmarks.compiled            # 10,000 to 1,000,000 items
    python -m benchmarks.compiled --quick    # 10,000 items
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
from benchmarks import data
from benchmarks.page import plain_table

from bestby.metrics import _ranked, resolve
from bestby.resampling import poisson, totals
from bestby.resampling.units import single_stratum

ITEMS = (10_000, 100_000, 1_000_000)
DRAWS = 4_000_000
"""Draws of a turn, resamples times items, at the least."""

RESAMPLES = 32
"""Resamples of a turn at the least: what kernels prepare is shared by ten thousand in use."""

TURNS = 3

Call = Callable[[], Any]


def resamples(n: int) -> int:
    """Return how many resamples of n items a turn makes."""
    return max(RESAMPLES, DRAWS // n)


def taken(call: Call) -> float:
    """Return the least CPU time of some calls, in nanoseconds."""
    call()
    found = []
    for _ in range(TURNS):
        start = time.process_time_ns()
        call()
        found.append(time.process_time_ns() - start)
    return float(min(found))


def chosen(room: ModuleType, compiled: bool, call: Call) -> Call:
    """Return a call that goes the compiled way of a module, or that of NumPy, whatever the size."""

    def done() -> Any:
        with mock.patch.object(room, "COMPILED_FROM", 0 if compiled else 1 << 62):
            return call()

    return done


def sums(n: int) -> Iterator[tuple[str, Call, Call]]:
    """Yield totals of resamples and of swaps: what it is, by a kernel, by NumPy."""
    units, size = single_stratum(n), resamples(n)
    rng = np.random.default_rng(0)
    for k in (1, 3, 10):
        X = rng.normal(size=(n, k))
        for name, make in (("bootstrap", totals.bootstrap), ("swaps", totals.swaps)):
            call = partial(make, X, units, size, 0, np.copy)
            what = f"{name}, sums of {k} column{'s' * (k > 1)}"
            yield what, chosen(totals, True, call), chosen(totals, False, call)


def in_batches(n: int) -> Iterator[tuple[str, Call, Call]]:
    """Yield sums of scores that come in batches."""
    items = np.arange(n, dtype=np.uint64)
    X = np.random.default_rng(0).normal(size=(n, 2))
    for what, add in (("bootstrap", poisson.add_weighted), ("swaps", poisson.add_swapped)):
        call = partial(add, np.zeros((resamples(n), 2)), X, items, 0)
        yield f"{what} of batches", partial(call, compiled=True), partial(call, compiled=False)


def ranks(n: int) -> Iterator[tuple[str, Call, Call]]:
    """Yield scores of metrics of ranks under weights that are there.

    NumPy has no way for Kendall's correlation, and needs no other for Spearman's.
    """
    weights = np.random.default_rng(0).poisson(1.0, (resamples(n), n)).astype(np.uint8)
    gold, scores, _ = data.probabilities(n)
    for name in ("roc_auc", "average_precision"):
        metric: Any = resolve(name).fit(gold, [scores], None)
        call = partial(metric.weighted, metric.prepare(gold, scores), weights)
        yield f"{name} of weights", chosen(_ranked, True, call), chosen(_ranked, False, call)


def rows(sizes: tuple[int, ...]) -> list[list[str]]:
    """Return what is done, of how many items, ns per draw compiled and by NumPy, and their ratio."""
    out = []
    for n in sizes:
        for make in (sums, in_batches, ranks):
            for what, kernel, by_numpy in make(n):
                draws = resamples(n) * n
                ours = taken(kernel) / draws
                other = taken(by_numpy) / draws
                out.append([what, f"{n:,}", f"{ours:.2f}", f"{other:.2f}", f"{other / ours:.1f}"])
                print(" ".join(out[-1]), file=sys.stderr, flush=True)
    return out


def first_call() -> str:
    """Return how long a process takes to import the kernels, compiled before."""
    code = (
        "import time, bestby.resampling.totals; t = time.process_time(); import bestby.resampling._kernels;"
    )
    code += " print(time.process_time() - t)"
    seconds = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return f"Importing the kernels takes {float(seconds):.1f} s of each process that uses them."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10,000 items alone")
    sizes = ITEMS[:1] if parser.parse_args().quick else ITEMS
    titles = ["what", "items", "compiled, ns a draw", "NumPy, ns a draw", "ratio"]
    found = [dict(zip(titles, row, strict=True)) for row in rows(sizes)]
    print("\n".join(plain_table(titles, found)))
    print()
    print(first_call())


if __name__ == "__main__":
    main()
