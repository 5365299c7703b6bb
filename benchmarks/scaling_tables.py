"""Tables larger than memory: time and peak memory of whole processes, from 10^6 rows to 10^8.

    python -m benchmarks.scaling_tables                   # writes results/scaling_tables.csv
    python -m benchmarks.scaling_tables --rows 1000000    # one size
    python -m benchmarks.scaling_tables --tables csv --append   # one kind of table, added to the result
    python -m benchmarks.scaling_tables --page            # only writes the tables of the guide

Tables are Parquet, made by DuckDB in a temporary folder: *labels* have ten classes and two systems that are
right on 91 % of the items, in four files; *scores* are two real numbers per item. Each row of the result is
one process of ``bestby compare``, from its start to its end, with the peak of its resident memory. Tables
that fit are read whole beside, and must give the same estimates, intervals, p-values and signature; the
largest is read as arrays of small integers beside, and must give the same but for the signature.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import duckdb
from benchmarks import page
from tools import pages

GUIDE = page.ROOT / "docs" / "guides" / "scaling.md"
TABLES = ("labels", "csv", "scores")
ROWS = (1_000_000, 10_000_000, 100_000_000)
WHOLE_UP_TO = 10_000_000
"""Rows up to which a table of labels is read whole as well."""

OTHERS_UP_TO = 10_000_000
"""Rows up to which CSV and scores are measured."""

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
) TO '{path}' (FORMAT {form})
"""
SCORES = """
COPY (
  SELECT id, s AS a, s + (hash(id, 1) % 1000003) / 1e7 - 0.05 + 1e-5 AS b
  FROM (SELECT i AS id, sqrt(hash(i, 0) % 1000003) / 1000.0 AS s FROM range({first}, {stop}) AS r(i))
) TO '{path}' (FORMAT {form})
"""


