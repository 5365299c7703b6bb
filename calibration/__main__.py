"""Measure the grid and make its page.

python -m calibration [--jobs 2] [--family WORD] [--quick]    # measure what is not stored, write all
python -m calibration --check                                 # is the page what the results give?
"""

from __future__ import annotations

import os

for _library in ("OPENBLAS", "MKL", "OMP", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402

from calibration import RESULTS, counting, families, files, measuring, page, runs  # noqa: E402
from calibration.grid import grid  # noqa: E402


def positions(family: str, quick: bool) -> list[measuring.AnyCell]:
    """Return the cells asked for."""
    everything: list[measuring.AnyCell] = [*grid(), *families.cells(), *runs.cells()]
    cells = [cell for cell in everything if family in cell.family]
    if quick:
        cells = [replace(cell, datasets=100, resamples=299) for cell in cells if cell.n <= 200]
    return cells


def _made(number: int, family: str, quick: bool) -> str:
    """Make a cell by its position: populations hold functions, which do not travel between processes."""
    cell = positions(family, quick)[number]
    measuring.stored(cell)
    return cell.key


def counted(cells: Sequence[measuring.AnyCell]) -> None:
    """Write the rows of all cells."""
    intervals: list[files.Row] = []
    tests: list[files.Row] = []
    together: list[files.Row] = []
    for cell in cells:
        data = measuring.stored(cell)
        if isinstance(cell, families.Family):
            together += counting.family_rows(cell, data)
        else:
            intervals += counting.interval_rows(cell, data)
            tests += counting.test_rows(cell, data)
    files.write(RESULTS / "intervals.csv", counting.INTERVALS, intervals)
    files.write(RESULTS / "tests.csv", counting.TESTS, tests)
    files.write(RESULTS / "families.csv", counting.FAMILIES, together)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--family", default="", help="measure only factors whose name contains this")
    parser.add_argument("--quick", action="store_true", help="100 data sets per cell of at most 200 items")
    parser.add_argument("--check", action="store_true", help="only compare the page with the results")
    arguments = parser.parse_args()
    if arguments.check:
        stale = page.stale()
        sys.exit(f"not what the results give: {', '.join(stale)}" if stale else 0)
    cells = positions(arguments.family, arguments.quick)
    missing = [i for i, cell in enumerate(cells) if not measuring.path_of(cell).exists()]
    start = time.monotonic()
    with ProcessPoolExecutor(max_workers=arguments.jobs) as pool:
        made = pool.map(_made, missing, *([x] * len(missing) for x in (arguments.family, arguments.quick)))
        for count, key in enumerate(made, 1):
            told = f"{count}/{len(missing)} {time.monotonic() - start:.0f} s {key}"
            print(told, file=sys.stderr)
    if not arguments.quick and not arguments.family:
        counted(cells)
        page.write()


if __name__ == "__main__":
    main()
