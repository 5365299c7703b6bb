"""How often do intervals that say 95 % hold the true value?

    python -m calibration.coverage [--quick] [--out FILE] [--family WORD] [--methods auto,hall] [--docs]

Draws data sets from populations with a known truth, makes every interval on each, and counts. Each cell of
the grid is stored when it is done and not made again, so the run can be stopped and taken up. Everything is
seeded by the name of the cell, so that intervals which are made alone (--methods) are of the same data sets;
their rows are written beside the others. The whole grid takes about an hour on one core.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, stdtrit
from tools import pages

from bestby._core.errors import BestbyError, DesignError
from bestby.engine import interval_methods, prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimate, Estimates
from bestby.engine.interval_choice import choose_interval
from bestby.metrics import resolve
from calibration import ROOT, counting, files
from calibration.cells import CANDIDATES, Cell, grid

LEVEL = 0.95
FEWEST = 50
"""Data sets with an interval below which a method has no row; of copies there can be none."""

CELL = ("family", "metric", "quantity", "population", "n")
PAGE = ROOT / "docs" / "guides" / "choosing-an-interval.md"
CACHE = ROOT / "build" / "coverage"
COLUMNS = (
    "family", "metric", "quantity", "population", "agreement", "n", "differing", "effective", "method",
    "coverage", "se", "miss_below", "miss_above", "mean_length", "chosen", "datasets", "resamples",
)  # fmt: skip


# -- making a cell -----------------------------------------------------------------------------------


def run_cell(cell: Cell) -> dict[str, np.ndarray[Any, Any]]:
    """Return of every data set the ends of its intervals, its units, and what "auto" chose."""
    seed = zlib.crc32(cell.key.encode())
    rng = np.random.default_rng(seed)
    ends = np.full((cell.datasets, len(cell.methods), 2), np.nan)
    units = np.zeros((cell.datasets, 2))
    chosen: list[str] = []
    known: dict[bytes, tuple[Any, Any, str]] = {}
    undefined = i = 0
    while i < cell.datasets:
        evaluation = cell.population.draw(rng, cell.n)
        # Tables of counts come round again, and with them all that follows.
        arrays = (*evaluation.systems.values(), evaluation.gold, evaluation.clusters)
        content = b"".join(np.asarray(x).tobytes() for x in arrays if x is not None)
        if content not in known:
            made = one(cell, evaluation, seed + i)
            if made is None:
                undefined += 1
                continue
            known[content] = made
        ends[i], units[i], choice = known[content]
        chosen.append(choice)
        i += 1
    return {"ends": ends, "units": units, "chosen": np.array(chosen), "undefined": np.array(undefined)}


def one(cell: Cell, evaluation: Any, seed: int) -> tuple[Any, Any, str] | None:
    """Return what is made of one data set; None if the score is undefined on it."""
    try:
        (group,) = prepare.groups(evaluation, [resolve(cell.metric)])
        estimates = Estimates(group, Drawing(cell.resamples, seed))
        finite = np.isfinite(estimates.scores).all()
    except BestbyError:
        return None
    if not finite:
        return None
    estimate = estimates.of(0, 1 if cell.difference else None)
    situation = estimate.situation()
    choice = choose_interval(**situation).method
    ends = np.full((len(cell.methods), 2), np.nan)
    for position, method in enumerate(cell.methods):
        if method in CANDIDATES:
            ends[position] = candidate(estimate, method)
            continue
        try:
            interval, _ = interval_methods.interval(estimate, choice if method == "auto" else method, LEVEL)
        except DesignError:
            continue
        if interval is not None:
            ends[position] = interval.low, interval.high
    return ends, (situation["n_differing"], situation["n_effective"] or 0.0), choice


def candidate(estimate: Estimate, method: str) -> tuple[float, float]:
    """Return an interval the package does not offer, to see what it would be worth.

    "expanded": percentile, widened as Student's t is wider than the normal (Hesterberg 2015, section 5.3).
    "bootstrap-se": estimate plus and minus Student's t times the standard deviation of the replicates.
    """
    distribution, _ = estimate.distribution
    n = estimate.group.n_units
    reach = math.sqrt(n / (n - 1)) * float(stdtrit(n - 1, 0.5 * (1.0 + LEVEL)))
    if method == "expanded":
        tail = float(ndtr(-reach))
        return distribution.quantile(tail), distribution.quantile(1.0 - tail)
    return estimate.value - reach * distribution.sd, estimate.value + reach * distribution.sd


def stored(cell: Cell, cache: Path) -> dict[str, Any]:
    """Return the cell, made now or earlier."""
    content = repr((cell.key, cell.methods, cell.datasets, cell.resamples)).encode()
    return files.kept(cache / f"{zlib.crc32(content):08x}.npz", lambda: run_cell(cell))


# -- counting ----------------------------------------------------------------------------------------


def rows_of(cell: Cell, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row per method."""
    out = []
    for j, method in enumerate(cell.methods):
        low, high = data["ends"][:, j].T
        there = np.isfinite(low) & np.isfinite(high)
        if there.sum() < FEWEST:  # the method does not apply to this metric
            if method == "auto":
                raise RuntimeError(f"auto has no intervals: {cell.key}")
            continue
        row = _row(cell, method, low[there], high[there])
        row["differing"], row["effective"] = (f"{x:.1f}" for x in np.median(data["units"], axis=0))
        row["chosen"] = counting.shares(data["chosen"]) if method == "auto" else ""
        out.append(row)
    return out


