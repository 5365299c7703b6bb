"""Populations with a known true score, from which the coverage and calibration runs draw data sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestby.data.evaluation import Evaluation
from bestby.metrics import resolve

Floats = NDArray[np.float64]
CONCENTRATION = 4.0
"""Of the Dirichlet distribution of clusters: a correlation of 1 / (1 + 4) = 0.2 within them."""


@dataclass(frozen=True, eq=False)
class Population:
    """Where data sets come from, and the truth about it.

    Parameters
    ----------
    name : str
        In words.
    draw : callable
        Takes a generator and a size, returns an Evaluation of the systems "a" and "b".
    truth : float
        The score of A minus the score of B in the population.
    truth_a : float
        The score of A.
    agreement : float
        The probability that the systems agree on an item; NaN for real-valued predictions.
    """

    name: str
    draw: Callable[[np.random.Generator, int], Evaluation]
    truth: float
    truth_a: float
    agreement: float = math.nan


def population_of_labels(name: str, metric: str, pmf: Floats) -> Population:
    """Items with labels drawn from a table of probabilities, shape (gold, A, B)."""
    gold, a, b = _cells(pmf)

    def draw(rng: np.random.Generator, n: int) -> Evaluation:
        counts = rng.multinomial(n, pmf.ravel())
        return _labelled(gold, a, b, counts)

    return Population(name, draw, *_truth(metric, pmf), float(pmf.ravel()[a == b].sum()))


def population_of_clusters(name: str, metric: str, pmf: Floats, sizes: tuple[int, ...]) -> Population:
    """Clusters that each have a table of their own, drawn about `pmf`; sizes are drawn from `sizes`."""
    gold, a, b = _cells(pmf)
    positive = pmf.ravel() > 0.0
    alpha = CONCENTRATION * pmf.ravel()[positive]

    def draw(rng: np.random.Generator, n: int) -> Evaluation:
        size = rng.choice(sizes, size=n)
        counts = np.zeros((n, pmf.size), dtype=np.int64)
        counts[:, positive] = rng.multinomial(size, rng.dirichlet(alpha, size=n))
        items = np.tile(np.arange(pmf.size), n).repeat(counts.ravel())
        clusters = np.arange(n).repeat(size)
        return Evaluation({"a": a[items], "b": b[items]}, gold[items], clusters=clusters)

    return Population(name, draw, *_truth(metric, pmf), float(pmf.ravel()[a == b].sum()))


def population_of_numbers(
    name: str,
    draw: Callable[[np.random.Generator, int], tuple[Floats | None, Floats, Floats]],
    truth_a: float,
    truth_b: float,
) -> Population:
    """Items with numbers: `draw` returns gold (or None), A and B."""

    def evaluation(rng: np.random.Generator, n: int) -> Evaluation:
        gold, a, b = draw(rng, n)
        return Evaluation({"a": a, "b": b}, gold)

    return Population(name, evaluation, truth_a - truth_b, truth_a)


def _cells(pmf: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    gold, a, b = np.indices(pmf.shape)
    return gold.ravel(), a.ravel(), b.ravel()


def _labelled(
    gold: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64], counts: NDArray[np.int64]
) -> Evaluation:
    return Evaluation({"a": a.repeat(counts), "b": b.repeat(counts)}, gold.repeat(counts))


def _truth(metric: str, pmf: Floats) -> tuple[float, float]:
    """Return the true difference and the true score of A: the metric of the table itself."""
    gold, a, b = _cells(pmf)
    fitted: Any = resolve(metric).fit(gold, [a, b], np.arange(pmf.shape[0]))
    score_a, score_b = (float(fitted.score(pmf.ravel() @ fitted.statistics(gold, x))) for x in (a, b))
    return score_a - score_b, score_a


# -- tables ------------------------------------------------------------------------------------------


def right_or_wrong(accuracy_a: float, accuracy_b: float, agreement: float) -> Floats:
    """Two systems on a gold that is always 1, given their accuracies and how often they agree."""
    only_a = (1.0 - agreement + accuracy_a - accuracy_b) / 2.0
    only_b = (1.0 - agreement - accuracy_a + accuracy_b) / 2.0
    both = accuracy_a - only_a
    pmf = np.zeros((2, 2, 2))
    pmf[1] = [[1.0 - both - only_a - only_b, only_b], [only_a, both]]
    if pmf.min() < -1e-12:
        raise ValueError("no two systems have these accuracies and this agreement")
    return np.maximum(pmf, 0.0)


def copying(priors: list[float], a: list[list[float]], b: list[list[float]], copied: float) -> Floats:
    """B repeats A's label with probability `copied`, else answers by itself; a, b: P(label | gold)."""
    of_a, of_b, prior = np.array(a), np.array(b), np.array(priors)
    same = np.eye(prior.size)
    given_a = copied * same[None] + (1.0 - copied) * of_b[:, None, :]
    return prior[:, None, None] * of_a[:, :, None] * given_a


def confusion(*right: float) -> list[list[float]]:
    """P(label | gold) of a system that is right with these probabilities, its errors spread evenly."""
    size = len(right)
    return [[p if i == j else (1.0 - p) / (size - 1) for j in range(size)] for i, p in enumerate(right)]


# -- numbers -----------------------------------------------------------------------------------------


def _pair(rng: np.random.Generator, n: int, correlation: float) -> tuple[Floats, Floats]:
    x = rng.normal(size=n)
    return x, correlation * x + math.sqrt(1.0 - correlation**2) * rng.normal(size=n)


