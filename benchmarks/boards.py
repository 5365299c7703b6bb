"""The time of making and publishing a board of many systems, and of publishing it with one more submission.

    python -m benchmarks.boards            # 100 and 1000 systems on 10,000 items; writes results/boards.csv
    python -m benchmarks.boards --quick    # 50 systems on 1000 items, prints only

Systems give one of ten classes and are scored by accuracy; each team has ten systems. With a ladder, the
submissions of each team are compared one after the other. Each row is measured in a process of its own, and
the table is also written into the guide for organisers.
"""

from __future__ import annotations

import argparse
import csv
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
from benchmarks import page
from benchmarks.many_systems import predicted
from benchmarks.worker import peak
from tools import pages

GUIDE = page.ROOT / "docs" / "guides" / "board-organisers.md"
SIZES = (100, 1000)
ITEMS = 10_000
GOAL = 15.0
"""Seconds in which a new submission to a board of 1000 systems is to be published."""


def measured(n_systems: int, n_items: int, *, ladder: bool) -> dict[str, Any]:
    """Return one row of the table."""
    import bestby as bb

    row: dict[str, Any] = {"systems": n_systems, "items": n_items, "ladder": ladder}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        predictions, gold = predicted(n_systems, n_items)
        names = {name: f"team{place // 10}/{name}" for place, name in enumerate(predictions)}
        ids = [f"q{place}" for place in range(n_items)]
        table = folder / "results.csv"
        with table.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["item", "gold", *names.values()])
            writer.writerows(
                zip(ids, gold.tolist(), *(one.tolist() for one in predictions.values()), strict=True)
            )
        board, row["import_s"] = _timed(
            lambda: bb.Board.from_results(folder / "board", table, gold="gold", metrics="accuracy")
        )
        if ladder:
            settings = board.path / "board.toml"
            text = settings.read_text(encoding="utf-8")
            settings.write_text(text.replace('part = "all"', 'part = "all"\nladder = true'), encoding="utf-8")
        site = folder / "site"
        first, row["publish_s"] = _timed(lambda: board.publish(site))
        new = np.where(np.random.default_rng(0).random(n_items) < 0.7, gold, 9 - gold)
        lines = [f"{item},{value}" for item, value in zip(ids, new.tolist(), strict=True)]
        (folder / "new.csv").write_text("\n".join(["id,prediction", *lines]), encoding="utf-8")
        _, row["submit_s"] = _timed(
            lambda: board.submit(folder / "new.csv", team="team new", system="one more")
        )
        again, row["publish_one_more_s"] = _timed(lambda: board.publish(site))
        _, row["publish_same_s"] = _timed(lambda: board.publish(site))
        row |= {"files": first.n_files, "changed": again.n_changed}
    return row | {"peak_mb": peak()}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def rows(quick: bool) -> list[dict[str, Any]]:
    """Measure and print all rows, and whether the goal is met."""
    from bestby._version import __version__

    sizes, n_items = ((50,), 1000) if quick else (SIZES, ITEMS)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    found = []
    for ladder in (False, True):
        for n_systems in sizes:
            one = [str(n_systems), str(n_items), str(int(ladder))]
            command = [sys.executable, "-m", "benchmarks.boards", "--one", *one]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=page.ROOT)
            row = {
                key: round(value, 2) if isinstance(value, float) else value
                for key, value in json.loads(done.stdout).items()
            }
            found.append({**row, "bestby": __version__, "numpy": np.__version__, "machine": machine})
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    slowest = max(row["submit_s"] + row["publish_one_more_s"] for row in found)
    print(f"one new submission and its publication: {slowest:.1f} s at most, the goal is {GOAL:g} s")
    return found


def table(found: list[dict[str, Any]]) -> str:
    """Return the rows as the table of the guide."""
    names = (
        "systems",
        "ladder",
        "made of a table",
        "published",
        "one more submitted",
        "published again",
        "memory",
    )
    lines = [f"| {' | '.join(names)} |", "|--:|---|--:|--:|--:|--:|--:|"]
    for row in found:
        seconds = [float(row[f"{name}_s"]) for name in ("import", "publish", "submit", "publish_one_more")]
        shown = " | ".join(f"{one:.1f} s" for one in seconds)
        ladder = "yes" if str(row["ladder"]) == "True" else "no"
        lines.append(f"| {row['systems']} | {ladder} | {shown} | {float(row['peak_mb']) / 1000:.1f} GB |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the table unless it was done quickly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 systems of 1000 items; writes nothing")
    parser.add_argument(
        "--one", nargs=3, type=int, metavar=("SYSTEMS", "ITEMS", "LADDER"), help=argparse.SUPPRESS
    )
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], given.one[1], ladder=bool(given.one[2]))))
        return
    found = rows(given.quick)
    if not given.quick:
        page.write("boards", found)
        pages.write(GUIDE, "speed", table(page.read("boards")))


if __name__ == "__main__":
    main()
