"""Pairs of systems of which neither is better, with hard and with soft labels.

NumPy alone is needed, so that the same pairs can be drawn in the environment of another tool.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]

HARD = ("f1_macro", "accuracy", "precision_macro", "recall_macro")
SOFT = ("js_divergence", "cross_entropy", "entropy_similarity", "entropy_correlation")

PRIORS = (0.5, 0.3, 0.2)
RIGHT = 0.75
COPIED = 0.4
CLASSES = 4


def hard(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    """Return gold, A and B, shape (n,): three classes; each is right on 75 %, and they agree on 78 %.

    On four items of ten both give one and the same answer; on the others each answers by itself.
    """
    gold = rng.choice(len(PRIORS), size=n, p=PRIORS)

    def answers() -> Array:
        wrong = (gold + rng.integers(1, len(PRIORS), size=n)) % len(PRIORS)
        return np.where(rng.random(n) < RIGHT, gold, wrong)

    shared, copied = answers(), rng.random(n) < COPIED
    return gold, np.where(copied, shared, answers()), np.where(copied, shared, answers())


def soft(rng: np.random.Generator, n: int, classes: int = CLASSES) -> tuple[Array, Array, Array]:
    """Return gold, A and B, shape (n, K): both miss the logits of the gold, in part in the same way."""
    gold = rng.normal(0.0, 1.5, (n, classes))
    shared = rng.normal(0.0, 0.6, (n, classes))
    a, b = (gold + shared + rng.normal(0.0, 0.6, (n, classes)) for _ in range(2))
    return _softmax(gold), _softmax(a), _softmax(b)


def draw(kind: str, rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    """Return gold, A and B of a kind, "hard" or "soft"."""
    return hard(rng, n) if kind == "hard" else soft(rng, n)


def _softmax(logits: NDArray[np.float64]) -> Array:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
