"""Start-up: whole processes from outside, bestby's and those that import its rivals."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
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


TABLES = "bestby gate (2 tables of 10,000 items, accuracy, a margin)"
LOGS = "bestby gate (2 logs of lm-evaluation-harness of 40 MB)"
WATCH = "bestby watch (a log of 100,000 items of 2 systems, 10 looks)"
AT_MOST = {TABLES: 1.0, LOGS: 2.0, WATCH: 5.0}
"""The CPU seconds that commands may take."""

VERDICTS = (0, 3)
"""The exit status of a command that did its work: a log may end undecided."""

GATE = ROOT / "build" / "gate"
WATCHED = ROOT / "build" / "watched.jsonl"
ITEMS, SAMPLES, WATCHED_ITEMS = 10_000, 20_000, 100_000


def gate_files() -> tuple[list[str], list[str]]:
    """Write the files of a gate, and return them: two tables of 10,000 items, two logs of 40 MB."""
    tables, logs = [], []
    for system, seed in (("main", 0), ("new", 1)):
        folder = GATE / system
        folder.mkdir(parents=True, exist_ok=True)
        chance, changes = random.Random(5), random.Random(seed)
        right = [(chance.random() < 0.7) != (seed > 0 and changes.random() < 0.01) for _ in range(SAMPLES)]
        table = GATE / f"{system}.csv"
        rows = [f"q{i},{i % 5},{i % 5 if right[i] else i % 5 + 1}\n" for i in range(ITEMS)]
        table.write_text("item,gold,prediction\n" + "".join(rows), encoding="utf-8")
        log = folder / "samples_task_2026-01-01T00-00-00.000000.jsonl"
        log.write_text("".join(_sample(i, correct) for i, correct in enumerate(right)), encoding="utf-8")
        tables.append(str(table))
        logs.append(f"{system}={log}")
    return tables, logs


def _sample(place: int, correct: bool) -> str:
    """Return an item of a log of lm-evaluation-harness, of 2 kB."""
    question = f"question {place} " + "word " * 180
    record = {
        "doc_id": place,
        "doc": {"question": question},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": question}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{zlib.crc32(question.encode()):x}",
        "acc": float(correct),
    }
    return json.dumps(record) + "\n"


def watched_file() -> str:
    """Write a log of 100,000 items of two systems that differ by little, and return its path."""
    chance = random.Random(7)
    places = chance.sample(range(WATCHED_ITEMS), WATCHED_ITEMS)
    scores = ((place, *(chance.random() < share for share in (0.7, 0.701))) for place in places)
    rows = [
        json.dumps({"item": f"q{place}", "main": int(main), "new": int(new)}) + "\n"
        for place, main, new in scores
    ]
    WATCHED.write_text("".join(rows), encoding="utf-8")
    return str(WATCHED)


def starts() -> dict[str, list[str]]:
    """The commands whose time is taken."""
    python = [sys.executable, "-c"]
    rivals = [str(ROOT / "build" / "rivals" / "bin" / "python"), "-c"]
    boostsa = [str(ROOT / "build" / "boostsa" / "bin" / "python"), "-c"]
    bestby = str(Path(sys.executable).parent / "bestby")
    chosen = [word for system in SYSTEMS for word in ("--system", system)]
    tables, logs = gate_files()
    gate = [bestby, "gate", "--margin", "0.02", "--inconclusive", "pass"]
    columns = [str(EXAMPLE), "--gold", "gold", "--item", "item", *chosen]
    return {
        'python -c "pass"': [*python, "pass"],
        'python -c "import numpy"': [*python, "import numpy"],
        'python -c "import bestby"': [*python, "import bestby"],
        'python -c "from bestby import compare"': [*python, "from bestby import compare"],
        "bestby --version": [bestby, "--version"],
        "bestby --help": [bestby, "--help"],
        "bestby compare (5 systems, 1000 items, accuracy)": [bestby, "compare", *columns],
        TABLES: [*gate, *tables, "--gold", "gold"],
        LOGS: [*gate, *logs],
        WATCH: [
            bestby,
            "watch",
            watched_file(),
            "--items",
            "200000",
            "--margin",
            "0.001",
            "--every",
            "10000",
        ],
        **{f'python -c "import {name}"': [*rivals, f"import {name}"] for name in IMPORTS.values()},
        'python -c "import boostsa"': [*boostsa, "import boostsa"],
    }


def start_up(rounds: int, there: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return each command's median CPU and wall milliseconds, run in turns; those that are there stay."""
    known = {row["command"]: row for row in there}
    every = starts()
    commands = {name: every[name] for name in every if name not in known and Path(every[name][0]).exists()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            wall, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            ended = subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            assert ended.returncode in VERDICTS, (name, ended.returncode)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            taken[name].append((cpu, time.perf_counter() - wall))
    measured = {
        name: {
            "command": name,
            "cpu_ms": f"{1e3 * median(cpu):.3g}",
            "wall_ms": f"{1e3 * median(wall):.3g}",
            "at_most_ms": f"{1e3 * AT_MOST[name]:g}" if name in AT_MOST else "",
        }
        for name, times in taken.items()
        for cpu, wall in [tuple(zip(*times, strict=True))]
    }
    found = known | measured
    return [found[name] for name in every if name in found]
