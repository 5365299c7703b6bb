"""How long do the jobs of BooStSa take bestby and BooStSa, and what do both say?

    python benchmarks/boostsa.py [--quick] [--python PYTHON] [--out FILE]

BooStSa 0.2.13 runs in an environment of its own (`make bench` makes it in build/boostsa); without it, bestby
alone is timed. One thread, CPU time of the whole call: `bestby.compare` with scores, intervals and tests of
four measures, `Bootstrap.test` with scores and tests of the same four. Both draw 1000 resamples of a fifth of
the items (BooStSa takes at most a half). bestby's column "all items" draws resamples of all items.
Writes results/boostsa.md.
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP", "NUMBA"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # in place of this directory, whose coverage.py is not the one numba looks for

import numpy as np
from benchmarks import null_pairs

import bestby as bb

PYTHON = ROOT / "build" / "boostsa" / "bin" / "python"
RESAMPLES = 1000
SIZE = 0.2
SEED = 1
JOBS = (("hard", 1000, 5.0), ("hard", 100_000, 15.0), ("soft", 1000, 5.0))
"""Kind of labels, items, and the milliseconds asked for."""


class BooStSa:
    """A process that runs BooStSa, to be asked for one job after the other.

    Parameters
    ----------
    python : Path
        The interpreter of an environment that has BooStSa.
    """

    def __init__(self, python: Path) -> None:
        worker = Path(__file__).with_name("boostsa_worker.py")
        self._process = subprocess.Popen(
            [python, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **job: Any) -> dict[str, Any]:
        """Return the answer of boostsa_worker.py to a job."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"BooStSa's process ended with status {self._process.wait()}")
        return dict(json.loads(answer))


def seconds(call: Callable[[], Any], at_least: float) -> float:
    """Return the median CPU time of a call, repeated for so many seconds."""
    taken: list[float] = []
    while sum(taken) < at_least:
        begun = time.process_time()
        call()
        taken.append(time.process_time() - begun)
    return median(taken)


def ours(kind: str, n: int, size: float | None) -> Callable[[], bb.Comparison]:
    """Return bestby's call on the pair that BooStSa's process makes of the same seed."""
    gold, a, b = null_pairs.draw(kind, np.random.default_rng(SEED), n)
    metric = list(null_pairs.HARD if kind == "hard" else null_pairs.SOFT)
    return lambda: bb.compare(
        {"b": b, "a": a},
        gold,
        metric=metric,
        baseline="a",
        test="bootstrap",
        alternative="better",
        n_resamples=RESAMPLES,
        resample_size=size,
        rescale=size is None,  # as BooStSa does, so that the p-values can be set side by side
    )


def row(kind: str, n: int, target: float, rival: BooStSa | None, loops: int) -> str:
    """Return a line of the table."""
    call, full = ours(kind, n, SIZE), ours(kind, n, None)
    result = call()  # imports and compilation
    full()
    mine, of_all = seconds(call, 1.0), seconds(full, 1.0)
    names = null_pairs.HARD if kind == "hard" else null_pairs.SOFT
    said = {name: result["b", "a", name].p_value for name in names}
    job = f"four {kind} measures, n = {n}"
    cells = [job, f"{1e3 * mine:.3g} ms", f"{1e3 * of_all:.3g} ms", f"{target:g} ms", "–", "–"]
    p = ", ".join(f"{said[name]:.2f}" for name in names)
    if rival is not None:
        answer = rival.ask(kind=kind, n=n, seed=SEED, pairs=1, loops=loops, size=SIZE)
        other = answer["seconds"][0] * RESAMPLES / loops
        cells[4:6] = [f"{other:.3g} s", f"{other / mine:,.0f}"]
        p += "; " + ", ".join(f"{answer['p'][0][name]:.2f}" for name in names)
    return f"| {' | '.join([*cells, p])} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="50 resamples by BooStSa, its time scaled to 1000"
    )
    parser.add_argument("--python", type=Path, default=PYTHON, help="has BooStSa [build/boostsa/bin/python]")
    parser.add_argument("--out", type=Path, help="[benchmarks/results/boostsa.md; quick: not written]")
    arguments = parser.parse_args()
    out = arguments.out
    if out is None and not arguments.quick:
        out = ROOT / "benchmarks" / "results" / "boostsa.md"
    rival = BooStSa(arguments.python) if arguments.python.exists() else None
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    lines = [
        "# The jobs of BooStSa",
        "",
        f"CPU time of a call, {RESAMPLES} resamples; {platform.machine()}, {os.cpu_count()} cores, {load}.",
        "Resamples are a fifth of the items, not rescaled, as BooStSa's are; all items: bestby's default.",
        "",
        "| job | bestby | all items | asked for | BooStSa | ratio | p-values of bestby; of BooStSa |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for kind, n, target in JOBS:
        lines.append(row(kind, n, target, rival, 50 if arguments.quick else RESAMPLES))
        print(lines[-1], file=sys.stderr)
    text = "\n".join(lines) + "\n"
    print(text)
    if out is not None:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