def _row(cell: Cell, method: str, low: Any, high: Any) -> dict[str, Any]:
    slack = 1e-9
    below = float(np.mean(cell.truth < low - slack))
    above = float(np.mean(cell.truth > high + slack))
    coverage = 1.0 - below - above
    agreement = cell.population.agreement
    return {
        "family": cell.family,
        "metric": cell.metric,
        "quantity": "difference" if cell.difference else "score",
        "population": cell.population.name,
        "agreement": "" if math.isnan(agreement) else f"{agreement:.3f}",
        "n": cell.n,
        "method": method,
        "coverage": f"{coverage:.4f}",
        "se": f"{math.sqrt(max(coverage * (1.0 - coverage), 0.25 / low.size) / low.size):.4f}",
        "miss_below": f"{below:.4f}",
        "miss_above": f"{above:.4f}",
        "mean_length": f"{float(np.mean(high - low)):.4f}",
        "datasets": low.size,
        "resamples": cell.resamples,
    }


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table of coverage in percent: a line per cell, a column per method."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = [
        "| metric | population | n | " + " | ".join(methods) + " |",
        "|---|---|--:|" + "--:|" * len(methods),
    ]
    cells: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in rows:
        name = (f"{row['metric']} ({row['quantity']})", row["population"], row["n"])
        cells.setdefault(name, {})[row["method"]] = f"{100 * float(row['coverage']):.1f}"
    for name, found in cells.items():
        lines.append("| " + " | ".join([*map(str, name), *(found.get(m, "") for m in methods)]) + " |")
    return "\n".join(lines) + "\n"


# -- the page ----------------------------------------------------------------------------------------

