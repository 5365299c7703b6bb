"""Start-up: whole processes from outside, bestby's and those that import its rivals."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "langid" / "predictions.csv"
SYSTEMS = ("nb_12", "nb_13", "logreg_14", "svm_14", "knn_3")
IMPORTS = {
    "scipy": "scipy.stats",
    "BootCI": "BootCI.paired_bootstrap_interval",
    "deepsig": "deepsig",
    "sacrebleu": "sacrebleu",
    "arch": "arch.bootstrap",
    "resample": "resample.bootstrap",
    "stambo": "stambo",
    "MLstatkit": "MLstatkit",
    "evalstats": "evalstats",
}


def starts() -> dict[str, list[str]]:
    """The commands whose time is taken."""
    python = [sys.executable, "-c"]
    rivals = [str(ROOT / "build" / "rivals" / "bin" / "python"), "-c"]
    boostsa = [str(ROOT / "build" / "boostsa" / "bin" / "python"), "-c"]
    bestby = str(Path(sys.executable).parent / "bestby")
    chosen = [word for system in SYSTEMS for word in ("--system", system)]
    columns = [str(EXAMPLE), "--gold", "gold", "--item", "item", *chosen]
    return {
        'python -c "pass"': [*python, "pass"],
        'python -c "import numpy"': [*python, "import numpy"],
        'python -c "import bestby"': [*python, "import bestby"],
        'python -c "from bestby import compare"': [*python, "from bestby import compare"],
        "bestby --version": [bestby, "--version"],
        "bestby --help": [bestby, "--help"],
        "bestby compare (5 systems, 1000 items, accuracy)": [bestby, "compare", *columns],
        **{f'python -c "import {name}"': [*rivals, f"import {name}"] for name in IMPORTS.values()},
        'python -c "import boostsa"': [*boostsa, "import boostsa"],
    }


def start_up(rounds: int) -> list[dict[str, Any]]:
    """Return each command's median CPU and wall milliseconds, run in turns."""
    commands = {name: words for name, words in starts().items() if Path(words[0]).exists()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            wall, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            taken[name].append((cpu, time.perf_counter() - wall))
    return [
        {"command": name, "cpu_ms": f"{1e3 * median(cpu):.3g}", "wall_ms": f"{1e3 * median(wall):.3g}"}
        for name, times in taken.items()
        for cpu, wall in [tuple(zip(*times, strict=True))]
    ]
