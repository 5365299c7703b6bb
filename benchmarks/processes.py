"""Whole processes: how long they take to start, and the memory a job adds."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "langid" / "predictions.csv"
SYSTEMS = ("nb_12", "nb_13", "logreg_14", "svm_14", "knn_3")


def starts() -> dict[str, list[str]]:
    """The commands whose time is taken."""
    python = [sys.executable, "-c"]
    bestby = str(Path(sys.executable).parent / "bestby")
    chosen = [word for system in SYSTEMS for word in ("--system", system)]
    columns = [str(EXAMPLE), "--gold", "gold", "--item", "item", *chosen]
    return {
        'python -c "pass"': [*python, "pass"],
        'python -c "import numpy"': [*python, "import numpy"],
        'python -c "import scipy.stats"': [*python, "import scipy.stats"],
        'python -c "import bestby"': [*python, "import bestby"],
        'python -c "from bestby import compare"': [*python, "from bestby import compare"],
        "bestby --help": [bestby, "--help"],
        "bestby compare (5 systems, 1000 items, accuracy)": [bestby, "compare", *columns],
    }


def start_up(rounds: int) -> list[tuple[str, float, float]]:
    """Return each command's median wall and CPU seconds, run in turns, after one run that is not counted."""
    commands = {name: words for name, words in starts().items() if Path(words[0]).exists()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, words in commands.items():
            wall, cpu = time.perf_counter(), _cpu_of_children()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            if turn:
                taken[name].append((time.perf_counter() - wall, _cpu_of_children() - cpu))
    out = []
    for name, times in taken.items():
        wall, cpu = zip(*times, strict=True)
        out.append((name, median(wall), median(cpu)))
    return out


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# -- memory ----------------------------------------------------------------------------------------

MEMORY_JOBS = ("macro-F1, BCa, n = 638", "Pearson, percentile, n = 2,000")
WHO = ("bestby", "scipy.stats.bootstrap", "scipy.stats.bootstrap, batch=100")


def memory() -> list[tuple[str, str, float]]:
    """Return per job and tool the megabytes that a process's peak rises by, B = 10,000."""
    out = []
    for job in MEMORY_JOBS:
        for who in WHO:
            words = [sys.executable, __file__, job, who]
            found = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
            out.append((job, who, float(json.loads(found.stdout))))
    return out


def peak() -> float:
    """Return the greatest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: getrusage would count the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def _added(job: str, who: str) -> float:
    from benchmarks import jobs, measures

    if job == MEMORY_JOBS[0]:
        gold, a, b = jobs.labels(638)
        metric, along, method = "f1_macro", measures.difference(measures.f1_macro_along, n_classes=3), "bca"
    else:
        gold, a, b = jobs.numbers(2_000)
        metric, along, method = "pearson", measures.difference(measures.pearson_along), "percentile"

    def ours(size: int) -> Any:
        return jobs.interval({"a": a, "b": b}, gold, metric, method, n_resamples=size)

    def theirs(size: int) -> Any:
        from scipy import stats

        how = {"bca": "BCa"}.get(method, method)
        batch = 100 if who.endswith("batch=100") else None
        return stats.bootstrap(
            (a, b, gold),
            along,
            paired=True,
            vectorized=True,
            n_resamples=size,
            method=how,
            batch=batch,
            rng=1,
        )

    work = ours if who == "bestby" else theirs
    if who == "bestby":
        import bestby.resampling._kernels  # noqa: F401  a library that is loaded is not memory the job adds
    work(10)
    before = peak()
    work(10_000)
    return peak() - before


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # in place of this directory: see run.py
    np.seterr(all="ignore")
    print(json.dumps(_added(*sys.argv[1:])))
