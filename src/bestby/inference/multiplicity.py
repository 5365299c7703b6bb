"""Adjust the p-values of a family of comparisons for their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import overload

import numpy as np

from bestby._core import checks, rounding
from bestby._core.typing import Alternative, ArrayLike, BoolArray, FloatArray
from bestby.inference.joint import Joint
from bestby.vocabulary import allowed_names


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down procedure (1979, Scand. J. Statist. 6, 65-70).

    It controls the family-wise error rate under any dependence, and is never less powerful than `bonferroni`.

    >>> holm([0.04, 0.01, 0.03, 0.02])
    array([0.06, 0.04, 0.06, 0.06])
    """
    p = checks.p_values(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def bonferroni(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by their number (Dunn 1961, J. Amer. Statist. Assoc. 56, 52-64).

    It controls the family-wise error rate under any dependence.
    """
    p = checks.p_values(p_values)
    return np.minimum(p * p.size, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by the step-up procedure of Benjamini and Hochberg.

    Benjamini & Hochberg (1995), J. R. Statist. Soc. B 57, 289-300. It controls the false discovery rate, not
    the family-wise error rate, when the tests are independent or positively dependent. Unlike under `holm`
    and `bonferroni`, further comparisons with small p-values can make the others smaller: that is what a
    share of discoveries means.
    """
    p = checks.p_values(p_values)
    order = np.argsort(p, kind="stable")
    factors = p.size / np.arange(1, p.size + 1)  # none below 1, so rounding cannot shrink a p-value
    stepped = np.minimum.accumulate((p[order] * factors)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = stepped  # the last factor is 1, so none is above the largest p-value
    return adjusted


def _unadjusted(p_values: ArrayLike) -> FloatArray:
    return checks.p_values(p_values).copy()


_CORRECTIONS: dict[str, Callable[[ArrayLike], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": _unadjusted,
}


STEP_DOWN = "step-down"
"""The correction that needs to know how the differences vary together."""


def adjust_jointly(
    p_values: FloatArray, correction: str, alternative: Alternative, joint: Callable[[], Joint]
) -> FloatArray:
    """Adjust the p-values of a family whose joint distribution `joint` makes, if the correction needs it."""
    if correction != STEP_DOWN:
        return adjust(p_values, correction)
    return joint().stepped_down(p_values, alternative)


def adjust(p_values: ArrayLike, correction: str) -> FloatArray:
    """Adjust the raw p-values of a whole family, in the order given, by the correction of that name."""
    return _CORRECTIONS[checks.choice(correction, allowed_names("correction"), "correction")](p_values)


@overload
def rejects(p_value: float, alpha: float) -> bool: ...


@overload
def rejects(p_value: FloatArray, alpha: float) -> BoolArray: ...


def rejects(p_value: float | FloatArray, alpha: float) -> bool | BoolArray:
    """Return whether a test at the level alpha rejects: p <= alpha, but for the rounding of a correction."""
    return rounding.at_most(p_value, alpha)


@lru_cache(maxsize=64)
def alpha_of(level: float) -> float:
    """Return 1 - level without the rounding of the subtraction."""
    return round(1.0 - level, 15)
