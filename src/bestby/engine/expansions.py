"""Scores and differences of functions of sums to second order in the weights of the units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from bestby._core.typing import FloatArray, IntArray
from bestby.engine import slopes
from bestby.engine.table import Table
from bestby.engine.transforms import Functional
from bestby.inference.abc import Expansion
from bestby.metrics.base import Metric

MOST_HELD = 1 << 20
"""Numbers up to which the rows of systems less their means are kept."""


@dataclass(frozen=True, eq=False)
class Expansions:
    """What ABC intervals read of a table of metrics and systems; that of a system is made once."""

    metrics: Sequence[Metric]
    table: Table

    def of(self, metric: int, a: int, b: int | None = None) -> Expansion:
        """Return the score of A, or the difference A minus B, to second order."""
        first, curvature = self._derivatives(metric, a)
        if b is not None:
            of_b = self._derivatives(metric, b)
            first, curvature = first - of_b[0], curvature - of_b[1]
        own = [system for system in (a, b) if system is not None]
        parts = tuple((self._total(metric, system), self._moves(metric, system)) for system in own)
        along = Along(Functional(self.metrics[metric]), self._counts, parts)
        return Expansion.of_units(first, self._counts, curvature, along)

    @property
    def _counts(self) -> IntArray:
        return self.table.units.counts

    def _total(self, metric: int, system: int) -> FloatArray:
        return self.table.total()[self.table.columns[metric][system]]

    def _derivatives(self, metric: int, system: int) -> tuple[FloatArray, float]:
        """Return the first derivatives by the weight of each unit (C,), and the sum of the second."""
        if (metric, system) not in self._made:
            own = self.metrics[metric]
            first, second = slopes.curvature(
                own, Functional(own), self._total(metric, system), self._moves(metric, system), self._counts
            )
            self._made[metric, system] = first, float(self._counts @ second)
        return self._made[metric, system]

    @cached_property
    def _made(self) -> dict[tuple[int, int], tuple[FloatArray, float]]:
        return {}

    def _moves(self, metric: int, system: int) -> FloatArray:
        """Return the rows of statistics of a system less the mean row of their stratum, shape (C, k)."""
        if (metric, system) not in self._all_moves:
            counts = self._counts
            moves = self.table.rows(self.table.columns[metric][system])
            for start, stop in pairwise(self.table.units.bounds.tolist()):
                c = counts[start:stop]
                moves[start:stop] -= (c @ moves[start:stop]) / c.sum()
            if (1 + len(self._all_moves)) * moves.size > MOST_HELD:
                self._all_moves.clear()
            self._all_moves[metric, system] = moves
        return self._all_moves[metric, system]

    @cached_property
    def _all_moves(self) -> dict[tuple[int, int], FloatArray]:
        return {}


@dataclass(frozen=True, eq=False)
class Along:
    """A score, or the difference of two, as the weights of the units change.

    There are `counts` units of each kind. `parts` has, for each of the systems, the totals (k,) and by what
    they change with the weight of one unit of each kind (C, k).
    """

    score: Functional
    counts: IntArray
    parts: tuple[tuple[FloatArray, FloatArray], ...]

    def __call__(self, change: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the scores (R,) as a function of multiples (R,) of a change of the weights (C,)."""
        weights = (self.counts * change)[:, None]
        # Row by row, not as a matrix product, which would add up in another order beside more columns.
        shifts = [np.add.reduce(weights * moves, axis=0) for _, moves in self.parts]

        def along(multiples: FloatArray) -> FloatArray:
            steps = multiples[:, None]
            moved = [total + steps * shift for (total, _), shift in zip(self.parts, shifts, strict=True)]
            of_a, *of_b = self.score.each_score(moved)
            return of_a - of_b[0] if of_b else of_a

        return along
