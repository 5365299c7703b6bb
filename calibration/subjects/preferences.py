"""Intervals of preferences and strengths where one system wins nearly all, or nearly all is a tie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bestby import compare_preferences
from calibration.statements import Outcome, Statements, What

TITLE = "Preferences near 0 and 1"

TEXT = """
Judgements of two systems of which one is preferred with probability P, a tie counting half; of four systems,
whose strengths are a step apart; of four of which the first is so much stronger than three equal ones, ten
games of each pair in either order; and of two in clusters whose judgements agree. *Preference* is the
probability that the first is preferred to the second, *difference* that of their strengths, *strength* that
of the first, *win rate* its share of wins. A system that won or lost all has no finite strength; its
difference has one end, a bound by likelihood. *Jeffreys* is the difference with `prior="jeffreys"`. The notes
`few_clusters` and `few_differing` are counted.
"""

DATASETS = 400
NOTES = {"few_clusters", "few_differing"}


def cells() -> Iterator[Statements]:
    """Yield two systems by preference, ties and size; four systems; clusters."""
    for p, ties in ((0.5, 0.0), (0.95, 0.0), (0.99, 0.0), (0.5, 0.5), (0.5, 0.95), (0.7, 0.5), (0.95, 0.05)):
        for n in (20, 200):
            yield _cell(f"P = {p:g}, {100 * ties:g} % ties", n, n, partial(_two, p=p, ties=ties, n=n))
    for step in (0.5, 2.0):
        for n in (60, 300):
            yield _cell(f"four systems, odds {math.exp(step):.1f}", n, n, partial(_four, step=step, n=n))
    for gap in (2.0, 3.0, 4.5):
        yield _cell(f"one ahead by {gap:g}", 120, 120, partial(_ahead, gap=gap))
    for p, alike in ((0.8, 0.3), (0.95, 0.3), (0.95, 1.0)):
        for n in (20, 200):
            name = f"P = {p:g}, clusters of 3, {100 * alike:g} % alike"
            yield _cell(name, n, n, partial(_clusters, p=p, alike=alike, n=n))


def _cell(population: str, n: int, units: int, one: partial[dict[What, Outcome]]) -> Statements:
    return Statements("preferences", population, str(n), units, one, datasets=DATASETS)


def _two(rng: np.random.Generator, _seed: int, p: float, ties: float, n: int) -> dict[What, Outcome]:
    return _outcomes(_judged(rng, p, ties, n), None, p, math.log(p / (1.0 - p)), 0.5)


def _judged(rng: np.random.Generator, p: float, ties: float, n: int) -> list[tuple[str, str, str]]:
    winners = rng.choice(["a", "tie", "b"], n, p=[p - ties / 2.0, ties, 1.0 - p - ties / 2.0])
    return [("a", "b", str(winner)) for winner in winners]


def _four(rng: np.random.Generator, _seed: int, step: float, n: int) -> dict[What, Outcome]:
    names = "abcd"
    first, second = (rng.permuted(np.tile(np.arange(4), (n, 1)), axis=1)[:, :2]).T
    wins = rng.random(n) < 1.0 / (1.0 + np.exp(step * (first - second)))
    judged = [
        (names[i], names[j], names[i] if won else names[j])
        for i, j, won in zip(first, second, wins, strict=True)
    ]
    rate = float(np.mean([1.0 / (1.0 + math.exp(-step * j)) for j in (1, 2, 3)]))
    return _outcomes(judged, None, 1.0 / (1.0 + math.exp(-step)), step, 1.5, rate)


def _clusters(rng: np.random.Generator, _seed: int, p: float, alike: float, n: int) -> dict[What, Outcome]:
    shared, own = rng.random(n) < p, rng.random((n, 3)) < p
    wins = np.where((rng.random(n) < alike)[:, None], shared[:, None], own)
    judged = [("a", "b", "a" if won else "b") for won in wins.reshape(-1)]
    return _outcomes(judged, np.repeat(np.arange(n), 3), p, math.log(p / (1.0 - p)), 0.5)


def _ahead(rng: np.random.Generator, _seed: int, gap: float) -> dict[What, Outcome]:
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j] * 10
    strengths = (gap, 0.0, 0.0, 0.0)
    odds = np.array([strengths[i] - strengths[j] for i, j in pairs])
    wins = rng.random(len(pairs)) < 1.0 / (1.0 + np.exp(-odds))
    judged = [
        ("abcd"[i], "abcd"[j], "abcd"[i if won else j]) for (i, j), won in zip(pairs, wins, strict=True)
    ]
    p = 1.0 / (1.0 + math.exp(-gap))
    return _outcomes(judged, None, p, gap, 0.75, p)


def _outcomes(
    judged: list[tuple[str, str, str]],
    clusters: np.ndarray | None,
    p: float,
    gap: float,
    strength: float,
    rate: float | None = None,
) -> dict[What, Outcome]:
    """Return which intervals cover; `strength` is that of a in the unit of the gap."""
    result = compare_preferences(judged, clusters=clusters, test="wald")
    d: Any = result["a", "b"]
    a = result.score("a")
    noted = any(note.code in NOTES for note in result.notes)
    shrunk = compare_preferences(judged, clusters=clusters, test="wald", prior="jeffreys")["a", "b"]
    truths = {
        "preference": (d.probability_interval, p),
        "difference": (d.interval, gap),
        "strength": (a.interval, gap * strength),
        "win rate": (a.win_rate_interval, p if rate is None else rate),  # type: ignore[attr-defined]
        "Jeffreys": (shrunk.interval, gap),
    }
    return {
        What("coverage", name, name != "Jeffreys"): Outcome(
            None if interval is None else truth in interval, noted
        )
        for name, (interval, truth) in truths.items()
    }
