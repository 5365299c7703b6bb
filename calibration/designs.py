"""Populations of the grid: two systems whose true scores and share of equal answers are known.

Of every metric there are two: systems that are alike, so that they can be exchanged, and systems of which A
is better. On a share of the items, the agreement, B gives the answer of A.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bestby import Metric
from bestby.data.evaluation import Evaluation
from calibration import populations as p
from calibration.populations import Floats, Population

Share = float
Of = Callable[[Share, bool], Population]
"""Takes the agreement and whether the systems are alike, returns a population."""


class BleuLike(Metric):
    """Geometric mean of two ratios of sums times a penalty for short output, as corpus BLEU is made."""

    name = "bleu_like"
    reads = "raw"
    bounds = (0.0, 1.0)

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return np.column_stack([predictions, gold]).astype(np.float64)

    def score(self, totals: Any) -> Any:
        words, first, second, reference = np.moveaxis(totals, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.sqrt(first / words * second / words)
            return precision * np.exp(np.minimum(0.0, 1.0 - reference / words))


# -- labels ------------------------------------------------------------------------------------------


def agreeing(pmf: Floats, share: Share) -> Floats:
    """Return the table (gold, A, B) in which A and B agree on this share, otherwise as they would."""
    same = np.eye(pmf.shape[1], dtype=bool)[None]
    equal, other = np.where(same, pmf, 0.0), np.where(same, 0.0, pmf)
    table: Floats = share * equal / equal.sum() + (1.0 - share) * other / other.sum()
    return table


def design_of_labels(metric: str, priors: list[float], a: list[list[float]], b: list[list[float]]) -> Of:
    """Labels by class: A answers by `a`, B by `b` (or, alike, either by both)."""

    def of(share: Share, alike: bool) -> Population:
        table = agreeing(p.copying(priors, a, b, 0.0), share)
        return p.population_of_labels(
            "alike" if alike else "apart", metric, p.symmetric(table) if alike else table
        )

    return of


def clustered(measure: str, sizes: tuple[int, ...]) -> Of:
    """Clusters that each have a table of their own, drawn about that of a metric."""
    name, labels = TABLES[measure]

    def of(share: Share, alike: bool) -> Population:
        table = agreeing(p.copying(labels["priors"], labels["a"], labels["b"], 0.0), share)
        return p.population_of_clusters("", name, p.symmetric(table) if alike else table, sizes)

    return of


# -- numbers -----------------------------------------------------------------------------------------


def copied(rng: np.random.Generator, share: Share, a: Any, b: Any) -> Any:
    """Return B with the answers of A on this share of the items."""
    same = rng.random(len(a)) < share
    return np.where(same if a.ndim == 1 else same[:, None], a, b)


def skewed(share: Share, alike: bool, *, kind: str = "lognormal") -> Population:
    """Scores of skewed or heavy-tailed distributions, correlated by the difficulty of the items."""
    factor = 1.0 if alike else 0.75
    means = {"lognormal": math.exp(0.5), "t3": 0.0, "exponential": 1.0}
    shift = 0.3 if kind == "t3" and not alike else 0.0

    def draw(rng: np.random.Generator, n: int) -> tuple[None, Floats, Floats]:
        if kind == "t3":
            hard = rng.normal(size=n)
            a, b = (hard + rng.standard_t(3, size=n) for _ in range(2))
            return None, a, copied(rng, share, a, b - shift)
        hard, x, y = rng.normal(size=(3, n))
        x, y = ((hard + noise) / math.sqrt(2.0) for noise in (x, y))
        if kind == "exponential":
            a, b = rng.exponential(size=n), factor * rng.exponential(size=n)
        else:
            a, b = np.exp(x), factor * np.exp(y)
        return None, a, copied(rng, share, a, b)

    mean = means[kind]
    gap = (1.0 - share) * (mean * (1.0 - factor) + shift)
    return p.population_of_numbers("alike" if alike else "apart", draw, mean, mean - gap)


def ratings(share: Share, alike: bool) -> Population:
    """Ratings of 1 to 5, many of them equal."""
    chances = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    worse = chances if alike else np.array([0.15, 0.25, 0.35, 0.17, 0.08])
    points = np.arange(1.0, 6.0)

    def draw(rng: np.random.Generator, n: int) -> tuple[None, Floats, Floats]:
        a, b = rng.choice(points, p=chances, size=n), rng.choice(points, p=worse, size=n)
        return None, a, copied(rng, share, a, b)

    a, own = float(points @ chances), float(points @ worse)
    return p.population_of_numbers("alike" if alike else "apart", draw, a, share * a + (1.0 - share) * own)


def related(metric: str) -> Of:
    """Gold and predictions, normal, with correlations of 0.8 (B's own: 0.8 or 0.7)."""

    def of(share: Share, alike: bool) -> Population:
        r_a, r_b = 0.8, 0.8 if alike else 0.7

        def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
            gold, x, y = rng.normal(size=(3, n))
            a, b = (r * gold + math.sqrt(1.0 - r * r) * e for r, e in ((r_a, x), (r_b, y)))
            return gold, a, copied(rng, share, a, b)

        def true(r: float) -> float:
            return 6.0 / math.pi * math.asin(r / 2.0) if metric == "spearman" else r

        # Both are linear in the joint distribution, as the margins are the same normal.
        mixed = share * true(r_a) + (1.0 - share) * true(r_b)
        return p.population_of_numbers("alike" if alike else "apart", draw, true(r_a), mixed)

    return of


def areas(share: Share, alike: bool, *, positives: float = 0.3) -> Population:
    """Scores of a binary gold, higher on the positives by 1.2 (B's own: by 1.2 or 0.9)."""
    up_a, up_b = 1.2, 1.2 if alike else 0.9

    def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
        gold = (rng.random(n) < positives).astype(np.float64)
        x, y = rng.normal(size=(2, n))
        a, b = up_a * gold + x, up_b * gold + y
        return gold, a, copied(rng, share, a, b)

    a, own = (0.5 * math.erfc(-up / 2.0) for up in (up_a, up_b))
    # Linear in the distribution of the positives; the negatives' is the same.
    return p.population_of_numbers("alike" if alike else "apart", draw, a, share * a + (1.0 - share) * own)


def rounded(of: Of) -> Of:
    """Return predictions in whole numbers, of alike systems: whatever the ties do, they differ by 0."""

    def whole(share: Share, alike: bool) -> Population:
        if not alike:
            raise ValueError("the true scores of rounded predictions are not known")
        exact = of(share, True)

        def draw(rng: np.random.Generator, n: int) -> Evaluation:
            found = exact.draw(rng, n)
            return Evaluation({name: np.rint(x) for name, x in found.systems.items()}, found.gold)

        return Population("alike", draw, 0.0, math.nan)

    return whole


def texts(share: Share, alike: bool) -> Population:
    """Segments of 4 to 40 words, of which a share drawn per segment is right; the output is a bit shorter."""
    lengths = np.arange(4, 41)
    right_a, right_b = (6.0, 4.0), (6.0, 4.0) if alike else (5.5, 4.5)
    cut = 0.95

    def answers(rng: np.random.Generator, reference: Any, right: tuple[float, float]) -> Any:
        words = np.maximum(rng.binomial(reference, cut), 1)
        quality = rng.beta(*right, size=words.size)
        first = rng.binomial(words, quality)
        return np.column_stack([words, first, rng.binomial(words, 0.6 * quality)]).astype(np.float64)

    def draw(rng: np.random.Generator, n: int) -> Evaluation:
        reference = rng.choice(lengths, size=n)
        a, b = (answers(rng, reference, right) for right in (right_a, right_b))
        return Evaluation({"a": a, "b": copied(rng, share, a, b)}, reference.astype(np.float64))

    expected = float(np.mean(cut * lengths + (1.0 - cut) ** lengths))
    penalty = math.exp(min(0.0, 1.0 - float(lengths.mean()) / expected))
    a, own = (one / sum((one, two)) for one, two in (right_a, right_b))
    mixed = share * a + (1.0 - share) * own
    true_a, true_b = (math.sqrt(0.6) * quality * penalty for quality in (a, mixed))
    return Population("alike" if alike else "apart", draw, true_a - true_b, true_a)


# -- the roster --------------------------------------------------------------------------------------

TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "accuracy": (
        "accuracy",
        {"priors": [0.0, 1.0], "a": p.confusion(1.0, 0.8), "b": p.confusion(1.0, 0.7)},
    ),
    "macro-F1": (
        "f1_macro",
        {"priors": [0.5, 0.3, 0.2], "a": p.confusion(0.8, 0.7, 0.6), "b": p.confusion(0.7, 0.6, 0.5)},
    ),
    "MCC": (
        "matthews_corrcoef",
        {"priors": [0.5, 0.5], "a": p.confusion(0.85, 0.8), "b": p.confusion(0.75, 0.7)},
    ),
}
_RARE = {"priors": [0.98, 0.02], "a": p.confusion(0.99, 0.7), "b": p.confusion(0.985, 0.6)}

MEASURES: dict[str, tuple[str | Metric, Of]] = {
    **{name: (metric, design_of_labels(metric, **labels)) for name, (metric, labels) in TABLES.items()},
    "skewed mean": ("mean", skewed),
    "Pearson": ("pearson", related("pearson")),
    "Spearman": ("spearman", related("spearman")),
    "AUC": ("roc_auc", areas),
    "BLEU-like": (BleuLike(), texts),
}
"""The metrics of the base design: how they are asked for, and their populations."""

RARE: dict[str, tuple[str | Metric, Of]] = {
    "F1 of 2 %": ("f1[1]", design_of_labels("f1[1]", **_RARE)),
    "macro-F1, 2 %": ("f1_macro", design_of_labels("f1_macro", **_RARE)),
    "MCC, 2 %": ("matthews_corrcoef", design_of_labels("matthews_corrcoef", **_RARE)),
    "AUC, 2 %": ("roc_auc", lambda share, alike: areas(share, alike, positives=0.02)),
}
"""A class of 2 % of the items."""
