"""How often do the bootstrap tests of bestby and of BooStSa find a difference where there is none?

    python -m calibration.resample_size [--pairs 2000] [--theirs 80] [--python PYTHON] [--docs]

Draws pairs of systems of which neither is better (null_pairs.py) and counts how often one is called better at
the 5 % level, by the size of the resamples: by bestby's test as it is and with ``rescale=False``, each pair
in both directions; and by BooStSa 0.2.13 itself, in an environment of its own (`make bench` makes it), with
100 resamples. Without that environment BooStSa's rows of the last run are kept. Seeded; six minutes on one
core, most of them BooStSa's.
Writes results/boostsa_type_one_error.csv.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


import numpy as np
from benchmarks import null_pairs
from benchmarks.boostsa import PYTHON, BooStSa
from tools import pages

from bestby._core.typing import Alternative
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimate, Estimates
from bestby.metrics import resolve
from calibration import ROOT, files

SIZES = (0.05, 0.1, 0.2, 0.5, 1.0)
THEIR_SIZES = SIZES[:-1]
"""BooStSa takes 5 to 50 % of the items."""

MEASURES = {"hard": null_pairs.HARD, "soft": null_pairs.SOFT}
LEVEL = 0.05
RESAMPLES = 199
LOOPS = 100
COLUMNS = ("tool", "kind", "measure", "n", "size", "pairs", "resamples", "rejected", "se")
OUT = ROOT / "calibration" / "results" / "boostsa_type_one_error.csv"
PAGE = ROOT / "docs" / "guides" / "resample-size.md"
TOOLS = {"bestby": "bestby", "unrescaled": "bestby, `rescale=False`", "BooStSa": "BooStSa"}


def p_values(kind: str, n: int, pairs: int, seed: int, rescale: bool) -> dict[float, list[list[float]]]:
    """Return for every size bestby's p-values, two rows per pair: is the second better, is the first?"""
    rng = np.random.default_rng(seed)
    metrics = [resolve(name) for name in MEASURES[kind]]
    found: dict[float, list[list[float]]] = {size: [] for size in SIZES}
    for k in range(pairs):
        gold, a, b = null_pairs.draw(kind, rng, n)
        groups = prepare.groups(Evaluation.of({"a": a, "b": b}, gold), metrics)
        for size in SIZES:
            drawing = Drawing(RESAMPLES, seed + k, resample_size=size, rescale=rescale)
            every = [Estimates(group, drawing) for group in groups]
            for pair in ((1, 0), (0, 1)):
                found[size].append([better(estimates.of(*pair)) for estimates in every])
    return found


def better(estimate: Estimate) -> float:
    """Return the p-value of the bootstrap test that the first system of a difference is the better one."""
    alternative: Alternative = "greater" if estimate.metric.greater_is_better else "less"
    return significance_tests.result("bootstrap", estimate, alternative).p_value


def ours(tool: str, kind: str, n: int, pairs: int) -> Iterator[dict[str, Any]]:
    """Yield rows of bestby's test, rescaled or not."""
    for size, rows in p_values(kind, n, pairs, 4_000, tool == "bestby").items():
        rejected = (np.array(rows) <= LEVEL).mean(axis=0)
        for measure, rate in zip(MEASURES[kind], rejected.tolist(), strict=True):
            yield _row(tool, kind, measure, n, size, pairs, RESAMPLES, rate)


def theirs(rival: BooStSa, kind: str, n: int, pairs: int) -> Iterator[dict[str, Any]]:
    """Yield rows of BooStSa, which gives a star for p < 0.05."""
    for size in THEIR_SIZES:
        answer = rival.ask(kind=kind, n=n, seed=5_000, pairs=pairs, loops=LOOPS, size=size)
        for measure in MEASURES[kind]:
            rate = sum(p[measure] < LEVEL for p in answer["p"]) / pairs
            yield _row("BooStSa", kind, measure, n, size, pairs, LOOPS, rate)


def _row(
    tool: str, kind: str, measure: str, n: int, size: float, pairs: int, resamples: int, rate: float
) -> dict[str, Any]:
    tests = pairs if tool == "BooStSa" else 2 * pairs  # bestby's in both directions
    se = math.sqrt(max(rate * (1 - rate), 0.25 / tests) / tests)
    values = (tool, kind, measure, n, size, pairs, resamples, f"{rate:.4f}", f"{se:.4f}")
    return dict(zip(COLUMNS, map(str, values), strict=True))


def table(rows: list[dict[str, Any]], n: int) -> str:
    """Return the rates for n items in percent, a line per metric and tool."""
    names = [f"{100 * size:g} %" for size in SIZES]
    lines = [f"| metric | test | {' | '.join(names)} |", "|---|---|" + "--:|" * len(SIZES)]
    for measure in (*null_pairs.HARD, *null_pairs.SOFT):
        for tool, words in TOOLS.items():
            cells = {
                row["size"]: f"{100 * float(row['rejected']):.1f}"
                for row in rows
                if (row["tool"], row["measure"], row["n"]) == (tool, measure, str(n))
            }
            if cells:
                numbers = " | ".join(cells.get(str(size), "–") for size in SIZES)
                lines.append(f"| `{measure}` | {words} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=2000, help="for bestby")
    parser.add_argument("--theirs", type=int, default=80, help="for BooStSa; half as many with hard labels")
    parser.add_argument("--python", type=Path, default=PYTHON, help="has BooStSa [build/boostsa/bin/python]")
    parser.add_argument("--docs", action="store_true", help="write the tables into the page on resample size")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for kind in MEASURES:
        rows += ours("bestby", kind, 1000, arguments.pairs)
        rows += ours("unrescaled", kind, 1000, arguments.pairs // 4)
        rows += ours("bestby", kind, 200, arguments.pairs)
        print(f"bestby, {kind} labels", file=sys.stderr)
    if arguments.python.exists():
        rival = BooStSa(arguments.python)
        for kind in MEASURES:
            rows += theirs(rival, kind, 1000, arguments.theirs // (2 if kind == "hard" else 1))
            print(f"BooStSa, {kind} labels", file=sys.stderr)
    else:
        rows += [row for row in files.read(OUT) if row["tool"] == "BooStSa"]
    files.write(OUT, COLUMNS, rows)
    for n in (1000, 200):
        print(table(rows, n), end="\n\n")
        if arguments.docs:
            pages.write(PAGE, f"false-alarms-{n}", table(rows, n))


if __name__ == "__main__":
    main()
