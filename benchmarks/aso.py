"""How long do deepsig's own jobs take bestby and deepsig, and what do both say?

    python benchmarks/aso.py [--quick] [--out FILE]

deepsig 1.2.8 is in the dependency group `bench`; without it, bestby alone is timed. One thread, CPU time of
the whole call. For almost stochastic order both draw 1000 bootstrap samples, and bestby's call holds 1000
permutations too; for the tests, bestby's call is the whole of `compare_runs`. Writes results/aso.md.
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse
import importlib.util
import platform
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # in place of this directory, whose coverage.py is not the coverage numba looks for

import numpy as np

import bestby as bb

TARGETS = {"5 × 5": 0.2, "100 × 100": 3.0, "1000 × 1000": 30.0, "10 systems of 20": 15.0}
"""Milliseconds asked for."""


def seconds(call: Callable[[], Any], at_least: float) -> tuple[float, Any]:
    """Return the median CPU time of a call, repeated for so many seconds, and what it returned."""
    taken: list[float] = []
    answer = None
    while sum(taken) < at_least:
        begun = time.process_time()
        answer = call()
        taken.append(time.process_time() - begun)
    return median(taken), answer


def jobs(quick: bool) -> list[tuple[str, Callable[[], float], Callable[[], float]]]:
    """Return name, bestby's call and deepsig's, each giving one epsilon_min, p-value or power."""
    if importlib.util.find_spec("deepsig"):
        import deepsig
    else:
        deepsig = None
    rng = np.random.default_rng(0)
    out: list[tuple[str, Callable[[], float], Callable[[], float]]] = []
    for n in (5, 100, 1000):
        a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
        ours = lambda a=a, b=b: bb.aso(a, b).epsilon_min  # noqa: E731
        theirs = lambda a=a, b=b: deepsig.aso(a, b, seed=0, show_progress=False)  # noqa: E731
        out.append((f"{n} × {n}", ours, theirs))
    runs = {f"s{k}": rng.normal(k / 10, 1, 20) for k in range(10)}
    ours = lambda: bb.multi_aso(runs, n_comparisons=1)["s9", "s0"].epsilon_min  # noqa: E731
    theirs = lambda: deepsig.multi_aso(  # noqa: E731
        runs, use_bonferroni=False, seed=0, show_progress=False
    )[9, 0]
    out.append(("10 systems of 20", ours, theirs))
    a, b = rng.normal(0.8, 1, 20), rng.normal(0, 1, 20)
    for test, paired in (("permutation", True), ("bootstrap", False)):
        asked = {"test": test, "paired": paired, "alternative": "greater"}
        ours = lambda asked=asked: bb.compare_runs({"a": a, "b": b}, **asked)["a", "b"].p_value  # noqa: E731
        theirs = lambda test=test: getattr(deepsig, f"{test}_test")(a, b, seed=0)  # noqa: E731
        out.append((f"{test} test, 20 × 20", ours, theirs))
    scores = rng.normal(0.7, 0.05, 20)
    design = bb.LiftedScores(scores, 1.05, test="welch")
    ours = lambda: bb.power(design, alternative="greater", n_simulations=5000, curve=()).power  # noqa: E731
    theirs = lambda: deepsig.bootstrap_power_analysis(  # noqa: E731
        scores, scalar=1.05, show_progress=False, seed=0
    )
    out.append(("power, 20 scores, 5000 resamples", ours, theirs))
    keep = [*out[:2], *out[4:]] if quick else out
    return [(name, ours, theirs if deepsig else None) for name, ours, theirs in keep]  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="leave out what takes deepsig minutes")
    parser.add_argument("--out", type=Path, help="[benchmarks/results/aso.md; quick: not written]")
    arguments = parser.parse_args()
    out = arguments.out
    if out is None and not arguments.quick:
        out = ROOT / "benchmarks" / "results" / "aso.md"
    warnings.filterwarnings("ignore")
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    lines = [
        "# The jobs of deepsig",
        "",
        f"CPU time of a call; {platform.machine()}, {os.cpu_count()} cores, {load}.",
        "",
        "| job | bestby | asked for | deepsig | ratio | epsilon_min, p or power, both |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for name, ours, theirs in jobs(arguments.quick):
        ours()  # imports
        mine, said = seconds(ours, 1.0)
        row = [
            name,
            f"{1e3 * mine:.3g} ms",
            f"{TARGETS[name]:g} ms" if name in TARGETS else "–",
            "–",
            "–",
            f"{said:.3f}",
        ]
        if theirs:
            other, also = seconds(theirs, 0.1)
            row[3:] = [f"{other:.3g} s", f"{other / mine:,.0f}", f"{said:.3f}, {also:.3f}"]
        lines.append(f"| {' | '.join(row)} |")
        print(lines[-1], file=sys.stderr)
    text = "\n".join(lines) + "\n"
    print(text)
    if out is not None:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