def scores(kind: str) -> Population:
    """Per-item scores of two systems: normal, skewed, heavy-tailed, ratings, or mostly tied."""

    def draw(rng: np.random.Generator, n: int) -> tuple[None, Floats, Floats]:
        x, y = _pair(rng, n, 0.5)
        if kind == "normal":
            return None, x, y
        if kind == "lognormal":
            return None, np.exp(x), np.exp(0.5 * y)
        if kind == "t with 3 degrees of freedom":
            common = rng.normal(size=n)
            return None, common + rng.standard_t(3, size=n), common
        if kind == "ratings 1 to 5":
            return None, np.clip(np.rint(3.5 + x), 1, 5), np.clip(np.rint(3.5 + y), 1, 5)
        tied = rng.random(n) < (0.9 if kind.startswith("90") else 0.5)
        moved = rng.exponential(size=n) if kind.endswith("skewed") else rng.normal(0.3, 1.0, size=n)
        return None, np.where(tied, y, y + moved), y

    if kind == "lognormal":
        return population_of_numbers(kind, draw, math.exp(0.5), math.exp(0.125))
    if kind.startswith(("90", "50")):
        share = 0.1 if kind.startswith("90") else 0.5
        return population_of_numbers(kind, draw, share * (1.0 if kind.endswith("skewed") else 0.3), 0.0)
    if kind == "ratings 1 to 5":
        return population_of_numbers(kind, draw, *_mean_rating())
    return population_of_numbers(kind, draw, 0.0, 0.0)


def _mean_rating() -> tuple[float, float]:
    below = [0.5 * math.erfc(-(k + 0.5 - 3.5) / math.sqrt(2.0)) for k in (1, 2, 3, 4)]
    mean = 5.0 - sum(below)
    return mean, mean


def correlated(metric: str, a: float, b: float, copied: float) -> Population:
    """Gold and two predictions, jointly normal with the correlations a and b to the gold.

    `copied` is the share of the noise of the predictions that both have in common.
    """

    def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
        gold = rng.normal(size=n)
        x, y = _pair(rng, n, copied)
        return gold, a * gold + math.sqrt(1 - a * a) * x, b * gold + math.sqrt(1 - b * b) * y

    def true(r: float) -> float:
        if metric == "spearman":
            return 6.0 / math.pi * math.asin(r / 2.0)
        if metric == "kendall":
            return 2.0 / math.pi * math.asin(r)
        return r if metric == "pearson" else math.sqrt(2.0 - 2.0 * r)  # rmse of unit normals

    name = f"correlations {a:g} and {b:g}, noise {100 * copied:g} % shared"
    return population_of_numbers(name, draw, true(a), true(b))


def separated(a: float, b: float, copied: float, positives: float) -> Population:
    """A binary gold and two normal predictions that are a and b higher on the positives (for ROC-AUC)."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
        gold = (rng.random(n) < positives).astype(np.float64)
        x, y = _pair(rng, n, copied)
        return gold, a * gold + x, b * gold + y

    areas = [0.5 * math.erfc(-shift / 2.0) for shift in (a, b)]
    name = f"areas {areas[0]:.2f} and {areas[1]:.2f}, {100 * positives:g} % positive"
    name += f", noise {100 * copied:g} % shared"
    return population_of_numbers(name, draw, *areas)


# -- systems that can be exchanged -------------------------------------------------------------------


def symmetric(pmf: Floats) -> Floats:
    """The table in which A and B have changed places in half of the cases."""
    half: Floats = (pmf + pmf.transpose(0, 2, 1)) / 2.0
    return half


def nulls() -> dict[str, tuple[str, Population]]:
    """Return, by name, a metric and a population in which the two systems are exchangeable."""
    three, rare = confusion(0.8, 0.7, 0.6), confusion(0.98, 0.7)

    def alike(noise: Callable[[np.random.Generator, int], Floats]) -> Population:
        return population_of_numbers("", lambda rng, n: (None, noise(rng, n), noise(rng, n)), 0.0, 0.0)

    def tied(rng: np.random.Generator, n: int) -> tuple[None, Floats, Floats]:
        b = rng.normal(size=n)
        return None, b + np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n)), b

    def table(metric: str, pmf: Floats) -> tuple[str, Population]:
        return metric, population_of_labels("", metric, symmetric(pmf))

    return {
        "accuracy 60 %, agree on 60 %": table("accuracy", right_or_wrong(0.6, 0.6, 0.6)),
        "accuracy 90 %, agree on 90 %": table("accuracy", right_or_wrong(0.9, 0.9, 0.9)),
        "accuracy 90 %, agree on 97 %": table("accuracy", right_or_wrong(0.9, 0.9, 0.97)),
        "normal scores": ("mean", scores("normal")),
        "heavy tails (t, 3 df)": ("mean", alike(lambda rng, n: rng.standard_t(3, size=n))),
        "skewed scores (lognormal)": ("mean", alike(lambda rng, n: np.exp(rng.normal(size=n)))),
        "normal, 90 % tied": ("mean", population_of_numbers("", tied, 0.0, 0.0)),
        "macro-F1, 3 classes": table("f1_macro", copying([0.5, 0.3, 0.2], three, three, 0.6)),
        "F1 of a class of 5 %": table("f1[1]", copying([0.95, 0.05], rare, rare, 0.6)),
        "RMSE": ("rmse", correlated("rmse", 0.7, 0.7, 0.5)),
        "Spearman": ("spearman", correlated("spearman", 0.7, 0.7, 0.5)),
        "ROC-AUC": ("roc_auc", separated(1.5, 1.5, 0.5, 0.3)),
    }


def clustered_null() -> Population:
    """Return exchangeable systems of 80 % accuracy on clusters of 1 to 16 items."""
    return population_of_clusters("", "accuracy", right_or_wrong(0.8, 0.8, 0.8), (1, 2, 4, 8, 16))
