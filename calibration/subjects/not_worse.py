"""Verdicts that A is not worse than B by the margin, where it is worse by just that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from bestby import Evaluation, compare, compare_runs, evaluate
from calibration.statements import Outcome, Statements, What

TITLE = "Not worse"
TEXT = """
How often the verdict says that A is not worse than B by the margin (`not worse`, `equivalent` or `better`),
where A is worse by exactly the margin. The verdict is read from one end of the interval of two one-sided
tests, so this may happen in 5 % of the data sets. Differences are normal, or lognormal with the longer tail
on either side; answers are right in 70 and 75 % and agree on half of the items; labels are those of three
even classes, of which A has 5 points fewer right; runs are of three to ten seeds. *noted*: `few_items`,
`few_effective`, `few_differing`, `few_clusters` or `skewed_differences`.
"""

SUBJECT = "not_worse"
CLAIMS = ("not worse", "equivalent", "better")
NOTES = {"few_items", "few_effective", "few_differing", "few_clusters", "skewed_differences"}
DATASETS = 2000

Numbers = Any
Draw = Callable[[np.random.Generator, int], Numbers]
Sampler = Callable[[np.random.Generator, int], Evaluation]


def cells() -> Iterator[Statements]:
    """Yield the cells: means, answers, labels, clusters, runs."""
    for name, draw in DIFFERENCES.items():
        for n in (20, 50, 200):
            yield _cell(f"mean, {name} differences", n, partial(means, draw, -0.2), "mean", 0.2, test="t")
        loss = partial(means, draw, 0.2)
        yield _cell(f"loss, {name} differences", 50, loss, "mean", 0.2, test="t", greater_is_better=False)
    for n in (50, 200, 1000):
        yield _cell("accuracy", n, answers, "accuracy", 0.05, test=None)
    for metric in ("f1_macro", "matthews_corrcoef"):
        for n in (100, 400):
            yield _cell(metric, n, labels, metric, partial(gap_of_labels, metric), test=None)
    for n in (30, 100):
        yield _cell("accuracy, clusters of 5 items", n, clusters, "accuracy", 0.05, test=None)
    for n in (3, 5, 10):
        yield Statements(SUBJECT, "paired runs, normal", str(n), n, partial(_runs, n), DATASETS)


def _cell(
    population: str, n: int, sample: Sampler, metric: str, margin: float | Callable[[], float], **more: Any
) -> Statements:
    one = partial(_one, sample, n, metric, margin, more)
    return Statements(SUBJECT, population, str(n), n, one, 1000 if metric == "mean" else DATASETS)


def _one(
    sample: Sampler,
    n: int,
    metric: str,
    margin: float | Callable[[], float],
    more: Mapping[str, Any],
    rng: np.random.Generator,
    seed: int,
) -> dict[What, Outcome]:
    """Return whether A is said not to be behind by the margin."""
    margin = margin() if callable(margin) else margin
    settings = {"margin": margin, "n_resamples": 299, "rng": seed, **more}
    return _found(compare(sample(rng, n), metric=metric, **settings))


def _found(result: Any) -> dict[What, Outcome]:
    d = result["a", "b"]
    noted = any(note.code in NOTES for note in (*result.notes, *d.notes))
    return {What("wrong", "auto", True): Outcome(d.verdict in CLAIMS, noted)}


DIFFERENCES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(0.0, 0.5, n) - np.exp(0.125),
    "negative lognormal": lambda rng, n: np.exp(0.125) - rng.lognormal(0.0, 0.5, n),
}
"""Differences about their mean, which is 0."""


def means(draw: Draw, gap: float, rng: np.random.Generator, n: int) -> Evaluation:
    """Return scores of which those of A are higher by the gap on average."""
    b = rng.normal(size=n)
    return Evaluation.of({"a": b + gap + draw(rng, n), "b": b})


def answers(rng: np.random.Generator, n: int) -> Evaluation:
    """Return answers, right or wrong, of systems that are right in 70 and 75 % and agree on half of them."""
    return _answers(rng, n, None)


def _answers(rng: np.random.Generator, n: int, groups: Numbers) -> Evaluation:
    kind = rng.choice(4, n, p=[0.475, 0.225, 0.275, 0.025])
    a, b = np.isin(kind, (0, 1)).astype(float), np.isin(kind, (0, 2)).astype(float)
    return Evaluation.of({"a": a, "b": b}, np.ones(n), clusters=groups)


def clusters(rng: np.random.Generator, n: int) -> Evaluation:
    """Return such answers in n clusters of five items, of which half share the answer of the first."""
    alone = _answers(rng, 5 * n, None)
    first = np.repeat(np.arange(0, 5 * n, 5), 5)
    taken = np.where(rng.random(5 * n) < 0.5, first, np.arange(5 * n))
    systems = {name: values[taken] for name, values in alone.systems.items()}
    return Evaluation.of(systems, np.ones(5 * n), clusters=np.repeat(np.arange(n), 5))


def labels(rng: np.random.Generator, n: int) -> Evaluation:
    """Return labels of three even classes; A has 70 % right, B 75 %, and they share half of the answers."""
    gold = rng.integers(0, 3, n)
    own = [np.where(rng.random(n) < p, gold, (gold + rng.integers(1, 3, n)) % 3) for p in (0.65, 0.75)]
    shared = np.where(rng.random(n) < 0.75, gold, (gold + rng.integers(1, 3, n)) % 3)
    same = rng.random(n) < 0.5
    a, b = (np.where(same, shared, one) for one in own)
    return Evaluation.of({"a": a, "b": b}, gold)


@cache
def gap_of_labels(metric: str) -> float:
    """Return by how much A is behind B in the population, from a million items."""
    result = evaluate(labels(np.random.default_rng(0), 1_000_000), metric=metric, interval=None)
    return float(result.score("b").score - result.score("a").score)


def _runs(n: int, rng: np.random.Generator, seed: int) -> dict[What, Outcome]:
    """Return the verdict on paired runs of which A is worse by the margin."""
    b = rng.normal(0.8, 0.01, n)
    scores = {"a": b - 0.01 + rng.normal(0.0, 0.01, n), "b": b}
    settings = {"paired": True, "margin": 0.01, "test": None, "rng": seed, "n_resamples": 99}
    return _found(compare_runs(scores, **settings))
