"""Cells of several systems: are all differences covered at once, and no true hypothesis rejected?"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby.advising.interval_choice import choose_interval
from bestby.data.evaluation import Evaluation
from bestby.engine import prepare, test_maker
from bestby.engine.base import Drawing
from bestby.engine.interval_maker import Intervals
from bestby.engine.targets import Target
from bestby.inference import multiplicity
from bestby.metrics import resolve

LEVEL = 0.95
COLUMNS = (
    "all differences within simultaneous intervals",
    "all differences within single intervals",
    "none rejected after Holm's correction",
    "none rejected without correction",
)
METRICS = {"accuracy": "accuracy", "macro-F1": "f1_macro", "skewed mean": "mean"}


@dataclass(frozen=True)
class Family:
    """Exchangeable systems on items of unequal difficulty.

    Parameters
    ----------
    measure : str
        One of `METRICS`.
    systems, n : int
        How many systems and items.
    datasets, resamples : int
        How many of each.
    """

    measure: str
    systems: int
    n: int
    datasets: int = 600
    resamples: int = 499
    family: str = "simultaneous"

    @property
    def key(self) -> str:
        """The name of the cell, which seeds it."""
        return f"{self.family}|{self.measure}|{self.systems}|{self.n}"


def draw(measure: str, systems: int, n: int, rng: np.random.Generator) -> Evaluation:
    """Return systems that answer alike, on items that are hard or easy for all."""
    names = [f"s{i}" for i in range(systems)]
    if measure == "skewed mean":
        hard = rng.normal(size=n)
        scores = np.exp((hard + rng.normal(size=(systems, n))) / np.sqrt(2.0))
        return Evaluation(dict(zip(names, scores, strict=True)))
    gold = rng.choice(3, size=n, p=(0.5, 0.3, 0.2))
    right = rng.random((systems, n)) < rng.beta(3.2, 0.8, size=n)
    answers = np.where(right, gold, (gold + rng.integers(1, 3, size=(systems, n))) % 3)
    return Evaluation(dict(zip(names, answers, strict=True)), gold)


def run(cell: Family) -> dict[str, Any]:
    """Return whether each of `COLUMNS` holds, shape (D, 4)."""
    seed = zlib.crc32(cell.key.encode())
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(cell.systems), 2))
    held = np.empty((cell.datasets, len(COLUMNS)), dtype=bool)
    for i in range(cell.datasets):
        evaluation = draw(cell.measure, cell.systems, cell.n, rng)
        group = prepare.groups(evaluation, [resolve(METRICS[cell.measure])])[0][0]
        makers = Intervals(group, Drawing(cell.resamples, seed + i))
        targets = [Target(0, a, b) for a, b in pairs]
        together, _ = makers.simultaneous(targets, LEVEL)
        single = [
            makers.interval(target, choose_interval(**makers.situation(target)).method, LEVEL)[0]
            for target in targets
        ]
        tests = test_maker.run("permutation", makers, [(0, a, b) for a, b in pairs], "two-sided")
        p = [test.p_value for test in tests.values()]
        held[i] = (
            all(0.0 in interval for interval in together),
            all(0.0 in interval for interval in single),
            min(multiplicity.adjust(p, "holm")) > 1.0 - LEVEL,
            min(p) > 1.0 - LEVEL,
        )
    return {"held": held}


def cells() -> Iterator[Family]:
    """Yield metrics by numbers of systems and items."""
    for n, systems, measure in itertools.product((50, 200), (3, 5, 10), METRICS):
        if measure == "accuracy" or systems == 5:
            yield Family(measure, systems, n)
