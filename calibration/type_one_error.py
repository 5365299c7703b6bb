"""How often do tests at the 5 % level reject a true hypothesis?

    python -m calibration.type_one_error [--datasets 2000] [--out FILE] [--docs]

Draws data sets from populations in which the two systems are exchangeable, and counts p-values of at
most 0.05. Seeded; about ten minutes on one core.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from tools import pages

from bestby._core.errors import BestbyError, DesignError
from bestby.engine import prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimate, Estimates
from bestby.metrics import resolve
from bestby.vocabulary import allowed_names
from calibration import ROOT, files
from calibration.populations import Population, clustered_null, nulls

COLUMNS = ("null", "metric", "n", "test", "rejected", "se", "datasets", "resamples")
SLOW = ("f1_macro", "spearman", "roc_auc")
LEVEL = 0.05
ELSEWHERE = ("permutation-standardised", "wald")
COUNTED = tuple(test for test in allowed_names("test", "pilot") if test not in (*ELSEWHERE, "auto"))
"""Swaps of standard scores are counted by `subjects.correlations`, the Wald test by `dependence`."""


def data_sets(
    population: Population, metric: str, n: int, seed: int, size: int, resamples: int
) -> list[Estimate]:
    """Return the differences on data sets on which the metric is defined, ready to be tested."""
    rng = np.random.default_rng(seed)
    out: list[Estimate] = []
    while len(out) < size:
        evaluation = population.draw(rng, n)
        try:
            (group,) = prepare.groups(evaluation, [resolve(metric)])
            estimate = Estimates(group, Drawing(resamples, seed + len(out))).of(0, 1)
            defined = np.isfinite(estimate.scores).all()
        except BestbyError:
            continue
        if defined:
            out.append(estimate)
    return out


def rows_of(name: str, metric: str, population: Population, n: int, size: int) -> list[dict[str, Any]]:
    """Return a row per test that applies."""
    size = size // 4 if metric in SLOW else size
    resamples = 199 if metric in SLOW else 399
    seed = zlib.crc32(f"{name}|{n}".encode())
    data = data_sets(population, metric, n, seed, size, resamples)
    rows = []
    for test in COUNTED:
        try:
            p = [significance_tests.result(test, estimate, "two-sided").p_value for estimate in data]
        except DesignError:
            continue
        rate = float(np.mean(np.array(p) <= LEVEL))
        se = math.sqrt(max(rate * (1 - rate), 0.25 / size) / size)
        values = (name, metric, n, test, f"{rate:.4f}", f"{se:.4f}", size, resamples)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rates in percent, a line per null hypothesis and size."""
    lines = [
        f"| no difference in | n | {' | '.join(COUNTED)} |",
        "|---|--:|" + "--:|" * len(COUNTED),
    ]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        cells.setdefault((row["null"], str(row["n"])), {})[row["test"]] = (
            f"{100 * float(row['rejected']):.1f}"
        )
    lines += [
        f"| {name} | {n} | " + " | ".join(found.get(test, "–") for test in COUNTED) + " |"
        for (name, n), found in cells.items()
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--datasets", type=int, default=2000, help="per null hypothesis (a quarter for slow metrics)"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "calibration" / "results" / "type_one_error.csv")
    parser.add_argument("--docs", action="store_true", help="write the table into the page on tests")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    jobs = [
        (name, metric, population, n) for name, (metric, population) in nulls().items() for n in (20, 50, 200)
    ]
    jobs += [("accuracy, clusters", "accuracy", clustered_null(), n) for n in (5, 10, 20, 50)]
    rows: list[dict[str, Any]] = []
    for name, metric, population, n in jobs:
        print(f"{name}, n = {n}", file=sys.stderr)
        rows += rows_of(name, metric, population, n, arguments.datasets)
    print(table(rows))
    if arguments.docs:
        pages.write(ROOT / "docs" / "guides" / "choosing-a-test.md", "type-one-error", table(rows))
    files.write(arguments.out, COLUMNS, rows)


if __name__ == "__main__":
    main()