def make(folder: Path, query: str, rows: int, form: str = "parquet") -> float:
    """Write a table of so many rows in `FILES` files; return its size in MB."""
    folder.mkdir()
    with duckdb.connect(config={"memory_limit": "1GB"}) as database:
        for part in range(FILES):
            path = folder / f"part-{part}.{form}"
            first, stop = (rows * (part + more) // FILES for more in (0, 1))
            database.execute(query.format(first=first, stop=stop, path=path, form=form))
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def run(arguments: list[str], cores: int) -> tuple[dict[str, Any], float, float, float]:
    """Run ``bestby compare``; return its result, seconds, CPU seconds and peak MB."""
    return measure([str(Path(sys.executable).parent / "bestby"), "compare", *arguments, "--json", "-"], cores)


def measure(command: list[str], cores: int) -> tuple[dict[str, Any], float, float, float]:
    """Run a command that prints a result as JSON; return it, seconds, CPU seconds and peak MB."""
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


# The labels as small integers, in memory: what would need tens of GB as text.
_ARRAYS = """
import sys, duckdb, bestby
with duckdb.connect(config={"memory_limit": "2GB"}) as database:
    database.execute("SET enable_progress_bar = false")  # it would go to stdout
    found = database.execute(
        "SELECT substr(label, 6)::TINYINT AS gold, substr(a, 6)::TINYINT AS a, substr(b, 6)::TINYINT AS b"
        f" FROM read_parquet('{sys.argv[1]}')"
    ).fetchnumpy()
gold = found.pop("gold")
print(bestby.compare(found, gold, metric=sys.argv[2:]).to_json())
"""


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two results have the same numbers, to the bit, and the same signature."""
    return same_numbers(one, other) and one["provenance"] == other["provenance"]


def same_numbers(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two results have the same numbers, to the bit."""
    return all(one[part] == other[part] for part in ("systems", "differences"))


def measured(rows: int, folder: Path, cores: int, tables: list[str]) -> list[dict[str, Any]]:
    """Return the rows of the table for one size."""
    out: list[dict[str, Any]] = []

    def add(
        table: str, size: float, metrics: list[str], how: str, pattern: str, *more: str
    ) -> dict[str, Any]:
        if how == "arrays":
            result, *taken = measure([sys.executable, "-c", _ARRAYS, pattern, *metrics], cores)
            return kept(table, size, metrics, how, result, taken)
        chosen = [word for metric in metrics for word in ("--metric", metric)]
        arguments = [pattern, "--item", "id", "--system", "a", "--system", "b", *chosen, f"--{how}", *more]
        result, *taken = run(arguments, cores)
        return kept(table, size, metrics, how, result, taken)

    def kept(
        table: str, size: float, metrics: list[str], how: str, result: dict[str, Any], taken: list[float]
    ) -> dict[str, Any]:
        seconds, cpu, peak = taken
        drawn = result["provenance"]["n_resamples"]
        row = (table, rows, f"{size:.0f}", " ".join(metrics), drawn, how)
        out.append(dict(zip(FIELDS, (*row, f"{seconds:.1f}", f"{cpu:.1f}", f"{peak:.0f}", ""), strict=True)))
        print(*out[-1].values(), sep="\t", flush=True)
        return result

    every = ["accuracy", "f1_macro", "matthews_corrcoef"]
    if "labels" in tables:
        size = make(folder / "labels", LABELS, rows)
        pattern = str(folder / "labels" / "*.parquet")
        for metrics in (every[:1], every):
            counted = add("labels", size, metrics, "stream", pattern, "--gold", "label")
            if rows <= WHOLE_UP_TO:
                whole = add("labels", size, metrics, "no-stream", pattern, "--gold", "label")
                out[-2]["same"] = "yes" if same(counted, whole) else "no"
        if rows > WHOLE_UP_TO:
            arrays = add("labels", size, metrics, "arrays", pattern)
            out[-2]["same"] = "yes" if same_numbers(counted, arrays) else "no"
        for path in (folder / "labels").iterdir():
            path.unlink()
    if "csv" in tables and rows <= OTHERS_UP_TO:
        size = make(folder / "csv", LABELS, rows, "csv")
        add("csv", size, every, "stream", str(folder / "csv" / "*.csv"), "--gold", "label")
    if "scores" in tables and rows <= OTHERS_UP_TO:
        size = make(folder / "scores", SCORES, rows)
        jobs = ("--resamples", str(RESAMPLES), "--jobs", str(cores))
        add("scores", size, ["mean"], "stream", str(folder / "scores" / "*.parquet"), *jobs)
    return out


READ = {"no-stream": "whole", "arrays": "whole, as small integers"}
NAMES = {"labels": "labels, Parquet", "csv": "labels, CSV", "scores": "scores, Parquet"}


def growth(table: list[dict[str, str]]) -> str:
    """Return the result as a table of Markdown."""
    lines = [
        "| table | rows | MB | metrics | read | s | CPU s | peak MB | same |",
        "|---|--:|--:|--:|---|--:|--:|--:|---|",
    ]
    for row in sorted(table, key=lambda row: (TABLES.index(row["table"]), int(row["rows"]))):
        power = f"10{str(len(row['rows']) - 1).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
        how = READ.get(row["read"], "in batches" if row["table"] == "scores" else "counted")
        cells = (NAMES[row["table"]], power, row["files_mb"], str(len(row["metrics"].split())), how)
        lines.append(
            f"| {' | '.join((*cells, row['seconds'], row['cpu_seconds'], row['peak_mb'], row['same']))} |"
        )
    return "\n".join(lines)


def estimate(table: list[dict[str, str]]) -> str:
    """Return what ten billion rows would take, by the growth measured."""

    def of(name: str, rows: int) -> dict[str, str]:
        found = [row for row in table if row["table"] == name and int(row["rows"]) == rows]
        return next(row for row in found[::-1] if row["read"] == "stream")

    def per_row(name: str, low: int, high: int) -> float:
        taken = (float(of(name, rows)["cpu_seconds"]) for rows in (high, low))
        return next(taken) / (high - low) - next(taken) / (high - low)

    small, middle, large = ROWS
    one, other = of("labels", small), of("labels", large)
    counted, text, scored = (
        per_row("labels", small, large), per_row("csv", small, middle), per_row("scores", small, middle)
    )  # fmt: skip
    size, rows = 1e6 * float(other["files_mb"]) / large, 1e10  # bytes per row
    paragraphs = (
        f"""From 10⁶ to 10⁸ rows of Parquet the CPU time rose by {1e9 * counted:.0f} ns per row, and the
        peak of the memory went from {one["peak_mb"]} to {other["peak_mb"]} MB. So 10¹⁰ rows of labels,
        {size * rows / 1e9:.0f} GB of such files, take {counted * rows / 60:.1f} minutes of CPU time to count:
        {counted * rows / 120:.1f} minutes on two cores if the disk delivers
        {size / (counted / 2) / 1e6:.0f} MB/s. At 100 MB/s it is {size * rows / 1e8 / 60:.0f} minutes,
        and the disk is what limits. The comparison itself takes the second or two it takes for any number
        of rows. Machines that count a part each send a few hundred rows, and divide the time by their
        number.""",
        f"""The same labels as CSV cost {1e9 * text:.0f} ns per row: {text * rows / 3600:.1f} hours of CPU
        time. Write Parquet.""",
        f"""Scores are another matter: {1e9 * scored / RESAMPLES:.1f} ns per item and resample, the draws for
        intervals and for the test together. {RESAMPLES} resamples of 10¹⁰ items are
        {scored * rows / 3600:.0f} hours of CPU time. At that size take a random sample of the items, say
        10⁸ of them: its intervals are ten times as long.""",
    )
    return "\n\n".join(textwrap.fill(" ".join(paragraph.split()), 118) for paragraph in paragraphs)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--append", action="store_true")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if given.page:
        table = page.read("scaling_tables")
        pages.write(GUIDE, "growth", growth(table))
        pages.write(GUIDE, "estimate", estimate(table))
        return
    rows = page.read("scaling_tables") if given.append else []
    for size in given.rows:
        with tempfile.TemporaryDirectory(prefix="bestby-scaling-") as folder:
            rows += measured(size, Path(folder), given.cores, given.tables)
    page.write("scaling_tables", rows)


if __name__ == "__main__":
    main()
