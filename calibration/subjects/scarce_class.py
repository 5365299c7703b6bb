"""Areas under curves where one class has few items."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from bestby import compare
from calibration.statements import Outcome, Statements, What

TITLE = "Areas of a class with few items"
TEXT = """
The interval of the default for the difference of two ROC-AUCs, or of two average precisions, where a class
has so few items on average (at least one is drawn). Scores of the items are exponential, those of the class
higher by a factor: 4 for both systems (*alike*), or 4 and 2 (*apart*); on 40 % of the items the two systems
have the same score. The truth of average precision, which depends on the number of items, is the mean
difference of 4000 other data sets. With a single item of the class there is no interval. *noted*:
`few_effective`, `few_differing`, `few_items` or `identical`.

A class of few items shows neither its spread nor its tails: effective units are therefore at most its items,
however alike these happen to be.
"""

NOTES = {"few_effective", "few_differing", "few_items", "identical"}
DATASETS = 400
FACTORS = {"alike": (4.0, 4.0), "apart": (4.0, 2.0)}
SAME = 0.4

Numbers = Any


def cells() -> Iterator[Statements]:
    """Yield metrics by systems, size and items of the class."""
    for metric, told in (("roc_auc", "AUC"), ("average_precision", "average precision")):
        for systems in FACTORS:
            for n, positives in ((100, 2), (100, 5), (300, 2), (300, 5), (300, 15), (300, 60)):
                one = partial(_one, metric, systems, n, positives)
                name = f"{told}, {systems}, {positives} items of the class"
                yield Statements("scarce_class", name, str(n), n, one, DATASETS)


def drawn(systems: str, n: int, positives: int, rng: np.random.Generator) -> tuple[Numbers, Numbers, Numbers]:
    """Return gold and the scores of two systems, with one item of the class at least."""
    gold = np.zeros(n)
    while not gold.any():
        gold = (rng.random(n) < positives / n).astype(float)
    a, own = (rng.exponential(size=n) * np.where(gold == 1.0, factor, 1.0) for factor in FACTORS[systems])
    return gold, a, np.where(rng.random(n) < SAME, a, own)


@cache
def truth(metric: str, systems: str, n: int, positives: int) -> float:
    """Return the mean difference of many data sets; systems that are alike differ by 0."""
    if systems == "alike":
        return 0.0
    if metric == "roc_auc":  # a positive beats a negative with probability factor / (1 + factor)
        a, own = (factor / (1.0 + factor) for factor in FACTORS[systems])
        return (1.0 - SAME) * (a - own)
    rng = np.random.default_rng(0)
    found = (drawn(systems, n, positives, rng) for _ in range(4000))
    return float(np.mean([_precision(gold, a) - _precision(gold, b) for gold, a, b in found]))


def _precision(gold: Numbers, scores: Numbers) -> float:
    positive = gold[np.argsort(-scores)]
    at = np.cumsum(positive) / np.arange(1, gold.size + 1)
    return float(at @ positive / positive.sum())


def _one(
    metric: str, systems: str, n: int, positives: int, rng: np.random.Generator, seed: int
) -> dict[What, Outcome]:
    """Return whether the interval holds the truth; nothing without an interval."""
    gold, a, b = drawn(systems, n, positives, rng)
    result = compare({"a": a, "b": b}, gold, metric=metric, test=None, n_resamples=199, rng=seed)
    d = result["a", "b"]
    if d.interval is None:
        return {}
    noted = bool(NOTES & {note.code for note in (*result.notes, *d.notes)})
    return {
        What("coverage", "auto", default=True): Outcome(
            truth(metric, systems, n, positives) in d.interval, noted
        )
    }
