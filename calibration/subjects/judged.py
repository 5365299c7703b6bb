"""A judge's scores corrected by human labels: coverage of intervals, and the error of tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.stats import norm

from bestby import compare_judged
from bestby.results import JudgedComparison
from calibration.statements import Outcome, Statements, What, holds

TITLE = "Judges and human labels"

TEXT = """
Three systems, of which the second and third are equally good. Humans score on a continuous scale, from 1 to
5, by *penalties* (half of them 0, the others very skewed), or right and wrong (*0/1*: .5 to .6 are right;
*rare errors*: .95 to .97). The judge's scores have the
correlation named with the human ones before both are cut to the scale, and a bias of its own for each system.
*Score* is the interval of the first system, *difference* that of the first and second, *equal systems* the
test of the second and third. *Nearly alike*: the systems differ on 4 % of the items. *Own items*: each system
has other items labelled, half of them in common. *Strata*: items with a low judge's score are labelled four
times as often; *probabilities* likewise. *Labels in clusters*: ten items of a cluster are alike, and whole
clusters are labelled; *across clusters*: single items of clusters are.

Intervals of penalties allow for their skewness (Hall 1992), no further than where that transformation
becomes flat. Few labels may lack the large penalties: intervals of a score from 20 labels cover 91 to 94 %.
The notes `few_labels`, `few_large_labels` and `few_clusters` are counted.
"""

_EFFECTS = np.array([0.3, 0.0, 0.0])
_BIASES = np.array([0.0, 0.5, -0.3])
_CUTS = {"0/1": -0.1, "rare errors": -1.65}
_STEPS = np.array([-1.2, -0.4, 0.4, 1.2])


def cells() -> Iterator[Statements]:
    """Yield populations by the number of labels."""
    for kind in ("continuous", "five points", "penalties", *_CUTS):
        for correlation in (0.0, 0.5, 0.95):
            for n in (20, 50, 100, 500):
                one = partial(_one, kind=kind, correlation=correlation, n=n, n_items=5 * n)
                name = f"{kind}, correlation {correlation:g}"
                yield Statements("judged", name, f"{n} of {5 * n}", n, one, datasets=400)
    for n_items in (200, 100_000):
        one = partial(_one, kind="0/1", correlation=0.8, n=100, n_items=n_items)
        yield Statements("judged", "0/1, correlation 0.8", f"100 of {n_items}", 100, one, datasets=200)
    for way in (
        "nearly alike",
        "own items",
        "strata",
        "probabilities",
        "labels in clusters",
        "across clusters",
    ):
        for kind in ("continuous", "0/1"):
            if way == "nearly alike" and kind == "continuous":
                continue
            one = partial(_one, kind=kind, correlation=0.8, n=100, n_items=1000, way=way)
            units = 10 if way == "labels in clusters" else 100
            yield Statements("judged", f"{way}, {kind}", "100 of 1000", units, one, datasets=400)


def scored(
    rng: np.random.Generator, kind: str, correlation: float, n_items: int, way: str = ""
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return human and judge's scores, shape (N, 3), the true means, shape (3,), and clusters of ten."""
    cluster = np.arange(n_items) // 10
    shared = rng.standard_normal((n_items, 1))
    if "clusters" in way:
        shared = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.standard_normal((n_items, 1))[cluster]
    alike = 0.999 if way == "nearly alike" else 0.5
    effects = np.zeros(3) if way == "nearly alike" else _EFFECTS
    latent = np.sqrt(alike) * shared + np.sqrt(1.0 - alike) * rng.standard_normal((n_items, 3))
    heard = correlation * latent + np.sqrt(1.0 - correlation**2) * rng.standard_normal((n_items, 3))
    human, judge = latent + effects, heard + effects + _BIASES
    if kind == "five points":
        true = 1.0 + norm.sf(_STEPS[:, None] - effects).sum(axis=0)
        return 1 + np.searchsorted(_STEPS, human), 1 + np.searchsorted(_STEPS, judge), true, cluster
    if kind == "penalties":
        true = np.exp(effects + 0.5) * norm.cdf(effects + 1.0) - norm.cdf(effects)
        return np.expm1(np.maximum(human, 0.0)), np.expm1(np.maximum(judge, 0.0)), true, cluster
    if kind in _CUTS:
        cut = _CUTS[kind]
        return (human > cut).astype(int), (judge > cut).astype(int), norm.sf(cut - effects), cluster
    return human, judge, effects, cluster


def _one(
    rng: np.random.Generator, _seed: int, kind: str, correlation: float, n: int, n_items: int, way: str = ""
) -> dict[What, Outcome]:
    human, judge, true, cluster = scored(rng, kind, correlation, n_items, way)
    labelled = np.zeros((n_items, 3), dtype=bool)
    labels_drawn, more = "random", {}
    if way == "own items":
        order = rng.permutation(n_items)
        for place in range(3):
            labelled[order[: n // 2], place] = True
            labelled[order[n // 2 * (1 + place) : n // 2 * (2 + place)], place] = True
    elif way in ("strata", "probabilities"):
        score = judge.mean(axis=1) + 1e-9 * rng.standard_normal(n_items)
        low = score < np.median(score)
        chance = np.where(low, 1.6 * n / n_items, 0.4 * n / n_items)
        if way == "strata":
            for half in (low, ~low):
                size = round(n * (0.8 if half is low else 0.2))
                labelled[rng.choice(np.flatnonzero(half), size, replace=False)] = True
            labels_drawn, more = "stratified", {"strata": low.astype(int)}
        else:
            labelled[rng.random(n_items) < chance] = True
            labels_drawn = chance
    elif way == "labels in clusters":
        labelled[np.isin(cluster, rng.choice(n_items // 10, n // 10, replace=False))] = True
    else:
        labelled[rng.choice(n_items, n, replace=False)] = True
    if "clusters" in way:
        more = {"clusters": cluster}
    names = ("a", "b", "c")
    found = compare_judged(
        dict(zip(names, judge.T, strict=True)),
        dict(zip(names, np.where(labelled, human, np.nan).T, strict=True)),
        labels_drawn=labels_drawn,
        correction="none",
        **more,
    )
    return _outcomes(found, true)


def _outcomes(found: JudgedComparison, true: np.ndarray) -> dict[What, Outcome]:
    """Return whether the intervals hold the truth, those of the labels alone too, and what is rejected."""
    score: Any = found.score("a")
    difference: Any = found["a", "b"]
    equal: Any = found["b", "c"]
    gap = true[0] - true[1]
    few = any(note.code in ("few_labels", "few_clusters") for note in found.notes)
    on_score = [note for note in found.notes if "a" in note.about]
    of_score, of_difference, of_equal = (
        few or any(note.code == "few_large_labels" for note in notes)
        for notes in (on_score, difference.notes, equal.notes)
    )
    made = {}
    for default, (one, other), name in (
        (True, (score.interval, difference.interval), ""),
        (False, (score.labels_interval, difference.labels_interval), " of labels alone"),
    ):
        made[What("coverage", f"score{name}", default)] = Outcome(holds(one, true[0]), of_score)
        made[What("coverage", f"difference{name}", default)] = Outcome(holds(other, gap), of_difference)
    made[What("rejected", "equal systems", True)] = Outcome((equal.p_value or 0.0) <= 0.05, of_equal)
    return made
