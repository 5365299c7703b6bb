"""Time and memory of comparing two systems of a million items, from files and data frames to the result.

Three columns of text labels (the gold and two systems, by accuracy), or two of real scores (their mean), are
read from where they are. Each row is measured in a process of its own: the CPU time of the second call (the
first does the imports), the peak memory of the process and what the call adds to it. Beside it is a floor:
what the library takes to make codes, or numbers, of the same columns and nothing else.

    python -m benchmarks.reading            # a million items; writes results/reading.csv
    python -m benchmarks.reading --quick    # 50,000 items, prints only
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import data, page
from benchmarks.worker import peak

ITEMS = 1_000_000
WORDS = np.array(["negative", "neutral", "positive"])

GOALS = {
    "text, pandas": 200,
    "text, pandas categories": 300,
    "text, polars": 40,
    "text, Arrow": 300,
    "text, Arrow dictionaries": 300,
    "text, lists": 300,
    "text, CSV": 350,
    "text, Parquet": 120,
    "integers, arrays": 12,
    "scores, CSV, read only": 400,
    "scores, arrays": 200,
}
"""What is measured, and how many milliseconds it should take at most."""


def texts(n_items: int) -> dict[str, Any]:
    """Return the columns of labels."""
    return {name: WORDS[codes] for name, codes in zip(("gold", "a", "b"), data.labels(n_items), strict=True)}


def scores(n_items: int) -> dict[str, Any]:
    """Return the columns of scores: how far each of two systems is off."""
    gold, a, b = data.numbers(n_items)
    return {"a": -np.abs(a - gold), "b": -np.abs(b - gold)}


def prepared(name: str, n_items: int, folder: Path) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return the call that is timed, and its floor."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from bestby import compare, read

    kind, _, form = name.partition(", ")
    if kind == "integers":
        gold, a, b = data.labels(n_items)
        return lambda: compare({"a": a, "b": b}, gold), lambda: [np.bincount(x) for x in (gold, a, b)]
    made = texts(n_items) if kind == "text" else scores(n_items)
    frame = pd.DataFrame({column: values.tolist() for column, values in made.items()})
    gold_of = "gold" if kind == "text" else None
    path = folder / ("table.parquet" if form == "Parquet" else "table.csv")
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    if form in ("CSV", "Parquet"):
        count = f"SELECT gold, a, b, count(*) FROM '{path}' GROUP BY ALL"
        return lambda: compare(read(path, gold="gold")), lambda: duckdb.sql(count).fetchall()
    if form == "CSV, read only":
        return lambda: read(path), lambda: duckdb.sql(f"SELECT * FROM '{path}'").fetchnumpy()
    if form == "arrays":
        return lambda: compare(made), lambda: [values.mean() for values in made.values()]
    if form == "lists":
        lists = {column: frame[column].tolist() for column in frame}
        gold_list = lists.pop("gold")
        return lambda: compare(lists, gold_list), lambda: [{*values} for values in lists.values()]
    if form == "polars":
        table = pl.DataFrame(made)
        return lambda: compare(table, gold_of), lambda: table.with_columns(pl.all().cast(pl.Categorical))
    if form.startswith("Arrow"):
        arrow = pa.table({column: pa.array(values.tolist()) for column, values in made.items()})
        if "dictionaries" in form:
            arrow = pa.table({column: arrow[column].dictionary_encode() for column in arrow.column_names})
        return lambda: compare(arrow, gold_of), lambda: [
            column.dictionary_encode() for column in arrow.columns
        ]
    if "categories" in form:
        frame = frame.astype("category")
    return lambda: compare(frame, gold_of), lambda: [frame[column].factorize() for column in frame]


def measured(name: str, n_items: int) -> dict[str, Any]:
    """Return one row of the table."""
    row: dict[str, Any] = {"job": name, "items": n_items}
    with tempfile.TemporaryDirectory() as folder:
        ours, floor = prepared(name, n_items, Path(folder))
        before = peak()
        for what, work in (("", ours), ("floor_", floor)):
            work()
            begun, start = time.process_time(), time.perf_counter()
            work()
            row |= {
                f"{what}cpu_ms": 1e3 * (time.process_time() - begun),
                f"{what}ms": 1e3 * (time.perf_counter() - start),
            }
            if not what:
                row |= {"peak_mb": peak(), "added_mb": peak() - before}
    row["asked_ms"] = GOALS[name]
    row["met"] = row["cpu_ms"] <= GOALS[name]
    return row


def apart(name: str, n_items: int) -> dict[str, Any]:
    """Return the same, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.reading", "--one", name, str(n_items)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=page.ROOT)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure and print all rows."""
    from bestby._version import __version__

    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    found = []
    for name in GOALS:
        row = apart(name, 50_000 if quick else ITEMS)
        row = {key: round(value, 1) if isinstance(value, float) else value for key, value in row.items()}
        found.append({**row, "bestby": __version__, "machine": machine})
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return found


def main() -> None:
    """Measure, print, and write the table unless it was done quickly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50,000 items; writes nothing")
    parser.add_argument("--one", nargs=2, metavar=("JOB", "ITEMS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], int(given.one[1]))))
        return
    found = rows(given.quick)
    if not given.quick:
        page.write("reading", found)


if __name__ == "__main__":
    main()
