"""What holds for several runs: intervals of their scores, and tests where other items count as well.

    python -m calibration.runs_items [--datasets 2000] [--docs]

Four tables. *scores*: does the interval of the difference of two means of runs hold it? *others*: do those of
one mean, of a difference of medians and of P(A > B)? *items* and *labels* (of scores 0 and 1): how often is a
difference found, at 5 %, between two systems that are equal over all items and all runs? Seeded by the names;
three minutes on one core. --docs writes results/runs_items.csv and the tables of the page on runs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


import numpy as np
from scipy.special import ndtri
from tools import pages

from bestby._core.typing import FloatArray
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimates
from bestby.engine.runs import RunScores, RunsWithItems
from bestby.inference import samples
from bestby.metrics import resolve
from calibration import RESULTS, ROOT, files
from calibration.dependence import table
from calibration.runs import DRAWS

LEVEL = 0.95
RESAMPLES = 399
COLUMNS = ("table", "population", "method", "percent", "datasets")
OUT = RESULTS / "runs_items.csv"
PAGE = ROOT / "docs" / "guides" / "comparing-runs.md"
TABLES = {
    "scores": "runs of each, and their scores",
    "others": "runs of each",
    "items": "runs of each, items, and what varies",
}
"""The tables of the page, and the heading of their first column."""

Found = dict[str, bool]
Draw = Callable[[np.random.Generator, int], FloatArray]

RUNS = (3, 5, 10, 20)
PAIRS: dict[str, tuple[Draw, Draw, float]] = {
    "normal": (DRAWS["normal"], DRAWS["normal"], 0.0),
    "normal, spread 1 : 3": (DRAWS["normal"], lambda rng, n: 3.0 * rng.normal(size=n), 0.0),
    "lognormal": (DRAWS["lognormal"], DRAWS["lognormal"], 0.0),
    "one run in ten fails by 10 sd": (DRAWS["one in ten fails"], DRAWS["one in ten fails"], 0.0),
    "lognormal against normal": (DRAWS["lognormal"], DRAWS["normal"], float(np.exp(0.5))),
}
"""How the scores of both systems are drawn, and the difference of their means."""

CHANCE = 0.9
"""The true P(A > B) in the table of others."""

SIZES = ((3, 100), (5, 50), (8, 400))
VARYING = {
    "items and, a little, runs": (1.0, 0.1),
    "items and runs": (1.0, 0.3),
    "items": (1.0, 0.0),
    "runs": (0.0, 0.3),
    "luck alone": (0.0, 0.0),
}
"""Standard deviations of what the items and the runs of a system bring; luck has 1 everywhere."""


@dataclass(frozen=True)
class Cell:
    """A population and what is counted on its data sets.

    Parameters
    ----------
    table, name : str
        The table, and the line in it.
    one : callable
        Draws a data set from a generator and a seed, and tells by method whether the interval holds the truth
        or the test rejects.
    """

    table: str
    name: str
    one: Callable[[np.random.Generator, int], Found]


def cells() -> Iterator[Cell]:
    """Yield the lines of all tables."""
    for name, n in itertools.product(PAIRS, (3, 5, 20)):
        yield Cell(
            "scores", f"{n}, {name}", lambda rng, seed, n=n, pair=PAIRS[name]: means(rng, seed, n, *pair)
        )
    for n in RUNS:
        yield Cell("others", str(n), lambda rng, seed, n=n: others(rng, seed, n))
    for binary, (n_runs, n), what in itertools.product((False, True), SIZES, VARYING):
        population = (*VARYING[what], 1.0, n_runs, n, binary)
        name = f"{n_runs} × {n}, {what}"
        yield Cell(
            "labels" if binary else "items", name, lambda rng, _, p=population: rejected(crossed(rng, *p))
        )


# -- scores of runs ----------------------------------------------------------------------------------


def means(rng: np.random.Generator, seed: int, n: int, first: Draw, second: Draw, truth: float) -> Found:
    """Tell which intervals hold the difference of two means."""
    maker = _separate([first(rng, n), second(rng, n)], "mean", seed)
    methods = {"t": "t", "percentile": "percentile", "BCa": "bca"}
    return {name: truth in maker.interval(0, 1, method, LEVEL)[0] for name, method in methods.items()}


def others(rng: np.random.Generator, seed: int, n: int) -> Found:
    """Tell which other intervals hold: of a mean with failures, of medians, of the chance of improvement."""
    failing = _separate([DRAWS["one in ten fails"](rng, n)], "mean", seed)
    medians = _separate([rng.normal(size=n), rng.normal(size=n)], "median", seed)
    a, b = rng.normal(float(ndtri(CHANCE)) * np.sqrt(2.0), 1.0, n), rng.normal(size=n)
    return {
        "t, of one mean where one run in ten fails": -1.0 in failing.interval(0, None, "t", LEVEL)[0],
        "percentile, of a difference of medians": 0.0 in medians.interval(0, 1, "percentile", LEVEL)[0],
        f"Newcombe, of P(A > B) = {CHANCE}": CHANCE in samples.improvement(a, b, LEVEL, paired=False)[1],
        "Brunner and Munzel, of the same": CHANCE in brunner_munzel(a, b),
    }


def _separate(scores: list[FloatArray], statistic: str, seed: int) -> RunScores:
    return RunScores(scores, ("a", "b"), statistic, False, Drawing(RESAMPLES, seed))


def brunner_munzel(a: FloatArray, b: FloatArray) -> Any:
    """Return the t interval of P(A > B) by the variances of the placements."""
    p, *placed = samples.placements(a, b)
    found = samples.difference_error(*placed, "mean", paired=False)
    assert found is not None
    return samples.t_interval(p, *found, LEVEL, "brunner-munzel")


# -- items and runs ----------------------------------------------------------------------------------


def crossed(
    rng: np.random.Generator, own: float, run: float, luck: float, n_runs: int, n: int, binary: bool
) -> RunsWithItems:
    """Return two systems equal on the whole: items favour one or the other (`own`), runs differ (`run`)."""
    shared, flat = rng.normal(size=n), {}
    for name in "ab":
        item = shared + rng.normal(0, own, n)
        for r in range(n_runs):
            y = item + rng.normal(0, run) + rng.normal(0, luck, n)
            flat[f"{name}{r}"] = (y > 0).astype(float) if binary else y
    (group,) = prepare.groups(Evaluation.of(flat), [resolve("mean")])
    drawing = Drawing(RESAMPLES, int(rng.integers(1 << 30)))
    return RunsWithItems(Estimates(group, drawing), (n_runs, n_runs), ("a", "b"), False)


def rejected(maker: RunsWithItems) -> Found:
    """Tell which tests find a difference."""
    tests = {"t (default)": "t", "bootstrap": "bootstrap", "permutation of runs": "permutation"}
    return {
        name: maker.test(0, 1, test, "two-sided").p_value <= 1.0 - LEVEL + 1e-12
        for name, test in tests.items()
    }


# -- tables ------------------------------------------------------------------------------------------


def counted(cell: Cell, datasets: int) -> dict[str, float]:
    """Return how often each is true, in percent."""
    seed = zlib.crc32(f"{cell.table} {cell.name}".encode())
    rng = np.random.default_rng(seed)
    found = [cell.one(rng, seed + i) for i in range(datasets)]
    return {name: 100.0 * float(np.mean([one[name] for one in found])) for name in found[0]}


def extremes(rows: Sequence[dict[str, str]]) -> str:
    """Return what the tests came to on all populations of items and runs, in words."""
    shares: dict[str, list[float]] = {}
    for row in rows:
        if row["table"] in ("items", "labels"):
            shares.setdefault(row["method"], []).append(float(row["percent"]))
    told = [f"{name}: {min(found):.1f} to {max(found):.1f} %" for name, found in shares.items()]
    size = len(next(iter(shares.values())))
    return f"Over these and the same of 0/1 scores, {size} populations: {'; '.join(told)}."


def made(rows: Sequence[dict[str, str]]) -> dict[str, str]:
    """Return what stands between the markers of the page, by name."""
    out = {f"runs-{name}": table(rows, name, heading) for name, heading in TABLES.items()}
    return out | {"runs-extremes": extremes(rows)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", type=int, default=2000)
    parser.add_argument("--docs", action="store_true", help="write the results and the page")
    arguments = parser.parse_args()
    rows: list[dict[str, str]] = []
    for cell in cells():
        for method, percent in counted(cell, arguments.datasets).items():
            values = (cell.table, cell.name, method, f"{percent:.2f}", str(arguments.datasets))
            rows.append(dict(zip(COLUMNS, values, strict=True)))
        print(f"{cell.table}: {cell.name}", file=sys.stderr)
    for name, text in made(rows).items():
        print(f"\n{name}\n\n{text}")
        if arguments.docs:
            pages.write(PAGE, name, text)
    if arguments.docs:
        files.write(OUT, COLUMNS, rows)


if __name__ == "__main__":
    main()
