"""Which systems are shown to be dominated: worse than another one, and not cheaper by any cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestby._core.typing import BoolArray, FloatArray, IntArray
from bestby.inference import multiplicity

SELECTED = 0.1
"""Share of the level that is spent on leaving out pairs of which one surely does not dominate the other."""


@dataclass(frozen=True, eq=False)
class Dominated:
    """The p-value of each system that none dominates it, adjusted for all, and the system that comes nearest.

    Both have shape (k,). Systems with a p-value of at most alpha are off the frontier.
    """

    p_adjusted: FloatArray
    by: IntArray


def price_p_values(price: FloatArray) -> FloatArray:
    """Return the p-values of known prices, shape (k, k): 0 where j is not dearer than i, 1 where it is."""
    return np.where(price[:, None] <= price, 0.0, 1.0)


def dominated(p_values: list[FloatArray], alpha: float) -> Dominated:
    """Test for each system that no other one dominates it, so that all on the frontier are kept at once.

    `p_values` are those that j is no better than i, shape (k, k), one array for the quality and one for each
    cost. That j does not dominate i is a union of hypotheses, so that the largest p-value is one of it,
    whichever of them is true (Berger 1982, Technometrics 24, 295-300). The pairs are corrected by
    Bonferroni's bound in steps: a system that has fallen takes its pairs out (Holm 1979, Scand. J. Statist.
    6, 65-70), and so do, at a tenth of the level, pairs whose p-value is near 1 (after Romano, Shaikh & Wolf
    2014, Econometrica 82, 1979-2002).
    """
    p = np.maximum.reduce(p_values)
    k = len(p)
    np.fill_diagonal(p, 1.0)
    doubtful = p <= 1.0 - SELECTED * alpha / max(k * (k - 1), 1)
    np.fill_diagonal(doubtful, False)
    smallest, by, pairs = p.min(axis=0), p.argmin(axis=0), doubtful.sum(axis=0)
    order = np.argsort(smallest, kind="stable")
    left = pairs[order][::-1].cumsum()[::-1]  # of those that have not fallen before
    stepped = np.maximum.accumulate(smallest[order] * left / (1.0 - SELECTED))
    adjusted = np.empty(k)
    adjusted[order] = np.minimum(np.maximum(stepped, smallest[order]), 1.0)
    return Dominated(adjusted, by)


def on_frontier(dominated: Dominated, alpha: float) -> BoolArray:
    """Return which systems may be on the frontier, shape (k,)."""
    return ~np.asarray(multiplicity.rejects(dominated.p_adjusted, alpha))
