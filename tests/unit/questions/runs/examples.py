"""Runs of a few systems, with and without items."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestby.results import RunsComparison

RNG = np.random.default_rng(11)
OLD = RNG.normal(0.70, 0.02, 8).tolist()
NEW = RNG.normal(0.74, 0.03, 8).tolist()
MID = RNG.normal(0.72, 0.02, 6).tolist()
ITEMS = RNG.normal(size=30)
PER_ITEM = {
    "a": ITEMS + RNG.normal(0.3, 0.5, (4, 30)),
    "b": ITEMS + RNG.normal(0.0, 0.5, (3, 30)),
}
GOLD = RNG.choice(["x", "y", "z"], 40)


def predictions(p: float, n_runs: int, seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [
        np.where(rng.random(40) < p, GOLD, rng.choice(["x", "y", "z"], 40)).tolist() for _ in range(n_runs)
    ]


def numbers(result: RunsComparison) -> dict[tuple[str, str], Any]:
    return {(d.a, d.b): (d.estimate, d.interval, d.test, d.improvement, d.order) for d in result}


def codes(result: RunsComparison) -> set[str]:
    return {note.code for note in (*result.notes, *(n for d in result for n in d.notes))}
