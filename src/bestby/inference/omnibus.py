"""Tests of whether all systems are alike: Cochran's Q and Friedman's."""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import chdtrc

from bestby._core import checks
from bestby._core.chunks import chunks
from bestby._core.errors import InvalidInputError
from bestby._core.typing import ArrayLike, FloatArray, IntArray
from bestby.inference.classical import _numbers, doubled_ranks


def cochran_q(x: ArrayLike, counts: IntArray | None = None) -> tuple[float, int, float]:
    """Cochran's Q test that all systems are right equally often (1950, Biometrika 37, 256-266, eq. 4).

    `x`, of shape (n, S), is 1 where a system has an item right, else 0. Q is 0 if no two systems differ on
    any item.
    """
    scores = _matrix(x)
    right = scores == 1
    if not (right | (scores == 0)).all():
        raise InvalidInputError(
            "Cochran's Q needs scores of 0 and 1 only",
            hint="use Friedman's test for scores of other values",
        )
    size = scores.shape[1]
    times = np.ones(len(right), dtype=np.int64) if counts is None else counts
    per_system = [int(number) for number in times @ right]
    per_item = np.bincount(right.sum(axis=1), times, minlength=size + 1)
    spread = sum(int(items) * k * (size - k) for k, items in enumerate(per_item))
    between = size * sum(number * number for number in per_system) - sum(per_system) ** 2
    return _chi_squared((size - 1) * between / spread if spread else 0.0, size - 1)


def friedman(x: ArrayLike, counts: IntArray | None = None) -> tuple[float, int, float]:
    """Friedman's test that all systems rank alike, with midranks and the correction for ties.

    Friedman (1937), J. Amer. Statist. Assoc. 32, 675-701; ties by Conover (1999), Practical Nonparametric
    Statistics, 3rd ed., section 5.8. `counts` says how many items have each row of `x`, of shape (n, S). The
    statistic, chi-squared, is 0 if all systems are tied on every item.
    """
    scores = _matrix(x)
    size = scores.shape[1]
    sums, squares = np.zeros(size, dtype=np.int64), 0
    for part in chunks(*scores.shape):
        centred = doubled_ranks(scores[part]) - (size + 1)
        times = np.ones(len(centred), dtype=np.int64) if counts is None else counts[part]
        sums += times @ centred
        squares += int(times @ (centred * centred).sum(axis=1))
    between = sum(int(total) ** 2 for total in sums)
    return _chi_squared((size - 1) * between / squares if squares else 0.0, size - 1)


def _chi_squared(statistic: float, df: int) -> tuple[float, int, float]:
    return statistic, df, max(float(chdtrc(df, statistic)), sys.float_info.min)


def _matrix(x: ArrayLike) -> FloatArray:
    scores = _numbers(checks.as_array(x, "x"), "x")
    if scores.ndim != 2 or scores.shape[1] < 2:
        raise InvalidInputError(
            f"x must have one row per item and a column for each of two or more systems, got {scores.shape}"
        )
    if not np.isfinite(scores).all():
        row, system = np.argwhere(~np.isfinite(scores))[0]
        raise InvalidInputError(f"x must be finite, got {scores[row, system]} at item {row}, system {system}")
    return scores
