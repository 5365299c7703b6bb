"""Items and answers that monitors are filled with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import bestby as bb


def ids(n: int) -> list[str]:
    """Return ids in an order that is not theirs."""
    return [f"q{place}" for place in np.random.default_rng(9).permutation(n)]


def filled(
    scores: Iterable[tuple[float, float]] | np.ndarray, *, stop: bool = False, **options: Any
) -> bb.Monitor:
    """Return a monitor of a and b with these scores, which stops where it decides if it is to."""
    rows = list(scores)
    monitor = bb.Monitor(["a", "b"], **{"bounds": (0, 1), **options})
    for item, (a, b) in zip(ids(len(rows)), rows, strict=True):
        monitor.add(item, {"a": float(a), "b": float(b)})
        if stop and monitor.decision is not None:
            break
    return monitor


def answers(n: int, ahead: float, behind: float, seed: int = 0) -> list[tuple[float, float]]:
    """Return 0/1 scores of which A alone has a share right, and B alone another."""
    u = np.random.default_rng(seed).random(n)
    return [(float(x < ahead), float(ahead <= x < ahead + behind)) for x in u]
