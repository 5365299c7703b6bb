"""Data of several datasets and folds, which several files of tests compare."""

from __future__ import annotations

import dataclasses

import numpy as np

from bestby import Evaluation
from bestby.questions.datasets.result import DatasetComparison

TABLE = {
    "news": {"old": 0.71, "new": 0.74, "big": 0.80},
    "talks": {"old": 0.63, "new": 0.66, "big": 0.69},
    "legal": {"old": 0.58, "new": 0.57, "big": 0.66},
    "bio": {"old": 0.55, "new": 0.61, "big": 0.60},
    "web": {"old": 0.50, "new": 0.50, "big": 0.58},
}


def scores(n_datasets: int, n_systems: int, seed: int = 3) -> dict[str, dict[str, float]]:
    generator = np.random.default_rng(seed)
    return {
        f"data {i}": {
            f"system {j}": float(0.6 + 0.01 * j + 0.03 * generator.normal()) for j in range(n_systems)
        }
        for i in range(n_datasets)
    }


def items(seed: int = 1, names: tuple[str, ...] = ("a", "b"), n: int = 60) -> dict[str, Evaluation]:
    generator = np.random.default_rng(seed)
    found = {}
    for i, name in enumerate(("one", "two", "three")):
        gold = generator.choice(["x", "y", "z"], n + 10 * i)
        wrong = np.where(gold == "x", "y", "x")
        systems = {
            system: np.where(generator.random(gold.size) < 0.9 - 0.15 * j, gold, wrong)
            for j, system in enumerate(names)
        }
        found[name] = Evaluation.of(systems, gold)
    return found


def without_notes(result: DatasetComparison) -> DatasetComparison:
    """Return a result without its notes, of which one says how the data were given."""
    return dataclasses.replace(result, notes=())


def cross_validated(seed: int = 0, repetitions: int = 3, n: int = 90, k: int = 3) -> dict[str, Evaluation]:
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 2, n)
    return {
        str(again + 1): Evaluation.of(
            {
                name: np.where(generator.random(n) < chance, gold, 1 - gold)
                for name, chance in (("a", 0.9), ("b", 0.7))
            },
            gold,
            strata=generator.permutation(n) % k,
        )
        for again in range(repetitions)
    }
