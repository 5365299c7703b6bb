"""Standard errors and curvatures from the influence of each unit on an estimate that is no mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bestby._core.typing import FloatArray, IntArray, ScorePath

STEP = 2.0**-6
"""The step along a path: its square, and rounding divided by that, are both small."""

_STEPS = np.array([STEP, 0.0, -STEP])


class Shown(NamedTuple):
    """Which share of the variance inside strata standard errors hold, and which resamples; see `shown`."""

    by_formula: float
    by_resamples: float


ALL_SHOWN = Shown(1.0, 1.0)
"""Of units without strata."""


def shown(sizes: IntArray) -> Shown:
    """Return which share of the variance inside strata of these sizes is seen, if all units vary alike.

    A standard error takes nothing from a stratum of one unit. Resamples of a stratum of n units vary by
    (n - 1) / n of what other units would (Rao & Wu 1988, J. Amer. Statist. Assoc. 83, 231-241).

    >>> shown(np.array([2, 2]))
    Shown(by_formula=1.0, by_resamples=0.5)
    >>> shown(np.array([1, 1, 18]))
    Shown(by_formula=0.9, by_resamples=0.85)
    """
    if sizes.size == 1:
        return ALL_SHOWN
    n = int(sizes.sum())
    return Shown((n - int((sizes == 1).sum())) / n, (n - sizes.size) / n)


@dataclass(frozen=True, eq=False)
class Path:
    """A score as the weights of the units change along a line.

    ``scores(multiples)`` returns the scores, shape (R,), after multiples, of shape (R,), of the step that the
    path is of. `beginning` holds the score where the path begins and its second derivative along the path
    there, if they are known without steps; see `score_and_bend`.
    """

    scores: ScorePath
    beginning: tuple[float, float] | None = None


def standard_error(influence: FloatArray, counts: IntArray | FloatArray, bounds: IntArray) -> float:
    """Return the standard error of an estimate from the influence of units, of each kind so many.

    `influence` and `counts` have shape (C,), and `bounds` has the edges of the strata. A stratum of one unit
    adds nothing.

    >>> standard_error(np.array([-0.5, 0.5]), np.array([2, 2]), np.array([0, 2])) ** 2
    1.3333333333333333
    """
    variance = 0.0
    for start, stop in pairwise(bounds.tolist()):
        c, v = counts[start:stop], influence[start:stop]
        n = int(c.sum())
        if n > 1:
            squares = v - float(c @ v) / n
            squares *= squares
            variance += float(c @ squares) * n / (n - 1)
    return math.sqrt(variance)


def variances(influence: FloatArray, bounds: IntArray) -> list[float]:
    """Return the variance of an estimate that comes from each stratum, of which `bounds` has the edges.

    `influence`, of shape (U,), is what each unit adds to the estimate. A stratum of one unit has none.
    """
    found = []
    for start, stop in pairwise(bounds.tolist()):
        part, n = influence[start:stop], stop - start
        deviations = part - part.mean()
        deviations *= deviations
        found.append(float(deviations.sum()) * n / (n - 1) if n > 1 else 0.0)
    return found


def satterthwaite(influence: FloatArray, bounds: IntArray) -> float:
    """Return the degrees of freedom of a variance that is the sum of those of several samples; at least 1.

    Satterthwaite (1946), Biometrics Bulletin 2, 110-114.

    >>> round(satterthwaite(np.array([-0.1, 0.1, -0.1, 0.0, 0.1]), np.array([0, 2, 5])), 2)
    2.39
    """
    parts = variances(influence, bounds)
    freedom = np.diff(bounds).tolist()
    squares = sum(v * v / (n - 1) for v, n in zip(parts, freedom, strict=True) if n > 1)
    return max(1.0, sum(parts) ** 2 / squares) if squares > 0.0 else max(1.0, float(influence.size - 2))


def bend(path: ScorePath) -> float:
    """Return the second derivative of a score along a path."""
    return score_and_bend(path)[1]


def score_and_bend(path: ScorePath) -> tuple[float, float]:
    """Return a score where a path begins, and its second derivative along the path there."""
    up, here, down = path(_STEPS).tolist()
    return float(here), float((up - here) + (down - here)) / STEP**2


def within(
    first: FloatArray, curvature: float, bounds: IntArray, along: Callable[[FloatArray], ScorePath]
) -> tuple[FloatArray, float]:
    """Return derivatives as weight is moved to each unit, from those by its weight alone.

    `curvature` is the sum of the second derivatives over all units. The weight comes from all units of the
    same stratum. The score does not change when all weights grow together, so that of a single stratum only
    the rounding in the sum of the first derivatives is taken away.
    """
    first = first.copy()
    several = bounds.size > 2
    for start, stop in pairwise(bounds.tolist()):
        first[start:stop] -= first[start:stop].mean()
        if several:
            together = np.zeros(first.size)
            together[start:stop] = 1.0
            curvature -= bend(along(together)) / (stop - start)
    return first, curvature
