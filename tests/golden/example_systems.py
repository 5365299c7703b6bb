"""Systems on the items of one test set, drawn from seeds: labels, numbers, scores, soft labels."""

from __future__ import annotations

from typing import Any

import numpy as np

N = 60


def labels(systems: int = 3, seed: int = 0) -> tuple[dict[str, list[str]], list[str]]:
    """Systems of falling quality on a task of three classes, and the gold."""
    rng = np.random.default_rng(seed)
    names = np.array(["neg", "neu", "pos"])
    gold = names[rng.integers(0, 3, N)]
    made = {
        name: np.where(rng.random(N) < 0.15 * (place + 1), names[rng.integers(0, 3, N)], gold).tolist()
        for place, name in enumerate("abcd"[:systems])
    }
    return made, gold.tolist()


def numbers(systems: int = 3, seed: int = 1) -> tuple[dict[str, Any], Any]:
    """Systems that predict a number, and the gold."""
    rng = np.random.default_rng(seed)
    gold = np.round(rng.normal(3.0, 1.0, N), 3)
    made = {
        name: np.round(gold + rng.normal(0.1, 0.5 + 0.3 * place, N), 3)
        for place, name in enumerate("abcd"[:systems])
    }
    return made, gold


def ranked(seed: int = 2) -> tuple[dict[str, Any], Any]:
    """Systems that give a score for a gold of 0 and 1, with ties among the scores."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(N) < 0.4).astype(int)
    return {name: np.round(gold + rng.normal(0.0, sd, N), 1) for name, sd in (("a", 0.8), ("b", 1.3))}, gold


def scores(systems: int = 3, seed: int = 3) -> dict[str, Any]:
    """Scores of the items."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(size=N)
    return {
        name: np.round(easy + rng.normal(-0.25 * place, 0.7, N), 3)
        for place, name in enumerate("abcd"[:systems])
    }


def soft(seed: int = 4) -> tuple[dict[str, Any], Any]:
    """Distributions over three classes."""
    rng = np.random.default_rng(seed)
    evidence = rng.normal(0.0, 1.5, (N, 3))

    def shares(values: Any) -> Any:
        rows = np.exp(values)
        return rows / rows.sum(axis=1, keepdims=True)

    gold = shares(evidence)
    return {
        name: shares(evidence + rng.normal(0.0, sd, (N, 3))) for name, sd in (("a", 0.5), ("b", 1.2))
    }, gold


def groups(number: int = 15, seed: int = 5) -> list[str]:
    """Return the group of every item."""
    return [f"g{place}" for place in np.random.default_rng(seed).integers(0, number, N)]
