"""Metrics, permutation tests and bootstraps in plain loops, as a textbook writes them; no package code."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Items = Sequence[Any]
Score = Callable[[Items, Items], float]


def mean(gold: Items, x: Items) -> float:
    return math.fsum(x) / len(x)


def accuracy(gold: Items, x: Items) -> float:
    return sum(g == p for g, p in zip(gold, x, strict=True)) / len(gold)


def f1(gold: Items, x: Items, label: Any) -> float:
    hits = sum(g == p == label for g, p in zip(gold, x, strict=True))
    either = sum(g == label for g in gold) + sum(p == label for p in x)
    return 2 * hits / either if either else 0.0


def f1_pos(gold: Items, x: Items) -> float:
    return f1(gold, x, "pos")


def f1_macro(gold: Items, x: Items) -> float:
    return sum(f1(gold, x, label) for label in ("neg", "neu", "pos")) / 3


def mcc(gold: Items, x: Items) -> float:
    n, labels = len(gold), sorted({*gold, *x})
    due = [sum(g == label for g in gold) for label in labels]
    made = [sum(p == label for p in x) for label in labels]
    right = sum(g == p for g, p in zip(gold, x, strict=True))
    spread = (n * n - sum(p * p for p in made)) * (n * n - sum(g * g for g in due))
    covariance = right * n - sum(p * g for p, g in zip(made, due, strict=True))
    return covariance / math.sqrt(spread) if spread else 0.0


def rmse(gold: Items, x: Items) -> float:
    return math.sqrt(math.fsum((g - p) ** 2 for g, p in zip(gold, x, strict=True)) / len(gold))


def pearson(gold: Items, x: Items) -> float:
    g, p = math.fsum(gold) / len(gold), math.fsum(x) / len(x)
    sxy = math.fsum((a - g) * (b - p) for a, b in zip(gold, x, strict=True))
    sxx, syy = math.fsum((a - g) ** 2 for a in gold), math.fsum((b - p) ** 2 for b in x)
    return sxy / math.sqrt(sxx * syy)


def roc_auc(gold: Items, x: Items) -> float:
    wins = [
        (p > q) + 0.5 * (p == q)
        for g, p in zip(gold, x, strict=True)
        if g == 1
        for h, q in zip(gold, x, strict=True)
        if h == 0
    ]
    return sum(wins) / len(wins)


def spearman(gold: Items, x: Items) -> float:
    return pearson(midranks(gold), midranks(x))


def kendall(gold: Items, x: Items) -> float:
    """Tau-b."""
    pairs = list(itertools.combinations(zip(gold, x, strict=True), 2))
    signs = [((g > h) - (g < h), (u > v) - (u < v)) for (g, u), (h, v) in pairs]
    agree = sum(g * u for g, u in signs)
    return agree / math.sqrt(sum(g * g for g, _ in signs) * sum(u * u for _, u in signs))


def standard_scores(x: Items) -> list[float]:
    centre = math.fsum(x) / len(x)
    scale = math.sqrt(math.fsum((v - centre) ** 2 for v in x) / len(x))
    return [(v - centre) / scale for v in x]


def midranks(x: Items) -> list[float]:
    return [sum(w < v for w in x) + (sum(w == v for w in x) + 1) / 2 for v in x]


def permutation_p(
    score: Score,
    gold: Items,
    a: Items,
    b: Items,
    alternative: str,
    clusters: Sequence[Any] | None = None,
) -> float:
    """Return the share of all 2^m swaps of units whose difference is at least as extreme as the observed."""
    units = list(range(len(a))) if clusters is None else list(clusters)
    names = sorted(set(units))
    observed = score(gold, a) - score(gold, b)
    hits = total = 0
    for swap in itertools.product((False, True), repeat=len(names)):
        swapped = dict(zip(names, swap, strict=True))
        one = [q if swapped[u] else p for p, q, u in zip(a, b, units, strict=True)]
        two = [p if swapped[u] else q for p, q, u in zip(a, b, units, strict=True)]
        d = score(gold, one) - score(gold, two)
        near = 1e-9
        extreme = {
            "two-sided": abs(d) >= abs(observed) - near,
            "greater": d >= observed - near,
            "less": d <= observed + near,
        }[alternative]
        hits += extreme
        total += 1
    return hits / total


def mean_distribution(strata: Sequence[Sequence[Fraction]]) -> dict[Fraction, Fraction]:
    """Return the exact distribution of the mean over all n^n stratified bootstrap samples."""
    n = sum(len(values) for values in strata)
    total: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
    for values in strata:
        sums: dict[Fraction, int] = {}
        for sample in itertools.product(values, repeat=len(values)):
            key = sum(sample, Fraction(0))
            sums[key] = sums.get(key, 0) + 1
        joined: dict[Fraction, Fraction] = {}
        for left, p in total.items():
            for right, count in sums.items():
                mass = p * Fraction(count, len(values) ** len(values))
                joined[left + right] = joined.get(left + right, Fraction(0)) + mass
        total = joined
    return {value / n: p for value, p in sorted(total.items())}


def jackknife(score: Callable[[list[int]], float], units: Sequence[Sequence[int]]) -> list[float]:
    """Return the score of the items that are left without each unit (a list of item positions)."""
    return [score([i for v, unit in enumerate(units) if v != u for i in unit]) for u in range(len(units))]


def acceleration(left_out: Sequence[float]) -> float:
    centre = math.fsum(left_out) / len(left_out)
    cubes = math.fsum((centre - v) ** 3 for v in left_out)
    squares = math.fsum((centre - v) ** 2 for v in left_out)
    return cubes / (6 * squares**1.5)
