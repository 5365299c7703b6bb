"""Judgements of a few systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestby.questions.preferences.result import PreferenceComparison
from bestby.questions.preferences.source import Clusters, Judgements

NAMES = ("one", "two", "three", "four")
STRENGTH = dict(zip(NAMES, (0.9, 0.4, 0.0, -0.8), strict=True))


def judged(n_items: int, seed: int = 1) -> list[tuple[str, str, str, str]]:
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        own = dict(zip(NAMES, rng.normal(0.0, 0.7, 4), strict=True))
        for i, a in enumerate(NAMES):
            for b in NAMES[i + 1 :]:
                lead = STRENGTH[a] + own[a] - STRENGTH[b] - own[b] + rng.logistic()
                winner = "tie" if abs(lead) < 0.4 else a if lead > 0.0 else b
                rows.append((f"q{item}", a, b, winner))
    return rows


ROWS = judged(60)
PLAIN = [row[1:] for row in ROWS]
TWO = [("x", "y", "x")] * 15 + [("y", "x", "y")] * 6 + [("x", "y", "tie")] * 4


def codes(result: PreferenceComparison) -> set[str]:
    return {note.code for note in result.notes}


def numbers(result: PreferenceComparison) -> Any:
    document = result.to_dict()
    return document["systems"], document["differences"]


def of_tables(won: Any, lost: Any, tied: Any = None) -> Judgements:
    """Return judgements of how often the system of the row, shown first, won against that of the column."""
    tables = [np.asarray(x) for x in (lost, np.zeros_like(won) if tied is None else tied, won)]
    size = len(tables[0])
    parts = []
    for outcome, table in enumerate(tables):
        i, j = np.nonzero(table)
        parts.append(np.repeat([i, j, np.full(i.size, outcome)], table[i, j], axis=1))
    first, second, outcome = np.concatenate(parts, axis=1)
    return Judgements(
        tuple("abcdefghijklmnop"[:size]) if size <= 16 else tuple(f"s{k:02}" for k in range(size)),
        first.astype(np.int32),
        second.astype(np.int32),
        outcome.astype(np.int8),
        {},
        None,
        np.empty((first.size, 0)),
    )


def drawn(
    n: int = 800,
    size: int = 5,
    order: float = 0.3,
    ties: float = 0.1,
    groups: Mapping[str, int] | None = None,
    seed: int = 0,
    p: int = 0,
) -> Judgements:
    """Return judgements of a model; groups are of unequal size, the first largest."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 0.8, size)
    first = rng.integers(0, size, n)
    second = (first + 1 + rng.integers(0, size - 1, n)) % size
    x = rng.normal(0.0, 1.0, (n, p))
    gap = strength[first] - strength[second] + order + 0.4 * x.sum(axis=1)
    outcome = 2 * (rng.random(n) < 1.0 / (1.0 + np.exp(-gap)))
    outcome[rng.random(n) < ties] = 1
    clusters = {}
    for name, count in (groups or {}).items():
        share = 1.0 / np.arange(1.0, count + 1.0)
        codes = np.unique(rng.choice(count, n, p=share / share.sum()), return_inverse=True)[1]
        clusters[name] = Clusters(codes.astype(np.int32))
    return Judgements(
        tuple(f"s{k:02}" for k in range(size)),
        first.astype(np.int32),
        second.astype(np.int32),
        outcome.astype(np.int8),
        clusters,
        None,
        x,
        tuple(f"x{k}" for k in range(p)),
    )


def design(judged: Judgements, *, order: bool = True) -> np.ndarray:
    """Return a row per judgement: 1 for the first, -1 for the second, then order and covariates."""
    rows = np.arange(judged.n)
    Z = np.zeros((judged.n, len(judged.systems)))
    Z[rows, judged.first] = 1.0
    Z[rows, judged.second] = -1.0
    return np.column_stack([Z, *([np.ones(judged.n)] if order else []), judged.covariates])
