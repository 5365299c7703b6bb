"""Preferences between systems: win rates, and strengths by Bradley and Terry or Davidson, from win matrices.

A win matrix is a sum over judgements, so strengths are functions of sums: everything here takes any number of
win matrices at once, and resampled ones are refitted together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bestby._core import checks
from bestby._core.errors import DesignError, InvalidInputError
from bestby._core.typing import ArrayLike, FloatArray
from bestby.questions.preferences import _strengths
from bestby.vocabulary import allowed_names

Ties = Literal["half", "davidson"]

ELO = 400.0 / math.log(10.0)
"""Points on the Elo scale per unit of log strength."""


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths fitted to one or several win matrices.

    `log`, of shape (..., S): log strengths, whose mean is 0; NaN where there is no finite estimate. `tie`, of
    shape (...): Davidson's tie parameter; 0 where ties are halves.
    """

    log: FloatArray
    tie: FloatArray

    def preference(self, a: int, b: int) -> FloatArray:
        """Return the probability that A is preferred to B, a tie counting half, shape (...)."""
        q, _ = _strengths.probabilities(self.log[..., a] - self.log[..., b], _strengths.log_of(self.tie))
        return q


def win_rates(wins: ArrayLike, ties: ArrayLike | None = None) -> FloatArray:
    """Return the share of its judgements that each system wins, a tie counting half; NaN without any."""
    w, t = _matrices(wins, ties)
    won: FloatArray = (w + 0.5 * t).sum(axis=-1)
    judged = (w + np.swapaxes(w, -1, -2) + t).sum(axis=-1)
    rates: FloatArray = np.divide(won, judged, out=np.full_like(won, np.nan), where=judged > 0.0)
    return rates


def strengths(
    wins: ArrayLike, ties: ArrayLike | None = None, *, model: str = "half", prior: float = 0.0
) -> Strengths:
    """Fit strengths by maximum likelihood to win matrices of shape (..., S, S).

    With strengths exp(b), the odds of A against B are exp(b_A - b_B) (Bradley & Terry 1952, Biometrika 39,
    324-345); Davidson's tie has the weight nu exp((b_A + b_B) / 2) beside exp(b_A) and exp(b_B) (Davidson
    1970, J. Amer. Statist. Assoc. 65, 317-328). A minorise-maximise step multiplies each strength by the wins
    observed over those expected (Hunter 2004, Ann. Statist. 32, 384-406, eq. 3), and nu by the ties observed
    over those expected. Such steps converge slowly where few judgements join groups of systems, so after five
    of them Newton's method finishes, its steps damped by log(1 + r) / r with r their reach, by which it
    converges from anywhere (Bach 2010, Electron. J. Statist. 4, 384-414).

    `prior` judgements, half of them won and half lost, are added between every two systems, which gives a
    system that won or lost all a finite strength. The estimates are NaN where there are none: for every two
    groups of systems, some of each must have won against some of the other.
    """
    checks.choice(model, allowed_names("ties"), "ties")
    if not 0.0 <= prior <= checks.LARGEST:
        raise InvalidInputError(
            f"prior must be a number of judgements, at least 0 and at most {checks.LARGEST:g}, got {prior}",
            hint="prior=1 is usual",
            argument="prior",
        )
    w, t = _matrices(wins, ties)
    w = w + 0.5 * prior * (1.0 - np.eye(w.shape[-1]))
    if model == "half":
        w, t = w + 0.5 * t, np.zeros_like(t)
    shape, size = w.shape[:-2], w.shape[-1]
    log, tie = _strengths.fit(w.reshape(-1, size, size), t.reshape(-1, size, size))
    return Strengths(log.reshape(*shape, size), tie.reshape(shape))


def groups(wins: ArrayLike, ties: ArrayLike | None = None) -> list[tuple[list[int], str]]:
    """Return the groups of systems within which wins and ties lead from each to each, and how they stand.

    A group is "apart": never judged with any other; "ahead": never lost or tied with another group; "behind":
    never won or tied; "between": the rest.
    """
    reach = _strengths.leads(*_matrices(wins, ties))
    both = reach & reach.T
    out = []
    for members in sorted({tuple(np.flatnonzero(row).tolist()) for row in both}):
        inside = np.isin(np.arange(reach.shape[0]), members)
        wins_out, loses_out = bool(reach[inside][:, ~inside].any()), bool(reach[~inside][:, inside].any())
        stands = {(False, False): "apart", (True, False): "ahead", (False, True): "behind"}
        out.append((list(members), stands.get((wins_out, loses_out), "between")))
    return out


def _matrices(wins: ArrayLike, ties: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    w = np.asarray(wins, dtype=np.float64)
    if w.ndim < 2 or w.shape[-1] != w.shape[-2] or w.shape[-1] < 2:
        raise InvalidInputError(f"wins must have a row and a column per system, two at least, got {w.shape}")
    t = np.zeros_like(w) if ties is None else np.asarray(ties, dtype=np.float64)
    if t.shape != w.shape:
        raise InvalidInputError(f"wins and ties must have one shape, got {w.shape} and {t.shape}")
    for what, matrix in (("wins", w), ("ties", t)):
        if not (np.isfinite(matrix).all() and (matrix >= 0.0).all()):
            raise InvalidInputError(f"{what} must be numbers of judgements, at least 0")
        if np.diagonal(matrix, axis1=-2, axis2=-1).any():
            raise InvalidInputError(f"{what} must be 0 on the diagonal: no system is judged against itself")
    if (t != np.swapaxes(t, -1, -2)).any():
        raise InvalidInputError("ties must be symmetric", hint="ties[i, j] and ties[j, i] are the same ties")
    return w, t


def refuse_unconnected(wins: ArrayLike, ties: ArrayLike, names: Sequence[str]) -> None:
    """Refuse a win matrix without finite strengths, naming the systems that stand apart."""
    parts = groups(wins, ties)
    if len(parts) == 1:
        return
    reasons = {
        "apart": "never met any of the others",
        "ahead": "never lost or tied against any of the others",
        "behind": "never won or tied against any of the others",
    }
    members, stands = next(entry for kind in reasons for entry in parts if entry[1] == kind)
    listed = ", ".join(names[i] for i in members[:5]) + (", …" if len(members) > 5 else "")
    raise DesignError(
        f"strengths have no finite estimate: {listed} {reasons[stands]}",
        hint="prior=1 adds a judgement, half won and half lost, between every two systems;"
        " or leave these systems out",
    )


def refuse_infinite(fitted: Strengths) -> None:
    """Refuse strengths without a finite estimate though wins and ties lead from every system to every other.

    All judgements are ties then, or every lead above some size was a win, every one below it a tie.
    """
    if np.isnan(fitted.log).any():
        raise DesignError(
            "strengths have no finite estimate: the judgements are all ties, or wins and ties can be told"
            " apart without error",
            hint='ties="half" counts a tie as half a win for both',
        )
