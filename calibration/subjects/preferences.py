"""Intervals of preferences and strengths where one system wins nearly all, or nearly all is a tie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bestby import compare_preferences
from bestby.errors import DesignError
from bestby.questions.preferences.result import PreferenceComparison
from calibration.statements import Outcome, Statements, What

TITLE = "Preferences near 0 and 1"

TEXT = """
Judgements of two systems of which one is preferred with probability P, a tie counting half; of four systems,
whose strengths are a step apart; and the same in clusters whose judgements agree. *Preference* is the
probability that the first is preferred to the second, *difference* that of their strengths, *strength* that
of the first, *win rate* its share of wins. Where a system won or lost all, strengths have no finite estimate,
and the intervals are those with `prior=1`. The score intervals replaced percentile intervals of resampled
judgements, which have no length where all judgements are alike. The notes `few_clusters`, `few_differing` and
`prior` are counted.
"""

DATASETS = 1000
NOTES = {"few_clusters", "few_differing", "prior"}


def cells() -> Iterator[Statements]:
    """Yield two systems by preference, ties and size; four systems; clusters."""
    for p, ties in ((0.5, 0.0), (0.95, 0.0), (0.99, 0.0), (0.5, 0.5), (0.5, 0.95), (0.7, 0.5), (0.95, 0.05)):
        for n in (20, 60, 200):
            yield _cell(f"P = {p:g}, {100 * ties:g} % ties", n, n, partial(_two, p=p, ties=ties, n=n))
    for step in (0.5, 2.0):
        for n in (60, 300):
            yield _cell(f"four systems, odds {math.exp(step):.1f}", n, n, partial(_four, step=step, n=n))
    for p, alike in ((0.8, 0.3), (0.95, 0.3), (0.95, 1.0)):
        for n in (20, 60, 200):
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


def _outcomes(
    judged: list[tuple[str, str, str]],
    clusters: np.ndarray | None,
    p: float,
    gap: float,
    strength: float,
    rate: float | None = None,
) -> dict[What, Outcome]:
    """Return which intervals cover; `strength` is that of a in the unit of the gap."""
    result = _compared(judged, clusters)
    d: Any = result["a", "b"]
    a = result.score("a")
    noted = any(note.code in NOTES for note in result.notes)
    truths = {
        "preference": (d.probability_interval, p),
        "difference": (d.interval, gap),
        "strength": (a.interval, gap * strength),
        "win rate": (a.win_rate_interval, p if rate is None else rate),  # type: ignore[attr-defined]
    }
    return {
        What("coverage", name, True): Outcome(interval is not None and truth in interval, noted)
        for name, (interval, truth) in truths.items()
    }


def _compared(judged: list[tuple[str, str, str]], clusters: np.ndarray | None) -> PreferenceComparison:
    try:
        return compare_preferences(judged, clusters=clusters, test="wald", n_resamples=100)
    except DesignError:
        return compare_preferences(judged, clusters=clusters, test="wald", n_resamples=100, prior=1.0)
