"""The arguments that the designs and questions of planning share, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import ArrayLike, FloatArray, Rng
from bestby.planning.base import Design, Question
from bestby.resampling.progress import Progress
from bestby.resampling.settings import Resampling, combined
from bestby.resampling.streams import seed_of
from bestby.vocabulary import allowed_names


def checked_question(
    level: float,
    alternative: str,
    n_comparisons: int,
    n_simulations: int | None = None,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress | None = None,
    resampling: Resampling | None = None,
) -> Question:
    """Return how the test will decide, every argument checked."""
    chosen = combined(resampling, n_resamples, 999, rng=rng, progress=progress)
    return Question(
        checks.probability(level, "level"),
        checks.choice(alternative, allowed_names("alternative"), "alternative"),
        checks.positive_int(n_comparisons, "n_comparisons"),
        None if n_simulations is None else checks.positive_int(n_simulations, "n_simulations"),
        int(chosen.n_resamples or 0),
        seed_of(chosen.rng),
        chosen.progress,
    )


def check_design(design: Any) -> None:
    """Refuse what is no design."""
    if not isinstance(design, Design):
        raise InvalidInputError(
            f"design must be one of the designs of bestby.planning, got {type(design).__name__}",
            hint="for example PairedProportions(0.83, 0.80, agreement=0.9)",
            argument="design",
        )


def checked_size(design: Design, n: int | None) -> int:
    """Return the size given as n, or that of the pilot."""
    check_design(design)
    if n is None:
        if design.size is None:
            raise InvalidInputError(
                f"a design of {design.name} has no size of its own", hint=f"pass n=... {design.unit}"
            )
        return design.size
    size = checks.positive_int(n, "n")
    if not design.least <= size <= design.most:
        raise InvalidInputError(
            f"n must lie between {design.least} and {design.most} {design.unit} here, got {size}",
            argument="n",
        )
    return size


def check_wanted(wanted: float, question: Question) -> None:
    """Refuse a power that a test has without any difference."""
    if wanted <= question.alpha:
        raise InvalidInputError(
            f"power must be above the level of the test, {question.alpha:g}, got {wanted:g}",
            hint="0.8 is customary",
            argument="power",
        )


def check_costs(**costs: float) -> None:
    """Refuse a budget or a cost that is negative or not finite."""
    for what, value in costs.items():
        if not (math.isfinite(checks.amount(value, what)) and value >= 0.0):
            raise InvalidInputError(f"{what} must be 0 or a positive number, got {value}", argument=what)


def check_effect(design: Design, wanted: float, question: Question) -> None:
    """Refuse a power that no size of the study has."""
    check_design(design)
    checked_size(design, design.least)
    check_wanted(wanted, question)
    if design.margin is not None and rounding.level(design.effect, design.null, design.margin):
        raise DesignError(
            f"no size shows on which side of the margin a difference of exactly {design.margin:g} lies",
            hint="assume a difference beyond the margin, or within it",
        )
    if design.effect == design.null:
        raise DesignError(
            "no size has the power to detect a difference of 0",
            hint="assume the smallest difference that matters: difference=...",
        )
    sign = {"two-sided": 0.0, "greater": 1.0, "less": -1.0}[question.alternative]
    if sign * design.true_difference < 0.0:
        raise DesignError(
            f"the assumed difference of {design.true_difference:.6g} contradicts the alternative"
            f" {question.alternative!r}",
            hint='alternative="two-sided", or exchange the systems',
        )


def score_matrix(values: ArrayLike, what: str) -> FloatArray:
    """Return scores with a row per run and a column per item, checked."""
    array = checks.as_array(values, what)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or min(array.shape) < 2:
        raise InvalidInputError(
            f"{what} must be numbers with a row per run and a column per item, at least 2 of each,"
            f" got shape {array.shape} of {array.dtype}",
        )
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{what} must be finite", hint="leave out items that a run has no score for")
    return array.astype(np.float64)
