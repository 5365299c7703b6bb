"""Measure the grid and make its page.

python -m calibration [--jobs 2] [--quick]       # measure what is not stored, write all
python -m calibration --family WORD              # measure some cells and print their statements
python -m calibration --family WORD --update     # the same, and write their rows and the page
python -m calibration --methods auto,hall --update   # of the grid these intervals alone
python -m calibration --check                    # is the page what the results give?
"""

from __future__ import annotations

import os

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402
from typing import Any  # noqa: E402

from calibration import RESULTS, counting, families, files, measuring, page, runs, statements, subjects  # noqa: E402
from calibration.files import Row  # noqa: E402
from calibration.grid import Cell, grid  # noqa: E402
from calibration.statements import Statements  # noqa: E402


def positions(family: str, quick: bool, methods: tuple[str, ...] = ()) -> list[measuring.AnyCell]:
    """Return the cells asked for: those of one family, or else those whose name contains the word."""
    everything: list[measuring.AnyCell] = [*grid(), *families.cells(), *runs.cells(), *subjects.cells()]
    cells = [cell for cell in everything if family == cell.family]
    cells = cells or [cell for cell in everything if family in cell.key]
    if methods:
        cells = [_only(cell, methods) for cell in cells if isinstance(cell, Cell) and cell.has(methods)]
    if quick:
        cells = [_smaller(cell) for cell in cells if isinstance(cell, Statements) or cell.n <= 200]
    return cells


def _only(cell: Cell, methods: tuple[str, ...]) -> Cell:
    """Return the cell with these intervals and no tests."""
    return replace(cell, only=methods, tests=())


def _smaller(cell: measuring.AnyCell) -> measuring.AnyCell:
    """Return the cell with fewer data sets and resamples."""
    if isinstance(cell, Statements):
        return replace(cell, datasets=100)
    return replace(cell, datasets=100, resamples=299)


def _made(number: int, *asked: Any) -> str:
    """Make a cell by its position: populations hold functions, which do not travel between processes."""
    cell = positions(*asked)[number]
    measuring.stored(cell)
    return cell.key


def counted(cells: Sequence[measuring.AnyCell]) -> dict[str, list[Row]]:
    """Return the rows of cells by the names of their files."""
    found: dict[str, list[Row]] = {name: [] for name in FILES}
    for cell in cells:
        data = measuring.stored(cell)
        if isinstance(cell, Statements):
            found["statements"] += statements.rows(cell, data)
        elif isinstance(cell, families.Family):
            found["families"] += counting.family_rows(cell, data)
        else:
            found["intervals"] += counting.interval_rows(cell, data)
            found["tests"] += counting.test_rows(cell, data)
    return found


NAMES = ("family", "measure", "design", "systems", "agreement", "n")
FILES = {
    "intervals": (counting.INTERVALS, NAMES, ("method",)),
    "tests": (counting.TESTS, NAMES, ("test", "alternative")),
    "families": (counting.FAMILIES, ("measure", "systems", "n"), ("what",)),
    "statements": (statements.COLUMNS, ("subject", "population", "n"), ("kind", "method")),
}
"""The columns of each file of results, those that name a cell, and those that name a row of it."""


def updated(new: dict[str, list[Row]], *, some: bool = False) -> None:
    """Write rows over those of the same cells; with `some`, these are not all of their cells."""
    for name, rows in new.items():
        columns, *names = FILES[name]
        path = RESULTS / f"{name}.csv"
        files.write(path, columns, files.merged(files.read(path), rows, *names, some=some))


def written(found: dict[str, list[Row]]) -> None:
    """Write the rows of all cells."""
    for name, rows in found.items():
        files.write(RESULTS / f"{name}.csv", FILES[name][0], rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--family", default="", help="measure only this factor or subject, or cells with this in their name"
    )
    parser.add_argument("--methods", default="", help="measure only these intervals, by commas, of the grid")
    parser.add_argument("--quick", action="store_true", help="100 data sets per cell of at most 200 items")
    parser.add_argument("--update", action="store_true", help="write the rows of these cells and the page")
    parser.add_argument("--check", action="store_true", help="only compare the page with the results")
    arguments = parser.parse_args()
    if arguments.check:
        stale = page.stale()
        sys.exit(f"not what the results give: {', '.join(stale)}" if stale else 0)
    methods = tuple(filter(None, arguments.methods.split(",")))
    asked = (arguments.family, arguments.quick, methods)
    cells = positions(*asked)
    missing = [i for i, cell in enumerate(cells) if not measuring.path_of(cell).exists()]
    start = time.monotonic()
    with ProcessPoolExecutor(max_workers=arguments.jobs) as pool:
        made = pool.map(_made, missing, *([x] * len(missing) for x in asked))
        for count, key in enumerate(made, 1):
            told = f"{count}/{len(missing)} {time.monotonic() - start:.0f} s {key}"
            print(told, file=sys.stderr)
    found = counted(cells)
    for subject in dict.fromkeys(row["subject"] for row in found["statements"]):
        print(f"\n{subject}\n\n{statements.table(found['statements'], subject)}")
    part = bool(arguments.family or methods)
    if arguments.quick or (part and not arguments.update):
        return
    if part:
        updated(found, some=bool(methods))
    else:
        written(found)
    page.write()


if __name__ == "__main__":
    main()
