"""Clusters of unequal size, and effects that go with their size."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from bestby import compare
from bestby.inference import clusters, skewness
from bestby.inference.clusters import StandardError
from calibration.statements import Outcome, Statements, What

TITLE = "Clusters whose effect goes with their size"

NOTES = {"few_clusters", "few_effective", "few_differing", "effect_of_size"}
DATASETS = 500
AUTO = What("coverage", "auto", default=True)
PUBLISHED = What("coverage", "CR2 and Student's t")

Numbers = Any
Draw = Callable[[np.random.Generator, int], Mapping[What, Outcome]]


def _quantiles(of: Callable[[Numbers], Numbers]) -> Numbers:
    return np.maximum(1.0, np.round(of((np.arange(50_000) + 0.5) / 50_000))).astype(np.int64)


def _zipf(p: Numbers) -> Numbers:
    sizes = np.arange(1.0, 1001.0)
    return sizes[np.searchsorted(np.cumsum(sizes**-2.0) / (sizes**-2.0).sum(), p)]


@cache
def sizes_of(kind: str) -> Numbers:
    """Return equally probable sizes of clusters."""
    made: dict[str, Callable[[Numbers], Numbers]] = {
        "10 items": lambda p: np.full(p.size, 10.0),
        "1 to 40 items": lambda p: np.array([1.0, 2.0, 4.0, 8.0, 16.0, 40.0])[(p * 6).astype(int)],
        "lognormal (σ 1) sizes": lambda p: 10.0 * np.exp(ndtri(p)),
        "lognormal (σ 1.5) sizes": lambda p: 10.0 * np.exp(1.5 * ndtri(p)),
        "Zipf sizes": _zipf,
    }
    return _quantiles(made[kind])


def _outcome(result: Any, truth: float, plain: StandardError | None) -> Mapping[What, Outcome]:
    """Return whether the intervals hold the truth."""
    found = result["a", "b"]
    noted = bool(NOTES & {note.code for note in (*result.notes, *found.notes)})
    outcomes = {AUTO: Outcome(truth in found.interval, noted)}
    if plain is not None:
        low, high = skewness.interval(found.estimate, plain, 0.95)
        outcomes[PUBLISHED] = Outcome(low <= truth <= high, noted)
    return outcomes


def _published(d: Numbers, cluster: Numbers) -> StandardError:
    """Return the standard error CR2 with its degrees of freedom alone."""
    sizes = np.bincount(cluster).astype(np.float64)
    error = clusters.cr2(np.bincount(cluster, weights=d - d.mean()) / d.size, sizes)
    return dataclasses.replace(error, skewness=0.0, effective=np.inf)


def means(kind: str, slope: float, skewed: bool, g: int, rng: np.random.Generator, seed: int) -> Any:
    """Compare scores: a slope times the logarithm of the size, an effect of the cluster, and noise."""
    possible = sizes_of(kind)
    size = rng.choice(possible, g)
    own = rng.exponential(size=g) - 1.0 if skewed else rng.normal(size=g)
    centre = slope * float((possible * np.log(possible)).sum() / possible.sum())
    cluster = np.repeat(np.arange(g), size)
    d = (slope * np.log(size) - centre + (2.0 if skewed else 0.5) * own)[cluster]
    d += rng.normal(size=d.size)
    b = rng.normal(size=d.size)
    result = compare({"a": b + d, "b": b}, clusters=cluster, test="wald", n_resamples=199, rng=seed)
    return _outcome(result, 0.0, _published(d, cluster))


def accuracy(kind: str, slope: float, g: int, rng: np.random.Generator, seed: int) -> Any:
    """Compare right and wrong answers; 30 % differ, and which system is ahead may go with the size."""
    possible = sizes_of(kind)

    def gap(size: Numbers) -> Numbers:
        return 0.8 * np.tanh(slope * np.log(size))

    truth = 0.3 * float((possible * gap(possible)).sum() / possible.sum())
    size = rng.choice(possible, g)
    lead = 0.3 * (gap(size) + 0.2 * rng.uniform(-1.0, 1.0, g))
    cluster = np.repeat(np.arange(g), size)
    drawn = rng.random(cluster.size)
    wins, losses = (0.3 + lead)[cluster] / 2.0, (0.3 - lead)[cluster] / 2.0
    d = (drawn < wins).astype(np.float64) - ((drawn >= wins) & (drawn < wins + losses))
    b = np.where(d == 0.0, rng.random(d.size) < 0.7, d < 0.0).astype(np.float64)
    result = compare({"a": b + d, "b": b}, clusters=cluster, test="wald", n_resamples=199, rng=seed)
    return _outcome(result, truth, _published(d, cluster))


CHANCES = {"a": (0.80, 0.70, 0.60), "b": (0.75, 0.65, 0.40)}
"""How often each system knows each of three classes; the others take its errors in equal parts."""


def _answers(gold: Numbers, chances: Numbers, rng: np.random.Generator) -> Numbers:
    right = rng.random(gold.size) < chances[gold]
    return np.where(right, gold, (gold + rng.integers(1, 3, gold.size)) % 3)


@cache
def _truth_of_f1() -> float:
    """Return the difference of macro-F1 in the population, of which 4.5 % are of the third class."""
    share = np.array([0.4775, 0.4775, 0.045])
    scores = []
    for chances in (np.array(CHANCES["a"]), np.array(CHANCES["b"])):
        errors = share * (1.0 - chances) / 2.0
        predicted = share * chances + errors.sum() - errors
        scores.append(float(np.mean(2.0 * share * chances / (share + predicted))))
    return scores[0] - scores[1]


def rare_class(kind: str, g: int, rng: np.random.Generator, seed: int) -> Any:
    """Compare macro-F1 where the third class is 30 % of the items of 15 % of the clusters."""
    size = rng.choice(sizes_of(kind), g)
    there = (rng.random(g) < 0.15) * 0.3
    cluster = np.repeat(np.arange(g), size)
    third = rng.random(cluster.size) < there[cluster]
    gold = np.where(third, 2, rng.integers(0, 2, cluster.size))
    systems = {name: _answers(gold, np.array(chances), rng) for name, chances in CHANCES.items()}
    if not third.any():
        return {}
    result = compare(
        systems, gold, metric="f1_macro", clusters=cluster, test="wald", n_resamples=199, rng=seed
    )
    return _outcome(result, _truth_of_f1(), None)


def cells() -> Iterator[Statements]:
    """Yield the populations, harmless ones among them."""
    for kind, slope, skewed in (
        ("10 items", 0.0, False),
        ("1 to 40 items", 0.0, False),
        ("lognormal (σ 1.5) sizes", 0.0, False),
        ("1 to 40 items", 0.3, False),
        ("lognormal (σ 1) sizes", 0.3, False),
        ("lognormal (σ 1.5) sizes", 0.15, False),
        ("lognormal (σ 1.5) sizes", 0.3, False),
        ("lognormal (σ 1.5) sizes", -0.3, False),
        ("Zipf sizes", 0.3, False),
        ("10 items", 0.0, True),
        ("1 to 40 items", 0.0, True),
    ):
        effect = (
            f"effect {slope:g} log size" if slope else "skewed effects" if skewed else "no effect of size"
        )
        for g in (15, 30, 100, 300):
            yield _cell(f"means, {kind}, {effect}", g, partial(means, kind, slope, skewed, g))
    for slope in (0.0, 0.3):
        effect = "effect of size" if slope else "no effect of size"
        for g in (30, 100):
            name = f"accuracy, lognormal (σ 1.5) sizes, {effect}"
            yield _cell(name, g, partial(accuracy, "lognormal (σ 1.5) sizes", slope, g))
    for kind in ("10 items", "lognormal (σ 1) sizes"):
        for g in (15, 30, 100):
            yield _cell(f"macro-F1, {kind}, class in 15 % of them", g, partial(rare_class, kind, g))


def _cell(population: str, g: int, one: Draw) -> Statements:
    return Statements("unequal_clusters", population, str(g), g, one, DATASETS)


TEXT = """\
The interval of the default, of means of 15 clusters or more `hall` and otherwise `cr2`, beside CR2 with
Student's t as published. Scores have an effect that is a slope times the logarithm of the size of the
cluster (*effect*), one that is normal (standard deviation 0.5) or exponential (*skewed*, 2), and noise.
Answers have 30 % of the items on which the systems differ, and which is better goes with the size or not.
A rare class is 30 % of the items of 15 % of the clusters. Zipf sizes are n with a probability that goes with
1 / n^2, up to 1000. *noted*: `few_clusters`, `few_effective`, `few_differing` or `effect_of_size`.

In `cr2`, where effects and sizes are correlated, or the sums of 15 clusters or more are skewed, the ratio of
difference and error is transformed (Hall 1992). `hall` transforms it always, for a little more skewness than
is seen. What was tried as well, on these and other populations: the transformation with the term that the
division by sizes adds; degrees of freedom of at most two and three times the effective units; and, as a sign
that it is needed, effective units that are fewer than sizes explain. Where few
clusters have most of the items (*Zipf sizes*), intervals are far too short whatever is done.
"""
