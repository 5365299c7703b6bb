"""Systems with soft labels."""

from __future__ import annotations

import numpy as np

from bestby.results import Comparison


def rows(seed: int, n: int = 80) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(3), n)


GOLD, A, B = rows(0), (rows(0) + rows(1)) / 2, (rows(0) + 2 * rows(2)) / 3
HARD_GOLD, HARD = GOLD.argmax(axis=1), B.argmax(axis=1)


def codes(result: Comparison) -> list[str]:
    return [note.code for note in result.notes]


def message(result: Comparison, code: str) -> str:
    (found,) = {note.message for note in result.notes if note.code == code}
    return found


def one_hot(labels: np.ndarray) -> np.ndarray:
    return np.eye(3)[labels]
