"""Tests and intervals of the means of runs that vary equally or unequally."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from bestby._core.typing import FloatArray
from bestby.engine.base import Drawing
from bestby.engine.runs import RunScores
from bestby.inference import permutation, samples
from bestby.questions.runs.differences import spread_notes
from calibration.runs import automatic, few
from calibration.statements import Outcome, Statements, What

TITLE = "Means of runs that vary unequally"

TEXT = """
The mean of both systems is the same; the spread is that of A to that of B, the numbers of runs are those of
A against B. *auto* is the larger p-value of the permutation test, which divides every difference by its
standard error, and of Welch's t test, from 15 runs of each on Hall's; it is Welch's t test alone where no
permutation p-value is below .05.
*difference* is the permutation test without standard errors, the earlier default.

The standard error mends part of what spread does to the permutation test: of 3 against 10 normal runs with
spreads 5 : 1 the difference alone rejects 34.0 %, the difference in its standard errors 16.0 %, Welch's t
6.6 %. Welch's t in turn rejects 8.5 % where 6 lognormal runs meet 20 that vary alike, where permutation is
exact. The larger p-value of both rejects 6.5 and 5.5 %, and is never far above 5 % unless a system has
fewer than five runs (note `few_runs`) or the runs are skewed, or some fail, in one system more than in the
other: no test and no interval of a mean holds there, and the note `unequal_spread` says so. It leaves out
runs far from the others of their system, which lengthen the interval and have a note of their own: of 5
against 5 lognormal runs that vary alike 32 %, of 20 against 20 of which one in ten fails 4 % have it.
"""

LEVEL = 0.95
SIZES = ((3, 3), (2, 5), (3, 10), (10, 3), (5, 5), (5, 10), (6, 20), (8, 8), (20, 20))
SPREADS = (1, 3, 10)
SKEWED = ((3, 10), (5, 5), (5, 10), (6, 20), (20, 20))
DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "t with 3 df": lambda rng, n: rng.standard_t(3, size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n) - np.exp(0.5),
    "one in ten fails": lambda rng, n: rng.normal(size=n) - 10.0 * (rng.random(n) < 0.1) + 1.0,
}
"""Scores with the mean 0."""

SPLITS, RESAMPLES = 299, 399


def cells() -> Iterator[Statements]:
    """Yield the cells: symmetric scores of all sizes and spreads, skewed ones of some."""
    chosen = [(name, *rest) for name in ("normal",) for rest in itertools.product(SIZES, SPREADS)]
    chosen += [("normal", (3, 10), 5), ("t with 3 df", (3, 10), 3), ("t with 3 df", (6, 20), 3)]
    chosen += itertools.product(("lognormal", "one in ten fails"), SKEWED, (1, 3))
    for name, (n, m), spread in chosen:
        one = partial(_one, name=name, n=n, m=m, spread=float(spread))
        population = f"{name}, spreads {spread} : 1"
        yield Statements("runs_spreads", population, f"{n} v {m}", min(n, m), one, datasets=800)


def _one(
    rng: np.random.Generator, seed: int, name: str, n: int, m: int, spread: float
) -> dict[What, Outcome]:
    a, b = spread * DRAWS[name](rng, n), DRAWS[name](rng, m)
    maker = RunScores([a, b], ("a", "b"), "mean", False, Drawing(RESAMPLES, seed))
    noted = few(min(n, m)) or any(spread_notes(a, b, "a", "b"))
    interval, _ = maker.interval(0, 1, "auto", LEVEL)
    # Where both vary alike the interval can be long only, as the note on a run that is far off says.
    lengthened = noted or (spread == 1.0 and bool(samples.outlying([a, b])))
    found = {What("coverage", "auto", True): Outcome(interval is not None and 0.0 in interval, lengthened)}
    p = {
        "auto": maker.test(0, 1, automatic(n, m), "two-sided").p_value,
        "permutation": maker.test(0, 1, "permutation", "two-sided").p_value,
        "Welch": maker.test(0, 1, "t", "two-sided").p_value,
        "difference": _p_value_of_difference(rng, a, b),
    }
    return found | {
        What("rejected", method, method == "auto"): Outcome(bool(x <= 1.0 - LEVEL + 1e-12), noted)
        for method, x in p.items()
    }


def _p_value_of_difference(rng: np.random.Generator, a: FloatArray, b: FloatArray) -> float:
    """Return the p-value of the permutation test of the difference alone, by random splits."""
    pooled = np.concatenate([a, b])
    order = np.argsort(rng.random((SPLITS, pooled.size)), axis=1)
    drawn = pooled[order[:, : a.size]].mean(axis=1) - pooled[order[:, a.size :]].mean(axis=1)
    found = permutation.monte_carlo(drawn, float(a.mean() - b.mean()), "two-sided", name="difference")
    return found.p_value
