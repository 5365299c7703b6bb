"""Time and memory of comparing hundreds of systems, every pair, with its report.

Systems are right or wrong on 10 000 items, whose difficulties and their abilities are drawn; beside the
scores 0/1 stand predictions of ten classes against a gold, compared by accuracy. Each row is measured in a
process of its own: seconds by the clock, the peak memory of the whole process, and whether the pairs that
were drawn for it came out the same, to the bit, when compared alone (interval, p-value).

    python -m benchmarks.many_systems            # 100 to 1000 systems; writes results/many_systems.csv
    python -m benchmarks.many_systems --quick    # 100 systems of 1000 items, prints only
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from typing import Any

import numpy as np
from benchmarks import page
from benchmarks.worker import peak

SIZES = (100, 200, 300, 1000)
ITEMS = 10_000
CLASSES = 10
ALONE = 100
SEED = 20241121


def right(n_systems: int, n_items: int) -> dict[str, Any]:
    """Return 0/1 scores: the chance of being right is a logistic function of ability and difficulty."""
    rng = np.random.Generator(np.random.PCG64(SEED))
    difficulty = 1.5 * rng.normal(size=n_items)
    ability = rng.normal(0.8, 0.5, size=n_systems)
    return {
        f"system_{s:04d}": (rng.random(n_items) * (1.0 + np.exp(difficulty - ability[s])) < 1.0).astype(
            np.int8
        )
        for s in range(n_systems)
    }


def predicted(n_systems: int, n_items: int) -> tuple[dict[str, Any], Any]:
    """Return predictions that are right where `right` is, and the gold."""
    rng = np.random.Generator(np.random.PCG64(SEED + 1))
    gold = rng.integers(0, CLASSES, n_items).astype(np.int8)
    systems = right(n_systems, n_items)
    for name, hits in systems.items():
        other = (gold + rng.integers(1, CLASSES, n_items)) % CLASSES
        systems[name] = np.where(hits == 1, gold, other).astype(np.int8)
    return systems, gold


def measured(data: str, n_systems: int, n_items: int) -> dict[str, Any]:
    """Return one row of the table."""
    from bestby import compare

    systems, gold = (right(n_systems, n_items), None) if data == "scores" else predicted(n_systems, n_items)
    row: dict[str, Any] = {"data": data, "systems": n_systems, "items": n_items}
    start = time.perf_counter()
    result = compare(systems, gold=gold)
    row |= {"pairs": len(result), "compare_s": time.perf_counter() - start, "compare_peak_mb": peak()}
    for form in ("str", "html", "csv", "json"):
        start = time.perf_counter()
        text = str(result) if form == "str" else getattr(result, f"to_{form}")()
        row[f"{form}_s"] = time.perf_counter() - start
        if form == "html":
            row["html_mb"] = len(text.encode()) / 1e6
        del text
    row["peak_mb"] = peak()
    row["may_be_first"] = sum(entry.rank_low == 1 for entry in result.systems)
    row["told_apart"] = sum(d.p_adjusted <= 0.05 for d in result)
    rng = np.random.Generator(np.random.PCG64(SEED + 2))
    drawn = [result.differences[int(i)] for i in rng.choice(len(result), ALONE, replace=False)]
    alone = [compare({d.a: systems[d.a], d.b: systems[d.b]}, gold=gold)[d.a, d.b] for d in drawn]
    same = (one.interval == d.interval and one.test == d.test for one, d in zip(alone, drawn, strict=True))
    row["same_alone"] = f"{sum(same)} of {ALONE}"
    return row


def apart(data: str, n_systems: int, n_items: int) -> dict[str, Any]:
    """Return the same, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.many_systems", "--one", data, str(n_systems), str(n_items)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=page.ROOT)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure and print all rows."""
    from bestby._version import __version__

    sizes, n_items = ((100,), 1000) if quick else (SIZES, ITEMS)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    found = []
    for data in ("scores", "predictions"):
        for n_systems in sizes:
            row = apart(data, n_systems, n_items)
            row = {key: round(value, 2) if isinstance(value, float) else value for key, value in row.items()}
            found.append({**row, "bestby": __version__, "numpy": np.__version__, "machine": machine})
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return found


def main() -> None:
    """Measure, print, and write the table unless it was done quickly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 systems of 1000 items; writes nothing")
    parser.add_argument("--one", nargs=3, metavar=("DATA", "SYSTEMS", "ITEMS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], int(given.one[1]), int(given.one[2]))))
        return
    found = rows(given.quick)
    if not given.quick:
        page.write("many_systems", found)


if __name__ == "__main__":
    main()
