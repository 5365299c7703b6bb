"""How long does the same work take bestby and other tools, and how much memory?

    python benchmarks/run.py [--quick] [--only WORD] [--missing] [--part PART] [--budget SECONDS] [--rounds N]

Every job is run by bestby and by its rivals in turns, each in a process of its own, on one thread; times are
CPU times. Parts: jobs, startup, growth, reading, many_systems, page (the pages alone); all by default.
Writes results/*.csv, results/rivals.md, docs/images/growth.svg and docs/concepts/benchmarks.md, but for
--quick, which only prints.
With --only or --missing the rows of other jobs stay as they are. See benchmarks/README.md.
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # in place of this directory

from benchmarks import growth, jobs, many_systems, page, processes, reading
from benchmarks.boostsa import PYTHON as BOOSTSA

PARTS: dict[str, Callable[[bool], list[dict[str, Any]]] | None] = {
    "startup": None,
    "growth": growth.rows,
    "reading": reading.rows,
    "many_systems": many_systems.rows,
}
"""What measures the other parts, coarsely if told so."""

RIVALS = ROOT / "build" / "rivals" / "bin" / "python"
PYTHONS = {"bestby": Path(sys.executable), "BooStSa": BOOSTSA}
PACKAGES = {
    "bestby": ["bestby", "numpy", "scipy", "sacrebleu"],
    "scipy": [
        "numpy",
        "scipy",
        "scikit-learn",
        "BootCI",
        "deepsig",
        "arch",
        "resample",
        "sacrebleu",
        "stambo",
        "MLstatkit",
        "evalstats",
    ],
    "BooStSa": ["numpy", "pandas", "boostsa"],
}
"""What to name the versions of, by a tool in the same environment."""


def python_of(tool: str) -> Path:
    """Return the interpreter of the environment that has a tool."""
    return PYTHONS.get(tool, RIVALS)


class Worker:
    """A process that does one job with one tool; see worker.py."""

    def __init__(self, job: jobs.Job, tool: str, budget: float) -> None:
        self.tool = tool
        script = str(Path(__file__).with_name("worker.py"))
        self._process = subprocess.Popen(
            [python_of(tool), script, job.name, tool, str(budget)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.about = self._answer()
        self.seconds: list[float] = []
        self.answer = ""

    def turn(self) -> None:
        """Do the job once, and remember how long it took."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found = self._answer()
        self.seconds.append(found["seconds"])
        self.answer = found["answer"]

    def end(self) -> float:
        """Return the peak of the process's memory, in MB, and end it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        found = float(self._answer()["peak"])
        self._process.wait()
        return found

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            said = self._process.stderr.read()
            raise RuntimeError(f"{self.tool}'s process ended with {self._process.wait()}:\n{said}")
        return dict(json.loads(line))


def raced(job: jobs.Job, rounds: int, budget: float) -> Iterator[dict[str, Any]]:
    """Run bestby and its rivals in turns and yield a row each, bestby first."""
    workers = []
    for tool in ("bestby", *job.tools):
        try:
            workers.append(Worker(job, tool, budget))
        except (OSError, RuntimeError) as error:  # not installed, or it cannot do the job
            print(f"{tool} left out: {error}", file=sys.stderr)
    for _ in range(rounds):
        for worker in workers:
            worker.turn()
    for worker in workers:
        held = worker.end()
        yield {
            "job": job.name,
            "tool": worker.tool,
            "milliseconds": f"{1e3 * median(worker.seconds):.4g}",
            "resamples": job.n_resamples,
            "scaled_from": worker.about["scaled_from"] or "",
            "peak_mb": f"{held:.0f}",
            "added_mb": f"{held - worker.about['before']:.0f}",
            "answer": worker.answer,
            "asked": job.asked,
            "at_most_ms": "" if job.at_most is None else f"{1e3 * job.at_most:g}",
            "how": worker.about["how"],
            "note": worker.about["note"],
        }


def versions(tool: str) -> dict[str, str]:
    """Return the versions of packages in the environment of a tool."""
    ask = (
        "import importlib.metadata as m, json, sys;print(json.dumps({p: m.version(p) for p in sys.argv[1:]}))"
    )
    words = [python_of(tool), "-c", ask, *PACKAGES[tool]]
    return dict(json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout))


def machine(rounds: int, budget: float) -> dict[str, Any]:
    """Return what the heading of a page tells of this run."""
    about = Path("/proc/cpuinfo")
    model = platform.processor() or platform.machine()
    if about.exists():
        lines = about.read_text(encoding="utf-8").splitlines()
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        model = next(named, model)
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "bestby": versions("bestby"),
        "rivals": versions("scipy") if RIVALS.exists() else {},
        "BooStSa": versions("BooStSa") if BOOSTSA.exists() else {},
        "rounds": rounds,
        "budget": budget,
    }


def stored() -> dict[str, list[Any]]:
    """Return the rows that have been written, by job."""
    if not (page.RESULTS / "rivals.csv").exists():
        return {}
    return {rows[0]["job"]: rows for rows in page.grouped(page.read("rivals"))}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="some of everything, coarsely; writes nothing")
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--missing", action="store_true", help="jobs or commands that have no rows yet")
    parser.add_argument("--part", choices=["jobs", *PARTS, "page"], help="this alone")
    parser.add_argument("--budget", type=float, help="CPU seconds a rival may take a turn [0.5; quick: 0.1]")
    parser.add_argument("--rounds", type=int, help="turns each [5; quick: 2]")
    options = parser.parse_args()
    rounds = options.rounds or (2 if options.quick else 5)
    budget = options.budget or (0.1 if options.quick else 0.5)
    part = options.part or ("jobs" if options.only or options.missing else None)
    keep = not options.quick
    if part in (None, "jobs"):
        about = machine(rounds, budget)
        few = bool(options.only or options.missing)
        there = set(stored()) if few else set()
        print("\n".join(page.heading(about)), flush=True)
        found: dict[str, list[Any]] = {}
        for job in jobs.all_jobs():
            skipped = (options.missing and job.name in there) or (options.quick and not job.quick)
            if skipped or options.only not in job.name:
                continue
            of_job = list(raced(job, rounds, budget))
            if not of_job:
                continue
            found[job.name] = of_job
            print("\n".join(page.in_words(found[job.name])), flush=True)
            if keep:
                every = {**(stored() if few else {}), **found}
                ordered = [job.name for job in jobs.all_jobs() if job.name in every]
                page.write("rivals", [row for name in ordered for row in every[name]])
        if keep and not few:
            page.write_json("machine", about)
    for name, measured in PARTS.items():
        if part not in (None, name):
            continue
        print(f"\n{name}:", flush=True)
        there = page.read(name) if measured is None and options.missing else []
        rows = processes.start_up(rounds, there) if measured is None else measured(options.quick)
        if name not in ("reading", "many_systems"):  # these print each row when they have it
            print("\n".join(" ".join(str(value) for value in row.values()) for row in rows), flush=True)
        if keep:
            page.write(name, rows)
            if name == "growth":
                growth.draw(rows)
    if keep:
        page.make()


if __name__ == "__main__":
    main()
