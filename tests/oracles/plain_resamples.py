"""m out of n, and annotators within items: bootstraps in plain Python, one draw at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Items = list[int]


def some_of(blocks: Sequence[Sequence[Items]], draws: Sequence[int], rng: random.Random) -> Items:
    """Return the items of a resample that draws so many units (lists of items) from each stratum."""
    return [
        item
        for block, count in zip(blocks, draws, strict=True)
        for _ in range(count)
        for item in rng.choice(block)
    ]


def rescaled(score: float, replicate: float, draws: int, units: int) -> float:
    """Return the replicate of m units as if it were of n: its deviation times the root of m / n."""
    return score + (draws / units) ** 0.5 * (replicate - score)


def two_stage(
    labels: Sequence[Sequence[int]],
    units: Sequence[Items],
    n_classes: int,
    score: Callable[[Items, list[list[float]]], float],
    rng: random.Random,
) -> float:
    """Return the score of drawn units, the annotators of each of their items drawn again.

    ``score`` takes the items of the resample and the gold of each, a distribution.
    """
    items = [item for _ in units for item in rng.choice(units)]
    gold = []
    for item in items:
        drawn = [rng.choice(labels[item]) for _ in labels[item]]
        gold.append([drawn.count(k) / len(drawn) for k in range(n_classes)])
    return score(items, gold)
