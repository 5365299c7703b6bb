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
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402

from calibration import measuring  # noqa: E402
from calibration.grid import Cell, grid  # noqa: E402


def positions(family: str, quick: bool) -> list[Cell]:
    """Return the cells asked for."""
    cells = [cell for cell in grid() if family in cell.family]
    if quick:
        cells = [replace(cell, datasets=100, tested=100, resamples=299) for cell in cells if cell.n <= 200]
    return cells


def _made(number: int, family: str, quick: bool) -> str:
    """Make a cell by its position: populations hold functions, which do not travel between processes."""
    cell = positions(family, quick)[number]
    measuring.stored(cell)
    return cell.key


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--family", default="")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    cells = positions(arguments.family, arguments.quick)
    missing = [i for i, cell in enumerate(cells) if not measuring.path_of(cell).exists()]
    start = time.monotonic()
    with ProcessPoolExecutor(max_workers=arguments.jobs) as pool:
        made = pool.map(_made, missing, *([x] * len(missing) for x in (arguments.family, arguments.quick)))
        for count, key in enumerate(made, 1):
            told = f"{count}/{len(missing)} {time.monotonic() - start:.0f} s {key}"
            print(told, file=sys.stderr)


if __name__ == "__main__":
    main()
