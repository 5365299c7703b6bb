"""Tables larger than memory: time and peak memory of whole processes, from 10^6 rows to 10^8.

    python benchmarks/scaling_tables.py                   # writes results/scaling_tables.csv
    python benchmarks/scaling_tables.py --rows 1000000    # one size
    python benchmarks/scaling_tables.py --cores 1         # on one core

Tables are Parquet, made by DuckDB in a temporary folder: *labels* have ten classes and two systems that are
right on 91 % of the items, in four files; *scores* are two real numbers per item. Each row of the result is
one process of ``bestby compare``, from its start to its end, with the peak of its resident memory. Tables
that fit are read whole beside, and must give the same estimates, intervals, p-values and signature.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb

RESULTS = Path(__file__).resolve().parent / "results" / "scaling_tables.csv"
ROWS = (1_000_000, 10_000_000, 100_000_000)
WHOLE_UP_TO = 10_000_000
"""Rows up to which a table of labels is read whole as well."""

SCORES_UP_TO = 10_000_000
RESAMPLES = 1_000
"""Resamples of scores."""

FILES = 4
FIELDS = (
    "table",
    "rows",
    "files_mb",
    "metrics",
    "resamples",
    "read",
    "seconds",
    "cpu_seconds",
    "peak_mb",
    "same",
)

LABELS = """
COPY (
  SELECT id, 'class' || g AS label,
    'class' || (CASE WHEN hash(id, 1) % 1000 < 900 THEN g ELSE hash(id, 2) % 10 END) AS a,
    'class' || (CASE WHEN hash(id, 3) % 1000 < 899 THEN g ELSE hash(id, 4) % 10 END) AS b
  FROM (SELECT i AS id, hash(i, 0) % 10 AS g FROM range({first}, {stop}) AS r(i))
) TO '{path}' (FORMAT parquet)
"""
SCORES = """
COPY (
  SELECT id, s AS a, s + (hash(id, 1) % 1000003) / 1e7 - 0.05 + 1e-5 AS b
  FROM (SELECT i AS id, sqrt(hash(i, 0) % 1000003) / 1000.0 AS s FROM range({first}, {stop}) AS r(i))
) TO '{path}' (FORMAT parquet)
"""


def make(folder: Path, query: str, rows: int) -> float:
    """Write a table of so many rows in `FILES` files; return its size in MB."""
    folder.mkdir()
    with duckdb.connect(config={"memory_limit": "1GB"}) as database:
        for part in range(FILES):
            path = folder / f"part-{part}.parquet"
            first, stop = (rows * (part + more) // FILES for more in (0, 1))
            database.execute(query.format(first=first, stop=stop, path=path))
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def run(arguments: list[str], cores: int) -> tuple[dict[str, Any], float, float, float]:
    """Run ``bestby compare``; return its result, seconds, CPU seconds and peak MB."""
    command = [str(Path(sys.executable).parent / "bestby"), "compare", *arguments, "--json", "-"]
    own = [sys.executable, "-c", _CHILD, json.dumps(command), ",".join(map(str, _some_cores(cores)))]
    done = subprocess.run(own, check=True, capture_output=True, text=True)
    told, _, result = done.stdout.partition("\n")
    seconds, cpu, peak = json.loads(told)
    return json.loads(result), seconds, cpu, peak


def _some_cores(cores: int) -> list[int]:
    return sorted(os.sched_getaffinity(0))[:cores]


# Another process in between, whose only child is the one that is measured.
_CHILD = """
import json, os, resource, subprocess, sys, time
os.sched_setaffinity(0, [int(core) for core in sys.argv[2].split(",")])
start = time.perf_counter()
done = subprocess.run(json.loads(sys.argv[1]), capture_output=True, text=True)
seconds = time.perf_counter() - start
if done.returncode:
    sys.exit(done.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
print(done.stdout)
"""


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two results have the same numbers, to the bit, and the same signature."""
    return all(one[part] == other[part] for part in ("systems", "differences")) and (
        one["provenance"] == other["provenance"]
    )


def measured(rows: int, folder: Path, cores: int) -> list[dict[str, Any]]:
    """Return the rows of the table for one size."""
    out: list[dict[str, Any]] = []

    def add(
        table: str, size: float, metrics: list[str], how: str, pattern: str, *more: str
    ) -> dict[str, Any]:
        chosen = [word for metric in metrics for word in ("--metric", metric)]
        arguments = [pattern, "--item", "id", "--system", "a", "--system", "b", *chosen, f"--{how}", *more]
        result, seconds, cpu, peak = run(arguments, cores)
        drawn = result["provenance"]["n_resamples"]
        taken = (f"{seconds:.1f}", f"{cpu:.1f}", f"{peak:.0f}", "")
        row = (table, rows, f"{size:.0f}", " ".join(metrics), drawn, how, *taken)
        out.append(dict(zip(FIELDS, row, strict=True)))
        print(*out[-1].values(), sep="\t", flush=True)
        return result

    size = make(folder / "labels", LABELS, rows)
    pattern = str(folder / "labels" / "*.parquet")
    for metrics in (["accuracy"], ["accuracy", "f1_macro", "matthews_corrcoef"]):
        counted = add("labels", size, metrics, "stream", pattern, "--gold", "label")
        if rows <= WHOLE_UP_TO:
            whole = add("labels", size, metrics, "no-stream", pattern, "--gold", "label")
            out[-2]["same"] = "yes" if same(counted, whole) else "no"
    for path in (folder / "labels").iterdir():
        path.unlink()
    if rows <= SCORES_UP_TO:
        size = make(folder / "scores", SCORES, rows)
        pattern = str(folder / "scores" / "*.parquet")
        jobs = ("--resamples", str(RESAMPLES), "--jobs", str(cores))
        add("scores", size, ["mean"], "stream", pattern, *jobs)
    return out


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    table = []
    for rows in given.rows:
        with tempfile.TemporaryDirectory(prefix="bestby-scaling-") as folder:
            table += measured(rows, Path(folder), given.cores)
    with given.out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
