"""What do intervals and tests do when items depend on one another: clusters, crossed groupings, ordered text?

    python -m calibration.dependence [--full] [--docs]

Draws data sets of two systems, right or wrong per item, from populations with a known difference; counts how
often intervals that say 95 % hold it, and how often tests at the level of 5 % reject when there is none.
Prints three tables. Quick by default (200 data sets per cell, a standard error of 1.5 points); --full draws
2000 (0.5 points, five minutes), and --docs writes those into the page and into calibration/results.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit
from tools import pages

from bestby.data.evaluation import Evaluation
from bestby.engine import interval_methods, prepare, significance_tests
from bestby.engine.base import Drawing
from bestby.engine.estimate import Estimate, Estimates
from bestby.engine.sums import SumGroup
from bestby.metrics import resolve
from calibration import ROOT, files

PAGE = ROOT / "docs" / "guides" / "dependence.md"
RESULTS = ROOT / "calibration" / "results" / "dependence.csv"
LEVEL = 0.95
RESAMPLES = 399
UNEQUAL = (1, 2, 5, 10, 40)
WEBB = np.array([-np.sqrt(1.5), -1.0, -np.sqrt(0.5), np.sqrt(0.5), 1.0, np.sqrt(1.5)])

Ints = np.ndarray[Any, np.dtype[np.int64]]
Draw = Callable[[np.random.Generator], Evaluation]


@dataclass(frozen=True)
class Cell:
    """One line of a table.

    Parameters
    ----------
    table, name : str
        Which table, and the population in words.
    draw : callable
        Takes a generator, returns the evaluation.
    truth : float
        The difference in the population.
    alike : callable
        The same with systems that are alike.
    blocks : int or None
        Length of the blocks.
    """

    table: str
    name: str
    draw: Draw
    truth: float
    alike: Draw
    blocks: int | None = None


# -- populations -------------------------------------------------------------------------------------


def scored(differences: Any, rng: np.random.Generator, **groups: Any) -> Evaluation:
    """Return two systems, right or wrong, with these differences of -1, 0 or 1."""
    both = rng.random(differences.size) < 0.7
    a = np.where(differences == 0, both, differences > 0).astype(np.float64)
    return Evaluation({"a": a, "b": a - differences}, **groups)


def in_clusters(
    sizes: Callable[[np.random.Generator], Ints], within: float, better: float, differ: float
) -> Draw:
    """Draw items in clusters that each have a table of their own, correlated by `within`."""
    table = np.array([(differ + better) / 2, (differ - better) / 2, 1.0 - differ])

    def draw(rng: np.random.Generator) -> Evaluation:
        size = sizes(rng)
        chances = rng.dirichlet((1.0 / within - 1.0) * table, size=size.size) if within else table
        counts = rng.multinomial(size, chances)
        values = np.tile([1.0, -1.0, 0.0], size.size).repeat(counts.ravel())
        return scored(values, rng, clusters=np.arange(size.size).repeat(size))

    return draw


def thresholded(latent: Any) -> Any:
    """Return differences of -1, 0 or 1 from normal numbers: about a third are not 0."""
    return np.where(latent > 1.0, 1.0, 0.0) - np.where(latent < -1.0, 1.0, 0.0)


def crossed(n_first: int, n_second: int, first: float, second: float) -> Draw:
    """Draw templates in languages, a fifth of the pairs absent; shares of the variance are given."""

    def draw(rng: np.random.Generator) -> Evaluation:
        there = rng.random((n_first, n_second)) < 0.8
        latent = np.sqrt(first) * rng.normal(size=(n_first, 1))
        latent = latent + np.sqrt(second) * rng.normal(size=(1, n_second))
        latent = latent + np.sqrt(1.0 - first - second) * rng.normal(size=there.shape)
        one, two = np.nonzero(there)
        return scored(thresholded(latent[there]), rng, clusters=one, crossed=two)

    return draw


def ordered(n: int, correlation: float) -> Draw:
    """Draw text in which neighbours are alike: an autoregression of the first order, cut at -1 and 1."""

    def draw(rng: np.random.Generator) -> Evaluation:
        noise = rng.normal(size=n) * np.sqrt(1.0 - correlation**2)
        latent = np.empty(n)
        last = rng.normal()
        for i in range(n):
            latent[i] = last = correlation * last + noise[i]
        return scored(thresholded(latent), rng)

    return draw


def cells() -> list[Cell]:
    """Return all lines of the three tables."""
    out = []
    for g, kind in itertools.product((5, 10, 30, 200), ("of 10 items", "of 1 to 40 items")):
        out.append(_clusters(g, kind))
    out += [_clusters(g, "one with half the items") for g in (10, 40)]
    out.append(_clusters(30, "of 10 items", within=0.0))
    out += [_clusters(g, "of 1 to 40 items", differ=0.1) for g in (10, 30)]
    for first, second in ((5, 10), (10, 10), (10, 40), (30, 30)):
        for a, b, words in (
            (0.2, 0.2, "both matter"),
            (0.3, 0.0, "the first matters"),
            (0.0, 0.0, "neither matters"),
        ):
            draw = crossed(first, second, a, b)
            out.append(Cell("crossed", f"{first} × {second}, {words}", draw, 0.0, draw))
    for n, correlation, lengths in (
        (1000, 0.5, (5, 20, 50)),
        (1000, 0.8, (5, 20, 50)),
        (200, 0.5, (5, 20, 50)),
        (1000, 0.0, (20,)),
    ):
        for length in lengths:
            name = f"{n} items, neighbours correlated {correlation:g}, blocks of {length}"
            draw = ordered(n, correlation)
            out.append(Cell("ordered", name, draw, 0.0, draw, length))
    return out


def _clusters(g: int, kind: str, within: float = 0.2, differ: float = 0.3) -> Cell:
    sizes: dict[str, Callable[[np.random.Generator], Ints]] = {
        "of 10 items": lambda _: np.full(g, 10),
        "of 1 to 40 items": lambda rng: rng.choice(UNEQUAL, size=g),
        "one with half the items": lambda _: np.r_[10 * (g - 1), np.full(g - 1, 10)],
    }
    gap = differ / 3.0
    better, alike = (in_clusters(sizes[kind], within, by, differ) for by in (gap, 0.0))
    name = f"{g} clusters, {kind}{'' if within else ' that are independent'}"
    name += f", {100 * differ:g} % differ" if differ < 0.3 else ""
    return Cell("clusters", name, better, gap, alike)


# -- counting ----------------------------------------------------------------------------------------

Found = dict[str, bool]


def difference(evaluation: Evaluation, seed: int, blocks: int | None = None) -> Estimate:
    supports = prepare.ALL_GROUPINGS
    (group,) = prepare.groups(evaluation, [resolve("mean")], blocks=blocks, supports=supports)
    return Estimates(group, Drawing(RESAMPLES, seed)).of(0, 1)


def holds(estimate: Estimate, method: str, truth: float) -> bool:
    """Return whether the interval holds the truth; where the data allow none, no claim is made."""
    found, _ = interval_methods.interval(estimate, method, LEVEL)
    return found is None or found.low - 1e-12 <= truth <= found.high + 1e-12


def rejects(estimate: Estimate, test: str) -> bool:
    return significance_tests.result(test, estimate, "two-sided").p_value <= 1.0 - LEVEL


def count_clusters(cell: Cell, rng: np.random.Generator, seed: int) -> Found:
    """Return which intervals hold the difference of one data set."""
    evaluation = cell.draw(rng)
    alone = difference(Evaluation(evaluation.systems), seed)
    together = difference(evaluation, seed)
    found = {"item-wise": holds(alone, "normal", cell.truth)}
    found |= {
        method: holds(together, method, cell.truth) for method in ("bca", "percentile", "normal", "cr2")
    }
    found["wild bootstrap"] = wild(evaluation, cell.truth, rng)
    return found


def wild(evaluation: Evaluation, truth: float, rng: np.random.Generator) -> bool:
    """Tell whether the interval of the wild cluster bootstrap holds the truth.

    It does where its test does not reject: restricted residuals, weights of six points (Cameron, Gelbach &
    Miller 2008; Webb 2023).
    """
    values = evaluation.systems["a"] - evaluation.systems["b"]
    sums, sizes = np.bincount(evaluation.clusters, weights=values), np.bincount(evaluation.clusters)
    share, under = sizes / values.size, (sums - sizes * truth) / values.size

    def t(parts: Any) -> Any:
        moved = parts.sum(axis=-1, keepdims=True)
        spread = np.sqrt(((parts - share * moved) ** 2).sum(axis=-1))
        return np.abs(moved[..., 0]) / np.maximum(spread, 1e-300)

    drawn = t(rng.choice(WEBB, size=(RESAMPLES, sums.size)) * under)
    return bool((1 + (drawn >= t(under) * (1.0 - 1e-10)).sum()) / (1 + RESAMPLES) > 1.0 - LEVEL)


def count_crossed(cell: Cell, rng: np.random.Generator, seed: int) -> Found:
    evaluation = cell.draw(rng)
    made = difference(evaluation, seed)
    assert isinstance(made.group, SumGroup)
    influence = made.group.sample(0, 1).item_influence
    first, second = evaluation.clusters, evaluation.crossed
    assert first is not None
    assert second is not None
    sizes = [np.unique(groups).size for groups in (first, second)]
    variance = as_published(influence, first, second)
    t = float(stdtrit(min(sizes) - 1, 0.5 * (1.0 + LEVEL)))
    return {
        "item-wise": holds(difference(Evaluation(evaluation.systems), seed), "normal", 0.0),
        "first only": holds(difference(Evaluation(evaluation.systems, clusters=first), seed), "cr2", 0.0),
        "second only": holds(difference(Evaluation(evaluation.systems, clusters=second), seed), "cr2", 0.0),
        "as published": variance > 0.0 and abs(made.value) <= t * np.sqrt(variance),
        "two-way": holds(made, "two-way", 0.0),
    }


def as_published(influence: Any, first: Any, second: Any) -> float:
    """Return V1 + V2 - V12 with the factors G / (G - 1) (Cameron, Gelbach & Miller 2011, section 2)."""
    variances = []
    for groups in ([first], [second], [first, second]):
        code = np.unique(np.column_stack(groups), axis=0, return_inverse=True)[1].reshape(-1)
        sums = np.bincount(code, weights=influence)
        variances.append(float(sums @ sums) * sums.size / (sums.size - 1))
    return variances[0] + variances[1] - variances[2]


def count_ordered(cell: Cell, rng: np.random.Generator, seed: int) -> Found:
    evaluation = cell.draw(rng)
    alone, blocks = difference(evaluation, seed), difference(evaluation, seed, cell.blocks)
    return {
        "item-wise": holds(alone, "normal", 0.0),
        "percentile": holds(blocks, "percentile", 0.0),
        "basic": holds(blocks, "basic", 0.0),
        "cr2": holds(blocks, "cr2", 0.0),
    }


def alarms(cell: Cell, rng: np.random.Generator, seed: int) -> Found:
    """Return which tests reject where the systems are alike."""
    evaluation = cell.alike(rng)
    found = {
        "item-wise permutation": rejects(difference(Evaluation(evaluation.systems), seed), "permutation")
    }
    made = difference(evaluation, seed, cell.blocks)
    if made.group.crossed:
        first = Evaluation(evaluation.systems, clusters=evaluation.clusters)
        found["permutation of the first"] = rejects(difference(first, seed), "permutation")
    else:
        what = "permutation of blocks" if cell.blocks else "permutation of clusters"
        found[what] = rejects(made, "permutation")
    return found | {"wald": rejects(made, "wald")}


COUNTERS = {"clusters": count_clusters, "crossed": count_crossed, "ordered": count_ordered}


def run_cell(cell: Cell, datasets: int) -> dict[str, float]:
    """Return the coverage of every method, and the false alarms of every test, in percent."""
    seed = zlib.crc32(f"{cell.table} {cell.name}".encode())
    rng = np.random.default_rng(seed)
    held = [COUNTERS[cell.table](cell, rng, seed + i) for i in range(datasets)]
    rejected = [alarms(cell, rng, seed + i) for i in range(datasets)]
    shares = {name: float(np.mean([one[name] for one in held])) for name in held[0]}
    shares |= {f"{name} (test)": float(np.mean([one[name] for one in rejected])) for name in rejected[0]}
    return {name: round(100.0 * share, 2) for name, share in shares.items()}


# -- tables ------------------------------------------------------------------------------------------


def table(rows: Sequence[dict[str, str]], name: str, heading: str = "items") -> str:
    """Return a table of a page, a line per population and a column per method, in percent."""
    there = [row for row in rows if row["table"] == name]
    columns = list(dict.fromkeys(row["method"] for row in there))
    lines = [
        f"| {heading} | " + " | ".join(columns) + " |",
        "|---|" + "--:|" * len(columns),
    ]
    values = {(row["population"], row["method"]): row["percent"] for row in there}
    for population in dict.fromkeys(row["population"] for row in there):
        cells_ = [f"{float(values[population, column]):.1f}" for column in columns]
        lines.append(f"| {population} | " + " | ".join(cells_) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="2000 data sets per cell, not 200")
    parser.add_argument("--docs", action="store_true", help="write the results and the page (of --full)")
    arguments = parser.parse_args()
    datasets = 2000 if arguments.full else 200
    rows: list[dict[str, str]] = []
    start = time.monotonic()
    for cell in cells():
        for method, percent in run_cell(cell, datasets).items():
            rows.append(
                {
                    "table": cell.table,
                    "population": cell.name,
                    "method": method,
                    "percent": f"{percent:.2f}",
                    "datasets": str(datasets),
                }
            )
        print(f"{time.monotonic() - start:.0f} s {cell.name}", file=sys.stderr)
    for name in COUNTERS:
        print(f"\n{name}\n\n{table(rows, name)}")
        if arguments.docs:
            pages.write(PAGE, f"dependence-{name}", table(rows, name))
    if arguments.docs:
        files.write(RESULTS, list(rows[0]), rows)


if __name__ == "__main__":
    main()
