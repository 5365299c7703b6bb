"""The questions of the decision tree, and how a case answers them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestby.questions.advice.result import Case

FEWEST_DIFFERING = 6
"""Differing items from which a two-sided exact test can reach 5 %: 2 ** (1 - 6) = 0.031."""


FEWEST_RUNS = 4
"""Runs of each of two systems from which a permutation can reach 5 %: 2 / binomial(8, 4) = 0.029."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, at the end of a path.

    `correction` says how p-values of several comparisons are corrected; "auto" is resolved from the number of
    systems.
    """

    test: str
    interval: str
    call: str
    correction: str = "auto"


@dataclass(frozen=True, slots=True)
class Answer:
    """One way on from a question."""

    reason: str
    source: str
    leads_to: str | Recommendation


@dataclass(frozen=True, slots=True)
class Question:
    """One fork of the tree.

    `ask` takes a `Case`, returns the key of an answer.
    """

    text: str
    ask: Callable[[Case], str]
    answers: dict[str, Answer]


def repetition(case: Case) -> str:
    """Return what was repeated."""
    if case.n_folds:
        return "folds"
    if case.n_datasets > 1:
        return "datasets"
    return "runs" if case.n_runs > 1 else "nothing"


def differing_items(case: Case) -> str:
    """Return whether enough items differ for an exact test."""
    most = case.most_differing
    if most is not None and most < FEWEST_DIFFERING:
        return "fewer than six"
    return "not known" if case.n_differing is None else "six or more"


def kind_of_score(case: Case) -> str:
    """Return whether the score is a mean of one number per item, and of which kind."""
    if not case.mean_of_items:
        return "no"
    return "right or wrong" if case.binary else "a number"


def clustering(case: Case) -> str:
    """Return how items are grouped."""
    if case.crossed:
        return "in two groupings that cross"
    return "yes" if case.clustered else "no"


def most_tied(case: Case) -> str:
    """Return whether most items have the same number for both systems."""
    if case.n_items is None or case.n_differing is None:
        return "not known"
    return "yes" if 2 * case.n_differing < case.n_items else "no"


def cross_validation(case: Case) -> str:
    """Return how often the cross-validation was made."""
    if case.n_runs == 1:
        return "once"
    return "several times in halves" if case.n_folds == 2 else "several times"


def dataset_tests(case: Case) -> str:
    """Return how many systems are compared, and whether each dataset has a test."""
    if case.n_systems > 2:
        return "several systems"
    if case.n_runs > 1:
        return "two, with runs"
    return "two, with items" if case.n_items is not None else "two, scores only"
