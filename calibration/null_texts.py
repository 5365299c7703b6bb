"""Texts of two systems of which neither is better. NumPy alone is needed."""

from __future__ import annotations

import numpy as np

WORDS = 2000
LENGTHS = (6, 30)
RIGHT = 0.7


def draw(rng: np.random.Generator, n: int) -> tuple[list[str], list[str], list[str]]:
    """Return references and the output of both systems: a segment is as hard for the one as for the other."""
    references: list[str] = []
    systems: tuple[list[str], list[str]] = ([], [])
    for _ in range(n):
        words = rng.integers(WORDS, size=rng.integers(*LENGTHS))
        hard = rng.beta(7.0, 3.0)
        references.append(_text(words))
        for system in systems:
            kept = rng.random(words.size) < hard
            system.append(_text(np.where(kept, words, rng.integers(WORDS, size=words.size))))
    return references, *systems


def _text(words: np.ndarray) -> str:
    return " ".join(f"w{word}" for word in words.tolist())
