"""Studies of a few conditions, which several files of tests compare."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bestby import Study
from bestby.questions.study.result import StudyComparison

N = 90
RNG = np.random.default_rng(4)
GOLD = RNG.choice(["x", "y", "z"], N)
SOFT_GOLD = RNG.dirichlet([1.0, 1.0, 1.0], N)
CLASSES = ["x", "y", "z"]
CLUSTERS = np.arange(N) // 2


def labels(right: float, seed: int) -> Any:
    """Labels of which a share is right, and some others by chance."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < right, GOLD, rng.choice(["x", "y", "z"], N))


def rows(share: float, seed: int) -> Any:
    """Distributions that are partly the gold's."""
    return share * SOFT_GOLD + (1 - share) * np.random.default_rng(seed).dirichlet([1.0, 1.0, 1.0], N)


RUNS = {
    "h0": [labels(0.4, seed) for seed in (1, 2, 3)],
    "h1": [labels(0.6, seed) for seed in (4, 5)],
    "h2": [labels(0.5, 6)],
}
SOFT_RUNS = {"s0": [rows(0.4, 1)], "s1": [rows(0.7, 2), rows(0.8, 3)], "s2": [rows(0.4, 4)]}

Make = Callable[..., Study]


def numbers(result: StudyComparison) -> Any:
    """All numbers of a result, as JSON tells them, NaN and infinity included."""
    return json.dumps(
        [dataclasses.asdict(entry) for entry in (*result.systems, *result.differences)], sort_keys=True
    )


def codes(result: StudyComparison) -> list[str]:
    return [note.code for note in (*result.notes, *(note for d in result for note in d.notes))]


def cache(study: Study) -> list[Path]:
    return sorted((study.path / "cache").glob("*.cache"))


def counts(result: StudyComparison) -> tuple[int, int]:
    """How many numbers were computed, and how many were known."""
    return result.n_computed, result.n_reused
