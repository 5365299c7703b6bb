"""Random texts and their references."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

WORDS = ("the", "cat", "sat", "on", "a", "mat", "The", "Mat,", "3.5", "(yes)", "a-b", "größer", "&amp;", "猫")


def objects(values: list[Any]) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def streams(gold: list[Any]) -> list[list[str | None]]:
    """Return references as sacrebleu takes them: one list per reference, None where a segment has fewer."""
    several = [[item] if isinstance(item, str) else list(item) for item in gold]
    return [list(stream) for stream in zip_longest(*several)]


def long_corpus(n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return segments most of whose words are the reference's, so that every order has matches."""
    rng = np.random.default_rng(5)
    gold, translations = [], []
    for _ in range(n):
        words = rng.choice(WORDS, size=rng.integers(5, 15))
        other = np.where(rng.random(words.size) < 0.2, rng.choice(WORDS, size=words.size), words)
        gold.append(" ".join(words))
        translations.append(" ".join(other[: rng.integers(4, words.size + 1)]))
    return objects(gold), objects(translations)
