"""How long does the same work take bestby, BootCI, SciPy and sacrebleu?

    python benchmarks/run.py [--quick] [--only WORD] [--budget SECONDS] [--rounds N] [--clock cpu|wall]
                             [--out FILE]

Every job is run by bestby and by its rivals in turns, on one thread. The table shows medians and their
ratios, and is written to benchmarks/results/rivals.md. See benchmarks/README.md.
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

for _library in ("OPENBLAS", "MKL", "OMP", "NUMBA"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse
import importlib.metadata
import logging
import platform
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # in place of this directory, whose coverage.py is not the coverage numba looks for

from benchmarks import jobs, processes
from benchmarks.rivals import Rival

PACKAGES = ("bestby", "BootCI", "scipy", "arch", "sacrebleu", "scikit-learn", "numpy", "numba")
OURS_PER_ROUND = 3
FEW = 2
PROBE = 20
MOST_NUMBERS = 50_000_000
"""Numbers of eight bytes a rival may hold at once: 400 MB."""


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds."""

    job: str
    who: str
    seconds: float
    scaled_from: int | None
    answer: str
    note: str
    target: float | None = None


CLOCKS: dict[str, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}


@dataclass(frozen=True)
class Race:
    """How time is taken: by which clock, in how many rounds, with how much for a rival in each."""

    clock: str
    rounds: int
    budget: float

    def timed(self, work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
        begun = CLOCKS[self.clock]()
        result = work(*arguments)
        return CLOCKS[self.clock]() - begun, result

    def affordable(self, rival: Rival, n_resamples: int) -> int:
        """Return how many resamples fit the budget and the memory, B if all of them do."""
        most = max(1, min(n_resamples, MOST_NUMBERS // rival.held))
        rival.draw(FEW)  # imports and caches
        fixed = self.timed(rival.draw, FEW)[0]
        size = min(PROBE, most)
        for _ in range(2):  # the first few may be too quick to time
            each = max((self.timed(rival.draw, size)[0] - fixed) / size, 1e-7)
            size = max(size, min(int(self.budget / each), most, 10 * size))
        return max(size, min(int(self.budget / each), most))

    def drawing(self, rival: Rival, size: int, n_resamples: int) -> tuple[float, Any]:
        """Time `size` resamples and scale what exceeds the time of a few to B."""
        seconds, drawn = self.timed(rival.draw, size)
        if size == n_resamples:
            return seconds, drawn
        fixed = self.timed(rival.draw, FEW)[0]
        return fixed + (seconds - fixed) * (n_resamples - FEW) / (size - FEW), drawn

    def rows(self, job: jobs.Job) -> list[Row]:
        """Run bestby and its rivals in turns and return their medians, bestby first."""
        rivals = job.rivals()
        answer = job.ours()  # imports and caches
        runs = [_Run(rival, self.affordable(rival, job.n_resamples)) for rival in rivals]
        ours: list[float] = []
        for _ in range(self.rounds):
            for run in runs:
                ours += [self.timed(job.ours)[0] for _ in range(OURS_PER_ROUND)]
                seconds, drawn = self.drawing(run.rival, run.size, job.n_resamples)
                run.drawing.append(seconds)
                if (
                    not run.finishing or run.finishing[0] < self.budget
                ):  # what cannot be cut is done once if long
                    seconds, run.answer = self.timed(run.rival.finish, drawn)
                    run.finishing.append(seconds)
        rows = [Row(job.name, "**bestby**", median(ours), None, shown(answer), "", job.target)]
        for run in runs:
            cut = None if run.size == job.n_resamples else run.size
            seconds = median(run.drawing) + median(run.finishing)
            rows.append(Row(job.name, run.rival.name, seconds, cut, shown(run.answer), run.rival.note))
        return rows


@dataclass
class _Run:
    rival: Rival
    size: int
    drawing: list[float] = field(default_factory=list)
    finishing: list[float] = field(default_factory=list)
    answer: Any = None


def shown(answer: Any) -> str:
    if isinstance(answer, float):
        return f"p = {answer:.3g}"
    low, high = answer
    return f"{low:.4f} to {high:.4f}"


# -- the report ------------------------------------------------------------------------------------


def time_words(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 100 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds * 1e3:.2g} ms"


def versions() -> str:
    try:
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    except importlib.metadata.PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed; pip install --group bench gets all the tools compared")


def heading(race: Race) -> list[str]:
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    machine = f"{processor()}, {os.cpu_count()} cores, {platform.system()}{load}"
    clock = {"cpu": "CPU time of one thread", "wall": "Wall time, one thread"}[race.clock]
    what = f"{machine}; Python {platform.python_version()}; {versions()}."
    how = (
        f"{clock}; medians of {race.rounds} rounds in turns. A rival whose resampling would take over"
        f" {race.budget:g} s (or 400 MB) draws fewer, and that part of its time is scaled to B."
    )
    return ["# bestby beside other tools", "", what, "", how, ""]


def processor() -> str:
    about = Path("/proc/cpuinfo")
    if about.exists():
        for line in about.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def ratio_words(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def table(rows: list[Row]) -> list[str]:
    ours = rows[0].seconds
    out = []
    for row in rows:
        first = row is rows[0]
        cut = f"scaled from B = {row.scaled_from:,}" if row.scaled_from else ""
        cells = (
            row.job if first else "",
            row.who,
            time_words(row.seconds),
            "" if first else ratio_words(row.seconds / ours),
            "" if row.target is None else f"{row.target:g} ms",
            row.answer,
            "; ".join(part for part in (row.note, cut) if part),
        )
        out.append(f"| {' | '.join(cells)} |")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="some of the jobs, coarsely, in half a minute")
    parser.add_argument("--only", default="", help="jobs whose name contains this; no start-up, no memory")
    parser.add_argument("--budget", type=float, help="seconds a rival may take per round [1; quick: 0.1]")
    parser.add_argument("--rounds", type=int, help="[5; quick: 3]")
    parser.add_argument(
        "--clock", choices=list(CLOCKS), default="cpu", help="cpu: fair on a shared machine [cpu]"
    )
    parser.add_argument("--out", type=Path, help="[benchmarks/results/rivals.md; quick, only: not written]")
    options = parser.parse_args()
    race = Race(
        options.clock,
        options.rounds or (3 if options.quick else 5),
        options.budget or (0.1 if options.quick else 1.0),
    )
    out = options.out
    if out is None and not (options.quick or options.only):
        out = ROOT / "benchmarks" / "results" / "rivals.md"
    warnings.simplefilter("ignore")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)

    lines: list[str] = []

    def say(more: list[str]) -> None:
        lines.extend(more)
        print("\n".join(more), flush=True)

    say(heading(race))
    say(
        ["| job | tool | time | times ours | prototype | answer | remarks |", "|---|---|--:|--:|--:|---|---|"]
    )
    for job in jobs.all_jobs():
        if options.only not in job.name or (options.quick and not job.quick):
            continue
        say(table(race.rows(job)))
    if not options.only:
        say(["", "## Start-up, whole processes", "", "| command | wall | CPU |", "|---|--:|--:|"])
        started = processes.start_up(1 if options.quick else 7)
        say([f"| `{name}` | {time_words(wall)} | {time_words(cpu)} |" for name, wall, cpu in started])
    if not (options.only or options.quick):
        say(["", "## Memory: rise of the peak, B = 10,000", "", "| job | tool | MB |", "|---|---|--:|"])
        say([f"| {job} | {who} | {added:,.0f} |" for job, who, added in processes.memory()])
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
