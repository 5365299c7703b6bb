"""Cases that reach every end of the tree, and systems of labels."""

from __future__ import annotations

import itertools

import numpy as np

from bestby.questions.advice.result import Case

CASES = [
    Case("m", *kind, True, items, differing, systems, runs, datasets, folds, clustered, paired, crossed)
    for kind, items, differing, systems, runs, datasets, folds, (
        clustered,
        crossed,
    ), paired in itertools.product(
        [(True, True), (True, False), (False, False)],
        [None, 4, 100],
        [None, 3, 10, 90],
        [2, 3],
        [1, 3, 5],
        [1, 4],
        [0, 2, 10],
        [(False, False), (True, False), (True, True)],
        [True, False],
    )
]


def label_systems(n: int, right: tuple[float, ...], seed: int = 0) -> tuple[dict[str, object], object]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    return {f"s{i}": np.where(rng.random(n) < p, gold, (gold + 1) % 3) for i, p in enumerate(right)}, gold
