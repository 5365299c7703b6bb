"""What a pilot with a judge's scores and human labels tells of both, within strata."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestby._core import checks, rounding
from bestby._core.arrays import as_array
from bestby._core.errors import InvalidInputError
from bestby._core.text import counted, quoted
from bestby._core.typing import Array, BoolArray, FloatArray, IntArray
from bestby.inference.clusters import equal_units

LEAST_OF_STRATUM = 2
"""Labels of a stratum that tell its variance."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of human scores inside strata, and what a judge leaves of it.

    Parameters
    ----------
    within, residual : float
        The mean variance inside the strata, each counted as its share of the items, and what the regression
        on the judge leaves of it.
    slope : float
        That of the regression inside the strata.
    n_strata : int
        The number of strata, 1 without.
    errors : float
        The share of the labels that carry what is left: as many of equal weight have its variance.
    """

    within: float
    residual: float
    slope: float
    n_strata: int
    errors: float

    @property
    def correlation(self) -> float:
        """That of human and judge inside the strata."""
        return math.copysign(math.sqrt(max(0.0, 1.0 - self.residual / self.within)), self.slope)


def spread_of(x: FloatArray, y: FloatArray, known: BoolArray, strata: IntArray) -> Spread:
    """Return both variances, from scores of all items by the judge, x, and of those known by humans, y.

    Strata have codes from 0. A label counts as the share of its stratum among all items over the labels of
    the stratum, so that it does not matter how they were divided over the strata.
    """
    shares = np.bincount(strata) / strata.size
    code = strata[known]
    counts = np.bincount(code, minlength=shares.size)
    weights = (shares / counts)[code]
    means = np.bincount(code, weights=y[known]) / counts
    own = y[known] - means[code]
    judge = x[known] - (np.bincount(code, weights=x[known]) / counts)[code]
    variances = np.bincount(code, weights=own**2) / (counts - 1.0)
    bottom = float((weights * judge) @ judge)
    slope = float((weights * judge) @ own) / bottom if bottom > 0.0 else 0.0
    rest = own - slope * judge
    left = np.bincount(code, weights=rest**2) / (counts - 1.0)
    freedom = float(counts.sum() - shares.size)
    residual = float(shares @ left) * freedom / (freedom - (bottom > 0.0))
    known_error = not rounding.is_nothing(float(np.abs(rest).max()), float(np.abs(own).max()))
    errors = equal_units((weights * rest) ** 2) / code.size if known_error else 0.0
    return Spread(float(shares @ variances), residual, slope, shares.size, errors)


def strata_of(strata: Any, known: BoolArray) -> IntArray:
    """Return the codes of the strata of a pilot; all items are in one if none are given."""
    if strata is None:
        return np.zeros(known.size, dtype=np.int64)
    labels = as_array(strata, "strata")
    if labels.size != known.size:
        raise InvalidInputError(
            f"strata must have one entry per item, {known.size}, got {labels.size}",
            hint="of all judged items of the pilot, labelled or not",
            argument="strata",
        )
    names, codes = np.unique(_texts(labels), return_inverse=True)
    codes = codes.reshape(-1)
    counts = np.bincount(codes[known], minlength=names.size)
    few = int(np.argmin(counts))
    if counts[few] < LEAST_OF_STRATUM:
        raise InvalidInputError(
            f"stratum {quoted(str(names[few]))} has {counted(int(counts[few]), 'label')} in the pilot, and"
            f" {LEAST_OF_STRATUM} are the least",
            hint="label more of its items, or join it with another stratum",
            argument="strata",
        )
    return codes


def _texts(labels: Array) -> Array:
    """Return the names of the strata; None and NaN are refused."""
    values = labels.tolist()
    if any(map(checks.missing, values)):
        raise InvalidInputError("an item has no stratum", hint="give each one", argument="strata")
    return np.array([str(value) for value in values])


def pilot_numbers(judge: Any, human: Any) -> tuple[FloatArray, FloatArray]:
    """Return the judge's and the human numbers of each item: scores, or differences of two systems."""
    if isinstance(judge, Mapping) != isinstance(human, Mapping):
        raise InvalidInputError(
            "judge and human must both be scores of one system, or both those of two",
            hint='judge={"a": ..., "b": ...}, human={"a": ..., "b": ...}',
            argument="human",
        )
    if not isinstance(judge, Mapping):
        return _joined(judge, human)
    if len(judge) != 2 or {*judge} != {*human}:
        raise InvalidInputError(
            f"a pilot has the judge and the humans on the same two systems, got {quoted([*judge])} and"
            f" {quoted([*human])}",
            hint="choose two: their differences are planned for",
            argument="judge",
        )
    (x_a, y_a), (x_b, y_b) = (_joined(judge[name], human[name]) for name in judge)
    if x_a.size != x_b.size:
        raise InvalidInputError(
            f"both systems need the same items, got {x_a.size} and {x_b.size}",
            hint="put None where a label is missing",
            argument="judge",
        )
    return x_a - x_b, y_a - y_b


def _joined(judge: Any, human: Any) -> tuple[FloatArray, FloatArray]:
    x, y = _numbers(judge, "judge"), _numbers(human, "human")
    if x.size != y.size or np.isnan(x).any():
        what = "the judge must have scored every item" if x.size == y.size else "lengths differ"
        raise InvalidInputError(
            f"{what}: {int((~np.isnan(x)).sum())} scores by the judge, and {y.size} items with or without a"
            " label",
            hint="human has one entry per item of judge, None where there is no label",
            argument="judge",
        )
    return x, y


def _numbers(values: Any, what: str) -> FloatArray:
    """Return numbers with NaN where there is none."""
    try:
        numbers = np.array(values.tolist() if hasattr(values, "tolist") else list(values), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{what} must be numbers, got {quoted(values)}", hint="None where there is none", argument=what
        ) from error
    if numbers.ndim != 1 or np.isinf(numbers).any():
        raise InvalidInputError(
            f"{what} must be finite numbers, one per item", hint="None where there is none", argument=what
        )
    return numbers