NAMES = {
    "accuracy": "accuracy, difference",
    "one accuracy": "accuracy of one system",
    "mean": "mean of scores, difference",
    "macro-F1, 3 classes": "macro-F1, difference",
    "F1 of a class of 5 %": "F1 of a class of 5 %, difference",
    "MCC": "MCC, difference",
    "correlations and errors": "Pearson, Spearman, Kendall, RMSE, difference",
    "ROC-AUC": "ROC-AUC, difference",
    "clusters": "clusters: accuracy, macro-F1, difference",
    "one score": "one system: F1, MCC, mean, correlation …",
}
SHOWN = ("tango", "bca", "percentile", "basic", "studentized", "normal", "hall", "auto")
SUMMED = ("auto", "hall", "bca", "percentile", "normal")
EXAMPLES = (
    ("accuracy", "90/90 %, agree on 98 %", (50, 200, 1000)),
    ("accuracy", "95/93 %, agree on 95 %", (20, 50, 200)),
    ("f1_macro", "agree on 95 %", (50, 200, 1000)),
    ("f1_macro", "agree on 77 %", (50, 200, 1000)),
    ("mean", "normal", (20, 200)),
    ("mean", "lognormal", (20, 200)),
    ("mean", "90 % tied", (50, 200, 1000)),
    ("mean", "90 % tied, skewed", (50, 200, 1000)),
    ("accuracy", "80/75 %, agree on 85 %, clusters of 10 items each", (10, 20, 50, 200)),
    ("f1_macro", "3 classes, clusters of 1 to 40 items", (10, 20, 50, 200)),
    ("roc_auc", "areas 0.86 and 0.86, 50 % positive, noise 80 % shared", (50, 200)),
    ("roc_auc", "areas 0.96 and 0.95, 10 % positive, noise 80 % shared", (50, 200)),
)


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return the range of coverage over the populations, by family and by the number of differing units."""
    lines = [
        f"| quantity | differing units | cells | {' | '.join(SUMMED)} |",
        "|---|---|--:|" + "--:|" * len(SUMMED),
    ]
    for family, name in NAMES.items():
        there = [row for row in rows if row["family"] == family]
        for words, least, most in (("fewer than 6", 0, 6), ("6 to 49", 6, 50), ("50 and more", 50, math.inf)):
            if family.startswith("one"):
                words = words.replace("fewer than 6", "–") + " (units)"
            part = [row for row in there if least <= float(row["differing"]) < most]
            if part:
                spans = [_span(part, method) for method in SUMMED]
                cells = sum(row["method"] == "bca" for row in part)  # which applies everywhere
                lines.append(f"| {name} | {words} | {cells} | " + " | ".join(spans) + " |")
    return "\n".join(lines)


def _span(rows: Sequence[dict[str, Any]], method: str) -> str:
    found = [100 * float(row["coverage"]) for row in rows if row["method"] == method]
    return f"{min(found):.0f}–{max(found):.0f}" if found else ""


def examples(rows: Sequence[dict[str, Any]]) -> str:
    """Return the coverage of every method in some telling cells."""
    lines = [
        f"| metric | populations | n | differ | {' | '.join(SHOWN)} |",
        "|---|---|--:|--:|" + "--:|" * len(SHOWN),
    ]
    for metric, population, sizes in EXAMPLES:
        for n in sizes:
            found = {
                row["method"]: row
                for row in rows
                if (row["metric"], row["population"], int(row["n"])) == (metric, population, n)
                and row["quantity"] == "difference"
            }
            if found:
                values = [f"{100 * float(found[m]['coverage']):.1f}" if m in found else "" for m in SHOWN]
                differ = f"{float(found['bca']['differing']):.0f}"
                lines.append(f"| {metric} | {population} | {n} | {differ} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="100 data sets per cell; n of 50 and 200 only")
    parser.add_argument("--out", type=Path, default=ROOT / "calibration" / "results" / "coverage.csv")
    parser.add_argument("--family", default="", help="only families whose name contains this")
    parser.add_argument("--methods", default="", help="only these intervals, by commas")
    parser.add_argument("--docs", action="store_true", help="write the tables into the page on intervals")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # undefined resamples are counted, not shown
    cells = [cell for cell in grid() if arguments.family in cell.family]
    if arguments.quick:
        cells = [replace(cell, datasets=100, resamples=499) for cell in cells if cell.n in (50, 200)]
    methods = tuple(filter(None, arguments.methods.split(",")))
    if methods:
        cells = [replace(cell, methods=tuple(m for m in cell.methods if m in methods)) for cell in cells]
    rows: list[files.Row] = []
    start = time.monotonic()
    for number, cell in enumerate(cells, 1):
        rows += rows_of(cell, stored(cell, CACHE))
        print(f"{number}/{len(cells)} {time.monotonic() - start:.0f} s {cell.key}", file=sys.stderr)
    print(markdown(rows))
    if methods or arguments.family:
        rows = files.merged(files.read(arguments.out), rows, CELL, ("method",), some=bool(methods))
    if arguments.docs:
        pages.write(PAGE, "coverage-summary", summary(rows))
        pages.write(PAGE, "coverage-examples", examples(rows))
    files.write(arguments.out, COLUMNS, rows)


if __name__ == "__main__":
    main()
