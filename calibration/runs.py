"""Cells of several runs of two systems: from two to fifty each."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core.typing import Alternative
from bestby.engine.base import Drawing
from bestby.engine.runs import FEW_FOR_MEDIANS, RunScores
from bestby.inference import samples
from bestby.inference.multiplicity import alpha_at, rejects
from bestby.questions.runs.differences import least_p

NUMBERS = (2, 3, 5, 10, 20, 50)
METHODS = ("auto", "bca", "percentile", "basic")
TESTS = ("auto", "permutation", "t", "brunner-munzel", "bootstrap")
LEVEL = 0.95
DRAWS: dict[str, Callable[[Any, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "one in ten fails": lambda rng, n: rng.normal(size=n) - 10.0 * (rng.random(n) < 0.1),
}
SHIFT = 1.0
"""How much better A is where the systems are apart, in standard deviations of the normal."""


@dataclass(frozen=True)
class Runs:
    """Scores of n runs of each of two systems.

    Parameters
    ----------
    design : str
        The distribution of the scores.
    systems : {"alike", "apart"}
        Whether A is better.
    n : int
        Runs of each.
    datasets, resamples : int
        How many of each.
    """

    design: str
    systems: str
    n: int
    datasets: int = 1000
    resamples: int = 499
    family: str = "runs"
    measure: str = "mean of runs"
    agreement: float = math.nan
    methods: tuple[str, ...] = METHODS
    tests: tuple[str, ...] = TESTS
    alternatives: tuple[Alternative, ...] = ("two-sided",)

    @property
    def tested(self) -> int:
        """All data sets are tested."""
        return self.datasets

    @property
    def key(self) -> str:
        """The name of the cell, which seeds it."""
        return f"{self.family}|{self.design}|{self.systems}|{self.n}"

    @property
    def truth(self) -> float:
        """The true difference of the means."""
        return SHIFT if self.systems == "apart" else 0.0


def run(cell: Runs) -> dict[str, Any]:
    """Return the ends (D, M, 2), the p-values (D, T) and whether a run is outlying (D, 1)."""
    seed = zlib.crc32(cell.key.encode())
    rng = np.random.default_rng(seed)
    draw = DRAWS[cell.design]
    ends = np.empty((cell.datasets, len(cell.methods), 2))
    p = np.empty((cell.datasets, len(cell.tests)))
    outlying = np.empty((cell.datasets, 1))
    for i in range(cell.datasets):
        a, b = draw(rng, cell.n) + cell.truth, draw(rng, cell.n)
        maker = RunScores([a, b], ("a", "b"), "mean", False, Drawing(cell.resamples, seed + i))
        for j, method in enumerate(cell.methods):
            interval, _ = maker.interval(0, 1, method, LEVEL)
            assert interval is not None  # scores that vary
            ends[i, j] = interval.low, interval.high
        chosen = {test: automatic(cell.n) if test == "auto" else test for test in cell.tests}
        p[i] = [maker.test(0, 1, chosen[test], "two-sided").p_value for test in cell.tests]
        outlying[i] = bool(samples.outlying([a, b]))
    return {"ends": ends, "p": p, "features": outlying, "undefined": np.array(0)}


def few(n: int, statistic: str = "mean") -> bool:
    """Return whether `compare_runs` says of so many runs that it is hardly known how much they vary."""
    enough = FEW_FOR_MEDIANS if statistic == "median" else samples.FEW_RUNS
    return samples.n_averaged(n, statistic) < enough


def automatic(n: int, m: int | None = None, *, statistic: str = "mean", paired: bool = False) -> str:
    """Return what "auto" is for `compare_runs`: of means the t test where permutation cannot reach 5 %."""
    least = least_p(n, n if m is None else m)
    return "auto" if paired or statistic != "mean" or rejects(least, alpha_at(LEVEL)) else "t"


def cells() -> Iterator[Runs]:
    """Yield numbers of runs by distribution, alike and apart."""
    for n, design, systems in itertools.product(NUMBERS, DRAWS, ("alike", "apart")):
        yield Runs(design, systems, n)
